//! The state of all routers, and how a cycle goes.

use super::crossbar::Crossings;
use super::fabric::{Fabric, NOWHERE};
use super::interfaces::{Allowance, Interfaces};
use super::outcome::{Delivery, Ended};
use super::sets::BitSet;
use super::state::{Input, NONE, Output, Packet, Rounds, Scratch, Source, Stage, Turns};
use super::tree::Trees;
use super::wheel::{Alarms, Run, Wheel};
use super::{RouterCosts, Traffic};
use crate::cancel::{self, Counted};
use crate::engine::Deadlock;
use crate::routing::relation::{Choice, Class, share};
use crate::routing::{Leg, LinkRelation, PortAt, Routes};
use crate::topology::Hop;
use crate::units::{NodeId, RouterId, narrow};

/// What happens in this cycle, and shows later.
#[derive(Default)]
pub(super) struct Outbox {
    /// Input vcs where a flit arrives, from a router and from a source.
    pub(super) hops: Vec<Run>,
    pub(super) injected: Vec<Run>,
    /// Output and source vcs that get a credit, from a router and from a node.
    pub(super) credits: Vec<Run>,
    pub(super) sink_credits: Vec<Run>,
}

pub(super) struct Machine<'a, T> {
    pub(super) routes: &'a Routes,
    pub(super) costs: RouterCosts,
    pub(super) fabric: Fabric,
    pub(super) traffic: &'a mut T,
    pub(super) now: u64,
    pub(super) adaptive: bool,
    /// Whether it depends on how full links are which way head flits go: they decide when they first request.
    looks: bool,
    /// Whether the only choice of head flits is known when they come to stand in front.
    chooses_at_once: bool,
    /// Whether head flits may have several choices, which are looked up whenever they request.
    pub(super) branches: bool,
    /// The classes that the virtual channels of the paths that are told with packets belong to; none where `routes` says which
    /// way they go.
    pub(super) told: Option<u8>,
    /// What the interfaces of nodes ask for, where they ask for anything.
    pub(super) interfaces: Option<&'a Interfaces>,
    pub(super) inputs: Vec<Input>,
    pub(super) outputs: Vec<Output>,
    pub(super) turns: Vec<Turns>,
    /// The input vcs with a flit that can leave, and those whose head flits request a vc.
    pub(super) ready: BitSet,
    pub(super) requesting: BitSet,
    /// Per output port, a set of the input vcs of its router whose head flits wait until a vc of the port comes free.
    /// Head flits with several ports to choose from wait at all of them, and are not struck out when they need not wait
    /// any more.
    waiting: Vec<u64>,
    /// The words of `ready` and `requesting` that are not zero.
    pub(super) active: BitSet,
    /// Per input vc, a ring of packets.
    queues: Vec<u32>,
    queue_bits: u32,
    pub(super) packets: Vec<Packet>,
    pub(super) spare: Vec<u32>,
    /// Whether packets have paths that are kept, and per packet the links of its own as far as they are decided.
    pub(super) keeps_paths: bool,
    pub(super) paths: Vec<Vec<Hop>>,
    arrivals: Wheel,
    credits: Wheel,
    routed: Wheel,
    /// Input vcs whose run of flits has left.
    pub(super) ended: Wheel,
    /// Whether flits leave in runs: where no other packet can come between them.
    pub(super) runs: bool,
    /// Whether every channel takes a cycle for a flit, without delay.
    pub(super) is_even: bool,
    /// Where channels take several cycles for a flit: per output port, the cycle in which it can send the next one.
    busy: Vec<u64>,
    /// When flits on links are counted.
    pub(super) counted: std::ops::Range<u64>,
    pub(super) moved: u64,
    /// What this cycle adds to the wheels.
    pub(super) outbox: Outbox,
    /// Credits that wake a head flit when they are reached: all of them where it may want an empty buffer.
    awaited: u32,
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
        let idle =
            Input { out: NONE, flits: 0, left: 0, up: 0, first: 0, packets: 0, turn: 0, stage: Stage::Idle, choice };
        let number = |vc: usize| narrow(vc, "all virtual channels together are numbered with 32 bits");
        let input = |vc| Input { up: fabric.up(number(vc), wiring), ..idle };
        let output = |vc| {
            let down = if vc < vcs { fabric.down(number(vc), wiring) } else { NOWHERE };
            Output { credits: costs.buffer, owner: NONE, down, turn: 0, carried: 0 }
        };
        let mut inputs: Vec<Input> = (0..vcs).map(input).collect();
        for source in 0..narrow(sources, "sources are numbered with 32 bits") {
            for vc in 0..fabric.vcs {
                inputs[(fabric.entry(source) | vc) as usize].up = fabric.source(source) | vc;
            }
        }
        let mut outputs: Vec<Output> = (0..fabric.all_vcs()).map(output).collect();
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
        let in_runs = routes.virtual_channels() == 1 && slowest.flit == 1;
        Self {
            routes,
            costs,
            now: 0,
            adaptive,
            looks,
            chooses_at_once: !adaptive && !looks,
            is_even: fabric.is_even(),
            branches: adaptive || looks || costs.ejection_ports > 1,
            told,
            interfaces,
            inputs,
            outputs,
            turns: vec![Turns::default(); vcs >> fabric.vc_bits],
            ready: BitSet::new(vcs),
            requesting: BitSet::new(vcs),
            waiting: vec![0; (vcs >> fabric.vc_bits) * fabric.words as usize],
            active: BitSet::new(vcs.div_ceil(64)),
            queues: vec![0; vcs << queue_bits],
            queue_bits,
            packets: Vec::new(),
            spare: Vec::new(),
            keeps_paths: told.is_some() || matches!(routes, Routes::Links(_)) && !adaptive,
            paths: Vec::new(),
            arrivals: Wheel::new(longest),
            credits: Wheel::new(longest),
            routed: Wheel::new(longest),
            ended: Wheel::new(u64::from(costs.buffer)),
            runs: in_runs && !costs.atomic && !adaptive && !looks && draws_alone,
            busy: if slowest.flit == 1 { Vec::new() } else { vec![0; vcs >> fabric.vc_bits] },
            counted: traffic.counted(),
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
    }

    fn cycle(&mut self) {
        let now = self.now;
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
        let Outbox { hops, injected, credits, sink_credits } = &mut self.outbox;
        let timing = &self.costs.timing;
        self.arrivals.add(now + timing.hop, hops);
        self.arrivals.add(now + timing.inject, injected);
        self.credits.add(now + timing.credit, credits);
        self.credits.add(now + timing.sink_credit, sink_credits);
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
        input.flits += flits;
        if !first || input.stage == Stage::Runs {
            return;
        }
        if input.out == NONE {
            self.stand_in_front(vc, self.now);
        } else if self.outputs[input.out as usize].credits > 0 {
            self.try_to_send(vc);
        }
    }

    /// A head flit stands in front of the buffer of `vc` from the cycle `since` on, which is this one or the next; it
    /// requests a vc when it has been routed.
    pub(super) fn stand_in_front(&mut self, vc: u32, since: u64) {
        let number = self.front(vc);
        let routing = self.costs.timing.routing;
        let packet = &mut self.packets[number as usize];
        let input = &mut self.inputs[vc as usize];
        input.left = packet.flits;
        packet.requested = since + routing;
        if self.chooses_at_once {
            let at = self.fabric.router(vc);
            let entered = self.fabric.port(vc) as usize;
            match self.routes {
                Routes::Lattice(relation) if self.told.is_none() => {
                    input.choice = relation.choice(at, entered, &mut packet.header);
                }
                _ if !self.trees.members(number).is_empty() => {
                    self.inputs[vc as usize].choice = self.fork_at(vc, number);
                }
                _ => self.inputs[vc as usize].choice = self.choice_of_path(at, number),
            }
        }
        if routing == 0 {
            self.request(vc);
        } else {
            self.routed.push(since + routing, (vc, 1));
        }
    }

    /// What packet `number` requests at router `at`, which keeps to a path.
    #[inline(never)]
    fn choice_of_path(&mut self, at: u32, number: u32) -> Choice {
        let choice = self.next_of_path(at, number);
        self.for_its_node(choice, number)
    }

    /// The next hop of packet `number`, which is at router `at`, on a path that was told with it or that is decided on its way.
    fn next_of_path(&mut self, at: u32, number: u32) -> Choice {
        let taken = self.packets[number as usize].hops as usize;
        if let (Routes::Links(relation), None) = (self.routes, self.told) {
            if taken == self.paths[number as usize].len() {
                self.extend_path(relation, at, number);
            }
            let hop = self.paths[number as usize].get(taken);
            return hop.map_or_else(|| self.leaves(), |&hop| relation.choice(hop));
        }
        self.choice_of_hop(self.paths[number as usize].get(taken).copied())
    }

    /// What a packet requests whose path was told with it, and that goes on by `hop`; none where it leaves.
    pub(super) fn choice_of_hop(&self, hop: Option<Hop>) -> Choice {
        let Some(Hop { port, vc }) = hop else { return self.leaves() };
        if let Some(interfaces) = self.interfaces {
            let vcs = &interfaces.classes[usize::from(vc)].vcs;
            return Choice { port, first: *vcs.start(), last: *vcs.end(), escape: false, empty: false };
        }
        let class = Class { number: vc, of: self.told.unwrap_or(Class::ONLY.of) };
        share(self.routes.virtual_channels(), port, class)
    }

    /// Decides how packet `number` goes on from router `at`, where it is, unless that is the one of its node.
    fn extend_path(&mut self, relation: &LinkRelation, at: u32, number: u32) {
        let leg = self.leg(at, number);
        if leg.at == relation.router_of(leg.dst) {
            return;
        }
        let fabric = &self.fabric;
        let outputs = &self.outputs;
        let buffer = self.costs.buffer;
        let load = |port: u8| {
            let first = fabric.vc(at, port.into()) as usize;
            outputs[first..first + fabric.vcs as usize].iter().map(|vc| buffer - vc.credits).sum()
        };
        relation.extend(&leg, &load, &mut self.paths[number as usize]);
    }

    /// Packet `number` at router `at`, as routings over links see it.
    fn leg(&self, at: u32, number: u32) -> Leg {
        let Packet { header, src, hops, .. } = self.packets[number as usize];
        let random_bits = header.random_bits.into();
        Leg { src: NodeId(src), dst: NodeId(header.dst), at: RouterId(at), taken: hops as usize, random_bits }
    }

    /// What a packet requests that has arrived at the router of its node: all that leads to it.
    fn leaves(&self) -> Choice {
        // where outputs decide by themselves, nodes take in one packet after the other
        let vcs = if self.costs.full_crossbar { 1 } else { self.routes.virtual_channels() };
        #[expect(clippy::cast_possible_truncation, reason = "a router has at most 64 ports")]
        share(vcs, self.fabric.local as u8, Class::ONLY)
    }

    /// The same as `choice`, by the port of the node of packet `number` where it leaves the network.
    #[inline]
    pub(super) fn for_its_node(&self, choice: Choice, number: u32) -> Choice {
        if self.fabric.has_a_node_each() || u32::from(choice.port) < self.fabric.local {
            return choice;
        }
        let PortAt { port, .. } = self.fabric.place(self.packets[number as usize].header.dst);
        #[expect(clippy::cast_possible_truncation, reason = "a router has at most 64 ports")]
        Choice { port: port as u8, ..choice }
    }

    /// Puts what the head flit in front of input vc `vc` may request into `choices`.
    pub(super) fn choices(&mut self, vc: u32, choices: &mut Vec<Choice>) {
        choices.clear();
        if self.adaptive {
            self.choose_among(vc, choices);
        } else if self.looks {
            let number = self.front(vc);
            choices.push(self.choice_of_path(self.fabric.router(vc), number));
        } else {
            choices.push(self.inputs[vc as usize].choice);
        }
        // any ejection channel will do
        let leaves = choices.iter().find(|choice| u32::from(choice.port) >= self.fabric.local).copied();
        for more in leaves.into_iter().flat_map(|choice| (1..self.fabric.ejections).map(move |at| (choice, at))) {
            let (choice, at) = more;
            #[expect(clippy::cast_possible_truncation, reason = "a router has at most 64 ports")]
            let port = choice.port + at as u8;
            choices.push(Choice { port, ..choice });
        }
    }

    /// The same where packets may take several ports.
    fn choose_among(&mut self, vc: u32, choices: &mut Vec<Choice>) {
        let number = self.front(vc);
        let router = self.fabric.router(vc);
        match self.routes {
            Routes::Lattice(relation) => {
                let entered = self.fabric.port(vc) as usize;
                relation.choices(router, entered, &mut self.packets[number as usize].header, choices);
            }
            Routes::Links(relation) => {
                let leg = self.leg(router, number);
                if leg.at == relation.router_of(leg.dst) {
                    choices.push(self.for_its_node(self.leaves(), number));
                } else {
                    relation.choices(&leg, choices);
                }
            }
        }
    }

    /// Whether the channel of output vc `output` is still taken up by a flit.
    #[inline]
    pub(super) fn is_busy(&self, output: u32) -> bool {
        !self.is_even && self.is_slow_and_busy(output)
    }

    #[inline(never)]
    fn is_slow_and_busy(&self, output: u32) -> bool {
        let until = self.busy.get((output >> self.fabric.vc_bits) as usize);
        until.is_some_and(|&until| until > self.now)
    }

    /// So many flits leave a buffer that `up` fills by output vc `output` for input vc `down`, or for a node, one a cycle from
    /// now on: what the others see of them, where not all channels take a cycle for a flit.
    #[inline(never)]
    pub(super) fn send_unevenly(&mut self, up: u32, output: u32, down: u32, run: u32) {
        let now = self.now;
        let timing = self.costs.timing;
        let pace = self.fabric.pace(output);
        if let Some(busy) = self.busy.get_mut((output >> self.fabric.vc_bits) as usize) {
            *busy = now + u64::from(pace.flit);
        }
        match self.fabric.pace(up).delay {
            0 => self.outbox.credits.push((up, run)),
            delay => self.credits.push(now + timing.credit + u64::from(delay), (up, run)),
        }
        if down == NOWHERE {
            self.traffic.accepted(now + timing.eject + pace.longer(), run);
            let back = timing.sink_credit_after(pace.flit.into(), pace.delay.into());
            self.credits.push(now + back, (output, run));
        } else {
            self.arrivals.push(now + timing.hop + pace.longer(), (down, run));
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

    fn request(&mut self, vc: u32) {
        self.inputs[vc as usize].stage = Stage::Requests;
        if self.requesting.insert(vc) {
            self.active.insert(vc / 64);
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
    fn credit_awaited(&mut self, vc: u32, owner: u32) {
        if vc as usize >= self.inputs.len() {
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

    /// A vc of the port of output vc `output` has come free: head flits that wait for it request again.
    #[inline]
    pub(super) fn wake(&mut self, output: u32) {
        let words = self.fabric.words as usize;
        let first = (output >> self.fabric.vc_bits) as usize * words;
        for word in 0..words {
            let waiting = std::mem::take(&mut self.waiting[first + word]);
            if waiting != 0 {
                self.wake_vcs(output, word, waiting);
            }
        }
    }

    /// The head flits in front of `vcs`, counted from word `word` of the router of `output`, request again.
    fn wake_vcs(&mut self, output: u32, word: usize, vcs: u64) {
        let first = self.fabric.router(output) << self.fabric.stride_bits;
        let at = first as usize / 64 + word;
        let vcs = vcs << (first % 64);
        #[expect(clippy::cast_possible_truncation, reason = "virtual channels are numbered with 32 bits")]
        let at = at as u32;
        if self.branches {
            for vc in BitSet::of(at, vcs) {
                if self.inputs[vc as usize].stage == Stage::Requests {
                    self.request(vc);
                }
            }
        } else {
            self.requesting.words[at as usize] |= vcs;
            self.active.insert(at);
        }
    }

    /// The head flit in front of `vc` waits until a vc of `port` of its router comes free.
    #[inline]
    pub(super) fn park(&mut self, vc: u32, port: u8) {
        let local = vc & ((1 << self.fabric.stride_bits) - 1);
        let out = self.fabric.vc(self.fabric.router(vc), port.into()) >> self.fabric.vc_bits;
        self.waiting[(out * self.fabric.words + local / 64) as usize] |= 1 << (local % 64);
        self.requesting.remove(vc);
    }

    /// The head flit of `packet` is on its way to input vc `vc`.
    #[inline]
    pub(super) fn enqueue(&mut self, vc: u32, packet: u32) {
        let input = &mut self.inputs[vc as usize];
        let at = u32::from(input.first + input.packets) & ((1 << self.queue_bits) - 1);
        input.packets += 1;
        self.queues[((vc << self.queue_bits) + at) as usize] = packet;
    }

    /// The packet in front of input vc `vc`.
    #[inline]
    pub(super) fn front(&self, vc: u32) -> u32 {
        self.queues[((vc << self.queue_bits) + u32::from(self.inputs[vc as usize].first)) as usize]
    }

    /// The tail of `packet` leaves for its node by output vc `output` in the cycle `at`.
    pub(super) fn deliver(&mut self, packet: u32, output: u32, at: u64) {
        let Packet { number, header, src, flits, hops, created, injected, pace, .. } = self.packets[packet as usize];
        let mut delivered = at + self.costs.timing.eject;
        let mut longer = 0;
        if !self.is_even {
            delivered += self.fabric.pace(output).longer();
            longer = u64::from(pace.delay) + u64::from(flits - 1) * u64::from(pace.flit - 1);
        }
        let dst = header.dst;
        self.traffic.delivered(&Delivery { number, src, dst, flits, created, injected, delivered, hops, longer });
        self.spare.push(packet);
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

    /// Which queue positions there are, as a mask.
    #[inline]
    pub(super) fn queue_mask(&self) -> u32 {
        (1 << self.queue_bits) - 1
    }
}

/// How many cycles pass between looks for packets that will never arrive.
const WATCH: u64 = 1 << 14;

/// How much effort passes before the machine tells how far it is: flits that move, and what cycles cost without.
const LOOK: u64 = 1 << 13;
