//! A router's cycle: lanes are given to headers, the switch to lanes, and flits leave.
//!
//! Round robin means: of all who ask, the first at or after the one whose turn it is; the turn then passes to the one
//! after it. A turn passes only when what was asked for is given.

use super::Traffic;
use super::fabric::Fabric;
use super::machine::{Machine, Stage};
use super::source::NONE;
use crate::routing::relation::Choice;

/// What a router's allocation writes down, kept from one to the next.
pub(super) struct Scratch {
    /// Headers that ask for an output lane: the input lane and the output lane.
    asks: Vec<(u32, u32)>,
    /// Per output port of the router: the input port and lane that it takes so far, with how soon its turn is.
    taken: Vec<Taken>,
}

#[derive(Clone, Copy)]
struct Taken {
    rank: u32,
    lane: u32,
    output: u32,
}

impl Scratch {
    pub(super) fn new(fabric: &Fabric) -> Self {
        let taken = Taken { rank: 0, lane: NONE, output: NONE };
        Self { asks: Vec::new(), taken: vec![taken; fabric.ports as usize] }
    }
}

/// Added to the rank of a header that does not have its lane yet: it comes after all that do.
const SPECULATIVE: u32 = 1 << 16;

/// How long until it is the turn of `at` among `size`, when it is the turn of `turn`.
#[inline]
fn wait(at: u32, turn: u32, size: u32) -> u32 {
    if at >= turn { at - turn } else { at + size - turn }
}

