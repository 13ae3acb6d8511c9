//! One point of a scenario: everything that is needed to run it.

use super::broadcast::{self, Broadcast};
use super::exchange::Exchange;
use super::faults;
use super::files::Files;
use super::goal::Operations;
use super::grid;
use super::keys;
use super::mapping::Mapping;
use super::multicast::Multicast;
use super::trace::Trace;
use super::traffic::OpenLoop;
use super::workload::Setting;
use crate::algorithm::multicast::Request;
use crate::config::Diagnostic;
use crate::config::Reader;
use crate::engine::node::NodeCosts;
use crate::engine::{ChannelCosts, Engine};
use crate::machine::{self, ChannelTable, NetworkSpec, NodeTable};
use crate::model::{MessageTimes, Model, Parameterised};
use crate::routing::Network;
use crate::topology::{Ejection, Ports};
use crate::units::{Flits, NodeId};
use serde::Serialize;
use std::sync::Arc;

/// One point of a scenario, validated.
#[derive(Clone, Debug, Serialize)]
pub struct Experiment {
    /// The seed of every random stream.
    pub seed: u64,
    /// How often the point is run, each time with its own placement.
    pub repetitions: u64,
    /// The network, if there is one.
    pub machine: Option<Machine>,
    /// What channels cost.
    pub channel: ChannelCosts,
    /// What nodes cost.
    pub node: NodeCosts,
    /// Ejection channels of a node, if not as many as ports.
    pub ejection: Option<Ejection>,
    /// The model that says what is predicted; none for what follows from the costs of nodes and channels.
    pub model: Option<Model>,
    /// Which engine runs.
    pub engine: Engine,
    /// What to run.
    pub workload: Workload,
}

/// A network, described and built.
#[derive(Clone, Serialize)]
#[serde(transparent)]
pub struct Machine {
    /// The description.
    pub spec: NetworkSpec,
    /// The network.
    #[serde(skip)]
    pub network: Arc<dyn Network>,
}

impl std::fmt::Debug for Machine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.spec.fmt(f)
    }
}

impl Machine {
    /// The number of nodes.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.network.channels().nodes()
    }
}

/// What a scenario runs.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Workload {
    /// One message from one source to a group.
    Multicast(Multicast),
    /// A block from every node to every node.
    Exchange(Exchange),
    /// One message from one node of a grid to all.
    Broadcast(Broadcast),
    /// Tasks on the nodes of a hypercube.
    Mapping(Mapping),
    /// Operations of ranks.
    Operations(Operations),
    /// Messages with fixed times.
    Trace(Trace),
    /// Open-loop traffic.
    Traffic(OpenLoop),
}

impl Workload {
    /// How many rows a repetition has: one per algorithm, or one.
    #[must_use]
    pub fn algorithms(&self) -> usize {
        match self {
            Self::Multicast(multicast) => multicast.algorithms.len(),
            Self::Exchange(exchange) => exchange.algorithms.len(),
            Self::Broadcast(broadcast) => broadcast.algorithms.len(),
            Self::Mapping(mapping) => mapping.algorithms.len(),
            Self::Operations(_) | Self::Trace(_) | Self::Traffic(_) => 1,
        }
    }

    /// How many nodes take part; of a trace, how many messages, each from a node.
    fn nodes(&self) -> usize {
        match self {
            Self::Multicast(multicast) => multicast.group.size(),
            Self::Exchange(exchange) => exchange.torus.shape().iter().product(),
            Self::Broadcast(broadcast) => broadcast.grid.nodes(),
            Self::Mapping(mapping) => mapping.graph.tasks(),
            Self::Operations(operations) => operations.goal.ranks(),
            Self::Trace(trace) => trace.messages.len(),
            Self::Traffic(_) => 0, // as many as the network has
        }
    }

