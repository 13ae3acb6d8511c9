//! Broadcasts that do not look at single costs: flat, binomial, fastest node first, SPOC.

use super::Tree;
use super::greedy::Growth;
use crate::topology::CostMatrix;
use crate::units::NodeId;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What stands for the speed of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum NodeCost {
    /// The mean of what its sends cost; compared as the sum.
    #[default]
    Mean,
    /// The least of what its sends cost.
    Min,
}

impl NodeCost {
    fn of(self, costs: &CostMatrix) -> Vec<u64> {
        let others =
            |src: usize| costs.row(src).iter().enumerate().filter(move |&(dst, _)| dst != src).map(|(_, c)| *c);
        let cost = |src: usize| match self {
            Self::Mean => others(src).sum(),
            Self::Min => others(src).min().unwrap_or(0),
        };
        (0..costs.nodes()).map(cost).collect()
    }
}

/// The order in which the root of a flat tree sends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FlatOrder {
    /// By number, from the root's on.
    #[default]
    Rank,
    /// The cheapest first.
    Cost,
}

/// The flat tree: the root sends to all nodes itself.
///
/// *Problem.* The broadcast that needs no other node to forward.
///
/// *Idea.* One send after the other, in [`FlatOrder`].
///
/// *Cost.* O(N log N); completion the sum of what the root's sends cost.
///
/// *Source.* Folklore; the usual first comparison.
///
/// ```
/// use flitwise::algorithm::broadcast::{FlatOrder, flat};
/// use flitwise::topology::CostMatrix;
/// use flitwise::units::NodeId;
/// // node 1 is near the root, and nodes 2 and 3 are near node 1
/// let costs = CostMatrix::new(4, vec![0, 2, 9, 9, 2, 0, 3, 4, 9, 3, 0, 8, 9, 4, 8, 0])?;
/// let tree = flat(&costs, NodeId(0), FlatOrder::Cost);
/// assert_eq!(tree.edges()[0], (NodeId(0), NodeId(1)));
/// assert_eq!(tree.completion(&costs, NodeId(0)).0, 2 + 9 + 9);
/// # Ok::<(), flitwise::topology::CostError>(())
/// ```
pub fn flat(costs: &CostMatrix, root: NodeId, order: FlatOrder) -> Tree {
    let mut others = ring_from(costs.nodes(), root).split_off(1);
    if order == FlatOrder::Cost {
        others.sort_by_key(|&node| (costs.row(root.index())[node], node));
    }
    Tree::new(others.into_iter().map(|node| (root, NodeId::new(node))).collect())
}

/// The binomial tree over node numbers.
///
/// *Problem.* A broadcast in the fewest rounds when every send takes one.
///
/// *Idea.* Recursive doubling on root, root + 1, ..: in round k position p < 2^k sends to p + 2^k.
///
/// *Cost.* O(N) to plan; `ceil(log2 N)` rounds, whatever their sends cost.
///
/// *Source.* Folklore; what message-passing libraries do without knowing the network.
///
/// ```
/// use flitwise::algorithm::broadcast::binomial;
/// use flitwise::topology::CostMatrix;
/// use flitwise::units::NodeId;
/// // node 1 is near the root, and nodes 2 and 3 are near node 1
/// let costs = CostMatrix::new(4, vec![0, 2, 9, 9, 2, 0, 3, 4, 9, 3, 0, 8, 9, 4, 8, 0])?;
/// let tree = binomial(&costs, NodeId(0));
/// assert_eq!(tree.edges(), [(0, 1), (0, 2), (1, 3)].map(|(src, dst)| (NodeId(src), NodeId(dst))));
/// # Ok::<(), flitwise::topology::CostError>(())
/// ```
pub fn binomial(costs: &CostMatrix, root: NodeId) -> Tree {
    doubling(&ring_from(costs.nodes(), root))
}

/// `root`, `root + 1`, .., round to `root - 1`.
fn ring_from(nodes: usize, root: NodeId) -> Vec<usize> {
    (0..nodes).map(|position| (root.index() + position) % nodes).collect()
}

fn doubling(chain: &[usize]) -> Tree {
    let mut edges = Vec::with_capacity(chain.len() - 1);
    let mut holders = 1;
    while holders < chain.len() {
        let receivers = holders..(2 * holders).min(chain.len());
        edges.extend(receivers.map(|at| (NodeId::new(chain[at - holders]), NodeId::new(chain[at]))));
        holders *= 2;
    }
    Tree::new(edges)
}

