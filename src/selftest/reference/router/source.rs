//! Injection channels: which packet is sent next, and when its flits leave their node.

use super::{Event, Flit, Packet, Slow, narrow};
use crate::engine::router::{Delivery, Granted, Offer, RouterEvent, Traffic};

#[expect(clippy::expect_used, reason = "a node that waits has a packet")]
impl<T: Traffic> Slow<'_, T> {
    /// An injection channel sends a flit, if it has one and a credit and has not sent in this cycle.
    pub(super) fn send(&mut self, number: usize) {
        if self.sources[number].sent > self.now {
            return;
        }
        if self.sources[number].sending.is_none() {
            self.begin_packet(number);
        }
        let source = &mut self.sources[number];
        let (vc, Some((packet, left))) = (source.last, source.sending) else { return };
        if source.credits[vc] == 0 {
            return;
        }
        source.credits[vc] -= 1;
        source.sending = (left > 1).then_some((packet, left - 1));
        let node = number / self.injections;
        let pace = self.routes.wiring().node_pace(narrow(node));
        source.sent = self.now + u64::from(pace.flit);
        if left == 1 && !self.traffic.is_closed() {
            source.offer = self.traffic.next(narrow(node), 0);
        }
        self.last_sent = self.now;
        self.sent += 1;
        let flit = Flit { packet, tail: left == 1 };
        let place = self.routes.wiring().place(narrow(node));
        let port = self.local + place.port as usize * self.of_node + number % self.injections;
        let takes = self.costs.timing.inject + pace.longer();
        self.after(takes, Event::Flit(place.router as usize, (port, vc), flit));
    }

    /// The next packet of an injection channel that sends none, if there is one and a virtual channel with room for it.
    fn begin_packet(&mut self, number: usize) {
        let node = narrow(number / self.injections);
        let source = &self.sources[number];
        let waits = match source.offer {
            Some(offer) => offer.created <= self.now,
            None => self.traffic.is_closed() && self.traffic.waits(node, 0),
        };
        let needed = if self.costs.atomic { source.buffer } else { 1 };
        let vcs = if self.costs.first_come() { 1 } else { self.vcs };
        let mut in_turn = (1..=vcs).map(|step| (source.last + step) % vcs);
        let Some(vc) = in_turn.find(|&vc| waits && source.credits[vc] >= needed) else { return };
        let offer = if self.traffic.is_closed() { self.traffic.next(node, 0) } else { source.offer };
        let Offer { number: message, created, dst, flits, random_bits, .. } =
            offer.expect("a node that waits has a packet");
        let injected = self.now;
        let delivery =
            Delivery { number: message, src: node, dst, flits, created, injected, delivered: 0, hops: 0, longer: 0 };
        let mut path = Vec::new();
        self.traffic.path(message, &mut path);
        let source = &mut self.sources[number];
        source.last = vc;
        source.sending = Some((self.packets.len(), flits));
        let header = self.routes.header(dst, random_bits);
        let paces = vec![self.routes.wiring().node_pace(node)];
        self.packets.push(Packet { header, path, paces, delivery });
        // an injection channel is told by the first virtual channel behind it
        let vc = self.numbered(self.routers.len() * self.ports.next_power_of_two() + number, 0);
        let granted = Granted { number: message, hop: 0, vc, requested: created, granted: self.now };
        self.traffic.event(RouterEvent::Granted(granted));
    }
}
