//! VC allocation and switch allocation, of the default allocators and of any others.

use super::super::allocator::{AllocatorPair, Arbiters, Build, BuildAnyWidth, InputFirst};
use super::super::config::Scratch;
use super::super::flow::Flow;
use super::super::routing::Routing;
use super::super::state::{Block, Usable};
use super::super::vcset::VcSet;
use super::allocate_switch::{allocate_switch, allocate_switch_by};
use super::allocate_vcs::{allocate_vcs, allocate_vcs_by};
use super::{Cycle, Traversal};
use crate::engine::router::Traffic;

/// The allocation of VCs and of the switch in a cycle of a block.
pub(crate) trait Allocation<const W: usize>: Arbiters<W> + Sized {
    /// Allocates output VCs to head flits. Bids for the switch are left in `scratch`. Calls `granted` with the input VC and the
    /// output VC of each grant.
    fn allocate_vcs<R: Routing<W>>(
        cycle: Cycle<'_, W>,
        routing: &R,
        block: &mut Block<W, Self>,
        scratch: &mut Scratch<W>,
        usable: Usable<W>,
        granted: impl FnMut(&Block<W, Self>, usize, usize),
    );

    /// Allocates the switch to VCs that are `ready` and to head flits that bid, and sends a flit from each that is granted it.
    fn allocate_switch<F: Flow<W>, T: Traffic>(
        block: &mut Block<W, Self>,
        scratch: &mut Scratch<W>,
        ready: VcSet<W>,
        traversal: &mut Traversal<'_, W, F, T>,
    );
}

impl<const W: usize> Allocation<W> for InputFirst<W> {
    #[inline(always)]
    fn allocate_vcs<R: Routing<W>>(
        cycle: Cycle<'_, W>,
        routing: &R,
        block: &mut Block<W, Self>,
        scratch: &mut Scratch<W>,
        usable: Usable<W>,
        granted: impl FnMut(&Block<W, Self>, usize, usize),
    ) {
        allocate_vcs(cycle, routing, block, scratch, usable, granted);
    }

    #[inline(always)]
    fn allocate_switch<F: Flow<W>, T: Traffic>(
        block: &mut Block<W, Self>,
        scratch: &mut Scratch<W>,
        ready: VcSet<W>,
        traversal: &mut Traversal<'_, W, F, T>,
    ) {
        allocate_switch(traversal.cycle.layout, block, scratch, ready, traversal);
    }
}

impl<const W: usize> Allocation<W> for AllocatorPair<W>
where
    dyn BuildAnyWidth: Build<W>,
{
    #[inline(always)]
    fn allocate_vcs<R: Routing<W>>(
        cycle: Cycle<'_, W>,
        routing: &R,
        block: &mut Block<W, Self>,
        scratch: &mut Scratch<W>,
        usable: Usable<W>,
        granted: impl FnMut(&Block<W, Self>, usize, usize),
    ) {
        allocate_vcs_by(cycle, routing, block, scratch, usable, granted);
    }

    #[inline(always)]
    fn allocate_switch<F: Flow<W>, T: Traffic>(
        block: &mut Block<W, Self>,
        scratch: &mut Scratch<W>,
        ready: VcSet<W>,
        traversal: &mut Traversal<'_, W, F, T>,
    ) {
        allocate_switch_by(traversal.cycle.layout, block, scratch, ready, traversal);
    }
}
