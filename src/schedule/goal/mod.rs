//! GOAL: operations of ranks and what each has to wait for, the interchange format of the LogGOPS simulators.
//!
//! A [`Goal`] knows who sends how many bytes to whom under which tag, who receives and who computes, and which
//! operation of a rank waits for which other of the same rank. It refuses to know what that costs and where ranks are.
//! Which receive takes which message is decided when it runs, by source and tag, first come first served; that a message
//! is longer than its receive is told then, too.
//!
//! [`Goal::read`] takes text and the binary form, [`Goal::write_text`] and [`Goal::write_binary`] give them; schedules
//! become operations by [`Goal::of_multicast`], [`Goal::of_trees`] and [`Goal::of_exchange`], MSCCL files by [`Msccl::read`].
//!
//! # Size
//!
//! 36 bytes an operation and 4 a dependency; text adds 4 an operation to remember its line, MSCCL 12 to remember its step.

mod append;
mod binary;
mod builder;
mod check;
mod convert;
mod dependents;
mod fault;
mod labels;
mod matching;
mod msccl;
mod names;
mod of_collective;
mod quick;
mod scan;
mod stuck;
mod tags;
mod text;
mod write;

pub use builder::GoalBuilder;
pub use fault::{Concerned, GoalFault, GoalViolation};
pub(crate) use matching::Matching;
pub use msccl::{Algorithm, DataCheck, Msccl};
pub use names::Names;
pub(crate) use stuck::truncated;
pub use tags::AmbiguousTags;
pub use text::GoalError;

use crate::units::narrow;
use builder::Survey;
use dependents::{Dependents, Moment};
use std::fmt;
use std::ops::Range;

/// The source of a receive that takes messages from any rank.
pub const ANY: u32 = u32::MAX;

/// The tag that fits any other: -1 in 64 bits.
pub const ANY_TAG: u64 = u64::MAX;

/// What an operation does. The order is the one in which operations that become ready together are started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Action {
    /// Sends to a peer.
    Send,
    /// Receives from a peer.
    Receive,
    /// Computes.
    Compute,
}

/// One operation of a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation {
    /// What it does.
    pub action: Action,
    /// Bytes; of a computation, ticks.
    pub size: u64,
    /// To which rank, or from which ([`ANY`]); a computation has none.
    pub peer: u32,
    /// The tag ([`ANY_TAG`]), of 64 bits: generators put counters side by side.
    pub tag: u64,
    /// The processor of the rank that it occupies.
    pub cpu: u8,
    /// The interface of the rank that it occupies.
    pub nic: u8,
}

impl Operation {
    /// A computation of so many ticks on processor 0.
    pub fn compute(ticks: u64) -> Self {
        Self { action: Action::Compute, size: ticks, peer: 0, tag: 0, cpu: 0, nic: 0 }
    }

    /// A send of so many bytes on processor and interface 0.
    pub fn send(bytes: u64, to: u32, tag: u64) -> Self {
        Self { action: Action::Send, size: bytes, peer: to, tag, cpu: 0, nic: 0 }
    }

    /// A receive of so many bytes on processor and interface 0.
    pub fn receive(bytes: u64, from: u32, tag: u64) -> Self {
        Self { action: Action::Receive, size: bytes, peer: from, tag, cpu: 0, nic: 0 }
    }
}

/// As GOAL text has it.
impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let way = match self.action {
            Action::Compute => return write!(f, "calc {}{}", self.size, option("cpu", self.cpu)),
            Action::Send => "send",
            Action::Receive => "recv",
        };
        let any = |value: u64, any: u64| if value == any { "-1".to_owned() } else { value.to_string() };
        let preposition = if self.action == Action::Send { "to" } else { "from" };
        write!(f, "{way} {}b {preposition} {}", self.size, any(self.peer.into(), ANY.into()))?;
        if self.tag != 0 {
            write!(f, " tag {}", any(self.tag, ANY_TAG))?;
        }
        write!(f, "{}{}", option("cpu", self.cpu), option("nic", self.nic))
    }
}

/// An option that is not 0.
fn option(name: &str, value: u8) -> String {
    if value == 0 { String::new() } else { format!(" {name} {value}") }
}

/// A number or a count of operations, or of what there is of a few for each.
fn number(count: usize) -> u32 {
    narrow(count, "operations are numbered with 32 bits")
}

/// The operations of all ranks, numbered rank by rank in the order in which they are written.
#[derive(Clone, Debug)]
pub struct Goal {
    /// Each rank's first operation, and at the end how many there are.
    first: Vec<u32>,
    operations: Vec<Operation>,
    /// Per operation: those that wait until it has finished, those until it has started, and how many it waits for.
    dependents: Dependents,
    /// Per operation the line of text it stands in; empty if it comes from elsewhere.
    lines: Vec<u32>,
    /// The step of each operation of an MSCCL file, or empty if they come from elsewhere.
    steps: Vec<BlockStep>,
    survey: Survey,
}

