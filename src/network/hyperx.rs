//! `[network.hyperx]`: routers on a lattice, any two that differ in one coordinate joined, with dimension-ordered routing, which
//! needs one virtual channel; and `[network.full-mesh]`, one of a single dimension.

use super::axes::{CONCENTRATION, concentrated, concentration, node_shape, with_nodes};
use super::{ClosedForm, NetworkError, NetworkKind, NetworkSpec, Parameter, indices};
use crate::config::{Diagnostic, Reader};
use crate::routing::{HyperXPaths, LinkNetwork, Network};
use crate::topology::{HyperXLinks, Linked, Links, Ports, TopologyError};
use crate::units::{Key, saturated};
use std::sync::Arc;

const SHAPE: Key = Key::integers("shape", 1..=u64::MAX)
    .says("routers along each dimension, such as [4, 4]; ids are row-major, the first coordinate most significant");
const LINKS: Key = Key::integers("links", 1..=u64::MAX)
    .or_else("[1, 1, ..]")
    .says("links from one router to another that differs in that dimension alone, per dimension");
const ROUTERS: Key = Key::integer("routers", 1..=u64::MAX).says("routers, any two of them joined");

const ROUTINGS: &[(&str, &str)] = &[(
    "dimension-order",
    "first coordinate first; of parallel links the one that the destination's number leaves over",
)];

/// The hyperx in the registry.
pub(super) static KIND: NetworkKind = NetworkKind {
    name: "hyperx",
    summary: "hyperx, flattened butterfly: routers that differ in one coordinate are joined; dimension-ordered routing",
    keys: &[SHAPE, LINKS, CONCENTRATION],
    routings: ROUTINGS,
    read: Some(|table, _| Some(Arc::new(HyperXSpec::read(table)?))),
    ..NetworkKind::DEFAULT
};

/// The full mesh in the registry.
pub(super) static FULL_MESH: NetworkKind = NetworkKind {
    name: "full-mesh",
    summary: "any two routers joined, a hyperx of one dimension",
    keys: &[ROUTERS, CONCENTRATION],
    routings: ROUTINGS,
    read: Some(|table, _| Some(Arc::new(FullMeshSpec::read(table)?))),
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
}

impl HyperXSpec {
    fn read(table: &Reader<'_>) -> Option<Self> {
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
            let message = format!("links has {} {entries}, the shape {}", links.len(), shape.len());
            let wrong = Diagnostic::at(table.place_of("links"), message);
            table.error(wrong.note("accepted: as many integers as the shape has"));
            return None;
        }
        Some(Self { shape, links, concentration })
    }

    fn topology(&self) -> Result<HyperXLinks, TopologyError> {
        HyperXLinks::new(&indices(&self.shape), &indices(&self.links), saturated(self.concentration))
    }

    /// Dimensions of several routers: the most links of a path.
    fn diameter(&self) -> u64 {
        self.shape.iter().filter(|&&n| n > 1).count() as u64
    }
}

impl NetworkSpec for HyperXSpec {
    fn parameters(&self) -> Vec<(&'static str, Parameter)> {
        let Self { shape, links, concentration } = self;
        let parameters =
            vec![("shape", Parameter::Integers(shape.clone())), ("links", Parameter::Integers(links.clone()))];
        concentrated(parameters, *concentration)
    }

    fn build(&self, ports: Ports) -> Result<Arc<dyn Network>, NetworkError> {
        let links = Arc::new(self.topology()?);
        let paths = HyperXPaths::new(Arc::clone(&links));
        let channels = Linked::new(links, 1, ports, || format!("a {}", self.title()))?;
        Ok(Arc::new(LinkNetwork::new(channels, paths)))
    }

    fn links(&self) -> Result<Arc<dyn Links>, NetworkError> {
        Ok(Arc::new(self.topology()?))
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
        "dimension-order"
    }

    fn shape(&self) -> Vec<u32> {
        node_shape(&self.shape, self.concentration)
    }

    fn router_shape(&self) -> Option<Vec<u32>> {
        Some(node_shape(&self.shape, 1))
    }

    fn longest_path(&self) -> u64 {
        2 + self.diameter()
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
pub struct FullMeshSpec(HyperXSpec);

impl FullMeshSpec {
    /// So many routers, with so many nodes each.
    pub fn new(routers: u64, concentration: u64) -> Self {
        Self(HyperXSpec { shape: vec![routers], links: vec![1], concentration })
    }

    fn read(table: &Reader<'_>) -> Option<Self> {
        let routers = table.required_integer(&ROUTERS);
        let errors = table.error_count();
        let concentration = concentration(table);
        (table.error_count() == errors).then_some(Self::new(routers?, concentration))
    }

    fn routers(&self) -> u64 {
        self.0.shape.first().copied().unwrap_or(1)
    }
}

impl NetworkSpec for FullMeshSpec {
    fn parameters(&self) -> Vec<(&'static str, Parameter)> {
        concentrated(vec![("routers", Parameter::Integer(self.routers()))], self.0.concentration)
    }

    fn build(&self, ports: Ports) -> Result<Arc<dyn Network>, NetworkError> {
        self.0.build(ports)
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
