//! The links of paths, by number, whichever engine the network is made for.

use super::{BuiltNetwork, NetworkError};
use crate::routing::certificate::Dependencies;
use crate::routing::relation::DIMENSION_ORDER;
use crate::routing::{LinkRouting, PathVisitor, Relation, Step};
use crate::topology::Links;
use crate::units::{LinkId, NodeId, RouterId, narrow};
use std::sync::Arc;

/// The paths of a network as lists of its links.
#[derive(Clone)]
pub struct LinkPaths {
    links: Arc<dyn Links>,
    /// The routing over links, or `None` if it is not known which links the channels of paths are.
    routing: Option<Arc<dyn LinkRouting>>,
    classes: u8,
}

impl BuiltNetwork {
    /// Its paths as lists of links.
    ///
    /// # Errors
    /// If its links cannot be numbered.
    pub fn link_paths(&self) -> Result<LinkPaths, NetworkError> {
        let routing = self.spec.choosing()?.or_else(|| self.network.paths());
        let links = self.spec.links()?;
        let on_lattice = || {
            let lattice = self.spec.lattice()?;
            let classes = (DIMENSION_ORDER.virtual_channels)(&lattice);
            let relation = Relation::new(lattice, &DIMENSION_ORDER, classes);
            Some(Arc::new(LatticeSteps { relation, links: Arc::clone(&links) }) as Arc<dyn LinkRouting>)
        };
        let routing = routing.or_else(on_lattice);
        let classes = routing.as_ref().map_or(self.network.classes(), |routing| routing.classes());
        Ok(LinkPaths { links, routing, classes })
    }
}

impl LinkPaths {
    /// The links.
    pub fn links(&self) -> &dyn Links {
        self.links.as_ref()
    }

    /// Calls `each` with the links of every path from `src` to `dst`, each with the class of its virtual channel, until it breaks.
    /// Returns false if it is not known which links the channels of paths are.
    pub fn each_path(&self, src: NodeId, dst: NodeId, each: &mut PathVisitor<'_>) -> bool {
        let _ = self.routing.as_ref().map(|routing| routing.each_path(src, dst, each));
        self.routing.is_some()
    }

    /// The first of these paths, or `None` if it is not known which links channels are.
    pub fn first_path(&self, src: NodeId, dst: NodeId) -> Option<Vec<Step>> {
        let mut path = Vec::new();
        self.routing.as_ref()?.path(src, dst, &mut path);
        Some(path)
    }

    /// The number of classes of virtual channels of [`Self::each_path`].
    pub fn classes(&self) -> u8 {
        self.classes
    }

    /// The dependencies of all paths between all nodes, where links have a number of `virtual_channels`, or `None` if paths are not
    /// known. Begins with a [`checkpoint`](crate::cancel::checkpoint) for every node.
    pub fn dependencies(&self, virtual_channels: u16) -> Option<Dependencies> {
        let routing = self.routing.as_ref()?;
        Some(Dependencies::of(self.links.as_ref(), routing.as_ref(), virtual_channels))
    }
}

/// The reason why classes fit a byte.
const CLASSES: &str = "dimension order needs two classes at most";

/// Dimension order on the virtual-channel routers of a lattice with a virtual channel for each class, where a message that will
/// cross the dateline of a ring is in class 1 all the way round. On the wormhole engines it changes to that class at the dateline.
#[derive(Debug)]
struct LatticeSteps {
    relation: Relation,
    links: Arc<dyn Links>,
}

impl LatticeSteps {
    /// The link by which `port` leaves the router `at`: links are numbered in the order of the ports that have one.
    #[expect(clippy::expect_used, reason = "dimension order takes ports that have a link")]
    fn link(&self, at: u32, port: usize) -> (LinkId, u32) {
        let lattice = self.relation.lattice();
        let place = (0..port).filter(|&port| lattice.neighbour(at, port).is_some()).count();
        let link = self.links.leaving(RouterId(at)).nth(place);
        link.zip(lattice.neighbour(at, port)).expect("the port has a link")
    }
}

impl LinkRouting for LatticeSteps {
    fn classes(&self) -> u8 {
        narrow(self.relation.virtual_channels(), CLASSES)
    }

    fn path(&self, src: NodeId, dst: NodeId, path: &mut Vec<Step>) {
        // if both directions round a ring are equally short, towards larger coordinates
        let mut header = self.relation.header(dst.0, 0);
        let mut entered = self.relation.lattice().local();
        let mut at = src.0;
        while at != dst.0 {
            let choice = self.relation.choice(at, entered, &mut header);
            entered = choice.port.into();
            let (link, next) = self.link(at, entered);
            path.push(Step { link, class: narrow(choice.first, CLASSES) });
            at = next;
        }
    }
}
