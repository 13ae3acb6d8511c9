//! LogGOPS: LogGP (Alexandrov et al. 1995) with an overhead per byte and a rendezvous threshold (Hoefler et al. 2010).
//!
//! [`execute()`] runs operations and their dependencies under it, by the exact rules of the classic simulator, but for
//! messages of no bytes ([`LogGops::parts`]).

mod execute;
mod resources;
mod waiting;

pub use execute::{Conditions, Execution, execute, execute_under};

use super::MessageTimes;
use serde::Serialize;

/// The parameters of LogGOPS, in ticks and bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct LogGops {
    /// `L`: from the end of a send's overhead to the arrival of the first byte.
    pub latency: u64,
    /// `o`: overhead of a send or a receive.
    pub overhead: u64,
    /// `g`: between two messages at an interface.
    pub gap: u64,
    /// `G`: the same, for every byte after the first.
    pub gap_per_byte: u64,
    /// `O`: overhead for every byte after the first.
    pub overhead_per_byte: u64,
    /// `S`: the longest message whose sender does not wait for the receiver.
    pub eager: u64,
}

impl LogGops {
    /// The parts of a message of `bytes` bytes. The first byte arrives `o + L` after the send starts, and the receiver
    /// is busy while the others stream in. Where a node receives once, as in a tree, and no message is longer than `S`,
    /// the executor gives the [`MessageTimes::times`] of these parts.
    ///
    /// The classic simulator takes a message of no bytes to have minus one byte after the first and charges it less
    /// than its overheads; here it costs what a message of one byte does.
    pub fn parts(&self, bytes: u64) -> MessageTimes {
        let after_first = bytes.saturating_sub(1);
        let overhead = after_first * self.overhead_per_byte;
        let gap = after_first * self.gap_per_byte;
        let hold = self.gap + gap;
        MessageTimes {
            send: self.overhead + overhead,
            hold,
            arrival: self.overhead + self.latency,
            receive: self.overhead + overhead.max(gap),
            receive_hold: hold,
        }
    }
}
