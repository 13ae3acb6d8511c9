//! What meshes and tori say alike: nodes along each dimension, and the order in which messages cross them; and the nodes of
//! a router, where there are several.

use super::costs::CostKeys;
use super::{NetworkError, Parameter, indices, narrow, with_article};
use crate::config::Reader;
use crate::routing::{Dateline, Lattice, LatticePaths, LinkNetwork, Network};
use crate::topology::{Coordinates, LatticeLinks, LinkCost, Linked, Ports, TopologyError, dimension_class};
use crate::units::{Key, saturated};
use std::sync::Arc;

pub(super) const SHAPE: Key = Key::integers("shape", 1..=u64::MAX)
    .says("nodes along each dimension, such as [16, 16]; node ids are row-major, first coordinate most significant");
pub(super) const ORDER: Key = Key::integers("order", 0..=u64::MAX)
    .or_else("[0, 1, ..]")
    .says("order in which messages cross the dimensions; an exchange defines its own");

pub(super) const CONCENTRATION: Key = Key::integer("concentration", 1..=u64::MAX)
    .or(1)
    .says("number of nodes of a router; networks with more than one have dimension-ordered routing");

/// What the links of meshes and tori take.
pub(super) const COSTS: CostKeys = CostKeys::new(
    "time for a flit to cross a link, for each dimension",
    "additional delay of a flit on a link and of the returning credit, for each dimension",
    "the shape has",
);

/// The dimensions of a mesh or a torus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axes {
    /// Nodes along each dimension.
    pub shape: Vec<u64>,
    /// The order in which coordinates are resolved.
    pub order: Vec<u64>,
}

impl Axes {
    pub(super) fn read(table: &Reader<'_>) -> Option<Self> {
        let errors = table.error_count();
        table.demand(&SHAPE);
        let shape = table.integers(&SHAPE);
        let order = table.integers(&ORDER);
        if table.error_count() > errors {
            return None;
        }
        let shape: Vec<u64> = shape?.into_iter().map(|(n, _)| n).collect();
        let in_order = 0..shape.len() as u64;
        let order = order.map_or_else(|| in_order.collect(), |order| order.into_iter().map(|(d, _)| d).collect());
        Some(Self { shape, order })
    }

    pub(super) fn parameters(&self) -> Vec<(&'static str, Parameter)> {
        let Self { shape, order } = self;
        vec![("shape", Parameter::Integers(shape.clone())), ("order", Parameter::Integers(order.clone()))]
    }

    /// Nodes along each dimension, as topologies take them.
    pub(super) fn sides(&self) -> Vec<usize> {
        indices(&self.shape)
    }

    /// The order, as routings take it.
    pub(super) fn order(&self) -> Vec<usize> {
        indices(&self.order)
    }

    /// In words: what is called `name`, and `in_one` dimension.
    pub(super) fn title(&self, name: &str, in_one: &str) -> String {
        if let [nodes] = self.shape[..] {
            return format!("{in_one} of {nodes}");
        }
        let sizes: Vec<String> = self.shape.iter().map(ToString::to_string).collect();
        format!("{} {name}", sizes.join("x"))
    }

    /// Channels of the longest path, which goes from end to end of every dimension.
    pub(super) fn longest_path(&self) -> u64 {
        2 + self.shape.iter().map(|n| n - 1).sum::<u64>()
    }

    /// The links between neighbours, of what is called `name`.
    ///
    /// # Errors
    /// If there are no dimensions.
    pub(super) fn links(&self, name: &'static str, wraps: bool) -> Result<LatticeLinks, TopologyError> {
        if self.shape.is_empty() {
            return Err(TopologyError::Empty(name));
        }
        Ok(LatticeLinks::new(Coordinates::new(&self.sides(), wraps)))
    }

    pub(super) fn lattice(&self, wraps: bool) -> Option<Lattice> {
        Lattice::checked(&self.sides(), wraps, &self.order())
    }
}

/// The group of links along each of the given number of `dimensions`: the name of its class, and its cost if the network sets `costs`.
pub(super) fn dimension_groups(
    costs: &[LinkCost],
    dimensions: usize,
) -> impl Iterator<Item = (String, Option<LinkCost>)> {
    (0..dimensions).map(|dimension| (dimension_class(dimension), costs.get(dimension).copied()))
}

/// How many nodes a router has.
pub(super) fn concentration(table: &Reader<'_>) -> u64 {
    table.optional_at_least(&CONCENTRATION).unwrap_or(1)
}

/// What `parameters` are with so many nodes a router, where it is more than one.
pub(super) fn concentrated(
    mut parameters: Vec<(&'static str, Parameter)>,
    concentration: u64,
) -> Vec<(&'static str, Parameter)> {
    if concentration > 1 {
        parameters.push(("concentration", Parameter::Integer(concentration)));
    }
    parameters
}

/// `title`, with so many nodes a router, where it is more than one.
pub(super) fn with_nodes(title: String, concentration: u64) -> String {
    if concentration > 1 { format!("{title}, {concentration} nodes a router") } else { title }
}

/// The nodes along each dimension of routers of such a `shape`: all along one, where a router has several.
pub(super) fn node_shape(shape: &[u64], concentration: u64) -> Vec<u32> {
    if concentration == 1 {
        return shape.iter().copied().map(narrow).collect();
    }
    vec![narrow(shape.iter().fold(concentration, |nodes, &n| nodes.saturating_mul(n)))]
}

/// How messages cross a lattice, and what its nodes and links are like.
pub(super) struct Crossing<'a> {
    pub(super) order: &'a [usize],
    pub(super) dateline: Dateline,
    pub(super) virtual_channels: u64,
    pub(super) ports: Ports,
    /// The network in a few words.
    pub(super) what: &'a str,
}

impl Crossing<'_> {
    /// Dimension-ordered routing on `links`.
    pub(super) fn network(&self, links: LatticeLinks) -> Result<Arc<dyn Network>, NetworkError> {
        let what = || with_article(self.what);
        let links = Arc::new(links);
        let paths = LatticePaths::new(Arc::clone(&links), self.order, self.dateline)?;
        let channels = Linked::new(links, saturated(self.virtual_channels), self.ports, what)?;
        Ok(Arc::new(LinkNetwork::new(channels, Arc::new(paths))))
    }
}
