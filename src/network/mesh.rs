//! `[network.mesh]`: a mesh of any dimensions with dimension-ordered routing, which needs one virtual channel.

use super::axes::{
    CONCENTRATION, COSTS, Crossing, ORDER, SHAPE, concentrated, concentration, dimension_groups, node_shape, with_nodes,
};
use super::costs;
use super::node_grid::{self, NODE_GRID, NodeGrid};
use super::{
    Asked, Axes, ClosedForm, LinkClasses, NetworkError, NetworkKind, NetworkSpec, Parameter, closed_forms, with_article,
};
use crate::config::Reader;
use crate::routing::tree::{HamiltonianLabels, TreePaths};
use crate::routing::{Dateline, DimensionOrder, Lattice, Network};
use crate::topology::{EXPRESS_CLASS, GroupCosts, LatticeLinks, LinkCost, Links, Mesh, Ports, TopologyError};
use crate::units::{Key, saturated};
use std::sync::Arc;

const EXPRESS: Key = Key::integer("express", 2..=u64::MAX).or_else("no express links").says(
    "interval of express links: routers whose coordinate is a multiple of it also have a link to the next such router",
);

/// The mesh in the registry.
pub(super) static KIND: NetworkKind = NetworkKind {
    name: "mesh",
    summary: "mesh of any number of dimensions; dimension-ordered routing, first coordinate first or by `order`",
    keys: &[SHAPE, ORDER, CONCENTRATION, NODE_GRID, EXPRESS, COSTS.flit_time, COSTS.delay],
    read: Some(|table, asked| Some(Arc::new(MeshSpec::read(table, asked)?))),
    ..NetworkKind::DEFAULT
};

/// A mesh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeshSpec {
    /// Its dimensions.
    pub axes: Axes,
    /// Nodes of a router.
    pub concentration: u64,
    /// The rectangle that the nodes of a router form, if they do.
    pub node_grid: Option<NodeGrid>,
    /// How far apart the routers are that express links join, if there are such links.
    pub express: Option<u64>,
    /// Per dimension what its links take; empty if that is what every channel does.
    pub costs: Vec<LinkCost>,
    /// The classes of links of the scenario.
    pub link_classes: Arc<LinkClasses>,
}

impl MeshSpec {
    /// A mesh with a node a router and links between neighbours alone.
    pub fn new(axes: Axes) -> Self {
        Self { axes, concentration: 1, node_grid: None, express: None, costs: Vec::new(), link_classes: Arc::default() }
    }

    fn read(table: &Reader<'_>, asked: &Asked<'_, '_>) -> Option<Self> {
        let axes = Axes::read(table);
        let errors = table.error_count();
        let concentration = concentration(table);
        let express = table.optional_at_least(&EXPRESS);
        // without a shape it is not known what dimensions there are
        let axes = axes?;
        let node_grid = NodeGrid::read(table, &axes.shape, concentration);
        let costs = COSTS.read(table, axes.shape.len(), asked.flit_time);
        let link_classes = Arc::clone(asked.link_classes);
        (table.error_count() == errors).then_some(Self { axes, concentration, node_grid, express, costs, link_classes })
    }

    /// Whether routers have a node each and links to neighbours alone.
    fn is_plain(&self) -> bool {
        self.concentration == 1 && self.express.is_none()
    }

    /// Costs by dimension, and behind them those of express links.
    fn group_costs(&self) -> GroupCosts {
        let dimensions = self.axes.shape.len();
        let by_dimension = dimension_groups(&self.costs, dimensions);
        let express = |(_, cost)| (EXPRESS_CLASS.to_owned(), cost);
        let by_express = dimension_groups(&self.costs, dimensions).filter(|_| self.express.is_some()).map(express);
        self.link_classes.group_costs(by_dimension.chain(by_express))
    }

