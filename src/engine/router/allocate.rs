//! A router's cycle: virtual channels are granted to head flits, the switch to virtual channels, and flits leave.
//!
//! Round robin means: of all requests, the first at or after the one whose turn it is; the turn then passes to the one
//! after it. A turn passes only when what was requested is granted.
//!
//! # Numbers and sets
//!
//! A vc has a number from which shifts take its router and port ([`super::fabric::Fabric`]); a mesh with two virtual channels has five ports,
//! so 16 numbers a router, of which 10 are used:
//!
//! ```text
//!            router                port     vc of the port
//!   | .............. 0 1 1 0 |  1  0  0  |  1  |        vc = 6 << 4 | 4 << 1 | 1
//!     <-- vc >> stride_bits     vc_bits..     vc_bits = 1      stride_bits = 4
//! ```
//!
//! The same number names an input vc and an output vc, which have nothing in common but the number. What a cycle has to look
//! at is kept in two sets of input vcs, a bit each: `ready`, where a flit could leave, and `requesting`, where a head flit
//! requests a vc. A word of 64 bits holds the vcs of several routers, or a wide router fills several words:
//!
//! ```text
//!   stride_bits = 4:  | router 3 | router 2 | router 1 | router 0 |     fabric.mask = 0xffff, shifted to the router
//!   stride_bits = 7:  |       router 0, vcs 63..0     | 127..64   |     fabric.words = 2
//! ```
//!
//! A third set, `active`, has a bit for each word of the two that is not zero, so that idle routers cost nothing.
//!
//! # The order within a cycle of a router
//!
//! ```text
//!   for each input port:  bid        of its vcs that are ready, and of head flits that speculate, the one whose turn it is
//!                         contend    the bid takes its output port unless a bid is there whose turn is sooner
//!   then                  grant_vcs   every output vc that is requested is granted to one request
//!   for each output port: win        the bid that has taken it sends its flit, if it has a vc there with a credit
//! ```
//!
//! Bids are made before virtual channels are granted: a head flit that speculates does not know yet whether it will have one,
//! and wastes the switch if it does not. With one virtual channel a port the switch has no choice to make: the input vc that
//! owns the output's vc has the output. Then nothing is bid for; head flits look first (`allocate_all`), and every owner sends
//! (`stream`).

use super::Traffic;
use super::fabric::NOWHERE;
use super::machine::Machine;
use super::sets::BitSet;
use super::state::{Bid, NONE, Stage, Turns};
use crate::routing::relation::Choice;

/// Added to the rank of a head flit that does not have its vc yet: it comes after all that do. Ranks without it are below:
/// at most 64 ports times 64 virtual channels.
const SPECULATIVE: u32 = 1 << 16;

/// How long until it is the turn of `at` among `size`, when it is the turn of `turn`.
#[inline]
fn wait(at: u32, turn: u32, size: u32) -> u32 {
    if at >= turn { at - turn } else { at + size - turn }
}

/// The one after `at` among `size`.
#[inline]
fn after(at: u32, size: u32) -> u32 {
    if at + 1 == size { 0 } else { at + 1 }
}

/// How many of the cycles from `from` on, so many as `run`, lie in `counted`.
#[inline]
fn overlap(counted: &std::ops::Range<u64>, from: u64, run: u32) -> u64 {
    let to = from + u64::from(run);
    if from >= counted.start && to <= counted.end {
        return run.into();
    }
    to.min(counted.end).saturating_sub(from.max(counted.start))
}

