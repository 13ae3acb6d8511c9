//! Ranks that execute their operations on nodes of the network.
//!
//! A rank starts an operation when all that it requires has finished, or started:
//!
//! - a send, when one of the node's ports is free and its processor does not compute. Its message requests an injection
//!   channel `t_send` later, which is also when it has finished; its port is free again after `t_hold`;
//! - a receive, at once. It takes the first message delivered that fits, by source and tag, and has finished `t_recv`
//!   after the delivery, or when it is started if that is later. MessageSet for which no receive is posted yet are kept;
//! - a computation, when its processor neither computes nor sends.
//!
//! Who waits for a processor or a port goes on in the order of (time, operation). Receives overlap with everything, as in
//! [`super::ScheduleProgram`], so a multicast as operations takes the same time as the multicast itself. An operation's interface
//! number is not used: how many ports a node has is the machine's business. Nothing here waits for a rendezvous.

use super::cause::{CauseLog, Ready};
use super::{Cause, Causes, Computation, MessageSet, Program, Requests, Signal};
use crate::costs::{NodeCosts, Noise, Stragglers};
use crate::engine::MessageOutcome;
use crate::schedule::goal::{Action, Goal, GoalViolation, Matching, Operation};
use crate::units::{Flits, MessageId, NodeId, Ticks, narrow};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Operations of ranks on nodes with overheads.
#[derive(Clone, Debug)]
pub struct GoalProgram<'a> {
    goal: &'a Goal,
    /// Per rank: its node.
    nodes: &'a [NodeId],
    costs: NodeCosts,
    flit_bytes: u64,
    /// Per rank: the tick at which it starts. Empty if all start at 0.
    starts: &'a [Ticks],
    noise: Option<&'a Noise>,
    /// The slow nodes, if there are any.
    stragglers: Option<&'a Stragglers>,
    /// Per message: its send.
    sends: Vec<u32>,
    /// Per operation: its rank.
    rank: Vec<u32>,
    /// Per operation: how many it still waits for, and the latest end of those it does not wait for any more.
    waits: Vec<u32>,
    ready: Vec<Ready>,
    ranks: Vec<Rank>,
    /// Per rank and processor: what it does.
    processors: Vec<Processor>,
    cpus: usize,
    matching: Matching<'a>,
    /// Per message: when it was received.
    received: Vec<Ticks>,
    /// When the last operation so far has finished, and by what.
    last: Ready,
    causes: CauseLog,
    /// The computations, and the receives of messages, if they are remembered.
    log: Option<OperationLog>,
}

/// The computations of a run so far, and per message the receive that took it.
#[derive(Clone, Debug)]
struct OperationLog {
    computations: Vec<Computation>,
    receives: Vec<u32>,
}

/// Operations that wait to be started: by the time from which they could, and number.
type Line = BinaryHeap<Reverse<(Ticks, u32)>>;

#[derive(Clone, Debug)]
struct Rank {
    sends: Line,
    /// When each port is free, with the message that it sent last.
    ports: BinaryHeap<Reverse<(Ticks, MessageId)>>,
    /// The next tick at which it looks again at what waits.
    looks_at: Ticks,
}

/// Later than anything happens.
const NEVER: Ticks = Ticks(u64::MAX);

#[derive(Clone, Debug)]
struct Processor {
    computations: Line,
    computes_until: Ticks,
    sends_until: Ticks,
    /// The end of its last operation so far.
    last_end: Ticks,
    /// The computation that it does or did last, and the message that it sent last, by number.
    computed: u32,
    sent: MessageId,
}

/// A timer for a rank whose resources are free, rather than for an operation that is ready.
const RANK: u32 = 1 << 31;

