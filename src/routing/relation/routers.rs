//! A relation as routers see it: the ports of a lattice, and the choices of head flits.

use super::{Choice, DIMENSION_ORDER, Dependence, Header, Relation, dependence};
use crate::routing::certificate::{Certificate, Endpoints, LatticePackets};
use crate::routing::loaded_channel::{Flow, LoadedChannel};
use crate::routing::routers::{Head, Routing, Shortcut};
use crate::routing::{Lattice, Pace, PortAt, Wiring};
use crate::topology::{Links, SlowLinks};

use crate::units::narrow;
use std::sync::Arc;

/// A link arrives by a port of the same number as the one by which it leaves, so that the number gives its direction.
impl Wiring for Relation {
    fn routers(&self) -> usize {
        self.lattice().nodes()
    }

    fn nodes(&self) -> usize {
        self.lattice().nodes()
    }

    fn link_ports(&self) -> usize {
        self.lattice().local()
    }

    /// Two sides of a dimension, those of the dimension that is resolved first in front.
    fn sides(&self, port: usize) -> [usize; 2] {
        let [dimension, direction] = [port / 2, port % 2];
        let rank = self.lattice().order().iter().position(|&other| other == dimension).unwrap_or(dimension);
        [direction, 1 - direction].map(|side| 2 * rank + side)
    }

    fn is_even(&self) -> bool {
        let slow = self.slow_links().into_iter().flat_map(|slow| slow.values());
        self.node_pace == Pace::EVEN && self.paces().iter().chain(slow).all(|&pace| pace == Pace::EVEN)
    }

    fn pace(&self, out: PortAt) -> Pace {
        if let Some(&pace) = self.slow_links().and_then(|slow| slow.get(&(out.router, out.port))) {
            return pace;
        }
        self.paces().get(out.port as usize / 2).copied().unwrap_or(Pace::EVEN)
    }

    fn node_pace(&self, _node: u32) -> Pace {
        self.node_pace
    }

    fn place(&self, node: u32) -> PortAt {
        PortAt { router: node, port: 0 }
    }

    fn node_at(&self, place: PortAt) -> Option<u32> {
        (place.port == 0).then_some(place.router)
    }

    fn leads_to(&self, out: PortAt) -> Option<PortAt> {
        let router = self.lattice().neighbour(out.router, out.port as usize)?;
        Some(PortAt { router, ..out })
    }

    fn comes_from(&self, input: PortAt) -> Option<PortAt> {
        let router = self.lattice().neighbour(input.router, input.port as usize ^ 1)?;
        Some(PortAt { router, ..input })
    }

    fn link_name(&self, out: PortAt) -> String {
        self.lattice().channel_name(out.router, out.port as usize)
    }

    fn node_name(&self, node: u32) -> String {
        self.lattice().node_name(node)
    }
}

impl Routing for Relation {
    fn wiring(&self) -> &dyn Wiring {
        self
    }

    fn restricted_to(&self, vcs: u16) -> Arc<dyn Routing> {
        Arc::new(Self { vcs: vcs.max(1), ..self.clone() })
    }

    fn with_slow_links(&self, links: &Arc<SlowLinks>, flit_time: u64) -> Arc<dyn Routing> {
        let lattice = self.lattice();
        let slow = links.slow().filter_map(|(link, cost)| {
            let (from, _) = links.ends(link);
            // links are numbered in the order of the ports that have one
            let position = links.leaving(from).position(|other| other == link)?;
            let mut ports = (0..lattice.local()).filter(|&port| lattice.neighbour(from.0, port).is_some());
            let port = narrow(ports.nth(position)?, "a router has few ports");
            Some(((from.0, port), Pace::of(cost, flit_time)))
        });
        Arc::new(self.clone().with_slow(slow.collect()))
    }

    fn virtual_channels(&self) -> u16 {
        self.virtual_channels()
    }

    fn needed_virtual_channels(&self) -> u16 {
        (self.routing().virtual_channels)(self.lattice())
    }

