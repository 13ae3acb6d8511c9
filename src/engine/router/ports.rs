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
    /// By VC of a router, the side where its port is as an output and as an input ([`Wiring::sides`](crate::routing::Wiring::sides)):
    /// without gaps, as the diagonals of a matrix of ports need it.
    sides: Vec<[u16; 2]>,
    /// By side, the first VC of the input port.
    inputs: Vec<u16>,
}

impl<const W: usize> Ports<W> {
    /// Creates ports, each with its first VC in the first router and its sides as an output and as an input. A port has the VCs of
    /// `mask`, which take the numbers up to `in_port`. VCs of a router take the numbers up to `in_router`.
    pub(crate) fn new(ports: &[(usize, [usize; 2])], mask: u64, in_port: usize, in_router: usize) -> Self {
        let mut sides = vec![[0; 2]; in_router + 1];
        let mut inputs = vec![0; ports.len()];
        for &(first, of_port) in ports {
            sides[first..=first + in_port].fill(of_port.map(short));
            inputs[of_port[1]] = short(first);
        }
        Self { in_port, in_router, mask, sides, inputs }
    }

    /// The number of ports of a router, unused ones included.
    #[inline(always)]
    pub(crate) fn count(&self) -> usize {
        self.inputs.len()
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

    /// The side of the output port of `vc`.
    #[inline(always)]
    pub(crate) fn output_side(&self, vc: usize) -> usize {
        self.sides[vc & self.in_router][0].into()
    }

    /// The side of the input port of `vc`.
    #[inline(always)]
    pub(crate) fn input_side(&self, vc: usize) -> usize {
        self.sides[vc & self.in_router][1].into()
    }

    /// The input port at `side` of the router whose first VC is `router`.
    #[inline(always)]
    pub(crate) fn input_at(&self, router: usize, side: usize) -> usize {
        router + usize::from(self.inputs[side])
    }

    /// Numbers of a block.
    pub(crate) const BLOCK: usize = WORD * W;
}
