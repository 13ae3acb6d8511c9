//! Nodes that execute a collective step by step, or message by message as their data come.
//!
//! With a *barrier* between steps, all messages of a step may start when all messages of the step before are received and
//! combined. A node starts its own in the order of their numbers, one on each port, the next when a port is free.
//!
//! Without one, a message may start when every message of an earlier step that brings its source something of what it
//! carries is received and combined. A node has a queue for each part of the vector, in the order of the numbers. Of the
//! messages at the heads of the queues whose data are there, the one that was ready first takes the next free port, and of
//! those that became ready together the one that came to the head of its queue first, or else has the smallest number. A
//! message is ready when its data are there and it stands at the head of its queue: otherwise a part whose data are there
//! from the start would take all ports.
//!
//! A port is free again `t_hold` after its last send started, and not before that one's tail has left. What arrives early is
//! always taken in: a receiver that refused it would hold up channels that others need, and can deadlock.

use super::cause::{CauseLog, LastSend, Ready};
use super::{Causes, MessageSet, Program, Requests, Signal};
use crate::costs::Stragglers;
use crate::engine::MessageOutcome;
use crate::schedule::Pace;
use crate::schedule::collective::{Action, Collective, CollectiveMessage, Dependencies};
use crate::units::{Flits, MessageId, NodeId, Ticks, narrow};

/// What a message costs its two ends, in ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Overheads {
    /// From the start of its send to the request of an injection channel.
    pub send: Ticks,
    /// From the start of its send to the next start on the same port.
    pub hold: Ticks,
    /// From its delivery until it is received.
    pub receive: Ticks,
    /// From then until it is combined with what the receiver holds, if it is.
    pub reduce: Ticks,
}

/// A collective executed by nodes with overheads.
#[derive(Clone, Debug)]
pub struct CollectiveProgram<'a> {
    collective: &'a Collective,
    /// Per rank its node.
    nodes: &'a [NodeId],
    /// Per set of positions what a message that carries it costs; the last one is that of signals.
    overheads: Vec<Overheads>,
    /// The costs of slow nodes, if there are any.
    slow: Option<SlowNodes<'a>>,
    progress: Progress,
    causes: CauseLog,
}

#[derive(Clone, Debug)]
enum Progress {
    Together(Together),
    Apart(Apart),
}

impl<'a> CollectiveProgram<'a> {
    /// `collective` with rank `i` on `nodes[i]`, each with `ports` ports; `overheads` says what a message of a payload costs.
    ///
    /// # Panics
    /// If there are fewer nodes than ranks, or no ports.
    pub fn new(
        collective: &'a Collective,
        nodes: &'a [NodeId],
        ports: usize,
        pace: Pace,
        overheads: impl Fn(Flits) -> Overheads,
    ) -> Self {
        assert!(nodes.len() >= collective.ranks() && ports > 0, "{} nodes of {ports} ports", nodes.len());
        let payloads = collective.payloads().chain([Flits(0)]);
        let progress = match pace {
            Pace::Synchronous => Progress::Together(Together::new(collective, ports)),
            Pace::Asynchronous => Progress::Apart(Apart::new(collective, ports)),
        };
        let overheads = payloads.map(overheads).collect();
        Self { collective, nodes, overheads, slow: None, progress, causes: CauseLog::default() }
    }

    /// Lets `stragglers` take longer, to which a message of a payload costs what `overheads` says.
    #[must_use]
    pub fn with_stragglers(self, stragglers: Option<&'a Stragglers>, overheads: impl Fn(Flits) -> Overheads) -> Self {
        let payloads = || self.collective.payloads().chain([Flits(0)]);
        let slow = stragglers.map(|nodes| SlowNodes { nodes, overheads: payloads().map(overheads).collect() });
        Self { slow, ..self }
    }

    fn costs(&self) -> Costs<'_> {
        let slow = self.slow.as_ref();
        Costs { collective: self.collective, nodes: self.nodes, overheads: &self.overheads, slow }
    }

    /// What starts messages, and what it starts.
    fn parts(&mut self) -> (Starter<'_>, &mut Progress) {
        let slow = self.slow.as_ref();
        let costs = Costs { collective: self.collective, nodes: self.nodes, overheads: &self.overheads, slow };
        (Starter { costs, causes: &mut self.causes }, &mut self.progress)
    }

    /// When the send of message `id` started, if it requested its injection channel at `requested`.
    pub fn send_start(&self, id: MessageId, requested: Ticks) -> Ticks {
        requested - self.costs().of_source(id).send
    }
}

/// What messages cost.
struct Costs<'a> {
    collective: &'a Collective,
    nodes: &'a [NodeId],
    overheads: &'a [Overheads],
    slow: Option<&'a SlowNodes<'a>>,
}

