//! VC allocation, and the bids of head flits for the switch.

use super::super::allocator::{Level, Levels, Requests};
use super::super::flow::Flow;
use super::super::layout::Layout;
use super::super::packets::Packets;
use super::super::routing::Routing;
use super::super::stage::{Cycle, grant_event};
use super::super::state::Block;
use super::super::traffic::Endpoints;
use super::super::vcset::{VcArray, VcSet, short};
use super::{Staged, Stages, State, VcGrants, buffers};
use crate::engine::router::{AdaptiveChoice, BidChecks, Microarchitecture, Priority, Switching, Traffic};

/// VC requests that take effect later, with their grants.
pub(super) struct VcRound<const W: usize> {
    /// The head flits that have requested something.
    pub(super) requesting: VcSet<W>,
    /// Input VCs and the output VCs that are granted to them.
    grants: Vec<(u16, u16)>,
}

/// The VCs that were granted last, where a grant of the switch grants a VC.
pub(super) struct Piggyback<const W: usize> {
    /// Per output port, at its first VC, the VC that was granted last.
    last: VcArray<u16, W>,
}

impl<const W: usize> Piggyback<W> {
    /// Creates the state before the first cycle, in which the last VC of a port comes first.
    pub(super) fn new(layout: &Layout<W>) -> Self {
        let before_last = layout.numbering.vcs.saturating_sub(2);
        Self { last: VcArray::numbered(|vc| layout.port_of(vc) + before_last) }
    }

    /// Notes that `output`, a VC of port `port`, has been granted.
    pub(super) fn grant(&mut self, port: usize, output: usize) {
        self.last[port] = short(output);
    }
}

/// Returns true if head flit `head` is at the router of its node, which would not admit it now.
fn is_refused<const W: usize, T: Traffic>(
    layout: &Layout<W>,
    block: &Block<W, Stages<W>>,
    packets: &Packets,
    traffic: &Endpoints<T>,
    head: usize,
) -> bool {
    let leaves = !(block.candidates[head].preferred & layout.of_nodes).is_empty();
    leaves && !traffic.nodes.has_room(packets[block.inputs[head].packet].number)
}

/// The output VCs that a head flit may request in a step.
struct Open<const W: usize> {
    /// VCs that are free to it, by the preference of its route.
    preferred: VcSet<W>,
    escape: VcSet<W>,
}

impl<const W: usize> Open<W> {
    fn all(&self) -> VcSet<W> {
        self.preferred | self.escape
    }
}

impl<const W: usize, const OPTIONS: bool> Staged<W, OPTIONS> {
    /// Collects the requests of head flits for output VCs, and their bids for the switch.
    #[inline(always)]
    pub(super) fn request_vcs<R: Routing<W>, T: Traffic>(
        &mut self,
        layout: &Layout<W>,
        routing: &R,
        block: &mut Block<W, Stages<W>>,
        (packets, traffic): (&Packets, &Endpoints<T>),
        state: State<W>,
    ) {
        let is_allocated = !OPTIONS || matches!(block.allocator.vc_allocator, VcGrants::Allocated(_));
        let mut requesting = block.waiting.requesting;
        if OPTIONS {
            for round in block.allocator.vcs_under_way.items() {
                requesting -= round.requesting;
            }
        }
        let mut open = if R::ADAPTIVE { block.free & block.empty } else { block.free };
        if OPTIONS && self.costs.microarchitecture.vc_requests.busy_when_full {
            open &= block.with_credit;
        }
        for head in block.waiting.requesting {
            if traffic.is_limited() && is_refused(layout, block, packets, traffic, head) {
                continue; // it looks again in the next step
            }
            let open = self.open_to(layout, block, packets, head, open);
            if open.all().is_empty() && requesting.contains(head) && self.wakes_waiting_heads() {
                block.waiting.requesting.remove(head);
                block.waiting.blocked.insert(head);
                continue;
            }
            if is_allocated && requesting.contains(head) {
                let outputs = self.choose(layout, routing, block, &open);
                self.requests.vcs.insert_all(self.vcs.input_of(head), outputs);
            }
            self.bid(layout, block, head, &open, state);
        }
    }

