//! The switch is allocated: first to flits that hold an output VC, then to head flits that bid speculatively.

use super::super::allocator::{InputFirst, Matching, PortRequests};
use super::super::config::{Scratch, Speculation};
use super::super::flow::Flow;
use super::super::layout::Layout;
use super::super::state::Block;
use super::super::vcset::VcSet;
use super::Traversal;
use crate::engine::router::Traffic;

/// Allocates the switch input-first to VCs that are `ready` and to head flits that bid, and sends a flit from each that is granted it.
#[inline(always)]
pub(crate) fn allocate_switch<const W: usize, F: Flow<W>, T: Traffic>(
    layout: &Layout<W>,
    block: &mut Block<W, InputFirst<W>>,
    scratch: &mut Scratch<W>,
    ready: VcSet<W>,
    traversal: &mut Traversal<'_, W, F, T>,
) {
    let contested = grant_uncontested(layout, block, ready, traversal);
    if !contested.is_empty() {
        for vc in allocate_contested(layout, block, &mut scratch.matching, contested) {
            traversal.send(block, vc);
        }
    }
    if !scratch.bids.is_empty() {
        for vc in allocate_bids(layout, block, scratch, traversal.inputs) {
            traversal.send(block, vc);
        }
    }
}

/// Sends a flit from each VC that is `ready`, and on speculation from those whose head flits have been granted an output VC since.
///
/// Where every port has one VC, nothing contends for the switch: one packet holds the VC of an output port, and no flit is in
/// front of a head flit. Those that bid for an output port request its only VC, so that the one that is granted the VC wins.
#[inline(always)]
pub(crate) fn grant_all<const W: usize, A, F: Flow<W>, T: Traffic>(
    block: &mut Block<W, A>,
    ready: VcSet<W>,
    speculation: Speculation,
    traversal: &mut Traversal<'_, W, F, T>,
) {
    let bids = if speculation == Speculation::On { block.ready() - ready } else { VcSet::EMPTY };
    for vc in ready {
        traversal.send(block, vc);
    }
    for vc in bids {
        traversal.send(block, vc);
    }
}

/// Grants the requests that share no port with another, and returns the others.
#[inline(always)]
fn grant_uncontested<const W: usize, F: Flow<W>, T: Traffic>(
    layout: &Layout<W>,
    block: &mut Block<W, InputFirst<W>>,
    requests: VcSet<W>,
    traversal: &mut Traversal<'_, W, F, T>,
) -> VcSet<W> {
    let mut contested = VcSet::<W>::EMPTY;
    let mut left = requests;
    while let Some(vc) = left.first() {
        let output = layout.port_of(block.inputs[vc].output.into());
        let sharing = requests & (block.inputs[vc].port | block.holds.inputs_of(output));
        left -= sharing;
        if sharing == VcSet::single(vc) {
            block.allocator.uncontested(&layout.ports, vc, output);
            traversal.send(block, vc);
        } else {
            contested |= sharing; // each of them shares a port with `vc`
        }
    }
    contested
}

/// Returns those of the requests `contested` that are granted.
#[inline(never)]
fn allocate_contested<const W: usize>(
    layout: &Layout<W>,
    block: &mut Block<W, InputFirst<W>>,
    matching: &mut Matching<W>,
    contested: VcSet<W>,
) -> VcSet<W> {
    let requests = PortRequests { inputs: contested, pairs: &block.holds };
    block.allocator.allocate_among(&layout.ports, requests, VcSet::EMPTY, matching);
    matching.take()
}

/// Returns the head flits that are granted the switch and can use it, as they were granted an output VC with a credit at that
/// port. Output ports of the VCs that are `sending` are taken.
#[inline(always)]
fn allocate_bids<const W: usize>(
    layout: &Layout<W>,
    block: &mut Block<W, InputFirst<W>>,
    scratch: &mut Scratch<W>,
    sending: VcSet<W>,
) -> VcSet<W> {
    let Scratch { bids, matching, .. } = scratch;
    let mut taken = VcSet::<W>::EMPTY;
    let mut contested = VcSet::<W>::EMPTY;
    let mut sends = VcSet::<W>::EMPTY;
    for output in bids.outputs() {
        let is_taken = !(block.holds.inputs_of(output) & sending).is_empty();
        if is_taken {
            taken.insert(output);
        }
        match bids.inputs_of(output).single_member() {
            Some(input) if bids.is_alone(input, block.inputs[input].port) => {
                if !is_taken {
                    block.allocator.uncontested(&layout.ports, input, output);
                    sends |= bids.inputs_of(output) & block.holds.inputs_of(output);
                }
            }
            _ => contested |= bids.inputs_of(output),
        }
    }
    if !contested.is_empty() {
        let requests = PortRequests { inputs: contested, pairs: bids };
        block.allocator.allocate_among(&layout.ports, requests, taken, matching);
        for input in matching.take() {
            sends |= VcSet::single(input) & block.holds.inputs_of(matching.output(input));
        }
    }
    bids.clear();
    sends & block.credited
}
