//! Networks that are a little smaller or plainer than a network, of the same kind.

use super::Topology;
use super::graph::GraphCase;
use crate::network::{
    Axes, BminSpec, Climb, Detour, Discipline, DragonflySpec, FatTreeSpec, HyperXSpec, HypercubeSpec, MeshSpec,
    ParallelBy, TorusSpec, TreeShape,
};
use crate::routing::{CopyBy, ModK};
use crate::selftest::minimise::lower;
use crate::topology::{Joint, LinkCost};
use crate::units::{RouterId, saturated};

/// What is smaller or plainer than `topology` by a step, where channels take `flit_time`.
pub(super) fn topologies(topology: &Topology, flit_time: u64) -> Vec<Topology> {
    let mut smaller: Vec<Topology> = match topology {
        Topology::Mesh(spec) => meshes(spec).into_iter().map(Topology::Mesh).collect(),
        Topology::Torus(spec) => tori(spec).into_iter().map(Topology::Torus).collect(),
        Topology::Hypercube(spec) => hypercubes(spec).into_iter().map(Topology::Hypercube).collect(),
        Topology::HyperX(spec) => hyperxes(spec).into_iter().map(Topology::HyperX).collect(),
        Topology::Bmin(spec) => bmins(spec).into_iter().map(Topology::Bmin).collect(),
        Topology::FatTree(spec) => fat_trees(spec).into_iter().map(Topology::FatTree).collect(),
        Topology::Dragonfly(spec) => dragonflies(spec).into_iter().map(Topology::Dragonfly).collect(),
        Topology::Keyed(case) => case.smaller().into_iter().map(Topology::Keyed).collect(),
        Topology::Graph(graph) => graphs(graph, flit_time).into_iter().map(Topology::Graph).collect(),
    };
    smaller.push(even(topology, flit_time));
    smaller.retain(|other| other != topology);
    smaller
}

/// With links that take what every channel does, `flit_time` ticks a flit.
pub(super) fn even(topology: &Topology, flit_time: u64) -> Topology {
    let mut topology = topology.clone();
    match &mut topology {
        Topology::Mesh(MeshSpec { costs, .. })
        | Topology::Torus(TorusSpec { costs, .. })
        | Topology::HyperX(HyperXSpec { costs, .. })
        | Topology::FatTree(FatTreeSpec { costs, .. }) => costs.clear(),
        Topology::Dragonfly(spec) => spec.costs = None,
        Topology::Graph(graph) => {
            let even = LinkCost::without_delay(flit_time);
            graph.ring.iter_mut().for_each(|pair| *pair = [even; 2]);
            graph.chords.iter_mut().for_each(|chord| chord.cost = even);
            graph.nodes.iter_mut().for_each(|node| node.cost = even);
        }
        Topology::Hypercube(_) | Topology::Bmin(_) | Topology::Keyed(_) => {}
    }
    topology
}

/// What `change` makes of `value`.
fn with<T: Clone>(value: &T, change: impl FnOnce(&mut T)) -> T {
    let mut changed = value.clone();
    change(&mut changed);
    changed
}

/// Shapes and costs of dimensions.
struct Dimensions {
    axes: Axes,
    costs: Vec<LinkCost>,
    /// Whether there are as many dimensions as before.
    is_whole: bool,
}

/// With a dimension fewer, shorter dimensions, or crossed in their order.
fn shorter(axes: &Axes, costs: &[LinkCost]) -> Vec<Dimensions> {
    let mut all = Vec::new();
    let count = axes.shape.len();
    for gone in (0..count).filter(|_| count > 1) {
        let mut axes = axes.clone();
        axes.shape.remove(gone);
        let gone_number = gone as u64;
        axes.order.retain(|&dimension| dimension != gone_number);
        axes.order.iter_mut().filter(|dimension| **dimension > gone_number).for_each(|dimension| *dimension -= 1);
        let mut costs = costs.to_vec();
        if !costs.is_empty() {
            costs.remove(gone);
        }
        all.push(Dimensions { axes, costs, is_whole: false });
    }
    let mut whole = |axes| all.push(Dimensions { axes, costs: costs.to_vec(), is_whole: true });
    for dimension in 0..count {
        lower(axes.shape[dimension], 1).for_each(|side| whole(with(axes, |axes| axes.shape[dimension] = side)));
    }
    whole(with(axes, |axes| axes.order.sort_unstable()));
    all
}

