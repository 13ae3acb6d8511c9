//! Names and origins of channels, by the numbers under which observers know their VCs.

use super::RouterCosts;
use super::layout::Numbering;
use crate::routing::{PortAt, Routing};
use crate::topology::Origin;
use crate::units::{ChannelId, NodeId, RouterId};

/// The channel of a VC.
enum Channel {
    /// A link, and the number of the VC on it.
    Link(PortAt, u32),
    /// An injection channel of a node, by its number there.
    Injection(u32, u32),
    /// An ejection channel of a node, by its number there.
    Ejection(u32, u32),
}

/// The channel of a VC, or `None` of a number that no VC has.
fn channel_of(routes: &dyn Routing, numbering: &Numbering, vc: ChannelId) -> Option<Channel> {
    let ports = |count: usize| u32::try_from(count).ok();
    let injections = ports(numbering.injections)?;
    if vc.0 >= numbering.all() {
        let source = numbering.source(vc.0);
        return Some(Channel::Injection(source / injections, source % injections));
    }
    let (at, number) = numbering.split(vc.0);
    let Some(port) = at.port.checked_sub(ports(numbering.links)?) else { return Some(Channel::Link(at, number)) };
    let of_node = injections.max(ports(numbering.ejections)?);
    let node = routes.wiring().node_at(PortAt { router: at.router, port: port / of_node })?;
    Some(Channel::Ejection(node, port % of_node))
}

/// The name of a link, an injection channel or an ejection channel as people write it, by the number of one of its VCs.
pub fn channel_name(routes: &dyn Routing, costs: &RouterCosts, channel: ChannelId) -> String {
    let numbering = Numbering::new(routes.wiring(), costs, routes.virtual_channels());
    let of_node = |kind: &str, node: u32, number: u32, all: usize| {
        let port = if all > 1 { format!(" port {number}") } else { String::new() };
        format!("{kind} {}{port}", routes.wiring().node_name(node))
    };
    match channel_of(routes, &numbering, channel) {
        Some(Channel::Link(out, vc)) => {
            let link = routes.wiring().link_name(out);
            if numbering.vcs == 1 { link } else { format!("{link} vc {vc}") }
        }
        Some(Channel::Injection(node, number)) => of_node("injection", node, number, numbering.injections),
        Some(Channel::Ejection(node, number)) => of_node("ejection", node, number, numbering.ejections),
        None => String::new(),
    }
}

/// The number of numbers of VCs, those that no VC has included.
pub fn channel_count(routes: &dyn Routing, costs: &RouterCosts) -> usize {
    let numbering = Numbering::new(routes.wiring(), costs, routes.virtual_channels());
    numbering.count(routes.wiring().nodes() * numbering.injections)
}

/// The origin of a channel, by the number of one of its VCs, or `None` of a number that no VC has.
pub fn origin(routes: &dyn Routing, costs: &RouterCosts, channel: ChannelId) -> Option<Origin> {
    let numbering = Numbering::new(routes.wiring(), costs, routes.virtual_channels());
    Some(match channel_of(routes, &numbering, channel)? {
        Channel::Link(out, _) => Origin::Link(RouterId(out.router)),
        Channel::Injection(node, _) => Origin::Injection(NodeId(node)),
        Channel::Ejection(node, _) => Origin::Ejection(NodeId(node)),
    })
}
