//! Disciplines: the order in which a cycle serves the requests of routers.
//!
//! A discipline is a type parameter of the engine, which has a loop over blocks for each of them.

use super::allocator::Arbiters;
use super::layout::Layout;
use crate::engine::router::RouterCosts;
use std::marker::PhantomData;

/// The order in which requests are served, with the state that it keeps from one block, round or cycle to the next.
pub(crate) trait Discipline<const W: usize> {
    /// Arbiters of a block.
    type Arbiters;

    /// Creates the state before the first cycle.
    fn new(layout: &Layout<W>) -> Self;

    /// Creates arbiters before the first cycle, those of `costs` where there is a choice.
    fn arbiters(layout: &Layout<W>, costs: &RouterCosts) -> Self::Arbiters;
}

/// Each router allocates VCs and the switch once in a cycle, with arbiters that take turns.
pub(crate) struct InTurn<A>(PhantomData<A>);

impl<const W: usize, A: Arbiters<W>> Discipline<W> for InTurn<A> {
    type Arbiters = A;

    fn new(_: &Layout<W>) -> Self {
        Self(PhantomData)
    }

    fn arbiters(layout: &Layout<W>, costs: &RouterCosts) -> A {
        A::new(layout, costs)
    }
}
