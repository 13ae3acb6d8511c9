//! A cycle of the routers whose flits leave one by one, a word of virtual channels at a time: which of those that try to send
//! do, and what is noted of it for others.
//!
//! Where routers have several virtual channels, this is most of what a flit costs: what the loop needs is at hand, and what only
//! some flits need is noted and done behind it. Refuses to know head flits without a virtual channel, and packets.

use super::history::Moves;
use super::machine::WORD;
use super::state::{Ends, Late, NONE};
use super::turns::Speculation;
use super::word::{Inputs, Numbers, Outputs, Sent, Word};

/// Routers while those flits leave whose turn it is. All by word.
pub(super) struct Round<'a> {
    pub(super) numbers: &'a Numbers,
    /// Whether vcs share ports, so that they have to take turns.
    pub(super) takes_turns: bool,
    pub(super) inputs: &'a mut [Inputs],
    pub(super) outputs: &'a mut [Outputs],
    pub(super) ready: &'a mut [u64],
    pub(super) unused: &'a mut [u64],
    /// Words with head flits that have been granted a vc or have bid for the switch in this cycle, in order.
    pub(super) late: &'a [Late],
    /// The first of those words, or [`NONE`].
    pub(super) next_late: u32,
    /// What they have bid, in the same order.
    pub(super) speculations: &'a [Speculation],
    /// What a flit counts that leaves in this cycle.
    pub(super) counts: u64,
    /// In a word of vcs, those of ports of nodes, and whether these have a free slot at any time.
    pub(super) of_nodes: u64,
    pub(super) nodes_have_room: bool,
    /// What has left.
    pub(super) moves: &'a mut Vec<Moves>,
    pub(super) ends: &'a mut Vec<Ends>,
    pub(super) moved: u64,
    /// Flits that have left for nodes.
    pub(super) accepted: u32,
}

impl Round<'_> {
    /// Flits leave from the words `active`, counted from group `group` of 64; those of them from which others can in the next
    /// cycle.
    #[inline(always)]
    pub(super) fn send_group(&mut self, group: u32, active: u64) -> u64 {
        let mut left = active;
        let mut more = active;
        while left != 0 {
            let bit = left & left.wrapping_neg();
            let word = group * 64 + left.trailing_zeros();
            left ^= bit;
            let ready = self.send_word(word);
            if ready == 0 {
                more ^= bit;
            }
        }
        more
    }

    /// Flits leave from vcs of word `word`; those from which others can in the next cycle.
    #[inline(always)]
    fn send_word(&mut self, word: u32) -> u64 {
        let at = word as usize;
        let ready = self.ready[at];
        let mut tries = ready;
        let mut speculations: &[Speculation] = &[];
        if word == self.next_late {
            let (late, others) = self.late.split_at(1);
            tries &= !late[0].waits;
            self.late = others;
            self.next_late = others.first().map_or(NONE, |late| late.word);
            (speculations, self.speculations) = self.speculations.split_at(late[0].speculations);
        }
        let mut vcs = Word { numbers: self.numbers, inputs: &mut self.inputs[at], outputs: &mut self.outputs[at] };
        let sends = if self.takes_turns { vcs.settle(tries, speculations) } else { tries };
        if sends == 0 {
            return ready;
        }
        let sent = vcs.take_out(sends, self.counts);
        let ready = ready & !sends | sent.ready;
        self.ready[at] = ready;
        self.note(word, sends, &sent);
        ready
    }

    /// Flits have left from the input vcs `sends` of word `word`.
    #[inline(always)]
    fn note(&mut self, word: u32, sends: u64, sent: &Sent) {
        let &Sent { heads, tails, by, moved, .. } = sent;
        let at = word as usize;
        self.moved += moved;
        self.moves.push(Moves { word, left: sends, by });
        if heads | tails != 0 {
            self.ends.push(Ends { word, heads, tails });
        }
        if let Some(unused) = self.unused.get_mut(at) {
            *unused &= !by;
        }
        let mut of_nodes = by & self.of_nodes;
        while of_nodes != 0 {
            self.accepted += 1;
            if self.nodes_have_room {
                self.outputs[at][of_nodes.trailing_zeros() as usize % WORD].credits += 1;
            }
            of_nodes &= of_nodes - 1;
        }
    }
}
