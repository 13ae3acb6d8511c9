//! Whether the channel dependency graph of a relation has a cycle, in which packets could wait for each other.
//!
//! A packet that holds a lane and may request another makes the first depend on the second. Without a cycle of
//! dependencies some packet can always go on (Dally and Seitz 1987). With an escape it is enough that the escape's own
//! lanes have none, where a packet that left the escape and comes back makes the lanes depend on each other all the same
//! (Duato 1993, the extended dependency graph). Every destination, every node on the way and every coin is looked at.

use super::{Algorithm, Choice, Header, Relation};
use crate::routing::Lattice;
use crate::units::narrow;
use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::FxHashSet;

/// Most nodes of a lattice that is looked at as it is; of a larger one, a smaller one with the same turns is.
const MOST_NODES: usize = 144;

/// What the dependencies of a relation show.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Dependence {
    /// The shape that was looked at: that of the lattice, or where it is large, a smaller one of the same kind.
    pub shape: Vec<u32>,
    /// Lanes that depend on others or are depended on.
    pub lanes: usize,
    /// The lanes of a cycle, if there is one: a deadlock can come about unless something else prevents it.
    pub cycle: Option<Vec<String>>,
}

/// The dependencies of `relation`.
///
/// Time: of the order of nodes cubed times ports, on at most 144 nodes.
pub fn dependence(relation: &Relation) -> Dependence {
    let relation = reduced(relation);
    let mut graph = Graph { relation: &relation, edges: FxHashSet::default() };
    if relation.algorithm() == Algorithm::Adaptive && relation.lanes() >= relation.needed_lanes() {
        graph.escapes();
    } else {
        graph.all();
    }
    let (lanes, cycle) = graph.cycle();
    Dependence { shape: relation.lattice().shape().to_vec(), lanes, cycle }
}

/// The relation on a lattice that is small enough: dimensions lose two nodes at a time, the longest first, so that rings
/// stay even or odd.
fn reduced(relation: &Relation) -> Relation {
    let lattice = relation.lattice();
    let mut shape: Vec<usize> = lattice.shape().iter().map(|&n| n as usize).collect();
    while shape.iter().product::<usize>() > MOST_NODES {
        let Some(longest) = shape.iter_mut().filter(|n| **n > 4).max_by_key(|n| **n) else { break };
        *longest -= 2;
    }
    let smaller = Lattice::new(&shape, lattice.wraps(), lattice.order());
    Relation::new(smaller, relation.algorithm(), relation.lanes())
}

/// A lane: the node whose router it leaves, the port, the lane.
type Lane = (u32, u8, u8);

struct Graph<'a> {
    relation: &'a Relation,
    edges: FxHashSet<(Lane, Lane)>,
}

impl Graph<'_> {
    fn nodes(&self) -> std::ops::Range<u32> {
        0..narrow(self.relation.lattice().nodes(), "nodes are numbered with 32 bits")
    }

    /// Every header that can begin: all destinations, nodes on the way, and coins that matter.
    fn headers(&self) -> Vec<Header> {
        let dimensions = self.relation.lattice().dimensions().min(6);
        let ties = if self.relation.lattice().wraps() { 1 << dimensions } else { 1 };
        let orders: &[u32] = if self.relation.algorithm() == Algorithm::O1turn { &[0, 1 << 31] } else { &[0] };
        let vias: Vec<Option<u32>> = match self.relation.algorithm() {
            Algorithm::Valiant => self.nodes().map(Some).collect(),
            _ => vec![None],
        };
        let coins: Vec<u32> = orders.iter().flat_map(|order| (0..ties).map(move |tie| order | tie)).collect();
        let mut headers = Vec::new();
        for dst in self.nodes() {
            for &via in &vias {
                headers.extend(coins.iter().map(|&coins| Header { dst, via, coins, ring: 0 }));
            }
        }
        headers
    }

    /// Follows every header from every node.
    fn all(&mut self) {
        for header in self.headers() {
            let mut seen = FxHashSet::default();
            let mut open: Vec<(u32, usize, Option<Lane>, Header)> =
                self.nodes().map(|src| (src, self.relation.lattice().local(), None, header)).collect();
            while let Some((at, entered, held, mut header)) = open.pop() {
                for (choice, to) in self.ways(at, entered, &mut header) {
                    for lane in choice.first..=choice.last {
                        let requested = (at, choice.port, lane);
                        if let Some(held) = held {
                            self.edges.insert((held, requested));
                        }
                        if seen.insert((requested, header)) {
                            open.push((to, usize::from(choice.port), Some(requested), header));
                        }
                    }
                }
            }
        }
    }

    /// Follows the escape of every header from every node, and every way back to it.
    fn escapes(&mut self) {
        for header in self.headers() {
            for from in self.nodes() {
                let Some((escape, to)) = self.escape(from, header) else { continue };
                let mut reached: FxHashSet<u32> = [to].into_iter().collect();
                let mut open = vec![to];
                while let Some(at) = open.pop() {
                    let Some((requested, _)) = self.escape(at, header) else { continue };
                    self.edges.insert((escape, requested));
                    let local = self.relation.lattice().local();
                    for (_, next) in self.ways(at, local, &mut header.clone()) {
                        if reached.insert(next) {
                            open.push(next);
                        }
                    }
                }
            }
        }
    }

    fn escape(&self, at: u32, mut header: Header) -> Option<(Lane, u32)> {
        let ways = self.ways(at, self.relation.lattice().local(), &mut header);
        let (choice, to) = ways.into_iter().find(|(choice, _)| choice.escape)?;
        Some(((at, choice.port, choice.first), to))
    }

    /// The ways on over links, with where they lead.
    fn ways(&self, at: u32, entered: usize, header: &mut Header) -> Vec<(Choice, u32)> {
        let mut choices = Vec::new();
        self.relation.choices(at, entered, header, &mut choices);
        let lattice = self.relation.lattice();
        let local = lattice.local();
        choices.retain(|choice| usize::from(choice.port) != local);
        let to = |choice: Choice| Some((choice, lattice.neighbour(at, usize::from(choice.port))?));
        choices.into_iter().filter_map(to).collect()
    }

    /// How many lanes there are in the graph, and the lanes of a cycle.
    fn cycle(&self) -> (usize, Option<Vec<String>>) {
        let mut edges: Vec<_> = self.edges.iter().copied().collect();
        edges.sort_unstable();
        let mut lanes: Vec<Lane> = edges.iter().flat_map(|&(from, to)| [from, to]).collect();
        lanes.sort_unstable();
        lanes.dedup();
        #[expect(clippy::expect_used, reason = "lanes are those of the edges")]
        let place = |lane| lanes.binary_search(&lane).expect("both ends of every edge are listed");
        let mut graph = DiGraph::<(), ()>::with_capacity(lanes.len(), edges.len());
        for _ in &lanes {
            graph.add_node(());
        }
        for &(from, to) in &edges {
            graph.add_edge(NodeIndex::new(place(from)), NodeIndex::new(place(to)), ());
        }
        let component = tarjan_scc(&graph).into_iter().find(|component| component.len() > 1);
        let cycle =
            component.map(|members| walk(&graph, &members).into_iter().map(|at| self.name(lanes[at])).collect());
        (lanes.len(), cycle)
    }

    fn name(&self, (node, port, lane): Lane) -> String {
        let channel = self.relation.lattice().channel_name(node, usize::from(port));
        if self.relation.lanes() == 1 { channel } else { format!("{channel} vc {lane}") }
    }
}

