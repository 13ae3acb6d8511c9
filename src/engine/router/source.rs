//! Sources: each injection channel sends the packets of its queues, a flit a cycle, as credits allow.
//!
//! A queue sends its packets one after the other, each by a VC of its class. An injection channel with several queues sends flits of
//! several packets in turn, each by another VC.

use super::active::ActiveSet;
use super::delay::Calendar;
use super::staged::{PortSlots, VcSlots};
use super::traffic::NextPacket;
use crate::engine::router::{BufferPolicy, Connection, MessageClass, Priority, RouterCosts, Switching};

/// A queue of an injection channel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Queue {
    /// The next packet, while none is being sent.
    pub(crate) next: NextPacket,
    /// The number in the network of the packet that is being sent.
    pub(crate) packet: u32,
    /// Flits of the packet that have not left, or 0 if it has not begun.
    pub(crate) left: u32,
    /// The VC that it takes, or before that the VC of the last packet.
    pub(crate) vc: usize,
    /// The priority of the packet that is being sent.
    pub(crate) priority: i64,
}

/// An injection channel of a node.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) queues: Vec<Queue>,
    /// The first cycle in which it can send again.
    pub(crate) free_at: u64,
    /// The queue that has sent last.
    last: usize,
    /// Free slots behind each VC. Where VCs share a buffer, slots of it that the VC does not occupy.
    credits: Vec<u32>,
    /// Slots of the buffer behind each VC.
    buffer: u32,
    /// VCs for which a slot is set aside, where they share a buffer.
    set_aside: Vec<bool>,
}

/// The rules of all sources.
#[derive(Clone, Debug)]
pub(crate) struct SourceRules {
    /// The condition for a packet to begin.
    start: StartCondition,
    /// The division of the buffers behind injection channels.
    buffers: BufferPolicy,
    /// The priority of packets of different queues.
    priority: Priority,
    /// The time for which the packet of a queue has the injection channel.
    connection: Connection,
    /// The classes of packets, by the VCs that they may take.
    pub(crate) classes: Vec<MessageClass>,
    /// True if a source has to know a packet before the packet can begin.
    pub(crate) reads_packets: bool,
}

/// The condition for a packet to begin on a VC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StartCondition {
    /// There is a free slot.
    Slot,
    /// The buffer is empty.
    Empty,
    /// The packet fits.
    Packet,
}

impl SourceRules {
    /// Creates the rules of sources of `queues` queues at routers with `costs`, whose packets have these `classes`.
    pub(crate) fn new(costs: &RouterCosts, queues: usize, classes: Vec<MessageClass>) -> Self {
        let options = costs.microarchitecture;
        let start = match options.switching {
            _ if costs.atomic => StartCondition::Empty,
            Switching::Wormhole => StartCondition::Slot,
            Switching::VirtualCutThrough | Switching::StoreAndForward => StartCondition::Packet,
        };
        let priority = options.priority.priority;
        let reads_packets = queues > 1 || start == StartCondition::Packet || classes.len() > 1;
        Self { start, buffers: options.buffers, priority, connection: options.connection, classes, reads_packets }
    }

    /// The priority of a packet of `class`, generated in the cycle `created`.
    pub(crate) fn priority(&self, class: u8, created: u64) -> i64 {
        match self.priority {
            Priority::Class => self.classes[usize::from(class)].priority.into(),
            Priority::Age => -i64::try_from(created).unwrap_or(i64::MAX),
            _ => 0,
        }
    }
}

/// A packet that a queue can begin to send.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Front {
    /// The class.
    pub(crate) class: u8,
    /// The length.
    pub(crate) flits: u32,
}

impl Source {
    /// Creates a source of `queues` queues without packets, with `vcs` VCs and buffers of `buffer` flits behind them.
    pub(crate) fn new(queues: usize, vcs: usize, buffer: u32) -> Self {
        // the first packet of a single queue takes the VC after VC 0, that of one of several queues the first VC of its class
        let vc = if queues == 1 { 0 } else { usize::MAX };
        let queue = Queue { next: NextPacket::None, packet: 0, left: 0, vc, priority: 0 };
        Self {
            queues: vec![queue; queues],
            free_at: 0,
            last: 0,
            credits: vec![buffer; vcs],
            buffer,
            set_aside: vec![false; vcs],
        }
    }