/// Fastest node first.
///
/// *Problem.* Broadcast among nodes of different speeds.
///
/// *Idea.* A node's cost `T_i` stands for all its sends; the fastest node that waits is sent to by the
/// sender that is free first, in the plan.
///
/// *Cost.* O(N^2) for the costs of nodes, O(N log N) for the plan.
///
/// *Source.* Banikazemi, Moorthy and Panda 1998, as the two-tree paper cites it.
///
/// ```
/// use flitwise::algorithm::broadcast::{NodeCost, fnf};
/// use flitwise::topology::CostMatrix;
/// use flitwise::units::{Flits, NodeId};
/// // node 1 is near the root, and nodes 2 and 3 are near node 1
/// let costs = CostMatrix::new(4, vec![0, 2, 9, 9, 2, 0, 3, 4, 9, 3, 0, 8, 9, 4, 8, 0])?;
/// // node 1 is the fastest: its sends cost 2 + 3 + 4
/// let tree = fnf(&costs, NodeId(0), NodeCost::Mean);
/// assert_eq!(tree.edges()[0], (NodeId(0), NodeId(1)));
/// tree.schedule(4, NodeId(0), Flits(1)).check(&[1, 2, 3].map(NodeId))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn fnf(costs: &CostMatrix, root: NodeId, cost: NodeCost) -> Tree {
    let node_costs = cost.of(costs);
    let mut growth = Growth::new(costs, root);
    let mut senders = BinaryHeap::from([Reverse((node_costs[root.index()], root.index()))]);
    for dst in by_cost(&node_costs, root) {
        let Some(Reverse((end, src))) = senders.pop() else { break };
        growth.send_for(src, dst, node_costs[src]);
        senders.push(Reverse((end + node_costs[src], src)));
        senders.push(Reverse((end + node_costs[dst], dst)));
    }
    growth.tree()
}

/// All nodes but the root, the fastest first, ties by number.
fn by_cost(node_costs: &[u64], root: NodeId) -> Vec<usize> {
    let mut others: Vec<usize> = (0..node_costs.len()).filter(|&node| node != root.index()).collect();
    others.sort_by_key(|&node| (node_costs[node], node));
    others
}

/// Speed-partitioned ordered chain.
///
/// *Problem.* As FNF, with few different speeds.
///
/// *Idea.* Nodes ranked by speed are cut into `classes` classes of equal size; recursive doubling on the chain root,
/// fast class, .., slow class, inside a class by number from the root on.
///
/// *Cost.* O(N^2) for the costs of nodes.
///
/// *Source.* Banikazemi, Moorthy and Panda 1998; only its abstract is at hand, so this is our reading.
///
/// ```
/// use flitwise::algorithm::broadcast::{NodeCost, spoc};
/// use flitwise::topology::CostMatrix;
/// use flitwise::units::NodeId;
/// // node 1 is near the root, and nodes 2 and 3 are near node 1
/// let costs = CostMatrix::new(4, vec![0, 2, 9, 9, 2, 0, 3, 4, 9, 3, 0, 8, 9, 4, 8, 0])?;
/// // classes {1, 2} and {3}: the chain is 0, 1, 2, 3
/// let tree = spoc(&costs, NodeId(0), NodeCost::Mean, 2);
/// assert_eq!(tree.edges(), [(0, 1), (0, 2), (1, 3)].map(|(src, dst)| (NodeId(src), NodeId(dst))));
/// # Ok::<(), flitwise::topology::CostError>(())
/// ```
pub fn spoc(costs: &CostMatrix, root: NodeId, cost: NodeCost, classes: usize) -> Tree {
    let nodes = costs.nodes();
    let ranked = by_cost(&cost.of(costs), root);
    let mut chain = vec![root.index()];
    for class in 0..classes {
        let bound = |class: usize| (class * ranked.len()).div_ceil(classes);
        let mut members = ranked[bound(class)..bound(class + 1)].to_vec();
        members.sort_by_key(|&node| (node + nodes - root.index()) % nodes);
        chain.extend(members);
    }
    doubling(&chain)
}
