//! The blocks of a run: those of all routers, or those of a strip of them.

use super::active::ActiveSet;
use super::delay::Run;
use super::layout::Layout;
use super::state::Block;
use super::strips::Outgoing;
use super::vcset::VcSet;
use std::ops::{Deref, DerefMut, Range};

/// Successive blocks, by their numbers among those of all routers.
///
/// Blocks before the first one of a strip are there, too, without links, so that a number is an index. Behind the last one are ghosts,
/// one for each block of another strip with links to or from this one: what arrives at a ghost is sent to its strip
/// ([`Blocks::send_arrivals`]), so that flits and credits arrive in the same way everywhere.
pub(crate) struct Blocks<const W: usize, A> {
    /// The numbers of those that are simulated.
    numbers: Range<usize>,
    blocks: Vec<Block<W, A>>,
}

impl<const W: usize, A> Blocks<W, A> {
    /// Creates the blocks with these numbers and the ghosts of `layout`.
    pub(crate) fn new(layout: &Layout<W>, numbers: Range<usize>, arbiters: impl Fn(usize) -> A) -> Self {
        let of_routers = (0..numbers.end).map(|number| Block::new(layout, number, arbiters(number)));
        let ghosts = layout.ghosts().map(|(index, number)| Block::new(layout, index, arbiters(number)));
        Self { blocks: of_routers.chain(ghosts).collect(), numbers }
    }

    /// Returns true if block number `number` is simulated.
    #[inline(always)]
    pub(crate) fn contains(&self, number: usize) -> bool {
        self.numbers.contains(&number)
    }

    /// Those that are simulated, in the order of their numbers.
    pub(crate) fn iter(&self) -> std::slice::Iter<'_, Block<W, A>> {
        self.blocks[self.numbers.clone()].iter()
    }

    /// Moves the flits and credits that have arrived at ghosts in this cycle to `outgoing`.
    pub(crate) fn send_arrivals(&mut self, layout: &Layout<W>, active: &mut ActiveSet, outgoing: &mut Outgoing<'_>) {
        for (index, number) in layout.ghosts() {
            let ghost = &mut self.blocks[index];
            if !ghost.listed {
                continue;
            }
            ghost.listed = false;
            active.remove(index);
            let mail = outgoing.mail_to(number);
            let run = |vc, flits: &mut u32| Run { to: layout.place_in(number, vc), flits: std::mem::take(flits) };
            for vc in std::mem::replace(&mut ghost.occupied, VcSet::EMPTY) {
                mail.flits.push(run(vc, &mut ghost.inputs[vc].flits));
            }
            for vc in std::mem::replace(&mut ghost.with_credit, VcSet::EMPTY) {
                mail.credits.push(run(vc, &mut ghost.outputs[vc].credits));
            }
        }
    }
}

impl<const W: usize, A> Deref for Blocks<W, A> {
    type Target = [Block<W, A>];

    #[inline(always)]
    fn deref(&self) -> &[Block<W, A>] {
        &self.blocks
    }
}

impl<const W: usize, A> DerefMut for Blocks<W, A> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [Block<W, A>] {
        &mut self.blocks
    }
}
