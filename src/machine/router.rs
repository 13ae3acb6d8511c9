//! `[router]`: what messages and packets meet on their way, where the wormhole engines do not know it.

use super::microarchitecture::{self, Fitting, MicroarchitectureTable};
use super::router_size::{RouterSize, node_ports, node_ports_key};
use super::{combining, faults};
use crate::config::{Diagnostic, KeyValues, Reader, listed};
use crate::costs::{Buffer, ChannelCosts, Gathering, Timing};
use crate::engine::Engine;
use crate::engine::router::{
    BufferPolicy, Combining, Interfaces, MOST_BUFFER, Microarchitecture, NodeBuffers, RouterCosts, Size, Switching,
    memory,
};
use crate::network::{BuiltNetwork, NETWORKS, Paths, ROUTING_KEYS, Remedy, rerouted, with_article};
use crate::routing::lattice::MOST_DIMENSIONS;
use crate::routing::relation::{DIMENSION_ORDER, LatticeRouting, ROUTINGS};
use crate::routing::{Lattice, LinkPorts, LinkRelation, LinkRouting, Pace, Relation, Routing, TooManyPorts};
use crate::topology::{LinkCost, Links};
use crate::units::{Key, LinkId, NodeId, RouterId};
use serde::Serialize;
use std::sync::Arc;

/// Router models, by the name that scenarios use, with what they are.
pub const ROUTERS: [(&str, &str); 2] = [
    ("ideal", "default; one cycle per hop, with the rules of the wormhole engines if `atomic = true`"),
    (
        "pipelined",
        "input-queued virtual-channel router; one cycle each for allocation, switch and link, two cycles for credits",
    ),
];

const MODELS: [(&str, bool); 2] = [("ideal", false), ("pipelined", true)];
const MODEL: Key = Key::word("model", |at| ROUTERS.get(at).map(|(name, _)| *name))
    .or_word("ideal")
    .says("router model; see `flitwise list routers`");
const ATOMIC: Key = Key::boolean("atomic")
    .or_else("true for ideal routers, false for pipelined routers")
    .says("true if a buffer accepts a packet only after the previous packet has left it");
const ROUTING: Key = Key::word("routing", routing_name)
    .or_else("the default of the network")
    .says("routing algorithm; see `flitwise list routers`");
pub(super) const CHANNEL_LATENCY: Key = Key::integer("channel_latency", 1..=1 << 16)
    .or(1)
    .unit("cycles")
    .read_if("model", &["pipelined"])
    .because("an ideal router takes one cycle per hop")
    .says("time for a flit to cross a link");
const ALLOW_DEADLOCK: Key = Key::boolean("allow_deadlock")
    .or_boolean(false)
    .says("true to accept a routing that can deadlock; `check` then reports a remark instead of an error");

/// Treatment of a routing that can deadlock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeadlockPolicy {
    /// `check` fails, and virtual-channel routers are refused.
    #[default]
    Refuse,
    /// `check` makes a remark, and a run continues until messages do deadlock.
    Allow,
}

/// The change that accepts a routing which can deadlock, with its effect.
pub(crate) fn allowed(effect: &str) -> Remedy {
    Remedy::set("router.allow_deadlock", true, effect)
}

/// The names of all routings, of lattices and of other networks, each once.
fn routing_name(at: usize) -> Option<&'static str> {
    let of_lattices = ROUTINGS.iter().map(|routing| routing.name);
    let others = NETWORKS.iter().flat_map(|kind| kind.routings).map(|(name, _)| *name);
    let mut names: Vec<&str> = Vec::new();
    for name in of_lattices.chain(others) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.get(at).copied()
}

