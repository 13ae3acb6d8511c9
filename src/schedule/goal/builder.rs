//! Puts operations together, rank by rank, and notes what is asked of all of them later.

use super::dependents::{Dependency, Dependents};
use super::{ANY, Action, Goal, Operation, number};

/// What is known of all operations together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Survey {
    /// How many are sends.
    pub(super) sends: usize,
    /// The bytes of the first, and whether all have as many.
    pub(super) first_bytes: Option<u64>,
    pub(super) are_alike: bool,
    /// Ticks of all computations.
    pub(super) computed: u128,
    /// The highest rank that a send or a receive names.
    pub(super) highest_peer: u32,
    /// The highest numbers of processors and interfaces.
    pub(super) highest_cpu: u8,
    pub(super) highest_nic: u8,
    /// Whether a receive takes messages from any rank, or a tag is any.
    pub(super) has_wildcards: bool,
    /// Whether each waits only for what stands before it, so that none waits for itself.
    pub(super) is_in_order: bool,
}

impl Survey {
    /// Of no operations.
    pub(super) const NONE: Self = Self {
        sends: 0,
        first_bytes: None,
        are_alike: true,
        computed: 0,
        highest_peer: 0,
        highest_cpu: 0,
        highest_nic: 0,
        has_wildcards: false,
        is_in_order: true,
    };

    /// Adds an operation.
    #[inline]
    pub(super) fn add(&mut self, operation: &Operation) {
        match operation.action {
            Action::Send => {
                self.sends += 1;
                self.are_alike &= *self.first_bytes.get_or_insert(operation.size) == operation.size;
                self.add_name(operation);
            }
            Action::Receive if operation.peer == ANY => self.has_wildcards = true,
            Action::Receive => self.add_name(operation),
            Action::Compute => self.computed += u128::from(operation.size),
        }
        self.highest_cpu = self.highest_cpu.max(operation.cpu);
        self.highest_nic = self.highest_nic.max(operation.nic);
    }

    /// Adds what a send or a receive names.
    #[inline]
    fn add_name(&mut self, operation: &Operation) {
        self.highest_peer = self.highest_peer.max(operation.peer);
        self.has_wildcards |= operation.tag == ANY;
    }
}

/// Puts a [`Goal`] together, rank by rank.
#[derive(Debug)]
pub struct GoalBuilder {
    first: Vec<u32>,
    operations: Vec<Operation>,
    finish: Vec<Dependency>,
    start: Vec<Dependency>,
    lines: Vec<u32>,
    survey: Survey,
}

impl Default for GoalBuilder {
    fn default() -> Self {
        Self {
            first: Vec::new(),
            operations: Vec::new(),
            finish: Vec::new(),
            start: Vec::new(),
            lines: Vec::new(),
            survey: Survey::NONE,
        }
    }
}

impl GoalBuilder {
    /// Goes on to the next rank; the first call begins rank 0.
    pub fn next_rank(&mut self) {
        self.first.push(self.next());
    }

    /// The number that the next operation gets.
    pub fn next(&self) -> u32 {
        number(self.operations.len())
    }

    /// Adds an operation to the rank; its number.
    pub fn push(&mut self, operation: Operation) -> u32 {
        let id = self.next();
        self.survey.add(&operation);
        self.operations.push(operation);
        id
    }

    /// The same, of an operation that stands in this line of a text.
    pub(super) fn push_at(&mut self, operation: Operation, line: u32) -> u32 {
        self.lines.push(line);
        self.push(operation)
    }

    /// `id` may not start before `on` has finished.
    pub fn requires(&mut self, id: u32, on: u32) {
        self.survey.is_in_order &= on < id;
        self.finish.push(Dependency { on, waiting: id });
    }

    /// `id` may not start before `on` has started.
    pub fn irequires(&mut self, id: u32, on: u32) {
        self.survey.is_in_order &= on < id;
        self.start.push(Dependency { on, waiting: id });
    }

    /// The operations of all ranks.
    ///
    /// # Panics
    /// If a dependency names an operation that was not added, or two of different ranks.
    pub fn finish(mut self) -> Goal {
        self.next_rank();
        let dependents = Dependents::from_dependencies(self.operations.len(), &self.finish, &self.start);
        for rank in self.first.windows(2) {
            let own = rank[0]..rank[1];
            let are_own = dependents.of_all(own.clone()).iter().all(|waiting| own.contains(waiting));
            assert!(are_own, "an operation waits for one of another rank");
        }
        Goal { dependents, first: self.first, operations: self.operations, lines: self.lines, survey: self.survey }
    }
}
