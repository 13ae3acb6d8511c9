//! First come, first served: the rules of the wormhole engines, for ideal routers with atomic buffers.
//!
//! A flit that leaves a buffer makes room for another in the same cycle, so that the flits that can move depend on each other. A
//! cycle therefore has rounds. Each round sees the state that the round before has left; between rounds, slots that have come free
//! are returned to the outputs and sources that fill them. A port sends one flit in a cycle.

use super::super::active::ActiveSet;
use super::super::allocator::InputFirst;
use super::super::build::Network;
use super::super::discipline::Discipline;
use super::super::layout::Layout;
use super::super::packets::{Packet, Packets};
use super::super::routing::Routing;
use super::super::state::Block;
use super::super::traffic::Endpoints;
use super::super::vcset::VcSet;
use crate::engine::router::Traffic;

/// Ports of a block that have sent a flit in a cycle, as the VCs of these ports.
#[derive(Clone, Copy)]
struct BusyPorts<const W: usize> {
    inputs: VcSet<W>,
    outputs: VcSet<W>,
}

impl<const W: usize> BusyPorts<W> {
    const NONE: Self = Self { inputs: VcSet::EMPTY, outputs: VcSet::EMPTY };
}

/// The position of a head flit in the queue for output VCs, by the cycle of its request, in open loops that of the generation of its
/// packet, and the number of the message or node.
type Position = (u64, u64, u32, usize);

/// Head flits are served in the order of their requests, and flits move in rounds.
pub(crate) struct FirstCome<const W: usize> {
    /// Blocks that were served in this cycle.
    pub(crate) served: ActiveSet,
    /// Sources that have sent in this cycle and continue in the next one.
    pub(crate) sources: ActiveSet,
    /// By block, what it has sent in this cycle.
    sent: Vec<BusyPorts<W>>,
    /// Head flits of a block that request an output VC.
    queue: Vec<Position>,
}

impl<const W: usize> Discipline<W> for FirstCome<W> {
    type Arbiters = InputFirst<W>;

    fn new(layout: &Layout<W>, _: &Network<'_>) -> Self {
        let blocks = layout.blocks();
        Self {
            served: ActiveSet::new(blocks),
            sources: ActiveSet::new(layout.sources()),
            sent: vec![BusyPorts::NONE; blocks],
            queue: Vec::new(),
        }
    }

    fn arbiters(&self, layout: &Layout<W>, _: usize) -> InputFirst<W> {
        InputFirst::new(layout)
    }
}

impl<const W: usize> FirstCome<W> {
    /// Head flits of `block` that request an output VC, the one to be served first in front.
    pub(crate) fn queue<A, T: Traffic>(
        &mut self,
        block: &Block<W, A>,
        packets: &Packets,
        traffic: &Endpoints<T>,
    ) -> &[Position] {
        self.queue.clear();
        for head in block.waiting.requesting {
            let packet = &packets[block.inputs[head].packet];
            let &Packet { requested, created, number, .. } = packet;
            let created = if traffic.nodes.is_closed() { 0 } else { created };
            self.queue.push((requested, created, number, head));
        }
        self.queue.sort_unstable();
        &self.queue
    }

    /// The input VCs among `ready` whose ports have not sent a flit in this cycle.
    pub(crate) fn unsent<A>(&self, block: &Block<W, A>, ready: VcSet<W>) -> VcSet<W> {
        let BusyPorts { inputs, outputs } = self.sent[block.number];
        let mut unsent = ready - inputs;
        if outputs.is_empty() {
            return unsent;
        }
        for vc in unsent {
            if outputs.contains(block.inputs[vc].output.into()) {
                unsent.remove(vc);
            }
        }
        unsent
    }

    /// Notes that flits have left the input VCs `inputs` of `block`.
    pub(crate) fn note<A>(&mut self, layout: &Layout<W>, block: &Block<W, A>, inputs: VcSet<W>) {
        let sent = &mut self.sent[block.number];
        for vc in inputs {
            sent.inputs |= block.inputs[vc].port;
            sent.outputs |= layout.port_set(block.inputs[vc].output.into());
        }
    }

    /// Forgets what block `number` has sent in a cycle that ends.
    pub(crate) fn end_cycle(&mut self, number: usize) {
        self.served.remove(number);
        self.sent[number] = BusyPorts::NONE;
    }
}

/// Grants each head flit in `queue` the lowest of its output VCs that are free and empty, of those with the most credits if
/// routing is adaptive. Calls `granted` with the input VC and the output VC of each grant.
pub(crate) fn grant_in_order<const W: usize, R: Routing<W>, A>(
    layout: &Layout<W>,
    routing: &R,
    block: &mut Block<W, A>,
    queue: &[Position],
    mut granted: impl FnMut(&Block<W, A>, usize, usize),
) {
    for &(.., head) in queue {
        let open = block.free & block.empty;
        let preferred = block.candidates[head].preferred & open;
        let best = if preferred.is_empty() { block.candidates[head].escape & open } else { preferred };
        match routing.select(layout, block, best).first() {
            Some(output) => {
                block.grant(layout, head, output);
                granted(block, head, output);
            }
            None => {
                block.waiting.requesting.remove(head);
                block.waiting.blocked.insert(head);
            }
        }
    }
}
