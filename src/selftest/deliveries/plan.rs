//! What is planned: a schedule of any algorithm that a registry lists, for a random request on a random machine.

use crate::algorithm::{broadcast, collective, exchange, multicast};
use crate::costs::NodeCosts;
use crate::model::Parameterised;
use crate::network::{Axes, TorusSpec};
use crate::routing::Lattice;
use crate::schedule::collective::{Collective, Operation};
use crate::schedule::{Exchange, Pace, Schedule};
use crate::selftest::apart::TASKS;
use crate::selftest::case::{Machine, Topology, matrix, overheads};
use crate::selftest::features::{Feature, Swarm};
use crate::topology::CostMatrix;
use crate::units::{Flits, NodeId, Ticks, narrow, saturated};

use super::damage::Damage;

/// A schedule on a machine, and what is done to it before it is proved.
#[derive(Clone, Debug)]
pub(in crate::selftest) struct Delivery {
    pub(super) machine: Machine,
    pub(super) pace: Pace,
    pub(super) task: Task,
    /// What happens to the schedule that is proved; the one that runs stays as it was planned.
    pub(super) damages: Vec<Damage>,
}

/// What is to be delivered, and by which algorithm.
#[derive(Clone, Debug)]
pub(super) enum Task {
    Multicast(Multicast),
    Broadcast(Broadcast),
    Exchange(Blocks),
    Collective(Vectors),
}

/// One message to a group, of which the first is the source.
#[derive(Clone, Debug)]
pub(super) struct Multicast {
    pub(super) algorithm: &'static multicast::Algorithm,
    pub(super) group: Vec<NodeId>,
    pub(super) flits: u64,
    pub(super) model: Parameterised,
    pub(super) block: usize,
    pub(super) inside: multicast::Inside,
}

/// One message to as many nodes as there are costs for.
#[derive(Clone, Debug)]
pub(super) struct Broadcast {
    pub(super) algorithm: &'static broadcast::Algorithm,
    pub(super) costs: CostMatrix,
    pub(super) root: NodeId,
    pub(super) flits: u64,
}

/// A block from each node to each. The machine is a torus, unless nodes are known by their numbers.
#[derive(Clone, Debug)]
pub(super) struct Blocks {
    pub(super) algorithm: &'static exchange::Algorithm,
    pub(super) shape: Vec<usize>,
    pub(super) flits: u64,
    /// Whether messages take the machine's paths, and not those that the algorithm prescribes on a torus.
    pub(super) on_paths: bool,
}

/// A collective of the ranks on the nodes of a group.
#[derive(Clone, Debug)]
pub(super) struct Vectors {
    pub(super) algorithm: &'static collective::Algorithm,
    pub(super) operation: Operation,
    pub(super) group: Vec<NodeId>,
    pub(super) root: usize,
    pub(super) flits: u64,
    pub(super) shape: Vec<usize>,
    pub(super) parts: Option<usize>,
    pub(super) segment_flits: u64,
}

/// What an algorithm has planned.
pub(super) enum Planned {
    /// Trees, and whom each is to reach.
    Trees(Vec<(Schedule, Vec<NodeId>)>),
    Exchange(Box<Exchange>),
    Collective(Collective),
}

/// How often an algorithm is drawn until one takes the task.
const TRIES: u32 = 12;

impl Delivery {
    pub(super) fn draw(swarm: &mut Swarm) -> Self {
        loop {
            swarm.begin();
            let mut machine = Machine::draw(swarm, false);
            if swarm.has(Feature::NodeCosts, 0.7) {
                machine.node = overheads(swarm, machine.node);
            }
            if swarm.has(Feature::Combining, 0.6) {
                machine.node = combining(swarm, machine.node);
            }
            let Some(nodes) = machine.network().map(|network| network.channels().nodes()) else { continue };
            let task = match swarm.kind(TASKS) {
                Feature::Broadcasts => Some(Task::Broadcast(Broadcast::draw(swarm, nodes))),
                Feature::Exchanges => Blocks::draw(swarm, &mut machine, nodes).map(Task::Exchange),
                Feature::Collectives => Vectors::draw(swarm, &machine, nodes).map(Task::Collective),
                _ => Multicast::draw(swarm, &machine, nodes).map(Task::Multicast),
            };
            let Some(task) = task else { continue };
            let pace = if swarm.has(Feature::NoBarriers, 0.6) { Pace::Asynchronous } else { Pace::Synchronous };
            let damages = if swarm.has(Feature::Damaged, 0.7) { Damage::draw_some(swarm) } else { Vec::new() };
            return Self { machine, pace, task, damages };
        }
    }

