//! Names and places of channels, by the numbers under which observers know their VCs.

use super::RouterCosts;
use super::layout::Numbering;
use crate::routing::{ChannelPlace, PortAt, Routing};
use crate::topology::Origin;
use crate::units::{ChannelId, NodeId, RouterId};

/// The place of a VC, with its number among those of a link, or `None` of a number that no VC has.
fn place_of(routes: &dyn Routing, numbering: &Numbering, vc: ChannelId) -> Option<(ChannelPlace, u32)> {
    let ports = |count: usize| u32::try_from(count).ok();
    let injections = ports(numbering.injections)?;
    if vc.0 >= numbering.all() {
        let source = numbering.source(vc.0);
        return Some((ChannelPlace::Injection(NodeId(source / injections), source % injections), 0));
    }
    let (at, number) = numbering.split(vc.0);
    let Some(port) = at.port.checked_sub(ports(numbering.links)?) else {
        return Some((ChannelPlace::Link(at), number));
    };
    let of_node = injections.max(ports(numbering.ejections)?);
    let node = routes.wiring().node_at(PortAt { router: at.router, port: port / of_node })?;
    Some((ChannelPlace::Ejection(NodeId(node), port % of_node), 0))
}

/// The name of a link, an injection channel or an ejection channel as people write it, by the number of one of its VCs.
pub fn channel_name(routes: &dyn Routing, costs: &RouterCosts, channel: ChannelId) -> String {
    let numbering = Numbering::new(routes.wiring(), costs, routes.virtual_channels());
    match place_of(routes, &numbering, channel) {
        Some((ChannelPlace::Link(out), vc)) => {
            let link = routes.wiring().link_name(out);
            if numbering.vcs == 1 { link } else { format!("{link} vc {vc}") }
        }
        Some((place, _)) => node_channel_name(routes, costs, place),
        None => String::new(),
    }
}

/// The name of an injection or ejection channel. Empty of a link.
pub fn node_channel_name(routes: &dyn Routing, costs: &RouterCosts, place: ChannelPlace) -> String {
    let (kind, node, number, all) = match place {
        ChannelPlace::Link(_) => return String::new(),
        ChannelPlace::Injection(node, number) => ("injection", node, number, costs.injection_ports),
        ChannelPlace::Ejection(node, number) => ("ejection", node, number, costs.ejection_ports),
    };
    let port = if all > 1 { format!(" port {number}") } else { String::new() };
    format!("{kind} {}{port}", routes.wiring().node_name(node.0))
}

/// The number of numbers of VCs, those that no VC has included.
pub fn channel_count(routes: &dyn Routing, costs: &RouterCosts) -> usize {
    let numbering = Numbering::new(routes.wiring(), costs, routes.virtual_channels());
    numbering.count(routes.wiring().nodes() * numbering.injections)
}

/// The place of a channel, by the number of one of its VCs, or `None` of a number that no VC has.
pub fn channel_place(routes: &dyn Routing, costs: &RouterCosts, channel: ChannelId) -> Option<ChannelPlace> {
    let numbering = Numbering::new(routes.wiring(), costs, routes.virtual_channels());
    Some(place_of(routes, &numbering, channel)?.0)
}

/// The origin of a channel, by the number of one of its VCs, or `None` of a number that no VC has.
pub fn origin(routes: &dyn Routing, costs: &RouterCosts, channel: ChannelId) -> Option<Origin> {
    Some(match channel_place(routes, costs, channel)? {
        ChannelPlace::Link(out) => Origin::Link(RouterId(out.router)),
        ChannelPlace::Injection(node, _) => Origin::Injection(node),
        ChannelPlace::Ejection(node, _) => Origin::Ejection(node),
    })
}
