//! The state of all routers, and how a cycle goes.

use super::blocks;
use super::crossbar::Crossings;
use super::fabric::Fabric;
use super::interfaces::{Allowance, Interfaces};
use super::outbox::Outbox;
use super::outcome::Ended;
use super::sets::BitSet;
use super::state::{Input, Output, Packet, Rounds, Scratch, Source};
use super::tree::Trees;
use super::wheel::{Alarms, Wheel};
use super::{RouterCosts, Traffic};
use crate::cancel::{self, Counted};
use crate::engine::Deadlock;
use crate::routing::Routes;
use crate::routing::relation::Choice;
use crate::topology::Hop;
use crate::units::narrow;

pub(super) struct Machine<'a, T> {
    pub(super) routes: &'a Routes,
    pub(super) costs: RouterCosts,
    pub(super) fabric: Fabric,
    pub(super) traffic: T,
    pub(super) now: u64,
    pub(super) adaptive: bool,
    /// Whether it depends on how full links are which way head flits go: they decide when they first request.
    pub(super) looks: bool,
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
    /// Whether it is kept who has vcs of each output port: of routers with all vcs in a word where head flits have several to choose
    /// from.
    pub(super) owned: bool,
    /// The words of `ready` and `requesting` that are not zero.
    pub(super) active: BitSet,
    /// Per input vc, a ring of packets.
    pub(super) queues: Vec<u32>,
    pub(super) queue_bits: u32,
    /// Which positions of a ring there are.
    pub(super) queue_mask: u32,
    pub(super) packets: Vec<Packet>,
    pub(super) spare: Vec<u32>,
    /// Whether packets have paths that are kept, and per packet the links of its own as far as they are decided.
    pub(super) keeps_paths: bool,
    pub(super) paths: Vec<Vec<Hop>>,
    pub(super) arrivals: Wheel,
    pub(super) credits: Wheel,
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
    pub(super) woken: Vec<u32>,
    pub(super) scratch: Scratch,
    pub(super) rounds: Rounds,
    /// Of outputs that decide by themselves, whose turn it is.
    pub(super) crossings: Crossings,
    pub(super) trees: Trees,
}

/// Runs `traffic` through routers of `costs` on `routes` until it wants no more, all is delivered, or packets are
/// left that will never arrive.
pub fn run<T: Traffic>(routes: &Routes, costs: RouterCosts, traffic: &mut T) -> Ended {
    blocks::run(routes, costs, traffic)
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

/// When a machine looks up from its cycles.
#[derive(Clone, Copy)]
pub(super) struct Looks {
    /// The cycle in which it next looks for packets that will never arrive.
    watch: u64,
    /// What cycles have cost, and what one in which nothing moves costs: in proportion to the routers.
    effort: u64,
    least: u64,
    /// The effort after which it next tells how far it is.
    told: u64,
}

/// How a machine goes on after a cycle.
pub(super) enum After {
    Next,
    /// Nothing is to come, with packets that will never arrive if there are any.
    End(Option<Box<Deadlock>>),
}

impl<'a, T: Traffic> Machine<'a, T> {
    /// Goes on to the end; the packets that are deadlocked then, if any are.
    fn run(&mut self) -> Option<Box<Deadlock>> {
        let mut looks = self.start();
        while self.traffic.goes_on(self.now) {
            if let After::End(deadlock) = self.go_on(&mut looks) {
                return deadlock;
            }
        }
        None
    }

    /// What comes before the first cycle.
    pub(super) fn start(&mut self) -> Looks {
        if !T::CLOSED {
            for source in 0..narrow(self.sources.len(), "sources are numbered with 32 bits") {
                self.draw(source, 0);
            }
        }
        Looks { watch: WATCH, effort: 0, least: 1 + self.sources.len() as u64 / 64, told: LOOK }
    }

    /// A cycle; the machine then stands at the next one in which something may happen.
    // of the loops that call it only one is in each program: it costs no call
    #[inline(always)]
    pub(super) fn go_on(&mut self, looks: &mut Looks) -> After {
        self.cycle();
        self.now += 1;
        looks.effort += looks.least;
        if looks.effort + self.moved >= looks.told {
            looks.told = looks.effort + self.moved + LOOK;
            self.look_up();
        }
        if self.is_quiet() {
            let next = self.alarms.next(self.now).into_iter().chain(self.traffic.next_event()).min();
            match next {
                Some(at) => self.now = self.now.max(at),
                None => return After::End(self.deadlock()),
            }
        }
        if self.now >= looks.watch {
            if let Some(deadlock) = self.deadlock() {
                return After::End(Some(deadlock));
            }
            looks.watch = self.now + WATCH;
        }
        After::Next
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
        self.counts = u64::from(self.counted.contains(&now));
        self.counts_runs = self.counted.start <= now && now + u64::from(self.fabric.largest_buffer) <= self.counted.end;
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
        } else {
            self.cross();
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

/// How many cycles pass between looks for packets that will never arrive.
const WATCH: u64 = 1 << 14;

/// How much effort passes before the machine tells how far it is: flits that move, and what cycles cost without.
const LOOK: u64 = 1 << 13;
