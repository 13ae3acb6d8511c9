//! The switch is allocated to branches: first to those that hold an output VC, then to head flits that bid.
//!
//! Each input port picks one of its VCs, which requests all output ports for which it has a flit. Outputs grant by themselves, so that a VC
//! can be granted several. The operands of a join that are not at its lowest input VC do not pass the switch.

use super::super::allocator::{InputFirst, PortRequests};
use super::super::config::Scratch;
use super::super::layout::Layout;
use super::super::relation::Relation;
use super::super::state::Block;
use super::super::vcset::VcSet;
use super::routing::OpenJunctions;

/// A branch that sends a flit: the index of its junction, and its own.
pub(super) type Sending = (usize, usize);

/// Replaces `ready` by the pairs of an input VC and an output port by which it has a flit to send with a credit, of those that `may_send`
/// accepts.
pub(super) fn find_ready<const W: usize, A>(
    layout: &Layout<W>,
    (open, block): (&OpenJunctions<W>, &Block<W, A>),
    now: u64,
    ready: &mut Relation<W>,
    may_send: impl Fn(usize, usize) -> bool,
) {
    ready.clear();
    for junction in &open.junctions {
        for (_, output) in junction.sending(now) {
            let port = layout.port_of(output);
            if block.with_credit.contains(output) && may_send(junction.lead(), port) {
                ready.insert(junction.lead(), port);
            }
        }
    }
}

/// Allocates the switch to the `ready` pairs. Returns the branches that send.
pub(super) fn allocate<const W: usize>(
    layout: &Layout<W>,
    open: &OpenJunctions<W>,
    block: &mut Block<W, InputFirst<W>>,
    scratch: &mut Scratch<W>,
    ready: &Relation<W>,
) -> Vec<Sending> {
    let requests = PortRequests { inputs: ready.inputs, pairs: ready };
    let granted = block.allocator.allocate_forks(&layout.ports, requests, VcSet::EMPTY, &mut scratch.matching);
    granted.into_iter().filter_map(|(input, port)| branch_at(layout, open, input, port)).collect()
}

/// Allocates the ports that are left to the bids in `scratch`, where the branches in `sending` take theirs. Returns the branches that
/// send: those that have been granted an output VC with a credit at a port for which their bid is granted.
pub(super) fn allocate_bids<const W: usize>(
    layout: &Layout<W>,
    open: &OpenJunctions<W>,
    block: &mut Block<W, InputFirst<W>>,
    scratch: &mut Scratch<W>,
    sending: &[Sending],
) -> Vec<Sending> {
    let Scratch { bids, matching, .. } = scratch;
    let mut used_ports = VcSet::EMPTY;
    for &(junction, branch) in sending {
        if let Some(output) = open.junctions[junction].branches[branch].output {
            used_ports.insert(layout.port_of(output));
        }
    }
    let requests = PortRequests { inputs: bids.inputs, pairs: bids };
    let granted = block.allocator.allocate_forks(&layout.ports, requests, used_ports, matching);
    bids.clear();
    let mut sends = Vec::new();
    for (input, port) in granted {
        let branch = branch_at(layout, open, input, port);
        let has_credit = |&(junction, branch): &Sending| {
            let output = open.junctions[junction].branches[branch].output;
            output.is_some_and(|output| block.with_credit.contains(output))
        };
        sends.extend(branch.filter(has_credit));
    }
    sends
}

/// The branch of the junction led by input VC `input` that holds an output VC of `port`.
fn branch_at<const W: usize>(
    layout: &Layout<W>,
    open: &OpenJunctions<W>,
    input: usize,
    port: usize,
) -> Option<Sending> {
    let is_led = |junction: &super::junction::Junction<W>| junction.is_complete() && junction.lead() == input;
    let junction = open.junctions.iter().position(is_led)?;
    let at_port = |output: Option<usize>| output.is_some_and(|output| layout.port_of(output) == port);
    let branch = open.junctions[junction].branches.iter().position(|branch| at_port(branch.output))?;
    Some((junction, branch))
}
