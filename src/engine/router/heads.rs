//! Head flits of routers with all vcs in one word: they are granted virtual channels, and bid for the switch without knowing so.
//!
//! Those that clash with none of their router are granted theirs one by one, at once; of the others every vc that is requested
//! is granted to one of them. Refuses to know who wins the switch of those that bid for it.

use super::Traffic;
use super::machine::{Machine, WORD};
use super::sets::BitSet;
use super::state::Stage;
use super::turns::{Bid, SPECULATIVE, Speculation, after, first_of};

/// What a head flit has been given at once.
#[derive(Clone, Copy)]
struct Given {
    output: u32,
    has_credit: bool,
    /// The input vcs that had other vcs of its port before.
    others: u64,
}

impl<T: Traffic> Machine<'_, T> {
    /// The head flits in front of `requesting`, counted from word `word`, request vcs, which are granted. Those that have been
    /// given the switch, too, as they share no port with vcs in `ready`; what else they bid for it is noted.
    // a call costs routers with several virtual channels two instructions in a hundred
    #[inline(always)]
    pub(super) fn request_all(&mut self, word: u32, mut requesting: u64, ready: u64) -> u64 {
        let mut winners = 0;
        while requesting != 0 {
            let bit = requesting & requesting.wrapping_neg();
            let at = bit.trailing_zeros();
            let of_router = requesting & self.fabric.mask << (at & !self.fabric.mask_of_router);
            requesting ^= of_router;
            winners |= if of_router != bit {
                self.request_together(word, of_router, ready)
            } else if self.branches {
                self.request_branching(word * 64 + at, ready)
            } else {
                self.request_at_once(word * 64 + at, ready)
            };
        }
        winners
    }

    /// The same for the head flits in front of `heads`, which are those of a router.
    #[inline(never)]
    fn request_together(&mut self, word: u32, heads: u64, ready: u64) -> u64 {
        let clashing = self.clashing(word, heads);
        if clashing != 0 {
            self.request_several(word, clashing, ready);
        }
        // only where they have one way to go
        BitSet::of(word, heads & !clashing).fold(0, |winners, vc| winners | self.request_at_once(vc, ready))
    }

    /// Of the head flits in front of `heads`, counted from word `word`, which are those of a router, those that share an input
    /// port or may want an output port that another wants.
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
            let port = self.scratch.speculations[at].bid.port(&self.fabric) as usize;
            self.scratch.speculations[at].rivals = ready & self.outputs[port].owners;
        }
    }

    /// The same for the head flit in front of `vc`, which clashes with none of its router and may have several ways to go: its
    /// bit, if it has been given the switch, too, and can use it.
    fn request_branching(&mut self, vc: u32, ready: u64) -> u64 {
        // what comes after all that have a vc has lost if there is one at its port
        let may_bid = ready & self.fabric.same_port(vc % 64) == 0;
        let bid = if self.wishes.is_empty() {
            let bid = self.request_vc(vc, None);
            self.grant_vcs();
            bid
        } else {
            self.grant_wished(vc, may_bid && self.costs.speculative)
        };
        let Some(bid) = bid.filter(|_| may_bid) else { return 0 };
        let rivals = ready & self.outputs[bid.port(&self.fabric) as usize].owners;
        if rivals != 0 {
            self.scratch.speculations.push(Speculation { bid, rivals });
            return 0;
        }
        if self.uses_switch(vc, bid.output) { 1 << (vc % 64) } else { 0 }
    }

    /// The head flit in front of `vc`, which clashes with none of its router, is granted the first free vc of its only choice:
    /// its bit, if it has been given the switch, too, and can use it.
    #[inline(always)]
    fn request_at_once(&mut self, vc: u32, ready: u64) -> u64 {
        let choice = self.wanted[vc as usize];
        let first = self.fabric.first_of_router(vc) % 64;
        let port = first + (u32::from(choice.port) << self.fabric.vc_bits);
        let free = self.free_in_word(vc / 64, port, choice);
        if free == 0 {
            self.park(vc, choice.port);
            return 0;
        }
        let given = self.grant_at_once(vc, port, free);
        // what comes after all that have a vc has lost if there is one at its port
        let shares_input = ready & self.fabric.same_port(vc % 64) != 0;
        if !self.costs.speculative || shares_input || self.is_busy(given.output) {
            return 0;
        }
        if given.has_credit && given.others & ready == 0 {
            return 1 << (vc % 64);
        }
        self.bid_late(vc, given, free, ready)
    }

    /// The head flit in front of `vc` is granted one of the output vcs `free` of its word, that whose turn it is; their port
    /// has its first vc there as number `port`.
    #[inline(always)]
    fn grant_at_once(&mut self, vc: u32, port: u32, free: u64) -> Given {
        let word = vc as usize / WORD;
        let bit = 1_u64 << (vc % 64);
        let first = self.fabric.first_of_router(vc) % 64;
        let size = self.fabric.ports << self.fabric.vc_bits;
        #[expect(clippy::cast_possible_truncation, reason = "numbers within a word")]
        let next = |local: u32| after(local, size) as u16;
        let inputs = &mut self.inputs.as_chunks_mut::<WORD>().0[word];
        let outputs = &mut self.outputs.as_chunks_mut::<WORD>().0[word];
        let owners = &mut outputs[port as usize % WORD].owners;
        let others = *owners;
        *owners |= bit;
        let input = &mut inputs[vc as usize % WORD];
        let out = first_of(free, free & u64::MAX << (first + u32::from(input.turn)));
        let output = vc / 64 * 64 + out;
        input.turn = next(out - first);
        input.out = output;
        input.stage = Stage::Head;
        input.rivals |= others | bit;
        let given = &mut outputs[out as usize % WORD];
        given.turn = next(vc % 64 - first);
        given.owner = vc;
        let has_credit = given.credits > 0;
        let mut left = others;
        while left != 0 {
            inputs[left.trailing_zeros() as usize % WORD].rivals |= bit;
            left &= left - 1;
        }
        self.unowned.words[word] &= !(1 << out);
        self.requesting.words[word] &= !bit;
        if has_credit {
            self.ready.words[word] |= bit;
        }
        self.tell_grant(vc, output);
        Given { output, has_credit, others }
    }

    /// Bids for the switch on behalf of the head flit in front of `vc`, which has been `given` one of the output vcs `free`
    /// without a credit, or at a port by which some of `ready` can send: its bit, if it wins and can use it.
    #[cold]
    fn bid_late(&mut self, vc: u32, given: Given, free: u64, ready: u64) -> u64 {
        let has_credit = |output: u32| self.outputs[output as usize].credits > 0;
        let can_send = given.has_credit || BitSet::of(vc / 64, free).any(has_credit);
        if !can_send {
            return 0;
        }
        // no other bid of its port is compared with it
        let bid = Bid { rank: SPECULATIVE, vc, output: self.fabric.port(given.output) };
        let rivals = given.others & ready;
        if rivals != 0 {
            self.scratch.speculations.push(Speculation { bid, rivals });
            return 0;
        }
        if self.uses_switch(vc, bid.output) { 1 << (vc % 64) } else { 0 }
    }
}
