//! The state of all routers, and how a cycle goes.

use super::fabric::{Fabric, NOWHERE};
use super::outcome::{Delivery, Ended};
use super::source::{Alarms, BitSet, NONE, Source};
use super::{Offer, RouterCosts, Traffic};
use crate::routing::Relation;
use crate::routing::relation::{Choice, Header};

/// What a header in front of its buffer is about to do.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// Nothing stands in front, or what does has not been routed.
    Idle,
    /// A header asks for a lane.
    Asks,
    /// A header has a lane and has not left.
    Header,
    /// The header has left.
    Body,
}

/// The buffer of a lane at an input port.
#[derive(Clone, Copy)]
pub(super) struct Input {
    /// The output lane that the packet in front has been given, or [`NONE`].
    pub(super) out: u32,
    /// Flits in the buffer.
    pub(super) flits: u32,
    /// Flits of the packet in front that have not left.
    pub(super) left: u32,
    /// Packets whose headers have been sent here and whose tails have not left: where they begin in the ring, and how many.
    pub(super) first: u16,
    pub(super) packets: u16,
    /// Which output lane of its router it asks first.
    pub(super) turn: u16,
    pub(super) stage: Stage,
    /// The way on, where there is only one.
    pub(super) way: Choice,
}

/// A lane at an output port, or of a source.
#[derive(Clone, Copy)]
pub(super) struct Output {
    /// Free slots in the buffer it leads to.
    pub(super) credits: u32,
    /// The input lane whose packet has it, or [`NONE`].
    pub(super) owner: u32,
    /// Which input lane of its router it takes first.
    pub(super) turn: u16,
}

/// Whose turn it is at a port, round robin.
#[derive(Clone, Copy, Default)]
pub(super) struct Turns {
    /// Of an input port: the output it asks first, and the lane.
    pub(super) output: u8,
    pub(super) lane: u8,
    /// Of an output port: the input it takes first.
    pub(super) input: u8,
}

/// A packet in the network.
#[derive(Clone, Copy)]
pub(super) struct Packet {
    pub(super) header: Header,
    pub(super) src: u32,
    pub(super) flits: u32,
    pub(super) hops: u32,
    pub(super) created: u64,
    pub(super) injected: u64,
}

/// Things that happen some cycles ahead, a list for each cycle.
pub(super) struct Wheel {
    slots: Vec<Vec<u32>>,
    pending: usize,
}

impl Wheel {
    fn new(longest: u64) -> Self {
        let slots = usize::try_from(longest + 1).unwrap_or(usize::MAX).next_power_of_two();
        Self { slots: vec![Vec::new(); slots], pending: 0 }
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "only the low bits count")]
    fn slot(&self, at: u64) -> usize {
        at as usize & (self.slots.len() - 1)
    }

    #[inline]
    pub(super) fn push(&mut self, at: u64, number: u32) {
        let slot = self.slot(at);
        self.slots[slot].push(number);
        self.pending += 1;
    }

    fn take(&mut self, at: u64) -> Vec<u32> {
        let slot = self.slot(at);
        let taken = std::mem::take(&mut self.slots[slot]);
        self.pending -= taken.len();
        taken
    }

    /// Gives the buffer of a list back.
    fn give_back(&mut self, at: u64, mut list: Vec<u32>) {
        list.clear();
        let slot = self.slot(at);
        self.slots[slot] = list;
    }
}

pub(super) struct Machine<'a, T> {
    pub(super) relation: &'a Relation,
    pub(super) costs: RouterCosts,
    pub(super) fabric: Fabric,
    pub(super) traffic: &'a mut T,
    pub(super) now: u64,
    pub(super) adaptive: bool,
    pub(super) inputs: Vec<Input>,
    pub(super) outputs: Vec<Output>,
    /// Per port.
    pub(super) turns: Vec<Turns>,
    /// Per port, the lanes that try to send, and those whose headers wait for a lane to come free.
    pub(super) ready: Vec<u64>,
    pub(super) parked: Vec<u64>,
    /// Per router, the ports with lanes that try, and with lanes that wait.
    pub(super) ready_ports: Vec<u64>,
    pub(super) parked_ports: Vec<u64>,
    /// The routers with lanes that try.
    pub(super) active: BitSet,
    /// Per input lane, a ring of packets.
    pub(super) queues: Vec<u32>,
    queue_bits: u32,
    pub(super) packets: Vec<Packet>,
    spare: Vec<u32>,
    pub(super) arrivals: Wheel,
    pub(super) credits: Wheel,
    routed: Wheel,
    sources: Vec<Source>,
    alarms: Alarms,
    sending: BitSet,
    pub(super) carried: Vec<u64>,
    pub(super) counting: std::ops::Range<u64>,
    pub(super) moved: u64,
    pub(super) choices: Vec<Choice>,
    pub(super) scratch: super::allocate::Scratch,
}

