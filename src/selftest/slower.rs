//! A network on which everything takes a multiple of the time.

use crate::routing::{LinkRouting, Network, Order, Stretch};
use crate::topology::{Channels, Hop, LinkCost, Origin, OwnCosts};
use crate::units::{ChannelId, NodeId, RouterId, Ticks};
use std::sync::Arc;

/// `network`, whose channels with costs of their own take `factor` times as long.
pub(super) struct Slower<'a> {
    pub(super) network: &'a dyn Network,
    pub(super) factor: u64,
}

impl Slower<'_> {
    fn all(&self) -> &dyn Channels {
        self.network.channels()
    }
}

impl Network for Slower<'_> {
    fn channels(&self) -> &dyn Channels {
        self
    }

    fn route(&self, src: NodeId, dst: NodeId, path: &mut Vec<ChannelId>) {
        self.network.route(src, dst, path);
    }

    fn stretches(&self, src: NodeId, dst: NodeId, stretches: &mut Vec<Stretch>) -> bool {
        self.network.stretches(src, dst, stretches)
    }

    fn paths(&self) -> Option<Arc<dyn LinkRouting>> {
        self.network.paths()
    }

    fn classes(&self) -> u8 {
        self.network.classes()
    }

    fn hops(&self, src: NodeId, dst: NodeId) -> usize {
        self.network.hops(src, dst)
    }

    fn order(&self) -> Order {
        self.network.order()
    }

    fn chain_rank(&self, node: NodeId) -> u64 {
        self.network.chain_rank(node)
    }
}

impl Channels for Slower<'_> {
    fn nodes(&self) -> usize {
        self.all().nodes()
    }

    fn count(&self) -> usize {
        self.all().count()
    }

    fn ports(&self) -> usize {
        self.all().ports()
    }

    fn ejection_ports(&self) -> usize {
        self.all().ejection_ports()
    }

    fn injection(&self, node: NodeId) -> ChannelId {
        self.all().injection(node)
    }

    fn ejection(&self, node: NodeId) -> ChannelId {
        self.all().ejection(node)
    }

    fn virtual_channels(&self) -> usize {
        self.all().virtual_channels()
    }

    fn physical(&self, channel: ChannelId) -> ChannelId {
        self.all().physical(channel)
    }

    fn hop(&self, channel: ChannelId) -> Option<Hop> {
        self.all().hop(channel)
    }

    fn leaving(&self, router: RouterId, port: usize) -> Option<ChannelId> {
        self.all().leaving(router, port)
    }

    fn origin(&self, channel: ChannelId) -> Origin {
        self.all().origin(channel)
    }

    fn class(&self, channel: ChannelId) -> Option<usize> {
        self.all().class(channel)
    }

    fn cost(&self, channel: ChannelId) -> Option<LinkCost> {
        let cost = self.all().cost(channel)?;
        let [flit_time, delay] = [cost.flit_time, cost.delay].map(|ticks| Ticks(ticks.0 * self.factor));
        Some(LinkCost { flit_time, delay, ..cost })
    }

    fn own_costs(&self) -> Option<OwnCosts<ChannelId>> {
        self.all().own_costs()?;
        let channels = (0..self.count()).map(ChannelId::new);
        OwnCosts::new(channels.filter_map(|channel| Some((channel, self.cost(channel)?))))
    }

    fn name(&self, channel: ChannelId) -> String {
        self.all().name(channel)
    }
}
