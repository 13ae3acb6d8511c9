//! Broadcasts over grids: plans, times and event logs of two independent implementations, and what must hold of all.

use crate::support::data;
use flitwise::algorithm::broadcast::{
    Algorithm, FlatOrder, LookAhead, NodeCost, Options, Removal, Tree, lower_bound, optimal, ttcc,
};
use flitwise::engine::grid::{Contest, Happening, Rules, Spread, TreeBroadcast};
use flitwise::forecast::series::Kind;
use flitwise::forecast::{By, Criterion, Fluctuation, Method};
use flitwise::grid::{Clusters, Distribution, ForecastError, Generator, Quantity, Ranges, Truncation};
use flitwise::scenario::{Options as ScenarioOptions, Scenario};
use flitwise::schedule::Schedule;
use flitwise::selftest::reference::broadcasts as reference;
use flitwise::topology::CostMatrix;
use flitwise::units::{Flits, NodeId, Ticks};
use flitwise::workload::broadcast::Broadcast;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

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

/// The schedules of trees of which the first reaches every node; the others reach each to which they send once.
fn proved(trees: &[Tree], nodes: usize, root: NodeId) -> Vec<Schedule> {
    let schedules = trees.iter().enumerate().map(|(number, tree)| {
        let receivers: Vec<NodeId> = match number {
            0 => (0..nodes).map(NodeId::new).filter(|&node| node != root).collect(),
            _ => tree.edges().iter().map(|&(_, dst)| dst).collect(),
        };
        let schedule = tree.schedule(nodes, root, Flits(1));
        assert_eq!(schedule.check(&receivers).unwrap().messages, tree.edges().len());
        let mut holders = vec![root];
        for (src, dst) in tree.edges() {
            assert!(holders.contains(src), "node {src} has not been sent to when its send to {dst} is planned");
            holders.push(*dst);
        }
        schedule
    });
    schedules.collect()
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
            let schedules = proved(&trees, case.n, root);
            for (costs, times, completion) in
                [(&predicted, &plan.t_pred, plan.completion_pred), (&actual, &plan.t_actual, plan.completion_actual)]
            {
                assert_eq!(&ticks(trees[0].informed(costs, root)), times, "{what}");
                let run = TreeBroadcast::new(costs, &schedules).run(&mut ());
                assert_eq!((run.completion.0, &ticks(run.informed)), (completion, times), "{what}");
            }
            compared += 1;
        }
        for (costs, value) in
            [(&predicted, case.optimum_pred.as_ref().map(|o| o.value)), (&actual, case.optimum_actual)]
        {
            let Some(value) = value else { continue };
            let tree = optimal(costs, root);
            proved(std::slice::from_ref(&tree), case.n, root);
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
            let schedules = proved(&trees, case.n, root);
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
                let Spread { informed, parent, completion, .. } =
                    TreeBroadcast::new(&actual, &schedules[..run.k]).rules(rules).run(&mut log);
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

/// A matrix of `n` nodes with costs of one of several kinds; many of them tie.
pub(crate) fn random_costs(random: &mut Pcg64, n: usize) -> CostMatrix {
    let largest = [3, 20, 1000, 1_000_000][random.random_range(0..4)];
    let of_node: Option<Vec<u64>> =
        random.random_bool(0.2).then(|| (0..n).map(|_| random.random_range(1..5)).collect());
    let mut cost = |src: usize| of_node.as_ref().map_or_else(|| random.random_range(1..=largest), |of| of[src]);
    let costs = (0..n * n).map(|at| if at / n == at % n { 0 } else { cost(at / n) }).collect();
    CostMatrix::new(n, costs).unwrap()
}

#[test]
fn fast_planners_are_the_definitions_with_all_ties() {
    for seed in 0..600 {
        let mut random = Pcg64::seed_from_u64(seed);
        let n = random.random_range(1..25);
        let costs = random_costs(&mut random, n);
        let root = random.random_range(0..n);
        let fast = |name: &str, options: Options| {
            edges(&Algorithm::named(name).unwrap().plan(&costs, NodeId::new(root), &options)[0])
        };
        let default = Options::default();
        assert_eq!(fast("fef", default), reference::fef(&costs, root), "seed {seed}");
        assert_eq!(fast("ecef", default), reference::ecef(&costs, root), "seed {seed}");
        assert_eq!(fast("ecef-lookahead", default), reference::ecef_ahead_least(&costs, root), "seed {seed}");
        let average = Options { look_ahead: LookAhead::Average, ..default };
        assert_eq!(fast("ecef-lookahead", average), reference::ecef_ahead_mean(&costs, root), "seed {seed}");
    }
}

/// Costs of which many are equal, at a size where entries of the planners' queues go out of date by the dozen.
#[test]
fn queues_of_planners_are_scans_of_all_sends() {
    for seed in 0..8 {
        let mut random = Pcg64::seed_from_u64(seed);
        let n = random.random_range(80..120);
        let most = [1, 3, 100][random.random_range(0..3)];
        let draws = (0..n * n).map(|_| random.random_range(1..=most));
        let drawn: Vec<u64> = draws.enumerate().map(|(at, cost)| if at / n == at % n { 0 } else { cost }).collect();
        let costs = CostMatrix::new(n, drawn).unwrap();
        let plan = |name: &str| edges(&Algorithm::named(name).unwrap().plan(&costs, NodeId(0), &Options::default())[0]);
        assert_eq!(plan("fef"), reference::fef(&costs, 0), "seed {seed}");
        assert_eq!(plan("ecef"), reference::ecef(&costs, 0), "seed {seed}");
    }
}

#[test]
fn the_optimum_is_the_least_of_all_and_not_below_the_bound() {
    for seed in 0..150 {
        let mut random = Pcg64::seed_from_u64(seed);
        let n = random.random_range(1..7);
        let (costs, root) = (random_costs(&mut random, n), NodeId::new(random.random_range(0..n)));
        let least = reference::least_completion(&costs, root.index());
        let found = optimal(&costs, root).completion(&costs, root).0;
        assert_eq!(found, least, "seed {seed}");
        assert!(found >= lower_bound(&costs, root), "seed {seed}");
    }
}

#[test]
fn further_trees_never_hurt_when_contests_cost_nothing() {
    let (mut better, mut anomalies) = (0, 0);
    for seed in 0..2000 {
        let mut random = Pcg64::seed_from_u64(seed);
        let n = random.random_range(2..30);
        let (predicted, actual) = (random_costs(&mut random, n), random_costs(&mut random, n));
        let root = NodeId::new(random.random_range(0..n));
        let removal = [Removal::Undirected, Removal::Directed][random.random_range(0..2)];
        let trees = ttcc(&predicted, root, 4, removal);
        let mut sends: Vec<(u32, u32)> = trees.iter().flat_map(edges).collect();
        if removal == Removal::Undirected {
            sends.iter_mut().for_each(|(src, dst)| (*src, *dst) = ((*src).min(*dst), (*src).max(*dst)));
        }
        let count = sends.len();
        sends.sort_unstable();
        sends.dedup();
        assert_eq!(sends.len(), count, "seed {seed}: trees share a send");
        let schedules = proved(&trees, n, root);
        let run = |k: usize, rules: Rules| TreeBroadcast::new(&actual, &schedules[..k]).rules(rules).run(&mut ());
        let alone = ticks(run(1, Rules::default()).informed);
        let mut last = u64::MAX;
        for k in 2..=4 {
            for (contest, refuse) in [(Contest::Remain, true), (Contest::Parallel, true), (Contest::Remain, false)] {
                let spread = run(k, Rules { contest, refuse, ..Rules::default() });
                let informed = ticks(spread.informed);
                assert!(
                    informed.iter().zip(&alone).all(|(with, without)| with <= without),
                    "seed {seed} k={k} {contest:?}"
                );
                if contest == Contest::Remain && refuse {
                    better += u32::from(informed != alone);
                    anomalies += u32::from(spread.completion.0 > last);
                    last = spread.completion.0;
                }
            }
        }
        if n <= 7 {
            let least = optimal(&actual, root).completion(&actual, root);
            assert!(run(4, Rules::default()).completion >= least, "seed {seed}");
        }
    }
    assert!(better > 1000 && anomalies < 600, "{better} better, {anomalies} worse than with fewer trees");
}

#[test]
fn look_ahead_is_fastest_node_first_where_nodes_have_one_cost() {
    for seed in 0..200 {
        let mut random = Pcg64::seed_from_u64(seed);
        let n = random.random_range(2..40);
        let of_node: Vec<u64> = (0..n).map(|_| random.random_range(1..100)).collect();
        let costs = (0..n * n).map(|at| if at / n == at % n { 0 } else { of_node[at / n] }).collect();
        let costs = CostMatrix::new(n, costs).unwrap();
        let root = NodeId::new(random.random_range(0..n));
        let completion = |name: &str| {
            Algorithm::named(name).unwrap().plan(&costs, root, &Options::default())[0].completion(&costs, root)
        };
        assert_eq!(completion("ecef-lookahead"), completion("fnf"), "seed {seed}");
    }
}

fn generator(nodes: usize) -> Generator {
    Generator {
        nodes,
        bytes: 1_000_000,
        links: Ranges { latency: (10_000, 1_000_000), bandwidth: (2000, 200_000) },
        distribution: Distribution::Uniform,
        symmetric: false,
        per_node: false,
        clusters: None,
    }
}

/// Golden values: if they change, every published result that was drawn at random changes.
#[test]
fn grids_and_forecasts_are_what_they_have_always_been() {
    let links = generator(4).draw(&mut flitwise::random::stream(1, "grid", 0)).unwrap();
    let costs = links.costs().unwrap();
    assert_eq!(costs.row(1), GOLDEN_COSTS);
    let error = ForecastError::new(0.4, Quantity::Cost, Truncation::Lognormal, 0.0);
    let forecast = error.forecast(&links, 0, &mut flitwise::random::stream(1, "forecast error", 0)).unwrap();
    assert_eq!(forecast.row(1), GOLDEN_FORECASTS);
}

const GOLDEN_COSTS: [u64; 4] = [7_622_215, 0, 10_776_988, 285_633_155];
const GOLDEN_FORECASTS: [u64; 4] = [5_557_195, 0, 13_626_788, 368_755_488];

#[test]
fn drawn_grids_are_as_described() {
    let draw = |generator: &Generator| generator.draw(&mut Pcg64::seed_from_u64(3)).unwrap().costs().unwrap();
    let plain = generator(40);
    let costs = draw(&plain);
    let within = |cost: &u64| (plain.floor()..=plain.ceiling()).contains(cost);
    assert!(costs.costs().iter().filter(|&&cost| cost > 0).all(within));
    assert_eq!((plain.floor(), plain.ceiling()), (10_000 + 5_000_000, 1_000_000 + 500_000_000));
    let symmetric = draw(&Generator { symmetric: true, ..plain });
    let per_node = draw(&Generator { per_node: true, ..plain });
    for (a, b) in (0..40).flat_map(|a| (0..40).map(move |b| (a, b))).filter(|(a, b)| a != b) {
        assert_eq!(symmetric.row(a)[b], symmetric.row(b)[a]);
        assert_eq!(per_node.row(a)[b], per_node.row(a)[(a + 1) % 40]);
    }
    let between = Ranges { latency: (20_000_000, 30_000_000), bandwidth: (10, 20) };
    let clusters = draw(&Generator { clusters: Some(Clusters { count: 4, between }), ..plain });
    assert!(clusters.row(0)[9] < 501_000_001 && clusters.row(0)[10] > 50_000_000_000);
    // of ratios that are all as likely, half are below the geometric mean
    let log = draw(&Generator { distribution: Distribution::LogUniform, ..plain });
    let slow = log.costs().iter().filter(|&&cost| cost > 50_500_000).count();
    assert!((650..910).contains(&slow), "{slow} of 1560");
}

#[test]
fn forecasts_are_wrong_as_much_as_asked() {
    let links = generator(60).draw(&mut Pcg64::seed_from_u64(3)).unwrap();
    let actual = links.costs().unwrap();
    let floor = generator(60).floor();
    let forecast = |sigma: f64, on: Quantity, truncation: Truncation| {
        let error = ForecastError::new(sigma, on, truncation, 0.05);
        error.forecast(&links, floor, &mut Pcg64::seed_from_u64(4)).unwrap()
    };
    #[expect(clippy::cast_precision_loss, reason = "small")]
    let ratios = |forecast: &CostMatrix| -> Vec<f64> {
        let pairs = forecast.costs().iter().zip(actual.costs()).filter(|(_, actual)| **actual > 0);
        pairs.map(|(forecast, actual)| *forecast as f64 / *actual as f64).collect()
    };
    #[expect(clippy::cast_precision_loss, reason = "small")]
    let spread = |values: &[f64]| {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        (values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / values.len() as f64).sqrt()
    };
    for truncation in
        [Truncation::Floor, Truncation::Resample, Truncation::Abs, Truncation::Clip, Truncation::Lognormal]
    {
        for on in [Quantity::Cost, Quantity::Bandwidth] {
            assert_eq!(forecast(0.0, on, truncation), actual, "{truncation:?}");
        }
        let small = spread(&ratios(&forecast(0.1, Quantity::Cost, truncation)));
        assert!((0.09..0.11).contains(&small), "{truncation:?}: {small}");
    }
    assert!(forecast(0.5, Quantity::Cost, Truncation::Floor).least() == floor);
    let clipped = ratios(&forecast(0.5, Quantity::Cost, Truncation::Clip));
    assert!(clipped.iter().all(|&ratio| ratio > 0.0499) && clipped.iter().any(|&ratio| ratio < 0.0501));
    let reflected = ratios(&forecast(0.5, Quantity::Cost, Truncation::Abs));
    assert!(reflected.iter().any(|&ratio| ratio < 0.1));
}

#[test]
fn links_that_fluctuate_are_forecast_as_well_as_they_can_be() {
    let spread = |kind: &str, every: u64, by: By| {
        let fluctuation = Fluctuation { kind: Kind::named(kind), every, measurements: 60, by };
        let ratios: Vec<f64> = (0..300)
            .map(|link| {
                let (forecast, truth) = fluctuation.observe(1, link);
                assert!(forecast > 0.0 && truth > 0.0);
                libm::log(forecast / truth)
            })
            .collect();
        (ratios.iter().map(|ratio| ratio * ratio).sum::<f64>() / 300.0).sqrt()
    };
    let last = By::Method(Method::named("LAST").unwrap());
    let mean = By::Method(Method::named("RUN_MEAN").unwrap());
    let mse = By::Selection(Criterion::Mse);
    // of independent values the last says less than the mean, of a walk it says all; the selection knows which
    assert!(spread("white", 3, last) > 1.2 * spread("white", 3, mean));
    assert!(spread("white", 3, mse) < 1.1 * spread("white", 3, mean));
    assert!(spread("walk", 3, mean) > 3.0 * spread("walk", 3, last));
    assert!(spread("walk", 3, mse) < 1.2 * spread("walk", 3, last));
    assert!(spread("walk", 30, last) > 2.0 * spread("walk", 3, last), "the longer ago, the worse");
    let mixed = Fluctuation { kind: None, every: 3, measurements: 20, by: mse };
    assert_eq!(mixed.observe(3, 4), mixed.observe(3, 4));
    assert_ne!(mixed.observe(3, 4), mixed.observe(3, 5));
}

#[test]
fn scenarios_draw_a_grid_a_repetition_and_the_same_at_every_sigma() {
    let text = |error: &str| {
        format!(
            "name = \"g\"\nrepetitions = 2\n[network.grid]\nnodes = 6\nbytes = 1000\nlatency = [1, 9]\nbandwidth = [10, 900]\n\
             {error}\n[workload.broadcast]\nalgorithms = [\"ecef\"]\n"
        )
    };
    let costs = |error: &str, repetition: u64| {
        let scenario = Scenario::parse("s", &text(error), Path::new(""), &ScenarioOptions::default()).unwrap();
        let broadcast = scenario.points[0].experiment.workload.downcast_ref::<Broadcast>().unwrap();
        broadcast.grid.costs(1, repetition).unwrap()
    };
    let plain = costs("", 0);
    assert_eq!(plain.actual, plain.predicted);
    assert_ne!(plain.actual, costs("", 1).actual);
    let wrong = costs("[error]\nsigma = 0.5", 0);
    assert_eq!(wrong.actual, plain.actual, "the truth does not depend on the forecast");
    assert_ne!(wrong.predicted, plain.actual);
    let fluctuating = costs("[error.forecast]\nseries = \"walk\"\nperiod = 30", 0);
    assert_ne!(fluctuating.actual, fluctuating.predicted);
    assert_ne!(fluctuating.actual, plain.actual);
}
