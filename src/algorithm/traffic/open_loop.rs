//! A steady stream that is measured, and a single burst.
//!
//! A steady run has three phases: during the *warm-up* queues fill; packets made during the *measurement* count; then
//! the network *drains*: sources go on sending, until the last packet that counts has arrived or patience is at its
//! end. This is the method of Dally and Towles, 2004, section 24.2.

use super::{Latencies, Sources};
use crate::costs::{Gathering, Timing};
use crate::engine::router::{Delivery, Divisible, Ending, Offer, RouterEvent, Traffic};
use std::ops::Range;

/// How long the phases are, cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Phases {
    /// Before anything counts.
    pub warmup: u64,
    /// While packets made count.
    pub measure: u64,
    /// After that, at most.
    pub drain: u64,
}

impl Phases {
    /// The cycles in which packets that count are made.
    pub fn window(&self) -> Range<u64> {
        self.warmup..self.warmup + self.measure
    }

    /// The last cycle, exclusive.
    pub fn end(&self) -> u64 {
        self.warmup + self.measure + self.drain
    }
}

/// Packets that arrived, and the sums of their latencies, links and flits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Arrivals {
    /// Packets.
    pub packets: u64,
    /// Cycles from the generation of each packet to its arrival.
    pub latency: u64,
    /// Cycles from the start of each header at the source to the arrival of the tail.
    pub network_latency: u64,
    /// Links taken.
    pub hops: u64,
    /// Lengths, flits.
    pub flits: u64,
    /// Cycles that they take even alone beyond those of channels that take a cycle for a flit.
    pub longer: u64,
    /// Flits but the first of each packet, times the routers of the packet.
    pub gathered: u64,
}

impl Arrivals {
    fn add(&mut self, delivery: &Delivery) {
        self.packets += 1;
        self.latency += delivery.delivered - delivery.created;
        self.network_latency += delivery.delivered - delivery.injected;
        self.hops += u64::from(delivery.hops);
        self.flits += u64::from(delivery.flits);
        self.longer += delivery.longer;
        self.gathered += u64::from(delivery.flits - 1) * (u64::from(delivery.hops) + 1);
    }

    fn merge(&mut self, other: &Self) {
        self.packets += other.packets;
        self.latency += other.latency;
        self.network_latency += other.network_latency;
        self.hops += other.hops;
        self.flits += other.flits;
        self.longer += other.longer;
        self.gathered += other.gathered;
    }

    /// Cycles that they would have taken together in an empty network of routers with such `timing`.
    pub fn unloaded(&self, timing: &Timing) -> u64 {
        let heads = timing.unloaded(0, 1) * self.packets + self.hops * timing.per_link();
        let gathered = if timing.gathering == Gathering::Packet { self.gathered } else { 0 };
        heads + self.flits - self.packets + self.longer + gathered
    }
}

/// What was collected of packets that count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Collected {
    /// Flits made while it was measured.
    pub offered: u64,
    /// Flits that arrived while it was measured.
    pub accepted: u64,
    /// Packets made while it was measured.
    pub packets: u64,
    /// Cycles from a packet's making to its arrival, of each that arrived.
    pub latencies: Latencies,
    /// The packets that arrived.
    pub arrived: Arrivals,
    /// Packets that were not made while it was measured, because no path leads to their destinations.
    pub left_out: u64,
    /// The packets that arrived from each source, up to the last source with any.
    pub sources: Vec<Arrivals>,
}

impl Collected {
    /// Takes a packet that counts and has arrived.
    pub fn take(&mut self, delivery: &Delivery) {
        self.latencies.add(delivery.delivered - delivery.created);
        self.arrived.add(delivery);
        let source = delivery.src as usize;
        if source >= self.sources.len() {
            self.sources.resize(source + 1, Arrivals::default());
        }
        self.sources[source].add(delivery);
    }

    /// Adds what was collected of other packets.
    pub fn merge(&mut self, other: &Self) {
        self.offered += other.offered;
        self.accepted += other.accepted;
        self.packets += other.packets;
        self.left_out += other.left_out;
        self.latencies.merge(&other.latencies);
        self.arrived.merge(&other.arrived);
        let sources = self.sources.len().max(other.sources.len());
        self.sources.resize(sources, Arrivals::default());
        for (source, other) in self.sources.iter_mut().zip(&other.sources) {
            source.merge(other);
        }
    }

    /// The data of several parts of the nodes together.
    #[must_use]
    pub fn merged(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut all = Self::default();
        parts.into_iter().for_each(|part| all.merge(&part));
        all
    }

    /// Packets that count and were sent, less those that have arrived: less than 0 for nodes at which more arrive than they send.
    fn outstanding(&self) -> i64 {
        self.packets.cast_signed() - self.arrived.packets.cast_signed()
    }

    /// Packets that count and have not arrived.
    pub fn undelivered(&self) -> u64 {
        self.packets - self.arrived.packets
    }
}

/// A steady stream.
#[derive(Clone, Debug)]
pub struct Steady {
    sources: Sources,
    phases: Phases,
    /// Sources that may still make packets that count.
    making: u32,
    past: Vec<bool>,
    /// Flits that are made while it is measured, on average.
    expected: f64,
    collected: Collected,
}

impl Steady {
    /// Traffic of `sources` over `phases`.
    pub fn new(sources: Sources, phases: Phases) -> Self {
        let nodes = sources.nodes();
        let expected = sources.flits_per_cycle() * phases.measure as f64;
        let past = vec![false; nodes as usize];
        Self { sources, phases, making: nodes, past, expected, collected: Collected::default() }
    }

