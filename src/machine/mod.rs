//! The machine of a scenario: its network, what nodes and channels cost, its routers, and the model that predicts.
//!
//! It refuses to know what runs on it.

pub mod buffers;
mod channel_places;
mod combining;
mod copying;
pub(crate) mod costs;
pub mod device;
pub mod energy;
pub mod faults;
mod microarchitecture;
pub(crate) mod model;
mod presets;
mod reason;
pub(crate) mod router;
mod router_size;
mod threads;

use crate::costs::{Buffer, ChannelCosts, NetworkTime, NodeCosts};
use crate::engine::router::{ChannelTiming, Setup};
use crate::engine::unloaded::Passage;
use crate::engine::wormhole::{flit, shared, sleep, worm};
use crate::engine::{ClockedLink, Engine, Observer, Outcome, Program, ShortBuffer, Stop, router as router_engine};
use crate::model::{Line, MessageTimes, Model, Parameterised};
use crate::network::{BuiltNetwork, LinkClasses, NetworkSpec, Remedy};
use crate::random;
use crate::routing::{Lattice, Network};
use crate::topology::{Ejection, LinkCost, Origin, Ports};
use crate::units::{ChannelId, Flits, NodeId, Ticks};
pub use copying::CopyingError;
pub(crate) use costs::{ChannelTable, EngineTable, NodeTable, read_channel, read_engine, read_node};
pub use device::Device;
use energy::MachineEnergy;
pub use faults::Faults;
pub use model::DependencyRule;
pub(crate) use model::read as read_model;
pub use presets::PRESETS;
use rand::Rng;
pub(crate) use router::allowed;
pub(crate) use router::{Asked, read as read_router};
pub use router::{DeadlockPolicy, ROUTERS, Routers};
use std::num::NonZeroUsize;
use std::sync::Arc;

/// What a message costs if nothing of it overlaps, in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SequentialCosts {
    /// Whatever its length.
    pub setup: u128,
    /// For each flit.
    pub per_flit: u128,
}

/// Whose random draws: those of a repetition of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draw {
    /// The seed of the point.
    pub seed: u64,
    /// From 0.
    pub repetition: u64,
}

impl Draw {
    /// What the random bits of all messages are made from.
    pub(crate) fn key(self) -> u64 {
        random::stream(self.seed, "routing", self.repetition).next_u64()
    }
}

/// A machine.
#[derive(Clone, Debug, Default)]
pub struct Machine {
    /// The network, if there is one.
    pub network: Option<BuiltNetwork>,
    /// What channels cost.
    pub channel: ChannelCosts,
    /// The width of flits, and the classes of links.
    pub links: Arc<LinkClasses>,
    /// What nodes cost.
    pub node: NodeCosts,
    /// Ejection channels of a node, if not as many as ports.
    pub ejection: Option<Ejection>,
    /// The model that says what is predicted; none for what follows from the costs of nodes and channels.
    pub model: Option<Model>,
    /// The rule for dependencies dependency_rule processors of a rank under the model, if the scenario states one.
    pub dependency_rule: Option<DependencyRule>,
    /// Which engine runs.
    pub engine: Engine,
    /// The number of threads of a run, unless it follows from the size of the network. Results do not depend on it.
    pub threads: Option<NonZeroUsize>,
    /// The virtual-channel routers, where the wormhole engines do not do what is asked for.
    pub routers: Option<Routers>,
    /// The treatment of a routing that can deadlock.
    pub deadlock: DeadlockPolicy,
    /// The chip that it is, if it is one.
    pub device: Option<Arc<Device>>,
    /// The energies of its routers and channels, if the scenario has a table `[energy]`.
    pub energy: Option<Arc<MachineEnergy>>,
    /// Its failed links and routers, slow links and slow nodes, if the scenario has any.
    pub faults: Option<Arc<Faults>>,
}

impl Machine {
    /// The network, if there is one.
    pub fn network(&self) -> Option<&dyn Network> {
        self.network.as_ref().map(|built| built.network.as_ref())
    }

