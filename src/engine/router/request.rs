//! Head flits request virtual channels, wait for them, and are granted them, round robin.
//!
//! Refuses to know which way a packet may go ([`super::ways`]), and who is given the switch.

use super::Traffic;
use super::machine::Machine;
use super::sets::BitSet;
use super::state::{NONE, Stage};
use super::turns::{Bid, SPECULATIVE, after, wait};
use crate::routing::Routes;
use crate::routing::relation::Choice;

impl<T: Traffic> Machine<'_, T> {
    /// The head flit in front of `vc` requests a vc from this cycle on.
    pub(super) fn request(&mut self, vc: u32) {
        self.inputs[vc as usize].stage = Stage::Requests;
        if self.requesting.insert(vc) {
            self.asks(vc / 64);
        }
    }

    /// Head flits of word `word` request vcs.
    #[inline]
    fn asks(&mut self, word: u32) {
        if self.by_words {
            self.asking.insert(word);
        } else {
            self.active.insert(word);
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
            self.asks(at);
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

    /// The head flit in front of `vc` requests an output vc, and the switch where it may.
    pub(super) fn request_vc(&mut self, vc: u32, best: Option<Bid>) -> Option<Bid> {
        if !self.wishes.is_empty() {
            return self.request_wished(vc, best);
        }
        let mut choices = std::mem::take(&mut self.scratch.choices);
        self.choices(vc, &mut choices);
        let best = self.request_among(vc, &choices, best);
        self.scratch.choices = choices;
        best
    }

    /// The same if it has these `choices`.
    fn request_among(&mut self, vc: u32, choices: &[Choice], best: Option<Bid>) -> Option<Bid> {
        let size = self.fabric.ports << self.fabric.vc_bits;
        let base = self.fabric.first_of_router(vc);
        let turn = u32::from(self.inputs[vc as usize].turn);
        let mut requested = NONE;
        let mut least = u64::MAX;
        // of the ports that it can speculate for the one whose turn it is
        let mut soonest = NONE;
        let mut output = NONE;
        for choice in choices {
            let first = base + (u32::from(choice.port) << self.fabric.vc_bits) + u32::from(choice.first);
            let mut free = self.free_from(first, *choice);
            let before = if choices.len() == 1 { 0 } else { self.preference(vc, *choice) };
            let sharing = if choices.len() == 1 { 0 } else { self.sharing(first) };
            let mut has_credit = false;
            while free != 0 {
                let vc = first + free.trailing_zeros();
                free &= free - 1;
                let credits = self.outputs[vc as usize].credits;
                has_credit |= credits > 0;
                let full = if self.adaptive { NONE - credits } else { 0 };
                let key =
                    before | u64::from(full) << 20 | u64::from(sharing) << 12 | u64::from(wait(vc - base, turn, size));
                if key < least {
                    least = key;
                    requested = vc;
                }
            }
            if has_credit && self.costs.speculative && !self.is_busy(first) {
                let ahead = self.turns_until(choice.port.into(), vc);
                if ahead < soonest {
                    soonest = ahead;
                    output = choice.port.into();
                }
            }
        }
        if requested == NONE {
            choices.iter().for_each(|choice| self.park(vc, choice.port));
            return best;
        }
        self.scratch.requests.push((vc, requested));
        if output == NONE {
            return best;
        }
        // a head flit without a vc bids for the switch all the same
        let rank = self.rank(output, vc) + SPECULATIVE;
        if best.is_none_or(|best| rank < best.rank) { Some(Bid { rank, vc, output }) } else { best }
    }

    /// The output vcs of `choice`, of which `first` is the first, that are free: a bit for each, from that on.
    #[inline]
    fn free_from(&self, first: u32, choice: Choice) -> u64 {
        let vcs = first..first + u32::from(choice.last - choice.first) + 1;
        if !self.owned {
            vcs.filter(|&output| self.is_free(output, choice)).fold(0, |free, output| free | 1 << (output - first))
        } else {
            let port = first % 64 - u32::from(choice.first);
            self.free_in_word(first / 64, port, choice) >> (first % 64)
        }
    }

    /// Those of the output vcs of `choice`, of which port the first vc is number `port` of word `word`, that are free, as a word.
    #[inline(always)]
    pub(super) fn free_in_word(&self, word: u32, port: u32, choice: Choice) -> u64 {
        let all = u64::MAX >> (63 - (choice.last - choice.first)) << (port + u32::from(choice.first));
        let free = self.unowned.words[word as usize] & all;
        if !(self.costs.atomic || choice.empty) {
            return free;
        }
        let holds_flits = |&vc: &u32| self.outputs[vc as usize].credits < self.fabric.buffer(vc);
        BitSet::of(word, free).filter(holds_flits).fold(free, |free, vc| free & !(1 << (vc % 64)))
    }

    /// How late the head flit in front of `vc` requests the virtual channels of one of several choices: not an escape if it
    /// need not be; of several ejection channels one that fewest packets share; then, in the bits below, of several ports one
    /// with most room, off lattices on a link that fewest packets share, and by turn.
    #[inline]
    fn preference(&self, vc: u32, choice: Choice) -> u64 {
        let sharing = if u32::from(choice.port) < self.fabric.local { 0 } else { self.packets_on(vc, choice) };
        u64::from(choice.escape) << 60 | u64::from(sharing) << 52
    }

    /// The output vcs of `choice` at the router of `vc`.
    pub(super) fn vcs_of(&self, vc: u32, choice: Choice) -> std::ops::Range<u32> {
        let first = self.fabric.vc(self.fabric.router(vc), u32::from(choice.port));
        first + u32::from(choice.first)..first + u32::from(choice.last) + 1
    }

    /// How many packets have output vcs of `choice` at the router of `vc`.
    fn packets_on(&self, vc: u32, choice: Choice) -> u32 {
        self.vcs_of(vc, choice).map(|output| u32::from(self.outputs[output as usize].owner != NONE)).sum()
    }

    /// Packets that share the link of output vc `output`, if packets choose among links off a lattice.
    pub(super) fn sharing(&self, output: u32) -> u32 {
        if !self.adaptive || matches!(self.routes, Routes::Lattice(_)) || self.fabric.port(output) >= self.fabric.local
        {
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

    /// Every output vc that is requested is granted to one of those requests, which are those of one router.
    pub(super) fn grant_vcs(&mut self) {
        match *self.scratch.requests.as_slice() {
            [] => {}
            [(vc, output)] => {
                self.scratch.requests.clear();
                self.grant_in_turn(vc, output);
            }
            _ => self.grant_several(),
        }
    }

    /// The same where there are several requests.
    fn grant_several(&mut self) {
        let mut requests = std::mem::take(&mut self.scratch.requests);
        let size = self.fabric.ports << self.fabric.vc_bits;
        // few head flits request at once, so each is compared with those behind it rather than sorted
        for at in 0..requests.len() {
            let (vc, output) = requests[at];
            if vc == NONE {
                continue; // has been compared with one before
            }
            let turn = u32::from(self.outputs[output as usize].turn);
            let base = vc >> self.fabric.stride_bits << self.fabric.stride_bits;
            let mut winner = vc;
            for other in &mut requests[at + 1..] {
                if other.1 == output && other.0 != NONE {
                    if wait(other.0 - base, turn, size) < wait(winner - base, turn, size) {
                        winner = other.0;
                    }
                    other.0 = NONE;
                }
            }
            self.grant_in_turn(winner, output);
        }
        requests.clear();
        self.scratch.requests = requests;
    }

    /// Output vc `output` is granted to the head flit in front of `vc`, whose turn it is.
    #[inline]
    pub(super) fn grant_in_turn(&mut self, vc: u32, output: u32) {
        let size = self.fabric.ports << self.fabric.vc_bits;
        let local = |vc: u32| vc - self.fabric.first_of_router(vc);
        #[expect(clippy::cast_possible_truncation, reason = "a router has at most 64 ports of 64 virtual channels")]
        let next = |vc: u32| after(local(vc), size) as u16;
        let next_input = next(vc);
        let next_output = next(output);
        self.outputs[output as usize].turn = next_input;
        self.inputs[vc as usize].turn = next_output;
        self.grant(vc, output);
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
        self.unowned.remove(output);
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
        self.unowned.insert(output);
        let owners = &mut self.outputs[self.fabric.first_of_port(output)].owners;
        *owners &= !(1 << (vc % 64));
        let of_port = self.fabric.same_port(vc % 64);
        self.inputs[vc as usize].rivals = of_port;
        for other in BitSet::of(vc / 64, *owners & !of_port) {
            self.inputs[other as usize].rivals &= !(1 << (vc % 64));
        }
    }
}
