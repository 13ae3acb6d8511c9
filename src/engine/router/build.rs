//! The engine before the first cycle, assembled from parts.

use super::active::ActiveSet;
use super::allocator::{Build, BuildAnyWidth};
use super::blocks::Blocks;
use super::channels::Channels;
use super::config::{Config, Scratch, Speculation};
use super::delay::{DelayLine, Wheel};
use super::discipline::{Discipline, InTurn};
use super::engine::{AnyEngine, Engine, ServeRouters};
use super::flow::{Counter, Flow, HeterogeneousLinks, OneByOne, Queued, Runs, SlotReturn};
use super::forward::AnyTraffic;
use super::held_slots::HeldSlots;
use super::layout::{Layout, Numbering, Place};
use super::networks::{self, ClassTraffic};
use super::packets::Packets;
use super::routing::{Adaptive, AnyRouting, ClassRouting, Fixed, Routing, TreeWorms};
use super::source::{Source, SourceRules, Sources};
use super::stage::{FirstCome, FullCrossbar};
use super::staged::Staged;
use super::state::Block;
use super::traffic::Endpoints;
use super::trees::{Trees, TreesFirstCome, TreesInTurn};
use super::vcset::{VcSet, short};
use super::watchdog::Schedule;
use crate::engine::router::{Ended, Interfaces, MessageClass, RouterCosts, Setup, Traffic};
use crate::routing::relation::{Choice, Class, share};
use crate::routing::{self, Pace, PortAt, Wiring};
use crate::units::narrow;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

/// Routers and routing of a run.
#[derive(Clone, Copy)]
pub(crate) struct Network<'a> {
    /// Ports and routing.
    pub(crate) routes: &'a dyn routing::Routing,
    /// Properties of routers.
    pub(crate) costs: RouterCosts,
    /// The number of classes of VCs of the paths that the traffic prescribes, if it does.
    pub(crate) classes: Option<u8>,
    /// Properties of the interfaces of nodes, if they are those of a chip.
    pub(crate) interfaces: Option<&'a Interfaces>,
    /// True if packets are on trees that the traffic prescribes.
    pub(crate) has_trees: bool,
    /// Slots that a source takes from its credits at once, one of each flit.
    pub(crate) longest_run: u32,
    /// By class of packets, the routing of its VCs. Empty if packets have no classes.
    pub(crate) of_classes: &'a [Arc<dyn routing::Routing>],
    /// The blocks that an engine simulates, from the first one to the end. `None` if it simulates all of them.
    pub(crate) strip: Option<[usize; 2]>,
}

impl<'a> Network<'a> {
    /// Routers on which a program runs.
    pub(crate) fn of_program(setup: &Setup<'a>) -> Self {
        let interfaces = setup.interfaces;
        let network = Self { interfaces, ..Self::new(setup.routes, setup.costs, setup.classes()) };
        // every flit shows when it has left a buffer
        if setup.trees.is_some() { Self { has_trees: true, longest_run: 1, ..network } } else { network }
    }

    /// Returns the network for packets of classes with the routing `of_classes`, if there are any: flits of packets of several classes leave
    /// in turn.
    pub(crate) fn with_classes(self, of_classes: &'a [Arc<dyn routing::Routing>]) -> Self {
        if of_classes.is_empty() { self } else { Self { of_classes, longest_run: 1, ..self } }
    }

    /// Routers of `costs` on `routes`, of which each node has one packet at a time.
    pub(crate) fn new(routes: &'a dyn routing::Routing, costs: RouterCosts, classes: Option<u8>) -> Self {
        // a packet may enter an atomic buffer only when it is empty, which every flit has to show, and flits on slow channels do
        // not follow each other in successive cycles
        let is_plain = costs.microarchitecture.is_default(); // others count flits as they arrive
        let one_by_one = costs.atomic || costs.full_crossbar || !is_plain || !keeps_pace(routes.wiring());
        let longest_run = if one_by_one { 1 } else { u32::MAX };
        Self { routes, costs, classes, interfaces: None, has_trees: false, longest_run, of_classes: &[], strip: None }
    }