    /// The description of the network, if there is one.
    pub fn spec(&self) -> Option<&dyn NetworkSpec> {
        self.network.as_ref().map(|built| built.spec.as_ref())
    }

    /// The number of nodes of the network, if there is one.
    pub fn nodes(&self) -> Option<usize> {
        self.network().map(|network| network.channels().nodes())
    }

    /// The number of nodes of the network.
    ///
    /// # Panics
    /// Without a network: for workloads that are not read without one.
    #[expect(clippy::expect_used, reason = "workloads that need a network are not read without one")]
    pub fn network_nodes(&self) -> usize {
        self.nodes().expect("a workload that needs a network is not read without one")
    }

    /// The network in a few words, if there is one.
    pub fn title(&self) -> Option<String> {
        self.spec().map(NetworkSpec::title)
    }

    /// The network as a lattice of routers, if it is one.
    pub fn lattice(&self) -> Option<Lattice> {
        self.spec().and_then(NetworkSpec::lattice)
    }

    /// Injection and ejection channels of a node.
    pub fn ports(&self) -> Ports {
        let ejection = self.ejection.unwrap_or(Ejection::Channels(self.node.ports));
        Ports { injection: self.node.ports, ejection }
    }

    /// A bound on the number of channels of any path, both ends included.
    pub fn longest_path(&self) -> u64 {
        self.spec().map_or(1, NetworkSpec::longest_path)
    }

    /// Roughly how many channels a path between two nodes drawn at random has, both ends included.
    pub fn mean_path(&self) -> u64 {
        self.spec().map_or(1, NetworkSpec::mean_path)
    }

    /// Roughly how often a message between two such nodes waits for others, where there are as many under way.
    pub fn mean_waits(&self) -> u64 {
        self.mean_path() / 16
    }

    /// What the network takes for a message that nothing blocks.
    pub fn network_time(&self) -> NetworkTime {
        match &self.routers {
            Some(routers) => NetworkTime::Routers { timing: routers.costs.timing, flit_time: self.channel.flit_time },
            None => self.channel.into(),
        }
    }

    /// The largest flit time and the largest delay of any channel.
    fn slowest(&self) -> LinkCost {
        let others = LinkCost::without_delay(self.channel.flit_time);
        let own = self.network().and_then(|network| network.channels().own_costs());
        own.map_or(others, |own| own.largest.max(others))
    }

    /// The least flit time of any channel.
    pub fn least_flit_time(&self) -> u64 {
        let own = self.network().and_then(|network| network.channels().own_costs());
        own.map_or(self.channel.flit_time, |own| own.least_flit_time.0.min(self.channel.flit_time))
    }

    /// What a flit takes to cross `ejection` and to arrive behind it; on routers, where it is on its way before it begins to
    /// arrive, that way is the delay.
    pub fn ejection_cost(&self, ejection: ChannelId) -> LinkCost {
        let flit_time = self.channel.flit_time;
        match (&self.routers, self.network()) {
            (Some(routers), _) => LinkCost::new(flit_time, (routers.costs.timing.eject - 1) * flit_time),
            (None, _) => self.channel_cost(ejection),
        }
    }

    /// The cost of `channel` of the wormhole engines.
    pub fn channel_cost(&self, channel: ChannelId) -> LinkCost {
        let flit_time = self.channel.flit_time;
        self.network()
            .map_or(LinkCost::without_delay(flit_time), |network| network.channels().cost_among(channel, flit_time))
    }

    /// From when the tail of a message leaves the buffer behind its `injection` channel until its source knows.
    pub(crate) fn news_delay(&self, injection: ChannelId) -> Ticks {
        match &self.routers {
            Some(routers) => Ticks(routers.costs.timing.credit.min(1) * self.channel.flit_time),
            None => self.channel_cost(injection).delay,
        }
    }

    /// Whether links differ in what they take.
    pub fn is_uneven(&self) -> bool {
        self.network().is_some_and(|network| !network.channels().is_even(self.channel.flit_time))
    }