    /// What the algorithm plans; none if it takes no such task.
    pub(super) fn planned(&self) -> Option<Planned> {
        match &self.task {
            Task::Multicast(multicast) => multicast.planned(&self.machine),
            Task::Broadcast(broadcast) => broadcast.planned(&self.machine),
            Task::Exchange(blocks) => blocks.planned(&self.machine),
            Task::Collective(vectors) => vectors.planned(&self.machine).map(Planned::Collective),
        }
    }

    /// Whether the algorithm is known to plan what is wrong.
    pub(super) fn is_unproved(&self) -> bool {
        matches!(&self.task, Task::Collective(vectors) if vectors.algorithm.unproved)
    }
}

/// What it takes to combine messages.
fn combining(swarm: &mut Swarm, node: NodeCosts) -> NodeCosts {
    NodeCosts { reduce_setup: swarm.draw(0..=9), reduce_per_flit: swarm.draw(0..=2), ..node }
}

/// The length of a message or a vector.
fn length(swarm: &mut Swarm) -> u64 {
    if swarm.has(Feature::LongMessages, 0.3) { swarm.draw(10..=40) } else { swarm.draw(1..=9) }
}

/// Some of the nodes in any order, or all in order.
fn group(swarm: &mut Swarm, nodes: usize) -> Vec<NodeId> {
    if !swarm.has(Feature::Groups, 0.7) {
        return (0..nodes).map(NodeId::new).collect();
    }
    let size = swarm.draw(1..=nodes.min(16));
    let order = swarm.permutation(nodes as u64);
    order.into_iter().take(size).map(|node| NodeId::new(saturated(node))).collect()
}

impl Multicast {
    fn draw(swarm: &mut Swarm, machine: &Machine, nodes: usize) -> Option<Self> {
        let mut group = group(swarm, nodes);
        let source = swarm.draw(0..group.len());
        group.swap(0, source);
        let end = swarm.draw(0..=60);
        let hold = if swarm.toss(0.8) { swarm.draw(0..=end) } else { swarm.draw(0..=100) };
        let empty = swarm.has(Feature::EmptyMessages, 0.3);
        let mut drawn = Self {
            algorithm: &multicast::ALGORITHMS[0],
            group,
            flits: if empty { 0 } else { length(swarm) },
            model: Parameterised { t_hold: Ticks(hold), t_end: Ticks(end) },
            block: swarm.draw(1..=5),
            inside: swarm.one_of(&[multicast::Inside::Flat, multicast::Inside::Binomial]),
        };
        for _ in 0..TRIES {
            drawn.algorithm = &multicast::ALGORITHMS[swarm.draw(0..multicast::ALGORITHMS.len())];
            if drawn.planned(machine).is_some() {
                return Some(drawn);
            }
        }
        None
    }

    fn planned(&self, machine: &Machine) -> Option<Planned> {
        let network = machine.network()?;
        let request = multicast::Request {
            group: &self.group,
            nodes: network.channels().nodes(),
            network: Some(&*network),
            copying: None,
            flits: Flits(self.flits),
            model: self.model,
            ports: machine.node.ports,
            block: self.block,
            inside: self.inside,
        };
        let schedule = self.algorithm.plan(&request).ok()?;
        Some(Planned::Trees(vec![(schedule, self.group[1..].to_vec())]))
    }
}

