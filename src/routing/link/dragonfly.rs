//! Routings of dragonflies: minimal, and by a third group that is drawn.
//!
//! Minimal paths lead to the router with the global link, over it, and to the destination's router. The number of the
//! destination's router selects one of several global links between two groups, or that of the source does ([`CopyBy`]). Two
//! global links in a row, which are shorter between some routers, are not used.
//!
//! Minimal paths between two groups share few global links, so traffic from one group to another alone cannot use the others.
//! Valiant's paths lead by a third group, minimally to it and, from its first router, minimally on. The class of virtual channels
//! is the number of global links taken before, so that no message waits for one that waits for it: two classes keep minimal paths
//! free of deadlock, three both kinds.
//!
//! Source: Kim, Dally, Scott and Abts, ISCA 2008, section 4.

use super::ugal::{Detours, Ugal};
use super::{LinkRouting, Load, PacketState, PathVisitor};
use crate::routing::Step;
use crate::topology::{Dragonfly, GlobalPort, Links};
use crate::units::{NodeId, RouterId};
use std::ops::ControlFlow;
use std::sync::Arc;

/// The number that selects one of several global links between two groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyBy {
    /// That of the destination's router.
    Destination,
    /// That of the source node.
    Source,
    /// That of the source's router.
    SourceRouter,
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
    fn chooser(&self, src: NodeId, to: RouterId) -> usize {
        match self.selector {
            CopyBy::Destination => to.index(),
            CopyBy::Source => src.index(),
            CopyBy::SourceRouter => self.network.router_of(src).index(),
        }
    }

    /// The global port by which a message leaves the group of `from`, if it has to.
    fn leaves_by(&self, from: RouterId, to: RouterId, chooser: usize) -> Option<GlobalPort> {
        let [group, other] = [from, to].map(|router| self.network.group(router));
        (group != other).then(|| self.network.between(group, other, chooser))
    }

    /// Appends the path between routers `from` and `to` of a message from `src` that has taken `global_links` global links.
    fn between(&self, src: NodeId, [from, to]: [RouterId; 2], global_links: u8, path: &mut Vec<Step>) {
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

/// The minimal path, or the one by a group that is drawn, depending on the queues at the source.
pub type DragonflyUgal = Ugal<DragonflyValiant>;

/// Paths by a group that is drawn of those where neither node is.
#[derive(Clone, Debug)]
pub struct DragonflyValiant {
    network: Arc<Dragonfly>,
    minimal: DragonflyMinimal,
}

impl DragonflyValiant {
    /// Valiant's paths on `network`, where the number of `selector` selects one of several global links between two groups.
    pub fn new(network: Arc<Dragonfly>, selector: CopyBy) -> Self {
        Self { minimal: DragonflyMinimal::new(Arc::clone(&network), selector), network }
    }

    /// The groups of `src` and `dst`, the smaller first, if they are different and there are others.
    fn ends(&self, src: NodeId, dst: NodeId) -> Option<[usize; 2]> {
        let [from, to] = [src, dst].map(|node| self.network.group(self.network.router_of(node)));
        (from != to && self.network.groups() > 2).then(|| [from.min(to), from.max(to)])
    }

    /// Appends the path by `group`.
    fn by_way_of(&self, group: usize, src: NodeId, dst: NodeId, path: &mut Vec<Step>) {
        let network = &self.network;
        let from = network.router_of(src);
        let to = network.router_of(dst);
        let port = network.between(network.group(from), group, self.minimal.chooser(src, to));
        let gateway = network.router(port);
        if from != gateway {
            path.push(Step { link: network.local(from, gateway), class: 0 });
        }
        path.push(Step { link: network.global(port), class: 0 });
        let entered = network.router(network.other_end(port));
        self.minimal.between(src, [entered, to], 1, path);
    }
}

/// The group that is `drawn` when two, of which the smaller is first, are left out.
fn other(drawn: usize, [less, more]: [usize; 2]) -> usize {
    let beyond_less = drawn + usize::from(drawn >= less);
    beyond_less + usize::from(beyond_less >= more)
}

impl Detours for DragonflyValiant {
    fn classes(&self) -> u8 {
        3
    }

    fn minimal(&self, src: NodeId, dst: NodeId, path: &mut Vec<Step>) {
        self.minimal.path(src, dst, path);
    }

    fn detour(&self, leg: &PacketState, path: &mut Vec<Step>) {
        if let Some(ends) = self.ends(leg.src, leg.dst) {
            let drawn = leg.draw(0, self.network.groups() - 2);
            self.by_way_of(other(drawn, ends), leg.src, leg.dst, path);
        }
    }

    fn each_detour(&self, src: NodeId, dst: NodeId, each: &mut PathVisitor<'_>) -> ControlFlow<()> {
        let Some(ends) = self.ends(src, dst) else { return ControlFlow::Continue(()) };
        let mut path = Vec::new();
        for group in (0..self.network.groups()).filter(|group| !ends.contains(group)) {
            path.clear();
            self.by_way_of(group, src, dst, &mut path);
            each(&path)?;
        }
        ControlFlow::Continue(())
    }
}

impl LinkRouting for DragonflyValiant {
    fn classes(&self) -> u8 {
        Detours::classes(self)
    }

    fn extend(&self, leg: &PacketState, _: &Load<'_>, path: &mut Vec<Step>) {
        self.detour(leg, path);
        if path.is_empty() {
            self.minimal(leg.src, leg.dst, path);
        }
    }

    fn each_path(&self, src: NodeId, dst: NodeId, each: &mut PathVisitor<'_>) -> ControlFlow<()> {
        if self.ends(src, dst).is_some() {
            return self.each_detour(src, dst, each);
        }
        let mut path = Vec::new();
        self.minimal(src, dst, &mut path);
        each(&path)
    }
}
