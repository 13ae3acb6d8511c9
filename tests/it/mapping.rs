//! Mappings onto hypercubes: what independent implementations found, and what must hold of all.

use crate::support::data;
use flitwise::algorithm::mapping::{
    ALGORITHMS, Algorithm, GraphError, Growth, Mapping, MappingError, Options, TaskGraph, descend, exhaustive,
    generate, greedy, lower_bound, mrb, mrb_from,
};
use flitwise::selftest::reference::mappings::by_maximum_cuts;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use serde::Deserialize;

#[derive(Deserialize)]
struct Case {
    name: String,
    #[serde(rename = "N")]
    size: usize,
    edges: Vec<(u32, u32, u32)>,
    wsum: u64,
    cost_identity: u64,
    cuts_identity_bit0_first: Vec<u64>,
    opt: u64,
    opt_mapping: Vec<u32>,
    mrb_runs: Vec<Run>,
    greedy_growth: u64,
    greedy_growth_mapping: Vec<u32>,
    greedy_edge: u64,
    greedy_edge_mapping: Vec<u32>,
    spectral_lower_bound: f64,
}

#[derive(Deserialize)]
struct Run {
    init_side_per_step: Vec<Vec<u8>>,
    #[serde(rename = "X")]
    mapping: Vec<u32>,
    cut_weights: Vec<u64>,
    passes: Vec<usize>,
    cost: u64,
}

#[derive(Deserialize)]
struct Counterexample {
    edges: Vec<(u32, u32)>,
    opt: u64,
    seq_best: u64,
    seq_worst: u64,
}

fn cases() -> Vec<(Case, TaskGraph)> {
    let cases: Vec<Case> = data("mapping/graphs_n3_n4.json");
    cases.into_iter().map(|case| (TaskGraph::new(case.size, &case.edges).unwrap(), case)).map(|(g, c)| (c, g)).collect()
}

fn mapping(processors: &[u32]) -> Mapping {
    Mapping::new(processors.to_vec()).unwrap()
}

fn random(seed: u64) -> Pcg64 {
    Pcg64::seed_from_u64(seed)
}

/// A random graph of at most `most` tasks.
fn graph(random: &mut Pcg64, most: usize) -> TaskGraph {
    let (tasks, heaviest) = (random.random_range(1..=most), random.random_range(1..=10));
    let probability = f64::from(random.random_range(0..=10_u32)) / 10.0;
    generate::gnp(tasks, probability, heaviest, random).unwrap()
}

#[test]
fn costs_cuts_and_optima_are_the_references() {
    for (case, graph) in cases() {
        let (name, identity) = (&case.name, Mapping::identity(case.size).unwrap());
        assert_eq!(graph.total_weight(), case.wsum, "{name}");
        assert_eq!(graph.cost(&identity), case.cost_identity, "{name}");
        assert_eq!(graph.cuts(&identity), case.cuts_identity_bit0_first, "{name}");
        assert_eq!(graph.cost(&mapping(&case.opt_mapping)), case.opt, "{name}");
        assert_eq!(graph.cost(&exhaustive(&graph).unwrap()), case.opt, "{name}");
    }
}

#[test]
fn mrb_is_the_reference_cut_by_cut() {
    let mut compared = 0;
    for (case, graph) in cases() {
        for run in &case.mrb_runs {
            let sides: Vec<Vec<bool>> =
                run.init_side_per_step.iter().map(|sides| sides.iter().map(|&side| side == 1).collect()).collect();
            let ours = mrb_from(&graph, &sides).unwrap();
            assert_eq!(ours.mapping, mapping(&run.mapping), "{}", case.name);
            assert_eq!(graph.cuts(&ours.mapping), run.cut_weights, "{}", case.name);
            assert_eq!((ours.passes, graph.cost(&ours.mapping)), (run.passes.clone(), run.cost), "{}", case.name);
            compared += 1;
        }
    }
    assert!(compared >= 100, "{compared}");
}

