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
//! # The order within a cycle
//!
//! What a router does shows to others in a later cycle. Where flits leave one by one, all routers therefore take each step before
//! any takes the next one, a word at a time ([`Machine::allocate_by_words`]):
//!
//! ```text
//!   request_word   head flits request virtual channels; every one that is requested is granted to one of them. Without having had
//!                  one they bid for the switch: what no vc that is ready can win is settled at once, the rest is noted
//!   send_words     of the vcs that are ready, those that share no port with another have their turn in any case, and of two that
//!                  share ports with no third, one has. Of those that share ports with more, each input port bids for one, and
//!                  each output takes one bid; what head flits bid comes after them. All whose turn it is send a flit
//!                  ([`super::round`], [`super::word`])
//!   ends_leave     where that was a head or a tail, the packet goes on, or what it has had comes free
//! ```
//!
//! Which vcs share a port is kept with each of them (`rivals`), as it changes only when a vc is granted or comes free. Bids of
//! head flits are made before virtual channels are granted: a head flit that speculates does not know yet whether it will have
//! one, and wastes the switch if it does not. Head flits are in [`super::heads`]. Routers with one virtual channel a port are
//! simpler ([`super::single`]); those whose vcs fill several words compare bids one by one ([`super::bids`]).

use super::Traffic;
use super::machine::{Machine, WORD};
use super::round::Round;
use super::sets::BitSet;
use super::state::{Ends, Late, NONE, Scratch};
use super::word::{Numbers, Word};

