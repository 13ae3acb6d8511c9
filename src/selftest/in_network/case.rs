//! Multicasts, reductions and messages on routers that copy and combine packets, or a collective that runs in them.

use crate::kind::words::counted;
use crate::selftest::as_written;
use crate::selftest::case::{Machine, in_scenario, smaller_machines};
use crate::selftest::features::{Feature, Swarm};
use crate::selftest::minimise::lower;
use crate::selftest::report::CaseFile;
use crate::selftest::subject::Specimen;
use std::fmt::Write as _;

const SCENARIO: &str = "case.toml";
const TRACE: &str = "messages.csv";

/// A machine, and the packets that its routers copy and combine.
#[derive(Clone, Debug)]
pub(in crate::selftest) struct InNetworkCase {
    pub(super) machine: Machine,
    pub(super) traffic: Traffic,
}

/// The messages or the collective of a case.
#[derive(Clone, Debug)]
pub(super) enum Traffic {
    Trace(TreeTrace),
    Collective(TreeOperation),
}

/// A trace, of which all multicasts have trees of the same kind.
#[derive(Clone, Debug)]
pub(super) struct TreeTrace {
    pub(super) multicast: &'static str,
    pub(super) messages: Vec<TreeMessage>,
}

/// A message with one source or one destination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TreeMessage {
    pub(super) src: Vec<u32>,
    pub(super) dst: Vec<u32>,
    pub(super) flits: u64,
    /// The time of its request, in flit times.
    pub(super) start: u64,
}

/// A collective in routers.
#[derive(Clone, Debug)]
pub(super) struct TreeOperation {
    pub(super) name: &'static str,
    /// The node of each rank.
    pub(super) nodes: Vec<u32>,
    pub(super) root: usize,
    pub(super) flits: u64,
    pub(super) segment_flits: u64,
}

const OPERATIONS: [&str; 4] = ["broadcast", "reduce", "allreduce", "barrier"];

impl InNetworkCase {
    /// A case that scenarios accept: not every network has every tree.
    pub(super) fn draw(swarm: &mut Swarm) -> Self {
        loop {
            swarm.begin();
            let Some(mut machine) = Machine::draw_with_routers(swarm) else { continue };
            draw_combining(swarm, &mut machine);
            let Some(nodes) = nodes(&machine).filter(|&nodes| nodes > 1) else { continue };
            let traffic = match swarm.has(Feature::Collectives, 0.4) {
                true => Traffic::Collective(TreeOperation::draw(swarm, nodes)),
                false => Traffic::Trace(TreeTrace::draw(swarm, nodes)),
            };
            let case = Self { machine, traffic };
            if as_written::scenario(&case).is_ok() {
                return case;
            }
        }
    }

    /// The case with other `traffic`.
    pub(super) fn with(&self, traffic: Traffic) -> Self {
        Self { machine: self.machine.clone(), traffic }
    }

    /// The start of message `id` of the trace, in ticks.
    pub(super) fn start(&self, id: u64) -> u64 {
        match &self.traffic {
            Traffic::Trace(trace) => {
                trace.messages[usize::try_from(id).unwrap_or(0)].start * self.machine.channel.flit_time
            }
            Traffic::Collective(_) => 0,
        }
    }
}

/// The number of nodes of `machine`.
fn nodes(machine: &Machine) -> Option<u32> {
    u32::try_from(machine.network()?.channels().nodes()).ok()
}

/// Draws the costs of joins.
fn draw_combining(swarm: &mut Swarm, machine: &mut Machine) {
    let Some(routers) = machine.routers.as_mut().filter(|_| swarm.has(Feature::Combining, 0.7)) else { return };
    let latency: u64 = swarm.one_of(&[0, 2, 5]);
    let interval: u64 = swarm.one_of(&[1, 1, 2, 3]);
    routers.options = routers.options.with("combine_latency", &latency.to_string());
    routers.options = routers.options.with("combine_interval", &interval.to_string());
}

fn draw_flits(swarm: &mut Swarm) -> u64 {
    if swarm.has(Feature::EmptyMessages, 0.1) {
        return 0;
    }
    if swarm.has(Feature::LongMessages, 0.5) { swarm.draw(5..=20) } else { swarm.draw(1..=4) }
}

