//! Messages of a machine with faults: those without a path, and those that take other links than without failures.

use super::{Faults, Unreachable};
use crate::engine::NoPath;
use crate::engine::program::MessageSet;
use crate::machine::Machine;
use crate::topology::RouterPair;
use crate::units::{LinkId, MessageId, NodeId, RouterId};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Failed pairs that a message names at most.
const MOST_NAMED: usize = 8;

/// Messages whose links differ from those without failures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReroutedMessages {
    /// Messages without a path.
    pub unreachable: u64,
    /// Messages with other links.
    pub rerouted: u64,
    /// The sum of the links that they cross more.
    pub extra_hops: i64,
}

impl Faults {
    /// The error of a message from `src` to `dst`, which have no path.
    pub(crate) fn no_path(&self, src: NodeId, dst: NodeId) -> NoPath {
        let repetition = self.spec().is_drawn().then_some(self.draw.repetition);
        NoPath { src, dst, reason: self.reason([src, dst]), repetition }
    }

    fn reason(&self, nodes: [NodeId; 2]) -> String {
        let failures = &self.present.failures;
        let on_failed = |node: &NodeId| {
            let router = self.router_of(*node)?;
            failures
                .routers
                .contains(&router)
                .then(|| format!("node {node} is attached to router {router}, which has failed"))
        };
        if let Some(reason) = nodes.iter().find_map(on_failed) {
            return reason;
        }
        let name = |pair: &RouterPair| format!("{}-{}", pair.low, pair.high);
        let named: Vec<String> = failures.pairs.iter().take(MOST_NAMED).map(name).collect();
        let remaining = failures.pairs.len().saturating_sub(MOST_NAMED);
        let remaining = if remaining > 0 { format!(" and {remaining} more") } else { String::new() };
        let links = format!("the links between routers {}{remaining} have failed", named.join(", "));
        let routers: Vec<String> = failures.routers.iter().take(MOST_NAMED).map(RouterId::to_string).collect();
        match (failures.pairs.is_empty(), routers.is_empty()) {
            (false, true) => links,
            (false, false) => format!("{links}, and so have routers {}", routers.join(", ")),
            (true, false) => format!("routers {} have failed", routers.join(", ")),
            (true, true) => "the routing has none".to_owned(),
        }
    }

    fn router_of(&self, node: NodeId) -> Option<RouterId> {
        let links = self.own_network().spec.links().ok()?;
        Some(links.router_of(node))
    }
}

impl Machine {
    /// The error of the first message of `program` without a path, if one is not left out.
    ///
    /// # Errors
    /// If there is such a message.
    pub(crate) fn check_paths(&self, program: &(impl MessageSet + ?Sized)) -> Result<(), Box<NoPath>> {
        let Some(faults) = self.faults.as_ref().filter(|faults| faults.is_cut()) else { return Ok(()) };
        let ends = |id| {
            let (src, dst, _) = program.message(MessageId::new(id));
            (src, dst)
        };
        let cut = (0..program.messages()).map(ends).find(|&(src, dst)| !faults.reaches(src, dst));
        cut.map_or(Ok(()), |(src, dst)| Err(Box::new(faults.no_path(src, dst))))
    }

    /// The error of the first two nodes without a path of which one sends to the other, if these are not left out. `sends` returns true
    /// for nodes that do.
    ///
    /// # Errors
    /// If there are such nodes.
    pub(crate) fn check_flow(&self, sends: impl Fn(u32, u32) -> bool) -> Result<(), Box<NoPath>> {
        let is_rejected = |faults: &&Arc<Faults>| faults.spec().unreachable == Unreachable::Reject;
        match self.faults.as_ref().filter(is_rejected) {
            Some(_) => self.check_all_flow(sends),
            None => Ok(()),
        }
    }

    /// Checks the paths as [`Self::check_flow`] does, for packets that are never left out.
    ///
    /// # Errors
    /// If there are such nodes.
    pub(crate) fn check_all_flow(&self, sends: impl Fn(u32, u32) -> bool) -> Result<(), Box<NoPath>> {
        let Some(faults) = self.faults.as_ref().filter(|faults| faults.is_cut()) else { return Ok(()) };
        let nodes = || (0..self.network_nodes()).map(NodeId::new);
        for src in nodes() {
            let cut = nodes().find(|&dst| sends(src.0, dst.0) && !faults.reaches(src, dst));
            if let Some(dst) = cut {
                return Err(Box::new(faults.no_path(src, dst)));
            }
        }
        Ok(())
    }

    /// Compares the paths of the messages of `program` with those of the same routing without failures.
    pub(crate) fn rerouted_messages(&self, program: &(impl MessageSet + ?Sized)) -> ReroutedMessages {
        let mut sum = ReroutedMessages::default();
        let Some(faults) = self.faults.as_ref().filter(|faults| faults.connected_pairs.is_some()) else { return sum };
        let links = |machine: &Self, src, dst| -> Vec<LinkId> {
            let steps = machine.network().and_then(|network| network.steps(src, dst)).unwrap_or_default();
            steps.into_iter().map(|step| step.link).collect()
        };
        let mut known: FxHashMap<(NodeId, NodeId), ReroutedMessages> = FxHashMap::default();
        for id in 0..program.messages() {
            let (src, dst, _) = program.message(MessageId::new(id));
            let message = *known.entry((src, dst)).or_insert_with(|| {
                if !faults.reaches(src, dst) {
                    return ReroutedMessages { unreachable: 1, ..ReroutedMessages::default() };
                }
                let [with, without] = [links(self, src, dst), links(&faults.intact, src, dst)];
                let remaining = i64::try_from(with.len()).unwrap_or(0) - i64::try_from(without.len()).unwrap_or(0);
                ReroutedMessages { unreachable: 0, rerouted: u64::from(with != without), extra_hops: remaining }
            });
            sum.unreachable += message.unreachable;
            sum.rerouted += message.rerouted;
            sum.extra_hops += message.extra_hops;
        }
        sum
    }
}
