//! A second, slow simulation of virtual-channel routers, after the description in [`flitwise::engine::router`]: flits lie in
//! queues, links and credits take their time in lists of what arrives when, and every port of every router with a flit is
//! looked at in every cycle. It runs any [`Traffic`], open loops and closed ones, and shares with the engine only what routes
//! there are ([`Routes`]), how long things take ([`flitwise::costs::Timing`]) and how virtual channels are numbered when
//! grants are told. `router_differential` and `router_programs` compare the two.

use flitwise::engine::router::{Delivery, Granted, Offer, RouterCosts, Traffic};
use flitwise::routing::relation::{Choice, Class, Header, share};
use flitwise::routing::{Leg, LinkRelation, Pace, PortAt, Routes};
use flitwise::topology::Hop;
use flitwise::units::{NodeId, RouterId};
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
    /// The number of the output vc it requests first.
    turn: usize,
}

struct Output {
    credits: u32,
    owner: Option<Vc>,
    /// The number of the input vc it grants first.
    turn: usize,
}

struct Router {
    inputs: Vec<Vec<Input>>,
    outputs: Vec<Vec<Output>>,
    /// Per input port, the output and the vc whose turn it is.
    turns: Vec<(usize, usize)>,
    /// Per output port, the input whose turn it is.
    takes: Vec<usize>,
    /// Per input port and per output port, the cycle after the last in which it has sent a flit.
    sent_from: Vec<u64>,
    sent_to: Vec<u64>,
    carried: Vec<u64>,
    /// The input vcs with flits.
    busy: BTreeSet<Vc>,
}

/// An injection channel.
struct Source {
    credits: Vec<u32>,
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
    /// What it takes even alone beyond channels that take a cycle for a flit: each as long as it is longer, and for all flits
    /// but one what the slowest is longer.
    fn longer(&self) -> u64 {
        let slowest = self.paces.iter().map(|pace| pace.flit).max().unwrap();
        let channels: u64 = self.paces.iter().map(|pace| u64::from(pace.flit - 1 + pace.delay)).sum();
        channels + u64::from(self.delivery.flits - 1) * u64::from(slowest - 1)
    }
}

/// What an input port requests of the switch; the least comes first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Bid {
    speculative: bool,
    output_wait: usize,
    vc_wait: usize,
    output: usize,
    vc: usize,
}

/// What a run did.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Done {
    /// Flits that each port of each router sent while they were counted, the ports of its node as one.
    pub(crate) carried: Vec<u64>,
    /// Flits that moved through a switch.
    pub(crate) moved: u64,
    /// Flits that are left in buffers.
    pub(crate) stuck: usize,
}

/// Runs `traffic` until it wants no more or nothing moves any more. Where there are `classes` of virtual channels, packets
/// keep to the paths that `traffic` tells.
pub(crate) fn run<T: Traffic>(routes: &Routes, costs: RouterCosts, classes: Option<u8>, traffic: &mut T) -> Done {
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
    routes: &'a Routes,
    costs: RouterCosts,
    classes: Option<u8>,
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
}

/// How many steps round it is from `turn` to `at`.
fn wait(at: usize, turn: usize, size: usize) -> usize {
    (at + size - turn) % size
}

fn narrow(number: usize) -> u32 {
    u32::try_from(number).unwrap()
}

