//! Several physical networks between the same nodes, each of which is an engine: they run in lockstep, cycle by cycle.

use super::build::{Network, start};
use super::engine::{AnyEngine, Progress};
use super::forward::{AnyTraffic, forward_traffic};
use super::interfaces::Member;
use crate::engine::Deadlock;
use crate::engine::router::{Ended, Ending, MessageClass, Offer, RouterEvent, Traffic, TreePacket};
use crate::topology::Hop;
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
}

macro_rules! to_network {
    ($view:ident, $($call:tt)*) => {{
        let mut traffic = $view.traffic.borrow_mut();
        traffic.select($view.network);
        traffic.$($call)*
    }};
}

impl Traffic for OnNetwork<'_, '_> {
    forward_traffic!(to_network);
}

/// A network, and the cycle in which it continues, if it does.
struct Running<'a> {
    engine: Box<dyn AnyEngine<AnyTraffic<'a>> + 'a>,
    next: Option<u64>,
}

/// Runs `traffic` through networks of the kind of `network` until it ends the run, or nothing is left to do, or packets are left that
/// will never arrive. Returns the end of each network.
pub(crate) fn run(network: Network<'_>, traffic: &mut dyn ClassTraffic) -> Vec<Ended> {
    let count = traffic.networks();
    let traffic = RefCell::new(traffic);
    let mut views: Vec<OnNetwork<'_, '_>> =
        (0..count).map(|number| OnNetwork { traffic: &traffic, network: number }).collect();
    let running = |nodes| Running { engine: start(network, nodes), next: Some(0) };
    let mut networks: Vec<Running<'_>> = views.iter_mut().map(|nodes| running(AnyTraffic::Other(nodes))).collect();
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
