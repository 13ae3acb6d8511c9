//! What processors of a chip do, and what its ends are like: all that their program is made of.
//!
//! Times are in ticks, counted from where a recording begins. Records that say what was recorded; they refuse to know what becomes
//! of it.

use crate::units::NodeId;
use std::ops::Range;

/// When processors do what was recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Issue {
    /// Each step as long after the one before as it was recorded; a barrier ends when it does.
    React,
    /// Each step when it was recorded, or when the last barrier ends if that is later.
    Replay,
}

/// What a processor may wait for at a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Awaited {
    /// The answers to all its reads.
    Reads,
    /// The answers to all its writes.
    Writes,
    /// That all that it writes has left.
    Sent,
}

/// A message to one end or several, and what comes back from each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// The end of the core.
    pub core: NodeId,
    /// Where its messages go.
    pub ends: Range<u32>,
    /// The length of a message there, head flit included.
    pub there: u64,
    /// The length of a message back, head flit included.
    pub back: u64,
    /// What each answer takes of the end's memory, in bytes.
    pub bytes: u64,
    /// Whether barriers of reads wait for it; else barriers of writes do.
    pub reads: bool,
    /// Whether it goes to all its ends as one worm.
    pub is_multicast: bool,
}

/// What a processor does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// It issues these transfers together.
    Issue(Range<u32>),
    /// It waits, which ended at `until` when it was recorded.
    Barrier {
        /// For what.
        awaited: Awaited,
        /// When it ended.
        until: u64,
    },
    /// Time passes.
    Pass,
}

/// What a processor did, and when it was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// When it began, in ticks.
    pub at: u64,
    /// What.
    pub act: Act,
}

/// What an end of the network is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// From the arrival of a message until its answer can set out, in ticks.
    pub memory: u64,
    /// Messages that it holds at most whose answers have not begun.
    pub limit: u32,
    /// Bytes a tick that its memory gives: answers leave the interface of the end at least so far apart; 0 where that is no limit.
    pub bytes_per_tick: u64,
    /// What the head flit of an answer takes from the end through its interface, if nothing keeps it.
    pub interface: u64,
}

/// What processors take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overheads {
    /// From the issue of a transfer until its message requests its injection channel, in ticks.
    pub issue: u64,
    /// From the last arrival until a barrier ends.
    pub wake: u64,
    /// The least that a barrier takes.
    pub barrier: u64,
}

/// All that processors do.
#[derive(Clone, Debug)]
pub struct Work<'a> {
    /// Per processor its steps.
    pub processors: &'a [Vec<Step>],
    /// The transfers, numbered by processor and step.
    pub transfers: &'a [Transfer],
    /// Where messages of transfers go: [`Transfer::ends`] counts here.
    pub ends: &'a [NodeId],
    /// The ends of the network.
    pub nodes: &'a [End],
    /// What processors take.
    pub overheads: Overheads,
    /// When processors do what was recorded.
    pub issue: Issue,
    /// How many classes of virtual channels messages have: those of answers follow those of messages that processors send.
    pub classes: u32,
    /// How many nodes a column has: nodes are numbered column by column.
    pub rows: u32,
}
