//! The links of paths, by number, whichever engine the network is made for.

use super::{BuiltNetwork, NetworkError};
use crate::cancel;
use crate::routing::certificate::{Dependencies, Shares};
use crate::routing::relation::{DimensionOrder, Routing};
use crate::routing::{Network, Relation, Step};
use crate::topology::Links;
use crate::units::NodeId;
use std::sync::Arc;

/// The paths of a network as lists of its links.
#[derive(Clone)]
pub struct LinkPaths {
    network: Arc<dyn Network>,
    links: Arc<dyn Links>,
    /// Dimension order with a virtual channel for each class, if the network is a lattice.
    relation: Option<Relation>,
}

impl BuiltNetwork {
    /// Its paths as lists of links.
    ///
    /// # Errors
    /// If its links cannot be numbered.
    pub fn link_paths(&self) -> Result<LinkPaths, NetworkError> {
        let dimension_order = |lattice| {
            let classes = DimensionOrder.needed_virtual_channels(&lattice);
            Relation::new(lattice, &DimensionOrder, classes)
        };
        let relation = self.spec.lattice().map(dimension_order);
        Ok(LinkPaths { network: Arc::clone(&self.network), links: self.spec.links()?, relation })
    }
}

impl LinkPaths {
    /// The links.
    pub fn links(&self) -> &dyn Links {
        self.links.as_ref()
    }

    /// The links of the path from `src` to `dst`, each with the class of its virtual channel; none if it is not known which
    /// links the channels of paths are.
    pub fn steps(&self, src: NodeId, dst: NodeId) -> Option<Vec<Step>> {
        self.network.steps(src, dst).or_else(|| self.steps_on_lattice(src, dst))
    }

    /// How many classes of virtual channels [`Self::steps`] tells apart.
    pub fn classes(&self) -> u8 {
        self.relation.as_ref().map_or_else(|| self.network.classes(), Relation::virtual_channels)
    }

    /// The dependencies of all paths between all nodes, where links have so many virtual channels; none if paths are not known.
    /// Begins with a [`checkpoint`](cancel::checkpoint) for every node.
    pub fn dependencies(&self, virtual_channels: u8) -> Option<Dependencies> {
        let shares = Shares { virtual_channels, classes: self.classes() };
        let mut dependencies = Dependencies::new(shares, self.links.count());
        let nodes = || (0..self.links.nodes()).map(NodeId::new);
        for src in nodes() {
            cancel::checkpoint();
            for dst in nodes() {
                dependencies.add(&self.steps(src, dst)?);
            }
        }
        Some(dependencies)
    }

    /// The path on virtual-channel routers, where a message that will cross the dateline of a ring is in class 1 all the way
    /// round. On the wormhole engines it changes to that class at the dateline.
    fn steps_on_lattice(&self, src: NodeId, dst: NodeId) -> Option<Vec<Step>> {
        let relation = self.relation.as_ref()?;
        let lattice = relation.lattice();
        // where both ways round a ring are as long, towards larger coordinates
        let mut header = relation.header(dst.0, 0);
        let mut entered = lattice.local();
        let mut at = self.links.router_of(src);
        let mut steps = Vec::new();
        while at != self.links.router_of(dst) {
            let choice = relation.choice(at.0, entered, &mut header);
            entered = choice.port.into();
            // links are numbered in the order of the ports that have one
            let place = (0..entered).filter(|&port| lattice.neighbour(at.0, port).is_some()).count();
            let link = self.links.leaving(at).nth(place)?;
            steps.push(Step { link, class: choice.first });
            at.0 = lattice.neighbour(at.0, entered)?;
        }
        Some(steps)
    }
}
