//! The blocks of a run: those of all routers, or those of a strip of them.

use super::active::ActiveSet;
use super::delay::Run;
use super::layout::Place;
use super::state::Block;
use std::ops::{Index, IndexMut, Range};

/// Successive blocks, by their numbers among those of all routers, and arrivals at others.
///
/// Blocks before the first one of a strip are there, too, without links, so that a number is an index. Places in other strips have the
/// numbers of blocks that are not there ([`Layout::elsewhere`](super::layout::Layout::elsewhere)): the check of an index finds them.
pub(crate) struct Blocks<const W: usize, A> {
    /// The number of the first one.
    first: usize,
    blocks: Vec<Block<W, A>>,
    /// Flits and credits that arrive in this cycle at blocks of other strips.
    pub(crate) leaving: Leaving,
}

/// Flits and credits for VCs of other strips.
#[derive(Default)]
pub(crate) struct Leaving {
    pub(crate) flits: Vec<Run>,
    pub(crate) credits: Vec<Run>,
}

impl Leaving {
    #[cold]
    #[inline(never)]
    fn add_flits(&mut self, run: Run) {
        self.flits.push(run);
    }

    #[cold]
    #[inline(never)]
    fn add_credits(&mut self, run: Run) {
        self.credits.push(run);
    }
}

impl<const W: usize, A> Blocks<W, A> {
    /// Creates the blocks with these numbers.
    pub(crate) fn new(numbers: Range<usize>, block: impl FnMut(usize) -> Block<W, A>) -> Self {
        Self { first: numbers.start, blocks: (0..numbers.end).map(block).collect(), leaving: Leaving::default() }
    }

    /// Adds flits to the buffer of the input VC at `to`, the first of which arrives in this cycle.
    #[inline(always)]
    pub(crate) fn arrive(&mut self, to: Place, flits: u32, active: &mut ActiveSet) {
        let (block, vc) = to.split();
        match self.blocks.get_mut(block) {
            Some(block) => block.arrive(vc, flits, active),
            None => self.leaving.add_flits(Run { to, flits }),
        }
    }

    /// Calls `credit` with the block and the output VC at `to`, to which credits return in this cycle.
    #[inline(always)]
    pub(crate) fn credit(&mut self, to: Place, credits: u32, credit: impl FnOnce(&mut Block<W, A>, usize, u32)) {
        let (block, vc) = to.split();
        match self.blocks.get_mut(block) {
            Some(block) => credit(block, vc, credits),
            None => self.leaving.add_credits(Run { to, flits: credits }),
        }
    }

    /// Returns true if block number `number` is one of them.
    #[inline(always)]
    pub(crate) fn contains(&self, number: usize) -> bool {
        (self.first..self.blocks.len()).contains(&number)
    }

    /// All of them, in the order of their numbers.
    pub(crate) fn iter(&self) -> std::slice::Iter<'_, Block<W, A>> {
        self.blocks[self.first..].iter()
    }
}

impl<const W: usize, A> Index<usize> for Blocks<W, A> {
    type Output = Block<W, A>;

    #[inline(always)]
    fn index(&self, number: usize) -> &Block<W, A> {
        &self.blocks[number]
    }
}

impl<const W: usize, A> IndexMut<usize> for Blocks<W, A> {
    #[inline(always)]
    fn index_mut(&mut self, number: usize) -> &mut Block<W, A> {
        &mut self.blocks[number]
    }
}
