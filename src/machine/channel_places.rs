//! Places of channels, by the numbers of the engine that runs.

use super::Machine;
use crate::engine::router;
use crate::routing::{ChannelPlace, PortAt};
use crate::topology::{Channels, Origin};
use crate::units::{ChannelId, NodeId};

impl Machine {
    /// The place of `channel`, as the engine that runs numbers it. Returns `None` of a number that no channel has, and without a
    /// network.
    pub fn channel_place(&self, channel: ChannelId) -> Option<ChannelPlace> {
        if let Some(routers) = &self.routers {
            return router::channel_place(routers.routes.as_ref(), &routers.costs, channel);
        }
        let channels = self.network()?.channels();
        let number = |first: ChannelId| channel.0 - first.0;
        Some(match channels.origin(channel) {
            Origin::Injection(node) => ChannelPlace::Injection(node, number(channels.injection(node))),
            Origin::Ejection(node) => ChannelPlace::Ejection(node, number(channels.ejection(node))),
            Origin::Link(router) => {
                ChannelPlace::Link(PortAt { router: router.0, port: channels.hop(channel)?.port.into() })
            }
        })
    }

    /// The names and places of all injection and ejection channels. Empty without a network.
    pub fn node_channels(&self) -> Vec<(String, ChannelPlace)> {
        let Some(network) = self.network() else { return Vec::new() };
        let channels = network.channels();
        let locations = (0..channels.nodes()).map(NodeId::new).flat_map(|node| {
            let [injections, ejections] = self.node_channel_counts(channels);
            let injections = (0..injections).map(move |number| ChannelPlace::Injection(node, number));
            injections.chain((0..ejections).map(move |number| ChannelPlace::Ejection(node, number)))
        });
        locations.map(|place| (self.node_channel_name(channels, place), place)).collect()
    }

    /// The numbers of injection channels and of ejection channels of a node.
    fn node_channel_counts(&self, channels: &dyn Channels) -> [u32; 2] {
        match &self.routers {
            Some(routers) => [routers.costs.injection_ports, routers.costs.ejection_ports],
            None => [channels.ports(), channels.ejection_ports()].map(|ports| ChannelId::new(ports).0),
        }
    }

    fn node_channel_name(&self, channels: &dyn Channels, place: ChannelPlace) -> String {
        match (&self.routers, place) {
            (Some(routers), _) => router::node_channel_name(routers.routes.as_ref(), &routers.costs, place),
            (None, ChannelPlace::Injection(node, number)) => {
                channels.name(ChannelId(channels.injection(node).0 + number))
            }
            (None, ChannelPlace::Ejection(node, number)) => {
                channels.name(ChannelId(channels.ejection(node).0 + number))
            }
            (None, ChannelPlace::Link(_)) => String::new(),
        }
    }
}
