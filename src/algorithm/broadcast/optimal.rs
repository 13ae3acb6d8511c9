//! The least completion there is, by branch and bound, for few nodes.
//!
//! *Problem.* That of ECEF, solved: what the planners are compared with.
//!
//! *Idea.* A node that sends later than it could gains nothing by it, so of the nodes that still send the one that is
//! free first is taken: either it sends now to one that waits, or it never sends again. A branch ends where even the
//! shortest paths from those that still send are too long.
//!
//! *Cost.* Exponential; seconds for ten nodes at worst.
//!
//! *Source.* The two-tree paper compares with an optimum whose cost it gives as O(N^(2 2^N)), which bounds nothing.

use super::{Removed, Tree, ecef};
use crate::cancel::Pace;
use crate::topology::CostMatrix;
use crate::units::NodeId;

/// More nodes are not tried.
pub const MOST: usize = 10;

/// An optimal tree from `root`.
///
/// ```
/// use flitwise::algorithm::broadcast::optimal;
/// use flitwise::topology::CostMatrix;
/// use flitwise::units::NodeId;
/// // node 1 is near the root, and nodes 2 and 3 are near node 1
/// let costs = CostMatrix::new(4, vec![0, 2, 9, 9, 2, 0, 3, 4, 9, 3, 0, 8, 9, 4, 8, 0])?;
/// let best = optimal(&costs, NodeId(0));
/// assert_eq!(best.completion(&costs, NodeId(0)).0, 9);
/// # Ok::<(), flitwise::topology::CostError>(())
/// ```
///
/// # Panics
/// If there are more than [`MOST`] nodes.
pub fn optimal(costs: &CostMatrix, root: NodeId) -> Tree {
    assert!(costs.nodes() <= MOST, "{} nodes are more than {MOST}", costs.nodes());
    let first = ecef(costs, root, &Removed::nothing());
    let mut search = Search {
        costs,
        paths: (0..costs.nodes()).map(|src| distances(costs, src)).collect(),
        best: first.completion(costs, root).0,
        tree: first.edges().to_vec(),
        edges: Vec::new(),
        pace: Pace::default(),
    };
    let mut nodes = vec![Node::Waiting; costs.nodes()];
    nodes[root.index()] = Node::Free(0);
    search.branch(&mut nodes, 0);
    Tree::new(search.tree)
}

#[derive(Clone, Copy)]
enum Node {
    Waiting,
    /// It has the message and can send from then on.
    Free(u64),
    /// It has the message and sends no more.
    Retired,
}

struct Search<'a> {
    costs: &'a CostMatrix,
    paths: Vec<Vec<u64>>,
    best: u64,
    tree: Vec<(NodeId, NodeId)>,
    edges: Vec<(NodeId, NodeId)>,
    pace: Pace,
}

impl Search<'_> {
    /// Tries all that can follow; the last receipt so far is `now`.
    fn branch(&mut self, nodes: &mut Vec<Node>, now: u64) {
        self.pace.step();
        if self.bound(nodes, now) >= self.best {
            return;
        }
        if self.edges.len() + 1 == nodes.len() {
            (self.best, self.tree) = (now, self.edges.clone());
            return;
        }
        let free = |(at, node): (usize, &Node)| match node {
            Node::Free(from) => Some((*from, at)),
            _ => None,
        };
        let Some((from, src)) = nodes.iter().enumerate().filter_map(free).min() else { return };
        let mut waiting: Vec<usize> = (0..nodes.len()).filter(|&at| matches!(nodes[at], Node::Waiting)).collect();
        waiting.sort_by_key(|&dst| self.costs.row(src)[dst]);
        for dst in waiting {
            let received = from + self.costs.row(src)[dst];
            (nodes[src], nodes[dst]) = (Node::Free(received), Node::Free(received));
            self.edges.push((NodeId::new(src), NodeId::new(dst)));
            self.branch(nodes, now.max(received));
            self.edges.pop();
            (nodes[src], nodes[dst]) = (Node::Free(from), Node::Waiting);
        }
        nodes[src] = Node::Retired;
        self.branch(nodes, now);
        nodes[src] = Node::Free(from);
    }

    /// No completion of this branch is less.
    fn bound(&self, nodes: &[Node], now: u64) -> u64 {
        let reach = |dst: usize| {
            let ends = nodes.iter().enumerate().map(|(src, node)| match node {
                Node::Free(from) => from + self.paths[src][dst],
                _ => u64::MAX,
            });
            ends.min().unwrap_or(u64::MAX)
        };
        let waiting = (0..nodes.len()).filter(|&at| matches!(nodes[at], Node::Waiting));
        waiting.map(reach).max().unwrap_or(0).max(now)
    }
}

/// No broadcast from `root` completes earlier: the longest of the shortest paths.
pub fn lower_bound(costs: &CostMatrix, root: NodeId) -> u64 {
    distances(costs, root.index()).into_iter().max().unwrap_or(0)
}

/// The lengths of the shortest paths from `src`.
fn distances(costs: &CostMatrix, src: usize) -> Vec<u64> {
    let nodes = costs.nodes();
    let mut distance: Vec<u64> = costs.row(src).to_vec();
    let mut settled = vec![false; nodes];
    settled[src] = true;
    for _ in 1..nodes {
        let Some((_, at)) = (0..nodes).filter(|&at| !settled[at]).map(|at| (distance[at], at)).min() else { break };
        settled[at] = true;
        for (to, &cost) in costs.row(at).iter().enumerate() {
            distance[to] = distance[to].min(distance[at] + cost);
        }
    }
    distance
}