    /// Collects a packet, if it was made in the window and arrives before the end.
    fn deliver(&mut self, delivery: &Delivery) {
        if self.phases.window().contains(&delivery.created) && delivery.delivered < self.phases.end() {
            self.collected.take(delivery);
        }
    }

    #[inline]
    fn end(&self) -> Ending {
        Ending {
            earliest: self.phases.window().end,
            latest: self.phases.end(),
            outstanding: i64::from(self.making) + self.collected.outstanding(),
        }
    }

    /// What was collected. Packets in queues that had not been looked into are counted as undelivered.
    pub fn finish(mut self) -> Collected {
        for node in 0..self.sources.nodes() {
            while !self.past[node as usize] {
                self.next(node, 0);
            }
        }
        self.collected.left_out = self.sources.left_out();
        self.collected
    }
}

impl Traffic for Steady {
    fn next(&mut self, node: u32, _: u32) -> Option<Offer> {
        let offer = self.sources.next(node);
        let window = self.phases.window();
        match offer {
            Some(offer) if window.contains(&offer.created) => {
                self.collected.packets += 1;
                self.collected.offered += u64::from(offer.flits);
            }
            Some(offer) if offer.created < window.start => {}
            _ => {
                let past = std::mem::replace(&mut self.past[node as usize], true);
                self.making -= u32::from(!past);
            }
        }
        offer
    }

    #[inline]
    fn event(&mut self, event: RouterEvent) {
        match event {
            RouterEvent::Delivered(delivery) => self.deliver(&delivery),
            RouterEvent::Accepted { at, flits, cycles } => {
                let Range { start, end } = self.phases.window();
                let counted = end.min(at + u64::from(cycles)).saturating_sub(start.max(at));
                self.collected.accepted += counted * u64::from(flits);
            }
            _ => {} // of closed loops
        }
    }

    fn goes_on(&self, now: u64) -> bool {
        self.end().goes_on(now)
    }

    fn ending(&self) -> Option<Ending> {
        Some(self.end())
    }

    /// Where less is accepted than is offered, the drain takes as much longer, up to its end.
    fn progress(&self, now: u64) -> (u64, u64) {
        let Phases { warmup, measure, .. } = self.phases;
        let end = self.phases.window().end;
        let measured = now.saturating_sub(warmup).min(measure);
        if measured < measure.div_ceil(16) {
            return (now, end);
        }
        let expected = self.expected * measured as f64 / measure as f64;
        let slower = (expected / self.collected.accepted.max(1) as f64).max(1.0);
        (now, saturated_time(end as f64 * slower).min(self.phases.end()))
    }

    fn counted(&self) -> Range<u64> {
        self.phases.window()
    }
}

impl Divisible for Steady {
    fn part(&self, has_node: &dyn Fn(u32) -> bool) -> Self {
        let nodes = self.sources.nodes();
        let past: Vec<bool> = (0..nodes).map(|node| !has_node(node)).collect();
        let making = (0..nodes).filter(|&node| has_node(node)).map(|_| 1).sum();
        let expected = self.expected * f64::from(making) / f64::from(nodes.max(1));
        Self { making, past, expected, ..self.clone() }
    }
}

/// A time in cycles, rounded down.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a time that is not negative")]
fn saturated_time(cycles: f64) -> u64 {
    cycles as u64
}

/// One packet of every node at time 0.
#[derive(Clone, Debug)]
pub struct Burst {
    sources: Sources,
    sent: Vec<bool>,
    collected: Collected,
    makespan: u64,
}

impl Burst {
    /// A burst from `sources`, whatever their rate.
    pub fn new(sources: Sources) -> Self {
        let sent = vec![false; sources.nodes() as usize];
        Self { sources, sent, collected: Collected::default(), makespan: 0 }
    }

    /// What was collected, and when the last tail arrived.
    pub fn finish(mut self) -> (Collected, u64) {
        self.collected.left_out = self.sources.left_out();
        (self.collected, self.makespan)
    }
}

impl Traffic for Burst {
    fn next(&mut self, node: u32, _: u32) -> Option<Offer> {
        if std::mem::replace(&mut self.sent[node as usize], true) || !self.sources.sends(node) {
            return None;
        }
        let offer = self.sources.packet(node, self.sources.nodes(), 0);
        if self.sources.leaves_out(node, &offer) {
            return None;
        }
        self.collected.packets += 1;
        self.collected.offered += u64::from(offer.flits);
        Some(offer)
    }

    fn event(&mut self, event: RouterEvent) {
        match event {
            RouterEvent::Delivered(delivery) => {
                self.makespan = self.makespan.max(delivery.delivered);
                self.collected.take(&delivery);
            }
            RouterEvent::Accepted { flits, cycles, .. } => {
                self.collected.accepted += u64::from(flits) * u64::from(cycles);
            }
            _ => {} // of closed loops
        }
    }

    fn goes_on(&self, _: u64) -> bool {
        self.collected.undelivered() > 0
    }

    fn progress(&self, _: u64) -> (u64, u64) {
        (self.collected.arrived.packets, self.collected.packets)
    }

    fn ending(&self) -> Option<Ending> {
        Some(Ending { earliest: 0, latest: u64::MAX, outstanding: self.collected.outstanding() })
    }

    fn counted(&self) -> Range<u64> {
        0..u64::MAX
    }
}

impl Divisible for Burst {
    fn part(&self, has_node: &dyn Fn(u32) -> bool) -> Self {
        Self { sent: (0..self.sources.nodes()).map(|node| !has_node(node)).collect(), ..self.clone() }
    }
}