#[test]
fn greedy_mappings_are_the_references() {
    for (case, graph) in cases() {
        for (growth, reference, cost) in [
            (Growth::Tasks, &case.greedy_growth_mapping, case.greedy_growth),
            (Growth::Edges, &case.greedy_edge_mapping, case.greedy_edge),
        ] {
            let ours = greedy(&graph, growth).unwrap();
            assert_eq!((&ours, graph.cost(&ours)), (&mapping(reference), cost), "{} {growth:?}", case.name);
        }
    }
}

#[test]
fn the_spectral_bound_is_no_less_than_the_references_and_no_more_than_the_optimum() {
    for (case, graph) in cases() {
        let bound = lower_bound(&graph).unwrap();
        assert!(bound as f64 >= case.spectral_lower_bound - 1e-6, "{} {bound}", case.name);
        assert!(bound <= case.opt, "{} {bound}", case.name);
    }
}

/// The least and the greatest cost of bipartitions that are each of least weight: all bisections tried, all ties followed.
fn sequential(edges: &[(u32, u32)], classes: &[u32], dimensions: u32) -> (u64, u64) {
    if dimensions == 0 {
        return (0, 0);
    }
    let weight =
        |half: u32| edges.iter().filter(|&&(one, other)| (half >> one ^ half >> other) & 1 == 1).count() as u64;
    let halves = |half: &u32| classes.iter().all(|class| (class & half).count_ones() * 2 == class.count_ones());
    let all: Vec<u32> = (0..256).filter(halves).collect();
    let least = all.iter().map(|&half| weight(half)).min().unwrap();
    let costs = all.into_iter().filter(|&half| weight(half) == least).map(|half| {
        let split: Vec<u32> = classes.iter().flat_map(|class| [class & half, class & !half]).collect();
        sequential(edges, &split, dimensions - 1)
    });
    let (best, worst) = costs.fold((u64::MAX, 0), |sum, cost| (sum.0.min(cost.0), sum.1.max(cost.1)));
    (least + best, least + worst)
}

#[test]
fn best_cuts_one_after_the_other_can_miss_the_optimum() {
    for case in data::<Vec<Counterexample>>("mapping/counterexample_sequential.json") {
        let edges: Vec<(u32, u32, u32)> = case.edges.iter().map(|&(one, other)| (one, other, 1)).collect();
        let graph = TaskGraph::new(8, &edges).unwrap();
        assert_eq!(graph.cost(&exhaustive(&graph).unwrap()), case.opt);
        assert_eq!(sequential(&case.edges, &[255], 3), (case.seq_best, case.seq_worst));
        assert!(case.opt < case.seq_best);
        // annealing is not misled
        let least = (0..3)
            .map(|seed| {
                graph.cost(
                    &Algorithm::named("anneal").unwrap().map(&graph, &Options::default(), &mut random(seed)).unwrap(),
                )
            })
            .min();
        assert_eq!(least, Some(case.opt));
    }
}

#[test]
fn annealing_finds_the_optima_of_small_graphs_and_is_no_worse_than_its_start() {
    let anneal = Algorithm::named("anneal").unwrap();
    let (mut runs, mut hits) = (0, 0);
    for (case, graph) in cases() {
        for seed in 0..5 {
            let cost = graph.cost(&anneal.map(&graph, &Options::default(), &mut random(seed)).unwrap());
            let start = Mapping::random(graph.size(), &mut random(seed)).unwrap();
            assert!((case.opt..=graph.cost(&start)).contains(&cost), "{}", case.name);
            runs += 1;
            hits += usize::from(cost == case.opt);
        }
    }
    assert!(hits * 100 >= runs * 97, "{hits} of {runs}");
}

