//! Numbers of virtual channels.
//!
//! The VCs of a router take a power of two of numbers, and so do those of a port, so that shifts and masks split a
//! number. Small routers share a *block* of `64 * W` numbers. Nothing but [`Layout`] knows their number:
//!
//! ```text
//!   2 VCs, 5 ports:   | router 3 | router 2 | router 1 | router 0 |      one block, 16 numbers a router, 10 used
//!   global number     | block .. | router of the block | port | VC of the port |
//! ```
//!
//! An input VC and the output VC of the same number have nothing in common but the number. A port is named by its first VC.
//! Ports of links come first, those of nodes after them.

use super::ports::Ports;
use super::vcset::{VcSet, WORD};
use crate::engine::router::{Crossbar, RouterCosts};
use crate::routing::{PortAt, Wiring};
use crate::units::narrow;
use std::collections::BTreeSet;
use std::ops::Range;

/// A VC of a block, or of a source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    /// The block, or [`Place::NODE`].
    block: u32,
    /// The number within the block, or the number of a source and the VC.
    vc: u32,
}

impl Place {
    const NODE: u32 = u32::MAX;

    /// The place to which a VC without a link leads.
    pub(crate) const NOWHERE: Self = Self { block: Self::NODE, vc: u32::MAX };

    /// Returns true if it belongs to a node.
    #[inline(always)]
    pub(crate) fn is_node(self) -> bool {
        self.block == Self::NODE
    }

    /// The block, and the number within it.
    #[inline(always)]
    pub(crate) fn split(self) -> (usize, usize) {
        (self.block as usize, self.vc as usize)
    }
}

/// The numbers of the VCs of all routers, and after them of those of sources.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Numbering {
    /// The number of routers.
    pub(crate) routers: usize,
    /// Ports of a router.
    pub(crate) ports: usize,
    /// Ports of a router for links.
    pub(crate) links: usize,
    /// VCs of a port.
    pub(crate) vcs: usize,
    /// Injection and ejection channels of a node.
    pub(crate) injections: usize,
    pub(crate) ejections: usize,
    /// Bits of a number that distinguish the VCs of a port, and the VCs of a router.
    vc_bits: u32,
    router_bits: u32,
}

impl Numbering {
    /// Creates the numbering for the routers of `wiring` with `vcs` VCs a port.
    pub(crate) fn new(wiring: &dyn Wiring, costs: &RouterCosts, vcs: u16) -> Self {
        let injections = costs.injection_ports as usize;
        let ejections = costs.ejection_ports as usize;
        let links = wiring.link_ports();
        let ports = links + wiring.most_nodes() * injections.max(ejections);
        let vcs = usize::from(vcs);
        // an output port of the crossbar takes as many numbers as it has outputs
        let numbers = vcs.max(outputs_of_port(costs.microarchitecture.crossbar, ports));
        let vc_bits = numbers.next_power_of_two().ilog2();
        let router_bits = (ports << vc_bits).next_power_of_two().ilog2();
        Self { routers: wiring.routers(), ports, links, vcs, injections, ejections, vc_bits, router_bits }
    }

    /// Words that the VCs of a router take.
    pub(crate) fn words(&self) -> usize {
        (1_usize << self.router_bits).div_ceil(WORD)
    }

    /// The number of VCs of routers, and the first of those of sources.
    #[expect(clippy::cast_possible_truncation, reason = "all virtual channels together are numbered with 32 bits")]
    pub(crate) fn all(&self) -> u32 {
        (self.routers << self.router_bits) as u32
    }

    /// The number of VCs of routers and of the given number of `sources`.
    pub(crate) fn count(&self, sources: usize) -> usize {
        (self.routers << self.router_bits) + (sources << self.vc_bits)
    }

    /// The port of VC `vc` of a router, and the number of the VC there.
    pub(crate) fn split(&self, vc: u32) -> (PortAt, u32) {
        let port = (vc & ((1 << self.router_bits) - 1)) >> self.vc_bits;
        (PortAt { router: vc >> self.router_bits, port }, vc & ((1 << self.vc_bits) - 1))
    }

    /// The source of VC `vc`.
    pub(crate) fn source(&self, vc: u32) -> u32 {
        (vc - self.all()) >> self.vc_bits
    }
}

/// The outputs of the crossbar that an output port of a router with `ports` ports has: more than one for each input port are of no use.
fn outputs_of_port(crossbar: Crossbar, ports: usize) -> usize {
    (crossbar.output_speedup as usize).min(ports)
}