    /// The VCs among `open` that are free to the packet of head flit `head`.
    #[inline(always)]
    fn open_to(
        &self,
        layout: &Layout<W>,
        block: &Block<W, Stages<W>>,
        packets: &Packets,
        head: usize,
        open: VcSet<W>,
    ) -> Open<W> {
        let candidates = block.candidates[head];
        let mut open = Open { preferred: candidates.preferred & open, escape: candidates.escape & open };
        if self.sends_whole_packets() {
            for vc in open.all() {
                if !self.has_room(layout, block, packets, head, vc) {
                    open.preferred.remove(vc);
                    open.escape.remove(vc);
                }
            }
        }
        open
    }

    /// Returns true if packets enter only buffers with room for all their flits.
    #[inline(always)]
    fn sends_whole_packets(&self) -> bool {
        OPTIONS && self.costs.microarchitecture.switching != Switching::Wormhole
    }

    /// Returns true if the buffer behind output VC `vc` has room for the packet of head flit `head`.
    fn has_room(
        &self,
        layout: &Layout<W>,
        block: &Block<W, Stages<W>>,
        packets: &Packets,
        head: usize,
        vc: usize,
    ) -> bool {
        buffers::room(layout, block, vc) >= packets[block.inputs[head].packet].flits
    }

    /// Returns true if a head flit to which no VC is free can wait until a VC of its router comes free or empty.
    #[inline(always)]
    fn wakes_waiting_heads(&self) -> bool {
        let Microarchitecture { bids, switching, vc_requests, .. } = self.costs.microarchitecture;
        !OPTIONS || bids.checks != BidChecks::None && switching == Switching::Wormhole && !vc_requests.busy_when_full
    }

    /// The VCs among `open` that a head flit requests.
    #[inline(always)]
    fn choose<R: Routing<W>>(
        &self,
        layout: &Layout<W>,
        routing: &R,
        block: &Block<W, Stages<W>>,
        open: &Open<W>,
    ) -> VcSet<W> {
        if OPTIONS && self.costs.microarchitecture.vc_requests.adaptive == AdaptiveChoice::RoundRobin {
            return open.all();
        }
        let best = if open.preferred.is_empty() { open.escape } else { open.preferred };
        if best.is_empty() { best } else { routing.select(layout, block, best) }
    }

    /// Lets head flit `head` bid for output ports.
    #[inline(always)]
    fn bid(&mut self, layout: &Layout<W>, block: &Block<W, Stages<W>>, head: usize, open: &Open<W>, state: State<W>) {
        let has_none_left = OPTIONS && block.inputs[head].flits <= block.allocator.promised[head].into();
        if !self.costs.speculative || has_none_left {
            return;
        }
        let candidates = block.candidates[head];
        let mut outputs = match self.costs.microarchitecture.bids.checks {
            BidChecks::Credit => open.all() & block.with_credit,
            BidChecks::Free => open.all(),
            BidChecks::None => candidates.preferred | candidates.escape,
        } - state.closed;
        while let Some(output) = outputs.first() {
            self.requests.bidding.insert(head, layout.port_of(output));
            outputs -= layout.port_set(output);
        }
    }

    /// Grants output VCs to head flits that request them.
    #[inline(always)]
    pub(super) fn allocate_vcs<F: Flow<W>, T: Traffic>(
        &mut self,
        cycle: Cycle<'_, W>,
        flow: &F,
        block: &mut Block<W, Stages<W>>,
        packets: &Packets,
        traffic: &mut Endpoints<T>,
    ) {
        let mut grant = |block: &mut Block<W, Stages<W>>, input: usize, output: usize| {
            let layout = cycle.layout;
            let number = packets[block.inputs[input].packet].number;
            if traffic.is_limited() && layout.of_nodes.contains(output) && !traffic.nodes.admits(number) {
                return; // its node has admitted another packet in this step
            }
            block.grant(layout, input, output);
            traffic.event(grant_event(cycle, flow, block, input, output), packets);
        };
        if !self.requests.vcs.is_empty() {
            self.set_vc_levels(cycle.layout, block, packets);
            self.match_vcs(block);
            if !OPTIONS || block.allocator.vcs_under_way.is_immediate() {
                self.take_vc_grants(block, &mut grant);
            } else {
                self.enter_vc_round(cycle.now, block);
            }
            self.requests.vcs.clear();
        }
        while OPTIONS && let Some(round) = block.allocator.vcs_under_way.leave(cycle.now) {
            for (input, output) in round.grants {
                let [input, output] = [input, output].map(usize::from);
                // another head flit may have been granted it since
                if (block.free & block.empty).contains(output)
                    && (!self.sends_whole_packets() || self.has_room(cycle.layout, block, packets, input, output))
                {
                    grant(block, input, output);
                }
            }
        }
    }

