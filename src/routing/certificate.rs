//! Whether packets on the virtual channels of links can wait for each other for ever, with a certificate that others can check.
//!
//! A packet that holds a virtual channel and may request another makes the first depend on the second. Without a cycle of
//! dependencies the network is *free*: every virtual channel has a rank, the length of the longest chain of dependencies that
//! begins at it, and all dependencies lead to lower ranks (Dally and Seitz 1987). Where packets have one path, a cycle of
//! dependencies can be held: each virtual channel of it by a packet that fits into it and waits for the next.
//!
//! This file knows paths and classes. It refuses to know time, buffers beyond a flit, and what traffic there is.

use super::{DependencyGraph, LinkRouting, Step};
use crate::cancel;
use crate::topology::Links;
use crate::units::{LinkId, NodeId, narrow};
use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::ops::Range;
use thiserror::Error;

/// Most lines of a certificate.
pub const MOST_LINES: usize = 10_000_000;

/// A certificate would be too long to be of use.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("the certificate would have {lines} lines, and more than {MOST_LINES} are not written")]
pub struct TooLong {
    lines: usize,
}

/// A virtual channel of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VirtualChannel {
    /// The link.
    pub link: LinkId,
    /// Which of its virtual channels.
    pub vc: u8,
}

/// The virtual channels of a link, shared out among classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shares {
    /// Virtual channels.
    pub virtual_channels: u8,
    /// Classes, at least one.
    pub classes: u8,
}

impl Shares {
    /// The virtual channels of `class`: all of them if there are fewer than classes.
    fn of(self, class: u8) -> Range<u8> {
        let [vcs, classes, class] = [self.virtual_channels, self.classes, class].map(u16::from);
        if vcs < classes {
            return 0..self.virtual_channels;
        }
        #[expect(clippy::cast_possible_truncation, reason = "no more than there are virtual channels")]
        let first = |class: u16| (class * vcs / classes) as u8;
        first(class)..first(class + 1)
    }
}

/// The dependencies of the virtual channels of paths.
#[derive(Clone, Debug)]
pub struct Dependencies {
    shares: Shares,
    /// Per link and class the steps that follow it in a path; none where no path takes it. They are as few as a router has
    /// links.
    next: Vec<Option<Vec<Step>>>,
}

impl Dependencies {
    /// None yet of so many `links`, with their virtual channels shared out so.
    pub fn new(shares: Shares, links: usize) -> Self {
        Self { shares, next: vec![None; links * usize::from(shares.classes)] }
    }

    /// Those of all paths of `routing` over `links` between all nodes, where links have so many virtual channels. Begins with a
    /// [`checkpoint`](cancel::checkpoint) for every node.
    pub fn of(links: &dyn Links, routing: &dyn LinkRouting, virtual_channels: u8) -> Self {
        let mut dependencies = Self::new(Shares { virtual_channels, classes: routing.classes() }, links.count());
        let nodes = || (0..links.nodes()).map(NodeId::new);
        for src in nodes() {
            cancel::checkpoint();
            for dst in nodes() {
                let _ = routing.each_path(src, dst, &mut |path| {
                    dependencies.add(path);
                    ControlFlow::Continue(())
                });
            }
        }
        dependencies
    }

    /// Adds those of a path.
    ///
    /// # Panics
    /// If there is no such link or class.
    pub fn add(&mut self, path: &[Step]) {
        let classes = usize::from(self.shares.classes);
        for (at, step) in path.iter().enumerate() {
            let known = &mut self.next[step.link.index() * classes + usize::from(step.class)];
            let known = known.get_or_insert_default();
            if let Some(next) = path.get(at + 1).filter(|next| !known.contains(next)) {
                known.push(*next);
            }
        }
    }

    /// The links and classes that paths take, with the steps that follow.
    fn taken(&self) -> impl Iterator<Item = (Step, &[Step])> {
        let classes = usize::from(self.shares.classes);
        let step = move |at: usize| Step {
            link: LinkId::new(at / classes),
            class: narrow(at % classes, "there are fewer classes than 256"),
        };
        let taken = self.next.iter().enumerate();
        taken.filter_map(move |(at, next)| Some((step(at), next.as_deref()?)))
    }

    /// What they prove.
    ///
    /// # Errors
    /// If the certificate would have more than [`MOST_LINES`] lines.
    pub fn certificate(&self) -> Result<Certificate, TooLong> {
        let several = |step: &Step| self.shares.of(step.class).len();
        let lines_of = |(step, next): (Step, &[Step])| several(&step) * (1 + next.iter().map(several).sum::<usize>());
        let lines = self.taken().map(lines_of).sum();
        if lines > MOST_LINES {
            return Err(TooLong { lines });
        }
        let channels = |step: Step| self.shares.of(step.class).map(move |vc| VirtualChannel { link: step.link, vc });
        let mut ranks: BTreeMap<VirtualChannel, Option<usize>> = BTreeMap::new();
        let mut turns: Vec<(VirtualChannel, VirtualChannel)> = Vec::new();
        for (step, next) in self.taken() {
            for from in channels(step) {
                ranks.insert(from, None);
                turns.extend(next.iter().copied().flat_map(channels).map(|to| (from, to)));
            }
        }
        turns.sort_unstable();
        turns.dedup();
        let mut graph: DependencyGraph<VirtualChannel> = DependencyGraph::default();
        ranks.keys().for_each(|&channel| {
            graph.number(channel);
        });
        graph.extend(turns.iter().copied());
        let held = graph.shortest_cycle();
        if held.is_none() {
            rank(&mut ranks, &turns);
        }
        Ok(Certificate { virtual_channels: self.shares.virtual_channels, ranks, turns, held: held.unwrap_or_default() })
    }
}