/// Numbering of the VCs of all routers.
#[derive(Clone, Debug)]
pub(crate) struct Layout<const W: usize> {
    /// Numbers of VCs among those of all routers.
    pub(crate) numbering: Numbering,
    /// VCs of an injection or ejection channel.
    pub(crate) node_vcs: usize,
    /// Bits of a number that distinguish the VCs of a port, and the VCs of a router.
    vc_bits: u32,
    router_bits: u32,
    /// The same as masks.
    in_port: usize,
    in_router: usize,
    /// VCs of a router or, of a wide one, of a word of it, from number 0 on.
    router_mask: u64,
    /// By node, the first VC of its first port.
    nodes: Vec<Place>,
    /// Ports that the switch is allocated to.
    pub(crate) ports: Ports<W>,
    /// VCs of all ports of nodes in a block.
    pub(crate) of_nodes: VcSet<W>,
    /// Those of `of_nodes` that are output VCs whose slots are counted.
    pub(crate) counted: VcSet<W>,
    /// Output VCs that are granted only while their buffer is empty.
    pub(crate) exclusive: VcSet<W>,
    /// By ghost of a strip ([`Blocks`](super::blocks::Blocks)), the number of its block, in ascending order.
    ghosts: Vec<usize>,
    /// The index of the first ghost.
    first_ghost: u32,
}

impl<const W: usize> Layout<W> {
    /// Numbers of a block.
    pub(crate) const BLOCK: usize = Ports::<W>::BLOCK;

    /// Creates the numbering for the routers of `wiring` with `vcs` VCs a port. Slots of nodes are not counted.
    ///
    /// # Panics
    /// If a router has more VCs than a block.
    pub(crate) fn new(wiring: &dyn Wiring, costs: &RouterCosts, vcs: u16) -> Self {
        let numbering = Numbering::new(wiring, costs, vcs);
        let Numbering { ports, links, vcs, vc_bits, router_bits, .. } = numbering;
        assert!(1 << router_bits <= Self::BLOCK, "a router of {ports} ports of {vcs} VCs in {W} words");
        let mask = |bits: u32| if bits < 6 { (1 << (1 << bits)) - 1 } else { u64::MAX };
        let in_port = (1 << vc_bits) - 1;
        let in_router = (1 << router_bits) - 1;
        let mut layout = Self {
            numbering,
            node_vcs: if costs.first_come() || costs.full_crossbar { 1 } else { vcs },
            vc_bits,
            router_bits,
            in_port,
            in_router,
            router_mask: mask(router_bits),
            nodes: Vec::new(),
            ports: Ports::new(vcs, in_port, in_router),
            of_nodes: VcSet::EMPTY,
            counted: VcSet::EMPTY,
            exclusive: VcSet::EMPTY,
            ghosts: Vec::new(),
            first_ghost: Place::NODE,
        };
        layout.of_nodes = layout.in_all_routers(|port| (port >= links).then_some(0));
        let nodes = 0..narrow(wiring.nodes(), "nodes are numbered with 32 bits");
        layout.nodes = nodes.map(|node| layout.place_of_node(wiring, node)).collect();
        layout
    }

    fn place_of_node(&self, wiring: &dyn Wiring, node: u32) -> Place {
        let PortAt { router, port } = wiring.place(node);
        let port = self.numbering.links + port as usize * self.numbering.injections.max(self.numbering.ejections);
        self.locate(router as usize, port, 0)
    }

    /// VCs of the ports of all routers of a block of which `first` returns a first VC, from that on.
    pub(crate) fn in_all_routers(&self, first: impl Fn(usize) -> Option<usize>) -> VcSet<W> {
        let mut set = VcSet::EMPTY;
        for router in 0..Self::BLOCK >> self.router_bits {
            for port in 0..self.numbering.ports {
                let port_vc = self.port(router << self.router_bits, port);
                for vc in first(port).into_iter().flat_map(|first| first..self.numbering.vcs) {
                    set.insert(port_vc + vc);
                }
            }
        }
        set
    }

    /// The ports of all routers of a block, as their first VCs.
    pub(crate) fn ports_of_block(&self) -> impl Iterator<Item = usize> {
        let routers = (0..Self::BLOCK).step_by(self.in_router + 1);
        routers.flat_map(move |router| (0..self.numbering.ports).map(move |port| self.port(router, port)))
    }

