//! What packets may request on the virtual-channel routers of a lattice.
//!
//! Two kinds of headers say more than what they request depends on, and are taken for one:
//! - Which way round a ring a header goes if both are as long is of no account where one is shorter.
//! - A header on its way to a third node (Valiant's routing) says where it goes from there, but goes there whatever that is. It
//!   may go anywhere from there, and what it says comes into play on the last link to that node.

use super::{NodePackets, Packets, Request};
use crate::routing::Relation;
use crate::routing::relation::{Choice, Header};
use crate::topology::Links;
use crate::units::{LinkId, NodeId, RouterId, narrow};
use std::hash::{Hash, Hasher};

/// The headers of packets on a lattice.
#[derive(Clone, Debug)]
pub struct LatticePackets<'a> {
    relation: &'a Relation,
    /// Whether a buffer takes a packet only when the one before has left it.
    atomic: bool,
    /// Per router and port its link and the router to which that leads, if there is one.
    links: Vec<Option<(LinkId, u32)>>,
    choices: Vec<Choice>,
}

/// A header at a router, and how it came there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    at: u32,
    entered: u16,
    header: Header,
}

/// Two words, as a walk spends much of its time here. The third node is left out: few headers differ in nothing else.
impl Hash for Place {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Header { dst, random_bits, ring, .. } = self.header;
        state.write_u64(u64::from(self.at) << 32 | u64::from(dst));
        state.write_u64(u64::from(random_bits) << 24 | u64::from(ring) << 16 | u64::from(self.entered));
    }
}

impl<'a> LatticePackets<'a> {
    /// Packets that go by `relation` over its lattice, whose links are `links`; with `atomic` buffers all virtual channels are
    /// taken only while their buffers are empty.
    pub fn new(relation: &'a Relation, links: &dyn Links, atomic: bool) -> Self {
        let lattice = relation.lattice();
        let mut by_port = Vec::with_capacity(lattice.nodes() * lattice.local());
        for at in routers(relation) {
            // links are numbered in the order of the ports that have one
            let mut leaving = links.leaving(RouterId(at));
            let link = |port| lattice.neighbour(at, port).and_then(|to| Some((leaving.next()?, to)));
            by_port.extend((0..lattice.local()).map(link));
        }
        Self { relation, atomic, links: by_port, choices: Vec::new() }
    }

    /// The link by which `port` leaves the router of `at`, and where it leads; none of the port of the node.
    fn link(&self, at: u32, port: u16) -> Option<(LinkId, u32)> {
        let ports = self.relation.lattice().local();
        let port = usize::from(port);
        if port < ports { self.links[at as usize * ports + port] } else { None }
    }

    fn source(&self, at: u32, header: Header) -> Place {
        self.place(at, self.local(), header)
    }

    fn local(&self) -> u16 {
        narrow(self.relation.lattice().local(), "a lattice has few dimensions, with two ports each")
    }

    fn place(&self, at: u32, entered: u16, header: Header) -> Place {
        // where there are choices, they do not depend on the port
        let entered = if self.relation.routing().is_adaptive() { self.local() } else { entered };
        Place { at, entered, header: self.without_idle_bits(at, header) }
    }

    /// `header` without the bits that say which way round the rings where one is shorter.
    fn without_idle_bits(&self, at: u32, mut header: Header) -> Header {
        let lattice = self.relation.lattice();
        // a header on its way to a third node may need them from there on
        let goes_on = header.via.is_some_and(|via| via != at);
        if lattice.wraps() && header.random_bits != 0 && !goes_on {
            for dimension in 0..lattice.dimensions() {
                let apart = lattice.coordinate(at, dimension).abs_diff(lattice.coordinate(header.dst, dimension));
                if 2 * apart != lattice.side(dimension) {
                    header.random_bits &= !(1 << dimension);
                }
            }
        }
        header
    }

    /// Where a header goes that leaves for the router of `to` by `port`.
    fn arrivals(&self, to: u32, port: u16, header: Header) -> impl Iterator<Item = Place> + '_ {
        let is_third_node = header.via == Some(to);
        let onward = (!is_third_node).then(|| self.place(to, port, header));
        // from the third node on it may go anywhere
        let destinations = if is_third_node { routers(self.relation) } else { 0..0 };
        let anew = destinations.map(move |dst| self.source(to, Header { dst, ring: 0, ..header }));
        onward.into_iter().chain(anew)
    }
}

fn routers(relation: &Relation) -> std::ops::Range<u32> {
    0..narrow(relation.lattice().nodes(), "nodes are numbered with 32 bits")
}

impl Packets for LatticePackets<'_> {
    type Position = Place;

    fn virtual_channels(&self) -> u16 {
        self.relation.virtual_channels()
    }

    /// The destinations.
    fn groups(&self) -> usize {
        self.relation.lattice().nodes()
    }

    fn group(&self, place: Place) -> usize {
        place.header.dst as usize
    }

    /// A header to a third node goes from everywhere, as if that were its destination; what is to follow begins there.
    fn sources(&self, group: usize, sources: &mut Vec<Place>) {
        let lattice = self.relation.lattice();
        let dst = narrow(group, "groups are nodes");
        for header in (self.relation.routing().headers)(lattice, dst) {
            match header.via {
                Some(via) if via != dst => sources.push(self.source(via, header)),
                _ => sources.extend(routers(self.relation).map(|at| self.source(at, header))),
            }
        }
    }

    fn onward(&mut self, place: Place, onward: &mut Vec<(Request, Place)>) {
        let Place { at, entered, mut header } = place;
        let mut choices = std::mem::take(&mut self.choices);
        self.relation.choices(at, entered.into(), &mut header, &mut choices);
        for &Choice { port, first, last, empty, .. } in &choices {
            let Some((link, to)) = self.link(at, port) else { continue };
            let request = Request { link, first, last, empty: empty || self.atomic };
            onward.extend(self.arrivals(to, port, header).map(|next| (request, next)));
        }
        self.choices = choices;
    }
}

