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
//! # The order within a cycle of a word's routers
//!
//! ```text
//!   request_all   head flits request virtual channels; every one that is requested is granted to one of them. Without having had
//!                 one they bid for the switch: what no vc that is ready can win is settled at once, the rest is noted
//!   contended     of the vcs that are ready, those that share no port with another have their turn in any case
//!   settle        of those that share ports, each input port bids for one, and each output takes one bid; what head flits bid comes
//!                 after them
//!   send_word     all whose turn it is send a flit ([`super::words`])
//! ```
//!
//! Which vcs share a port is kept with each of them (`rivals`), as it changes only when a vc is granted or comes free. Bids of head
//! flits are made before virtual channels are granted: a head flit that speculates does not know yet whether it will have one, and
//! wastes the switch if it does not. Routers with one virtual channel a port are simpler ([`super::single`]); those whose vcs
//! fill several words compare bids one by one ([`super::bids`]).

use super::Traffic;
use super::machine::{Machine, WORD};
use super::request::Request;
use super::sets::BitSet;
use super::state::NONE;
use super::turns::{Bid, SPECULATIVE, Speculation};

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
        let contended = self.contended(word, tries);
        let is_settled = contended == 0 && self.scratch.speculations.is_empty();
        let sends = if is_settled { tries } else { self.settle(word, tries, contended) };
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

    /// Those of the input vcs `tries`, counted from word `word`, that share a port with another.
    #[inline(always)]
    fn contended(&self, word: u32, tries: u64) -> u64 {
        let inputs = &self.inputs.as_chunks::<WORD>().0[word as usize];
        let mut left = tries;
        let mut contended = 0;
        while left != 0 {
            let bit = left & left.wrapping_neg();
            let sharing = tries & inputs[bit.trailing_zeros() as usize % WORD].rivals;
            left &= !sharing;
            if sharing != bit {
                contended |= sharing;
            }
        }
        contended
    }

    /// The head flits in front of `requesting`, counted from word `word`, request vcs, which are granted. Those that have been given the
    /// switch, too, as they share no port with vcs in `ready`; what else they bid for it is noted.
    fn request_all(&mut self, word: u32, mut requesting: u64, ready: u64) -> u64 {
        let mut winners = 0;
        while requesting != 0 {
            let bit = requesting & requesting.wrapping_neg();
            let at = bit.trailing_zeros();
            let of_router = requesting & self.fabric.mask << (at & !self.fabric.mask_of_router);
            requesting ^= of_router;
            if of_router == bit {
                winners |= self.request_alone(word * 64 + at, ready);
                continue;
            }
            let clashing = self.clashing(word, of_router);
            if clashing != 0 {
                self.request_several(word, clashing, ready);
            }
            for vc in BitSet::of(word, of_router & !clashing) {
                winners |= self.request_alone(vc, ready);
            }
        }
        winners
    }

    /// Of the head flits in front of `heads`, counted from word `word`, which are those of a router, those that share an input port or
    /// may want an output port that another wants.
    fn clashing(&self, word: u32, heads: u64) -> u64 {
        if self.branches {
            return heads;
        }
        let mut clashing = 0;
        for vc in BitSet::of(word, heads) {
            let later = heads & !(2_u64 << (vc % 64)).wrapping_sub(1);
            for other in BitSet::of(word, later) {
                let shares_input = self.fabric.first_of_port(vc) == self.fabric.first_of_port(other);
                if shares_input || self.wanted[vc as usize].port == self.wanted[other as usize].port {
                    clashing |= 1 << (vc % 64) | 1 << (other % 64);
                }
            }
        }
        clashing
    }

    /// The same for the head flits in front of `heads`, which are all of a router that clash.
    fn request_several(&mut self, word: u32, mut heads: u64, ready: u64) {
        let speculated = self.scratch.speculations.len();
        while heads != 0 {
            let of_port = self.fabric.same_port(heads.trailing_zeros());
            let mut bid = None;
            for vc in BitSet::of(word, heads & of_port) {
                bid = self.request_vc(vc, bid);
            }
            heads &= !of_port;
            // what comes after all that have a vc has lost if there is one at its port
            if let Some(bid) = bid.filter(|_| ready & of_port == 0) {
                self.scratch.speculations.push(Speculation { bid, rivals: 0 });
            }
        }
        self.grant_vcs();
        for at in speculated..self.scratch.speculations.len() {
            let port = self.port_bid_for(self.scratch.speculations[at].bid);
            self.scratch.speculations[at].rivals = ready & self.owners[port];
        }
    }

    /// The same for the head flit in front of `vc`, which clashes with none of its router: its bit, if it has been given the switch, too, and can use it.
    fn request_alone(&mut self, vc: u32, ready: u64) -> u64 {
        let bid = if self.branches {
            let bid = self.request_vc(vc, None);
            self.grant_vcs();
            bid
        } else {
            self.request_at_once(vc)
        };
        // what comes after all that have a vc has lost if there is one at its port
        let Some(bid) = bid.filter(|_| ready & self.fabric.same_port(vc % 64) == 0) else { return 0 };
        let rivals = ready & self.owners[self.port_bid_for(bid)];
        if rivals != 0 {
            self.scratch.speculations.push(Speculation { bid, rivals });
            return 0;
        }
        if self.uses_switch(vc, bid.output) { 1 << (vc % 64) } else { 0 }
    }

    /// The head flit in front of `vc`, which clashes with none of its router, is granted the first free vc of its only choice. Its bid for the
    /// switch.
    #[inline]
    fn request_at_once(&mut self, vc: u32) -> Option<Bid> {
        let choice = self.wanted[vc as usize];
        let Request { output, can_send } = self.request_one(vc, choice);
        if output == NONE {
            self.park(vc, choice.port);
            return None;
        }
        self.grant_in_turn(vc, output);
        let bids = can_send && self.costs.speculative && !self.is_busy(output);
        // no other bid of its port is compared with it
        bids.then_some(Bid { rank: SPECULATIVE, vc, output: choice.port.into() })
    }

    /// The number among all ports of the output port that is bid for.
    #[inline]
    fn port_bid_for(&self, bid: Bid) -> usize {
        let ports_bits = self.fabric.stride_bits - self.fabric.vc_bits;
        ((bid.vc >> self.fabric.stride_bits << ports_bits) + bid.output) as usize
    }

    /// Of the input vcs `tries`, counted from word `word`, of which those in `contended` share ports with others, and of head flits that
    /// have bid without a vc, all whose turn it is.
    fn settle(&mut self, word: u32, tries: u64, contended: u64) -> u64 {
        let bids = self.bids_of_ports(word, contended);
        let sends = tries & !contended | self.winners(word, bids);
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

    /// Of several input vcs of a port the one whose turn it is, as a bit.
    fn bid_of_port(&self, word: u32, of_port: u64) -> u64 {
        let rank = |&vc: &u32| self.rank(self.fabric.port(self.inputs[vc as usize].out), vc);
        BitSet::of(word, of_port).min_by_key(rank).map_or(0, |vc| 1 << (vc % 64))
    }

    /// Of the input vcs `bids`, counted from word `word`, one of each port, those whose turn it is at the outputs that they bid for.
    fn winners(&self, word: u32, bids: u64) -> u64 {
        let mut left = bids;
        let mut winners = 0;
        while left != 0 {
            let vc = word * 64 + left.trailing_zeros();
            let output = self.inputs[vc as usize].out;
            let for_same = bids & self.owners[(output >> self.fabric.vc_bits) as usize];
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

    /// Whether the head flit in front of `vc`, which has been given the switch for `output`, has been granted a vc there and can send.
    /// The switch is wasted if not, and the turn passes all the same.
    #[inline]
    fn uses_switch(&mut self, vc: u32, output: u32) -> bool {
        let given = self.inputs[vc as usize].out;
        let is_used = given != NONE && self.fabric.port(given) == output && self.outputs[given as usize].credits > 0;
        if !is_used {
            self.pass_turns(vc, self.fabric.vc(self.fabric.router(vc), output));
        }
        is_used
    }
}
