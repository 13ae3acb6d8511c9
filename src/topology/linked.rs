//! The channels of any network of links: injection and ejection channels of the nodes, then the virtual channels of each link.

use super::layout::{Bank, Layout, by_layout, numbered};
use super::{Channels, Hop, LinkCost, Links, Origin, OwnCosts, Part, Ports, TopologyError};
use crate::units::{ChannelId, LinkId, NodeId, RouterId};
use std::sync::Arc;

/// Links with their virtual channels, and the ports of nodes.
#[derive(Clone, Debug)]
pub struct Linked {
    links: Arc<dyn Links>,
    virtual_channels: usize,
    /// The channel that is the first virtual channel of the first link.
    first: usize,
    layout: Layout,
    own_costs: Option<OwnCosts<ChannelId>>,
}

impl Linked {
    /// The channels of `links`, each with so many virtual channels; `what` is the network in a few words.
    ///
    /// # Errors
    /// If there are no ports or no virtual channels, or channels cannot be numbered with 32 bits.
    pub fn new(
        links: Arc<dyn Links>,
        virtual_channels: usize,
        ports: Ports,
        what: impl Fn() -> String,
    ) -> Result<Self, TopologyError> {
        if virtual_channels == 0 {
            return Err(TopologyError::NoVirtualChannels);
        }
        let nodes = links.nodes();
        // channels of others that lead to a node's router
        let beside = links.most_nodes().saturating_sub(1) as u128;
        let others = links.most_arriving() as u128 * virtual_channels as u128 + beside * ports.injection as u128;
        let (injection, ejection) = ports.numbers(others)?;
        let first = nodes as u128 * (injection + ejection) as u128;
        let count = numbered(&what, first + links.count() as u128 * virtual_channels as u128)?;
        let first = numbered(&what, first)?;
        let injection = Bank { start: 0, stride: injection, ports: injection };
        let ejection = Bank { start: nodes * injection.ports, stride: ejection, ports: ejection };
        let layout = Layout { nodes, count, injection, ejection };
        let mut linked = Self { links, virtual_channels, first, layout, own_costs: None };
        linked.own_costs = linked.links.own_costs().map(|own| own.with_parts(|part| linked.channel_of(part)));
        Ok(linked)
    }

    /// The first channel of `part`.
    fn channel_of(&self, part: Part) -> ChannelId {
        match part {
            Part::Link(link) => self.virtual_channel(link, 0),
            Part::Node(node) => self.injection(node),
        }
    }

    /// The links.
    pub fn links(&self) -> &dyn Links {
        self.links.as_ref()
    }

    /// The link that `channel` is a virtual channel of, and which; none of channels between nodes and routers.
    pub fn link_at(&self, channel: ChannelId) -> Option<(LinkId, usize)> {
        let at = channel.index().checked_sub(self.first)?;
        Some((LinkId::new(at / self.virtual_channels), at % self.virtual_channels))
    }

    /// Virtual channel `vc` of `link`.
    pub fn virtual_channel(&self, link: LinkId, vc: usize) -> ChannelId {
        ChannelId::new(self.first + link.index() * self.virtual_channels + vc)
    }
}

impl Channels for Linked {
    by_layout!();

    fn virtual_channels(&self) -> usize {
        self.virtual_channels
    }

    fn physical(&self, channel: ChannelId) -> ChannelId {
        match channel.index().checked_sub(self.first) {
            Some(at) => ChannelId::new(channel.index() - at % self.virtual_channels),
            None => channel,
        }
    }

    fn hop(&self, channel: ChannelId) -> Option<Hop> {
        let (link, vc) = self.link_at(channel)?;
        let (from, _) = self.links.ends(link);
        let port = self.links.leaving(from).position(|other| other == link)?;
        Some(Hop { port: u16::try_from(port).ok()?, vc: u16::try_from(vc).ok()? })
    }

    fn leaving(&self, router: RouterId, port: usize) -> Option<ChannelId> {
        self.links.leaving(router).nth(port).map(|link| self.virtual_channel(link, 0))
    }

    fn origin(&self, channel: ChannelId) -> Origin {
        match self.link_at(channel) {
            Some((link, _)) => Origin::Link(self.links.ends(link).0),
            None => self.layout.port_origin(channel),
        }
    }

    fn class(&self, channel: ChannelId) -> Option<usize> {
        self.link_at(channel).map(|(link, _)| self.links.class(link))
    }

    fn cost(&self, channel: ChannelId) -> Option<LinkCost> {
        match self.link_at(channel) {
            Some((link, _)) => self.links.cost(link),
            None => self.links.node_cost(self.layout.node_at(channel)),
        }
    }

    fn own_costs(&self) -> Option<OwnCosts<ChannelId>> {
        self.own_costs
    }

    fn name(&self, channel: ChannelId) -> String {
        match self.link_at(channel) {
            None => self.layout.port_name(channel, |node| self.links.node_name(node)),
            Some((link, _)) if self.virtual_channels == 1 => self.links.link_name(link),
            Some((link, vc)) => format!("{} vc {vc}", self.links.link_name(link)),
        }
    }
}