/// The bytes that routers take: `nodes` of them with `ports` ports, `lanes` lanes a port, `buffer` flits a lane.
#[must_use]
pub fn memory(nodes: u64, ports: u64, lanes: u64, buffer: u64) -> u64 {
    let port_lanes = nodes * ports.next_power_of_two() * lanes.next_power_of_two();
    let lane = (size_of::<Input>() + size_of::<Output>()) as u64 + 4 * buffer.next_power_of_two();
    // packets in the network are as many as buffers hold, at most
    let packets = port_lanes * buffer * size_of::<Packet>() as u64;
    port_lanes * lane + packets + nodes * size_of::<Source>() as u64
}

/// Runs `traffic` through routers of `costs` under `relation` until it wants no more, all is delivered, or packets are
/// left that will never arrive.
pub fn run<T: Traffic>(relation: &Relation, costs: RouterCosts, traffic: &mut T) -> Ended {
    let mut machine = Machine::new(relation, costs, traffic);
    let jam = machine.run();
    Ended { cycles: machine.now, carried: machine.carried_by_port(), moved: machine.moved, jam }
}

impl<'a, T: Traffic> Machine<'a, T> {
    fn new(relation: &'a Relation, costs: RouterCosts, traffic: &'a mut T) -> Self {
        let fabric = Fabric::new(relation.lattice(), relation.lanes());
        let ports = fabric.router_ports();
        let lanes = ports << fabric.lane_bits;
        let nodes = fabric.routers as usize;
        let queue_bits = costs.buffer.next_power_of_two().ilog2();
        let way = Choice { port: 0, first: 0, last: 0, escape: false, empty: false };
        let input =
            Input { out: NONE, flits: 0, left: 0, first: 0, packets: 0, turn: 0, stage: Stage::Idle, way };
        let output = Output { credits: costs.buffer, owner: NONE, turn: 0 };
        let source = Source { offer: None, packet: NONE, left: 0, lane: 0 };
        let longest = costs.timing.longest();
        Self {
            relation,
            costs,
            now: 0,
            adaptive: relation.is_adaptive(),
            inputs: vec![input; lanes],
            outputs: vec![output; lanes + (nodes << fabric.lane_bits)],
            turns: vec![Turns::default(); ports],
            ready: vec![0; ports],
            parked: vec![0; ports],
            ready_ports: vec![0; nodes],
            parked_ports: vec![0; nodes],
            active: BitSet::new(nodes),
            queues: vec![0; lanes << queue_bits],
            queue_bits,
            packets: Vec::new(),
            spare: Vec::new(),
            arrivals: Wheel::new(longest),
            credits: Wheel::new(longest),
            routed: Wheel::new(longest),
            sources: vec![source; nodes],
            alarms: Alarms::default(),
            sending: BitSet::new(nodes),
            carried: vec![0; ports],
            counting: traffic.counted(),
            moved: 0,
            choices: Vec::new(),
            scratch: super::allocate::Scratch::new(&fabric),
            fabric,
            traffic,
        }
    }

    fn run(&mut self) -> Option<super::Jam> {
        for node in 0..self.fabric.routers {
            self.draw(node);
        }
        let mut look = WATCH;
        while self.traffic.goes_on(self.now) {
            self.cycle();
            self.now += 1;
            if self.is_quiet() {
                match self.alarms.next() {
                    Some(at) => self.now = self.now.max(at),
                    None => return self.jam(),
                }
            }
            if self.now >= look {
                if let Some(jam) = self.jam() {
                    return Some(jam);
                }
                look = self.now + WATCH;
            }
        }
        None
    }

    /// Whether nothing happens until a source has a packet.
    fn is_quiet(&self) -> bool {
        self.arrivals.pending + self.credits.pending + self.routed.pending == 0
            && self.sending.is_empty()
            && self.active.is_empty()
    }