    /// The name of the `at`-th algorithm, or the workload's if it has none.
    ///
    /// # Panics
    /// If there is no such algorithm.
    #[must_use]
    pub fn algorithm(&self, at: usize) -> &'static str {
        match self {
            Self::Multicast(multicast) => multicast.algorithms[at].name,
            Self::Exchange(exchange) => exchange.algorithms[at].name,
            Self::Broadcast(broadcast) => broadcast.algorithms[at].name,
            Self::Mapping(mapping) => mapping.algorithms[at].name,
            Self::Operations(operations) => operations.format,
            Self::Trace(_) => "trace",
            Self::Traffic(traffic) => traffic.algorithm(),
        }
    }
}

impl Experiment {
    /// The network, if there is one.
    #[must_use]
    pub fn network(&self) -> Option<&dyn Network> {
        self.machine.as_ref().map(|machine| machine.network.as_ref())
    }

    /// What this point's multicast asks of an algorithm for `group`.
    #[must_use]
    pub fn request<'a>(&'a self, multicast: &Multicast, group: &'a [NodeId]) -> Request<'a> {
        let named = || group.iter().map(|node| node.index() + 1).max().unwrap_or(0);
        Request {
            group,
            nodes: self.machine.as_ref().map_or_else(named, Machine::nodes),
            network: self.network(),
            flits: multicast.flits,
            model: multicast.model(self.times(multicast.flits)),
            ports: self.node.ports,
            block: multicast.block,
            inside: multicast.inside,
        }
    }

    /// The model's times for messages of `flits` flits.
    #[must_use]
    pub fn times(&self, flits: Flits) -> Parameterised {
        match &self.model {
            Some(model) => model.times(flits.0),
            None => Parameterised::derived(&self.node, &self.channel, flits),
        }
    }

    /// The parts of the model's times for messages of `bytes` bytes, `flit_bytes` a flit.
    #[must_use]
    pub fn parts(&self, bytes: u64, flit_bytes: u64) -> MessageTimes {
        match &self.model {
            Some(model) => model.parts(bytes),
            None => MessageTimes::derived(&self.node, &self.channel, Flits(bytes.div_ceil(flit_bytes).max(1))),
        }
    }
}

/// Reads and validates one point; what is wrong has been reported.
pub(super) fn read(root: &Reader<'_>, files: &mut Files<'_>, memory: Option<u64>) -> Option<Experiment> {
    let before = root.error_count();
    let seed = root.integer(&keys::SEED);
    let repetitions = root.integer(&keys::REPETITIONS);
    if root.is_given(&["network", "grid"]) || root.has_table(&["network", "grid"]) {
        return broadcast_on(root, (seed, repetitions), files, memory);
    }
    let NodeTable { costs: node, ejection } = machine::read_node(root);
    let has_network = root.has("network");
    let ChannelTable { costs: channel, virtual_channels } = machine::read_channel(root, has_network);
    let ports = Ports { injection: node.ports, ejection: ejection.unwrap_or(Ejection::Channels(node.ports)) };
    let has_traffic = root.has_table(&["workload", "traffic"]);
    let router = machine::read_router(root, has_traffic);
    let machine = machine::read_network(root, ports, virtual_channels, has_traffic);
    let machine = machine.map(|(spec, network)| Machine { spec, network });
    let engine = machine::read_engine(root, has_network);
    let (model, processors) = machine::read_model(root).unzip();
    let setting = Setting { root, machine: machine.as_ref(), ports, repetitions, channel, virtual_channels, router };
    let workload = setting.workload(files);
    root.finish();
    let experiment =
        Experiment { seed, repetitions, machine, channel, node, ejection, model, engine, workload: workload? };
    reject_unread_costs(root, &experiment);
    let (taking_part, processors) = (experiment.workload.nodes() as u64, processors.flatten());
    if let Some(processors) = processors.filter(|&processors| taking_part > processors) {
        let message = format!("the model has P = {processors} processors, but {taking_part} nodes take part");
        root.error(Diagnostic::at(root.place_within(&["model"]), message));
    }
    if root.error_count() == before {
        experiment.check(root, memory);
    }
    (root.error_count() == before).then_some(experiment)
}

/// What nodes cost, ports aside.
const NODE_KEYS: [&str; 6] =
    ["send_setup", "send_per_flit", "receive_setup", "receive_per_flit", "hold_setup", "hold_per_flit"];

