//! `[network.hyperx]`: routers on a lattice, any two that differ in one coordinate joined, with dimension-ordered routing, which
//! needs one virtual channel; and `[network.full-mesh]`, one of a single dimension.

use super::axes::{CONCENTRATION, COSTS, concentrated, concentration, dimension_groups, node_shape, with_nodes};
use super::costs::{self, CostKeys};
use super::node_grid::{self, NODE_GRID, NodeGrid};
use super::{
    Asked, ClosedForm, Idle, LinkClasses, NetworkError, NetworkKind, NetworkSpec, ParallelBy, Parameter, indices,
    with_article,
};
use crate::config::{Diagnostic, Reader, listed};
use crate::routing::tree::TreePaths;
use crate::routing::{
    HyperXAdaptive, HyperXDetours, HyperXO1turn, HyperXPaths, HyperXUgal, HyperXValiant, LinkNetwork, LinkRouting,
    Network, UGAL_THRESHOLD,
};
use crate::topology::{HyperXLinks, LinkCost, Linked, Links, Ports, TopologyError};
use crate::units::{Key, saturated};
use std::sync::Arc;

const SHAPE: Key = Key::integers("shape", 1..=u64::MAX).says(
    "routers along each dimension, such as [4, 4]; router numbers are row-major, first coordinate most significant",
);
const LINKS: Key = Key::integers("links", 1..=u64::MAX)
    .or_else("[1, 1, ..]")
    .says("number of parallel links between two routers that differ in one dimension, for each dimension");
const ROUTERS: Key = Key::integer("routers", 1..=u64::MAX).says("number of routers");

const DELAY_PER_STEP: Key =
    Key::integers("delay_per_step", 1..=1 << 20).or_else("none").unit("ticks").unless("delay").says(
        "for each dimension, time that a link takes for each step between the coordinates of its routers; a link from \
         coordinate a to b has a delay of delay_per_step * |a - b| - 1",
    );

/// What the links of a full mesh take.
const MESH_COSTS: CostKeys = CostKeys::new(
    "time for a flit to cross a link, in an array of one element",
    "additional delay of a flit on a link and of the returning credit, in an array of one element",
    "a full-mesh has",
);

const ROUTINGS: &[(&str, &str)] = &[
    ("dimension-order", "first coordinate first; of k parallel links, a message uses number (source node) mod k"),
    (
        "adaptive",
        "any link of any dimension in which the coordinates differ; one class of virtual channels for each dimension",
    ),
    ("o1turn", "two dimensions in random order; two classes of virtual channels"),
    ("valiant", "via a random router; two classes of virtual channels"),
    ("ugal", "minimal or via a random router, depending on queues at the source; two classes of virtual channels"),
];

/// Which way packets go, in the order of [`ROUTINGS`]; the threshold of the last is read.
const DISCIPLINES: [Discipline; 5] = [
    Discipline::DimensionOrder,
    Discipline::Adaptive,
    Discipline::O1turn,
    Discipline::Valiant,
    Discipline::Ugal { threshold: 0 },
];

/// Which way packets go on a hyperx.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Discipline {
    /// One dimension after the other.
    DimensionOrder,
    /// Any dimension that differs.
    Adaptive,
    /// Either order of two dimensions.
    O1turn,
    /// By way of a router that is drawn.
    Valiant,
    /// That, or the minimal path unless it has more than so many flits times links more at the source.
    Ugal {
        /// Flits times links.
        threshold: u64,
    },
}

impl Discipline {
    /// The one that is asked for on routers along so many dimensions; what is wrong has been reported.
    fn read(asked: &Asked<'_, '_>, dimensions: usize) -> Option<Self> {
        let found = ROUTINGS.iter().zip(DISCIPLINES).find(|((name, _), _)| *name == asked.routing);
        let (_, discipline) = found?;
        if discipline == Self::O1turn && dimensions != 2 {
            let wrong = format!("`o1turn` is for two dimensions, but this network has {dimensions}");
            let accepted = listed(ROUTINGS.iter().map(|(name, _)| *name).filter(|name| *name != "o1turn"));
            let place = asked.scenario.place_within(&["router", "routing"]);
            asked.scenario.error(Diagnostic::at(place, wrong).note(format!("accepted here: {accepted}")));
            return None;
        }
        Some(match discipline {
            Self::Ugal { .. } => Self::Ugal { threshold: asked.keys.integer(&UGAL_THRESHOLD) },
            other => other,
        })
    }

