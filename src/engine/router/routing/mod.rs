//! Routings as the engine sees them: the output VCs that a head flit may request.
//!
//! A head flit is routed once at each router, in the cycle of its first request, when its candidates are computed as sets of
//! output VCs. [`Fixed`] has one port for each head flit; with [`Adaptive`] routing they choose by the state of the router.

mod adaptive;
mod fixed;
mod tree_worms;

pub(crate) use adaptive::{Adaptive, exclusive_from};
pub(crate) use fixed::Fixed;
pub(crate) use tree_worms::TreeWorms;

use super::layout::Layout;
use super::packets::{Packet, Packets};
use super::state::Block;
use super::traffic::Traffic;
use super::vcset::VcSet;
use crate::routing::relation::Choice;

/// Output VCs that the packet at the front of a buffer may request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidates<const W: usize> {
    /// Those that are requested first.
    pub(crate) preferred: VcSet<W>,
    /// Those that are requested if no preferred VC is free.
    pub(crate) escape: VcSet<W>,
}

impl<const W: usize> Candidates<W> {
    /// Candidates without an escape.
    #[inline(always)]
    pub(crate) fn preferred(preferred: VcSet<W>) -> Self {
        Self { preferred, escape: VcSet::EMPTY }
    }
}

/// A branch of a packet that leaves a router by several ports.
#[derive(Clone, Copy)]
pub(crate) struct Branch<const W: usize> {
    /// The packet that takes the branch.
    pub(crate) packet: u32,
    /// The output VCs that it may be granted.
    pub(crate) candidates: VcSet<W>,
    /// The output VC that it has been granted.
    pub(crate) output: Option<usize>,
}

/// A head flit that is routed.
pub(crate) struct HeadFlit<'a, const W: usize> {
    /// The numbering of VCs.
    pub(crate) layout: &'a Layout<W>,
    /// The block of its router.
    pub(crate) block: usize,
    /// The input VC, at whose front it is.
    pub(crate) vc: usize,
    /// The number of its packet in the network.
    pub(crate) packet: u32,
    /// The number of flits that wait for each link of the router: the load that a routing may compare.
    pub(crate) load: &'a dyn Fn(u8) -> u32,
}

impl<const W: usize> HeadFlit<'_, W> {
    /// The router.
    #[inline(always)]
    pub(crate) fn router(&self) -> usize {
        self.layout.router(self.block, self.vc)
    }

    /// The first VC of the router.
    #[inline(always)]
    pub(crate) fn first(&self) -> usize {
        self.layout.router_of(self.vc)
    }

    /// Candidates that lead to node `node`, which is at the router.
    #[inline(always)]
    pub(crate) fn to_node(&self, node: u32) -> Candidates<W> {
        Candidates::preferred(self.layout.to_node(node as usize))
    }

    /// The output VCs of `choice`.
    #[inline(always)]
    pub(crate) fn outputs(&self, choice: Choice) -> VcSet<W> {
        let first = self.layout.port(self.first(), choice.port.into()) + usize::from(choice.first);
        VcSet::range(first, usize::from(choice.last - choice.first) + 1)
    }
}

/// A routing.
pub(crate) trait Routing<const W: usize> {
    /// True if head flits choose among free VCs by their credits, and take those of [`Layout::exclusive`] only if they are empty.
    const ADAPTIVE: bool;

    /// Begins to route `packet`, which has this `number` in the network, on the path that `traffic` prescribes, if it does.
    fn begin<T: Traffic>(&mut self, number: u32, packet: &Packet, traffic: &mut T);

    /// The messages that go as one worm with the message of `packet`.
    fn companions(&self, packet: u32) -> impl Iterator<Item = u32>;

    /// Candidates of a head flit.
    fn candidates(&mut self, head: &HeadFlit<'_, W>, packets: &mut Packets) -> Candidates<W>;

    /// The output VCs among `free`, candidates that are free, from which round robin selects the one that is requested.
    fn select<A>(&self, layout: &Layout<W>, block: &Block<W, A>, free: VcSet<W>) -> VcSet<W>;

    /// Returns true if a packet has several branches at the router where it is.
    fn has_forks(&self) -> bool;

    /// The branches of the packet at the front of input VC `vc`, numbered among those of all routers, if it has several there.
    fn branches(&self, vc: u32) -> &[Branch<W>];
}
