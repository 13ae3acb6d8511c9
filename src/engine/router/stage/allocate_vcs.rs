//! Head flits request output VCs and, on speculation, the switch.

use super::super::config::Scratch;
use super::super::routing::Routing;
use super::super::state::{Block, Usable};
use super::Cycle;

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
        let preferred = block.candidates[head].preferred & open;
        let escape = block.candidates[head].escape & open;
        let best = if preferred.is_empty() { escape } else { preferred };
        if best.is_empty() {
            block.waiting.requesting.remove(head);
            block.waiting.blocked.insert(head);
            continue;
        }
        let best = routing.select(layout, block, best);
        requests.insert(head, best.first_after(block.inputs[head].last_output.into()));
        if (usable.ready & block.inputs[head].port).is_empty() {
            let mut open = (preferred | escape) & usable.outputs;
            while let Some(output) = open.first() {
                bids.insert(head, layout.port_of(output));
                open -= layout.port_set(output);
            }
        }
    }
    while let Some((output, heads)) = requests.take() {
        let winner = heads.first_after(block.outputs[output].owner.into());
        block.grant(layout, winner, output);
        granted(block, winner, output);
    }
}