    /// Routers of which sources take their packets ahead of time.
    pub(crate) fn open_loop(routes: &'a dyn routing::Routing, costs: RouterCosts) -> Self {
        let network = Self::new(routes, costs, None);
        // which of several channels of a node is free first decides which takes the next packet
        if costs.injection_ports == 1 { network } else { Self { longest_run: 1, ..network } }
    }

    /// Returns the network of which an engine simulates the blocks from the first to the second number, exclusive.
    pub(crate) fn strip(self, blocks: [usize; 2]) -> Self {
        Self { strip: Some(blocks), ..self }
    }

    /// Returns true if head flits have several ports to choose from.
    fn is_adaptive(&self) -> bool {
        self.routes.is_adaptive() && self.classes.is_none()
    }

    /// Returns true if the flits of a packet can leave in runs: no other packet can come between them, and no routing compares
    /// loads, for which they have to leave one by one.
    fn has_runs(&self) -> bool {
        // two allocators that are not alike may grant a head flit the switch and another one the only VC
        let is_alone = self.routes.virtual_channels() == 1 && self.longest_run > 1 && !self.is_adaptive();
        is_alone && self.costs.is_plain() && !(self.routes.reads_load() && self.classes.is_none())
    }

    /// Returns true if its routers have to be [`Staged`].
    fn is_staged(&self) -> bool {
        !self.costs.is_plain() || !self.of_classes.is_empty()
    }

    /// Routing with one port for each packet.
    fn fixed(&self) -> Fixed<'a> {
        let vcs = self.routes.virtual_channels();
        let class = |number, of| {
            let Choice { first, last, .. } = share(vcs, 0, Class { number, of });
            first..=last
        };
        let classes = match (self.interfaces, self.classes) {
            (Some(interfaces), _) => Some(interfaces.classes.iter().map(|class| class.vcs.clone()).collect()),
            (None, classes) => classes.map(|of| (0..of.into()).map(|number| class(number, of.into())).collect()),
        };
        Fixed::new(self.routes, classes)
    }

    /// Words that the VCs of a router take.
    pub(crate) fn words(&self) -> usize {
        Numbering::new(self.routes.wiring(), &self.costs, self.routes.virtual_channels()).words()
    }
}

/// Runs `traffic` through routers of `costs` on `routes` until it ends the run, all is delivered, or packets are left that
/// will never arrive.
pub fn run<T: Traffic>(routes: &dyn routing::Routing, costs: RouterCosts, traffic: &mut T) -> Ended {
    let is_closed = traffic.is_closed();
    let network = if is_closed { Network::new(routes, costs, None) } else { Network::open_loop(routes, costs) };
    if !is_closed && network.words() == 1 && !costs.full_crossbar {
        return on_small_blocks(network, traffic).run();
    }
    // closed loops wait for calls anyway, and wide routers are rare
    run_any(routes, costs, traffic)
}

/// Does the same as [`run`], compiled once for all traffic.
pub fn run_any(routes: &dyn routing::Routing, costs: RouterCosts, traffic: &mut dyn Traffic) -> Ended {
    let is_closed = traffic.is_closed();
    let network = if is_closed { Network::new(routes, costs, None) } else { Network::open_loop(routes, costs) };
    start(network, AnyTraffic::Other(traffic)).run()
}

/// Runs `traffic`, a closed loop of packets of several classes, each of which takes the VCs of its own class as `of_classes` says.
/// With several `networks`, each has its own routers of `costs` on `routes`, and `traffic` is notified of the one that each call is about.
///
/// # Panics
/// If there are not as many routings as classes.
pub fn run_classes(
    routes: &dyn routing::Routing,
    of_classes: &[Arc<dyn routing::Routing>],
    costs: RouterCosts,
    traffic: &mut dyn ClassTraffic,
) -> Vec<Ended> {
    assert_eq!(of_classes.len(), traffic.classes().len(), "a routing for each class");
    networks::run(Network::new(routes, costs, None).with_classes(of_classes), traffic)
}

