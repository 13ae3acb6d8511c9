//! Whether the channel dependency graph of a relation has a cycle, in which packets could wait for each other.
//!
//! With an escape it is enough that the escape's own virtual channels have none, where a packet that left the escape
//! and comes back makes them depend on each other all the same (Duato 1993, the extended dependency graph). Every
//! destination, every node on the way and every random bit is looked at. [`DependencyGraph`] says what depends on what.
//!
//! The virtual channels of a [`Choice`] depend on the same ones, so that a [`ChannelRange`] stands for all of them: with hundreds of
//! virtual channels a graph of single ones has more edges than memory holds.

use super::{Choice, Header, Relation};
use crate::routing::{DependencyGraph, Lattice};
use crate::units::narrow;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// Most nodes of a lattice that is looked at as it is; of a larger one, a smaller one with the same turns is.
const MOST_NODES: usize = 144;

/// The packets of a channel dependency graph, whose cycles decide if they can deadlock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DependenceScope {
    /// Packets with one choice at every router.
    Fixed,
    /// Packets on the virtual channels that they can always fall back on.
    Escape,
    /// Packets on every path that is listed.
    Paths,
}

/// The channel dependency graph of a routing.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Dependence {
    /// The shape of the lattice or, if it is large, of a smaller one with the same turns. It is empty if there is no lattice.
    pub shape: Vec<usize>,
    /// The packets that it covers.
    pub scope: DependenceScope,
    /// Virtual channels that depend on others or are depended on.
    pub virtual_channels: usize,
    /// The virtual channels of a cycle, if there is one: a deadlock can come about unless something else prevents it.
    pub cycle: Option<Vec<String>>,
}

/// The dependencies of `relation`.
///
/// Time: of the order of nodes cubed times ports, on at most 144 nodes.
pub fn dependence(relation: &Relation) -> Dependence {
    let relation = reduced(relation);
    let mut walk = Walk { relation: &relation, edges: FxHashSet::default() };
    if walk.has_escape() {
        walk.escapes();
    } else {
        walk.all();
    }
    let edges: BTreeSet<(ChannelRange, ChannelRange)> = walk.edges.into_iter().collect();
    let ends: BTreeSet<ChannelRange> = edges.iter().flat_map(|&(held, requested)| [held, requested]).collect();
    let mut graph = DependencyGraph::default();
    for &channel in &ends {
        graph.number(channel);
    }
    graph.extend(edges);
    let cycle = graph.shortest_cycle().map(|cycle| cycle_names(&relation, &cycle));
    let scope = if relation.routing().is_adaptive() { DependenceScope::Escape } else { DependenceScope::Fixed };
    let virtual_channels = ends.iter().map(ChannelRange::len).sum();
    Dependence { shape: relation.lattice().shape().to_vec(), scope, virtual_channels, cycle }
}

/// The relation on a lattice that is small enough: dimensions lose two nodes at a time, the longest first, so that
/// rings stay even or odd.
fn reduced(relation: &Relation) -> Relation {
    let lattice = relation.lattice();
    let mut shape = lattice.shape().to_vec();
    while shape.iter().product::<usize>() > MOST_NODES {
        let Some(longest) = shape.iter_mut().filter(|n| **n > 4).max_by_key(|n| **n) else { break };
        *longest -= 2;
    }
    let smaller = Lattice::new(&shape, lattice.wraps(), lattice.order());
    Relation::new(smaller, relation.routing(), relation.virtual_channels())
}

/// The names of one virtual channel of each range of a cycle: the first one of the first range, the last ones of the others.
fn cycle_names(relation: &Relation, cycle: &[ChannelRange]) -> Vec<String> {
    let name = |(index, range): (usize, &ChannelRange)| {
        let vc = if index == 0 { range.first } else { range.last };
        relation.channel_name(range.node, range.port.into(), vc.into())
    };
    cycle.iter().enumerate().map(name).collect()
}

/// Virtual channels that a packet may request together. Ranges of a port are equal or have no virtual channel in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct ChannelRange {
    /// The node whose router they leave.
    node: u32,
    port: u16,
    first: u16,
    last: u16,
}

impl ChannelRange {
    fn new(node: u32, Choice { port, first, last, .. }: Choice) -> Self {
        Self { node, port, first, last }
    }

    fn len(&self) -> usize {
        usize::from(self.last - self.first) + 1
    }
}

/// Everything that packets may do under a relation.
struct Walk<'a> {
    relation: &'a Relation,
    edges: FxHashSet<(ChannelRange, ChannelRange)>,
}

