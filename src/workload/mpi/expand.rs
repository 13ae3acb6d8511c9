//! The operations of a rank in a collective, as Schedgen creates them.

use crate::schedule::goal::{GoalBuilder, Operation};
use crate::schedule::mpi::MpiCollective;

/// A rank in a collective.
pub(super) struct Participant<'a> {
    /// The ranks of the program that take part.
    pub(super) group: &'a [u32],
    /// The own index in the group.
    pub(super) index: usize,
    pub(super) operation: MpiCollective,
    /// The index of the root, or 0.
    pub(super) root: usize,
    /// The tag of all messages.
    pub(super) tag: u64,
}

/// A message to or from an index in the group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Partner {
    To(usize),
    From(usize),
}

/// The operations at both ends of a call.
#[derive(Default)]
pub(super) struct Edges {
    /// Those that require no other of the call.
    pub(super) first: Vec<u32>,
    /// Those that no other of the call requires.
    pub(super) last: Vec<u32>,
}

impl Participant<'_> {
    /// The messages in their order.
    fn partners(&self) -> Vec<Partner> {
        let (count, index) = (self.group.len(), self.index);
        let pair =
            |distance| [Partner::To((index + distance) % count), Partner::From((index + count - distance) % count)];
        match self.operation {
            MpiCollective::Alltoall | MpiCollective::Alltoallv => (1..count).flat_map(pair).collect(),
            MpiCollective::Broadcast => self.tree(Partner::From, Partner::To),
            MpiCollective::Reduce => self.tree(Partner::To, Partner::From),
            _ => distances(count).flat_map(pair).collect(),
        }
    }

    /// The messages of a binomial tree, `up` to the parent and `down` to the children. The root and index 0 change places.
    fn tree(&self, up: fn(usize) -> Partner, down: fn(usize) -> Partner) -> Vec<Partner> {
        let swapped = |index| match index {
            0 => self.root,
            _ if index == self.root => 0,
            _ => index,
        };
        let position = swapped(self.index);
        let partner = |distance| match position {
            _ if position < distance => {
                (position + distance < self.group.len()).then(|| down(swapped(position + distance)))
            }
            _ => (position < 2 * distance).then(|| up(swapped(position - distance))),
        };
        distances(self.group.len()).filter_map(partner).collect()
    }

    /// Adds the messages that have `bytes(partner, is_sent)` bytes, without those for which that is `None`.
    pub(super) fn add(&self, goal: &mut GoalBuilder, bytes: impl Fn(usize, bool) -> Option<u64>, edges: &mut Edges) {
        let mut received = Vec::new();
        let mut sent = Vec::new();
        for partner in self.partners() {
            match partner {
                Partner::To(to) => {
                    if let Some(bytes) = bytes(to, true) {
                        let id = goal.push(Operation::send(bytes, self.group[to], self.tag));
                        sent.push((id, received.len()));
                    }
                }
                Partner::From(from) => received.extend(
                    bytes(from, false).map(|bytes| goal.push(Operation::receive(bytes, self.group[from], self.tag))),
                ),
            }
        }
        let mut is_required = vec![false; received.len()];
        for (id, before) in sent {
            let required = match self.operation {
                MpiCollective::Alltoall | MpiCollective::Alltoallv => 0..0,
                MpiCollective::Reduce => 0..received.len(),
                _ => before.saturating_sub(1)..before,
            };
            if required.is_empty() {
                edges.first.push(id);
            }
            edges.last.push(id);
            for at in required {
                goal.requires(id, received[at]);
                is_required[at] = true;
            }
        }
        edges.last.extend(received.iter().zip(is_required).filter(|(_, is_required)| !is_required).map(|(&id, _)| id));
        edges.first.append(&mut received);
    }
}

/// The powers of two below `count`.
fn distances(count: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(1), |distance| Some(2 * distance)).take_while(move |&distance| distance < count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use MpiCollective::{Allreduce, Alltoall, Broadcast, Reduce};

    fn participant(operation: MpiCollective, group: &[u32], index: usize, root: usize) -> Participant<'_> {
        Participant { group, index, operation, root, tag: 7 }
    }

    #[test]
    fn every_message_that_is_sent_is_received() {
        let group: Vec<u32> = (0..20).collect();
        for count in 1..group.len() {
            for (operation, root) in [(Allreduce, 0), (Alltoall, 0), (Broadcast, count - 1), (Reduce, count / 2)] {
                let mut sent = Vec::new();
                let mut received = Vec::new();
                for index in 0..count {
                    for partner in participant(operation, &group[..count], index, root).partners() {
                        match partner {
                            Partner::To(to) => sent.push((index, to)),
                            Partner::From(from) => received.push((from, index)),
                        }
                    }
                }
                sent.sort_unstable();
                received.sort_unstable();
                assert_eq!(sent, received, "{operation:?} of {count}");
                if matches!(operation, Broadcast | Reduce) {
                    assert_eq!(sent.len(), count - 1);
                }
            }
        }
    }

    #[test]
    fn sends_of_a_reduction_require_the_receives() {
        let mut goal = GoalBuilder::default();
        goal.next_rank();
        let mut edges = Edges::default();
        participant(Reduce, &[10, 11, 12, 13, 14, 15], 1, 5).add(&mut goal, |_, _| Some(8), &mut edges);
        let goal = goal.finish();
        // the root 5 and 0 change places, so that 1 sends to 5 and receives from 3 and 0
        let receives = [13, 10].map(|from| Operation::receive(8, from, 7));
        assert_eq!(goal.operations(), [Operation::send(8, 15, 7), receives[0], receives[1]]);
        assert_eq!([goal.after_finish(1), goal.after_finish(2)], [[0], [0]]);
        assert_eq!((edges.first, edges.last), (vec![1, 2], vec![0]));
    }
}