impl<'a> GoalProgram<'a> {
    /// `goal`, which must have passed [`Goal::check`], with rank `i` on `nodes[i]` and messages of as many flits of
    /// `flit_bytes` bytes as their bytes fill ([`Flits::from_bytes`]).
    ///
    /// # Panics
    /// If there are fewer nodes than ranks.
    pub fn new(goal: &'a Goal, nodes: &'a [NodeId], costs: &NodeCosts, flit_bytes: u64) -> Self {
        assert!(nodes.len() >= goal.ranks(), "{} nodes for {} ranks", nodes.len(), goal.ranks());
        let operations = goal.operations();
        let sends: Vec<u32> =
            (0..).zip(operations).filter(|(_, o)| o.action == Action::Send).map(|(id, _)| id).collect();
        let cpus = operations.iter().map(|operation| 1 + usize::from(operation.cpu)).max().unwrap_or(1);
        let rank = (0..).zip(0..goal.ranks()).flat_map(|(number, rank)| goal.of_rank(rank).map(move |_| number));
        let ports = std::iter::repeat_n(Reverse((Ticks::ZERO, MessageId(0))), costs.ports.min(operations.len()).max(1));
        Self {
            nodes,
            costs: *costs,
            flit_bytes,
            starts: &[],
            noise: None,
            stragglers: None,
            received: vec![Ticks::ZERO; sends.len()],
            sends,
            rank: rank.collect(),
            waits: goal.waits(),
            ready: vec![Ready::START; operations.len()],
            ranks: vec![Rank { sends: Line::new(), ports: ports.collect(), looks_at: NEVER }; goal.ranks()],
            processors: vec![Processor::IDLE; goal.ranks() * cpus],
            cpus,
            matching: Matching::new(goal),
            last: Ready::START,
            causes: CauseLog::default(),
            log: None,
            goal,
        }
    }

    /// Lets `noise` lengthen computations and the overheads of sends on their processors.
    #[must_use]
    pub fn with_noise(self, noise: Option<&'a Noise>) -> Self {
        Self { noise, ..self }
    }

    /// Lets `stragglers` take longer for messages and computations.
    #[must_use]
    pub fn with_stragglers(self, stragglers: Option<&'a Stragglers>) -> Self {
        Self { stragglers, ..self }
    }

    /// The times from the start of a send of `rank` to the request of its injection channel and to the next send of the port.
    fn send_times(&self, rank: u32, flits: Flits) -> [Ticks; 2] {
        let times = |costs: &NodeCosts| [costs.send(flits), costs.hold(flits)];
        match self.stragglers {
            Some(slow) => times(&slow.costs(self.nodes[rank as usize], self.costs)),
            None => times(&self.costs),
        }
    }

    /// Lets rank `i` start at `starts[i]`, or all ranks at 0 if `starts` is empty.
    #[must_use]
    pub fn with_starts(self, starts: &'a [Ticks]) -> Self {
        Self { starts, ..self }
    }

    /// The length of message `id`.
    ///
    /// # Panics
    /// If there is no such message.
    pub fn flits(&self, id: MessageId) -> Flits {
        self.flits_of(self.sends[id.index()])
    }

    fn flits_of(&self, id: u32) -> Flits {
        Flits::from_bytes(self.goal.operations()[id as usize].size, self.flit_bytes)
    }

    fn message_of(&self, send: u32) -> usize {
        self.sends.partition_point(|&other| other < send)
    }

    fn processor(&mut self, id: u32) -> &mut Processor {
        let at = self.rank[id as usize] as usize * self.cpus + usize::from(self.goal.operations()[id as usize].cpu);
        &mut self.processors[at]
    }

    /// The noise that lengthens operation `id`, which begins at `begin` and takes `length` ticks without it.
    fn noise(&self, id: u32, begin: Ticks, length: Ticks) -> Ticks {
        self.noise.map_or(Ticks::ZERO, |noise| Ticks(noise.added(self.rank[id as usize], begin.0, length.0)))
    }

    /// Operation `id` has all that it waits for.
    fn enter(&mut self, id: u32, now: Ticks, requests: &mut Requests) {
        let operation = &self.goal.operations()[id as usize];
        let rank = self.rank[id as usize];
        match operation.action {
            Action::Receive => {
                let mut end = Ready { at: now, ..self.ready[id as usize] };
                self.started(id, end, requests);
                if let Some(send) = self.matching.post(id, rank) {
                    let message = MessageId::new(self.message_of(send));
                    end.wait_to_receive(message, self.received[message.index()]);
                    self.take(id, message);
                    self.finished(id, end, now, requests);
                }
            }
            Action::Send => {
                self.ranks[rank as usize].sends.push(Reverse((now, id)));
                self.start_sends(rank, now, requests);
            }
            Action::Compute => {
                self.processor(id).computations.push(Reverse((now, id)));
                self.start_computations(rank, now, requests);
            }
        }
    }

    /// Starts the sends of `rank` that can start now; comes back for the next when it can.
    fn start_sends(&mut self, rank: u32, now: Ticks, requests: &mut Requests) {
        while let Some(&Reverse((_, id))) = self.ranks[rank as usize].sends.peek() {
            let port = self.ranks[rank as usize].ports.peek().map(|&Reverse((free, sent))| hold(sent, free));
            let processor = self.processor(id).computed();
            let port_free = port.map_or(now, |port| port.at);
            let from = port_free.max(processor.at);
            if from > now {
                return self.look_again(rank, from, requests);
            }
            let begins = began(now, self.ready[id as usize], port.into_iter().chain([processor]));
            self.send(id, begins, requests);
        }
    }

