//! What nodes, channels and routers cost, and what a message takes that nothing blocks.
//!
//! Models and engines both rest on these; costs know neither networks nor what is sent.

mod buffer;
mod channel;
pub mod energy;
mod factor;
mod node;
mod noise;
mod stragglers;
mod timing;

pub use buffer::Buffer;
pub use channel::ChannelCosts;
pub use factor::Factor;
pub use node::NodeCosts;
pub use noise::{Noise, NoiseEvents, NoiseTrace};
pub use stragglers::Stragglers;
pub use timing::{Gathering, PipelineStages, STEP, Timing, steps_before};

use crate::units::{Flits, Ticks};

/// What the network takes for a message that nothing blocks.
///
/// ```
/// use flitwise::costs::{ChannelCosts, NetworkTime, Timing};
/// use flitwise::units::{Flits, Ticks};
///
/// // eight flits over three links: injection and ejection are channels, too
/// let wormhole = NetworkTime::from(ChannelCosts::default());
/// assert_eq!(wormhole.unloaded(Flits(8), 3), Ticks(4 + 8));
/// let pipelined = NetworkTime::Routers { timing: Timing::pipelined(1, 0), flit_time: 1 };
/// assert_eq!(pipelined.unloaded(Flits(8), 3), Ticks(5 + 3 * 3 + 7));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NetworkTime {
    /// By the rules of the wormhole engines.
    Wormhole(ChannelCosts),
    /// Through virtual-channel routers.
    Routers {
        /// Cycles of a router.
        timing: Timing,
        /// Ticks of a cycle.
        flit_time: u64,
    },
}

impl From<ChannelCosts> for NetworkTime {
    fn from(costs: ChannelCosts) -> Self {
        Self::Wormhole(costs)
    }
}

impl From<&ChannelCosts> for NetworkTime {
    fn from(costs: &ChannelCosts) -> Self {
        Self::Wormhole(*costs)
    }
}

impl NetworkTime {
    /// Ticks for a flit to cross a channel.
    pub fn flit_time(&self) -> u64 {
        match self {
            Self::Wormhole(costs) => costs.flit_time,
            Self::Routers { flit_time, .. } => *flit_time,
        }
    }

    /// The time that the flits of a message of `flits` flits take to cross a channel one after the other.
    pub fn wire_time(&self, flits: Flits) -> Ticks {
        Ticks(flits.on_wire() * self.flit_time())
    }

    /// The time from a message's request of its injection channel to its delivery over `links` links.
    pub fn unloaded(&self, flits: Flits, links: usize) -> Ticks {
        match self {
            Self::Wormhole(costs) => costs.unloaded(flits, links + 2),
            Self::Routers { timing, flit_time } => Ticks(timing.unloaded(links as u64, flits.on_wire()) * flit_time),
        }
    }

    /// The same for a model that knows no distance: on pipelined routers that of no links; else the nominal path of one
    /// channel, which the papers take.
    pub fn nominal(&self, flits: Flits) -> Ticks {
        if self.is_pipelined() { self.unloaded(flits, 0) } else { self.wire_time(flits) }
    }

    /// Whether allocation, the switch and a link of a router take a cycle each.
    pub fn is_pipelined(&self) -> bool {
        matches!(self, Self::Routers { timing, .. } if timing.is_pipelined())
    }

    /// The time a message occupies its injection channel on its way over `links` links.
    pub fn occupancy(&self, flits: Flits, links: usize) -> Ticks {
        match self {
            Self::Wormhole(costs) => costs.occupancy(flits, links + 2),
            Self::Routers { .. } => self.wire_time(flits),
        }
    }
}
