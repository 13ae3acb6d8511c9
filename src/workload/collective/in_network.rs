//! Collectives in routers, which copy and combine packets: their trees, their times, and their columns.

use super::{
    BOUND, BOUND_FLITS, BOUND_STARTUPS, CRITICAL_FLITS, CRITICAL_HOPS, CRITICAL_LINK_FLITS, Collective,
    REDUNDANT_FLITS, STARTUPS, TOTAL_FLITS, holdings,
};
use crate::algorithm::collective::{Extent, InNetworkError, TreeRequest};
use crate::engine::program::{MessageSet, TreeCollectiveProgram};
use crate::engine::{Outcome, Stop};
use crate::kind::diagram::{Member, Paths, Route, Ways, most};
use crate::kind::words::counted;
use crate::kind::{
    Beside, Carried, Diagram, DiagramError, Evidence, FirstWait, Graph, Held, Job, Keep, LinkLine, LinkLoad,
    PacketCounts, Picture, Planned, PlannedMessage, Row, RowFailure, TreeLine, measure, tell_tree,
};
use crate::machine::{CopyingError, Machine};
use crate::model::TreeTime;
use crate::routing::tree::{TreeNetwork, TreeProof};
use crate::schedule::collective::{Action, Operation, TreeCollective};
use crate::schedule::goal::Goal;
use crate::topology::Origin;
use crate::units::{ChannelId, MessageId, NodeId, Ticks};
use std::borrow::Cow;
use std::collections::BTreeMap;
use thiserror::Error;

