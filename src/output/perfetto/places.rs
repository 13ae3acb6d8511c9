//! Processes of a trace: every node, and every router that is not the router of one node alone.

use crate::machine::Machine;
use crate::topology::{Links, Origin};
use crate::units::{ChannelId, NodeId, RouterId};
use std::io;
use std::sync::Arc;

/// The nodes of a machine by number, then the routers that have no node or share several.
pub(super) struct Places<'a> {
    machine: &'a Machine,
    links: Arc<dyn Links>,
    /// Per router its place.
    of_routers: Vec<usize>,
    /// The routers with a place of their own.
    routers: Vec<RouterId>,
}

impl<'a> Places<'a> {
    /// Those of `machine`.
    ///
    /// # Errors
    /// If it has no network, or one whose links cannot be numbered: then no messages moved on it.
    pub(super) fn new(machine: &'a Machine) -> io::Result<Self> {
        let spec = machine
            .spec()
            .ok_or_else(|| io::Error::other("a trace requires a network, because it shows messages on channels"))?;
        let links = spec.links().map_err(io::Error::other)?;
        let mut nodes = vec![0_usize; links.routers()];
        let mut of_routers = vec![0; links.routers()];
        for node in (0..links.nodes()).map(NodeId::new) {
            let router = links.router_of(node).index();
            nodes[router] += 1;
            of_routers[router] = node.index();
        }
        let is_place = |router: &RouterId| nodes[router.index()] != 1;
        let routers: Vec<RouterId> = (0..links.routers()).map(RouterId::new).filter(is_place).collect();
        for (at, router) in routers.iter().enumerate() {
            of_routers[router.index()] = links.nodes() + at;
        }
        Ok(Self { machine, links, of_routers, routers })
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.links.nodes() + self.routers.len()
    }

    /// What a place is called.
    pub(super) fn name(&self, place: usize) -> String {
        match place.checked_sub(self.links.nodes()) {
            None => format!("node {}", self.machine.name_of_node(NodeId::new(place))),
            Some(at) => format!("router {}", self.links.router_name(self.routers[at])),
        }
    }

    /// The place that `channel` belongs to: where it comes from, and of an ejection channel its node.
    pub(super) fn with(&self, channel: ChannelId) -> usize {
        match self.origin(channel) {
            Origin::Injection(node) | Origin::Ejection(node) => node.index(),
            Origin::Link(router) => self.of_routers[router.index()],
        }
    }

    /// The place at which a head flit stands that waits for `channel`.
    pub(super) fn before(&self, channel: ChannelId) -> usize {
        match self.origin(channel) {
            Origin::Injection(node) => node.index(),
            Origin::Link(router) => self.of_routers[router.index()],
            Origin::Ejection(node) => self.of_routers[self.links.router_of(node).index()],
        }
    }

    #[expect(clippy::expect_used, reason = "messages have moved over the channel")]
    fn origin(&self, channel: ChannelId) -> Origin {
        self.machine.channel_origin(channel).expect("messages move over channels of the network")
    }
}
