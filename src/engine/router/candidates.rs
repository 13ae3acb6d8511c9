//! Candidates of head flits.

use super::vcset::VcSet;

/// Output VCs that the packet at the front of a buffer may request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidates<const W: usize> {
    /// Those that are requested first.
    pub(crate) preferred: VcSet<W>,
    /// Those that are requested if no preferred VC is free.
    pub(crate) escape: VcSet<W>,
}

impl<const W: usize> Candidates<W> {
    /// Candidates without an escape.
    #[inline(always)]
    pub(crate) fn preferred(preferred: VcSet<W>) -> Self {
        Self { preferred, escape: VcSet::EMPTY }
    }
}
