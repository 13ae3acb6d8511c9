//! A network as trees use it: its channels, the numbers of their links, and the paths of multicasts and reductions.

use crate::routing::{Lattice, LinkRouting, Network, Step};
use crate::topology::{Channels, Links, Origin};
use crate::units::{ChannelId, LinkId, NodeId, RouterId, narrow};
use std::fmt;
use std::sync::Arc;

use super::labels::HamiltonianLabels;

/// The paths that trees are made of: from a source those of multicasts, to a root those of reductions.
#[derive(Clone, Debug)]
pub enum TreePaths {
    /// No such paths are defined for the network.
    Undefined,
    /// The paths of the network itself, if its routing has one path for each pair of nodes.
    Network,
    /// The paths of the network itself, which may part and meet again.
    Unchecked,
    /// Other paths, if the routing of the network has one path for each pair of nodes.
    Fixed(Arc<dyn LinkRouting>),
    /// Other paths, for every routing of the network.
    Any(Arc<dyn LinkRouting>),
}

/// A network with the numbers of its links.
#[derive(Clone)]
pub struct TreeNetwork {
    network: Arc<dyn Network>,
    links: Arc<dyn Links>,
    /// The lattice by whose ports links leave, if the network is one.
    lattice: Option<Lattice>,
    paths: TreePaths,
    paths_to_root: TreePaths,
    labels: Option<HamiltonianLabels>,
}

impl fmt::Debug for TreeNetwork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TreeNetwork").field("paths", &self.paths).field("labels", &self.labels).finish_non_exhaustive()
    }
}

impl TreeNetwork {
    /// Creates the view of `network`, whose links are `links`. `lattice` is its lattice, if links leave by the ports of one.
    pub fn new(network: Arc<dyn Network>, links: Arc<dyn Links>, lattice: Option<Lattice>) -> Self {
        let [paths, paths_to_root] = [TreePaths::Network, TreePaths::Network];
        Self { network, links, lattice, paths, paths_to_root, labels: None }
    }

    /// Sets the paths of multicasts.
    #[must_use]
    pub fn with_paths(self, paths: TreePaths) -> Self {
        Self { paths, ..self }
    }

    /// Sets the paths of reductions.
    #[must_use]
    pub fn with_paths_to_root(self, paths_to_root: TreePaths) -> Self {
        Self { paths_to_root, ..self }
    }

    /// Sets the labels of routers, if they have any.
    #[must_use]
    pub fn with_labels(self, labels: Option<HamiltonianLabels>) -> Self {
        Self { labels, ..self }
    }

    /// The channels.
    pub fn channels(&self) -> &dyn Channels {
        self.network.channels()
    }

    /// The links.
    pub fn links(&self) -> &dyn Links {
        self.links.as_ref()
    }

    /// The paths of multicasts.
    pub fn paths(&self) -> &TreePaths {
        &self.paths
    }

    /// The paths of reductions.
    pub fn paths_to_root(&self) -> &TreePaths {
        &self.paths_to_root
    }

    /// Returns true if the paths of multicasts and those of reductions are defined, in this order.
    pub fn defines_paths(&self) -> [bool; 2] {
        [&self.paths, &self.paths_to_root].map(|paths| !matches!(paths, TreePaths::Undefined))
    }

    /// The labels of routers, if they have any.
    pub fn labels(&self) -> Option<&HamiltonianLabels> {
        self.labels.as_ref()
    }

    /// The router of `node`.
    pub fn router_of(&self, node: NodeId) -> RouterId {
        self.links.router_of(node)
    }

    /// The node of an injection or ejection `channel`.
    ///
    /// # Panics
    /// If the channel is a link.
    #[expect(clippy::panic, reason = "documented")]
    pub fn node(&self, channel: ChannelId) -> NodeId {
        match self.channels().origin(channel) {
            Origin::Injection(node) | Origin::Ejection(node) => node,
            Origin::Link(router) => panic!("channel {channel} is a link from router {router}, not a channel of a node"),
        }
    }

    /// The router that `channel` leaves. Returns `None` if it leaves a node.
    pub fn begins_at(&self, channel: ChannelId) -> Option<RouterId> {
        match self.channels().origin(channel) {
            Origin::Injection(_) => None,
            Origin::Link(router) => Some(router),
            Origin::Ejection(node) => Some(self.router_of(node)),
        }
    }