    /// The VC with a slot for the next flit of `queue`: that of its packet, and for a new packet, `front`, the next one in turn that
    /// is free and has room for it.
    #[inline]
    pub(crate) fn vc_with_room(&self, rules: &SourceRules, queue: usize, front: Front) -> Option<usize> {
        let Queue { left, vc: last, .. } = self.queues[queue];
        if left > 0 {
            return (self.room(rules, last) > 0).then_some(last);
        }
        let MessageClass { first, last: end, .. } = rules.classes[usize::from(front.class)];
        let [first, end] = [first, end].map(usize::from);
        let has_room = |vc: &usize| {
            let needed = if rules.start == StartCondition::Packet { front.flits } else { 1 };
            // a single VC may not get all slots of a shared buffer
            let is_empty = self.credits[*vc] == self.buffer;
            let starts = is_empty || rules.start != StartCondition::Empty;
            starts && self.room(rules, *vc) >= needed && !self.is_held(*vc)
        };
        if first == end || !(first..=end).contains(&last) {
            return Some(first).filter(has_room);
        }
        let vcs = end + 1 - first;
        (1..=vcs).map(|step| first + (last - first + step) % vcs).find(has_room)
    }

    /// Returns true if a packet holds VC `vc`.
    #[inline]
    fn is_held(&self, vc: usize) -> bool {
        self.queues.len() > 1 && self.queues.iter().any(|queue| queue.left > 0 && queue.vc == vc)
    }

    /// The number of flits that can be sent by VC `vc`.
    #[inline]
    fn room(&self, rules: &SourceRules, vc: usize) -> u32 {
        if rules.buffers == BufferPolicy::Private {
            return self.credits[vc];
        }
        let slots = (0..self.credits.len()).map(|vc| self.slots(vc));
        PortSlots::new(rules.buffers, slots).map_or(0, |port| port.room(self.slots(vc)))
    }

    fn slots(&self, vc: usize) -> VcSlots {
        let is_held = self.queues.iter().any(|queue| queue.left > 0 && queue.vc == vc);
        VcSlots { occupied: self.buffer - self.credits[vc], set_aside: self.set_aside[vc].into(), is_held }
    }

    /// The queues in the order in which they may send: after the one that has sent last, round robin, and those of higher priority
    /// first. A queue that holds the channel comes first of its priority.
    pub(crate) fn order(&self, rules: &SourceRules, priority: impl Fn(usize) -> i64) -> impl Iterator<Item = usize> {
        let count = self.queues.len();
        let holds = rules.connection == Connection::Packet && self.queues[self.last].left > 0;
        let first = if holds { self.last } else { self.last + 1 };
        let mut order: Vec<usize> = (0..count).map(|step| (first + step) % count).collect();
        order.sort_by_key(|&queue| std::cmp::Reverse(priority(queue)));
        order.into_iter()
    }

    /// Lets `queue` begin to send packet `packet` of `flits` flits by VC `vc`.
    #[inline]
    pub(crate) fn begin(&mut self, queue: usize, vc: usize, flits: u32, packet: u32) {
        let queue = &mut self.queues[queue];
        queue.vc = vc;
        queue.left = flits;
        queue.packet = packet;
    }

    /// The first cycle in which it can send a flit if it has a credit, or `None` if it has no packet.
    #[inline]
    fn begins_at(&self) -> Option<u64> {
        let begins_at = |queue: &Queue| match queue.next {
            _ if queue.left > 0 => Some(self.free_at),
            NextPacket::None => None,
            NextPacket::Made(offer) => Some(self.free_at.max(offer.created)),
            NextPacket::Waiting => Some(self.free_at),
        };
        match self.queues.as_slice() {
            [queue] => begins_at(queue),
            queues => queues.iter().filter_map(begins_at).min(),
        }
    }

