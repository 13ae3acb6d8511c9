//! The trees of multicasts and reductions.

use super::Trace;
use super::read::message_number;
use crate::engine::program::{TraceMessage, TraceWorm};
use crate::machine::{CopyingError, Machine};
use crate::routing::tree::{MulticastRoute, MulticastTree, Tree, TreeError, TreeNetwork, join, multicast_trees};
use crate::units::NodeId;
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;
use thiserror::Error;

/// The trees of a group of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum GroupKind {
    /// Messages of one source: routers copy its packet.
    Multicast,
    /// Messages to one destination: routers combine the packets of the sources.
    Reduction,
}

/// A multicast or a reduction: messages with one source or one destination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceGroup {
    pub(super) kind: GroupKind,
    pub(super) messages: Range<u32>,
}

/// A reason why a multicast or a reduction has no tree.
#[derive(Debug, Error)]
pub(super) enum NoTree {
    /// No routers copy or combine packets.
    #[error("a trace with multicasts or reductions {0}")]
    Copying(#[from] CopyingError),
    /// No paths of such trees are defined for the network.
    #[error("message {id}: {what} requires paths that this network does not define; accepted: {accepted}")]
    NoPaths {
        /// The id of the message.
        id: u64,
        /// The name of the trees.
        what: &'static str,
        /// The networks that define them.
        accepted: &'static str,
    },
    /// The network does not have such trees.
    #[error("message {id}: {} {error}", .route.map_or("the reduction", MulticastRoute::name))]
    Tree {
        /// The id of the message.
        id: u64,
        /// The trees of the multicast, if it is one.
        route: Option<MulticastRoute>,
        /// The error.
        error: TreeError,
    },
}

/// The messages of a run, with the worms as which some of them go.
#[derive(Clone, Debug)]
pub(super) struct RunMessages<'a> {
    pub(super) messages: Cow<'a, [TraceMessage]>,
    /// Their ids.
    pub(super) ids: Cow<'a, [u64]>,
    pub(super) worms: Vec<TraceWorm>,
}

impl Trace {
    /// The messages that have a path on `machine`, with their worms. Those of a multicast are in the order of its worms.
    pub(super) fn run_messages(&self, machine: &Machine) -> Result<RunMessages<'_>, NoTree> {
        let (messages, ids) = self.with_path(machine);
        if self.groups.is_empty() {
            return Ok(RunMessages { messages, ids, worms: Vec::new() });
        }
        let network = machine.copying_network()?;
        let mut planner = WormPlanner { network: &network, trace: self, known: FxHashMap::default() };
        let mut messages = messages.into_owned();
        let mut worms = Vec::new();
        for group in &*self.groups {
            let id = self.ids[group.messages.start as usize];
            // those of its messages that have a path
            let range = ids.partition_point(|&other| other < id)..ids.partition_point(|&other| other <= id);
            if range.len() > 1 {
                let first = message_number(range.start);
                worms.extend(planner.plan(group.kind, id, &mut messages[range], first)?);
            }
        }
        Ok(RunMessages { messages: Cow::Owned(messages), ids, worms })
    }
}

/// The kind of a group, the node that its messages have in common, and the others.
type GroupKey = (GroupKind, NodeId, Vec<NodeId>);

/// A packet of a group, with its destinations.
type PlannedWorm = (Arc<Tree>, Vec<NodeId>);

/// Plans worms. Groups with equal ends share trees.
struct WormPlanner<'a> {
    network: &'a TreeNetwork,
    trace: &'a Trace,
    known: FxHashMap<GroupKey, Arc<[PlannedWorm]>>,
}

impl WormPlanner<'_> {
    /// The worms of `messages`, which are numbered from `first` on. Brings them into the order of the worms.
    fn plan(
        &mut self,
        kind: GroupKind,
        id: u64,
        messages: &mut [TraceMessage],
        first: u32,
    ) -> Result<Vec<TraceWorm>, NoTree> {
        let mut worms = Vec::new();
        let mut next = 0;
        for (tree, destinations) in self.trees(kind, id, messages)?.iter() {
            let start = next;
            next += match kind {
                GroupKind::Reduction => messages.len(),
                GroupKind::Multicast => destinations.len(),
            };
            if kind == GroupKind::Multicast {
                messages[start..next].iter_mut().zip(destinations).for_each(|(message, &dst)| message.dst = dst);
            }
            let messages = first + message_number(start)..first + message_number(next);
            worms.push(TraceWorm { tree: Arc::clone(tree), messages });
        }
        Ok(worms)
    }

    fn trees(&mut self, kind: GroupKind, id: u64, messages: &[TraceMessage]) -> Result<Arc<[PlannedWorm]>, NoTree> {
        let (common, others): (NodeId, Vec<NodeId>) = match kind {
            GroupKind::Multicast => (messages[0].src, messages.iter().map(|message| message.dst).collect()),
            GroupKind::Reduction => (messages[0].dst, messages.iter().map(|message| message.src).collect()),
        };
        let key = (kind, common, others);
        if let Some(known) = self.known.get(&key) {
            return Ok(Arc::clone(known));
        }
        self.check_paths(kind, id)?;
        let worms: Arc<[PlannedWorm]> = match kind {
            GroupKind::Reduction => [(Arc::new(join(self.network, &key.2, common)), vec![common])].into(),
            GroupKind::Multicast => {
                let route = self.route();
                let trees = multicast_trees(route, self.network, common, &key.2);
                let trees = trees.map_err(|error| NoTree::Tree { id, route: Some(route), error })?;
                trees.into_iter().map(|MulticastTree { tree, destinations }| (Arc::new(tree), destinations)).collect()
            }
        };
        self.known.insert(key, Arc::clone(&worms));
        Ok(worms)
    }

    /// Checks that the network defines the paths of trees of `kind`.
    fn check_paths(&self, kind: GroupKind, id: u64) -> Result<(), NoTree> {
        let [multicasts, reductions] = self.network.defines_paths();
        match kind {
            GroupKind::Multicast if !multicasts && self.route() == MulticastRoute::RouterTree => Err(NoTree::NoPaths {
                id,
                what: "router-tree",
                accepted: "mesh, torus, hypercube, hyperx, full-mesh, fat-tree, dragonfly, graph",
            }),
            GroupKind::Reduction if !reductions => Err(NoTree::NoPaths {
                id,
                what: "a reduction",
                accepted: "mesh, torus without twists, hypercube, hyperx, full-mesh, fat-tree, graph",
            }),
            _ => Ok(()),
        }
    }

    /// The trees of multicasts.
    fn route(&self) -> MulticastRoute {
        self.trace.multicast.unwrap_or(MulticastRoute::RouterTree)
    }
}
