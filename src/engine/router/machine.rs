//! The state of all routers, and how a cycle goes.

use super::crossbar::Crossings;
use super::fabric::{Fabric, NOWHERE};
use super::interfaces::{Allowance, Interfaces};
use super::outcome::Ended;
use super::sets::BitSet;
use super::state::{Input, NONE, Output, Packet, Rounds, Scratch, Source, Stage};
use super::tree::Trees;
use super::wheel::{Alarms, Run, Vcs, Wheel};
use super::{RouterCosts, Traffic};
use crate::cancel::{self, Counted};
use crate::engine::Deadlock;
use crate::routing::Routes;
use crate::routing::relation::{Choice, Relation};
use crate::topology::Hop;
use crate::units::narrow;

/// What happens in this cycle, and shows later.
#[derive(Default)]
pub(super) struct Outbox {
    /// Input vcs where a flit arrives, from a router and from a source.
    pub(super) hops: Vec<Run>,
    pub(super) injected: Vec<Run>,
    /// Output and source vcs that get a credit, from a router and from a node.
    pub(super) credits: Vec<Run>,
    pub(super) sink_credits: Vec<Run>,
    /// Where flits leave one by one: output vcs by which one leaves for another router, input vcs that one leaves, and output vcs by
    /// which one leaves for a node.
    pub(super) sent: Vec<Vcs>,
    pub(super) left: Vec<Vcs>,
    pub(super) ejected: Vec<Vcs>,
}

impl Outbox {
    /// A flit leaves the buffer that `up` fills, by output vc `output` for input vc `down`; whether that is a node instead.
    #[inline(always)]
    pub(super) fn tell(&mut self, up: u32, down: u32, output: u32) -> bool {
        self.credits.push((up, 1));
        let leaves = down == NOWHERE;
        if leaves {
            self.sink_credits.push((output, 1));
        } else {
            self.hops.push((down, 1));
        }
        leaves
    }
}

pub(super) struct Machine<'a, T> {
    pub(super) routes: &'a Routes,
    pub(super) costs: RouterCosts,
    pub(super) fabric: Fabric,
    pub(super) traffic: &'a mut T,
    pub(super) now: u64,
    pub(super) adaptive: bool,
    /// Whether it depends on how full links are which way head flits go: they decide when they first request.
    pub(super) looks: bool,
    /// The relation by which all packets go, where that is dimension order without rings.
    pub(super) plain: Option<&'a Relation>,
    /// Whether the only choice of head flits is known when they come to stand in front.
    pub(super) chooses_at_once: bool,
    /// Whether head flits may have several choices, which are looked up whenever they request.
    pub(super) branches: bool,
    /// The classes that the virtual channels of the paths that are told with packets belong to; none where `routes` says which
    /// way they go.
    pub(super) told: Option<u8>,
    /// What the interfaces of nodes ask for, where they ask for anything.
    pub(super) interfaces: Option<&'a Interfaces>,
    pub(super) inputs: Vec<Input>,
    pub(super) outputs: Vec<Output>,
    /// Per input vc, what the head flit in front of it may request, where there is only one choice.
    pub(super) wanted: Vec<Choice>,
    /// The input vcs with a flit that can leave, and those whose head flits request a vc.
    pub(super) ready: BitSet,
    pub(super) requesting: BitSet,
    /// Per output port, a set of the input vcs of its router whose head flits wait until a vc of the port comes free.
    /// Head flits with several ports to choose from wait at all of them, and are not struck out when they need not wait
    /// any more.
    pub(super) waiting: Vec<u64>,
    /// Per output port, the input vcs that have one of its vcs, as a word; only of routers with all vcs in a word where head flits have
    /// several to choose from, and where one output at a time is looked at.
    pub(super) owners: Vec<u64>,
    /// The output vcs that no packet has, of the same routers.
    pub(super) unowned: BitSet,
    /// The words of `ready` and `requesting` that are not zero.
    pub(super) active: BitSet,
    /// Per input vc, a ring of packets.
    pub(super) queues: Vec<u32>,
    queue_bits: u32,
    /// Which positions of a ring there are.
    pub(super) queue_mask: u32,
    pub(super) packets: Vec<Packet>,
    pub(super) spare: Vec<u32>,
    /// Whether packets have paths that are kept, and per packet the links of its own as far as they are decided.
    pub(super) keeps_paths: bool,
    pub(super) paths: Vec<Vec<Hop>>,
    pub(super) arrivals: Wheel,
    pub(super) credits: Wheel,
    /// The same as words of vcs, each of one flit or slot: output vcs that have sent one, input vcs that one has left, and output vcs
    /// of nodes.
    pub(super) sent: Wheel<Vcs>,
    pub(super) left: Wheel<Vcs>,
    pub(super) ejected: Wheel<Vcs>,
    pub(super) routed: Wheel,
    /// Input vcs whose run of flits has left.
    pub(super) ended: Wheel,
    /// Whether flits leave in runs: where no other packet can come between them.
    pub(super) runs: bool,
    /// Whether sources send in runs: as many flits of a packet as have a credit.
    pub(super) sources_run: bool,
    /// Whether every channel takes a cycle for a flit, without delay.
    pub(super) is_even: bool,
    /// Whether that is so and flits do not leave in runs.
    pub(super) one_by_one: bool,
    /// Where channels take several cycles for a flit: per output port, the cycle in which it can send the next one.
    pub(super) busy: Vec<u64>,
    /// When flits on links are counted.
    pub(super) counted: std::ops::Range<u64>,
    /// Of a flit that leaves in this cycle, how many are counted; and whether all of the longest run are that begins in it.
    pub(super) counts: u64,
    pub(super) counts_runs: bool,
    pub(super) moved: u64,
    /// What this cycle adds to the wheels.
    pub(super) outbox: Outbox,
    /// Credits that wake a head flit when they are reached: all of them where it may want an empty buffer.
    pub(super) awaited: u32,
    /// Whether it is told when head flits start and virtual channels come free.
    pub(super) is_watched: bool,
    pub(super) sources: Vec<Source>,
    /// Per source, what it may send, where some are slower than their channels.
    pub(super) allowances: Vec<Option<Allowance>>,
    pub(super) alarms: Alarms,
    pub(super) sending: BitSet,
    /// Nodes that have something new to send.
    woken: Vec<u32>,
    pub(super) scratch: Scratch,
    pub(super) rounds: Rounds,
    /// Of outputs that decide by themselves, whose turn it is.
    pub(super) crossings: Crossings,
    pub(super) trees: Trees,
}