    fn cycle(&mut self) {
        let now = self.now;
        let arrivals = self.arrivals.take(now);
        for &lane in &arrivals {
            self.arrive(lane);
        }
        self.arrivals.give_back(now, arrivals);
        let credits = self.credits.take(now);
        for &lane in &credits {
            self.credit(lane);
        }
        self.credits.give_back(now, credits);
        let routed = self.routed.take(now);
        for &lane in &routed {
            self.ask(lane);
        }
        self.routed.give_back(now, routed);
        while let Some(node) = self.alarms.due(now) {
            self.sending.insert(node);
        }
        for word in 0..self.sending.words.len() {
            let mut nodes = self.sending.words[word];
            while nodes != 0 {
                let node = nodes.trailing_zeros();
                nodes &= nodes - 1;
                #[expect(clippy::cast_possible_truncation, reason = "nodes are numbered with 32 bits")]
                self.send(word as u32 * 64 + node);
            }
        }
        for word in 0..self.active.words.len() {
            let mut routers = self.active.words[word];
            while routers != 0 {
                let router = routers.trailing_zeros();
                routers &= routers - 1;
                #[expect(clippy::cast_possible_truncation, reason = "routers are numbered with 32 bits")]
                self.allocate(word as u32 * 64 + router);
            }
        }
    }

    /// A flit arrives in the buffer of input lane `lane`.
    #[inline]
    fn arrive(&mut self, lane: u32) {
        let input = &mut self.inputs[lane as usize];
        input.flits += 1;
        if input.flits == 1 {
            if input.out == NONE {
                self.stand_in_front(lane, self.costs.timing.routing);
            } else if self.outputs[input.out as usize].credits > 0 {
                self.try_to_send(lane);
            }
        }
    }

    /// A header has come to stand in front of the buffer of `lane`; it asks for a lane after `routing` cycles.
    pub(super) fn stand_in_front(&mut self, lane: u32, routing: u64) {
        let at = (lane << self.queue_bits) as usize + usize::from(self.inputs[lane as usize].first);
        let packet = self.queues[at];
        let packet = &mut self.packets[packet as usize];
        let input = &mut self.inputs[lane as usize];
        input.left = packet.flits;
        let port = lane >> self.fabric.lane_bits;
        let entered = port & ((1 << self.fabric.port_bits) - 1);
        self.relation.choices(port >> self.fabric.port_bits, entered as usize, &mut packet.header, &mut self.choices);
        if let Some(&way) = self.choices.first() {
            input.way = way;
        }
        if routing == 0 {
            self.ask(lane);
        } else {
            self.routed.push(self.now + routing, lane);
        }
    }

    fn ask(&mut self, lane: u32) {
        self.inputs[lane as usize].stage = Stage::Asks;
        self.try_to_send(lane);
    }

    /// Lane `lane` has something to send, or to ask for.
    #[inline]
    pub(super) fn try_to_send(&mut self, lane: u32) {
        let port = lane >> self.fabric.lane_bits;
        let router = self.fabric.router(port);
        self.ready[port as usize] |= 1 << (lane & ((1 << self.fabric.lane_bits) - 1));
        self.ready_ports[router as usize] |= 1 << (port & ((1 << self.fabric.port_bits) - 1));
        self.active.insert(router);
    }

    /// A slot of the buffer behind output lane or source lane `lane` is free again.
    #[inline]
    fn credit(&mut self, lane: u32) {
        let output = &mut self.outputs[lane as usize];
        output.credits += 1;
        let (credits, owner) = (output.credits, output.owner);
        if lane as usize >= self.inputs.len() {
            let node = (lane >> self.fabric.lane_bits) - self.fabric.source(0);
            if self.sources[node as usize].offer.is_some_and(|offer| offer.created <= self.now) {
                self.sending.insert(node);
            }
        } else if owner != NONE {
            if credits == 1 && self.inputs[owner as usize].flits > 0 {
                self.try_to_send(owner);
            }
        } else if credits == self.costs.buffer {
            self.wake(self.fabric.router(lane >> self.fabric.lane_bits));
        }
    }

    /// A lane of `router` has come free: headers that wait ask again.
    #[inline]
    pub(super) fn wake(&mut self, router: u32) {
        let mut ports = std::mem::take(&mut self.parked_ports[router as usize]);
        if ports == 0 {
            return;
        }
        self.ready_ports[router as usize] |= ports;
        self.active.insert(router);
        while ports != 0 {
            let port = self.fabric.port(router, ports.trailing_zeros()) as usize;
            ports &= ports - 1;
            self.ready[port] |= std::mem::take(&mut self.parked[port]);
        }
    }

