//! Which routers and nodes channels join, and how channels are numbered.
//!
//! A topology knows nodes, routers and the directed channels between them. It refuses to know which channels a message
//! takes (that is [`crate::routing`]) and what moves on them (that is [`crate::engine`]).
//!
//! # Channel numbering
//!
//! Channels are numbered densely from 0 to [`Channels::count`] - 1. Every node owns `p` *injection* channels with
//! consecutive numbers and `q` *ejection* channels with consecutive numbers ([`Ports`]); the
//! first of each run stands for the whole run in a path, and an engine may grant any of the run. All other
//! channels join routers. Where each kind lies is the topology's choice: direct networks keep all channels that leave a
//! node side by side (one cache line in two dimensions), indirect ones number them level by level. A network with
//! virtual channels numbers each virtual channel as a channel of its own; those that share a physical channel have
//! consecutive numbers, and [`Channels::physical`] names the first of them.

mod bmin;
mod chiplets;
#[cfg(test)]
mod class_tests;
mod clock;
mod cost;
mod cost_matrix;
mod dragonfly;
mod failures;
mod fat_tree;
mod graph;
mod hypercube;
mod hyperx;
mod lattice;
mod lattice_links;
mod layout;
mod linked;
mod links;
mod mesh;
mod parallel;
mod router_nodes;
mod side_by_side;
mod slow_links;
mod torus;

pub use bmin::Bmin;
pub(crate) use chiplets::CHIPLET_CLASSES;
pub use chiplets::{ChipletJoints, Chiplets};
pub use clock::LinkClock;
pub use cost::{GroupCosts, LinkCost, OwnCosts, Part};
pub use cost_matrix::{CostError, CostMatrix, LARGEST_COST};
pub(crate) use dragonfly::DRAGONFLY_CLASSES;
pub use dragonfly::{Dragonfly, DragonflyCosts, DragonflySize, GlobalPort};
pub use failures::{Failures, RouterPair};
pub use fat_tree::{FatTree, Stage};
pub(crate) use fat_tree::{gap_class, links_below, product};
pub use graph::{Attachment, Graph, Joint, LINK_CLASS};
pub use hypercube::Hypercube;
pub use hyperx::HyperXLinks;
pub(crate) use lattice::dimension_class;
pub use lattice::{Coordinates, Grid};
pub(crate) use lattice_links::EXPRESS_CLASS;
pub use lattice_links::{LatticeLinks, Twist};
pub use linked::Linked;
#[cfg(feature = "plots")]
pub(crate) use links::bracketed;
pub use links::{LinkGroup, Links};
pub use mesh::Mesh;
pub use parallel::ParallelLinks;
pub use router_nodes::RouterNodes;
pub use side_by_side::SideBySide;
pub use slow_links::SlowLinks;
pub use torus::Torus;

use crate::units::{ChannelId, NodeId, RouterId};
use serde::Serialize;
use thiserror::Error;

/// What every topology tells about its channels.
pub trait Channels {
    /// The number of nodes, numbered 0 to `nodes() - 1`.
    fn nodes(&self) -> usize;

    /// The number of channels, numbered 0 to `count() - 1`; numbers that no channel uses are counted.
    fn count(&self) -> usize;

    /// The number of injection channels of a node.
    fn ports(&self) -> usize;

    /// The number of ejection channels of a node, as many as injection channels unless the topology says otherwise.
    fn ejection_ports(&self) -> usize {
        self.ports()
    }

    /// The first of `node`'s injection channels.
    fn injection(&self, node: NodeId) -> ChannelId;

    /// The first of `node`'s ejection channels.
    fn ejection(&self, node: NodeId) -> ChannelId;

    /// The most virtual channels that share a physical channel.
    fn virtual_channels(&self) -> usize {
        1
    }

    /// The first of the virtual channels that share `channel`'s physical channel: the physical channel's number.
    fn physical(&self, channel: ChannelId) -> ChannelId {
        channel
    }

    /// Where `channel` leaves its router, if it is a link between routers that have ports ([`crate::routing::Wiring`]).
    fn hop(&self, channel: ChannelId) -> Option<Hop> {
        let _ = channel;
        None
    }

