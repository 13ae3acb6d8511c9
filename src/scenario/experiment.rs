//! One point of a scenario: everything that is needed to run it.

use super::diagnostic::Diagnostic;
use super::exchange::{self, Exchange};
use super::files::Files;
use super::multicast::{self, Multicast};
use super::network::{self, NetworkSpec};
use super::reader::{Reader, listed};
use super::trace::{self, Trace};
use crate::algorithm::multicast::{ALGORITHMS, Request};
use crate::engine::node::NodeCosts;
use crate::engine::{ChannelCosts, Engine, flit, worm};
use crate::model::Parameterised;
use crate::routing::Network;
use crate::units::{Flits, NodeId};
use serde::Serialize;
use std::sync::Arc;

/// Every key of a scenario with its default and meaning, for `list` and the documentation.
pub const KEYS: &[(&str, &str, &str)] = &[
    ("name", "required", "names the folder of outputs: lower-case letters, digits, `-`"),
    ("seed", "1", "of every random stream"),
    ("repetitions", "1", "each draws its own placement"),
    ("tick", "none", "length of a tick for reports, such as \"10ns\""),
    ("network.mesh.shape", "required", "nodes along each dimension; ids are row-major"),
    ("network.mesh.order", "[0, 1, ..]", "the order in which coordinates are resolved"),
    ("network.torus.shape", "required", "nodes along each dimension; ids are row-major"),
    ("network.torus.order", "[0, 1, ..]", "the order in which coordinates are resolved; exchanges prescribe their own"),
    ("network.hypercube.dimension", "required", "bits of a node id"),
    ("network.bmin.radix", "required", "ways down, and ways up, of a switch"),
    ("network.bmin.levels", "required", "levels of switches"),
    ("network.bmin.up", "\"source\"", "whose digits choose the way up: source or destination"),
    ("channel.flit_time", "1", "ticks for a flit to cross a channel"),
    ("channel.buffer", "1", "flits in the buffer behind a channel"),
    ("channel.routing_delay", "0", "ticks from a header's arrival to its request"),
    ("channel.virtual_channels", "1", "virtual channels of a link; on a torus 2 (a dateline), or 1"),
    ("node.send_setup", "0", "ticks to set up a send"),
    ("node.send_per_flit", "0", "ticks per flit sent; a message of one flit is its header alone and pays none"),
    ("node.receive_setup", "0", "ticks to set up a receive"),
    ("node.receive_per_flit", "0", "ticks per flit received"),
    ("node.hold_setup", "send_setup", "ticks between starts of sends of a port"),
    ("node.hold_per_flit", "send_per_flit", "the same, per flit"),
    ("node.ports", "1", "sends, and receives, at once"),
    ("engine.kind", "\"auto\"", "worm, flit or auto"),
    ("workload.multicast.algorithms", "required", "see `flitwise list algorithms`"),
    ("workload.multicast.flits", "required", "length of the message"),
    ("workload.multicast.group", "required", "nodes that take part, placed at random"),
    ("workload.multicast.nodes", "none", "instead of `group`: the nodes, the source first"),
    ("workload.multicast.placements", "none", "a JSON list of {k, p, nodes}: placements of `group` nodes"),
    ("workload.multicast.t_hold", "derived", "of the model, in ticks"),
    ("workload.multicast.t_end", "derived", "of the model, in ticks"),
    ("workload.multicast.block", "4", "block size of block-binomial"),
    ("workload.multicast.inside", "\"flat\"", "block-binomial inside a block: flat or binomial"),
    ("workload.exchange.algorithms", "required", "see `flitwise list algorithms`"),
    ("workload.exchange.block_flits", "1", "length of a block, flits"),
    ("workload.exchange.synchronous", "true", "a barrier between steps; else nodes go on when they have received"),
    ("workload.exchange.simulate", "true", "else schedules are counted and priced, not proved and run"),
    ("workload.exchange.unfit", "\"reject\"", "or skip: algorithms that cannot do the size"),
    ("workload.trace.file", "required", "CSV with the columns id,src,dst,flits,start"),
    ("sweep.\"KEY\"", "none", "an array of values for any key above"),
];

/// No time of a run may reach this many ticks: beyond, 64 bits are not certain to hold it.
const CLOCK: u128 = 1 << 62;

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
    /// Messages with fixed times.
    Trace(Trace),
}

impl Workload {
    /// How many rows a repetition has: one per algorithm, or one.
    #[must_use]
    pub fn algorithms(&self) -> usize {
        match self {
            Self::Multicast(multicast) => multicast.algorithms.len(),
            Self::Exchange(exchange) => exchange.algorithms.len(),
            Self::Trace(_) => 1,
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
            Self::Trace(_) => "trace",
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
            model: multicast.model(self.derived(multicast.flits)),
            ports: self.node.ports,
            block: multicast.block,
            inside: multicast.inside,
        }
    }

