//! `[network.*]`: the networks that scenarios can name, a file each.
//!
//! ```text
//!   NetworkKind    data, one static each, registered in NETWORKS: all that is known before a scenario is read
//!   NetworkSpec    what a table says, validated: builds the network, and knows its title, its longest path, its lattice
//!   BuiltNetwork   both, and the network itself, which all points that describe the same share
//! ```
//!
//! A new network is a topology, a routing, a file here and a line in [`NETWORKS`]. What runs on a network asks its
//! description, and refuses to know which it is. This floor refuses to know what nodes and channels cost.

mod axes;
mod bmin;
mod chip;
mod chiplets;
mod closed_forms;
mod costs;
mod dragonfly;
pub mod export;
mod fat_tree;
mod faulty;
mod graph;
pub mod grid;
mod hypercube;
mod hyperx;
pub mod layout;
mod link_classes;
mod mesh;
mod node_grid;
mod parallel;
mod remedy;
pub(crate) mod rerouted;
mod routed;
mod routing_table;
mod steps;
pub mod survey;
mod torus;
mod trees;

pub use axes::Axes;
pub use bmin::BminSpec;
pub use chip::ChipSpec;
pub use closed_forms::ClosedForm;
pub use dragonfly::{Detour, DragonflySpec};
pub use fat_tree::{Climb, FatTreeSpec, TreeShape};
pub(crate) use faulty::connected;
pub use faulty::{SlowPairs, Surviving};
pub use hypercube::HypercubeSpec;
pub use hyperx::{Discipline, HyperXSpec};
pub(crate) use link_classes::KEYS as LINK_KEYS;
pub use link_classes::{LinkClass, LinkClasses};
pub use mesh::MeshSpec;
pub use node_grid::NodeGrid;
pub use parallel::{Idle, ParallelBy};
pub use remedy::Remedy;
pub use rerouted::{RerouteError, Rerouting};
pub use steps::LinkPaths;
pub use torus::TorusSpec;
pub use trees::tree_network;

use crate::config::{Diagnostic, Errors, Files, KeyValues, Reader, listed};
use crate::routing::tree::{HamiltonianLabels, TreePaths};
use crate::routing::{Lattice, LinkRouting, Network, OrderError, UGAL_THRESHOLD, graph as graph_routing};
use crate::topology::{Links, Ports, SlowLinks, TopologyError, Torus};
use crate::units::{Key, saturated};
use layout::Arrangement;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use std::fmt;
use std::sync::Arc;
use thiserror::Error;

/// Every network, by the order of `flitwise list networks`.
pub static NETWORKS: &[&NetworkKind] = &[
    &mesh::KIND,
    &torus::KIND,
    &hypercube::KIND,
    &hyperx::KIND,
    &hyperx::FULL_MESH,
    &bmin::KIND,
    &fat_tree::KIND,
    &dragonfly::KIND,
    &chiplets::KIND,
    &graph::KIND,
    &grid::KIND,
];

/// The keys of `[router]` that routings declare.
pub(crate) const ROUTING_KEYS: &[Key] = &[
    graph_routing::ROOT,
    graph_routing::WEIGHT,
    graph_routing::CLASSES,
    graph_routing::TABLE,
    parallel::PARALLEL,
    UGAL_THRESHOLD,
];

/// Reads the table of a network. What is wrong has been reported, and gives none.
pub type Read = fn(&Reader<'_>, &mut Asked<'_, '_>) -> Option<Arc<dyn NetworkSpec>>;

/// What a scenario asks of a network beside its table.
pub struct Asked<'a, 'f> {
    /// Virtual channels a link, no more than its own routing makes use of.
    pub virtual_channels: u64,
    /// The same, if the scenario says how many: for a network whose routing makes use of as many as its file says.
    pub given_virtual_channels: Option<u64>,
    /// The routing: one of the network's own, the first unless another is named.
    pub routing: &'static str,
    /// The values of the keys of routings.
    pub keys: &'a KeyValues,
    /// The time for a flit to cross a channel of which nothing else is said, in ticks.
    pub flit_time: u64,
    /// The classes of links of the scenario.
    pub link_classes: &'a Arc<LinkClasses>,
    /// The whole scenario, for the places of what is said elsewhere.
    pub scenario: &'a Reader<'a>,
    /// Files that the table names.
    pub files: &'a mut Files<'f>,
}

/// The routing that a network is read for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Paths {
    /// One of its own.
    Own,
    /// A routing of any links, round those that fail.
    RoundFailures,
}