#[test]
fn every_mapper_maps_one_to_one_and_reproducibly_and_costs_no_less_than_it_can() {
    let options = Options { proposals: 50, ..Options::default() };
    for seed in 0..60 {
        let draw = &mut random(seed);
        let graph = graph(draw, if seed % 2 == 0 { 8 } else { 70 });
        let optimum = exhaustive(&graph).ok().map(|best| graph.cost(&best));
        let least = optimum.unwrap_or_else(|| lower_bound(&graph).unwrap());
        assert!(lower_bound(&graph).unwrap() <= least);
        for algorithm in ALGORITHMS.iter().filter(|algorithm| graph.tasks() <= algorithm.most_tasks) {
            for options in [options, Options { starts: 3, multilevel: true, growth: Growth::Edges, ..options }] {
                let map = || algorithm.map(&graph, &options, &mut random(seed + 1000)).unwrap();
                let mapping = map();
                // one-to-one, by another check than the mapping's own
                let mut nodes = mapping.processors().to_vec();
                nodes.sort_unstable();
                assert!(nodes.into_iter().eq(0..u32::try_from(graph.size()).unwrap()), "{}", algorithm.name);
                assert_eq!(mapping, map(), "{}", algorithm.name);
                let cost = graph.cost(&mapping);
                assert!(cost >= least, "{} costs {cost}, at least {least}", algorithm.name);
                assert_eq!(graph.cuts(&mapping).iter().sum::<u64>(), cost);
            }
        }
    }
}

#[test]
fn the_cubes_symmetries_keep_the_cost() {
    for seed in 0..100 {
        let draw = &mut random(seed);
        let graph = graph(draw, 40);
        let plain = Mapping::random(graph.size(), draw).unwrap();
        let flips = draw.random_range(0..u32::try_from(graph.size()).unwrap());
        let mut bits: Vec<u32> = (0..graph.dimensions()).collect();
        bits.shuffle(draw);
        let permuted = |node: u32| bits.iter().enumerate().map(|(to, &from)| (node >> from & 1) << to).sum::<u32>();
        let image = plain.processors().iter().map(|&node| permuted(node ^ flips)).collect();
        assert_eq!(graph.cost(&plain), graph.cost(&Mapping::new(image).unwrap()));
    }
}

#[test]
fn no_exchange_improves_what_exchanges_end_with() {
    for seed in 0..30 {
        let draw = &mut random(seed);
        let graph = if seed < 27 { graph(draw, 32) } else { generate::gnm(100, 400, 5, draw).unwrap() };
        let start = Mapping::random(graph.size(), draw).unwrap();
        let end = descend(&graph, &start).unwrap();
        let cost = graph.cost(&end);
        assert!(cost <= graph.cost(&start));
        for one in 0..graph.size() {
            for other in 0..one {
                let mut nodes = end.processors().to_vec();
                nodes.swap(one, other);
                assert!(graph.cost(&mapping(&nodes)) >= cost);
            }
        }
    }
}

#[test]
fn mrb_is_the_maximum_cut_of_the_modified_graph() {
    for seed in 0..150 {
        let draw = &mut random(seed);
        let graph = graph(draw, 40);
        let sides = |_| (0..graph.size()).map(|_| draw.random_bool(0.5)).collect();
        let initial: Vec<Vec<bool>> = (0..graph.dimensions()).map(sides).collect();
        assert_eq!(mrb_from(&graph, &initial).unwrap().mapping.processors(), by_maximum_cuts(&graph, &initial));
    }
}

#[test]
fn regular_graphs_are_mapped_at_the_costs_of_the_reference() {
    let best = |graph: &TaskGraph, options: Options| {
        (0..5).map(|seed| graph.cost(&mrb(graph, &options, &mut random(seed)).unwrap())).min().unwrap()
    };
    let draw = &mut random(1);
    let starts = Options { starts: 10, ..Options::default() };
    assert_eq!(best(&generate::hypercube(6, 1, draw).unwrap(), starts), 192);
    assert_eq!(best(&generate::mesh(&[8, 8], 1, draw).unwrap(), starts), 112);
    assert_eq!(
        best(&generate::hypercube(8, 1, draw).unwrap(), Options { multilevel: true, ..Options::default() }),
        1024
    );
}