/// A run of `traffic` on `network` before its first cycle.
pub(crate) fn start<'a>(network: Network<'a>, traffic: AnyTraffic<'a>) -> Box<dyn AnyEngine<AnyTraffic<'a>> + 'a> {
    if network.costs.full_crossbar {
        let routing = TreeWorms::new(network.fixed());
        return assembled::<1, _, FullCrossbar<1>, HeterogeneousLinks<1>, _>(network, routing, traffic);
    }
    match network.words() {
        ..=1 => on_small_blocks(network, traffic),
        2..=4 => on_large_blocks::<4, _>(network, traffic),
        5..=16 => on_large_blocks::<16, _>(network, traffic),
        _ => on_large_blocks::<64, _>(network, traffic),
    }
}

/// A run on blocks of one word.
pub(crate) fn on_small_blocks<'a, T: Traffic + 'a>(network: Network<'a>, traffic: T) -> Box<dyn AnyEngine<T> + 'a> {
    on_blocks::<1, false, OneByOne<1>, Runs<1>, T>(network, traffic)
}

/// A run on blocks of `W` words, where delays that no link has cost little.
pub(crate) fn on_large_blocks<'a, const W: usize, T: Traffic + 'a>(
    network: Network<'a>,
    traffic: T,
) -> Box<dyn AnyEngine<T> + 'a>
where
    dyn BuildAnyWidth: Build<W>,
{
    on_blocks::<W, true, HeterogeneousLinks<W>, HeterogeneousLinks<W>, T>(network, traffic)
}

/// A run on blocks of `W` words, in which flits on even links are in flow `E`, and those of a single VC in flow `S`. Without `OPTIONS`,
/// there is an engine for routers of which only the allocators differ from the default.
fn on_blocks<'a, const W: usize, const OPTIONS: bool, E: Flow<W> + SlotReturn + 'a, S: Flow<W> + 'a, T: Traffic + 'a>(
    network: Network<'a>,
    traffic: T,
) -> Box<dyn AnyEngine<T> + 'a>
where
    dyn BuildAnyWidth: Build<W>,
{
    let Network { routes, costs, .. } = network;
    let fixed = || network.fixed();
    let is_even = routes.wiring().is_even();
    if network.has_trees {
        trees::<W, T>(network, traffic)
    } else if costs.first_come() {
        first_come::<W, E, T>(network, traffic)
    } else if network.is_staged() {
        staged::<W, OPTIONS, E, T>(network, traffic)
    } else if network.is_adaptive() && is_even {
        assembled::<W, _, InTurn, E, T>(network, Adaptive::new(routes), traffic)
    } else if network.is_adaptive() {
        assembled::<W, _, InTurn, HeterogeneousLinks<W>, T>(network, Adaptive::new(routes), traffic)
    } else if !is_even && costs.atomic {
        assembled::<W, _, InTurn, HeterogeneousLinks<W>, T>(network, Adaptive::one_port(fixed()), traffic)
    } else if !is_even {
        assembled::<W, _, InTurn, HeterogeneousLinks<W>, T>(network, fixed(), traffic)
    } else if costs.atomic {
        assembled::<W, _, InTurn, E, T>(network, Adaptive::one_port(fixed()), traffic)
    } else if network.has_runs() && costs.ejection_ports > 1 {
        // a head flit bids for every ejection channel and requests one
        assembled::<W, _, InTurn, HeterogeneousLinks<W>, T>(network, fixed(), traffic)
    } else if network.has_runs() {
        assembled::<W, _, InTurn, S, T>(network, fixed(), traffic)
    } else {
        assembled::<W, _, InTurn, E, T>(network, fixed(), traffic)
    }
}

/// A run of packets on trees on blocks of `W` words.
fn trees<'a, const W: usize, T: Traffic + 'a>(network: Network<'a>, traffic: T) -> Box<dyn AnyEngine<T> + 'a> {
    let Network { routes, costs, .. } = network;
    let blocks = Layout::<W>::new(routes.wiring(), &costs, routes.virtual_channels()).blocks();
    let routing = Trees::new(network.fixed(), blocks);
    if costs.first_come() {
        assembled::<W, _, TreesFirstCome<W>, HeterogeneousLinks<W>, T>(network, routing, traffic)
    } else {
        assembled::<W, _, TreesInTurn<W>, HeterogeneousLinks<W>, T>(network, routing, traffic)
    }
}

/// A run on blocks of `W` words with any microarchitecture. As it is chosen when the run begins, the parts are compiled once for all of
/// them, and without `OPTIONS` a second time for allocators alone.
fn staged<'a, const W: usize, const OPTIONS: bool, E: Flow<W> + 'a, T: Traffic + 'a>(
    network: Network<'a>,
    traffic: T,
) -> Box<dyn AnyEngine<T> + 'a>
where
    dyn BuildAnyWidth: Build<W>,
{
    let routing = by_class(network, &traffic.classes());
    let options = network.costs.microarchitecture;
    // while the switch is allocated over several cycles, a slow channel may be taken: its flits wait behind the crossbar
    let has_slow_grants = options.stages.switch > 1 && !network.routes.wiring().is_even();
    if options.has_queues() || has_slow_grants {
        assembled::<W, _, Staged<W, true>, Queued<W>, T>(network, routing, traffic)
    } else if network.routes.wiring().is_even() && options.is_default() {
        assembled::<W, _, Staged<W, OPTIONS>, E, T>(network, routing, traffic)
    } else if network.routes.wiring().is_even() {
        assembled::<W, _, Staged<W, true>, E, T>(network, routing, traffic)
    } else {
        assembled::<W, _, Staged<W, true>, HeterogeneousLinks<W>, T>(network, routing, traffic)
    }
}

/// The routing of packets of all `classes`.
fn by_class<'a, const W: usize>(network: Network<'a>, classes: &[MessageClass]) -> AnyRouting<'a, W> {
    if network.of_classes.is_empty() {
        return any_routing(network);
    }
    let Network { routes, costs, .. } = network;
    let layout = Layout::new(routes.wiring(), &costs, routes.virtual_channels());
    let of_class = |(routes, &class): (&'a Arc<dyn routing::Routing>, &MessageClass)| {
        let network = Network { routes: routes.as_ref(), of_classes: &[], ..network };
        ClassRouting::new(&layout, class, any_routing(network))
    };
    AnyRouting::ByClass(network.of_classes.iter().zip(classes).map(of_class).collect())
}

