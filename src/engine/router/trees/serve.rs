//! The loops over the blocks of a cycle whose packets are on trees.

use super::super::active::ActiveSet;
use super::super::allocator::InputFirst;
use super::super::build::Network;
use super::super::config::Speculation;
use super::super::discipline::Discipline;
use super::super::engine::{Engine, ServeRouters};
use super::super::flow::{Flow, HeterogeneousLinks, SlotReturn};
use super::super::layout::Layout;
use super::super::relation::Relation;
use super::super::routing::{HeadFlit, Routing};
use super::super::stage::Cycle;
use super::super::state::{Block, Usable};
use super::super::vcset::VcSet;
use super::routing::{OpenJunctions, Trees};
use super::send::Departures;
use super::switch::{self, Sending};
use super::{grant, junction::Junction};
use crate::engine::router::{Traffic, TreePacket};

/// Each router allocates output VCs and the switch once in a cycle, in turn.
pub(crate) struct TreesInTurn<const W: usize> {
    /// Input VCs of the block that is served, and the output ports for which they have flits to send.
    ready: Relation<W>,
}

impl<const W: usize> Discipline<W> for TreesInTurn<W> {
    type Arbiters = InputFirst<W>;

    fn new(_: &Layout<W>, _: &Network<'_>) -> Self {
        Self { ready: Relation::new() }
    }

    fn arbiters(&self, layout: &Layout<W>, _: usize) -> InputFirst<W> {
        InputFirst::new(layout)
    }
}

/// Ports of a block that have sent a flit in a cycle.
#[derive(Clone, Copy)]
struct SentPorts<const W: usize> {
    /// Input VCs.
    inputs: VcSet<W>,
    /// Output ports, as their first VCs.
    outputs: VcSet<W>,
}

impl<const W: usize> SentPorts<W> {
    const NONE: Self = Self { inputs: VcSet::EMPTY, outputs: VcSet::EMPTY };
}

/// Requests are served in their order, and flits move in rounds, as [`super::super::stage::FirstCome`] describes.
pub(crate) struct TreesFirstCome<const W: usize> {
    /// Blocks that were served in this cycle.
    served: ActiveSet,
    /// Sources that have sent in this cycle and continue in the next one.
    sources: ActiveSet,
    /// By block, what it has sent in this cycle.
    sent: Vec<SentPorts<W>>,
    /// Input VCs of the block that is served, and the output ports for which they have flits to send.
    ready: Relation<W>,
}

impl<const W: usize> Discipline<W> for TreesFirstCome<W> {
    type Arbiters = InputFirst<W>;

    fn new(layout: &Layout<W>, _: &Network<'_>) -> Self {
        let blocks = layout.blocks();
        Self {
            served: ActiveSet::new(blocks),
            sources: ActiveSet::new(layout.sources()),
            sent: vec![SentPorts::NONE; blocks],
            ready: Relation::new(),
        }
    }

    fn arbiters(&self, layout: &Layout<W>, _: usize) -> InputFirst<W> {
        InputFirst::new(layout)
    }
}

impl<const W: usize> TreesFirstCome<W> {
    /// Finds the flits that can leave `block` by ports that are not `in_use`: by output ports that have not sent a flit in this cycle, from
    /// input ports that have sent none of another VC.
    fn find_ready<A>(&mut self, cycle: Cycle<'_, W>, open: &OpenJunctions<W>, block: &Block<W, A>, in_use: VcSet<W>) {
        let Cycle { now, layout, .. } = cycle;
        let SentPorts { inputs, outputs } = self.sent[block.number];
        switch::find_ready(layout, (open, block), now, &mut self.ready, |input, port| {
            let others = (inputs & layout.port_set(input)) - VcSet::single(input);
            others.is_empty() && !(outputs | in_use).contains(port)
        });
    }

    /// Notes the branches that have sent.
    fn note(&mut self, layout: &Layout<W>, open: &OpenJunctions<W>, number: usize, sending: &[Sending]) {
        for &(junction, branch) in sending {
            let junction = &open.junctions[junction];
            if let Some(output) = junction.branches[branch].output {
                self.sent[number].inputs.insert(junction.lead());
                self.sent[number].outputs.insert(layout.port_of(output));
            }
        }
    }
}