impl Broadcast {
    fn draw(swarm: &mut Swarm, nodes: usize) -> Self {
        let algorithm = &broadcast::ALGORITHMS[swarm.draw(0..broadcast::ALGORITHMS.len())];
        let most = nodes.min(algorithm.most_nodes).min(if algorithm.most_nodes <= 10 { 6 } else { 14 });
        let nodes = swarm.draw(1..=most);
        let largest: u64 = swarm.one_of(&[1, 3, 20, 1000]);
        Self {
            algorithm,
            costs: matrix(nodes, |_, _| swarm.draw(1..=largest)),
            root: NodeId::new(swarm.draw(0..nodes)),
            flits: length(swarm),
        }
    }

    fn planned(&self, machine: &Machine) -> Option<Planned> {
        let nodes = machine.network()?.channels().nodes();
        if self.costs.nodes() > nodes {
            return None;
        }
        let trees = self.algorithm.plan(&self.costs, self.root, &broadcast::Options::default());
        let all = (0..self.costs.nodes()).map(NodeId::new).filter(|&node| node != self.root);
        let mut reached: Vec<NodeId> = all.collect();
        let mut schedules = Vec::new();
        for tree in trees {
            schedules.push((tree.schedule(nodes, self.root, Flits(self.flits)), reached));
            // further trees are alternatives, which go as far as they come
            reached = Vec::new();
        }
        for (schedule, reached) in schedules.iter_mut().skip(1) {
            *reached = schedule.messages().map(|message| message.dst).collect();
        }
        Some(Planned::Trees(schedules))
    }
}

impl Blocks {
    /// Draws the torus, too, where the algorithm prescribes the ways of its messages.
    fn draw(swarm: &mut Swarm, machine: &mut Machine, nodes: usize) -> Option<Self> {
        let flits = if swarm.has(Feature::EmptyMessages, 0.3) { 0 } else { swarm.draw(1..=4) };
        for _ in 0..TRIES {
            let algorithm = &exchange::ALGORITHMS[swarm.draw(0..exchange::ALGORITHMS.len())];
            let on_paths = algorithm.is_by_number && nodes <= 20 && swarm.toss(0.3);
            let shape = if on_paths { vec![nodes] } else { sides(swarm) };
            if algorithm.admits(&shape).is_err() {
                continue;
            }
            if !on_paths {
                put_on_torus(swarm, machine, &shape);
            }
            return Some(Self { algorithm, shape, flits, on_paths });
        }
        None
    }

    fn planned(&self, machine: &Machine) -> Option<Planned> {
        let exchange = self.algorithm.plan(&self.shape).ok()?;
        if !self.on_paths {
            return Some(Planned::Exchange(exchange.into()));
        }
        let network = machine.network().filter(|network| network.channels().nodes() == exchange.nodes())?;
        Some(Planned::Exchange(exchange.on_paths(|src, dst| network.hops(src, dst)).into()))
    }
}

/// The sides of a small torus: as any come, or such as few algorithms take.
fn sides(swarm: &mut Swarm) -> Vec<usize> {
    match swarm.draw(0..5) {
        0 => vec![4, 4],
        1 => swarm.one_of(&[vec![3, 3], vec![5, 5], vec![2, 4], vec![8], vec![4, 2, 2], vec![2, 2, 2], vec![6, 2]]),
        _ => {
            let dimensions = swarm.draw(1..=3);
            (0..dimensions).map(|_| swarm.draw(1..=[12, 4, 3][dimensions - 1])).collect()
        }
    }
}

/// The machine is a plain torus of this shape, with the channels that it had.
fn put_on_torus(swarm: &mut Swarm, machine: &mut Machine, shape: &[usize]) {
    swarm.begin();
    machine.topology = torus(shape);
    machine.node.ports = 1;
    machine.ejection = None;
    let channel = machine.channel;
    let has = [
        (Feature::Torus, true),
        (Feature::FlitTime, channel.flit_time > 1),
        (Feature::Buffers, channel.buffer.without_delay() > 1),
        (Feature::RoutingDelay, channel.routing_delay > 0),
        (Feature::NodeCosts, machine.node != NodeCosts::default()),
    ];
    has.into_iter().filter(|(_, has)| *has).for_each(|(feature, _)| swarm.meet(feature));
}

