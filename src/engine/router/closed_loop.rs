//! Nodes whose packets depend on deliveries, such as those of programs, as the engine sees them.

use super::open_loop::delivery;
use super::packets::{Packet, Packets};
use super::traffic::{Event, NextPacket, Traffic};
use crate::costs::Timing;
use crate::engine::router::{self, Granted, HeadStart, Member, Offer, RouterEvent};
use crate::topology::Hop;
use std::ops::Range;

/// Traffic that depends on the network.
pub(crate) struct ClosedLoop<T> {
    pub(crate) nodes: T,
    timing: Timing,
    /// True if every flit and every head flit is to be reported.
    is_watched: bool,
}

impl<T: router::Traffic> ClosedLoop<T> {
    /// Creates the traffic of `nodes` on routers with this `timing`.
    pub(crate) fn new(nodes: T, timing: Timing) -> Self {
        Self { is_watched: nodes.is_watched(), nodes, timing }
    }

    fn report(&mut self, event: RouterEvent) {
        self.nodes.event(event);
    }

    /// Reports that the head flit of `packet` has been granted output VC `vc`, and started on the VC `from` by which it came: at
    /// the latest as long before its request as an empty router takes.
    fn granted(&mut self, packet: &Packet, (from, longer): (u32, u64), vc: u32, at: u64) {
        let &Packet { number, hops, requested, .. } = packet;
        if self.is_watched {
            let takes = if hops == 0 { self.timing.inject } else { self.timing.hop };
            let start = requested - self.timing.routing - takes - longer;
            self.report(RouterEvent::HeadStarted(HeadStart { number, hop: hops, vc: from, at: start }));
        }
        self.report(RouterEvent::Granted(Granted { number, hop: hops + 1, vc, requested, granted: at }));
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
}

impl<T: router::Traffic> Traffic for ClosedLoop<T> {
    fn next(&mut self, node: u32, channel: u32) -> NextPacket {
        if self.nodes.waits(node, channel) { NextPacket::Waiting } else { NextPacket::None }
    }

    fn take(&mut self, node: u32, channel: u32) -> Option<Offer> {
        self.nodes.next(node, channel)
    }

    fn advance(&mut self, now: u64, woken: &mut Vec<u32>) {
        self.nodes.advance(now, woken);
    }

    fn next_event(&self) -> Option<u64> {
        self.nodes.next_event()
    }

    fn path(&mut self, number: u32, path: &mut Vec<Hop>) {
        self.nodes.path(number, path);
    }

    fn worm(&mut self, number: u32, others: &mut Vec<Member>) {
        self.nodes.worm(number, others);
    }

    fn admits(&mut self, number: u32) -> bool {
        self.nodes.admits(number)
    }

    #[inline]
    fn event(&mut self, event: Event, packets: &Packets) {
        match event {
            Event::Injected { packet, vc, at } => {
                let Packet { number, created, .. } = packets[packet];
                self.report(RouterEvent::Granted(Granted { number, hop: 0, vc, requested: created, granted: at }));
            }
            Event::Granted { packet, from, longer, vc, at } => self.granted(&packets[packet], (from, longer), vc, at),
            Event::Joined(granted) => self.report(RouterEvent::Granted(granted)),
            Event::Departed { packet, at } => {
                self.report(RouterEvent::Departed { number: packets[packet].number, at });
            }
            Event::TailLeft { packet, at } => {
                let at = at + self.timing.credit.min(1);
                self.report(RouterEvent::TailLeft { number: packets[packet].number, at });
            }
            Event::Accepted { at, flits, cycles } => self.report(RouterEvent::Accepted { at, flits, cycles }),
            Event::Delivered { packet, at } => self.report(RouterEvent::Delivered(delivery(&packets[packet], at))),
            Event::Sent { .. } | Event::Ejected { .. } | Event::Freed { .. } => {
                if self.is_watched {
                    self.watched(event, packets);
                }
            }
        }
    }

    fn message(&self, packet: &Packet) -> Option<u32> {
        Some(packet.number)
    }

    fn continues(&self, now: u64) -> bool {
        self.nodes.goes_on(now)
    }

    fn progress(&self, now: u64) -> (u64, u64) {
        self.nodes.progress(now)
    }

    fn counted(&self) -> Range<u64> {
        self.nodes.counted()
    }
}
