//! An allocator as scenarios name it, and its creation.

use super::super::matrix::Matrix;
use super::Allocator;
use super::arbiter::ArbiterChoice;

/// An allocator as scenarios name it.
#[derive(Clone, Copy)]
pub struct AllocatorKind {
    /// Its name.
    pub name: &'static str,
    /// Its rule, in a line.
    pub summary: &'static str,
    /// The parameters of a scenario that it reads.
    pub reads: Parameters,
    pub(super) build: &'static dyn BuildAnyWidth,
}

/// The parameters of a scenario that an allocator reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameters {
    /// None.
    Nothing,
    /// The number of iterations.
    Iterations,
    /// The kind of its arbiters, and of their groups.
    Arbiters,
}

/// The parameters of an allocator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Settings {
    /// The number of iterations, at least 1.
    pub(crate) iterations: u32,
    /// The arbiters.
    pub(crate) arbiter: ArbiterChoice,
}

impl Default for Settings {
    fn default() -> Self {
        Self { iterations: 1, arbiter: ArbiterChoice::default() }
    }
}

/// Creation of an allocator for blocks of `W` words.
pub(crate) trait Build<const W: usize>: Sync {
    /// Creates the allocator of block number `block` before the first cycle.
    fn build(&self, matrix: &Matrix<W>, settings: Settings, block: usize) -> Box<dyn Allocator<W>>;
}

/// Creation of an allocator for blocks of any size.
pub(crate) trait BuildAnyWidth: Build<1> + Build<4> + Build<16> + Build<64> {}

impl<B: Build<1> + Build<4> + Build<16> + Build<64>> BuildAnyWidth for B {}
