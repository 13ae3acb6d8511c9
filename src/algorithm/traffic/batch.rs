//! Batches of packets that every node sends as fast as the network allows.
//!
//! A node begins a packet when the last one has left its queue and fewer than a limit of its own packets are in flight. A
//! batch ends when all its packets have arrived, and the next one starts in the cycle after. This is the batch mode of
//! BookSim 2.

use super::quota::Quotas;
use super::{Collected, Sources};
use crate::engine::router::{Delivery, Offer, RouterEvent, Traffic};
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

/// Batches to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct BatchPlan {
    /// Packets that a node sends in a batch, at least 1.
    pub packets: u64,
    /// The most packets of a node in flight, or `None` without a limit.
    pub outstanding: Option<u64>,
    /// Batches, one after the other.
    pub batches: u64,
}

impl BatchPlan {
    /// Packets that a node sends in all batches.
    pub fn packets_per_node(&self) -> u64 {
        self.packets.saturating_mul(self.batches)
    }
}

/// Durations of batches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BatchTimes {
    /// Batches that have ended.
    pub batches: u64,
    /// The sum of their durations, cycles: each from its first cycle until the network is empty.
    pub cycles: u64,
}

impl BatchTimes {
    /// The mean duration of a batch, rounded to cycles.
    pub fn mean(&self) -> u64 {
        (self.cycles + self.batches / 2).checked_div(self.batches).unwrap_or_default()
    }
}

/// Batches as a closed loop of traffic. A packet is generated in the cycle in which its source begins to send it, so that no
/// packet waits in a source queue. Packets are numbered in the order in which they are generated.
#[derive(Clone, Debug)]
pub struct Batches {
    sources: Sources,
    /// Per node that sends, its next packet, which has no cycle of generation yet.
    fronts: Vec<Option<Offer>>,
    quotas: Quotas,
    planned: u64,
    now: u64,
    /// The first cycle of the current batch.
    start: u64,
    /// Packets of the current batch that have not arrived.
    missing: u64,
    /// Deliveries that have been reported, by cycle and source. A source learns of one in the cycle after.
    arriving: BinaryHeap<Reverse<(u64, u32)>>,
    times: BatchTimes,
    collected: Collected,
}

impl Batches {
    /// Batches from `sources`, whatever their rate.
    pub fn new(mut sources: Sources, plan: BatchPlan) -> Self {
        let sends: Vec<bool> =
            (0..sources.nodes()).map(|node| sources.sends(node) && !sources.is_cut_off(node)).collect();
        let packets = |node: u32| if sends[node as usize] { plan.packets } else { 0 };
        let quotas = Quotas::new((0..sources.nodes()).map(packets).collect(), plan.outstanding.unwrap_or(u64::MAX));
        let fronts = (0..).zip(&sends).map(|(node, &sends)| sends.then(|| packet(&mut sources, node))).collect();
        Self {
            fronts,
            missing: quotas.batch(),
            planned: plan.batches,
            quotas,
            sources,
            now: 0,
            start: 0,
            arriving: BinaryHeap::new(),
            times: BatchTimes::default(),
            collected: Collected::default(),
        }
    }

    /// Returns what was collected of all batches, and their durations.
    pub fn finish(mut self) -> (Collected, BatchTimes) {
        self.collected.left_out = self.sources.left_out();
        (self.collected, self.times)
    }

    fn deliver(&mut self, delivery: &Delivery) {
        self.collected.take(delivery);
        self.arriving.push(Reverse((delivery.delivered, delivery.src)));
    }

    /// Ends the current batch in the cycle before `now`, and starts the next one if there is one.
    fn end_batch(&mut self, now: u64, woken: &mut Vec<u32>) {
        self.times.batches += 1;
        self.times.cycles += now - self.start;
        if self.times.batches < self.planned {
            self.start = now;
            self.quotas.restart();
            self.missing = self.quotas.batch();
            woken.extend((0..self.quotas.nodes()).filter(|&node| self.quotas.can_send(node)));
        }
    }
}

/// The next packet of `node` that has a path. The node reaches a destination.
fn packet(sources: &mut Sources, node: u32) -> Offer {
    loop {
        let offer = sources.packet(node, sources.nodes(), 0);
        if !sources.leaves_out(node, &offer) {
            return offer;
        }
    }
}

impl Traffic for Batches {
    fn is_closed(&self) -> bool {
        true
    }

