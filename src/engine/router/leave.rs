//! Flits leave a buffer: what that changes at once, and what others see of it later.
//!
//! Refuses to know whose turn it is.

use super::Traffic;
use super::buffers::in_buffer;
use super::fabric::NOWHERE;
use super::machine::Machine;
use super::outcome::Delivery;
use super::state::{NONE, Packet, Stage};

/// How many of the cycles from `from` on, so many as `run`, lie in `counted`.
#[cold]
fn overlap(counted: &std::ops::Range<u64>, from: u64, run: u32) -> u64 {
    let to = from + u64::from(run);
    to.min(counted.end).saturating_sub(from.max(counted.start))
}

impl<T: Traffic> Machine<'_, T> {
    /// A flit in front of input vc `vc` leaves by output vc `output`, or where runs are possible as many as have a
    /// credit; whether none can follow in the next cycle.
    // a call costs routers with several virtual channels five instructions in a hundred
    #[inline(always)]
    pub(super) fn leave(&mut self, vc: u32, output: u32) -> bool {
        if self.one_by_one { self.leave_alone(vc, output) } else { self.leave_in_run(vc, output) }
    }

    /// The same of one flit, where every channel takes a cycle for it.
    #[inline]
    fn leave_alone(&mut self, vc: u32, output: u32) -> bool {
        self.moved += 1;
        self.tell_left_flits(vc, output, 1);
        let input = &mut self.inputs[vc as usize];
        let sent = &mut self.outputs[output as usize];
        sent.credits -= 1;
        sent.carried += self.counts;
        input.flits -= 1;
        input.left -= 1;
        let is_head = input.stage == Stage::Head;
        let is_tail = input.left == 0;
        let rests = input.flits == 0 || sent.credits == 0;
        if self.outbox.tell(input.up, sent.down, output) {
            self.traffic.accepted(self.now + self.costs.timing.eject, 1);
        }
        let down = sent.down;
        if is_head {
            self.head_leaves(vc, output, down);
        }
        if is_tail {
            self.tail_leaves(vc, output, self.now);
        }
        rests || is_tail
    }

    /// The same of a run, or where channels differ in what they take.
    // a call costs the cycle of most routers an instruction in a hundred
    #[inline(always)]
    fn leave_in_run(&mut self, vc: u32, output: u32) -> bool {
        let input = &self.inputs[vc as usize];
        let sent = &self.outputs[output as usize];
        let run = if self.runs { input.left.min(input.flits.into()).min(sent.credits) } else { 1 };
        self.tell_left_flits(vc, output, run);
        let input = &mut self.inputs[vc as usize];
        let sent = &mut self.outputs[output as usize];
        sent.credits -= run;
        sent.carried += if self.counts_runs { run.into() } else { overlap(&self.counted, self.now, run) };
        input.flits -= in_buffer(run);
        input.left -= run;
        self.moved += u64::from(run);
        let up = input.up;
        let down = sent.down;
        let rests = input.flits == 0 || sent.credits == 0;
        let left = input.left;
        let is_head = input.stage == Stage::Head;
        // what the others see of these flits is told now: in how many cycles they stand there, one a cycle
        if self.is_even {
            self.outbox.credits.push((up, run));
            if down == NOWHERE {
                self.traffic.accepted(self.now + self.costs.timing.eject, run);
                self.outbox.sink_credits.push((output, run));
            } else {
                self.outbox.hops.push((down, run));
            }
        } else {
            self.send_unevenly(up, output, down, run);
        }
        if is_head {
            self.head_leaves(vc, output, down);
        }
        let last = self.now + u64::from(run) - 1;
        if run > 1 {
            if left == 0 {
                self.tell_left(vc, output, last);
            }
            self.inputs[vc as usize].stage = Stage::Runs;
            self.ended.push(last + 1, (vc, 1));
            return true;
        }
        if left == 0 {
            self.tail_leaves(vc, output, last);
        }
        rests || left == 0
    }

    /// The tail of the packet in front of `vc` leaves by `output` in the cycle `last`, which is this one.
    #[inline]
    pub(super) fn tail_leaves(&mut self, vc: u32, output: u32, last: u64) {
        self.tell_left(vc, output, last);
        self.free(vc, output, last + 1);
    }

    /// Those are told who wait for it that the tail of the packet in front of `vc` leaves by `output` in the cycle `last`.
    #[inline(always)]
    fn tell_left(&mut self, vc: u32, output: u32, last: u64) {
        if T::CLOSED && self.fabric.port(vc) >= self.fabric.local {
            // where slots can be used again at once, the source knows at once
            let number = self.packets[self.front(vc) as usize].number;
            let up = self.inputs[vc as usize].up;
            let delay = u64::from(self.fabric.pace(up).delay);
            self.traffic.left(number, last + self.costs.timing.credit.min(1) + delay);
        }
        if self.outputs[output as usize].down == NOWHERE {
            self.deliver(self.front(vc), output, last);
        }
    }

    /// A head flit has left input vc `vc` by output vc `output` for input vc `down`.
    // a call costs routers with one virtual channel two instructions in a hundred
    #[inline(always)]
    pub(super) fn head_leaves(&mut self, vc: u32, output: u32, down: u32) {
        let packet = self.front(vc);
        if T::CLOSED && self.interfaces.is_some() && self.fabric.port(vc) >= self.fabric.local {
            self.traffic.departed(self.packets[packet as usize].number, self.now);
        }
        self.inputs[vc as usize].stage = Stage::Body;
        if self.fabric.vc_bits == 0 {
            // the flits that follow need no turn
            self.pass_turn_of_output(vc, output);
            if self.branches {
                self.pass_turn_of_input(vc, output);
            }
        }
        if !self.is_even {
            let passed = &mut self.packets[packet as usize];
            passed.beyond = passed.beyond.over(self.fabric.pace(output), passed.flits, self.costs.timing.routing);
        }
        if down != NOWHERE {
            self.packets[packet as usize].hops += 1;
            self.enqueue(down, packet);
        } else {
            self.tell_ejection(vc, output);
        }
    }

    /// The tail of the packet in front of `vc` has left by `output`; the next head flit stands in front from the cycle
    /// `since` on.
    // a call costs the cycle of most routers an instruction in a hundred
    #[inline(always)]
    pub(super) fn free(&mut self, vc: u32, output: u32, since: u64) {
        self.outputs[output as usize].owner = NONE;
        if self.owned {
            self.disown(vc, output);
        }
        self.tell_freed(output, since);
        let input = &mut self.inputs[vc as usize];
        input.first = input.first.wrapping_add(1);
        input.out = NONE;
        input.stage = Stage::Idle;
        let more = input.flits > 0;
        if more {
            self.stand_in_front(vc, since);
        }
        self.wake(output);
    }

    /// Whether the channel of output vc `output` is still taken up by a flit.
    #[inline]
    pub(super) fn is_busy(&self, output: u32) -> bool {
        !self.is_even && self.is_slow_and_busy(output)
    }

    #[inline(never)]
    fn is_slow_and_busy(&self, output: u32) -> bool {
        let until = self.busy.get((output >> self.fabric.vc_bits) as usize);
        until.is_some_and(|&until| until > self.now)
    }

    /// So many flits leave a buffer that `up` fills by output vc `output` for input vc `down`, or for a node, one a cycle from
    /// now on: what the others see of them, where not all channels take a cycle for a flit.
    #[inline(never)]
    pub(super) fn send_unevenly(&mut self, up: u32, output: u32, down: u32, run: u32) {
        let now = self.now;
        let timing = self.costs.timing;
        let pace = self.fabric.pace(output);
        if let Some(busy) = self.busy.get_mut((output >> self.fabric.vc_bits) as usize) {
            *busy = now + u64::from(pace.flit);
        }
        match self.fabric.pace(up).delay {
            0 => self.outbox.credits.push((up, run)),
            delay => self.credits.push(now + timing.credit + u64::from(delay), (up, run)),
        }
        if down == NOWHERE {
            self.traffic.accepted(now + timing.eject + pace.longer(), run);
            let back = timing.sink_credit_after(pace.flit.into(), pace.delay.into());
            self.credits.push(now + back, (output, run));
        } else {
            self.arrivals.push(now + timing.hop + pace.longer(), (down, run));
        }
    }

    /// The tail of `packet` leaves for its node by output vc `output` in the cycle `at`.
    pub(super) fn deliver(&mut self, packet: u32, output: u32, at: u64) {
        let Packet { number, header, src, flits, hops, created, injected, beyond, .. } = self.packets[packet as usize];
        let mut delivered = at + self.costs.timing.eject;
        let mut longer = 0;
        if !self.is_even {
            delivered += self.fabric.pace(output).longer();
            longer = beyond.head + beyond.tail;
        }
        let dst = header.dst;
        self.traffic.delivered(&Delivery { number, src, dst, flits, created, injected, delivered, hops, longer });
        self.spare.push(packet);
    }
}
