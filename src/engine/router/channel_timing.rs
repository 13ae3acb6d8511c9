//! Times and buffers of the channels of routers, for observers that follow flits.

use super::RouterCosts;
use super::fabric::Fabric;
use crate::routing::Routing;
use crate::units::ChannelId;

/// Times of a channel, in cycles, and its buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChannelCycles {
    /// From the start of a flit to that of the next, at least.
    pub flit: u64,
    /// From the start of a flit until it can start on the next channel, or has arrived at its node.
    pub arrival: u64,
    /// From the departure of a flit from the buffer behind the channel until its slot can be used again, or from
    /// the start of the flit on an ejection channel.
    pub credit: u64,
    /// Flits of the buffer behind it.
    pub buffer: u32,
    /// True of an ejection channel.
    pub ejects: bool,
}

/// Times and buffers of all channels of routers.
pub struct ChannelTiming {
    fabric: Fabric,
    costs: RouterCosts,
}

impl ChannelTiming {
    /// Collects those of routers with these `routes` and `costs`.
    pub fn new(routes: &dyn Routing, costs: RouterCosts) -> Self {
        Self { fabric: Fabric::new(routes, &costs), costs }
    }

    /// The times of `channel`, in the numbering of the engine.
    pub fn cycles(&self, channel: ChannelId) -> ChannelCycles {
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