    /// The first virtual channel of the link that leaves `router` by `port`, by the ports of [`Self::hop`]. Returns `None` if links have
    /// no ports.
    fn leaving(&self, router: RouterId, port: usize) -> Option<ChannelId> {
        let _ = (router, port);
        None
    }

    /// What `channel` joins, and where a head flit stands that waits for it.
    fn origin(&self, channel: ChannelId) -> Origin;

    /// The index of the class of the link that `channel` is, or is a virtual channel of, in [`Links::classes`]. Returns `None` for
    /// injection and ejection channels.
    fn class(&self, channel: ChannelId) -> Option<usize>;

    /// What `channel` takes, if it is not what every channel does.
    fn cost(&self, channel: ChannelId) -> Option<LinkCost> {
        let _ = channel;
        None
    }

    /// The cost of `channel`, if channels without a cost of their own take `flit_time` ticks a flit.
    fn cost_among(&self, channel: ChannelId, flit_time: u64) -> LinkCost {
        self.cost(channel).unwrap_or(LinkCost::without_delay(flit_time))
    }

    /// What there is to say of these costs, at no expense; none if no channel has one of its own.
    fn own_costs(&self) -> Option<OwnCosts<ChannelId>> {
        None
    }

    /// Whether all channels take `flit_time` ticks a flit without delay, where that is what every channel does.
    fn is_even(&self, flit_time: u64) -> bool {
        self.own_costs().is_none_or(|own| own.is_even(flit_time))
    }

    /// A name for `channel` that a person can find on the machine, such as `(0,1)->(0,2)`.
    fn name(&self, channel: ChannelId) -> String;

    /// What the names of its channels call `node`: `(0,1)` of `injection (0,1) port 0`.
    fn name_of_node(&self, node: NodeId) -> String {
        let name = self.name(self.injection(node));
        let name = name.trim_start_matches("injection ");
        name.strip_suffix(" port 0").unwrap_or(name).to_owned()
    }

    /// The name of the physical channel of `channel`: that of its virtual channels without their number.
    fn physical_name(&self, channel: ChannelId) -> String {
        let mut name = self.name(self.physical(channel));
        if let Some(bare) = name.strip_suffix(" vc 0") {
            name.truncate(bare.len());
        }
        name
    }
}

/// Where a channel comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// An injection channel of this node.
    Injection(NodeId),
    /// A link, or a virtual channel of one, that leaves this router ([`Links`]).
    Link(RouterId),
    /// An ejection channel of this node, which leaves the node's router.
    Ejection(NodeId),
}

/// A link as a router sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    /// The port by which it leaves. On a lattice there is one towards larger and one towards smaller coordinates for each
    /// dimension; elsewhere links leave in the order of their numbers.
    pub port: u16,
    /// Which virtual channel of the link it is.
    pub vc: u16,
}

/// The channels between a node and its router.
///
/// A number is both: so many injection and so many ejection channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ports {
    /// Injection channels.
    pub injection: usize,
    /// Ejection channels.
    pub ejection: Ejection,
}

/// How many ejection channels a node has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Ejection {
    /// So many.
    Channels(usize),
    /// As many as the channels that lead to its router, so that no message ever waits for one.
    Unlimited,
}

impl From<usize> for Ports {
    fn from(ports: usize) -> Self {
        Self { injection: ports, ejection: Ejection::Channels(ports) }
    }
}

impl Ports {
    /// The injection and ejection channels of a node to whose router so many channels of others lead.
    ///
    /// A message keeps the channel that leads to the router until its tail starts on the ejection channel, and the next
    /// header is not there before that tail has crossed it. So one ejection channel for each such channel is enough,
    /// and one for each injection channel of its own, as a node may send to itself.
    fn numbers(self, others: u128) -> Result<(usize, usize), TopologyError> {
        let ejection = match self.ejection {
            Ejection::Channels(count) => count as u128,
            Ejection::Unlimited => others.saturating_add(self.injection as u128),
        };
        let most = (self.injection as u128).max(ejection);
        if self.injection == 0 || ejection == 0 {
            return Err(TopologyError::NoPorts);
        }
        match u16::try_from(most).and_then(|_| usize::try_from(ejection)) {
            Ok(ejection) => Ok((self.injection, ejection)),
            Err(_) => Err(TopologyError::TooManyPorts { count: most }),
        }
    }
}

