//! Packets that nodes send, and events that the engine reports: one trait, one event type.

use super::packets::{Packet, Packets};
use crate::engine::router::{Granted, Member, Offer};
use crate::topology::Hop;
use std::ops::Range;

/// An event. Events that an implementation ignores are optimised away.
///
/// Output VCs and VCs of sources are numbered as observers know them. Events of later cycles are reported as soon as they are
/// certain.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Event {
    /// The head flit of `packet` leaves its source by VC `vc`.
    Injected { packet: u32, vc: u32, at: u64 },
    /// The head flit of `packet`, which came by VC `from` of a channel that takes `longer` than a cycle for a flit, is granted output
    /// VC `vc`.
    Granted { packet: u32, from: u32, longer: u64, vc: u32, at: u64 },
    /// Flits of `packet` leave by VC `vc`, one a cycle from cycle `at` on.
    Sent { packet: u32, vc: u32, at: u64, flits: u32 },
    /// The head flit of `packet` leaves for its node by output VC `vc`.
    Ejected { packet: u32, vc: u32, at: u64 },
    /// A message of a multicast worm is granted the channel that the worm is granted.
    Joined(Granted),
    /// The head flit of `packet` leaves the buffer behind its injection channel.
    Departed { packet: u32, at: u64 },
    /// The tail of `packet` leaves the buffer behind its injection channel.
    TailLeft { packet: u32, at: u64 },
    /// Output VC `vc` can be granted again from cycle `at` on.
    Freed { vc: u32, at: u64 },
    /// Flits arrive at nodes in `cycles` cycles from cycle `at` on, `flits` in each of them.
    Accepted { at: u64, flits: u32, cycles: u32 },
    /// The tail of `packet` arrives at its node.
    Delivered { packet: u32, at: u64 },
}

/// The next packet of an injection channel.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NextPacket {
    /// There is none, or not yet.
    None,
    /// The packet is generated at a known time, whatever the network does.
    Made(Offer),
    /// A packet waits. It is taken when it can be sent, as another channel of the node may be free before.
    Waiting,
}

/// A source of packets that also observes the run.
pub(crate) trait Traffic {
    /// Returns the next packet of injection channel `channel` of `node`, in the order in which they are made.
    fn next(&mut self, node: u32, channel: u32) -> NextPacket;

    /// Takes a packet that waits for injection channel `channel` of `node`, if one does.
    fn take(&mut self, node: u32, channel: u32) -> Option<Offer>;

    /// Advances nodes to cycle `now`, and adds those that have a new packet to `woken`.
    fn advance(&mut self, now: u64, woken: &mut Vec<u32>);

    /// The next cycle in which a node acts by itself.
    fn next_event(&self) -> Option<u64>;

    /// Appends the links of the path of packet `number` to `path`, if the traffic prescribes it.
    fn path(&mut self, number: u32, path: &mut Vec<Hop>);

    /// Appends the packets that go as one worm with packet `number`, which sets out. They are not offered themselves.
    fn worm(&mut self, number: u32, others: &mut Vec<Member>);

    /// Returns true if the node of packet `number` admits it, when nothing else keeps it from being granted an ejection channel. It is
    /// granted that if so.
    fn admits(&mut self, number: u32) -> bool;

    /// Reports an event. `packets` are those in the network.
    fn event(&mut self, event: Event, packets: &Packets);

    /// The number of the message that `packet` carries, if it carries one.
    fn message(&self, packet: &Packet) -> Option<u32>;

    /// Returns true if cycle `now` is to be simulated.
    fn continues(&self, now: u64) -> bool;

    /// The progress at cycle `now`: the work that is done, and all of it.
    fn progress(&self, now: u64) -> (u64, u64);

    /// Cycles in which flits on links are counted.
    fn counted(&self) -> Range<u64>;
}

impl Traffic for &mut dyn Traffic {
    fn next(&mut self, node: u32, channel: u32) -> NextPacket {
        (**self).next(node, channel)
    }

    fn take(&mut self, node: u32, channel: u32) -> Option<Offer> {
        (**self).take(node, channel)
    }

    fn advance(&mut self, now: u64, woken: &mut Vec<u32>) {
        (**self).advance(now, woken);
    }

    fn next_event(&self) -> Option<u64> {
        (**self).next_event()
    }

    fn path(&mut self, number: u32, path: &mut Vec<Hop>) {
        (**self).path(number, path);
    }

    fn worm(&mut self, number: u32, others: &mut Vec<Member>) {
        (**self).worm(number, others);
    }

    fn admits(&mut self, number: u32) -> bool {
        (**self).admits(number)
    }

    fn event(&mut self, event: Event, packets: &Packets) {
        (**self).event(event, packets);
    }

    fn message(&self, packet: &Packet) -> Option<u32> {
        (**self).message(packet)
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