    /// The name of the routing.
    fn name(self) -> &'static str {
        let is_same = |other: &Discipline| std::mem::discriminant(other) == std::mem::discriminant(&self);
        let named = ROUTINGS.iter().zip(DISCIPLINES).find(|(_, other)| is_same(other));
        named.map_or(ROUTINGS[0].0, |((name, _), _)| name)
    }

    /// What it is known by, beside the network: nothing of the default.
    fn parameters(self) -> Vec<(&'static str, Parameter)> {
        let routing = ("routing", Parameter::Word(self.name()));
        match self {
            Self::DimensionOrder => Vec::new(),
            Self::Ugal { threshold } => vec![routing, ("ugal_threshold", Parameter::Integer(threshold))],
            _ => vec![routing],
        }
    }

    /// As a routing over `links`; none where there is one path.
    fn choosing(self, links: Arc<HyperXLinks>) -> Option<Arc<dyn LinkRouting>> {
        Some(match self {
            Self::DimensionOrder => return None,
            Self::Adaptive => Arc::new(HyperXAdaptive::new(links)),
            Self::O1turn => Arc::new(HyperXO1turn::new(links)),
            Self::Valiant => Arc::new(HyperXValiant::new(links)),
            Self::Ugal { threshold } => Arc::new(HyperXUgal::new(HyperXDetours::new(links), threshold)),
        })
    }
}

/// The hyperx in the registry.
pub(super) static KIND: NetworkKind = NetworkKind {
    name: "hyperx",
    summary: "HyperX or flattened butterfly: links between routers that differ in one coordinate; dimension-ordered routing",
    keys: &[SHAPE, LINKS, CONCENTRATION, NODE_GRID, COSTS.flit_time, COSTS.delay, DELAY_PER_STEP],
    routings: ROUTINGS,
    read: Some(|table, asked| Some(Arc::new(HyperXSpec::read(table, asked)?))),
    ..NetworkKind::DEFAULT
};

/// The full mesh in the registry.
pub(super) static FULL_MESH: NetworkKind = NetworkKind {
    name: "full-mesh",
    summary: "full mesh: a link between any two routers, a HyperX of one dimension",
    keys: &[ROUTERS, CONCENTRATION, MESH_COSTS.flit_time, MESH_COSTS.delay],
    routings: ROUTINGS,
    read: Some(|table, asked| Some(Arc::new(FullMeshSpec::read(table, asked)?))),
    ..NetworkKind::DEFAULT
};

/// A hyperx.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HyperXSpec {
    /// Routers along each dimension.
    pub shape: Vec<u64>,
    /// Links from one router to another, per dimension.
    pub links: Vec<u64>,
    /// Nodes of a router.
    pub concentration: u64,
    /// The rectangle that the nodes of a router form, if they do.
    pub node_grid: Option<NodeGrid>,
    /// Which way packets go.
    pub discipline: Discipline,
    /// Per dimension what its links take; empty if that is what every channel does.
    pub costs: Vec<LinkCost>,
    /// Delay of the links of each dimension for each step between coordinates. Empty if the links of a dimension are alike.
    pub delay_per_step: Vec<u64>,
    /// The classes of links of the scenario.
    pub link_classes: Arc<LinkClasses>,
}

impl HyperXSpec {
    fn read(table: &Reader<'_>, asked: &Asked<'_, '_>) -> Option<Self> {
        let errors = table.error_count();
        table.demand(&SHAPE);
        let numbers = |read: Vec<(u64, _)>| read.into_iter().map(|(n, _)| n).collect::<Vec<u64>>();
        let shape = table.integers(&SHAPE).map(numbers);
        let links = table.integers(&LINKS).map(numbers);
        let concentration = concentration(table);
        if table.error_count() > errors {
            return None;
        }
        let shape = shape?;
        let links = links.unwrap_or_else(|| vec![1; shape.len()]);
        if links.len() != shape.len() {
            let entries = if links.len() == 1 { "entry" } else { "entries" };
            let message = format!("`links` has {} {entries}, but the shape has {}", links.len(), shape.len());
            let wrong = Diagnostic::at(table.place_of("links"), message);
            table.error(wrong.note("accepted: one integer for each dimension of the shape"));
            return None;
        }
        let discipline = Discipline::read(asked, shape.len());
        let node_grid = NodeGrid::read(table, &shape, concentration);
        let costs = COSTS.read(table, shape.len(), asked.flit_time);
        let delay_per_step = COSTS.entries(table, &DELAY_PER_STEP, shape.len()).unwrap_or_default();
        if table.error_count() > errors {
            return None;
        }
        let link_classes = Arc::clone(asked.link_classes);
        let discipline = discipline?;
        let spec = Self { shape, links, concentration, node_grid, discipline, costs, delay_per_step, link_classes };
        Some(spec.with_even_costs(asked.flit_time))
    }

