//! Routings of a fat tree: up to the lowest switch above both nodes, then down by the digits of the destination.
//!
//! Every switch on the way up leads there; which one is taken decides who shares links. *d-mod-k* reads the ports up off the
//! destination's number: messages for one node share one path down. *s-mod-k* reads them off the source's: messages of one
//! node share one path up. No message goes up after it went down, so one class of virtual channels is free of deadlock.
//!
//! Source: Zahavi, *D-Mod-K routing providing non-blocking traffic for shift permutations on real life fat trees*, 2010;
//! Petrini and Vanneschi 1997.

use super::{LinkRouting, Order, Step};
use crate::topology::FatTree;
use crate::units::NodeId;
use std::sync::Arc;

/// Whose number says the ports up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModK {
    /// The destination's.
    Destination,
    /// The source's.
    Source,
}

/// A fat tree whose ports up are read off a number.
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
        path.extend(up.chain(down).map(|link| Step { link, class: 0 }));
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