    /// The model's times for messages of `flits` flits.
    #[must_use]
    pub fn derived(&self, flits: Flits) -> Parameterised {
        Parameterised::derived(&self.node, &self.channel, flits)
    }
}

/// Reads and validates one point; what is wrong has been reported.
pub(super) fn read(root: &Reader<'_>, files: &mut Files<'_>, memory: Option<u64>) -> Option<Experiment> {
    for key in ["name", "tick", "sweep"] {
        root.skip(key);
    }
    let before = root.error_count();
    let seed = root.integer("seed", 1, 0..=u64::MAX >> 1);
    let repetitions = root.integer("repetitions", 1, 1..=1 << 32);
    let node = node(root);
    let has_network = root.has("network");
    let (channel, virtual_channels) = channel(root, has_network);
    let machine = network::read(root, node.ports, virtual_channels).map(|(spec, network)| Machine { spec, network });
    let engine = engine(root, has_network);
    let workload = workload(root, machine.as_ref(), (node.ports, repetitions), files);
    root.finish();
    let experiment = Experiment { seed, repetitions, machine, channel, node, engine, workload: workload? };
    if root.error_count() == before {
        experiment.check(root, memory);
    }
    (root.error_count() == before).then_some(experiment)
}

fn node(root: &Reader<'_>) -> NodeCosts {
    let Some(table) = root.table("node") else {
        return NodeCosts::default();
    };
    let cost = |key, default| table.integer(key, default, 0..=1 << 40);
    let send = (cost("send_setup", 0), cost("send_per_flit", 0));
    let receive = (cost("receive_setup", 0), cost("receive_per_flit", 0));
    let ports = table.integer("ports", 1, 1..=u64::from(u16::MAX));
    let costs = NodeCosts {
        hold_setup: cost("hold_setup", send.0),
        hold_per_flit: cost("hold_per_flit", send.1),
        ..NodeCosts::new(send, receive, usize::try_from(ports).unwrap_or(usize::MAX))
    };
    table.finish();
    costs
}

/// The costs, and how many virtual channels are asked for.
fn channel(root: &Reader<'_>, has_network: bool) -> (ChannelCosts, Option<u64>) {
    let Some(table) = root.table("channel") else {
        return (ChannelCosts::default(), None);
    };
    let costs = ChannelCosts {
        flit_time: table.integer("flit_time", 1, 1..=1 << 32),
        buffer: table.integer("buffer", 1, 1..=1 << 40),
        routing_delay: table.integer("routing_delay", 0, 0..=1 << 32),
    };
    let virtual_channels = table.optional_integer("virtual_channels", 1..=u64::MAX);
    for key in ["buffer", "routing_delay", "virtual_channels"] {
        if table.has(key) && !has_network {
            let message = format!("without a [network.*] nobody reads `channel.{key}`");
            table.error(Diagnostic::at(table.place_of(key), message).note("the model alone uses `channel.flit_time`"));
        }
    }
    table.finish();
    (costs, virtual_channels)
}

fn engine(root: &Reader<'_>, has_network: bool) -> Engine {
    let Some(table) = root.table("engine") else {
        return Engine::default();
    };
    if !has_network {
        let message = "an engine needs a [network.*] to run on; without one the model alone prices the schedule";
        table.error(Diagnostic::at(table.place(), message));
    }
    let choices = Engine::ALL.map(|(engine, name, _)| (name, engine));
    let kind = table.choice("kind", &choices, Engine::default());
    table.finish();
    kind
}

fn workload(
    root: &Reader<'_>,
    machine: Option<&Machine>,
    (ports, repetitions): (usize, u64),
    files: &mut Files<'_>,
) -> Option<Workload> {
    let Some(table) = root.table("workload") else {
        if !root.has("workload") {
            root.missing("workload", "[workload.multicast], [workload.exchange] or [workload.trace]");
        }
        return None;
    };
    let nodes = machine.map(Machine::nodes);
    let workload = table.only_table(&["multicast", "exchange", "trace"]).and_then(|(name, inner)| {
        let workload = match name {
            "multicast" => multicast::read(&inner, nodes, repetitions, files).map(Workload::Multicast),
            "exchange" => exchange_on(root, &inner, machine, ports).map(Workload::Exchange),
            _ => trace_on(root, &inner, nodes, files).map(Workload::Trace),
        };
        inner.finish();
        workload
    });
    table.finish();
    workload
}

