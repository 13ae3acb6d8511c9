//! A plain simulation of virtual-channel routers, after the description in [`crate::engine::router`]: flits lie in queues, links
//! and credits take their time in lists of what arrives when, and every port of every router with a flit is looked at in every
//! cycle. It runs any [`Traffic`], open loops and closed ones, and shares with the engine only what routes there are
//! ([`Routing`]), how long things take ([`crate::costs::Timing`]) and the numbers of virtual channels in grants.
//!
//! It knows neither interfaces of nodes nor crossbars that are full. It takes a hundred times as long as the engine, and panics
//! where it is itself wrong.

mod allocate;
mod allocators;
#[cfg(test)]
mod clock_tests;
mod clocks;
mod heads;
mod source;

use crate::engine::router::{Delivery, Offer, RouterCosts, RouterEvent, Traffic};
use crate::routing::relation::{Choice, Header};
use crate::routing::{Pace, PortAt, Routing};
use crate::topology::Hop;
use crate::units::narrow as checked;
use allocators::Allocator;
use clocks::ClockedLink;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A virtual channel of a port of a router: as an input, where flits arrive; as an output, where they leave.
type Vc = (usize, usize);

#[derive(Clone, Copy)]
struct Flit {
    packet: usize,
    tail: bool,
}

/// What is on its way.
#[derive(Clone, Copy)]
enum Event {
    /// A flit to an input vc of a router.
    Flit(usize, Vc, Flit),
    /// A credit to an output vc of a router.
    Credit(usize, Vc),
    /// A credit to a vc of a source.
    SourceCredit(usize, usize),
}

/// A head flit in front of a buffer.
struct Front {
    /// The first cycle in which it requests a virtual channel.
    requests: u64,
    /// What it may request.
    choices: Vec<Choice>,
}

#[derive(Default)]
struct Input {
    buffer: VecDeque<Flit>,
    /// What stands in front, until it has left, if that is a head flit.
    front: Option<Front>,
    granted: Option<Vc>,
}

struct Output {
    credits: u32,
    /// Flits of the buffer behind it.
    buffer: u32,
    owner: Option<Vc>,
}

struct Router {
    inputs: Vec<Vec<Input>>,
    outputs: Vec<Vec<Output>>,
    /// Grants of virtual channels and of the switch.
    allocator: Allocator,
    switch: Allocator,
    /// Per input port, the vc whose turn it is.
    turns: Vec<usize>,
    /// Per input port and per output port, the cycle after the last in which it has sent a flit.
    sent_from: Vec<u64>,
    sent_to: Vec<u64>,
    /// Per output port, the cycle in which the last flit arrives over a link with a clock of its own.
    last_arrivals: Vec<u64>,
    carried: Vec<u64>,
    /// The input vcs with flits.
    busy: BTreeSet<Vc>,
}

/// An injection channel.
struct Source {
    credits: Vec<u32>,
    /// Flits of each buffer behind it.
    buffer: u32,
    last: usize,
    /// Of an open loop, the packet that is being sent or waits to be.
    offer: Option<Offer>,
    /// The packet that is being sent and the flits of it that are left.
    sending: Option<(usize, u32)>,
    /// The cycle after the last in which it has sent a flit.
    sent: u64,
}

struct Packet {
    header: Header,
    /// Its links, where they are fixed, or as far as they are decided.
    path: Vec<Hop>,
    /// What the channels take that its header has taken.
    paces: Vec<Pace>,
    delivery: Delivery,
}

impl Packet {
    /// What it takes even alone beyond channels that take a cycle for a flit: every flit starts when it is there and the one before
    /// it has crossed, and the head flit of which so many cycles of `routing` are asked when these are over, too.
    fn longer(&self, routing: u64) -> u64 {
        let mut there: Vec<u64> = (0..u64::from(self.delivery.flits)).collect();
        for (place, pace) in self.paces.iter().enumerate() {
            let mut free = if place == 0 { 0 } else { there[0] + routing };
            for flit in &mut there {
                let start = free.max(*flit);
                free = start + u64::from(pace.flit);
                *flit = start + pace.longer();
            }
        }
        let even = u64::from(self.delivery.flits - 1) + routing * (self.paces.len() as u64 - 1);
        there.iter().copied().fold(0, u64::max) - even
    }
}

/// What an input port requests of the switch for an output; the least comes first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Bid {
    speculative: bool,
    wait: usize,
    vc: usize,
}

