//! Head flits request output VCs and, on speculation, the switch.

use super::super::config::Scratch;
use super::super::layout::Layout;
use super::super::relation::Relation;
use super::super::routing::Routing;
use super::super::state::{Block, Usable};
use super::super::vcset::VcSet;
use super::Cycle;

/// Output VCs that are free to a head flit.
struct Free<const W: usize> {
    /// Those that it takes for an output port of its route.
    all: VcSet<W>,
    /// Those that it requests: preferred ones if any is free.
    best: VcSet<W>,
}

/// The output VCs among `open` that are free to the head flit of input VC `head`. It is blocked if there is none.
#[inline(always)]
fn free<const W: usize, A>(block: &mut Block<W, A>, open: VcSet<W>, head: usize) -> Option<Free<W>> {
    let preferred = block.candidates[head].preferred & open;
    let escape = block.candidates[head].escape & open;
    let best = if preferred.is_empty() { escape } else { preferred };
    if best.is_empty() {
        block.waiting.requesting.remove(head);
        block.waiting.blocked.insert(head);
        return None;
    }
    Some(Free { all: preferred | escape, best })
}

/// Adds bids of `head` for the ports of `outputs`.
#[inline(always)]
fn bid<const W: usize>(layout: &Layout<W>, bids: &mut Relation<W>, head: usize, mut outputs: VcSet<W>) {
    while let Some(output) = outputs.first() {
        bids.insert(head, layout.port_of(output));
        outputs -= layout.port_set(output);
    }
}

/// Each head flit requests a free output VC, and each output VC is granted to one of its requests, both round robin. Head flits
/// at ports without a flit that is ready bid for the switch: the bids are left in `scratch`. Calls `granted` with the input VC
/// and the output VC of each grant.
#[inline(always)]
pub(crate) fn allocate_vcs<const W: usize, R: Routing<W>, A>(
    cycle: Cycle<'_, W>,
    routing: &R,
    block: &mut Block<W, A>,
    scratch: &mut Scratch<W>,
    usable: Usable<W>,
    mut granted: impl FnMut(&Block<W, A>, usize, usize),
) {
    let Cycle { layout, .. } = cycle;
    let Scratch { requests, bids, .. } = scratch;
    let open = if R::ADAPTIVE { block.free & block.empty } else { block.free };
    for head in block.waiting.requesting {
        let Some(Free { all, best }) = free(block, open, head) else { continue };
        let best = routing.select(layout, block, best);
        requests.insert(head, best.first_after(block.inputs[head].last_output.into()));
        if (usable.ready & block.inputs[head].port).is_empty() {
            bid(layout, bids, head, all & usable.outputs);
        }
    }
    while let Some((output, heads)) = requests.take() {
        let winner = heads.first_after(block.outputs[output].owner.into());
        block.grant(layout, winner, output);
        granted(block, winner, output);
    }
}
