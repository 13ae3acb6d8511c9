//! A second, slow simulation of virtual-channel routers, after the description in [`flitwise::engine::router`]: flits lie in
//! queues, links and credits take their time in lists of what arrives when, and every port of every router is looked at in
//! every cycle. It shares with the engine only what routes there are ([`Relation`]) and how long things take ([`flitwise::engine::router::Timing`]).
//! `router_differential` compares the two.

use flitwise::engine::router::{Delivery, Offer, RouterCosts, Traffic};
use flitwise::routing::Relation;
use flitwise::routing::relation::{Choice, Header};
use std::collections::{BTreeMap, VecDeque};

/// A lane of a port of a router: as an input, where flits arrive; as an output, where they leave.
type Lane = (usize, usize);

#[derive(Clone, Copy)]
struct Flit {
    packet: usize,
    tail: bool,
}

/// What is on its way.
#[derive(Clone, Copy)]
enum Event {
    /// A flit to an input lane of a router.
    Flit(usize, Lane, Flit),
    /// A credit to an output lane of a router.
    Credit(usize, Lane),
    /// A credit to a lane of a node's source.
    SourceCredit(usize, usize),
}

#[derive(Default)]
struct Input {
    buffer: VecDeque<Flit>,
    /// Since when a header stands in front, and what it may ask for, until it has left.
    front: Option<(u64, Vec<Choice>)>,
    given: Option<Lane>,
    /// The number of the output lane it asks first.
    turn: usize,
}

struct Output {
    credits: u32,
    owner: Option<Lane>,
    /// The number of the input lane it takes first.
    turn: usize,
}

struct Router {
    inputs: Vec<Vec<Input>>,
    outputs: Vec<Vec<Output>>,
    /// Per input port, the output and the lane whose turn it is.
    turns: Vec<(usize, usize)>,
    /// Per output port, the input whose turn it is.
    takes: Vec<usize>,
    carried: Vec<u64>,
}

struct Source {
    credits: Vec<u32>,
    last: usize,
    offer: Option<Offer>,
    sending: Option<(usize, u32)>,
}

struct Packet {
    header: Header,
    delivery: Delivery,
}

/// What an input port asks of the switch; the least comes first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Bid {
    speculative: bool,
    output_wait: usize,
    lane_wait: usize,
    output: usize,
    lane: usize,
}

/// What a run did.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Done {
    /// Flits that each port of each router sent while they were counted.
    pub(crate) carried: Vec<u64>,
    /// Flits that moved through a switch.
    pub(crate) moved: u64,
}

/// Runs `traffic` until nothing moves any more.
pub(crate) fn run<T: Traffic>(relation: &Relation, costs: RouterCosts, traffic: &mut T) -> Done {
    let mut slow = Slow::new(relation, costs, traffic);
    slow.run();
    Done { carried: slow.routers.iter().flat_map(|router| router.carried.clone()).collect(), moved: slow.moved }
}

struct Slow<'a, T> {
    relation: &'a Relation,
    costs: RouterCosts,
    traffic: &'a mut T,
    ports: usize,
    lanes: usize,
    now: u64,
    routers: Vec<Router>,
    sources: Vec<Source>,
    packets: Vec<Packet>,
    events: BTreeMap<u64, Vec<Event>>,
    last_sent: u64,
    moved: u64,
}

/// How many steps round it is from `turn` to `at`.
fn wait(at: usize, turn: usize, size: usize) -> usize {
    (at + size - turn) % size
}

impl<'a, T: Traffic> Slow<'a, T> {
    fn new(relation: &'a Relation, costs: RouterCosts, traffic: &'a mut T) -> Self {
        let (ports, lanes) = (relation.lattice().ports(), usize::from(relation.virtual_channels()));
        let nodes = relation.lattice().nodes();
        let output = || Output { credits: costs.buffer, owner: None, turn: 0 };
        let router = |_| Router {
            inputs: (0..ports).map(|_| (0..lanes).map(|_| Input::default()).collect()).collect(),
            outputs: (0..ports).map(|_| (0..lanes).map(|_| output()).collect()).collect(),
            turns: vec![(0, 0); ports],
            takes: vec![0; ports],
            carried: vec![0; ports],
        };
        let source = |node: usize| Source {
            credits: vec![costs.buffer; lanes],
            last: 0,
            offer: traffic.next(u32::try_from(node).unwrap()),
            sending: None,
        };
        Self {
            sources: (0..nodes).map(source).collect(),
            routers: (0..nodes).map(router).collect(),
            packets: Vec::new(),
            events: BTreeMap::new(),
            relation,
            costs,
            traffic,
            ports,
            lanes,
            now: 0,
            last_sent: 0,
            moved: 0,
        }
    }

