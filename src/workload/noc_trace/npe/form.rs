//! The types of events that the format has: which are read as what, and why others are refused.
//!
//! Refuses to know where an event's fields come from and what processors did before it.

use crate::workload::noc_trace::event::{Tile, What};

/// What a processor reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Read,
    Write,
}

/// What an event of a type has to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// A place and a size.
    Transfer(Direction),
    /// A rectangle and a size.
    Multicast,
    /// A place, and perhaps a size, for events to come. Nothing goes over the network.
    Keeps(Direction),
    /// A place and a size, where it has them: what it lacks was kept.
    Recalls(Direction),
    /// A size, if it has one: the place was kept, and the one that is recorded means nothing.
    RecallsPlace(Direction),
    /// A place alone.
    SemaphoreIncrement,
    /// Nothing else.
    Plain(What),
    /// Nothing, and nothing happens: a register of the processor is set.
    Silent,
    /// It cannot be run, for this reason, which is the end of a sentence.
    Refused(&'static str),
}

const OTHER_CHIP: &str = "goes to another chip, but only one chip is simulated";
const NO_END: &str = "waits until a time that the trace does not contain";
const TRANSACTIONS: &str = "waits for transactions that the trace does not identify";
const UNKNOWN_SIZE: &str = "is not supported: neither its size nor its reply is documented";

const READ: Direction = Direction::Read;
const WRITE: Direction = Direction::Write;

/// Every type by name, without an underscore at its end; the most frequent ones first. Types of other chips are
/// all that begin with [`FABRIC`].
pub(super) static TYPES: &[(&str, Form)] = &[
    ("READ", Form::Transfer(READ)),
    ("READ_BARRIER_START", Form::Plain(What::ReadBarrierStart)),
    ("READ_BARRIER_END", Form::Plain(What::ReadBarrierEnd)),
    ("WRITE", Form::Transfer(WRITE)),
    ("WRITE_BARRIER_START", Form::Plain(What::WriteBarrierStart)),
    ("WRITE_BARRIER_END", Form::Plain(What::WriteBarrierEnd)),
    ("WRITE_FLUSH", Form::Plain(What::WriteFlush)),
    ("WRITE_MULTICAST", Form::Multicast),
    ("WRITE_WITH_TRID", Form::Transfer(WRITE)),
    ("WRITE_INLINE", Form::Transfer(WRITE)),
    ("READ_SET_STATE", Form::Keeps(READ)),
    ("READ_DRAM_SHARDED_SET_STATE", Form::Keeps(READ)),
    ("READ_WITH_STATE", Form::Recalls(READ)),
    ("READ_DRAM_SHARDED_WITH_STATE", Form::Recalls(READ)),
    ("READ_WITH_STATE_AND_TRID", Form::RecallsPlace(READ)),
    ("WRITE_SET_STATE", Form::Keeps(WRITE)),
    ("WRITE_WITH_TRID_SET_STATE", Form::Keeps(WRITE)),
    ("WRITE_WITH_STATE", Form::Recalls(WRITE)),
    ("WRITE_WITH_TRID_WITH_STATE", Form::RecallsPlace(WRITE)),
    ("READ_SET_TRID", Form::Silent),
    ("WRITE_SET_TRID", Form::Silent),
    ("SEMAPHORE_INC", Form::SemaphoreIncrement),
    ("SEMAPHORE_SET", Form::Plain(What::SemaphoreSet)),
    ("SEMAPHORE_WAIT", Form::Plain(What::SemaphoreWait)),
    ("FULL_BARRIER", Form::Refused(NO_END)),
    ("ATOMIC_BARRIER", Form::Refused(NO_END)),
    ("READ_BARRIER_WITH_TRID", Form::Refused(TRANSACTIONS)),
    ("WRITE_BARRIER_WITH_TRID", Form::Refused(TRANSACTIONS)),
    ("WRITE_FLUSH_WITH_TRID", Form::Refused(TRANSACTIONS)),
    ("SEMAPHORE_SET_REMOTE", Form::Refused(UNKNOWN_SIZE)),
    ("SEMAPHORE_SET_MULTICAST", Form::Refused(UNKNOWN_SIZE)),
    ("SEMAPHORE_INC_MULTICAST", Form::Refused(UNKNOWN_SIZE)),
];

/// What the names of types begin with that go to other chips.
const FABRIC: &str = "FABRIC_";

/// The form of the type called `name`. The format writes `WRITE_`, as C++ names it; an underscore at the end is the same
/// for every type.
pub(super) fn form(name: &str) -> Option<Form> {
    let plain = name.strip_suffix('_').unwrap_or(name);
    match TYPES.iter().find(|(known, _)| *known == plain) {
        Some((_, form)) => Some(*form),
        None => name.starts_with(FABRIC).then_some(Form::Refused(OTHER_CHIP)),
    }
}

/// The names of the types that are run.
pub(super) fn accepted() -> impl Iterator<Item = &'static str> + Clone {
    TYPES.iter().filter(|(_, form)| !matches!(form, Form::Refused(_))).map(|(name, _)| *name)
}

impl Direction {
    /// The transfer of so many bytes between the processor's core and `place`.
    pub(super) fn transfer(self, place: Tile, bytes: u64) -> What {
        match self {
            Self::Read => What::Read { from: place, bytes },
            Self::Write => What::Write { to: place, bytes },
        }
    }

    /// The type that keeps what others of this direction recall.
    pub(super) fn keeper(self) -> &'static str {
        match self {
            Self::Read => "READ_SET_STATE",
            Self::Write => "WRITE_SET_STATE",
        }
    }
}
