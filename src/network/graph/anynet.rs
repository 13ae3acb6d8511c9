//! Graphs as the anynet files of BookSim 2: lines of `router R` or `node N` and what is joined to it.
//!
//! What BookSim 2 makes of them, by its source: `router R router S w` is a link of `w` cycles, 1 if that is not said, and one
//! of 1 cycle back unless a line says that itself; of two lines that say the same link the last holds.

use super::draft::{Draft, LARGEST, LONGEST_DELAY};
use crate::config::integer;
use std::collections::BTreeMap;
use std::ops::Range;

/// What is said of a link or a node, and where.
#[derive(Clone, Copy, Debug)]
struct Said {
    latency: u64,
    start: usize,
}

/// A latency as it is written.
struct Latency {
    cycles: u64,
    at: Range<usize>,
}

/// What a word names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Named {
    Router(u32),
    Node(u32),
}

/// Reads all lines; a latency of `w` cycles is a delay of `w - 1` times `flit_time`.
pub(super) fn read(draft: &mut Draft<'_, '_>, flit_time: u64) {
    let mut file = File { draft, flit_time, links: BTreeMap::new(), nodes: BTreeMap::new() };
    let text = file.draft.text;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let mut words = Words { text: line, start, next: 0, beginning: start };
        let _ = file.line(&mut words); // what ends a line early has been reported
        start += line.len();
        if file.draft.is_hopeless() {
            return;
        }
    }
    file.finish();
}

struct File<'d, 'a, 'r> {
    draft: &'d mut Draft<'a, 'r>,
    flit_time: u64,
    links: BTreeMap<(u32, u32), Said>,
    nodes: BTreeMap<u32, (u32, Said)>,
}

impl File<'_, '_, '_> {
    /// Reads a line; none if it ends early, which has been reported.
    fn line(&mut self, words: &mut Words<'_>) -> Option<()> {
        let Some(first) = words.next() else { return Some(()) };
        let head = self.named(first, words)?;
        if let Named::Router(router) = head {
            self.draft.name_router(router, words.beginning);
        }
        let mut word = words.next();
        while let Some(at) = word {
            let body = self.named(at.clone(), words)?;
            word = words.next();
            let mut latency = None;
            if let Some(at) = word.clone().filter(|at| words.word(at).starts_with(|c: char| c.is_ascii_digit())) {
                let most = (LONGEST_DELAY / self.flit_time).saturating_add(1);
                let cycles = self.number(at.clone(), words, 1, most)?;
                latency = Some(Latency { cycles, at });
                word = words.next();
            }
            self.join(head, body, latency, words.beginning)?;
        }
        Some(())
    }

    /// What `router R` or `node N` names, whose first word is at `at`.
    fn named(&mut self, at: Range<usize>, words: &mut Words<'_>) -> Option<Named> {
        let word = words.word(&at);
        let make: fn(u32) -> Named = match word {
            "router" => Named::Router,
            "node" => Named::Node,
            _ => {
                self.draft.refuse(at.clone(), format!("`{word}` is not an element of an anynet file"), "router, node");
                return None;
            }
        };
        let Some(number) = words.next() else {
            self.draft.refuse(at.clone(), format!("a number is missing after `{word}`"), "");
            return None;
        };
        let number = self.number(number, words, 0, LARGEST)?;
        u32::try_from(number).ok().map(make)
    }

    fn number(&mut self, at: Range<usize>, words: &Words<'_>, least: u64, most: u64) -> Option<u64> {
        let word = words.word(&at);
        let value: Option<u64> = word.parse().ok();
        let message = match value {
            Some(value) if (least..=most).contains(&value) => return Some(value),
            Some(value) if value < least => format!("a latency must be at least {least}, not {value}"),
            Some(value) => format!("{value} is too large"),
            None => {
                let problem = integer(word, &(least..=most)).err().map(|slip| slip.problem);
                format!("a number {}", problem.unwrap_or_default())
            }
        };
        self.draft.refuse(at, message, &format!("an integer from {least} to {most}"));
        None
    }

    fn join(&mut self, head: Named, body: Named, latency: Option<Latency>, start: usize) -> Option<()> {
        let said = Said { latency: latency.as_ref().map_or(1, |latency| latency.cycles), start };
        match (head, body) {
            (Named::Router(from), Named::Router(to)) if from == to => self.draft.refuse_loop(from, start),
            (Named::Router(from), Named::Router(to)) => {
                self.draft.name_router(to, start);
                self.links.insert((from, to), said);
            }
            (Named::Router(router), Named::Node(node)) => self.hang(node, router, said),
            (Named::Node(node), Named::Router(router)) => {
                if let Some(Latency { at, .. }) = latency {
                    let message = "BookSim 2 misplaces a latency after `node .. router ..`";
                    self.draft.refuse(at, message, &format!("a line `router {router} node {node}` with the latency"));
                    return None;
                }
                self.hang(node, router, said);
            }
            (Named::Node(one), Named::Node(other)) => {
                let message = format!("node {one} cannot be connected to node {other}");
                self.draft.refuse(self.draft.line(start), message, "router");
                return None;
            }
        }
        Some(())
    }

    /// A node may be hung on its router by several lines.
    fn hang(&mut self, node: u32, router: u32, said: Said) {
        match self.nodes.get(&node) {
            Some(&(before, _)) if before != router => {
                let message = format!("node {node} is already attached to router {before}");
                self.draft.refuse(self.draft.line(said.start), message, "one router for each node");
            }
            _ => {
                self.nodes.insert(node, (router, said));
            }
        }
    }

    fn finish(self) {
        let Self { draft, flit_time, mut links, nodes } = self;
        let back: Vec<((u32, u32), usize)> = links.iter().map(|(&(from, to), said)| ((to, from), said.start)).collect();
        for (ends, start) in back {
            links.entry(ends).or_insert(Said { latency: 1, start });
        }
        let delay = |said: Said| Some((said.latency - 1) * flit_time);
        for (node, (router, said)) in nodes {
            draft.hang(node, router, draft.cost(None, delay(said)), said.start);
        }
        // a class exists if it has a link
        let class = if links.is_empty() { None } else { draft.class("") };
        for ((from, to), said) in links {
            draft.join([from, to], draft.cost(None, delay(said)), class.unwrap_or_default(), said.start);
        }
    }
}

/// The words of a line, with where they stand in the file.
struct Words<'a> {
    text: &'a str,
    /// Where the line begins in the file.
    start: usize,
    next: usize,
    beginning: usize,
}

impl<'a> Words<'a> {
    fn next(&mut self) -> Option<Range<usize>> {
        let rest = &self.text[self.next..];
        let word = rest.trim_start();
        let from = self.next + rest.len() - word.len();
        let length = word.find(char::is_whitespace).unwrap_or(word.len());
        self.next = from + length;
        (length > 0).then_some(self.start + from..self.start + from + length)
    }

    fn word(&self, at: &Range<usize>) -> &'a str {
        &self.text[at.start - self.start..at.end - self.start]
    }
}