/// The routing of packets of one class.
fn any_routing<const W: usize>(network: Network<'_>) -> AnyRouting<'_, W> {
    if network.is_adaptive() {
        AnyRouting::Adaptive(Adaptive::new(network.routes))
    } else if network.costs.atomic {
        AnyRouting::Adaptive(Adaptive::one_port(network.fixed()))
    } else {
        AnyRouting::Fixed(network.fixed())
    }
}

/// A run first come, first served on blocks of `W` words.
fn first_come<'a, const W: usize, E: Flow<W> + SlotReturn + 'a, T: Traffic + 'a>(
    network: Network<'a>,
    traffic: T,
) -> Box<dyn AnyEngine<T> + 'a> {
    let routing =
        if network.is_adaptive() { Adaptive::new(network.routes) } else { Adaptive::one_port(network.fixed()) };
    if network.routes.wiring().is_even() {
        assembled::<W, _, FirstCome<W>, E, T>(network, routing, traffic)
    } else {
        assembled::<W, _, FirstCome<W>, HeterogeneousLinks<W>, T>(network, routing, traffic)
    }
}

/// The engine of these parts.
fn assembled<'a, const W: usize, R: Routing<W> + 'a, D: Discipline<W> + 'a, F: Flow<W> + 'a, T: Traffic + 'a>(
    network: Network<'a>,
    routing: R,
    traffic: T,
) -> Box<dyn AnyEngine<T> + 'a>
where
    Engine<'a, W, R, D, F, T>: ServeRouters,
{
    let Network { routes, costs, .. } = network;
    let timing = costs.timing;
    let speculation = if costs.speculative { Speculation::On } else { Speculation::Off };
    let held_slots = traffic.held_slots();
    let mut layout = layout::<W, R, F>(&network, held_slots);
    let channels = Channels::new(&layout, routes.wiring(), costs, network.interfaces);
    let buffer = channels.largest_buffer();
    let discipline = D::new(&layout, &network);
    let numbers = match network.strip {
        Some([first, end]) => first..end,
        None => 0..layout.blocks(),
    };
    if network.strip.is_some() {
        layout.add_ghosts(numbers.end, ghosts(&layout, routes.wiring(), numbers.clone()));
    }
    let vcs = numbers.end * Layout::<W>::BLOCK;
    let blocks = blocks(&layout, &network, &channels, held_slots, &discipline, numbers);
    // a run that the flow of this network cannot send has one flit
    let longest_run = if network.has_runs() { network.longest_run } else { 1 };
    let classes = traffic.classes();
    let mut engine = Engine {
        config: Config { routes, costs, timing, speculation },
        routing,
        now: 0,
        active: ActiveSet::new(blocks.len()),
        packets: Packets::new(vcs, buffer),
        sources: sources(&network, &layout, &channels, traffic.queues(), classes),
        flow: F::new(&layout, channels, &costs, longest_run),
        counter: Counter::new(traffic.counted()),
        held: held_slots.map(|_| HeldSlots::new(timing.sink_credit - timing.eject)),
        ends: Wheel::new(buffer.into()),
        routed: (timing.routing > 0).then(|| DelayLine::new(timing.routing)),
        scratch: Scratch::new(),
        schedule: Schedule::new(layout.sources(), traffic.is_limited()),
        discipline,
        traffic: Endpoints::new(traffic, &costs),
        blocks,
        layout,
    };
    engine.take_first_packets();
    Box::new(engine)
}