/// What a network is read for, beside its table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted<'a> {
    /// Injection and ejection channels of a node.
    pub(crate) ports: Ports,
    /// Virtual channels of a link, if the scenario says how many.
    pub(crate) virtual_channels: Option<u64>,
    /// The time for a flit to cross a channel, in ticks.
    pub(crate) flit_time: u64,
    /// The routing that is named, if one is.
    pub(crate) routing: Option<&'static str>,
    /// The values of the keys of routings.
    pub(crate) keys: &'a KeyValues,
    /// The kind of routing that is named.
    pub(crate) paths: Paths,
    /// The classes of links of the scenario.
    pub(crate) link_classes: &'a Arc<LinkClasses>,
}

/// A network that scenarios can name: what is known of it before any scenario is read.
#[derive(Clone, Copy, Debug)]
pub struct NetworkKind {
    /// The name of its table, `[network.NAME]`.
    pub name: &'static str,
    /// What it is, in a few words.
    pub summary: &'static str,
    /// The keys of its table; the first is blamed for a network that is too small or too large.
    pub keys: &'static [Key],
    /// The most virtual channels of a link that its own routing makes use of, which it has unless it is told otherwise.
    pub virtual_channels: u64,
    /// Its own routings, the default first, with what they are; none of lattices, which have those of
    /// [`ROUTINGS`](crate::routing::relation::ROUTINGS).
    pub routings: &'static [(&'static str, &'static str)],
    /// The function that derives the default routing from the table of the network. Without it, the default is the first routing.
    pub default_routing: Option<fn(&Reader<'_>) -> &'static str>,
    /// The values of `router.parallel` that it accepts.
    pub parallel: &'static [ParallelBy],
    /// How its table is read; none of what has no channels, which a workload reads.
    pub read: Option<Read>,
}

impl NetworkKind {
    /// A network without a name and channels.
    const DEFAULT: Self = Self {
        name: "",
        summary: "",
        keys: &[],
        virtual_channels: 1,
        routings: &[],
        default_routing: None,
        parallel: &[],
        read: None,
    };

    /// The default routing of the network of this kind in the scenario `root`, or `None` if the kind has no routings of its own.
    pub(crate) fn default_routing(&self, root: &Reader<'_>) -> Option<&'static str> {
        let first = self.routings.first().map(|(name, _)| *name);
        let Some(derive) = self.default_routing else { return first };
        // the errors of the table are reported where it is read for the network
        let errors = Errors::default();
        let quiet = root.with_errors(&errors);
        let network = quiet.table("network")?;
        network.table(self.name).map_or(first, |table| Some(derive(&table)))
    }

    /// Reports that `name` is none of the `accepted` routings.
    pub(crate) fn refuse_routing(
        &self,
        root: &Reader<'_>,
        name: &str,
        accepted: impl Iterator<Item = &'static str> + Clone,
    ) {
        let message = format!("`{name}` is not a routing algorithm of {}", with_article(self.name));
        let wrong = Diagnostic::at(root.place_within(&["router", "routing"]), message);
        root.error(wrong.note(format!("accepted: {}", listed(accepted.clone()))).did_you_mean(name, accepted));
    }

    /// The routing that is `named`, or its own; none, which has been reported, if it has no such one.
    fn routing(&self, root: &Reader<'_>, named: Option<&'static str>) -> Option<&'static str> {
        let own = self.routings.iter().map(|(name, _)| *name);
        match named {
            Some(named) if !self.routings.is_empty() => {
                let found = own.clone().find(|name| *name == named);
                if found.is_none() {
                    self.refuse_routing(root, named, own);
                }
                found
            }
            _ => Some(self.default_routing(root).unwrap_or_default()),
        }
    }