/// A plain torus of this shape.
pub(super) fn torus(shape: &[usize]) -> Topology {
    let order = (0..shape.len() as u64).collect();
    let shape = shape.iter().map(|&side| side as u64).collect();
    Topology::Torus(TorusSpec::new(Axes { shape, order }, 2))
}

impl Vectors {
    fn draw(swarm: &mut Swarm, machine: &Machine, nodes: usize) -> Option<Self> {
        let group = group(swarm, nodes.min(20));
        let ranks = group.len();
        let (_, operation) = Operation::ALL[swarm.draw(0..Operation::ALL.len())];
        let segments = swarm.has(Feature::Segments, 0.5);
        let shape = match whole_lattice(machine).filter(|lattice| lattice.nodes() == ranks) {
            Some(lattice) if swarm.toss(0.8) => lattice.shape().to_vec(),
            _ => factors(swarm, ranks),
        };
        let several = swarm.has(Feature::Parts, 0.5);
        let parts = several.then(|| swarm.draw(1..=2 * shape.len()));
        let mut drawn = Self {
            algorithm: &collective::ALGORITHMS[0],
            operation,
            root: if operation.has_root() { swarm.draw(0..ranks) } else { 0 },
            group,
            flits: if operation == Operation::Barrier { 0 } else { length(swarm) },
            shape,
            parts,
            segment_flits: if segments { swarm.draw(1..=6) } else { 0 },
        };
        // of those that take it, as few take some shapes
        let takes = |algorithm: &&collective::Algorithm| {
            drawn.asked(machine, |request| algorithm.admits(request).ok()).is_some()
        };
        let fit: Vec<&'static collective::Algorithm> = collective::ALGORITHMS.iter().filter(takes).collect();
        if fit.is_empty() {
            return None;
        }
        drawn.algorithm = swarm.one_of(&fit);
        Some(drawn)
    }

    fn planned(&self, machine: &Machine) -> Option<Collective> {
        self.asked(machine, |request| self.algorithm.plan(request).ok())
    }

    /// What the schedule is at most, by its closed form.
    pub(super) fn extent(&self, machine: &Machine) -> Option<collective::Extent> {
        self.asked(machine, |request| self.algorithm.extent(request).ok())
    }

    /// What `answer` says to what the algorithm is asked for.
    fn asked<T>(&self, machine: &Machine, answer: impl FnOnce(&collective::Request<'_>) -> Option<T>) -> Option<T> {
        let all = machine.network()?.channels().nodes();
        let is_whole = self.group.len() == all && self.group.iter().copied().eq((0..all).map(NodeId::new));
        let lattice = whole_lattice(machine).filter(|lattice| is_whole && lattice.nodes() == all);
        let request = collective::Request {
            operation: self.operation,
            ranks: self.group.len(),
            root: self.root,
            flits: self.flits,
            shape: self.shape.clone(),
            parts: self.parts,
            segment_flits: self.segment_flits,
            lattice: lattice.as_ref(),
        };
        answer(&request)
    }
}

/// The lattice of the machine's routers, if algorithms may rest on it.
fn whole_lattice(machine: &Machine) -> Option<Lattice> {
    if matches!(machine.topology, Topology::Hypercube(_)) { None } else { machine.topology.lattice() }
}

/// The logical shape of so many ranks: in a row, or as a rectangle if they are one.
fn factors(swarm: &mut Swarm, ranks: usize) -> Vec<usize> {
    let rows: Vec<usize> = (2..ranks).filter(|&rows| ranks.is_multiple_of(rows)).collect();
    if rows.is_empty() || swarm.toss(0.5) {
        return vec![ranks];
    }
    let rows = swarm.one_of(&rows);
    vec![rows, ranks / rows]
}

/// The number of a node of a small machine.
pub(super) fn number(node: usize) -> u32 {
    narrow(node, "machines of cases are small")
}
