//! Random networks: every kind that scenarios can name, small, with links that may take times of their own.

use super::graph::GraphCase;
use super::keyed::KeyedCase;
use crate::network::{
    Axes, BminSpec, Climb, Detour, Discipline, DragonflySpec, FatTreeSpec, HyperXSpec, HypercubeSpec, MeshSpec,
    NetworkSpec, NodeGrid, TorusSpec, TreeShape,
};
use crate::routing::{CopyBy, Lattice, LinkRouting, ModK, Network, UpBy, UpPort};
use crate::selftest::apart::KINDS;
use crate::selftest::features::{Feature, Swarm};
use crate::topology::{Direction, DragonflyCosts, LinkCost, Links, Ports, Twist};
use crate::units::saturated;
use std::sync::Arc;

/// A network of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Topology {
    Mesh(MeshSpec),
    Torus(TorusSpec),
    Hypercube(HypercubeSpec),
    HyperX(HyperXSpec),
    Bmin(BminSpec),
    FatTree(FatTreeSpec),
    Dragonfly(DragonflySpec),
    /// A network that is drawn by the keys of its kind.
    Keyed(KeyedCase),
    Graph(GraphCase),
}

/// What is drawn of a link, beside a channel that takes `flit_time`.
pub(super) fn link_cost(swarm: &mut Swarm, flit_time: u64) -> LinkCost {
    let times = if swarm.has(Feature::UnevenLinks, 0.7) { swarm.draw(1..=3) } else { 1 };
    let delay = if swarm.has(Feature::LinkDelays, 0.7) { swarm.draw(0..=5) } else { 0 };
    LinkCost::new(times * flit_time, delay * flit_time)
}

/// What the links of each of `count` groups take; nothing where all are like every channel.
fn group_costs(swarm: &mut Swarm, count: usize, flit_time: u64) -> Vec<LinkCost> {
    if !swarm.toss(0.4) {
        return Vec::new();
    }
    let costs: Vec<LinkCost> = (0..count).map(|_| link_cost(swarm, flit_time)).collect();
    if are_even(&costs, flit_time) { Vec::new() } else { costs }
}

fn are_even(costs: &[LinkCost], flit_time: u64) -> bool {
    costs.iter().all(|&cost| cost == LinkCost::without_delay(flit_time))
}

fn concentration(swarm: &mut Swarm) -> u64 {
    if swarm.has(Feature::Concentration, 0.4) { swarm.draw(2..=3) } else { 1 }
}

/// A row or a column of the nodes of a router, where these can form one.
fn node_grid(swarm: &mut Swarm, shape: &[u64], concentration: u64) -> Option<NodeGrid> {
    if shape.len() != 2 || concentration == 1 || !swarm.toss(0.5) {
        return None;
    }
    let sides = if swarm.toss(0.5) { [1, concentration] } else { [concentration, 1] };
    Some(NodeGrid { sides })
}

/// `spec` with delays that grow with the length of links, and no others, where channels take a tick for a flit.
fn with_delays_per_step(swarm: &mut Swarm, spec: HyperXSpec) -> HyperXSpec {
    let steps = spec.shape.iter().map(|_| swarm.draw(1..=3)).collect();
    let flit_times = spec.costs.iter().map(|cost| cost.flit_time.0);
    let mut costs: Vec<LinkCost> = flit_times.map(LinkCost::without_delay).collect();
    costs.resize(spec.shape.len(), LinkCost::without_delay(1));
    HyperXSpec { costs, delay_per_step: steps, ..spec }
}

/// The sides of one to three dimensions, and the order in which they are crossed.
fn axes(swarm: &mut Swarm, least: u64) -> Axes {
    let dimensions = swarm.draw(1..=3);
    let longest = if swarm.has(Feature::Larger, 0.2) { [16, 7, 4] } else { [6, 4, 3] }[dimensions - 1];
    let shape: Vec<u64> = (0..dimensions).map(|_| swarm.draw(least..=longest)).collect();
    let order = if swarm.has(Feature::Order, 0.6) {
        swarm.permutation(dimensions as u64)
    } else {
        (0..dimensions as u64).collect()
    };
    Axes { shape, order }
}

impl Topology {
    /// A network of one of the kinds that are switched on, of any if none is.
    pub(crate) fn draw(swarm: &mut Swarm, flit_time: u64) -> Self {
        match swarm.kind(KINDS) {
            Feature::Torus => Self::Torus(torus(swarm, flit_time)),
            Feature::Hypercube => Self::Hypercube(hypercube(swarm)),
            Feature::HyperX => Self::HyperX(hyperx(swarm, flit_time)),
            Feature::Bmin => Self::Bmin(bmin(swarm)),
            Feature::FatTree => Self::FatTree(fat_tree(swarm, flit_time)),
            Feature::Dragonfly => Self::Dragonfly(dragonfly(swarm, flit_time)),
            Feature::Chiplets => Self::Keyed(KeyedCase::draw(swarm, "chiplets", flit_time)),
            Feature::Graph => Self::Graph(GraphCase::draw(swarm, flit_time)),
            _ => Self::Mesh(mesh(swarm, flit_time)),
        }
    }

