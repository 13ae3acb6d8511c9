//! Which port a router sends what it has for a destination router to: a row for each destination.

use crate::memory::in_words;
use crate::topology::{Graph, Links};
use crate::units::{LinkId, NodeId, RouterId, narrow};
use thiserror::Error;

/// The most bytes that tables of a routing take.
pub const MOST_BYTES: u64 = 1 << 30;

/// Why a routing has no tables.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum TableError {
    /// They take more than may be.
    #[error("`{routing}` requires tables of {} for {routers} routers; the maximum is 1 GiB", in_words(*.bytes))]
    TooLarge {
        /// The routing.
        routing: &'static str,
        /// How many routers there are.
        routers: usize,
        /// What the tables would take.
        bytes: u64,
    },
    /// A router has more links than tables tell apart.
    #[error("{links} links leave router {router}; `{routing}` supports at most {} links per router", u16::MAX)]
    TooManyPorts {
        /// The routing.
        routing: &'static str,
        /// The router.
        router: RouterId,
        /// How many links leave it.
        links: usize,
    },
}

/// Which routers are destinations, and how large ports are.
#[derive(Clone, Debug)]
pub(super) struct Destinations {
    /// Per router the number of its row, and [`NONE`] of a router without nodes.
    row: Vec<u32>,
    pub(super) routers: Vec<RouterId>,
    /// Whether a port needs two bytes.
    wide: bool,
}

const NONE: u32 = u32::MAX;

impl Destinations {
    /// Those of `graph`: its routers with nodes.
    ///
    /// # Errors
    /// If the tables of `routing` are too large, which has so many `extra` bytes per router and destination beside the port.
    pub(super) fn new(graph: &Graph, routing: &'static str, extra: u64) -> Result<Self, TableError> {
        let mut row = vec![NONE; graph.routers()];
        let mut routers = Vec::new();
        for (router, has_nodes) in graph.routers_with_nodes().into_iter().enumerate() {
            if has_nodes {
                row[router] = narrow(routers.len(), "routers are numbered with 32 bits");
                routers.push(RouterId::new(router));
            }
        }
        let ports = |router| (graph.links_from(router).len(), router);
        let (links, router) = (0..graph.routers()).map(|at| ports(RouterId::new(at))).max().unwrap_or((0, RouterId(0)));
        if links > usize::from(u16::MAX) {
            return Err(TableError::TooManyPorts { routing, router, links });
        }
        // 255 stands for no port, and one more is kept back
        let wide = links > 254;
        let each = extra + if wide { 2 } else { 1 };
        let bytes = (graph.routers() as u64).saturating_mul(routers.len() as u64).saturating_mul(each);
        match bytes > MOST_BYTES {
            true => Err(TableError::TooLarge { routing, routers: graph.routers(), bytes }),
            false => Ok(Self { row, routers, wide }),
        }
    }

    /// The number of the row of `router`, if it is a destination.
    pub(super) fn row_of(&self, router: RouterId) -> Option<usize> {
        Some(self.row[router.index()]).filter(|&row| row != NONE).map(|row| row as usize)
    }

    /// The row with such a `port` at each router; none where there is no path.
    pub(super) fn row(&self, ports: impl Iterator<Item = Option<usize>>) -> Row {
        let invariant = "ports are counted before there are tables";
        match self.wide {
            true => Row::Wide(ports.map(|port| port.map_or(u16::MAX, |port| narrow(port, invariant))).collect()),
            false => Row::Byte(ports.map(|port| port.map_or(u8::MAX, |port| narrow(port, invariant))).collect()),
        }
    }
}

/// Per router the place of a link among those that leave it.
#[derive(Clone, Debug)]
pub(super) enum Row {
    Byte(Box<[u8]>),
    Wide(Box<[u16]>),
}

impl Row {
    fn port(&self, router: RouterId) -> Option<usize> {
        match self {
            Self::Byte(ports) => Some(ports[router.index()]).filter(|&port| port != u8::MAX).map(usize::from),
            Self::Wide(ports) => Some(ports[router.index()]).filter(|&port| port != u16::MAX).map(usize::from),
        }
    }

    /// The link that leaves `router`, and where it leads; none where there is no path, or it has ended.
    pub(super) fn next(&self, graph: &Graph, router: RouterId) -> Option<(LinkId, RouterId)> {
        let link = graph.links_from(router)[self.port(router)?];
        Some((link, graph.link(link).to))
    }

    /// The links from `from` to `to`, whose row this is.
    pub(super) fn path<'a>(
        &'a self,
        graph: &'a Graph,
        from: RouterId,
        to: RouterId,
    ) -> impl Iterator<Item = (RouterId, LinkId)> + 'a {
        let mut at = from;
        std::iter::from_fn(move || {
            let (link, next) = self.next(graph, at).filter(|_| at != to)?;
            let leaves = at;
            at = next;
            Some((leaves, link))
        })
    }
}

/// The routers that `src` and `dst` hang on.
pub(super) fn ends(graph: &Graph, src: NodeId, dst: NodeId) -> (RouterId, RouterId) {
    (graph.router_of(src), graph.router_of(dst))
}