/// Regular graphs of 1024 tasks from merged tasks, ten starts a bipartition: at most what another implementation found.
#[test]
fn regular_graphs_from_merged_tasks_cost_no_more_than_the_reference() {
    let options = Options { starts: 10, multilevel: true, ..Options::default() };
    let draw = &mut random(1);
    for (name, graph, reference) in [
        ("mesh", generate::mesh(&[32, 32], 1, draw), 2532),
        ("torus", generate::torus(&[32, 32], 1, draw), 2891),
        ("mesh of three dimensions", generate::mesh(&[8, 8, 16], 1, draw), 2752),
        ("cube", generate::hypercube(10, 1, draw), 5120),
        ("ring", generate::ring(1024, 1, draw), 1156),
        ("binary tree", generate::complete_binary_tree(10, 1, draw), 1341),
        ("binomial tree", generate::binomial_tree(10, 1, draw), 1166),
    ] {
        let graph = graph.unwrap();
        let costs = (0..6).map(|seed| graph.cost(&mrb(&graph, &options, &mut random(seed)).unwrap()));
        let mean = costs.sum::<u64>() / 6;
        assert!(mean <= reference, "{name}: {mean} for {reference}");
    }
}

/// Of more than 16384 tasks bipartitions start otherwise: by another way to the optimum of cubes, and not worse elsewhere.
#[test]
fn many_tasks_are_mapped_as_well_as_few() {
    let draw = &mut random(1);
    let options = Options::default();
    let cube = generate::hypercube(15, 1, draw).unwrap();
    assert_eq!(cube.cost(&mrb(&cube, &options, draw).unwrap()), 15 << 14);
    // what the cost of a task is with 16384 of them, and the bits that are more
    let per_task = |tasks: usize, draw: &mut Pcg64| {
        let graph = generate::gnm(tasks, 4 * tasks, 5, draw).unwrap();
        graph.cost(&mrb(&graph, &options, draw).unwrap()) as f64 / tasks as f64
    };
    let few = per_task(1 << 14, draw);
    let many = per_task(1 << 15, draw);
    assert!(many < few * 15.0 / 14.0, "{many} {few}");
}

#[test]
fn generated_graphs_have_the_edges_they_should() {
    let draw = &mut random(3);
    let shape = |graph: TaskGraph| (graph.tasks(), graph.size(), graph.edge_count());
    assert_eq!(shape(generate::hypercube(5, 3, draw).unwrap()), (32, 32, 80));
    assert_eq!(shape(generate::mesh(&[3, 4], 3, draw).unwrap()), (12, 16, 17));
    assert_eq!(shape(generate::torus(&[3, 4, 2], 3, draw).unwrap()), (24, 32, 24 + 24 + 12));
    assert_eq!(shape(generate::ring(7, 3, draw).unwrap()), (7, 8, 7));
    assert_eq!(shape(generate::complete_binary_tree(4, 3, draw).unwrap()), (15, 16, 14));
    assert_eq!(shape(generate::binomial_tree(4, 3, draw).unwrap()), (16, 16, 15));
    assert_eq!(shape(generate::gnm(10, 45, 3, draw).unwrap()), (10, 16, 45));
    assert_eq!(shape(generate::gnm(100, 400, 3, draw).unwrap()), (100, 128, 400));
    assert_eq!(shape(generate::gnp(10, 1.0, 3, draw).unwrap()), (10, 16, 45));
    assert_eq!(shape(generate::gnp(10, 0.0, 3, draw).unwrap()), (10, 16, 0));
    assert_eq!(shape(generate::gnm(1, 5, 3, draw).unwrap()), (1, 1, 0));
    let mut weights = [0; 4];
    for (_, _, weight) in generate::gnp(300, 0.3, 3, draw).unwrap().edges() {
        weights[weight as usize] += 1;
    }
    // 44850 pairs: 4485 edges expected of each weight, deviation 64
    assert!(weights[0] == 0 && weights[1..].iter().all(|count| (4165..4805).contains(count)), "{weights:?}");
}

