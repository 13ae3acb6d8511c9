//! The state of all routers before the first cycle.
//!
//! Decides what holds for a whole run, such as whether flits leave in runs. Refuses to know cycles.

use super::buffers::ITS_OWN;
use super::crossbar::Crossings;
use super::fabric::{Fabric, NOWHERE};
use super::machine::{Machine, Told, WORD};
use super::outbox::Outbox;
use super::sets::BitSet;
use super::state::{Input, NONE, Output, Rounds, Scratch, Source, Stage};
use super::tree::Trees;
use super::wheel::{Alarms, Wheel};
use super::{RouterCosts, Traffic};
use crate::routing::relation::Choice;
use crate::routing::{Routes, Wiring};
use crate::units::narrow;

/// What no head flit requests.
const NO_CHOICE: Choice = Choice { port: 0, first: 0, last: 0, escape: false, empty: false };

/// A source before its first packet.
const IDLE_SOURCE: Source = Source { offer: None, packet: NONE, left: 0, vc: 0, sends_until: 0 };

impl<'a, T: Traffic> Machine<'a, T> {
    pub(super) fn new(routes: &'a Routes, costs: RouterCosts, told: Told<'a>, traffic: T) -> Self {
        let Told { classes: told, interfaces } = told;
        let wiring = routes.wiring();
        let fabric = Fabric::new(routes, &costs);
        let vcs = fabric.router_vcs();
        let sources = fabric.sources();
        let adaptive = routes.is_adaptive() && told.is_none();
        let looks = routes.looks() && told.is_none();
        let queue_bits = fabric.largest_buffer.next_power_of_two().ilog2();
        let inputs = inputs(&fabric, wiring);
        let mut outputs = outputs(&fabric, wiring);
        let mut allowances = Vec::new();
        if let Some(interfaces) = interfaces {
            interfaces.furnish(&fabric, &mut outputs);
            allowances = interfaces.allowances(fabric.injections as usize);
        }
        let slowest = fabric.slowest();
        // the longest way is there and back, to a node
        let longest = costs.timing.longest() + slowest.longer() + u64::from(slowest.delay);
        // a run is told ahead of time, but the source of a node that is done first draws its next packet
        let draws_alone = T::CLOSED || costs.injection_ports == 1;
        // the flits of a run follow each other without a pause
        let sources_run = slowest.flit == 1 && !costs.atomic && draws_alone && interfaces.is_none();
        // with one virtual channel no other packet can come between
        let runs = sources_run && routes.virtual_channels() == 1 && !adaptive && !looks;
        let branches = adaptive || looks || costs.ejection_ports > 1;
        Self {
            routes,
            costs,
            now: 0,
            adaptive,
            looks,
            chooses_at_once: !adaptive && !looks,
            is_even: fabric.is_even(),
            one_by_one: fabric.is_even() && !runs,
            branches,
            told,
            interfaces,
            inputs,
            outputs,
            wanted: vec![NO_CHOICE; vcs],
            ready: BitSet::new(vcs),
            requesting: BitSet::new(vcs),
            waiting: vec![0; (vcs >> fabric.vc_bits) * fabric.words as usize],
            owned: !costs.full_crossbar && fabric.words == 1 && (fabric.vc_bits > 0 || branches),
            active: BitSet::new(vcs.div_ceil(64)),
            queues: vec![0; vcs << queue_bits],
            queue_bits,
            queue_mask: (1 << queue_bits) - 1,
            packets: Vec::new(),
            spare: Vec::new(),
            keeps_paths: told.is_some() || matches!(routes, Routes::Links(_)) && !adaptive,
            paths: Vec::new(),
            arrivals: Wheel::new(longest),
            credits: Wheel::new(longest),
            routed: Wheel::new(longest),
            ended: Wheel::new(u64::from(fabric.largest_buffer)),
            runs,
            sources_run,
            busy: if slowest.flit == 1 { Vec::new() } else { vec![0; vcs >> fabric.vc_bits] },
            counted: traffic.counted(),
            counts: 0,
            counts_runs: false,
            moved: 0,
            outbox: Outbox::default(),
            awaited: match costs.atomic || adaptive {
                false => 1,
                true if fabric.has_one_buffer() => fabric.largest_buffer,
                true => ITS_OWN,
            },
            is_watched: T::CLOSED && traffic.is_watched(),
            sources: vec![IDLE_SOURCE; sources],
            allowances,
            alarms: Alarms::new(),
            sending: BitSet::new(sources),
            woken: Vec::new(),
            scratch: Scratch::new(&fabric),
            rounds: Rounds::new(&fabric, &costs),
            crossings: Crossings::new(&fabric, &costs),
            trees: Trees::default(),
            fabric,
            traffic,
        }
    }
}

/// A virtual channel of all routers and sources.
fn number(vc: usize) -> u32 {
    narrow(vc, "all virtual channels together are numbered with 32 bits")
}

/// The vc of a router that had the last turn before the first: the last of all.
fn last_turn(fabric: &Fabric) -> u16 {
    narrow(
        ((fabric.ports - 1) << fabric.vc_bits) + fabric.vcs - 1,
        "a router has at most 64 ports of 64 virtual channels",
    )
}

/// Empty buffers of all input vcs of routers, and of as many more as fill their last word.
fn inputs(fabric: &Fabric, wiring: &dyn Wiring) -> Vec<Input> {
    let last = last_turn(fabric);
    let [turn_of, _] = last.to_le_bytes();
    let idle = Input {
        rivals: 0,
        out: NONE,
        left: 0,
        up: NONE,
        flits: 0,
        first: 0,
        end: 0,
        stage: Stage::Idle,
        turn_of,
        turn_by: last,
    };
    let input = |vc| Input { up: fabric.up(vc, wiring), rivals: fabric.same_port(vc % u64::BITS), ..idle };
    let mut inputs: Vec<Input> = (0..fabric.router_vcs()).map(|vc| input(number(vc))).collect();
    for source in 0..narrow(fabric.sources(), "sources are numbered with 32 bits") {
        for vc in 0..fabric.vcs {
            inputs[(fabric.entry(source) | vc) as usize].up = fabric.source(source) | vc;
        }
    }
    inputs.resize(inputs.len().next_multiple_of(WORD), idle);
    inputs
}

/// All output vcs of routers and vcs of sources, with free slots behind each, and as many more as fill their last word.
fn outputs(fabric: &Fabric, wiring: &dyn Wiring) -> Vec<Output> {
    let idle = Output { credits: 0, owner: NONE, down: NOWHERE, turn_of: last_turn(fabric), carried: 0, owners: 0 };
    let empty = |vc: u32, down| Output { credits: fabric.buffer(vc), down, ..idle };
    let of_router = (0..fabric.router_vcs()).map(|vc| empty(number(vc), fabric.down(number(vc), wiring)));
    let of_sources = (fabric.router_vcs()..fabric.all_vcs()).map(|vc| empty(number(vc), NOWHERE));
    let mut outputs: Vec<Output> = of_router.chain(of_sources).collect();
    outputs.resize(fabric.all_vcs().next_multiple_of(WORD), idle);
    outputs
}
