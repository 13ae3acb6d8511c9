//! What channels cost.

use super::Buffer;
use crate::units::{Flits, Ticks};
use serde::Serialize;

/// What a channel costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct ChannelCosts {
    /// Ticks for a flit to cross a channel, at least 1 (`c_d`).
    pub flit_time: u64,
    /// Flits that the buffer at a channel's downstream end holds (`B`).
    pub buffer: Buffer,
    /// Ticks from a header's arrival to its request for the next channel (`d_r`).
    pub routing_delay: u64,
}

impl Default for ChannelCosts {
    fn default() -> Self {
        Self { flit_time: 1, buffer: Buffer::RoundTrip, routing_delay: 0 }
    }
}

impl ChannelCosts {
    /// From a header's start on a channel to its request for the next one (`c_d + d_r`).
    pub fn step(&self) -> Ticks {
        Ticks(self.flit_time + self.routing_delay)
    }

    /// The time that the flits of a message of `flits` flits take to cross a channel one after the other (`m c_d`).
    pub fn wire_time(&self, flits: Flits) -> Ticks {
        Ticks(flits.on_wire() * self.flit_time)
    }

    /// The time a message of `flits` flits occupies its injection channel when nothing blocks it: from its header's
    /// start to the release, on a path of `channels` channels. The largest occupancy of any channel on the path.
    ///
    /// Source: re-derivation of Theorem 3.2 of the OPT-mesh paper; with `d_r = 0` it is `m c_d` for every buffer.
    pub fn occupancy(&self, flits: Flits, channels: usize) -> Ticks {
        let wire = self.wire_time(flits);
        if channels < 2 {
            return wire;
        }
        let buffer = self.buffer.without_delay();
        // a buffer makes up for the delay at most, however large it is
        let lag = self.routing_delay.saturating_sub((buffer - 1).saturating_mul(self.flit_time));
        let distance = (channels as u64 - 2).min((flits.on_wire() - 1) / buffer);
        wire + Ticks(self.routing_delay + distance * lag)
    }

    /// The time from a message's request of its injection channel to its delivery when nothing blocks it.
    pub fn unloaded(&self, flits: Flits, channels: usize) -> Ticks {
        let hops = channels as u64 - 1;
        self.step() * hops + self.wire_time(flits)
    }
}
