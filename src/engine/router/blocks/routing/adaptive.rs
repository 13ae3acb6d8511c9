//! Routings in which head flits choose among several ports by the state of their router.

use super::super::layout::Layout;
use super::super::packets::{Packet, Packets};
use super::super::state::Block;
use super::super::vcset::VcSet;
use super::fixed::leg;
use super::{Candidates, HeadFlit, Routing};
use crate::routing::relation::Choice;
use crate::routing::{Relation, Routes};
use crate::units::narrow;

/// A routing with several ports for each packet at each router.
pub(crate) struct Adaptive<'a, const W: usize> {
    routes: &'a Routes,
    /// Candidates at the first router of a block, by the direction of the destination, where they follow from it. `None`
    /// until they are computed.
    known: Vec<Option<Candidates<W>>>,
    choices: Vec<Choice>,
}

impl<'a, const W: usize> Adaptive<'a, W> {
    /// Creates the routing of `routes`.
    pub(crate) fn new(routes: &'a Routes) -> Self {
        let directions = match routes {
            Routes::Lattice(relation) => relation.bearings(),
            Routes::Links(_) => 0,
        };
        Self { routes, known: vec![None; directions], choices: Vec::new() }
    }

    /// Candidates on a lattice.
    #[inline(always)]
    fn on_lattice(&mut self, relation: &Relation, head: &HeadFlit<'_, W>, packet: &mut Packet) -> Candidates<W> {
        if self.known.is_empty() {
            return self.computed(head, packet);
        }
        #[expect(clippy::cast_possible_truncation, reason = "routers are numbered with 32 bits")]
        let direction = relation.bearing(head.router() as u32, packet.header.dst);
        let known = match self.known[direction] {
            Some(known) => known,
            None => self.add_known(direction, head, packet),
        };
        let first = head.first();
        Candidates { preferred: known.preferred.shifted(first), escape: known.escape.shifted(first) }
    }

    /// Computes the candidates of all head flits whose destination is in this `direction`.
    #[cold]
    fn add_known(&mut self, direction: usize, head: &HeadFlit<'_, W>, packet: &mut Packet) -> Candidates<W> {
        let at_first = HeadFlit { vc: head.vc - head.first(), ..*head };
        self.collect(head, packet);
        let known = self.in_sets(&at_first);
        self.known[direction] = Some(known);
        known
    }

    /// Candidates that are computed for this head flit alone.
    #[inline(never)]
    fn computed(&mut self, head: &HeadFlit<'_, W>, packet: &mut Packet) -> Candidates<W> {
        if let Routes::Links(relation) = self.routes
            && head.router() == relation.router_of(leg(head, packet).dst).index()
        {
            return Candidates::preferred(head.layout.to_node(packet.header.dst as usize));
        }
        self.collect(head, packet);
        self.in_sets(head)
    }

    /// Collects the choices of a packet that is not at its destination, or is on a lattice.
    fn collect(&mut self, head: &HeadFlit<'_, W>, packet: &mut Packet) {
        self.choices.clear();
        match self.routes {
            Routes::Lattice(relation) => {
                let router = narrow(head.router(), "routers are numbered with 32 bits");
                let entered = head.layout.port_number(head.vc);
                relation.choices(router, entered, &mut packet.header, &mut self.choices);
            }
            Routes::Links(relation) => relation.choices(&leg(head, packet), &mut self.choices),
        }
    }

    /// The collected choices as sets of VCs at the router of `head`.
    fn in_sets(&self, head: &HeadFlit<'_, W>) -> Candidates<W> {
        let mut candidates = Candidates::preferred(VcSet::EMPTY);
        for &choice in &self.choices {
            let set = if choice.escape { &mut candidates.escape } else { &mut candidates.preferred };
            *set |= head.outputs(choice);
        }
        candidates
    }
}

impl<const W: usize> Routing<W> for Adaptive<'_, W> {
    const ADAPTIVE: bool = true;

    #[inline(always)]
    fn candidates(&mut self, head: &HeadFlit<'_, W>, packets: &mut Packets) -> Candidates<W> {
        let packet = &mut packets[head.packet];
        match self.routes {
            Routes::Lattice(relation) => self.on_lattice(relation, head, packet),
            Routes::Links(_) => self.computed(head, packet),
        }
    }

    /// The output VCs with the most credits, and off lattices, of those the ones at the ports that fewest packets hold VCs of.
    #[inline(always)]
    fn select<A>(&self, layout: &Layout<W>, block: &Block<W, A>, free: VcSet<W>) -> VcSet<W> {
        let best = block.most_credits(free);
        match self.routes {
            Routes::Links(_) if (best & layout.ejection).is_empty() => block.least_shared(layout, best),
            _ => best,
        }
    }
}

/// The first of the VCs of a link that are granted only while their buffer is empty, if there are any.
pub(crate) fn exclusive_from(routes: &Routes) -> Option<usize> {
    let Routes::Lattice(relation) = routes else { return None };
    if !relation.is_adaptive() || relation.lattice().nodes() < 2 {
        return None;
    }
    // head flits to all nodes have the same VCs to choose from, at other ports
    let mut choices = Vec::new();
    relation.choices(0, 0, &mut relation.header(1, 0), &mut choices);
    choices.iter().find(|choice| choice.empty).map(|choice| choice.first.into())
}