/// Nodes that are slower than others.
#[derive(Clone, Debug)]
struct SlowNodes<'a> {
    nodes: &'a Stragglers,
    /// Per set of positions what a message costs them, as for other nodes.
    overheads: Vec<Overheads>,
}

impl Costs<'_> {
    /// The overheads of `message` at `rank`, its source or destination.
    #[inline]
    fn of_end(&self, message: &CollectiveMessage, rank: usize) -> Overheads {
        let of_signals = self.overheads.len() - 1;
        let at = if message.action == Action::Signal { of_signals } else { message.set.index() };
        match self.slow {
            Some(slow) if slow.nodes.contains(self.nodes[rank]) => slow.overheads[at],
            _ => self.overheads[at],
        }
    }

    /// The overheads of message `id` at its source.
    #[inline]
    fn of_source(&self, id: MessageId) -> Overheads {
        let message = self.collective.message(id);
        self.of_end(&message, message.src)
    }

    fn source(&self, id: MessageId) -> usize {
        self.collective.message(id).src
    }
}

/// What ranks need to start messages.
struct Starter<'a> {
    costs: Costs<'a>,
    causes: &'a mut CauseLog,
}

impl MessageSet for CollectiveProgram<'_> {
    fn messages(&self) -> usize {
        self.collective.len()
    }

    fn message(&self, id: MessageId) -> (NodeId, NodeId, Flits) {
        let CollectiveMessage { src, dst, flits, .. } = self.collective.message(id);
        (self.nodes[src], self.nodes[dst], flits)
    }

    fn receive_time(&self, id: MessageId) -> Ticks {
        let message = self.collective.message(id);
        let Overheads { receive, reduce, .. } = self.costs().of_end(&message, message.dst);
        if message.action == Action::Reduce { receive + reduce } else { receive }
    }
}

impl Program for CollectiveProgram<'_> {
    fn signal(&mut self, signal: Signal, requests: &mut Requests) {
        match signal {
            Signal::Start => self.start(requests),
            Signal::Left { id, at } => self.leave(id, at, requests),
            Signal::Delivered { id, now } => self.deliver(id, now, requests),
            Signal::Timer { token, now } => self.wake(token, now, requests),
            Signal::KeepCauses => self.keep_causes(),
            Signal::Requested { .. } | Signal::Departed { .. } => {}
        }
    }

    fn stage_end(&self, first: MessageId) -> MessageId {
        match self.progress {
            Progress::Together(_) => MessageId(self.collective.step(self.collective.step_of(first)).end),
            Progress::Apart(_) => MessageId::new(self.collective.len()),
        }
    }

    fn causes(&self, _: &[MessageOutcome]) -> Causes {
        Causes { sends: self.causes.sends(), ..Causes::default() }
    }
}

impl CollectiveProgram<'_> {
    fn start(&mut self, requests: &mut Requests) {
        let all = self.collective.ranks();
        let (mut starter, progress) = self.parts();
        match progress {
            Progress::Together(ranks) => ranks.start_step(&mut starter, requests),
            Progress::Apart(ranks) => {
                for rank in 0..all {
                    ranks.advance(&mut starter, rank, Ticks::ZERO, requests);
                }
            }
        }
    }

    fn leave(&mut self, id: MessageId, at: Ticks, requests: &mut Requests) {
        let (starter, progress) = self.parts();
        match progress {
            Progress::Together(ranks) => ranks.free_port(&starter.costs, id, at, requests),
            Progress::Apart(ranks) => ranks.free_port(&starter.costs, id, at, requests),
        }
    }

    fn deliver(&mut self, id: MessageId, now: Ticks, requests: &mut Requests) {
        let received = now + self.receive_time(id);
        let (mut starter, progress) = self.parts();
        match progress {
            Progress::Together(ranks) => ranks.receive(&mut starter, id, received, requests),
            Progress::Apart(ranks) => ranks.receive(&starter.costs, id, received, requests),
        }
    }

    fn wake(&mut self, rank: u32, now: Ticks, requests: &mut Requests) {
        let (mut starter, progress) = self.parts();
        match progress {
            Progress::Together(ranks) => ranks.advance(&mut starter, rank as usize, now, requests),
            Progress::Apart(ranks) => ranks.advance(&mut starter, rank as usize, now, requests),
        }
    }

    fn keep_causes(&mut self) {
        self.causes.keep(self.collective.len());
    }
}

/// Ends a queue of messages.
const NONE: u32 = u32::MAX;

/// A message that can start.
#[derive(Clone, Copy, Debug)]
struct ReadyMessage {
    id: MessageId,
    /// Since when it could, but for its port.
    ready: Ready,
    now: Ticks,
}

