//! What channels of routers take, for those who are told of every flit that leaves.
//!
//! Says what the engine does of itself; it refuses to know flits.

use super::RouterCosts;
use super::fabric::Fabric;
use crate::routing::Routes;
use crate::units::ChannelId;

/// What a channel takes, in cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChannelCycles {
    /// From the start of a flit to that of the next, at least.
    pub flit: u64,
    /// From the start of a flit until it can start on the next channel, or has arrived at its node.
    pub arrival: u64,
    /// From when a flit leaves the buffer behind the channel until its place can be used again; where a node takes the flit, from
    /// when it starts on the channel.
    pub credit: u64,
    /// Flits of the buffer behind it.
    pub buffer: u32,
    /// Whether it leads to a node.
    pub ejects: bool,
}

/// What all channels of routers take.
pub struct ChannelTiming {
    fabric: Fabric,
    costs: RouterCosts,
}

impl ChannelTiming {
    /// Of the channels of routers with such `routes` and `costs`.
    pub fn new(routes: &Routes, costs: RouterCosts) -> Self {
        Self { fabric: Fabric::new(routes, &costs), costs }
    }

    /// What `channel` takes, as the engine numbers virtual channels.
    pub fn of(&self, channel: ChannelId) -> ChannelCycles {
        let fabric = &self.fabric;
        let timing = self.costs.timing;
        let vc = channel.0;
        let pace = fabric.pace(vc);
        let injects = channel.index() >= fabric.router_vcs();
        let ejects = !injects && fabric.port(vc) >= fabric.local;
        let (way, credit) = match (injects, ejects) {
            (true, _) => (timing.inject, timing.credit + u64::from(pace.delay)),
            (_, true) => (timing.eject, timing.sink_credit_after(pace.flit.into(), pace.delay.into())),
            _ => (timing.hop, timing.credit + u64::from(pace.delay)),
        };
        let buffer = fabric.buffer(vc);
        ChannelCycles { flit: pace.flit.into(), arrival: way + pace.longer(), credit, buffer, ejects }
    }
}
