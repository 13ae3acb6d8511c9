//! Routings in which a packet has one port at each router, and paths that the traffic prescribes.

use super::super::layout::Layout;
use super::super::packets::Packet;
use super::super::state::Block;
use super::super::vcset::VcSet;
use super::{Candidates, HeadFlit, Routing};
use crate::routing::relation::{Class, share};
use crate::routing::{self, Lattice, Shortcut};
use crate::topology::Hop;

/// A routing with one port for each packet at each router.
pub(crate) struct Fixed<'a> {
    rule: Rule<'a>,
    /// By packet, the links of its path as far as they are decided. Empty where the rule needs none.
    paths: Vec<Vec<Hop>>,
}

/// The source of the next port.
#[derive(Clone, Copy)]
enum Rule<'a> {
    /// Dimension order without rings on all VCs of a link. It is computed here, as a call for each head flit costs routers
    /// with one VC more than the rest of their route computation.
    DimensionOrder(&'a Lattice),
    /// The choice of a routing.
    Choice(&'a dyn routing::Routing),
    /// Paths that the traffic prescribes. VCs of a link are shared out evenly among the classes of these paths.
    Prescribed { vcs: u8, classes: u8 },
}

impl<'a> Fixed<'a> {
    /// Creates the routing of `routes`, or of paths that the traffic prescribes, which have `classes` classes of VCs.
    pub(crate) fn new(routes: &'a dyn routing::Routing, classes: Option<u8>) -> Self {
        let vcs = routes.virtual_channels();
        let rule = match (classes, routes.shortcut()) {
            (Some(classes), _) => Rule::Prescribed { vcs, classes },
            (None, Some(Shortcut::DimensionOrder(lattice))) => Rule::DimensionOrder(lattice),
            (None, _) => Rule::Choice(routes),
        };
        Self { rule, paths: Vec::new() }
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
        if usize::from(choice.port) == head.layout.links {
            return head.to_node(packet.header.dst);
        }
        Candidates::preferred(head.outputs(choice))
    }

    /// Candidates of a packet that follows a prescribed path.
    #[inline(never)]
    fn prescribed<const W: usize, A>(
        &self,
        [vcs, classes]: [u8; 2],
        head: HeadFlit<'_, W, A>,
        packet: &Packet,
    ) -> Candidates<W> {
        match self.paths[head.packet as usize].get(packet.hops as usize) {
            Some(&Hop { port, vc }) => {
                let class = Class { number: vc, of: classes };
                Candidates::preferred(head.outputs(share(vcs, port, class)))
            }
            None => head.to_node(packet.header.dst),
        }
    }

    /// Candidates of a packet in dimension order.
    #[inline(always)]
    fn in_dimension_order<const W: usize, A>(
        lattice: &Lattice,
        head: HeadFlit<'_, W, A>,
        packet: &Packet,
    ) -> Candidates<W> {
        let port = lattice.towards(head.router_number(), packet.header.dst);
        if port == head.layout.links {
            return head.to_node(packet.header.dst);
        }
        let first = head.layout.port(head.first(), port);
        Candidates::preferred(head.layout.port_set(first))
    }
}

impl<const W: usize> Routing<W> for Fixed<'_> {
    const ADAPTIVE: bool = false;

    #[inline]
    fn begin(&mut self, packet: u32, prescribe: impl FnOnce(&mut Vec<Hop>)) {
        if matches!(self.rule, Rule::DimensionOrder(_)) {
            return;
        }
        let number = packet as usize;
        if number >= self.paths.len() {
            self.paths.resize_with(number + 1, Vec::new);
        }
        let path = &mut self.paths[number];
        path.clear(); // a packet that has arrived had the same number
        prescribe(path);
    }

    #[inline(always)]
    fn candidates<A>(&mut self, head: HeadFlit<'_, W, A>, packet: &mut Packet) -> Candidates<W> {
        match self.rule {
            Rule::DimensionOrder(lattice) => Self::in_dimension_order(lattice, head, packet),
            Rule::Choice(routing) => self.by_choice(routing, head, packet),
            Rule::Prescribed { vcs, classes } => self.prescribed([vcs, classes], head, packet),
        }
    }

    #[inline(always)]
    fn select<A>(&self, layout: &Layout<W>, block: &Block<W, A>, free: VcSet<W>) -> VcSet<W> {
        if layout.ejections > 1 && !(free & layout.of_nodes).is_empty() {
            return block.least_shared(layout, free);
        }
        free
    }
}