/// The ports of a rank.
#[derive(Clone, Debug)]
struct Ports {
    /// The last sends of those that are not sending.
    free: Vec<LastSend>,
    /// What is on its way out.
    sending: Vec<LastSend>,
}

impl Ports {
    fn new(ports: usize) -> Self {
        Self { free: vec![LastSend::default(); ports], sending: Vec::new() }
    }

    /// The place of the port that is free first, if one is not sending.
    fn first_free(&self) -> Option<usize> {
        (0..self.free.len()).min_by_key(|&port| self.free[port].free_from())
    }

    /// Starts `message` now, or when the port at place `port` is free; when that is, and why.
    fn start(
        &mut self,
        port: usize,
        message: ReadyMessage,
        starter: &mut Starter<'_>,
        requests: &mut Requests,
    ) -> Ready {
        let ReadyMessage { id, ready, now } = message;
        let last = self.free.swap_remove(port);
        let start = now.max(last.free_from());
        let Overheads { send, hold, .. } = starter.costs.of_source(id);
        requests.request(id, start + send);
        let cause = last.cause(start, ready);
        starter.causes.note(id, start, || cause);
        self.sending.push(LastSend { message: Some(id), held_until: start + hold, left: Ticks::ZERO });
        Ready { at: start, cause }
    }

    /// The tail of message `id` leaves at `at`: when its port is free.
    fn left(&mut self, id: MessageId, at: Ticks) -> Ticks {
        let place = self.sending.iter().position(|send| send.message == Some(id));
        #[expect(clippy::expect_used, reason = "an engine tells of the tails of messages that were requested")]
        let send = self.sending.swap_remove(place.expect("a message that leaves was started"));
        let sent = LastSend { left: at, ..send };
        self.free.push(sent);
        sent.free_from()
    }
}

/// Ranks that wait for each other after every step.
#[derive(Clone, Debug)]
struct Together {
    step: usize,
    /// Messages of the step that have not been received.
    left: usize,
    /// When the last of those that have been was received.
    ready: Ready,
    /// When the step began.
    began: Ready,
    ranks: Vec<Queue>,
    /// Per message the next of its source in the same step.
    next: Vec<u32>,
}

/// What a rank has to send in a step.
#[derive(Clone, Debug)]
struct Queue {
    ports: Ports,
    first: u32,
    last: u32,
}

impl Together {
    fn new(collective: &Collective, ports: usize) -> Self {
        let longest = (0..collective.steps()).map(|step| collective.step(step).len()).max().unwrap_or_default();
        let queue = Queue { ports: Ports::new(ports), first: NONE, last: NONE };
        Self {
            step: 0,
            left: 0,
            ready: Ready::START,
            began: Ready::START,
            ranks: vec![queue; collective.ranks()],
            next: vec![NONE; longest],
        }
    }

    fn start_step(&mut self, starter: &mut Starter<'_>, requests: &mut Requests) {
        let collective = starter.costs.collective;
        if self.step == collective.steps() {
            return;
        }
        let messages = collective.step(self.step);
        self.left = messages.len();
        self.began = self.ready;
        for id in messages.clone() {
            let queue = &mut self.ranks[starter.costs.source(MessageId(id))];
            // a tail of the step before may leave after its arrival, where a channel has a delay that its buffer does not cover
            if queue.first == NONE
                && let Some(port) = queue.ports.first_free()
            {
                let message = ReadyMessage { id: MessageId(id), ready: self.began, now: self.began.at };
                queue.ports.start(port, message, starter, requests);
                continue;
            }
            let at = (id - messages.start) as usize;
            self.next[at] = NONE;
            if queue.first == NONE {
                queue.first = id;
            } else {
                self.next[(queue.last - messages.start) as usize] = id;
            }
            queue.last = id;
        }
    }

    /// The tail of message `id` leaves at `at`. If its source has more to send, that waits for the time when the port is free:
    /// engines may tell of a tail before another one that leaves earlier.
    fn free_port(&mut self, costs: &Costs<'_>, id: MessageId, at: Ticks, requests: &mut Requests) {
        let rank = costs.source(id);
        let queue = &mut self.ranks[rank];
        let free = queue.ports.left(id, at);
        if queue.first != NONE {
            requests.timer(narrow(rank, "ranks are numbered with 32 bits"), free);
        }
    }

    /// Starts what `rank` has waiting on the ports that are free at `now`, or when the step begins if that is later.
    fn advance(&mut self, starter: &mut Starter<'_>, rank: usize, now: Ticks, requests: &mut Requests) {
        let now = now.max(self.began.at);
        let queue = &mut self.ranks[rank];
        while queue.first != NONE
            && let Some(port) = queue.ports.first_free()
            && queue.ports.free[port].free_from() <= now
        {
            let waiting = queue.first;
            let first = starter.costs.collective.step(self.step).start;
            queue.first = self.next[(waiting - first) as usize];
            let message = ReadyMessage { id: MessageId(waiting), ready: self.began, now };
            queue.ports.start(port, message, starter, requests);
        }
    }

