//! Packets that nodes send, and events that the engine reports: one trait, one event type.

use super::packets::Packets;
use crate::engine::router::Offer;
use std::ops::Range;

/// An event. Events that an implementation ignores are optimised away.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Event {
    /// Flits arrive at nodes.
    Accepted {
        /// The first cycle of arrival.
        at: u64,
        /// Flits that arrive in each cycle.
        flits: u32,
        /// The number of cycles.
        cycles: u32,
    },
    /// The tail of a packet arrives at its node. Reported as soon as it is certain.
    Delivered {
        /// The number of the packet in the network.
        packet: u32,
        /// The cycle of arrival.
        at: u64,
    },
}

/// A source of packets that also observes the run.
pub(crate) trait Traffic {
    /// Takes the next packet of injection channel `channel` of `node`, in the order in which they are made.
    fn next(&mut self, node: u32, channel: u32) -> Option<Offer>;

    /// Reports an event. `packets` are those in the network.
    fn event(&mut self, event: Event, packets: &Packets);

    /// Returns true if cycle `now` is to be simulated.
    fn continues(&self, now: u64) -> bool;

    /// The progress at cycle `now`: the work that is done, and all of it.
    fn progress(&self, now: u64) -> (u64, u64);

    /// Cycles in which flits on links are counted.
    fn counted(&self) -> Range<u64>;
}

impl Traffic for &mut dyn Traffic {
    fn next(&mut self, node: u32, channel: u32) -> Option<Offer> {
        (**self).next(node, channel)
    }

    fn event(&mut self, event: Event, packets: &Packets) {
        (**self).event(event, packets);
    }

    fn continues(&self, now: u64) -> bool {
        (**self).continues(now)
    }

    fn progress(&self, now: u64) -> (u64, u64) {
        (**self).progress(now)
    }

    fn counted(&self) -> Range<u64> {
        (**self).counted()
    }
}
