//! What was shown of a plan: numbers that are merged over repetitions, and sentences that are the same in all of them.

use super::words::{counted, first_of};
use crate::machine::Routers;
use crate::routing::certificate::Dependencies;
use crate::routing::relation::dependence;
use crate::routing::{LinkRelation, Relation, Routes};

/// A number that was shown, over some repetitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fact {
    name: &'static str,
    /// The smallest of all repetitions.
    pub least: u64,
    /// The largest.
    pub most: u64,
}

/// What was shown of a variant, over some repetitions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Evidence {
    /// Over how many.
    pub repetitions: usize,
    facts: Vec<Fact>,
    /// Sentences of the first repetition.
    pub notes: Vec<String>,
}

impl Evidence {
    /// Nothing yet, of one repetition.
    pub fn new() -> Self {
        Self { repetitions: 1, ..Self::default() }
    }

    /// With a number.
    #[must_use]
    pub fn fact(mut self, name: &'static str, value: u64) -> Self {
        self.facts.push(Fact { name, least: value, most: value });
        self
    }

    /// With a sentence.
    #[must_use]
    pub fn note(mut self, sentence: impl Into<String>) -> Self {
        self.notes.push(sentence.into());
        self
    }

    /// The number called `name`, if it was shown in every repetition.
    pub fn number(&self, name: &str) -> Option<&Fact> {
        self.facts.iter().find(|fact| fact.name == name)
    }

    /// The number called `name`.
    ///
    /// # Panics
    /// If it was not shown in every repetition: a kind asks for what its own `verify` shows.
    #[expect(clippy::expect_used, reason = "a kind asks for what its own `verify` shows")]
    pub fn shown(&self, name: &str) -> &Fact {
        self.number(name).expect("a kind asks for what its own `verify` shows")
    }

    /// Both together. A number that one of them lacks is told no more.
    #[must_use]
    pub fn and(mut self, other: &Self) -> Self {
        self.repetitions += other.repetitions;
        self.facts.retain_mut(|fact| {
            let Some(also) = other.number(fact.name) else { return false };
            fact.least = fact.least.min(also.least);
            fact.most = fact.most.max(also.most);
            true
        });
        self
    }
}

/// Nodes of networks whose paths are followed, all of them, to see what depends on what; of a larger one only what its rule
/// says is told.
const MOST_NODES: usize = 1024;

/// Whether virtual channels of `routers` depend on each other in a cycle, in a sentence.
pub fn deadlock_freedom(routers: &Routers) -> String {
    let number = counted(routers.virtual_channels.into(), "virtual channel");
    let what = format!("{} routing with {number}", routers.routing);
    match &routers.routes {
        Routes::Lattice(relation) => on_lattice(&what, relation),
        Routes::Links(relation) => over_links(&what, relation, routers.virtual_channels),
    }
}

fn on_lattice(what: &str, relation: &Relation) -> String {
    let shown = dependence(relation);
    let shape: Vec<String> = shown.shape.iter().map(ToString::to_string).collect();
    let shape = shape.join("x");
    let many = shown.virtual_channels;
    match &shown.cycle {
        None if relation.is_adaptive() => format!(
            "proved of {what} on {shape} nodes: whatever packets choose, the channel dependency graph of the {many} virtual \
             channels that they can always fall back on is acyclic: deadlock-free"
        ),
        None => format!(
            "proved of {what} on {shape} nodes: the channel dependency graph of {many} virtual channels is acyclic: \
             deadlock-free"
        ),
        Some(cycle) => format!(
            "{what} on {shape} nodes can deadlock: a cycle in the channel dependency graph: {}",
            first_of(cycle)
        ),
    }
}

fn over_links(what: &str, relation: &LinkRelation, virtual_channels: u8) -> String {
    let links = relation.links();
    let classes = counted(relation.classes().into(), "class");
    let by_rule = format!("{what} is deadlock-free by its rule, with {classes} of virtual channels");
    if links.nodes() > MOST_NODES {
        return by_rule;
    }
    let shown = Dependencies::of(links, relation.routing(), virtual_channels).certificate();
    let nodes = counted(links.nodes() as u64, "node");
    let cycle = shown.held();
    if cycle.is_empty() {
        let many = shown.used();
        return format!(
            "proved of {what} on {nodes}: whatever paths packets take, the channel dependency graph of {many} virtual \
             channels is acyclic: deadlock-free"
        );
    }
    let names: Vec<String> = cycle.iter().map(|channel| channel.name(links, virtual_channels)).collect();
    format!("{what} on {nodes} can deadlock: a cycle in the channel dependency graph: {}", first_of(&names))
}