/// What a run did.
#[derive(Debug, PartialEq, Eq)]
pub struct Done {
    /// Flits that each port of each router sent while they were counted, the ports of its node as one.
    pub carried: Vec<u64>,
    /// Flits that moved through a switch.
    pub moved: u64,
    /// Flits that are left in buffers.
    pub stuck: usize,
}

/// Runs `traffic` until it wants no more or nothing moves any more. Where there are `classes` of virtual channels, packets
/// keep to the paths that `traffic` tells.
///
/// # Panics
/// If the simulation contradicts itself: a buffer that overflows, a flit at a router that it is not for.
pub fn run<T: Traffic>(routes: &dyn Routing, costs: RouterCosts, classes: Option<u16>, traffic: &mut T) -> Done {
    let mut slow = Slow::new(routes, costs, classes, traffic);
    slow.run();
    let local = routes.wiring().link_ports();
    let carried = |router: &Router| {
        let (links, own) = router.carried.split_at(local);
        links.iter().copied().chain([own.iter().sum()]).collect::<Vec<u64>>()
    };
    Done {
        carried: slow.routers.iter().flat_map(carried).collect(),
        moved: slow.moved,
        stuck: slow.routers.iter().flat_map(|router| &router.inputs).flatten().map(|input| input.buffer.len()).sum(),
    }
}

struct Slow<'a, T> {
    routes: &'a dyn Routing,
    costs: RouterCosts,
    classes: Option<u16>,
    traffic: &'a mut T,
    /// Ports of a router: those of its links, and from `local` on those of its nodes, so many each as `of_node`.
    ports: usize,
    local: usize,
    of_node: usize,
    injections: usize,
    vcs: usize,
    now: u64,
    routers: Vec<Router>,
    /// Injection channels, those of a node side by side.
    sources: Vec<Source>,
    packets: Vec<Packet>,
    events: BTreeMap<u64, Vec<Event>>,
    /// The last cycle in which a flit has left a source or a router.
    last_sent: u64,
    /// How many have.
    sent: u64,
    moved: u64,
    /// After so many cycles without a flit on its way, none will ever leave: every turn has come round, and the slowest link has
    /// taken its flit.
    patience: u64,
}

/// How many steps round it is from `turn` to `at`.
fn wait(at: usize, turn: usize, size: usize) -> usize {
    (at + size - turn) % size
}

fn narrow(number: usize) -> u32 {
    checked(number, "routers, nodes and packets are numbered with 32 bits")
}

/// A port, or a number of virtual channels.
fn small(number: usize) -> u16 {
    checked(number, "routers have at most 4096 ports and virtual channels")
}

/// More cycles than a head flit takes from its routing to its start where nothing is in its way.
const PIPELINE: u64 = 20;

/// The turns of a router, the cycles that the slowest link takes for a flit, and those of a pipeline.
fn patience(routes: &dyn Routing, turns: usize) -> u64 {
    let wiring = routes.wiring();
    let ports =
        |router: usize| (0..wiring.link_ports()).map(move |port| PortAt { router: narrow(router), port: narrow(port) });
    let links = (0..wiring.routers()).flat_map(ports).filter(|&at| wiring.leads_to(at).is_some());
    let nodes = (0..wiring.nodes()).map(|node| wiring.node_pace(narrow(node)));
    let slowest = links.map(|at| wiring.pace(at)).chain(nodes).map(|pace| pace.bound().flit).fold(1, u32::max);
    turns as u64 + u64::from(slowest) + PIPELINE
}