    /// Adds a cost of each dimension if delays grow with the length of links.
    fn with_even_costs(self, flit_time: u64) -> Self {
        if self.delay_per_step.is_empty() || !self.costs.is_empty() {
            return self;
        }
        Self { costs: vec![LinkCost::without_delay(flit_time); self.shape.len()], ..self }
    }

    fn topology(&self) -> Result<HyperXLinks, TopologyError> {
        let links = HyperXLinks::new(&indices(&self.shape), &indices(&self.links), saturated(self.concentration))?;
        let nodes = node_grid::router_nodes(self.node_grid, &self.shape, self.concentration);
        let costs = self.link_classes.group_costs(dimension_groups(&self.costs, self.shape.len()));
        Ok(links.with_nodes(nodes).with_costs(costs).with_steps(self.delay_per_step.clone()))
    }

    /// Dimensions of several routers: the most links of a path.
    fn diameter(&self) -> u64 {
        self.shape.iter().filter(|&&n| n > 1).count() as u64
    }
}

impl NetworkSpec for HyperXSpec {
    fn parameters(&self) -> Vec<(&'static str, Parameter)> {
        let Self { shape, links, concentration, node_grid, discipline, costs, delay_per_step, link_classes: _ } = self;
        let mut parameters =
            vec![("shape", Parameter::Integers(shape.clone())), ("links", Parameter::Integers(links.clone()))];
        parameters.extend(discipline.parameters());
        let mut parameters = concentrated(parameters, *concentration);
        parameters.extend(node_grid::parameter(*node_grid));
        if delay_per_step.is_empty() {
            parameters.extend(costs::parameters(costs));
            return parameters;
        }
        let flit_times = costs.iter().map(|cost| cost.flit_time.0).collect();
        parameters.push((COSTS.flit_time.name, Parameter::Integers(flit_times)));
        parameters.push((DELAY_PER_STEP.name, Parameter::Integers(delay_per_step.clone())));
        parameters
    }

    fn build(&self, ports: Ports) -> Result<Arc<dyn Network>, NetworkError> {
        let links = Arc::new(self.topology()?);
        let paths = HyperXPaths::new(Arc::clone(&links));
        let channels = Linked::new(links, 1, ports, || with_article(&self.title()))?;
        Ok(Arc::new(LinkNetwork::new(channels, Arc::new(paths))))
    }

    fn multicast_paths(&self) -> Result<TreePaths, NetworkError> {
        Ok(TreePaths::Network)
    }

    fn reduction_paths(&self) -> Result<TreePaths, NetworkError> {
        Ok(TreePaths::Network)
    }

    fn choosing(&self) -> Result<Option<Arc<dyn LinkRouting>>, NetworkError> {
        Ok(self.discipline.choosing(Arc::new(self.topology()?)))
    }

    fn links(&self) -> Result<Arc<dyn Links>, NetworkError> {
        Ok(Arc::new(self.topology()?))
    }