    fn unfit(&self) -> Option<&'static str> {
        (self.routing().unfit)(self.lattice())
    }

    fn is_adaptive(&self) -> bool {
        self.routing().is_adaptive()
    }

    fn header(&self, dst: u32, random_bits: u64) -> Header {
        self.header(dst, random_bits)
    }

    fn choice(&self, head: &mut Head<'_>) -> Choice {
        self.choice(head.router, head.entered, head.header)
    }

    fn choices(&self, head: &mut Head<'_>, choices: &mut Vec<Choice>) {
        self.choices(head.router, head.entered, head.header, choices);
    }

    fn lattice(&self) -> Option<&Lattice> {
        Some(self.lattice())
    }

    fn shortcut(&self) -> Option<Shortcut<'_>> {
        let lattice = self.lattice();
        if self.routing().name == DIMENSION_ORDER.name && !lattice.wraps() {
            return Some(Shortcut::DimensionOrder(lattice));
        }
        // ports are numbered alike at all routers
        (self.is_adaptive() && lattice.directions() > 0).then_some(Shortcut::Direction(lattice))
    }

    /// The first that choices mark so. Head flits to all nodes have the same virtual channels to choose from, at other ports.
    fn exclusive_from(&self) -> Option<u16> {
        if !self.is_adaptive() || self.lattice().nodes() < 2 {
            return None;
        }
        let mut choices = Vec::new();
        self.choices(0, 0, &mut self.header(1, 0), &mut choices);
        choices.iter().find(|choice| choice.empty).map(|choice| choice.first)
    }

    fn busiest_link(&self, flow: &Flow<'_>) -> Option<LoadedChannel> {
        self.most_loaded_link(flow)
    }

    /// That of a smaller lattice with the same turns, if this one is large.
    fn dependence(&self, _: u64) -> Option<Dependence> {
        Some(dependence(self))
    }

    fn certificate(&self, links: &dyn Links, atomic: bool) -> Certificate {
        Certificate::for_packets(&mut LatticePackets::new(self, links, atomic))
    }

    fn endpoint_certificate(&self, endpoints: Endpoints<'_>, atomic: bool) -> Certificate {
        let vcs = endpoints.classes.iter().map(|class| class.routing.virtual_channels());
        let relations: Vec<Self> = vcs.map(|vcs| Self { vcs, ..self.clone() }).collect();
        let packets = relations.iter().map(|relation| LatticePackets::new(relation, endpoints.links, atomic));
        endpoints.certificate(packets.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routing::relation::{ADAPTIVE, ROUTINGS, VALIANT};
    use std::collections::BTreeMap;

    /// On meshes of every small shape, whatever the order of dimensions, packets to two nodes in the same direction have the same
    /// choices under every adaptive routing. Rings have no directions.
    #[test]
    fn choices_follow_from_directions() {
        let shapes: [&[usize]; 5] = [&[5], &[4, 3], &[3, 4, 3], &[2, 2, 2, 2], &[1, 4]];
        let adaptive = || ROUTINGS.iter().filter(|routing| routing.is_adaptive());
        assert_eq!(adaptive().count(), 4);
        for shape in shapes {
            for order in [(0..shape.len()).collect::<Vec<usize>>(), (0..shape.len()).rev().collect()] {
                let lattice = Lattice::new(shape, false, &order);
                for routing in adaptive().filter(|routing| routing.fits(&lattice)) {
                    for vcs in [1, 2, 4] {
                        assert_choices_follow(&Relation::new(lattice.clone(), routing, vcs));
                    }
                }
            }
        }
        let has_shortcut = |shape: &[usize], wraps, routing| {
            let order: Vec<usize> = (0..shape.len()).collect();
            Relation::new(Lattice::new(shape, wraps, &order), routing, 4).shortcut().is_some()
        };
        assert!(!has_shortcut(&[4, 4], true, &ADAPTIVE));
        assert!(!has_shortcut(&[4, 4], true, &DIMENSION_ORDER));
        assert!(!has_shortcut(&[4, 4], false, &VALIANT));
        assert!(!has_shortcut(&[2; 5], false, &ADAPTIVE));
    }

    fn assert_choices_follow(relation: &Relation) {
        let nodes = narrow::<u32, _>(relation.lattice().nodes(), "few");
        let mut offered: BTreeMap<usize, Vec<Choice>> = BTreeMap::new();
        let mut choices = Vec::new();
        for at in 0..nodes {
            for dst in 0..nodes {
                let direction = relation.lattice().direction(at, dst);
                assert!(direction < relation.lattice().directions());
                relation.choices(at, 0, &mut Header::new(dst, 7), &mut choices);
                let first = offered.entry(direction).or_insert_with(|| choices.clone());
                assert_eq!(first, &choices, "{} from {at} to {dst}", relation.routing().name);
            }
        }
    }
}
