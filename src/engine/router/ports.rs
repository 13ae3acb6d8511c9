//! Ports as allocators see them: sets of VCs of which one at a time is granted something.

use super::vcset::{VcSet, WORD, short};

/// Ports of the routers of a block, as their first VCs. The switch is allocated to ports of links and nodes, whose VCs share
/// them; of VC allocation every VC is a port of its own.
#[derive(Clone, Debug)]
pub(crate) struct Ports<const W: usize> {
    /// Bits of a number that distinguish the VCs of a port, and those of a router, as masks.
    in_port: usize,
    in_router: usize,
    /// VCs of a port from number 0 on.
    mask: u64,
    /// By VC of a router, the number of its port: without gaps, as the diagonals of a matrix of ports need it.
    numbers: Vec<u16>,
    /// By number, the first VC of the port.
    firsts: Vec<u16>,
}

impl<const W: usize> Ports<W> {
    /// Creates ports whose first VCs in the first router are `firsts`, in ascending order, each with the VCs of `mask`, which
    /// take the numbers up to `in_port`. VCs of a router take the numbers up to `in_router`.
    pub(crate) fn new(firsts: impl Iterator<Item = usize>, mask: u64, in_port: usize, in_router: usize) -> Self {
        let firsts: Vec<u16> = firsts.map(short).collect();
        let mut numbers = vec![0; in_router + 1];
        for (number, &first) in firsts.iter().enumerate() {
            numbers[usize::from(first)..=usize::from(first) + in_port].fill(short(number));
        }
        Self { in_port, in_router, mask, numbers, firsts }
    }

    /// The number of ports of a router, unused ones included.
    #[inline(always)]
    pub(crate) fn count(&self) -> usize {
        self.firsts.len()
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
        VcSet::mask_at(self.mask, self.port_of(vc))
    }

    /// The first number of the router of `vc`.
    #[inline(always)]
    pub(crate) fn router_of(&self, vc: usize) -> usize {
        vc & !self.in_router
    }

    /// The largest number of the router of `vc`.
    #[inline(always)]
    pub(crate) fn last_of_router(&self, vc: usize) -> usize {
        vc | self.in_router
    }

    /// The number of the port of `vc` within its router.
    #[inline(always)]
    pub(crate) fn number(&self, vc: usize) -> usize {
        self.numbers[vc & self.in_router].into()
    }

    /// Port `number` of the router whose first VC is `router`.
    #[inline(always)]
    pub(crate) fn port(&self, router: usize, number: usize) -> usize {
        router + usize::from(self.firsts[number])
    }

    /// Numbers of a block.
    pub(crate) const BLOCK: usize = WORD * W;
}
