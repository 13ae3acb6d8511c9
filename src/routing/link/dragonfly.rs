//! Routings of dragonflies by way of a group that is drawn.
//!
//! Minimal paths between two groups share few global links, so traffic from one group to another alone cannot use the others.
//! Valiant's paths go by way of a third group, minimally to it and, from where it is entered, minimally on. The class of
//! virtual channels is the number of global links taken before: three classes keep both kinds of paths free of deadlock.
//!
//! Source: Kim, Dally, Scott and Abts, ISCA 2008, section 4.

use super::ugal::{Detours, Ugal};
use super::{Each, Leg, LinkRouting, Load};
use crate::routing::{CopyBy, DragonflyMinimal, Step};
use crate::topology::{Dragonfly, Links};
use crate::units::NodeId;
use std::ops::ControlFlow;
use std::sync::Arc;

/// The minimal path, or the one by way of a group that is drawn, as the queues at the source say.
pub type DragonflyUgal = Ugal<DragonflyValiant>;

/// By way of a group that is drawn of those where neither node is.
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

    /// Appends the path by way of `group`.
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

    fn detour(&self, leg: &Leg, path: &mut Vec<Step>) {
        if let Some(ends) = self.ends(leg.src, leg.dst) {
            let drawn = leg.draw(0, self.network.groups() - 2);
            self.by_way_of(other(drawn, ends), leg.src, leg.dst, path);
        }
    }

    fn each_detour(&self, src: NodeId, dst: NodeId, each: &mut Each<'_>) -> ControlFlow<()> {
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

    fn extend(&self, leg: &Leg, _: &Load<'_>, path: &mut Vec<Step>) {
        self.detour(leg, path);
        if path.is_empty() {
            self.minimal(leg.src, leg.dst, path);
        }
    }

    fn each_path(&self, src: NodeId, dst: NodeId, each: &mut Each<'_>) -> ControlFlow<()> {
        if self.ends(src, dst).is_some() {
            return self.each_detour(src, dst, each);
        }
        let mut path = Vec::new();
        self.minimal(src, dst, &mut path);
        each(&path)
    }
}