fn meshes(spec: &MeshSpec) -> Vec<MeshSpec> {
    let mesh = |Dimensions { axes, costs, is_whole }| {
        let node_grid = spec.node_grid.filter(|_| is_whole);
        MeshSpec { axes, costs, node_grid, ..spec.clone() }
    };
    let mut specs: Vec<MeshSpec> = shorter(&spec.axes, &spec.costs).into_iter().map(mesh).collect();
    specs.extend(lower(spec.concentration, 1).map(|concentration| {
        let node_grid = None;
        MeshSpec { concentration, node_grid, ..spec.clone() }
    }));
    specs.push(MeshSpec { node_grid: None, ..spec.clone() });
    specs.push(MeshSpec { express: None, ..spec.clone() });
    specs
}

fn tori(spec: &TorusSpec) -> Vec<TorusSpec> {
    let on = |Dimensions { axes, costs, is_whole }| {
        let mut smaller = TorusSpec { axes, costs, ..spec.clone() };
        if !is_whole {
            smaller.twists.clear();
            smaller.directions.clear();
        }
        smaller
    };
    let mut specs: Vec<TorusSpec> = shorter(&spec.axes, &spec.costs).into_iter().map(on).collect();
    specs.extend(lower(spec.concentration, 1).map(|concentration| TorusSpec { concentration, ..spec.clone() }));
    specs.push(with(spec, |spec| spec.twists.clear()));
    specs.push(with(spec, |spec| spec.directions.clear()));
    specs.push(TorusSpec { virtual_channels: 1, ..spec.clone() });
    specs
}

fn hypercubes(spec: &HypercubeSpec) -> Vec<HypercubeSpec> {
    let mut specs: Vec<_> =
        lower(spec.dimension, 0).map(|dimension| HypercubeSpec { dimension, ..spec.clone() }).collect();
    specs.extend(lower(spec.concentration, 1).map(|concentration| HypercubeSpec { concentration, ..spec.clone() }));
    specs
}

fn hyperxes(spec: &HyperXSpec) -> Vec<HyperXSpec> {
    let mut specs = Vec::new();
    let count = spec.shape.len();
    for dimension in 0..count {
        if count > 1 {
            specs.push(with(spec, |spec| {
                spec.shape.remove(dimension);
                spec.links.remove(dimension);
                spec.node_grid = None;
                if !spec.costs.is_empty() {
                    spec.costs.remove(dimension);
                }
                if !spec.delay_per_step.is_empty() {
                    spec.delay_per_step.remove(dimension);
                }
            }));
        }
        specs.extend(lower(spec.shape[dimension], 1).map(|side| with(spec, |spec| spec.shape[dimension] = side)));
        specs.extend(lower(spec.links[dimension], 1).map(|links| with(spec, |spec| spec.links[dimension] = links)));
    }
    specs.extend(lower(spec.concentration, 1).map(|concentration| {
        let node_grid = None;
        HyperXSpec { concentration, node_grid, ..spec.clone() }
    }));
    specs.push(HyperXSpec { node_grid: None, ..spec.clone() });
    specs.push(HyperXSpec { delay_per_step: Vec::new(), ..spec.clone() });
    specs.push(HyperXSpec { discipline: Discipline::DimensionOrder, ..spec.clone() });
    specs
}

fn bmins(spec: &BminSpec) -> Vec<BminSpec> {
    let mut specs: Vec<BminSpec> = lower(spec.levels, 1).map(|levels| BminSpec { levels, ..spec.clone() }).collect();
    specs.extend(lower(spec.radix, 2).map(|radix| BminSpec { radix, ..spec.clone() }));
    specs
}

