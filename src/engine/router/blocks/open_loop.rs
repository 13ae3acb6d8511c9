//! Open-loop traffic as the engine sees it.

use super::packets::{Packet, Packets};
use super::traffic::{Event, Traffic};
use crate::engine::router::{self, Delivery, Offer};
use std::ops::Range;

/// Traffic that does not depend on the network.
pub(crate) struct OpenLoop<'a, T>(pub(crate) &'a mut T);

impl<T: router::Traffic> Traffic for OpenLoop<'_, T> {
    fn next(&mut self, node: u32, channel: u32) -> Option<Offer> {
        self.0.next_by(node, channel)
    }

    #[inline]
    fn event(&mut self, event: Event, packets: &Packets) {
        match event {
            Event::Accepted { at, flits, cycles: 1 } => self.0.accepted_at_once(at, flits),
            Event::Accepted { at, flits, cycles } => (0..flits).for_each(|_| self.0.accepted(at, cycles)),
            Event::Delivered { packet, at } => self.0.delivered(&delivery(&packets[packet], at)),
        }
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
fn delivery(packet: &Packet, at: u64) -> Delivery {
    let &Packet { header, src, flits, hops, created, injected, number } = packet;
    Delivery { number, src, dst: header.dst, flits, created, injected, delivered: at, hops, longer: 0 }
}
