//! What paths are drawn over, and over which of its places they lead.

use super::diagram::DiagramError;
use crate::machine::Machine;
use crate::network::LinkPaths;
use crate::network::layout::Layout;
use crate::routing::{Lattice, Network, path_nodes};
use crate::topology::Origin;
use crate::units::{ChannelId, NodeId};
use std::sync::Arc;

/// What paths are drawn over: *vertices*, which are nodes or routers, at places on paper.
#[derive(Clone, Debug)]
pub enum Ground {
    /// A lattice with places of its own: its nodes.
    Lattice(Lattice),
    /// Any other network.
    Layout(Arc<Layout>),
}

/// A ground, and the paths over it.
pub struct Ways<'a> {
    /// What they lead over.
    pub ground: Ground,
    network: &'a dyn Network,
    links: Option<LinkPaths>,
}

impl<'a> Ways<'a> {
    /// The paths of the network of `machine`.
    ///
    /// # Errors
    /// If it has no places on paper, or there is none.
    pub fn new(machine: &'a Machine) -> Result<Self, DiagramError> {
        let built = machine.network.as_ref().ok_or(DiagramError::NoPlaces)?;
        let network = built.network.as_ref();
        if let Some(lattice) = machine.lattice().filter(is_flat) {
            return Ok(Self { ground: Ground::Lattice(lattice), network, links: None });
        }
        let layout = Layout::new(built.spec.as_ref()).ok_or(DiagramError::NoPlaces)?;
        let links = built.link_paths().map_err(|_| DiagramError::NoPlaces)?;
        // of a network that knows its links for one pair of nodes, it knows them for all
        links.first_path(NodeId(0), NodeId(0)).ok_or(DiagramError::NoPlaces)?;
        Ok(Self { ground: Ground::Layout(Arc::new(layout)), network, links: Some(links) })
    }

    /// The vertex that stands for `node`.
    pub fn vertex(&self, node: NodeId) -> u32 {
        match &self.ground {
            Ground::Lattice(_) => node.0,
            Ground::Layout(layout) => layout.vertex(node),
        }
    }

    /// The vertices that a message from `src` to `dst` passes which takes the channels of `path`.
    pub fn vertices_along(&self, src: NodeId, dst: NodeId, path: &[ChannelId]) -> Vec<u32> {
        let channels = self.network.channels();
        let routers = path.iter().filter_map(|&channel| match channels.origin(channel) {
            Origin::Link(router) => Some(router.0),
            Origin::Ejection(node) => Some(self.router(node)),
            Origin::Injection(_) => None,
        });
        let ends = [src, dst].map(|node| self.vertex(node));
        let mut vertices: Vec<u32> = std::iter::once(ends[0]).chain(routers).chain([ends[1]]).collect();
        vertices.dedup();
        vertices
    }

    /// The vertex of the router of `node`.
    fn router(&self, node: NodeId) -> u32 {
        self.links.as_ref().map_or(node.0, |paths| paths.links().router_of(node).0)
    }

    /// The vertices that a message from `src` to `dst` passes.
    #[expect(clippy::expect_used, reason = "it was asked for when the ways were made")]
    pub fn path(&self, src: NodeId, dst: NodeId) -> Vec<u32> {
        match (&self.ground, &self.links) {
            (Ground::Layout(layout), Some(links)) => {
                layout.path(links, src, dst).expect("the network knows the links of its paths")
            }
            _ => path_nodes(self.network, src, dst),
        }
    }
}

/// Whether `lattice` has places on paper: one or two dimensions, or a hypercube of no more than four.
pub fn is_flat(lattice: &Lattice) -> bool {
    const MOST_NODES: usize = 256;
    lattice.nodes() <= MOST_NODES && lattice.dimensions() <= 2
        || (lattice.dimensions() <= 4 && lattice.shape().iter().all(|&n| n == 2))
}
