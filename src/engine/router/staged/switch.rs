//! Switch allocation: to flits that hold an output VC, and to head flits that bid.

use super::super::allocator::{Level, Levels, Requests};
use super::super::flow::Flow;
use super::super::layout::Layout;
use super::super::packets::Packets;
use super::super::stage::{Traversal, grant_event};
use super::super::state::Block;
use super::super::vcset::{VcSet, short};
use super::{Staged, Stages, State, VcGrants};
use crate::engine::router::{BidMask, Priority, Traffic};

/// The priority of bids: below that of all other requests.
const BID: i64 = -(1 << 62);

/// A grant of the switch that takes effect in a later cycle.
#[derive(Clone, Copy)]
pub(super) struct SwitchGrant {
    /// The input VC.
    vc: u16,
    /// The output port.
    port: u16,
}

/// A grant of the switch to an input VC, for an output port.
#[derive(Clone, Copy)]
struct Winner {
    vc: usize,
    port: usize,
}

impl<const W: usize, const OPTIONS: bool> Staged<W, OPTIONS> {
    /// The output of the crossbar by which flits of input VC `vc` leave for output port `port`.
    #[inline(always)]
    pub(super) fn output(&self, vc: usize, port: usize) -> usize {
        if OPTIONS { port + usize::from(self.output_of_port[vc]) } else { port }
    }

    /// Allocates the switch and sends a flit from each input VC that is granted it and can use it.
    #[inline(always)]
    pub(super) fn allocate_switch<F: Flow<W>, T: Traffic>(
        &mut self,
        block: &mut Block<W, Stages<W>>,
        state: State<W>,
        traversal: &mut Traversal<'_, W, F, T>,
    ) {
        let layout = traversal.cycle.layout;
        let connected = if state.held.is_empty() { VcSet::EMPTY } else { self.connected(layout, block, state) };
        let ready = state.ready - connected;
        if !self.requests.bidding.is_empty() || self.has_levels() {
            self.request(layout, block, ready);
            self.request_bids(state);
            self.match_switch(layout, block, ready, traversal);
            self.requests.switch.clear();
            self.requests.bids.clear();
            self.requests.bidding.clear();
        } else if !ready.is_empty() {
            self.grant_or_request(block, ready, traversal);
            if self.requests.switch.is_empty() {
                block.allocator.switch.end(&self.crossbar);
            } else {
                self.match_ordinary(block, ready, traversal);
                self.requests.switch.clear();
            }
        }
        if OPTIONS {
            self.end_switch_rounds(block, traversal);
        }
    }

    /// Grants the switch to those of the VCs `ready` that contend with no other, and requests it for the others.
    #[inline(always)]
    fn grant_or_request<F: Flow<W>, T: Traffic>(
        &mut self,
        block: &mut Block<W, Stages<W>>,
        ready: VcSet<W>,
        traversal: &mut Traversal<'_, W, F, T>,
    ) {
        let layout = traversal.cycle.layout;
        for vc in ready {
            let port = layout.port_of(block.inputs[vc].output.into());
            let [input, output] = [self.crossbar.input_of(vc), self.output(vc, port)];
            let contending = self.crossbar.members(input) | block.holds.inputs_of(port);
            if contending & ready == VcSet::single(vc) {
                block.allocator.switch.record(&self.crossbar, input, output);
                self.grant(block, traversal, Winner { vc, port });
            } else {
                self.requests.switch.insert(input, output);
            }
        }
    }

    /// Requests the switch for the VCs `ready`.
    fn request(&mut self, layout: &Layout<W>, block: &Block<W, Stages<W>>, ready: VcSet<W>) {
        for vc in ready {
            let output = self.output(vc, layout.port_of(block.inputs[vc].output.into()));
            self.requests.switch.insert(self.crossbar.input_of(vc), output);
        }
    }

    /// Requests outputs of the crossbar for head flits that bid, where no packet has connected the input or the output.
    fn request_bids(&mut self, state: State<W>) {
        for vc in self.requests.bidding.inputs {
            for port in self.requests.bidding.outputs_of(vc) {
                let output = self.output(vc, port);
                let input = self.crossbar.input_of(vc);
                if !state.connected_inputs.contains(input) && !state.connected_outputs.contains(output) {
                    self.requests.bids.insert(input, output);
                }
            }
        }
    }