/// The routings that fit the network of the scenario, as far as its table is known before it is read.
fn fitting_routings(root: &Reader<'_>) -> Option<Vec<&'static str>> {
    if faults::paths(root) == Paths::RoundFailures {
        return Some(rerouted::ROUTINGS.to_vec());
    }
    let kind = NETWORKS.iter().find(|kind| root.has_table(&["network", kind.name]))?;
    if !kind.routings.is_empty() {
        return Some(kind.routings.iter().map(|(name, _)| *name).collect());
    }
    // a routing fits by the number of dimensions, and by whether they wrap
    let dimensions = root.length_within(&["network", kind.name, "shape"]).unwrap_or(2).clamp(1, 8);
    let (side, dimensions) = if kind.name == "hypercube" { (2, 3) } else { (4, dimensions) };
    let order: Vec<usize> = (0..dimensions).collect();
    let lattice = Lattice::new(&vec![side; dimensions], kind.name == "torus", &order);
    let fits = ROUTINGS.iter().filter(|routing| routing.fits(&lattice));
    Some(fits.map(|routing| routing.name).collect())
}

/// The keys of `[router]`.
pub(crate) const KEYS: &[Key] = &all_keys();

/// The keys of all routers.
const COMMON: [Key; 3] = [MODEL, ATOMIC, ROUTING];

const COUNT: usize = COMMON.len() + ROUTING_KEYS.len() + microarchitecture::KEYS.len() + combining::KEYS.len() + 1;

/// All keys in the order of their documentation: those of routings follow the name of the routing.
const fn all_keys() -> [Key; COUNT] {
    const ROUTINGS: usize = COMMON.len() + ROUTING_KEYS.len();
    const MICROARCHITECTURE: usize = ROUTINGS + microarchitecture::KEYS.len();
    let mut keys = [ALLOW_DEADLOCK; COUNT];
    let mut at = 0;
    while at + 1 < COUNT {
        keys[at] = match at {
            _ if at < COMMON.len() => COMMON[at],
            _ if at < ROUTINGS => ROUTING_KEYS[at - COMMON.len()],
            _ if at < MICROARCHITECTURE => microarchitecture::KEYS[at - ROUTINGS],
            _ => combining::KEYS[at - MICROARCHITECTURE],
        };
        at += 1;
    }
    keys
}

/// `[router]` as it is written, before it is known what runs on it.
#[derive(Clone, Debug)]
pub(crate) struct RouterTable {
    pipelined: bool,
    /// Whether a buffer takes a packet only when the last one has left it.
    pub(crate) atomic: bool,
    channel_latency: u64,
    microarchitecture: MicroarchitectureTable,
    combining: Combining,
    /// The routing that is named, if one is.
    pub(crate) routing: Option<&'static str>,
    /// The values of the keys of routings.
    pub(crate) keys: KeyValues,
    /// The treatment of a routing that can deadlock.
    pub(crate) policy: DeadlockPolicy,
}

impl Default for RouterTable {
    fn default() -> Self {
        Self {
            pipelined: false,
            atomic: true,
            channel_latency: 1,
            microarchitecture: MicroarchitectureTable::default(),
            combining: Combining::default(),
            routing: None,
            keys: KeyValues::default(),
            policy: DeadlockPolicy::Refuse,
        }
    }
}

/// Virtual-channel routers.
#[derive(Clone, Debug, Serialize)]
pub struct Routers {
    /// The model's name.
    pub model: &'static str,
    /// The routing algorithm's name.
    pub routing: &'static str,
    /// Virtual channels a link.
    pub virtual_channels: u16,
    /// What they are like.
    pub costs: RouterCosts,
    /// The number of physical networks, each of them with such routers.
    #[serde(skip_serializing_if = "is_one")]
    pub networks: u32,
    /// The treatment of a routing that can deadlock.
    #[serde(skip)]
    pub(crate) policy: DeadlockPolicy,
    /// Their ports, and which of them packets may request.
    #[serde(skip)]
    pub routes: Arc<dyn Routing>,
    /// Whether the messages of programs keep to the paths that the network or the program prescribes, as they do on the
    /// wormhole engines.
    #[serde(skip)]
    pub fixes_paths: bool,
    /// What the interfaces of nodes ask for, where they ask for anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interfaces: Option<Arc<Interfaces>>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde requires")]
fn is_one(networks: &u32) -> bool {
    *networks == 1
}

/// Reads `[router]`, which needs a network.
pub(crate) fn read(root: &Reader<'_>, has_network: bool) -> RouterTable {
    let Some(table) = root.table("router") else {
        return RouterTable::default();
    };
    if !has_network {
        let message = "routers need a [network.*]; without one, the model only predicts the schedule";
        table.error(Diagnostic::at(table.place(), message));
    }
    let pipelined = table.choice(&MODEL, &MODELS);
    let read = RouterTable {
        pipelined,
        atomic: table.optional_boolean(&ATOMIC).unwrap_or(!pipelined),
        channel_latency: table.integer(&CHANNEL_LATENCY),
        microarchitecture: microarchitecture::read(&table),
        combining: combining::read(&table),
        routing: table.word_among(&ROUTING, || fitting_routings(root)),
        keys: table.key_values(ROUTING_KEYS),
        policy: if table.boolean(&ALLOW_DEADLOCK) { DeadlockPolicy::Allow } else { DeadlockPolicy::Refuse },
    };
    let default = own_routing(root).map(|name| (&ROUTING, name));
    table.finish_with(default.as_slice());
    read
}

/// The routing of the network that `root` names unless another is named, if networks of its kind have routings of their own.
fn own_routing(root: &Reader<'_>) -> Option<&'static str> {
    if faults::paths(root) == Paths::RoundFailures {
        return rerouted::ROUTINGS.first().copied();
    }
    let kind = NETWORKS.iter().find(|kind| root.has_table(&["network", kind.name]))?;
    kind.default_routing(root)
}

/// All that a scenario says of its routers.
pub(crate) struct Asked {
    /// `[router]`.
    pub(crate) table: RouterTable,
    /// What channels cost.
    pub(crate) channel: ChannelCosts,
    /// The virtual channels of a link, if the scenario says how many.
    pub(crate) virtual_channels: Option<u64>,
    /// Which engine runs.
    pub(crate) engine: Engine,
    /// Whether open-loop traffic runs, which counts in cycles and has one port a node.
    pub(crate) open_loop: bool,
    /// A description of the settings of the workload that only routers support, if there are any.
    pub(crate) by_workload: Option<String>,
    /// True if the packets of the workload have classes.
    pub(crate) has_classes: bool,
}

impl Asked {
    /// The routers of `network`; none where the wormhole engines do what is asked for. What is wrong has been reported.
    pub(crate) fn routers(&self, root: &Reader<'_>, network: &BuiltNetwork) -> Option<Routers> {
        self.refuse_classes(root);
        let native = network.spec.virtual_channels();
        let way = self.table.way(root, network)?;
        let why = self.beyond_wormhole(native, &way);
        if why.is_none() && self.engine != Engine::Router {
            return None;
        }
        let before = root.error_count();
        if let Some(why) = why.filter(|_| matches!(self.engine, Engine::Worm | Engine::Flit | Engine::Sleep)) {
            let message = format!("{why} needs the router engine, but `engine.kind` is \"{}\"", self.engine.name());
            let wrong = Diagnostic::at(root.place_within(&["engine", "kind"]), message);
            root.error(wrong.note("accepted: `auto`, `router`"));
        }
        if !self.are_in_cycles(root, network) {
            return None;
        }
        let fixes_paths = way.fixes_paths();
        let on_lattice = way.name_on_lattice();
        let routes = self.routes(root, network, way)?;
        let name = if routes.lattice().is_some() { on_lattice } else { network.spec.routing() };
        self.refuse_costs(root, network);
        self.refuse_size(root, network, routes.as_ref());
        self.table.refuse_routing(root, name, routes.as_ref(), network);
        if root.error_count() > before {
            return None;
        }
        let channels = network.network.channels();
        let narrow = |ports: usize| u32::try_from(ports).unwrap_or(u32::MAX);
        let table = &self.table.microarchitecture;
        let microarchitecture = self.microarchitecture(root, network, routes.as_ref());
        if root.error_count() > before {
            return None;
        }
        self.refuse_own_buffers(root, network, &microarchitecture);
        if root.error_count() > before {
            return None;
        }
        let slots = microarchitecture.buffers.shared();
        let has_default_buffers =
            self.channel.buffer == Buffer::RoundTrip && microarchitecture.buffers == BufferPolicy::Private;
        let costs = RouterCosts {
            timing: self.timing(),
            buffer: slots.map_or(self.channel.buffer, |buffer| Buffer::Flits(buffer.slots.into())),
            atomic: self.table.atomic,
            speculative: table.speculative,
            vc_allocator: table.vc_allocator,
            switch_allocator: table.switch_allocator,
            injection_ports: narrow(channels.ports()),
            ejection_ports: narrow(channels.ejection_ports()),
            full_crossbar: false,
            node_buffers: NodeBuffers::fitting(network.network.channels(), self.table.pipelined && has_default_buffers),
            combining: self.table.combining,
            microarchitecture,
        };
        let model = if self.table.pipelined { "pipelined" } else { "ideal" };
        let virtual_channels = routes.virtual_channels();
        let networks = table.networks;
        let policy = self.table.policy;
        Some(Routers {
            model,
            routing: name,
            virtual_channels,
            costs,
            networks,
            policy,
            routes,
            fixes_paths,
            interfaces: None,
        })
    }

    /// The ports of the routers of `network`, and how packets find their `way`, with as many virtual channels as are asked for
    /// or as freedom from deadlock needs; none, which has been reported, if it has no such routers.
    fn routes(&self, root: &Reader<'_>, network: &BuiltNetwork, way: Way) -> Option<Arc<dyn Routing>> {
        let of_lattice = match way {
            Way::Choosing(routing) => return self.over_links(root, network, routing),
            Way::OnLattice(routing) => routing,
            Way::Own => &DIMENSION_ORDER,
        };
        match (network.spec.lattice(), network.network.paths()) {
            (Some(lattice), _) => {
                let needed = (of_lattice.virtual_channels)(&lattice);
                let links = network.spec.links().ok()?;
                let paces = paces(&lattice, links.as_ref(), self.channel.flit_time);
                let node_pace = links.node_cost(NodeId(0)).map(|cost| Pace::of(cost, self.channel.flit_time));
                let vcs = self.virtual_channels(network, needed);
                let rings = self.table.microarchitecture.ring_classes();
                let relation = Relation::new(lattice, of_lattice, vcs).with_paces(paces).with_rings(rings);
                Some(Arc::new(relation.with_node_pace(node_pace.unwrap_or(Pace::EVEN))))
            }
            (None, Some(paths)) => self.over_links(root, network, paths),
            (None, None) => {
                let message = format!("virtual-channel routers do not support {}", with_article(&network.spec.title()));
                let note = format!("accepted: at most {MOST_DIMENSIONS} dimensions, and 65536 nodes along each");
                root.error(Diagnostic::at(root.place_within(&["network"]), message).note(note));
                None
            }
        }
    }

    /// The same of a network of links; what is wrong has been reported.
    fn over_links(
        &self,
        root: &Reader<'_>,
        network: &BuiltNetwork,
        routing: Arc<dyn LinkRouting>,
    ) -> Option<Arc<dyn Routing>> {
        let refuse = |message: String| {
            root.error(Diagnostic::at(root.place_within(&["network", network.kind.name]), message));
        };
        let links = network.spec.links().map_err(|error| refuse(error.to_string())).ok()?;
        let vcs = self.virtual_channels(network, routing.classes().into());
        let too_many = |TooManyPorts { links, nodes }| {
            let size = RouterSize { links, nodes, node_ports: 1, virtual_channels: vcs.into() };
            size.refuse(root, network.kind.name);
        };
        let ports = LinkPorts::new(links, self.channel.flit_time).map_err(too_many).ok()?;
        Some(Arc::new(LinkRelation::new(Arc::new(ports), routing, vcs)))
    }

    /// Virtual channels of a link: as many as are asked for, or as the network has or freedom from deadlock needs.
    fn virtual_channels(&self, network: &BuiltNetwork, needed: u16) -> u16 {
        let own = || network.spec.virtual_channels().max(needed.into());
        narrowed(self.virtual_channels.unwrap_or_else(own))
    }

    /// What is asked for that the wormhole engines do not know, on a network with `native` virtual channels a link.
    fn beyond_wormhole(&self, native: u64, way: &Way) -> Option<String> {
        let RouterTable { pipelined, atomic, .. } = self.table;
        if self.by_workload.is_some() {
            return self.by_workload.clone();
        }
        if pipelined {
            return Some("a pipelined router".to_owned());
        }
        if !atomic {
            return Some("`router.atomic = false`".to_owned());
        }
        // no routing that draws or chooses is a default
        if let Some(named) = self.table.routing.filter(|_| !way.fixes_paths()) {
            return Some(format!("`{named}` routing"));
        }
        let asked = self.virtual_channels.filter(|&asked| asked > native)?;
        Some(format!("`channel.virtual_channels = {asked}`"))
    }

    /// The microarchitecture of the routers of `network`. What does not fit is reported.
    fn microarchitecture(&self, root: &Reader<'_>, network: &BuiltNetwork, routes: &dyn Routing) -> Microarchitecture {
        if !self.table.pipelined {
            return Microarchitecture::default();
        }
        let channels = network.network.channels();
        let wiring = routes.wiring();
        let of_nodes = channels.ports().max(channels.ejection_ports()) * wiring.most_nodes();
        let fitting = Fitting {
            ports: (wiring.link_ports() + of_nodes) as u64,
            vcs: routes.virtual_channels().into(),
            buffer: self.channel.buffer.without_delay(),
            routing: self.routing_cycles(),
        };
        self.table.microarchitecture.fitted(root, fitting)
    }

    /// The cycles of route computation.
    fn routing_cycles(&self) -> u64 {
        self.channel.routing_delay / self.channel.flit_time
    }

    fn timing(&self) -> Timing {
        let routing = self.routing_cycles();
        let table = &self.table.microarchitecture;
        let gathering = if table.gathers_packets() { Gathering::Packet } else { Gathering::None };
        match (self.table.pipelined, self.table.atomic) {
            (true, _) => Timing { gathering, ..Timing::staged(self.table.channel_latency, table.pipeline(routing)) },
            (false, true) => Timing::wormhole(routing),
            (false, false) => Timing::ideal(routing),
        }
    }

    fn refuse_costs(&self, root: &Reader<'_>, network: &BuiltNetwork) {
        let refuse = |path: &[&str], message: String, accepted: &str| {
            root.error(Diagnostic::at(root.place_within(path), message).note(format!("accepted: {accepted}")));
        };
        let routers = "virtual-channel routers";
        let ChannelCosts { flit_time, buffer, routing_delay } = self.channel;
        if self.open_loop && flit_time != 1 {
            let message = format!("`channel.flit_time` has no effect: traffic on {routers} counts in cycles");
            refuse(&["channel", "flit_time"], message, "1");
        }
        if buffer.without_delay() > MOST_BUFFER.into() {
            let message = format!("buffers of {routers} hold at most {MOST_BUFFER} flits");
            refuse(&["channel", "buffer"], message, &format!("1 to {MOST_BUFFER}"));
        }
        if !routing_delay.is_multiple_of(flit_time) {
            let message = format!("{routers} route in whole cycles of `channel.flit_time` = {flit_time} ticks");
            refuse(&["channel", "routing_delay"], message, &format!("a multiple of {flit_time}"));
        } else if routing_delay / flit_time > 1 << 16 {
            let message = format!("the routing delay of {routers} is at most 65536 cycles");
            refuse(&["channel", "routing_delay"], message, "0 to 65536 flit times");
        }
        let unlimited = root.is_given(&["node", "ejection_ports"]);
        if self.open_loop && (node_ports(network) > 1 || unlimited) {
            let key = node_ports_key(root);
            let message = format!("`node.{key}` has no effect: traffic on {routers} has one port per node");
            refuse(&["node", key], message, "`ports` = 1, without `ejection_ports`");
        }
    }

    /// Reports buffers of classes of links that routers cannot have.
    fn refuse_own_buffers(&self, root: &Reader<'_>, network: &BuiltNetwork, options: &Microarchitecture) {
        let Some(own) = network.spec.links().ok().and_then(|links| links.own_costs()) else { return };
        let Some(largest) = own.largest.own_buffer else { return };
        let refuse = |message: String, accepted: &str| {
            root.error(Diagnostic::at(root.place_within(&["links"]), message).note(format!("accepted: {accepted}")));
        };
        if largest.get() > MOST_BUFFER {
            let message = format!("buffers of virtual-channel routers hold at most {MOST_BUFFER} flits");
            refuse(message, &format!("`links.*.buffer` from 1 to {MOST_BUFFER}"));
        }
        if options.switching != Switching::Wormhole || options.buffers != BufferPolicy::default() {
            let message =
                "`links.*.buffer` requires routers with a buffer for each virtual channel and wormhole switching";
            refuse(
                message.to_owned(),
                "no `buffer` in the tables [links.*], or the default `router.switching` and `router.buffer_policy`",
            );
        }
    }

    /// Reports a priority of classes of packets, where packets have none.
    fn refuse_classes(&self, root: &Reader<'_>) {
        if self.open_loop || self.has_classes || !self.table.microarchitecture.serves_by_class() {
            return;
        }
        let message =
            "`router.priority = \"class\"` has no effect: only traffic and embedded networks have classes of packets";
        let error = Diagnostic::at(root.place_within(&["router", "priority"]), message);
        root.error(error.note("accepted here: another `router.priority`"));
    }

    /// Reports routers that have more ports and virtual channels than there are numbers for.
    fn refuse_size(&self, root: &Reader<'_>, network: &BuiltNetwork, routes: &dyn Routing) {
        let wiring = routes.wiring();
        let vcs = u64::from(routes.virtual_channels());
        let size = RouterSize {
            links: wiring.link_ports(),
            nodes: wiring.most_nodes(),
            node_ports: if self.open_loop { 1 } else { node_ports(network) },
            // outputs of the crossbar are numbered with virtual channels
            virtual_channels: vcs.max(self.table.microarchitecture.output_speedup()),
        };
        size.refuse(root, network.kind.name);
    }
}

/// The longest that a link may take for a flit, and its delay, in cycles.
const LONGEST_LINK: u64 = 1 << 16;

impl Asked {
    /// Whether links take whole cycles, in which routers count; that they do not has been reported.
    fn are_in_cycles(&self, root: &Reader<'_>, network: &BuiltNetwork) -> bool {
        let cycle = self.channel.flit_time;
        let Ok(links) = network.spec.links() else { return true };
        if links.own_costs().is_none_or(|own| own.is_even(cycle)) {
            return true;
        }
        let name = |link: Option<LinkId>, node: NodeId| match link {
            Some(link) => format!("link {}", links.link_name(link)),
            None => format!("injection of node {node}"),
        };
        let of_links = (0..links.count()).map(LinkId::new).map(|link| (Some(link), NodeId(0), links.cost(link)));
        let of_nodes = (0..links.nodes()).map(NodeId::new).map(|node| (None, node, links.node_cost(node)));
        for (link, node, cost) in of_links.chain(of_nodes) {
            let Some(LinkCost { flit_time, delay, clock, .. }) = cost else { continue };
            let longest = u128::from(cycle) * u128::from(LONGEST_LINK);
            if clock.is_some_and(|clock| {
                let all = u128::from(delay.0) + u128::from(clock.latency()) + u128::from(clock.waits());
                u128::from(flit_time.0).max(all) > longest
            }) {
                let message = format!("{}: a flit takes more than {longest} ticks", name(link, node));
                let diagnostic = Diagnostic::at(root.place_within(&["links"]), message);
                root.error(diagnostic.note(format!("accepted: up to {LONGEST_LINK} cycles of `channel.flit_time`")));
                return false;
            }
            if clock.is_some() {
                continue;
            }
            for (key, ticks) in [("flit_time", flit_time.0), ("delay", delay.0)] {
                if ticks.is_multiple_of(cycle) && ticks / cycle <= LONGEST_LINK {
                    continue;
                }
                let name = name(link, node);
                let message =
                    format!("{name}: `{key}` = {ticks} is not an accepted multiple of `channel.flit_time` = {cycle}");
                let wrong = Diagnostic::at(root.place_within(&["network", network.kind.name]), message);
                root.error(
                    wrong.note(format!(
                        "accepted: multiples of `channel.flit_time`, up to {LONGEST_LINK} times its value"
                    )),
                );
                return false;
            }
        }
        true
    }
}

/// Per dimension of `lattice` what its `links` take, as those do that leave the first router; nothing if all are alike.
pub(crate) fn paces(lattice: &Lattice, links: &dyn Links, flit_time: u64) -> Vec<Pace> {
    if links.own_costs().is_none_or(|own| own.is_even(flit_time)) {
        return Vec::new();
    }
    let mut paces = vec![Pace::EVEN; lattice.dimensions()];
    let ports = (0..lattice.local()).filter(|&port| lattice.neighbour(0, port).is_some());
    for (port, link) in ports.zip(links.leaving(RouterId(0))) {
        if let Some(cost) = links.cost(link) {
            paces[port / 2] = Pace::of(cost, flit_time);
        }
    }
    paces
}

impl Routers {
    /// The bytes that routers take through which packets of `shortest` flits or more go, at most `packets` at a time.
    pub fn memory(&self, shortest: u64, packets: u64) -> u64 {
        let wiring = self.routes.wiring();
        let own = u64::from(self.costs.injection_ports.max(self.costs.ejection_ports));
        let routers = memory(Size {
            nodes: wiring.nodes() as u64,
            routers: wiring.routers() as u64,
            ports: wiring.link_ports() as u64 + own * wiring.most_nodes() as u64,
            virtual_channels: self.virtual_channels.into(),
            buffer: self.largest_buffer(),
            shortest,
            packets,
        });
        routers.saturating_add(self.routes.memory())
    }

    /// Roughly the nanoseconds that a packet of `flits` flits takes to pass a router, in a network that takes `memory`
    /// bytes: what its head flit asks for, and each flit. With one virtual channel flits leave in runs.
    pub fn hop_nanoseconds(&self, flits: u64, memory: u64) -> u64 {
        let vcs = u64::from(self.virtual_channels);
        let runs = vcs == 1 && !self.costs.atomic && !self.routes.is_adaptive();
        let flit = match runs {
            _ if self.costs.timing.hop == 1 => 100,
            true => 10,
            false => 48 + 3 * vcs,
        };
        let alone = (60 + 7 * vcs).saturating_add(flits.saturating_mul(flit));
        // each packet goes by way of a third node, or looks at several ways on
        let routed = match self.routing {
            "valiant" => alone.saturating_mul(2),
            _ if self.routes.is_adaptive() => alone.saturating_add(alone / 5),
            _ => alone,
        };
        // what does not fit the nearest caches is waited for
        let tenths = 10 + (memory >> 22).min(8);
        routed.saturating_mul(tenths) / 10
    }
}

/// How packets find their way.
enum Way {
    /// By the one path that the network has between two nodes.
    Own,
    /// By the ports of a lattice.
    OnLattice(&'static LatticeRouting),
    /// Over links, drawing or choosing.
    Choosing(Arc<dyn LinkRouting>),
}

impl Way {
    /// The name of the routing if the network is a lattice.
    fn name_on_lattice(&self) -> &'static str {
        if let Self::OnLattice(routing) = self { routing.name } else { DIMENSION_ORDER.name }
    }

    /// Whether messages keep to the paths that the network or a program prescribes.
    fn fixes_paths(&self) -> bool {
        match self {
            Self::Own => true,
            Self::OnLattice(routing) => routing.name == DIMENSION_ORDER.name,
            Self::Choosing(_) => false,
        }
    }
}

/// A number of virtual channels as links count them. Larger ones than they can count are refused where they are read.
fn narrowed(vcs: u64) -> u16 {
    u16::try_from(vcs).unwrap_or(u16::MAX)
}

impl RouterTable {
    /// How packets find their way on `network`. None if it has no such routing as is named, which has been reported.
    fn way(&self, root: &Reader<'_>, network: &BuiltNetwork) -> Option<Way> {
        let spec = network.spec.as_ref();
        if !network.kind.routings.is_empty() {
            return Some(spec.choosing().ok()?.map_or(Way::Own, Way::Choosing));
        }
        // a lattice is not built to learn that it keeps to its own paths
        let Some(name) = self.routing else { return Some(Way::Own) };
        if spec.lattice().is_none() {
            let own = spec.routing();
            if name == own {
                return Some(Way::Own);
            }
            let message = format!("`{name}` is not a routing algorithm of {}", with_article(&spec.title()));
            let wrong = Diagnostic::at(root.place_within(&["router", "routing"]), message);
            root.error(wrong.note(format!(
                "accepted: `{own}`; meshes and tori with one node per router, and without `express`, `twist` and \
                 `directions`, have others, see `flitwise list routers`"
            )));
            return None;
        }
        let found = ROUTINGS.iter().find(|routing| routing.name == name);
        if found.is_none() {
            network.kind.refuse_routing(root, name, ROUTINGS.iter().map(|routing| routing.name));
        }
        found.map(|&routing| Way::OnLattice(routing))
    }

    fn refuse_routing(&self, root: &Reader<'_>, name: &str, routes: &dyn Routing, network: &BuiltNetwork) {
        let title = with_article(&network.spec.title());
        if let Some((lattice, why)) = routes.lattice().zip(routes.unfit()) {
            let fitting = ROUTINGS.iter().filter(|routing| routing.fits(lattice));
            let accepted = format!("accepted here: {}", listed(fitting.map(|routing| routing.name)));
            let message = format!("`{name}` {why}, but the network is {title}");
            root.error(Diagnostic::at(root.place_within(&["router", "routing"]), message).note(accepted));
        }
        let vcs = routes.virtual_channels();
        let needed = routes.needed_virtual_channels();
        let place = root.place_within(&["channel", "virtual_channels"]);
        if self.policy == DeadlockPolicy::Allow {
            return;
        }
        let remedies = || {
            let mut remedies = network.remedies(name, vcs.into(), needed.into());
            remedies.push(allowed("run it anyway"));
            Remedy::lines(&remedies)
        };
        if vcs < needed {
            let message = format!(
                "`{name}` on {title} can deadlock with fewer than {needed} virtual channels, and links have {vcs}"
            );
            root.error(Diagnostic::at(place, message).hint(remedies()));
        } else if let Some(cycle) = network.spec.cycle() {
            let message = format!("`{name}` can deadlock here: {}", cycle.in_words());
            root.error(Diagnostic::at(root.place_within(&["router", "routing"]), message).hint(remedies()));
        }
    }
}
