//! Broadcasts over grids: plans, times and event logs of two independent implementations, and what must hold of all.

use crate::support::data;
use flitwise::algorithm::broadcast::{Algorithm, FlatOrder, NodeCost, Options, Removal, lower_bound, optimal, ttcc};
use flitwise::engine::broadcast::{Contest, Happening, Rules, Spread, spread};
use flitwise::schedule::Tree;
use flitwise::topology::CostMatrix;
use flitwise::units::{NodeId, Ticks};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

type Matrix = Vec<Vec<u64>>;

#[derive(Deserialize)]
pub(crate) struct Case {
    name: String,
    n: usize,
    root: u32,
    #[serde(rename = "C_actual")]
    actual: Matrix,
    #[serde(rename = "C_pred")]
    predicted: Matrix,
    plans: BTreeMap<String, Plan>,
    ttcc: BTreeMap<String, Ttcc>,
    optimum_pred: Option<Optimum>,
    optimum_actual: Option<u64>,
    lower_bound_pred: Option<u64>,
}

#[derive(Deserialize)]
struct Plan {
    edges: Vec<(u32, u32)>,
    t_pred: Vec<u64>,
    completion_pred: u64,
    t_actual: Vec<u64>,
    completion_actual: u64,
}

#[derive(Deserialize)]
struct Optimum {
    value: u64,
}

#[derive(Deserialize)]
struct Ttcc {
    trees: Vec<Vec<(u32, u32)>>,
    runs: Vec<Run>,
}

#[derive(Deserialize)]
struct Run {
    k: usize,
    alpha: u64,
    semantics: String,
    skip_informed: bool,
    informed: Vec<u64>,
    parent: Vec<i64>,
    completion: u64,
    log: Option<Vec<Vec<Value>>>,
}

pub(crate) fn matrix(rows: &Matrix) -> CostMatrix {
    CostMatrix::new(rows.len(), rows.concat()).unwrap()
}

fn cases() -> Vec<Case> {
    let files = ["n5", "n6", "n7", "n8", "n9", "n10", "special"];
    files.iter().flat_map(|file| data::<Vec<Case>>(&format!("grid/bcast_{file}.json"))).collect()
}

fn edges(tree: &Tree) -> Vec<(u32, u32)> {
    tree.edges().iter().map(|&(src, dst)| (src.0, dst.0)).collect()
}

fn ticks(informed: Vec<Option<Ticks>>) -> Vec<u64> {
    informed.into_iter().map(|at| at.unwrap().0).collect()
}

/// The algorithm and its variant behind a name of the reference.
fn algorithm(name: &str) -> Option<(&'static Algorithm, Options)> {
    let default = Options::default();
    let (ours, options) = match name {
        "FEF" => ("fef", default),
        "ECEF" => ("ecef", default),
        "ECEF_LA_min" => ("ecef-lookahead", default),
        "FNF_rowsum" => ("fnf", default),
        "FNF_rowmin" => ("fnf", Options { node_cost: NodeCost::Min, ..default }),
        "SPOC_2class_rowsum" => ("spoc", default),
        "FLAT_rank" => ("flat", default),
        "FLAT_sorted" => ("flat", Options { flat_order: FlatOrder::Cost, ..default }),
        "BINOMIAL" => ("binomial", default),
        _ => return None,
    };
    Some((Algorithm::named(ours).unwrap(), options))
}

#[test]
fn plans_and_their_times_are_the_references() {
    let mut compared = 0;
    for case in cases() {
        let (actual, predicted, root) = (matrix(&case.actual), matrix(&case.predicted), NodeId(case.root));
        for (name, plan) in &case.plans {
            let (algorithm, options) = algorithm(name).unwrap_or_else(|| panic!("{name}"));
            let trees = algorithm.plan(&predicted, root, &options);
            let what = format!("{} {name}", case.name);
            assert_eq!((trees.len(), edges(&trees[0])), (1, plan.edges.clone()), "{what}");
            trees[0].check(case.n, root, true).unwrap();
            for (costs, times, completion) in
                [(&predicted, &plan.t_pred, plan.completion_pred), (&actual, &plan.t_actual, plan.completion_actual)]
            {
                assert_eq!(&ticks(trees[0].informed(costs, root)), times, "{what}");
                let run = spread(costs, root, &trees, Rules::default(), &mut ());
                assert_eq!((run.completion.0, &ticks(run.informed)), (completion, times), "{what}");
            }
            compared += 1;
        }
        for (costs, value) in
            [(&predicted, case.optimum_pred.as_ref().map(|o| o.value)), (&actual, case.optimum_actual)]
        {
            let Some(value) = value else { continue };
            let tree = optimal(costs, root);
            tree.check(case.n, root, true).unwrap();
            assert_eq!(tree.completion(costs, root).0, value, "{} optimal", case.name);
        }
        if let Some(bound) = case.lower_bound_pred {
            assert_eq!(lower_bound(&predicted, root), bound, "{}", case.name);
        }
    }
    assert!(compared > 300, "{compared}");
}

#[test]
fn trees_times_parents_and_logs_of_ttcc_are_the_references() {
    let (mut runs, mut logs) = (0, 0);
    for case in cases() {
        let (actual, predicted, root) = (matrix(&case.actual), matrix(&case.predicted), NodeId(case.root));
        for (removal, reference) in &case.ttcc {
            let removal = if removal == "directed_removal" { Removal::Directed } else { Removal::Undirected };
            let trees = ttcc(&predicted, root, 3, removal);
            assert_eq!(trees.iter().map(edges).collect::<Vec<_>>(), reference.trees, "{} {removal:?}", case.name);
            for run in &reference.runs {
                let contest = match run.semantics.as_str() {
                    "remain" => Contest::Remain,
                    "rate" => Contest::Rate,
                    "keepfree" => Contest::KeepFree,
                    "parallel" => Contest::Parallel,
                    other => panic!("{other}"),
                };
                let rules = Rules { alpha: Ticks(run.alpha), contest, refuse: run.skip_informed };
                let mut log = Vec::new();
                let Spread { informed, parent, completion } = spread(&actual, root, &trees[..run.k], rules, &mut log);
                let what = format!("{} {removal:?} k={} {rules:?}", case.name, run.k);
                assert_eq!((ticks(informed), completion.0), (run.informed.clone(), run.completion), "{what}");
                let parent: Vec<i64> = parent.into_iter().map(|p| p.map_or(-1, |p| p.0.into())).collect();
                assert_eq!(parent, run.parent, "{what}");
                runs += 1;
                let Some(expected) = &run.log else { continue };
                let line = |&(at, what, src, dst): &(Ticks, Happening, NodeId, NodeId)| {
                    let mut line = vec![Value::from(at.0), what.name().into(), src.0.into(), dst.0.into()];
                    if let Happening::Switch(other) | Happening::Keep(other) = what {
                        line.push(other.0.into());
                    }
                    line
                };
                assert_eq!(&log.iter().map(line).collect::<Vec<_>>(), expected, "{what}");
                logs += 1;
            }
        }
    }
    assert!(runs > 1000 && logs > 100, "{runs} runs, {logs} logs");
}