/// A grid has no channels, no flits and no engines, and only broadcasts run on it.
fn broadcast_on(
    root: &Reader<'_>,
    (seed, repetitions): (u64, u64),
    files: &mut Files<'_>,
    memory: Option<u64>,
) -> Option<Experiment> {
    let before = root.error_count();
    for key in ["node", "channel", "router", "engine", "model"] {
        if root.has(key) {
            let message = format!("a grid is nothing but costs of links, so `{key}` would be ignored");
            root.error(Diagnostic::at(root.place_within(&[key]), message));
        }
    }
    let network = root.table("network")?;
    let grid = network.only_table().and_then(|(_, table)| grid::read(root, &table, files));
    network.finish();
    let faults = faults::read(root);
    let table = root.table("workload");
    let inner = table.as_ref().and_then(Reader::only_table);
    let workload = match inner {
        Some(("broadcast", inner)) => {
            let workload = broadcast::read(&inner, grid, faults);
            inner.finish();
            workload.map(Workload::Broadcast)
        }
        Some((_, inner)) => {
            root.error(Diagnostic::at(inner.place(), "on a [network.grid] only a [workload.broadcast] runs"));
            None
        }
        None => {
            if !root.has("workload") {
                root.missing("workload", "[workload.broadcast]");
            }
            None
        }
    };
    if let Some(table) = table {
        table.finish();
    }
    root.finish();
    let (channel, node, engine) = (ChannelCosts::default(), NodeCosts::default(), Engine::default());
    let (machine, ejection, model, workload) = (None, None, None, workload?);
    let experiment = Experiment { seed, repetitions, machine, channel, node, ejection, model, engine, workload };
    if root.error_count() == before {
        experiment.check(root, memory);
    }
    (root.error_count() == before).then_some(experiment)
}

/// What a chosen model leaves nobody to read, and who needs a model.
fn reject_unread_costs(root: &Reader<'_>, experiment: &Experiment) {
    let reject = |path: &[&str], why: &str| {
        let message = format!("{why}, so `{}` would be ignored", path.join("."));
        root.error(Diagnostic::at(root.place_within(path), message));
    };
    match (&experiment.model, &experiment.workload) {
        (Some(_), Workload::Trace(_)) => reject(&["model"], "a trace is predicted from the costs of channels"),
        (Some(_), Workload::Traffic(_)) => reject(&["model"], "traffic is predicted from the costs of channels"),
        (Some(_), Workload::Mapping(_)) => reject(&["model"], "a mapping is bounded by ports and links"),
        (None, Workload::Operations(_)) if experiment.machine.is_none() => {
            let message = "without a [network.*] operations need a model that prices them";
            let note = "needed: [model.loggops], [model.logp] or [model.parameterised]";
            root.error(Diagnostic::at(root.place_within(&["workload"]), message).note(note));
        }
        (Some(_), Workload::Multicast(multicast)) if multicast.t_hold.is_some() && multicast.t_end.is_some() => {
            reject(&["model"], "`t_hold` and `t_end` of the workload are the model");
        }
        _ => {}
    }
    if root.is_given(&["node", "ejection_ports"]) {
        let why = match &experiment.workload {
            _ if !root.has("network") => Some("without a [network.*] nothing is ejected"),
            Workload::Mapping(mapping) if mapping.traffic.is_none() => {
                Some("without `simulate = true` nothing is sent")
            }
            Workload::Exchange(exchange) if !exchange.simulate => Some("with `simulate = false` nothing is sent"),
            _ => None,
        };
        why.into_iter().for_each(|why| reject(&["node", "ejection_ports"], why));
    }
    if experiment.model.is_none() || experiment.machine.is_some() {
        return;
    }
    let unread = [("node", &NODE_KEYS[..]), ("channel", &["flit_time"])];
    for (table, keys) in unread {
        for key in keys.iter().filter(|key| root.is_given(&[table, key])) {
            reject(&[table, key], "without a [network.*] the chosen [model.*] says what messages cost");
        }
    }
    if matches!(experiment.workload, Workload::Operations(_)) && root.is_given(&["node", "ports"]) {
        reject(&["node", "ports"], "without a [network.*] operations name their interfaces themselves");
    }
}
