//! Collectives in routers, which copy and combine the packets that pass.
//!
//! **Problem.** Broadcast, reduce, all-reduce and barrier on a network whose routers can send a flit to several outputs, and combine the
//! flits of several inputs.
//!
//! **Idea.** The packets of a reduction take the paths to the root, and routers combine them where paths meet. A broadcast takes the
//! union of the paths from the root, and routers copy its packet where they part. In an all-reduce the combined flits turn at the
//! router of the root, without entering its node.
//!
//! **Cost.** One start-up, and the time of a message to the farthest rank, or of one to the root and back, with the latency of the
//! combinations between. Each link carries the vector once, where a ring carries it nearly twice.
//!
//! **Source.** R. L. Graham et al., "Scalable Hierarchical Aggregation Protocol (SHArP)", 2016, which combines in switches.

use super::Algorithm;
use crate::references;
use crate::routing::tree::{SharedChannel, Tree, TreeError, TreeNetwork, join, turn, union};
use crate::schedule::collective::{Operation, TreeCollective};
use crate::units::NodeId;
use thiserror::Error;

pub(super) const IN_NETWORK: Algorithm = Algorithm {
    name: "in-network",
    references: &[references::SHARP],
    summary: "routers copy packets, and combine those of several ranks, on the paths from and to a root",
    operations: &[Operation::Broadcast, Operation::Reduce, Operation::Allreduce, Operation::Barrier],
    in_routers: true,
    ..Algorithm::DEFAULT
};

/// A collective in routers.
#[derive(Clone, Copy, Debug)]
pub struct TreeRequest<'a> {
    /// The network.
    pub network: &'a TreeNetwork,
    /// The operation: a broadcast, a reduction, an all-reduce or a barrier.
    pub operation: Operation,
    /// The node of each rank.
    pub nodes: &'a [NodeId],
    /// The root of the operation. The packets of an all-reduce or a barrier turn at the router of this rank.
    pub root: usize,
    /// The length of the vector.
    pub flits: u64,
    /// The most flits of a packet, or 0 for no limit.
    pub segment_flits: u64,
}

/// A reason why there is no tree for a collective in routers.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum InNetworkError {
    /// No paths to a root are defined for the network.
    #[error(
        "requires paths to a root, which this network does not define; accepted: mesh, torus without twists, hypercube, hyperx, \
         full-mesh, fat-tree, graph"
    )]
    NoPaths,
    /// Paths from the root part and meet again.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// Flits would take a channel up to the root and down again.
    #[error("has no tree for {operation}: its packets would take {channel} both to the root and from it")]
    Shared {
        /// The name of the operation.
        operation: &'static str,
        /// The name of the channel.
        channel: String,
    },
}

impl TreeRequest<'_> {
    /// Plans the collective. One rank sends nothing.
    ///
    /// # Errors
    /// Returns an error if the network has no tree for it.
    ///
    /// # Panics
    /// If the root is not a rank.
    ///
    /// ```
    /// use flitwise::algorithm::collective::TreeRequest;
    /// use flitwise::network::{Axes, MeshSpec, NetworkSpec, tree_network};
    /// use flitwise::schedule::collective::Operation;
    /// use flitwise::units::NodeId;
    /// let spec = MeshSpec::new(Axes { shape: vec![4, 4], order: vec![0, 1] });
    /// let network = &tree_network(&spec, spec.build(1.into())?)?;
    /// let nodes: Vec<NodeId> = (0..16).map(NodeId).collect();
    /// let request =
    ///     TreeRequest { network, operation: Operation::Allreduce, nodes: &nodes, root: 5, flits: 64, segment_flits: 0 };
    /// let tree = request.plan()?.tree().clone();
    /// assert_eq!([tree.links(), tree.combinations(), tree.copies()], [30, 15, 15]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn plan(&self) -> Result<TreeCollective, InNetworkError> {
        let Self { network, operation, nodes, root, flits, segment_flits } = *self;
        if network.defines_paths() != [true; 2] {
            return Err(InNetworkError::NoPaths);
        }
        if nodes.len() == 1 {
            return Ok(TreeCollective::new(Tree::new([]), Vec::new(), flits, 0));
        }
        let at_root = nodes[root];
        let others: Vec<NodeId> = nodes.iter().copied().filter(|&node| node != at_root).collect();
        let (tree, ends) = match operation {
            Operation::Broadcast => {
                (union(network, at_root, &others)?, others.iter().map(|&node| (at_root, node)).collect())
            }
            Operation::Reduce => (join(network, nodes, at_root), nodes.iter().map(|&node| (node, at_root)).collect()),
            _ => {
                let down = union(network, at_root, &others)?;
                let tree = turn(&join(network, nodes, at_root), &down);
                let shared = |SharedChannel(channel)| InNetworkError::Shared {
                    operation: operation.name(),
                    channel: network.channels().name(channel),
                };
                (tree.map_err(shared)?, nodes.iter().map(|&node| (node, node)).collect())
            }
        };
        Ok(TreeCollective::new(tree, ends, flits, segment_flits))
    }
}
