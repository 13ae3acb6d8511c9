//! Any routing, chosen when a run begins, of packets of one class or several.

use super::super::layout::Layout;
use super::super::packets::{Packet, Packets};
use super::super::state::Block;
use super::super::vcset::VcSet;
use super::{Adaptive, Candidates, Fixed, HeadFlit, Routing};
use crate::engine::router::{MessageClass, Traffic};
use crate::topology::Hop;

/// Any routing, in routers that are compiled once for all of them.
pub(crate) enum AnyRouting<'a, const W: usize> {
    /// Packets have one port at each router.
    Fixed(Fixed<'a>),
    /// Head flits choose by the state of their router.
    Adaptive(Adaptive<'a, W>),
    /// Each class of packets has its own routing, which shares out the VCs of the class.
    ByClass(Vec<ClassRouting<'a, W>>),
}

/// The routing of a class of packets.
pub(crate) struct ClassRouting<'a, const W: usize> {
    routing: AnyRouting<'a, W>,
    /// The first VC of the class: its routing numbers the VCs of the class from 0 on.
    first: usize,
    /// The VCs of the class at all ports.
    vcs: VcSet<W>,
}

impl<'a, const W: usize> ClassRouting<'a, W> {
    /// Creates the routing of `class`, whose VCs `routing` numbers from 0 on.
    pub(crate) fn new(layout: &Layout<W>, class: MessageClass, routing: AnyRouting<'a, W>) -> Self {
        let [first, last] = [class.first, class.last].map(usize::from);
        let vcs = layout.in_all_routers(|_| Some(first)) - layout.in_all_routers(|_| Some(last + 1));
        Self { routing, first, vcs }
    }

    /// The candidates of a head flit, given those among the VCs from 0 on.
    fn restrict(&self, layout: &Layout<W>, candidates: Candidates<W>) -> Candidates<W> {
        let shift = |set: VcSet<W>| match set & layout.of_nodes {
            of_nodes if of_nodes.is_empty() => set.shifted(self.first),
            // any VC of the class leads to a node
            of_nodes => of_nodes,
        };
        let Candidates { preferred, escape } = candidates;
        Candidates { preferred: shift(preferred) & self.vcs, escape: shift(escape) & self.vcs }
    }
}

impl<const W: usize> Routing<W> for AnyRouting<'_, W> {
    /// VCs that need not be empty count as such, so that routings with one port lose nothing but the check.
    const ADAPTIVE: bool = true;

    fn begin<T: Traffic>(&mut self, number: u32, packet: &Packet, traffic: &mut T) {
        match self {
            Self::Fixed(fixed) => Routing::<W>::begin(fixed, number, packet, traffic),
            Self::Adaptive(adaptive) => adaptive.begin(number, packet, traffic),
            Self::ByClass(classes) => classes[usize::from(packet.class)].routing.begin(number, packet, traffic),
        }
    }

    fn take_path(&mut self, number: u32) -> Vec<Hop> {
        match self {
            Self::Fixed(fixed) => Routing::<W>::take_path(fixed, number),
            Self::Adaptive(adaptive) => adaptive.take_path(number),
            Self::ByClass(_) => Vec::new(), // packets of several classes are simulated by one thread
        }
    }

    fn set_path(&mut self, number: u32, path: Vec<Hop>) {
        match self {
            Self::Fixed(fixed) => Routing::<W>::set_path(fixed, number, path),
            Self::Adaptive(adaptive) => adaptive.set_path(number, path),
            Self::ByClass(_) => {}
        }
    }

    fn candidates<A>(&mut self, head: HeadFlit<'_, W, A>, packets: &mut Packets) -> Candidates<W> {
        match self {
            Self::Fixed(fixed) => fixed.candidates(head, packets),
            Self::Adaptive(adaptive) => adaptive.candidates(head, packets),
            Self::ByClass(classes) => {
                let class = &mut classes[usize::from(packets[head.packet].class)];
                let candidates = class.routing.candidates(head, packets);
                class.restrict(head.layout, candidates)
            }
        }
    }

    fn select<A>(&self, layout: &Layout<W>, block: &Block<W, A>, free: VcSet<W>) -> VcSet<W> {
        match self {
            Self::Fixed(fixed) => fixed.select(layout, block, free),
            Self::Adaptive(adaptive) => adaptive.select(layout, block, free),
            // the routings of all classes are alike
            Self::ByClass(classes) => classes[0].routing.select(layout, block, free),
        }
    }
}
