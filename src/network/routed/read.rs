//! Reading of the paths that `[router]` selects on a graph.

use super::{PlainGraph, Reach, RoutedGraph, SHORTEST, SoughtCycle, TABLE, UP_DOWN, Weights};
use crate::config::{Diagnostic, Files, Place, Reader, line_at};
use crate::network::routing_table::{RoutingTable, refuse_size};
use crate::network::{Asked, ParallelBy, Parameter};
use crate::routing::LinkRouting;
use crate::routing::graph::{
    CLASSES, ROOT, Shortest, Spread, TABLE as TABLE_FILE, Table, Unled, UpDown, UpDownError, WEIGHT, WEIGHTS, Weight,
};
use crate::topology::Links;
use std::sync::{Arc, OnceLock};

/// Paths that all points share which select the same.
#[derive(Clone, Debug)]
struct Found {
    paths: Arc<dyn LinkRouting>,
    reach: Reach,
    cycle: SoughtCycle,
}

/// A routing with its keys.
#[derive(Clone, Copy)]
enum Rule<'a> {
    Shortest { weight: Weight, by_hops: bool },
    UpDown { root: u64 },
    Table { file: &'a str },
}

impl<'a> Rule<'a> {
    /// Reads the rule of `asked`. Returns `None` after an error, which has been reported. Shortest paths have this `weight`.
    fn read(asked: &Asked<'a, '_>, parallel: ParallelBy, weight: Weight) -> Option<Self> {
        let keys = asked.keys;
        match asked.routing {
            routing if routing == UP_DOWN.0 => Some(Self::UpDown { root: keys.integer(&ROOT) }),
            routing if routing == TABLE.0 => {
                let Some(file) = keys.text(&TABLE_FILE) else {
                    let location = asked.scenario.place_within(&["router", "routing"]);
                    let needed = "needed: a CSV file of links with the columns at,to,link and optionally class";
                    asked.scenario.error(Diagnostic::at(location, "`router.table` is missing").note(needed));
                    return None;
                };
                if parallel == ParallelBy::Source {
                    let message = "a table defines the link of every step, so parallel links are not selected by rule";
                    let error = Diagnostic::at(asked.scenario.place_within(&["router", "parallel"]), message);
                    let accepted = "accepted with `table`: `first`; `source` with `shortest` and `up-down`";
                    asked.scenario.error(error.note(accepted));
                    return None;
                }
                Some(Self::Table { file })
            }
            _ => Some(Self::Shortest { weight, by_hops: keys.text(&CLASSES).is_some() }),
        }
    }

    /// The name of the routing, and the values that determine its paths where channels take `flit_time`.
    fn parameters(self, flit_time: u64) -> (&'static str, Vec<(&'static str, Parameter)>) {
        match self {
            Self::UpDown { root } => (UP_DOWN.0, vec![("root", Parameter::Integer(root))]),
            Self::Table { file } => (TABLE.0, vec![("table", Parameter::Text(file.to_owned()))]),
            Self::Shortest { weight, by_hops } => {
                let mut parameters = vec![("weight", Parameter::Word(weight.name()))];
                if weight == Weight::Latency {
                    // the flit time of all links without one of their own
                    parameters.push(("flit_time", Parameter::Integer(flit_time)));
                }
                if by_hops {
                    parameters.push(("classes", Parameter::Word("hops")));
                }
                (SHORTEST.0, parameters)
            }
        }
    }
}

