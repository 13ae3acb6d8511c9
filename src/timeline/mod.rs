//! Timelines: how each processor of each rank spends the time of a run, under the model and on the network.
//!
//! ```text
//!   execution, run ──▶ Log: spans of computing, noise, sending, receiving ──▶ tracks, which cover the time once
//!                                                                              │
//!                       timeline.csv, explain, Perfetto, report.html ◀── Timeline
//! ```

mod log;
mod tracks;

pub use log::{Log, Span};
pub use tracks::{Slice, Totals, Track};

use crate::schedule::goal::{Goal, Names};
use crate::units::NodeId;
use std::sync::Arc;

/// An activity of a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Activity {
    /// It computes.
    Compute,
    /// The operating system has taken it.
    Noise,
    /// It sends.
    Send,
    /// It receives.
    Receive,
    /// It does nothing, but its last operation is still to end.
    Wait,
    /// Its last operation has ended.
    Idle,
}

impl Activity {
    /// All activities.
    pub const ALL: [Self; 6] = [Self::Compute, Self::Noise, Self::Send, Self::Receive, Self::Wait, Self::Idle];

    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Compute => "compute",
            Self::Noise => "noise",
            Self::Send => "send",
            Self::Receive => "receive",
            Self::Wait => "wait",
            Self::Idle => "idle",
        }
    }
}

/// The tracks of all ranks in a run of a program of operations.
#[derive(Clone, Debug)]
pub struct Timeline {
    /// The operations.
    pub goal: Arc<Goal>,
    /// The names of the operations.
    pub names: Names,
    /// Per rank: its node. Empty without a network.
    pub nodes: Arc<[NodeId]>,
    /// Per rank: its tracks under the model.
    pub predicted: Vec<Vec<Track>>,
    /// Per rank: its tracks on the network. Empty without a network.
    pub measured: Vec<Vec<Track>>,
}

/// The operation of a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation<'a> {
    /// Its number in the rank, from 0.
    pub number: u32,
    /// Its name, or an empty text.
    pub name: &'a str,
    /// The other rank of the message and its bytes, if there is a message.
    pub message: Option<(u32, u64)>,
}

impl Timeline {
    /// The operation of `slice`, if it has one.
    pub fn operation(&self, slice: &Slice) -> Option<Operation<'_>> {
        let id = slice.operation?;
        let message = slice.message.map(|send| {
            let operation = &self.goal.operations()[send as usize];
            let peer = if slice.activity == Activity::Receive { self.goal.rank_of(send) } else { operation.peer };
            (peer, operation.size)
        });
        Some(Operation { number: self.goal.number_in_rank(id), name: self.names.get(id), message })
    }
}
