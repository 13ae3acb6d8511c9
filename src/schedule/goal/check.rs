//! What can be said of operations without running them: who names a rank that is not there, and who waits for itself.

use super::{ANY, Action, Goal};
use crate::cancel::Pace;
use crate::routing::DependencyGraph;
use std::fmt;
use thiserror::Error;

/// How many faults are listed, and how many operations of a cycle.
const LISTED: usize = 20;

/// What is wrong with a [`Goal`], each fault in words.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub struct GoalViolation {
    faults: Vec<String>,
    more: usize,
}

impl GoalViolation {
    /// The first of `faults`; none if there is none.
    pub(crate) fn of(mut faults: impl Iterator<Item = String>) -> Option<Self> {
        let listed: Vec<String> = faults.by_ref().take(LISTED).collect();
        (!listed.is_empty()).then(|| Self { faults: listed, more: faults.count() })
    }

    /// The faults that are listed.
    pub fn faults(&self) -> &[String] {
        &self.faults
    }
}

impl fmt::Display for GoalViolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.faults.len() + self.more;
        write!(f, "{count} {}", if count == 1 { "fault" } else { "faults" })?;
        for fault in &self.faults {
            write!(f, "\n  {fault}")?;
        }
        if self.more > 0 { write!(f, "\n  and {} more", self.more) } else { Ok(()) }
    }
}

impl Goal {
    /// Proves that every peer is a rank and that no operation waits for itself, over others or directly. O(operations +
    /// dependencies) time.
    ///
    /// # Errors
    /// With the operations that do.
    pub fn check(&self) -> Result<(), GoalViolation> {
        let strangers = (0..self.first[self.ranks()]).filter_map(|id| self.stranger(id));
        match GoalViolation::of(strangers.chain(self.cycles())) {
            None => Ok(()),
            Some(violation) => Err(violation),
        }
    }

    fn stranger(&self, id: u32) -> Option<String> {
        let operation = &self.operations[id as usize];
        let known = match operation.action {
            Action::Compute => true,
            Action::Receive if operation.peer == ANY => true,
            Action::Send | Action::Receive => (operation.peer as usize) < self.ranks(),
        };
        let last = self.ranks() - 1;
        (!known).then(|| format!("{}: no such rank; the last is {last}", self.in_words(id)))
    }

    /// One cycle of dependencies for each group of operations that wait for each other.
    fn cycles(&self) -> Vec<String> {
        let mut waits = self.waits.clone();
        let mut ready: Vec<u32> = (0..self.first[self.ranks()]).filter(|&id| waits[id as usize] == 0).collect();
        let mut resolved = 0;
        let mut pace = Pace::default();
        while let Some(id) = ready.pop() {
            pace.step();
            resolved += 1;
            for &next in self.after_finish(id).iter().chain(self.after_start(id)) {
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
            let next = self.after_finish(id).iter().chain(self.after_start(id)).copied();
            next.filter(|&to| waits[to as usize] > 0).map(move |to| (id, to))
        });
        let groups = DependencyGraph::from_iter(edges).groups();
        groups.iter().map(|group| self.cycle_in_words(group)).collect()
    }

    fn cycle_in_words(&self, cycle: &[u32]) -> String {
        if let [alone] = cycle {
            return format!("{} waits for itself", self.in_words(*alone));
        }
        let more = if cycle.len() > LISTED { format!("; and {} more", cycle.len() - LISTED) } else { String::new() };
        let words: Vec<String> = cycle.iter().take(LISTED).map(|&id| self.in_words(id)).collect();
        format!("{} operations wait for each other: {}{more}", cycle.len(), words.join("; "))
    }
}
