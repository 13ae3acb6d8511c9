//! The paths over a graph, as `[router]` asks for them.

use super::draft::GraphFile;
use super::{Routed, SoughtCycle, place};
use crate::config::{Columns, Diagnostic, Fault, Files, Numbers, Place, Reader, Row, each_row};
use crate::network::{Asked, ParallelBy, Parameter};
use crate::routing::LinkRouting;
use crate::routing::graph::{
    CLASSES, Entry, ROOT, Shortest, Spread, TABLE, Table, TableError, Unled, UpDown, UpDownError, WEIGHT, WEIGHTS,
    Weight,
};
use crate::topology::{Graph, Links};
use crate::units::{LinkId, RouterId, narrow};
use rustc_hash::FxHashSet;
use std::sync::{Arc, OnceLock};

/// What all points share that ask for the same paths.
#[derive(Clone, Debug)]
struct Found {
    paths: Arc<dyn LinkRouting>,
    longest: u64,
    mean: u64,
    cycle: SoughtCycle,
}

/// What paths are asked for.
enum Rule<'a> {
    Shortest { weight: Weight, by_hops: bool },
    UpDown { root: u64 },
    Table { file: &'a str },
}

/// The paths over `file` that are `asked` for, which `key` stands for; what is wrong has been reported. `weight` is that of
/// `shortest` unless the scenario says another.
pub(super) fn read(
    table: &Reader<'_>,
    asked: &mut Asked<'_, '_>,
    key: &str,
    file: &GraphFile,
    weight: Weight,
) -> Option<Routed> {
    let scenario = asked.scenario;
    let keys = asked.keys;
    let weight = keys.choice(&WEIGHT, &WEIGHTS).unwrap_or(weight);
    let by_hops = keys.text(&CLASSES).is_some();
    let root = keys.integer(&ROOT);
    let parallel = ParallelBy::read(keys).unwrap_or(ParallelBy::First);
    let (rule, mut parameters) = match asked.routing {
        "up-down" => (Rule::UpDown { root }, vec![("root", Parameter::Integer(root))]),
        "table" => {
            let Some(file) = keys.text(&TABLE) else {
                let place = scenario.place_within(&["router", "routing"]);
                let needed = "needed: a CSV file of links with the columns at,to,link and optionally class";
                table.error(Diagnostic::at(place, "`router.table` is missing").note(needed));
                return None;
            };
            if parallel == ParallelBy::Source {
                let message = "a table defines the link of every step, so parallel links are not selected by rule";
                let error = Diagnostic::at(scenario.place_within(&["router", "parallel"]), message);
                table.error(error.note("accepted with `table`: `first`; `source` with `shortest` and `up-down`"));
                return None;
            }
            (Rule::Table { file }, vec![("table", Parameter::Text(file.to_owned()))])
        }
        _ => {
            let mut parameters = vec![("weight", Parameter::Word(weight.name()))];
            if weight == Weight::Latency {
                // links of which nothing is said take it
                parameters.push(("flit_time", Parameter::Integer(asked.flit_time)));
            }
            if by_hops {
                parameters.push(("classes", Parameter::Word("hops")));
            }
            (Rule::Shortest { weight, by_hops }, parameters)
        }
    };
    if parallel == ParallelBy::Source {
        parameters.push(parallel.parameter());
    }
    let key = format!("{key} {} {parameters:?}", asked.routing);
    let found = asked.files.shared(&key, |files| {
        let weight = if let Rule::Shortest { weight, .. } = rule { weight } else { Weight::Links };
        let found = match rule {
            Rule::Shortest { weight, by_hops: false } => shortest(table, file, weight),
            Rule::Shortest { weight, by_hops: true } => by_hops_of(scenario, file, weight),
            Rule::UpDown { root } => up_down(scenario, files, file, root),
            Rule::Table { file: name } => by_table(scenario, files, file, name),
        };
        let spread = |found: Found| Found { paths: Arc::new(Spread::new(found.paths, &file.graph, weight)), ..found };
        if parallel == ParallelBy::Source { found.map(spread) } else { found }
    })?;
    let Found { paths, longest, mean, cycle } = found;
    Some(Routed { routing: asked.routing, parameters, paths, parallel, longest, mean, cycle })
}

/// The classes of virtual channels rule out that channels wait for each other in a cycle.
fn ruled_out() -> SoughtCycle {
    Arc::new(OnceLock::from(None))
}

fn shortest(table: &Reader<'_>, file: &GraphFile, weight: Weight) -> Option<Found> {
    let place = || table.place_of("file");
    let paths = Shortest::new(Arc::clone(&file.graph), weight).map_err(|error| refuse_size(table, place(), &error));
    // a path that is shortest by latency may have many links
    let most = (file.graph.routers() as u64).saturating_sub(1);
    let longest = if weight == Weight::Links { file.longest.min(most) } else { most };
    Some(Found { paths: Arc::new(paths.ok()?), longest, mean: file.mean, cycle: Arc::default() })
}

