//! Puts operations together, rank by rank, and notes what is asked of all of them later.

use super::dependents::{Dependency, Dependents};
use super::{ANY, ANY_TAG, Action, BlockStep, Goal, Operation, number};

/// What is known of all operations together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Survey {
    /// How many are sends.
    pub(super) sends: usize,
    /// The bytes of the first, once there is one, and whether all have as many.
    pub(super) bytes: u64,
    pub(super) are_alike: bool,
    /// The bytes of all sends.
    pub(super) sent: u128,
    /// Ticks of all computations, and of the longest one.
    pub(super) computed: u128,
    pub(super) longest: u64,
    /// The highest rank that a send or a receive names.
    pub(super) highest_peer: u32,
    /// The highest numbers of processors and interfaces.
    pub(super) highest_cpu: u8,
    pub(super) highest_nic: u8,
    /// Whether a receive takes messages from any rank, or a tag is any.
    pub(super) has_wildcards: bool,
    /// True if a receive takes messages from any rank.
    pub(super) has_any_source: bool,
    /// True if a tag needs more than 32 bits, or is the one that means any there.
    pub(super) has_long_tags: bool,
    /// Whether each waits only for what stands before it, so that none waits for itself.
    pub(super) is_in_order: bool,
}

impl Survey {
    /// Of no operations.
    pub(super) const NONE: Self = Self {
        sends: 0,
        bytes: 0,
        are_alike: true,
        sent: 0,
        computed: 0,
        longest: 0,
        highest_peer: 0,
        highest_cpu: 0,
        highest_nic: 0,
        has_wildcards: false,
        has_any_source: false,
        has_long_tags: false,
        is_in_order: true,
    };

    /// Adds an operation. Most are like those before: what is not is told apart by a comparison each.
    #[inline]
    pub(super) fn add(&mut self, operation: &Operation) {
        match operation.action {
            Action::Send => {
                if operation.size != self.bytes {
                    self.add_bytes(operation.size);
                }
                self.sends += 1;
                self.sent += u128::from(operation.size);
                self.add_name(operation);
            }
            Action::Receive if operation.peer == ANY => {
                self.has_wildcards = true;
                self.has_any_source = true;
                self.add_name(&Operation { peer: 0, ..*operation });
            }
            Action::Receive => self.add_name(operation),
            Action::Compute => {
                self.computed += u128::from(operation.size);
                self.longest = self.longest.max(operation.size);
            }
        }
        if operation.cpu | operation.nic != 0 {
            self.highest_cpu = self.highest_cpu.max(operation.cpu);
            self.highest_nic = self.highest_nic.max(operation.nic);
        }
    }

    /// Adds a tag that does not fit 32 bits, or is any.
    #[cold]
    fn add_long_tag(&mut self, tag: u64) {
        if tag == ANY_TAG {
            self.has_wildcards = true;
        } else {
            self.has_long_tags = true;
        }
    }

    /// Adds bytes of a send that are others than those of the first, or of the first itself.
    fn add_bytes(&mut self, bytes: u64) {
        if self.sends == 0 {
            self.bytes = bytes;
        } else {
            self.are_alike = false;
        }
    }

    /// Adds what a send or a receive names.
    #[inline]
    fn add_name(&mut self, operation: &Operation) {
        if operation.peer > self.highest_peer {
            self.highest_peer = operation.peer;
        }
        if operation.tag >= FEW_BITS {
            self.add_long_tag(operation.tag);
        }
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
    steps: Vec<BlockStep>,
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
            steps: Vec::new(),
            survey: Survey::NONE,
        }
    }
}

/// The lowest tag that does not fit 32 bits, of which the highest number means any.
pub(super) const FEW_BITS: u64 = u32::MAX as u64;

/// A text has an operation for so many bytes or more, mostly, and a rank or a dependency for twice as many.
const BYTES: usize = 32;

impl GoalBuilder {
    /// Of no operations yet, with room for those of a text of so many bytes.
    pub(super) fn for_text(bytes: usize) -> Self {
        let operations = bytes / BYTES;
        Self {
            first: Vec::with_capacity(operations / 2),
            operations: Vec::with_capacity(operations),
            finish: Vec::with_capacity(operations / 2),
            lines: Vec::with_capacity(operations),
            ..Self::default()
        }
    }

    /// Goes on to the next rank; the first call begins rank 0.
    #[inline]
    pub fn next_rank(&mut self) {
        self.first.push(self.next());
    }

    /// The number of ranks so far.
    pub(super) fn ranks(&self) -> usize {
        self.first.len()
    }

    /// The number that the next operation gets.
    #[inline]
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
    #[inline]
    pub(super) fn push_at(&mut self, operation: Operation, line: u32) {
        self.survey.add(&operation);
        self.operations.push(operation);
        self.lines.push(line);
    }

    /// Adds an operation of a step of an MSCCL file, which is in this line. Returns its number.
    pub(super) fn push_step(&mut self, operation: Operation, step: BlockStep, line: u32) -> u32 {
        let id = self.next();
        self.push_at(operation, line);
        self.steps.push(step);
        id
    }

    /// `id` may not start before `on` has finished.
    #[inline]
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
    pub fn finish(self) -> Goal {
        let goal = self.finish_own();
        for rank in goal.first.windows(2) {
            let own = rank[0]..rank[1];
            let are_own = goal.dependents.of_all(own.clone()).iter().all(|waiting| own.contains(waiting));
            assert!(are_own, "an operation waits for one of another rank");
        }
        goal
    }

    /// The same where each dependency is known to be of operations of one rank.
    pub(super) fn finish_own(mut self) -> Goal {
        self.next_rank();
        let dependents = Dependents::from_dependencies(self.operations.len(), &self.finish, &self.start);
        let Self { first, operations, lines, steps, survey, .. } = self;
        Goal { dependents, first, operations, lines, steps, survey }
    }
}
