//! Head flits that have come to the front of their buffers are routed.

use super::super::active::ActiveSet;
use super::super::delay::DelayLine;
use super::super::packets::Packets;
use super::super::routing::{HeadFlit, Routing};
use super::super::state::Block;
use super::super::vcset::VcSet;
use super::Cycle;

/// Head flits whose routes are computed, by block.
pub(crate) type Routed<const W: usize> = DelayLine<(usize, VcSet<W>)>;

/// Routes the head flits in front of the input VCs `heads` of `block`, which request an output VC from cycle `now` on.
#[inline(always)]
pub(crate) fn route<const W: usize, A, R: Routing<W>>(
    cycle: Cycle<'_, W>,
    routing: &mut R,
    block: &mut Block<W, A>,
    packets: &mut Packets,
    heads: VcSet<W>,
) {
    let Cycle { now, layout, .. } = cycle;
    // head flits that are routed in this cycle do not see each other, so that their order has no influence
    let waiting = block.waiting.requesting | block.waiting.blocked;
    for vc in heads {
        let number = packets.next(layout.join(block.number, vc));
        let packet = &mut packets[number];
        packet.requested = now;
        block.inputs[vc].packet = number;
        block.inputs[vc].left = packet.flits;
        let head = HeadFlit { layout, block, vc, packet: number, waiting };
        let candidates = routing.candidates(head, packets);
        block.candidates[vc] = candidates;
        block.waiting.requesting.insert(vc);
    }
}

/// Routes the head flits that have come to the front of their buffers in `block`, or begins to where that takes a cycle or more.
#[inline(always)]
pub(crate) fn route_heads<const W: usize, A, R: Routing<W>>(
    cycle: Cycle<'_, W>,
    routing: &mut R,
    block: &mut Block<W, A>,
    packets: &mut Packets,
    routed: &mut Option<Routed<W>>,
) {
    let unrouted = block.unrouted();
    if !unrouted.is_empty() {
        match routed {
            None => route(cycle, routing, block, packets, unrouted),
            Some(routed) => begin_routes(routed, block, unrouted),
        }
    }
}

/// Begins to compute the routes of the head flits in front of the input VCs `heads` of `block`.
fn begin_routes<const W: usize, A>(routed: &mut Routed<W>, block: &mut Block<W, A>, heads: VcSet<W>) {
    block.waiting.routed |= heads;
    routed.enter((block.number, heads));
}

/// Routes the head flits whose routes have been computed.
#[inline(never)]
pub(crate) fn end_routes<const W: usize, A, R: Routing<W>>(
    cycle: Cycle<'_, W>,
    routed: &Routed<W>,
    routing: &mut R,
    blocks: &mut [Block<W, A>],
    active: &mut ActiveSet,
    packets: &mut Packets,
) {
    for &(block, heads) in routed.leaving() {
        let block = &mut blocks[block];
        block.waiting.routed -= heads;
        route(cycle, routing, block, packets, heads);
        block.wake(active);
    }
}
