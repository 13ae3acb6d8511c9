//! Buffers of input vcs: what arrives in them, the packets whose flits are there, and slots that come free.
//!
//! Refuses to know who sends next.

use super::Traffic;
use super::machine::Machine;
use super::state::{NONE, Stage};

/// So many flits, which are in a buffer.
#[expect(clippy::cast_possible_truncation, reason = "a buffer holds fewer than 2^15 flits")]
#[inline]
pub(super) fn in_buffer(flits: u32) -> u16 {
    flits as u16
}

/// Buffers hold what they do each by itself, and are waited for until they are empty.
pub(super) const ITS_OWN: u32 = 0;

impl<T: Traffic> Machine<'_, T> {
    /// A run of flits begins to arrive in the buffer of input vc `vc`.
    #[inline]
    pub(super) fn arrive(&mut self, vc: u32, flits: u32) {
        let input = &mut self.inputs[vc as usize];
        let first = input.flits == 0;
        input.flits += in_buffer(flits);
        if !first || input.stage == Stage::Runs {
            return;
        }
        if input.out == NONE {
            self.stand_in_front(vc, self.now);
        } else if self.outputs[input.out as usize].credits > 0 {
            self.try_to_send(vc);
        }
    }

    /// Input vc `vc` has a flit that can leave.
    #[inline]
    pub(super) fn try_to_send(&mut self, vc: u32) {
        if self.ready.insert(vc) {
            self.active.insert(vc / 64);
        }
    }

    /// A run of slots of the buffer behind output vc or source vc `vc` begins to come free.
    // a call costs the cycle of most routers an instruction in a hundred
    #[inline(always)]
    pub(super) fn credit(&mut self, vc: u32, slots: u32) {
        let output = &mut self.outputs[vc as usize];
        let none = output.credits == 0;
        output.credits += slots;
        let credits = output.credits;
        let owner = output.owner;
        if none || credits == self.awaited || self.awaited == ITS_OWN && credits == self.fabric.buffer(vc) {
            self.credit_awaited(vc, owner);
        }
    }

    /// A packet may have waited for a credit of `vc`, which `owner` has.
    // a call costs the cycle of most routers an instruction in a hundred
    #[inline(always)]
    pub(super) fn credit_awaited(&mut self, vc: u32, owner: u32) {
        if vc >= self.fabric.source(0) {
            return self.credit_source(vc);
        }
        if owner == NONE {
            self.tell_freed(vc, self.now);
            self.wake(vc);
        } else if self.can_go_on(owner) {
            self.try_to_send(owner);
        }
    }

    /// Whether input vc `vc`, whose packet has a vc with credits, has a flit to send that is not being sent.
    fn can_go_on(&self, vc: u32) -> bool {
        let input = &self.inputs[vc as usize];
        input.flits > 0 && input.stage != Stage::Runs
    }

    /// The last flit of a run has left input vc `vc`, the cycle before this one.
    pub(super) fn run_ends(&mut self, vc: u32) {
        let input = &mut self.inputs[vc as usize];
        input.stage = Stage::Body;
        let output = input.out;
        if input.left == 0 {
            self.free(vc, output, self.now);
        } else if input.flits > 0 && self.outputs[output as usize].credits > 0 {
            self.try_to_send(vc);
        }
    }

    /// The head flit of `packet` is on its way to input vc `vc`.
    // a call costs routers with one virtual channel an instruction in a hundred
    #[inline(always)]
    pub(super) fn enqueue(&mut self, vc: u32, packet: u32) {
        let end = &mut self.inputs[vc as usize].end;
        let place = u32::from(*end) & self.queue_mask;
        *end = end.wrapping_add(1);
        self.queues[((vc << self.queue_bits) | place) as usize] = packet;
    }

    /// The packet in front of input vc `vc`.
    // a call costs routers with one virtual channel an instruction in a hundred
    #[inline(always)]
    pub(super) fn front(&self, vc: u32) -> u32 {
        let place = u32::from(self.inputs[vc as usize].first) & self.queue_mask;
        self.queues[((vc << self.queue_bits) | place) as usize]
    }

    /// So many flits are on their way from source vc `vc` to input vc `entry`, one a cycle from now on.
    #[inline]
    pub(super) fn inject(&mut self, vc: u32, entry: u32, run: u32) {
        if self.is_even {
            self.outbox.injected.push((entry, run));
        } else {
            let takes = self.costs.timing.inject + self.fabric.pace(vc).longer();
            self.arrivals.push(self.now + takes, (entry, run));
        }
    }
}
