//! Random networks by the keys that their kind declares: a new network needs no code here.
//!
//! Values are drawn from the ranges of the keys, and arrays of integers have a common length. A network is kept if the reader of
//! scenarios accepts it, and if its paths cannot deadlock. A network shrinks by lower values and by fewer keys.

use super::written::{table, written_keys};
use crate::network::{NETWORKS, NetworkKind, NetworkSpec, Parameter};
use crate::scenario::{NetworkAlone, Options};
use crate::selftest::features::{Feature, Swarm};
use crate::selftest::minimise::lower;
use crate::units::Key;
use crate::units::key::{Fallback, Takes};
use std::path::Path;
use std::sync::Arc;

/// The most nodes and routers of a network, and of a larger one.
const MOST_NODES: usize = 27;
const MOST_NODES_OF_LARGER: usize = 72;

/// A network of a case, with its table.
#[derive(Clone, Debug)]
pub(crate) struct KeyedCase {
    kind: &'static str,
    keys: Vec<(&'static str, Parameter)>,
    /// The routing, if it is named.
    routing: Option<&'static str>,
    /// The time for a flit to cross a channel.
    flit_time: u64,
    spec: Arc<dyn NetworkSpec>,
}

impl PartialEq for KeyedCase {
    fn eq(&self, other: &Self) -> bool {
        let known_by = |case: &Self| (case.kind, case.routing, case.flit_time);
        known_by(self) == known_by(other) && self.keys == other.keys
    }
}

impl Eq for KeyedCase {}

impl KeyedCase {
    /// A network of the kind with this name.
    #[expect(
        clippy::expect_used,
        reason = "kinds are named by their features, and most tables that are drawn are accepted"
    )]
    pub(super) fn draw(swarm: &mut Swarm, name: &str, flit_time: u64) -> Self {
        let kind = NETWORKS.iter().find(|kind| kind.name == name).expect("the kind is registered");
        let most = if swarm.has(Feature::Larger, 0.2) { MOST_NODES_OF_LARGER } else { MOST_NODES };
        let concentration = swarm.has(Feature::Concentration, 0.4);
        let mut tries = std::iter::repeat_with(|| {
            let keys = draw_keys(swarm, kind, concentration);
            let routing = swarm.toss(0.5).then(|| draw_routing(swarm, kind)).flatten();
            Self::read(kind.name, keys, routing, flit_time).filter(|case| case.size() <= most)
        });
        tries.by_ref().take(10_000).find_map(|case| case).expect("a table is accepted")
    }

    /// The network with these `keys`, or `None` if the reader of scenarios rejects them or its paths can deadlock.
    fn read(
        kind: &'static str,
        keys: Vec<(&'static str, Parameter)>,
        routing: Option<&'static str>,
        flit_time: u64,
    ) -> Option<Self> {
        let mut text = format!("channel.flit_time = {flit_time}\n");
        text += &routing.map_or_else(String::new, |name| format!("router.routing = \"{name}\"\n"));
        text += &table(&format!("network.{kind}"), &written_keys(&keys));
        let read = NetworkAlone::from_bytes("case.toml", text.into_bytes(), Path::new("."), &Options::default());
        let spec = read.ok()?.network.spec;
        spec.cycle().is_none().then_some(Self { kind, keys, routing, flit_time, spec })
    }

    /// The number of its nodes or of its routers, whichever is larger.
    fn size(&self) -> usize {
        self.spec.links().map_or(usize::MAX, |links| links.nodes().max(links.routers()))
    }

    /// The name of its kind.
    pub(super) fn kind(&self) -> &'static str {
        self.kind
    }

    /// The keys of its table.
    pub(super) fn keys(&self) -> &[(&'static str, Parameter)] {
        &self.keys
    }

    /// The routing that `[router]` names, if it does.
    pub(super) fn routing(&self) -> Option<&'static str> {
        self.routing
    }

    pub(super) fn spec(&self) -> &dyn NetworkSpec {
        self.spec.as_ref()
    }

    /// Networks with lower values or fewer keys.
    pub(super) fn smaller(&self) -> Vec<Self> {
        let mut tables = Vec::new();
        for index in 0..self.keys.len() {
            let mut baseline = self.keys.clone();
            baseline.remove(index);
            tables.push(baseline);
            tables.extend(self.with_lower(index));
        }
        tables.extend(self.with_fewer_dimensions());
        let read = |keys, routing| Self::read(self.kind, keys, routing, self.flit_time);
        let mut smaller: Vec<Self> = tables.into_iter().filter_map(|keys| read(keys, self.routing)).collect();
        if self.routing.is_some() {
            smaller.extend(read(self.keys.clone(), None));
        }
        smaller
    }

    /// Its tables with lower values of one key.
    fn with_lower(&self, index: usize) -> Vec<Vec<(&'static str, Parameter)>> {
        let with = |value| {
            let mut keys = self.keys.clone();
            keys[index].1 = value;
            keys
        };
        match &self.keys[index].1 {
            Parameter::Integer(number) => lower(*number, 1).map(|number| with(Parameter::Integer(number))).collect(),
            Parameter::Integers(numbers) => {
                let locations = (0..numbers.len()).flat_map(|at| lower(numbers[at], 1).map(move |number| (at, number)));
                let changed = locations.map(|(at, number)| {
                    let mut numbers = numbers.clone();
                    numbers[at] = number;
                    with(Parameter::Integers(numbers))
                });
                changed.collect()
            }
            _ => Vec::new(),
        }
    }

    /// Its tables with one entry less in every array.
    fn with_fewer_dimensions(&self) -> Vec<Vec<(&'static str, Parameter)>> {
        let lengths = self.keys.iter().filter_map(|(_, value)| match value {
            Parameter::Integers(numbers) => Some(numbers.len()),
            _ => None,
        });
        let dimensions = lengths.max().unwrap_or(0);
        let baseline = |dimension: usize| {
            let mut keys = self.keys.clone();
            for (_, value) in &mut keys {
                if let Parameter::Integers(numbers) = value
                    && dimension < numbers.len()
                {
                    numbers.remove(dimension);
                }
            }
            keys
        };
        (0..dimensions).filter(|_| dimensions > 1).map(baseline).collect()
    }
}