    /// The input VCs whose input or output of the crossbar a packet has connected.
    fn connected(&self, layout: &Layout<W>, block: &Block<W, Stages<W>>, state: State<W>) -> VcSet<W> {
        let mut connected = VcSet::EMPTY;
        for input in state.connected_inputs {
            connected |= self.crossbar.members(input);
        }
        for output in state.connected_outputs {
            let port = layout.port_of(output);
            let sharing = block.holds.inputs_of(port).into_iter().filter(|&vc| self.output(vc, port) == output);
            connected = sharing.fold(connected, VcSet::with);
        }
        connected
    }

    /// Lets the switch allocator match all requests, or an allocator of their own match the bids.
    fn match_switch<F: Flow<W>, T: Traffic>(
        &mut self,
        layout: &Layout<W>,
        block: &mut Block<W, Stages<W>>,
        ready: VcSet<W>,
        traversal: &mut Traversal<'_, W, F, T>,
    ) {
        self.set_switch_levels(layout, block, traversal.packets, ready);
        let has_ordinary = !self.requests.switch.is_empty();
        if self.requests.bids.is_empty() || OPTIONS && block.allocator.bids.is_some() {
            let granted = if has_ordinary { self.match_ordinary(block, ready, traversal) } else { VcSet::EMPTY };
            if !self.requests.bids.is_empty() {
                self.match_bids(block, granted, traversal);
            }
        } else {
            self.match_together(block, ready, traversal);
        }
    }

    /// Matches requests without bids, and returns the inputs of the crossbar that are granted an output.
    #[inline(always)]
    fn match_ordinary<F: Flow<W>, T: Traffic>(
        &mut self,
        block: &mut Block<W, Stages<W>>,
        ready: VcSet<W>,
        traversal: &mut Traversal<'_, W, F, T>,
    ) -> VcSet<W> {
        let levels = if self.has_levels() { Levels::Each(&self.requests.levels) } else { Levels::Equal };
        let requests = Requests { pairs: &self.requests.switch, levels };
        block.allocator.switch.allocate(&self.crossbar, requests, &mut self.requests.matching);
        let granted = self.requests.matching.take();
        for input in granted {
            let output = self.requests.matching.output(input);
            let winner = self.winner(block, ready, traversal, [input, output]);
            self.grant(block, traversal, winner);
        }
        granted
    }

    /// Matches bids with an allocator of their own. Those that meet an ordinary grant or request do not count. Inputs of the crossbar
    /// in `granted` have ordinary grants.
    fn match_bids<F: Flow<W>, T: Traffic>(
        &mut self,
        block: &mut Block<W, Stages<W>>,
        granted: VcSet<W>,
        traversal: &mut Traversal<'_, W, F, T>,
    ) {
        let masked = match self.costs.microarchitecture.bids.mask {
            BidMask::Grants => granted.into_iter().map(|input| self.requests.matching.output(input)).collect(),
            BidMask::Requests => self.requests.switch.outputs,
        };
        let levels = if self.has_levels() { Levels::Each(&self.requests.levels) } else { Levels::Equal };
        let requests = Requests { pairs: &self.requests.bids, levels };
        let Some(allocator) = &mut block.allocator.bids else { return };
        allocator.allocate(&self.crossbar, requests, &mut self.requests.matching);
        for input in self.requests.matching.take() - granted {
            let output = self.requests.matching.output(input);
            if !masked.contains(output) {
                let bidder = self.bidder(block, traversal, [input, output]);
                self.grant_bid(block, traversal, bidder);
            }
        }
    }

