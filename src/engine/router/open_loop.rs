//! Open-loop traffic as the engine sees it.

use super::packets::{Packet, Packets};
use super::traffic::{Event, NextPacket, Traffic};
use crate::engine::router::{self, Delivery, Member, Offer, RouterEvent};
use crate::topology::Hop;
use std::ops::Range;

/// Traffic that does not depend on the network.
pub(crate) struct OpenLoop<'a, T>(pub(crate) &'a mut T);

impl<T: router::Traffic> OpenLoop<'_, T> {
    #[inline]
    fn report(&mut self, event: RouterEvent) {
        self.0.event(event);
    }
}

impl<T: router::Traffic> Traffic for OpenLoop<'_, T> {
    fn next(&mut self, node: u32, channel: u32) -> NextPacket {
        self.0.next(node, channel).map_or(NextPacket::None, NextPacket::Made)
    }

    fn take(&mut self, _: u32, _: u32) -> Option<Offer> {
        None
    }

    fn advance(&mut self, _: u64, _: &mut Vec<u32>) {}

    fn next_event(&self) -> Option<u64> {
        None
    }

    fn path(&mut self, _: u32, _: &mut Vec<Hop>) {}

    fn worm(&mut self, _: u32, _: &mut Vec<Member>) {}

    fn admits(&mut self, _: u32) -> bool {
        true
    }

    #[inline(always)] // most events have no effect, and a call for each would cost more than the rest
    fn event(&mut self, event: Event, packets: &Packets) {
        match event {
            Event::Accepted { at, flits, cycles } => self.report(RouterEvent::Accepted { at, flits, cycles }),
            Event::Delivered { packet, at } => self.report(RouterEvent::Delivered(delivery(&packets[packet], at))),
            Event::Injected { .. }
            | Event::Granted { .. }
            | Event::Sent { .. }
            | Event::Ejected { .. }
            | Event::Joined(_)
            | Event::Departed { .. }
            | Event::TailLeft { .. }
            | Event::Freed { .. } => {}
        }
    }

    fn message(&self, _: &Packet) -> Option<u32> {
        None
    }

    fn continues(&self, now: u64) -> bool {
        self.0.goes_on(now)
    }

    fn progress(&self, now: u64) -> (u64, u64) {
        self.0.progress(now)
    }

    fn counted(&self) -> Range<u64> {
        self.0.counted()
    }
}

/// The delivery of `packet`, whose tail arrives in cycle `at`.
pub(crate) fn delivery(packet: &Packet, at: u64) -> Delivery {
    let &Packet { header, src, flits, hops, created, injected, number, extra_time, .. } = packet;
    Delivery { number, src, dst: header.dst, flits, created, injected, delivered: at, hops, longer: extra_time.total() }
}
