//! Routings over links: fixed paths, and ones that are drawn at the source, follow the load of links, or are chosen at each
//! router.
//!
//! A routing uses links and classes of virtual channels. It does not know ports and buffers: the load of a link is a function,
//! and random bits are given. Every path that a packet may take can be listed, as proofs of deadlock freedom need it.

mod chiplets;
mod dragonfly;
mod fat_tree;
mod hyperx;
mod ugal;

// globs, so that a routing is added without a list of exports
pub use chiplets::*;
pub use dragonfly::*;
pub use fat_tree::*;
pub use hyperx::*;
pub(crate) use ugal::UGAL_THRESHOLD;

use super::{Order, Step};
use crate::random;
use crate::units::{LinkId, NodeId, RouterId};
use std::fmt;
use std::ops::ControlFlow;

/// A packet at a router.
#[derive(Clone, Copy, Debug)]
pub struct PacketState {
    /// The source.
    pub src: NodeId,
    /// The destination.
    pub dst: NodeId,
    /// The router, which is not that of its destination.
    pub at: RouterId,
    /// The number of links that it has crossed.
    pub taken: usize,
    /// The bits from which it draws.
    pub random_bits: u64,
}

impl PacketState {
    /// A number below `many`, at least 1: for each `purpose` another one.
    fn draw(&self, purpose: u64, many: usize) -> usize {
        let bits = u128::from(random::mixed(self.random_bits, purpose));
        let drawn = (bits * many as u128) >> 64;
        usize::try_from(drawn).unwrap_or(many - 1)
    }
}

/// Flits that wait for a link of the router that a packet is at: head flits there that request it, or flits that were sent over
/// it and may still lie in the buffers behind it, whichever are more.
pub type Load<'a> = dyn Fn(LinkId) -> u32 + 'a;

/// A function that is called with each path of a list, and continues or stops it.
pub type PathVisitor<'a> = dyn FnMut(&[Step]) -> ControlFlow<()> + 'a;

/// A routing over links.
///
/// A fixed path is a relation with one choice: a routing of fixed paths implements [`Self::path`] alone. One that draws or chooses
/// implements [`Self::each_path`] and [`Self::extend`], or [`Self::choices`] if it is adaptive.
pub trait LinkRouting: fmt::Debug + Send + Sync {
    /// The number of classes of virtual channels that keep it free of deadlock.
    fn classes(&self) -> u8 {
        1
    }

    /// Appends the steps of the first path from the router of `src` to that of `dst`. There are none if both are the same.
    fn path(&self, src: NodeId, dst: NodeId, path: &mut Vec<Step>) {
        let _ = self.each_path(src, dst, &mut |first| {
            path.extend(first);
            ControlFlow::Break(())
        });
    }

    /// Appends the next steps of a packet, at least one: as many as can be decided at its router.
    fn extend(&self, leg: &PacketState, load: &Load<'_>, path: &mut Vec<Step>) {
        let _ = load;
        self.path(leg.src, leg.dst, path);
    }

    /// True if it reads loads.
    fn reads_load(&self) -> bool {
        false
    }

    /// True if a packet may take any of several steps at a router, which [`Self::choices`] lists. [`Self::extend`] is not called
    /// then.
    fn is_adaptive(&self) -> bool {
        false
    }

    /// Appends the steps to `choices` any of which a packet may take, if it is adaptive.
    fn choices(&self, leg: &PacketState, choices: &mut Vec<Step>) {
        let _ = (leg, choices);
    }

    /// Calls `each` with every path from `src` to `dst` that a packet may take, some perhaps more than once, until it breaks. If
    /// routing is oblivious, the number of calls with a path is proportional to its probability.
    fn each_path(&self, src: NodeId, dst: NodeId, each: &mut PathVisitor<'_>) -> ControlFlow<()> {
        let mut path = Vec::new();
        self.path(src, dst, &mut path);
        each(&path)
    }

    /// Returns true if there is a path from `src` to `dst`. Only links that fail make it false.
    fn reaches(&self, src: NodeId, dst: NodeId) -> bool {
        let _ = (src, dst);
        true
    }

    /// Calls `each` with parts of paths of which one has each link that a path takes, and one each two links that follow each
    /// other in a path. Returns false, without a call, if the routing does not know them without its paths.
    fn each_turn(&self, each: &mut dyn FnMut(&[Step])) -> bool {
        let _ = each;
        false
    }

    /// The first class of virtual channels of messages that routers copy, if they do.
    fn tree_class(&self) -> Option<u8> {
        None
    }

    /// The number of links of a path.
    fn hops(&self, src: NodeId, dst: NodeId) -> usize {
        let mut path = Vec::new();
        self.path(src, dst, &mut path);
        path.len()
    }

    /// The order of the nodes that contention-free multicast trees can rest on.
    fn order(&self) -> Order {
        Order::None
    }

    /// The index of `node` in an order in which nodes that are near each other are neighbours.
    fn chain_rank(&self, node: NodeId) -> u64 {
        u64::from(node.0)
    }
}