#[expect(clippy::expect_used, reason = "flits come over links and lie in buffers")]
impl<'a, T: Traffic> Slow<'a, T> {
    fn new(routes: &'a dyn Routing, costs: RouterCosts, classes: Option<u16>, traffic: &'a mut T) -> Self {
        let wiring = routes.wiring();
        let local = wiring.link_ports();
        let of_node = costs.injection_ports.max(costs.ejection_ports) as usize;
        let ports = local + wiring.most_nodes() * of_node;
        let vcs = usize::from(routes.virtual_channels());
        let nodes = wiring.nodes();
        let injections = costs.injection_ports as usize;
        let hangs_at = |router: usize, port: usize| {
            wiring.node_at(PortAt { router: narrow(router), port: narrow((port - local) / of_node) })
        };
        let pace = |router: usize, port: usize| match port < local {
            true => wiring.pace(PortAt { router: narrow(router), port: narrow(port) }),
            false => hangs_at(router, port).map_or(Pace::EVEN, |node| wiring.node_pace(node)),
        };
        let output = |router, port| {
            let pace = pace(router, port);
            let buffer = if port < local { costs.buffer_behind(pace) } else { costs.buffer_at_exit(pace) };
            Output { credits: buffer, buffer, owner: None }
        };
        let side = |port| if port < local { wiring.sides(port) } else { [port, port] };
        let sides: Vec<[usize; 2]> = (0..ports).map(side).collect();
        let vc_sides: Vec<[usize; 2]> =
            sides.iter().flat_map(|of_port| (0..vcs).map(|vc| of_port.map(|side| side * vcs + vc))).collect();
        let router = |number| Router {
            inputs: (0..ports).map(|_| (0..vcs).map(|_| Input::default()).collect()).collect(),
            outputs: (0..ports).map(|port| (0..vcs).map(|_| output(number, port)).collect()).collect(),
            allocator: Allocator::new(costs.vc_allocator, vc_sides.clone()),
            switch: Allocator::new(costs.switch_allocator, sides.clone()),
            turns: vec![0; ports],
            sent_from: vec![0; ports],
            sent_to: vec![0; ports],
            last_arrivals: vec![0; ports],
            carried: vec![0; ports],
            busy: BTreeSet::new(),
        };
        let buffer = |number| costs.buffer_at_entry(wiring.node_pace(narrow(number / injections)));
        let source = |number: usize| Source {
            credits: vec![buffer(number); vcs],
            buffer: buffer(number),
            last: 0,
            offer: if traffic.is_closed() { None } else { traffic.next(narrow(number / injections), 0) },
            sending: None,
            sent: 0,
        };
        Self {
            sources: (0..nodes * injections).map(source).collect(),
            routers: (0..wiring.routers()).map(router).collect(),
            packets: Vec::new(),
            events: BTreeMap::new(),
            routes,
            costs,
            classes,
            traffic,
            ports,
            local,
            of_node,
            injections,
            vcs,
            now: 0,
            last_sent: 0,
            sent: 0,
            moved: 0,
            patience: patience(routes, ports * vcs),
        }
    }

    /// Goes on until the traffic wants no more, or nothing has moved for so long that nothing ever will.
    fn run(&mut self) {
        while self.traffic.goes_on(self.now) {
            self.cycle();
            self.now += 1;
            if self.events.is_empty() && self.now > self.last_sent + self.costs.timing.routing + self.patience {
                let Some(next) = self.next_packet() else { return };
                self.now = self.now.max(next);
            }
        }
    }

    /// When a node has something to send next, or does something.
    fn next_packet(&self) -> Option<u64> {
        let created = self.sources.iter().filter_map(|source| source.offer.map(|offer| offer.created));
        created.filter(|&created| created >= self.now).chain(self.traffic.next_event()).min()
    }

    /// One round; of routers that serve first who comes first, rounds as long as flits move.
    fn cycle(&mut self) {
        loop {
            let before = self.sent;
            self.round();
            if !self.costs.first_come() || self.sent == before {
                return;
            }
        }
    }