    /// Goes on until nothing has moved for so long that nothing ever will.
    fn run(&mut self) {
        loop {
            for event in self.events.remove(&self.now).unwrap_or_default() {
                self.happen(event);
            }
            for router in 0..self.routers.len() {
                self.look_at_headers(router);
            }
            for node in 0..self.sources.len() {
                self.send(node);
            }
            for router in 0..self.routers.len() {
                self.allocate(router);
            }
            let later = self.sources.iter().any(|source| source.offer.is_some_and(|offer| offer.created > self.now));
            if self.events.is_empty() && !later && self.now > self.last_sent + self.costs.timing.routing + 9 {
                return;
            }
            self.now += 1;
        }
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Flit(router, (port, lane), flit) => {
                let buffer = &mut self.routers[router].inputs[port][lane].buffer;
                buffer.push_back(flit);
                assert!(buffer.len() <= self.costs.buffer as usize, "a buffer overflows");
            }
            Event::Credit(router, (port, lane)) => self.routers[router].outputs[port][lane].credits += 1,
            Event::SourceCredit(node, lane) => self.sources[node].credits[lane] += 1,
        }
    }

    fn after(&mut self, cycles: u64, event: Event) {
        self.events.entry(self.now + cycles).or_default().push(event);
    }

    /// Headers that have come to stand in front of their buffers are routed.
    fn look_at_headers(&mut self, router: usize) {
        for (port, lanes) in self.routers[router].inputs.iter_mut().enumerate() {
            for input in lanes {
                if input.front.is_some() || input.given.is_some() {
                    continue;
                }
                let Some(flit) = input.buffer.front() else { continue };
                let mut choices = Vec::new();
                let header = &mut self.packets[flit.packet].header;
                self.relation.choices(u32::try_from(router).unwrap(), port, header, &mut choices);
                input.front = Some((self.now, choices));
            }
        }
    }

    fn send(&mut self, node: usize) {
        let source = &mut self.sources[node];
        let Some(offer) = source.offer.filter(|offer| offer.created <= self.now) else { return };
        if source.sending.is_none() {
            let needed = if self.costs.atomic { self.costs.buffer } else { 1 };
            let in_turn = (1..=self.lanes).map(|step| (source.last + step) % self.lanes);
            let Some(lane) = in_turn.into_iter().find(|&lane| source.credits[lane] >= needed) else { return };
            source.last = lane;
            source.sending = Some((self.packets.len(), offer.flits));
            let (src, injected) = (u32::try_from(node).unwrap(), self.now);
            let Offer { number, created, dst, flits, coins } = offer;
            let delivery = Delivery { number, src, dst, flits, created, injected, delivered: 0, hops: 0 };
            self.packets.push(Packet { header: self.relation.header(dst, coins), delivery });
        }
        let (lane, Some((packet, left))) = (source.last, source.sending) else { return };
        if source.credits[lane] == 0 {
            return;
        }
        source.credits[lane] -= 1;
        source.sending = (left > 1).then_some((packet, left - 1));
        if left == 1 {
            source.offer = self.traffic.next(u32::try_from(node).unwrap());
        }
        self.last_sent = self.now;
        let flit = Flit { packet, tail: left == 1 };
        self.after(self.costs.timing.inject, Event::Flit(node, (self.ports - 1, lane), flit));
    }

    fn allocate(&mut self, router: usize) {
        let asks = self.asks(router);
        let bids: Vec<Option<Bid>> = (0..self.ports).map(|port| self.bid(router, port, &asks)).collect();
        self.give_lanes(router, &asks);
        for output in 0..self.ports {
            let turn = self.routers[router].takes[output];
            let asking =
                (0..self.ports).filter_map(|port| bids[port].filter(|bid| bid.output == output).map(|bid| (port, bid)));
            let best = asking.min_by_key(|(port, bid)| (bid.speculative, wait(*port, turn, self.ports)));
            if let Some((port, bid)) = best {
                self.win(router, (port, bid.lane), output);
            }
        }
    }

    /// Which header asks for which output lane.
    fn asks(&self, router: usize) -> BTreeMap<Lane, Lane> {
        let every = (0..self.ports).flat_map(|port| (0..self.lanes).map(move |lane| (port, lane)));
        every.filter_map(|at| Some((at, self.ask(router, at)?))).collect()
    }

    fn ask(&self, router: usize, at: Lane) -> Option<Lane> {
        let input = &self.routers[router].inputs[at.0][at.1];
        let choices = self.asking_for(router, at)?;
        let turn = input.turn;
        let free = choices.iter().flat_map(|choice| self.free(router, *choice).map(move |lane| (choice, lane)));
        let key = |(choice, lane): &(&Choice, Lane)| {
            let full = self.costs.buffer - self.routers[router].outputs[lane.0][lane.1].credits;
            let number = lane.0 * self.lanes + lane.1;
            let full = if self.relation.is_adaptive() { full } else { 0 };
            (choice.escape, full, wait(number, turn, self.ports * self.lanes))
        };
        free.min_by_key(key).map(|(_, lane)| lane)
    }

    /// What the header in front of an input lane may ask for in this cycle, if one asks.
    fn asking_for(&self, router: usize, (port, lane): Lane) -> Option<&[Choice]> {
        let input = &self.routers[router].inputs[port][lane];
        let (since, choices) = input.front.as_ref().filter(|_| input.given.is_none())?;
        (self.now >= since + self.costs.timing.routing).then_some(choices)
    }

    /// The output lanes of a choice that are free.
    fn free(&self, router: usize, choice: Choice) -> impl Iterator<Item = Lane> {
        let port = usize::from(choice.port);
        let lanes = usize::from(choice.first)..=usize::from(choice.last);
        let empty = self.costs.atomic || choice.empty;
        lanes.map(move |lane| (port, lane)).filter(move |&(port, lane)| {
            let output = &self.routers[router].outputs[port][lane];
            output.owner.is_none() && (!empty || output.credits == self.costs.buffer)
        })
    }

    /// What an input port asks of the switch.
    fn bid(&self, router: usize, port: usize, asks: &BTreeMap<Lane, Lane>) -> Option<Bid> {
        let at = &self.routers[router];
        let (output_turn, lane_turn) = at.turns[port];
        let bid = |speculative, output, lane| Bid {
            speculative,
            output_wait: wait(output, output_turn, self.ports),
            lane_wait: wait(lane, lane_turn, self.lanes),
            output,
            lane,
        };
        let mut bids = Vec::new();
        for (lane, input) in at.inputs[port].iter().enumerate() {
            if let Some((out, within)) = input.given {
                if !input.buffer.is_empty() && at.outputs[out][within].credits > 0 {
                    bids.push(bid(false, out, lane));
                }
            } else if self.costs.speculative && asks.contains_key(&(port, lane)) {
                let choices = self.asking_for(router, (port, lane)).unwrap();
                let can_send = |choice: &&Choice| {
                    self.free(router, **choice).any(|(port, lane)| at.outputs[port][lane].credits > 0)
                };
                bids.extend(choices.iter().filter(can_send).map(|choice| bid(true, usize::from(choice.port), lane)));
            }
        }
        bids.into_iter().min()
    }

    fn give_lanes(&mut self, router: usize, asks: &BTreeMap<Lane, Lane>) {
        let (lanes, size) = (self.lanes, self.ports * self.lanes);
        let number = |lane: Lane| lane.0 * lanes + lane.1;
        let at = &mut self.routers[router];
        for port in 0..self.ports {
            for lane in 0..lanes {
                let output = &mut at.outputs[port][lane];
                let askers = asks.iter().filter(|(_, asked)| **asked == (port, lane)).map(|(asker, _)| *asker);
                let Some(winner) = askers.min_by_key(|asker| wait(number(*asker), output.turn, size)) else { continue };
                output.owner = Some(winner);
                output.turn = (number(winner) + 1) % size;
                let input = &mut at.inputs[winner.0][winner.1];
                input.given = Some((port, lane));
                input.turn = (number((port, lane)) + 1) % size;
            }
        }
    }

    /// The switch is given to an input lane for `output`.
    fn win(&mut self, router: usize, (port, lane): Lane, output: usize) {
        let at = &mut self.routers[router];
        at.takes[output] = (port + 1) % self.ports;
        at.turns[port] = ((output + 1) % self.ports, (lane + 1) % self.lanes);
        let Some(given) = at.inputs[port][lane].given else { return };
        if given.0 == output && at.outputs[given.0][given.1].credits > 0 {
            self.leave(router, (port, lane), given);
        }
    }

    fn leave(&mut self, router: usize, (port, lane): Lane, (output, within): Lane) {
        let at = &mut self.routers[router];
        let input = &mut at.inputs[port][lane];
        let flit = input.buffer.pop_front().unwrap();
        let is_header = input.front.take().is_some();
        at.outputs[output][within].credits -= 1;
        if flit.tail {
            input.given = None;
            at.outputs[output][within].owner = None;
        }
        at.carried[output] += u64::from(self.traffic.counted().contains(&self.now));
        self.moved += 1;
        self.last_sent = self.now;
        let (timing, lattice) = (self.costs.timing, self.relation.lattice());
        let narrow = |router: usize| u32::try_from(router).unwrap();
        let neighbour = |port| lattice.neighbour(narrow(router), port).unwrap() as usize;
        let credit = if port == lattice.local() {
            Event::SourceCredit(router, lane)
        } else {
            Event::Credit(neighbour(port ^ 1), (port, lane)) // flits keep the number of their port
        };
        self.after(timing.credit, credit);
        let packet = &mut self.packets[flit.packet];
        if output != lattice.local() {
            packet.delivery.hops += u32::from(is_header);
            let to = neighbour(output);
            return self.after(timing.hop, Event::Flit(to, (output, within), flit));
        }
        assert_eq!(packet.delivery.dst, narrow(router));
        packet.delivery.delivered = self.now + timing.eject;
        self.traffic.accepted(self.now + timing.eject, 1);
        if flit.tail {
            self.traffic.delivered(&packet.delivery);
        }
        self.after(timing.sink_credit, Event::Credit(router, (output, within)));
    }
}