    fn receive(&mut self, starter: &mut Starter<'_>, id: MessageId, received: Ticks, requests: &mut Requests) {
        self.ready.wait_to_receive(id, received);
        self.left -= 1;
        if self.left == 0 {
            self.step += 1;
            self.start_step(starter, requests);
        }
    }
}

/// Ranks whose messages start when their data are there.
#[derive(Clone, Debug)]
struct Apart {
    needs: Dependencies,
    parts: usize,
    ranks: Vec<Ports>,
    /// Per rank how many sends it has started.
    sends: Vec<u32>,
    /// Per rank and part the head of its queue.
    heads: Vec<Head>,
    /// Per message the next of its source and part.
    next: Vec<u32>,
    /// Per message when it is received and combined; [`NEVER`] as long as that is not known.
    received: Vec<Ticks>,
}

/// Later than anything happens.
const NEVER: Ticks = Ticks(u64::MAX);

/// The message that a rank sends next of a part.
#[derive(Clone, Copy, Debug)]
struct Head {
    message: u32,
    /// How many of the messages that it needs are known to be received, by number.
    known: u32,
    /// When the last of those is, and not before it came to the head of its queue.
    ready: Ready,
    /// Which of the sends of its rank brought it there.
    turn: u32,
}

impl Apart {
    fn new(collective: &Collective, ports: usize) -> Self {
        let parts = collective.parts();
        let mut heads =
            vec![Head { message: NONE, known: 0, ready: Ready::START, turn: 0 }; collective.ranks() * parts];
        let mut next = vec![NONE; collective.len()];
        for id in (0..collective.len()).rev().map(MessageId::new) {
            let message = collective.message(id);
            let head = &mut heads[message.src * parts + message.part];
            next[id.index()] = std::mem::replace(&mut head.message, id.0);
        }
        Self {
            needs: Dependencies::new(collective),
            parts,
            ranks: vec![Ports::new(ports); collective.ranks()],
            sends: vec![0; collective.ranks()],
            heads,
            next,
            received: vec![NEVER; collective.len()],
        }
    }

    /// Starts what `rank` can start at `now`, and comes back when more can be.
    fn advance(&mut self, starter: &mut Starter<'_>, rank: usize, now: Ticks, requests: &mut Requests) {
        loop {
            let ports = &self.ranks[rank];
            let Some(port) = ports.first_free() else { return };
            if ports.free[port].free_from() > now {
                return; // its timer is set
            }
            let Some(part) = self.first_ready(rank) else { return };
            let head = self.heads[rank * self.parts + part];
            if head.ready.at > now {
                // a message that is received later comes with a timer of its own
                return;
            }
            let starts = ReadyMessage { id: MessageId(head.message), ready: head.ready, now };
            let ready = self.ranks[rank].start(port, starts, starter, requests);
            let message = self.next[head.message as usize];
            self.sends[rank] += 1;
            self.heads[rank * self.parts + part] = Head { message, known: 0, ready, turn: self.sends[rank] };
        }
    }

    /// The part whose head of `rank` is ready first, of those that are known to become ready.
    fn first_ready(&mut self, rank: usize) -> Option<usize> {
        let mut first: Option<((Ticks, u32, u32), usize)> = None;
        for part in 0..self.parts {
            let head = &mut self.heads[rank * self.parts + part];
            if head.message == NONE {
                continue;
            }
            let needs = self.needs.needs(MessageId(head.message));
            while let Some(needed) = needs.get(head.known as usize) {
                let received = self.received[needed.index()];
                if received == NEVER {
                    break;
                }
                head.ready.wait_to_receive(*needed, received);
                head.known += 1;
            }
            let known = head.known as usize == needs.len();
            let candidate = ((head.ready.at, head.turn, head.message), part);
            if known && first.is_none_or(|first| candidate < first) {
                first = Some(candidate);
            }
        }
        first.map(|(_, part)| part)
    }

    fn free_port(&mut self, costs: &Costs<'_>, id: MessageId, at: Ticks, requests: &mut Requests) {
        let rank = costs.source(id);
        let free = self.ranks[rank].left(id, at);
        requests.timer(narrow(rank, "ranks are numbered with 32 bits"), free);
    }

    fn receive(&mut self, costs: &Costs<'_>, id: MessageId, received: Ticks, requests: &mut Requests) {
        self.received[id.index()] = received;
        let rank = costs.collective.message(id).dst;
        requests.timer(narrow(rank, "ranks are numbered with 32 bits"), received);
    }
}
