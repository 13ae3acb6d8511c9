//! An allocator as scenarios name it, and its creation.

use super::super::ports::Ports;
use super::Allocator;

/// An allocator as scenarios name it.
#[derive(Clone, Copy)]
pub struct AllocatorKind {
    /// Its name.
    pub name: &'static str,
    /// Its rule, in a line.
    pub summary: &'static str,
    /// True if it repeats its rule, up to the number of iterations of a scenario.
    pub reads_iterations: bool,
    pub(super) build: &'static dyn BuildAnyWidth,
}

/// Creation of an allocator for blocks of `W` words.
pub(crate) trait Build<const W: usize>: Sync {
    /// Creates an allocator before the first cycle, which repeats its rule up to `iterations` times if it does so at all.
    fn build(&self, ports: &Ports<W>, iterations: u32) -> Box<dyn Allocator<W>>;
}

/// Creation of an allocator for blocks of any size.
pub(crate) trait BuildAnyWidth: Build<1> + Build<4> + Build<16> + Build<64> {}

impl<B: Build<1> + Build<4> + Build<16> + Build<64>> BuildAnyWidth for B {}
