//! Route computation.

use super::super::layout::Layout;
use super::super::packets::Packets;
use super::super::routing::Routing;
use super::super::stage::{self, Cycle};
use super::super::state::Block;
use super::super::vcset::VcSet;
use super::{Staged, Stages};
use crate::engine::router::{AdaptiveChoice, Switching};

impl<const W: usize, const OPTIONS: bool> Staged<W, OPTIONS> {
    /// Lets head flits that have come to the front of their buffers enter route computation, or request an output VC in this step if
    /// routes take no stage. Those whose routes have been computed request one, too: they are routed now, as a routing may read loads.
    #[inline(always)]
    pub(super) fn enter_routes<R: Routing<W>>(
        &self,
        cycle: Cycle<'_, W>,
        routing: &mut R,
        block: &mut Block<W, Stages<W>>,
        packets: &mut Packets,
    ) {
        let Cycle { now, layout, .. } = cycle;
        let computed = block.allocator.routing.take_computed();
        if !computed.is_empty() {
            block.waiting.routed -= computed;
            self.route(cycle, routing, block, packets, computed);
        }
        let mut heads = block.unrouted();
        if OPTIONS && self.costs.microarchitecture.switching == Switching::StoreAndForward {
            heads = gathered(layout, block, packets, heads);
        }
        if OPTIONS && block.allocator.routing.are_closed() {
            heads -= routers_of(layout, block.waiting.routed);
        }
        if heads.is_empty() {
            return;
        }
        match block.allocator.routing.stage() {
            Some(stage) => {
                stage.enter(now, heads);
                block.waiting.routed |= heads;
            }
            None => self.route(cycle, routing, block, packets, heads),
        }
    }

    /// Routes the head flits in front of the input VCs `heads`, which request an output VC from the cycle of `cycle` on.
    fn route<R: Routing<W>>(
        &self,
        cycle: Cycle<'_, W>,
        routing: &mut R,
        block: &mut Block<W, Stages<W>>,
        packets: &mut Packets,
        heads: VcSet<W>,
    ) {
        stage::route(cycle, routing, block, packets, heads);
        if OPTIONS && R::ADAPTIVE && self.costs.microarchitecture.vc_requests.adaptive == AdaptiveChoice::RoundRobin {
            confine(cycle.layout, block, heads);
        }
    }
}

/// Confines head flits to the directions of [`AdaptiveChoice::RoundRobin`]: to that of their escape VC, and those that came by the
/// escape VC of a link to escape VCs, as a cycle of packets that wait for each other could otherwise close over VCs that are granted
/// before they are empty.
fn confine<const W: usize>(layout: &Layout<W>, block: &mut Block<W, Stages<W>>, heads: VcSet<W>) {
    for head in heads {
        let candidates = &mut block.candidates[head];
        let Some(escape) = candidates.escape.first() else { continue };
        candidates.preferred &= layout.port_set(escape);
        if layout.in_port(head) == layout.in_port(escape) && !layout.of_nodes.contains(head) {
            candidates.preferred = VcSet::EMPTY;
        }
    }
}

/// Those of `heads` whose packets have arrived with all their flits.
fn gathered<const W: usize>(
    layout: &Layout<W>,
    block: &Block<W, Stages<W>>,
    packets: &Packets,
    heads: VcSet<W>,
) -> VcSet<W> {
    let mut gathered = VcSet::EMPTY;
    for head in heads {
        let front = packets.front(layout.join(block.number, head));
        if front.is_some_and(|packet| block.inputs[head].flits >= packets[packet].flits) {
            gathered.insert(head);
        }
    }
    gathered
}

/// All VCs of the routers of `vcs`.
fn routers_of<const W: usize>(layout: &Layout<W>, vcs: VcSet<W>) -> VcSet<W> {
    let mut routers = VcSet::EMPTY;
    for vc in vcs {
        routers |= layout.router_set(vc);
    }
    routers
}