#[test]
fn bad_graphs_and_bad_mappings_are_refused() {
    let bad = |tasks, edges: &[(u32, u32, u32)]| TaskGraph::new(tasks, edges).unwrap_err();
    assert_eq!(bad(0, &[]), GraphError::NoTasks);
    assert!(matches!(bad(usize::MAX, &[]), GraphError::TooManyTasks { .. }));
    assert_eq!(bad(3, &[(0, 1, 1), (1, 3, 1)]), GraphError::NoSuchTask { edge: 1, task: 3, tasks: 3 });
    assert_eq!(bad(3, &[(2, 2, 1)]), GraphError::SelfLoop { edge: 0, task: 2 });
    assert_eq!(bad(3, &[(0, 1, 0)]), GraphError::ZeroWeight { edge: 0 });
    assert_eq!(bad(3, &[(0, 2, 1), (2, 0, 4)]), GraphError::Repeated { low: 0, high: 2 });
    assert_eq!(generate::ring(5, 0, &mut random(1)), Err(GraphError::ZeroWeight { edge: 0 }));
    assert_eq!(generate::mesh(&[3, 0], 1, &mut random(1)), Err(GraphError::NoTasks));
    assert!(matches!(generate::hypercube(70, 1, &mut random(1)), Err(GraphError::TooManyTasks { .. })));
    assert_eq!(Mapping::new(vec![0, 1, 2]), Err(MappingError::NotACube(3)));
    assert_eq!(Mapping::new(vec![0, 2]), Err(MappingError::NoSuchNode { task: 1, node: 2, nodes: 2 }));
    assert_eq!(Mapping::new(vec![1, 1]), Err(MappingError::Shared { task: 1, node: 1 }));
    let big = generate::ring(17, 1, &mut random(1)).unwrap();
    assert!(matches!(exhaustive(&big), Err(MappingError::TooManyTasks { .. })));
    assert_eq!(mrb_from(&big, &[]), Err(MappingError::Sides { dimensions: 5, tasks: 32 }));
}

/// A random graph of up to `most` tasks for a cube that it fills, several times over or not at all.
fn clustered(random: &mut Pcg64, most: usize) -> TaskGraph {
    let graph = graph(random, most);
    let dimensions = random.random_range(0..=graph.dimensions() + 1);
    graph.onto(dimensions).unwrap()
}

#[test]
fn every_mapper_fills_every_node_alike_where_a_node_has_several_tasks() {
    let options = Options { proposals: 50, ..Options::default() };
    let (mut several, mut met) = (0, 0);
    for seed in 0..24 {
        let draw = &mut random(seed);
        let graph = clustered(draw, if seed % 2 == 0 { 8 } else { 70 });
        // many tasks that talk to nobody are many mappings that cost the same
        let solvable = graph.tasks() + 2 >= graph.size();
        let optimum = solvable.then(|| exhaustive(&graph).ok()).flatten().map(|best| graph.cost(&best));
        let bound = lower_bound(&graph).unwrap();
        let least = optimum.unwrap_or(bound);
        assert!(bound <= least, "seed {seed}: {bound} {least}");
        several += usize::from(graph.size() > graph.nodes());
        let fits = |algorithm: &&Algorithm| {
            graph.size() <= algorithm.most_tasks && (solvable || algorithm.name != "exhaustive")
        };
        for algorithm in ALGORITHMS.iter().filter(fits) {
            let variants = if matches!(algorithm.name, "greedy" | "mrb") { Growth::ALL.len() } else { 1 };
            for (_, growth) in Growth::ALL.into_iter().take(variants) {
                let options = Options { starts: 2, multilevel: growth == Growth::Edges, growth, ..options };
                let mapping = algorithm.map(&graph, &options, &mut random(seed + 1000)).unwrap();
                let mut load = vec![0; graph.nodes()];
                mapping.processors().iter().for_each(|&node| load[node as usize] += 1);
                assert!(load.iter().all(|&tasks| tasks == graph.size() / graph.nodes()), "{}", algorithm.name);
                let cost = graph.cost(&mapping);
                assert!(cost >= least, "seed {seed}: {} costs {cost}, at least {least}", algorithm.name);
                assert_eq!(graph.cuts(&mapping).iter().sum::<u64>(), cost);
                met += usize::from(Some(cost) == optimum && algorithm.name == "mrb");
            }
        }
    }
    assert!(several > 6 && met > 6, "{several} {met}");
}

/// The least cost of eight tasks on the four nodes of a square, from all ways to put two on each.
fn least_on_a_square(graph: &TaskGraph) -> u64 {
    let nodes = |code: u32| (0..8).map(|task| code >> (2 * task) & 3).collect();
    (0..1_u32 << 16).filter_map(|code| Mapping::clustered(nodes(code), 2).ok()).map(|m| graph.cost(&m)).min().unwrap()
}

