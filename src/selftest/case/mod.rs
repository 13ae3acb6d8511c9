//! Cases: a random machine and the messages of a random program on it, as values that engines run, that can be made
//! smaller, and that can be written as a scenario.

mod graph;
mod keyed;
mod options;
mod program;
mod smaller;
mod smaller_topology;
mod topology;
mod written;

pub(crate) use options::{Fitting, RouterOptions};
pub(crate) use program::{Message, Messages, overheads};
pub(crate) use smaller::machines as smaller_machines;
pub(crate) use topology::Topology;
pub(crate) use written::in_scenario;

use super::features::{Feature, Swarm};
use super::report::CaseFile;
use super::subject::Specimen;
use crate::costs::{Buffer, ChannelCosts, NodeCosts, Timing};
use crate::engine::router::{ALLOCATORS, AllocatorChoice, Combining, Microarchitecture, NodeBuffers, RouterCosts};
use crate::routing::relation::{DIMENSION_ORDER, LatticeRouting, ROUTINGS};
use crate::routing::{LinkPorts, LinkRelation, Network, Relation, Routing};
use crate::topology::{CostMatrix, Ejection, Ports};
use crate::units::narrow;
use std::sync::Arc;

/// A matrix of what `cost` says between two different nodes.
#[expect(clippy::expect_used, reason = "a square of costs of which those of a node to itself are none")]
pub(crate) fn matrix(nodes: usize, mut cost: impl FnMut(usize, usize) -> u64) -> CostMatrix {
    let places = (0..nodes).flat_map(|from| (0..nodes).map(move |to| (from, to)));
    let costs = places.map(|(from, to)| if from == to { 0 } else { cost(from, to) }).collect();
    CostMatrix::new(nodes, costs).expect("costs of a matrix are in range")
}

/// A machine and what runs on it.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) machine: Machine,
    pub(crate) messages: Messages,
}

/// A network, what its channels and nodes cost, and its routers, if they are more than the wormhole engines know.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    pub(crate) topology: Topology,
    pub(crate) channel: ChannelCosts,
    /// Overheads of nodes, and their ports.
    pub(crate) node: NodeCosts,
    /// Ejection channels of a node, if not as many as ports.
    pub(crate) ejection: Option<Ejection>,
    pub(crate) routers: Option<Routers>,
}

/// Virtual-channel routers.
#[derive(Clone, Debug)]
pub(crate) struct Routers {
    pub(crate) pipelined: bool,
    pub(crate) atomic: bool,
    pub(crate) speculative: bool,
    pub(crate) vc_allocator: AllocatorChoice,
    pub(crate) switch_allocator: AllocatorChoice,
    /// Cycles of a link of pipelined routers.
    pub(crate) latency: u64,
    pub(crate) virtual_channels: u16,
    /// The routing of a lattice, where it is not the network's own.
    pub(crate) routing: Option<&'static LatticeRouting>,
    /// Keys beyond these, which only a scenario reads.
    pub(crate) options: RouterOptions,
}

impl Machine {
    /// A machine of the wormhole engines, in which whatever is timed is a multiple of the flit time if it `is_in_cycles`.
    pub(crate) fn draw(swarm: &mut Swarm, is_in_cycles: bool) -> Self {
        let flit_time = if swarm.has(Feature::FlitTime, 0.7) { swarm.draw(2..=3) } else { 1 };
        let deep = swarm.one_of(&[2, 4, 9]);
        let buffer = match swarm.has(Feature::Buffers, 0.8) {
            true => Buffer::Flits(swarm.draw(2..=deep)),
            false if swarm.draw(0..=2) == 0 => Buffer::Flits(1),
            false => Buffer::RoundTrip,
        };
        let delay = if swarm.has(Feature::RoutingDelay, 0.7) { swarm.draw(1..=3) } else { 0 };
        let routing_delay = if is_in_cycles { delay * flit_time } else { delay };
        let ports = if swarm.has(Feature::Ports, 0.6) { swarm.draw(2..=3) } else { 1 };
        let most = if is_in_cycles { 3 } else { 4 };
        let ejection = swarm.has(Feature::Ejection, 0.6).then(|| match swarm.draw(1..=most) {
            4 => Ejection::Unlimited,
            channels => Ejection::Channels(channels),
        });
        Self {
            topology: Topology::draw(swarm, flit_time),
            channel: ChannelCosts { flit_time, buffer, routing_delay },
            node: NodeCosts::default().ports(ports),
            ejection,
            routers: None,
        }
    }