impl PlainGraph<'_> {
    /// Adds the paths of `asked`. Returns `None` after an error, which has been reported.
    pub(in crate::network) fn routed(self, asked: &mut Asked<'_, '_>) -> Option<RoutedGraph> {
        let scenario = asked.scenario;
        let weights = Weights { chosen: asked.keys.choice(&WEIGHT, &WEIGHTS), default: self.weight };
        let weight = weights.chosen.unwrap_or(weights.default);
        let parallel = ParallelBy::read(asked.keys).unwrap_or(ParallelBy::First);
        let rule = Rule::read(asked, parallel, weight)?;
        let (routing, mut parameters) = rule.parameters(asked.flit_time);
        if parallel == ParallelBy::Source {
            parameters.push(parallel.parameter());
        }
        let key = format!("{} {routing} {parameters:?}", self.key);
        let found = asked.files.shared(&key, |files| {
            let found = self.found(rule, scenario, files)?;
            if parallel == ParallelBy::First {
                return Some(found);
            }
            let weight = if let Rule::Shortest { weight, .. } = rule { weight } else { Weight::Links };
            Some(Found { paths: Arc::new(Spread::new(found.paths, &self.graph, weight)), ..found })
        })?;
        let Found { paths, reach, cycle } = found;
        let given_virtual_channels = asked.given_virtual_channels;
        let Self { graph, links, .. } = self;
        Some(RoutedGraph {
            graph,
            links,
            routing,
            parameters,
            paths,
            parallel,
            reach,
            weights,
            given_virtual_channels,
            cycle,
        })
    }

    fn found(&self, rule: Rule<'_>, scenario: &Reader<'_>, files: &mut Files<'_>) -> Option<Found> {
        match rule {
            Rule::Shortest { weight, by_hops: false } => self.shortest(scenario, weight),
            Rule::Shortest { weight, by_hops: true } => self.by_hops(scenario, weight),
            Rule::UpDown { root } => self.up_down(scenario, files, root),
            Rule::Table { file } => self.by_table(scenario, files, file),
        }
    }

    fn shortest(&self, scenario: &Reader<'_>, weight: Weight) -> Option<Found> {
        let paths = Shortest::new(Arc::clone(&self.graph), weight);
        let paths = paths.map_err(|error| refuse_size(scenario, self.place.clone(), &error)).ok()?;
        // a path that is shortest by latency may have many links
        let most = (self.graph.routers() as u64).saturating_sub(1);
        let longest = if weight == Weight::Links { self.reach.longest.min(most) } else { most };
        Some(Found { paths: Arc::new(paths), reach: Reach { longest, ..self.reach }, cycle: Arc::default() })
    }

    fn by_hops(&self, scenario: &Reader<'_>, weight: Weight) -> Option<Found> {
        let location = || scenario.place_within(&["router", "classes"]);
        let paths = Shortest::new(Arc::clone(&self.graph), weight);
        let paths = paths.map_err(|error| refuse_size(scenario, location(), &error));
        let refuse = |links: usize| {
            let message = format!("the longest path has {links} links, and each needs its own class");
            scenario.error(Diagnostic::at(location(), message).note("accepted: at most 255 classes"));
        };
        let paths = paths.ok()?.by_hops().map_err(refuse).ok()?;
        let longest = u64::from(paths.classes());
        Some(Found { paths: Arc::new(paths), reach: Reach { longest, ..self.reach }, cycle: ruled_out() })
    }

    fn up_down(&self, scenario: &Reader<'_>, files: &Files<'_>, root: u64) -> Option<Found> {
        let paths = UpDown::new(Arc::clone(&self.graph), root);
        let paths = paths.map_err(|error| self.refuse_up_down(scenario, files, &error)).ok()?;
        let deepest = paths.levels().max().unwrap_or(0);
        let sum: u64 = paths.levels().sum();
        let mean = (2 * sum).div_ceil(self.graph.nodes() as u64);
        Some(Found { paths: Arc::new(paths), reach: Reach { longest: 2 * deepest, mean }, cycle: ruled_out() })
    }

    /// Reports that there is no up-down routing.
    fn refuse_up_down(&self, scenario: &Reader<'_>, files: &Files<'_>, error: &UpDownError) {
        let of_root = scenario.place_within(&["router", "root"]);
        let message = error.to_string();
        scenario.error(match error {
            UpDownError::OneWay { link, .. } => {
                let written = self.file.map(|file| {
                    let span = line_at(&files.source(file.source).text, file.starts[link.index()]);
                    Place { source: file.source, span }
                });
                let location = written.unwrap_or_else(|| scenario.place_within(&["router", "routing"]));
                Diagnostic::at(location, message).note("accepted: links in both directions, or another routing")
            }
            UpDownError::NoRoot { .. } => {
                Diagnostic::at(of_root, message).note(format!("accepted: 0 to {}", self.graph.routers() - 1))
            }
            _ => Diagnostic::at(of_root, message),
        });
    }

    fn by_table(&self, scenario: &Reader<'_>, files: &mut Files<'_>, name: &str) -> Option<Found> {
        let RoutingTable { entries, source, named, .. } = RoutingTable::read(scenario, files, &self.graph, name)?;
        let paths = Table::new(Arc::clone(&self.graph), &entries);
        let paths = paths.map_err(|error| refuse_size(scenario, named, &error)).ok()?;
        let refuse = |error: Unled| {
            let error = Diagnostic::at(Place { source, span: 0..0 }, error.to_string());
            scenario.error(error.note("accepted: a link for every router and every destination router"));
        };
        let paths = paths.checked().map_err(refuse).ok()?;
        let reach = Reach { longest: paths.longest() as u64, ..self.reach };
        Some(Found { paths: Arc::new(paths), reach, cycle: Arc::default() })
    }
}

/// The classes of virtual channels rule out that channels wait for each other in a cycle.
fn ruled_out() -> SoughtCycle {
    Arc::new(OnceLock::from(None))
}
