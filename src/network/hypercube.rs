//! `[network.hypercube]`: a binary hypercube with e-cube routing, which needs one virtual channel.

use super::axes::{CONCENTRATION, Crossing, concentrated, concentration, dimension_groups, node_shape, with_nodes};
use super::{
    Asked, ClosedForm, LinkClasses, NetworkError, NetworkKind, NetworkSpec, Parameter, closed_forms, narrow,
    with_article,
};
use crate::config::Reader;
use crate::routing::tree::{HamiltonianLabels, TreePaths};
use crate::routing::{Dateline, ECube, Lattice, Network};
use crate::topology::{Coordinates, GroupCosts, Hypercube, LatticeLinks, Links, Ports, TopologyError};
use crate::units::{Key, saturated};
use std::sync::Arc;

const DIMENSION: Key =
    Key::integer("dimension", 0..=u64::MAX).says("number of dimensions; the network has 2^dimension routers");

/// The hypercube in the registry.
pub(super) static KIND: NetworkKind = NetworkKind {
    name: "hypercube",
    summary: "binary hypercube; e-cube routing, least significant bit first",
    keys: &[DIMENSION, CONCENTRATION],
    read: Some(|table, asked| Some(Arc::new(HypercubeSpec::read(table, asked)?))),
    ..NetworkKind::DEFAULT
};

/// A hypercube.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HypercubeSpec {
    /// Bits of a node id.
    pub dimension: u64,
    /// Nodes of a router.
    pub concentration: u64,
    /// The classes of links of the scenario.
    pub link_classes: Arc<LinkClasses>,
}

impl HypercubeSpec {
    /// A hypercube with a node a router.
    pub fn new(dimension: u64) -> Self {
        Self { dimension, concentration: 1, link_classes: Arc::default() }
    }

    fn read(table: &Reader<'_>, asked: &Asked<'_, '_>) -> Option<Self> {
        let dimension = table.required_integer(&DIMENSION);
        let errors = table.error_count();
        let concentration = concentration(table);
        let link_classes = Arc::clone(asked.link_classes);
        (table.error_count() == errors).then_some(Self { dimension: dimension?, concentration, link_classes })
    }

    fn sides(&self) -> Vec<u64> {
        vec![2; saturated(self.dimension)]
    }

    /// Costs by dimension of the lattice, of which the last one is that of the least significant bit.
    fn group_costs(&self) -> GroupCosts {
        self.link_classes.group_costs(dimension_groups(&[], saturated(self.dimension)))
    }

    fn lattice_links(&self) -> Result<LatticeLinks, TopologyError> {
        if self.dimension >= 32 {
            let nodes = narrow(self.dimension).min(127);
            return Err(TopologyError::TooLarge { what: with_article(&self.title()), count: 1 << nodes });
        }
        let coordinates = Coordinates::mesh(&vec![2; saturated(self.dimension)]);
        let links = LatticeLinks::new(coordinates).with_concentration(saturated(self.concentration));
        let links = links.with_costs(self.group_costs());
        links.numbered(|| with_article(&self.title()))
    }
}

impl NetworkSpec for HypercubeSpec {
    fn parameters(&self) -> Vec<(&'static str, Parameter)> {
        concentrated(vec![("dimension", Parameter::Integer(self.dimension))], self.concentration)
    }

    fn build(&self, ports: Ports) -> Result<Arc<dyn Network>, NetworkError> {
        if self.concentration > 1 {
            let links = self.lattice_links()?;
            // the last coordinate is the least significant bit
            let order: Vec<usize> = (0..saturated(self.dimension)).rev().collect();
            let dateline = Dateline::OnTheEdge;
            let crossing = Crossing { order: &order, dateline, virtual_channels: 1, ports, what: &self.title() };
            return crossing.network(links);
        }
        let cube = Hypercube::new(saturated(self.dimension), ports)?.with_costs(self.group_costs());
        Ok(Arc::new(ECube::new(cube)))
    }

    fn links(&self) -> Result<Arc<dyn Links>, NetworkError> {
        Ok(Arc::new(self.lattice_links()?))
    }

    fn title(&self) -> String {
        with_nodes(format!("hypercube of dimension {}", self.dimension), self.concentration)
    }

    fn routing(&self) -> &'static str {
        "e-cube"
    }

    fn shape(&self) -> Vec<u32> {
        node_shape(&self.sides(), self.concentration)
    }

    fn router_shape(&self) -> Option<Vec<u32>> {
        Some(node_shape(&self.sides(), 1))
    }

    fn shortest_distance(&self) -> u64 {
        u64::from(self.concentration == 1)
    }

    fn longest_path(&self) -> u64 {
        2 + self.dimension
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
        closed_forms::lattice(&self.sides(), false)?.with_concentration(self.concentration)
    }

    /// The last coordinate is the least significant bit, which is corrected first.
    fn lattice(&self) -> Option<Lattice> {
        if self.concentration > 1 {
            return None;
        }
        let dimension = saturated(self.dimension);
        Lattice::checked(&vec![2; dimension], false, &(0..dimension).rev().collect::<Vec<_>>())
    }

    fn is_hypercube(&self) -> bool {
        self.concentration == 1
    }
}
