//! Routings as the engine sees them: the output VCs that a head flit may request.
//!
//! A head flit is routed once at each router, in the cycle of its first request, when its candidates are computed as sets of
//! output VCs. [`Fixed`] has one port for each head flit; with [`Adaptive`] routing they choose by the state of the router.

mod adaptive;
mod any;
mod fixed;
mod tree_worms;

pub(crate) use adaptive::Adaptive;
pub(crate) use any::{AnyRouting, ClassRouting};
pub(crate) use fixed::Fixed;
pub(crate) use tree_worms::TreeWorms;

use super::blocks::Blocks;
use super::candidates::Candidates;
use super::layout::Layout;
use super::packets::{Packet, Packets};
use super::state::Block;
use super::trees::WaitForVc;
use super::vcset::VcSet;
use crate::engine::router::Traffic;
use crate::routing;
use crate::routing::relation::Choice;
use crate::topology::Hop;

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
pub(crate) struct HeadFlit<'a, const W: usize, A> {
    /// The numbering of VCs.
    pub(crate) layout: &'a Layout<W>,
    /// The block of its router.
    pub(crate) block: &'a Block<W, A>,
    /// The input VC, at whose front it is.
    pub(crate) vc: usize,
    /// The number of its packet in the network.
    pub(crate) packet: u32,
    /// Input VCs of the block whose head flits requested an output VC before this cycle and hold none.
    pub(crate) waiting: VcSet<W>,
}

// It is passed by value, so that routings that are computed in place keep it in registers.
impl<const W: usize, A> Clone for HeadFlit<'_, W, A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<const W: usize, A> Copy for HeadFlit<'_, W, A> {}

impl<const W: usize, A> HeadFlit<'_, W, A> {
    /// The router.
    #[inline(always)]
    pub(crate) fn router(&self) -> usize {
        self.layout.router(self.block.number, self.vc)
    }

    /// The router as packets count them.
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "routers are numbered with 32 bits")]
    pub(crate) fn router_number(&self) -> u32 {
        self.router() as u32
    }

    /// The choice of `routing`. `path` holds the hops of `packet` as far as they are decided.
    pub(crate) fn choice(&self, routing: &dyn routing::Routing, packet: &mut Packet, path: &mut Vec<Hop>) -> Choice {
        routing.choice(&mut self.at_router(packet, path, &|port| self.load(port)))
    }

    /// Replaces `choices` by those of `routing`, which is adaptive.
    pub(crate) fn choices(&self, routing: &dyn routing::Routing, packet: &mut Packet, choices: &mut Vec<Choice>) {
        routing.choices(&mut self.at_router(packet, &mut Vec::new(), &|port| self.load(port)), choices);
    }

    /// The head flit as routings see it.
    fn at_router<'b>(
        &self,
        packet: &'b mut Packet,
        path: &'b mut Vec<Hop>,
        load: &'b dyn Fn(u16) -> u32,
    ) -> routing::Head<'b> {
        routing::Head {
            src: packet.src,
            router: self.router_number(),
            entered: self.layout.port_number(self.vc),
            hops: packet.hops as usize,
            header: &mut packet.header,
            path,
            load,
        }
    }

    /// The number of flits that wait for link `port` of the router: head flits that request it, or flits that were sent over it and
    /// whose slots are not known to be free again, whichever are more.
    ///
    /// A queue shows on either side of a link. As ideal routers know of a free slot at once, it shows behind their links only where
    /// it reaches back from further on.
    fn load(&self, port: u16) -> u32 {
        let Self { layout, block, waiting, .. } = *self;
        let outputs = layout.port_set(layout.port(self.first(), port.into()));
        let requests = (waiting & layout.router_set(self.vc)).into_iter();
        let requests = requests.filter(|&vc| !(block.candidates[vc].preferred & outputs).is_empty());
        let requests = requests.fold(0, |requests, _| requests + 1);
        let slots = |vc: usize| u32::from(block.outputs[vc].buffer) - block.outputs[vc].credits;
        outputs.into_iter().map(slots).sum::<u32>().max(requests)
    }

    /// The first VC of the router.
    #[inline(always)]
    pub(crate) fn first(&self) -> usize {
        self.layout.router_of(self.vc)
    }

    /// Candidates that lead to node `node`, which is at the router.
    #[inline(always)]
    pub(crate) fn ejection(&self, node: u32) -> Candidates<W> {
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

    /// The other messages of the multicast worm of `packet`.
    #[inline(always)]
    fn companions(&self, _packet: u32) -> impl Iterator<Item = u32> {
        std::iter::empty()
    }

    /// Removes and returns the path of packet `number`, which goes to another strip, as far as it is decided.
    fn take_path(&mut self, _number: u32) -> Vec<Hop> {
        Vec::new()
    }

    /// Continues to route packet `number`, which comes from another strip, on `path`.
    fn set_path(&mut self, _number: u32, _path: Vec<Hop>) {}

    /// Candidates of a head flit.
    fn candidates<A>(&mut self, head: HeadFlit<'_, W, A>, packets: &mut Packets) -> Candidates<W>;

    /// The output VCs among `free`, candidates that are free, from which round robin selects the one that is requested.
    fn select<A>(&self, layout: &Layout<W>, block: &Block<W, A>, free: VcSet<W>) -> VcSet<W>;

    /// The output VCs for which packets on trees wait, when nothing moves any more.
    fn waits<A>(&self, _layout: &Layout<W>, _blocks: &Blocks<W, A>, _packets: &Packets) -> Vec<WaitForVc> {
        Vec::new()
    }

    /// The packet on a tree at the front of input VC `vc` of block number `block`, if there is one.
    fn front_packet(&self, _block: usize, _vc: usize) -> Option<u32> {
        None
    }

    /// Returns true if a packet has several branches at the router where it is.
    fn has_forks(&self) -> bool {
        false
    }

    /// The branches of the packet at the front of input VC `vc`, numbered among those of all routers, if it has several there.
    fn branches(&self, _vc: u32) -> &[Branch<W>] {
        &[]
    }
}
