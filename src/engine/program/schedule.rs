//! Nodes with overheads and ports, executing a schedule.
//!
//! A send that starts at `T` requests an injection channel at `T + t_send`; the same port's next send may start at
//! `T + t_hold`. A message has been received `t_recv` after its last flit has crossed the ejection channel, and its
//! receiver then starts its own sends, one on each of its ports at a time. Nodes know nothing of channels.

use super::{Began, Cause, Causes, MessageSet, Program, Requests, Signal, Worm};
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
        if self.schedule.has_worms() {
            self.start_worms(node, now, requests);
            return;
        }
        let sends = self.schedule.sends(node);
        let at_once = self.ports;
        let first_round = sends.start..sends.end.min(sends.start.saturating_add(at_once));
        for id in first_round {
            requests.request(MessageId(id), now + self.times(node).send);
        }
    }

    /// The first worms of the source, one on each port. Nodes forward nothing that routers copy.
    fn start_worms(&self, node: NodeId, now: Ticks, requests: &mut Requests) {
        if node == self.schedule.source() {
            let first_round = self.schedule.worms().take(self.ports as usize);
            first_round.for_each(|worm| requests.request(MessageId(worm.messages.start), now + self.times(node).send));
        }
    }

    /// The message that sets out as the worm `ahead` places after that of message `id`.
    fn worm_after(&self, id: MessageId, ahead: u32) -> Option<MessageId> {
        let index = self.schedule.worm_of(id)?.index + ahead as usize;
        let exists = index < self.schedule.worms().len();
        exists.then(|| MessageId(self.schedule.worm(index).messages.start))
    }

    /// The message that started its send on the same port before that of message `id`, in the order of ports.
    fn sent_before(&self, Message { id, src, .. }: Message) -> Option<MessageId> {
        match self.schedule.worm_of(id) {
            Some(worm) => {
                let before = worm.index.checked_sub(self.ports as usize)?;
                Some(MessageId(self.schedule.worm(before).messages.start))
            }
            None => {
                let first = self.schedule.sends(src).start;
                id.0.checked_sub(self.ports).filter(|&before| before >= first).map(MessageId)
            }
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

    /// Those of a worm take the channels of its tree.
    fn path(&self, id: MessageId, network: &dyn Network, path: &mut Vec<ChannelId>) {
        if let Some((worm, tree)) = self.schedule.worm_of(id).and_then(|worm| Some((worm.messages, worm.tree?))) {
            tree.path((id.0 - worm.start) as usize, path);
            return;
        }
        let Message { src, dst, .. } = self.schedule.message(id);
        network.route(src, dst, path);
    }

    fn stretches(&self, id: MessageId, network: &dyn Network, stretches: &mut Vec<Stretch>) -> bool {
        let Message { src, dst, .. } = self.schedule.message(id);
        !self.schedule.has_worms() && network.stretches(src, dst, stretches)
    }

    fn has_worms(&self) -> bool {
        self.schedule.worms().next().is_some_and(|worm| worm.tree.is_some())
    }

    fn worm(&self, id: MessageId) -> Option<Worm<'_>> {
        let worm = self.schedule.worm_of(id)?;
        Some(Worm { tree: &worm.tree?.tree, messages: worm.messages })
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
        self.schedule.worm_of(id).map_or(MessageId(id.0 + 1), |worm| MessageId(worm.messages.end))
    }

    /// What a send waits for follows from its place among those of its node.
    fn causes(&self, messages: &[MessageOutcome]) -> Causes {
        let mut received = vec![None; self.schedule.nodes()];
        for message in self.schedule.messages() {
            received[message.dst.index()] = Some(message.id);
        }
        let began = |message: Message| {
            let times = self.times(message.src);
            let cause = match self.sent_before(message).filter(|_| times.hold > Ticks::ZERO) {
                Some(before) => Cause::Hold(before),
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
        let next = match self.schedule.has_worms() {
            true => self.worm_after(id, self.ports),
            false => self.schedule.send_after(id, self.ports),
        };
        if let Some(next) = next {
            requests.request(next, now + self.times(self.schedule.message(id).src).hold);
        }
    }

    fn deliver(&mut self, id: MessageId, now: Ticks, requests: &mut Requests) {
        let node = self.schedule.message(id).dst;
        self.start_sends(node, now + self.times(node).receive, requests);
    }
}