/// Values of the required keys of `kind`, and of some others.
fn draw_keys(swarm: &mut Swarm, kind: &NetworkKind, concentration: bool) -> Vec<(&'static str, Parameter)> {
    let dimensions = swarm.draw(1..=3);
    let mut keys = Vec::new();
    for key in kind.keys {
        let is_given = match key.name {
            "concentration" => concentration,
            _ => key.default == Fallback::Required || swarm.toss(0.4),
        };
        if is_given && let Some(value) = draw_value(swarm, key, dimensions) {
            keys.push((key.name, value));
        }
    }
    keys
}

/// A small value of `key`, or `None` if values of its type are not drawn.
fn draw_value(swarm: &mut Swarm, key: &Key, dimensions: usize) -> Option<Parameter> {
    match key.takes {
        Takes::Integer(least, most) => Some(Parameter::Integer(swarm.draw(least..=most.min(least + 2)))),
        Takes::Boolean => Some(Parameter::Boolean(swarm.toss(0.5))),
        Takes::Integers(least, most) => {
            let most = most.min(least + [4, 2, 1][dimensions - 1]);
            Some(Parameter::Integers((0..dimensions).map(|_| swarm.draw(least..=most)).collect()))
        }
        _ => None,
    }
}

/// One of the routings of `kind`.
fn draw_routing(swarm: &mut Swarm, kind: &NetworkKind) -> Option<&'static str> {
    let names: Vec<&'static str> = kind.routings.iter().map(|(name, _)| *name).collect();
    (!names.is_empty()).then(|| swarm.one_of(&names))
}
