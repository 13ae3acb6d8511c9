//! Minimal routing on a dragonfly: to the router with the global link, over it, and to the destination's router.
//!
//! The number of the destination's router selects one of several global links between two groups, or that of the source does
//! ([`CopyBy`]). The class of virtual channels is the
//! number of global links taken before: with two classes no message waits for one that waits for it. Two global links in a
//! row, which are shorter between some routers, are not used.
//!
//! Source: Kim, Dally, Scott and Abts, ISCA 2008.

use super::{LinkRouting, Step};
use crate::topology::{Dragonfly, GlobalPort, Links};
use crate::units::{NodeId, RouterId};
use std::sync::Arc;

/// The number that selects one of several global links between two groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyBy {
    /// That of the destination's router.
    Destination,
    /// That of the source node.
    Source,
}

/// A dragonfly with minimal paths.
#[derive(Clone, Debug)]
pub struct DragonflyMinimal {
    network: Arc<Dragonfly>,
    selector: CopyBy,
}

impl DragonflyMinimal {
    /// Minimal paths on `network`, where the number of `selector` selects one of several global links between two groups.
    pub fn new(network: Arc<Dragonfly>, selector: CopyBy) -> Self {
        Self { network, selector }
    }

    /// The number that selects the global links of a message from `src` to router `to`.
    pub(super) fn chooser(&self, src: NodeId, to: RouterId) -> usize {
        match self.selector {
            CopyBy::Destination => to.index(),
            CopyBy::Source => src.index(),
        }
    }

    /// The global port by which a message leaves the group of `from`, if it has to.
    fn leaves_by(&self, from: RouterId, to: RouterId, chooser: usize) -> Option<GlobalPort> {
        let [group, other] = [from, to].map(|router| self.network.group(router));
        (group != other).then(|| self.network.between(group, other, chooser))
    }

    /// Appends the path between routers `from` and `to` of a message from `src` that has taken `global_links` global links.
    pub(super) fn between(&self, src: NodeId, [from, to]: [RouterId; 2], global_links: u8, path: &mut Vec<Step>) {
        let network = &self.network;
        let mut at = from;
        let mut class = global_links;
        if let Some(port) = self.leaves_by(at, to, self.chooser(src, to)) {
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

impl LinkRouting for DragonflyMinimal {
    fn classes(&self) -> u8 {
        2
    }

    fn path(&self, src: NodeId, dst: NodeId, path: &mut Vec<Step>) {
        self.between(src, [src, dst].map(|node| self.network.router_of(node)), 0, path);
    }

    fn hops(&self, src: NodeId, dst: NodeId) -> usize {
        let from = self.network.router_of(src);
        let to = self.network.router_of(dst);
        match self.leaves_by(from, to, self.chooser(src, to)) {
            None => usize::from(from != to),
            Some(port) => {
                let before = from != self.network.router(port);
                let behind = to != self.network.router(self.network.other_end(port));
                usize::from(before) + 1 + usize::from(behind)
            }
        }
    }
}
