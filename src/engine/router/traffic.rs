//! Nodes as the engine sees them: the packets that they send, and the events that are reported to them.

use super::packets::{Packet, Packets};
use crate::costs::Timing;
use crate::engine::router::{
    Crossbar, Delivery, Granted, HeadStart, Microarchitecture, Offer, RouterCosts, RouterEvent, Traffic, TreeEvent,
    TreeStep,
};
use crate::routing::Pace;

/// An event, of which open-loop traffic uses two: the others are optimised away.
///
/// Output VCs and VCs of sources are numbered as observers know them. Events of later cycles are reported as soon as they are
/// certain.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Event {
    /// The head flit of `packet` leaves its source by VC `vc`.
    Injected { packet: u32, vc: u32, at: u64 },
    /// The head flit of `packet`, which came by VC `from` of a channel that takes `longer` than a cycle for a flit, is granted output
    /// VC `vc`.
    Granted { packet: u32, from: u32, pace: Pace, vc: u32, at: u64 },
    /// Flits of `packet` leave by VC `vc`, one a cycle from cycle `at` on.
    Sent { packet: u32, vc: u32, at: u64, flits: u32 },
    /// Flits of `packet` leave their source by its VC `vc`, one a cycle from cycle `at` on.
    SentBySource { packet: u32, vc: u32, at: u64, flits: u32 },
    /// The head flit of `packet` leaves for its node by output VC `vc`.
    Ejected { packet: u32, vc: u32, at: u64 },
    /// A message of a multicast worm is granted the channel that the worm is granted.
    Joined(Granted),
    /// The head flit of `packet` leaves the buffer behind its injection channel.
    Departed { packet: u32, at: u64 },
    /// The tail of `packet` leaves its source.
    LeftSource { packet: u32, at: u64 },
    /// The tail of `packet` leaves the buffer behind its injection channel.
    TailLeft { packet: u32, at: u64 },
    /// Output VC `vc` can be granted again from cycle `at` on.
    Freed { vc: u32, at: u64 },
    /// Flits arrive at nodes in `cycles` cycles from cycle `at` on, `flits` in each of them.
    Accepted { at: u64, flits: u32, cycles: u32 },
    /// The tail of `packet`, which has left by output VC `vc`, arrives at its node.
    Delivered { packet: u32, vc: u32, at: u64 },
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

/// Nodes whose packets the engine sends, and to which it reports.
pub(crate) struct Endpoints<T> {
    pub(crate) nodes: T,
    timing: Timing,
    crossbar: Crossbar,
    /// True if every flit and every head flit is to be reported.
    is_watched: bool,
    /// True if the flits of any loop are to be reported.
    counts_flits: bool,
    /// True if nodes may refuse packets.
    is_limited: bool,
}

impl<T: Traffic> Endpoints<T> {
    /// Connects `nodes` to routers with these `costs`.
    pub(crate) fn new(nodes: T, costs: &RouterCosts) -> Self {
        let RouterCosts { timing, microarchitecture: Microarchitecture { crossbar, .. }, .. } = *costs;
        let [is_watched, counts_flits, is_limited] = [nodes.is_watched(), nodes.counts_flits(), nodes.is_limited()];
        Self { nodes, timing, crossbar, is_watched, counts_flits, is_limited }
    }

    /// Returns true if the flits of any loop are to be reported: of most traffic that is known when the engine is compiled.
    #[inline(always)]
    fn counts_flits(&self) -> bool {
        self.counts_flits && self.nodes.counts_flits()
    }

    /// Returns the next packet of injection channel `channel` of `node`, in the order in which they are made.
    pub(crate) fn next(&mut self, node: u32, channel: u32) -> NextPacket {
        if !self.nodes.is_closed() {
            self.nodes.next(node, channel).map_or(NextPacket::None, NextPacket::Made)
        } else if self.nodes.waits(node, channel) {
            NextPacket::Waiting
        } else {
            NextPacket::None
        }
    }

    /// Takes the next packet that waits for injection channel `channel` of `node`.
    pub(crate) fn take(&mut self, node: u32, channel: u32) -> Option<Offer> {
        if self.nodes.is_closed() { self.nodes.next(node, channel) } else { None }
    }

    /// Returns true if nodes may refuse packets.
    #[inline(always)]
    pub(crate) fn is_limited(&self) -> bool {
        self.is_limited
    }

    /// The number of the message that `packet` carries, in a closed loop.
    pub(crate) fn message(&self, packet: &Packet) -> Option<u32> {
        self.nodes.is_closed().then(|| self.nodes.name(packet.number))
    }

