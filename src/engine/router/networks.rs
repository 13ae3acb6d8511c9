//! Several physical networks between the same nodes, each of which is an engine: they run in lockstep, cycle by cycle.

use super::build::{Network, start};
use super::engine::{AnyEngine, Progress};
use crate::engine::Deadlock;
use crate::engine::router::{Ended, MessageClass, Offer, RouterEvent, Traffic};
use std::cell::RefCell;
use std::ops::Range;

/// Packets of several classes that nodes send over one or more physical networks.
pub trait ClassTraffic: Traffic {
    /// The number of physical networks.
    fn networks(&self) -> u32;

    /// Selects the network that the following calls are about.
    fn select(&mut self, network: u32);
}

/// The nodes as one of the networks sees them.
struct OnNetwork<'a, 't> {
    traffic: &'a RefCell<&'t mut dyn ClassTraffic>,
    network: u32,
    counts_flits: bool,
}

impl OnNetwork<'_, '_> {
    /// Calls `call` with the traffic, for this network.
    fn with<R>(&self, call: impl FnOnce(&mut dyn ClassTraffic) -> R) -> R {
        let mut traffic = self.traffic.borrow_mut();
        traffic.select(self.network);
        call(&mut **traffic)
    }
}

impl Traffic for OnNetwork<'_, '_> {
    fn is_closed(&self) -> bool {
        true
    }

    fn queues(&self) -> u32 {
        self.with(|traffic| traffic.queues())
    }

    fn classes(&self) -> Vec<MessageClass> {
        self.with(|traffic| traffic.classes())
    }

    fn is_limited(&self) -> bool {
        self.with(|traffic| traffic.is_limited())
    }

    fn observes_sources(&self) -> bool {
        self.with(|traffic| traffic.observes_sources())
    }

    fn observes_tails(&self) -> bool {
        self.with(|traffic| traffic.observes_tails())
    }

    fn observes_departures(&self) -> bool {
        self.with(|traffic| traffic.observes_departures())
    }

    fn has_room(&self, number: u32) -> bool {
        self.with(|traffic| traffic.has_room(number))
    }

    fn front(&self, node: u32, channel: u32) -> Option<Offer> {
        self.with(|traffic| traffic.front(node, channel))
    }

    fn next(&mut self, node: u32, channel: u32) -> Option<Offer> {
        self.with(|traffic| traffic.next(node, channel))
    }

    fn waits(&self, node: u32, channel: u32) -> bool {
        self.with(|traffic| traffic.waits(node, channel))
    }

    fn admits(&mut self, number: u32) -> bool {
        self.with(|traffic| traffic.admits(number))
    }

    fn advance(&mut self, now: u64, woken: &mut Vec<u32>) {
        self.with(|traffic| traffic.advance(now, woken));
    }

    fn next_event(&self) -> Option<u64> {
        self.with(|traffic| traffic.next_event())
    }

    fn counts_flits(&self) -> bool {
        self.counts_flits
    }

    fn event(&mut self, event: RouterEvent) {
        self.with(|traffic| traffic.event(event));
    }

    fn goes_on(&self, now: u64) -> bool {
        self.with(|traffic| traffic.goes_on(now))
    }

    fn progress(&self, now: u64) -> (u64, u64) {
        self.with(|traffic| traffic.progress(now))
    }

    fn counted(&self) -> Range<u64> {
        self.with(|traffic| traffic.counted())
    }
}

/// A network, and the cycle in which it continues, if it does.
struct Running<'a> {
    engine: Box<dyn AnyEngine<&'a mut dyn Traffic> + 'a>,
    next: Option<u64>,
}

/// Runs `traffic` through networks of the kind of `network` until it ends the run, or nothing is left to do, or packets are left that
/// will never arrive. Returns the end of each network.
pub(crate) fn run(network: Network<'_>, traffic: &mut dyn ClassTraffic) -> Vec<Ended> {
    let count = traffic.networks();
    let counts_flits = traffic.counts_flits();
    let traffic = RefCell::new(traffic);
    let mut views: Vec<OnNetwork<'_, '_>> =
        (0..count).map(|number| OnNetwork { traffic: &traffic, network: number, counts_flits }).collect();
    // as for any traffic, so that no engine is compiled for these alone
    let running = |nodes| Running { engine: start(network, nodes), next: Some(0) };
    let mut networks: Vec<Running<'_>> = views.iter_mut().map(|nodes| running(nodes as &mut dyn Traffic)).collect();
    let mut deadlock = None;
    while let Some(now) = networks.iter().filter_map(|network| network.next).min() {
        if !networks[0].engine.traffic().goes_on(now) {
            break;
        }
        deadlock = cycle(&mut networks, now);
        if deadlock.is_some() {
            break;
        }
    }
    networks.iter().map(|network| network.engine.ended(deadlock.clone())).collect()
}

/// Simulates cycle `now` of the networks that continue in it. Returns the packets that will never arrive, if there are any.
fn cycle(networks: &mut [Running<'_>], now: u64) -> Option<Box<Deadlock>> {
    for network in networks.iter_mut().filter(|network| network.next == Some(now)) {
        match network.engine.step() {
            Progress::Next => network.next = Some(network.engine.now()),
            Progress::End(None) => network.next = None,
            Progress::End(deadlock) => return deadlock,
        }
    }
    // nodes may have packets for a network that has not expected any
    let next = networks[0].engine.traffic().next_event()?.max(now + 1);
    for network in networks.iter_mut().filter(|network| network.next.is_none_or(|at| at > next)) {
        network.engine.continue_at(next);
        network.next = Some(next);
    }
    None
}
