//! A cycle of routers with one virtual channel a port, where head flits have one way to go.
//!
//! Then the switch has no choice to make: the input vc that owns the output's vc has the output. Head flits look first, and every
//! owner sends, a run of flits where runs are possible. Refuses to know routers where several vcs share a port.

use super::Traffic;
use super::machine::{Machine, WORD};
use super::sets::BitSet;
use super::state::Stage;
use super::turns::{after, first_of};
use super::word::Numbers;

impl<T: Traffic> Machine<'_, T> {
    /// One cycle of the routers that have vcs in word `word` of those that try to send.
    #[inline]
    pub(super) fn allocate_single(&mut self, word: u32) {
        let all = self.ready.words[word as usize];
        let ready = if self.is_even { all } else { self.without_busy(word, all) };
        let requesting = self.requesting.words[word as usize];
        if requesting != 0 {
            // head flits look before anything comes free
            self.request_ports(word, requesting);
        }
        self.stream(word, ready);
    }

    /// A flit, or a run of them, leaves from each of the input vcs `ready`, counted from word `word`.
    fn stream(&mut self, word: u32, mut ready: u64) {
        // vcs that cannot send in the next cycle, gathered so that the word is written once
        let mut resting = 0;
        while ready != 0 {
            let at = ready.trailing_zeros();
            ready &= ready - 1;
            let vc = word * 64 + at;
            let output = self.inputs[vc as usize].out;
            if self.leave(vc, output) {
                resting |= 1 << at;
            }
        }
        self.ready.words[word as usize] &= !resting;
    }

    /// The head flits in front of `requesting`, counted from word `word`, request outputs, which are granted.
    pub(super) fn request_ports(&mut self, word: u32, mut requesting: u64) {
        while requesting != 0 {
            let bit = requesting & requesting.wrapping_neg();
            let at = bit.trailing_zeros();
            let of_router = requesting & self.fabric.mask << (at & !self.fabric.mask_of_router);
            let rivals = if of_router == bit { bit } else { self.wanting_same(word * 64 + at, of_router) };
            requesting &= !rivals;
            if rivals == bit {
                self.request_port(word * 64 + at);
            } else {
                self.request_same(word, rivals);
            }
        }
    }

    /// Of the head flits in front of `heads`, as a word, which are those of a router, those that want the output that the one in front
    /// of `vc` wants.
    fn wanting_same(&self, vc: u32, heads: u64) -> u64 {
        let port = self.wanted[vc as usize].port;
        let same = BitSet::of(vc / 64, heads).filter(|&other| self.wanted[other as usize].port == port);
        same.fold(0, |same, other| same | 1 << (other % 64))
    }

    /// The output that the head flit in front of `vc` wants.
    #[inline]
    fn wanted_output(&self, vc: u32) -> u32 {
        self.fabric.first_of_router(vc) + u32::from(self.wanted[vc as usize].port)
    }

    /// The output that the head flit in front of `vc` wants is granted to it if it is free, and the head flit leaves if it can.
    #[inline]
    fn request_port(&mut self, vc: u32) {
        let choice = self.wanted[vc as usize];
        let output = self.wanted_output(vc);
        if !self.is_free(output, choice) {
            return self.park(vc, choice.port);
        }
        self.grant_port(vc, output);
        if self.outputs[output as usize].credits > 0 {
            let leaves = self.costs.speculative && !self.is_busy(output);
            if !(leaves && self.leave(vc, output)) {
                self.ready.insert(vc);
            }
        }
    }

    /// The head flits in front of `heads`, counted from word `word`, want the same output. Of those one is granted it, and one is given
    /// the switch, in turns of their own: the switch is wasted if these are two.
    #[cold]
    fn request_same(&mut self, word: u32, heads: u64) {
        let first = word * 64 + heads.trailing_zeros();
        let output = self.wanted_output(first);
        if !self.is_free(output, self.wanted[first as usize]) {
            return BitSet::of(word, heads).for_each(|vc| self.park(vc, self.wanted[vc as usize].port));
        }
        let turn = self.fabric.first_of_router(first) % 64 + u32::from(self.outputs[output as usize].turn);
        let winner = word * 64 + first_of(heads, heads & u64::MAX << turn);
        self.grant_port(winner, output);
        if self.outputs[output as usize].credits == 0 {
            return;
        }
        self.ready.insert(winner);
        if !self.costs.speculative || self.is_busy(output) {
            return;
        }
        let numbers = Numbers::of(&self.fabric);
        let given = self.vcs_of_word(&numbers, word).first_in_turn(output as usize % WORD, heads);
        let given = word * 64 + given.trailing_zeros();
        if given != winner {
            self.pass_turn_of_output(given, output);
        } else if self.leave(winner, output) {
            self.ready.remove(winner);
        }
    }

    /// Output `output` is granted to the head flit in front of `vc`, and the turn passes.
    #[inline(always)]
    fn grant_port(&mut self, vc: u32, output: u32) {
        let given = &mut self.outputs[output as usize];
        given.owner = vc;
        #[expect(clippy::cast_possible_truncation, reason = "a router has at most 64 ports")]
        let next = after(vc & self.fabric.mask_of_router, self.fabric.ports) as u16;
        given.turn = next;
        let input = &mut self.inputs[vc as usize];
        input.out = output;
        input.stage = Stage::Head;
        self.requesting.remove(vc);
        self.tell_grant(vc, output);
    }
}