/// The numbering of VCs, with the sets of those that need special care.
fn layout<const W: usize, R: Routing<W>, F: Flow<W>>(network: &Network<'_>, held_slots: Option<u32>) -> Layout<W> {
    let Network { routes, costs, .. } = network;
    let mut layout = Layout::new(routes.wiring(), costs, routes.virtual_channels());
    let buffer = costs.buffer_at_exit(Pace::EVEN);
    // a port sends a flit a cycle to its node, which always has a free slot if the buffer covers the time from the request of the
    // switch until the slot is free again
    let covered = costs.timing.sink_credit + u64::from(costs.microarchitecture.stages.switch) - 1;
    let reads_credits = if network.is_staged() {
        network.is_adaptive() || costs.atomic || costs.microarchitecture.reads_credits_of_nodes()
    } else {
        R::ADAPTIVE
    };
    if F::COUNTS_EJECTION || held_slots.is_some() || reads_credits || u64::from(buffer) < covered {
        layout.counted = layout.of_nodes;
    }
    if costs.atomic {
        layout.exclusive = layout.in_all_routers(|_| Some(0));
    } else if let Some(first) = routes.exclusive_from().filter(|_| network.is_adaptive() && costs.prefers_credits()) {
        layout.exclusive = layout.in_all_routers(|port| (port < layout.numbering.links).then_some(first.into()));
    }
    layout
}

/// Sources without packets, of packets of these `classes` in the given number of `queues`.
fn sources<const W: usize>(
    network: &Network<'_>,
    layout: &Layout<W>,
    channels: &Channels,
    queues: u32,
    classes: Vec<MessageClass>,
) -> Sources {
    let source = |number| {
        let buffer = channels.buffer(layout, layout.place_at_source(number, 0));
        Source::new(queues as usize, layout.node_vcs, buffer)
    };
    let any =
        MessageClass { first: 0, last: narrow(layout.node_vcs - 1, "VCs are numbered with 16 bits"), priority: 0 };
    let classes = if classes.is_empty() { vec![any] } else { classes };
    let rules = SourceRules::new(&network.costs, queues as usize, classes);
    Sources::new((0..layout.sources()).map(source).collect(), rules, network.longest_run)
}

/// The blocks with these `numbers`, with empty buffers and free VCs, wired as those of `network`.
fn blocks<const W: usize, D: Discipline<W>>(
    layout: &Layout<W>,
    network: &Network<'_>,
    channels: &Channels,
    held_slots: Option<u32>,
    discipline: &D,
    numbers: Range<usize>,
) -> Blocks<W, D::Arbiters> {
    let wiring = network.routes.wiring();
    let mut blocks = Blocks::new(layout, numbers.clone(), |number| discipline.arbiters(layout, number));
    for router in layout.routers(numbers) {
        for port in 0..layout.numbering.links {
            wire_links(layout, wiring, &mut blocks, [router, port], channels);
        }
    }
    for node in 0..layout.nodes() {
        let (block, _) = layout.entry(node * layout.numbering.injections, 0).split();
        if !blocks.contains(block) {
            continue;
        }
        for output in layout.to_node(node) {
            let buffer = held_slots.unwrap_or_else(|| channels.buffer(layout, layout.place_in(block, output)));
            let credits = if layout.is_endless(output) { u32::MAX } else { buffer };
            open(&mut blocks[block], output, Place::NOWHERE, buffer);
            blocks[block].outputs[output].credits = credits;
        }
    }
    for source in 0..layout.sources() {
        for vc in 0..layout.numbering.vcs {
            let (block, input) = layout.entry(source, vc).split();
            if !blocks.contains(block) {
                continue;
            }
            blocks[block].inputs[input].filled_by = layout.place_at_source(source, vc);
        }
    }
    blocks
}