/// Gives every virtual channel the length of the longest chain of `turns`, sorted and without a cycle, that begins at it.
fn rank(ranks: &mut BTreeMap<VirtualChannel, Option<usize>>, turns: &[(VirtualChannel, VirtualChannel)]) {
    let leaving = |channel: VirtualChannel| {
        let first = turns.partition_point(|(from, _)| *from < channel);
        turns[first..].iter().take_while(move |(from, _)| *from == channel).map(|(_, to)| *to)
    };
    let all: Vec<VirtualChannel> = ranks.keys().copied().collect();
    for start in all {
        // depth first; a channel is ranked when all that it depends on are
        let mut open = vec![start];
        while let Some(&channel) = open.last() {
            let before = open.len();
            let mut longest = 0;
            for next in leaving(channel) {
                match ranks[&next] {
                    Some(rank) => longest = longest.max(rank + 1),
                    None => open.push(next),
                }
            }
            if open.len() == before {
                ranks.insert(channel, Some(longest));
                open.pop();
            }
        }
    }
}

/// What is proved of a network and its routing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    virtual_channels: u8,
    /// Every virtual channel that a path uses, with its rank if the network is free.
    ranks: BTreeMap<VirtualChannel, Option<usize>>,
    /// Which depends on which, sorted.
    turns: Vec<(VirtualChannel, VirtualChannel)>,
    /// A cycle of dependencies, if there is one.
    held: Vec<VirtualChannel>,
}

impl Certificate {
    /// Whether nothing can deadlock.
    pub fn is_free(&self) -> bool {
        self.held.is_empty()
    }

    /// Virtual channels that paths use.
    pub fn used(&self) -> usize {
        self.ranks.len()
    }

    /// Dependencies.
    pub fn dependencies(&self) -> usize {
        self.turns.len()
    }

    /// The cycle, if there is one.
    pub fn held(&self) -> &[VirtualChannel] {
        &self.held
    }

    /// Writes it as text, words between blanks: see `flitwise guide networks`. `network` says in free text what it is of.
    ///
    /// # Errors
    /// If `out` takes no more.
    pub fn write(&self, out: &mut dyn Write, network: &str, links: &dyn Links) -> io::Result<()> {
        writeln!(out, "flitwise certificate 1\nnetwork {network}\nvirtual_channels {}", self.virtual_channels)?;
        writeln!(out, "verdict {}", if self.is_free() { "free" } else { "cycle" })?;
        for (channel, rank) in &self.ranks {
            let (from, to) = links.ends(channel.link);
            let rank = rank.map_or_else(|| "-".to_owned(), |rank| rank.to_string());
            writeln!(out, "vc {channel} {from} {to} {rank}")?;
        }
        for (from, to) in &self.turns {
            writeln!(out, "turn {from} {to}")?;
        }
        self.held.iter().try_for_each(|channel| writeln!(out, "hold {channel}"))
    }
}

impl VirtualChannel {
    /// What people call it, where links have so many virtual channels.
    pub fn name(self, links: &dyn Links, virtual_channels: u8) -> String {
        let link = links.link_name(self.link);
        if virtual_channels == 1 { link } else { format!("{link} vc {}", self.vc) }
    }
}

/// As certificates have it: the numbers of the link and of the virtual channel.
impl fmt::Display for VirtualChannel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.link, self.vc)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;

    fn path(links: &[(u32, u8)]) -> Vec<Step> {
        links.iter().map(|&(link, class)| Step { link: LinkId(link), class }).collect()
    }

    #[test]
    fn classes_share_out_virtual_channels() {
        let shares = |virtual_channels, classes| Shares { virtual_channels, classes };
        assert_eq!([0, 1].map(|class| shares(4, 2).of(class)), [0..2, 2..4]);
        assert_eq!([0, 1, 2].map(|class| shares(4, 3).of(class)), [0..1, 1..2, 2..4]);
        assert_eq!([0, 1].map(|class| shares(1, 2).of(class)), [0..1, 0..1]);
    }

    #[test]
    fn a_ring_is_free_with_two_classes_and_a_cycle_without() {
        let one_class = [[(0, 0), (1, 0)], [(1, 0), (2, 0)], [(2, 0), (0, 0)]];
        let two_classes = [[(0, 0), (1, 0)], [(1, 0), (2, 0)], [(2, 0), (0, 1)]];
        let certificate = |classes, paths: [[(u32, u8); 2]; 3]| {
            let mut dependencies = Dependencies::new(Shares { virtual_channels: classes, classes }, 3);
            paths.iter().for_each(|links| dependencies.add(&path(links)));
            dependencies.certificate().unwrap()
        };
        let cycle = certificate(1, one_class);
        assert!(!cycle.is_free());
        assert_eq!(cycle.held().len(), 3);
        let free = certificate(2, two_classes);
        assert_eq!((free.is_free(), free.used(), free.dependencies()), (true, 4, 3));
        let ranks: Vec<usize> = free.ranks.values().map(|rank| rank.unwrap()).collect();
        // link 0 in class 0, in class 1, then links 1 and 2
        assert_eq!(ranks, [3, 0, 2, 1]);
    }
}
