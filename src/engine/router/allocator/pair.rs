//! Any two allocators.

use super::super::layout::Layout;
use super::{Allocator, Arbiters, Build, BuildAnyWidth};
use crate::engine::router::RouterCosts;

/// A VC allocator and a switch allocator, known when a run begins.
pub(crate) struct AllocatorPair<const W: usize> {
    pub(crate) vcs: Box<dyn Allocator<W>>,
    pub(crate) switch: Box<dyn Allocator<W>>,
}

impl<const W: usize> Arbiters<W> for AllocatorPair<W>
where
    dyn BuildAnyWidth: Build<W>,
{
    fn new(layout: &Layout<W>, costs: &RouterCosts) -> Self {
        Self { vcs: costs.vc_allocator.build(&layout.vcs), switch: costs.switch_allocator.build(&layout.ports) }
    }
}
