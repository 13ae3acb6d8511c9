//! What virtual-channel routers ask of a network: which ports there are, and which of them a packet may request.
//!
//! On a lattice a [`Relation`] knows ports by dimension. On any other network a [`LinkRelation`] joins a routing over links
//! with the ports that these leave by.

use super::relation::{Choice, Class, share};
use super::{Leg, LinkPorts, LinkRouting, PortAt, Relation, Step, Wiring};
use crate::topology::{Hop, Links};
use crate::units::{LinkId, NodeId, RouterId};
use std::sync::Arc;

/// The routers of a network, and how packets find their way through them.
#[derive(Clone, Debug)]
pub enum Routes {
    /// Routers of a lattice, each with a node.
    Lattice(Relation),
    /// Routers of any network of links.
    Links(LinkRelation),
}

impl From<Relation> for Routes {
    fn from(relation: Relation) -> Self {
        Self::Lattice(relation)
    }
}

impl Routes {
    /// How ports are joined.
    pub fn wiring(&self) -> &dyn Wiring {
        match self {
            Self::Lattice(relation) => relation,
            Self::Links(relation) => relation.ports.as_ref(),
        }
    }

    /// Bytes of tables that say which port is joined to which; none on a lattice.
    pub fn memory(&self) -> u64 {
        match self {
            Self::Lattice(_) => 0,
            Self::Links(relation) => relation.ports.memory(),
        }
    }

    /// Virtual channels of a link.
    pub fn virtual_channels(&self) -> u8 {
        match self {
            Self::Lattice(relation) => relation.virtual_channels(),
            Self::Links(relation) => relation.vcs,
        }
    }

    /// The virtual channels that freedom from deadlock needs.
    pub fn needed_virtual_channels(&self) -> u8 {
        match self {
            Self::Lattice(relation) => relation.needed_virtual_channels(),
            Self::Links(relation) => relation.routing.classes(),
        }
    }

    /// Whether headers ask how full links are before they request one.
    pub fn looks(&self) -> bool {
        match self {
            Self::Lattice(_) => false,
            Self::Links(relation) => relation.routing.looks(),
        }
    }

    /// Whether a header may have several ports to choose from.
    pub fn is_adaptive(&self) -> bool {
        match self {
            Self::Lattice(relation) => relation.is_adaptive(),
            Self::Links(relation) => relation.routing.branches(),
        }
    }
}

/// A routing over links, on routers with so many virtual channels a link.
#[derive(Clone, Debug)]
pub struct LinkRelation {
    ports: Arc<LinkPorts>,
    routing: Arc<dyn LinkRouting>,
    vcs: u8,
}

impl LinkRelation {
    /// `routing` over the links of `ports` with `vcs` virtual channels each, at least one.
    pub fn new(ports: Arc<LinkPorts>, routing: Arc<dyn LinkRouting>, vcs: u8) -> Self {
        Self { ports, routing, vcs: vcs.max(1) }
    }

    /// The links.
    pub fn links(&self) -> &dyn Links {
        self.ports.links()
    }

    /// Cycles that a flit takes to cross `link`.
    pub(super) fn flit_cycles(&self, link: LinkId) -> u32 {
        let out = PortAt { router: self.links().ends(link).0.0, port: self.ports.leaves_by(link).into() };
        self.ports.pace(out).flit
    }

    /// The routing.
    pub fn routing(&self) -> &dyn LinkRouting {
        self.routing.as_ref()
    }

    /// How many classes the virtual channels of a link are shared out among.
    pub fn classes(&self) -> u8 {
        self.routing.classes()
    }

    /// Appends the next hops of a packet to its `path`. `load` says how full the link of a port is.
    pub fn extend(&self, leg: &Leg, load: &dyn Fn(u8) -> u32, path: &mut Vec<Hop>) {
        let by_link = |link: LinkId| load(self.ports.leaves_by(link));
        let mut steps: Vec<Step> = Vec::new();
        self.routing.extend(leg, &by_link, &mut steps);
        path.extend(steps.into_iter().map(|step| self.hop(step)));
    }

    fn hop(&self, Step { link, class }: Step) -> Hop {
        Hop { port: self.ports.leaves_by(link), vc: class }
    }

    /// Puts what a packet may request into `choices`.
    pub fn choices(&self, leg: &Leg, choices: &mut Vec<Choice>) {
        let mut steps = Vec::new();
        self.routing.choices(leg, &mut steps);
        choices.extend(steps.into_iter().map(|step| self.choice(self.hop(step))));
    }

    /// The virtual channels of the class of `hop`.
    pub fn choice(&self, hop: Hop) -> Choice {
        share(self.vcs, hop.port, Class { number: hop.vc, of: self.classes() })
    }

    /// The router of `node`.
    pub fn router_of(&self, node: NodeId) -> RouterId {
        self.links().router_of(node)
    }
}