fn fat_trees(spec: &FatTreeSpec) -> Vec<FatTreeSpec> {
    let mut specs = Vec::new();
    let mut shaped = |shape: TreeShape, gaps: u64| {
        let costs = spec.costs.iter().copied().take(saturated(gaps)).collect();
        specs.push(FatTreeSpec { shape, costs, ..spec.clone() });
    };
    match &spec.shape {
        TreeShape::Regular { arity, levels } => {
            lower(*levels, 1).for_each(|levels| shaped(TreeShape::Regular { arity: *arity, levels }, levels - 1));
            lower(*arity, 2).for_each(|arity| shaped(TreeShape::Regular { arity, levels: *levels }, levels - 1));
        }
        TreeShape::Extended { children, parents } => {
            let levels = children.len();
            if levels > 1 {
                let shape = TreeShape::Extended {
                    children: children[..levels - 1].to_vec(),
                    parents: parents[..levels - 1].to_vec(),
                };
                shaped(shape, levels as u64 - 2);
            }
            for level in 0..levels {
                let mut fewer = |children: Vec<u64>, parents: Vec<u64>| {
                    shaped(TreeShape::Extended { children, parents }, levels as u64 - 1);
                };
                lower(children[level], 1).for_each(|n| fewer(with(children, |all| all[level] = n), parents.clone()));
                lower(parents[level], 1).for_each(|n| fewer(children.clone(), with(parents, |all| all[level] = n)));
            }
        }
    }
    if matches!(spec.climb, Climb::Choosing(_)) {
        specs.push(FatTreeSpec { climb: Climb::Digits(ModK::Destination), ..spec.clone() });
    }
    specs
}

fn dragonflies(spec: &DragonflySpec) -> Vec<DragonflySpec> {
    let mut specs: Vec<DragonflySpec> = lower(spec.p, 1).map(|p| DragonflySpec { p, ..spec.clone() }).collect();
    for (a, h, groups) in [(1, 1, 2), (2, 1, 2), (2, 1, 3)] {
        if groups < spec.groups || groups == spec.groups && a * h < spec.a * spec.h {
            specs.push(DragonflySpec { a, h, groups, ..spec.clone() });
        }
    }
    specs.push(DragonflySpec { detour: Detour::Never, ..spec.clone() });
    specs.push(DragonflySpec { copy: CopyBy::Destination, ..spec.clone() });
    specs.push(DragonflySpec { virtual_channels: 1, ..spec.clone() });
    specs
}

fn graphs(graph: &GraphCase, flit_time: u64) -> Vec<GraphCase> {
    let mut graphs = Vec::new();
    let routers = graph.ring.len();
    if routers > 1 {
        graphs.push(with(graph, drop_router));
    }
    let chords = (0..graph.chords.len()).map(|at| with(graph, |graph| _ = graph.chords.remove(at)));
    graphs.extend(chords);
    graphs.push(with(graph, |graph| graph.parallel = ParallelBy::First));
    // those of two routers at once, as up-down routing wants every link to have one back
    for chord in &graph.chords {
        let joins = |other: &Joint| [(chord.from, chord.to), (chord.to, chord.from)].contains(&(other.from, other.to));
        graphs.push(with(graph, |graph| graph.chords.retain(|other| !joins(other))));
    }
    if graph.nodes.len() > 1 {
        graphs.extend((0..graph.nodes.len()).map(|at| with(graph, |graph| _ = graph.nodes.remove(at))));
    }
    let plain = LinkCost::without_delay(flit_time);
    graphs.extend((0..routers).map(|at| with(graph, |graph| graph.ring[at] = [plain; 2])));
    graphs.extend((0..graph.chords.len()).map(|at| with(graph, |graph| graph.chords[at].cost = plain)));
    graphs.extend((0..graph.nodes.len()).map(|at| with(graph, |graph| graph.nodes[at].cost = plain)));
    graphs
}

/// The last router goes; its nodes hang on the first, its chords go with it.
fn drop_router(graph: &mut GraphCase) {
    graph.ring.pop();
    let gone = RouterId::new(graph.ring.len());
    graph.chords.retain(|chord| chord.from != gone && chord.to != gone);
    graph.nodes.iter_mut().filter(|node| node.router == gone).for_each(|node| node.router = RouterId(0));
    graph.lower_root();
}