impl<'a, T: Traffic> Slow<'a, T> {
    fn new(routes: &'a Routes, costs: RouterCosts, classes: Option<u8>, traffic: &'a mut T) -> Self {
        let wiring = routes.wiring();
        let local = wiring.link_ports();
        let of_node = costs.injection_ports.max(costs.ejection_ports) as usize;
        let ports = local + wiring.most_nodes() * of_node;
        let vcs = usize::from(routes.virtual_channels());
        let nodes = wiring.nodes();
        let injections = costs.injection_ports as usize;
        let output = || Output { credits: costs.buffer, owner: None, turn: 0 };
        let router = |_| Router {
            inputs: (0..ports).map(|_| (0..vcs).map(|_| Input::default()).collect()).collect(),
            outputs: (0..ports).map(|_| (0..vcs).map(|_| output()).collect()).collect(),
            turns: vec![(0, 0); ports],
            takes: vec![0; ports],
            sent_from: vec![0; ports],
            sent_to: vec![0; ports],
            carried: vec![0; ports],
            busy: BTreeSet::new(),
        };
        let source = |number: usize| Source {
            credits: vec![costs.buffer; vcs],
            last: 0,
            offer: if T::CLOSED { None } else { traffic.next(narrow(number / injections)) },
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
        }
    }

