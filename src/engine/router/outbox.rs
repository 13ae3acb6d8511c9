//! What happens in a cycle, and shows to others later.
//!
//! Refuses to know when.

use super::fabric::NOWHERE;
use super::wheel::Run;

/// What happens in this cycle, and shows later.
#[derive(Default)]
pub(super) struct Outbox {
    /// Input vcs where a flit arrives, from a router and from a source.
    pub(super) hops: Vec<Run>,
    pub(super) injected: Vec<Run>,
    /// Output and source vcs that get a credit, from a router and from a node.
    pub(super) credits: Vec<Run>,
    pub(super) sink_credits: Vec<Run>,
}

impl Outbox {
    /// A flit leaves the buffer that `up` fills, by output vc `output` for input vc `down`; whether that is a node instead.
    #[inline(always)]
    pub(super) fn tell(&mut self, up: u32, down: u32, output: u32) -> bool {
        self.credits.push((up, 1));
        let leaves = down == NOWHERE;
        if leaves {
            self.sink_credits.push((output, 1));
        } else {
            self.hops.push((down, 1));
        }
        leaves
    }
}
