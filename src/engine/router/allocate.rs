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
use super::machine::Machine;
use super::sets::BitSet;
use super::state::{NONE, Stage};
use super::turns::{Bid, SPECULATIVE, Turns, after, wait};

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
    pub(super) fn rank(&self, output: u32, vc: u32) -> u32 {
        let Turns { output: next, vc: next_vc, .. } = self.turns[(vc >> self.fabric.vc_bits) as usize];
        let vcs = self.fabric.vcs;
        wait(output, u32::from(next), self.fabric.ports) * vcs + wait(self.fabric.within(vc), u32::from(next_vc), vcs)
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
}