    /// Lets the VC allocator match the requests.
    #[inline(always)]
    fn match_vcs(&mut self, block: &mut Block<W, Stages<W>>) {
        let levels = if self.has_vc_levels() { Levels::Each(&self.requests.levels) } else { Levels::Equal };
        let requests = Requests { pairs: &self.requests.vcs, levels };
        if let VcGrants::Allocated(allocator) = &mut block.allocator.vc_allocator {
            allocator.allocate(&self.vcs, requests, &mut self.requests.matching);
        }
    }

    /// Calls `grant` with the input VC and the output VC of each grant of the matching.
    #[inline(always)]
    fn take_vc_grants(
        &mut self,
        block: &mut Block<W, Stages<W>>,
        mut grant: impl FnMut(&mut Block<W, Stages<W>>, usize, usize),
    ) {
        for input in self.requests.matching.take() {
            let output = self.requests.matching.output(input);
            for vc in self.vcs.members(input) {
                grant(block, vc, output);
            }
        }
    }

    /// Lets the requests and the grants of the matching take effect later.
    fn enter_vc_round(&mut self, now: u64, block: &mut Block<W, Stages<W>>) {
        let mut requesting = VcSet::EMPTY;
        for input in self.requests.vcs.inputs {
            requesting |= self.vcs.members(input);
        }
        let mut grants = Vec::new();
        self.take_vc_grants(block, |_, input, output| grants.push((short(input), short(output))));
        block.allocator.vcs_under_way.enter(now, VcRound { requesting, grants });
    }

    /// Returns true if VC requests differ in their priority.
    #[inline(always)]
    fn has_vc_levels(&self) -> bool {
        let Microarchitecture { priority, vc_requests, .. } = self.costs.microarchitecture;
        let have_levels = priority.priority != Priority::None
            || vc_requests.prefer_empty
            || vc_requests.adaptive == AdaptiveChoice::RoundRobin;
        OPTIONS && have_levels
    }

    /// Sets the priorities of VC requests.
    #[inline(always)]
    fn set_vc_levels(&mut self, layout: &Layout<W>, block: &Block<W, Stages<W>>, packets: &Packets) {
        if !self.has_vc_levels() {
            return;
        }
        self.requests.levels.clear();
        for input in self.requests.vcs.inputs {
            let Some(head) = self.vcs.members(input).first() else { continue };
            let of_packet = self.priorities.priority(layout, block, packets, head);
            for output in self.requests.vcs.outputs_of(input) {
                let level = Level { output: of_packet, input: self.route_priority(block, head, output) };
                self.requests.levels.set(input, output, level);
            }
        }
    }

    /// The priority that a head flit gives output VC `output`.
    fn route_priority(&self, block: &Block<W, Stages<W>>, head: usize, output: usize) -> i64 {
        let requests = self.costs.microarchitecture.vc_requests;
        let escapes = requests.adaptive == AdaptiveChoice::RoundRobin && block.candidates[head].escape.contains(output);
        let buffer = &block.outputs[output];
        let is_occupied = requests.prefer_empty && buffer.credits < u32::from(buffer.buffer);
        // an occupied VC comes after all empty ones, whatever the route prefers
        -i64::from(escapes) - 2 * i64::from(is_occupied)
    }

    /// The VC of output port `port` for head flit `head`, which has been granted the switch and gets a VC with it: one that it may request
    /// and that has a credit. The VCs that its route prefers come first, then the next one in turn.
    pub(super) fn vc_of_switch_grant(
        &self,
        layout: &Layout<W>,
        block: &Block<W, Stages<W>>,
        packets: &Packets,
        head: usize,
        port: usize,
    ) -> Option<usize> {
        let VcGrants::Piggyback(turns) = &block.allocator.vc_allocator else { return None };
        let free = block.free & block.empty & block.with_credit & layout.port_set(port);
        let mut best = VcSet::<W>::EMPTY;
        let mut most = i64::MIN;
        for output in self.open_to(layout, block, packets, head, free).all() {
            let priority = self.route_priority(block, head, output);
            if priority > most {
                most = priority;
                best = VcSet::EMPTY;
            }
            if priority == most {
                best.insert(output);
            }
        }
        (!best.is_empty()).then(|| best.first_after(turns.last[port].into()))
    }
}
