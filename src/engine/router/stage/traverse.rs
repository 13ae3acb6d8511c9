//! Flits leave their buffers over the switch.

use super::super::active::ActiveSet;
use super::super::delay::Wheel;
use super::super::flow::{Counter, Ejected, Flow, HeterogeneousLinks};
use super::super::layout::Place;
use super::super::packets::Packets;
use super::super::routing::Branch;
use super::super::state::Block;
use super::super::traffic::{Endpoints, Event};
use super::super::vcset::VcSet;
use super::Cycle;
use crate::engine::router::Traffic;

/// Flits that leave a block in a cycle: what changes when the switch is granted. The switch and the links themselves are delays
/// of the flow. [`Traversal::send`] updates buffers and credits at once; what must not change before the
/// switch is allocated, such as which packet holds an output VC, is left to [`Traversal::finish`].
pub(crate) struct Traversal<'a, const W: usize, F, T> {
    pub(crate) cycle: Cycle<'a, W>,
    counter: &'a mut Counter,
    pub(crate) flow: &'a mut F,
    /// Input VCs of runs, by the cycle after their last flit.
    ends: &'a mut Wheel<Place>,
    pub(crate) packets: &'a mut Packets,
    pub(crate) traffic: &'a mut Endpoints<T>,
    /// Input VCs that have sent.
    pub(crate) inputs: VcSet<W>,
    /// Output VCs by which they have.
    outputs: VcSet<W>,
    /// Input VCs whose packet has left.
    tails: VcSet<W>,
}

impl<'a, const W: usize, F: Flow<W>, T: Traffic> Traversal<'a, W, F, T> {
    /// Creates a traversal without flits.
    #[inline(always)]
    pub(crate) fn new(
        cycle: Cycle<'a, W>,
        counter: &'a mut Counter,
        flow: &'a mut F,
        ends: &'a mut Wheel<Place>,
        packets: &'a mut Packets,
        traffic: &'a mut Endpoints<T>,
    ) -> Self {
        let none = VcSet::EMPTY;
        Self { cycle, counter, flow, ends, packets, traffic, inputs: none, outputs: none, tails: none }
    }

    /// Sends a flit from input VC `vc` of `block`, or starts a run of flits.
    #[inline(always)]
    pub(crate) fn send<A>(&mut self, block: &mut Block<W, A>, vc: usize) {
        let input = &mut block.inputs[vc];
        let number = input.output.into();
        let output = &mut block.outputs[number];
        let flits = self.flow.run(input.left, input.flits, output.credits);
        input.flits -= flits;
        input.left -= flits;
        output.credits -= flits;
        output.carried += F::counted(self.counter, flits);
        self.counter.moved += u64::from(flits);
        self.inputs.insert(vc);
        self.outputs.insert(number);
        let Cycle { now, layout, .. } = self.cycle;
        self.flow.vc_sends(layout, input, output, layout.place_in(block.number, number), flits);
        let vc_number = layout.join(block.number, number);
        self.traffic.event(Event::Sent { packet: input.packet, vc: vc_number, at: now, flits }, self.packets);
        if input.left == 0 {
            self.tails.insert(vc);
        }
        if flits > 1 {
            block.running.insert(vc);
            self.ends.add(now + u64::from(flits), layout.place_in(block.number, vc));
        }
        let is_empty = input.flits == 0;
        if output.credits == 0 {
            if !F::COUNTS_EJECTION && layout.is_endless(number) {
                output.credits = u32::MAX;
            } else {
                block.credited.remove(vc);
                block.with_credit.remove(number);
            }
        }
        if is_empty {
            block.occupied.remove(vc);
        }
    }

    /// Ends the cycle of the block: packets whose head flits left join the queues of the next routers, those whose tails left
    /// release their output VCs.
    #[inline(always)]
    pub(crate) fn finish<A>(&mut self, block: &mut Block<W, A>) {
        let Cycle { now, config, layout } = self.cycle;
        let Self { flow, packets, traffic, inputs, outputs, .. } = &mut *self;
        flow.block_sends(layout, block.number, *inputs, *outputs, |Ejected { flits, cycles, longer }| {
            traffic.event(Event::Accepted { at: now + config.timing.eject + longer, flits, cycles }, packets);
        });
        block.empty -= self.outputs & layout.exclusive;
        let heads = block.heads & self.inputs;
        block.heads -= heads;
        for vc in heads {
            self.head_leaves(block, vc);
        }
        for vc in self.tails {
            let flits = self.flow.length(block.inputs[vc].output.into());
            self.tail_leaves(block, vc, now + u64::from(flits) - 1);
            if flits == 1 {
                release(self.cycle, block, vc, self.packets, self.traffic);
            } // else when the run ends
        }
    }

    /// Lets the packet at the front of `vc`, whose head flit leaves, join the queue of the next router.
    #[inline(always)]
    fn head_leaves<A>(&mut self, block: &Block<W, A>, vc: usize) {
        let input = &block.inputs[vc];
        if self.cycle.layout.of_nodes.contains(vc) {
            self.traffic.event(Event::Departed { packet: input.packet, at: self.cycle.now }, self.packets);
        }
        self.join_next(block, input.packet, input.output.into());
    }

