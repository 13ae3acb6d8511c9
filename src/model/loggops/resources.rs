//! The processors and interfaces of ranks: until when each is busy, and who waits for it.
//!
//! ```text
//!   a rank:  processor 0: free from, its lines | processor 1 .. | interfaces for sends: free from .. | for receives ..
//! ```
//!
//! All of a rank is one place in memory, mostly half a cache line. It refuses to know what an event is.

use super::waiting::Waiting;
use crate::schedule::goal::{Action, Goal, Operation};
use crate::units::{Ticks, narrow};

/// The processors and interfaces of all ranks.
pub(super) struct Resources {
    /// Rank by rank, as the text of the module shows it.
    words: Vec<u64>,
    /// Words of a rank.
    stride: usize,
    /// Where in those of a rank the interfaces for sends begin, and those for receives.
    sends: usize,
    receives: usize,
    waiting: Waiting,
}

/// What an event needs: a rank's processor and, unless it computes, an interface.
#[derive(Clone, Copy)]
pub(super) struct Needs {
    /// The place of the processor, behind which its lines are.
    processor: usize,
    /// That of the interface; the processor's, if none is needed.
    interface: usize,
}

impl Resources {
    /// Those that the operations of `goal` name, all free.
    pub(super) fn new(goal: &Goal) -> Self {
        let sends = 2 * (1 + usize::from(goal.highest_cpu()));
        let interfaces = 1 + usize::from(goal.highest_nic());
        let stride = sends + 2 * interfaces;
        let words = vec![0; goal.ranks() * stride];
        Self { words, stride, sends, receives: sends + interfaces, waiting: Waiting::default() }
    }

    /// What an operation of `rank` needs.
    #[inline]
    pub(super) fn of_operation(&self, rank: u32, operation: &Operation) -> Needs {
        let rank = rank as usize * self.stride;
        let processor = rank + 2 * usize::from(operation.cpu);
        match operation.action {
            Action::Compute => Needs { processor, interface: processor },
            _ => Needs { processor, interface: rank + self.sends + usize::from(operation.nic) },
        }
    }

    /// What a message needs at the `rank` where it arrives: what has the numbers of what its send needs.
    #[inline]
    pub(super) fn of_message(&self, rank: u32, cpu: u8, nic: u8) -> Needs {
        let rank = rank as usize * self.stride;
        Needs { processor: rank + 2 * usize::from(cpu), interface: rank + self.receives + usize::from(nic) }
    }

    /// When all of it is free.
    #[inline]
    pub(super) fn free_from(&self, needs: Needs) -> u64 {
        self.words[needs.processor].max(self.words[needs.interface])
    }

    /// When the processor is free.
    pub(super) fn processor_free_from(&self, needs: Needs) -> u64 {
        self.words[needs.processor]
    }

    /// Both are busy until then.
    #[inline]
    pub(super) fn occupy(&mut self, needs: Needs, processor_until: u64, interface_until: u64) {
        // an interface that is not needed is the processor
        self.words[needs.interface] = interface_until;
        self.words[needs.processor] = processor_until;
    }

    /// Both are busy until then, or longer if they are already.
    pub(super) fn hold(&mut self, needs: Needs, until: u64) {
        let processor = self.words[needs.processor].max(until);
        let interface = self.words[needs.interface].max(until);
        self.occupy(needs, processor, interface);
    }

    /// Event `event` finds what it needs busy. Whether it has to come back by itself.
    pub(super) fn wait(&mut self, needs: Needs, event: u32) -> bool {
        let interface = needs.line();
        self.waiting.wait(&mut self.words[needs.processor + 1], interface, event)
    }

    /// Event `event` is created for when what it needs is free; those that are created with it may need the same if there are
    /// `several`. Whether it has to come by itself.
    #[inline]
    pub(super) fn join(&mut self, needs: Needs, event: u32, several: bool) -> bool {
        let lines = &mut self.words[needs.processor + 1];
        if *lines == 0 && !several {
            return true;
        }
        let comes = self.waiting.join(*lines, needs.line(), event);
        if comes && several {
            self.waiting.open(lines, needs.line(), event);
        }
        comes
    }

    /// Event `event` has taken what it needs: who is to come back next.
    #[inline]
    pub(super) fn went_on(&mut self, needs: Needs, event: u32) -> Option<u32> {
        let lines = &mut self.words[needs.processor + 1];
        if *lines == 0 { None } else { self.waiting.went_on(lines, needs.line(), event) }
    }

    /// Per rank: when its processors are free for good.
    pub(super) fn finish(&self) -> Vec<Ticks> {
        let processors = |rank: &[u64]| rank[..self.sends].iter().copied().step_by(2).fold(0, u64::max);
        self.words.chunks_exact(self.stride).map(|rank| Ticks(processors(rank))).collect()
    }

    /// Looks at what a rank has, so that it is in the cache when it is asked for.
    #[inline]
    pub(super) fn touch(&self, rank: u32) -> u64 {
        self.words[rank as usize * self.stride]
    }
}

impl Needs {
    /// What those wait for, besides the processor, that need this: the distance of the interface.
    fn line(self) -> u32 {
        narrow(self.interface - self.processor, "a rank has no more than 256 processors and interfaces")
    }
}
