//! Mappings of tasks: what they cost, what exchanges change, the best of all, and maximum cuts as matrices.

use super::Planners;
use super::case::{Onto, Tasks};
use crate::algorithm::mapping::{ALGORITHMS, Growth, Mapping, Options, TaskGraph, changes, lower_bound, mrb_from};
use crate::random;
use crate::selftest::laws::{BEST_MAPPING, Broken, CUTS_AS_DEFINED, MAPPING_COSTS};
use crate::selftest::reference::mappings::{Links, by_maximum_cuts};
use crate::units::NodeId;
use rand::RngExt;
use rand_pcg::Pcg64;

/// Up to so many tasks and nodes all mappings are tried.
const FEW: usize = 6;

/// One of so many cases is annealed.
const SELDOM: u64 = 100;

/// Exchanges that are made one after the other.
const EXCHANGES: usize = 8;

/// Annealing takes as long as a thousand others, and the exhaustive search of more tasks, too.
pub(super) fn is_slow(tasks: &Tasks, graph: &TaskGraph, name: &str) -> bool {
    match name {
        "anneal" => !tasks.seed.is_multiple_of(SELDOM),
        "exhaustive" => graph.size() > FEW + 1,
        _ => false,
    }
}

/// Holds all mappers against the laws.
pub(super) fn judge(planners: &impl Planners, tasks: &Tasks) -> Result<u64, Broken> {
    let Some(graph) = tasks.graph() else { return Ok(0) };
    let links = tasks.onto.links();
    let room = graph.size() / graph.nodes();
    let is_small = graph.size() <= FEW && graph.nodes() <= FEW;
    let least = is_small.then(|| links.least(&tasks.edges, tasks.tasks, room).div_ceil(2));
    // it is a bound for one task a node of a cube
    let has_bound = matches!(tasks.onto, Onto::Cube(_)) && graph.size() == graph.nodes();
    let bound = if has_bound { lower_bound(&graph) } else { None };
    let held = Held { planners, tasks, graph: &graph, links: &links, least, bound };
    let mut mapped = 0;
    for algorithm in ALGORITHMS.iter().filter(|algorithm| algorithm.takes(graph.nodes())) {
        if is_slow(tasks, &graph, algorithm.name) || graph.tasks() > algorithm.most_onto(graph.processors()) {
            continue;
        }
        for options in variants() {
            let map = || algorithm.map(&graph, &options, &mut random::stream(tasks.seed, algorithm.name, 0));
            let mapping = map().map_err(|error| MAPPING_COSTS.broken(format!("{}: {error}", algorithm.name)))?;
            MAPPING_COSTS.equal(format_args!("{}, repeated", algorithm.name), &map(), &Ok(mapping.clone()))?;
            held.mapped(algorithm.name, &mapping)?;
            mapped += tasks.tasks as u64;
        }
    }
    held.exchanged()?;
    held.cut()?;
    Ok(mapped)
}

/// The variants of mappers that are tried.
fn variants() -> [Options; 2] {
    let plain = Options { proposals: 20, ..Options::default() };
    [plain, Options { starts: 2, multilevel: true, growth: Growth::Edges, ..plain }]
}

struct Held<'a, P> {
    planners: &'a P,
    tasks: &'a Tasks,
    graph: &'a TaskGraph,
    links: &'a Links,
    /// What the best of all mappings costs, if all were tried.
    least: Option<u64>,
    /// What none costs less than, if that is known.
    bound: Option<u64>,
}