    /// Matches all requests, bids after others where the allocator knows priorities.
    #[inline(always)]
    fn match_together<F: Flow<W>, T: Traffic>(
        &mut self,
        block: &mut Block<W, Stages<W>>,
        ready: VcSet<W>,
        traversal: &mut Traversal<'_, W, F, T>,
    ) {
        for pairs in [&self.requests.switch, &self.requests.bids] {
            for input in pairs.inputs {
                self.requests.all.insert_all(input, pairs.outputs_of(input));
            }
        }
        let levels =
            if self.has_levels() { Levels::Each(&self.requests.levels) } else { Levels::Before(&self.requests.switch) };
        let requests = Requests { pairs: &self.requests.all, levels };
        block.allocator.switch.allocate(&self.crossbar, requests, &mut self.requests.matching);
        self.requests.all.clear();
        for input in self.requests.matching.take() {
            let output = self.requests.matching.output(input);
            if self.requests.switch.outputs_of(input).contains(output) {
                let winner = self.winner(block, ready, traversal, [input, output]);
                self.grant(block, traversal, winner);
            } else {
                let bidder = self.bidder(block, traversal, [input, output]);
                self.grant_bid(block, traversal, bidder);
            }
        }
    }

    /// The input VC of crossbar input `input` that takes the grant of `output`, among those that hold a VC there.
    #[inline(always)]
    fn winner<F, T>(
        &self,
        block: &Block<W, Stages<W>>,
        ready: VcSet<W>,
        traversal: &Traversal<'_, W, F, T>,
        [input, output]: [usize; 2],
    ) -> Winner {
        let layout = traversal.cycle.layout;
        let port = layout.port_of(output);
        let vcs = self.crossbar.members(input) & block.holds.inputs_of(port) & ready;
        Winner { vc: self.next_vc(layout, block, traversal.packets, input, vcs), port }
    }

    /// The input VC of crossbar input `input` that takes the grant of `output`, among those that bid.
    #[inline(always)]
    fn bidder<F, T>(
        &self,
        block: &Block<W, Stages<W>>,
        traversal: &Traversal<'_, W, F, T>,
        [input, output]: [usize; 2],
    ) -> Winner {
        let layout = traversal.cycle.layout;
        let port = layout.port_of(output);
        let vcs = self.crossbar.members(input) & self.requests.bidding.inputs_of(port);
        Winner { vc: self.next_vc(layout, block, traversal.packets, input, vcs), port }
    }

    /// The one of `vcs` with the highest priority, of several the next one in turn at crossbar input `input`.
    #[inline(always)]
    fn next_vc(
        &self,
        layout: &Layout<W>,
        block: &Block<W, Stages<W>>,
        packets: &Packets,
        input: usize,
        vcs: VcSet<W>,
    ) -> usize {
        let mut best = vcs;
        if self.has_levels() && vcs.single_member().is_none() {
            let priority = |vc| self.priorities.priority(layout, block, packets, vc);
            let most = vcs.into_iter().map(priority).max();
            best = vcs.into_iter().filter(|&vc| Some(priority(vc)) == most).collect();
        }
        let last = usize::from(block.allocator.last[input]);
        let next = layout.in_port(last) + self.turn;
        let next = if next < layout.numbering.vcs { next } else { next - layout.numbering.vcs };
        best.first_from(layout.port_of(last) + next)
    }

    /// Grants the switch to a flit that holds an output VC.
    #[inline(always)]
    fn grant<F: Flow<W>, T: Traffic>(
        &mut self,
        block: &mut Block<W, Stages<W>>,
        traversal: &mut Traversal<'_, W, F, T>,
        winner: Winner,
    ) {
        block.allocator.last[self.crossbar.input_of(winner.vc)] = short(winner.vc);
        if !OPTIONS || block.allocator.switch_under_way.is_immediate() {
            traversal.send(block, winner.vc);
        } else {
            self.promise(block, winner);
        }
    }

    /// Grants the switch to a head flit that bids.
    #[inline(always)]
    fn grant_bid<F: Flow<W>, T: Traffic>(
        &mut self,
        block: &mut Block<W, Stages<W>>,
        traversal: &mut Traversal<'_, W, F, T>,
        bidder: Winner,
    ) {
        block.allocator.last[self.crossbar.input_of(bidder.vc)] = short(bidder.vc);
        if !OPTIONS || block.allocator.switch_under_way.is_immediate() {
            self.send(block, traversal, bidder);
        } else {
            self.promise(block, bidder);
        }
    }