/// A reason why a collective does not run in routers of a machine. Messages follow the name of the algorithm.
#[derive(Debug, Error)]
pub(super) enum Inadmissible {
    /// No routers copy or combine packets.
    #[error(transparent)]
    Copying(#[from] CopyingError),
    /// There is no tree.
    #[error(transparent)]
    Tree(#[from] InNetworkError),
}

impl Collective {
    /// Checks that routers of `machine` run it, with the ranks of the first repetition.
    pub(super) fn admits_trees(&self, machine: &Machine, seed: u64) -> Result<(), Inadmissible> {
        let network = machine.copying_network()?;
        let nodes = self.nodes(machine, seed, 0);
        self.tree_request(&network, &nodes).plan()?;
        Ok(())
    }

    /// The packets of a row that runs in routers, at most.
    pub(super) fn tree_extent(&self) -> Extent {
        let segments = TreeCollective::segment_count(self.flits, self.segment_flits);
        let ranks = self.ranks() as u64;
        Extent { steps: 1, messages: ranks.saturating_mul(segments), vectors: ranks, pieces: 1 }
    }

    fn tree_request<'a>(&self, network: &'a TreeNetwork, nodes: &'a [NodeId]) -> TreeRequest<'a> {
        let Self { operation, root, flits, segment_flits, .. } = *self;
        TreeRequest { network, operation, nodes, root, flits, segment_flits }
    }

    /// Plans a row that runs in routers.
    pub(super) fn plan_trees<'a>(&'a self, job: Job<'a>) -> Result<Box<dyn Planned + 'a>, RowFailure> {
        let network = job.machine.copying_network().map_err(RowFailure::plan)?;
        let nodes = self.nodes(job.machine, job.seed, job.repetition);
        let collective = self.tree_request(&network, &nodes).plan().map_err(RowFailure::plan)?;
        let (sources, destinations): (Vec<NodeId>, Vec<NodeId>) = collective.ends().iter().copied().unzip();
        let distinct = |mut nodes: Vec<NodeId>| {
            nodes.sort_unstable();
            nodes.dedup();
            nodes
        };
        let proof = collective.tree().prove(&network, &distinct(sources), &distinct(destinations));
        let proof = proof.map_err(RowFailure::wrong("the tree of the packets is invalid"))?;
        Ok(Box::new(TreePlan { workload: self, job, network, nodes, collective, proof }))
    }
}

/// A collective in routers, proved.
struct TreePlan<'a> {
    workload: &'a Collective,
    job: Job<'a>,
    network: TreeNetwork,
    /// By rank, its node.
    nodes: Vec<NodeId>,
    collective: TreeCollective,
    proof: TreeProof,
}

impl TreePlan<'_> {
    fn program(&self) -> TreeCollectiveProgram<'_> {
        let Machine { node, .. } = *self.job.machine;
        TreeCollectiveProgram::new(&self.collective, node).with_stragglers(self.job.machine.stragglers())
    }

    /// The least time of the whole vector as one packet, by `time`.
    fn completion(&self, time: &TreeTime) -> Ticks {
        if self.collective.is_empty() {
            return Ticks::ZERO;
        }
        let vector = self.collective.vector();
        let node = &self.job.machine.node;
        node.send(vector) + time.completion(self.collective.tree(), vector) + node.receive(vector)
    }

    /// The number of packets that nodes inject.
    fn packets(&self) -> u64 {
        (self.collective.tree().sources().count() * self.collective.segments()) as u64
    }

    fn counts(&self) -> PacketCounts {
        let mut counts = PacketCounts::default();
        if !self.collective.is_empty() {
            let segments = 0..self.collective.segments();
            segments.for_each(|segment| counts.add_tree(self.collective.tree(), self.collective.flits(segment)));
        }
        counts
    }

    fn count(&self, row: &mut Row) {
        let vector = self.collective.vector();
        let links = self.collective.tree().depths(1, 0).into_iter().max().unwrap_or(0);
        row.set(&STARTUPS, 1);
        row.set(&CRITICAL_FLITS, vector.0);
        row.set(&TOTAL_FLITS, self.packets() / self.collective.segments() as u64 * vector.0);
        row.set(&REDUNDANT_FLITS, 0);
        row.set(&CRITICAL_HOPS, links);
        row.set(&CRITICAL_LINK_FLITS, if self.proof.links > 0 { vector.0 } else { 0 });
        row.set(&BOUND_STARTUPS, 1);
        row.set(&BOUND_FLITS, vector.0);
        row.set(&BOUND, self.completion(&self.job.machine.tree_time().least()).0);
        row.set_packet_counts(self.counts());
    }

    /// The lines of the links that carry packets.
    fn planned_links(&self, row: &mut Row) {
        let channels = self.network.channels();
        let segments = self.collective.segments();
        let flits: u64 = (0..segments).map(|segment| self.collective.flits(segment).on_wire()).sum();
        let mut loads: BTreeMap<_, LinkLoad> = BTreeMap::new();
        let is_link = |channel: &&ChannelId| matches!(channels.origin(**channel), Origin::Link(_));
        for &channel in self.collective.tree().channels().iter().filter(is_link) {
            let load = loads.entry(channels.physical(channel)).or_default();
            load.flits += flits;
            load.messages = Some(load.messages.unwrap_or(0) + segments as u64);
        }
        let (measured, flit_time) = (row.measured(), self.job.machine.channel.flit_time);
        let line = |(link, used)| {
            let line = LinkLine { channel: channels.physical_name(link), used };
            if self.workload.simulate { line.within(measured, flit_time) } else { line }
        };
        row.add_links(loads.into_iter().map(line));
    }

    /// By message of a segment, the links from its source, or from the farthest source if several packets come to its destination.
    fn hops(&self) -> Vec<u64> {
        let tree = self.collective.tree();
        let depths = tree.depths(1, 0);
        let by_node: BTreeMap<NodeId, u64> =
            tree.destinations().map(|place| (self.network.node(tree.channels()[place]), depths[place])).collect();
        if self.workload.operation == Operation::Reduce {
            let of_source: BTreeMap<NodeId, u64> = tree
                .sources()
                .map(|place| (self.network.node(tree.channels()[place]), tree.links_from(place) as u64))
                .collect();
            return self.collective.ends().iter().map(|(src, _)| of_source[src]).collect();
        }
        self.collective.ends().iter().map(|(_, dst)| by_node[dst]).collect()
    }

    fn action(&self) -> Action {
        match self.workload.operation {
            Operation::Barrier => Action::Signal,
            operation if operation.combines() => Action::Reduce,
            _ => Action::Copy,
        }
    }

    fn name(&self, node: NodeId) -> String {
        Machine::node_name(self.job.machine.lattice().as_ref(), node)
    }

    /// The positions of a segment as text. Empty if packets carry no data.
    fn positions(&self, segment: usize) -> String {
        let positions = self.collective.positions(segment);
        if positions.is_empty() { String::new() } else { holdings::in_words(&positions) }
    }

    fn paths(&self) -> Result<Vec<Picture>, DiagramError> {
        let drawn = Ways::new(self.job.machine)?;
        Diagram::Paths.within(self.collective.ends().len(), "messages", most::PATHS)?;
        let program = self.program();
        let mut path = Vec::new();
        let mut route = |(place, &(src, dst)): (usize, &(NodeId, NodeId))| {
            path.clear();
            if let Some(network) = self.job.machine.network() {
                program.path(MessageId::new(place), network, &mut path);
            }
            Route {
                vertices: drawn.vertices_along(src, dst, &path),
                label: format!("{} to {}", self.name(src), self.name(dst)),
                during: None,
                group: self.action().name().to_owned(),
            }
        };
        let routes = self.collective.ends().iter().enumerate().map(&mut route).collect();
        let root = self.nodes[self.workload.root];
        let member =
            |&node: &NodeId| Member { vertex: drawn.vertex(node), name: self.name(node), is_source: node == root };
        let members = self.nodes.iter().map(member).collect();
        let title = "tree of the packets".to_owned();
        Ok(vec![Picture::Paths(Paths { title, ground: drawn.ground.clone(), routes, members, waits: Vec::new() })])
    }
}

