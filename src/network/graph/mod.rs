//! `[network.graph]`: a network of any shape from a file, with shortest paths, up-down routing or a table.

mod anynet;
mod csv;
mod draft;
mod paths;
mod remedies;
mod toml;

use super::{Asked, Cycle, Idle, NetworkError, NetworkKind, NetworkSpec, ParallelBy, Parameter, Remedy, narrow};
use crate::cancel;
use crate::config::{Diagnostic, Place, Reader, listed};
use crate::routing::certificate::{Dependencies, Shares};
use crate::routing::graph::{WEIGHT, Weight};
use crate::routing::{LinkNetwork, LinkRouting, Network};
use crate::topology::{Linked, Links, ParallelLinks, Ports};
use crate::units::{Key, NodeId, saturated};
use draft::{Draft, GraphFile};
use std::sync::{Arc, OnceLock};

/// How a graph file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Csv,
    Toml,
    Anynet,
}

const FORMATS: [(&str, Format); 3] = [("csv", Format::Csv), ("toml", Format::Toml), ("anynet", Format::Anynet)];

const FILE: Key = Key::file("file")
    .says("file of routers, nodes and links: TOML, anynet, or CSV with the columns kind,a,b,flit_time,delay,class");
const FORMAT: Key = Key::word("format", |at| FORMATS.get(at).map(|(name, _)| *name))
    .or_else("from the extension of the file name")
    .says("format of the file; anynet is the format of BookSim 2");

/// The graph in the registry.
pub(super) static KIND: NetworkKind = NetworkKind {
    name: "graph",
    summary: "graph: routers and links from a file; shortest paths, up-down routing or a table of paths",
    keys: &[FILE, FORMAT],
    routings: &[
        ("shortest", "shortest paths, by the lowest-numbered link at each router; can deadlock"),
        ("up-down", "towards a root, then away from it; deadlock-free with one virtual channel"),
        ("table", "a file with the link for each router and destination router"),
    ],
    parallel: &[ParallelBy::First, ParallelBy::Source],
    read: Some(|table, asked| Some(Arc::new(GraphSpec::read(table, asked)?))),
    ..NetworkKind::DEFAULT
};

/// A graph, and the paths over it.
#[derive(Clone, Debug)]
pub(crate) struct GraphSpec {
    /// The file, as the scenario names it.
    name: String,
    format: &'static str,
    file: Arc<GraphFile>,
    routed: Routed,
    /// Virtual channels a link.
    virtual_channels: u64,
    /// The number of virtual channels in the scenario, if it is given.
    given_virtual_channels: Option<u64>,
    /// True if the scenario gives the weight of shortest paths.
    gives_weight: bool,
}

