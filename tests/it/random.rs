//! Random machines, traffic and groups, all drawn from a generator that the caller seeds.
use flitwise::costs::{Buffer, ChannelCosts};
use flitwise::engine::program::TraceMessage;
use flitwise::routing::{
    DimensionOrder, ECube, Lattice, Network, Relation, Rings, Routing, Turnaround, UpPort, relation,
};
use flitwise::topology::{Bmin, Ejection, Hypercube, Mesh, Ports, Torus};
use flitwise::units::{Flits, NodeId, Ticks};
use rand::RngExt;
use rand_pcg::Pcg64;
use std::sync::Arc;

/// A mesh, hypercube or bmin of a few to a few hundred nodes with one to three ports.
pub(crate) fn network(random: &mut Pcg64) -> Box<dyn Network> {
    let ports = ports(random);
    match random.random_range(0..5) {
        0 => Box::new(ECube::new(Hypercube::new(random.random_range(0..5), ports).unwrap())),
        1 => {
            let tree = Bmin::new(random.random_range(2..4), random.random_range(1..4), ports).unwrap();
            let up = [UpPort::Source, UpPort::Destination][random.random_range(0..2)];
            Box::new(Turnaround::new(tree, up))
        }
        dimensions => {
            let longest = [0, 0, 12, 6, 4][dimensions];
            let shape: Vec<usize> = (1..dimensions).map(|_| random.random_range(1..=longest)).collect();
            let mut order: Vec<usize> = (0..shape.len()).collect();
            if random.random_bool(0.3) {
                order.reverse();
            }
            Box::new(DimensionOrder::new(Mesh::new(&shape, ports).unwrap(), order).unwrap())
        }
    }
}

/// A network as the wormhole engines see it and as routers do.
pub(crate) struct RouterNetwork {
    pub(crate) network: Box<dyn Network>,
    pub(crate) routes: Arc<dyn Routing>,
    pub(crate) what: String,
}

impl RouterNetwork {
    pub(crate) fn on_lattice(network: Box<dyn Network>, lattice: Lattice, virtual_channels: u16) -> Self {
        let what = format!("{lattice:?}");
        let routes = Arc::new(Relation::new(lattice, &relation::DIMENSION_ORDER, virtual_channels));
        Self { network, routes, what }
    }

    pub(crate) fn nodes(&self) -> usize {
        self.network.channels().nodes()
    }
}

/// A mesh, hypercube or torus of a few to a few hundred nodes with one to three ports, a torus with one virtual channel or
/// two.
pub(crate) fn lattice_network(random: &mut Pcg64) -> RouterNetwork {
    let ports = ports(random);
    if random.random_range(0..5) == 0 {
        let dimension = random.random_range(0..5);
        let order: Vec<usize> = (0..dimension).rev().collect();
        let network = Box::new(ECube::new(Hypercube::new(dimension, ports).unwrap()));
        let lattice = Lattice::new(&vec![2; dimension], false, &order);
        return RouterNetwork::on_lattice(network, lattice, 1);
    }
    let dimensions = random.random_range(1..=3);
    let longest = [12, 6, 4][dimensions - 1];
    let shape: Vec<usize> = (0..dimensions).map(|_| random.random_range(1..=longest)).collect();
    let order = permutation(random, dimensions);
    let wraps = random.random_bool(0.5);
    let virtual_channels = if wraps { random.random_range(1..=2) } else { 1 };
    let lattice = Lattice::new(&shape, wraps, &order);
    let network: Box<dyn Network> = if wraps {
        Box::new(Rings::new(Torus::new(&shape, ports, virtual_channels.into()).unwrap(), order).unwrap())
    } else {
        Box::new(DimensionOrder::new(Mesh::new(&shape, ports).unwrap(), order).unwrap())
    };
    RouterNetwork::on_lattice(network, lattice, virtual_channels)
}