    /// Send `id`, the first in the line of its rank, begins.
    fn send(&mut self, id: u32, begins: Ready, requests: &mut Requests) {
        let now = begins.at;
        let message = MessageId::new(self.message_of(id));
        let flits = self.flits_of(id);
        let [overhead, hold_time] = self.send_times(self.rank[id as usize], flits);
        let end = now + overhead + self.noise(id, now, overhead);
        let free = now + hold_time;
        let Rank { sends, ports, .. } = &mut self.ranks[self.rank[id as usize] as usize];
        sends.pop();
        ports.pop();
        ports.push(Reverse((free, message)));
        let processor = self.processor(id);
        if end >= processor.sends_until {
            processor.sends_until = end;
            processor.sent = message;
        }
        requests.request(message, now + overhead);
        self.causes.note(message, now, || begins.cause);
        self.started(id, begins, requests);
        self.finished(id, hold(message, end), now, requests);
    }

    fn look_again(&mut self, rank: u32, at: Ticks, requests: &mut Requests) {
        let looks_at = &mut self.ranks[rank as usize].looks_at;
        if at < *looks_at {
            *looks_at = at;
            requests.timer(RANK | rank, at);
        }
    }

    fn start_computations(&mut self, rank: u32, now: Ticks, requests: &mut Requests) {
        for at in rank as usize * self.cpus..(rank as usize + 1) * self.cpus {
            while let Some(&Reverse((_, id))) = self.processors[at].computations.peek() {
                let processor = &self.processors[at];
                let from = processor.computes_until.max(processor.sends_until);
                if from > now {
                    self.look_again(rank, from, requests);
                    break;
                }
                let free = [processor.computed(), hold(processor.sent, processor.sends_until)];
                let begins = began(now, self.ready[id as usize], free.into_iter());
                self.compute(at, begins, requests);
            }
        }
    }

    /// The computation that is first in the line of the processor at place `at` begins.
    fn compute(&mut self, at: usize, begins: Ready, requests: &mut Requests) {
        let Some(Reverse((_, id))) = self.processors[at].computations.pop() else { return };
        let length = Ticks(self.goal.operations()[id as usize].size);
        let length = match self.stragglers {
            Some(slow) => slow.duration(self.nodes[self.rank[id as usize] as usize], length),
            None => length,
        };
        let noise = self.noise(id, begins.at, length);
        let processor = &mut self.processors[at];
        processor.computes_until = begins.at + length + noise;
        if let Some(OperationLog { computations, .. }) = &mut self.log {
            processor.computed = narrow(computations.len(), "operations are numbered with 32 bits");
            let to = processor.computes_until;
            computations.push(Computation { operation: Some(id), from: begins.at, to, cause: begins.cause });
        }
        let end = processor.computed();
        self.started(id, begins, requests);
        self.finished(id, end, begins.at, requests);
    }

    /// Remembers that `receive` takes `message`, if causes are kept.
    fn take(&mut self, receive: u32, message: MessageId) {
        if let Some(log) = &mut self.log {
            log.receives[message.index()] = receive;
        }
    }

    /// Operation `id` starts, when and why `start` says.
    fn started(&mut self, id: u32, start: Ready, requests: &mut Requests) {
        let goal = self.goal;
        self.let_go(goal.after_start(id), start, start.at, requests);
    }

    /// Operation `id` finishes, when and why `end` says, which is known from now on.
    fn finished(&mut self, id: u32, end: Ready, now: Ticks, requests: &mut Requests) {
        let goal = self.goal;
        self.last.wait_for(end);
        let processor = self.processor(id);
        processor.last_end = processor.last_end.max(end.at);
        self.let_go(goal.after_finish(id), end, now, requests);
    }

    /// Those in `waiting` wait for one thing less, which `happened`.
    fn let_go(&mut self, waiting: &[u32], happened: Ready, now: Ticks, requests: &mut Requests) {
        for &id in waiting {
            let waits = &mut self.waits[id as usize];
            let ready = &mut self.ready[id as usize];
            ready.wait_for(happened);
            *waits -= 1;
            if *waits == 0 {
                requests.timer(id, ready.at.max(now));
            }
        }
    }
}

impl Processor {
    /// That has done nothing.
    const IDLE: Self = Self {
        computations: Line::new(),
        computes_until: Ticks::ZERO,
        sends_until: Ticks::ZERO,
        last_end: Ticks::ZERO,
        computed: 0,
        sent: MessageId(0),
    };