    /// The number of blocks.
    pub(crate) fn blocks(&self) -> usize {
        let bits = Self::BLOCK.ilog2() - self.router_bits;
        (self.numbering.routers + (1 << bits) - 1) >> bits
    }

    /// The routers of the blocks with these `numbers`.
    pub(crate) fn routers(&self, numbers: Range<usize>) -> Range<usize> {
        let of_block = Self::BLOCK >> self.router_bits;
        numbers.start * of_block..(numbers.end * of_block).min(self.numbering.routers)
    }

    /// The number of sources: one for each injection channel, those of a node side by side.
    pub(crate) fn sources(&self) -> usize {
        self.nodes.len() * self.numbering.injections
    }

    /// The number of nodes.
    pub(crate) fn nodes(&self) -> usize {
        self.nodes.len()
    }

    /// VC `vc` of port `port` of `router`.
    pub(crate) fn locate(&self, router: usize, port: usize, vc: usize) -> Place {
        let global = router << self.router_bits | port << self.vc_bits | vc;
        self.place_in(global / Self::BLOCK, global % Self::BLOCK)
    }

    /// VC `vc` of block `block`.
    #[expect(clippy::cast_possible_truncation, reason = "all virtual channels together are numbered with 32 bits")]
    #[inline(always)]
    pub(crate) fn place_in(&self, block: usize, vc: usize) -> Place {
        Place { block: block as u32, vc: vc as u32 }
    }

    /// The ghosts of a strip: the index of each, and the number of its block among those of all routers.
    pub(crate) fn ghosts(&self) -> impl Iterator<Item = (usize, usize)> {
        (self.first_ghost as usize..).zip(self.ghosts.iter().copied())
    }

    /// Gives a strip with the blocks before number `end` ghosts of the blocks with the numbers `ghosts`.
    pub(crate) fn add_ghosts(&mut self, end: usize, ghosts: BTreeSet<usize>) {
        self.first_ghost = narrow(end, "all virtual channels together are numbered with 32 bits");
        self.ghosts = ghosts.into_iter().collect();
    }

    /// Returns true if `place` is at a node or in a ghost.
    #[inline(always)]
    pub(crate) fn is_outside(&self, place: Place) -> bool {
        place.block >= self.first_ghost
    }

    /// The place by which a strip knows `place`, which is at a router of another strip: that in a ghost.
    pub(crate) fn ghost_place(&self, place: Place) -> Place {
        let (block, vc) = place.split();
        self.place_in(self.first_ghost as usize + self.ghosts.partition_point(|&ghost| ghost < block), vc)
    }

    /// The place in all routers of a `place` in a ghost.
    pub(crate) fn global_place(&self, place: Place) -> Place {
        let (block, vc) = place.split();
        self.place_in(self.ghosts[block - self.first_ghost as usize], vc)
    }

    /// VC `vc` of source `source`.
    pub(crate) fn place_at_source(&self, source: usize, vc: usize) -> Place {
        let vc = narrow(source << self.vc_bits | vc, "all virtual channels together are numbered with 32 bits");
        Place { block: Place::NODE, vc }
    }

    /// The source and the VC of a place at a source.
    #[inline(always)]
    pub(crate) fn source(&self, place: Place) -> (usize, usize) {
        (place.vc as usize >> self.vc_bits, place.vc as usize & self.in_port)
    }

    /// The node of source `source`, and which of its injection channels it is.
    #[expect(clippy::cast_possible_truncation, reason = "nodes are numbered with 32 bits")]
    #[inline(always)]
    pub(crate) fn channel_of(&self, source: usize) -> (u32, u32) {
        let injections = self.numbering.injections;
        if injections == 1 { (source as u32, 0) } else { ((source / injections) as u32, (source % injections) as u32) }
    }

    /// The input VC that VC `vc` of source `source` leads to.
    #[inline(always)]
    pub(crate) fn entry(&self, source: usize, vc: usize) -> Place {
        let (node, channel) = self.channel_of(source);
        let (block, first) = self.nodes[node as usize].split();
        self.place_in(block, self.port(first, channel as usize) + vc)
    }

