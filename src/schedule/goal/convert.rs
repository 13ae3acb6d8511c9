//! Schedules as operations, and operations that are a multicast as a schedule.

use super::{ANY, Action, Goal, GoalBuilder, Operation};
use crate::schedule::{Exchange, Schedule};
use crate::units::{Flits, MessageId, NodeId};
use thiserror::Error;

/// Why operations are no multicast.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{what} is not what a multicast does: {why}")]
pub struct NotMulticast {
    what: String,
    why: &'static str,
}

impl Goal {
    /// The operations of a multicast, a rank for each node of the machine, `flit_bytes` bytes a flit: a node's first
    /// send requires its receive, and each further send that the one before has started, so that they stay in order.
    #[must_use]
    pub fn of_multicast(schedule: &Schedule, flit_bytes: u64) -> Self {
        let bytes = schedule.flits().0 * flit_bytes;
        let mut sources = vec![None; schedule.nodes()];
        for message in schedule.messages() {
            sources[message.dst.index()] = Some(message.src);
        }
        let mut goal = GoalBuilder::default();
        for node in (0..schedule.nodes()).map(NodeId::new) {
            goal.next_rank();
            let received = sources[node.index()].map(|source| goal.push(Operation::receive(bytes, source.0, 0)));
            let mut last = None;
            for id in schedule.sends(node) {
                let send = goal.push(Operation::send(bytes, schedule.message(MessageId(id)).dst.0, 0));
                match (last.replace(send), received) {
                    (Some(last), _) => goal.irequires(send, last),
                    (None, Some(received)) => goal.requires(send, received),
                    (None, None) => {}
                }
            }
        }
        goal.finish()
    }

    /// The operations of an exchange, a rank for each node of the torus, `block_bytes` bytes a block and the step as
    /// tag: a node's send requires what it received in earlier steps, and that its last send has finished.
    #[must_use]
    pub fn of_exchange(exchange: &Exchange, block_bytes: u64) -> Self {
        let mut of_node: Vec<Vec<(usize, Operation)>> = vec![Vec::new(); exchange.nodes()];
        for step in 0..exchange.steps() {
            let tag = u32::try_from(step).unwrap_or(ANY);
            for message in exchange.messages(step) {
                let bytes = message.blocks * block_bytes;
                of_node[message.src.index()].push((step, Operation::send(bytes, message.dst.0, tag)));
                of_node[message.dst.index()].push((step, Operation::receive(bytes, message.src.0, tag)));
            }
        }
        let mut goal = GoalBuilder::default();
        for mut operations in of_node {
            goal.next_rank();
            operations.sort_by_key(|(step, operation)| (*step, operation.action));
            let (mut sent, mut received): (Option<u32>, Option<u32>) = (None, None);
            for (_, operation) in operations {
                let id = goal.push(operation);
                if operation.action == Action::Send {
                    [sent.replace(id), received].into_iter().flatten().for_each(|on| goal.requires(id, on));
                } else if let Some(before) = received.replace(id) {
                    goal.requires(id, before);
                }
            }
        }
        goal.finish()
    }

    /// The multicast that the operations are, `flit_bytes` bytes a flit: what [`Goal::of_multicast`] makes, and every
    /// other tree of one message in which a rank sends only after it has received. A rank's sends are taken in the
    /// order in which they are written.
    ///
    /// # Errors
    /// If they are none, with the first operation that does not fit.
    pub fn to_multicast(&self, flit_bytes: u64) -> Result<Schedule, NotMulticast> {
        let refuse = |id: u32, why| Err(NotMulticast { what: self.in_words(id), why });
        let whole = |why| NotMulticast { what: "the whole".to_owned(), why };
        let mut sends = Vec::new();
        let mut source = None;
        let mut bytes = None;
        for rank in 0..self.ranks() {
            let mut received = None;
            for id in self.of_rank(rank) {
                let operation = self.operations[id as usize];
                match operation.action {
                    Action::Compute => return refuse(id, "it computes"),
                    Action::Receive if received.is_some() => return refuse(id, "it receives a second time"),
                    Action::Receive => received = Some(id),
                    Action::Send => {
                        if received.is_some() && self.waits[id as usize] == 0 {
                            return refuse(id, "it does not wait for the message");
                        }
                        sends.push((NodeId::new(rank), NodeId(operation.peer)));
                    }
                }
                if operation.peer as usize >= self.ranks() || *bytes.get_or_insert(operation.size) != operation.size {
                    return refuse(id, "another length, or no such rank");
                }
            }
            let sends_now = sends.last().is_some_and(|&(src, _): &(NodeId, NodeId)| src.index() == rank);
            if received.is_none() && sends_now && source.replace(NodeId::new(rank)).is_some() {
                return refuse(self.first[rank], "a second rank sends without receiving");
            }
        }
        let source = source.ok_or_else(|| whole("nobody begins"))?;
        let flits = Flits::from_bytes(bytes.unwrap_or(flit_bytes), flit_bytes);
        let schedule = Schedule::new(self.ranks(), source, flits, &sends);
        let members: Vec<NodeId> = sends.iter().map(|&(_, dst)| dst).collect();
        schedule.check(&members).map_err(|_| whole("its sends are no tree"))?;
        Ok(schedule)
    }
}