/// A step of a threadblock of an MSCCL file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct BlockStep {
    /// The number of the threadblock within its GPU.
    block: u32,
    /// The number of the step within its threadblock.
    step: u32,
}

impl fmt::Display for BlockStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "tb {}, step {}", self.block, self.step)
    }
}

/// Two are equal if they ask for the same; where it was written does not count.
impl PartialEq for Goal {
    fn eq(&self, other: &Self) -> bool {
        (&self.first, &self.operations, &self.dependents) == (&other.first, &other.operations, &other.dependents)
    }
}

impl Goal {
    /// The number of ranks.
    pub fn ranks(&self) -> usize {
        self.first.len() - 1
    }

    /// The numbers of the operations of `rank`; panics if there is no such rank.
    pub fn of_rank(&self, rank: usize) -> Range<u32> {
        self.first[rank]..self.first[rank + 1]
    }

    /// The rank of operation `id`.
    pub fn rank_of(&self, id: u32) -> u32 {
        number(self.first.partition_point(|&first| first <= id) - 1)
    }

    /// All operations by number.
    #[inline]
    pub fn operations(&self) -> &[Operation] {
        &self.operations
    }

    /// The operations of `rank`; panics if there is no such rank.
    fn operations_of(&self, rank: usize) -> &[Operation] {
        &self.operations[self.first[rank] as usize..self.first[rank + 1] as usize]
    }

    /// How many messages are sent.
    pub fn messages(&self) -> usize {
        self.survey.sends
    }

    /// The operations that wait until `id` has finished; panics if there is no operation `id`.
    #[inline]
    pub fn after_finish(&self, id: u32) -> &[u32] {
        self.dependents.get(id, Moment::Finish)
    }

    /// The operations that wait until `id` has started; panics if there is no operation `id`.
    #[inline]
    pub fn after_start(&self, id: u32) -> &[u32] {
        self.dependents.get(id, Moment::Start)
    }

    /// Ticks of all computations together.
    pub(crate) fn computed(&self) -> u128 {
        self.survey.computed
    }

    /// Ticks of the longest computation.
    pub(crate) fn longest_computation(&self) -> u64 {
        self.survey.longest
    }

    /// Bytes of all messages together.
    pub(crate) fn sent(&self) -> u128 {
        self.survey.sent
    }

    /// The bytes of each message, where all have as many.
    pub(crate) fn bytes_of_all(&self) -> Option<u64> {
        (self.survey.sends > 0 && self.survey.are_alike).then_some(self.survey.bytes)
    }

    /// The highest number of a processor that an operation occupies, and 0 if there is none.
    pub(crate) fn highest_cpu(&self) -> u8 {
        self.survey.highest_cpu
    }

    /// The highest number of an interface that an operation occupies, and 0 if there is none.
    pub(crate) fn highest_nic(&self) -> u8 {
        self.survey.highest_nic
    }

    /// Per operation: how many others it waits for.
    pub fn waits(&self) -> Vec<u32> {
        self.dependents.all_waits().collect()
    }

    /// Whether others wait for the end or the start of operation `id`; panics if there is no operation `id`.
    #[inline]
    pub(crate) fn is_awaited(&self, id: u32) -> bool {
        self.dependents.is_awaited(id)
    }

    /// How many others operation `id` waits for; panics if there is no such operation.
    #[inline]
    pub(crate) fn waits_of(&self, id: u32) -> u32 {
        self.dependents.waits(id)
    }

    /// The line of the text that operation `id` stands in, from 1; none if it comes from elsewhere.
    pub fn line(&self, id: u32) -> Option<u32> {
        self.lines.get(id as usize).copied()
    }

    /// The number of operation `id` among those of its rank, from 0.
    pub fn number_in_rank(&self, id: u32) -> u32 {
        id - self.first[self.rank_of(id) as usize]
    }

    /// The noun for the ranks of the file that the operations come from.
    fn noun(&self) -> &'static str {
        if self.steps.is_empty() { "rank" } else { "gpu" }
    }

    /// The position of operation `id` within its rank: step and line, line, or number.
    fn position(&self, id: u32) -> String {
        match (self.steps.get(id as usize), self.line(id)) {
            (Some(step), Some(line)) => format!("{step}, line {line}"),
            (_, Some(line)) => format!("line {line}"),
            (_, None) => format!("operation {}", self.number_in_rank(id)),
        }
    }

    /// The rank of operation `id`, and its step if it has one.
    fn owner(&self, id: u32) -> String {
        let rank = format!("{} {}", self.noun(), self.rank_of(id));
        match self.steps.get(id as usize) {
            Some(step) => format!("{rank}, {step}"),
            None => rank,
        }
    }

    /// Operation `id` in words: where it stands and what it does; panics if there is no operation `id`.
    pub fn in_words(&self, id: u32) -> String {
        let (noun, rank) = (self.noun(), self.rank_of(id));
        format!("{noun} {rank}, {}: {}", self.position(id), self.operations[id as usize])
    }
}
