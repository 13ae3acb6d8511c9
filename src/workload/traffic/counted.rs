//! Traffic whose flits are counted for the energy of a run.

use crate::engine::router::{ClassTraffic, Divisible, Ending, MessageClass, Offer, RouterEvent, Traffic};
use crate::kind::{FlitCounter, Traversals};
use crate::machine::Machine;
use std::ops::Range;

/// Traffic whose flits are counted, if their energy is.
pub(super) struct Counted<T> {
    traffic: T,
    /// By physical network. Empty if no energy is counted.
    counters: Vec<FlitCounter>,
    network: usize,
}

impl<T: Traffic> Counted<T> {
    /// Counts the flits of `traffic` on a number of physical `networks` of `machine` while they are measured.
    pub(super) fn new(traffic: T, machine: &Machine, networks: u32) -> Self {
        let counter = |_| FlitCounter::for_energy(machine, traffic.counted());
        let counters = (0..networks).filter_map(counter).collect();
        Self { traffic, counters, network: 0 }
    }

    /// Returns the traffic of all `parts`, and the flits that crossed channels in any of them, if these were counted.
    pub(super) fn finish_all(parts: Vec<Self>) -> (Vec<T>, Option<Traversals>) {
        let (traffic, counted): (Vec<_>, Vec<_>) = parts.into_iter().map(Self::finish).unzip();
        (traffic, counted.into_iter().flatten().reduce(|all, one| all.and(&one)))
    }

    /// Returns the traffic, and the flits that crossed channels if these were counted.
    pub(super) fn finish(self) -> (T, Option<Traversals>) {
        let counted = self.counters.into_iter().map(FlitCounter::finish);
        (self.traffic, counted.reduce(|all, one| all.and(&one)))
    }
}

impl<T: Traffic> Traffic for Counted<T> {
    fn is_closed(&self) -> bool {
        self.traffic.is_closed()
    }

    fn queues(&self) -> u32 {
        self.traffic.queues()
    }

    fn classes(&self) -> Vec<MessageClass> {
        self.traffic.classes()
    }

    fn observes_sources(&self) -> bool {
        self.traffic.observes_sources()
    }

    fn observes_tails(&self) -> bool {
        self.traffic.observes_tails()
    }

    fn is_limited(&self) -> bool {
        self.traffic.is_limited()
    }

    fn has_room(&self, number: u32) -> bool {
        self.traffic.has_room(number)
    }

    fn admits(&mut self, number: u32) -> bool {
        self.traffic.admits(number)
    }

    fn front(&self, node: u32, channel: u32) -> Option<Offer> {
        self.traffic.front(node, channel)
    }

    fn waits(&self, node: u32, channel: u32) -> bool {
        self.traffic.waits(node, channel)
    }

    fn advance(&mut self, now: u64, woken: &mut Vec<u32>) {
        self.traffic.advance(now, woken);
    }

    fn next_event(&self) -> Option<u64> {
        self.traffic.next_event()
    }

    fn next(&mut self, node: u32, channel: u32) -> Option<Offer> {
        self.traffic.next(node, channel)
    }

    fn counts_flits(&self) -> bool {
        !self.counters.is_empty()
    }

    fn event(&mut self, event: RouterEvent) {
        if let Some(counter) = self.counters.get_mut(self.network) {
            counter.event(event);
        }
        self.traffic.event(event);
    }

    fn goes_on(&self, now: u64) -> bool {
        self.traffic.goes_on(now)
    }

    fn ending(&self) -> Option<Ending> {
        self.traffic.ending()
    }

    fn progress(&self, now: u64) -> (u64, u64) {
        self.traffic.progress(now)
    }

    fn counted(&self) -> Range<u64> {
        self.traffic.counted()
    }
}

impl<T: Divisible> Divisible for Counted<T> {
    fn part(&self, has_node: &dyn Fn(u32) -> bool) -> Self {
        Self { traffic: self.traffic.part(has_node), counters: self.counters.clone(), network: self.network }
    }
}

impl<T: ClassTraffic> ClassTraffic for Counted<T> {
    fn networks(&self) -> u32 {
        self.traffic.networks()
    }

    fn select(&mut self, network: u32) {
        self.network = network as usize;
        self.traffic.select(network);
    }
}
