//! Routings of a graph that cannot deadlock, for one that can.

use super::{RoutedGraph, SHORTEST, TABLE, UP_DOWN};
use crate::network::{Parameter, Remedy};
use crate::routing::graph::{Shortest, UpDown, Weight};
use std::sync::Arc;

/// Most classes of a routing.
const MOST_CLASSES: usize = u8::MAX as usize;

impl RoutedGraph {
    /// Up-down routing if every link has one back, and shortest paths with a class for each link of a path.
    pub(in crate::network) fn remedies(&self) -> Vec<Remedy> {
        let root = 0;
        let up_down = UpDown::new(Arc::clone(&self.graph), root).ok().map(|_| self.up_down());
        up_down.into_iter().chain(self.by_hops()).collect()
    }

    fn up_down(&self) -> Remedy {
        let effect = "one virtual channel is enough, but paths can be longer";
        let remedy = Remedy::set("router.routing", UP_DOWN.0, effect);
        match self.routing {
            routing if routing == TABLE.0 => remedy.unset("router.table"),
            _ if self.weights.chosen.is_some() => remedy.unset("router.weight"),
            _ => remedy,
        }
    }

    fn by_hops(&self) -> Option<Remedy> {
        let shortest = Shortest::new(Arc::clone(&self.graph), self.weight()).ok()?;
        let classes = shortest.longest();
        if classes > MOST_CLASSES {
            return None;
        }
        let effect = format!("shortest paths with {classes} virtual channels on each link");
        let remedy = if self.routing == TABLE.0 {
            Remedy::set("router.routing", SHORTEST.0, effect).and("router.classes", "hops").unset("router.table")
        } else {
            Remedy::set("router.classes", "hops", effect)
        };
        let too_few = self.given_virtual_channels.is_some_and(|given| given < classes as u64);
        Some(if too_few { remedy.and("channel.virtual_channels", classes) } else { remedy })
    }

    /// The weight that shortest paths have here.
    fn weight(&self) -> Weight {
        if self.routing != SHORTEST.0 {
            return self.weights.default;
        }
        let is_latency = |(_, value): &(&str, Parameter)| *value == Parameter::Word(Weight::Latency.name());
        if self.parameters.iter().any(is_latency) { Weight::Latency } else { Weight::Links }
    }
}
