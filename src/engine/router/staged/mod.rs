//! Routers with any microarchitecture ([`Microarchitecture`]): allocators, speedups, stages of several cycles, connections that packets
//! hold, shared buffers and priorities.
//!
//! A router makes one or more steps in a cycle. In a step all stages read the state at its beginning, and then take effect in the
//! order of the pipeline:
//!
//! 1. head flits that have come to the front of their buffers enter route computation ([`routes`]);
//! 2. head flits request output VCs, and bid for the switch ([`vcs`]);
//! 3. connections of the crossbar that packets hold carry their next flits ([`connections`]);
//! 4. the switch is allocated to flits that hold an output VC and to bids ([`switch`]).
//!
//! The way through the crossbar, output queues and links are delays of the flow ([`super::flow`]).
//!
//! With the default microarchitecture these routers do the same as those of [`InTurn`](super::discipline::InTurn), flit by flit,
//! which are faster.
//!
//! Source: facts about the input-queued router of BookSim 2 (N. Jiang et al., A Detailed and Flexible Cycle-Accurate Network-on-Chip
//! Simulator, ISPASS 2013).

mod buffers;
mod connections;
mod pipeline;
mod priorities;
mod routes;
mod switch;
mod vcs;

use super::allocator::{Allocator, Build, BuildAnyWidth, EachLevel, Matching, Pairs};
use super::build::Network;
use super::discipline::Discipline;
use super::engine::{Engine, ServeRouters};
use super::flow::Flow;
use super::layout::Layout;
use super::matrix::{Matrix, VcOrder};
use super::routing::Routing;
use super::stage::{Cycle, Traversal};
use super::state::Block;
use super::vcset::{VcArray, VcSet};
use crate::engine::router::{Crossbar, Microarchitecture, RouterCosts, Traffic, VcGrant};
use buffers::SharedBuffers;
pub(crate) use buffers::{PortSlots, VcSlots};
use connections::Connections;
use pipeline::{Batches, Pipeline};
use priorities::Priorities;
use switch::SwitchGrant;
use vcs::{Piggyback, VcRound};

/// Routers with any microarchitecture. Without `OPTIONS`, only the allocators differ from the default, and whatever else may differ is
/// left out when the engine is compiled.
pub(crate) struct Staged<const W: usize, const OPTIONS: bool> {
    costs: RouterCosts,
    /// Input VCs and output VCs as VC allocation sees them.
    vcs: Matrix<W>,
    /// Inputs and outputs of the crossbars.
    crossbar: Matrix<W>,
    /// Per input VC, its output of the crossbar among those of an output port.
    output_of_port: VcArray<u16, W>,
    /// The VCs of a port from the one that was granted last at an input of the crossbar to the one that has priority next.
    turn: usize,
    requests: StepRequests<W>,
    priorities: Priorities,
}

/// Requests of a block in a step. They are a member of the discipline so that the memory is reused, and on the heap, as the sets of
/// wide routers are large.
struct StepRequests<const W: usize> {
    /// Head flits and output VCs.
    vcs: Box<Pairs<W>>,
    /// Inputs and outputs of the crossbar, on behalf of flits that hold an output VC.
    switch: Box<Pairs<W>>,
    /// Inputs and outputs of the crossbar on behalf of head flits that bid, and on behalf of both.
    bids: Box<Pairs<W>>,
    all: Box<Pairs<W>>,
    /// Head flits that bid, and the output ports for which they do.
    bidding: Box<Pairs<W>>,
    levels: EachLevel,
    matching: Box<Matching<W>>,
    /// Grants of the switch that take effect in a later cycle.
    later: Vec<SwitchGrant>,
}

impl<const W: usize> StepRequests<W> {
    fn new() -> Self {
        let none = || Box::new(Pairs::new());
        Self {
            vcs: none(),
            switch: none(),
            bids: none(),
            all: none(),
            bidding: none(),
            levels: EachLevel::default(),
            matching: Box::new(Matching::new()),
            later: Vec::new(),
        }
    }
}

/// The stages of the routers of a block.
pub(crate) struct Stages<const W: usize> {
    /// The allocator of VCs, or the VCs that were granted last where a grant of the switch grants a VC.
    vc_allocator: VcGrants<W>,
    switch: Box<dyn Allocator<W>>,
    /// The allocator of bids, if it is not that of the switch.
    bids: Option<Box<dyn Allocator<W>>>,
    /// Per input of the crossbar, the VC that was granted last.
    last: VcArray<u16, W>,
    /// Stages of several cycles.
    routing: Batches<W>,
    vcs_under_way: Pipeline<VcRound<W>>,
    switch_under_way: Pipeline<Vec<SwitchGrant>>,
    /// Per input VC, flits that were granted the switch and have not left.
    promised: VcArray<u16, W>,
    connections: Connections<W>,
    buffers: SharedBuffers<W>,
}

