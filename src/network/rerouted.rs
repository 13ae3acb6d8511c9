//! Paths round failures on any network: up-down routing, shortest paths or a table over the links that survive.
//!
//! The same rule without failures gives the paths of the intact network, to compare with. It does not depend on how failures are
//! selected.

use super::routing_table::{RoutingTable, refuse_size};
use super::{BuiltNetwork, Cycle, NetworkError, NetworkSpec, ParallelBy, Parameter, Wanted};
use crate::cancel;
use crate::config::{Diagnostic, Files, KeyValues, Place, Reader, listed};
use crate::routing::certificate::{Dependencies, Shares};
use crate::routing::graph::{
    CLASSES, Entry, ROOT, Shortest, Spread, SurvivingPaths, Survivor, TABLE, Table, TableError, Unled, UpDown,
    UpDownError, WEIGHT, WEIGHTS, Weight, largest_level_and_sum,
};
use crate::routing::{LinkNetwork, LinkRouting};
use crate::topology::{Failures, Graph, Linked, Links, Ports, RouterPair, TopologyError};
use crate::units::{LinkId, NodeId, RouterId, saturated};
use std::sync::{Arc, OnceLock};
use thiserror::Error;

/// The routings round failures, the default first.
pub(crate) const ROUTINGS: [&str; 3] = ["up-down", "shortest", "table"];

/// Rule of the paths.
#[derive(Clone, Debug)]
enum Rule {
    /// Towards a root, then away from it.
    UpDown {
        /// The root, if it survives.
        root: u64,
    },
    /// Shortest paths.
    Shortest {
        /// The quantity that they minimise.
        weight: Weight,
        /// True if each link of a path has a class of its own.
        by_hops: bool,
    },
    /// Paths of a file.
    Table(Arc<RoutingTable>),
}

/// The routing round failures that a scenario selects.
#[derive(Clone, Debug)]
pub struct Rerouting {
    rule: Rule,
    parallel: ParallelBy,
    ports: Ports,
    /// Virtual channels of a link, if the scenario gives them.
    virtual_channels: Option<u64>,
    /// Ticks for a flit to cross a link without a cost of its own.
    flit_time: u64,
}

