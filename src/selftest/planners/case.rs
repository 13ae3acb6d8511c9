//! What is planned: small random problems of every kind of planner.

use crate::algorithm::exchange;
use crate::algorithm::mapping::{Distances, Processors, TaskGraph};
use crate::model::Parameterised;
use crate::selftest::apart::PROBLEMS;
use crate::selftest::case::matrix;
use crate::selftest::features::{Feature, Swarm};
use crate::selftest::reference::mappings::Links;
use crate::topology::CostMatrix;
use crate::units::Ticks;

/// A problem for planners.
#[derive(Clone, Debug)]
pub(in crate::selftest) enum Planning {
    Trees(Group),
    Grid(Grid),
    Exchange(Ring),
    Mapping(Tasks),
}

/// A multicast in the order of numbers, from any of them.
#[derive(Clone, Debug)]
pub(in crate::selftest) struct Group {
    pub(super) size: usize,
    pub(super) source: usize,
    pub(super) model: Parameterised,
    pub(super) ports: usize,
}

/// A broadcast over links that cost so much.
#[derive(Clone, Debug)]
pub(in crate::selftest) struct Grid {
    pub(super) costs: CostMatrix,
    pub(super) root: usize,
}

/// An exchange on a torus.
#[derive(Clone, Debug)]
pub(in crate::selftest) struct Ring {
    pub(super) algorithm: &'static exchange::Algorithm,
    pub(super) shape: Vec<usize>,
}

/// Tasks that talk to each other.
#[derive(Clone, Debug)]
pub(in crate::selftest) struct Tasks {
    pub(super) tasks: usize,
    /// The lower task, the higher, the weight.
    pub(super) edges: Vec<(u32, u32, u32)>,
    pub(super) onto: Onto,
    /// What mappers draw from.
    pub(super) seed: u64,
}

/// What tasks are mapped onto.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Onto {
    /// A hypercube of so many dimensions.
    Cube(u32),
    /// So many nodes in a row.
    Row(u32),
    /// So many nodes on a ring.
    Ring(u32),
    /// The same, with links one way.
    OneWayRing(u32),
}

impl Planning {
    pub(super) fn draw(swarm: &mut Swarm) -> Self {
        swarm.begin();
        match swarm.kind(PROBLEMS) {
            Feature::GridBroadcasts => Self::Grid(Grid::draw(swarm)),
            Feature::TorusExchanges => Self::Exchange(Ring::draw(swarm)),
            Feature::Mappings => Self::Mapping(Tasks::draw(swarm)),
            _ => Self::Trees(Group::draw(swarm)),
        }
    }
}

impl Group {
    fn draw(swarm: &mut Swarm) -> Self {
        let most = if swarm.has(Feature::Larger, 0.3) { 60 } else { 14 };
        let size = swarm.draw(1..=most);
        let end = swarm.draw(0..=40);
        let hold = if swarm.has(Feature::LongHolds, 0.4) { swarm.draw(0..=60) } else { swarm.draw(0..=end) };
        let ports = if swarm.has(Feature::Ports, 0.4) { swarm.draw(2..=4) } else { 1 };
        let model = Parameterised { t_hold: Ticks(hold), t_end: Ticks(end) };
        Self { size, source: swarm.draw(0..size), model, ports }
    }
}

impl Grid {
    fn draw(swarm: &mut Swarm) -> Self {
        let most = if swarm.has(Feature::Larger, 0.3) { 20 } else { 6 };
        let nodes = swarm.draw(1..=most);
        let largest =
            if swarm.has(Feature::Ties, 0.6) { swarm.draw(1..=3) } else { swarm.one_of(&[20, 1000, 1_000_000]) };
        let of_node: Option<Vec<u64>> = swarm.toss(0.15).then(|| (0..nodes).map(|_| swarm.draw(1..=largest)).collect());
        let costs = matrix(nodes, |from, _| of_node.as_ref().map_or_else(|| swarm.draw(1..=largest), |of| of[from]));
        Self { costs, root: swarm.draw(0..nodes) }
    }
}

