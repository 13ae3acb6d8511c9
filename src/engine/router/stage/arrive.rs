//! Flits arrive in buffers, and credits at outputs and sources.

use super::super::active::ActiveSet;
use super::super::flow::Flow;
use super::super::routing::Routing;
use super::super::source::Sources;
use super::super::state::Block;
use super::Cycle;

/// Adds flits that arrive to their buffers.
#[inline(never)]
pub(crate) fn flits_arrive<const W: usize, A, F: Flow<W>>(
    cycle: Cycle<'_, W>,
    flow: &mut F,
    blocks: &mut [Block<W, A>],
    active: &mut ActiveSet,
) {
    flow.arrivals(cycle.now, cycle.layout, blocks, |block, vc, flits| block.arrive(vc, flits, active));
}

/// Adds credits that arrive to the outputs and sources that fill the buffers. Calls `emptied` with each block and output VC whose
/// buffer is known to be empty from then on, where that matters ([`Routing::ADAPTIVE`]).
#[inline(never)]
pub(crate) fn credits_arrive<const W: usize, R: Routing<W>, A, F: Flow<W>>(
    cycle: Cycle<'_, W>,
    flow: &mut F,
    blocks: &mut [Block<W, A>],
    active: &mut ActiveSet,
    sources: &mut Sources,
    mut emptied: impl FnMut(&Block<W, A>, usize),
) {
    let Cycle { now, layout, .. } = cycle;
    let mut credit = |block: &mut Block<W, A>, vc, credits| {
        credit_arrives::<W, R, A>(cycle, block, (vc, credits), active, &mut emptied);
    };
    flow.credits(now, layout, blocks, |blocks, to, credits| {
        if to.is_node() {
            let (source, vc) = layout.source(to);
            sources.credit(now, source, vc, credits);
        } else {
            let (block, vc) = to.split();
            credit(&mut blocks[block], vc, credits);
        }
    });
}

/// Adds credits for slots of nodes that arrive, as [`credits_arrive`] does.
#[inline(never)]
pub(crate) fn node_credits_arrive<const W: usize, R: Routing<W>, A, F: Flow<W>>(
    cycle: Cycle<'_, W>,
    flow: &mut F,
    blocks: &mut [Block<W, A>],
    active: &mut ActiveSet,
    mut emptied: impl FnMut(&Block<W, A>, usize),
) {
    let Cycle { now, layout, .. } = cycle;
    flow.node_credits(now, layout, blocks, |block, vc, credits| {
        credit_arrives::<W, R, A>(cycle, block, (vc, credits), active, &mut emptied);
    });
}

/// Adds `credits` to output VC `vc` of `block`. Calls `emptied` as [`credits_arrive`] does.
#[inline(always)]
pub(crate) fn credit_arrives<const W: usize, R: Routing<W>, A>(
    cycle: Cycle<'_, W>,
    block: &mut Block<W, A>,
    (vc, credits): (usize, u32),
    active: &mut ActiveSet,
    mut emptied: impl FnMut(&Block<W, A>, usize),
) {
    let layout = cycle.layout;
    block.credit(vc, credits, active);
    if R::ADAPTIVE && layout.exclusive.contains(vc) && block.finds_empty(layout, vc, active) {
        emptied(block, vc);
    }
}