/// An error of a routing round failures.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum RerouteError {
    /// Up-down routing does not suit the network.
    #[error(transparent)]
    UpDown(#[from] UpDownError),
    /// Tables of the routing are too large.
    #[error(transparent)]
    TooLarge(#[from] TableError),
    /// The longest path needs too many classes.
    #[error("the longest path has {0} links, and each needs its own class; at most 255 classes are supported")]
    TooManyClasses(usize),
    /// A row of a table uses a link that has failed.
    #[error("line {line} of `{file}` uses link {link} between routers {} and {}, which has failed", pair.low, pair.high)]
    FailedLink {
        /// The number of the entry.
        entry: usize,
        /// Its line, from 1.
        line: usize,
        /// The name of the file.
        file: String,
        /// The link.
        link: LinkId,
        /// The routers that it joins.
        pair: RouterPair,
    },
    /// The table has a loop.
    #[error(transparent)]
    Unled(#[from] Unled),
    /// The network cannot be numbered.
    #[error(transparent)]
    Network(#[from] NetworkError),
}

impl From<TopologyError> for RerouteError {
    fn from(error: TopologyError) -> Self {
        Self::Network(error.into())
    }
}

/// The paths round failures of a network.
#[derive(Clone, Debug)]
pub(super) struct Rerouted {
    pub(super) routing: &'static str,
    pub(super) paths: Arc<SurvivingPaths>,
    pub(super) failures: Arc<Failures>,
    /// The surviving network, with the numbers of the intact one.
    pub(super) graph: Arc<Graph>,
    pub(super) virtual_channels: u64,
    /// The most links of a path, and roughly the mean.
    pub(super) longest: u64,
    pub(super) mean: u64,
    parallel: ParallelBy,
    cycle: Arc<OnceLock<Option<Cycle>>>,
}

impl Rerouting {
    /// Reads the keys of `[router]` for the intact network `built`. Returns `None` after an error, which has been reported.
    pub(super) fn read(
        root: &Reader<'_>,
        wanted: &Wanted<'_>,
        built: &BuiltNetwork,
        files: &mut Files<'_>,
    ) -> Option<Self> {
        let named = wanted.routing.unwrap_or(ROUTINGS[0]);
        let parallel = ParallelBy::read(wanted.keys).unwrap_or(ParallelBy::First);
        let rule = match named {
            "up-down" => Rule::UpDown { root: wanted.keys.integer(&ROOT) },
            "shortest" => Rule::Shortest {
                weight: wanted.keys.choice(&WEIGHT, &WEIGHTS).unwrap_or_else(|| usual_weight(built.spec.as_ref())),
                by_hops: wanted.keys.text(&CLASSES).is_some(),
            },
            "table" => Rule::Table(read_table(root, wanted.keys, parallel, built, files)?),
            _ => {
                let message = format!("`{named}` does not route round failed links");
                let diagnostic = Diagnostic::at(root.place_within(&["router", "routing"]), message);
                root.error(diagnostic.note(format!("accepted with failures of [faults]: {}", listed(ROUTINGS))));
                return None;
            }
        };
        let Wanted { ports, virtual_channels, flit_time, .. } = *wanted;
        Some(Self { rule, parallel, ports, virtual_channels, flit_time })
    }

    fn routing(&self) -> &'static str {
        match self.rule {
            Rule::UpDown { .. } => "up-down",
            Rule::Shortest { .. } => "shortest",
            Rule::Table(_) => "table",
        }
    }

    /// Returns the paths over the links of `links` that survive `failures`.
    pub(super) fn paths_round(&self, links: &dyn Links, failures: Arc<Failures>) -> Result<Rerouted, RerouteError> {
        let graph = Arc::new(Graph::surviving(links, &failures, self.flit_time));
        let root = if let Rule::UpDown { root } = self.rule { root } else { 0 };
        let lowest =
            u32::try_from(root).ok().filter(|&root| (root as usize) < graph.routers()).map_or(RouterId(0), RouterId);
        let (deepest, sum) = largest_level_and_sum(&graph, lowest);
        let (rule, longest) = self.rule_over(&graph, &failures, deepest)?;
        let weight = if let Rule::Shortest { weight, .. } = self.rule { weight } else { Weight::Links };
        let leads_everywhere = !matches!(self.rule, Rule::Table(_));
        let rule = match (self.parallel, rule) {
            (ParallelBy::First, rule) => rule,
            (ParallelBy::Source, Survivor::UpDown(paths)) => {
                Survivor::Other(Arc::new(Spread::new(paths, &graph, weight)))
            }
            (ParallelBy::Source, Survivor::Other(paths)) => {
                Survivor::Other(Arc::new(Spread::new(paths, &graph, weight)))
            }
        };
        let paths = Arc::new(SurvivingPaths::new(Arc::clone(&graph), &failures, rule, leads_everywhere));
        let classes = u64::from(paths.classes());
        let rules_cycles_out = matches!(self.rule, Rule::UpDown { .. } | Rule::Shortest { by_hops: true, .. });
        Ok(Rerouted {
            routing: self.routing(),
            virtual_channels: self.virtual_channels.unwrap_or(classes).min(classes),
            paths,
            failures,
            longest,
            mean: (2 * sum).div_ceil(graph.nodes().max(1) as u64).min(longest),
            parallel: self.parallel,
            cycle: Arc::new(if rules_cycles_out { OnceLock::from(None) } else { OnceLock::new() }),
            graph,
        })
    }

    /// The rule over `graph`, and a bound on the links of its paths. No router with nodes is more than `deepest` links away from the
    /// first router of its component.
    fn rule_over(
        &self,
        graph: &Arc<Graph>,
        failures: &Failures,
        deepest: u64,
    ) -> Result<(Survivor, u64), RerouteError> {
        let most = (graph.routers() as u64).saturating_sub(1);
        Ok(match &self.rule {
            Rule::UpDown { root } => {
                let paths = UpDown::over_components(Arc::clone(graph), *root, &failures.routers)?;
                let longest = 2 * paths.levels().max().unwrap_or(0);
                (Survivor::UpDown(Arc::new(paths)), longest)
            }
            Rule::Shortest { weight, by_hops: false } => {
                let paths = Shortest::new(Arc::clone(graph), *weight)?;
                let longest = if *weight == Weight::Links { most.min(2 * deepest) } else { most };
                (Survivor::Other(Arc::new(paths)), longest)
            }
            Rule::Shortest { weight, by_hops: true } => {
                let paths = Shortest::new(Arc::clone(graph), *weight)?.by_hops();
                let paths = paths.map_err(RerouteError::TooManyClasses)?;
                let longest = paths.classes().into();
                (Survivor::Other(Arc::new(paths)), longest)
            }
            Rule::Table(table) => {
                refuse_failed_links(table, graph, failures)?;
                let paths = Table::new(Arc::clone(graph), &table.entries)?.checked_with_gaps()?;
                let longest = paths.longest() as u64;
                (Survivor::Other(Arc::new(paths)), longest)
            }
        })
    }

    /// Returns the channels of `links` with these paths. `what` describes the network in a few words.
    pub(super) fn network(
        links: Arc<dyn Links>,
        rerouted: &Rerouted,
        ports: Ports,
        what: impl Fn() -> String,
    ) -> Result<LinkNetwork, TopologyError> {
        let channels = Linked::new(links, saturated(rerouted.virtual_channels), ports, what)?;
        Ok(LinkNetwork::new(channels, Arc::clone(&rerouted.paths) as Arc<dyn LinkRouting>))
    }

    /// Ports of a node.
    pub(super) fn ports(&self) -> Ports {
        self.ports
    }

    /// The parameters of a network that these paths make of it.
    pub(super) fn parameters(&self) -> Vec<(&'static str, Parameter)> {
        let mut parameters = vec![("routing", Parameter::Word(self.routing()))];
        match &self.rule {
            Rule::UpDown { root } => parameters.push(("root", Parameter::Integer(*root))),
            Rule::Shortest { weight, by_hops } => {
                parameters.push(("weight", Parameter::Word(weight.name())));
                if *by_hops {
                    parameters.push(("classes", Parameter::Word("hops")));
                }
            }
            Rule::Table(table) => parameters.push(("table", Parameter::Text(table.file.clone()))),
        }
        if self.parallel == ParallelBy::Source {
            parameters.push(self.parallel.parameter());
        }
        parameters
    }

    /// Reports `error`, of the network that the table `network` of `root` describes.
    pub(crate) fn refuse(&self, root: &Reader<'_>, network: &BuiltNetwork, error: &RerouteError) {
        let kind = network.kind.name;
        let location = match error {
            RerouteError::UpDown(UpDownError::NoRoot { .. }) => root.place_within(&["router", "root"]),
            RerouteError::TooManyClasses(_) => root.place_within(&["router", "classes"]),
            _ => root.place_within(&["network", kind]),
        };
        match (error, &self.rule) {
            (RerouteError::TooLarge(error), _) => refuse_size(root, location, error),
            (RerouteError::FailedLink { entry, .. }, Rule::Table(table)) => {
                let diagnostic = Diagnostic::at(table.location(*entry), error.to_string());
                root.error(diagnostic.note("accepted: a table that uses only links that [faults] leaves"));
            }
            (RerouteError::Unled(_), Rule::Table(table)) => {
                root.error(Diagnostic::at(Place { source: table.source, span: 0..0 }, error.to_string()));
            }
            (RerouteError::UpDown(UpDownError::OneWay { .. }), _) => {
                let diagnostic = Diagnostic::at(location, error.to_string());
                root.error(diagnostic.note("accepted: links in both directions, or `router.routing = \"shortest\"`"));
            }
            _ => root.error(Diagnostic::at(location, error.to_string())),
        }
    }
}

/// The weight of shortest paths on the network of `spec` unless the scenario selects one: that which a graph has by its file.
fn usual_weight(spec: &dyn NetworkSpec) -> Weight {
    let latency = Parameter::Word(Weight::Latency.name());
    let is_latency = spec.parameters().iter().any(|(name, value)| *name == WEIGHT.name && *value == latency);
    if is_latency { Weight::Latency } else { Weight::Links }
}

fn read_table(
    root: &Reader<'_>,
    keys: &KeyValues,
    parallel: ParallelBy,
    built: &BuiltNetwork,
    files: &mut Files<'_>,
) -> Option<Arc<RoutingTable>> {
    let Some(name) = keys.text(&TABLE) else {
        let diagnostic = Diagnostic::at(root.place_within(&["router", "routing"]), "`router.table` is missing");
        root.error(diagnostic.note("needed: a CSV file of links with the columns at,to,link and optionally class"));
        return None;
    };
    if parallel == ParallelBy::Source {
        let message = "a table defines the link of every step, so parallel links are not selected by rule";
        let error = Diagnostic::at(root.place_within(&["router", "parallel"]), message);
        root.error(error.note("accepted with `table`: `first`; `source` with `shortest` and `up-down`"));
        return None;
    }
    let links = built.spec.links().ok()?;
    let key = format!("routing table {name} {} {:?}", built.kind.name, built.spec.parameters());
    files.shared(&key, |files| {
        let graph = Graph::surviving(links.as_ref(), &Failures::default(), 1);
        RoutingTable::read(root, files, &graph, name).map(Arc::new)
    })
}

fn refuse_failed_links(table: &RoutingTable, graph: &Graph, failures: &Failures) -> Result<(), RerouteError> {
    let is_failed = |(_, entry): &(usize, &Entry)| failures.is_failed(graph, entry.link);
    let Some((entry, failed)) = table.entries.iter().enumerate().find(is_failed) else { return Ok(()) };
    let pair = RouterPair::of_link(graph, failed.link);
    let file = table.file.clone();
    Err(RerouteError::FailedLink { entry, line: table.lines[entry], file, link: failed.link, pair })
}

impl Rerouted {
    /// A cycle of channels that wait for each other on these paths, if there is one. Channels have the names of `links`.
    pub(super) fn cycle(&self, links: &dyn Links) -> Option<Cycle> {
        self.cycle.get_or_init(|| self.find_cycle(links)).clone()
    }

    fn find_cycle(&self, links: &dyn Links) -> Option<Cycle> {
        let classes = self.paths.classes();
        let shares = Shares { virtual_channels: classes.into(), classes };
        let mut dependencies = Dependencies::new(shares, links.count());
        let destinations = self.graph.first_nodes();
        // paths depend on the source node only where sources select among parallel links
        let sources = match self.parallel {
            ParallelBy::First => destinations.clone(),
            ParallelBy::Source => (0..links.nodes()).map(NodeId::new).collect(),
        };
        let mut path = Vec::new();
        for src in sources {
            cancel::checkpoint();
            for &dst in &destinations {
                path.clear();
                self.paths.path(src, dst, &mut path);
                dependencies.add(&path);
            }
        }
        let certificate = dependencies.certificate();
        let channels: Vec<String> =
            certificate.held().iter().map(|channel| channel.name(links, classes.into())).collect();
        (!channels.is_empty()).then_some(Cycle { channels })
    }
}