/// An exchange needs a torus, and prescribes its routes.
fn exchange_on(root: &Reader<'_>, table: &Reader<'_>, machine: Option<&Machine>, ports: usize) -> Option<Exchange> {
    let torus = machine.and_then(|machine| machine.spec.torus(ports));
    if torus.is_none() && (machine.is_some() || !root.has("network")) {
        table.error(Diagnostic::at(table.place(), "an exchange needs a [network.torus] to run on"));
    }
    let order = &["network", "torus", "order"];
    if root.is_given(order) {
        let message = "an exchange prescribes which way its messages go, so `network.torus.order` would be ignored";
        root.error(Diagnostic::at(root.place_within(order), message));
    }
    exchange::read(table, torus)
}

/// A trace needs a network, and has no node overheads.
fn trace_on(root: &Reader<'_>, table: &Reader<'_>, nodes: Option<usize>, files: &mut Files<'_>) -> Option<Trace> {
    let Some(nodes) = nodes else {
        table.skip("file");
        if !root.has("network") {
            table.error(Diagnostic::at(table.place(), "a trace needs a [network.*] to run on"));
        }
        return None;
    };
    reject_node_costs(root);
    trace::read(table, nodes, files)
}

/// A trace's messages are requested at the injection channel: node overheads would be ignored.
fn reject_node_costs(root: &Reader<'_>) {
    let Some(table) = root.table("node") else {
        return;
    };
    for key in table.keys().filter(|&key| key != "ports") {
        let message = format!("a trace has no node overheads, so `node.{key}` would be ignored");
        table.error(Diagnostic::at(table.place_of(key), message).note("accepted with a trace: `ports`"));
    }
}

impl Experiment {
    /// What can only be said when everything is known: algorithms that do not fit, clocks and memory that overflow.
    fn check(&self, root: &Reader<'_>, memory: Option<u64>) {
        match &self.workload {
            Workload::Multicast(multicast) => self.check_multicast(root, multicast, memory),
            Workload::Exchange(exchange) => self.check_exchange(root, exchange, memory),
            Workload::Trace(trace) => self.check_trace(root, trace, memory),
        }
    }

    fn check_multicast(&self, root: &Reader<'_>, multicast: &Multicast, memory: Option<u64>) {
        if !self.clock_holds(multicast) {
            let place = root.place_within(&["workload", "multicast", "flits"]);
            return root.error(out_of_clock(place, "this message to this group"));
        }
        let model = multicast.model(self.derived(multicast.flits));
        let order = self.network().map(Network::order);
        for (position, algorithm) in multicast.algorithms.iter().enumerate() {
            if let Err(error) = algorithm.admits(order, model, self.node.ports) {
                let place = root.place_within_array(&["workload", "multicast", "algorithms"], position);
                let fitting = ALGORITHMS.iter().filter(|a| a.admits(order, model, self.node.ports).is_ok());
                let accepted = format!("accepted here: {}", listed(fitting.map(|a| a.name)));
                root.error(Diagnostic::at(place, format!("`{}` {error}", algorithm.name)).note(accepted));
            }
        }
        let nodes = self.machine.as_ref().map_or_else(|| multicast.group.span(), Machine::nodes);
        let planning = 8 * nodes as u64 + 48 * multicast.group.size() as u64;
        self.check_memory(root, (nodes, multicast.group.size()), planning, memory);
    }

    /// Whether no time can reach the end of the clock even if all messages follow one another.
    fn clock_holds(&self, multicast: &Multicast) -> bool {
        let node = &self.node;
        let (hold, end) = (multicast.t_hold.unwrap_or_default().0, multicast.t_end.unwrap_or_default().0);
        let setups = [node.send_setup, node.receive_setup, node.hold_setup, hold, end];
        let per_flit = [node.send_per_flit, node.receive_per_flit, node.hold_per_flit, self.channel.flit_time];
        let flits = u128::from(multicast.flits.0);
        let setup: u128 = setups.iter().map(|&t| u128::from(t)).sum();
        let data: u128 = per_flit.iter().map(|&t| u128::from(t) * flits).sum();
        let all = multicast.group.size() as u128 * (setup + data + self.path_time());
        all.max(self.spread(multicast.flits)) < CLOCK
    }

