//! Flits that move one by one, a word of virtual channels at a time: what leaves, what arrives, and slots that come free.
//!
//! Where routers have several virtual channels, this is what a flit costs, so that it is done in few instructions: what is
//! told to others is noted by whole words ([`super::history`]), and what only some flits need is noted in words and done
//! behind the loop. Refuses to know whose turn it is among flits that share a port.

use super::Traffic;
use super::history::Moves;
use super::machine::{Machine, WORD};
use super::sets::BitSet;
use super::state::{Input, NONE, Output, Stage};
use crate::costs::Timing;

/// What few flits do, for the compiler, which keeps it out of the way of others.
#[cold]
fn rarely() {}

/// The input vcs of a word, and the output vcs.
pub(super) type Inputs = [Input; WORD];
pub(super) type Outputs = [Output; WORD];

/// What has happened to the vcs of a word: a bit each.
#[derive(Default)]
struct Sent {
    /// Input vcs from which another flit can leave in the next cycle.
    ready: u64,
    /// Input vcs from which a head flit leaves, and a tail.
    heads: u64,
    tails: u64,
    /// Output vcs by which a flit leaves, and how many they are.
    by: u64,
    moved: u64,
}

impl<T: Traffic> Machine<'_, T> {
    /// A flit leaves from each of the input vcs `sends`, counted from word `word`, no two of which share a port. Only where flits
    /// leave one by one.
    // a call costs routers with several virtual channels an instruction in a hundred
    #[inline(always)]
    pub(super) fn send_word(&mut self, word: u32, sends: u64) {
        if sends == 0 {
            return;
        }
        let Sent { ready: more, heads, tails, by, moved } = self.take_out(word, sends);
        let ready = &mut self.ready.words[word as usize];
        *ready = *ready & !sends | more & !tails;
        self.moved += moved;
        self.history.push(Moves { word, left: sends, by });
        if !self.wishes.is_empty() {
            self.unused.words[word as usize] &= !by;
        }
        for vc in BitSet::of(word, by & self.fabric.of_nodes) {
            self.traffic.accepted(self.now + self.costs.timing.eject, 1);
            if self.nodes_have_room {
                self.outputs[vc as usize].credits += 1;
            }
        }
        if heads | tails != 0 {
            self.ends_leave(word, heads, tails);
        }
    }

    /// Takes the flits out of buffers.
    #[inline(always)]
    fn take_out(&mut self, word: u32, sends: u64) -> Sent {
        let of_port = !(self.fabric.mask_within as usize);
        let counts = self.counts;
        let inputs = &mut self.inputs.as_chunks_mut::<WORD>().0[word as usize];
        let outputs = &mut self.outputs.as_chunks_mut::<WORD>().0[word as usize];
        let mut sent = Sent::default();
        let mut left = sends;
        while left != 0 {
            let at = left.trailing_zeros() as usize % WORD;
            let bit = 1 << at;
            left &= left - 1;
            let input = &mut inputs[at];
            let out = input.out as usize % WORD;
            let output = &mut outputs[out];
            sent.by |= 1 << out;
            sent.moved += 1;
            output.carried += counts;
            output.credits -= 1;
            input.flits -= 1;
            input.left -= 1;
            if input.flits > 0 && output.credits > 0 {
                sent.ready |= bit;
            }
            if input.left == 0 {
                rarely();
                sent.tails |= bit;
            }
            if input.stage == Stage::Head {
                rarely();
                sent.heads |= bit;
            }
            // whose turn it is next follows from who had the last
            #[expect(clippy::cast_possible_truncation, reason = "numbers within a word")]
            let [from, by] = [at as u8, out as u8];
            let port = &mut inputs[at & of_port];
            port.turn_of = from;
            port.turn_by = by.into();
            outputs[out & of_port].turn_of = from.into();
        }
        sent
    }

    /// Head flits have left from the input vcs `heads`, counted from word `word`, and tails from `tails`.
    fn ends_leave(&mut self, word: u32, heads: u64, tails: u64) {
        for vc in BitSet::of(word, heads) {
            let output = self.inputs[vc as usize].out;
            self.head_leaves(vc, output, self.outputs[output as usize].down);
        }
        for vc in BitSet::of(word, tails) {
            self.tail_leaves(vc, self.inputs[vc as usize].out, self.now);
        }
    }

    /// What has been sent arrives in this cycle, and slots come free.
    pub(super) fn take_words(&mut self) {
        let now = self.now;
        let Timing { hop, credit, sink_credit, .. } = self.costs.timing;
        let sent = self.history.take(now.wrapping_sub(hop));
        self.flits_arrive(&sent.moves);
        self.history.give_back(sent);
        let left = self.history.take(now.wrapping_sub(credit));
        if self.awaited == 1 {
            self.slots_come_free::<false>(&left.moves);
        } else {
            self.slots_come_free::<true>(&left.moves);
        }
        self.history.give_back(left);
        if !self.nodes_have_room {
            let ejected = self.history.take(now.wrapping_sub(sink_credit));
            self.nodes_take(&ejected.moves);
            self.history.give_back(ejected);
        }
    }

    /// A flit arrives behind each of the output vcs of links by which one has been `sent`.
    fn flits_arrive(&mut self, sent: &[Moves]) {
        let Self { inputs, outputs, ready, active, .. } = self;
        let inputs = inputs.as_mut_slice();
        let outputs = outputs.as_slice();
        let mut heads = std::mem::take(&mut self.scratch.heads);
        let of_links = !self.fabric.of_nodes;
        for &Moves { word, by, .. } in sent {
            let of_word = &outputs.as_chunks::<WORD>().0[word as usize];
            let mut left = by & of_links;
            while left != 0 {
                let down = of_word[left.trailing_zeros() as usize % WORD].down;
                left &= left - 1;
                let input = &mut inputs[down as usize];
                input.flits += 1;
                if input.flits > 1 {
                    continue;
                }
                if input.out == NONE {
                    heads.push(down);
                } else if outputs[input.out as usize].credits > 0 && ready.insert(down) {
                    active.insert(down / 64);
                }
            }
        }
        for vc in heads.drain(..) {
            self.stand_in_front(vc, self.now);
        }
        self.scratch.heads = heads;
    }

    /// A slot comes free in the buffer of each of the input vcs that a flit has `left`.
    /// `AWAITS_ALL` says whether it is waited for more slots than the first.
    fn slots_come_free<const AWAITS_ALL: bool>(&mut self, left: &[Moves]) {
        let awaited = self.awaited;
        let Self { inputs, outputs, .. } = self;
        let inputs = inputs.as_slice();
        let outputs = outputs.as_mut_slice();
        let credited = &mut self.scratch.credited;
        for &Moves { word, mut left, .. } in left {
            let of_word = &inputs.as_chunks::<WORD>().0[word as usize];
            while left != 0 {
                let up = of_word[left.trailing_zeros() as usize % WORD].up;
                left &= left - 1;
                let output = &mut outputs[up as usize];
                output.credits += 1;
                if output.credits == 1 || AWAITS_ALL && output.credits == awaited {
                    credited.push(up);
                }
            }
        }
        self.credits_awaited();
    }

    /// A node takes a flit from each of the output vcs of nodes by which one has been `ejected`.
    fn nodes_take(&mut self, ejected: &[Moves]) {
        let awaited = self.awaited;
        for &Moves { word, by, .. } in ejected {
            for vc in BitSet::of(word, by & self.fabric.of_nodes) {
                let output = &mut self.outputs[vc as usize];
                output.credits += 1;
                if output.credits == 1 || output.credits == awaited {
                    self.scratch.credited.push(vc);
                }
            }
        }
        self.credits_awaited();
    }

    /// Packets may have waited for the credits of the vcs that are noted.
    fn credits_awaited(&mut self) {
        let mut credited = std::mem::take(&mut self.scratch.credited);
        for vc in credited.drain(..) {
            self.credit_awaited(vc, self.outputs[vc as usize].owner);
        }
        self.scratch.credited = credited;
    }
}