/// The grants of output VCs.
enum VcGrants<const W: usize> {
    Allocated(Box<dyn Allocator<W>>),
    Piggyback(Piggyback<W>),
}

impl<const W: usize, const OPTIONS: bool> Discipline<W> for Staged<W, OPTIONS>
where
    dyn BuildAnyWidth: Build<W>,
{
    type Arbiters = Stages<W>;

    fn new(layout: &Layout<W>, network: &Network<'_>) -> Self {
        let costs = network.costs;
        let Microarchitecture { crossbar, vc_requests, priority, .. } = costs.microarchitecture;
        let wiring = network.routes.wiring();
        let order = if vc_requests.shuffle { VcOrder::ByVc } else { VcOrder::ByPort };
        Self {
            costs,
            vcs: Matrix::of_vcs(layout, wiring, order),
            crossbar: Matrix::of_crossbar(layout, wiring, crossbar),
            output_of_port: outputs_of_ports(layout, crossbar),
            turn: crossbar.input_speedup as usize % layout.numbering.vcs,
            requests: StepRequests::new(),
            priorities: Priorities::new(priority, layout),
        }
    }

    fn arbiters(&self, layout: &Layout<W>, block: usize) -> Stages<W> {
        let Self { costs, vcs, crossbar, .. } = self;
        let Microarchitecture { bids, stages, buffers, vc_requests, .. } = costs.microarchitecture;
        let vc_allocator = match vc_requests.grant {
            VcGrant::Allocator => VcGrants::Allocated(costs.vc_allocator.build(vcs, block)),
            VcGrant::Piggyback => VcGrants::Piggyback(Piggyback::new(layout)),
        };
        Stages {
            vc_allocator,
            switch: costs.switch_allocator.build(crossbar, block),
            bids: bids.allocator.map(|choice| choice.build(crossbar, block)),
            last: VcArray::numbered(|input| before_first_turn(layout, self.turn, input)),
            routing: Batches::new(costs.timing.routing.max(stages.routing.into()), stages.entry),
            vcs_under_way: Pipeline::new(stages.vc.into()),
            switch_under_way: Pipeline::new(stages.switch.into()),
            promised: VcArray::filled(0),
            connections: Connections::new(costs.microarchitecture.connection),
            buffers: SharedBuffers::new(buffers),
        }
    }
}

/// Per input VC, its output of the crossbar among those of an output port, which are dealt out among input ports.
fn outputs_of_ports<const W: usize>(layout: &Layout<W>, crossbar: Crossbar) -> VcArray<u16, W> {
    VcArray::numbered(|vc| layout.port_number(vc) % layout.outputs_of_port(crossbar))
}

/// The VC whose grant at input `input` of the crossbar would give VC `input` priority next.
fn before_first_turn<const W: usize>(layout: &Layout<W>, turn: usize, input: usize) -> usize {
    let vcs = layout.numbering.vcs;
    layout.port_of(input) + (layout.in_port(input) + vcs - turn) % vcs
}

impl<const W: usize> Stages<W> {
    /// Returns true if something takes effect in a later step, whatever arrives.
    fn is_busy<const OPTIONS: bool>(&self) -> bool {
        let is_under_way = !self.vcs_under_way.is_empty() || !self.switch_under_way.is_empty();
        !self.routing.is_empty() || OPTIONS && (is_under_way || !self.connections.held.is_empty())
    }
}

/// The state of a block at the beginning of a step, as far as stages change it.
#[derive(Clone, Copy)]
struct State<const W: usize> {
    /// Input VCs with a flit that can leave.
    ready: VcSet<W>,
    /// Output VCs at ports that take no flit.
    closed: VcSet<W>,
    /// Input VCs of packets that hold a connection, and the inputs and outputs of the crossbar that are connected.
    held: VcSet<W>,
    connected_inputs: VcSet<W>,
    connected_outputs: VcSet<W>,
}