    fn front(&self, node: u32, _: u32) -> Option<Offer> {
        let front = self.fronts[node as usize].filter(|_| self.quotas.can_send(node));
        front.map(|offer| Offer { created: self.now, ..offer })
    }

    fn next(&mut self, node: u32, channel: u32) -> Option<Offer> {
        let offer = self.front(node, channel)?;
        self.quotas.send(node);
        let number = u32::try_from(self.collected.packets).unwrap_or(u32::MAX);
        self.fronts[node as usize] = Some(packet(&mut self.sources, node));
        self.collected.packets += 1;
        self.collected.offered += u64::from(offer.flits);
        Some(Offer { number, ..offer })
    }

    fn waits(&self, node: u32, _: u32) -> bool {
        self.quotas.can_send(node)
    }

    fn advance(&mut self, now: u64, woken: &mut Vec<u32>) {
        self.now = now;
        while let Some(&Reverse((delivered, src))) = self.arriving.peek()
            && delivered < now
        {
            self.arriving.pop();
            self.quotas.arrive(src);
            self.missing -= 1;
            if self.missing == 0 {
                self.end_batch(now, woken);
            } else if self.quotas.can_send(src) {
                woken.push(src);
            }
        }
    }

    fn next_event(&self) -> Option<u64> {
        self.arriving.peek().map(|Reverse((delivered, _))| delivered + 1)
    }

    fn event(&mut self, event: RouterEvent) {
        match event {
            RouterEvent::Delivered(delivery) => self.deliver(&delivery),
            RouterEvent::Accepted { flits, cycles, .. } => {
                self.collected.accepted += u64::from(flits) * u64::from(cycles);
            }
            _ => {} // hops of packets have no effect on their sources
        }
    }

    fn goes_on(&self, _: u64) -> bool {
        self.times.batches < self.planned
    }

    fn progress(&self, _: u64) -> (u64, u64) {
        (self.collected.arrived.packets, self.quotas.batch().saturating_mul(self.planned))
    }

    fn counted(&self) -> Range<u64> {
        0..u64::MAX
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;
    use crate::algorithm::traffic::{Injection, Lengths, Load, Pattern};

    fn batches(plan: BatchPlan) -> Batches {
        let pattern = Pattern::Uniform { include_self: true };
        let load = Load { pattern, injection: Injection::Bernoulli, lengths: Lengths::Fixed(2), rate: 1.0 };
        Batches::new(Sources::new(load, 2, 1, 0), plan)
    }

    fn delivered(src: u32, delivered: u64) -> RouterEvent {
        let number = src;
        RouterEvent::Delivered(Delivery {
            number,
            src,
            dst: 0,
            flits: 2,
            created: 0,
            injected: 0,
            delivered,
            hops: 1,
            longer: 0,
        })
    }

    /// One packet in flight at a time: the second one leaves in the cycle after the first has arrived.
    #[test]
    fn a_packet_waits_for_an_arrival_at_the_limit() {
        let mut batches = batches(BatchPlan { packets: 2, outstanding: Some(1), batches: 1 });
        let mut woken = Vec::new();
        batches.advance(0, &mut woken);
        assert!(batches.next(0, 0).is_some() && !batches.waits(0, 0) && batches.next(0, 0).is_none());
        batches.event(delivered(0, 7));
        batches.advance(7, &mut woken);
        assert_eq!((batches.waits(0, 0), batches.next_event()), (false, Some(8)));
        batches.advance(8, &mut woken);
        assert_eq!((batches.next(0, 0).unwrap().created, woken), (8, vec![0]));
    }

    /// Two batches of a packet of each node, which take 10 and 5 cycles.
    #[test]
    fn a_batch_lasts_until_the_network_is_empty() {
        let mut batches = batches(BatchPlan { packets: 1, outstanding: None, batches: 2 });
        let mut woken = Vec::new();
        for (now, last) in [(0, 9), (10, 14)] {
            batches.advance(now, &mut woken);
            assert!(batches.goes_on(now));
            [0, 1].iter().for_each(|&node| assert!(batches.next(node, 0).is_some()));
            [(1, last), (0, last - 3)].iter().for_each(|&(src, at)| batches.event(delivered(src, at)));
        }
        batches.advance(15, &mut woken);
        assert!(!batches.goes_on(15));
        assert_eq!(woken, [0, 1]);
        let (collected, times) = batches.finish();
        assert_eq!(times, BatchTimes { batches: 2, cycles: 15 });
        assert_eq!((times.mean(), collected.packets, collected.undelivered()), (8, 4, 0));
    }
}
