//! Ports as the input-first allocator sees them: sets of VCs of which one at a time is granted the switch.

use super::vcset::{VcSet, WORD};

/// Ports of the routers of a block, as their first VCs.
#[derive(Clone, Debug)]
pub(crate) struct Ports<const W: usize> {
    /// Bits of a number that distinguish the VCs of a port, and those of a router, as masks.
    in_port: usize,
    in_router: usize,
    /// VCs of a port, and those of a port that fits a word as a mask from number 0 on.
    vcs: usize,
    mask: u64,
}

impl<const W: usize> Ports<W> {
    /// Creates ports of `vcs` VCs. VCs of a port take the numbers up to `in_port`, those of a router the numbers up to `in_router`.
    pub(crate) fn new(vcs: usize, in_port: usize, in_router: usize) -> Self {
        Self { in_port, in_router, vcs, mask: u64::MAX >> (WORD - vcs.min(WORD)) }
    }

    /// The port of `vc`.
    #[inline(always)]
    pub(crate) fn port_of(&self, vc: usize) -> usize {
        vc & !self.in_port
    }

    /// The largest number of the port of `vc`.
    #[inline(always)]
    pub(crate) fn last_of_port(&self, vc: usize) -> usize {
        vc | self.in_port
    }

    /// VCs of the port of `vc`.
    #[inline(always)]
    pub(crate) fn port_set(&self, vc: usize) -> VcSet<W> {
        if W == 1 || self.vcs <= WORD {
            VcSet::mask_at(self.mask, self.port_of(vc))
        } else {
            VcSet::range(self.port_of(vc), self.vcs)
        }
    }

    /// The largest number of the router of `vc`.
    #[inline(always)]
    pub(crate) fn last_of_router(&self, vc: usize) -> usize {
        vc | self.in_router
    }

    /// Numbers of a block.
    pub(crate) const BLOCK: usize = WORD * W;
}
