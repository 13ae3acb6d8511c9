//! Routings of fat trees that do not read the ports up off a number: up to a nearest common ancestor of both nodes by ports
//! that are drawn, then down by the digits of the destination.
//!
//! All switches of the level where the ways meet lead down, so any port up will do. Drawn, messages spread whatever the
//! pattern is; of two that are drawn the less full one spreads them by what is under way. No message goes up after it went
//! down, so one class of virtual channels is free of deadlock.

use super::{Each, Leg, LinkRouting, Load};
use crate::routing::Step;
use crate::topology::FatTree;
use crate::units::{LinkId, NodeId};
use std::ops::ControlFlow;
use std::sync::Arc;

/// How a switch chooses among its ports up.
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
    fn up(&self, leg: &Leg, level: usize, load: &Load<'_>) -> LinkId {
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

fn step(link: LinkId) -> Step {
    Step { link, class: 0 }
}

impl LinkRouting for NearestCommonAncestor {
    fn reads_load(&self) -> bool {
        self.by == UpBy::Load
    }

    fn extend(&self, leg: &Leg, load: &Load<'_>, path: &mut Vec<Step>) {
        let top = self.tree.meeting(leg.src, leg.dst);
        if leg.taken < top {
            path.push(step(self.up(leg, leg.taken, load)));
        } else {
            path.extend(self.down(leg.dst, top, self.tree.place(top, leg.at)).map(step));
        }
    }

    fn each_path(&self, src: NodeId, dst: NodeId, each: &mut Each<'_>) -> ControlFlow<()> {
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
