//! What a graph file says, row by row, and what is wrong with it as a whole.

use crate::config::{Diagnostic, Fault, Place, Reader, Scale, line_at};
use crate::network::LinkClasses;
use crate::network::routed::{Broken, Reach};
use crate::topology::{Attachment, Graph, Joint, LINK_CLASS, LinkCost};
use crate::units::{RouterId, narrow};
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::Arc;

/// The longest flit time and delay of a link, in ticks.
pub(super) const LONGEST_FLIT_TIME: u64 = 1 << 32;
pub(super) const LONGEST_DELAY: u64 = 1 << 40;

/// The largest number of a node or a router: one less than there can be.
pub(super) const LARGEST: u64 = u32::MAX as u64 - 1;

/// Names that no class of links may have, as tables `[links.NAME]` have them for other purposes.
const RESERVED_CLASSES: [&str; 2] = ["all", "node"];

/// The accepted names of classes, for messages about reserved ones.
pub(super) const OTHER_CLASS: &str = "any name but all and node";

/// The message that `name` is reserved and cannot be the name of a class.
pub(super) fn reserved_class(name: &str) -> String {
    format!("`{name}` cannot be the class of a link")
}

/// Errors of a file that are recorded. Further ones mostly have the same cause.
const TOLD: usize = 1000;

/// A file as it is read.
pub(super) struct Draft<'a, 'r> {
    pub(super) text: &'a str,
    table: &'a Reader<'r>,
    source: usize,
    flit_time: u64,
    /// The costs of classes of links, if the scenario has some.
    class_costs: Option<&'a LinkClasses>,
    nodes: Vec<Hung>,
    by_number: FxHashMap<u32, u32>,
    links: Vec<Joint>,
    /// The names of the classes of links, in the order of their first link, and their indices by name.
    classes: Vec<String>,
    class_indices: FxHashMap<String, u32>,
    /// The index of the class of each link.
    class_of: Vec<u32>,
    /// Where each link stands.
    places: Vec<usize>,
    /// Routers that are named without anything else.
    named: Vec<(u32, usize)>,
    /// How many routers there are, if the file says it.
    routers: Option<u64>,
    wrong: usize,
}

/// A node and where it stands.
struct Hung {
    node: u32,
    at: Attachment,
    start: usize,
}

/// A graph that is whole, and where its parts stand.
#[derive(Debug)]
pub(crate) struct GraphFile {
    pub(super) graph: Arc<Graph>,
    pub(super) source: usize,
    /// The byte of each link's line.
    pub(super) links: Vec<usize>,
    /// The lengths of its shortest paths.
    pub(super) reach: Reach,
}

impl<'a, 'r> Draft<'a, 'r> {
    /// Of `text`, source `source`, on a machine whose channels take `flit_time` ticks a flit.
    pub(super) fn new(text: &'a str, table: &'a Reader<'r>, source: usize, flit_time: u64) -> Self {
        Self {
            text,
            table,
            source,
            flit_time,
            class_costs: None,
            nodes: Vec::new(),
            by_number: FxHashMap::default(),
            links: Vec::new(),
            classes: Vec::new(),
            class_indices: FxHashMap::default(),
            class_of: Vec::new(),
            places: Vec::new(),
            named: Vec::new(),
            routers: None,
            wrong: 0,
        }
    }

    /// Sets the costs of the `classes` of links and of nodes.
    pub(super) fn with_classes(self, classes: &'a LinkClasses) -> Self {
        Self { class_costs: Some(classes).filter(|classes| !classes.is_empty()), ..self }
    }

    /// The lengths of ticks and flits, if the scenario has units.
    pub(super) fn scale(&self) -> Option<Scale> {
        self.table.scale()
    }

    /// What a channel takes, by what is said of it.
    pub(super) fn cost(&self, flit_time: Option<u64>, delay: Option<u64>) -> LinkCost {
        LinkCost::new(flit_time.unwrap_or(self.flit_time), delay.unwrap_or(0))
    }

    /// Reports what is wrong with the bytes `span`; `accepted` may be empty.
    pub(super) fn refuse(&mut self, span: Range<usize>, message: impl Into<String>, accepted: &str) {
        self.wrong += 1;
        if self.wrong > TOLD {
            return;
        }
        let wrong = Diagnostic::at(Place { source: self.source, span }, message);
        self.table.error(match accepted {
            "" => wrong,
            accepted => wrong.note(format!("accepted: {accepted}")),
        });
    }

    /// Reports an error of a row.
    pub(super) fn refuse_fault(&mut self, fault: Fault) {
        self.wrong += 1;
        self.table.error(fault.diagnostic(self.source));
    }

    /// Reports what is wrong elsewhere in the file.
    pub(super) fn pass_on(&mut self, wrong: Diagnostic) {
        self.wrong += 1;
        if self.wrong <= TOLD {
            self.table.error(wrong);
        }
    }

    /// Whether so much is wrong that it is no use to read on.
    pub(super) fn is_hopeless(&self) -> bool {
        self.wrong > TOLD
    }

    /// The line that begins at byte `start`.
    pub(super) fn line(&self, start: usize) -> Range<usize> {
        line_at(self.text, start)
    }