impl<T: Traffic> Machine<'_, T> {
    /// One cycle of the routers that have vcs in word `word` of those that try to send.
    pub(super) fn allocate_word(&mut self, word: u32) {
        let stride_bits = self.fabric.stride_bits;
        if stride_bits >= 6 {
            // the first of a router's words that is active does the cycle of all of them
            let router = word >> (stride_bits - 6);
            if std::mem::replace(&mut self.scratch.last, (router, self.now)) != (router, self.now) {
                self.allocate_wide(router);
            }
        } else {
            let ready = self.ready.words[word as usize];
            let requesting = self.requesting.words[word as usize];
            if self.fabric.vc_bits == 0 {
                // head flits look before anything comes free
                self.allocate_all(word, requesting);
                self.stream(word, ready);
            } else {
                self.allocate_all(word, requesting | ready);
            }
        }
        if self.ready.words[word as usize] | self.requesting.words[word as usize] == 0 {
            self.active.remove(word);
        }
    }

    /// With one vc a port, the owner of an output's vc has the output to itself: a flit leaves from each of
    /// `vcs`, counted from word `word`.
    fn stream(&mut self, word: u32, mut vcs: u64) {
        // vcs that cannot send in the next cycle, gathered so that the word is written once
        let mut resting = 0;
        while vcs != 0 {
            let at = vcs.trailing_zeros();
            vcs &= vcs - 1;
            let vc = word * 64 + at;
            let output = self.inputs[vc as usize].out;
            if !self.is_busy(output) && self.leave(vc, output) {
                resting |= 1 << at;
            }
        }
        self.ready.words[word as usize] &= !resting;
    }

    /// One cycle of every router of which some of `vcs`, counted from word `word`, try to send.
    fn allocate_all(&mut self, word: u32, mut vcs: u64) {
        let mask = self.fabric.mask;
        while vcs != 0 {
            // the lowest bit says which router is next; its chunk of the word is taken out as a whole
            let router = (word * 64 + vcs.trailing_zeros()) >> self.fabric.stride_bits;
            let chunk = vcs & mask << ((router << self.fabric.stride_bits) % 64);
            vcs &= !chunk;
            let first = word * 64 + chunk.trailing_zeros();
            let is_alone = chunk.is_power_of_two();
            if is_alone && self.fabric.vc_bits == 0 && !self.branches {
                self.request_alone(first);
            } else if is_alone && self.inputs[first as usize].stage != Stage::Requests {
                self.send_alone(router, first);
            } else {
                self.allocate(router, word * 64, chunk);
            }
        }
    }

    /// One cycle of a router of which only `vc` tries to send, which has its output vc: nothing is compared with its bid.
    #[inline]
    fn send_alone(&mut self, router: u32, vc: u32) {
        let output = self.inputs[vc as usize].out;
        if !self.is_busy(output) {
            self.win(router, self.fabric.port(output), vc);
        }
    }

    /// One cycle of a router of which only the head flit in front of `vc` requests anything that others could request,
    /// and only for one vc.
    fn request_alone(&mut self, vc: u32) {
        let choice = self.inputs[vc as usize].choice;
        let output = self.fabric.vc(self.fabric.router(vc), u32::from(choice.port));
        if !self.is_free(output, choice) {
            return self.park(vc, choice.port);
        }
        let given = &mut self.outputs[output as usize];
        given.owner = vc;
        #[expect(clippy::cast_possible_truncation, reason = "a router has at most 64 ports")]
        let next = after(self.fabric.port(vc), self.fabric.ports) as u16;
        given.turn = next;
        let has_credit = given.credits > 0;
        let input = &mut self.inputs[vc as usize];
        input.out = output;
        input.stage = Stage::Head;
        self.requesting.remove(vc);
        self.tell_grant(vc, output);
        if has_credit {
            self.ready.insert(vc);
            if self.costs.speculative && !self.is_busy(output) && self.leave(vc, output) {
                self.ready.remove(vc);
            }
        }
    }

    /// One cycle of `router`, of whose vcs those in `vcs`, counted from vc `first`, try to send.
    #[inline]
    fn allocate(&mut self, router: u32, first: u32, mut vcs: u64) {
        // a bit for each output port that is bid for
        let mut outputs = 0_u64;
        while vcs != 0 {
            let vc = first + vcs.trailing_zeros();
            // its port has so few vcs that they are in one word, and their numbers begin with a multiple of a power of two
            let of_port = vcs & self.fabric.port_mask << ((vc >> self.fabric.vc_bits << self.fabric.vc_bits) - first);
            vcs &= !of_port;
            let bid = if of_port.is_power_of_two() { self.bid_alone(vc) } else { self.bid_best(first, of_port) };
            outputs |= self.contend(bid);
        }
        self.settle(router, outputs);
    }

    /// The bid of an input port of which only `vc` tries to send: how soon it would be its turn does not matter.
    #[inline]
    fn bid_alone(&mut self, vc: u32) -> Option<Bid> {
        let input = &self.inputs[vc as usize];
        if input.stage == Stage::Requests {
            return self.request_vc(vc, None);
        }
        let output = input.out;
        let bid = Bid { rank: 0, vc, output: self.fabric.port(output) };
        if self.is_busy(output) { None } else { Some(bid) }
    }

    /// The bid of an input port of which `vcs`, counted from vc `first`, try to send.
    fn bid_best(&mut self, first: u32, mut vcs: u64) -> Option<Bid> {
        let mut bid = None;
        while vcs != 0 {
            bid = self.bid(first + vcs.trailing_zeros(), bid);
            vcs &= vcs - 1;
        }
        bid
    }

    /// The same for a router whose vcs fill several words.
    fn allocate_wide(&mut self, router: u32) {
        let mut outputs = 0_u64;
        let mut bid = None;
        let mut port = NONE;
        let first = (router << self.fabric.stride_bits) / 64;
        for word in first..first + self.fabric.words {
            let requesting = self.requesting.words[word as usize];
            for vc in BitSet::of(word, self.ready.words[word as usize] | requesting) {
                if vc >> self.fabric.vc_bits != port {
                    outputs |= self.contend(bid.take());
                    port = vc >> self.fabric.vc_bits;
                }
                bid = self.bid(vc, bid);
            }
        }
        outputs |= self.contend(bid);
        self.settle(router, outputs);
    }

    /// The bid of an input port with what `vc` requests, if it is its turn sooner than `best`; head flits request vcs.
    #[inline]
    pub(super) fn bid(&mut self, vc: u32, best: Option<Bid>) -> Option<Bid> {
        let input = &self.inputs[vc as usize];
        if input.stage == Stage::Requests {
            return self.request_vc(vc, best);
        }
        if self.is_busy(input.out) {
            return best;
        }
        let output = self.fabric.port(input.out);
        let rank = if self.fabric.vc_bits == 0 { 0 } else { self.rank(output, vc) };
        if best.is_none_or(|best| rank < best.rank) { Some(Bid { rank, vc, output }) } else { best }
    }

    /// Takes the output that is bid for unless a bid is in whose turn is sooner; the output as a bit.
    #[inline]
    pub(super) fn contend(&mut self, bid: Option<Bid>) -> u64 {
        let Some(bid) = bid else { return 0 };
        let output = bid.output;
        // the ports of outputs and inputs have one numbering: only the first vc of the port counts
        let port = (bid.vc >> self.fabric.stride_bits << (self.fabric.stride_bits - self.fabric.vc_bits)) + output;
        let turn = u32::from(self.turns[port as usize].input);
        let rank = wait(self.fabric.port(bid.vc), turn, self.fabric.ports) + (bid.rank & SPECULATIVE);
        // what another router has left there counts as free: clearing the list for each would cost more
        let taken = &mut self.scratch.taken[output as usize % 64];
        let router = bid.vc >> self.fabric.stride_bits;
        let free = taken.vc == NONE || taken.vc >> self.fabric.stride_bits != router;
        if free || rank < taken.rank {
            *taken = Bid { rank, ..bid };
        }
        1 << output
    }

    /// Gives vcs and the switch.
    // a call costs routers with several virtual channels an instruction in a hundred
    #[inline(always)]
    fn settle(&mut self, router: u32, mut outputs: u64) {
        if !self.scratch.requests.is_empty() {
            self.grant_vcs(router);
        }
        while outputs != 0 {
            let output = outputs.trailing_zeros();
            outputs &= outputs - 1;
            let vc = self.take_bid(output);
            self.win(router, output, vc);
        }
    }

    /// The input vc that `output` has been taken by in this cycle of its router.
    #[inline]
    pub(super) fn take_bid(&mut self, output: u32) -> u32 {
        std::mem::replace(&mut self.scratch.taken[output as usize].vc, NONE)
    }

    /// How soon it is the turn of the output, and then of the vc, at an input port; speculation comes last.
    #[inline]
    fn rank(&self, output: u32, vc: u32) -> u32 {
        let Turns { output: next, vc: next_vc, .. } = self.turns[(vc >> self.fabric.vc_bits) as usize];
        let vcs = self.fabric.vcs;
        wait(output, u32::from(next), self.fabric.ports) * vcs + wait(self.fabric.within(vc), u32::from(next_vc), vcs)
    }

    /// The head flit in front of `vc` requests an output vc, and the switch where it may.
    fn request_vc(&mut self, vc: u32, best: Option<Bid>) -> Option<Bid> {
        let choice = self.inputs[vc as usize].choice;
        if self.branches {
            self.request_any(vc, best)
        } else if choice.first == choice.last {
            let output = self.fabric.vc(self.fabric.router(vc), u32::from(choice.port)) | u32::from(choice.first);
            if !self.is_free(output, choice) {
                self.park(vc, choice.port);
                return best;
            }
            self.scratch.requests.push((vc, output));
            if self.outputs[output as usize].credits == 0 { best } else { self.speculate(vc, choice, best) }
        } else {
            let mut choices = std::mem::take(&mut self.scratch.choices);
            choices.clear();
            choices.push(choice);
            let best = self.request_among(vc, &choices, best);
            self.scratch.choices = choices;
            best
        }
    }

    fn request_any(&mut self, vc: u32, best: Option<Bid>) -> Option<Bid> {
        let mut choices = std::mem::take(&mut self.scratch.choices);
        self.choices(vc, &mut choices);
        let best = self.request_among(vc, &choices, best);
        self.scratch.choices = choices;
        best
    }

    fn request_among(&mut self, vc: u32, choices: &[Choice], mut best: Option<Bid>) -> Option<Bid> {
        let Some(requested) = self.best_vc(vc, choices) else {
            choices.iter().for_each(|choice| self.park(vc, choice.port));
            return best;
        };
        self.scratch.requests.push((vc, requested));
        for choice in choices {
            if self.can_send(vc, *choice) {
                best = self.speculate(vc, *choice, best);
            }
        }
        best
    }

    /// A head flit without a vc requests the switch all the same.
    #[inline]
    fn speculate(&self, vc: u32, choice: Choice, best: Option<Bid>) -> Option<Bid> {
        let output = u32::from(choice.port);
        if !self.costs.speculative || self.is_busy(self.fabric.vc(self.fabric.router(vc), output)) {
            return best;
        }
        let rank = self.rank(output, vc) + SPECULATIVE;
        if best.is_none_or(|best| rank < best.rank) { Some(Bid { rank, vc, output }) } else { best }
    }

    /// The output vc that the head flit in front of `vc` requests, if any of its choices is free: not an escape if it
    /// need not be; of several ejection channels one that fewest packets share; of several ports the one with most room;
    /// then by turn.
    fn best_vc(&self, vc: u32, choices: &[Choice]) -> Option<u32> {
        let size = self.fabric.ports << self.fabric.vc_bits;
        let turn = u32::from(self.inputs[vc as usize].turn);
        let mut best: Option<((bool, u32, u32, u32), u32)> = None;
        for choice in choices {
            let sharing = if u32::from(choice.port) < self.fabric.local { 0 } else { self.packets_on(vc, *choice) };
            for output in self.vcs_of(vc, *choice).filter(|&output| self.is_free(output, *choice)) {
                let full = if self.adaptive { NONE - self.outputs[output as usize].credits } else { 0 };
                let local = output & ((1 << self.fabric.stride_bits) - 1);
                let key = (choice.escape, sharing, full, wait(local, turn, size));
                if best.is_none_or(|(least, _)| key < least) {
                    best = Some((key, output));
                }
            }
        }
        best.map(|(_, output)| output)
    }

    /// The output vcs of `choice` at the router of `vc`.
    pub(super) fn vcs_of(&self, vc: u32, choice: Choice) -> std::ops::RangeInclusive<u32> {
        let first = self.fabric.vc(self.fabric.router(vc), u32::from(choice.port));
        first + u32::from(choice.first)..=first + u32::from(choice.last)
    }

    /// How many packets have output vcs of `choice` at the router of `vc`.
    fn packets_on(&self, vc: u32, choice: Choice) -> u32 {
        self.vcs_of(vc, choice).map(|output| u32::from(self.outputs[output as usize].owner != NONE)).sum()
    }

    #[inline]
    pub(super) fn is_free(&self, output: u32, choice: Choice) -> bool {
        let vc = &self.outputs[output as usize];
        vc.owner == NONE && (!(self.costs.atomic || choice.empty) || vc.credits == self.costs.buffer)
    }

    /// Whether an output vc of `choice` is free and has a credit.
    fn can_send(&self, vc: u32, choice: Choice) -> bool {
        let credit = |output| self.is_free(output, choice) && self.outputs[output as usize].credits > 0;
        self.vcs_of(vc, choice).any(credit)
    }

    /// Every output vc that is requested is granted to one of those requests.
    fn grant_vcs(&mut self, router: u32) {
        let mut requests = std::mem::take(&mut self.scratch.requests);
        let size = self.fabric.ports << self.fabric.vc_bits;
        let base = router << self.fabric.stride_bits;
        // few head flits request at once, so each is compared with those behind it rather than sorted
        for at in 0..requests.len() {
            let (vc, output) = requests[at];
            if vc == NONE {
                continue; // has been compared with one before
            }
            let turn = u32::from(self.outputs[output as usize].turn);
            let mut winner = vc;
            for other in &mut requests[at + 1..] {
                if other.1 == output && other.0 != NONE {
                    if wait(other.0 - base, turn, size) < wait(winner - base, turn, size) {
                        winner = other.0;
                    }
                    other.0 = NONE;
                }
            }
            #[expect(clippy::cast_possible_truncation, reason = "a router has at most 64 ports of 64 virtual channels")]
            let next = |local: u32| after(local, size) as u16;
            let given = &mut self.outputs[output as usize];
            given.owner = winner;
            given.turn = next(winner - base);
            let input = &mut self.inputs[winner as usize];
            input.out = output;
            input.turn = next(output - base);
            input.stage = Stage::Head;
            self.requesting.remove(winner);
            if given.credits > 0 {
                self.ready.insert(winner);
            }
            self.tell_grant(winner, output);
        }
        requests.clear();
        self.scratch.requests = requests;
    }

    /// The switch is granted to `vc` for `output` of `router`.
    // a call costs the cycle of most routers an instruction in a hundred
    #[inline(always)]
    pub(super) fn win(&mut self, router: u32, output: u32, vc: u32) {
        let ports = self.fabric.ports;
        let vcs = self.fabric.vcs;
        let out = (router << (self.fabric.stride_bits - self.fabric.vc_bits)) + output;
        #[expect(clippy::cast_possible_truncation, reason = "at most 64 ports, and 64 virtual channels a port")]
        let next = |at: u32, size: u32| after(at, size) as u8;
        // wasted or not, the turn passes
        self.turns[out as usize].input = next(self.fabric.port(vc), ports);
        if self.fabric.vc_bits > 0 || self.branches {
            let turns = &mut self.turns[(vc >> self.fabric.vc_bits) as usize];
            turns.output = next(output, ports);
            turns.vc = next(self.fabric.within(vc), vcs);
        }
        let given = self.inputs[vc as usize].out;
        let may = given != NONE && given >> self.fabric.vc_bits == out && self.outputs[given as usize].credits > 0;
        if may && self.leave(vc, given) {
            self.ready.remove(vc);
        }
    }

    /// A flit in front of input vc `vc` leaves by output vc `output`, or where runs are possible as many as have a
    /// credit; whether none can follow in the next cycle.
    // a call costs routers with several virtual channels five instructions in a hundred
    #[inline(always)]
    pub(super) fn leave(&mut self, vc: u32, output: u32) -> bool {
        let input = &mut self.inputs[vc as usize];
        let sent = &mut self.outputs[output as usize];
        let run = if self.runs { input.left.min(input.flits).min(sent.credits) } else { 1 };
        sent.credits -= run;
        sent.carried += overlap(&self.counted, self.now, run);
        input.flits -= run;
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
        if T::CLOSED && left == 0 && self.fabric.port(vc) >= self.fabric.local {
            // where slots can be used again at once, the source knows at once
            let number = self.packets[self.front(vc) as usize].number;
            let delay = u64::from(self.fabric.pace(up).delay);
            self.traffic.left(number, last + self.costs.timing.credit.min(1) + delay);
        }
        if left == 0 && down == NOWHERE {
            self.deliver(self.front(vc), output, last);
        }
        if run > 1 {
            self.inputs[vc as usize].stage = Stage::Runs;
            self.ended.push(last + 1, (vc, 1));
            return true;
        }
        if left == 0 {
            self.ready.remove(vc);
            self.free(vc, output, last + 1);
            return false; // it may be ready again
        }
        rests
    }

    /// A head flit has left input vc `vc` by output vc `output` for input vc `down`.
    fn head_leaves(&mut self, vc: u32, output: u32, down: u32) {
        let packet = self.front(vc);
        if T::CLOSED && self.interfaces.is_some() && self.fabric.port(vc) >= self.fabric.local {
            self.traffic.departed(self.packets[packet as usize].number, self.now);
        }
        self.inputs[vc as usize].stage = Stage::Body;
        #[expect(clippy::cast_possible_truncation, reason = "at most 64 ports")]
        let next = |port: u32| after(port, self.fabric.ports) as u8;
        self.turns[(output >> self.fabric.vc_bits) as usize].input = next(self.fabric.port(vc));
        if self.branches {
            self.turns[(vc >> self.fabric.vc_bits) as usize].output = next(self.fabric.port(output));
        }
        if !self.is_even {
            let passed = &mut self.packets[packet as usize].pace;
            *passed = self.fabric.pace(output).after(*passed);
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
        self.tell_freed(output, since);
        let mask = self.queue_mask();
        let input = &mut self.inputs[vc as usize];
        #[expect(clippy::cast_possible_truncation, reason = "a buffer holds fewer than 2^15 flits")]
        let first = ((u32::from(input.first) + 1) & mask) as u16;
        input.first = first;
        input.packets -= 1;
        input.out = NONE;
        input.stage = Stage::Idle;
        let more = input.flits > 0;
        if more {
            self.stand_in_front(vc, since);
        }
        self.wake(output);
    }
}