    /// What scenarios call it.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Mesh(_) => "mesh",
            Self::Torus(_) => "torus",
            Self::Hypercube(_) => "hypercube",
            Self::HyperX(_) => "hyperx",
            Self::Bmin(_) => "bmin",
            Self::FatTree(_) => "fat-tree",
            Self::Dragonfly(_) => "dragonfly",
            Self::Keyed(case) => case.kind(),
            Self::Graph(_) => "graph",
        }
    }

    /// Its description; none of a graph, which a file describes.
    pub(crate) fn spec(&self) -> Option<&dyn NetworkSpec> {
        Some(match self {
            Self::Mesh(spec) => spec,
            Self::Torus(spec) => spec,
            Self::Hypercube(spec) => spec,
            Self::HyperX(spec) => spec,
            Self::Bmin(spec) => spec,
            Self::FatTree(spec) => spec,
            Self::Dragonfly(spec) => spec,
            Self::Keyed(case) => case.spec(),
            Self::Graph(_) => return None,
        })
    }

    /// The network with such ports a node; none if there is no such one.
    pub(crate) fn build(&self, ports: Ports) -> Option<Arc<dyn Network>> {
        match self {
            Self::Graph(graph) => graph.build(ports),
            other => other.spec()?.build(ports).ok(),
        }
    }

    /// Its links.
    pub(crate) fn links(&self) -> Option<Arc<dyn Links>> {
        match self {
            Self::Graph(graph) => Some(graph.links()),
            other => other.spec()?.links().ok(),
        }
    }

    /// The lattice of routers that it is, if it is one.
    pub(crate) fn lattice(&self) -> Option<Lattice> {
        self.spec()?.lattice()
    }

    /// How packets find their way over its links, and whether they draw or choose it.
    pub(crate) fn link_routing(&self) -> Option<(Arc<dyn LinkRouting>, bool)> {
        if let Some(choosing) = self.spec().and_then(|spec| spec.choosing().ok()).flatten() {
            return Some((choosing, true));
        }
        let network = self.build(Ports::from(1))?;
        Some((network.paths()?, false))
    }

    /// Virtual channels that its own paths make use of.
    pub(crate) fn virtual_channels(&self) -> u64 {
        match self {
            Self::Graph(graph) => graph.virtual_channels(),
            other => other.spec().map_or(1, NetworkSpec::virtual_channels),
        }
    }

    /// With the virtual channels of routers that have so many, if its paths make use of more than one.
    pub(crate) fn share_virtual_channels(&mut self, all: u64) {
        match self {
            Self::Torus(TorusSpec { virtual_channels, .. })
            | Self::Dragonfly(DragonflySpec { virtual_channels, .. }) => {
                *virtual_channels = all.min(2);
            }
            _ => {}
        }
    }

    /// Draws a routing that draws or chooses, if it has such ones of its own.
    pub(crate) fn draw_choosing(&mut self, swarm: &mut Swarm) {
        match self {
            Self::HyperX(spec) => {
                let minimal = [Discipline::Adaptive, Discipline::O1turn];
                let all = [Discipline::Valiant, Discipline::Ugal { threshold: 2 }, minimal[0], minimal[1]];
                let flat = spec.shape.len() != 2;
                spec.discipline = swarm.one_of(if flat { &all[..3] } else { &all });
            }
            Self::FatTree(spec) => spec.climb = Climb::Choosing(swarm.one_of(&[UpBy::Drawing, UpBy::Load])),
            Self::Dragonfly(spec) => spec.detour = swarm.one_of(&[Detour::Always, Detour::Beyond(2)]),
            _ => return,
        }
        swarm.meet(Feature::Choosing);
    }
}

fn mesh(swarm: &mut Swarm, flit_time: u64) -> MeshSpec {
    let axes = axes(swarm, 1);
    let costs = group_costs(swarm, axes.shape.len(), flit_time);
    let express = swarm.has(Feature::OddLinks, 0.4).then(|| swarm.draw(2..=3));
    let concentration = concentration(swarm);
    let node_grid = node_grid(swarm, &axes.shape, concentration);
    MeshSpec { concentration, node_grid, express, costs, ..MeshSpec::new(axes) }
}

