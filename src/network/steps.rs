//! The links of paths, by number, whichever engine the network is made for.

use super::{BuiltNetwork, NetworkError};
use crate::cancel;
use crate::routing::certificate::{Dependencies, Shares};
use crate::routing::relation::DIMENSION_ORDER;
use crate::routing::{Each, LinkRouting, Network, Relation, Step};
use crate::topology::Links;
use crate::units::NodeId;
use std::ops::ControlFlow;
use std::sync::Arc;

/// The paths of a network as lists of its links.
#[derive(Clone)]
pub struct LinkPaths {
    network: Arc<dyn Network>,
    links: Arc<dyn Links>,
    /// Dimension order with a virtual channel for each class, if the network is a lattice.
    relation: Option<Relation>,
    /// The routing over links, which lattices do without.
    routing: Option<Arc<dyn LinkRouting>>,
}

impl BuiltNetwork {
    /// Its paths as lists of links.
    ///
    /// # Errors
    /// If its links cannot be numbered.
    pub fn link_paths(&self) -> Result<LinkPaths, NetworkError> {
        let dimension_order = |lattice| {
            let classes = (DIMENSION_ORDER.virtual_channels)(&lattice);
            Relation::new(lattice, &DIMENSION_ORDER, classes)
        };
        let Self { network, spec, .. } = self;
        let relation = spec.lattice().map(dimension_order);
        let only = || network.paths().map(|paths| Arc::new(paths) as Arc<dyn LinkRouting>);
        let routing = spec.choosing()?.or_else(only);
        Ok(LinkPaths { network: Arc::clone(network), links: spec.links()?, relation, routing })
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

    /// The first of these paths; none if it is not known which links channels are.
    pub fn first_path(&self, src: NodeId, dst: NodeId) -> Option<Vec<Step>> {
        let mut first = None;
        self.each_path(src, dst, &mut |path| {
            first = Some(path.to_vec());
            ControlFlow::Break(())
        });
        first
    }

    /// How many classes of virtual channels [`Self::each_path`] tells apart.
    pub fn classes(&self) -> u8 {
        match (&self.routing, &self.relation) {
            (Some(routing), _) => routing.classes(),
            (None, Some(relation)) => relation.virtual_channels(),
            (None, None) => self.network.classes(),
        }
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