impl NodePackets for LatticePackets<'_> {
    /// Packets come to a third node from elsewhere.
    fn origin(&self, place: Place) -> Option<NodeId> {
        (place.header.via != Some(place.at)).then_some(NodeId(place.at))
    }

    fn ends(&mut self, place: Place, nodes: &mut Vec<NodeId>) {
        let Place { at, entered, mut header } = place;
        self.relation.choices(at, entered.into(), &mut header, &mut self.choices);
        let local = self.local();
        nodes.extend(self.choices.iter().filter(|choice| choice.port == local).map(|_| NodeId(at)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routing::Lattice;
    use crate::routing::certificate::{Certificate, States, Verdict};
    use crate::routing::relation::{ROUTINGS, dependence};
    use crate::topology::{Coordinates, LatticeLinks};
    use rustc_hash::FxHashSet;

    /// Small lattices with every routing that is for them, and 1 to 5 virtual channels.
    fn relations() -> Vec<Relation> {
        let shapes: [(&[usize], bool); 9] = [
            (&[4, 3], false),
            (&[1, 5], false),
            (&[2, 2, 2], false),
            (&[3, 2, 3], false),
            (&[4, 4], true),
            (&[5, 3], true),
            (&[2, 5], true),
            (&[6], true),
            (&[3, 2, 2], true),
        ];
        let mut relations = Vec::new();
        for (shape, wraps) in shapes {
            let order: Vec<usize> = (0..shape.len()).rev().collect();
            let lattice = Lattice::new(shape, wraps, &order);
            for &routing in ROUTINGS.iter().filter(|routing| routing.fits(&lattice)) {
                relations.extend((1..=5).map(|vcs| Relation::new(lattice.clone(), routing, vcs)));
            }
        }
        relations
    }

    fn links(relation: &Relation) -> LatticeLinks {
        let lattice = relation.lattice();
        let shape = lattice.shape();
        LatticeLinks::new(if lattice.wraps() { Coordinates::torus(shape) } else { Coordinates::new(shape, false) })
    }

    #[test]
    fn verdicts_are_those_of_dependences() {
        for relation in relations() {
            let links = links(&relation);
            let cyclic = dependence(&relation).cycle.is_some();
            for atomic in [false, true] {
                let mut packets = LatticePackets::new(&relation, &links, atomic);
                let certificate = Certificate::for_packets(&mut packets);
                let expected = if cyclic { Verdict::Cycle } else { Verdict::Free };
                assert_eq!(certificate.verdict(), expected, "{relation:?}, atomic {atomic}");
            }
        }
    }

    #[test]
    fn merged_headers_prove_what_headers_apart_prove() {
        for relation in relations() {
            let links = links(&relation);
            let mut packets = LatticePackets::new(&relation, &links, false);
            let merged = States::walk(&mut packets).certificate();
            let apart = States::walk_apart(&mut packets, usize::MAX).map(States::certificate);
            let shown = |certificate: &Certificate| {
                let rounds = certificate.rounds();
                (certificate.verdict(), certificate.used(), certificate.dependencies(), rounds.is_some())
            };
            assert_eq!(apart.as_ref().map(shown), Some(shown(&merged)), "{relation:?}");
        }
    }

    /// Dependencies are those of headers as routers have them, bits and third nodes included.
    #[test]
    fn what_headers_say_in_vain_changes_no_dependency() {
        for relation in relations() {
            let expected = followed(&relation);
            let links = links(&relation);
            let certificate = Certificate::for_packets(&mut LatticePackets::new(&relation, &links, false));
            let found = (certificate.used(), certificate.dependencies());
            assert_eq!(found, expected, "{relation:?}");
        }
    }

    /// Virtual channels that headers take, and ordered pairs of them that follow each other.
    fn followed(relation: &Relation) -> (usize, usize) {
        type Vc = (u32, u16, u16);
        let lattice = relation.lattice();
        let mut used = FxHashSet::default();
        let mut pairs = FxHashSet::default();
        for header in routers(relation).flat_map(|dst| (relation.routing().headers)(lattice, dst)) {
            let mut seen = FxHashSet::default();
            let mut open: Vec<(u32, usize, Option<Vc>, Header)> =
                routers(relation).map(|at| (at, lattice.local(), None, header)).collect();
            while let Some((at, entered, held, mut header)) = open.pop() {
                let mut choices = Vec::new();
                relation.choices(at, entered, &mut header, &mut choices);
                for choice in choices.into_iter().filter(|choice| usize::from(choice.port) != lattice.local()) {
                    let to = lattice.neighbour(at, choice.port.into()).unwrap_or(at);
                    for vc in choice.first..=choice.last {
                        let requested = (at, choice.port, vc);
                        used.insert(requested);
                        pairs.extend(held.map(|held| (held, requested)));
                        if seen.insert((requested, header)) {
                            open.push((to, choice.port.into(), Some(requested), header));
                        }
                    }
                }
            }
        }
        (used.len(), pairs.len())
    }
}
