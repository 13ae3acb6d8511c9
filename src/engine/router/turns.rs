//! Round robin: whose turn it is.
//!
//! Of all requests the first at or after the one whose turn it is; refuses to know what is requested.

/// What an input port requests of the switch.
#[derive(Clone, Copy)]
pub(super) struct Bid {
    /// The less, the sooner it is its turn.
    pub(super) rank: u32,
    /// The input vc.
    pub(super) vc: u32,
    /// The output port of the router.
    pub(super) output: u32,
}

/// What a head flit bids without having had a virtual channel, in a cycle of its router.
#[derive(Clone, Copy)]
pub(super) struct Speculation {
    pub(super) bid: Bid,
    /// The input vcs with a flit that can leave by the same output, as a word: those that have a virtual channel there.
    pub(super) rivals: u64,
}

/// Added to the rank of a head flit that does not have its vc yet: it comes after all that do. Ranks without it are below:
/// at most 64 ports times 64 virtual channels.
pub(super) const SPECULATIVE: u32 = 1 << 16;

/// How long until it is the turn of `at` among `size`, when it is the turn of `turn`.
#[inline]
pub(super) fn wait(at: u32, turn: u32, size: u32) -> u32 {
    if at >= turn { at - turn } else { at + size - turn }
}

/// The one after `at` among `size`.
#[inline]
pub(super) fn after(at: u32, size: u32) -> u32 {
    if at + 1 == size { 0 } else { at + 1 }
}
