//! Programs on virtual-channel routers: nodes that want messages when others have been delivered.
//!
//! A cycle is the time of a flit on a channel, and begins at a multiple of it; what nodes do in between shows in the next
//! cycle. A node's messages wait for its injection channels in the order of (request, message), and take the lowest one that
//! is free and has room. What is told of a message is what the wormhole engines tell: when it was requested, when its head
//! flit left its source, when its tail arrived, and how long its head flit waited for channels, from each request to its
//! grant.

use super::holders::{Holders, Passing, Release};
use super::hosts::{Hosts, Slots};
use super::interfaces::Member;
use super::setup::Setup;
use super::waiting::Lines;
use super::worms::WormTrees;
use super::{Delivery, Granted, HeadStart, MessageClass, Offer, RouterEvent, Traffic, TreePacket};
use crate::engine::outcome::Passage;
use crate::engine::stepping::AnyObserver;
use crate::engine::window::Window;
use crate::engine::{Deadlock, Engine, Event, MessageOutcome, Observer, Outcome, Program, Requests, Signal, Stop};
use crate::events::{EventQueue, HeapQueue, Kind, QueuedEvent};
use crate::topology::Hop;
use crate::units::{ChannelId, MessageId, NodeId, Ticks, narrow};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

/// The bytes that a run of `messages` messages between `nodes` nodes takes, routers aside.
pub fn program_memory(nodes: u64, messages: u64) -> u64 {
    let message = size_of::<Passage>() + size_of::<MessageOutcome>() + 2 * size_of::<QueuedEvent>();
    let node = size_of::<BinaryHeap<Reverse<(Ticks, u32)>>>();
    nodes.saturating_mul(node as u64).saturating_add(messages.saturating_mul(message as u64))
}

/// Nodes that run any program, with any observer.
pub(super) type ProgramNodes<'a> = Nodes<'a, Box<dyn Program + 'a>, AnyObserver<'a>>;

/// A message that waits for an injection channel.
pub(super) struct WaitingMessage {
    pub(super) node: u32,
    pub(super) requested: Ticks,
    pub(super) offer: Offer,
    /// The links of its path, if it is fixed.
    pub(super) path: Vec<Hop>,
}

/// The nodes of a program as [`Traffic`] of routers, this engine's or another simulation's.
pub struct Nodes<'a, P, O> {
    setup: Setup<'a>,
    pub(super) program: P,
    pub(super) observer: O,
    pub(super) queue: HeapQueue,
    requests: Requests,
    waiting: Lines,
    /// Properties of the nodes of a live run.
    hosts: Option<Hosts>,
    pub(super) passages: Window<Passage>,
    undelivered: usize,
    /// Flits of all messages, and those that have arrived.
    flits: u64,
    arrived: u64,
    /// The channels of a path.
    pub(super) channels: Vec<ChannelId>,
    /// Nodes with new messages that have been requested before the cycle in which their sources learn of it.
    woken: Vec<u32>,
    /// The tick past which the engine does not skip cycles, as messages may still be added there.
    horizon: Ticks,
    /// The trees of worms, if there are any.
    pub(super) worms: Option<WormTrees<'a>>,
    /// Who holds which channel, if the observer wants to know.
    pub(super) holders: Option<Holders>,
}

impl<'a, P: Program, O: Observer> Nodes<'a, P, O> {
    /// The nodes of `program`, which have requested nothing yet but what nothing has to happen for.
    pub fn new(setup: &Setup<'a>, mut program: P, observer: O) -> Self {
        let mut queue = HeapQueue::default();
        let mut requests = Requests::default();
        program.signal(Signal::Start, &mut requests);
        requests.take_to(&mut queue);
        let lines = if setup.interfaces.is_some() { setup.costs.injection_ports as usize } else { 1 };
        Self {
            setup: *setup,
            queue,
            requests,
            waiting: Lines::new(setup.routes.wiring().nodes(), lines),
            hosts: None,
            passages: Window::new(vec![Passage::default(); program.messages()]),
            undelivered: program.messages(),
            flits: (0..program.messages()).map(|id| program.message(MessageId::new(id)).2.on_wire()).sum(),
            arrived: 0,
            program,
            worms: setup.trees.map(WormTrees::new),
            holders: observer.interest().hops.then(Holders::default),
            observer,
            channels: Vec::new(),
            woken: Vec::new(),
            horizon: Ticks::MAX,
        }
    }