/// `count` of `nodes` nodes.
fn draw_nodes(swarm: &mut Swarm, nodes: u32, count: u32) -> Vec<u32> {
    let order = swarm.permutation(nodes.into()).into_iter().filter_map(|node| u32::try_from(node).ok());
    order.take(count as usize).collect()
}

impl TreeTrace {
    fn draw(swarm: &mut Swarm, nodes: u32) -> Self {
        let has_reductions = swarm.has(Feature::Reductions, 0.8);
        let has_multicasts = !has_reductions || swarm.has(Feature::Multicasts, 0.7);
        let has_paths = has_multicasts && swarm.has(Feature::PathWorms, 0.7);
        let multicast = if has_paths { swarm.one_of(&["dual-path", "multi-path"]) } else { "router-tree" };
        let most = if swarm.has(Feature::ManyMessages, 0.6) { 6 } else { 2 };
        let at_once = swarm.has(Feature::AtOnce, 0.5);
        // messages with the same nodes wait for each other most often
        let several = swarm.draw(2..=nodes.min(6));
        let common = swarm.has(Feature::HotSpot, 0.5).then(|| draw_nodes(swarm, nodes, several));
        let count = swarm.draw(1..=most);
        let mut messages = Vec::new();
        for number in 0..count {
            let several = if number > 0 && swarm.toss(0.2) { 1 } else { swarm.draw(2..=nodes.min(6)) };
            let one = vec![swarm.draw(0..nodes)];
            let others = common.clone().unwrap_or_else(|| draw_nodes(swarm, nodes, several));
            let reduces = has_reductions && (!has_multicasts || swarm.toss(0.5));
            let (src, dst) = if reduces { (others, one) } else { (one, others) };
            let flits = draw_flits(swarm);
            let start = if at_once { 0 } else { swarm.draw(0..=12) };
            messages.push(TreeMessage { src, dst, flits, start });
        }
        Self { multicast, messages }
    }

    /// It as CSV.
    fn csv(&self, flit_time: u64) -> String {
        let mut text = "id,src,dst,flits,start\n".to_owned();
        let words = |nodes: &[u32]| nodes.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
        for (id, TreeMessage { src, dst, flits, start }) in self.messages.iter().enumerate() {
            let [src, dst] = [src, dst].map(|nodes| words(nodes));
            let _ = writeln!(text, "{id},{src},{dst},{flits},{}", start * flit_time); // a string takes everything
        }
        text
    }

    fn smaller(&self) -> Vec<Self> {
        let mut all = Vec::new();
        for at in 0..self.messages.len() {
            let mut fewer = self.clone();
            fewer.messages.remove(at);
            all.push(fewer);
        }
        for (at, message) in self.messages.iter().enumerate() {
            let with = |message: TreeMessage| {
                let mut smaller = self.clone();
                smaller.messages[at] = message;
                smaller
            };
            let fewer = |nodes: &[u32]| without_one(nodes);
            all.extend(fewer(&message.src).into_iter().map(|src| with(TreeMessage { src, ..message.clone() })));
            all.extend(fewer(&message.dst).into_iter().map(|dst| with(TreeMessage { dst, ..message.clone() })));
            all.extend(lower(message.flits, 1).map(|flits| with(TreeMessage { flits, ..message.clone() })));
            all.extend(lower(message.start, 0).map(|start| with(TreeMessage { start, ..message.clone() })));
        }
        all.retain(|trace| !trace.messages.is_empty());
        all
    }
}

/// `list` without each of its members, if others are left.
fn without_one(list: &[u32]) -> Vec<Vec<u32>> {
    let remove = |gone: usize| {
        let mut fewer = list.to_vec();
        fewer.remove(gone);
        fewer
    };
    (0..list.len()).filter(|_| list.len() > 1).map(remove).collect()
}

impl TreeOperation {
    fn draw(swarm: &mut Swarm, nodes: u32) -> Self {
        let ranks = if swarm.has(Feature::Groups, 0.5) { swarm.draw(2..=nodes) } else { nodes };
        let flits = draw_flits(swarm).max(1);
        let segment_flits = if swarm.has(Feature::Segments, 0.7) { swarm.draw(1..=flits) } else { 0 };
        Self {
            name: swarm.one_of(&OPERATIONS),
            nodes: draw_nodes(swarm, nodes, ranks),
            root: swarm.draw(0..ranks as usize),
            flits,
            segment_flits,
        }
    }