/// Paths, and what is known of them.
#[derive(Clone, Debug)]
struct Routed {
    routing: &'static str,
    /// What decides over them, as they are known by.
    parameters: Vec<(&'static str, Parameter)>,
    paths: Arc<dyn LinkRouting>,
    parallel: ParallelBy,
    /// The most links of a path, and roughly how many one has.
    longest: u64,
    mean: u64,
    cycle: SoughtCycle,
}

/// A cycle of channels that can wait for each other, if there is one, once it has been looked for: for all points at once.
type SoughtCycle = Arc<OnceLock<Option<Cycle>>>;

impl GraphSpec {
    fn read(table: &Reader<'_>, asked: &mut Asked<'_, '_>) -> Option<Self> {
        table.demand(&FILE);
        let format = table.optional_choice(&FORMAT, &FORMATS);
        let (name, place) = table.string(&FILE)?;
        if table.gives(&FORMAT) && format.is_none() {
            return None; // which has been reported
        }
        let Some(format) = format.or_else(|| by_ending(name)) else {
            let message = format!("the format of `{name}` cannot be derived from its name");
            let accepted = listed(FORMATS.iter().map(|(name, _)| *name));
            table.error(Diagnostic::at(place.clone(), message).note(format!("accepted: `format` = {accepted}")));
            return None;
        };
        let flit_time = asked.flit_time;
        let link_classes = Arc::clone(asked.link_classes);
        let key = format!("graph {name} {format:?} {flit_time} {:?} {link_classes:?}", table.scale());
        let file = asked.files.shared(&key, |files| {
            let source = match format {
                Format::Toml => files.open_toml(table, name, place)?,
                Format::Csv | Format::Anynet => files.open(table, name, place)?,
            };
            let mut draft =
                Draft::new(&files.source(source).text, table, source, flit_time).with_classes(&link_classes);
            match format {
                Format::Csv => csv::read(&mut draft),
                Format::Toml => toml::read(&mut draft, source),
                Format::Anynet => anynet::read(&mut draft, flit_time),
            }
            draft.finish().map(Arc::new)
        })?;
        let weight = if format == Format::Anynet { Weight::Latency } else { Weight::Links };
        let routed = paths::read(table, asked, &key, &file, weight)?;
        let classes = u64::from(routed.paths.classes());
        let virtual_channels = asked.given_virtual_channels.unwrap_or(classes).min(classes);
        let format = FORMATS.iter().find(|(_, other)| *other == format).map_or("", |(name, _)| *name);
        let given_virtual_channels = asked.given_virtual_channels;
        let gives_weight = asked.keys.text(&WEIGHT).is_some();
        Some(Self {
            name: name.to_owned(),
            format,
            file,
            routed,
            virtual_channels,
            given_virtual_channels,
            gives_weight,
        })
    }
}

impl GraphSpec {
    /// A shortest cycle of channels that wait for each other on its paths, if there is one.
    fn find_cycle(&self) -> Option<Cycle> {
        let links = self.file.graph.as_ref();
        let paths = &self.routed.paths;
        let classes = paths.classes();
        let mut dependencies = Dependencies::new(Shares { virtual_channels: classes.into(), classes }, links.count());
        // a path depends on the routers of its nodes, and on the source where that selects among parallel links
        let destinations = links.first_nodes();
        let sources = match self.routed.parallel {
            ParallelBy::First => destinations.clone(),
            ParallelBy::Source => (0..links.nodes()).map(NodeId::new).collect(),
        };
        let mut path = Vec::new();
        for src in sources {
            cancel::checkpoint();
            for &dst in &destinations {
                path.clear();
                paths.path(src, dst, &mut path);
                dependencies.add(&path);
            }
        }
        let certificate = dependencies.certificate();
        let channels: Vec<String> =
            certificate.held().iter().map(|channel| channel.name(links, classes.into())).collect();
        (!channels.is_empty()).then_some(Cycle { channels })
    }
}

/// The format that the ending of a file's name stands for.
fn by_ending(name: &str) -> Option<Format> {
    let (_, ending) = name.rsplit_once('.')?;
    FORMATS.iter().find(|(name, _)| ending.eq_ignore_ascii_case(name)).map(|(_, format)| *format)
}

impl NetworkSpec for GraphSpec {
    fn parameters(&self) -> Vec<(&'static str, Parameter)> {
        let mut parameters = vec![
            ("file", Parameter::Text(self.name.clone())),
            ("format", Parameter::Word(self.format)),
            ("routing", Parameter::Word(self.routed.routing)),
        ];
        parameters.extend(self.routed.parameters.iter().cloned());
        parameters.push(("virtual_channels", Parameter::Integer(self.virtual_channels)));
        parameters
    }

    fn build(&self, ports: Ports) -> Result<Arc<dyn Network>, NetworkError> {
        let links: Arc<dyn Links> = Arc::clone(&self.file.graph) as Arc<dyn Links>;
        let channels = Linked::new(links, saturated(self.virtual_channels), ports, || self.title())?;
        Ok(Arc::new(LinkNetwork::new(channels, Arc::clone(&self.routed.paths))))
    }

    fn links(&self) -> Result<Arc<dyn Links>, NetworkError> {
        Ok(Arc::clone(&self.file.graph) as Arc<dyn Links>)
    }

    /// Where paths do not lead from a router to another at all, there is nothing to share.
    fn parallel_advice(&self, idle: Idle) -> Option<&'static str> {
        let graph = self.file.graph.as_ref();
        let has_some = ParallelLinks::new(graph, |_| 0).bundles().next().is_some();
        let advice = match self.routed.parallel {
            ParallelBy::First if self.routed.routing == "table" => "no path of the table uses them",
            ParallelBy::First => ParallelBy::SPREADS,
            ParallelBy::Source => ParallelBy::SPREAD,
        };
        (has_some && idle == Idle::Some).then_some(advice)
    }

    fn title(&self) -> String {
        format!("{} graph", self.name)
    }

    fn routing(&self) -> &'static str {
        self.routed.routing
    }

    fn shape(&self) -> Vec<u32> {
        vec![narrow(self.file.graph.nodes() as u64)]
    }

    fn longest_path(&self) -> u64 {
        2 + self.routed.longest
    }

    /// Nodes may share a router.
    fn shortest_distance(&self) -> u64 {
        let graph = &self.file.graph;
        let routers = graph.routers_with_nodes().into_iter().filter(|has_nodes| *has_nodes).count();
        u64::from(routers == graph.nodes())
    }

    fn mean_path(&self) -> u64 {
        2 + self.routed.mean.min(self.routed.longest)
    }

    fn virtual_channels(&self) -> u64 {
        self.virtual_channels
    }

    fn cycle(&self) -> Option<Cycle> {
        self.routed.cycle.get_or_init(|| self.find_cycle()).clone()
    }

    fn remedies(&self) -> Vec<Remedy> {
        self.other_routings()
    }
}

/// Reports `wrong` in a file at byte `start` of source `source`.
fn place(text: &str, source: usize, start: usize) -> Place {
    Place { source, span: draft::line(text, start) }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on fails")]
mod tests;