    /// What the network takes for a message of `flits` flits from `src` to `dst` where nothing is in its way, if that depends on
    /// more than the number of links; of buffers that do not cover their channels' delays as if they did.
    pub fn passage(&self, src: NodeId, dst: NodeId, flits: Flits) -> Option<Passage> {
        let network = self.network().filter(|_| self.is_uneven() && self.routers.is_none())?;
        Some(worm::alone(network, src, dst, flits.on_wire(), &self.channel))
    }

    /// A bound on the ticks between two flits of a message that follow each other: more than a flit time where a buffer does
    /// not cover its channel's round trip, on routers with that of credits, of which there is one for as many flits as the
    /// buffer holds.
    pub fn flit_interval(&self) -> u128 {
        let LinkCost { flit_time, delay, .. } = self.slowest();
        let cycles = self.routers.as_ref().map_or(1, |routers| routers.costs.timing.longest_credit_loop());
        let cycles = u128::from(cycles) * u128::from(flit_time.0);
        let between = match self.channel.buffer {
            Buffer::Flits(flits) => (cycles + 2 * u128::from(delay.0)).div_ceil(flits.into()),
            Buffer::RoundTrip => cycles,
        };
        between.max(flit_time.0.into())
    }

    /// The times of the channels of its virtual-channel routers, if it has any and their nodes follow the same rules.
    pub(crate) fn channel_timing(&self) -> Option<ChannelTiming> {
        let routers = self.routers.as_ref().filter(|routers| routers.interfaces.is_none())?;
        Some(ChannelTiming::new(routers.routes.as_ref(), routers.costs))
    }

    /// The buffer that the worm engine needs and does not have, if there is one.
    pub fn short_buffer(&self) -> Option<ShortBuffer> {
        ShortBuffer::of(self.network()?.channels(), &self.channel)
    }

    /// The name of the class of links with this `index`, if there is one.
    pub fn link_class_name(&self, index: Option<usize>) -> Option<String> {
        self.spec()?.links().ok()?.classes().into_iter().nth(index?)
    }

    /// A link with a clock of its own, if there is one.
    pub fn clocked_link(&self) -> Option<ClockedLink> {
        ClockedLink::find(self.network()?.channels())
    }

    /// Flits of the largest buffer behind a channel of the wormhole engines.
    fn largest_buffer(&self) -> u64 {
        let buffer = self.channel.buffer;
        let Some(costs) = self.network().and_then(|network| network.channels().own_costs()) else {
            return buffer.without_delay();
        };
        let own_values = costs.largest.own_buffer.map_or(0, |flits| flits.get().into());
        costs.farthest_cost.buffer(buffer).max(own_values)
    }

    /// The longest, in ticks, that a head flit can be on its way without waiting.
    pub fn path_time(&self) -> u128 {
        let LinkCost { flit_time, delay, .. } = self.slowest();
        let channel = u128::from(flit_time.0) + u128::from(delay.0) + u128::from(self.channel.routing_delay);
        let stages = self
            .routers
            .as_ref()
            .map_or(0, |routers| u128::from(routers.costs.timing.longest()) * u128::from(self.channel.flit_time));
        u128::from(self.longest_path()) * (channel + stages)
    }

    /// The largest offset, in ticks, that the worm engine's arithmetic puts between the starts of a head flit along a path.
    pub fn largest_offset(&self, flits: Flits) -> u128 {
        let LinkCost { flit_time, delay, .. } = self.slowest();
        let buffered = u128::from(flits.on_wire().min(self.largest_buffer())) * u128::from(flit_time.0);
        (buffered + u128::from(delay.0)) * u128::from(self.longest_path())
    }

