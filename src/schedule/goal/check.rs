//! What can be said of operations without running them: who names a rank that is not there, and who waits for itself.

use super::fault::{Concerned, GoalFault, GoalViolation};
use super::stuck::{cycles, wait_in_cycle};
use super::{ANY, Action, Goal};
use crate::cancel::Pace;

impl Goal {
    /// Proves that every peer is a rank and that no operation waits for itself, over others or directly. O(1)
    /// time where each waits only for what stands before it, as mostly; else O(operations + dependencies).
    ///
    /// # Errors
    /// With the operations that do.
    pub fn check(&self) -> Result<(), GoalViolation> {
        if (self.survey.highest_peer as usize) < self.ranks() && self.survey.is_in_order {
            return Ok(());
        }
        let strangers = (0..self.first[self.ranks()]).filter_map(|id| self.stranger(id));
        match GoalViolation::first_of(strangers.chain(self.cycles())) {
            None => Ok(()),
            Some(violation) => Err(violation),
        }
    }

    fn stranger(&self, id: u32) -> Option<GoalFault> {
        let operation = &self.operations[id as usize];
        let known = match operation.action {
            Action::Compute => true,
            Action::Receive if operation.peer == ANY => true,
            Action::Send | Action::Receive => (operation.peer as usize) < self.ranks(),
        };
        (!known).then(|| {
            let verb = if operation.action == Action::Send { "sends to it" } else { "receives from it" };
            let role = format!("{} {} {verb}", self.noun(), self.rank_of(id));
            let message = format!("rank {} does not exist; the last rank is {}", operation.peer, self.ranks() - 1);
            GoalFault { message, operations: vec![Concerned::new(self, id, role)], hint: None }
        })
    }

    /// One cycle of dependencies for each group of operations that wait for each other.
    fn cycles(&self) -> Vec<GoalFault> {
        let mut waits = self.waits();
        let mut ready: Vec<u32> = (0..self.first[self.ranks()]).filter(|&id| waits[id as usize] == 0).collect();
        let mut resolved = 0;
        let mut pace = Pace::default();
        while let Some(id) = ready.pop() {
            pace.step();
            resolved += 1;
            for &next in self.dependents.both(id) {
                waits[next as usize] -= 1;
                if waits[next as usize] == 0 {
                    ready.push(next);
                }
            }
        }
        if resolved == self.operations.len() {
            return Vec::new();
        }
        let blocked = (0..self.first[self.ranks()]).filter(|&id| waits[id as usize] > 0);
        let edges = blocked.flat_map(|id| {
            let next = self.dependents.both(id).iter().copied();
            next.filter(|&waiting| waits[waiting as usize] > 0).map(move |waiting| (waiting, id))
        });
        cycles(self, &edges.collect::<Vec<_>>()).iter().map(|cycle| wait_in_cycle(self, cycle)).collect()
    }
}
