//! Schedules as operations.

use super::{Action, Goal, GoalBuilder, Operation};
use crate::schedule::{Exchange, Schedule};
use crate::units::{MessageId, NodeId};

impl Goal {
    /// The operations of a multicast, a rank for each node of the machine, `flit_bytes` bytes a flit: a node's first
    /// send requires its receive, and each further send that the one before has started, so that they stay in order.
    pub fn of_multicast(schedule: &Schedule, flit_bytes: u64) -> Self {
        Self::of_trees(std::slice::from_ref(schedule), flit_bytes)
    }

    /// The operations of several trees of one broadcast, each with its number as tag: a node sends along the first
    /// tree, then along the next, each send once the one before has started and the message of its tree is received.
    pub fn of_trees(trees: &[Schedule], flit_bytes: u64) -> Self {
        let nodes = trees.iter().map(Schedule::nodes).fold(0, usize::max);
        let senders: Vec<Vec<Option<NodeId>>> = trees.iter().map(|tree| senders(tree, nodes)).collect();
        let mut goal = GoalBuilder::default();
        for node in (0..nodes).map(NodeId::new) {
            goal.next_rank();
            let mut last = None;
            for (number, (tree, senders)) in trees.iter().zip(&senders).enumerate() {
                let bytes = tree.flits().0 * flit_bytes;
                let tag = number as u64;
                let mut received = senders[node.index()].map(|from| goal.push(Operation::receive(bytes, from.0, tag)));
                for id in tree.sends(node) {
                    let send = goal.push(Operation::send(bytes, tree.message(MessageId(id)).dst.0, tag));
                    if let Some(last) = last.replace(send) {
                        goal.irequires(send, last);
                    }
                    // the sends behind it wait with it
                    if let Some(received) = received.take() {
                        goal.requires(send, received);
                    }
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
            let tag = step as u64;
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

/// From which node each node receives the message of `tree`.
fn senders(tree: &Schedule, nodes: usize) -> Vec<Option<NodeId>> {
    let mut senders = vec![None; nodes];
    for message in tree.messages() {
        senders[message.dst.index()] = Some(message.src);
    }
    senders
}