    /// What a message of `length` takes in the chosen model, at most, in ticks; 0 without one.
    pub fn modelled(&self, length: u64) -> u128 {
        let wide = |line: Line| u128::from(line.setup) + u128::from(line.per_flit) * u128::from(length);
        let time = match &self.model {
            None => 0,
            Some(Model::Parameterised(linear)) => {
                [linear.t_hold, linear.t_send, linear.t_net, linear.t_recv].map(wide).iter().sum()
            }
            Some(Model::LogP(logp)) => u128::from(logp.latency + 2 * logp.overhead + logp.gap),
            Some(Model::LogGops(loggops)) => {
                let constant = u128::from(loggops.latency + 3 * loggops.overhead + loggops.gap);
                let per_byte = u128::from(loggops.overhead_per_byte) + u128::from(loggops.gap_per_byte);
                constant + 2 * per_byte * u128::from(length)
            }
        };
        time.min(1 << 80) // far beyond the clock, and still a factor of a sum
    }

    /// What a message costs its nodes and the wire if nothing of it overlaps.
    pub fn sequential_costs(&self) -> SequentialCosts {
        let node = &self.node;
        let setups = [node.send_setup, node.receive_setup, node.hold_setup];
        let per_flit = [node.send_per_flit, node.receive_per_flit, node.hold_per_flit].map(u128::from);
        SequentialCosts {
            setup: setups.map(u128::from).iter().sum(),
            per_flit: per_flit.iter().sum::<u128>() + self.flit_interval(),
        }
    }

    /// The model's times for messages of `flits` flits.
    pub fn times(&self, flits: Flits) -> Parameterised {
        match &self.model {
            Some(model) => model.times(flits.0),
            None => Parameterised::derived(&self.node, self.network_time(), flits),
        }
    }

    /// The parts of the model's times for messages of `bytes` bytes, `flit_bytes` a flit.
    pub fn parts(&self, bytes: u64, flit_bytes: u64) -> MessageTimes {
        match &self.model {
            Some(model) => model.parts(bytes),
            None => MessageTimes::derived(&self.node, self.network_time(), Flits::from_bytes(bytes, flit_bytes)),
        }
    }

    /// Runs `program` on the network, if there is one; where routing draws, as `draw` says.
    pub fn run<P: Program + Clone, O: Observer>(
        &self,
        mut program: P,
        draw: Draw,
        observer: &mut O,
    ) -> Option<Result<Outcome, Stop>> {
        if let Err(no_path) = self.check_paths(&program) {
            return Some(Err(no_path.into()));
        }
        let Self { engine, channel, routers, .. } = self.executing();
        if routers.is_none() {
            let network = self.executing().network()?;
            return Some(engine.run(network, *channel, program, observer));
        }
        self.run_in_place(&mut program, draw, observer)
    }

    /// Runs `program` on routers, if there are any; where routing draws, as `draw` says.
    pub fn run_in_place<O: Observer>(
        &self,
        program: &mut dyn Program,
        draw: Draw,
        observer: &mut O,
    ) -> Option<Result<Outcome, Stop>> {
        let executing = self.executing();
        let network = executing.network()?;
        let routers = executing.routers.as_ref()?;
        let key = draw.key();
        let setup = Setup {
            routes: routers.routes.as_ref(),
            fixed: routers.fixes_paths.then_some(network),
            trees: (program.has_worms() && self.device.is_none()).then_some(network),
            costs: routers.costs,
            interfaces: routers.interfaces.as_deref(),
            flit_time: executing.channel.flit_time,
            random_bits: &|message| random::mixed(key, u64::from(message.0)),
        };
        // compiled once for all programs and observers
        let mut observer: &mut dyn Observer = observer;
        let threads = self.threads_of(routers);
        Some(router_engine::run_program_in_strips(&setup, program, &mut observer, threads))
    }

    /// Bytes that the engine takes for so many messages.
    pub fn engine_memory(&self, messages: usize) -> u64 {
        let Some(network) = self.network() else { return 0 };
        let channels = network.channels();
        if let Some(routers) = &self.routers {
            let nodes = router_engine::program_memory(channels.nodes() as u64, messages as u64);
            return routers.memory(1, messages as u64).saturating_add(nodes);
        }
        let worm = || worm::memory(channels, messages, &self.channel);
        let flit = || flit::memory(channels, messages, &self.channel);
        match self.engine() {
            Engine::Flit => flit().max(worm()),
            Engine::Sleep => sleep::memory(channels, messages),
            Engine::Auto if shared::may_sleep(channels, &self.channel) => {
                sleep::memory(channels, messages).max(flit()).max(worm())
            }
            Engine::Auto => flit().max(worm()),
            Engine::Worm | Engine::Router => worm(),
        }
    }

