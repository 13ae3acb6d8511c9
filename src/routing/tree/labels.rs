//! Worms along a Hamiltonian labelling of the routers of a mesh, a torus or a hypercube.
//!
//! *Problem.* A multicast by few worms that cannot wait for each other in a cycle, whatever their length and the buffers are.
//!
//! *Idea.* Labels number the routers along a path that visits each once, row by row to and fro. A worm visits its destinations in the
//! order of their labels and ejects a copy at each. Worms up the labels use other links than worms down, and neither set has a cycle.
//!
//! *Cost.* Two worms (dual-path) or up to four (multi-path). They are longer than a tree.
//!
//! *Source.* X. Lin and L. M. Ni, Deadlock-free multicast wormhole routing in multicomputer networks, ISCA 1991.
//!
//! ```
//! use flitwise::routing::tree::HamiltonianLabels;
//! use flitwise::units::RouterId;
//! let labels = HamiltonianLabels::new(&[3, 4]);
//! let rows: Vec<u64> = (0..12).map(|router| labels.label(RouterId(router))).collect();
//! assert_eq!(rows, [0, 1, 2, 3, 7, 6, 5, 4, 8, 9, 10, 11]);
//! ```

use super::fork::{MulticastTree, TreeError};
use super::{EjectionClass, Tree, TreeChannel, TreeNetwork};
use crate::topology::Links;
use crate::units::{ChannelId, LinkId, NodeId, RouterId, narrow};

/// Labels of routers on a lattice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HamiltonianLabels {
    /// Routers along each dimension.
    shape: Vec<u32>,
    /// True if links join the edges.
    wraps: bool,
}

impl HamiltonianLabels {
    /// The labels of routers that are numbered row by row, with `shape[d]` of them along dimension `d`.
    pub fn new(shape: &[u32]) -> Self {
        Self { shape: shape.to_vec(), wraps: false }
    }

    /// Returns these labels on rings, whose edges are joined.
    #[must_use]
    pub fn on_rings(self) -> Self {
        Self { wraps: true, ..self }
    }

    /// True if the routers form a mesh of two dimensions.
    pub fn is_plane(&self) -> bool {
        self.dimensions() == 2 && !self.wraps
    }

    /// The number of dimensions.
    pub fn dimensions(&self) -> usize {
        self.shape.len()
    }

    /// The coordinate of `router` along `dimension`.
    fn coordinate(&self, router: RouterId, dimension: usize) -> u64 {
        let stride: u64 = self.shape[dimension + 1..].iter().map(|&side| u64::from(side)).product();
        u64::from(router.0) / stride % u64::from(self.shape[dimension])
    }

    /// The label of `router`. Every second line along a dimension is numbered backwards.
    pub fn label(&self, router: RouterId) -> u64 {
        self.shape.iter().enumerate().fold(0, |label, (dimension, &side)| {
            let side = u64::from(side);
            let coordinate = self.coordinate(router, dimension);
            label * side + if label % 2 == 1 { side - 1 - coordinate } else { coordinate }
        })
    }

    /// The next link of a worm at router `from` that goes to router `to`: the one that leads as far as possible along the labels without
    /// passing `to`, the lowest of parallel links. Returns `None` if no link leads on.
    pub fn next_hop(&self, links: &dyn Links, from: RouterId, to: RouterId) -> Option<LinkId> {
        let current = self.label(from);
        let target = self.label(to);
        let distance = |link: LinkId| {
            let label = self.label(links.ends(link).1);
            let is_between = if current < target {
                (current + 1..=target).contains(&label)
            } else {
                (target..current).contains(&label)
            };
            is_between.then(|| label.abs_diff(target))
        };
        links
            .leaving(from)
            .filter_map(|link| Some((distance(link)?, link)))
            .min_by_key(|&(distance, _)| distance)
            .map(|(_, link)| link)
    }
}

/// The worms of a multicast along labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PathWorms {
    /// One up and one down.
    Dual,
    /// Two up and two down, by the second coordinate of the destinations.
    Multi,
}

/// The worms from `src` to all of `dsts`, those up first. Destinations at the router of the source belong to those up.
pub(super) fn path_worms(
    worms: PathWorms,
    network: &TreeNetwork,
    src: NodeId,
    dsts: &[NodeId],
) -> Result<Vec<MulticastTree>, TreeError> {
    let labels = network.labels().ok_or(TreeError::NoLabels)?;
    if worms == PathWorms::Multi && !labels.is_plane() {
        return Err(TreeError::NoPlane);
    }
    let from = network.router_of(src);
    let is_up = |dst: NodeId| labels.label(network.router_of(dst)) >= labels.label(from);
    let is_before = |dst: NodeId| labels.coordinate(network.router_of(dst), 1) < labels.coordinate(from, 1);
    let side = |dst: NodeId| match worms {
        PathWorms::Dual => 0,
        PathWorms::Multi => usize::from(!is_before(dst)),
    };
    let mut parts: [[Vec<NodeId>; 2]; 2] = Default::default();
    for &dst in dsts {
        parts[usize::from(!is_up(dst))][side(dst)].push(dst);
    }
    let classes = [EjectionClass::Up, EjectionClass::Down];
    let parts = classes.into_iter().zip(parts).flat_map(|(class, parts)| parts.map(|part| (class, part)));
    let worm = |(class, destinations): (EjectionClass, Vec<NodeId>)| {
        let tree = worm(network, labels, src, &destinations)?.ejecting(class);
        Ok(MulticastTree { tree, destinations })
    };
    parts.filter(|(_, part)| !part.is_empty()).map(worm).collect()
}

