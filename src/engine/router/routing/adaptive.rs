//! Routings in which head flits choose by the state of their router: among several ports, or among buffers that are empty.

use super::super::layout::Layout;
use super::super::packets::{Packet, Packets};
use super::super::state::Block;
use super::super::vcset::VcSet;
use super::{Candidates, Fixed, HeadFlit, Routing};
use crate::engine::router::Traffic;
use crate::routing::relation::Choice;
use crate::routing::{self, Lattice, Shortcut};
use crate::topology::Hop;

/// A routing by the state of routers.
pub(crate) struct Adaptive<'a, const W: usize> {
    rule: Rule<'a>,
    /// The lattice on which candidates follow from the direction of the destination, if they do. It is read here, as a call for
    /// each head flit would cost more than to shift the known candidates.
    directions: Option<&'a Lattice>,
    /// Candidates at the first router of a block by that direction. `None` until they are computed.
    known: Vec<Option<Candidates<W>>>,
    choices: Vec<Choice>,
}

/// The source of the choices of a head flit.
enum Rule<'a> {
    /// The choices of a routing, on a lattice or over any links.
    Choices { routing: &'a dyn routing::Routing, on_lattice: bool },
    /// A routing with one port for each packet, whose VCs are granted only while their buffers are empty.
    OnePort(Fixed<'a>),
}

impl<'a, const W: usize> Adaptive<'a, W> {
    /// Creates the adaptive routing of `routes`.
    pub(crate) fn new(routes: &'a dyn routing::Routing) -> Self {
        let directions = match routes.shortcut() {
            Some(Shortcut::Direction(lattice)) => Some(lattice),
            _ => None,
        };
        let known = vec![None; directions.map_or(0, Lattice::directions)];
        let rule = Rule::Choices { routing: routes, on_lattice: routes.lattice().is_some() };
        Self { rule, directions, known, choices: Vec::new() }
    }

    /// Creates the routing `fixed`, whose VCs are granted only while their buffers are empty.
    pub(crate) fn one_port(fixed: Fixed<'a>) -> Self {
        Self { rule: Rule::OnePort(fixed), directions: None, known: Vec::new(), choices: Vec::new() }
    }

    /// Candidates of a packet that `routing` routes.
    #[inline(always)]
    fn by_choices<A>(
        &mut self,
        routing: &dyn routing::Routing,
        head: HeadFlit<'_, W, A>,
        packet: &mut Packet,
    ) -> Candidates<W> {
        let Some(lattice) = self.directions else { return self.among_choices(routing, head, packet) };
        let router = head.router_number();
        if packet.header.dst == router {
            return head.ejection(router);
        }
        let direction = lattice.direction(router, packet.header.dst);
        let known = match self.known[direction] {
            Some(known) => known,
            None => self.add_known(direction, routing, head, packet),
        };
        let first = head.first();
        Candidates { preferred: known.preferred.shifted(first), escape: known.escape.shifted(first) }
    }

    /// Computes the candidates of all head flits whose destination is in this `direction`.
    #[cold]
    fn add_known<A>(
        &mut self,
        direction: usize,
        routing: &dyn routing::Routing,
        head: HeadFlit<'_, W, A>,
        packet: &mut Packet,
    ) -> Candidates<W> {
        head.choices(routing, packet, &mut self.choices);
        let known = self.in_sets(HeadFlit { vc: head.vc - head.first(), ..head });
        self.known[direction] = Some(known);
        known
    }

    /// Candidates of a head flit where they do not follow from a direction.
    #[inline(never)]
    fn among_choices<A>(
        &mut self,
        routing: &dyn routing::Routing,
        head: HeadFlit<'_, W, A>,
        packet: &mut Packet,
    ) -> Candidates<W> {
        head.choices(routing, packet, &mut self.choices);
        if usize::from(self.choices[0].port) == head.layout.numbering.links {
            return head.ejection(packet.header.dst);
        }
        self.in_sets(head)
    }

    /// The collected choices as sets of VCs at the router of `head`.
    fn in_sets<A>(&self, head: HeadFlit<'_, W, A>) -> Candidates<W> {
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

    fn take_path(&mut self, number: u32) -> Vec<Hop> {
        match &mut self.rule {
            Rule::OnePort(fixed) => Routing::<W>::take_path(fixed, number),
            Rule::Choices { .. } => Vec::new(),
        }
    }

    fn set_path(&mut self, number: u32, path: Vec<Hop>) {
        if let Rule::OnePort(fixed) = &mut self.rule {
            Routing::<W>::set_path(fixed, number, path);
        }
    }

    #[inline(always)]
    fn candidates<A>(&mut self, head: HeadFlit<'_, W, A>, packets: &mut Packets) -> Candidates<W> {
        match &mut self.rule {
            Rule::Choices { routing, .. } => {
                let routing = *routing;
                self.by_choices(routing, head, &mut packets[head.packet])
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
            Rule::Choices { on_lattice: false, .. } if !to_node => block.least_shared(layout, best),
            _ => best,
        }
    }
}
