//! The order of steps. A step waits for the one before it in its threadblock, the one that it names, and the sender of its
//! message.

use super::Algorithm;
use rustc_hash::FxHashMap;

/// The messages of an algorithm, and an order in which its steps can be taken.
pub(super) struct Order {
    /// Per step that receives, the step that sends it the message.
    pub(super) sender: Vec<Option<usize>>,
    /// The steps, each after those that it waits for. Steps that wait for each other are left out.
    pub(super) steps: Vec<usize>,
}

/// A channel from one GPU to another.
type Connection = (u32, u32, u32);

impl Algorithm {
    /// Pairs of steps that send and receive the same message: those with the same number on their channel.
    pub(super) fn messages(&self) -> Vec<(usize, usize)> {
        let mut ends: FxHashMap<Connection, [Vec<usize>; 2]> = FxHashMap::default();
        for (at, step) in self.steps.iter().enumerate() {
            let block = &self.blocks[step.block];
            if let (true, Some(to)) = (step.kind.sends(), block.send) {
                ends.entry((block.gpu, to, block.channel)).or_default()[0].push(at);
            }
            if let (true, Some(from)) = (step.kind.receives(), block.receive) {
                ends.entry((from, block.gpu, block.channel)).or_default()[1].push(at);
            }
        }
        let mut messages: Vec<(usize, usize)> =
            ends.into_values().flat_map(|[sends, receives]| sends.into_iter().zip(receives)).collect();
        messages.sort_unstable();
        messages
    }

    /// The steps that step number `at` waits for.
    pub(super) fn predecessors(&self, at: usize, sender: &[Option<usize>]) -> impl Iterator<Item = usize> {
        let step = &self.steps[at];
        let before = (step.number > 0).then(|| at - 1);
        [before, step.after, sender[at]].into_iter().flatten()
    }

    /// Messages and an order of the steps.
    pub(super) fn order(&self) -> Order {
        let mut sender = vec![None; self.steps.len()];
        for (send, receive) in self.messages() {
            sender[receive] = Some(send);
        }
        let mut waiting: Vec<Vec<usize>> = vec![Vec::new(); self.steps.len()];
        let mut waits: Vec<usize> = Vec::with_capacity(self.steps.len());
        for at in 0..self.steps.len() {
            self.predecessors(at, &sender).for_each(|on| waiting[on].push(at));
            let lacks_message = self.steps[at].kind.receives() && sender[at].is_none();
            // a message that is never sent is waited for, too
            waits.push(self.predecessors(at, &sender).count() + usize::from(lacks_message));
        }
        Order { steps: in_order(&waiting, waits), sender }
    }
}

/// The steps in an order in which they can be taken: by step those that wait for it, and the number of those that it waits for.
fn in_order(waiting: &[Vec<usize>], mut waits: Vec<usize>) -> Vec<usize> {
    let mut steps: Vec<usize> = (0..waits.len()).filter(|&at| waits[at] == 0).collect();
    let mut count = 0;
    while let Some(&at) = steps.get(count) {
        count += 1;
        for &next in &waiting[at] {
            waits[next] -= 1;
            if waits[next] == 0 {
                steps.push(next);
            }
        }
    }
    steps
}
