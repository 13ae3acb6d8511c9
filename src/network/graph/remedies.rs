//! Routings of a graph that cannot deadlock, for one that can.

use super::GraphSpec;
use crate::network::{Parameter, Remedy};
use crate::routing::graph::{Shortest, UpDown, Weight};
use std::sync::Arc;

/// Most classes of a routing.
const MOST_CLASSES: usize = u8::MAX as usize;

impl GraphSpec {
    /// Up-down routing if every link has one back, and shortest paths with a class for each link of a path.
    pub(super) fn other_routings(&self) -> Vec<Remedy> {
        let root = 0;
        let up_down = UpDown::new(Arc::clone(&self.file.graph), root).ok().map(|_| self.up_down());
        up_down.into_iter().chain(self.by_hops()).collect()
    }

    fn up_down(&self) -> Remedy {
        let remedy = Remedy::set("router.routing", "up-down", "one virtual channel is enough, but paths can be longer");
        match self.routed.routing {
            "table" => remedy.unset("router.table"),
            _ if self.gives_weight => remedy.unset("router.weight"),
            _ => remedy,
        }
    }

    fn by_hops(&self) -> Option<Remedy> {
        let shortest = Shortest::new(Arc::clone(&self.file.graph), self.weight()).ok()?;
        let classes = shortest.longest();
        if classes > MOST_CLASSES {
            return None;
        }
        let effect = format!("shortest paths with {classes} virtual channels on each link");
        let remedy = match self.routed.routing {
            "table" => {
                Remedy::set("router.routing", "shortest", effect).and("router.classes", "hops").unset("router.table")
            }
            _ => Remedy::set("router.classes", "hops", effect),
        };
        let too_few = self.given_virtual_channels.is_some_and(|given| given < classes as u64);
        Some(if too_few { remedy.and("channel.virtual_channels", classes) } else { remedy })
    }

    /// The weight that shortest paths have here.
    fn weight(&self) -> Weight {
        let is_latency = |(_, value): &(&str, Parameter)| *value == Parameter::Word(Weight::Latency.name());
        let latency = match self.routed.routing {
            "shortest" => self.routed.parameters.iter().any(is_latency),
            _ => self.format == "anynet",
        };
        if latency { Weight::Latency } else { Weight::Links }
    }
}