    /// Lets a grant take effect in a later cycle.
    fn promise(&mut self, block: &mut Block<W, Stages<W>>, Winner { vc, port }: Winner) {
        block.allocator.promised[vc] += 1;
        self.requests.later.push(SwitchGrant { vc: short(vc), port: short(port) });
    }

    /// Sends a flit of a winner, if it holds an output VC with a credit at the port. A bid is wasted if it does not.
    #[inline(always)]
    fn send<F: Flow<W>, T: Traffic>(
        &self,
        block: &mut Block<W, Stages<W>>,
        traversal: &mut Traversal<'_, W, F, T>,
        winner: Winner,
    ) {
        let Winner { vc, port } = winner;
        let cycle = traversal.cycle;
        if block.waiting.requesting.contains(vc)
            && let Some(output) = self.vc_of_switch_grant(cycle.layout, block, traversal.packets, vc, port)
        {
            let leaves = traversal.traffic.is_limited() && cycle.layout.of_nodes.contains(port);
            let number = traversal.packets[block.inputs[vc].packet].number;
            if !leaves || traversal.traffic.nodes.admits(number) {
                block.grant(cycle.layout, vc, output);
                if let VcGrants::Piggyback(turns) = &mut block.allocator.vc_allocator {
                    turns.grant(port, output);
                }
                traversal.traffic.event(grant_event(cycle, traversal.flow, block, vc, output), traversal.packets);
            }
        }
        let holds = block.holds.inputs_of(port).contains(vc);
        if holds && block.credited.contains(vc) && block.occupied.contains(vc) {
            traversal.send(block, vc);
        }
    }

    /// Lets the grants of this step enter the stage, and those take effect whose stage ends in this step.
    #[inline(always)]
    fn end_switch_rounds<F: Flow<W>, T: Traffic>(
        &mut self,
        block: &mut Block<W, Stages<W>>,
        traversal: &mut Traversal<'_, W, F, T>,
    ) {
        if !self.requests.later.is_empty() {
            let grants = std::mem::take(&mut self.requests.later);
            block.allocator.switch_under_way.enter(traversal.cycle.now, grants);
        }
        while let Some(round) = block.allocator.switch_under_way.leave(traversal.cycle.now) {
            for SwitchGrant { vc, port } in round {
                let winner = Winner { vc: vc.into(), port: port.into() };
                block.allocator.promised[winner.vc] -= 1;
                let connections = &block.allocator.connections;
                let meets_connection = connections.inputs.contains(self.crossbar.input_of(winner.vc))
                    || connections.outputs.contains(self.output(winner.vc, winner.port));
                if !meets_connection && !traversal.inputs.contains(winner.vc) {
                    self.send(block, traversal, winner);
                }
            }
        }
    }

    /// Returns true if switch requests differ in their priority, but for bids.
    #[inline(always)]
    fn has_levels(&self) -> bool {
        OPTIONS && self.costs.microarchitecture.priority.priority != Priority::None
    }

    /// Sets the priorities of switch requests.
    #[inline(always)]
    fn set_switch_levels(
        &mut self,
        layout: &Layout<W>,
        block: &Block<W, Stages<W>>,
        packets: &Packets,
        ready: VcSet<W>,
    ) {
        if !self.has_levels() {
            return;
        }
        self.requests.levels.clear();
        for vc in ready {
            let output = self.output(vc, layout.port_of(block.inputs[vc].output.into()));
            let priority = self.priorities.priority(layout, block, packets, vc);
            self.raise(vc, output, priority);
        }
        let has_own_allocator = block.allocator.bids.is_some();
        for vc in self.requests.bidding.inputs {
            let priority = self.priorities.priority(layout, block, packets, vc);
            let priority = if has_own_allocator { priority } else { priority + BID };
            for port in self.requests.bidding.outputs_of(vc) {
                self.raise(vc, self.output(vc, port), priority);
            }
        }
    }

    /// Raises the priority of the request that input VC `vc` has for `output` of the crossbar to `priority`.
    fn raise(&mut self, vc: usize, output: usize, priority: i64) {
        let level = Level { output: priority, input: priority };
        self.requests.levels.raise(self.crossbar.input_of(vc), output, level);
    }
}
