//! Disciplines: the order in which a cycle serves the requests of routers.
//!
//! A discipline is a type parameter of the engine, which has a loop over blocks for each of them.

use super::allocator::InputFirst;
use super::build::Network;
use super::layout::Layout;

/// The order in which requests are served, with the state that it keeps from one block, round or cycle to the next.
pub(crate) trait Discipline<const W: usize> {
    /// Arbiters of a block.
    type Arbiters;

    /// Creates the state before the first cycle.
    fn new(layout: &Layout<W>, network: &Network<'_>) -> Self;

    /// Creates the arbiters of block number `block` before the first cycle.
    fn arbiters(&self, layout: &Layout<W>, block: usize) -> Self::Arbiters;
}

/// Each router allocates VCs and the switch once in a cycle, input-first and in turn.
pub(crate) struct InTurn;

impl<const W: usize> Discipline<W> for InTurn {
    type Arbiters = InputFirst<W>;

    fn new(_: &Layout<W>, _: &Network<'_>) -> Self {
        Self
    }

    fn arbiters(&self, layout: &Layout<W>, _: usize) -> InputFirst<W> {
        InputFirst::new(layout)
    }
}