/// An engine whose packets are on trees.
type TreeEngine<'a, const W: usize, D, T> = Engine<'a, W, Trees<'a, W>, D, HeterogeneousLinks<W>, T>;

impl<'a, const W: usize, D: Discipline<W, Arbiters = InputFirst<W>>, T: Traffic> TreeEngine<'a, W, D, T> {
    /// Opens junctions for the packets in front of the input VCs `heads` of block `number`.
    fn open_junctions(&mut self, number: usize, heads: VcSet<W>) {
        let Self { config, layout, routing, blocks, packets, flow, traffic, .. } = self;
        let block = &mut blocks[number];
        for vc in heads {
            let packet = packets.next(layout.join(number, vc));
            if let Some(&TreePacket { place, worm, .. }) = routing.position(packet) {
                let from = block.inputs[vc].filled_by;
                let channel = (layout.number(from), flow.pace(layout, from));
                let arrival = self.now - config.timing.routing;
                traffic.tree_started([worm, place], channel, arrival, packets[packet].hops);
            }
            packets[packet].requested = self.now;
            block.inputs[vc].packet = packet;
            block.inputs[vc].left = packets[packet].flits;
            let head = HeadFlit { layout, block, vc, packet, waiting: VcSet::EMPTY };
            routing.candidates(head, packets);
        }
    }

    /// Opens junctions for the packets that have come to the front of their buffers in block `number`, or begins to compute their routes
    /// where that takes a cycle or more.
    fn open_at_front(&mut self, number: usize) {
        let block = &mut self.blocks[number];
        let heads = block.occupied - (self.routing.open(number).engaged | block.waiting.routed);
        if heads.is_empty() {
            return;
        }
        match &mut self.routed {
            None => self.open_junctions(number, heads),
            Some(routed) => {
                block.waiting.routed |= heads;
                routed.enter((number, heads));
            }
        }
    }

    /// Opens junctions for the packets whose routes have been computed.
    fn open_routed(&mut self) {
        let due: Vec<(usize, VcSet<W>)> =
            self.routed.as_ref().map_or_else(Vec::new, |routed| routed.leaving().to_vec());
        for (number, heads) in due {
            self.blocks[number].waiting.routed -= heads;
            self.open_junctions(number, heads);
            self.blocks[number].wake(&mut self.active);
        }
    }

    /// Counts the flits that have come to the junctions of block `number`.
    fn count_flits(&mut self, number: usize) {
        let latency = self.config.costs.combining.latency;
        let block = &self.blocks[number];
        for junction in &mut self.routing.open_mut(number).junctions {
            junction.count(self.now, latency, |vc| block.inputs[vc].flits.min(block.inputs[vc].left));
        }
    }

    /// Returns true if a flit of block `number` may leave in the next cycle, or a junction has something to request.
    fn is_busy(&self, number: usize) -> bool {
        let block = &self.blocks[number];
        let open = self.routing.open(number);
        let free = block.free & block.empty;
        let may_act = |junction: &Junction<W>| {
            let is_free = |branch: &super::junction::Branch<W>| !(branch.candidates & free).is_empty();
            let sends = junction.sending(u64::MAX).any(|(_, output)| block.with_credit.contains(output));
            sends || junction.is_ripening() || junction.requests() && !junction.requesting(is_free).is_empty()
        };
        let unrouted = block.occupied - (open.engaged | block.waiting.routed);
        !unrouted.is_empty() || open.junctions.iter().any(may_act)
    }
}

impl<'a, const W: usize, T: Traffic> ServeRouters for TreeEngine<'a, W, TreesInTurn<W>, T> {
    fn serve_routers(&mut self) {
        self.open_routed();
        for group in 0..self.active.groups() {
            for block in self.active.members(group) {
                self.cycle_of_trees(block);
            }
        }
    }
}

