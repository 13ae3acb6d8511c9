//! Routings in which a packet has one port at each router, and paths that the traffic prescribes.

use super::super::layout::Layout;
use super::super::packets::{Packet, Packets};
use super::super::state::Block;
use super::super::vcset::VcSet;
use super::{Candidates, HeadFlit, Routing};
use crate::engine::router::Traffic;
use crate::routing::relation::Choice;
use crate::routing::{self, Lattice, Shortcut};
use crate::topology::Hop;
use std::ops::RangeInclusive;

/// A routing with one port for each packet at each router.
pub(crate) struct Fixed<'a> {
    rule: Rule<'a>,
    /// By packet, the links of its path as far as they are decided. Empty where the rule needs none.
    paths: Vec<Vec<Hop>>,
    /// VCs of a link by class, on paths that the traffic prescribes.
    classes: Vec<RangeInclusive<u16>>,
}

/// The source of the next port.
#[derive(Clone, Copy)]
enum Rule<'a> {
    /// Dimension order without rings on all VCs of a link. It is computed here, as a call for each head flit costs routers
    /// with one VC more than the rest of their route computation.
    DimensionOrder(&'a Lattice),
    /// The choice of a routing.
    Choice(&'a dyn routing::Routing),
    /// Paths that the traffic prescribes.
    Prescribed,
}

impl<'a> Fixed<'a> {
    /// Creates the routing of `routes`, or of paths that the traffic prescribes, with these `classes` of the VCs of links.
    pub(crate) fn new(routes: &'a dyn routing::Routing, classes: Option<Vec<RangeInclusive<u16>>>) -> Self {
        let rule = match (&classes, routes.shortcut()) {
            (Some(_), _) => Rule::Prescribed,
            (None, Some(Shortcut::DimensionOrder(lattice))) => Rule::DimensionOrder(lattice),
            (None, _) => Rule::Choice(routes),
        };
        Self { rule, paths: Vec::new(), classes: classes.unwrap_or_default() }
    }

    /// The path of packet `number`.
    #[inline(always)]
    fn path_mut(&mut self, number: u32) -> &mut Vec<Hop> {
        let index = number as usize;
        if index >= self.paths.len() {
            self.paths.resize_with(index + 1, Vec::new);
        }
        &mut self.paths[index]
    }

    /// Candidates of a packet that `routing` routes.
    #[inline(never)]
    fn by_choice<const W: usize, A>(
        &mut self,
        routing: &dyn routing::Routing,
        head: HeadFlit<'_, W, A>,
        packet: &mut Packet,
    ) -> Candidates<W> {
        let path = &mut self.paths[head.packet as usize];
        let choice = head.choice(routing, packet, path);
        if usize::from(choice.port) == head.layout.numbering.links {
            return head.ejection(packet.header.dst);
        }
        Candidates::preferred(head.outputs(choice))
    }

    /// Candidates of a packet to `dst` that follows a prescribed path, which continues with `hop` or ends.
    #[inline(never)]
    pub(crate) fn to_hop<const W: usize, A>(
        &self,
        head: HeadFlit<'_, W, A>,
        hop: Option<Hop>,
        dst: u32,
    ) -> Candidates<W> {
        let Some(Hop { port, vc }) = hop else { return head.ejection(dst) };
        let class = &self.classes[usize::from(vc)];
        let (first, last) = (*class.start(), *class.end());
        Candidates::preferred(head.outputs(Choice { port, first, last, escape: false, empty: false }))
    }

    /// Candidates of a packet in dimension order.
    #[inline(always)]
    fn in_dimension_order<const W: usize, A>(
        lattice: &Lattice,
        head: HeadFlit<'_, W, A>,
        packet: &Packet,
    ) -> Candidates<W> {
        let port = lattice.towards(head.router_number(), packet.header.dst);
        if port == head.layout.numbering.links {
            return head.ejection(packet.header.dst);
        }
        let first = head.layout.port(head.first(), port);
        Candidates::preferred(head.layout.port_set(first))
    }
}

impl<const W: usize> Routing<W> for Fixed<'_> {
    const ADAPTIVE: bool = false;

    #[inline]
    fn begin<T: Traffic>(&mut self, number: u32, packet: &Packet, traffic: &mut T) {
        if matches!(self.rule, Rule::DimensionOrder(_)) {
            return;
        }
        let path = self.path_mut(number);
        path.clear(); // a packet that has arrived had the same number
        traffic.path(packet.number, path);
    }

    fn take_path(&mut self, number: u32) -> Vec<Hop> {
        self.paths.get_mut(number as usize).map(std::mem::take).unwrap_or_default()
    }

    fn set_path(&mut self, number: u32, path: Vec<Hop>) {
        if !matches!(self.rule, Rule::DimensionOrder(_)) {
            *self.path_mut(number) = path;
        }
    }

    #[inline(always)]
    fn candidates<A>(&mut self, head: HeadFlit<'_, W, A>, packets: &mut Packets) -> Candidates<W> {
        let packet = &mut packets[head.packet];
        match self.rule {
            Rule::DimensionOrder(lattice) => Self::in_dimension_order(lattice, head, packet),
            Rule::Choice(routing) => self.by_choice(routing, head, packet),
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
}
