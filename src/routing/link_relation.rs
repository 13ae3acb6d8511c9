//! A routing over links, on routers that have a port for each.

use super::certificate::{Certificate, Dependencies, Endpoints, PathPackets, steps_of_all};
use super::loaded_channel::{Flow, LoadedChannel};
use super::relation::{Choice, Class, Dependence, DependenceScope, Header, share};
use super::routers::{Head, Routing};
use super::{LinkPorts, LinkRouting, PacketState, PortAt, Step, Wiring};
use crate::topology::{Hop, Links, SlowLinks};
use crate::units::{LinkId, NodeId, RouterId, narrow};
use std::ops::ControlFlow;
use std::sync::Arc;

/// A routing over links, on routers with a number of virtual channels a link.
#[derive(Clone, Debug)]
pub struct LinkRelation {
    ports: Arc<LinkPorts>,
    routing: Arc<dyn LinkRouting>,
    vcs: u16,
}

impl LinkRelation {
    /// `routing` over the links of `ports` with `vcs` virtual channels each, at least one.
    pub fn new(ports: Arc<LinkPorts>, routing: Arc<dyn LinkRouting>, vcs: u16) -> Self {
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

    fn hop(&self, Step { link, class }: Step) -> Hop {
        Hop { port: self.ports.leaves_by(link), vc: class.into() }
    }

    /// The virtual channels of the class of `hop`.
    fn vcs_of(&self, hop: Hop) -> Choice {
        share(self.vcs, hop.port, Class { number: hop.vc, of: self.routing.classes().into() })
    }

    /// All virtual channels of the port to the node.
    fn ejection(&self) -> Choice {
        share(self.vcs, narrow(self.ports.link_ports(), "routers of too many ports are refused"), Class::ONLY)
    }

    /// The packet of `head`, or `None` if it is at the router of its destination.
    fn leg(&self, head: &Head<'_>) -> Option<PacketState> {
        let leg = PacketState {
            src: NodeId(head.src),
            dst: NodeId(head.header.dst),
            at: RouterId(head.router),
            taken: head.hops,
            random_bits: head.header.random_bits.into(),
        };
        (leg.at != self.links().router_of(leg.dst)).then_some(leg)
    }

    /// Extends the path of `head` by the steps that are decided at its router, if it ends there. Returns the next hop, or `None` at the
    /// destination.
    fn next_hop(&self, head: &mut Head<'_>) -> Option<Hop> {
        if head.path.len() == head.hops {
            let leg = self.leg(head)?;
            let mut steps = Vec::new();
            self.routing.extend(&leg, &|link| (head.load)(self.ports.leaves_by(link)), &mut steps);
            head.path.extend(steps.into_iter().map(|step| self.hop(step)));
        }
        head.path.get(head.hops).copied()
    }
}

impl Routing for LinkRelation {
    fn wiring(&self) -> &dyn Wiring {
        self.ports.as_ref()
    }

    fn memory(&self) -> u64 {
        self.ports.memory()
    }

    fn restricted_to(&self, vcs: u16) -> Arc<dyn Routing> {
        Arc::new(Self::new(Arc::clone(&self.ports), Arc::clone(&self.routing), vcs))
    }

    fn with_paths(&self, paths: Arc<dyn LinkRouting>) -> Option<Arc<dyn Routing>> {
        Some(Arc::new(Self::new(Arc::clone(&self.ports), paths, self.vcs)))
    }

    fn with_slow_links(&self, links: &Arc<SlowLinks>, _: u64) -> Arc<dyn Routing> {
        let links = Arc::clone(links) as Arc<dyn Links>;
        Arc::new(Self::new(Arc::new(self.ports.with_links(links)), Arc::clone(&self.routing), self.vcs))
    }

    fn virtual_channels(&self) -> u16 {
        self.vcs
    }

    fn needed_virtual_channels(&self) -> u16 {
        self.routing.classes().into()
    }

    fn is_adaptive(&self) -> bool {
        self.routing.is_adaptive()
    }

    fn reads_load(&self) -> bool {
        self.routing.reads_load()
    }

    fn header(&self, dst: u32, random_bits: u64) -> Header {
        Header::drawing(dst, random_bits)
    }

    fn choice(&self, head: &mut Head<'_>) -> Choice {
        self.next_hop(head).map_or_else(|| self.ejection(), |hop| self.vcs_of(hop))
    }

    fn choices(&self, head: &mut Head<'_>, choices: &mut Vec<Choice>) {
        choices.clear();
        match self.leg(head) {
            Some(leg) if self.is_adaptive() => {
                let mut steps = Vec::new();
                self.routing.choices(&leg, &mut steps);
                choices.extend(steps.into_iter().map(|step| self.vcs_of(self.hop(step))));
            }
            _ => choices.push(self.choice(head)),
        }
    }

    fn busiest_link(&self, flow: &Flow<'_>) -> Option<LoadedChannel> {
        self.most_loaded_link(flow)
    }

    fn dependence(&self, most: u64) -> Option<Dependence> {
        let links = self.links();
        let steps = steps_of_all(links.nodes(), most, |dst| {
            let mut steps = 0;
            let _ = self.routing.each_path(NodeId(0), dst, &mut |path| {
                steps += 1 + path.len() as u64;
                if steps > most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            steps
        });
        if steps > most {
            return None;
        }
        let certificate = self.certificate(links, false);
        let cycle: Vec<String> = certificate.held().iter().map(|channel| channel.name(links, self.vcs)).collect();
        Some(Dependence {
            shape: Vec::new(),
            scope: DependenceScope::Paths,
            virtual_channels: certificate.used(),
            cycle: Some(cycle).filter(|cycle| !cycle.is_empty()),
        })
    }

    fn certificate(&self, links: &dyn Links, _: bool) -> Certificate {
        Dependencies::of(links, self.routing(), self.vcs).certificate()
    }

    fn endpoint_certificate(&self, endpoints: Endpoints<'_>, _: bool) -> Certificate {
        let vcs = endpoints.classes.iter().map(|class| class.routing.virtual_channels());
        let packets = vcs.map(|vcs| PathPackets::new(endpoints.links, self.routing(), vcs));
        endpoints.certificate(packets.collect())
    }
}
