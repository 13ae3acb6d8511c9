//! A collective as operations of ranks.

use super::{Goal, GoalBuilder, Operation};
use crate::cancel;
use crate::schedule::collective::{Action, Collective, CollectiveMessage, Dependencies};
use crate::units::{Flits, MessageId, NodeId};

impl Goal {
    /// The operations of a collective whose rank `i` is on `nodes[i]`, `flit_bytes` bytes a flit: a rank of GOAL for each node
    /// up to the last one. A send requires all that brings what it carries, received and combined, and that the send before
    /// it of the same part has started. To combine a message takes `reduce` ticks of the processor, which
    /// sends nothing in the meantime: in LogGOPS a computation holds up only what needs the same processor. GOAL knows no
    /// barriers: each message follows its data. The tag of a message is its number.
    pub fn of_collective(
        collective: &Collective,
        nodes: &[NodeId],
        flit_bytes: u64,
        reduce: impl Fn(Flits) -> u64,
    ) -> Self {
        let mut of_node: Vec<Vec<MessageId>> =
            vec![Vec::new(); nodes.iter().map(|node| node.index() + 1).max().unwrap_or(0)];
        for id in (0..collective.len()).map(MessageId::new) {
            let CollectiveMessage { src, dst, .. } = collective.message(id);
            of_node[nodes[src].index()].push(id);
            of_node[nodes[dst].index()].push(id);
        }
        let needs = Dependencies::new(collective);
        // per message the operation after which its receiver has it
        let mut has = vec![0; collective.len()];
        let mut goal = GoalBuilder::default();
        for (node, messages) in of_node.iter().enumerate() {
            cancel::checkpoint();
            goal.next_rank();
            let mut last_of_part: Vec<Option<u32>> = vec![None; collective.parts()];
            for &id in messages {
                let message = collective.message(id);
                let bytes = message.flits.0 * flit_bytes;
                if nodes[message.src].index() == node {
                    let send = goal.push(Operation::send(bytes, nodes[message.dst].0, id.0.into()));
                    for needed in needs.needs(id) {
                        goal.requires(send, has[needed.index()]);
                    }
                    if let Some(before) = last_of_part[message.part].replace(send) {
                        goal.irequires(send, before);
                    }
                    continue;
                }
                let receive = goal.push(Operation::receive(bytes, nodes[message.src].0, id.0.into()));
                has[id.index()] = receive;
                let ticks = reduce(message.flits);
                if message.action == Action::Reduce && ticks > 0 {
                    let combine = goal.push(Operation::compute(ticks));
                    goal.requires(combine, receive);
                    has[id.index()] = combine;
                }
            }
        }
        goal.finish()
    }
}