    /// The output VCs of its router that lead to `node`.
    pub(crate) fn to_node(&self, node: usize) -> VcSet<W> {
        let (_, first) = self.nodes[node].split();
        let channels =
            (0..self.numbering.ejections).map(|channel| VcSet::range(self.port(first, channel), self.node_vcs));
        channels.fold(VcSet::EMPTY, |set, vcs| set | vcs)
    }

    /// Returns true for an output VC whose slots are not counted: its node always has a free one.
    #[inline(always)]
    pub(crate) fn is_endless(&self, vc: usize) -> bool {
        (self.of_nodes - self.counted).contains(vc)
    }

    /// The number of a place as observers know it: VCs of routers, then VCs of sources.
    #[inline(always)]
    pub(crate) fn number(&self, place: Place) -> u32 {
        if place.is_node() {
            self.numbering.all() + place.vc
        } else {
            self.join(place.block as usize, place.vc as usize)
        }
    }

    /// The number of the channel that leaves by the output VC or source VC at `place`, also of another strip.
    #[inline(always)]
    pub(crate) fn channel(&self, place: Place) -> usize {
        let is_ghost = self.is_outside(place) && !place.is_node();
        let global = if is_ghost { self.global_place(place) } else { place };
        self.number(global) as usize >> self.vc_bits
    }

    /// The number of channels, those of unused ports included.
    pub(crate) fn channels(&self) -> usize {
        (self.numbering.all() as usize >> self.vc_bits) + self.sources()
    }

    /// The number of VC `vc` of block `block` among those of all routers.
    #[expect(clippy::cast_possible_truncation, reason = "all virtual channels together are numbered with 32 bits")]
    #[inline(always)]
    pub(crate) fn join(&self, block: usize, vc: usize) -> u32 {
        (block * Self::BLOCK + vc) as u32
    }

    /// The place of the VC that observers know by the number `vc`.
    pub(crate) fn place(&self, vc: u32) -> Place {
        match vc.checked_sub(self.numbering.all()) {
            Some(vc) => Place { block: Place::NODE, vc },
            None => {
                let (block, vc) = self.split(vc);
                self.place_in(block, vc)
            }
        }
    }

    /// The block and the number within it of VC `vc` among those of all routers.
    pub(crate) fn split(&self, vc: u32) -> (usize, usize) {
        (vc as usize / Self::BLOCK, vc as usize % Self::BLOCK)
    }

    /// The router of VC `vc` of block `block`.
    #[inline(always)]
    pub(crate) fn router(&self, block: usize, vc: usize) -> usize {
        (block * Self::BLOCK + vc) >> self.router_bits
    }

    /// The port of `vc`, as its first VC.
    #[inline(always)]
    pub(crate) fn port_of(&self, vc: usize) -> usize {
        vc & !self.in_port
    }

    /// The number of `vc` among those of its port.
    pub(crate) fn in_port(&self, vc: usize) -> usize {
        vc & self.in_port
    }

    /// The largest number within a router.
    pub(crate) fn in_router(&self) -> usize {
        self.in_router
    }

    /// The outputs of the crossbar that an output port has.
    pub(crate) fn outputs_of_port(&self, crossbar: Crossbar) -> usize {
        outputs_of_port(crossbar, self.numbering.ports)
    }

    /// The first number of the router of `vc`.
    #[inline(always)]
    pub(crate) fn router_of(&self, vc: usize) -> usize {
        vc & !self.in_router
    }

    /// The largest number of the router of `vc`.
    pub(crate) fn last_of_router(&self, vc: usize) -> usize {
        vc | self.in_router
    }

    /// The first VC of port number `port` of the router whose first VC is `router`.
    #[inline(always)]
    pub(crate) fn port(&self, router: usize, port: usize) -> usize {
        router + (port << self.vc_bits)
    }

    /// The number of the port of `vc` within its router.
    #[inline(always)]
    pub(crate) fn port_number(&self, vc: usize) -> usize {
        (vc & self.in_router) >> self.vc_bits
    }

    /// VCs of the port of `vc`.
    #[inline(always)]
    pub(crate) fn port_set(&self, vc: usize) -> VcSet<W> {
        self.ports.port_set(vc)
    }

    /// VCs of the router of `vc`.
    #[inline(always)]
    pub(crate) fn router_set(&self, vc: usize) -> VcSet<W> {
        let first = self.router_of(vc);
        let mut set = VcSet::EMPTY;
        for word in 0..=self.in_router / WORD {
            set |= VcSet::mask_at(self.router_mask, first + WORD * word);
        }
        set
    }
}