    /// Returns the nodes of a live run with the properties `hosts`, and a line for each class.
    pub(super) fn with_hosts(self, hosts: Hosts) -> Self {
        let waiting = Lines::new(self.setup.routes.wiring().nodes(), hosts.classes.len().max(1));
        Self { waiting, hosts: Some(hosts), ..self }
    }

    /// Adds the last message of the program, which requests its injection channel at `at`.
    pub(super) fn add(&mut self, at: Ticks) {
        let id = self.passages.push(Passage::default());
        let (src, _, flits) = self.program.message(id);
        self.undelivered += 1;
        self.flits += flits.on_wire();
        if let Some(hosts) = &mut self.hosts {
            hosts.accept(src, self.program.class(id), flits);
        }
        self.queue.push(QueuedEvent { time: at, kind: Kind::Request, number: id.0 });
    }

    /// Takes the first message that waits at `node`.
    pub(super) fn take_waiting(&mut self, node: u32) -> Option<WaitingMessage> {
        let (requested, _) = self.waiting.first(node as usize, 0)?;
        let offer = self.next(node, 0)?;
        let mut path = Vec::new();
        self.path(offer.number, &mut path);
        Some(WaitingMessage { node, requested, offer, path })
    }

    /// Keeps the engine from skipping cycles past `horizon`.
    pub(super) fn set_horizon(&mut self, horizon: Ticks) {
        self.horizon = horizon;
    }

    /// Reports to the program the events before `at` and the deliveries at `at`, ahead of the cycle that begins then. Returns true if
    /// there are deliveries.
    #[inline]
    pub(super) fn arrive(&mut self, at: Ticks) -> bool {
        let undelivered = self.undelivered;
        while let Some(event) = self.queue.pop_if(|event| (event.time, event.kind) <= (at, Kind::Deliver)) {
            let node = self.happen(event);
            self.woken.extend(node.map(|node| node.0));
        }
        self.undelivered < undelivered
    }

    /// Forgets the messages before `before`, which have been delivered.
    pub(super) fn forget(&mut self, before: MessageId) {
        self.passages.forget(before);
    }

    /// The properties of the nodes of a live run.
    pub(super) fn hosts(&mut self) -> Option<&mut Hosts> {
        self.hosts.as_mut()
    }

    /// Flits in the injection queue of `node` and `class` that have not started before `now`.
    pub(super) fn queued(&self, node: NodeId, class: u8, now: Ticks) -> u32 {
        // the first cycle that begins at `now` or later
        self.hosts.as_ref().map_or(0, |hosts| hosts.queued(node, class, self.cycle(now)))
    }

    /// How many messages have been delivered.
    pub(super) fn delivered_count(&self) -> usize {
        self.passages.count() - self.undelivered
    }

    /// What happened to message `id`, if it has been delivered by `now`.
    pub(super) fn message(&self, id: MessageId, now: Ticks) -> Option<MessageOutcome> {
        // what is certain of a delivery is noted before it comes
        let has_arrived = |passage: &&Passage| passage.delivered > Ticks::ZERO && passage.delivered <= now;
        let passage = self.passages.get(id).filter(has_arrived)?;
        Some(MessageOutcome::new(&self.program, id, *passage))
    }

    /// When cycle `cycle` begins.
    pub(super) fn tick(&self, cycle: u64) -> Ticks {
        Ticks(cycle * self.setup.flit_time)
    }

    /// The first cycle that does not begin before `at`.
    pub(super) fn cycle(&self, at: Ticks) -> u64 {
        at.0.div_ceil(self.setup.flit_time)
    }