    /// Its table in a scenario.
    fn table(&self) -> String {
        let Self { name, nodes, root, flits, segment_flits } = self;
        let vector = match *name {
            "barrier" => String::new(),
            _ => format!("flits = {flits}\nsegment_flits = {segment_flits}\n"),
        };
        format!(
            "[workload.collective]\noperation = \"{name}\"\nalgorithms = [\"in-network\"]\nnodes = {nodes:?}\nroot = {root}\n{vector}"
        )
    }

    fn smaller(&self) -> Vec<Self> {
        let copy = || self.clone();
        let mut all = Vec::new();
        for (gone, nodes) in without_one(&self.nodes).into_iter().enumerate() {
            let root = if gone < self.root { self.root - 1 } else { self.root.min(nodes.len() - 1) };
            all.push(Self { nodes, root, ..copy() });
        }
        all.extend(lower(self.flits, 1).map(|flits| Self { flits, ..copy() }));
        all.extend(lower(self.segment_flits, 0).map(|segment_flits| Self { segment_flits, ..copy() }));
        all
    }
}

impl Traffic {
    fn smaller(&self) -> Vec<Self> {
        match self {
            Self::Trace(trace) => trace.smaller().into_iter().map(Self::Trace).collect(),
            Self::Collective(operation) => operation.smaller().into_iter().map(Self::Collective).collect(),
        }
    }

    /// The traffic on the first `count` nodes: others are replaced by these.
    fn restrict(&self, count: u32) -> Self {
        let restrict = |nodes: &[u32]| {
            let mut fewer: Vec<u32> = Vec::new();
            for node in nodes.iter().map(|node| node % count) {
                if !fewer.contains(&node) {
                    fewer.push(node);
                }
            }
            fewer
        };
        match self {
            Self::Trace(trace) => {
                let message =
                    |own: &TreeMessage| TreeMessage { src: restrict(&own.src), dst: restrict(&own.dst), ..own.clone() };
                Self::Trace(TreeTrace { messages: trace.messages.iter().map(message).collect(), ..trace.clone() })
            }
            Self::Collective(operation) => {
                let nodes = restrict(&operation.nodes);
                let root = operation.root.min(nodes.len() - 1);
                Self::Collective(TreeOperation { nodes, root, ..operation.clone() })
            }
        }
    }
}

impl Specimen for InNetworkCase {
    fn smaller(&self) -> Vec<Self> {
        let mut all: Vec<Self> = self.traffic.smaller().into_iter().map(|traffic| self.with(traffic)).collect();
        all.extend(smaller_machines(&self.machine).into_iter().filter_map(|machine| {
            let traffic = self.traffic.restrict(nodes(&machine)?);
            Some(Self { machine, traffic })
        }));
        all
    }

    fn in_words(&self) -> String {
        let network = self.machine.topology.kind();
        let nodes = counted(nodes(&self.machine).unwrap_or(0).into(), "node");
        let traffic = match &self.traffic {
            Traffic::Trace(trace) => counted(trace.messages.len() as u64, "message"),
            Traffic::Collective(operation) => {
                format!("{} of {}", operation.name, counted(operation.nodes.len() as u64, "rank"))
            }
        };
        format!("{network} of {nodes}, {traffic}")
    }

    fn written(&self, name: &str, about: &str) -> Vec<CaseFile> {
        let (mut text, mut files) = in_scenario(&self.machine, name, about, false);
        match &self.traffic {
            Traffic::Collective(operation) => text += &operation.table(),
            Traffic::Trace(trace) => {
                let _ = writeln!(text, "[workload.trace]\nfile = \"{TRACE}\"\nmulticast = \"{}\"", trace.multicast);
                files.push(CaseFile { name: TRACE, text: trace.csv(self.machine.channel.flit_time) });
            }
        }
        files.insert(0, CaseFile { name: SCENARIO, text });
        files
    }
}
