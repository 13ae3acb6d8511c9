//! Output VCs are granted to branches: in turn, or to the first that has requested them.

use super::super::allocator::InputFirst;
use super::super::config::Scratch;
use super::super::layout::Layout;
use super::super::routing::Routing;
use super::super::state::{Block, Usable};
use super::super::vcset::{VcSet, short};
use super::junction::{Branch, Junction};
use super::routing::{OpenJunctions, Trees};

/// A grant of an output VC to a branch of an open junction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BranchGrant {
    /// The index of the junction.
    pub(super) junction: usize,
    /// The index of the branch.
    pub(super) branch: usize,
    /// The output VC.
    pub(super) output: usize,
}

/// The output VCs that branches can be granted: those that no packet holds, and whose buffer is empty if it has to be.
fn open_vcs<const W: usize, A>(block: &Block<W, A>) -> VcSet<W> {
    block.free & block.empty
}

/// Grants the output VC of `grant` to its branch.
pub(super) fn grant<const W: usize, A>(open: &mut OpenJunctions<W>, block: &mut Block<W, A>, grant: BranchGrant) {
    let BranchGrant { junction, branch, output } = grant;
    let junction = &mut open.junctions[junction];
    let lead = junction.lead();
    junction.branches[branch].output = Some(output);
    block.inputs[lead].last_output = short(output);
    block.outputs[output].owner = short(lead);
    block.free.remove(output);
}

/// Each branch that is to be served next requests an output VC, and each output VC is granted to one of its requests, both round robin. A
/// junction keeps a grant if all branches to nodes before it have theirs; others are wasted. Head flits bid for the switch, if no flit
/// at their port is ready, a branch for one output port: the bids are left in `scratch`. Returns the grants that are kept.
pub(super) fn in_turn<const W: usize>(
    layout: &Layout<W>,
    routing: &Trees<'_, W>,
    (open, block): (&mut OpenJunctions<W>, &mut Block<W, InputFirst<W>>),
    scratch: &mut Scratch<W>,
    usable: Usable<W>,
    now: u64,
) -> Vec<BranchGrant> {
    let Scratch { requests, bids, .. } = scratch;
    let free = open_vcs(block);
    for junction in open.junctions.iter_mut().filter(|junction| junction.requests()) {
        let lead = junction.lead();
        let may_bid = ((usable.ready & block.inputs[lead].port) - VcSet::single(lead)).is_empty();
        for at in junction.requesting(|branch| !(branch.candidates & free).is_empty()) {
            let branch = &mut junction.branches[at];
            branch.requested.get_or_insert(now);
            let all = branch.candidates & free;
            let best = routing.select(layout, block, all);
            requests.insert(lead, best.first_after(block.inputs[lead].last_output.into()));
            let ports = ports_of(layout, all & usable.outputs);
            if may_bid && !ports.is_empty() {
                bids.insert(lead, block.allocator.next_output(&layout.ports, lead, ports));
            }
        }
        request_others(junction, now);
    }
    let mut granted: Vec<Vec<(usize, usize)>> = vec![Vec::new(); open.junctions.len()];
    while let Some((output, heads)) = requests.take() {
        let winner = heads.first_after(block.outputs[output].owner.into());
        block.outputs[output].owner = short(winner);
        let index = open.junctions.iter().position(|junction| junction.is_complete() && junction.lead() == winner);
        let branch = index.and_then(|index| open.junctions[index].branch_for(output));
        if let (Some(index), Some(branch)) = (index, branch) {
            granted[index].push((branch, output));
        }
    }
    let mut grants = Vec::new();
    for (junction, granted) in granted.iter().enumerate().filter(|(_, granted)| !granted.is_empty()) {
        for (branch, output) in open.junctions[junction].keep_grants(granted) {
            let granted = BranchGrant { junction, branch, output };
            grant(open, block, granted);
            grants.push(granted);
        }
    }
    grants
}

/// Notes the cycle of the first request of branches to which no output VC is free: the first one to a node, or links if there is none.
fn request_others<const W: usize>(junction: &mut Junction<W>, now: u64) {
    for branch in junction.branches.iter_mut().filter(|branch| branch.output.is_none()) {
        branch.requested.get_or_insert(now);
        if branch.is_to_node() {
            break;
        }
    }
}