    /// Goes on until the traffic wants no more, or nothing has moved for so long that nothing ever will.
    fn run(&mut self) {
        while self.traffic.goes_on(self.now) {
            self.cycle();
            self.now += 1;
            // no link of a test takes longer for a flit
            if self.events.is_empty() && self.now > self.last_sent + self.costs.timing.routing + 20 {
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
        if T::CLOSED {
            self.traffic.advance(self.now, &mut Vec::new());
        }
        for event in self.events.remove(&self.now).unwrap_or_default() {
            self.happen(event);
        }
        let busy: Vec<usize> =
            (0..self.routers.len()).filter(|&router| !self.routers[router].busy.is_empty()).collect();
        for &router in &busy {
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
                let buffer = &mut router.inputs[port][vc].buffer;
                buffer.push_back(flit);
                assert!(buffer.len() <= self.costs.buffer as usize, "a buffer overflows");
            }
            Event::Credit(router, (port, vc)) => self.routers[router].outputs[port][vc].credits += 1,
            Event::SourceCredit(source, vc) => self.sources[source].credits[vc] += 1,
        }
    }

    fn after(&mut self, cycles: u64, event: Event) {
        self.events.entry(self.now + cycles).or_default().push(event);
    }

    /// Head flits that have come to stand in front of their buffers are routed: those who look at how full links are when they
    /// first request, which is after they have been routed.
    fn look_at_headers(&mut self, router: usize) {
        let at = &self.routers[router];
        let is_new = |&(port, vc): &Vc| {
            let input = &at.inputs[port][vc];
            let waits = input.front.as_ref().is_none_or(|front| front.choices.is_empty() && front.requests <= self.now);
            waits && input.granted.is_none()
        };
        let new: Vec<Vc> = at.busy.iter().copied().filter(is_new).collect();
        for (port, vc) in new {
            let input = &self.routers[router].inputs[port][vc];
            let packet = input.buffer[0].packet;
            let requests = input.front.as_ref().map_or(self.now + self.costs.timing.routing, |front| front.requests);
            let decides = self.classes.is_some() || !self.routes.looks() || requests == self.now;
            let choices = if decides { self.choices(router, port, packet) } else { Vec::new() };
            self.routers[router].inputs[port][vc].front = Some(Front { requests, choices });
        }
    }

    /// What the head flit of `packet` may request at `router`, which it entered by `port`; any ejection channel will do.
    fn choices(&mut self, router: usize, port: usize, packet: usize) -> Vec<Choice> {
        let mut choices = Vec::new();
        match self.routes {
            _ if self.classes.is_some() => choices.push(self.told(packet)),
            Routes::Lattice(relation) => {
                relation.choices(narrow(router), port, &mut self.packets[packet].header, &mut choices);
            }
            Routes::Links(relation) => self.over_links(relation, router, packet, &mut choices),
        }
        if usize::from(choices[0].port) == self.local {
            let place = self.routes.wiring().place(self.packets[packet].delivery.dst).port as usize;
            let first = choices[0].port + u8::try_from(place * self.of_node).unwrap();
            let port = |at: u32| first + u8::try_from(at).unwrap();
            return (0..self.costs.ejection_ports).map(|at| Choice { port: port(at), ..choices[0] }).collect();
        }
        choices
    }

    /// The next hop of a path that was told.
    fn told(&self, packet: usize) -> Choice {
        let Packet { path, delivery, .. } = &self.packets[packet];
        let class = |vc| Class { number: vc, of: self.classes.unwrap() };
        match path.get(delivery.hops as usize) {
            Some(hop) => self.of_port(hop.port, class(hop.vc)),
            None => self.of_port(u8::try_from(self.local).unwrap(), Class::ONLY),
        }
    }

    fn of_port(&self, port: u8, class: Class) -> Choice {
        share(u8::try_from(self.vcs).unwrap(), port, class)
    }

    fn over_links(&mut self, relation: &LinkRelation, router: usize, packet: usize, choices: &mut Vec<Choice>) {
        let Packet { header, path, delivery, .. } = &self.packets[packet];
        let Delivery { src, dst, hops, .. } = *delivery;
        let taken = hops as usize;
        let random_bits = header.random_bits.into();
        let at = RouterId::new(router);
        let leg = Leg { src: NodeId(src), dst: NodeId(dst), at, taken, random_bits };
        if at == relation.router_of(leg.dst) {
            return choices.push(self.of_port(u8::try_from(self.local).unwrap(), Class::ONLY));
        }
        if self.routes.is_adaptive() {
            return relation.choices(&leg, choices);
        }
        let mut path: Vec<Hop> = path.clone();
        if path.len() == taken {
            let outputs = &self.routers[router].outputs;
            let full = |output: &Output| self.costs.buffer - output.credits;
            relation.extend(&leg, &|port| outputs[usize::from(port)].iter().map(full).sum(), &mut path);
        }
        choices.push(relation.choice(path[taken]));
        self.packets[packet].path = path;
    }

    /// An injection channel sends a flit, if it has one and a credit and has not sent in this cycle.
    fn send(&mut self, number: usize) {
        if self.sources[number].sent > self.now {
            return;
        }
        if self.sources[number].sending.is_none() {
            self.begin_packet(number);
        }
        let source = &mut self.sources[number];
        let (vc, Some((packet, left))) = (source.last, source.sending) else { return };
        if source.credits[vc] == 0 {
            return;
        }
        source.credits[vc] -= 1;
        source.sending = (left > 1).then_some((packet, left - 1));
        let node = number / self.injections;
        let pace = self.routes.wiring().node_pace(narrow(node));
        source.sent = self.now + u64::from(pace.flit);
        if left == 1 && !T::CLOSED {
            source.offer = self.traffic.next(narrow(node));
        }
        self.last_sent = self.now;
        self.sent += 1;
        let flit = Flit { packet, tail: left == 1 };
        let place = self.routes.wiring().place(narrow(node));
        let port = self.local + place.port as usize * self.of_node + number % self.injections;
        let takes = self.costs.timing.inject + pace.longer();
        self.after(takes, Event::Flit(place.router as usize, (port, vc), flit));
    }

    /// The next packet of an injection channel that sends none, if there is one and a virtual channel with room for it.
    fn begin_packet(&mut self, number: usize) {
        let node = narrow(number / self.injections);
        let source = &self.sources[number];
        let waits = match source.offer {
            Some(offer) => offer.created <= self.now,
            None => T::CLOSED && self.traffic.waits(node),
        };
        let needed = if self.costs.atomic { self.costs.buffer } else { 1 };
        let vcs = if self.costs.first_come() { 1 } else { self.vcs };
        let mut in_turn = (1..=vcs).map(|step| (source.last + step) % vcs);
        let Some(vc) = in_turn.find(|&vc| waits && source.credits[vc] >= needed) else { return };
        let offer = if T::CLOSED { self.traffic.next(node).unwrap() } else { source.offer.unwrap() };
        let Offer { number: message, created, dst, flits, random_bits } = offer;
        let injected = self.now;
        let delivery =
            Delivery { number: message, src: node, dst, flits, created, injected, delivered: 0, hops: 0, longer: 0 };
        let mut path = Vec::new();
        self.traffic.path(message, &mut path);
        let source = &mut self.sources[number];
        source.last = vc;
        source.sending = Some((self.packets.len(), flits));
        let header = match self.routes {
            Routes::Lattice(relation) => relation.header(dst, random_bits),
            Routes::Links(_) => Header::drawing(dst, random_bits),
        };
        let paces = vec![self.routes.wiring().node_pace(node)];
        self.packets.push(Packet { header, path, paces, delivery });
        // an injection channel is told by the first virtual channel behind it
        let vc = self.numbered(self.routers.len() * self.ports.next_power_of_two() + number, 0);
        self.traffic.granted(Granted { number: message, hop: 0, vc, requested: created, granted: self.now });
    }

    /// The number by which virtual channel `vc` of a port is told, ports of all routers numbered with powers of two between
    /// them and followed by the sources.
    fn numbered(&self, port: usize, vc: usize) -> u32 {
        narrow(port * self.vcs.next_power_of_two() + vc)
    }

    fn allocate(&mut self, router: usize) {
        let first_come = self.costs.first_come();
        if first_come {
            self.grant_in_line(router);
        }
        let requests = if first_come { BTreeMap::new() } else { self.requests(router) };
        let inputs: BTreeSet<usize> = self.routers[router].busy.iter().map(|&(port, _)| port).collect();
        let bid = |port| Some((port, self.bid(router, port, &requests)?));
        let bids: Vec<(usize, Bid)> = inputs.into_iter().filter_map(bid).collect();
        self.grant_by_turn(router, &requests);
        let outputs: BTreeSet<usize> = bids.iter().map(|(_, bid)| bid.output).collect();
        for output in outputs {
            let turn = self.routers[router].takes[output];
            let requests = bids.iter().filter(|(_, bid)| bid.output == output);
            let best = requests.min_by_key(|(port, bid)| (bid.speculative, wait(*port, turn, self.ports)));
            let (port, bid) = best.unwrap();
            self.win(router, (*port, bid.vc), output);
        }
    }

    /// Input vcs whose head flits request a vc.
    fn requesting(&self, router: usize) -> Vec<Vc> {
        self.routers[router].busy.iter().copied().filter(|&at| self.requested(router, at).is_some()).collect()
    }

    /// What the head flit in front of an input vc may request in this cycle, if one does.
    fn requested(&self, router: usize, (port, vc): Vc) -> Option<&Front> {
        let input = &self.routers[router].inputs[port][vc];
        input.front.as_ref().filter(|front| input.granted.is_none() && self.now >= front.requests)
    }

    /// Who comes first: who requested first, of open-loop traffic then the packet that was made first; then the smaller
    /// message or node.
    fn grant_in_line(&mut self, router: usize) {
        let mut line = self.requesting(router);
        let place = |&(port, vc): &Vc| {
            let input = &self.routers[router].inputs[port][vc];
            let Delivery { number, created, .. } = self.packets[input.buffer[0].packet].delivery;
            (input.front.as_ref().unwrap().requests, if T::CLOSED { 0 } else { created }, number)
        };
        line.sort_by_key(place);
        for at in line {
            let choices = &self.requested(router, at).unwrap().choices;
            let free = choices.iter().flat_map(|choice| self.free(router, *choice).map(move |vc| (choice, vc)));
            let best = free.min_by_key(|(choice, vc)| (choice.escape, self.fullness(router, *vc), *vc));
            if let Some((_, vc)) = best {
                self.grant(router, at, vc);
            }
        }
    }

    /// Which head flit requests which output vc.
    fn requests(&self, router: usize) -> BTreeMap<Vc, Vc> {
        self.requesting(router).into_iter().filter_map(|at| Some((at, self.request(router, at)?))).collect()
    }

    fn request(&self, router: usize, at: Vc) -> Option<Vc> {
        let turn = self.routers[router].inputs[at.0][at.1].turn;
        let choices = &self.requested(router, at)?.choices;
        let free = choices.iter().flat_map(|choice| self.free(router, *choice).map(move |vc| (choice, vc)));
        let key = |(choice, vc): &(&Choice, Vc)| {
            let number = vc.0 * self.vcs + vc.1;
            (
                choice.escape,
                self.sharing(router, *vc),
                self.fullness(router, *vc),
                wait(number, turn, self.ports * self.vcs),
            )
        };
        free.min_by_key(key).map(|(_, vc)| vc)
    }

    /// How many packets share the ejection channel of an output vc; links are not chosen by that.
    fn sharing(&self, router: usize, (port, _): Vc) -> usize {
        let owned = |output: &&Output| output.owner.is_some();
        if port < self.local { 0 } else { self.routers[router].outputs[port].iter().filter(owned).count() }
    }

    /// Where routing is adaptive, how full the buffer behind an output vc is.
    fn fullness(&self, router: usize, (port, vc): Vc) -> u32 {
        let adaptive = self.routes.is_adaptive() && self.classes.is_none();
        if adaptive { self.costs.buffer - self.routers[router].outputs[port][vc].credits } else { 0 }
    }

    /// The output vcs of a choice that are free. Where who comes first is served first, ejection channels have one.
    fn free(&self, router: usize, choice: Choice) -> impl Iterator<Item = Vc> {
        let port = usize::from(choice.port);
        let single = self.costs.first_come() && port >= self.local;
        let last = if single { choice.first } else { choice.last };
        let empty = self.costs.atomic || choice.empty;
        (choice.first..=last).map(move |vc| (port, usize::from(vc))).filter(move |&(port, vc)| {
            let output = &self.routers[router].outputs[port][vc];
            output.owner.is_none() && (!empty || output.credits == self.costs.buffer)
        })
    }

    /// What an input port requests of the switch; nothing that has sent in this cycle sends again.
    fn bid(&self, router: usize, port: usize, requests: &BTreeMap<Vc, Vc>) -> Option<Bid> {
        let at = &self.routers[router];
        let (output_turn, vc_turn) = at.turns[port];
        let bid = |speculative, output, vc| Bid {
            speculative,
            output_wait: wait(output, output_turn, self.ports),
            vc_wait: wait(vc, vc_turn, self.vcs),
            output,
            vc,
        };
        if at.sent_from[port] > self.now {
            return None;
        }
        let mut bids = Vec::new();
        for &(_, vc) in at.busy.range((port, 0)..(port + 1, 0)) {
            if let Some((out, within)) = at.inputs[port][vc].granted {
                if at.outputs[out][within].credits > 0 && at.sent_to[out] <= self.now {
                    bids.push(bid(false, out, vc));
                }
            } else if self.costs.speculative && requests.contains_key(&(port, vc)) {
                let choices = &self.requested(router, (port, vc)).unwrap().choices;
                let can_send = |choice: &&Choice| {
                    let mut free = self.free(router, **choice);
                    free.any(|(port, vc)| at.outputs[port][vc].credits > 0 && at.sent_to[port] <= self.now)
                };
                bids.extend(choices.iter().filter(can_send).map(|choice| bid(true, usize::from(choice.port), vc)));
            }
        }
        bids.into_iter().min()
    }

    /// Every output vc is granted to one of those that request it, by turn.
    fn grant_by_turn(&mut self, router: usize, requests: &BTreeMap<Vc, Vc>) {
        let vcs = self.vcs;
        let size = self.ports * vcs;
        let number = |vc: Vc| vc.0 * vcs + vc.1;
        let mut requested: Vec<Vc> = requests.values().copied().collect();
        requested.sort_unstable();
        requested.dedup();
        for vc in requested {
            let turn = self.routers[router].outputs[vc.0][vc.1].turn;
            let from = requests.iter().filter(|(_, requested)| **requested == vc).map(|(from, _)| *from);
            let winner = from.min_by_key(|from| wait(number(*from), turn, size)).unwrap();
            let at = &mut self.routers[router];
            at.outputs[vc.0][vc.1].turn = (number(winner) + 1) % size;
            at.inputs[winner.0][winner.1].turn = (number(vc) + 1) % size;
            self.grant(router, winner, vc);
        }
    }

    /// Output vc `vc` is granted to the head flit in front of input vc `at`.
    fn grant(&mut self, router: usize, at: Vc, vc: Vc) {
        self.routers[router].outputs[vc.0][vc.1].owner = Some(at);
        let input = &mut self.routers[router].inputs[at.0][at.1];
        input.granted = Some(vc);
        let requested = input.front.as_ref().unwrap().requests;
        let Delivery { number, hops, .. } = self.packets[input.buffer[0].packet].delivery;
        let vc = self.numbered(router * self.ports.next_power_of_two() + vc.0, vc.1);
        self.traffic.granted(Granted { number, hop: hops + 1, vc, requested, granted: self.now });
    }

    /// The switch is granted to an input vc for `output`.
    fn win(&mut self, router: usize, (port, vc): Vc, output: usize) {
        let at = &mut self.routers[router];
        at.takes[output] = (port + 1) % self.ports;
        at.turns[port] = ((output + 1) % self.ports, (vc + 1) % self.vcs);
        let Some(granted) = at.inputs[port][vc].granted else { return };
        if granted.0 == output && at.outputs[granted.0][granted.1].credits > 0 {
            self.leave(router, (port, vc), granted);
        }
    }

    fn leave(&mut self, router: usize, (port, vc): Vc, (output, within): Vc) {
        let counts = self.traffic.counted().contains(&self.now);
        let at = &mut self.routers[router];
        let input = &mut at.inputs[port][vc];
        let flit = input.buffer.pop_front().unwrap();
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
        at.sent_to[output] = self.now + u64::from(pace.flit);
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
            let to = wiring.leads_to(out).unwrap();
            let arrives = (to.port as usize, within);
            return self.after(timing.hop + pace.longer(), Event::Flit(to.router as usize, arrives, flit));
        }
        assert_eq!(wiring.place(packet.delivery.dst).router, narrow(router));
        let arrives = timing.eject + pace.longer();
        packet.delivery.delivered = self.now + arrives;
        self.traffic.accepted(self.now + arrives, 1);
        if flit.tail {
            packet.delivery.longer = packet.longer();
            self.traffic.delivered(&packet.delivery);
        }
        let back = timing.sink_credit_after(pace.flit.into(), pace.delay.into());
        self.after(back, Event::Credit(router, (output, within)));
    }

    /// The output or source that fills the buffer which `flit` has left receives a credit. Of a tail that leaves its
    /// injection channel, nodes are told when their source knows: in the next cycle or, where slots can be used again at
    /// once, in this one, and later by the delay of the channel.
    fn hand_back_slot(&mut self, router: usize, (port, vc): Vc, flit: Flit) {
        let wiring = self.routes.wiring();
        let (credit, Pace { delay, .. }) = if port < self.local {
            let from = wiring.comes_from(PortAt { router: narrow(router), port: narrow(port) }).unwrap();
            (Event::Credit(from.router as usize, (from.port as usize, vc)), wiring.pace(from))
        } else {
            let node = self.packets[flit.packet].delivery.src;
            let channel = (port - self.local) % self.of_node;
            (Event::SourceCredit(node as usize * self.injections + channel, vc), wiring.node_pace(node))
        };
        self.after(self.costs.timing.credit + u64::from(delay), credit);
        if flit.tail && port >= self.local {
            let at = if self.costs.first_come() { self.now } else { self.now + 1 };
            self.traffic.left(self.packets[flit.packet].delivery.number, at + u64::from(delay));
        }
    }
}