    /// Something happens at a node; the node to look at if it has something new to send.
    fn happen(&mut self, event: QueuedEvent) -> Option<NodeId> {
        let QueuedEvent { time, kind, number } = event;
        let id = MessageId(number);
        let mut sender = None;
        match kind {
            Kind::Deliver => {
                self.undelivered -= 1;
                self.program.signal(Signal::Delivered { id, now: time }, &mut self.requests);
            }
            Kind::Timer => self.program.signal(Signal::Timer { token: number, now: time }, &mut self.requests),
            Kind::Request => {
                let (src, _, _) = self.program.message(id);
                self.passages[id].requested = time;
                let queue = match &self.hosts {
                    Some(_) => self.program.class(id).into(),
                    None => self.program.injection(id),
                };
                self.waiting.line(src.index(), queue).push(Reverse((time, number)));
                sender = Some(src);
                self.signal_to_program(Signal::Requested { id, now: time });
            }
            Kind::Wake => {} // channels of the wormhole engines
        }
        self.requests.take_to(&mut self.queue);
        sender
    }

    /// Reports the release of a channel, if there is one.
    fn release(&mut self, release: Option<Release>) {
        let Some(Release { messages, vc, at }) = release else { return };
        for (message, hop) in messages {
            let Passage { hops, delivered, .. } = self.passages[message];
            // its node takes longer to give an ejection channel back than the message to arrive
            let is_ejection = delivered > Ticks::ZERO && hop == hops as usize + 1;
            let at = if is_ejection { at.min(delivered) } else { at };
            self.observer.event(Event::Released { message, hop, channel: ChannelId(vc), at });
        }
    }

    /// What has happened, when so many flits have `moved` through routers and nothing happens any more.
    ///
    /// # Errors
    /// If messages are left that wait for each other's channels, or nodes that wait for messages.
    pub fn finish(&mut self, deadlock: Option<Box<Deadlock>>, moved: u64) -> Result<Outcome, Stop> {
        let passages = &self.passages;
        let delivered = |message: MessageId| passages[message].delivered;
        let rest: Vec<Release> =
            self.holders.as_mut().into_iter().flat_map(|holders| holders.rest(&delivered)).collect();
        rest.into_iter().for_each(|release| self.release(Some(release)));
        if deadlock.is_some() || self.undelivered > 0 {
            // where nothing waits for a channel, the program has not requested what is left
            let nothing_waits = || Deadlock::of_messages(Vec::new(), &mut std::iter::empty(), &|_| String::new());
            return Err(Stop::of(deadlock.unwrap_or_else(nothing_waits), &self.program));
        }
        Outcome::of_program(&self.program, self.passages.records().iter().copied(), moved, Engine::Router)
    }

    /// A head flit has been granted a channel.
    fn granted(&mut self, granted: Granted) {
        let Granted { number, hop, vc, requested, granted } = granted;
        self.granted_to(&[(MessageId(number), hop as usize)], vc, [requested, granted]);
    }

    /// The head flit of `messages`, several if they go as one worm, has been granted channel `vc`. It requested it in the first of the
    /// cycles, and was granted it in the other one.
    pub(super) fn granted_to(&mut self, messages: &[Passing], vc: u32, [requested, granted]: [u64; 2]) {
        let start = self.tick(granted);
        let cycle = self.tick(requested);
        let mut waited = false;
        for &(message, hop) in messages {
            let passage = &mut self.passages[message];
            let requested = if hop == 0 { passage.requested } else { cycle };
            if hop == 0 {
                passage.injected = start;
            }
            passage.blocked_time += start - requested;
            passage.blocked_headers += u32::from(start > requested);
            waited = start > requested;
        }
        let before = self.holders.as_mut().and_then(|holders| holders.grant(messages, vc, start, waited));
        self.release(before);
        for &(message, hop) in messages {
            let requested = if hop == 0 { self.passages[message].requested } else { cycle };
            self.observer.event(Event::Granted { message, hop, channel: ChannelId(vc), requested, start });
        }
    }

