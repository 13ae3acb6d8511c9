//! Times of joins, where routers combine packets.

use serde::Serialize;

/// The time that routers take to combine packets, in cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Combining {
    /// The time from the arrival of the last operand until the combined flit can leave.
    pub latency: u64,
    /// The time between two flits of a join, at least 1.
    pub interval: u64,
}

impl Default for Combining {
    fn default() -> Self {
        Self { latency: 1, interval: 1 }
    }
}

impl Combining {
    pub(super) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}