impl<P: Planners> Held<'_, P> {
    /// A mapping gives each node as many tasks as every other, costs what its edges amount to, and no less than the least.
    fn mapped(&self, name: &str, mapping: &Mapping) -> Result<(), Broken> {
        let Self { tasks, graph, links, least, .. } = self;
        let on = |node: usize| mapping.processors().iter().filter(|&&other| other as usize == node).count();
        let shares: Vec<usize> = (0..graph.nodes()).map(on).collect();
        let alike = vec![graph.size() / graph.nodes(); graph.nodes()];
        MAPPING_COSTS.equal(format_args!("tasks of each node by {name}, and the share of a node"), &shares, &alike)?;
        let cost = self.planners.cost(graph, mapping);
        let plain = links.there_and_back(&tasks.edges, mapping.processors()).div_ceil(2);
        MAPPING_COSTS.equal(
            format_args!("cost of the mapping of {name}, fast and by the definition"),
            &cost,
            &plain,
        )?;
        if matches!(tasks.onto, Onto::Cube(_)) {
            let cuts: u64 = graph.cuts(mapping).into_iter().sum();
            MAPPING_COSTS.equal(format_args!("cuts of the mapping of {name}, and its cost"), &cuts, &cost)?;
        }
        if let Some(least) = *least
            && (cost < least || (name == "exhaustive" && cost > least))
        {
            return Err(BEST_MAPPING.broken(format!("{name} has a cost of {cost}, but the minimum is {least}")));
        }
        if name == "swap" {
            self.no_exchange_gains(mapping)?;
        }
        match self.bound.filter(|&bound| bound > cost) {
            Some(bound) => {
                Err(BEST_MAPPING.broken(format!("{name} has a cost of {cost}, but the lower bound is {bound}")))
            }
            None => Ok(()),
        }
    }

    /// Of a mapping that exchanges have ended with, no exchange of two tasks costs less.
    fn no_exchange_gains(&self, mapping: &Mapping) -> Result<(), Broken> {
        let size = self.graph.size();
        let cost = self.links.there_and_back(&self.tasks.edges, mapping.processors());
        for one in 0..size {
            for other in 0..one {
                let mut nodes = mapping.processors().to_vec();
                nodes.swap(one, other);
                let exchanged = self.links.there_and_back(&self.tasks.edges, &nodes);
                if exchanged < cost {
                    let how = format!(
                        "an exchange of tasks {one} and {other} after `swap` lowers the cost from {cost} to {exchanged}"
                    );
                    return Err(BEST_MAPPING.broken(how));
                }
            }
        }
        Ok(())
    }

    /// What exchanges one after the other are said to add to the cost is what it changes by.
    fn exchanged(&self) -> Result<(), Broken> {
        let Self { tasks, graph, links, .. } = self;
        let mut draws = random::stream(tasks.seed, "exchanges", 0);
        let Ok(start) = Mapping::drawn(graph, &mut draws) else { return Ok(()) };
        let mut task = || NodeId::new(draws.random_range(0..graph.size())).0;
        let exchanges: Vec<(u32, u32)> = (0..EXCHANGES).map(|_| (task(), task())).filter(|(a, b)| a != b).collect();
        let Ok((told, end)) = changes(graph, &start, &exchanges) else { return Ok(()) };
        // costs off cubes are of both ways
        let ways = if matches!(tasks.onto, Onto::Cube(_)) { 2 } else { 1 };
        let mut nodes = start.processors().to_vec();
        let mut costs = vec![links.there_and_back(&tasks.edges, &nodes)];
        for &(one, other) in &exchanges {
            nodes.swap(one as usize, other as usize);
            costs.push(links.there_and_back(&tasks.edges, &nodes));
        }
        let summed: Vec<i64> =
            costs.windows(2).map(|pair| (pair[1].cast_signed() - pair[0].cast_signed()) / ways).collect();
        MAPPING_COSTS.equal(
            format_args!("changes of the cost by exchanges {exchanges:?}, reported and computed"),
            &told,
            &summed,
        )?;
        MAPPING_COSTS.equal("nodes after exchanges, reported and computed", &end.processors(), &nodes.as_slice())
    }

    /// Recursive bipartition is the maximum cut of the modified graph, on a cube with a task a node.
    fn cut(&self) -> Result<(), Broken> {
        let Self { tasks, graph, .. } = self;
        if !matches!(tasks.onto, Onto::Cube(_)) || graph.size() != graph.nodes() {
            return Ok(());
        }
        let mut draws: Pcg64 = random::stream(tasks.seed, "sides", 0);
        let initial: Vec<Vec<bool>> =
            (0..graph.dimensions()).map(|_| (0..graph.size()).map(|_| draws.random_bool(0.5)).collect()).collect();
        let Ok(run) = mrb_from(graph, &initial) else { return Ok(()) };
        CUTS_AS_DEFINED.equal(
            "mrb, and maximum cuts of the modified graph",
            &run.mapping.processors(),
            &by_maximum_cuts(graph, &initial).as_slice(),
        )
    }
}
