//! `[workload.broadcast]`: trees planned under forecasts, executed under what links cost.

use super::faults::FaultSpec;
use super::grid::Grid;
use crate::algorithm::broadcast::{
    ALGORITHMS, Algorithm, FlatOrder, LookAhead, MOST_NODES, NodeCost, Options, Removal,
};
use crate::config::Diagnostic;
use crate::config::{Reader, listed};
use crate::engine::broadcast::{Contest, Rules};
use crate::schedule::Tree;
use crate::topology::CostMatrix;
use crate::units::{NodeId, Ticks};
use serde::Serialize;

/// A broadcast workload.
#[derive(Clone, Debug, Serialize)]
pub struct Broadcast {
    /// The grid.
    pub grid: Grid,
    /// The algorithms to compare.
    #[serde(serialize_with = "names")]
    pub algorithms: Vec<&'static Algorithm>,
    /// Who has the message.
    pub root: NodeId,
    /// Variants of the algorithms.
    pub options: Options,
    /// What a contest costs.
    pub alpha: Alpha,
    /// How a contest is decided.
    pub contest: Contest,
    /// Whether a node that has the message refuses it.
    pub refuse: bool,
    /// What fails, if anything does.
    pub faults: Option<FaultSpec>,
    /// Whether trees and times of nodes are written.
    pub details: bool,
}

/// What a contest costs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Alpha {
    /// So many ticks.
    Ticks(Ticks),
    /// So much of the mean cost that the planner sees on the first tree.
    Fraction(f64),
}

impl Broadcast {
    /// The rules under which `trees`, planned under `predicted`, are executed.
    #[must_use]
    pub fn rules(&self, trees: &[Tree], predicted: &CostMatrix) -> Rules {
        let alpha = match self.alpha {
            Alpha::Ticks(ticks) => ticks,
            Alpha::Fraction(fraction) => part_of_mean(fraction, trees, predicted),
        };
        Rules { alpha, contest: self.contest, refuse: self.refuse }
    }
}

/// `fraction` of the mean cost of the first tree, in whole ticks.
#[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small")]
fn part_of_mean(fraction: f64, trees: &[Tree], predicted: &CostMatrix) -> Ticks {
    let edges = trees.first().map_or(&[][..], Tree::edges);
    let sum: Ticks = edges.iter().map(|&(src, dst)| predicted.cost(src, dst)).sum();
    Ticks((fraction * sum.0 as f64 / edges.len().max(1) as f64).round() as u64)
}

fn names<S: serde::Serializer>(algorithms: &[&'static Algorithm], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(algorithms.iter().map(|algorithm| algorithm.name))
}

/// Which algorithms read a key; `ttcc` reads those of contests.
const READERS: &[(&str, &[&str])] = &[
    ("trees", &["ttcc"]),
    ("removal", &["ttcc"]),
    ("alpha", &["ttcc"]),
    ("alpha_fraction", &["ttcc"]),
    ("contest", &["ttcc"]),
    ("refuse", &["ttcc"]),
    ("flat_order", &["flat"]),
    ("look_ahead", &["ecef-lookahead"]),
    ("node_cost", &["fnf", "spoc"]),
    ("classes", &["spoc"]),
];

/// Reads the workload on `grid`, which is none if the network is another one or wrong itself.
pub(super) fn read(table: &Reader<'_>, grid: Option<Grid>, faults: Option<FaultSpec>) -> Option<Broadcast> {
    let registered: Vec<_> = ALGORITHMS.iter().map(|algorithm| algorithm.name).collect();
    let written = table.registered("algorithms", "broadcast algorithm", &registered);
    let chosen: Vec<&str> = written.iter().map(|&(_, at)| ALGORITHMS[at].name).collect();
    for (key, readers) in READERS {
        if table.has(key) && !readers.iter().any(|reader| chosen.contains(reader)) {
            let readers = listed(readers.iter().copied());
            let message = format!("only {readers} reads `{key}`, and is not among the algorithms");
            table.error(Diagnostic::at(table.place_of(key), message));
        }
    }
    let root = table.integer("root", 0, 0..=u64::from(u32::MAX));
    let (options, alpha) = (options(table), alpha(table));
    let contests = [
        ("remain", Contest::Remain),
        ("rate", Contest::Rate),
        ("keepfree", Contest::KeepFree),
        ("parallel", Contest::Parallel),
    ];
    let contest = table.choice("contest", &contests, Contest::default());
    let (refuse, details) = (table.boolean("refuse", true), table.boolean("details", true));
    if faults.is_some() && contest == Contest::Parallel {
        let message = "where links fail, senders give up, which `parallel` contests do not know";
        table.error(Diagnostic::at(table.place_of("contest"), message).note("accepted: remain, rate, keepfree"));
    }
    let grid = grid?;
    let nodes = grid.nodes();
    if root >= nodes as u64 {
        let message = format!("the root is node {root}, which is not in the grid");
        table.error(Diagnostic::at(table.place_of("root"), message).note(format!("accepted: 0 to {}", nodes - 1)));
        return None;
    }
    let mut algorithms = Vec::new();
    for (position, at) in written {
        let algorithm = &ALGORITHMS[at];
        if nodes > algorithm.most_nodes {
            let message = format!("`{}` takes at most {} nodes, not {nodes}", algorithm.name, algorithm.most_nodes);
            let place = table.place_within_array(&["algorithms"], position);
            table.error(Diagnostic::at(place, message));
        }
        algorithms.push(algorithm);
    }
    let root = NodeId::new(usize::try_from(root).unwrap_or(0));
    Some(Broadcast { grid, algorithms, root, options, alpha, contest, refuse, faults, details })
}

fn options(table: &Reader<'_>) -> Options {
    let count = |key, default| usize::try_from(table.integer(key, default, 1..=MOST_NODES as u64)).unwrap_or(1);
    Options {
        trees: count("trees", 2),
        removal: table.choice(
            "removal",
            &[("undirected", Removal::Undirected), ("directed", Removal::Directed)],
            Removal::default(),
        ),
        flat_order: table.choice(
            "flat_order",
            &[("rank", FlatOrder::Rank), ("cost", FlatOrder::Cost)],
            FlatOrder::default(),
        ),
        look_ahead: table.choice(
            "look_ahead",
            &[("min", LookAhead::Min), ("average", LookAhead::Average)],
            LookAhead::default(),
        ),
        node_cost: table.choice("node_cost", &[("mean", NodeCost::Mean), ("min", NodeCost::Min)], NodeCost::default()),
        classes: count("classes", 2),
    }
}

fn alpha(table: &Reader<'_>) -> Alpha {
    let ticks = table.optional_integer("alpha", 0..=1 << 46);
    let fraction = table.optional_number("alpha_fraction", 0.0..=1000.0);
    if ticks.is_some() && fraction.is_some() {
        let message = "`alpha` and `alpha_fraction` exclude each other";
        table.error(Diagnostic::at(table.place_of("alpha_fraction"), message));
    }
    match fraction {
        Some(fraction) => Alpha::Fraction(fraction),
        None => Alpha::Ticks(Ticks(ticks.unwrap_or(0))),
    }
}
