//! Bids for the switch, one compared with the other: where the vcs of a router fill several words.
//!
//! ```text
//!   for each input port:  bid        of its vcs that are ready, and of head flits that speculate, the one whose turn it is
//!                         contend    the bid takes its output port unless a bid is there whose turn is sooner
//!   then                  grant_vcs  every output vc that is requested is granted to one request
//!   for each output port: win        the bid that has taken it sends its flit, if it has a vc there with a credit
//! ```
//!
//! Routers whose vcs are in one word do the same by sets ([`super::allocate`]).

use super::Traffic;
use super::machine::Machine;
use super::sets::BitSet;
use super::state::{NONE, Stage};
use super::turns::{Bid, SPECULATIVE, wait};

impl<T: Traffic> Machine<'_, T> {
    /// One cycle of `router`, whose vcs fill several words.
    pub(super) fn allocate_wide(&mut self, router: u32) {
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
        self.grant_vcs();
        self.win_all(outputs);
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
        let turn = self.turn_of_output(self.fabric.vc(self.fabric.router(bid.vc), output));
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

    /// The switch is granted at each of `outputs` to the bid that has taken it.
    fn win_all(&mut self, outputs: u64) {
        for output in BitSet::of(0, outputs) {
            let vc = self.take_bid(output);
            self.win(output, vc);
        }
    }

    /// The input vc that `output` has been taken by in this cycle of its router.
    #[inline]
    pub(super) fn take_bid(&mut self, output: u32) -> u32 {
        std::mem::replace(&mut self.scratch.taken[output as usize].vc, NONE)
    }

    /// The switch is granted to `vc` for `output` of its router.
    pub(super) fn win(&mut self, output: u32, vc: u32) {
        let out = self.fabric.vc(self.fabric.router(vc), output);
        // wasted or not, the turn passes
        self.pass_turns(vc, out);
        let given = self.inputs[vc as usize].out;
        let may = given != NONE
            && given >> self.fabric.vc_bits == out >> self.fabric.vc_bits
            && self.outputs[given as usize].credits > 0;
        if may && self.leave(vc, given) {
            self.ready.remove(vc);
        }
    }
}