    /// The same with virtual-channel routers; none if what is drawn does not fit together.
    pub(crate) fn draw_with_routers(swarm: &mut Swarm) -> Option<Self> {
        let mut machine = Self::draw(swarm, true);
        machine.routers = Some(Routers::draw(swarm, &mut machine.topology));
        machine.settle();
        machine.network()?;
        machine.routes()?; // not every routing fits every lattice
        Some(machine)
    }

    /// The network has the virtual channels that its routers have, as far as its paths make use of them.
    pub(crate) fn settle(&mut self) {
        if let Some(routers) = &self.routers {
            self.topology.share_virtual_channels(routers.virtual_channels.into());
        }
    }

    /// Injection and ejection channels of a node.
    pub(crate) fn ports(&self) -> Ports {
        let injection = self.node.ports;
        Ports { injection, ejection: self.ejection.unwrap_or(Ejection::Channels(injection)) }
    }

    /// The network; none if there is no such one.
    pub(crate) fn network(&self) -> Option<Arc<dyn Network>> {
        self.topology.build(self.ports())
    }
}

impl Specimen for Case {
    fn smaller(&self) -> Vec<Self> {
        smaller::smaller(self)
    }

    fn in_words(&self) -> String {
        written::describe(self)
    }

    fn written(&self, name: &str, about: &str) -> Vec<CaseFile> {
        written::written(self, name, about)
    }
}

impl Case {
    /// A case for the wormhole engines.
    pub(crate) fn draw(swarm: &mut Swarm) -> Self {
        loop {
            swarm.begin();
            let mut machine = Machine::draw(swarm, false);
            let Some(network) = machine.network() else { continue };
            let messages = Messages::draw(swarm, network.channels().nodes(), &mut machine.node);
            return Self { machine, messages };
        }
    }

    /// A case for virtual-channel routers.
    pub(crate) fn draw_with_routers(swarm: &mut Swarm) -> Self {
        loop {
            swarm.begin();
            let Some(mut machine) = Machine::draw_with_routers(swarm) else { continue };
            let Some(network) = machine.network() else { continue };
            let messages = Messages::draw(swarm, network.channels().nodes(), &mut machine.node);
            return Self { machine, messages };
        }
    }
}

impl Routers {
    /// Pipelined routers with the defaults and the given number of virtual channels.
    pub(crate) fn pipelined(virtual_channels: u16) -> Self {
        Self {
            pipelined: true,
            atomic: false,
            speculative: true,
            vc_allocator: AllocatorChoice::default(),
            switch_allocator: AllocatorChoice::default(),
            latency: 1,
            virtual_channels,
            routing: None,
            options: RouterOptions::default(),
        }
    }