    /// The head flit of message `number` leaves for a link or for its node.
    fn departed(&mut self, number: u32, now: u64) {
        let now = self.tick(now);
        self.signal_to_program(Signal::Departed { id: MessageId(number), now });
    }

    /// A head flit has started on a channel.
    fn head_started(&mut self, start: HeadStart) {
        let HeadStart { number, hop, vc, at } = start;
        let at = self.tick(at);
        let (message, hop, channel) = (MessageId(number), hop as usize, ChannelId(vc));
        self.observer.event(Event::Started { message, hop, channel, at });
    }

    /// Flits of message `number` leave by VC `vc`, one a cycle from cycle `at` on.
    fn flits_left(&mut self, number: u32, vc: u32, at: u64, flits: u32) {
        for cycle in at..at + u64::from(flits) {
            let start = self.tick(cycle);
            self.observer.event(Event::Left { message: MessageId(number), channel: ChannelId(vc), at: start });
        }
    }

    /// VC `vc` can be granted again from cycle `at` on.
    fn freed(&mut self, vc: u32, at: u64) {
        let at = self.tick(at);
        let freed = self.holders.as_mut().and_then(|holders| holders.free(vc, at));
        self.release(freed);
    }

    /// The tail of message `number` has left its injection channel, as its source knows in cycle `at`.
    fn left(&mut self, number: u32, at: u64) {
        let at = self.tick(at);
        if let Some(holders) = &mut self.holders {
            holders.leave(number, at);
        }
        self.signal_to_program(Signal::Left { id: MessageId(number), at });
    }

    /// Signals a step of a message before its delivery, unless the run is live: then only deliveries have an effect.
    #[inline]
    fn signal_to_program(&mut self, signal: Signal) {
        if self.hosts.is_none() {
            self.program.signal(signal, &mut self.requests);
            self.requests.take_to(&mut self.queue);
        }
    }

    /// A message arrives.
    fn delivered(&mut self, delivery: &Delivery) {
        let delivered = self.tick(delivery.delivered);
        if self.worms.is_some() && self.deliver_worm(delivery, delivered) {
            return;
        }
        let passage = &mut self.passages[MessageId(delivery.number)];
        passage.delivered = delivered;
        passage.hops = delivery.hops;
        self.queue.push(QueuedEvent { time: delivered, kind: Kind::Deliver, number: delivery.number });
    }
}

