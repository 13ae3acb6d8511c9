//! Nodes with overheads and ports, executing a schedule.
//!
//! A send that starts at `T` requests an injection channel at `T + t_send`; the same port's next send may start at
//! `T + t_hold`. A message has been received `t_recv` after its last flit has crossed the ejection channel, and its
//! receiver then starts its own sends, one on each of its ports at a time. Nodes know nothing of channels.

use super::{Began, Cause, Causes, MessageSet, Program, Requests, Signal};
use crate::costs::{NodeCosts, Stragglers};
use crate::engine::MessageOutcome;
use crate::routing::{Network, Stretch};
use crate::schedule::{Message, Schedule};
use crate::units::{ChannelId, Flits, MessageId, NodeId, Ticks};

/// A schedule executed by nodes with overheads.
#[derive(Clone, Copy, Debug)]
pub struct ScheduleProgram<'a> {
    schedule: &'a Schedule,
    ports: u32,
    times: MessageTimes,
    /// The slow nodes and their times, if there are any.
    slow: Option<(&'a Stragglers, MessageTimes)>,
}

/// Times of the messages of a schedule, which all have the same length.
#[derive(Clone, Copy, Debug)]
struct MessageTimes {
    send: Ticks,
    hold: Ticks,
    receive: Ticks,
}

impl MessageTimes {
    fn new(costs: &NodeCosts, flits: Flits) -> Self {
        Self { send: costs.send(flits), hold: costs.hold(flits), receive: costs.receive(flits) }
    }
}

impl<'a> ScheduleProgram<'a> {
    /// `schedule` on nodes with `costs`.
    pub fn new(schedule: &'a Schedule, costs: &NodeCosts) -> Self {
        let ports = u32::try_from(costs.ports).unwrap_or(u32::MAX);
        Self { schedule, ports, times: MessageTimes::new(costs, schedule.flits()), slow: None }
    }

    /// Lets `stragglers`, of nodes with `costs`, take longer.
    #[must_use]
    pub fn with_stragglers(self, stragglers: Option<&'a Stragglers>, costs: &NodeCosts) -> Self {
        let times = |slow: &'a Stragglers| (slow, MessageTimes::new(&slow.slow(*costs), self.schedule.flits()));
        Self { slow: stragglers.map(times), ..self }
    }

    /// The times of `node`.
    fn times(&self, node: NodeId) -> MessageTimes {
        match self.slow {
            Some((stragglers, times)) if stragglers.contains(node) => times,
            _ => self.times,
        }
    }

    /// The first sends of `node`, one on each port, started at `now`.
    fn start_sends(&self, node: NodeId, now: Ticks, requests: &mut Requests) {
        let sends = self.schedule.sends(node);
        let at_once = if self.schedule.is_one_worm() { 1 } else { self.ports };
        let first_round = sends.start..sends.end.min(sends.start.saturating_add(at_once));
        for id in first_round {
            requests.request(MessageId(id), now + self.times(node).send);
        }
    }
}

impl MessageSet for ScheduleProgram<'_> {
    fn messages(&self) -> usize {
        self.schedule.len()
    }

    fn message(&self, id: MessageId) -> (NodeId, NodeId, Flits) {
        let message = self.schedule.message(id);
        (message.src, message.dst, message.flits)
    }

    /// Those of a worm take the virtual channels of its class.
    fn path(&self, id: MessageId, network: &dyn Network, path: &mut Vec<ChannelId>) {
        let Message { src, dst, .. } = self.schedule.message(id);
        network.route(src, dst, path);
        let links = path.len() - 1;
        let class = network.tree_class().filter(|_| self.schedule.is_one_worm());
        if let Some(class) = class {
            path[1..links].iter_mut().for_each(|channel| channel.0 += u32::from(class));
        }
    }

    fn stretches(&self, id: MessageId, network: &dyn Network, stretches: &mut Vec<Stretch>) -> bool {
        let Message { src, dst, .. } = self.schedule.message(id);
        !self.schedule.is_one_worm() && network.stretches(src, dst, stretches)
    }

    fn receive_time(&self, id: MessageId) -> Ticks {
        match self.slow {
            Some(_) => self.times(self.schedule.message(id).dst).receive,
            None => self.times.receive,
        }
    }
}

impl Program for ScheduleProgram<'_> {
    fn signal(&mut self, signal: Signal, requests: &mut Requests) {
        match signal {
            Signal::Start => self.start(requests),
            Signal::Requested { id, now } => self.request_next(id, now, requests),
            Signal::Delivered { id, now } => self.deliver(id, now, requests),
            Signal::Departed { .. } | Signal::Left { .. } | Signal::Timer { .. } | Signal::KeepCauses => {}
        }
    }

    fn worm_end(&self, id: MessageId) -> MessageId {
        let next = MessageId(id.0 + 1);
        if self.schedule.is_one_worm() { MessageId(self.schedule.sends(self.schedule.source()).end) } else { next }
    }

    /// What a send waits for follows from its place among those of its node.
    fn causes(&self, messages: &[MessageOutcome]) -> Causes {
        let mut received = vec![None; self.schedule.nodes()];
        for message in self.schedule.messages() {
            received[message.dst.index()] = Some(message.id);
        }
        let began = |message: Message| {
            let first = self.schedule.sends(message.src).start;
            let follows = !self.schedule.is_one_worm();
            let on_same_port = message.id.0.checked_sub(self.ports).filter(|&before| follows && before >= first);
            let times = self.times(message.src);
            let cause = match on_same_port.filter(|_| times.hold > Ticks::ZERO) {
                Some(before) => Cause::Hold(MessageId(before)),
                None => received[message.src.index()].map_or(Cause::Start, Cause::Received),
            };
            Began { at: messages[message.id.index()].requested - times.send, cause }
        };
        Causes { sends: self.schedule.messages().map(began).collect(), ..Causes::default() }
    }
}

impl ScheduleProgram<'_> {
    fn start(&mut self, requests: &mut Requests) {
        self.start_sends(self.schedule.source(), Ticks::ZERO, requests);
    }

    /// The same port's next send starts `t_hold` after this one did.
    fn request_next(&mut self, id: MessageId, now: Ticks, requests: &mut Requests) {
        if let Some(next) = self.schedule.send_after(id, self.ports).filter(|_| !self.schedule.is_one_worm()) {
            requests.request(next, now + self.times(self.schedule.message(id).src).hold);
        }
    }

    fn deliver(&mut self, id: MessageId, now: Ticks, requests: &mut Requests) {
        let node = self.schedule.message(id).dst;
        self.start_sends(node, now + self.times(node).receive, requests);
    }
}
