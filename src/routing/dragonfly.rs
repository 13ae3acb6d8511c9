//! Minimal routing on a dragonfly: to the router with the global link, over it, and to the destination's router.
//!
//! Of several global links between two groups the destination's router decides which. The class of virtual channels is the
//! number of global links taken before: with two classes no message waits for one that waits for it. Two global links in a
//! row, which are shorter between some routers, are not used.
//!
//! Source: Kim, Dally, Scott and Abts, ISCA 2008.

use super::{Paths, Step};
use crate::topology::{Dragonfly, GlobalPort, Links};
use crate::units::{NodeId, RouterId};
use std::sync::Arc;

/// A dragonfly with minimal paths.
#[derive(Clone, Debug)]
pub struct DragonflyMinimal {
    network: Arc<Dragonfly>,
}

impl DragonflyMinimal {
    /// Minimal paths on `network`.
    pub fn new(network: Arc<Dragonfly>) -> Self {
        Self { network }
    }

    /// The global port by which a message leaves the group of `from`, if it has to.
    fn leaves_by(&self, from: RouterId, to: RouterId) -> Option<GlobalPort> {
        let group = self.network.group(from);
        (group != self.network.group(to)).then(|| self.network.towards(group, to))
    }

    /// Appends the path between two routers of a message that has taken so many global links before.
    pub(super) fn between(&self, from: RouterId, to: RouterId, global_links: u8, path: &mut Vec<Step>) {
        let network = &self.network;
        let mut at = from;
        let mut class = global_links;
        if let Some(port) = self.leaves_by(at, to) {
            let gateway = network.router(port);
            if at != gateway {
                path.push(Step { link: network.local(at, gateway), class });
            }
            path.push(Step { link: network.global(port), class });
            at = network.router(network.other_end(port));
            class += 1;
        }
        if at != to {
            path.push(Step { link: network.local(at, to), class });
        }
    }
}

impl Paths for DragonflyMinimal {
    fn classes(&self) -> u8 {
        2
    }

    fn path(&self, src: NodeId, dst: NodeId, path: &mut Vec<Step>) {
        self.between(self.network.router_of(src), self.network.router_of(dst), 0, path);
    }

    fn hops(&self, src: NodeId, dst: NodeId) -> usize {
        let from = self.network.router_of(src);
        let to = self.network.router_of(dst);
        match self.leaves_by(from, to) {
            None => usize::from(from != to),
            Some(port) => {
                let before = from != self.network.router(port);
                let behind = to != self.network.router(self.network.other_end(port));
                usize::from(before) + 1 + usize::from(behind)
            }
        }
    }
}