impl<P: Program, O: Observer> Traffic for Nodes<'_, P, O> {
    fn is_closed(&self) -> bool {
        true
    }

    fn next(&mut self, node: u32, channel: u32) -> Option<Offer> {
        let offer = self.front(node, channel);
        self.waiting.line(node as usize, channel as usize).pop();
        offer
    }

    fn front(&self, node: u32, channel: u32) -> Option<Offer> {
        let (requested, number) = self.waiting.first(node as usize, channel as usize)?;
        let (_, dst, flits) = self.program.message(MessageId(number));
        Some(Offer {
            number,
            created: self.cycle(requested),
            dst: dst.0,
            flits: narrow(flits.on_wire(), "longer messages are refused before the run"),
            random_bits: (self.setup.random_bits)(MessageId(number)),
            class: self.program.class(MessageId(number)),
            sequence: number,
        })
    }

    fn queues(&self) -> u32 {
        self.hosts.as_ref().map_or(1, Hosts::queues)
    }

    fn classes(&self) -> Vec<MessageClass> {
        self.hosts.as_ref().map_or_else(Vec::new, |hosts| hosts.classes.clone())
    }

    fn name(&self, number: u32) -> u32 {
        self.program.name(MessageId(number)).0
    }

    fn held_slots(&self) -> Option<u32> {
        self.hosts.as_ref()?.slots
    }

    fn counts_queues(&self) -> bool {
        self.hosts.as_ref().is_some_and(Hosts::counts_queues)
    }

    fn observes_tails(&self) -> bool {
        self.hosts.is_none() || self.holders.is_some()
    }

    fn observes_departures(&self) -> bool {
        self.setup.interfaces.is_some()
    }

    fn worm(&mut self, number: u32, others: &mut Vec<Member>) {
        let first = MessageId(number);
        let requested = self.passages[first].requested;
        for id in (first.0 + 1..self.program.worm_end(first).0).map(MessageId) {
            self.passages[id].requested = requested;
            others.push(Member { number: id.0, dst: self.program.message(id).1.0 });
        }
    }

    fn tree(&mut self, number: u32) -> Option<TreePacket> {
        self.tree_packet(number)
    }

    fn waits(&self, node: u32, channel: u32) -> bool {
        self.waiting.first(node as usize, channel as usize).is_some()
    }

    fn admits(&mut self, number: u32) -> bool {
        self.program.admits(MessageId(number))
    }

    fn advance(&mut self, now: u64, woken: &mut Vec<u32>) {
        let now = self.tick(now);
        woken.append(&mut self.woken);
        while self.queue.next_time().is_some_and(|time| time <= now) {
            let Some(event) = self.queue.pop() else { return };
            woken.extend(self.happen(event).map(|node| node.0));
        }
    }

    fn next_event(&self) -> Option<u64> {
        if !self.woken.is_empty() {
            return Some(0); // their sources learn of it in the next cycle, whichever that is
        }
        self.queue.next_time().map(|time| self.cycle(time))
    }

    fn horizon(&self) -> Option<u64> {
        Some(self.cycle(self.horizon))
    }

    fn path(&mut self, number: u32, path: &mut Vec<Hop>) {
        let Some(network) = self.setup.fixed else { return };
        self.channels.clear();
        self.program.path(MessageId(number), network, &mut self.channels);
        let links = &self.channels[1..self.channels.len() - 1];
        #[expect(clippy::expect_used, reason = "routers are made only for networks whose links leave by ports")]
        let hop = |&link: &ChannelId| {
            network.channels().hop(link).expect("a fixed path leads over links that leave by ports")
        };
        path.extend(links.iter().map(hop));
    }

    fn is_watched(&self) -> bool {
        self.holders.is_some()
    }

    fn event(&mut self, event: RouterEvent) {
        match event {
            RouterEvent::Granted(granted) if self.worms.is_some() => self.source_granted(granted),
            RouterEvent::Granted(granted) => self.granted(granted),
            RouterEvent::Tree(event) => self.tree_event(event),
            RouterEvent::HeadStarted(start) => self.head_started(start),
            // flits of worms are those of several messages
            RouterEvent::Sent { .. } if self.worms.is_some() => {}
            RouterEvent::Sent { number, vc, at, flits } => self.flits_left(number, vc, at, flits),
            RouterEvent::Freed { vc, at } => self.freed(vc, at),
            RouterEvent::Departed { number, at } => self.departed(number, at),
            RouterEvent::LeftSource { .. } | RouterEvent::Connected { .. } => {}
            RouterEvent::SlotsHeld { number, vc, slots: flits } => {
                if let Some(hosts) = &mut self.hosts {
                    hosts.add_slots(MessageId(number), Slots { vc, flits });
                }
            }
            RouterEvent::Injecting { number, at, flits } => {
                let id = MessageId(number);
                let (src, ..) = self.program.message(id);
                let class = self.program.class(id);
                if let Some(hosts) = &mut self.hosts {
                    hosts.start(src, class, at, flits);
                }
            }
            RouterEvent::TailLeft { number, at } => self.left(number, at),
            RouterEvent::Accepted { flits, cycles, .. } => self.arrived += u64::from(flits) * u64::from(cycles),
            RouterEvent::Delivered(delivery) => self.delivered(&delivery),
        }
    }

    fn goes_on(&self, _: u64) -> bool {
        self.undelivered > 0 || self.queue.next_time().is_some()
    }

    fn progress(&self, _: u64) -> (u64, u64) {
        (self.arrived, self.flits)
    }

    fn counted(&self) -> Range<u64> {
        0..0
    }
}
