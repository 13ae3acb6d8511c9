//! First come, first served: a cycle of ideal routers with atomic buffers, round by round.
//!
//! A flit that leaves a buffer makes room for another in the same cycle, so who can move depends on who else does. Each
//! round looks at the state that the round before has left; between rounds, slots that have come free are told to those who
//! fill them. Ports send one flit a cycle. A round looks only at routers where something has changed.

use super::Traffic;
use super::machine::Machine;
use super::sets::BitSet;
use super::state::{Moved, NONE, Packet};
use super::turns::Bid;
use super::word::{Numbers, Word};
use crate::routing::relation::Choice;

impl<T: Traffic> Machine<'_, T> {
    /// Moves all that can move in this cycle.
    pub(super) fn first_come(&mut self) {
        self.list_active();
        let mut sources = true;
        loop {
            if sources {
                self.send_all();
            }
            self.rounds.round += 1;
            let routers = std::mem::take(&mut self.rounds.routers);
            for &router in &routers {
                if self.move_flits(router) {
                    self.rounds.list(router);
                }
            }
            let room = self.hand_back_slots();
            let woken = T::CLOSED && self.advance_nodes();
            sources = room || woken;
            if self.rounds.routers.is_empty() && !sources {
                break;
            }
        }
        for group in 0..self.active.words.len() {
            for word in self.active.members(group) {
                if self.ready.words[word as usize] | self.requesting.words[word as usize] == 0 {
                    self.active.remove(word);
                }
            }
        }
    }

    /// Lists the routers where head flits request something or flits can leave.
    fn list_active(&mut self) {
        self.rounds.round += 1;
        for group in 0..self.active.words.len() {
            for word in self.active.members(group) {
                let mut left = self.ready.words[word as usize] | self.requesting.words[word as usize];
                while left != 0 {
                    let first = self.fabric.first_of_router(left.trailing_zeros());
                    left &= !(self.fabric.mask << first);
                    self.rounds.list(self.fabric.router(word * u64::BITS + first));
                }
            }
        }
    }

    /// Tells those who fill buffers of the slots that have come free in this round; whether sources were among them.
    fn hand_back_slots(&mut self) -> bool {
        let mut freed = std::mem::take(&mut self.outbox.credits);
        let mut sources = false;
        for (vc, slots) in freed.drain(..) {
            self.credit(vc, slots);
            if vc >= self.fabric.source(0) {
                sources = true;
            } else if self.may_move(self.fabric.router(vc)) {
                self.rounds.list(self.fabric.router(vc));
            }
        }
        self.outbox.credits = freed;
        sources
    }

    /// A round of `router`; whether a flit has left, and something stands in front there that may move in the next round.
    fn move_flits(&mut self, router: u32) -> bool {
        if self.fabric.words > 1 {
            return self.move_flits_of_words(router);
        }
        let (word, of_router) = self.fabric.bits_of(router);
        if self.requesting.words[word as usize] & of_router != 0 {
            self.grant_in_line(router);
        }
        let mut moved = self.rounds.moved(word, self.now);
        let tries = self.tries(word, of_router, moved);
        if tries == 0 {
            return false;
        }
        let numbers = Numbers::of(&self.fabric);
        let sends = if self.owned { self.vcs_of_word(&numbers, word).settle(tries) } else { tries };
        let by = BitSet::of(word, sends).fold(0, |by, vc| by | 1 << (self.inputs[vc as usize].out % u64::BITS));
        // in the order of outputs, as where bids are compared one by one: packets are delivered in that order
        for output in BitSet::of(word, by) {
            let vc = self.outputs[output as usize].owner;
            moved.from |= self.fabric.same_port(vc % u64::BITS);
            moved.by |= self.fabric.same_port(output % u64::BITS);
            self.pass_turns(vc, output);
            if self.leave(vc, output) {
                self.ready.remove(vc);
            }
        }
        self.rounds.note(word, moved);
        let more = self.ready.words[word as usize] & !moved.from | self.requesting.words[word as usize];
        more & of_router != 0
    }

    /// The input vcs of word `word` among `of_router` with a flit that can leave by ports that have not sent one in this cycle, as
    /// what has `moved` says.
    fn tries(&self, word: u32, of_router: u64, moved: Moved) -> u64 {
        let mut tries = self.ready.words[word as usize] & of_router & !moved.from;
        if moved.by != 0 {
            let has_sent = |vc: &u32| moved.by >> (self.inputs[*vc as usize].out % u64::BITS) & 1 == 1;
            tries = BitSet::of(word, tries).filter(has_sent).fold(tries, |tries, vc| tries & !(1 << (vc % u64::BITS)));
        }
        if self.is_even { tries } else { self.without_busy(word, tries) }
    }

    /// Whether something stands in front at `router` that may move; where it is not known without a closer look, too.
    #[inline]
    fn may_move(&self, router: u32) -> bool {
        if self.fabric.words > 1 {
            return true;
        }
        let (word, of_router) = self.fabric.bits_of(router);
        let tries = self.ready.words[word as usize] | self.requesting.words[word as usize];
        tries & of_router != 0
    }

    /// The same of a router whose vcs fill several words: bids are compared one by one.
    fn move_flits_of_words(&mut self, router: u32) -> bool {
        self.grant_in_line(router);
        let mut vcs = std::mem::take(&mut self.rounds.vcs);
        self.collect(&self.ready, router, &mut vcs);
        let mut outputs = 0_u64;
        let mut best: Option<Bid> = None;
        let mut port = NONE;
        for &vc in &vcs {
            let from = vc >> self.fabric.vc_bits;
            if from != port {
                outputs |= self.contend(best.take());
                port = from;
            }
            let to = self.inputs[vc as usize].out >> self.fabric.vc_bits;
            let has_sent =
                self.rounds.sent_from[from as usize] > self.now || self.rounds.sent_to[to as usize] > self.now;
            if !has_sent {
                best = self.bid(vc, best);
            }
        }
        outputs |= self.contend(best);
        self.rounds.vcs = vcs;
        for output in BitSet::of(0, outputs) {
            let vc = self.take_bid(output);
            let to = self.inputs[vc as usize].out >> self.fabric.vc_bits;
            self.rounds.sent_from[(vc >> self.fabric.vc_bits) as usize] = self.now + 1;
            self.rounds.sent_to[to as usize] = self.now + 1;
            self.win(output, vc);
        }
        outputs != 0
    }

    /// Puts the vcs of `router` that are in `set` into `vcs`, in ascending order.
    fn collect(&self, set: &BitSet, router: u32, vcs: &mut Vec<u32>) {
        vcs.clear();
        let first = router << self.fabric.stride_bits;
        for word in first / 64..first / 64 + self.fabric.words {
            let mask = self.fabric.mask << (first % 64);
            vcs.extend(BitSet::of(word, set.words[word as usize] & mask));
        }
    }

    /// Head flits at `router` are granted virtual channels, who has waited longest first.
    fn grant_in_line(&mut self, router: u32) {
        let mut heads = std::mem::take(&mut self.rounds.vcs);
        self.collect(&self.requesting, router, &mut heads);
        if heads.is_empty() {
            self.rounds.vcs = heads;
            return;
        }
        heads.sort_unstable_by_key(|&vc| self.place_in_line(vc));
        let mut choices = std::mem::take(&mut self.rounds.choices);
        for &vc in &heads {
            self.choices(vc, &mut choices);
            match self.first_free(vc, &choices) {
                Some(output) => self.grant(vc, output),
                None => choices.iter().for_each(|choice| self.park(vc, choice.port)),
            }
        }
        self.rounds.choices = choices;
        self.rounds.vcs = heads;
    }

    /// Who comes first: who requested first, and then the smaller message; of open-loop traffic the one that was made
    /// first, at the smaller node.
    fn place_in_line(&self, vc: u32) -> (u64, u64, u32, u32) {
        let Packet { requested, created, number, .. } = self.packets[self.front(vc) as usize];
        (requested, if T::CLOSED { 0 } else { created }, number, vc)
    }

    /// The output vc that the head flit in front of `vc` takes: not an escape if it need not be; where routing is adaptive
    /// the one with most room, off lattices on a link that fewest packets share; the lowest. Returns `None` if none
    /// is free.
    fn first_free(&self, vc: u32, choices: &[Choice]) -> Option<u32> {
        let mut best = None;
        for choice in choices {
            let leaves = u32::from(choice.port) >= self.fabric.local;
            // nodes have one virtual channel a port
            let choice = if leaves { Choice { last: choice.first, ..*choice } } else { *choice };
            for output in self.vcs_of(vc, choice).filter(|&output| self.is_free(output, choice)) {
                let full = if self.adaptive { NONE - self.outputs[output as usize].credits } else { 0 };
                let key = (choice.escape, full, self.sharing(output), output);
                if best.is_none_or(|least| key < least) {
                    best = Some(key);
                }
            }
        }
        best.map(|(.., output)| output)
    }

    /// Those of the input vcs `ready`, counted from word `word`, whose channels are not taken up by a flit.
    #[cold]
    fn without_busy(&self, word: u32, ready: u64) -> u64 {
        let busy = BitSet::of(word, ready).filter(|&vc| self.is_busy(self.inputs[vc as usize].out));
        busy.fold(ready, |ready, vc| ready & !(1 << (vc % 64)))
    }

    /// The vcs of word `word`, whose routers have no others.
    #[inline]
    fn vcs_of_word<'a>(&'a mut self, numbers: &'a Numbers, word: u32) -> Word<'a> {
        let inputs = &mut self.inputs.as_chunks_mut().0[word as usize];
        let outputs = &mut self.outputs.as_chunks_mut().0[word as usize];
        Word { numbers, inputs, outputs }
    }
}