    /// Takes the next packet of `node`.
    fn draw(&mut self, node: u32) {
        let offer = self.traffic.next(node);
        self.sources[node as usize].offer = offer;
        self.sources[node as usize].packet = NONE;
        match offer {
            Some(offer) if offer.created <= self.now + 1 && self.now > 0 => self.sending.insert(node),
            Some(offer) => {
                self.sending.remove(node);
                self.alarms.set(offer.created, node);
            }
            None => self.sending.remove(node),
        }
    }

    /// The source at `node` sends a flit, if it has a credit.
    fn send(&mut self, node: u32) {
        let source = self.sources[node as usize];
        let Some(offer) = source.offer else { return };
        let base = self.fabric.source(node) << self.fabric.lane_bits;
        let begins = source.packet == NONE;
        let lane = if begins { self.free_lane(base, source.lane) } else { source.lane };
        let output = &mut self.outputs[(base + lane) as usize];
        if output.credits == 0 || begins && self.costs.atomic && output.credits < self.costs.buffer {
            self.sending.remove(node); // until a credit comes
            return;
        }
        output.credits -= 1;
        let entry = self.fabric.port(node, self.fabric.local) << self.fabric.lane_bits | lane;
        self.arrivals.push(self.now + self.costs.timing.inject, entry);
        if begins {
            let packet = self.admit(node, offer);
            self.enqueue(entry, packet);
            self.sources[node as usize] = Source { packet, left: offer.flits, lane, ..source };
        }
        let source = &mut self.sources[node as usize];
        source.left -= 1;
        if source.left == 0 {
            self.draw(node);
        }
    }

    /// The next lane after `last` whose buffer has most room to begin a packet in, among those of a source.
    fn free_lane(&self, base: u32, last: u32) -> u32 {
        let lanes = self.fabric.lanes;
        let needed = if self.costs.atomic { self.costs.buffer } else { 1 };
        let has_room = |&lane: &u32| self.outputs[(base + lane) as usize].credits >= needed;
        let mut in_turn = (1..=lanes).map(|i| (last + i) % lanes);
        in_turn.find(has_room).unwrap_or(last)
    }

    fn admit(&mut self, src: u32, offer: Offer) -> u32 {
        let header = self.relation.header(offer.dst, offer.coins);
        let (flits, created) = (offer.flits, offer.created);
        let packet = Packet { header, src, flits, hops: 0, created, injected: self.now };
        if let Some(number) = self.spare.pop() {
            self.packets[number as usize] = packet;
            return number;
        }
        self.packets.push(packet);
        #[expect(clippy::cast_possible_truncation, reason = "not more than flits in buffers, which lanes bound")]
        let number = self.packets.len() as u32 - 1;
        number
    }

    /// The header of `packet` is on its way to input lane `lane`.
    #[inline]
    pub(super) fn enqueue(&mut self, lane: u32, packet: u32) {
        let input = &mut self.inputs[lane as usize];
        let at = (input.first + input.packets) & ((1 << self.queue_bits) - 1);
        input.packets += 1;
        self.queues[(lane << self.queue_bits) as usize + usize::from(at)] = packet;
    }

    /// The packet in front of input lane `lane`.
    #[inline]
    pub(super) fn front(&self, lane: u32) -> u32 {
        self.queues[(lane << self.queue_bits) as usize + usize::from(self.inputs[lane as usize].first)]
    }

    /// The packet in front of `lane` has left.
    #[inline]
    pub(super) fn dequeue(&mut self, lane: u32) {
        let input = &mut self.inputs[lane as usize];
        input.first = (input.first + 1) & ((1 << self.queue_bits) - 1);
        input.packets -= 1;
    }

    /// The tail of `packet` is on its way to its node.
    pub(super) fn deliver(&mut self, packet: u32) {
        let Packet { header, src, flits, hops, created, injected } = self.packets[packet as usize];
        let delivered = self.now + self.costs.timing.eject;
        self.traffic.delivered(&Delivery { src, dst: header.dst, flits, created, injected, delivered, hops });
        self.spare.push(packet);
    }

    /// Per router and port, without the numbers that none has.
    fn carried_by_port(&self) -> Vec<u64> {
        let ports = (0..self.fabric.routers).flat_map(|r| (0..self.fabric.ports).map(move |p| (r, p)));
        ports.map(|(router, port)| self.carried[self.fabric.port(router, port) as usize]).collect()
    }

    /// Whether output port `port` leads to a node.
    #[inline]
    pub(super) fn is_exit(&self, port: u32) -> bool {
        self.fabric.down[port as usize] == NOWHERE
    }
}

/// How many cycles pass between looks for packets that will never arrive.
const WATCH: u64 = 1 << 14;