impl<T: Traffic> Machine<'_, T> {
    /// One cycle of all routers that have something to do.
    // a call costs the cycle of most routers an instruction in a hundred
    #[inline(always)]
    pub(super) fn allocate(&mut self) {
        if self.by_words {
            return self.allocate_by_words();
        }
        for group in 0..self.active.words.len() {
            for word in self.active.members(group) {
                self.allocate_word(word);
            }
        }
    }

    /// The same where flits leave one by one from routers of which each has its vcs in one word.
    fn allocate_by_words(&mut self) {
        for group in 0..self.asking.words.len() {
            for word in self.asking.members(group) {
                self.request_word(word);
            }
        }
        let first = self.history.moves.len();
        self.send_words();
        if T::CLOSED && self.is_watched {
            self.tell_left_words(first);
        }
        self.ends_leave();
    }

    /// Head flits of word `word` request virtual channels, which are granted. It is noted which of them do not try to send in this
    /// cycle although they could.
    // a call costs routers with several virtual channels an instruction in a hundred
    #[inline(always)]
    fn request_word(&mut self, word: u32) {
        let at = word as usize;
        let before = self.ready.words[at];
        let requesting = self.requesting.words[at];
        let speculations = self.scratch.speculations.len();
        // head flits look before anything comes free
        let heads = if self.owned {
            self.request_all(word, requesting, before)
        } else {
            self.request_ports(word, requesting);
            0
        };
        if self.requesting.words[at] == 0 {
            self.asking.remove(word);
        }
        let ready = self.ready.words[at];
        let waits = ready & !(before | heads);
        let speculations = self.scratch.speculations.len() - speculations;
        if waits != 0 || speculations > 0 {
            self.scratch.late.push(Late { word, waits, speculations });
        }
        if ready != 0 || speculations > 0 {
            self.active.insert(word);
        }
    }

    /// Of the input vcs that try to send, those do whose turn it is.
    #[inline(never)]
    fn send_words(&mut self) {
        let numbers = Numbers::of(&self.fabric);
        let Scratch { late, speculations, ends, .. } = &mut self.scratch;
        let mut round = Round {
            numbers: &numbers,
            takes_turns: self.owned,
            inputs: self.inputs.as_chunks_mut().0,
            outputs: self.outputs.as_chunks_mut().0,
            ready: &mut self.ready.words,
            unused: &mut self.unused.words,
            late,
            next_late: late.first().map_or(NONE, |late| late.word),
            speculations,
            counts: self.counts,
            of_nodes: self.fabric.of_nodes,
            nodes_have_room: self.nodes_have_room,
            moves: &mut self.history.moves,
            ends,
            moved: 0,
            accepted: 0,
        };
        for (group, active) in (0..).zip(&mut self.active.words) {
            *active = round.send_group(group, *active);
        }
        let Round { moved, accepted, .. } = round;
        late.clear();
        speculations.clear();
        self.moved += moved;
        if accepted > 0 {
            self.traffic.accepted_at_once(self.now + self.costs.timing.eject, accepted);
        }
    }

    /// Head flits have left in this cycle, and tails.
    fn ends_leave(&mut self) {
        let mut ends = std::mem::take(&mut self.scratch.ends);
        for Ends { word, heads, tails } in ends.drain(..) {
            for vc in BitSet::of(word, heads) {
                let output = self.inputs[vc as usize].out;
                self.head_leaves(vc, output, self.outputs[output as usize].down);
            }
            for vc in BitSet::of(word, tails) {
                self.tail_leaves(vc, self.inputs[vc as usize].out, self.now);
            }
        }
        self.scratch.ends = ends;
    }

    /// One cycle of the routers that have vcs in word `word` of those that try to send.
    // a call costs the cycle of most routers an instruction in a hundred
    #[inline(always)]
    fn allocate_word(&mut self, word: u32) {
        if self.fabric.words > 1 {
            // the first of a router's words that is active does the cycle of all of them
            let router = word / self.fabric.words;
            if std::mem::replace(&mut self.scratch.last, (router, self.now)) != (router, self.now) {
                self.allocate_wide(router);
            }
        } else if self.fabric.vc_bits == 0 && !self.branches {
            self.allocate_single(word);
        } else {
            self.allocate_uneven(word);
        }
        if self.ready.words[word as usize] | self.requesting.words[word as usize] == 0 {
            self.active.remove(word);
        }
    }

    /// The same of routers of which each has its vcs in one word, where channels differ in what they take.
    fn allocate_uneven(&mut self, word: u32) {
        let ready = self.without_busy(word, self.ready.words[word as usize]);
        let requesting = self.requesting.words[word as usize];
        // head flits look before anything comes free
        let heads = if requesting == 0 { 0 } else { self.request_all(word, requesting, ready) };
        let mut speculations = std::mem::take(&mut self.scratch.speculations);
        let sends = self.vcs_of_word(&Numbers::of(&self.fabric), word).settle(ready | heads, &speculations);
        speculations.clear();
        self.scratch.speculations = speculations;
        for vc in BitSet::of(word, sends) {
            let output = self.inputs[vc as usize].out;
            self.pass_turns(vc, output);
            if self.leave(vc, output) {
                self.ready.remove(vc);
            }
        }
    }

    /// Those of the input vcs `ready`, counted from word `word`, whose channels are not taken up by a flit.
    #[cold]
    pub(super) fn without_busy(&self, word: u32, ready: u64) -> u64 {
        let busy = BitSet::of(word, ready).filter(|&vc| self.is_busy(self.inputs[vc as usize].out));
        busy.fold(ready, |ready, vc| ready & !(1 << (vc % 64)))
    }

    /// Whether the head flit in front of `vc`, which has been given the switch for `output`, has been granted a vc there and
    /// can send. The switch is wasted if not, and the turn passes all the same.
    #[inline]
    pub(super) fn uses_switch(&mut self, vc: u32, output: u32) -> bool {
        let port = self.fabric.vc(self.fabric.router(vc), output);
        let numbers = Numbers::of(&self.fabric);
        self.vcs_of_word(&numbers, vc / 64).uses_switch(vc as usize % WORD, port as usize % WORD)
    }

    /// The vcs of word `word`, whose routers have no others.
    #[inline]
    pub(super) fn vcs_of_word<'a>(&'a mut self, numbers: &'a Numbers, word: u32) -> Word<'a> {
        let inputs = &mut self.inputs.as_chunks_mut().0[word as usize];
        let outputs = &mut self.outputs.as_chunks_mut().0[word as usize];
        Word { numbers, inputs, outputs }
    }
}