    /// The names of its keys, in a few words.
    pub fn keys_in_words(&self) -> String {
        let more = if self.keys.len() > 3 { ", .." } else { "" };
        let names: Vec<&str> = self.keys.iter().take(3).map(|key| key.name).collect();
        format!("{}{more}", names.join(", "))
    }
}

/// A network as a scenario describes it.
pub trait NetworkSpec: fmt::Debug + Send + Sync {
    /// The key of its table and what they say, defaults included: what it is known by.
    fn parameters(&self) -> Vec<(&'static str, Parameter)>;

    /// The network, with such `ports` a node.
    ///
    /// # Errors
    /// If the topology is empty or cannot be numbered, or the routing order is no permutation.
    fn build(&self, ports: Ports) -> Result<Arc<dyn Network>, NetworkError>;

    /// The network in a few words, such as `16x16 mesh`.
    fn title(&self) -> String;

    /// The name of its own routing.
    fn routing(&self) -> &'static str;

    /// How many nodes there are along each dimension; all of them along one, if it has no dimensions.
    fn shape(&self) -> Vec<u32>;

    /// How many routers there are along each dimension, if they have coordinates: the first is the most significant of a
    /// router's number.
    fn router_shape(&self) -> Option<Vec<u32>> {
        None
    }

    /// The lattice of nodes, if nodes have coordinates of their own that do not follow from those of routers.
    fn lattice_of_nodes(&self) -> Option<Vec<u32>> {
        None
    }

    /// Nodes of a group of routers, if there are groups in a row that patterns refer to.
    fn group_nodes(&self) -> Option<u32> {
        None
    }

    /// A bound on the number of channels of any path, both ends included.
    fn longest_path(&self) -> u64;

    /// Links between the two nodes that are nearest to each other.
    fn shortest_distance(&self) -> u64 {
        1
    }

    /// Roughly how many channels a path between two nodes drawn at random has, both ends included: where a step leads
    /// either way round, half of the longest.
    fn mean_path(&self) -> u64 {
        2 + self.longest_path().saturating_sub(2) / 2
    }

    /// Virtual channels of a link.
    fn virtual_channels(&self) -> u64 {
        1
    }

    /// Virtual channels of a link that its routing makes use of, if that is not a routing of its kind.
    fn own_virtual_channels(&self) -> Option<u64> {
        None
    }

    /// Its routing, where that draws or chooses among several paths; none where [`Self::build`] gives the only one.
    ///
    /// # Errors
    /// If the topology is empty or cannot be numbered.
    fn choosing(&self) -> Result<Option<Arc<dyn LinkRouting>>, NetworkError> {
        Ok(None)
    }

    /// A cycle of channels that wait for each other, which its paths can close however many virtual channels there are; none
    /// where their classes rule that out.
    fn cycle(&self) -> Option<Cycle> {
        None
    }

    /// Changes of its routing under which its paths cannot close a cycle, empty if its classes rule that out.
    fn remedies(&self) -> Vec<Remedy> {
        Vec::new()
    }

    /// Advice for a bundle of parallel links of which `idle` carry nothing, or `None` if the network has no such bundle.
    fn parallel_advice(&self, _idle: Idle) -> Option<&'static str> {
        None
    }

    /// Its routers, nodes and links.
    ///
    /// # Errors
    /// If the topology is empty or cannot be numbered.
    fn links(&self) -> Result<Arc<dyn Links>, NetworkError>;

    /// Its routers, nodes and links without failed and slow links.
    ///
    /// # Errors
    /// If the topology is empty or cannot be numbered.
    fn intact_links(&self) -> Result<Arc<dyn Links>, NetworkError> {
        self.links()
    }

    /// Its diameter, sum of distances and bisection, if there are closed forms for them.
    fn closed_form(&self) -> Option<ClosedForm> {
        None
    }

    /// What places its routers have on paper.
    fn arrangement(&self) -> Arrangement {
        Arrangement::Free
    }

    /// The network as a lattice of routers, if it is one and not too long along a dimension.
    fn lattice(&self) -> Option<Lattice> {
        None
    }

    /// The torus, with such `ports` a node, if it is one that can be built.
    fn torus(&self, _ports: Ports) -> Option<Torus> {
        None
    }

