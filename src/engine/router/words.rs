//! Flits that move one by one, a word of virtual channels at a time: what arrives, and slots that come free.
//!
//! Where routers have several virtual channels, this is what a flit costs, so that it is done in few instructions: what has
//! moved is read by whole words ([`super::history`]), and what only some flits need is noted and done behind the loop.
//! Refuses to know what leaves ([`super::word`]).

use super::Traffic;
use super::history::Moves;
use super::machine::{Machine, WORD};
use super::sets::BitSet;
use super::state::NONE;
use crate::costs::Timing;

impl<T: Traffic> Machine<'_, T> {
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
        let heads = &mut self.scratch.heads;
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
        let mut heads = std::mem::take(heads);
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
