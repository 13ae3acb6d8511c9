//! The paths over a graph, as `[router]` asks for them.

use super::draft::GraphFile;
use super::{Routed, SoughtCycle, place};
use crate::config::{Diagnostic, Files, Place, Reader};
use crate::network::routing_table::{RoutingTable, refuse_size};
use crate::network::{Asked, ParallelBy, Parameter};
use crate::routing::LinkRouting;
use crate::routing::graph::{
    CLASSES, ROOT, Shortest, Spread, TABLE, Table, Unled, UpDown, UpDownError, WEIGHT, WEIGHTS, Weight,
};
use crate::topology::Links;
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
    let RoutingTable { entries, source, named, .. } = RoutingTable::read(scenario, files, &file.graph, name)?;
    let paths = Table::new(Arc::clone(&file.graph), &entries);
    let paths = paths.map_err(|error| refuse_size(scenario, named, &error)).ok()?;
    let refuse = |error: Unled| {
        let wrong = Diagnostic::at(Place { source, span: 0..0 }, error.to_string());
        scenario.error(wrong.note("accepted: a link for every router and every destination router"));
    };
    let paths = paths.checked().map_err(refuse).ok()?;
    let longest = paths.longest() as u64;
    Some(Found { paths: Arc::new(paths), longest, mean: file.mean, cycle: Arc::default() })
}
