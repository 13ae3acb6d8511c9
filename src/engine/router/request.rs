//! Head flits request virtual channels, wait for them, and are granted them, round robin.
//!
//! Refuses to know which way a packet may go ([`super::ways`]), and who is given the switch.

use super::Traffic;
use super::machine::Machine;
use super::sets::BitSet;
use super::state::{NONE, Stage};
use crate::routing::relation::Choice;

impl<T: Traffic> Machine<'_, T> {
    /// The head flit in front of `vc` requests a vc from this cycle on.
    pub(super) fn request(&mut self, vc: u32) {
        self.inputs[vc as usize].stage = Stage::Requests;
        if self.requesting.insert(vc) {
            self.active.insert(vc / 64);
        }
    }

    /// A vc of the port of output vc `output` has come free: head flits that wait for it request again.
    #[inline]
    pub(super) fn wake(&mut self, output: u32) {
        let port = (output >> self.fabric.vc_bits) as usize;
        if self.fabric.words > 1 {
            self.wake_wide(output, port);
        } else if self.waiting[port] != 0 {
            let waiting = std::mem::take(&mut self.waiting[port]);
            self.wake_vcs(output, 0, waiting);
        }
    }

    /// The same of output port `port` of a router whose vcs fill several words.
    fn wake_wide(&mut self, output: u32, port: usize) {
        let words = self.fabric.words as usize;
        for word in 0..words {
            let waiting = std::mem::take(&mut self.waiting[port * words + word]);
            if waiting != 0 {
                self.wake_vcs(output, word, waiting);
            }
        }
    }

    /// The head flits in front of `vcs`, counted from word `word` of the router of `output`, request again.
    fn wake_vcs(&mut self, output: u32, word: usize, vcs: u64) {
        let first = self.fabric.router(output) << self.fabric.stride_bits;
        let at = first as usize / 64 + word;
        let vcs = vcs << (first % 64);
        #[expect(clippy::cast_possible_truncation, reason = "virtual channels are numbered with 32 bits")]
        let at = at as u32;
        if self.branches {
            for vc in BitSet::of(at, vcs) {
                if self.inputs[vc as usize].stage == Stage::Requests {
                    self.request(vc);
                }
            }
        } else {
            self.requesting.words[at as usize] |= vcs;
            self.active.insert(at);
        }
    }

    /// The head flit in front of `vc` waits until a vc of `port` of its router comes free.
    #[inline]
    pub(super) fn park(&mut self, vc: u32, port: u8) {
        let local = vc & self.fabric.mask_of_router;
        let out = self.fabric.vc(self.fabric.router(vc), port.into()) >> self.fabric.vc_bits;
        self.waiting[(out * self.fabric.words + local / 64) as usize] |= 1 << (local % 64);
        self.requesting.remove(vc);
    }

    /// The output vcs of `choice` at the router of `vc`.
    pub(super) fn vcs_of(&self, vc: u32, choice: Choice) -> std::ops::Range<u32> {
        let first = self.fabric.vc(self.fabric.router(vc), u32::from(choice.port));
        first + u32::from(choice.first)..first + u32::from(choice.last) + 1
    }

    /// Packets that share the link of output vc `output`, if packets choose among links off a lattice.
    pub(super) fn sharing(&self, output: u32) -> u32 {
        if !self.adaptive || self.routes.lattice().is_some() || self.fabric.port(output) >= self.fabric.local {
            return 0;
        }
        let first = output & !self.fabric.mask_within;
        (first..first + self.fabric.vcs).map(|vc| u32::from(self.outputs[vc as usize].owner != NONE)).sum()
    }

    #[inline]
    pub(super) fn is_free(&self, output: u32, choice: Choice) -> bool {
        let vc = &self.outputs[output as usize];
        vc.owner == NONE && (!(self.costs.atomic || choice.empty) || vc.credits == self.fabric.buffer(output))
    }

    /// Output vc `output` is granted to the head flit in front of `vc`.
    #[inline]
    pub(super) fn grant(&mut self, vc: u32, output: u32) {
        let given = &mut self.outputs[output as usize];
        given.owner = vc;
        let has_credit = given.credits > 0;
        let input = &mut self.inputs[vc as usize];
        input.out = output;
        input.stage = Stage::Head;
        self.requesting.remove(vc);
        if has_credit {
            self.ready.insert(vc);
        }
        if self.owned {
            self.own(vc, output);
        }
        self.tell_grant(vc, output);
    }

    /// Input vc `vc` becomes a rival of all that have a vc of the port of `output`.
    #[inline]
    fn own(&mut self, vc: u32, output: u32) {
        let owners = &mut self.outputs[self.fabric.first_of_port(output)].owners;
        let before = *owners;
        *owners |= 1 << (vc % 64);
        self.inputs[vc as usize].rivals |= *owners;
        for other in BitSet::of(vc / 64, before) {
            self.inputs[other as usize].rivals |= 1 << (vc % 64);
        }
    }

    /// Input vc `vc` is no rival any more of those that have a vc of the port of `output`, but of those of its own port.
    #[inline]
    pub(super) fn disown(&mut self, vc: u32, output: u32) {
        let owners = &mut self.outputs[self.fabric.first_of_port(output)].owners;
        *owners &= !(1 << (vc % 64));
        let of_port = self.fabric.same_port(vc % 64);
        self.inputs[vc as usize].rivals = of_port;
        for other in BitSet::of(vc / 64, *owners & !of_port) {
            self.inputs[other as usize].rivals &= !(1 << (vc % 64));
        }
    }
}