impl Walk<'_> {
    fn nodes(&self) -> std::ops::Range<u32> {
        0..narrow(self.relation.lattice().nodes(), "nodes are numbered with 32 bits")
    }

    /// Every header that can set out.
    fn headers(&self) -> impl Iterator<Item = Header> {
        let Relation { lattice, routing, .. } = self.relation;
        self.nodes().flat_map(|dst| (routing.headers)(lattice, dst))
    }

    /// Follows every header from every node.
    fn all(&mut self) {
        for header in self.headers().collect::<Vec<_>>() {
            let mut seen = FxHashSet::default();
            let mut open: Vec<(u32, usize, Option<ChannelRange>, Header)> =
                self.nodes().map(|src| (src, self.relation.lattice().local(), None, header)).collect();
            while let Some((at, entered, held, mut header)) = open.pop() {
                for (choice, to) in self.links(at, entered, &mut header) {
                    let requested = ChannelRange::new(at, choice);
                    self.edges.extend(held.map(|held| (held, requested)));
                    if seen.insert((requested, header)) {
                        open.push((to, usize::from(choice.port), Some(requested), header));
                    }
                }
            }
        }
    }

    /// Whether headers are offered an escape.
    fn has_escape(&self) -> bool {
        let mut headers = self.headers();
        headers.any(|header| self.nodes().any(|from| self.escape(from, header).is_some()))
    }

    /// Follows the escape of every header from every node, and every path back to it.
    fn escapes(&mut self) {
        for header in self.headers().collect::<Vec<_>>() {
            for from in self.nodes() {
                let Some((escape, to)) = self.escape(from, header) else { continue };
                let mut reached: FxHashSet<u32> = [to].into_iter().collect();
                let mut open = vec![to];
                while let Some(at) = open.pop() {
                    let Some((requested, _)) = self.escape(at, header) else { continue };
                    self.edges.extend([(escape, requested)]);
                    let local = self.relation.lattice().local();
                    for (_, next) in self.links(at, local, &mut header.clone()) {
                        if reached.insert(next) {
                            open.push(next);
                        }
                    }
                }
            }
        }
    }

    fn escape(&self, at: u32, mut header: Header) -> Option<(ChannelRange, u32)> {
        let links = self.links(at, self.relation.lattice().local(), &mut header);
        let (choice, to) = links.into_iter().find(|(choice, _)| choice.escape)?;
        Some((ChannelRange::new(at, choice), to))
    }

    /// The choices of links, with where they lead.
    fn links(&self, at: u32, entered: usize, header: &mut Header) -> Vec<(Choice, u32)> {
        let mut choices = Vec::new();
        self.relation.choices(at, entered, header, &mut choices);
        let lattice = self.relation.lattice();
        let local = lattice.local();
        choices.retain(|choice| usize::from(choice.port) != local);
        let to = |choice: Choice| Some((choice, lattice.neighbour(at, usize::from(choice.port))?));
        choices.into_iter().filter_map(to).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routing::relation::{ADAPTIVE, DIMENSION_ORDER, LatticeRouting, ROUTINGS, VALIANT, WEST_FIRST};

    fn cyclic(shape: &[usize], wraps: bool, routing: &'static LatticeRouting, vcs: u16) -> bool {
        let order: Vec<usize> = (0..shape.len()).collect();
        dependence(&Relation::new(Lattice::new(shape, wraps, &order), routing, vcs)).cycle.is_some()
    }

    #[test]
    fn enough_vcs_leave_no_cycle_and_fewer_do() {
        let cases = ROUTINGS.iter().flat_map(|&routing| [(routing, false), (routing, true)]);
        for (routing, wraps) in cases {
            for shape in [[5, 4], [4, 5]] {
                let lattice = Lattice::new(&shape, wraps, &[0, 1]);
                if !routing.fits(&lattice) {
                    continue;
                }
                let needed = (routing.virtual_channels)(&lattice);
                for vcs in needed..needed + 3 {
                    assert!(!cyclic(&shape, wraps, routing, vcs), "{routing:?} {wraps} {vcs}");
                }
                for vcs in 1..needed {
                    assert!(cyclic(&shape, wraps, routing, vcs), "{routing:?} {wraps} {vcs}");
                }
            }
        }
    }

    #[test]
    fn hundreds_of_virtual_channels_are_looked_at_as_fast_as_one() {
        let on_mesh = |vcs| dependence(&Relation::new(Lattice::new(&[8, 8], false, &[0, 1]), &DIMENSION_ORDER, vcs));
        let [single, shared] = [1, 500].map(on_mesh);
        assert_eq!(shared.virtual_channels, 500 * single.virtual_channels);
        assert_eq!(shared.cycle, None);
    }

    /// Four virtual channels are needed, so that three are all for all packets.
    #[test]
    fn a_cycle_is_of_single_virtual_channels() {
        let relation = |vcs| Relation::new(Lattice::new(&[4, 4], true, &[0, 1]), &VALIANT, vcs);
        let [one, three] = [1, 3].map(|vcs| dependence(&relation(vcs)).cycle.unwrap_or_default());
        assert!(one.len() > 1);
        let vcs = |at: usize| if at == 0 { "vc 0" } else { "vc 2" };
        let expected: Vec<String> = one.iter().enumerate().map(|(at, link)| format!("{link} {}", vcs(at))).collect();
        assert_eq!(three, expected);
    }

    #[test]
    fn hypercubes_and_three_dimensions() {
        for (shape, wraps) in [(vec![2; 4], false), (vec![3, 3, 4], false), (vec![4, 3, 3], true)] {
            let vcs = if wraps { 2 } else { 1 };
            assert!(!cyclic(&shape, wraps, &DIMENSION_ORDER, vcs));
            assert!(!cyclic(&shape, wraps, &ADAPTIVE, vcs + 1));
        }
    }

    #[test]
    fn large_lattices_are_made_smaller_and_stay_odd_or_even() {
        let relation = Relation::new(Lattice::new(&[33, 64], false, &[0, 1]), &WEST_FIRST, 1);
        assert_eq!(dependence(&relation).shape, [11, 12]);
    }
}