fn by_hops_of(scenario: &Reader<'_>, file: &GraphFile, weight: Weight) -> Option<Found> {
    let place = || scenario.place_within(&["router", "classes"]);
    let paths = Shortest::new(Arc::clone(&file.graph), weight).map_err(|error| refuse_size(scenario, place(), &error));
    let refuse = |links: usize| {
        let message = format!("the longest path has {links} links, and each needs its own class");
        scenario.error(Diagnostic::at(place(), message).note("accepted: at most 255 classes"));
    };
    let paths = paths.ok()?.by_hops().map_err(refuse).ok()?;
    let longest = u64::from(paths.classes());
    Some(Found { paths: Arc::new(paths), longest, mean: file.mean, cycle: ruled_out() })
}

fn up_down(scenario: &Reader<'_>, files: &Files<'_>, file: &GraphFile, root: u64) -> Option<Found> {
    let refuse = |error: UpDownError| {
        let message = error.to_string();
        let of_root = scenario.place_within(&["router", "root"]);
        scenario.error(match error {
            UpDownError::OneWay { link, .. } => {
                let text = &files.source(file.source).text;
                let place = place(text, file.source, file.links[link.index()]);
                Diagnostic::at(place, message).note("accepted: links in both directions, or another routing")
            }
            UpDownError::NoRoot { .. } => {
                Diagnostic::at(of_root, message).note(format!("accepted: 0 to {}", file.graph.routers() - 1))
            }
            _ => Diagnostic::at(of_root, message),
        });
    };
    let paths = UpDown::new(Arc::clone(&file.graph), root).map_err(refuse).ok()?;
    let deepest = paths.levels().max().unwrap_or(0);
    let sum: u64 = paths.levels().sum();
    let mean = (2 * sum).div_ceil(file.graph.nodes() as u64);
    Some(Found { paths: Arc::new(paths), longest: 2 * deepest, mean, cycle: ruled_out() })
}

fn by_table(scenario: &Reader<'_>, files: &mut Files<'_>, file: &GraphFile, name: &str) -> Option<Found> {
    let named = scenario.place_within(&["router", "table"]);
    let source = files.open(scenario, name, &named)?;
    let mut entries = Entries { graph: &file.graph, entries: Vec::new(), said: FxHashSet::default() };
    let mut numbers = Numbers::default();
    let mut faults = Vec::new();
    let columns = Columns { names: &["at", "to", "link", "class"], required: 3 };
    let read = each_row(&files.source(source).text, columns, |row| {
        let added = row.and_then(|row| {
            [0, 1].iter().for_each(|&column| numbers.add_written(row.field(column)));
            entries.add(&row)
        });
        added.map_err(|fault| faults.push(fault))
    });
    numbers.explain(&mut faults, "routers", file.graph.routers());
    faults.extend(read.err());
    if !faults.is_empty() {
        faults.into_iter().for_each(|fault| scenario.error(fault.diagnostic(source)));
        return None;
    }
    let paths = Table::new(Arc::clone(&file.graph), &entries.entries);
    let paths = paths.map_err(|error| refuse_size(scenario, named, &error)).ok()?;
    let refuse = |error: Unled| {
        let wrong = Diagnostic::at(Place { source, span: 0..0 }, error.to_string());
        scenario.error(wrong.note("accepted: a link for every router and every destination router"));
    };
    let paths = paths.checked().map_err(refuse).ok()?;
    let longest = paths.longest() as u64;
    Some(Found { paths: Arc::new(paths), longest, mean: file.mean, cycle: Arc::default() })
}

/// The rows of a table so far.
struct Entries<'a> {
    graph: &'a Graph,
    entries: Vec<Entry>,
    said: FxHashSet<(RouterId, RouterId)>,
}

impl Entries<'_> {
    /// Adds what a row says.
    fn add(&mut self, row: &Row<'_>) -> Result<(), Fault> {
        let number = |column, count: usize| -> Result<u32, Fault> {
            let number = row.number(column, 0..=(count as u64).saturating_sub(1))?;
            Ok(narrow(number, "a graph has fewer routers and links than 2^32"))
        };
        let at = RouterId(number(0, self.graph.routers())?);
        let to = RouterId(number(1, self.graph.routers())?);
        let link = LinkId(number(2, self.graph.count())?);
        let class = match row.field(3) {
            "" => 0,
            // so that the number of classes is one of 8 bits
            _ => narrow(number(3, usize::from(u8::MAX))?, "it is below the largest"),
        };
        let (from, _) = self.graph.ends(link);
        if from != at {
            let own = self.graph.links_from(at);
            let more = if own.len() > 8 { ", .." } else { "" };
            let accepted = own.iter().take(8).map(ToString::to_string).collect::<Vec<_>>().join(", ");
            let fault = Fault::new(row.span(2), format!("link {link} starts at router {from}, not {at}"));
            return Err(fault.note(format!("accepted: {accepted}{more}")));
        }
        if !self.said.insert((at, to)) {
            return Err(Fault::new(row.line(), format!("router {at} already has a link for router {to}")));
        }
        self.entries.push(Entry { at, to, link, class });
        Ok(())
    }
}

/// Reports that tables of a routing are too large.
fn refuse_size(table: &Reader<'_>, place: Place, error: &TableError) {
    let hint = "`-s router.routing=up-down` needs less memory: it computes paths to a destination only when a message goes there";
    table.error(Diagnostic::at(place, error.to_string()).hint(hint));
}