/// The numbers of blocks that have links to or from the blocks with these `numbers`, which are not among them.
fn ghosts<const W: usize>(layout: &Layout<W>, wiring: &dyn Wiring, numbers: Range<usize>) -> BTreeSet<usize> {
    let in_32_bits = |number: usize| narrow(number, "ports and routers are numbered with 32 bits");
    let ports =
        layout.routers(numbers.clone()).flat_map(|router| (0..layout.numbering.links).map(move |port| (router, port)));
    let neighbours = ports.flat_map(|(router, port)| {
        let place = PortAt { router: in_32_bits(router), port: in_32_bits(port) };
        [wiring.leads_to(place), wiring.comes_from(place)]
    });
    let block = |at: PortAt| layout.locate(at.router as usize, at.port as usize, 0).split().0;
    neighbours.flatten().map(block).filter(|block| !numbers.contains(block)).collect()
}

/// Connects the VCs of a port with the links that leave and arrive by it, if there are any.
fn wire_links<const W: usize, A>(
    layout: &Layout<W>,
    wiring: &dyn Wiring,
    blocks: &mut Blocks<W, A>,
    [router, port]: [usize; 2],
    channels: &Channels,
) {
    let in_32_bits = |number: usize| narrow(number, "ports and routers are numbered with 32 bits");
    let at = PortAt { router: in_32_bits(router), port: in_32_bits(port) };
    let locate = |PortAt { router, port }, vc| layout.locate(router as usize, port as usize, vc);
    let to = wiring.leads_to(at);
    let from = wiring.comes_from(at);
    let neighbour = |blocks: &Blocks<W, A>, at, vc| {
        let global = locate(at, vc);
        if blocks.contains(global.split().0) { global } else { layout.ghost_place(global) }
    };
    for vc in 0..layout.numbering.vcs {
        let (block, number) = locate(at, vc).split();
        if let Some(to) = to {
            let leads_to = neighbour(blocks, to, vc);
            open(&mut blocks[block], number, leads_to, channels.buffer(layout, locate(at, vc)));
        }
        if let Some(from) = from {
            blocks[block].inputs[number].filled_by = neighbour(blocks, from, vc);
        }
    }
}

/// Makes output VC `vc` of `block` free: it leads to an empty buffer of `buffer` flits at `to`, or to a node.
fn open<const W: usize, A>(block: &mut Block<W, A>, vc: usize, to: Place, buffer: u32) {
    let opened = VcSet::single(vc);
    block.free |= opened;
    block.with_credit |= opened;
    block.empty |= opened;
    let output = &mut block.outputs[vc];
    output.credits = buffer;
    output.buffer = short(buffer as usize);
    output.leads_to = to;
}

/// Returns true if every channel takes a cycle for a flit, whatever its delay.
fn keeps_pace(wiring: &dyn Wiring) -> bool {
    let in_32_bits = |number: usize| narrow::<u32, _>(number, "ports and routers are numbered with 32 bits");
    let [routers, ports] = [wiring.routers(), wiring.link_ports()].map(in_32_bits);
    let links = (0..routers).flat_map(|router| (0..ports).map(move |port| PortAt { router, port }));
    let nodes = 0..in_32_bits(wiring.nodes());
    wiring.is_even()
        || links
            .map(|link| wiring.pace(link))
            .chain(nodes.map(|node| wiring.node_pace(node)))
            .all(|pace| pace.flit == 1 && pace.clocked.is_none())
}