impl Ring {
    fn draw(swarm: &mut Swarm) -> Self {
        loop {
            let dimensions = swarm.draw(1..=3);
            let longest = if swarm.has(Feature::Larger, 0.2) { [24, 8, 4] } else { [12, 5, 3] }[dimensions - 1];
            let side = swarm.toss(0.4).then(|| swarm.draw(1..=longest));
            let shape: Vec<usize> = (0..dimensions).map(|_| side.unwrap_or_else(|| swarm.draw(1..=longest))).collect();
            let algorithm = &exchange::ALGORITHMS[swarm.draw(0..exchange::ALGORITHMS.len())];
            if algorithm.admits(&shape).is_ok() {
                return Self { algorithm, shape };
            }
        }
    }
}

impl Tasks {
    fn draw(swarm: &mut Swarm) -> Self {
        let larger = swarm.has(Feature::Larger, 0.3);
        let several = swarm.has(Feature::SeveralTasks, 0.4);
        let onto = if swarm.has(Feature::OffCubes, 0.5) {
            let nodes = swarm.draw(1..=if larger { 12 } else { 6 });
            swarm.one_of(&[Onto::Row(nodes), Onto::Ring(nodes), Onto::OneWayRing(nodes)])
        } else {
            Onto::Cube(swarm.draw(0..=if larger { 4 } else { 2 }))
        };
        let nodes = onto.nodes();
        let most = if several { nodes * 2 } else { nodes };
        let tasks = swarm.draw(1..=if larger { most } else { most.min(6) });
        let heaviest = if swarm.has(Feature::Ties, 0.6) { 1 } else { 9 };
        let density = swarm.one_of(&[0.2, 0.5, 0.9]);
        let mut edges = Vec::new();
        for higher in 0..crate::units::narrow(tasks, "graphs of cases are small") {
            for lower in 0..higher {
                if swarm.toss(density) {
                    edges.push((lower, higher, swarm.draw(1..=heaviest)));
                }
            }
        }
        if edges.is_empty() && tasks > 1 {
            edges.push((0, 1, 1)); // without any there is nothing to map
        }
        Self { tasks, edges, onto, seed: swarm.draw(0..1000) }
    }

    /// The graph; none if it cannot be mapped there.
    pub(super) fn graph(&self) -> Option<TaskGraph> {
        let graph = TaskGraph::new(self.tasks, &self.edges).ok()?;
        let links = self.onto.links();
        let processors = match self.onto {
            Onto::Cube(dimensions) => Processors::Cube(dimensions),
            _ => Distances::new(self.onto.nodes(), |one, other| links.0[one as usize][other as usize]).ok()?.into(),
        };
        Some(graph.onto_network(processors))
    }
}

impl Onto {
    pub(super) fn nodes(self) -> usize {
        match self {
            Self::Cube(dimensions) => 1 << dimensions,
            Self::Row(nodes) | Self::Ring(nodes) | Self::OneWayRing(nodes) => nodes as usize,
        }
    }

    /// Links between any two nodes.
    pub(super) fn links(self) -> Links {
        let rows = |nodes: u32, links: &dyn Fn(u32, u32) -> u32| {
            Links((0..nodes).map(|one| (0..nodes).map(|other| links(one, other)).collect()).collect())
        };
        match self {
            Self::Cube(dimensions) => Links::of_cube(dimensions),
            Self::Row(nodes) => rows(nodes, &|one, other| one.abs_diff(other)),
            Self::Ring(nodes) => rows(nodes, &|one, other| one.abs_diff(other).min(nodes - one.abs_diff(other))),
            Self::OneWayRing(nodes) => rows(nodes, &|one, other| (other + nodes - one) % nodes),
        }
    }
}
