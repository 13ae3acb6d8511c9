//! Schedules as operations.

use super::{ANY, Action, Goal, GoalBuilder, Operation};
use crate::schedule::{Exchange, Schedule};
use crate::units::{MessageId, NodeId};

impl Goal {
    /// The operations of a multicast, a rank for each node of the machine, `flit_bytes` bytes a flit: a node's first
    /// send requires its receive, and each further send that the one before has started, so that they stay in order.
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
}