    /// The same torus as the first network of a chip, if all its links lead one way and take what every channel does.
    fn one_way(&self) -> Option<ChipSpec> {
        None
    }

    /// The paths from a source that trees of multicasts are made of.
    ///
    /// # Errors
    /// If the topology is empty or cannot be numbered.
    fn multicast_paths(&self) -> Result<TreePaths, NetworkError> {
        Ok(TreePaths::Undefined)
    }

    /// The paths to a root that trees of reductions are made of.
    ///
    /// # Errors
    /// If the topology is empty or cannot be numbered.
    fn reduction_paths(&self) -> Result<TreePaths, NetworkError> {
        Ok(TreePaths::Undefined)
    }

    /// The Hamiltonian labels of its routers, if these are defined.
    fn labels(&self) -> Option<HamiltonianLabels> {
        None
    }

    /// The part that survives its failures, if its links or routers can fail.
    fn surviving(&self) -> Option<Surviving> {
        None
    }

    /// Its links, if some of them are slow.
    fn slow_links(&self) -> Option<Arc<SlowLinks>> {
        None
    }

    /// Whether it is a hypercube, so that nodes whose ids differ in one bit are neighbours.
    fn is_hypercube(&self) -> bool {
        false
    }
}

/// Channels each of which waits for the next, and the last for the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cycle {
    /// Their names.
    pub channels: Vec<String>,
}

impl Cycle {
    /// The first of them, and how many more there are.
    pub fn in_words(&self) -> String {
        const MOST: usize = 8;
        let named = self.channels.iter().take(MOST).map(String::as_str).collect::<Vec<_>>().join(", ");
        match self.channels.len().saturating_sub(MOST) {
            0 => format!("the channels {named} form a cycle"),
            more => format!("the channels {named} and {more} more form a cycle"),
        }
    }
}

/// What a key of a network says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Parameter {
    /// True or false.
    Boolean(bool),
    /// An integer.
    Integer(u64),
    /// Several.
    Integers(Vec<u64>),
    /// Several times several integers.
    Rows(Vec<Vec<u64>>),
    /// Several words.
    Words(Vec<&'static str>),
    /// A word.
    Word(&'static str),
    /// Text, such as the name of a file.
    Text(String),
}

/// Why a network cannot be built.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum NetworkError {
    /// The topology is impossible.
    #[error(transparent)]
    Topology(#[from] TopologyError),
    /// The routing order is no order.
    #[error(transparent)]
    Order(#[from] OrderError),
}

/// A network, described and built.
#[derive(Clone)]
pub struct BuiltNetwork {
    /// What is known of its kind.
    pub kind: &'static NetworkKind,
    /// The description.
    pub spec: Arc<dyn NetworkSpec>,
    /// The network.
    pub network: Arc<dyn Network>,
}

impl fmt::Debug for BuiltNetwork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.spec.fmt(f)
    }
}

impl BuiltNetwork {
    /// Virtual channels of a link with which its own paths need no more to be free of deadlock.
    pub fn needed_virtual_channels(&self) -> u64 {
        let own_values = self.spec.own_virtual_channels().unwrap_or(self.kind.virtual_channels);
        own_values.max(self.network.classes().into())
    }

    /// Changes under which messages cannot deadlock that take paths of its `routing`, which needs `needed` virtual channels of a
    /// link, where a link has `virtual_channels`.
    pub fn remedies(&self, routing: &str, virtual_channels: u64, needed: u64) -> Vec<Remedy> {
        if virtual_channels >= needed || self.spec.cycle().is_some() {
            return self.spec.remedies();
        }
        let effect = format!("with {needed} or more virtual channels `{routing}` routing cannot deadlock");
        vec![Remedy::set("channel.virtual_channels", needed, effect)]
    }
}

/// Its name, and what it is known by.
impl Serialize for BuiltNetwork {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        struct Parameters(Vec<(&'static str, Parameter)>);

        impl Serialize for Parameters {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
            }
        }

        let mut table = serializer.serialize_map(Some(1))?;
        table.serialize_entry(self.kind.name, &Parameters(self.spec.parameters()))?;
        table.end()
    }
}

