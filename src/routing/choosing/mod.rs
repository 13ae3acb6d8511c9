//! How packets find their way over links, where routers may decide on it: drawn at the source, by how full links are, or any
//! of several at each router.
//!
//! A routing knows links and classes of virtual channels. It refuses to know ports and buffers: how full a link is, is told
//! to it, and random bits are given. Every path that a packet may take can be listed, which is what proofs of freedom from
//! deadlock rest on.

mod dragonfly;
mod fat_tree;
mod hyperx;
mod ugal;

pub use dragonfly::{DragonflyUgal, DragonflyValiant};
pub use fat_tree::{NearestCommonAncestor, UpBy};
pub use hyperx::{HyperXAdaptive, HyperXDetours, HyperXO1turn, HyperXUgal, HyperXValiant};
pub(crate) use ugal::UGAL_THRESHOLD;

use super::{Paths, Step};
use crate::random;
use crate::units::{LinkId, NodeId, RouterId};
use std::fmt;
use std::ops::ControlFlow;

/// A packet on its way.
#[derive(Clone, Copy, Debug)]
pub struct Leg {
    /// Where it was sent.
    pub src: NodeId,
    /// Where it goes.
    pub dst: NodeId,
    /// The router that it is at, which is not that of its destination.
    pub at: RouterId,
    /// How many links it has taken.
    pub taken: usize,
    /// What it draws from.
    pub random_bits: u64,
}

impl Leg {
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

/// What is done with each path of a list: go on, or stop.
pub type Each<'a> = dyn FnMut(&[Step]) -> ControlFlow<()> + 'a;

/// How packets find their way over links.
pub trait LinkRouting: fmt::Debug + Send + Sync {
    /// How many classes of virtual channels keep it free of deadlock.
    fn classes(&self) -> u8;

    /// Appends the next steps of a packet, one at least: as many as can be decided at the router where it is.
    fn extend(&self, leg: &Leg, load: &Load<'_>, path: &mut Vec<Step>);

    /// True if it reads loads.
    fn reads_load(&self) -> bool {
        false
    }

    /// True if a packet may take any of several steps at a router, which [`Self::choices`] lists; nothing is extended.
    fn is_adaptive(&self) -> bool {
        false
    }

    /// Puts the steps into `choices` any of which a packet may take, if they are several.
    fn choices(&self, leg: &Leg, choices: &mut Vec<Step>) {
        let _ = (leg, choices);
    }

    /// Calls `each` with every path from `src` to `dst` that a packet may take, some perhaps more than once, until it breaks. If
    /// routing is oblivious, the number of calls with a path is proportional to its probability.
    fn each_path(&self, src: NodeId, dst: NodeId, each: &mut Each<'_>) -> ControlFlow<()>;
}

/// A fixed path is a routing with one choice.
impl<P: Paths> LinkRouting for P {
    fn classes(&self) -> u8 {
        Paths::classes(self)
    }

    fn extend(&self, leg: &Leg, _: &Load<'_>, path: &mut Vec<Step>) {
        self.path(leg.src, leg.dst, path);
    }

    fn each_path(&self, src: NodeId, dst: NodeId, each: &mut Each<'_>) -> ControlFlow<()> {
        let mut path = Vec::new();
        self.path(src, dst, &mut path);
        each(&path)
    }
}
