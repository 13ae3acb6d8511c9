//! A router's cycle: virtual channels are granted to head flits, the switch to virtual channels, and flits leave.
//!
//! Round robin means: of all requests, the first at or after the one whose turn it is; the turn then passes to the one
//! after it. A turn passes only when what was requested is granted.
//!
//! # Numbers and sets
//!
//! A vc has a number from which shifts take its router and port ([`super::fabric::Fabric`]); a mesh with two virtual channels
//! has five ports, so 16 numbers a router, of which 10 are used:
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
//! # The order within a cycle of a word's routers
//!
//! ```text
//!   request_all   head flits request virtual channels; every one that is requested is granted to one of them. Without having had
//!                 one they bid for the switch: what no vc that is ready can win is settled at once, the rest is noted
//!   settle_pairs  of the vcs that are ready, those that share no port with another have their turn in any case, and of two that
//!                 share ports with no third, one has
//!   settle        of those that share ports with more, each input port bids for one, and each output takes one bid; what head
//!                 flits bid comes after them
//!   send_word     all whose turn it is send a flit ([`super::words`])
//! ```
//!
//! Which vcs share a port is kept with each of them (`rivals`), as it changes only when a vc is granted or comes free. Bids of
//! head flits are made before virtual channels are granted: a head flit that speculates does not know yet whether it will have
//! one, and wastes the switch if it does not. Head flits are in [`super::heads`]. Routers with one virtual channel a port are
//! simpler ([`super::single`]); those whose vcs fill several words compare bids one by one ([`super::bids`]).

use super::Traffic;
use super::fabric::Fabric;
use super::machine::{Machine, WORD};
use super::sets::BitSet;
use super::state::{Input, NONE};
use super::turns::{Bid, Speculation, first_of};
use super::words::{Inputs, Outputs};

/// Of the input vcs of a word that try to send.
#[derive(Clone, Copy)]
struct Settled {
    /// Those whose turn it is.
    sends: u64,
    /// Those of which that is not known yet.
    contended: u64,
}

/// Of the two input vcs of `pair` of a word, which share a port, the one whose turn it is.
#[inline(always)]
fn first_of_pair(fabric: &Fabric, inputs: &Inputs, outputs: &Outputs, pair: u64) -> usize {
    let within = fabric.mask_within as usize;
    let of_router = fabric.mask_of_router as usize;
    let at = pair.trailing_zeros() as usize % WORD;
    let other = (pair & (pair - 1)).trailing_zeros() as usize % WORD;
    let by = inputs[at].out as usize;
    let by_other = inputs[other].out as usize;
    let share_input = (at ^ other) & !within == 0;
    if !share_input {
        let last = outputs[by & !within & (WORD - 1)].turn_of;
        return first_behind(pair, at & !of_router | usize::from(last) & of_router | within);
    }
    let Input { turn_of, turn_by, .. } = inputs[at & !within];
    let share_output = (by ^ by_other) & !within == 0;
    if share_output {
        return first_behind(pair, at & !within | usize::from(turn_of) & within);
    }
    let last = usize::from(turn_by) & of_router | within;
    let passed = by & of_router <= last;
    let other_passed = by_other & of_router <= last;
    let is_first = if passed == other_passed { by < by_other } else { other_passed };
    if is_first { at } else { other }
}

/// Of `bits` of a word, the first behind bit `last`; the first of all if there is none.
#[inline(always)]
fn first_behind(bits: u64, last: usize) -> usize {
    first_of(bits, bits & !(2_u64 << last).wrapping_sub(1)) as usize % WORD
}

