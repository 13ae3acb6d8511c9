//! Routings as the engine sees them: the output VCs that a head flit may request.
//!
//! A head flit is routed once at each router, in the cycle of its first request, when its candidates are computed as sets of
//! output VCs. [`Fixed`] has one port for each head flit; with [`Adaptive`] routing they choose by the state of the router.

mod adaptive;
mod fixed;

pub(crate) use adaptive::Adaptive;
pub(crate) use fixed::Fixed;

use super::layout::Layout;
use super::packets::Packet;
use super::state::Block;
use super::vcset::VcSet;
use crate::routing::Head;
use crate::routing::relation::Choice;
use crate::topology::Hop;

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

    /// The router as packets count them.
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "routers are numbered with 32 bits")]
    pub(crate) fn router_number(&self) -> u32 {
        self.router() as u32
    }

    /// The head flit as routings see it. `path` holds the hops of `packet` as far as they are decided.
    #[inline(always)]
    pub(crate) fn at_router<'b>(&'b self, packet: &'b mut Packet, path: &'b mut Vec<Hop>) -> Head<'b> {
        Head {
            src: packet.src,
            router: self.router_number(),
            entered: self.layout.port_number(self.vc),
            hops: packet.hops as usize,
            header: &mut packet.header,
            path,
            load: self.load,
        }
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

    /// Begins to route packet `packet`. `prescribe` appends the links of its path, if the traffic prescribes it.
    fn begin(&mut self, packet: u32, prescribe: impl FnOnce(&mut Vec<Hop>));

    /// Candidates of a head flit of `packet`.
    fn candidates(&mut self, head: &HeadFlit<'_, W>, packet: &mut Packet) -> Candidates<W>;

    /// The output VCs among `free`, candidates that are free, from which round robin selects the one that is requested.
    fn select<A>(&self, layout: &Layout<W>, block: &Block<W, A>, free: VcSet<W>) -> VcSet<W>;
}