#[test]
fn the_best_clusters_are_the_best_of_all() {
    for seed in 0..12 {
        let graph = generate::gnp(8, 0.6, 9, &mut random(seed)).unwrap().onto(2).unwrap();
        assert_eq!(graph.cost(&exhaustive(&graph).unwrap()), least_on_a_square(&graph), "seed {seed}");
    }
}

/// The first bits of MRB do not depend on how many follow, and a smaller cube is those bits.
#[test]
fn clusters_of_mrb_are_its_first_bits() {
    for seed in 0..20 {
        let draw = &mut random(seed);
        let graph = generate::gnm(100, 300, 5, draw).unwrap();
        let options = Options { starts: 2, multilevel: seed % 2 == 0, ..Options::default() };
        let whole = mrb(&graph, &options, &mut random(seed)).unwrap();
        let small = graph.clone().onto(4).unwrap();
        let clusters = mrb(&small, &options, &mut random(seed)).unwrap();
        assert_eq!(clusters, whole.clone().folded(4));
        assert_eq!(small.cost(&clusters), graph.cuts(&whole)[..4].iter().sum::<u64>());
    }
}

/// 1024 tasks of mean degree 8 on 64 nodes: what another implementation found, within what graphs differ by.
#[test]
fn clusters_cost_what_the_reference_costs() {
    let options = Options::default();
    let (mut plain, mut merged) = (0.0, 0.0);
    for seed in 0..4 {
        let graph = generate::gnm(1024, 4096, 5, &mut random(seed)).unwrap().onto(6).unwrap();
        let cost = |options: &Options| graph.cost(&mrb(&graph, options, &mut random(seed)).unwrap()) as f64;
        plain += cost(&options) / 4.0;
        merged += cost(&Options { multilevel: true, ..options }) / 4.0;
    }
    assert!((plain / 18242.0 - 1.0).abs() < 0.02 && (merged / 17794.0 - 1.0).abs() < 0.02, "{plain} {merged}");
    assert!(merged < plain);
}

#[test]
fn greedy_growth_maps_what_grows_like_it_at_no_detour() {
    for seed in 0..5 {
        let draw = &mut random(seed);
        for dimensions in [3, 6, 10] {
            let ring = generate::ring(1 << dimensions, 1, draw).unwrap();
            let breadth = ring.cost(&greedy(&ring, Growth::Breadth).unwrap());
            assert_eq!(breadth, ring.total_weight(), "ring of 2^{dimensions}");
        }
        let tree = generate::binomial_tree(8, 1, draw).unwrap();
        assert_eq!(tree.cost(&greedy(&tree, Growth::Breadth).unwrap()), 255);
        // a star: the centre at node 0, the leaves by distance from it
        let star: Vec<(u32, u32, u32)> = (1..16).map(|leaf| (0, leaf, 16 - leaf)).collect();
        let star = TaskGraph::new(16, &star).unwrap();
        let nearest = greedy(&star, Growth::Nearest).unwrap();
        let hops: Vec<u32> = nearest.processors().iter().map(|node| node.count_ones()).collect();
        assert_eq!(hops, [0, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 4]);
    }
}

/// By hand: in the order 2, 0, 1, 3 of the pulls, each next to whom it has most to say to.
#[test]
fn nearest_growth_looks_at_the_strongest_neighbour_only() {
    let edges = [(0, 2, 9), (1, 2, 8), (2, 3, 1), (0, 3, 5), (1, 3, 4)];
    let graph = TaskGraph::new(4, &edges).unwrap();
    // 2 weighs 18; 0 goes to node 1 beside it, 1 to node 2; 3 has most to say to 0, and takes node 3 beside that
    assert_eq!(greedy(&graph, Growth::Nearest).unwrap().processors(), [1, 2, 0, 3]);
    let heavy: Vec<(u32, u32, u32)> = vec![(0, 1, 3), (0, 2, 2), (0, 3, 2), (0, 4, 1)];
    let star = TaskGraph::new(8, &heavy).unwrap();
    // breadth first: three beside node 0, the fourth at the nearest that is left
    assert_eq!(&greedy(&star, Growth::Breadth).unwrap().processors()[..5], [0, 1, 2, 4, 3]);
}

