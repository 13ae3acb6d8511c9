//! The links of paths, by number, whichever engine the network is made for.

use super::{BuiltNetwork, NetworkError};
use crate::cancel;
use crate::routing::certificate::{Dependencies, Shares};
use crate::routing::{Each, Lattice, LinkRouting, Network, OnePath, Step};
use crate::topology::Links;
use crate::units::{ChannelId, NodeId};
use std::ops::ControlFlow;
use std::sync::Arc;

/// The paths of a network as lists of its links.
#[derive(Clone)]
pub struct LinkPaths {
    network: Arc<dyn Network>,
    links: Arc<dyn Links>,
    /// The network as a lattice, whose channels know the ports by which they leave their routers.
    lattice: Option<Lattice>,
    /// The routing over links, which lattices do without.
    routing: Option<Arc<dyn LinkRouting>>,
}

impl BuiltNetwork {
    /// Its paths as lists of links.
    ///
    /// # Errors
    /// If its links cannot be numbered.
    pub fn link_paths(&self) -> Result<LinkPaths, NetworkError> {
        let Self { network, spec, .. } = self;
        let only = || network.paths().map(|paths| Arc::new(OnePath(paths)) as Arc<dyn LinkRouting>);
        let routing = spec.choosing()?.or_else(only);
        Ok(LinkPaths { network: Arc::clone(network), links: spec.links()?, lattice: spec.lattice(), routing })
    }
}

impl LinkPaths {
    /// The links.
    pub fn links(&self) -> &dyn Links {
        self.links.as_ref()
    }

    /// Tells the links of every path from `src` to `dst`, each with the class of its virtual channel, until `each` says stop;
    /// whether it is known which links the channels of paths are.
    pub fn each_path(&self, src: NodeId, dst: NodeId, each: &mut Each<'_>) -> bool {
        if let Some(routing) = &self.routing {
            let _ = routing.each_path(src, dst, each);
            return true;
        }
        let steps = self.steps_on_lattice(src, dst);
        let _ = steps.as_deref().map(each);
        steps.is_some()
    }

    /// How many classes of virtual channels [`Self::each_path`] tells apart.
    pub fn classes(&self) -> u8 {
        if let Some(routing) = &self.routing {
            return routing.classes();
        }
        // on a lattice they are the virtual channels of its own routing, two at most
        let of_lattice = || if self.network.channels().virtual_channels() > 1 { 2 } else { 1 };
        if self.lattice.is_some() { of_lattice() } else { self.network.classes() }
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
                let add = &mut |path: &[Step]| {
                    dependencies.add(path);
                    ControlFlow::Continue(())
                };
                if !self.each_path(src, dst, add) {
                    return None;
                }
            }
        }
        Some(dependencies)
    }

    /// Links are numbered in the order of the ports that have one.
    fn steps_on_lattice(&self, src: NodeId, dst: NodeId) -> Option<Vec<Step>> {
        let lattice = self.lattice.as_ref()?;
        let channels = self.network.channels();
        let mut path: Vec<ChannelId> = Vec::new();
        self.network.route(src, dst, &mut path);
        let mut at = self.links.router_of(src);
        let mut steps = Vec::with_capacity(path.len());
        for &channel in path.get(1..path.len() - 1)? {
            let hop = channels.hop(channel)?;
            let place = (0..hop.port.into()).filter(|&port| lattice.neighbour(at.0, port).is_some()).count();
            let link = self.links.leaving(at).nth(place)?;
            steps.push(Step { link, class: hop.vc });
            at.0 = lattice.neighbour(at.0, hop.port.into())?;
        }
        Some(steps)
    }
}