    /// Hangs a node on a router; `start` is where that stands.
    pub(super) fn hang(&mut self, node: u32, router: u32, cost: LinkCost, start: usize) {
        if let Some(before) = self.by_number.insert(node, router) {
            let message = format!("node {node} is already attached to router {before}");
            self.refuse(self.line(start), message, "one router for each node");
            return;
        }
        let cost = self.class_costs.map_or(cost, |classes| classes.node_cost(cost));
        self.nodes.push(Hung { node, at: Attachment { router: RouterId(router), cost }, start });
    }

    /// Returns the index of the class called `name`, which is that of links without a class if `name` is empty. Returns `None` if the
    /// name is reserved.
    pub(super) fn class(&mut self, name: &str) -> Option<u32> {
        if RESERVED_CLASSES.contains(&name) {
            return None;
        }
        let name = if name.is_empty() { LINK_CLASS } else { name };
        if let Some(&index) = self.class_indices.get(name) {
            return Some(index);
        }
        let index = narrow(self.classes.len(), "links are numbered with 32 bits, and so are their classes");
        self.classes.push(name.to_owned());
        self.class_indices.insert(name.to_owned(), index);
        Some(index)
    }

    /// Joins the router `from` to `to` by a link of the class with this index. Its row begins at the byte `start`.
    pub(super) fn join(&mut self, [from, to]: [u32; 2], cost: LinkCost, class: u32, start: usize) {
        let cost = self.class_costs.map_or(cost, |classes| classes.cost(&self.classes[class as usize], cost));
        self.links.push(Joint { from: RouterId(from), to: RouterId(to), cost });
        self.class_of.push(class);
        self.places.push(start);
    }

    /// Reports a link that leads back to where it comes from.
    pub(super) fn refuse_loop(&mut self, router: u32, start: usize) {
        self.refuse(self.line(start), format!("the link connects router {router} to itself"), "two different routers");
    }

    /// There is a router of this number.
    pub(super) fn name_router(&mut self, router: u32, start: usize) {
        self.named.push((router, start));
    }

    /// There are so many routers.
    pub(super) fn count_routers(&mut self, routers: u64) {
        self.routers = Some(routers);
    }

    /// The graph; none, which has been reported, if something is wrong or missing.
    pub(super) fn finish(mut self) -> Option<GraphFile> {
        if self.wrong > 0 {
            return None;
        }
        if self.nodes.is_empty() {
            self.refuse(0..0, "a graph needs at least one node", "");
            return None;
        }
        let nodes: Vec<(u32, usize)> = self.nodes.iter().map(|node| (node.node, node.start)).collect();
        let hung = self.nodes.iter().map(|node| (node.at.router.0, node.start));
        let ends = |(link, &start): (&Joint, &usize)| [(link.from.0, start), (link.to.0, start)];
        let joined = self.links.iter().zip(&self.places).flat_map(ends);
        let routers: Vec<(u32, usize)> = self.named.iter().copied().chain(hung).chain(joined).collect();
        let nodes = self.none_missing(&nodes, "node");
        let routers = self.none_missing(&routers, "router")?;
        nodes?;
        if self.routers.is_some_and(|said| said > routers as u64) {
            self.refuse(0..0, format!("router {routers} has no links and no nodes"), &format!("`routers` = {routers}"));
            return None;
        }
        self.nodes.sort_unstable_by_key(|node| node.node);
        let attached = self.nodes.iter().map(|node| node.at).collect();
        let graph = Graph::new(routers, attached, std::mem::take(&mut self.links));
        let graph = graph.with_classes(std::mem::take(&mut self.classes), std::mem::take(&mut self.class_of));
        let reach = Reach::new(&graph).map_err(|broken| self.refuse_broken(broken)).ok()?;
        Some(GraphFile { graph: Arc::new(graph), source: self.source, links: self.places, reach })
    }

    /// How many there are of `what`, numbered from 0; each is named with the place where that stands.
    fn none_missing(&mut self, named: &[(u32, usize)], what: &str) -> Option<usize> {
        let mut is_there = vec![false; named.len() + 1];
        for &(number, _) in named {
            if let Some(there) = is_there.get_mut(number as usize) {
                *there = true;
            }
        }
        let count = is_there.iter().position(|there| !there).unwrap_or(named.len());
        let beyond = named.iter().find(|(number, _)| *number as usize > count);
        let Some(&(larger, start)) = beyond else { return Some(count) };
        let message = format!("{what} {count} is missing before {what} {larger}");
        let fault = Fault::new(self.line(start), message);
        let fault = fault.note(format!("accepted: {what}s numbered from 0 without gaps"));
        let from_one = named.iter().map(|(number, _)| *number).min() == Some(1);
        self.refuse_fault(match from_one {
            true => fault.hint(format!("the file counts {what}s from 1; subtract 1 from each number")),
            false => fault,
        });
        None
    }

    /// Reports two nodes without a path.
    fn refuse_broken(&mut self, Broken { from, to, shown }: Broken) {
        let start = self.nodes[shown.index()].start;
        self.refuse(self.line(start), format!("there is no path from node {from} to node {to}"), "");
    }
}