    /// When its computations so far are done.
    fn computed(&self) -> Ready {
        Ready { at: self.computes_until, cause: Cause::Computed(self.computed) }
    }
}

/// From `at` on, the send of `message` is in the way of nothing.
fn hold(message: MessageId, at: Ticks) -> Ready {
    Ready { at, cause: Cause::Hold(message) }
}

/// Something that was `ready` and waited for `others` besides begins now: why not before.
fn began(now: Ticks, ready: Ready, others: impl Iterator<Item = Ready>) -> Ready {
    let mut last = ready;
    // at 0 nothing has been sent or computed yet
    others.filter(|other| other.at > Ticks::ZERO).for_each(|other| last.wait_for(other));
    Ready { at: now, cause: last.cause }
}

impl MessageSet for GoalProgram<'_> {
    fn messages(&self) -> usize {
        self.sends.len()
    }

    fn message(&self, id: MessageId) -> (NodeId, NodeId, Flits) {
        let send = self.sends[id.index()];
        let peer = self.goal.operations()[send as usize].peer;
        (self.nodes[self.rank[send as usize] as usize], self.nodes[peer as usize], self.flits_of(send))
    }

    fn receive_time(&self, id: MessageId) -> Ticks {
        match self.stragglers {
            Some(slow) => {
                let (_, dst, flits) = self.message(id);
                slow.costs(dst, self.costs).receive(flits)
            }
            None => self.costs.receive(self.flits(id)),
        }
    }
}

impl Program for GoalProgram<'_> {
    fn signal(&mut self, signal: Signal, requests: &mut Requests) {
        match signal {
            Signal::Start => self.start(requests),
            Signal::Delivered { id, now } => self.deliver(id, now, requests),
            Signal::Timer { token, now } => self.wake(token, now, requests),
            Signal::KeepCauses => self.keep_causes(),
            Signal::Requested { .. } | Signal::Departed { .. } | Signal::Left { .. } => {}
        }
    }

    fn completion(&self, received: Ticks) -> Ticks {
        self.last.at.max(received)
    }

    fn ends(&self) -> Vec<Ticks> {
        self.processors.iter().map(|processor| processor.last_end).collect()
    }

    fn unfinished(&self) -> Option<GoalViolation> {
        // no send waits for its receive
        self.matching.unmatched(self.goal, u64::MAX)
    }

    fn causes(&self, messages: &[MessageOutcome]) -> Causes {
        let received = messages.iter().map(|message| message.received).fold(Ticks::ZERO, Ticks::max);
        let (computations, receives) = match &self.log {
            Some(OperationLog { computations, receives }) => (computations.clone(), receives.clone()),
            None => (Vec::new(), Vec::new()),
        };
        Causes {
            sends: self.causes.sends(),
            computations,
            receives,
            end: (self.last.at > received).then_some(self.last.cause),
        }
    }
}

impl GoalProgram<'_> {
    fn start(&mut self, requests: &mut Requests) {
        let roots = (0..).zip(&self.waits).filter(|(_, waits)| **waits == 0);
        let start = |id: u32| self.starts.get(self.rank[id as usize] as usize).copied().unwrap_or(Ticks::ZERO);
        roots.for_each(|(id, _)| requests.timer(id, start(id)));
    }

    fn deliver(&mut self, id: MessageId, now: Ticks, requests: &mut Requests) {
        let send = self.sends[id.index()];
        let received = now + self.receive_time(id);
        self.received[id.index()] = received;
        let Operation { peer, tag, .. } = self.goal.operations()[send as usize];
        if let Some(receive) = self.matching.arrive(send, self.rank[send as usize], peer, tag) {
            let end = Ready { at: received, cause: Cause::Received(id) };
            self.take(receive, id);
            self.finished(receive, end, now, requests);
        }
    }

    fn wake(&mut self, token: u32, now: Ticks, requests: &mut Requests) {
        if token & RANK == 0 {
            return self.enter(token, now, requests);
        }
        let rank = token & !RANK;
        if self.ranks[rank as usize].looks_at != now {
            return; // it has looked since, or looks later: else timers would multiply
        }
        self.ranks[rank as usize].looks_at = NEVER;
        self.start_sends(rank, now, requests);
        self.start_computations(rank, now, requests);
    }

    fn keep_causes(&mut self) {
        self.causes.keep(self.sends.len());
        self.log = Some(OperationLog { computations: Vec::new(), receives: vec![0; self.sends.len()] });
    }
}
