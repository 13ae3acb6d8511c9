//! LogP: latency, overhead, gap (Culler et al. 1993), for messages of one small length.

use super::LogGops;
use serde::Serialize;

/// The parameters of LogP, in ticks. `P`, the number of processors, is the machine's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct LogP {
    /// `L`: from the end of a send's overhead to the arrival.
    pub latency: u64,
    /// `o`: the processor is busy so long with a send or a receive.
    pub overhead: u64,
    /// `g`: between two sends, or two receipts, of a processor.
    pub gap: u64,
}

impl LogP {
    /// The same as LogGOPS: nothing per byte, and every message eager. Where a node receives once, as in a tree, no receipt
    /// waits for another's gap: `t_hold = max(g, o)`, `t_end = L + 2o`.
    #[must_use]
    pub fn loggops(&self) -> LogGops {
        let Self { latency, overhead, gap } = *self;
        LogGops { latency, overhead, gap, gap_per_byte: 0, overhead_per_byte: 0, eager: u64::MAX }
    }
}