    /// Lets `packet`, whose head flit leaves by output VC `output`, join the queue of the next router.
    #[inline(always)]
    fn join_next<A>(&mut self, block: &Block<W, A>, packet: u32, output: usize) {
        let Cycle { now, config, layout } = self.cycle;
        let place = layout.place_in(block.number, output);
        self.flow.add_time(layout, place, self.packets, packet, config.timing.routing);
        let next = block.outputs[output].leads_to;
        if next.is_node() {
            let event = Event::Ejected { packet, vc: layout.join(block.number, output), at: now };
            self.traffic.event(event, self.packets);
        } else {
            self.packets[packet].hops += 1;
            self.packets.send(layout.number(next), packet);
        }
    }

    /// Reports that the tail of the packet at the front of `vc` leaves in cycle `last`, and delivers the packet if it leaves for
    /// a node.
    #[inline(always)]
    fn tail_leaves<A>(&mut self, block: &Block<W, A>, vc: usize, last: u64) {
        let input = &block.inputs[vc];
        let layout = self.cycle.layout;
        if layout.of_nodes.contains(vc) {
            let at = last + u64::from(self.flow.pace(layout, input.filled_by).delay);
            self.traffic.event(Event::TailLeft { packet: input.packet, at }, self.packets);
        }
        let next = block.outputs[input.output.into()].leads_to;
        if layout.is_outside(next) {
            if next.is_node() {
                self.deliver(layout.place_in(block.number, input.output.into()), input.packet, last);
            } else {
                self.packets.leave(input.packet);
            }
        }
    }

    /// Delivers `packet`, whose tail leaves for a node by the output VC at `place` in cycle `last`.
    #[inline(always)]
    fn deliver(&mut self, place: Place, packet: u32, last: u64) {
        let Cycle { config, layout, .. } = self.cycle;
        let waits = self.flow.waits(place.split().1);
        let arrival = last + config.timing.eject + self.flow.pace(layout, place).longer() + waits;
        self.traffic.event(Event::Delivered { packet, vc: layout.number(place), at: arrival }, self.packets);
        self.packets.remove(packet);
    }
}

impl<const W: usize, T: Traffic> Traversal<'_, W, HeterogeneousLinks<W>, T> {
    /// Sends a copy of the flit at the front of input VC `vc`, which is sent after it, by another branch of its packet.
    pub(crate) fn send_copy<A>(&mut self, block: &mut Block<W, A>, vc: usize, branch: &Branch<W>) {
        let Cycle { now, layout, .. } = self.cycle;
        let &Branch { packet, output: Some(number), .. } = branch else { return };
        let place = layout.place_in(block.number, number);
        let output = &mut block.outputs[number];
        output.credits -= 1;
        output.carried += HeterogeneousLinks::<W>::counted(self.counter, 1);
        self.counter.moved += 1;
        self.flow.send(layout, output, place, 1, 0);
        let is_last_slot = output.credits == 0;
        let leaves = output.leads_to.is_node();
        if is_last_slot {
            block.with_credit.remove(number);
        }
        if block.heads.contains(vc) {
            self.join_next(block, packet, number);
        }
        if block.inputs[vc].left == 1 {
            if leaves {
                self.deliver(place, packet, now);
            }
            block.free.insert(number);
            block.unblock(layout, number);
            self.traffic.event(Event::Freed { vc: layout.join(block.number, number), at: now + 1 }, self.packets);
        }
    }
}

/// Releases the output VC of the packet whose tail has left input VC `vc`.
#[inline(always)]
fn release<const W: usize, A, T: Traffic>(
    cycle: Cycle<'_, W>,
    block: &mut Block<W, A>,
    vc: usize,
    packets: &Packets,
    traffic: &mut Endpoints<T>,
) {
    let output = block.release(cycle.layout, vc);
    if !cycle.config.costs.atomic {
        let vc = cycle.layout.join(block.number, output);
        traffic.event(Event::Freed { vc, at: cycle.now + 1 }, packets);
    }
}

/// Ends the runs whose last flit left in the previous cycle.
pub(crate) fn runs_end<const W: usize, A, T: Traffic>(
    cycle: Cycle<'_, W>,
    ends: &mut Wheel<Place>,
    blocks: &mut [Block<W, A>],
    active: &mut ActiveSet,
    packets: &Packets,
    traffic: &mut Endpoints<T>,
) {
    let last = Cycle { now: cycle.now.wrapping_sub(1), ..cycle };
    let due = ends.take(cycle.now);
    for place in &due {
        let (block, vc) = place.split();
        let block = &mut blocks[block];
        block.running.remove(vc);
        if block.inputs[vc].left == 0 {
            release(last, block, vc, packets, traffic);
        }
        block.wake(active);
    }
    ends.give_back(cycle.now, due);
}