#[test]
fn bad_clusters_are_refused() {
    let bad = |processors: &[u32], dimensions| Mapping::clustered(processors.to_vec(), dimensions).unwrap_err();
    assert_eq!(bad(&[0, 1, 1, 1], 1), MappingError::Shared { task: 3, node: 1 });
    assert_eq!(bad(&[0, 1, 2, 1], 1), MappingError::NoSuchNode { task: 2, node: 2, nodes: 2 });
    assert_eq!(bad(&[0, 1], 2), MappingError::NotACube(2));
    assert_eq!(bad(&[0, 0, 0], 0), MappingError::NotACube(3));
    assert_eq!(bad(&[0], 64), MappingError::NotACube(1));
    let ring = generate::ring(5, 1, &mut random(1)).unwrap();
    assert_eq!(ring.clone().onto(25), Err(GraphError::CubeTooLarge(25)));
    assert_eq!(ring.clone().onto(6).map(|graph| (graph.tasks(), graph.size(), graph.nodes())), Ok((5, 64, 64)));
    let small = ring.onto(1).unwrap();
    assert_eq!((small.tasks(), small.size(), small.nodes()), (5, 8, 2));
    assert_eq!(mrb_from(&small, &[]), Err(MappingError::Sides { dimensions: 1, tasks: 8 }));
}

/// Sparse graphs of 1024 tasks, mean degree 8, weights 1 to 5, at the costs of the reference or below: the mean of three
/// graphs, as the reference's is of few, and of one graph 1 % is usual.
#[test]
fn sparse_graphs_are_mapped_at_the_costs_of_the_reference() {
    let graphs: Vec<TaskGraph> = (0..3).map(|seed| generate::gnm(1024, 4096, 5, &mut random(seed)).unwrap()).collect();
    let mean =
        |map: &dyn Fn(&TaskGraph) -> Mapping| graphs.iter().map(|graph| graph.cost(&map(graph))).sum::<u64>() / 3;
    let options = Options::default();
    let one = |graph: &TaskGraph| mrb(graph, &options, &mut random(9)).unwrap();
    let annealed = Algorithm::named("anneal").unwrap();
    let (plain, swapped) = (mean(&one), mean(&|graph| descend(graph, &one(graph)).unwrap()));
    assert!(plain * 1000 <= 33_427 * 1005, "{plain}");
    assert!(swapped * 1000 <= plain * 995, "{swapped} {plain}");
    let cost = mean(&|graph| annealed.map(graph, &options, &mut random(9)).unwrap());
    assert!(cost * 100 <= swapped * 99, "{cost} {swapped}");
}

/// The Hamming instances of QAPLIB, where they are at hand.
#[test]
#[ignore = "needs the instances: FLITWISE_QAPLIB names a JSON file of {name: {N, COST_opt, edges_list}}"]
fn annealing_reaches_the_published_optima() {
    #[derive(serde::Deserialize)]
    struct Instance {
        #[serde(rename = "N")]
        n: usize,
        #[serde(rename = "COST_opt")]
        optimum: u64,
        edges_list: Vec<(u32, u32, u32)>,
    }
    let path = std::env::var_os("FLITWISE_QAPLIB").expect("FLITWISE_QAPLIB names a file");
    let text = std::fs::read_to_string(path).unwrap();
    let instances: std::collections::BTreeMap<String, Instance> = serde_json::from_str(&text).unwrap();
    assert!(instances.len() >= 19);
    for (name, instance) in &instances {
        let graph = TaskGraph::new(instance.n, &instance.edges_list).unwrap();
        let options = Options { proposals: 20_000, ..Options::default() };
        let best = (0..10).map(|seed| {
            let mapping = Algorithm::named("anneal").unwrap().map(&graph, &options, &mut Pcg64::seed_from_u64(seed));
            graph.cost(&mapping.unwrap())
        });
        assert_eq!(best.min(), Some(instance.optimum), "{name}");
    }
}
