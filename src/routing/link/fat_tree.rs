//! Routings of fat trees: up to a lowest switch above both nodes, then down by the digits of the destination.
//!
//! Every switch on the way up leads there, so any port up will do: the port decides which messages share links. *d-mod-k* takes the
//! digits of the destination as ports up: messages for one node share one path down. *s-mod-k* takes those of the source: messages
//! of one node share one path up. Ports that are drawn spread messages whatever the pattern is. The less loaded of two that
//! are drawn spreads them by the flits in flight. No message goes up after it went down, so one class of virtual channels is free
//! of deadlock.
//!
//! Source: Zahavi, *D-Mod-K routing providing non-blocking traffic for shift permutations on real life fat trees*, 2010;
//! Petrini and Vanneschi 1997.

use super::{LinkRouting, Load, PacketState, PathVisitor};
use crate::routing::{Order, Step};
use crate::topology::FatTree;
use crate::units::{LinkId, NodeId};
use std::ops::ControlFlow;
use std::sync::Arc;

fn step(link: LinkId) -> Step {
    Step { link, class: 0 }
}

/// The node whose number selects the ports up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModK {
    /// The destination's.
    Destination,
    /// The source's.
    Source,
}

/// Paths by ports up that are digits of a number.
#[derive(Clone, Debug)]
pub struct FatTreePaths {
    tree: Arc<FatTree>,
    by: ModK,
}

impl FatTreePaths {
    /// Paths on `tree`, with the ports up of the number of one end.
    pub fn new(tree: Arc<FatTree>, by: ModK) -> Self {
        Self { tree, by }
    }
}

impl LinkRouting for FatTreePaths {
    fn path(&self, src: NodeId, dst: NodeId, path: &mut Vec<Step>) {
        let chooser = match self.by {
            ModK::Destination => dst,
            ModK::Source => src,
        };
        let top = self.tree.meeting(src, dst);
        let up = (0..top).map(|level| self.tree.up(level, src, chooser));
        let down = (1..=top).rev().map(|level| self.tree.down(level, dst, chooser));
        path.extend(up.chain(down).map(step));
    }

    fn hops(&self, src: NodeId, dst: NodeId) -> usize {
        2 * self.tree.meeting(src, dst)
    }

    /// Leaf addresses, with the paths that bmins have with `up = "destination"`: some messages of a tree on them contend.
    fn order(&self) -> Order {
        match self.by {
            ModK::Destination => Order::Leaf,
            ModK::Source => Order::None,
        }
    }
}

/// The choice of a switch among its ports up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpBy {
    /// One is drawn.
    Drawing,
    /// Two are drawn. The one that fewer flits wait for is taken, or the first.
    Load,
}

/// Up to a nearest common ancestor.
#[derive(Clone, Debug)]
pub struct NearestCommonAncestor {
    tree: Arc<FatTree>,
    by: UpBy,
}

impl NearestCommonAncestor {
    /// On `tree`, choosing ports up so.
    pub fn new(tree: Arc<FatTree>, by: UpBy) -> Self {
        Self { tree, by }
    }

    /// The link up from the switch of `level` where a packet is.
    fn up(&self, leg: &PacketState, level: usize, load: &Load<'_>) -> LinkId {
        let beside = self.tree.beside(level);
        let ports = self.tree.beside(level + 1) / beside;
        let here = self.tree.place(level, leg.at);
        let drawn = |purpose: usize| {
            let port = leg.draw(purpose as u64, ports);
            self.tree.up(level, leg.src, NodeId::new(port * beside + here))
        };
        let first = drawn(2 * level);
        match self.by {
            UpBy::Drawing => first,
            UpBy::Load => {
                let second = drawn(2 * level + 1);
                if load(second) < load(first) { second } else { first }
            }
        }
    }

    /// The links down to `dst` from the switch of `level` that is in `place` among those above it.
    fn down(&self, dst: NodeId, level: usize, place: usize) -> impl Iterator<Item = LinkId> {
        (1..=level).rev().map(move |level| self.tree.down(level, dst, NodeId::new(place)))
    }
}

impl LinkRouting for NearestCommonAncestor {
    fn reads_load(&self) -> bool {
        self.by == UpBy::Load
    }

    fn extend(&self, leg: &PacketState, load: &Load<'_>, path: &mut Vec<Step>) {
        let top = self.tree.meeting(leg.src, leg.dst);
        if leg.taken < top {
            path.push(step(self.up(leg, leg.taken, load)));
        } else {
            path.extend(self.down(leg.dst, top, self.tree.place(top, leg.at)).map(step));
        }
    }

    fn each_path(&self, src: NodeId, dst: NodeId, each: &mut PathVisitor<'_>) -> ControlFlow<()> {
        let top = self.tree.meeting(src, dst);
        let mut path = Vec::new();
        for place in 0..self.tree.beside(top) {
            path.clear();
            path.extend((0..top).map(|level| step(self.tree.up(level, src, NodeId::new(place)))));
            path.extend(self.down(dst, top, place).map(step));
            each(&path)?;
        }
        ControlFlow::Continue(())
    }
}