    fn check_trace(&self, root: &Reader<'_>, trace: &Trace, memory: Option<u64>) {
        let latest = trace.messages.iter().map(|m| u128::from(m.start.0)).max().unwrap_or(0);
        let wires: u128 =
            trace.messages.iter().map(|m| u128::from(m.flits.0) * u128::from(self.channel.flit_time)).sum();
        let all = latest + wires + trace.messages.len() as u128 * self.path_time();
        let spread = trace.messages.iter().map(|m| self.spread(m.flits)).max().unwrap_or(0);
        if all.max(spread) >= CLOCK {
            root.error(out_of_clock(root.place_within(&["workload", "trace", "file"]), "this trace"));
        }
        let nodes = self.machine.as_ref().map_or(0, Machine::nodes);
        self.check_memory(root, (nodes, trace.messages.len()), 48 * trace.messages.len() as u64, memory);
    }

    fn check_exchange(&self, root: &Reader<'_>, exchange: &Exchange, memory: Option<u64>) {
        let nodes = exchange.torus.shape().iter().map(|&n| n as u64).product::<u64>();
        let paths =
            exchange.algorithms.iter().filter_map(|algorithm| algorithm.critical_path(exchange.torus.shape()).ok());
        let Some((startups, blocks)) = paths.map(|path| (path.startups, path.blocks)).reduce(|a, b| {
            (a.0.max(b.0), a.1.max(b.1)) // the worst of both
        }) else {
            return;
        };
        let node = &self.node;
        let setups = [node.send_setup, node.receive_setup, node.hold_setup].map(u128::from).iter().sum::<u128>();
        let per_flit = [node.send_per_flit, node.receive_per_flit, node.hold_per_flit, self.channel.flit_time];
        let per_flit = per_flit.map(u128::from).iter().sum::<u128>();
        let flits = u128::from(blocks) * u128::from(exchange.block_flits.0);
        // all messages one after the other
        let all = u128::from(nodes) * (u128::from(startups) * (setups + self.path_time()) + flits * per_flit);
        let spread = self.spread(Flits(u64::try_from(flits).unwrap_or(u64::MAX)));
        if all.max(spread) >= CLOCK {
            let place = root.place_within(&["workload", "exchange", "block_flits"]);
            return root.error(out_of_clock(place, "this exchange"));
        }
        let messages = usize::try_from(startups * nodes).unwrap_or(usize::MAX);
        // a message with its boxes and moves, what is held, and the holders that `check` remembers
        let planning = 100 * messages as u64 + (128 << 20);
        if exchange.simulate {
            self.check_memory(root, (exchange.torus.shape().len(), messages), planning, memory);
        }
    }

    /// The largest offset that the worm engine's arithmetic puts between the starts of a header along a path.
    fn spread(&self, flits: Flits) -> u128 {
        let buffered = u128::from(flits.0.min(self.channel.buffer)) * u128::from(self.channel.flit_time);
        buffered * u128::from(self.longest_path())
    }

    fn longest_path(&self) -> u64 {
        self.machine.as_ref().map_or(1, |machine| machine.spec.longest_path())
    }

    /// The longest that a header can be on its way without waiting.
    fn path_time(&self) -> u128 {
        u128::from(self.longest_path()) * u128::from(self.channel.flit_time + self.channel.routing_delay)
    }

    /// `nodes` are numbered and `messages` sent, and planning takes so many bytes; all that must be available.
    fn check_memory(&self, root: &Reader<'_>, (nodes, messages): (usize, usize), planning: u64, memory: Option<u64>) {
        let (what, place, running) = match &self.machine {
            Some(machine) => {
                let channels = machine.network.channels().count();
                let shares = machine.network.channels().virtual_channels() > 1;
                let running = match self.engine {
                    Engine::Flit => flit::memory(channels, messages),
                    Engine::Auto if shares => flit::memory(channels, messages).max(worm::memory(channels, messages)),
                    Engine::Worm | Engine::Auto => worm::memory(channels, messages),
                };
                (format!("a {} of {channels} channels", machine.spec.title()), "network", running)
            }
            None => (format!("a group among {nodes} nodes"), "workload", 0),
        };
        let needed = planning + running;
        if let Some(available) = memory.filter(|&available| needed > available) {
            let (needed, available) = (gigabytes(needed), gigabytes(available));
            let message =
                format!("{what} with {messages} messages needs {needed} of memory; {available} are available");
            root.error(Diagnostic::at(root.place_within(&[place]), message));
        }
    }
}

fn out_of_clock(place: super::document::Place, what: &str) -> Diagnostic {
    Diagnostic::at(
        place,
        format!("{what} could take more than 2^62 ticks at these costs, which the clock does not hold"),
    )
    .note("accepted: smaller costs, messages or groups, in longer ticks")
}

#[expect(clippy::cast_precision_loss, reason = "for people to read")]
fn gigabytes(bytes: u64) -> String {
    if bytes < 1 << 30 { format!("{:.0} MB", bytes as f64 / 1e6) } else { format!("{:.1} GB", bytes as f64 / 1e9) }
}
