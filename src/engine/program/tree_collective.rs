//! Collectives whose packets routers copy and combine.
//!
//! Each source sends the packets of the segments one after the other, on each of its ports in turn: a send that starts at `T` requests
//! an injection channel at `T + t_send`, and the same port's next send starts at `T + t_hold`. A destination has received a packet
//! `t_recv` after its last flit has arrived.

use super::{Began, Cause, Causes, MessageSet, Program, Requests, Signal, Worm};
use crate::costs::{NodeCosts, Stragglers};
use crate::engine::MessageOutcome;
use crate::routing::Network;
use crate::schedule::collective::TreeCollective;
use crate::units::{ChannelId, Flits, MessageId, NodeId, Ticks};

/// A collective in routers, executed by nodes with overheads.
#[derive(Clone, Copy, Debug)]
pub struct TreeCollectiveProgram<'a> {
    collective: &'a TreeCollective,
    costs: NodeCosts,
    /// The slow nodes and their costs, if there are any.
    slow: Option<(&'a Stragglers, NodeCosts)>,
}

impl<'a> TreeCollectiveProgram<'a> {
    /// Creates the program of `collective` on nodes with `costs`.
    pub fn new(collective: &'a TreeCollective, costs: NodeCosts) -> Self {
        Self { collective, costs, slow: None }
    }

    /// Lets `stragglers` take longer.
    #[must_use]
    pub fn with_stragglers(self, stragglers: Option<&'a Stragglers>) -> Self {
        Self { slow: stragglers.map(|stragglers| (stragglers, stragglers.slow(self.costs))), ..self }
    }

    fn costs(&self, node: NodeId) -> &NodeCosts {
        match &self.slow {
            Some((stragglers, costs)) if stragglers.contains(node) => costs,
            _ => &self.costs,
        }
    }

    /// Message number `place` of a segment.
    fn id(&self, segment: usize, place: usize) -> MessageId {
        MessageId(self.collective.messages(segment).start + MessageId::new(place).0)
    }

    /// The time from the start of the send of message `id` to the request of its injection channel.
    fn send_time(&self, id: MessageId) -> Ticks {
        let (src, _, flits) = self.message(id);
        self.costs(src).send(flits)
    }

    /// Requests the packets with which the ports of all sources begin.
    fn start(&self, requests: &mut Requests) {
        for place in 0..self.collective.senders() {
            for segment in 0..self.costs.ports.min(self.collective.segments()) {
                let id = self.id(segment, place);
                requests.request(id, self.send_time(id));
            }
        }
    }

    /// Requests the next packet of the port that has sent message `id`.
    fn request_next(&self, id: MessageId, now: Ticks, requests: &mut Requests) {
        let [segment, place] = self.collective.position(id);
        let next = segment + self.costs.ports;
        if next < self.collective.segments() {
            let (src, _, flits) = self.message(id);
            let costs = self.costs(src);
            let start = now - costs.send(flits) + costs.hold(flits);
            let next = self.id(next, place);
            requests.request(next, start + self.send_time(next));
        }
    }
}

impl MessageSet for TreeCollectiveProgram<'_> {
    fn messages(&self) -> usize {
        self.collective.len()
    }

    fn message(&self, id: MessageId) -> (NodeId, NodeId, Flits) {
        let [segment, place] = self.collective.position(id);
        let (src, dst) = self.collective.ends()[place];
        (src, dst, self.collective.flits(segment))
    }

    /// From its source along the channels of the tree to its destination.
    fn path(&self, id: MessageId, network: &dyn Network, path: &mut Vec<ChannelId>) {
        let tree = self.collective.tree();
        let (src, dst, _) = self.message(id);
        let channels = network.channels();
        let [from, to] = [channels.injection(src), channels.ejection(dst)];
        let source = tree.sources().find(|&place| tree.channels()[place] == from);
        let destination = tree.destinations().find(|&place| tree.channels()[place] == to);
        if let (Some(source), Some(destination)) = (source, destination) {
            path.extend(tree.route(source, destination).into_iter().map(|place| tree.channels()[place as usize]));
        }
    }

    fn has_worms(&self) -> bool {
        !self.collective.is_empty()
    }

    fn worm(&self, id: MessageId) -> Option<Worm<'_>> {
        let [segment, _] = self.collective.position(id);
        Some(Worm { tree: self.collective.tree(), messages: self.collective.messages(segment) })
    }

    fn receive_time(&self, id: MessageId) -> Ticks {
        let (_, dst, flits) = self.message(id);
        self.costs(dst).receive(flits)
    }
}

impl Program for TreeCollectiveProgram<'_> {
    fn signal(&mut self, signal: Signal, requests: &mut Requests) {
        match signal {
            Signal::Start => self.start(requests),
            Signal::Requested { id, now } => self.request_next(id, now, requests),
            Signal::Delivered { .. }
            | Signal::Departed { .. }
            | Signal::Left { .. }
            | Signal::Timer { .. }
            | Signal::KeepCauses => {}
        }
    }

    /// A send waits for the one before it on its port.
    fn causes(&self, messages: &[MessageOutcome]) -> Causes {
        let send = |number: usize| {
            let id = MessageId::new(number);
            let [segment, message] = self.collective.position(id);
            let sender = if self.collective.senders() == 1 { 0 } else { message };
            let (src, _, flits) = self.message(id);
            let before = segment.checked_sub(self.costs.ports).filter(|_| self.costs(src).hold(flits) > Ticks::ZERO);
            let cause = before.map_or(Cause::Start, |before| Cause::Hold(self.id(before, sender)));
            Began { at: messages[number].requested - self.send_time(id), cause }
        };
        Causes { sends: (0..messages.len()).map(send).collect(), ..Causes::default() }
    }
}