    /// Reports an event. `packets` are those in the network.
    #[inline(always)] // most events have no effect on open loops, and a call for each would cost more than the rest
    pub(crate) fn event(&mut self, event: Event, packets: &Packets) {
        match event {
            Event::Accepted { at, flits, cycles } => self.report(RouterEvent::Accepted { at, flits, cycles }),
            Event::Delivered { packet, vc, at } => {
                if self.nodes.held_slots().is_some() {
                    let Packet { number, flits, .. } = packets[packet];
                    self.report(RouterEvent::SlotsHeld { number, vc, slots: flits });
                }
                self.report(RouterEvent::Delivered(delivery(&packets[packet], at)));
            }
            Event::SentBySource { packet, vc, at, flits } => {
                if self.nodes.is_closed() {
                    self.sent_by_source([packet, vc], at, flits, packets);
                }
                if self.counts_flits() {
                    self.report(RouterEvent::Sent { number: packets[packet].number, vc, at, flits });
                }
            }
            Event::Sent { packet, vc, at, flits } => {
                if self.is_watched && self.nodes.is_closed() {
                    self.watched(event, packets);
                }
                if self.counts_flits() {
                    self.report(RouterEvent::Sent { number: packets[packet].number, vc, at, flits });
                }
            }
            Event::Ejected { .. } | Event::Freed { .. } => {
                if self.is_watched && self.nodes.is_closed() {
                    self.watched(event, packets);
                }
            }
            Event::Granted { from, vc, .. } => {
                if self.nodes.is_closed() {
                    self.of_packet(event, packets);
                }
                if self.counts_flits() {
                    self.report(RouterEvent::Connected { from, vc });
                }
            }
            Event::Injected { .. } | Event::Joined(_) => {
                if self.nodes.is_closed() {
                    self.of_packet(event, packets);
                }
            }
            Event::TailLeft { packet, at } => {
                if self.nodes.observes_tails() {
                    let at = at + self.timing.credit.min(1);
                    self.report(RouterEvent::TailLeft { number: packets[packet].number, at });
                }
            }
            Event::LeftSource { packet, at } => {
                if self.nodes.observes_sources() {
                    self.report(RouterEvent::LeftSource { number: packets[packet].number, at });
                }
            }
            Event::Departed { packet, at } => {
                if self.nodes.observes_departures() {
                    self.report(RouterEvent::Departed { number: packets[packet].number, at });
                }
            }
        }
    }

    /// Reports an event on a channel of a tree.
    pub(crate) fn tree_event(&mut self, event: TreeEvent) {
        if self.is_watched || matches!(event.step, TreeStep::Granted { .. }) {
            self.report(RouterEvent::Tree(event));
        }
    }

    #[inline]
    fn report(&mut self, event: RouterEvent) {
        self.nodes.event(event);
    }

    /// Reports flits of `packet` that leave their source by VC `vc`, if nodes count them or everything is watched.
    fn sent_by_source(&mut self, [packet, vc]: [u32; 2], at: u64, flits: u32, packets: &Packets) {
        if self.nodes.counts_queues() {
            self.report(RouterEvent::Injecting { number: packets[packet].number, at, flits });
        }
        if self.is_watched {
            self.watched(Event::Sent { packet, vc, at, flits }, packets);
        }
    }

    /// Reports an event that every closed loop uses.
    fn of_packet(&mut self, event: Event, packets: &Packets) {
        match event {
            Event::Injected { packet, vc, at } => {
                let Packet { number, created, .. } = packets[packet];
                self.report(RouterEvent::Granted(Granted { number, hop: 0, vc, requested: created, granted: at }));
            }
            Event::Granted { packet, from, pace, vc, at } => self.granted(&packets[packet], (from, pace), vc, at),
            Event::Joined(granted) => self.report(RouterEvent::Granted(granted)),
            _ => {}
        }
    }

    /// Reports an event that is of interest only where everything is watched.
    #[cold]
    fn watched(&mut self, event: Event, packets: &Packets) {
        match event {
            Event::Sent { packet, vc, at, flits } => {
                self.report(RouterEvent::Sent { number: packets[packet].number, vc, at, flits });
            }
            Event::Ejected { packet, vc, at } => {
                let Packet { number, hops, .. } = packets[packet];
                self.report(RouterEvent::HeadStarted(HeadStart { number, hop: hops + 1, vc, at }));
            }
            Event::Freed { vc, at } => self.report(RouterEvent::Freed { vc, at }),
            _ => {}
        }
    }

    /// The last cycle in which a flit can have started on a channel with this `pace`, an injection channel or a link, that has arrived in
    /// the cycle `arrival`.
    fn latest_start(&self, arrival: u64, pace: Pace, is_injection: bool) -> u64 {
        match pace.clocked {
            Some(clocked) => clocked.latest_departure(arrival, self.timing.wires()) - self.timing.until_link(),
            None if is_injection => arrival - self.timing.inject - pace.longer(),
            None => arrival - self.timing.hop - pace.longer(),
        }
    }

    /// Reports the start of a head flit on the channel of a tree at `place` with this `pace`, VC `from`, by which it has come to the front
    /// of a buffer in the cycle `arrival`.
    pub(crate) fn tree_started(&mut self, [worm, place]: [u32; 2], (from, pace): (u32, Pace), arrival: u64, hops: u32) {
        if self.is_watched {
            let start = self.latest_start(arrival, pace, hops == 0);
            self.report(RouterEvent::Tree(TreeEvent { worm, place, vc: from, step: TreeStep::Started { at: start } }));
        }
    }

    /// Reports that the head flit of `packet` has been granted output VC `vc`, and started on the VC `from` by which it came: at
    /// the latest as long before its request as an empty router takes.
    fn granted(&mut self, packet: &Packet, (from, pace): (u32, Pace), vc: u32, at: u64) {
        let &Packet { number, hops, requested, .. } = packet;
        if self.is_watched {
            // a head flit that arrives in a cycle of several steps may be routed in a step of the last cycle that routing takes
            let has_several_steps = self.crossbar.steps(requested) > 1;
            let routing = self.timing.routing.saturating_sub(has_several_steps.into());
            let start = self.latest_start(requested - routing, pace, hops == 0);
            self.report(RouterEvent::HeadStarted(HeadStart { number, hop: hops, vc: from, at: start }));
        }
        self.report(RouterEvent::Granted(Granted { number, hop: hops + 1, vc, requested, granted: at }));
    }
}

/// The delivery of `packet`, whose tail arrives in cycle `at`.
fn delivery(packet: &Packet, at: u64) -> Delivery {
    let &Packet { header, src, flits, hops, created, injected, number, extra_time, .. } = packet;
    Delivery { number, src, dst: header.dst, flits, created, injected, delivered: at, hops, longer: extra_time.total() }
}