    /// The router that `channel` leads to. Returns `None` if it leads to a node.
    pub fn ends_at(&self, channel: ChannelId) -> Option<RouterId> {
        match self.channels().origin(channel) {
            Origin::Injection(node) => Some(self.router_of(node)),
            Origin::Link(_) => self.link(channel).map(|(link, _)| self.links.ends(link).1),
            Origin::Ejection(_) => None,
        }
    }

    /// Appends the path of a multicast from `src` to `dst`: an injection channel, links, and an ejection channel.
    pub fn route(&self, src: NodeId, dst: NodeId, path: &mut Vec<ChannelId>) {
        self.route_among(&self.paths, src, dst, path);
    }

    /// Appends the path of a reduction from `src` to `root`: an injection channel, links, and an ejection channel.
    pub fn route_to_root(&self, src: NodeId, root: NodeId, path: &mut Vec<ChannelId>) {
        self.route_among(&self.paths_to_root, src, root, path);
    }

    fn route_among(&self, paths: &TreePaths, src: NodeId, dst: NodeId, path: &mut Vec<ChannelId>) {
        match paths {
            TreePaths::Undefined | TreePaths::Network | TreePaths::Unchecked => self.network.route(src, dst, path),
            TreePaths::Fixed(paths) | TreePaths::Any(paths) => self.route_by(paths.as_ref(), src, dst, path),
        }
    }

    /// Appends the path of `paths` from `src` to `dst`, in each class its first virtual channel.
    pub fn route_by(&self, paths: &dyn LinkRouting, src: NodeId, dst: NodeId, path: &mut Vec<ChannelId>) {
        path.push(self.channels().injection(src));
        let mut steps = Vec::new();
        paths.path(src, dst, &mut steps);
        path.extend(steps.into_iter().map(|step| self.step_channel(step, paths.classes())));
        path.push(self.channels().ejection(dst));
    }

    /// The channel of `step` of a routing with `classes` classes. With fewer virtual channels than classes, all classes share all.
    fn step_channel(&self, step: Step, classes: u8) -> ChannelId {
        let vcs = self.channels().virtual_channels();
        let classes = usize::from(classes);
        let vc = if vcs < classes { 0 } else { usize::from(step.class) * vcs / classes };
        self.channel(step.link, narrow(vc, "virtual channels are numbered with 16 bits"))
    }

    /// Virtual channel `vc` of `link`.
    pub fn channel(&self, link: LinkId, vc: u16) -> ChannelId {
        let (router, _) = self.links.ends(link);
        let mut leaving = self.links.leaving(router);
        #[expect(clippy::expect_used, reason = "a link leaves its router")]
        let position = leaving.position(|other| other == link).expect("a link is among those that leave its router");
        let first = self.port(router, position).and_then(|port| self.channels().leaving(router, port));
        #[expect(clippy::expect_used, reason = "the channels and the links are those of one network")]
        let first = first.expect("each link is a channel");
        ChannelId(first.0 + u32::from(vc))
    }

    /// The port of the link at `position` among those that leave `router`.
    fn port(&self, router: RouterId, position: usize) -> Option<usize> {
        match &self.lattice {
            Some(lattice) => link_ports(lattice, router).nth(position),
            None => Some(position),
        }
    }

    /// The link that `channel` is a virtual channel of, and the number of that. Returns `None` for channels of nodes.
    pub fn link(&self, channel: ChannelId) -> Option<(LinkId, u16)> {
        let hop = self.channels().hop(channel)?;
        link_of(self.channels(), self.links(), self.lattice.as_ref(), channel).map(|link| (link, hop.vc))
    }
}

/// The ports of `router` that have a link.
fn link_ports(lattice: &Lattice, router: RouterId) -> impl Iterator<Item = usize> + '_ {
    (0..lattice.local()).filter(move |&port| lattice.neighbour(router.0, port).is_some())
}

/// The link of `links` that `channel` is a virtual channel of, on a `lattice` if links leave by the ports of one.
pub fn link_of(
    channels: &dyn Channels,
    links: &dyn Links,
    lattice: Option<&Lattice>,
    channel: ChannelId,
) -> Option<LinkId> {
    let Origin::Link(router) = channels.origin(channel) else { return None };
    let port = usize::from(channels.hop(channel)?.port);
    // links of lattices are numbered in the order of the ports that have one, others in the order of all ports
    let position = match lattice {
        Some(lattice) => link_ports(lattice, router).position(|other| other == port)?,
        None => port,
    };
    links.leaving(router).nth(position)
}