    fn draw(swarm: &mut Swarm, topology: &mut Topology) -> Self {
        let pipelined = swarm.has(Feature::Pipelined, 0.7);
        let atomic = !swarm.has(Feature::Shared, 0.7);
        let speculative = !(pipelined && swarm.has(Feature::NotSpeculative, 0.5));
        let [vc_allocator, switch_allocator] = match pipelined && swarm.has(Feature::Allocators, 0.5) {
            true => [(); 2].map(|()| allocator(swarm)),
            false => [AllocatorChoice::default(); 2],
        };
        let latency = if pipelined && swarm.has(Feature::LinkLatency, 0.5) { swarm.draw(2..=3) } else { 1 };
        let own: u16 = narrow(topology.virtual_channels(), "the paths of small networks have few classes");
        let more = if swarm.has(Feature::MoreVirtualChannels, 0.6) { swarm.one_of(&[1, 1, 2, 3, 6]) } else { 0 };
        let mut routing = None;
        if swarm.is_on(Feature::Choosing) && swarm.toss(0.6) {
            topology.draw_choosing(swarm);
            if topology.lattice().is_some() {
                routing = Some(swarm.one_of(ROUTINGS));
                swarm.meet(Feature::Choosing);
            }
        }
        let virtual_channels = own + more;
        let options = RouterOptions::default();
        Self {
            pipelined,
            atomic,
            speculative,
            vc_allocator,
            switch_allocator,
            latency,
            virtual_channels,
            routing,
            options,
        }
    }
}

/// Any allocator but `pim`, whose random starts the reference does not repeat, with some iterations if it reads their number.
fn allocator(swarm: &mut Swarm) -> AllocatorChoice {
    let kinds: Vec<&str> = ALLOCATORS.iter().map(|kind| kind.name).filter(|name| *name != "pim").collect();
    let named = AllocatorChoice::named(swarm.one_of(&kinds)).unwrap_or_default();
    named.repeated(swarm.draw(1..=3))
}

impl Machine {
    /// The ports of its routers, and how packets find their way; none if it has no such routers.
    pub(crate) fn routes(&self) -> Option<Arc<dyn Routing>> {
        let routers = self.routers.as_ref()?;
        if let Some(lattice) = self.topology.lattice() {
            let routing = routers.routing.unwrap_or(&DIMENSION_ORDER);
            let links = self.topology.links()?;
            let paces = crate::machine::router::paces(&lattice, links.as_ref(), self.channel.flit_time);
            let relation = Relation::new(lattice, routing, routers.virtual_channels);
            let fits = relation.unfit().is_none();
            return fits.then(|| Arc::new(relation.with_paces(paces)) as Arc<dyn Routing>);
        }
        let (routing, _) = self.topology.link_routing()?;
        let ports = LinkPorts::new(self.topology.links()?, self.channel.flit_time).ok()?;
        Some(Arc::new(LinkRelation::new(Arc::new(ports), routing, routers.virtual_channels)))
    }

    /// Whether messages keep to the paths of the network, as they do on the wormhole engines.
    pub(crate) fn fixes_paths(&self) -> bool {
        let own = self.routers.as_ref().and_then(|routers| routers.routing);
        let chooses = || self.topology.spec().and_then(|spec| spec.choosing().ok()).flatten().is_some();
        own.is_none_or(|routing| routing.name == DIMENSION_ORDER.name) && !chooses()
    }

    /// What its routers are like.
    pub(crate) fn router_costs(&self, network: &dyn Network) -> Option<RouterCosts> {
        let routers = self.routers.as_ref()?;
        let routing = self.channel.routing_delay / self.channel.flit_time;
        let timing = match (routers.pipelined, routers.atomic) {
            (true, _) => Timing::pipelined(routers.latency, routing),
            (false, true) => Timing::wormhole(routing),
            (false, false) => Timing::ideal(routing),
        };
        let channels = network.channels();
        Some(RouterCosts {
            timing,
            buffer: self.channel.buffer,
            atomic: routers.atomic,
            speculative: routers.speculative,
            vc_allocator: routers.vc_allocator,
            switch_allocator: routers.switch_allocator,
            injection_ports: u32::try_from(channels.ports()).ok()?,
            ejection_ports: u32::try_from(channels.ejection_ports()).ok()?,
            full_crossbar: false,
            node_buffers: NodeBuffers::fitting(channels, routers.pipelined && self.channel.buffer == Buffer::RoundTrip),
            combining: Combining::default(),
            microarchitecture: Microarchitecture::default(),
        })
    }
}