/// Reads `[network]` and builds it as it is `wanted`; what is wrong has been reported. Of more virtual channels than
/// its own routing makes use of, it has those: routers have the others.
pub(crate) fn read(root: &Reader<'_>, wanted: Wanted<'_>, files: &mut Files<'_>) -> Option<BuiltNetwork> {
    let without_keys = KeyValues::default();
    let of_routing = match wanted.paths {
        Paths::Own => (wanted.routing, wanted.keys, wanted.virtual_channels),
        // the network itself keeps its default routing, which nothing uses
        Paths::RoundFailures => (None, &without_keys, None),
    };
    let (named_routing, keys, given_virtual_channels) = of_routing;
    let Wanted { ports, flit_time, link_classes, .. } = wanted;
    let network = root.table("network")?;
    let built = network.only_table().and_then(|(name, table)| {
        let kind = *NETWORKS.iter().find(|kind| kind.name == name)?;
        let virtual_channels = given_virtual_channels.unwrap_or(kind.virtual_channels).min(kind.virtual_channels);
        let named = kind.routing(root, named_routing);
        parallel::refuse_unfit(root, kind, ParallelBy::read(keys));
        let routing = named.unwrap_or_default();
        let scenario = root;
        let mut request =
            Asked { virtual_channels, given_virtual_channels, routing, keys, flit_time, link_classes, scenario, files };
        let spec = kind.read.and_then(|read| read(&table, &mut request)).filter(|_| named.is_some());
        let built = spec.and_then(|spec| {
            // all points that describe the same network share it; what links take of which nothing is said is a part of it
            link_classes.refuse_unknown(root, spec.as_ref());
            let key = format!("{name} {:?} {ports:?} {flit_time} {link_classes:?}", spec.parameters());
            let network = files.shared(&key, |_| spec.build(ports));
            let network = network.map_err(|error| refuse(root, &table, kind, &error)).ok()?;
            Some(BuiltNetwork { kind, spec, network })
        });
        table.finish();
        built
    });
    network.finish();
    built
}

/// Reads the routing of `built` round failures, as it is `wanted`. Returns `None` after an error, which has been reported.
pub(crate) fn read_rerouting(
    root: &Reader<'_>,
    wanted: Wanted<'_>,
    built: &BuiltNetwork,
    files: &mut Files<'_>,
) -> Option<Option<Rerouting>> {
    match wanted.paths {
        Paths::Own => Some(None),
        Paths::RoundFailures => Rerouting::read(root, &wanted, built, files).map(Some),
    }
}

/// Reports why the network in `table` cannot be built.
fn refuse(root: &Reader<'_>, table: &Reader<'_>, kind: &NetworkKind, error: &NetworkError) {
    let place = match error {
        // of the numbers that can be written, only one without limit is too large
        NetworkError::Topology(TopologyError::TooManyPorts { .. }) => root.place_within(&["node", "ejection_ports"]),
        NetworkError::Topology(_) => table.place_of(kind.keys.first().map_or("", |key| key.name)),
        NetworkError::Order(_) => table.place_of("order"),
    };
    let wrong = Diagnostic::at(place, error.to_string());
    table.error(match error {
        NetworkError::Topology(TopologyError::Empty(_)) => wrong.note("accepted: for example [16, 16]"),
        _ => wrong,
    });
}

/// Returns the title of a network with its indefinite article, such as `an 8x8 mesh`. Chiplets are plural.
pub(crate) fn with_article(title: &str) -> String {
    if title.split(' ').take(2).any(|word| word == "chiplets") {
        return title.to_owned();
    }
    let digits = title.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
    // eight, eighty, eleven, eighteen thousand
    let teens = ["11", "18"].iter().any(|teens| digits.starts_with(teens)) && digits.len() % 3 == 2;
    let article = if digits.starts_with('8') || teens { "an" } else { "a" };
    format!("{article} {title}")
}

/// A number of nodes as the lattices of routers count them.
fn narrow(nodes: u64) -> u32 {
    u32::try_from(nodes).unwrap_or(u32::MAX)
}

fn indices(values: &[u64]) -> Vec<usize> {
    values.iter().copied().map(saturated).collect()
}