/// Runs `traffic` through routers of `costs` on `routes` until it wants no more, all is delivered, or packets are
/// left that will never arrive.
pub fn run<T: Traffic>(routes: &Routes, costs: RouterCosts, traffic: &mut T) -> Ended {
    run_on(routes, costs, Told::default(), traffic)
}

/// What packets are told that keep to paths of their own.
#[derive(Clone, Copy, Default)]
pub(super) struct Told<'a> {
    /// How many classes the virtual channels of their paths have, which are shared out evenly among these; none if `routes` says
    /// which way they go.
    pub(super) classes: Option<u8>,
    /// What the interfaces of nodes ask for; then these say which virtual channels each class has.
    pub(super) interfaces: Option<&'a Interfaces>,
}

/// As [`run`] for packets that are `told` how they go by `traffic`.
pub(super) fn run_on<T: Traffic>(routes: &Routes, costs: RouterCosts, told: Told<'_>, traffic: &mut T) -> Ended {
    let mut machine = Machine::new(routes, costs, told, traffic);
    let deadlock = machine.run();
    Ended { cycles: machine.now, carried: machine.carried(), moved: machine.moved, deadlock }
}

impl<'a, T: Traffic> Machine<'a, T> {
    fn new(routes: &'a Routes, costs: RouterCosts, told: Told<'a>, traffic: &'a mut T) -> Self {
        let Told { classes: told, interfaces } = told;
        let wiring = routes.wiring();
        let fabric = Fabric::new(routes, &costs);
        let vcs = fabric.router_vcs();
        let sources = fabric.sources();
        let adaptive = routes.is_adaptive() && told.is_none();
        let looks = routes.looks() && told.is_none();
        let queue_bits = costs.buffer.next_power_of_two().ilog2();
        let choice = Choice { port: 0, first: 0, last: 0, escape: false, empty: false };
        // the last of each had the last turn
        #[expect(clippy::cast_possible_truncation, reason = "a router has at most 64 ports of 64 virtual channels")]
        let last = (((fabric.ports - 1) << fabric.vc_bits) + fabric.vcs - 1) as u16;
        let idle = Input {
            rivals: 0,
            out: NONE,
            left: 0,
            up: NONE,
            flits: 0,
            first: 0,
            end: 0,
            turn: 0,
            stage: Stage::Idle,
            turn_of: last.to_le_bytes()[0],
            turn_by: last,
        };
        let number = |vc: usize| narrow(vc, "all virtual channels together are numbered with 32 bits");
        let input = |vc| Input { up: fabric.up(number(vc), wiring), rivals: fabric.same_port(number(vc) % 64), ..idle };
        let output = |vc| {
            let down = if vc < vcs { fabric.down(number(vc), wiring) } else { NOWHERE };
            Output { credits: costs.buffer, owner: NONE, down, turn: 0, turn_of: last, carried: 0 }
        };
        let mut inputs: Vec<Input> = (0..vcs).map(input).collect();
        for source in 0..narrow(sources, "sources are numbered with 32 bits") {
            for vc in 0..fabric.vcs {
                inputs[(fabric.entry(source) | vc) as usize].up = fabric.source(source) | vc;
            }
        }
        let mut outputs: Vec<Output> = (0..fabric.all_vcs()).map(output).collect();
        // whole words, so that a word's are looked at without asking for each whether it is there
        inputs.resize(inputs.len().next_multiple_of(WORD), idle);
        let beyond = Output { credits: 0, owner: NONE, down: NOWHERE, turn: 0, turn_of: last, carried: 0 };
        outputs.resize(outputs.len().next_multiple_of(WORD), beyond);
        let mut allowances = Vec::new();
        if let Some(interfaces) = interfaces {
            interfaces.furnish(&fabric, &mut outputs);
            allowances = interfaces.allowances(&fabric);
        }
        let source = Source { offer: None, packet: NONE, left: 0, vc: 0, sends_until: 0 };
        let slowest = fabric.slowest();
        // the longest way is there and back, to a node
        let longest = costs.timing.longest() + slowest.longer() + u64::from(slowest.delay);
        // a run is told ahead of time, but the source of a node that is done first draws its next packet
        let draws_alone = T::CLOSED || costs.injection_ports == 1;
        // the flits of a run follow each other without a pause
        let sources_run = slowest.flit == 1 && !costs.atomic && draws_alone && interfaces.is_none();
        // with one virtual channel no other packet can come between
        let runs = sources_run && routes.virtual_channels() == 1 && !adaptive && !looks;
        let plain = match routes {
            Routes::Lattice(relation) if told.is_none() && relation.is_plain() => Some(relation),
            _ => None,
        };
        let branches = adaptive || looks || costs.ejection_ports > 1;
        let decides_at_once = !costs.first_come() && !costs.full_crossbar;
        let shares_words = (fabric.vc_bits > 0 || branches) && fabric.stride_bits < 6 && decides_at_once;
        Self {
            routes,
            costs,
            now: 0,
            adaptive,
            looks,
            plain,
            chooses_at_once: !adaptive && !looks,
            is_even: fabric.is_even(),
            one_by_one: fabric.is_even() && !runs,
            branches,
            told,
            interfaces,
            inputs,
            outputs,
            wanted: vec![choice; vcs],
            ready: BitSet::new(vcs),
            requesting: BitSet::new(vcs),
            waiting: vec![0; (vcs >> fabric.vc_bits) * fabric.words as usize],
            owners: vec![0; if shares_words { vcs >> fabric.vc_bits } else { 0 }],
            unowned: if shares_words { BitSet::full(vcs) } else { BitSet::new(0) },
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
            sent: Wheel::new(longest),
            left: Wheel::new(longest),
            ejected: Wheel::new(longest),
            routed: Wheel::new(longest),
            ended: Wheel::new(u64::from(costs.buffer)),
            runs,
            sources_run,
            busy: if slowest.flit == 1 { Vec::new() } else { vec![0; vcs >> fabric.vc_bits] },
            counted: traffic.counted(),
            counts: 0,
            counts_runs: false,
            moved: 0,
            outbox: Outbox::default(),
            awaited: if costs.atomic || adaptive { costs.buffer } else { 1 },
            is_watched: T::CLOSED && traffic.is_watched(),
            sources: vec![source; sources],
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

    /// Goes on to the end; the packets that are deadlocked then, if any are.
    fn run(&mut self) -> Option<Box<Deadlock>> {
        if !T::CLOSED {
            for source in 0..narrow(self.sources.len(), "sources are numbered with 32 bits") {
                self.draw(source, 0);
            }
        }
        let mut look = WATCH;
        // what cycles cost in which nothing moves is in proportion to the routers
        let least = 1 + self.sources.len() as u64 / 64;
        let mut effort = 0;
        let mut told = LOOK;
        while self.traffic.goes_on(self.now) {
            self.cycle();
            self.now += 1;
            effort += least;
            if effort + self.moved >= told {
                told = effort + self.moved + LOOK;
                self.look_up();
            }
            if self.is_quiet() {
                let next = self.alarms.next(self.now).into_iter().chain(self.traffic.next_event()).min();
                match next {
                    Some(at) => self.now = self.now.max(at),
                    None => return self.deadlock(),
                }
            }
            if self.now >= look {
                if let Some(deadlock) = self.deadlock() {
                    return Some(deadlock);
                }
                look = self.now + WATCH;
            }
        }
        None
    }

    /// Tells how far the run is.
    #[cold]
    #[inline(never)]
    fn look_up(&self) {
        let (done, all) = self.traffic.progress(self.now);
        cancel::ran((self.moved, Counted::Flits), done, all);
    }

    /// Whether nothing happens until a source has a packet.
    fn is_quiet(&self) -> bool {
        self.sending.is_empty()
            && self.active.is_empty()
            && [&self.arrivals, &self.credits, &self.routed, &self.ended].into_iter().all(Wheel::is_empty)
            && [&self.sent, &self.left, &self.ejected].into_iter().all(Wheel::is_empty)
    }

    fn cycle(&mut self) {
        let now = self.now;
        self.counts = u64::from(self.counted.contains(&now));
        self.counts_runs = self.counted.start <= now && now + u64::from(self.costs.buffer) <= self.counted.end;
        if T::CLOSED {
            self.advance_nodes();
        }
        let ended = self.ended.take(now);
        for &(vc, _) in &ended {
            self.run_ends(vc);
        }
        self.ended.give_back(now, ended);
        let arrivals = self.arrivals.take(now);
        for &(vc, flits) in &arrivals {
            self.arrive(vc, flits);
        }
        self.arrivals.give_back(now, arrivals);
        if self.one_by_one {
            self.take_words();
        }
        let credits = self.credits.take(now);
        for &(vc, slots) in &credits {
            self.credit(vc, slots);
        }
        self.credits.give_back(now, credits);
        if self.costs.timing.routing > 0 {
            let routed = self.routed.take(now);
            for &(vc, _) in &routed {
                self.request(vc);
            }
            self.routed.give_back(now, routed);
        }
        self.alarms.due(now, &mut self.sending);
        if self.costs.first_come() {
            self.first_come();
        } else if self.costs.full_crossbar {
            self.cross();
        } else {
            self.send_all();
            for group in 0..self.active.words.len() {
                for word in self.active.members(group) {
                    self.allocate_word(word);
                }
            }
        }
        let Outbox { hops, injected, credits, sink_credits, sent, left, ejected } = &mut self.outbox;
        let timing = &self.costs.timing;
        self.arrivals.add(now + timing.hop, hops);
        self.arrivals.add(now + timing.inject, injected);
        self.credits.add(now + timing.credit, credits);
        self.credits.add(now + timing.sink_credit, sink_credits);
        if self.one_by_one {
            self.sent.add(now + timing.hop, sent);
            self.left.add(now + timing.credit, left);
            self.ejected.add(now + timing.sink_credit, ejected);
        }
    }

    /// Nodes do what they do up to this cycle; the sources of those that have something new to send look at it. Whether
    /// there are any.
    pub(super) fn advance_nodes(&mut self) -> bool {
        let mut woken = std::mem::take(&mut self.woken);
        self.traffic.advance(self.now, &mut woken);
        let any = !woken.is_empty();
        let injections = self.fabric.injections;
        for node in woken.drain(..) {
            for source in node * injections..(node + 1) * injections {
                self.wake_source(source);
            }
        }
        self.woken = woken;
        any
    }

    /// Every source that has something to send tries to.
    // a call costs the cycle of most routers an instruction in a hundred
    #[inline(always)]
    pub(super) fn send_all(&mut self) {
        for word in 0..self.sending.words.len() {
            for source in self.sending.members(word) {
                self.send(source);
            }
        }
    }

    /// A run of flits begins to arrive in the buffer of input vc `vc`.
    #[inline]
    fn arrive(&mut self, vc: u32, flits: u32) {
        let input = &mut self.inputs[vc as usize];
        let first = input.flits == 0;
        input.flits += in_buffer(flits);
        if !first || input.stage == Stage::Runs {
            return;
        }
        if input.out == NONE {
            self.stand_in_front(vc, self.now);
        } else if self.outputs[input.out as usize].credits > 0 {
            self.try_to_send(vc);
        }
    }

    /// So many flits are on their way from source vc `vc` to input vc `entry`, one a cycle from now on.
    #[inline]
    pub(super) fn inject(&mut self, vc: u32, entry: u32, run: u32) {
        if self.is_even {
            self.outbox.injected.push((entry, run));
        } else {
            let takes = self.costs.timing.inject + self.fabric.pace(vc).longer();
            self.arrivals.push(self.now + takes, (entry, run));
        }
    }

    /// Input vc `vc` has a flit that can leave.
    #[inline]
    fn try_to_send(&mut self, vc: u32) {
        if self.ready.insert(vc) {
            self.active.insert(vc / 64);
        }
    }

    /// A run of slots of the buffer behind output vc or source vc `vc` begins to come free.
    // a call costs the cycle of most routers an instruction in a hundred
    #[inline(always)]
    pub(super) fn credit(&mut self, vc: u32, slots: u32) {
        let output = &mut self.outputs[vc as usize];
        let none = output.credits == 0;
        output.credits += slots;
        let credits = output.credits;
        let owner = output.owner;
        if none || credits == self.awaited {
            self.credit_awaited(vc, owner);
        }
    }

    /// A packet may have waited for a credit of `vc`, which `owner` has.
    // a call costs the cycle of most routers an instruction in a hundred
    #[inline(always)]
    pub(super) fn credit_awaited(&mut self, vc: u32, owner: u32) {
        if vc >= self.fabric.source(0) {
            self.credit_source(vc);
        } else if owner == NONE {
            self.tell_freed(vc, self.now);
            self.wake(vc);
        } else if self.can_go_on(owner) {
            self.try_to_send(owner);
        }
    }

    /// Whether input vc `vc`, whose packet has a vc with credits, has a flit to send that is not being sent.
    fn can_go_on(&self, vc: u32) -> bool {
        let input = &self.inputs[vc as usize];
        input.flits > 0 && input.stage != Stage::Runs
    }

    /// The last flit of a run has left input vc `vc`, the cycle before this one.
    fn run_ends(&mut self, vc: u32) {
        let input = &mut self.inputs[vc as usize];
        input.stage = Stage::Body;
        let output = input.out;
        if input.left == 0 {
            self.free(vc, output, self.now);
        } else if input.flits > 0 && self.outputs[output as usize].credits > 0 {
            self.try_to_send(vc);
        }
    }

    /// The head flit of `packet` is on its way to input vc `vc`.
    // a call costs routers with one virtual channel an instruction in a hundred
    #[inline(always)]
    pub(super) fn enqueue(&mut self, vc: u32, packet: u32) {
        let end = &mut self.inputs[vc as usize].end;
        let place = u32::from(*end) & self.queue_mask;
        *end = end.wrapping_add(1);
        self.queues[((vc << self.queue_bits) | place) as usize] = packet;
    }

    /// The packet in front of input vc `vc`.
    // a call costs routers with one virtual channel an instruction in a hundred
    #[inline(always)]
    pub(super) fn front(&self, vc: u32) -> u32 {
        let place = u32::from(self.inputs[vc as usize].first) & self.queue_mask;
        self.queues[((vc << self.queue_bits) | place) as usize]
    }

    /// Flits that each port of each router has sent while they were counted, those of its node as one.
    fn carried(&self) -> Vec<u64> {
        let local = self.fabric.local;
        let ports = (0..self.fabric.routers).flat_map(|router| (0..=local).map(move |port| (router, port)));
        let sum = |(router, port)| {
            let first = self.fabric.vc(router, port) as usize;
            let last = if port == local { self.fabric.ports - 1 } else { port };
            let end = self.fabric.vc(router, last) as usize + self.fabric.vcs as usize;
            self.outputs[first..end].iter().map(|vc| vc.carried).sum()
        };
        ports.map(sum).collect()
    }
}

/// How many members a word of a set has.
pub(super) const WORD: usize = u64::BITS as usize;

/// So many flits, which are in a buffer.
#[expect(clippy::cast_possible_truncation, reason = "a buffer holds fewer than 2^15 flits")]
#[inline]
pub(super) fn in_buffer(flits: u32) -> u16 {
    flits as u16
}

/// How many cycles pass between looks for packets that will never arrive.
const WATCH: u64 = 1 << 14;

/// How much effort passes before the machine tells how far it is: flits that move, and what cycles cost without.
const LOOK: u64 = 1 << 13;
