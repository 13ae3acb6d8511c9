//! `[workload.broadcast]`: trees planned under forecasts, executed under what links cost.

use super::faults::{self, FaultSpec};
use super::grid::{self, Grid};
use crate::algorithm::broadcast::{
    ALGORITHMS, Algorithm, FlatOrder, LookAhead, MOST_NODES, NodeCost, Options, Removal, Tree,
};
use crate::config::{Diagnostic, Files, Reader};
use crate::engine::grid::{Contest, Rules};
use crate::kind::{Setting, Workload};
use crate::topology::CostMatrix;
use crate::units::{Key, NodeId, Ticks};
use serde::Serialize;
use std::sync::Arc;

/// A broadcast workload.
#[derive(Clone, Debug, Serialize)]
pub struct Broadcast {
    /// The grid.
    pub grid: Grid,
    /// The algorithms to compare.
    pub algorithms: Vec<&'static Algorithm>,
    /// The node that has the message.
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

const ALGORITHMS_KEY: Key = Key::names("algorithms", "broadcast algorithm", Algorithm::name_at)
    .says("algorithms to compare; see `flitwise list algorithms`");
const ROOT: Key = Key::integer("root", 0..=u32::MAX as u64).or(0).says("source node of the message");
const TREES: Key = Key::integer("trees", 1..=MOST_NODES as u64)
    .or(2)
    .read_by(&["ttcc"])
    .says("number of trees along which the message travels");
const REMOVALS: [(&str, Removal); 2] = [("undirected", Removal::Undirected), ("directed", Removal::Directed)];
const REMOVAL: Key = Key::word("removal", |at| REMOVALS.get(at).map(|(name, _)| *name))
    .or_word("undirected")
    .read_by(&["ttcc"])
    .says("links that a tree removes for the following trees: both directions (undirected), or only the used one (directed)");
const ALPHA: Key =
    Key::integer("alpha", 0..=1 << 46).or_else("0").unit("ticks").read_by(&["ttcc"]).says("duration of a contest");
const ALPHA_FRACTION: Key = Key::number("alpha_fraction", 0.0..=1000.0)
    .or_else("`alpha`")
    .read_by(&["ttcc"])
    .says("duration of a contest, as a fraction of the mean predicted cost on the first tree");
const CONTESTS: [(&str, Contest); 4] = [
    ("remain", Contest::Remain),
    ("rate", Contest::Rate),
    ("keepfree", Contest::KeepFree),
    ("parallel", Contest::Parallel),
];
const CONTEST: Key = Key::word("contest", |at| CONTESTS.get(at).map(|(name, _)| *name))
    .or_word("remain")
    .read_by(&["ttcc"])
    .says("rule that selects one of two senders to the same node; remain: by the rest of the first transfer and the whole \
         second one, with a pause for the selected sender; rate: by the costs of the links; keepfree: as remain, without \
         the pause; parallel: both send");
const REFUSE: Key = Key::boolean("refuse")
    .or_boolean(true)
    .read_by(&["ttcc"])
    .says("true if a node that already has the message refuses it, at no cost");
const FLAT_ORDERS: [(&str, FlatOrder); 2] = [("rank", FlatOrder::Rank), ("cost", FlatOrder::Cost)];
const FLAT_ORDER: Key = Key::word("flat_order", |at| FLAT_ORDERS.get(at).map(|(name, _)| *name))
    .or_word("rank")
    .read_by(&["flat"])
    .says("order in which the root sends: by number (rank), or the cheapest first (cost)");
const LOOK_AHEADS: [(&str, LookAhead); 2] = [("min", LookAhead::Min), ("average", LookAhead::Average)];
const LOOK_AHEAD: Key = Key::word("look_ahead", |at| LOOK_AHEADS.get(at).map(|(name, _)| *name))
    .or_word("min")
    .read_by(&["ecef-lookahead"])
    .says("estimate of the cost of forwarding from a node: the minimum or the average of its sends");
const NODE_COSTS: [(&str, NodeCost); 2] = [("mean", NodeCost::Mean), ("min", NodeCost::Min)];
const NODE_COST: Key = Key::word("node_cost", |at| NODE_COSTS.get(at).map(|(name, _)| *name))
    .or_word("mean")
    .read_by(&["fnf", "spoc"])
    .says("cost that represents a node: the mean or the minimum of its sends");
const CLASSES: Key =
    Key::integer("classes", 1..=MOST_NODES as u64).or(2).read_by(&["spoc"]).says("number of speed classes of nodes");
const DETAILS: Key = Key::boolean("details").or_boolean(true).says("output of trees.csv and nodes.csv");

pub(crate) const KEYS: &[Key] = &[
    ALGORITHMS_KEY,
    ROOT,
    TREES,
    REMOVAL,
    ALPHA,
    ALPHA_FRACTION,
    CONTEST,
    REFUSE,
    FLAT_ORDER,
    LOOK_AHEAD,
    NODE_COST,
    CLASSES,
    DETAILS,
];

pub(super) fn read(table: &Reader<'_>, setting: &Setting<'_>, files: &mut Files<'_>) -> Option<Arc<dyn Workload>> {
    let root = setting.root;
    if !root.is_given(&["network", "grid"]) && !root.has_table(&["network", "grid"]) {
        root.error(Diagnostic::at(table.place(), "a broadcast needs a [network.grid] to run on"));
        read_on(table, None, None);
        return None;
    }
    let grid = root.table("network").and_then(|network| {
        let grid = network.only_table().and_then(|(_, table)| grid::read(root, &table, files));
        network.finish();
        grid
    });
    let faults = faults::read(root);
    Some(Arc::new(read_on(table, grid, faults)?))
}

/// Reads the workload on `grid`, which is none if the network is another one or wrong itself.
fn read_on(table: &Reader<'_>, grid: Option<Grid>, faults: Option<FaultSpec>) -> Option<Broadcast> {
    let names = table.names(&ALGORITHMS_KEY);
    let root = table.count(&ROOT);
    let options = options(table, grid.as_ref());
    let alpha = alpha(table);
    let contest = table.choice(&CONTEST, &CONTESTS);
    let refuse = table.boolean(&REFUSE);
    let details = table.boolean(&DETAILS);
    if faults.is_some() && contest == Contest::Parallel {
        let message = "`contest = \"parallel\"` does not support [faults], because senders give up";
        table.error(Diagnostic::at(table.place_of("contest"), message).note("accepted: remain, rate, keepfree"));
    }
    let grid = grid?;
    let nodes = grid.nodes();
    if root >= nodes {
        let message = format!("`root` = {root} is not a node of the grid");
        table.error(Diagnostic::at(table.place_of("root"), message).note(format!("accepted: 0 to {}", nodes - 1)));
        return None;
    }
    let mut algorithms = Vec::new();
    for (position, at) in names.chosen {
        let algorithm = &ALGORITHMS[at];
        if nodes > algorithm.most_nodes {
            if names.every {
                continue;
            }
            let message = format!("`{}` supports at most {} nodes, not {nodes}", algorithm.name, algorithm.most_nodes);
            let place = table.place_within_array(&["algorithms"], position);
            table.error(Diagnostic::at(place, message));
        }
        algorithms.push(algorithm);
    }
    let root = NodeId::new(root);
    Some(Broadcast { grid, algorithms, root, options, alpha, contest, refuse, faults, details })
}

fn options(table: &Reader<'_>, grid: Option<&Grid>) -> Options {
    let trees = table.count(&TREES);
    let most = grid.map_or(trees, |grid| grid.nodes() - 1).max(1);
    if table.gives(&TREES) && trees > most {
        let message =
            format!("`trees` = {trees} is too large: each tree removes a link of the root for the following trees");
        table.error(Diagnostic::at(table.place_of(TREES.name), message).note(format!("accepted here: 1 to {most}")));
    }
    Options {
        trees,
        removal: table.choice(&REMOVAL, &REMOVALS),
        flat_order: table.choice(&FLAT_ORDER, &FLAT_ORDERS),
        look_ahead: table.choice(&LOOK_AHEAD, &LOOK_AHEADS),
        node_cost: table.choice(&NODE_COST, &NODE_COSTS),
        classes: table.count(&CLASSES),
    }
}

fn alpha(table: &Reader<'_>) -> Alpha {
    let ticks = table.optional_integer(&ALPHA);
    let fraction = table.optional_number(&ALPHA_FRACTION);
    if ticks.is_some() && fraction.is_some() {
        let message = "`alpha` and `alpha_fraction` exclude each other";
        table.error(Diagnostic::at(table.place_of(ALPHA_FRACTION.name), message));
    }
    match fraction {
        Some(fraction) => Alpha::Fraction(fraction),
        None => Alpha::Ticks(Ticks(ticks.unwrap_or(0))),
    }
}