impl<const W: usize> State<W> {
    /// The state of `block`, of which the output ports `closed` take no flit.
    #[inline(always)]
    fn new<const OPTIONS: bool>(layout: &Layout<W>, block: &Block<W, Stages<W>>, closed: VcSet<W>) -> Self {
        let connections = &block.allocator.connections;
        let mut state = Self {
            ready: block.ready(),
            closed: VcSet::EMPTY,
            held: if OPTIONS { connections.held } else { VcSet::EMPTY },
            connected_inputs: if OPTIONS { connections.inputs } else { VcSet::EMPTY },
            connected_outputs: if OPTIONS { connections.outputs } else { VcSet::EMPTY },
        };
        for port in closed {
            state.ready -= block.holds.inputs_of(port);
            state.closed |= layout.port_set(port);
        }
        if OPTIONS && !block.allocator.switch_under_way.is_immediate() {
            state.ready -= promised(block, state.ready);
        }
        state
    }
}

/// Those of `ready` whose flits have all been granted the switch, or as many as there are credits.
fn promised<const W: usize>(block: &Block<W, Stages<W>>, ready: VcSet<W>) -> VcSet<W> {
    let mut promised = VcSet::EMPTY;
    for vc in ready {
        let input = &block.inputs[vc];
        let flits = input.flits.min(input.left).min(block.outputs[input.output.into()].credits);
        if flits <= block.allocator.promised[vc].into() {
            promised.insert(vc);
        }
    }
    promised
}

impl<const W: usize, const OPTIONS: bool> Staged<W, OPTIONS> {
    /// Ends a step in which flits have left: connections, shared buffers and priorities follow, then the packets themselves.
    #[inline(always)]
    fn finish<F: Flow<W>, T: Traffic>(
        &mut self,
        block: &mut Block<W, Stages<W>>,
        traversal: &mut Traversal<'_, W, F, T>,
    ) {
        let layout = traversal.cycle.layout;
        let sent = traversal.inputs;
        if OPTIONS {
            buffers::end_step(block, sent);
            self.hold_connections(layout, block, sent);
            self.priorities.forget(layout, block, traversal.packets, sent);
        }
        traversal.finish(block);
    }
}

impl<const W: usize, const OPTIONS: bool, R: Routing<W>, F: Flow<W>, T: Traffic> ServeRouters
    for Engine<'_, W, R, Staged<W, OPTIONS>, F, T>
where
    dyn BuildAnyWidth: Build<W>,
{
    fn serve_routers(&mut self) {
        let crossbar = self.config.costs.microarchitecture.crossbar;
        let steps = if OPTIONS { crossbar.steps(self.now) } else { 1 };
        for number in 0..steps {
            let next = if number + 1 < steps { self.now } else { self.now + 1 };
            self.flow.begin_step(crossbar.steps_before(self.now) + number, next);
            for group in 0..self.active.groups() {
                for block in self.active.members(group) {
                    self.step_of(block);
                }
            }
        }
    }
}

impl<const W: usize, const OPTIONS: bool, R: Routing<W>, F: Flow<W>, T: Traffic>
    Engine<'_, W, R, Staged<W, OPTIONS>, F, T>
where
    dyn BuildAnyWidth: Build<W>,
{
    /// Simulates a step of the routers of block `number`.
    fn step_of(&mut self, number: usize) {
        let Self { config, layout, routing, discipline, traffic, blocks, active, packets, .. } = self;
        let Self { flow, counter, ends, .. } = self;
        let cycle = Cycle { now: self.now, config, layout };
        let block = &mut blocks[number];
        if OPTIONS {
            discipline.priorities.observe(cycle, block);
            buffers::begin_step(layout, block);
        }
        let state = State::new::<OPTIONS>(layout, block, flow.ports_in_use(layout, number));
        discipline.enter_routes(cycle, routing, block, packets);
        if !block.waiting.requesting.is_empty() {
            discipline.request_vcs(layout, routing, block, (packets, traffic), state);
            discipline.allocate_vcs(cycle, flow, block, packets, traffic);
        }
        let mut traversal = Traversal::<W, F, T>::new(cycle, counter, flow, ends, packets, traffic);
        if OPTIONS {
            discipline.continue_connections(block, state, &mut traversal);
        }
        discipline.allocate_switch(block, state, &mut traversal);
        if !traversal.inputs.is_empty() {
            discipline.finish(block, &mut traversal);
        }
        block.allocator.routing.end_step(cycle.now);
        // where VCs share a buffer, they may have slots that they must not take
        debug_assert!(
            block.allocator.buffers.are_shared() || block.is_consistent(layout),
            "block {number} in cycle {}",
            self.now
        );
        let is_watched = OPTIONS && buffers::is_watched(block);
        if !block.is_active() && !block.allocator.is_busy::<OPTIONS>() && !is_watched {
            block.listed = false;
            active.remove(number);
        }
    }
}
