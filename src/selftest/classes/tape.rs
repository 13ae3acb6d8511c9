//! The packets of classes as they are sent and delivered, up to some cycle.

use crate::algorithm::traffic::Classes;
use crate::engine::router::{ClassTraffic, MessageClass, Offer, RouterEvent, Traffic};
use crate::selftest::laws::{Broken, PACKETS_CONSERVED};
use std::collections::BTreeMap;
use std::ops::Range;

/// Cycles after which a run is over.
const ENOUGH: u64 = 1_000_000;

/// A packet that has arrived, without its number, which depends on other packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Packet {
    pub(super) class: usize,
    pub(super) src: u32,
    pub(super) created: u64,
    pub(super) dst: u32,
    pub(super) flits: u32,
    pub(super) injected: u64,
    pub(super) delivered: u64,
    pub(super) hops: u32,
    pub(super) longer: u64,
}

/// The packets of classes.
pub(super) struct Tape {
    packets: Classes,
    /// Per class, packets that were sent.
    sent: Vec<usize>,
    /// Packets in flight by number, with their sources.
    in_flight: BTreeMap<u32, (u32, Offer)>,
    delivered: Vec<Packet>,
    nodes: u32,
    /// A packet that arrives otherwise than it was sent.
    error: Option<String>,
}

impl Tape {
    pub(super) fn new(packets: Classes, nodes: u32) -> Self {
        Self {
            sent: vec![0; packets.classes().len()],
            packets,
            nodes,
            in_flight: BTreeMap::new(),
            delivered: Vec::new(),
            error: None,
        }
    }

    pub(super) fn delivered(&self) -> &[Packet] {
        &self.delivered
    }

    pub(super) fn sent(&self) -> &[usize] {
        &self.sent
    }

    pub(super) fn sort(&mut self) {
        self.delivered.sort_unstable();
    }

    /// No packet arrives that was not sent, and none arrives elsewhere.
    pub(super) fn is_right(&self) -> Result<(), Broken> {
        self.error.as_ref().map_or(Ok(()), |error| Err(PACKETS_CONSERVED.broken(error)))
    }

    /// The number of packets in flight, and of queues that have a packet to send.
    pub(super) fn remaining(&self) -> usize {
        let mut networks = self.packets.clone();
        let mut waiting = self.in_flight.len();
        for network in 0..self.packets.networks() {
            networks.select(network);
            let queues = (0..self.nodes).flat_map(|node| (0..self.queues()).map(move |queue| (node, queue)));
            waiting += queues.filter_map(|(node, queue)| networks.front(node, queue)).count();
        }
        waiting
    }
}

impl Traffic for Tape {
    fn is_closed(&self) -> bool {
        true
    }

    fn queues(&self) -> u32 {
        self.packets.queues()
    }

    fn classes(&self) -> Vec<MessageClass> {
        self.packets.classes()
    }

    fn observes_sources(&self) -> bool {
        self.packets.observes_sources()
    }

    fn is_limited(&self) -> bool {
        self.packets.is_limited()
    }

    fn has_room(&self, number: u32) -> bool {
        self.packets.has_room(number)
    }

    fn admits(&mut self, number: u32) -> bool {
        self.packets.admits(number)
    }

    fn front(&self, node: u32, queue: u32) -> Option<Offer> {
        self.packets.front(node, queue)
    }

    fn next(&mut self, node: u32, queue: u32) -> Option<Offer> {
        let offer = self.packets.next(node, queue)?;
        self.sent[usize::from(offer.class)] += 1;
        self.in_flight.insert(offer.number, (node, offer));
        Some(offer)
    }

    fn waits(&self, node: u32, queue: u32) -> bool {
        self.front(node, queue).is_some()
    }

    fn advance(&mut self, now: u64, woken: &mut Vec<u32>) {
        self.packets.advance(now, woken);
    }

    fn next_event(&self) -> Option<u64> {
        self.packets.next_event()
    }

    fn event(&mut self, event: RouterEvent) {
        if let RouterEvent::Delivered(delivery) = event {
            let sent = self.in_flight.remove(&delivery.number);
            let found = (delivery.src, delivery.dst, delivery.flits, delivery.created);
            match sent {
                Some((src, offer)) if found == (src, offer.dst, offer.flits, offer.created) => {
                    self.delivered.push(Packet {
                        class: offer.class.into(),
                        src,
                        created: offer.created,
                        dst: offer.dst,
                        flits: offer.flits,
                        injected: delivery.injected,
                        delivered: delivery.delivered,
                        hops: delivery.hops,
                        longer: delivery.longer,
                    });
                }
                sent => self.error = Some(format!("{delivery:?} arrives, but sent was {sent:?}")),
            }
        }
        self.packets.event(event);
    }

    fn goes_on(&self, now: u64) -> bool {
        now < ENOUGH
    }

    fn counted(&self) -> Range<u64> {
        0..u64::MAX
    }
}

impl ClassTraffic for Tape {
    fn networks(&self) -> u32 {
        self.packets.networks()
    }

    fn select(&mut self, network: u32) {
        self.packets.select(network);
    }
}