/// Which way along a dimension a link goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Towards larger coordinates.
    Plus,
    /// Towards smaller coordinates.
    Minus,
}

impl Direction {
    /// The place of a link in this direction after the first of its dimension: links and ports are numbered so.
    #[inline]
    pub fn place(self) -> usize {
        usize::from(self == Self::Minus)
    }

    /// The direction of link or port number `number`.
    pub fn from_number(number: usize) -> Self {
        if number.is_multiple_of(2) { Self::Plus } else { Self::Minus }
    }
}

/// What an engine keeps for a channel, at least.
const CHANNEL_BYTES: u128 = 16;

/// Counts of channels up to here are told; beyond, they may have been cut off.
const COUNTED: u128 = 10_u128.pow(15);

/// So many channels, and what they take.
fn channels_in_words(count: u128) -> String {
    if count > COUNTED {
        return "more than 10^15 channels".to_owned();
    }
    let gigabytes = (count * CHANNEL_BYTES).div_ceil(1_000_000_000);
    format!("{count} channels, which need {gigabytes} GB of memory")
}

/// Why a topology cannot be built.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum TopologyError {
    /// A shape without dimensions, or a dimension without nodes.
    #[error("a {0} needs at least one dimension, and each dimension at least one node")]
    Empty(&'static str),
    /// A node without ports could neither send nor receive.
    #[error("a node needs at least one port")]
    NoPorts,
    /// Ports are numbered with 16 bits.
    #[error("a node with {count} ports is not supported; the maximum is {}", u16::MAX)]
    TooManyPorts {
        /// The number of injection or of ejection channels it would have.
        count: u128,
    },
    /// A link without virtual channels carries nothing.
    #[error("a link needs at least one virtual channel")]
    NoVirtualChannels,
    /// A multistage network needs switches that choose between at least two ways.
    #[error("a bmin needs a radix of at least 2 and at least one level")]
    Radix,
    /// A tree whose nodes hang on several switches, or whose switches on none, is none.
    #[error(
        "a fat-tree needs at least one level, with at least one child and one parent per switch and exactly one parent per node"
    )]
    Stages,
    /// Each pair of groups of a dragonfly has as many global links.
    #[error(
        "a dragonfly needs p, a and h of at least 1 and at least two groups; the number of groups minus 1 must divide a * h"
    )]
    Groups,
    /// Nodes and channels are numbered with 32 bits.
    #[error("{what} would have {}; at most {} channels can be numbered", channels_in_words(*count), u32::MAX)]
    TooLarge {
        /// The network, as the scenario writes it.
        what: String,
        /// The number of channels it would have.
        count: u128,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    type Outcome = Result<(), TopologyError>;

    fn named(network: &dyn Channels, names: &[(ChannelId, u32, &str)]) {
        for &(channel, number, name) in names {
            assert_eq!((channel, network.name(channel).as_str()), (ChannelId(number), name));
        }
    }

    #[test]
    fn channels_are_numbered_as_documented() -> Outcome {
        let node = NodeId(5);
        let mesh = Mesh::new(&[3, 4], 1)?;
        assert_eq!(mesh.count(), 12 * 6);
        named(
            &mesh,
            &[
                (mesh.injection(node), 30, "injection (1,1)"),
                (mesh.ejection(node), 31, "ejection (1,1)"),
                (mesh.link(node, 0, Direction::Plus), 32, "(1,1)->(2,1)"),
                (mesh.link(node, 1, Direction::Minus), 35, "(1,1)->(1,0)"),
            ],
        );
        let torus = Torus::new(&[3, 4], 1, 2)?;
        assert_eq!(torus.count(), 12 * 10);
        named(
            &torus,
            &[
                (torus.injection(NodeId(7)), 70, "injection (1,3)"),
                (torus.ejection(NodeId(7)), 71, "ejection (1,3)"),
                (torus.link(NodeId(7), 0, Direction::Plus, 1), 73, "(1,3)->(2,3) vc 1"),
                (torus.link(NodeId(7), 1, Direction::Plus, 0), 76, "(1,3)->(1,0) vc 0"),
                (torus.link(NodeId(7), 1, Direction::Minus, 0), 78, "(1,3)->(1,2) vc 0"),
            ],
        );
        let rings = Torus::new(&[1, 2], 1, 1)?;
        assert_eq!(rings.neighbour(NodeId(1), 0, Direction::Plus), Some(NodeId(1)));
        named(
            &rings,
            &[
                (rings.link(NodeId(1), 1, Direction::Plus, 0), 10, "(0,1)->(0,0) +"),
                (rings.link(NodeId(1), 1, Direction::Minus, 0), 11, "(0,1)->(0,0) -"),
            ],
        );
        let cube = Hypercube::new(3, 2)?;
        assert_eq!((cube.nodes(), cube.count()), (8, 8 * 7));
        named(
            &cube,
            &[
                (ChannelId(36), 36, "injection 5 port 1"),
                (cube.ejection(node), 37, "ejection 5 port 0"),
                (cube.link(node, 1), 40, "5->7"),
            ],
        );
        let tree = Bmin::new(3, 3, 2)?;
        let down = tree.down(1, 7);
        named(&tree, &[(tree.ejection(NodeId(4)), 62, "ejection 4 port 0"), (down, down.0, "down 2->1 label 7")]);
        Ok(())
    }

    #[test]
    fn a_tree_numbers_every_channel_once() -> Outcome {
        let tree = Bmin::new(3, 3, 2)?;
        let mut channels: Vec<u32> = Vec::new();
        for leaf in 0..tree.nodes() {
            let ports = [tree.injection(NodeId::new(leaf)), tree.ejection(NodeId::new(leaf))];
            channels.extend(ports.iter().flat_map(|first| [first.0, first.0 + 1]));
            channels
                .extend((0..tree.levels() - 1).flat_map(|level| [tree.up(level, leaf).0, tree.down(level, leaf).0]));
        }
        channels.sort_unstable();
        assert!(channels.into_iter().eq((0..tree.count()).map(|channel| ChannelId::new(channel).0)));
        Ok(())
    }

    #[test]
    fn virtual_channels_of_a_link_share_its_physical_channel() -> Outcome {
        let torus = Torus::new(&[3, 4], 2, 2)?;
        for channel in (0..torus.count()).map(ChannelId::new) {
            let slot = channel.0 % 12;
            let shared = slot >= 4 && slot % 2 == 1;
            assert_eq!(torus.physical(channel).0, channel.0 - u32::from(shared));
        }
        Ok(())
    }

    #[test]
    fn what_is_empty_or_too_large_is_refused() {
        for (error, expected) in [
            (Mesh::new(&[], 1).err(), TopologyError::Empty("mesh")),
            (Mesh::new(&[4, 0], 1).err(), TopologyError::Empty("mesh")),
            (Mesh::new(&[4], 0).err(), TopologyError::NoPorts),
            (Torus::new(&[], 1, 2).err(), TopologyError::Empty("torus")),
            (Torus::new(&[4], 0, 2).err(), TopologyError::NoPorts),
            (Torus::new(&[4], 1, 0).err(), TopologyError::NoVirtualChannels),
            (Hypercube::new(3, 0).err(), TopologyError::NoPorts),
            (Bmin::new(1, 3, 1).err(), TopologyError::Radix),
            (Bmin::new(2, 0, 1).err(), TopologyError::Radix),
        ] {
            assert_eq!(error, Some(expected));
        }
        for error in [
            Mesh::new(&[usize::MAX, usize::MAX, 9], 1).err(),
            Torus::new(&[usize::MAX, 9], 1, 2).err(),
            Hypercube::new(31, 1).err(),
            Hypercube::new(4000, 1).err(),
            Bmin::new(2, 999, 1).err(),
        ] {
            assert!(matches!(error, Some(TopologyError::TooLarge { .. })), "{error:?}");
        }
    }
}