impl Planned for TreePlan<'_> {
    fn verify(&self) -> Result<Evidence, RowFailure> {
        let operation = self.workload.operation;
        let ranks = counted(self.workload.ranks() as u64, "rank");
        let sentence = format!("proved: {}: {} ({ranks})", operation.name(), operation.postcondition());
        let evidence = Evidence::new().note(sentence);
        Ok(match operation.combines() {
            true => evidence.note("combines packets where they meet, so the operation must be commutative"),
            false => evidence,
        })
    }

    fn run(&self, row: &mut Row, keep: Keep<'_>) -> Result<(), RowFailure> {
        row.nodes = self.workload.ranks();
        row.messages = self.collective.len();
        row.predict(self.completion(&self.job.machine.tree_time()));
        self.count(row);
        if !self.workload.simulate {
            self.planned_links(row);
            return Ok(());
        }
        let program = self.program();
        let flits = |message: usize| program.message(MessageId::new(message)).2;
        let name = |message: usize| (message as u64, flits(message));
        let links = self.workload.details || keep.links;
        measure(self.job.machine, self.program(), row, Beside { keep, links, name: &name })?;
        if !links {
            self.planned_links(row);
        }
        Ok(())
    }

    fn watch(&self, watch: &mut FirstWait) -> Option<Result<Outcome, Stop>> {
        if !self.workload.simulate {
            return None;
        }
        self.job.machine.run(self.program(), self.job.draw(), watch)
    }

    /// Each segment follows the one before it as soon as that has left its source.
    fn messages(&self, tell: &mut dyn FnMut(&PlannedMessage)) {
        let Machine { node, .. } = *self.job.machine;
        let time = self.job.machine.tree_time();
        let tree = self.collective.tree();
        let hops = self.hops();
        let nodes: Vec<NodeId> = tree.destinations().map(|place| self.network.node(tree.channels()[place])).collect();
        let mut start = Ticks::ZERO;
        for segment in 0..self.collective.segments() {
            let flits = self.collective.flits(segment);
            let deliveries: BTreeMap<_, _> = nodes.iter().zip(time.deliveries(tree, flits)).collect();
            for (place, &(src, dst)) in self.collective.ends().iter().enumerate() {
                tell(&PlannedMessage {
                    id: segment * hops.len() + place,
                    step: Some(0),
                    src,
                    dst,
                    flits: Some(flits),
                    hops: Some(hops[place]),
                    send_start: start,
                    received: start + node.send(flits) + deliveries[&dst] + node.receive(flits),
                    carried: Some(Carried {
                        positions: self.positions(segment),
                        part: 0,
                        action: self.action().name(),
                    }),
                });
            }
            start += node.hold(flits).max(time.network.wire_time(flits));
        }
    }

    fn copied(&self, see: &mut dyn FnMut(&dyn MessageSet)) {
        see(&self.program());
    }

    fn trees(&self, tell: &mut dyn FnMut(&TreeLine)) {
        for segment in 0..self.collective.segments() {
            tell_tree(&self.network, segment, self.collective.tree(), tell);
        }
    }

    /// An edge for each message of a segment.
    fn graph(&self) -> Option<Graph> {
        let action = self.action().name();
        let edge = |&(src, dst): &(NodeId, NodeId)| (src.0, dst.0, format!("label=\"{action}\""));
        Some(Graph { directed: true, nodes: Vec::new(), edges: self.collective.ends().iter().map(edge).collect() })
    }

    fn holdings(&self, _: &mut dyn FnMut(&Held)) -> Result<(), RowFailure> {
        Err(RowFailure::plan(NoSteps))
    }

    fn goal(&self, _: Option<u64>) -> Option<Result<Cow<'_, Goal>, String>> {
        Some(Err("GOAL has no operations of ranks for packets that routers copy and combine".to_owned()))
    }

    fn diagram(&self, diagram: Diagram) -> Result<Vec<Picture>, DiagramError> {
        match diagram {
            Diagram::Paths => self.paths(),
            _ => Err(DiagramError::InRouters { diagram }),
        }
    }
}

/// Routers combine packets between the nodes, which hold nothing in between.
#[derive(Debug, Error)]
#[error("routers combine its packets, so that nodes hold no partial results; `--format trees` lists its trees")]
struct NoSteps;
