//! LogGOPS: LogGP (Alexandrov et al. 1995) with an overhead per byte and a rendezvous threshold (Hoefler et al. 2010).
//!
//! [`execute()`] runs operations and their dependencies under it, by the exact rules of the classic simulator.

mod execute;
mod waiting;

pub use execute::{Execution, execute};

use super::{MessageTimes, Parameterised};
use crate::units::Ticks;
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
    /// A message of `m` bytes, with `e = m - 1` bytes after the first: `t_hold = max(o + e O, g + e G)` and
    /// `t_end = 2o + L + max(e O, e G)`.
    ///
    /// This assumes that a node receives once, as in a tree, and that no message is longer than `S`; then the executor
    /// gives the same times.
    #[must_use]
    pub fn parameterised(&self, bytes: u64) -> Parameterised {
        let parts = self.parts(bytes);
        Parameterised { t_hold: Ticks(parts.send.max(parts.hold)), t_end: Ticks(parts.arrival + parts.receive) }
    }

    /// The parts of a message of `bytes` bytes. The first byte arrives `o + L` after the send starts, and the receiver is
    /// busy while the others stream in.
    ///
    /// The classic simulator takes a message of no bytes to have minus one byte after the first, in unsigned arithmetic;
    /// so do we, as long as no part becomes negative.
    #[must_use]
    pub fn parts(&self, bytes: u64) -> MessageTimes {
        let per_byte = |cost: u64| bytes.wrapping_sub(1).wrapping_mul(cost);
        let overhead = per_byte(self.overhead_per_byte);
        let gap = per_byte(self.gap_per_byte);
        let hold = plus(self.gap, gap);
        MessageTimes {
            send: plus(self.overhead, overhead),
            hold,
            arrival: self.overhead + self.latency,
            receive: plus(self.overhead, overhead.max(gap)),
            receive_hold: hold,
        }
    }
}

/// `time + more`, where `more` may be a negative number in unsigned arithmetic: no part becomes negative.
fn plus(time: u64, more: u64) -> u64 {
    time.saturating_add_signed(more.cast_signed())
}
