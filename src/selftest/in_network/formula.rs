//! The time of a packet that is alone in the network.

use super::packets::Packet;
use crate::routing::Network;
use crate::routing::tree::Tree;
use crate::topology::Origin;
use crate::units::NodeId;
use std::collections::BTreeMap;

/// The costs that decide the time of a packet that is alone in the network.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClosedForm {
    pub(super) pipelined: bool,
    /// The flits of a buffer that is never empty while flits come.
    pub(super) credit_loop: u64,
    pub(super) flit_time: u64,
    /// In ticks.
    pub(super) routing_delay: u64,
    /// In flit times, as the interval.
    pub(super) latency: u64,
    pub(super) interval: u64,
    pub(super) buffer: u64,
}

impl ClosedForm {
    /// The flits that a buffer holds at least if it does not delay the packet of `tree`: a branch advances while routers farther down
    /// another one route its head flit.
    pub(super) fn least_buffer(&self, tree: &Tree) -> u64 {
        let latency = if tree.combinations() > 0 { self.latency } else { 0 };
        let routed = if tree.copies() > 0 { self.routing_delay.div_ceil(self.flit_time) } else { 0 };
        self.credit_loop + latency + routed
    }

    /// By destination, the time of the delivery of `packet`, by the way from a source on which its head flit takes longest.
    pub(super) fn deliveries(&self, network: &dyn Network, packet: &Packet) -> BTreeMap<NodeId, u64> {
        let Packet { tree, flits, .. } = packet;
        let [link, ends] = if self.pipelined { [3, 5] } else { [1, 2] };
        let interval = if tree.combinations() > 0 { self.interval } else { 1 };
        let fixed = (ends + (flits - 1) * interval) * self.flit_time + self.routing_delay;
        let mut heads: Vec<u64> = Vec::new();
        let mut deliveries = BTreeMap::new();
        for (place, &channel) in tree.channels().iter().enumerate() {
            let feeds = tree.feeds(place);
            let before = feeds.iter().map(|&feed| heads[feed as usize]).max();
            let joined = if feeds.len() > 1 { self.latency * self.flit_time } else { 0 };
            let is_link = before.is_some() && tree.leads_to(place).is_some();
            let crossed = if is_link { link * self.flit_time + self.routing_delay } else { 0 };
            heads.push(before.map_or(0, |before| before + joined + crossed));
            if let Origin::Ejection(node) = network.channels().origin(channel) {
                deliveries.insert(node, heads[place] + fixed);
            }
        }
        deliveries
    }
}