/// A cycle within a strongly connected part: from its first member always to the first member that comes next.
fn walk(graph: &DiGraph<(), ()>, part: &[NodeIndex]) -> Vec<usize> {
    let members: FxHashSet<NodeIndex> = part.iter().copied().collect();
    let mut path = Vec::new();
    let mut at = part[0];
    loop {
        if let Some(start) = path.iter().position(|&seen| seen == at) {
            return path[start..].iter().map(|node: &NodeIndex| node.index()).collect();
        }
        path.push(at);
        let next = graph.neighbors(at).filter(|next| members.contains(next)).min();
        #[expect(clippy::expect_used, reason = "the part is strongly connected and has two members or more")]
        let next = next.expect("every member has a successor in its part");
        at = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cyclic(shape: &[usize], wraps: bool, algorithm: Algorithm, lanes: u8) -> bool {
        let order: Vec<usize> = (0..shape.len()).collect();
        dependence(&Relation::new(Lattice::new(shape, wraps, &order), algorithm, lanes)).cycle.is_some()
    }

    #[test]
    fn enough_lanes_leave_no_cycle_and_fewer_do() {
        use Algorithm::{Adaptive, DimensionOrder, NegativeFirst, NorthLast, O1turn, Valiant, WestFirst};
        for (algorithm, wraps) in [
            (DimensionOrder, false),
            (DimensionOrder, true),
            (WestFirst, false),
            (NorthLast, false),
            (NegativeFirst, false),
            (Valiant, false),
            (Valiant, true),
            (O1turn, false),
            (O1turn, true),
            (Adaptive, false),
            (Adaptive, true),
        ] {
            for shape in [[5, 4], [4, 5]] {
                let lattice = Lattice::new(&shape, wraps, &[0, 1]);
                let needed = Relation::new(lattice, algorithm, 1).needed_lanes();
                for lanes in needed..needed + 3 {
                    assert!(!cyclic(&shape, wraps, algorithm, lanes), "{algorithm:?} {wraps} {lanes}");
                }
                for lanes in 1..needed {
                    assert!(cyclic(&shape, wraps, algorithm, lanes), "{algorithm:?} {wraps} {lanes}");
                }
            }
        }
    }

    #[test]
    fn hypercubes_and_three_dimensions() {
        for (shape, wraps) in [(vec![2; 4], false), (vec![3, 3, 4], false), (vec![4, 3, 3], true)] {
            let lanes = if wraps { 2 } else { 1 };
            assert!(!cyclic(&shape, wraps, Algorithm::DimensionOrder, lanes));
            assert!(!cyclic(&shape, wraps, Algorithm::Adaptive, lanes + 1));
        }
    }

    #[test]
    fn large_lattices_are_made_smaller_and_stay_odd_or_even() {
        let relation = Relation::new(Lattice::new(&[33, 64], false, &[0, 1]), Algorithm::WestFirst, 1);
        assert_eq!(dependence(&relation).shape, [11, 12]);
    }
}
