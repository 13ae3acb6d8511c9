//! Routings in which a packet has one port at each router: those of lattices that choose a path, and paths over links.

use super::super::layout::Layout;
use super::super::packets::{Packet, Packets};
use super::super::state::Block;
use super::super::traffic::Traffic;
use super::super::vcset::VcSet;
use super::{Branch, Candidates, HeadFlit, Routing};
use crate::routing::relation::Choice;
use crate::routing::{Leg, LinkRelation, Relation, Routes};
use crate::topology::Hop;
use crate::units::{NodeId, RouterId, narrow};
use std::ops::RangeInclusive;

/// A routing with one port for each packet at each router.
pub(crate) struct Fixed<'a> {
    rule: Rule<'a>,
    /// By packet, the links of its path as far as they are decided. Empty where the rule needs none.
    paths: Vec<Vec<Hop>>,
    /// VCs of a link by class, on paths that the traffic prescribes.
    classes: Vec<RangeInclusive<u8>>,
}

/// The source of the next port.
#[derive(Clone, Copy)]
enum Rule<'a> {
    /// A relation on a lattice.
    Relation(&'a Relation),
    /// A routing over links, which decides one or several links at a time.
    Links(&'a LinkRelation),
    /// Paths that the traffic prescribes.
    Prescribed,
}

impl<'a> Fixed<'a> {
    /// Creates the routing of `routes`, or of paths that the traffic prescribes, with these `classes` of the VCs of links.
    pub(crate) fn new(routes: &'a Routes, classes: Option<Vec<RangeInclusive<u8>>>) -> Self {
        let rule = match (&classes, routes) {
            (Some(_), _) => Rule::Prescribed,
            (None, Routes::Lattice(relation)) => Rule::Relation(relation),
            (None, Routes::Links(relation)) => Rule::Links(relation),
        };
        Self { rule, paths: Vec::new(), classes: classes.unwrap_or_default() }
    }

    /// Candidates of a packet that follows a path over links, more of which is decided where it ends.
    #[inline(never)]
    fn over_links<const W: usize>(
        &mut self,
        relation: &LinkRelation,
        head: &HeadFlit<'_, W>,
        packet: &Packet,
    ) -> Candidates<W> {
        let path = &mut self.paths[head.packet as usize];
        let leg = leg(head, packet);
        if path.len() == leg.taken {
            if leg.at == relation.router_of(leg.dst) {
                return head.to_node(packet.header.dst);
            }
            relation.extend(&leg, head.load, path);
        }
        Candidates::preferred(head.outputs(relation.choice(path[leg.taken])))
    }

    /// Candidates of a packet to `dst` that follows a prescribed path, which continues with `hop` or ends.
    #[inline(never)]
    pub(crate) fn to_hop<const W: usize>(&self, head: &HeadFlit<'_, W>, hop: Option<Hop>, dst: u32) -> Candidates<W> {
        let Some(Hop { port, vc }) = hop else { return head.to_node(dst) };
        let class = &self.classes[usize::from(vc)];
        let (first, last) = (*class.start(), *class.end());
        Candidates::preferred(head.outputs(Choice { port, first, last, escape: false, empty: false }))
    }

    /// Candidates of a packet on a lattice.
    #[inline(always)]
    fn on_lattice<const W: usize>(relation: &Relation, head: &HeadFlit<'_, W>, packet: &mut Packet) -> Candidates<W> {
        let entered = head.layout.port_number(head.vc);
        #[expect(clippy::cast_possible_truncation, reason = "routers are numbered with 32 bits")]
        let choice = relation.choice(head.router() as u32, entered, &mut packet.header);
        if usize::from(choice.port) == head.layout.numbering.links {
            return head.to_node(packet.header.dst);
        }
        Candidates::preferred(head.outputs(choice))
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

    #[inline]
    fn begin<T: Traffic>(&mut self, number: u32, packet: &Packet, traffic: &mut T) {
        if matches!(self.rule, Rule::Relation(_)) {
            return;
        }
        let index = number as usize;
        if index >= self.paths.len() {
            self.paths.resize_with(index + 1, Vec::new);
        }
        let path = &mut self.paths[index];
        path.clear(); // a packet that has arrived had the same number
        traffic.path(packet.number, path);
    }

    #[inline(always)]
    fn companions(&self, _: u32) -> impl Iterator<Item = u32> {
        std::iter::empty()
    }

    #[inline(always)]
    fn candidates(&mut self, head: &HeadFlit<'_, W>, packets: &mut Packets) -> Candidates<W> {
        let packet = &mut packets[head.packet];
        match self.rule {
            Rule::Relation(relation) => Self::on_lattice(relation, head, packet),
            Rule::Links(relation) => self.over_links(relation, head, packet),
            Rule::Prescribed => {
                let hop = self.paths[head.packet as usize].get(packet.hops as usize).copied();
                self.to_hop(head, hop, packet.header.dst)
            }
        }
    }

    #[inline(always)]
    fn select<A>(&self, layout: &Layout<W>, block: &Block<W, A>, free: VcSet<W>) -> VcSet<W> {
        if layout.numbering.ejections > 1 && !(free & layout.of_nodes).is_empty() {
            return block.least_shared(layout, free);
        }
        free
    }

    fn has_forks(&self) -> bool {
        false
    }

    fn branches(&self, _: u32) -> &[Branch<W>] {
        &[]
    }
}
