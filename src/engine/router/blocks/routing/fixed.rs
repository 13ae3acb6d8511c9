//! Routings in which a packet has one port at each router: those of lattices that choose a path, and paths over links.

use super::super::layout::Layout;
use super::super::packets::{Packet, Packets};
use super::super::state::Block;
use super::super::vcset::VcSet;
use super::{Candidates, HeadFlit, Routing};
use crate::routing::{Leg, LinkRelation, Routes};
use crate::topology::Hop;
use crate::units::{NodeId, RouterId, narrow};

/// A routing with one port for each packet at each router.
pub(crate) struct Fixed<'a> {
    routes: &'a Routes,
    /// By packet, the links of its path as far as they are decided. Empty on lattices.
    paths: Vec<Vec<Hop>>,
}

impl<'a> Fixed<'a> {
    /// Creates the routing of `routes`.
    pub(crate) fn new(routes: &'a Routes) -> Self {
        Self { routes, paths: Vec::new() }
    }

    /// Candidates of a packet that follows a path over links, more of which is decided where it ends.
    #[inline(never)]
    fn along_path<const W: usize>(
        &mut self,
        relation: &LinkRelation,
        head: &HeadFlit<'_, W>,
        packet: &Packet,
    ) -> Candidates<W> {
        let number = head.packet as usize;
        if number >= self.paths.len() {
            self.paths.resize_with(number + 1, Vec::new);
        }
        let path = &mut self.paths[number];
        if packet.hops == 0 {
            path.clear(); // a packet that has arrived had the same number
        }
        let leg = leg(head, packet);
        if leg.at == relation.router_of(leg.dst) && path.len() == leg.taken {
            return Candidates::preferred(head.layout.to_node(packet.header.dst as usize));
        }
        if path.len() == leg.taken {
            relation.extend(&leg, head.load, path);
        }
        Candidates::preferred(head.outputs(relation.choice(path[leg.taken])))
    }
}

/// A packet at the router of `head`, as routings over links see it.
pub(crate) fn leg<const W: usize>(head: &HeadFlit<'_, W>, packet: &Packet) -> Leg {
    Leg {
        src: NodeId(packet.src),
        dst: NodeId(packet.header.dst),
        at: RouterId(narrow(head.router(), "routers are numbered with 32 bits")),
        taken: packet.hops as usize,
        random_bits: packet.header.random_bits.into(),
    }
}

impl<const W: usize> Routing<W> for Fixed<'_> {
    const ADAPTIVE: bool = false;

    #[inline(always)]
    fn candidates(&mut self, head: &HeadFlit<'_, W>, packets: &mut Packets) -> Candidates<W> {
        let packet = &mut packets[head.packet];
        match self.routes {
            Routes::Lattice(relation) => {
                let entered = head.layout.port_number(head.vc);
                #[expect(clippy::cast_possible_truncation, reason = "routers are numbered with 32 bits")]
                let choice = relation.choice(head.router() as u32, entered, &mut packet.header);
                Candidates::preferred(head.outputs(choice))
            }
            Routes::Links(relation) => self.along_path(relation, head, packet),
        }
    }

    #[inline(always)]
    fn select<A>(&self, _: &Layout<W>, _: &Block<W, A>, free: VcSet<W>) -> VcSet<W> {
        free
    }
}