impl<T: Traffic> Machine<'_, T> {
    /// One cycle of the routers that have vcs in word `word` of those that try to send.
    // a call costs the cycle of most routers an instruction in a hundred
    #[inline(always)]
    pub(super) fn allocate_word(&mut self, word: u32) {
        let stride_bits = self.fabric.stride_bits;
        if stride_bits >= 6 {
            // the first of a router's words that is active does the cycle of all of them
            let router = word >> (stride_bits - 6);
            if std::mem::replace(&mut self.scratch.last, (router, self.now)) != (router, self.now) {
                self.allocate_wide(router);
            }
        } else if self.fabric.vc_bits == 0 && !self.branches {
            self.allocate_single(word);
        } else {
            self.allocate_narrow(word);
        }
        if self.ready.words[word as usize] | self.requesting.words[word as usize] == 0 {
            self.active.remove(word);
        }
    }

    /// The same of routers of which each has its vcs in one word.
    // a call costs the cycle of most routers an instruction in a hundred
    #[inline(always)]
    fn allocate_narrow(&mut self, word: u32) {
        let all = self.ready.words[word as usize];
        let ready = if self.is_even { all } else { self.without_busy(word, all) };
        let requesting = self.requesting.words[word as usize];
        // head flits look before anything comes free
        let heads = if requesting == 0 { 0 } else { self.request_all(word, requesting, ready) };
        let tries = ready | heads;
        let Settled { sends, contended } = self.settle_pairs(word, tries);
        let is_settled = contended == 0 && self.scratch.speculations.is_empty();
        let sends = if is_settled { sends } else { self.settle(word, sends, contended) };
        if self.one_by_one {
            self.send_word(word, sends);
        } else {
            self.send_each(word, sends);
        }
    }

    /// Those of the input vcs `ready`, counted from word `word`, whose channels are not taken up by a flit.
    #[cold]
    pub(super) fn without_busy(&self, word: u32, ready: u64) -> u64 {
        let busy = BitSet::of(word, ready).filter(|&vc| self.is_busy(self.inputs[vc as usize].out));
        busy.fold(ready, |ready, vc| ready & !(1 << (vc % 64)))
    }

    /// A flit leaves from each of the input vcs `sends`, counted from word `word`, where channels differ in what they take.
    fn send_each(&mut self, word: u32, sends: u64) {
        for vc in BitSet::of(word, sends) {
            let output = self.inputs[vc as usize].out;
            self.pass_turns(vc, output);
            if self.leave(vc, output) {
                self.ready.remove(vc);
            }
        }
    }

    /// Of the input vcs `tries`, counted from word `word`, those whose turn it is as they share ports with none, or with a
    /// single other that comes after them.
    #[inline(always)]
    fn settle_pairs(&self, word: u32, tries: u64) -> Settled {
        let inputs = &self.inputs.as_chunks::<WORD>().0[word as usize];
        let outputs = &self.outputs.as_chunks::<WORD>().0[word as usize];
        let mut left = tries;
        let mut waits = 0;
        let mut contended = 0;
        while left != 0 {
            let bit = left & left.wrapping_neg();
            let sharing = tries & inputs[bit.trailing_zeros() as usize % WORD].rivals;
            left &= !sharing;
            if sharing == bit {
                continue;
            }
            let other = sharing ^ bit;
            let rivals_of_other = inputs[other.trailing_zeros() as usize % WORD].rivals;
            if other.is_power_of_two() && tries & rivals_of_other == sharing {
                waits |= sharing ^ 1 << first_of_pair(&self.fabric, inputs, outputs, sharing);
            } else {
                contended |= sharing;
            }
        }
        Settled { sends: tries & !(waits | contended), contended }
    }

    /// The first vc of the output port that is bid for.
    #[inline]
    pub(super) fn port_bid_for(&self, bid: Bid) -> usize {
        (self.fabric.first_of_router(bid.vc) + (bid.output << self.fabric.vc_bits)) as usize
    }

    /// The input vcs `sends`, counted from word `word`, and of those in `contended`, which share ports with others, and of
    /// head flits that have bid without a vc, all whose turn it is.
    fn settle(&mut self, word: u32, sends: u64, contended: u64) -> u64 {
        let bids = self.bids_of_ports(word, contended);
        let sends = sends | self.winners(word, bids);
        if self.scratch.speculations.is_empty() { sends } else { sends | self.settle_speculations(word, sends) }
    }

    /// Every input port of which some of `vcs`, counted from word `word`, try to send bids for one of them: those.
    fn bids_of_ports(&self, word: u32, vcs: u64) -> u64 {
        let mut left = vcs;
        let mut bids = 0;
        while left != 0 {
            let of_port = vcs & self.fabric.same_port(left.trailing_zeros());
            left &= !of_port;
            bids |= if of_port.is_power_of_two() { of_port } else { self.bid_of_port(word, of_port) };
        }
        bids
    }

    /// Of several input vcs of a port the one whose turn it is, as a bit: of those by the output whose turn it is.
    fn bid_of_port(&self, word: u32, of_port: u64) -> u64 {
        let inputs = &self.inputs.as_chunks::<WORD>().0[word as usize];
        let outputs = &self.outputs.as_chunks::<WORD>().0[word as usize];
        let within = self.fabric.mask_within as usize;
        let of_router = self.fabric.mask_of_router as usize;
        let mut by = 0;
        let mut left = of_port;
        while left != 0 {
            by |= 1 << (inputs[left.trailing_zeros() as usize % WORD].out % 64);
            left &= left - 1;
        }
        let first = of_port.trailing_zeros() as usize & !within;
        let Input { turn_of, turn_by, .. } = inputs[first % WORD];
        let next = first_behind(by, first & !of_router | usize::from(turn_by) & of_router | within);
        let same = of_port & outputs[next & !within].owners;
        1 << first_behind(same, first | usize::from(turn_of) & within)
    }

    /// Of the input vcs `bids`, counted from word `word`, one of each port, those whose turn it is at the outputs that they
    /// bid for.
    fn winners(&self, word: u32, bids: u64) -> u64 {
        let mut left = bids;
        let mut winners = 0;
        while left != 0 {
            let vc = word * 64 + left.trailing_zeros();
            let output = self.inputs[vc as usize].out;
            let for_same = bids & self.outputs[self.fabric.first_of_port(output)].owners;
            left &= !for_same;
            winners |= if for_same.is_power_of_two() { for_same } else { self.first_in_turn(output, for_same) };
        }
        winners
    }

    /// Of head flits that have bid without a vc, those that are given the switch and can use it, when `sent` have a flit to send.
    fn settle_speculations(&mut self, word: u32, sent: u64) -> u64 {
        let mut speculations = std::mem::take(&mut self.scratch.speculations);
        // an output by which a vc sends is taken
        speculations.retain(|speculation| speculation.rivals & sent == 0);
        let mut settled = 0;
        let mut winners = 0;
        for Speculation { bid, .. } in &speculations {
            if settled & 1 << (bid.vc % 64) != 0 {
                continue;
            }
            let port = self.port_bid_for(*bid);
            let same = speculations.iter().filter(|other| self.port_bid_for(other.bid) == port);
            let bids = same.fold(0, |bids, other| bids | 1 << (other.bid.vc % 64));
            settled |= bids;
            let output = self.fabric.vc(self.fabric.router(bid.vc), bid.output);
            let winner = self.first_in_turn(output, bids);
            if self.uses_switch(word * 64 + winner.trailing_zeros(), bid.output) {
                winners |= winner;
            }
        }
        speculations.clear();
        self.scratch.speculations = speculations;
        winners
    }

    /// Whether the head flit in front of `vc`, which has been given the switch for `output`, has been granted a vc there and
    /// can send. The switch is wasted if not, and the turn passes all the same.
    #[inline]
    pub(super) fn uses_switch(&mut self, vc: u32, output: u32) -> bool {
        let given = self.inputs[vc as usize].out;
        let is_used = given != NONE && self.fabric.port(given) == output && self.outputs[given as usize].credits > 0;
        if !is_used {
            self.pass_turns(vc, self.fabric.vc(self.fabric.router(vc), output));
        }
        is_used
    }
}