    /// Sends a run of flits of `queue`, `longest` at most, and returns its length.
    #[inline]
    pub(crate) fn send(&mut self, queue: usize, longest: u32) -> u32 {
        self.last = queue;
        let queue = &mut self.queues[queue];
        let flits = queue.left.min(self.credits[queue.vc]).min(longest);
        self.credits[queue.vc] -= flits;
        self.set_aside[queue.vc] = false; // the flit takes it, and the tail returns it
        queue.left -= flits;
        flits
    }
}

/// All sources, and the cycles in which they send.
pub(crate) struct Sources {
    /// By number.
    pub(crate) sources: Vec<Source>,
    pub(crate) rules: SourceRules,
    /// Flits of the longest run: those of a run are taken from the credits when it begins.
    pub(crate) longest_run: u32,
    /// Sources that send in this cycle if they have a credit.
    pub(crate) sending: ActiveSet,
    /// Nodes that have a new packet, while their sources are activated.
    pub(crate) woken: Vec<u32>,
    /// Cycles in which the packets of other sources are due.
    later: Calendar,
}

impl Sources {
    /// Creates sources without packets, which send runs of up to `longest_run` flits.
    pub(crate) fn new(sources: Vec<Source>, rules: SourceRules, longest_run: u32) -> Self {
        let sending = ActiveSet::new(sources.len());
        Self { sending, sources, rules, longest_run, woken: Vec::new(), later: Calendar::new() }
    }

    /// Deactivates source `number` until it can send again, unless that is in the next cycle.
    #[inline]
    pub(crate) fn deactivate(&mut self, now: u64, number: usize) {
        match self.sources[number].begins_at() {
            Some(next) if next > now + 1 || !self.sending.contains(number) => {
                self.sending.remove(number);
                self.wait(now, number, next);
            }
            Some(_) => {}
            None => self.sending.remove(number),
        }
    }

    /// Activates source `number` in the cycle `at`.
    #[expect(clippy::cast_possible_truncation, reason = "sources are numbered with 32 bits")]
    fn wait(&mut self, now: u64, number: usize, at: u64) {
        self.later.add(now, at, number as u32);
    }

    /// Activates the sources of the nodes in `woken`, each of which has `channels`.
    #[inline(always)]
    pub(crate) fn wake_all(&mut self, now: u64, channels: usize) {
        while let Some(node) = self.woken.pop() {
            let first = node as usize * channels;
            (first..first + channels).for_each(|source| self.wake(now, source));
        }
    }

    /// Notes that a packet waits for source `number`.
    fn wake(&mut self, now: u64, number: usize) {
        let source = &mut self.sources[number];
        let mut idle = source.queues.iter_mut().filter(|queue| queue.left == 0).peekable();
        if idle.peek().is_none() {
            return; // it looks for the next packet when it has sent this one
        }
        idle.for_each(|queue| queue.next = NextPacket::Waiting);
        let free_at = source.free_at;
        if free_at <= now {
            self.sending.insert(number);
        } else {
            self.wait(now, number, free_at);
        }
    }

    /// Activates the sources whose next packet is due by cycle `now`.
    #[inline]
    pub(crate) fn advance(&mut self, now: u64) {
        let Self { later, sending, .. } = self;
        later.take(now, |number| sending.insert(number as usize));
    }

    /// Adds credits for VC `vc` of source `number`, the first of which arrives in this cycle.
    #[inline(never)]
    pub(crate) fn credit(&mut self, now: u64, number: usize, vc: usize, credits: u32) {
        let source = &mut self.sources[number];
        source.credits[vc] += credits;
        if self.rules.buffers != BufferPolicy::Private {
            let VcSlots { occupied, is_held, .. } = source.slots(vc);
            source.set_aside[vc] |= occupied == 0 && is_held;
        }
        if source.begins_at().is_some_and(|at| at <= now) {
            self.sending.insert(number);
        }
    }

    /// The next cycle from `now` on in which a source that is not active sends.
    pub(crate) fn next(&self, now: u64) -> Option<u64> {
        self.later.next(now)
    }
}