/// Mostly one port, sometimes up to three, and sometimes more or fewer ejection channels.
fn ports(random: &mut Pcg64) -> Ports {
    let ports = if random.random_bool(0.8) { 1 } else { random.random_range(2..4) };
    let ejection = match random.random_range(0..10) {
        0 => Ejection::Unlimited,
        1 => Ejection::Channels(random.random_range(1..4)),
        _ => Ejection::Channels(ports),
    };
    Ports { injection: ports, ejection }
}

/// A torus of one to three dimensions with so many virtual channels.
pub(crate) fn torus(random: &mut Pcg64, virtual_channels: usize) -> Rings {
    let dimensions = random.random_range(1..=3);
    let longest = [12, 6, 4][dimensions - 1];
    let shape: Vec<usize> = (0..dimensions).map(|_| random.random_range(1..=longest)).collect();
    let ports = ports(random);
    let order = permutation(random, dimensions);
    Rings::new(Torus::new(&shape, ports, virtual_channels).unwrap(), order).unwrap()
}

/// Up to 40 messages at fixed times, often several at once and sometimes all to one node.
pub(crate) fn traffic(random: &mut Pcg64, nodes: usize) -> Vec<TraceMessage> {
    let longest = [1, 4, 30, 300][random.random_range(0..4)];
    let latest = [0, 3, 50, 400][random.random_range(0..4)];
    let hot = random.random_bool(0.2).then(|| random.random_range(0..nodes));
    let message = |random: &mut Pcg64| TraceMessage {
        src: NodeId::new(random.random_range(0..nodes)),
        dst: NodeId::new(hot.unwrap_or_else(|| random.random_range(0..nodes))),
        flits: Flits(random.random_range(0..=longest)),
        start: Ticks(random.random_range(0..=latest)),
    };
    (0..random.random_range(1..40)).map(|_| message(random)).collect()
}

/// Costs of channels with short and long buffers and with or without a routing delay.
pub(crate) fn channel_costs(random: &mut Pcg64) -> ChannelCosts {
    ChannelCosts {
        flit_time: random.random_range(1..=3),
        buffer: Buffer::Flits(random.random_range(1..=8)),
        routing_delay: random.random_range(0..=3),
    }
}

/// A one-port mesh of one to three dimensions.
pub(crate) fn mesh(random: &mut Pcg64) -> Mesh {
    let dimensions = random.random_range(1..=3);
    let longest = [64, 16, 6][dimensions - 1];
    let shape: Vec<usize> = (0..dimensions).map(|_| random.random_range(1..=longest)).collect();
    Mesh::new(&shape, 1).unwrap()
}

/// A random order of `0..count`.
pub(crate) fn permutation(random: &mut Pcg64, count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    for i in (1..count).rev() {
        order.swap(i, random.random_range(0..=i));
    }
    order
}

/// A one-port mesh with random dimension order, or a hypercube.
pub(crate) fn dimension_ordered(random: &mut Pcg64) -> Box<dyn Network> {
    if random.random_bool(0.3) {
        return Box::new(ECube::new(Hypercube::new(random.random_range(0..8), 1).unwrap()));
    }
    let mesh = mesh(random);
    let order = permutation(random, mesh.shape().len());
    Box::new(DimensionOrder::new(mesh, order).unwrap())
}

/// A one-port bmin of up to 256 leaves.
pub(crate) fn bmin(random: &mut Pcg64, up: UpPort) -> Turnaround {
    let radix = random.random_range(2..=4);
    let levels = random.random_range(1..=[7, 5, 4][radix - 2]);
    Turnaround::new(Bmin::new(radix, levels, 1).unwrap(), up)
}

/// Distinct nodes of a machine in random order, at most `largest` of them; the first is the source.
pub(crate) fn group(random: &mut Pcg64, nodes: usize, largest: usize) -> Vec<NodeId> {
    let size = random.random_range(1..=nodes.min(largest));
    permutation(random, nodes).into_iter().take(size).map(NodeId::new).collect()
}
