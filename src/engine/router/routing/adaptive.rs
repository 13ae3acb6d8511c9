//! Routings in which head flits choose by the state of their router: among several ports, or among buffers that are empty.

use super::super::layout::Layout;
use super::super::packets::{Packet, Packets};
use super::super::state::Block;
use super::super::traffic::Traffic;
use super::super::vcset::VcSet;
use super::fixed::leg;
use super::{Branch, Candidates, Fixed, HeadFlit, Routing};
use crate::routing::relation::Choice;
use crate::routing::{LinkRelation, Relation, Routes};
use crate::units::narrow;

/// A routing by the state of routers.
pub(crate) struct Adaptive<'a, const W: usize> {
    rule: Rule<'a>,
    /// Candidates at the first router of a block, by the direction of the destination, where they follow from it. `None`
    /// until they are computed.
    known: Vec<Option<Candidates<W>>>,
    choices: Vec<Choice>,
}

/// The source of the choices of a head flit.
enum Rule<'a> {
    /// A relation on a lattice.
    Relation(&'a Relation),
    /// A routing over links.
    Links(&'a LinkRelation),
    /// A routing with one port for each packet, whose VCs are granted only while their buffers are empty.
    OnePort(Fixed<'a>),
}

impl<'a, const W: usize> Adaptive<'a, W> {
    /// Creates the adaptive routing of `routes`.
    pub(crate) fn new(routes: &'a Routes) -> Self {
        let (rule, directions) = match routes {
            Routes::Lattice(relation) => (Rule::Relation(relation), relation.bearings()),
            Routes::Links(relation) => (Rule::Links(relation), 0),
        };
        Self { rule, known: vec![None; directions], choices: Vec::new() }
    }

    /// Creates the routing `fixed`, whose VCs are granted only while their buffers are empty.
    pub(crate) fn one_port(fixed: Fixed<'a>) -> Self {
        Self { rule: Rule::OnePort(fixed), known: Vec::new(), choices: Vec::new() }
    }

    /// Candidates on a lattice.
    #[inline(always)]
    fn on_lattice(&mut self, relation: &Relation, head: &HeadFlit<'_, W>, packet: &mut Packet) -> Candidates<W> {
        #[expect(clippy::cast_possible_truncation, reason = "routers are numbered with 32 bits")]
        let router = head.router() as u32;
        if packet.header.dst == router {
            return head.to_node(router);
        }
        if self.known.is_empty() {
            return self.among_choices(relation, head, packet);
        }
        let direction = relation.bearing(router, packet.header.dst);
        let known = match self.known[direction] {
            Some(known) => known,
            None => self.add_known(direction, relation, head, packet),
        };
        let first = head.first();
        Candidates { preferred: known.preferred.shifted(first), escape: known.escape.shifted(first) }
    }

    /// Computes the candidates of all head flits whose destination is in this `direction`.
    #[cold]
    fn add_known(
        &mut self,
        direction: usize,
        relation: &Relation,
        head: &HeadFlit<'_, W>,
        packet: &mut Packet,
    ) -> Candidates<W> {
        self.collect(relation, head, packet);
        let known = self.in_sets(&HeadFlit { vc: head.vc - head.first(), ..*head });
        self.known[direction] = Some(known);
        known
    }

    /// Candidates of a head flit on a lattice where they do not follow from a direction.
    #[inline(never)]
    fn among_choices(&mut self, relation: &Relation, head: &HeadFlit<'_, W>, packet: &mut Packet) -> Candidates<W> {
        self.collect(relation, head, packet);
        self.in_sets(head)
    }

    fn collect(&mut self, relation: &Relation, head: &HeadFlit<'_, W>, packet: &mut Packet) {
        let router = narrow(head.router(), "routers are numbered with 32 bits");
        relation.choices(router, head.layout.port_number(head.vc), &mut packet.header, &mut self.choices);
    }

    /// Candidates over links.
    #[inline(never)]
    fn over_links(&mut self, relation: &LinkRelation, head: &HeadFlit<'_, W>, packet: &Packet) -> Candidates<W> {
        let leg = leg(head, packet);
        if leg.at == relation.router_of(leg.dst) {
            return head.to_node(packet.header.dst);
        }
        self.choices.clear();
        relation.choices(&leg, &mut self.choices);
        self.in_sets(head)
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

    #[inline]
    fn begin<T: Traffic>(&mut self, number: u32, packet: &Packet, traffic: &mut T) {
        if let Rule::OnePort(fixed) = &mut self.rule {
            Routing::<W>::begin(fixed, number, packet, traffic);
        }
    }

    #[inline(always)]
    fn companions(&self, _: u32) -> impl Iterator<Item = u32> {
        std::iter::empty()
    }

    #[inline(always)]
    fn candidates(&mut self, head: &HeadFlit<'_, W>, packets: &mut Packets) -> Candidates<W> {
        match &mut self.rule {
            Rule::Relation(relation) => {
                let relation = *relation;
                self.on_lattice(relation, head, &mut packets[head.packet])
            }
            Rule::Links(relation) => {
                let relation = *relation;
                self.over_links(relation, head, &packets[head.packet])
            }
            Rule::OnePort(fixed) => fixed.candidates(head, packets),
        }
    }

    /// The output VCs with the most credits, and off lattices the ones among them at the ports that fewest packets hold VCs of. A
    /// head flit with several ejection channels to choose from first takes those that fewest packets hold VCs of.
    #[inline(always)]
    fn select<A>(&self, layout: &Layout<W>, block: &Block<W, A>, free: VcSet<W>) -> VcSet<W> {
        let to_node = !(free & layout.of_nodes).is_empty();
        if to_node && layout.numbering.ejections > 1 {
            return block.most_credits(block.least_shared(layout, free));
        }
        let best = block.most_credits(free);
        match self.rule {
            Rule::Links(_) if !to_node => block.least_shared(layout, best),
            _ => best,
        }
    }

    fn has_forks(&self) -> bool {
        false
    }

    fn branches(&self, _: u32) -> &[Branch<W>] {
        &[]
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