    fn parallel_advice(&self, idle: Idle) -> Option<&'static str> {
        let several = |(&n, &links): (&u64, &u64)| n > 1 && links > 1;
        let has_some = self.shape.iter().zip(&self.links).any(several);
        (has_some && idle == Idle::Some).then_some(ParallelBy::SPREAD)
    }

    fn title(&self) -> String {
        let sizes: Vec<String> = self.shape.iter().map(ToString::to_string).collect();
        let links = match self.links.iter().all(|&links| links == 1) {
            true => String::new(),
            false => format!(" with {:?} parallel links", self.links),
        };
        with_nodes(format!("{} hyperx{links}", sizes.join("x")), self.concentration)
    }

    fn routing(&self) -> &'static str {
        self.discipline.name()
    }

    fn shape(&self) -> Vec<u32> {
        node_grid::shape_of_nodes(self.node_grid, &self.shape, self.concentration)
    }

    fn router_shape(&self) -> Option<Vec<u32>> {
        Some(node_shape(&self.shape, 1))
    }

    fn lattice_of_nodes(&self) -> Option<Vec<u32>> {
        node_grid::lattice_of_nodes(self.node_grid, &self.shape)
    }

    /// Twice as far by way of a third router.
    fn longest_path(&self) -> u64 {
        let ways = if matches!(self.discipline, Discipline::Valiant | Discipline::Ugal { .. }) { 2 } else { 1 };
        2 + ways * self.diameter()
    }

    /// Most pairs differ in every coordinate.
    fn mean_path(&self) -> u64 {
        self.longest_path()
    }

    fn shortest_distance(&self) -> u64 {
        u64::from(self.concentration == 1)
    }

    /// The lower half of the first dimension is joined to the upper by links from each router to each of its other half.
    fn closed_form(&self) -> Option<ClosedForm> {
        let routers = self.shape.iter().try_fold(1_u128, |product, &n| product.checked_mul(n.into()))?;
        let along = |sum: u128, &n: &u64| sum.checked_add(routers.checked_mul(routers - routers / u128::from(n))?);
        let distance_sum = Some(self.shape.iter().try_fold(0, along)?);
        let halves = self.shape.first().zip(self.links.first()).filter(|(first, _)| first.is_multiple_of(2));
        let bisection = halves.and_then(|(&first, &links)| {
            let first = u128::from(first);
            let cut = (first / 2).pow(2).checked_mul(routers / first)?.checked_mul(links.into())?;
            u64::try_from(cut).ok()
        });
        ClosedForm { diameter: self.diameter(), distance_sum, bisection }.with_concentration(self.concentration)
    }
}

/// A full mesh: a hyperx of one dimension, known by its number of routers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FullMeshSpec(HyperXSpec);

impl FullMeshSpec {
    /// So many routers, with so many nodes each.
    pub(crate) fn new(routers: u64, concentration: u64, discipline: Discipline) -> Self {
        let shape = vec![routers];
        Self(HyperXSpec {
            shape,
            links: vec![1],
            concentration,
            node_grid: None,
            discipline,
            costs: Vec::new(),
            delay_per_step: Vec::new(),
            link_classes: Arc::default(),
        })
    }

    fn read(table: &Reader<'_>, asked: &Asked<'_, '_>) -> Option<Self> {
        let routers = table.required_integer(&ROUTERS);
        let errors = table.error_count();
        let concentration = concentration(table);
        let discipline = Discipline::read(asked, 1)?;
        let costs = MESH_COSTS.read(table, 1, asked.flit_time);
        let Self(spec) = Self::new(routers?, concentration, discipline);
        let link_classes = Arc::clone(asked.link_classes);
        (table.error_count() == errors).then_some(Self(HyperXSpec { costs, link_classes, ..spec }))
    }

    fn routers(&self) -> u64 {
        self.0.shape.first().copied().unwrap_or(1)
    }
}

impl NetworkSpec for FullMeshSpec {
    fn parameters(&self) -> Vec<(&'static str, Parameter)> {
        let mut parameters = vec![("routers", Parameter::Integer(self.routers()))];
        parameters.extend(self.0.discipline.parameters());
        let mut parameters = concentrated(parameters, self.0.concentration);
        parameters.extend(costs::parameters(&self.0.costs));
        parameters
    }

    fn build(&self, ports: Ports) -> Result<Arc<dyn Network>, NetworkError> {
        self.0.build(ports)
    }

    fn multicast_paths(&self) -> Result<TreePaths, NetworkError> {
        Ok(TreePaths::Network)
    }

    fn reduction_paths(&self) -> Result<TreePaths, NetworkError> {
        Ok(TreePaths::Network)
    }

    fn choosing(&self) -> Result<Option<Arc<dyn LinkRouting>>, NetworkError> {
        self.0.choosing()
    }

    fn links(&self) -> Result<Arc<dyn Links>, NetworkError> {
        self.0.links()
    }

    fn title(&self) -> String {
        with_nodes(format!("full mesh of {} routers", self.routers()), self.0.concentration)
    }

    fn routing(&self) -> &'static str {
        self.0.routing()
    }

    fn shape(&self) -> Vec<u32> {
        self.0.shape()
    }

    fn router_shape(&self) -> Option<Vec<u32>> {
        self.0.router_shape()
    }

    fn longest_path(&self) -> u64 {
        self.0.longest_path()
    }

    fn mean_path(&self) -> u64 {
        self.0.mean_path()
    }

    fn shortest_distance(&self) -> u64 {
        self.0.shortest_distance()
    }

    fn closed_form(&self) -> Option<ClosedForm> {
        self.0.closed_form()
    }
}