    fn lattice_links(&self) -> Result<LatticeLinks, TopologyError> {
        let nodes = node_grid::router_nodes(self.node_grid, &self.axes.shape, self.concentration);
        let links = self.axes.links("mesh", false)?.with_nodes(nodes);
        let links = links.with_costs(self.group_costs());
        let links = match self.express {
            Some(express) => links.with_express(saturated(express)),
            None => links,
        };
        links.numbered(|| with_article(&self.title()))
    }

    /// Hops along `n` routers, on which a message without express links has `plain`: to such a link and from it on there are as many
    /// steps as `aside`.
    fn with_express(&self, plain: u64, aside: impl Fn(u64) -> u64) -> u64 {
        self.express.map_or(plain, |express| plain.min((plain / express).saturating_add(aside(express - 1))))
    }
}

impl NetworkSpec for MeshSpec {
    fn parameters(&self) -> Vec<(&'static str, Parameter)> {
        let mut parameters = concentrated(self.axes.parameters(), self.concentration);
        parameters.extend(node_grid::parameter(self.node_grid));
        parameters.extend(self.express.map(|express| ("express", Parameter::Integer(express))));
        parameters.extend(costs::parameters(&self.costs));
        parameters
    }

    fn build(&self, ports: Ports) -> Result<Arc<dyn Network>, NetworkError> {
        let order = self.axes.order();
        if self.is_plain() {
            let mesh = Mesh::new(&self.axes.sides(), ports)?.with_costs(self.group_costs());
            return Ok(Arc::new(DimensionOrder::new(mesh, order)?));
        }
        let dateline = Dateline::OnTheEdge;
        let crossing = Crossing { order: &order, dateline, virtual_channels: 1, ports, what: &self.title() };
        crossing.network(self.lattice_links()?)
    }

    fn links(&self) -> Result<Arc<dyn Links>, NetworkError> {
        Ok(Arc::new(self.lattice_links()?))
    }

    fn title(&self) -> String {
        let title = self.axes.title("mesh", "line");
        let title = match self.express {
            Some(express) => format!("{title} with express links every {express}"),
            None => title,
        };
        with_nodes(title, self.concentration)
    }

    fn routing(&self) -> &'static str {
        "dimension-order"
    }

    fn shape(&self) -> Vec<u32> {
        node_grid::shape_of_nodes(self.node_grid, &self.axes.shape, self.concentration)
    }

    fn router_shape(&self) -> Option<Vec<u32>> {
        Some(node_shape(&self.axes.shape, 1))
    }

    fn lattice_of_nodes(&self) -> Option<Vec<u32>> {
        node_grid::lattice_of_nodes(self.node_grid, &self.axes.shape)
    }

    /// From end to end of every dimension; to an express link and from it on it may be all but one of the routers between two.
    fn longest_path(&self) -> u64 {
        2 + self.axes.shape.iter().map(|n| self.with_express(n - 1, |aside| aside.saturating_mul(2))).sum::<u64>()
    }

    /// Two numbers drawn from as many lie a third of them apart, and an express link half its length from a router.
    fn mean_path(&self) -> u64 {
        match self.express {
            None => 2 + (self.axes.longest_path() - 2) / 3,
            Some(_) => 2 + self.axes.shape.iter().map(|n| self.with_express(n / 3, |aside| aside)).sum::<u64>(),
        }
    }

    fn shortest_distance(&self) -> u64 {
        u64::from(self.concentration == 1)
    }

    fn multicast_paths(&self) -> Result<TreePaths, NetworkError> {
        Ok(TreePaths::Network)
    }

    fn reduction_paths(&self) -> Result<TreePaths, NetworkError> {
        Ok(TreePaths::Network)
    }

    fn labels(&self) -> Option<HamiltonianLabels> {
        self.router_shape().map(|shape| HamiltonianLabels::new(&shape))
    }

    fn closed_form(&self) -> Option<ClosedForm> {
        if self.express.is_some() {
            return None;
        }
        closed_forms::lattice(&self.axes.shape, false)?.with_concentration(self.concentration)
    }

    fn lattice(&self) -> Option<Lattice> {
        self.axes.lattice(false).filter(|_| self.is_plain())
    }
}
