//! Bids for the switch, one compared with the other: where the vcs of a router fill several words.
//!
//! ```text
//!   for each input port:  bid        of its vcs that are ready, the one whose turn it is
//!                         contend    the bid takes its output port unless a bid is there whose turn is sooner
//!   for each output port: win        the bid that has taken it sends its flit
//! ```
//!
//! Routers whose vcs are in one word do the same by sets ([`super::word`]).

use super::Traffic;
use super::machine::Machine;
use super::state::NONE;
use super::turns::{Bid, wait};

impl<T: Traffic> Machine<'_, T> {
    /// The bid of an input port with what `vc` requests, if it is its turn sooner than `best`.
    #[inline]
    pub(super) fn bid(&mut self, vc: u32, best: Option<Bid>) -> Option<Bid> {
        let input = &self.inputs[vc as usize];
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
        let rank = wait(self.fabric.port(bid.vc), turn, self.fabric.ports);
        // what another router has left there counts as free: clearing the list for each would cost more
        let taken = &mut self.scratch.taken[output as usize % 64];
        let router = bid.vc >> self.fabric.stride_bits;
        let free = taken.vc == NONE || taken.vc >> self.fabric.stride_bits != router;
        if free || rank < taken.rank {
            *taken = Bid { rank, ..bid };
        }
        1 << output
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