impl<'a, const W: usize, T: Traffic> TreeEngine<'a, W, TreesInTurn<W>, T> {
    /// Simulates a cycle of the routers of block `number`.
    fn cycle_of_trees(&mut self, number: usize) {
        self.open_at_front(number);
        self.count_flits(number);
        let mut open = self.routing.take(number);
        let Self { config, layout, routing, traffic, blocks, packets, .. } = self;
        let Self { flow, counter, scratch, discipline, .. } = self;
        let cycle = Cycle { now: self.now, config, layout };
        let block = &mut blocks[number];
        let in_use = flow.ports_in_use(layout, number);
        let ready = &mut discipline.ready;
        switch::find_ready(layout, (&open, &*block), cycle.now, ready, |_, port| !in_use.contains(port));
        let outputs = if config.speculation == Speculation::On { block.with_credit } else { VcSet::EMPTY };
        let in_use = in_use.into_iter().fold(VcSet::EMPTY, |all, port| all | layout.port_set(port));
        let usable = Usable { ready: ready.inputs, outputs: outputs - in_use };
        let granted = grant::in_turn(layout, routing, (&mut open, &mut *block), scratch, usable, cycle.now);
        let mut departures = Departures { cycle, routing, counter, flow, packets, traffic };
        departures.begin(&mut open, block, &granted);
        let mut sending = switch::allocate(layout, &open, block, scratch, ready);
        if !scratch.bids.is_empty() {
            let bids = switch::allocate_bids(layout, &open, block, scratch, &sending);
            sending.extend(bids);
        }
        departures.send(&mut open, block, &sending);
        departures.free_slots(&mut open, block);
        self.routing.put_back(number, open);
        if !self.is_busy(number) {
            self.blocks[number].listed = false;
            self.active.remove(number);
        }
    }
}

impl<'a, const W: usize, T: Traffic> ServeRouters for TreeEngine<'a, W, TreesFirstCome<W>, T> {
    /// A cycle has rounds, as long as a flit can move that has not moved in it.
    fn serve_routers(&mut self) {
        self.open_routed();
        loop {
            self.discipline.sources.append(&mut self.sources.sending);
            for group in 0..self.active.groups() {
                for block in self.active.members(group) {
                    self.round_of_trees(block);
                }
            }
            self.flow.return_slots();
            self.credits_arrive();
            self.traffic.nodes.advance(self.now, &mut self.sources.woken);
            self.sources.wake_all(self.now, self.layout.numbering.injections);
            if self.active.is_empty() && self.sources.sending.is_empty() {
                break;
            }
            self.inject();
        }
        self.sources.sending.append(&mut self.discipline.sources);
        for group in 0..self.discipline.served.groups() {
            for block in self.discipline.served.members(group) {
                self.discipline.served.remove(block);
                self.discipline.sent[block] = SentPorts::NONE;
                if self.is_busy(block) {
                    self.blocks[block].wake(&mut self.active);
                }
            }
        }
    }
}

impl<'a, const W: usize, T: Traffic> TreeEngine<'a, W, TreesFirstCome<W>, T> {
    /// Simulates a round of the routers of block `number`, which takes part in the next round only if more can move.
    fn round_of_trees(&mut self, number: usize) {
        self.discipline.served.insert(number);
        self.open_at_front(number);
        self.count_flits(number);
        let mut open = self.routing.take(number);
        let Self { config, layout, routing, discipline, traffic, blocks, active, packets, .. } = self;
        let Self { flow, counter, scratch, .. } = self;
        let cycle = Cycle { now: self.now, config, layout };
        let block = &mut blocks[number];
        block.listed = false;
        active.remove(number);
        let in_use = flow.ports_in_use(layout, number);
        let mut departures = Departures { cycle, routing, counter, flow, packets, traffic };
        let granted = grant::first_come(layout, departures.routing, (&mut open, &mut *block), cycle.now);
        departures.begin(&mut open, block, &granted);
        discipline.find_ready(cycle, &open, block, in_use);
        if !discipline.ready.is_empty() {
            let sending = switch::allocate(layout, &open, block, scratch, &discipline.ready);
            discipline.note(layout, &open, number, &sending);
            departures.send(&mut open, block, &sending);
            departures.free_slots(&mut open, block);
            discipline.find_ready(cycle, &open, block, in_use);
            if !discipline.ready.is_empty() {
                block.wake(active);
            }
        }
        self.routing.put_back(number, open);
    }
}