impl<T: Traffic> Machine<'_, T> {
    /// One cycle of `router`.
    pub(super) fn allocate(&mut self, router: u32) {
        let mut outputs = 0_u64; // output ports that are asked for
        let mut ports = self.ready_ports[router as usize];
        while ports != 0 {
            let port = ports.trailing_zeros();
            ports &= ports - 1;
            if let Some(bid) = self.bid(router, port) {
                let size = self.fabric.ports;
                let out = self.fabric.port(router, bid.output);
                let rank = wait(port, u32::from(self.turns[out as usize].input), size) + (bid.rank & SPECULATIVE);
                let taken = &mut self.scratch.taken[bid.output as usize];
                if outputs >> bid.output & 1 == 0 || rank < taken.rank {
                    *taken = Taken { rank, ..bid };
                }
                outputs |= 1 << bid.output;
            }
        }
        if !self.scratch.asks.is_empty() {
            self.give_lanes(router);
        }
        while outputs != 0 {
            let output = outputs.trailing_zeros();
            outputs &= outputs - 1;
            let taken = self.scratch.taken[output as usize];
            self.win(router, output, taken.lane);
        }
        if self.ready_ports[router as usize] == 0 {
            self.active.remove(router);
        }
    }

    /// What input port `port` of `router` asks of the switch; its headers ask for lanes.
    #[inline]
    fn bid(&mut self, router: u32, port: u32) -> Option<Taken> {
        let entry = self.fabric.port(router, port);
        let turns = self.turns[entry as usize];
        let mut best: Option<Taken> = None;
        let mut lanes = self.ready[entry as usize];
        let several = !lanes.is_power_of_two();
        while lanes != 0 {
            let at = lanes.trailing_zeros();
            lanes &= lanes - 1;
            let lane = entry << self.fabric.lane_bits | at;
            let input = &self.inputs[lane as usize];
            if input.stage == Stage::Asks {
                self.ask_for_lane(router, lane, &mut best);
                continue;
            }
            let output = (input.out >> self.fabric.lane_bits) & ((1 << self.fabric.port_bits) - 1);
            let rank = if several { self.rank(output, at, turns) } else { 0 };
            if best.is_none_or(|best| rank < best.rank) {
                best = Some(Taken { rank, lane, output });
            }
        }
        best
    }

    /// How soon it is the turn of the output, and then of the lane, at an input port.
    #[inline]
    fn rank(&self, output: u32, lane: u32, turns: super::machine::Turns) -> u32 {
        let lanes = self.fabric.lanes;
        wait(output, u32::from(turns.output), self.fabric.ports) * lanes + wait(lane, u32::from(turns.lane), lanes)
    }

    /// The header in front of `lane` asks for an output lane, and for the switch where it may.
    fn ask_for_lane(&mut self, router: u32, lane: u32, best: &mut Option<Taken>) {
        let mut choices = std::mem::take(&mut self.choices);
        choices.clear();
        if self.adaptive {
            let packet = self.front(lane) as usize;
            let entered = lane >> self.fabric.lane_bits & ((1 << self.fabric.port_bits) - 1);
            let header = &mut self.packets[packet].header;
            self.relation.choices(router, entered as usize, header, &mut choices);
        } else {
            choices.push(self.inputs[lane as usize].way);
        }
        let asked = self.best_lane(router, lane, &choices);
        match asked {
            Some(asked) => self.scratch.asks.push((lane, asked)),
            None => self.park(lane),
        }
        if self.costs.speculative && asked.is_some() {
            let entry = lane >> self.fabric.lane_bits;
            let turns = self.turns[entry as usize];
            let at = lane & ((1 << self.fabric.lane_bits) - 1);
            for choice in &choices {
                if !self.can_send(router, *choice) {
                    continue;
                }
                let output = u32::from(choice.port);
                let rank = self.rank(output, at, turns) + SPECULATIVE;
                if best.is_none_or(|best| rank < best.rank) {
                    *best = Some(Taken { rank, lane, output });
                }
            }
        }
        self.choices = choices;
    }

    /// The output lane that the header in front of `lane` asks for, if any of its choices is free: not an escape if it
    /// need not be; of several ports the one with most room; then by turn.
    fn best_lane(&self, router: u32, lane: u32, choices: &[Choice]) -> Option<u32> {
        let size = self.fabric.ports << self.fabric.lane_bits;
        let turn = u32::from(self.inputs[lane as usize].turn);
        let mut best: Option<((bool, u32, u32), u32)> = None;
        for choice in choices {
            let port = self.fabric.port(router, u32::from(choice.port));
            for at in choice.first..=choice.last {
                let output = port << self.fabric.lane_bits | u32::from(at);
                if !self.is_free(output, *choice) {
                    continue;
                }
                let local = u32::from(choice.port) << self.fabric.lane_bits | u32::from(at);
                let full = if self.adaptive { NONE - self.outputs[output as usize].credits } else { 0 };
                let key = (choice.escape, full, wait(local, turn, size));
                if best.is_none_or(|(least, _)| key < least) {
                    best = Some((key, output));
                }
            }
        }
        best.map(|(_, output)| output)
    }

    #[inline]
    fn is_free(&self, output: u32, choice: Choice) -> bool {
        let lane = &self.outputs[output as usize];
        lane.owner == NONE && (!(self.costs.atomic || choice.empty) || lane.credits == self.costs.buffer)
    }

    /// Whether a lane of `choice` is free and has a credit.
    #[inline]
    fn can_send(&self, router: u32, choice: Choice) -> bool {
        let port = self.fabric.port(router, u32::from(choice.port));
        (choice.first..=choice.last).any(|at| {
            let output = port << self.fabric.lane_bits | u32::from(at);
            self.is_free(output, choice) && self.outputs[output as usize].credits > 0
        })
    }

    /// The header in front of `lane` waits until a lane of its router comes free.
    fn park(&mut self, lane: u32) {
        let port = lane >> self.fabric.lane_bits;
        let router = self.fabric.router(port) as usize;
        self.parked[port as usize] |= 1 << (lane & ((1 << self.fabric.lane_bits) - 1));
        self.parked_ports[router] |= 1 << (port & ((1 << self.fabric.port_bits) - 1));
        self.rest(lane);
    }

    /// Lane `lane` has nothing to do.
    #[inline]
    fn rest(&mut self, lane: u32) {
        let port = lane >> self.fabric.lane_bits;
        let ready = &mut self.ready[port as usize];
        *ready &= !(1 << (lane & ((1 << self.fabric.lane_bits) - 1)));
        if *ready == 0 {
            let router = self.fabric.router(port) as usize;
            self.ready_ports[router] &= !(1 << (port & ((1 << self.fabric.port_bits) - 1)));
        }
    }

    /// Every output lane that is asked for is given to one of those who ask.
    fn give_lanes(&mut self, router: u32) {
        let mut asks = std::mem::take(&mut self.scratch.asks);
        let size = self.fabric.ports << self.fabric.lane_bits;
        let base = router << self.fabric.port_bits << self.fabric.lane_bits;
        for at in 0..asks.len() {
            let (lane, output) = asks[at];
            if lane == NONE {
                continue; // has lost to one before
            }
            let turn = u32::from(self.outputs[output as usize].turn);
            let mut winner = lane;
            for other in &mut asks[at + 1..] {
                if other.1 == output && other.0 != NONE {
                    if wait(other.0 - base, turn, size) < wait(winner - base, turn, size) {
                        winner = other.0;
                    }
                    other.0 = NONE;
                }
            }
            #[expect(clippy::cast_possible_truncation, reason = "a router has at most 64 ports of 64 lanes")]
            let next = |local: u32| ((local + 1) % size) as u16;
            self.outputs[output as usize].owner = winner;
            self.outputs[output as usize].turn = next(winner - base);
            let input = &mut self.inputs[winner as usize];
            input.out = output;
            input.turn = next(output - base);
            input.stage = Stage::Header;
            if self.outputs[output as usize].credits == 0 {
                self.rest(winner);
            }
        }
        asks.clear();
        self.scratch.asks = asks;
    }

    /// The switch is given to `lane` for `output` of `router`.
    #[inline]
    fn win(&mut self, router: u32, output: u32, lane: u32) {
        let entry = lane >> self.fabric.lane_bits;
        let out = self.fabric.port(router, output);
        let (ports, lanes) = (self.fabric.ports, self.fabric.lanes);
        #[expect(clippy::cast_possible_truncation, reason = "at most 64 ports, and 64 lanes a port")]
        let next = |at: u32, size: u32| (if at + 1 == size { 0 } else { at + 1 }) as u8;
        let turns = &mut self.turns[entry as usize];
        turns.output = next(output, ports);
        turns.lane = next(lane & ((1 << self.fabric.lane_bits) - 1), lanes);
        self.turns[out as usize].input = next(entry & ((1 << self.fabric.port_bits) - 1), ports);
        let given = self.inputs[lane as usize].out;
        if given != NONE && given >> self.fabric.lane_bits == out && self.outputs[given as usize].credits > 0 {
            self.leave(lane, given);
        }
    }

    /// A flit in front of input lane `lane` leaves by output lane `output`.
    #[inline]
    fn leave(&mut self, lane: u32, output: u32) {
        let (entry, out) = (lane >> self.fabric.lane_bits, output >> self.fabric.lane_bits);
        let at = lane & ((1 << self.fabric.lane_bits) - 1);
        self.credits.push(self.now + self.costs.timing.credit, self.fabric.up[entry as usize] << self.fabric.lane_bits | at);
        self.outputs[output as usize].credits -= 1;
        self.moved += 1;
        self.carried[out as usize] += u64::from(self.counting.contains(&self.now));
        let input = &mut self.inputs[lane as usize];
        input.flits -= 1;
        input.left -= 1;
        let is_tail = input.left == 0;
        let header = input.stage == Stage::Header;
        input.stage = Stage::Body;
        if self.is_exit(out) {
            self.traffic.accepted(self.now + self.costs.timing.eject);
            self.credits.push(self.now + self.costs.timing.sink_credit, output);
            if is_tail {
                self.deliver(self.front(lane));
            }
        } else {
            let to = self.fabric.down[out as usize] << self.fabric.lane_bits | output & ((1 << self.fabric.lane_bits) - 1);
            self.arrivals.push(self.now + self.costs.timing.hop, to);
            if header {
                let packet = self.front(lane);
                self.packets[packet as usize].hops += 1;
                self.enqueue(to, packet);
            }
        }
        if is_tail {
            self.free(lane, output);
        } else if self.inputs[lane as usize].flits == 0 || self.outputs[output as usize].credits == 0 {
            self.rest(lane);
        }
    }

    /// The tail of the packet in front of `lane` has left by `output`.
    fn free(&mut self, lane: u32, output: u32) {
        self.outputs[output as usize].owner = NONE;
        self.dequeue(lane);
        let input = &mut self.inputs[lane as usize];
        input.out = NONE;
        input.stage = Stage::Idle;
        let more = input.flits > 0;
        self.rest(lane);
        if more {
            let routing = self.costs.timing.routing;
            self.stand_in_front(lane, if routing == 0 { 0 } else { routing + 1 });
        }
        self.wake(self.fabric.router(output >> self.fabric.lane_bits));
    }
}
