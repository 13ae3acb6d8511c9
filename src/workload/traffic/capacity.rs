//! The rate that the busiest channel can carry at most: the bound of every saturation rate.

use super::OpenLoop;
use crate::algorithm::traffic::Pattern;
use crate::machine::Machine;
use crate::routing::{Flow, LoadedChannel, busiest_link};
use crate::units::{NodeId, narrow};
use std::fmt;

/// The capacity of the busiest channel.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Capacity {
    /// The rate at which it is busy all the time, flits per node and flit time.
    pub(super) rate: f64,
    /// The name of the channel, such as `ejection of node 5`.
    pub(super) channel: String,
}

/// `0.1429 (link (0,0)->(0,1))`.
impl fmt::Display for Capacity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.4} ({})", self.rate, self.channel)
    }
}

/// A rate that is a sum of many others is off by less than this part.
const ROUNDING: f64 = 1e-9;

impl Capacity {
    /// The capacity of `machine` under `pattern`. Returns `None` if no packet is sent.
    ///
    /// Links count as far as their expected loads are known.
    pub(super) fn new(traffic: &OpenLoop, machine: &Machine, pattern: &Pattern) -> Option<Self> {
        let nodes = narrow(machine.network_nodes(), "nodes are numbered with 32 bits");
        let flow = &pattern.flow(nodes);
        let node_time = |node| node_time(traffic, machine, node);
        let sent = |node| (0..nodes).map(|other| flow(node, other)).sum::<f64>() * node_time(node).injection;
        let received = |node| (0..nodes).map(|other| flow(other, node)).sum::<f64>() * node_time(node).ejection;
        let named =
            |what: &'static str| move |at: usize| format!("{what} of node {}", machine.name_of_node(NodeId::new(at)));
        let busiest = [
            LoadedChannel::busiest((0..nodes).map(received), named("ejection")),
            link(traffic, machine, flow),
            LoadedChannel::busiest((0..nodes).map(sent), named("injection")),
        ];
        let busiest =
            busiest.into_iter().flatten().reduce(|most, next| if next.load > most.load { next } else { most })?;
        Some(Self { rate: 1.0 / busiest.load, channel: busiest.name })
    }

    /// Returns true if `rate` exceeds the capacity.
    pub(super) fn is_below(&self, rate: f64) -> bool {
        rate > self.rate * (1.0 + ROUNDING)
    }
}

/// Flit times that the channels of a node take for a flit, shared out among those of several ports.
struct NodeTime {
    injection: f64,
    ejection: f64,
}

fn node_time(traffic: &OpenLoop, machine: &Machine, node: u32) -> NodeTime {
    match (&traffic.routers, machine.network()) {
        (Some(routers), _) => {
            let flit = f64::from(routers.routes.wiring().node_pace(node).flit);
            NodeTime { injection: flit, ejection: flit }
        }
        (None, Some(network)) => {
            let channels = network.channels();
            let time = |channel, ports: usize| {
                let flit_time = channels.cost(channel).map_or(machine.channel.flit_time, |cost| cost.flit_time.0);
                flit_time as f64 / machine.channel.flit_time as f64 / ports as f64
            };
            NodeTime {
                injection: time(channels.injection(NodeId(node)), channels.ports()),
                ejection: time(channels.ejection(NodeId(node)), channels.ejection_ports()),
            }
        }
        (None, None) => NodeTime { injection: 1.0, ejection: 1.0 },
    }
}

fn link(traffic: &OpenLoop, machine: &Machine, flow: &Flow<'_>) -> Option<LoadedChannel> {
    let link = match &traffic.routers {
        Some(routers) => routers.routes.busiest_link(flow),
        None => busiest_link(machine.network()?, machine.channel.flit_time, flow),
    };
    link.map(|link| LoadedChannel { name: format!("link {}", link.name), ..link })
}