/// The output ports of `outputs`.
fn ports_of<const W: usize>(layout: &Layout<W>, mut outputs: VcSet<W>) -> VcSet<W> {
    let mut ports = VcSet::EMPTY;
    while let Some(output) = outputs.first() {
        ports.insert(layout.port_of(output));
        outputs -= layout.port_set(output);
    }
    ports
}

/// Grants output VCs in the order of requests, of those with the same cycle in that of messages: ejection channels first, in the order of
/// nodes, so that junctions that are granted one can request the next, and then links. Returns the grants.
pub(super) fn first_come<const W: usize, A>(
    layout: &Layout<W>,
    routing: &Trees<'_, W>,
    (open, block): (&mut OpenJunctions<W>, &mut Block<W, A>),
    now: u64,
) -> Vec<BranchGrant> {
    let mut granted = Vec::new();
    let mut nodes: Vec<u32> = open.junctions.iter().filter_map(next_node).collect();
    while let Some(node) = nodes.iter().copied().min() {
        let is_next = |junction: &Junction<W>| next_node(junction) == Some(node);
        let queue = queue(open, now, |junction, branch| is_next(junction) && branch.is_to_node());
        let before = granted.len();
        serve(layout, routing, (&mut *open, &mut *block), &queue, &mut granted);
        nodes.retain(|&other| other != node);
        let later = granted[before..].iter().filter_map(|grant| next_node(&open.junctions[grant.junction]));
        nodes.extend(later.filter(|&next| next > node));
    }
    let links = queue(open, now, |junction, branch| next_node(junction).is_none() && !branch.is_to_node());
    serve(layout, routing, (open, block), &links, &mut granted);
    granted
}

/// The node whose ejection channel `junction` requests next, if it requests one.
fn next_node<const W: usize>(junction: &Junction<W>) -> Option<u32> {
    if !junction.requests() {
        return None;
    }
    let next = junction.branches.iter().find(|branch| branch.output.is_none())?;
    match next.planned.target {
        super::plan::Target::Node(node) => Some(node),
        super::plan::Target::Link(_) => None,
    }
}

/// A request of a branch, by the cycle in which it was made and the message.
type Request = (u64, u32, usize, usize);

/// The requests of the branches without an output VC that `serves`, the one to be served first in front. Only the first branch
/// to a node of a junction counts.
fn queue<const W: usize>(
    open: &mut OpenJunctions<W>,
    now: u64,
    serves: impl Fn(&Junction<W>, &Branch<W>) -> bool,
) -> Vec<Request> {
    let mut queue = Vec::new();
    for (at, junction) in open.junctions.iter_mut().enumerate().filter(|(_, junction)| junction.requests()) {
        let waiting = |branch: &Branch<W>| branch.output.is_none() && serves(junction, branch);
        let all: Vec<usize> = (0..junction.branches.len()).filter(|&of| waiting(&junction.branches[of])).collect();
        let only_first = all.first().is_some_and(|&of| junction.branches[of].is_to_node());
        for of in all.into_iter().take(if only_first { 1 } else { usize::MAX }) {
            let requested = *junction.branches[of].requested.get_or_insert(now);
            queue.push((requested, junction.worm, at, of));
        }
    }
    queue.sort_unstable();
    queue
}

/// Grants each request in `queue` the lowest of its output VCs, if one is free and empty.
fn serve<const W: usize, A>(
    layout: &Layout<W>,
    routing: &Trees<'_, W>,
    (open, block): (&mut OpenJunctions<W>, &mut Block<W, A>),
    queue: &[Request],
    granted: &mut Vec<BranchGrant>,
) {
    for &(_, _, junction, branch) in queue {
        let free = open.junctions[junction].branches[branch].candidates & open_vcs(block);
        if free.is_empty() {
            continue;
        }
        if let Some(output) = routing.select(layout, block, free).first() {
            let of_branch = BranchGrant { junction, branch, output };
            grant(open, block, of_branch);
            granted.push(of_branch);
        }
    }
}
