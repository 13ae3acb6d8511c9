//! `[network.graph]`: a network of any shape from a file, with shortest paths, up-down routing or a table.

mod anynet;
mod csv;
mod draft;
mod toml;

use super::routed::{PlainGraph, RoutedGraph, SHORTEST, TABLE, UP_DOWN, WrittenLinks};
use super::{Asked, Cycle, Idle, NetworkError, NetworkKind, NetworkSpec, ParallelBy, Parameter, Remedy, narrow};
use crate::config::{Diagnostic, Reader, listed};
use crate::routing::graph::Weight;
use crate::routing::tree::TreePaths;
use crate::routing::{LinkNetwork, Network};
use crate::topology::{Linked, Links, ParallelLinks, Ports};
use crate::units::{Key, saturated};
use draft::{Draft, GraphFile};
use std::sync::Arc;

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
    routings: &[SHORTEST, UP_DOWN, TABLE],
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
    routed: RoutedGraph,
}

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
        let plain = PlainGraph {
            graph: Arc::clone(&file.graph),
            links: Arc::clone(&file.graph) as Arc<dyn Links>,
            key: &key,
            weight,
            reach: file.reach,
            file: Some(WrittenLinks { source: file.source, starts: &file.links }),
            place: table.place_of(FILE.name),
        };
        let routed = plain.routed(asked)?;
        let format = FORMATS.iter().find(|(_, other)| *other == format).map_or("", |(name, _)| *name);
        Some(Self { name: name.to_owned(), format, file, routed })
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
        parameters.push(("virtual_channels", Parameter::Integer(self.virtual_channels())));
        parameters
    }

    fn build(&self, ports: Ports) -> Result<Arc<dyn Network>, NetworkError> {
        let links: Arc<dyn Links> = Arc::clone(&self.file.graph) as Arc<dyn Links>;
        let channels = Linked::new(links, saturated(self.virtual_channels()), ports, || self.title())?;
        Ok(Arc::new(LinkNetwork::new(channels, Arc::clone(&self.routed.paths))))
    }

    fn multicast_paths(&self) -> Result<TreePaths, NetworkError> {
        Ok(TreePaths::Unchecked)
    }

    fn reduction_paths(&self) -> Result<TreePaths, NetworkError> {
        Ok(TreePaths::Network)
    }

    fn links(&self) -> Result<Arc<dyn Links>, NetworkError> {
        Ok(Arc::clone(&self.file.graph) as Arc<dyn Links>)
    }

    /// Where paths do not lead from a router to another at all, there is nothing to share.
    fn parallel_advice(&self, idle: Idle) -> Option<&'static str> {
        let graph = self.file.graph.as_ref();
        let has_some = ParallelLinks::new(graph, |_| 0).bundles().next().is_some();
        let advice = match self.routed.parallel {
            ParallelBy::First if self.routed.routing == TABLE.0 => "no path of the table uses them",
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
        2 + self.routed.reach.longest
    }

    /// Nodes may share a router.
    fn shortest_distance(&self) -> u64 {
        let graph = &self.file.graph;
        let routers = graph.routers_with_nodes().into_iter().filter(|has_nodes| *has_nodes).count();
        u64::from(routers == graph.nodes())
    }

    fn mean_path(&self) -> u64 {
        2 + self.routed.reach.mean.min(self.routed.reach.longest)
    }

    fn virtual_channels(&self) -> u64 {
        self.routed.virtual_channels()
    }

    fn cycle(&self) -> Option<Cycle> {
        self.routed.cycle()
    }

    fn remedies(&self) -> Vec<Remedy> {
        self.routed.remedies()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on fails")]
mod tests;