/// The worm from `src` along the labels to all of `dsts`, which have labels on one side of that of `src`.
fn worm(network: &TreeNetwork, labels: &HamiltonianLabels, src: NodeId, dsts: &[NodeId]) -> Result<Tree, TreeError> {
    let from = network.router_of(src);
    let mut stops = dsts.to_vec();
    stops.sort_by_key(|&dst| (labels.label(network.router_of(dst)).abs_diff(labels.label(from)), dst));
    let channels = network.channels();
    let mut path = WormPath::new(channels.injection(src));
    let mut current = from;
    for dst in stops {
        let to = network.router_of(dst);
        while current != to {
            let name = |router| network.links().router_name(router);
            let link = labels.next_hop(network.links(), current, to);
            let link = link.ok_or_else(|| TreeError::NoNextHop { from: name(current), to: name(to) })?;
            path.advance(network.channel(link, 0));
            current = network.links().ends(link).1;
        }
        path.eject(channels.ejection(dst));
    }
    Ok(Tree::new(path.channels))
}

/// The channels of a worm so far.
struct WormPath {
    channels: Vec<TreeChannel>,
    /// The place of the last injection channel or link.
    last: u32,
}

impl WormPath {
    fn new(injection: ChannelId) -> Self {
        Self { channels: vec![TreeChannel { channel: injection, feeds: Vec::new() }], last: 0 }
    }

    fn advance(&mut self, link: ChannelId) {
        let next = narrow(self.channels.len(), "the places of a tree are numbered with 32 bits");
        self.eject(link);
        self.last = next;
    }

    fn eject(&mut self, channel: ChannelId) {
        self.channels.push(TreeChannel { channel, feeds: vec![self.last] });
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;
    use crate::topology::{Coordinates, LatticeLinks};

    fn routers(shape: &[u32]) -> impl Iterator<Item = RouterId> + Clone {
        (0..shape.iter().product()).map(RouterId)
    }

    fn sides(shape: &[u32]) -> Vec<usize> {
        shape.iter().map(|&side| side as usize).collect()
    }

    #[test]
    fn labels_follow_a_path_over_links_that_visits_each_router_once() {
        for shape in [&[7][..], &[3, 4], &[4, 3], &[2, 2, 2], &[3, 2, 5], &[3, 3, 3, 2], &[1, 4]] {
            let labels = HamiltonianLabels::new(shape);
            let links = LatticeLinks::new(Coordinates::mesh(&sides(shape)));
            let mut path: Vec<RouterId> = routers(shape).collect();
            path.sort_by_key(|&router| labels.label(router));
            assert!(path.iter().map(|&router| labels.label(router)).eq(0..path.len() as u64), "{shape:?}");
            for pair in path.windows(2) {
                let joins = links.leaving(pair[0]).any(|link| links.ends(link).1 == pair[1]);
                assert!(joins, "{shape:?}: {} and {} are not joined", pair[0], pair[1]);
            }
        }
    }

    /// Every hop leads on along the labels and not beyond the destination, as far as any link does.
    #[test]
    fn hops_lead_on_as_far_as_links_do() {
        for (shape, wraps) in
            [(&[3, 4][..], false), (&[4, 5], true), (&[2, 2, 2], false), (&[6], true), (&[3, 3, 3], true)]
        {
            let labels = HamiltonianLabels::new(shape);
            let coordinates = if wraps { Coordinates::torus(&sides(shape)) } else { Coordinates::mesh(&sides(shape)) };
            let links = LatticeLinks::new(coordinates);
            for (from, to) in routers(shape).flat_map(|from| routers(shape).map(move |to| (from, to))) {
                let mut current = from;
                while current != to {
                    let link = labels.next_hop(&links, current, to).unwrap();
                    let [here, next, target] = [current, links.ends(link).1, to].map(|router| labels.label(router));
                    let reached = links.leaving(current).map(|link| labels.label(links.ends(link).1));
                    let farthest = match here < target {
                        true => reached.filter(|&label| label <= target).max(),
                        false => reached.filter(|&label| label >= target).min(),
                    };
                    assert_eq!(Some(next), farthest, "{shape:?}: from {from} to {to} at {current}");
                    current = links.ends(link).1;
                }
            }
        }
    }

    /// A worm takes the lower-numbered one of two links between the same routers.
    #[test]
    fn hops_take_the_lowest_of_parallel_links() {
        let links = LatticeLinks::new(Coordinates::torus(&[2]));
        let labels = HamiltonianLabels::new(&[2]).on_rings();
        assert_eq!(labels.next_hop(&links, RouterId(0), RouterId(1)), Some(LinkId(0)));
        assert_eq!(labels.next_hop(&links, RouterId(1), RouterId(0)), Some(LinkId(2)));
    }

    #[test]
    fn no_hop_leads_against_the_direction_of_a_ring() {
        let links =
            LatticeLinks::new(Coordinates::torus(&[4])).with_directions(vec![Some(crate::topology::Direction::Plus)]);
        let labels = HamiltonianLabels::new(&[4]).on_rings();
        assert_eq!(labels.next_hop(&links, RouterId(2), RouterId(1)), None);
        assert_eq!(labels.next_hop(&links, RouterId(3), RouterId(0)), Some(LinkId(3)));
    }
}