fn torus(swarm: &mut Swarm, flit_time: u64) -> TorusSpec {
    let axes = axes(swarm, 1);
    let dimensions = axes.shape.len();
    let virtual_channels = if swarm.has(Feature::FewerVirtualChannels, 0.6) { 1 } else { 2 };
    let costs = group_costs(swarm, dimensions, flit_time);
    let mut spec = TorusSpec { concentration: concentration(swarm), costs, ..TorusSpec::new(axes, virtual_channels) };
    if swarm.has(Feature::OddLinks, 0.4) {
        if dimensions > 1 && swarm.toss(0.5) {
            let by = swarm.draw(1..=2);
            spec.twists = vec![Twist { across: 0, shifts: 1, by }];
        } else {
            let ways = [None, Some(Direction::Plus), Some(Direction::Minus)];
            spec.directions = (0..dimensions).map(|_| swarm.one_of(&ways)).collect();
            if spec.directions.iter().all(Option::is_none) {
                spec.directions = Vec::new();
            }
        }
    }
    spec
}

fn hypercube(swarm: &mut Swarm) -> HypercubeSpec {
    let most = if swarm.has(Feature::Larger, 0.2) { 5 } else { 3 };
    let spec = HypercubeSpec::new(swarm.draw(0..=most));
    HypercubeSpec { concentration: concentration(swarm), ..spec }
}

fn hyperx(swarm: &mut Swarm, flit_time: u64) -> HyperXSpec {
    let dimensions = swarm.draw(1..=2);
    let longest = if swarm.has(Feature::Larger, 0.2) { 6 } else { 3 };
    let shape: Vec<u64> = (0..dimensions).map(|_| swarm.draw(1..=longest)).collect();
    let links = (0..dimensions).map(|_| swarm.draw(1..=2)).collect();
    let concentration = concentration(swarm);
    let discipline = Discipline::DimensionOrder;
    let node_grid = node_grid(swarm, &shape, concentration);
    let costs = group_costs(swarm, dimensions, flit_time);
    let spec = HyperXSpec {
        shape,
        links,
        concentration,
        node_grid,
        discipline,
        costs,
        delay_per_step: Vec::new(),
        link_classes: Arc::default(),
    };
    // routers accept delays of whole flit times only
    if flit_time == 1 && swarm.has(Feature::LinkDelays, 0.3) { with_delays_per_step(swarm, spec) } else { spec }
}

fn bmin(swarm: &mut Swarm) -> BminSpec {
    let radix = swarm.draw(2..=3);
    let most = if swarm.has(Feature::Larger, 0.2) { 3 } else { 2 };
    let up = swarm.one_of(&[UpPort::Source, UpPort::Destination]);
    BminSpec { radix, levels: swarm.draw(1..=most), up, link_classes: Arc::default() }
}

fn fat_tree(swarm: &mut Swarm, flit_time: u64) -> FatTreeSpec {
    let levels = if swarm.has(Feature::Larger, 0.2) { 3 } else { swarm.draw(1..=2) };
    let shape = if swarm.toss(0.5) {
        TreeShape::Regular { arity: swarm.draw(2..=3), levels }
    } else {
        let children = (0..levels).map(|_| swarm.draw(1..=3)).collect();
        let parents = (0..levels).map(|level| if level == 0 { 1 } else { swarm.draw(1..=2) }).collect();
        TreeShape::Extended { children, parents }
    };
    let climb = Climb::Digits(swarm.one_of(&[ModK::Destination, ModK::Source]));
    let costs = group_costs(swarm, saturated(levels - 1), flit_time);
    FatTreeSpec { shape, climb, costs, link_classes: Arc::default() }
}

fn dragonfly(swarm: &mut Swarm, flit_time: u64) -> DragonflySpec {
    let (a, h, groups) =
        if swarm.has(Feature::Larger, 0.2) { (3, 1, 4) } else { swarm.one_of(&[(2, 1, 3), (1, 2, 3), (2, 1, 2)]) };
    let virtual_channels = if swarm.has(Feature::FewerVirtualChannels, 0.6) { 1 } else { 2 };
    let costs = group_costs(swarm, 2, flit_time);
    let costs = (!costs.is_empty()).then(|| DragonflyCosts { local: costs[0], global: costs[1] });
    let copy = swarm.one_of(&[CopyBy::Destination, CopyBy::Source]);
    let p = swarm.draw(1..=2);
    let detour = Detour::Never;
    DragonflySpec { p, a, h, groups, virtual_channels, detour, copy, costs, link_classes: Arc::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random;
    use crate::selftest::features::FeatureSet;

    #[test]
    fn every_network_that_is_drawn_can_be_built() {
        for number in 0..3000 {
            let mut swarm = Swarm::new(random::stream(number, "topology", 0), FeatureSet::of(Feature::ALL));
            let topology = Topology::draw(&mut swarm, 2);
            assert!(topology.build(Ports::from(1)).is_some(), "{topology:?}");
        }
    }
}
