//! What is wrong with operations: faults, each with the operations that it is about and where they stand.

use super::Goal;
use std::fmt;
use thiserror::Error;

/// How many faults are listed, and how many operations of a cycle.
pub(super) const LISTED: usize = 20;

/// What is wrong with a [`Goal`], each fault in words.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub struct GoalViolation {
    faults: Vec<GoalFault>,
    more: usize,
}

/// One thing that is wrong with operations.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GoalFault {
    /// What is wrong, in one line.
    pub message: String,
    /// The operations that it is about.
    pub operations: Vec<Concerned>,
    /// What can be done about it.
    pub hint: Option<String>,
}

/// An operation that a fault is about.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Concerned {
    /// Its rank, and its step if it has one.
    pub owner: String,
    /// The line of the text that it stands in, from 1; none if it comes from elsewhere.
    pub line: Option<u32>,
    /// Where it stands and what it does.
    pub operation: String,
    /// What it has to do with the fault, in a few words.
    pub role: String,
}

impl GoalViolation {
    /// The first of `faults`; none if there is none.
    pub(crate) fn first_of(mut faults: impl Iterator<Item = GoalFault>) -> Option<Self> {
        let listed: Vec<GoalFault> = faults.by_ref().take(LISTED).collect();
        (!listed.is_empty()).then(|| Self { faults: listed, more: faults.count() })
    }

    /// One fault.
    pub(super) fn new(fault: GoalFault) -> Self {
        Self { faults: vec![fault], more: 0 }
    }

    /// Returns `faults` and the number of those that are not listed, or `None` if there are none.
    pub(super) fn with_more(faults: Vec<GoalFault>, more: usize) -> Option<Self> {
        (!faults.is_empty()).then_some(Self { faults, more })
    }

    /// The faults that are listed.
    pub fn faults(&self) -> &[GoalFault] {
        &self.faults
    }

    /// How many more there are.
    pub fn more(&self) -> usize {
        self.more
    }
}

impl fmt::Display for GoalViolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.faults.len() + self.more;
        write!(f, "{count} {}", if count == 1 { "error" } else { "errors" })?;
        for fault in &self.faults {
            write!(f, "\n  {fault}")?;
        }
        if self.more > 0 { write!(f, "\n  and {} more", self.more) } else { Ok(()) }
    }
}

/// In one line.
impl fmt::Display for GoalFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.operations.as_slice() {
            [alone] if alone.role.is_empty() => write!(f, "{}: {}", alone.operation, self.message),
            several => {
                let listed: Vec<String> = several.iter().map(ToString::to_string).collect();
                write!(f, "{}: {}", self.message, listed.join("; "))
            }
        }
    }
}

impl fmt::Display for Concerned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.role.is_empty() { f.write_str(&self.operation) } else { write!(f, "{}, {}", self.operation, self.role) }
    }
}

impl GoalFault {
    /// Something wrong with operation `id` alone.
    pub(super) fn of_one(goal: &Goal, id: u32, message: impl Into<String>) -> Self {
        Self { message: message.into(), operations: vec![Concerned::new(goal, id, "")], hint: None }
    }
}

impl Concerned {
    /// Operation `id` of `goal`, and what it has to do with a fault.
    pub(super) fn new(goal: &Goal, id: u32, role: impl Into<String>) -> Self {
        Self { owner: goal.owner(id), line: goal.line(id), operation: goal.in_words(id), role: role.into() }
    }
}