    fn round(&mut self) {
        if self.traffic.is_closed() {
            self.traffic.advance(self.now, &mut Vec::new());
        }
        for event in self.events.remove(&self.now).unwrap_or_default() {
            self.happen(event);
        }
        let busy: Vec<usize> =
            (0..self.routers.len()).filter(|&router| !self.routers[router].busy.is_empty()).collect();
        for &router in &busy {
            if self.costs.first_come() {
                self.grant_in_line(router); // head flits that are routed see those before them granted
            }
            self.look_at_headers(router);
        }
        for source in 0..self.sources.len() {
            self.send(source);
        }
        for &router in &busy {
            self.allocate(router);
        }
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Flit(router, (port, vc), flit) => {
                let router = &mut self.routers[router];
                router.busy.insert((port, vc));
                router.inputs[port][vc].buffer.push_back(flit);
            }
            Event::Credit(router, (port, vc)) => self.routers[router].outputs[port][vc].credits += 1,
            Event::SourceCredit(source, vc) => self.sources[source].credits[vc] += 1,
        }
    }

    fn after(&mut self, cycles: u64, event: Event) {
        self.events.entry(self.now + cycles).or_default().push(event);
    }

    /// The number by which virtual channel `vc` of a port is told, ports of all routers numbered with powers of two between
    /// them and followed by the sources.
    fn numbered(&self, port: usize, vc: usize) -> u32 {
        narrow(port * self.vcs.next_power_of_two() + vc)
    }

    fn leave(&mut self, router: usize, (port, vc): Vc, (output, within): Vc) {
        let counts = self.traffic.counted().contains(&self.now);
        let at = &mut self.routers[router];
        let input = &mut at.inputs[port][vc];
        let flit = input.buffer.pop_front().expect("a virtual channel that sends has a flit");
        let is_header = input.front.take().is_some();
        if input.buffer.is_empty() {
            at.busy.remove(&(port, vc));
        }
        let wiring = self.routes.wiring();
        let out = PortAt { router: narrow(router), port: narrow(output) };
        let pace = if output < self.local {
            wiring.pace(out)
        } else {
            wiring.node_pace(self.packets[flit.packet].delivery.dst)
        };
        at.sent_from[port] = self.now + 1;
        let clocked = pace.clocked.map(|pace| ClockedLink { pace, timing: self.costs.timing });
        at.sent_to[output] = match &clocked {
            Some(link) => link.next_grant(self.now),
            None => self.now + u64::from(pace.flit),
        };
        at.outputs[output][within].credits -= 1;
        if flit.tail {
            input.granted = None;
            at.outputs[output][within].owner = None;
        }
        at.carried[output] += u64::from(counts);
        self.moved += 1;
        self.sent += 1;
        self.last_sent = self.now;
        self.hand_back_slot(router, (port, vc), flit);
        let timing = self.costs.timing;
        let packet = &mut self.packets[flit.packet];
        packet.paces.extend(is_header.then_some(pace));
        if output < self.local {
            packet.delivery.hops += u32::from(is_header);
            let to = wiring.leads_to(out).expect("a link leads to a router");
            let arrives = (to.port as usize, within);
            let duration = match clocked {
                Some(link) => {
                    let last = &mut self.routers[router].last_arrivals[output];
                    *last = link.arrival(self.now, *last);
                    *last - self.now
                }
                None => timing.hop + pace.longer(),
            };
            return self.after(duration, Event::Flit(to.router as usize, arrives, flit));
        }
        assert_eq!(wiring.place(packet.delivery.dst).router, narrow(router));
        let arrives = timing.eject + pace.longer();
        packet.delivery.delivered = self.now + arrives;
        self.traffic.event(RouterEvent::Accepted { at: self.now + arrives, flits: 1, cycles: 1 });
        if flit.tail {
            packet.delivery.longer = packet.longer(timing.routing);
            self.traffic.event(RouterEvent::Delivered(packet.delivery));
        }
        let back = timing.sink_credit_after(pace.flit.into(), pace.delay.into());
        self.after(back, Event::Credit(router, (output, within)));
    }

    /// The output or source that fills the buffer which `flit` has left receives a credit. Of a tail that leaves its
    /// injection channel, nodes are told when their source knows: in the next cycle or, where slots can be used again at
    /// once, in this one, and later by the delay of the channel.
    fn hand_back_slot(&mut self, router: usize, (port, vc): Vc, flit: Flit) {
        let wiring = self.routes.wiring();
        let (credit, pace) = if port < self.local {
            let from = wiring.comes_from(PortAt { router: narrow(router), port: narrow(port) });
            let from = from.expect("a flit has come over a link");
            (Event::Credit(from.router as usize, (from.port as usize, vc)), wiring.pace(from))
        } else {
            let node = self.packets[flit.packet].delivery.src;
            let channel = (port - self.local) % self.of_node;
            (Event::SourceCredit(node as usize * self.injections + channel, vc), wiring.node_pace(node))
        };
        let timing = self.costs.timing;
        let delay = u64::from(pace.delay);
        let duration = match pace.clocked {
            Some(pace) => ClockedLink { pace, timing }.credit(self.now) - self.now,
            None => timing.credit + delay,
        };
        self.after(duration, credit);
        if flit.tail && port >= self.local {
            let at = if self.costs.first_come() { self.now } else { self.now + 1 };
            let number = self.packets[flit.packet].delivery.number;
            self.traffic.event(RouterEvent::TailLeft { number, at: at + delay });
        }
    }
}