    /// How many numbers of channels the engine that runs has, those that are no channel's included.
    pub fn channels(&self) -> usize {
        match (&self.routers, self.network()) {
            (Some(routers), _) => router_engine::channel_count(routers.routes.as_ref(), &routers.costs),
            (None, Some(network)) => network.channels().count(),
            (None, None) => 0,
        }
    }

    /// The name of a channel, as the engine that runs numbers them.
    pub fn channel_name(&self, channel: ChannelId) -> String {
        match (&self.routers, self.network()) {
            (Some(routers), _) => router_engine::channel_name(routers.routes.as_ref(), &routers.costs, channel),
            (None, Some(network)) => network.channels().name(channel),
            (None, None) => String::new(),
        }
    }

    /// Where a channel comes from, as the engine that runs numbers them; none without a network.
    pub fn channel_origin(&self, channel: ChannelId) -> Option<Origin> {
        match (&self.routers, self.network()) {
            (Some(routers), _) => router_engine::origin(routers.routes.as_ref(), &routers.costs, channel),
            (None, Some(network)) => Some(network.channels().origin(channel)),
            (None, None) => None,
        }
    }

    /// What the names of channels call `node`: `(0,3)` of `injection (0,3)`.
    pub fn name_of_node(&self, node: NodeId) -> String {
        match (&self.routers, self.network()) {
            (Some(routers), _) => routers.routes.wiring().node_name(node.0),
            (None, Some(network)) => network.channels().name_of_node(node),
            (None, None) => node.to_string(),
        }
    }

    /// The name of the link between routers that `channel` is, or is a virtual channel of; none of injection and ejection.
    pub fn link_name(&self, channel: ChannelId) -> Option<String> {
        let mut name = match (&self.routers, self.network()) {
            (None, Some(network)) => network.channels().physical_name(channel),
            _ => self.channel_name(channel),
        };
        if let Some(link) = name.rfind(" vc ") {
            name.truncate(link);
        }
        let is_of_node = name.starts_with("injection ") || name.starts_with("ejection ");
        (!is_of_node).then_some(name)
    }

    /// The engine that runs, as far as that is known before: [`Engine::Auto`] where channels may have to be shared.
    pub fn engine(&self) -> Engine {
        match self.engine {
            _ if self.routers.is_some() => Engine::Router,
            Engine::Auto if self.short_buffer().is_some() || self.clocked_link().is_some() => Engine::Flit,
            Engine::Auto if !self.shares_channels() => Engine::Worm,
            engine => engine,
        }
    }

    /// Whether virtual channels share physical ones.
    pub fn shares_channels(&self) -> bool {
        self.network().is_some_and(|network| network.channels().virtual_channels() > 1)
    }

    /// Changes of the scenario under which its messages cannot deadlock.
    pub fn remedies(&self) -> Vec<Remedy> {
        let Some(network) = &self.network else { return Vec::new() };
        let (routing, virtual_channels, needed) = match &self.routers {
            Some(Routers { routing, virtual_channels, routes, .. }) => {
                (*routing, u64::from(*virtual_channels), routes.needed_virtual_channels().into())
            }
            None => (network.spec.routing(), network.spec.virtual_channels(), network.needed_virtual_channels()),
        };
        network.remedies(routing, virtual_channels, needed)
    }

    /// What a node is called: by its coordinates where there are several dimensions, else by its number.
    pub fn node_name(lattice: Option<&Lattice>, node: NodeId) -> String {
        match lattice {
            Some(lattice) if lattice.dimensions() > 1 && lattice.shape().iter().any(|&n| n > 2) => {
                lattice.node_name(node.0)
            }
            _ => node.to_string(),
        }
    }
}
