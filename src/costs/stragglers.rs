//! Nodes that take longer than others for all that they do.

use super::{Factor, NodeCosts};
use crate::units::{NodeId, Ticks};
use std::collections::BTreeSet;

/// Nodes whose costs and computations take longer by a factor.
///
/// ```
/// use flitwise::costs::{Factor, NodeCosts, Stragglers};
/// use flitwise::units::{Flits, NodeId, Ticks};
///
/// let stragglers = Stragglers::new([NodeId(1)].into(), Factor::new(2.5));
/// let costs = NodeCosts::default().sending(3, 1);
/// // 3 and 1 ticks, times 2.5, are 8 and 3
/// let sends = [NodeId(0), NodeId(1)].map(|node| stragglers.costs(node, costs).send(Flits(10)));
/// assert_eq!(sends, [Ticks(13), Ticks(38)]);
/// assert_eq!(stragglers.duration(NodeId(1), Ticks(7)), Ticks(18));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stragglers {
    nodes: BTreeSet<NodeId>,
    factor: Factor,
}

impl Stragglers {
    /// `nodes` take `factor` times as long.
    pub fn new(nodes: BTreeSet<NodeId>, factor: Factor) -> Self {
        Self { nodes, factor }
    }

    /// The nodes.
    pub fn nodes(&self) -> &BTreeSet<NodeId> {
        &self.nodes
    }

    /// Returns true if `node` is a straggler.
    pub fn contains(&self, node: NodeId) -> bool {
        self.nodes.contains(&node)
    }

    /// The `costs` of `node`: each of them times the factor, rounded up, if it is a straggler.
    #[must_use]
    pub fn costs(&self, node: NodeId, costs: NodeCosts) -> NodeCosts {
        if self.contains(node) { self.slow(costs) } else { costs }
    }

    /// The costs of a straggler where other nodes have `costs`.
    #[must_use]
    pub fn slow(&self, costs: NodeCosts) -> NodeCosts {
        let times = |ticks| self.factor.times(ticks);
        NodeCosts {
            send_setup: times(costs.send_setup),
            send_per_flit: times(costs.send_per_flit),
            receive_setup: times(costs.receive_setup),
            receive_per_flit: times(costs.receive_per_flit),
            hold_setup: times(costs.hold_setup),
            hold_per_flit: times(costs.hold_per_flit),
            reduce_setup: times(costs.reduce_setup),
            reduce_per_flit: times(costs.reduce_per_flit),
            ports: costs.ports,
        }
    }

    /// The time that `node` takes for a computation of `time` ticks.
    #[must_use]
    pub fn duration(&self, node: NodeId, time: Ticks) -> Ticks {
        if self.contains(node) { Ticks(self.factor.times(time.0)) } else { time }
    }
}
