//! Mappings onto networks other than hypercubes: costs are links of paths, and mappers find what a search of all finds.

use crate::cli::{Bench, csv_rows};
use flitwise::algorithm::mapping::{
    ALGORITHMS, Algorithm, Distances, Mapping, MappingError, Options, Processors, TaskGraph, descend, exhaustive,
    generate,
};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::collections::BTreeMap;
use std::fs;

const EDGES: [(usize, usize, u64); 5] = [(0, 1, 5), (1, 2, 1), (2, 3, 7), (3, 0, 2), (1, 3, 4)];

type Distance = fn(u64, u64) -> u64;

fn around(size: u64) -> impl Fn(u64, u64) -> u64 {
    move |one, other| one.abs_diff(other).min(size - one.abs_diff(other))
}

fn on_ring(one: u64, other: u64) -> u64 {
    around(6)(one, other)
}

fn on_mesh(one: u64, other: u64) -> u64 {
    (one / 4).abs_diff(other / 4) + (one % 4).abs_diff(other % 4)
}

/// A torus of three by three, of two nodes a router.
fn on_torus(one: u64, other: u64) -> u64 {
    let place = |node: u64| (node / 2 / 3, node / 2 % 3);
    around(3)(place(one).0, place(other).0) + around(3)(place(one).1, place(other).1)
}

const NETWORKS: [(&str, Distance); 5] = [
    ("network.graph = { file = \"ring.csv\" }\nrouter.routing = \"up-down\"", |one, other| {
        // the link from 3 to 4 leads up again after down, as the root is 0
        match (one.min(other), one.max(other)) {
            (2, 4) => 4,
            _ => on_ring(one, other),
        }
    }),
    ("network.full-mesh.routers = 6", |one, other| u64::from(one != other)),
    ("network.fat-tree = { arity = 2, levels = 3 }", |one, other| {
        2 * u64::from((one ^ other).checked_ilog2().unwrap_or(0))
    }),
    ("network.mesh.shape = [3, 4]", on_mesh),
    ("network.torus = { shape = [3, 3], concentration = 2 }", on_torus),
];

fn bench(network: &str, more: &str) -> Bench {
    let algorithms = "\"random\", \"greedy\", \"recursive\", \"mrb\", \"swap\", \"anneal\", \"exhaustive\"";
    let bench = Bench::new(&format!(
        "name = \"m\"\n{network}\n[workload.mapping]\nalgorithms = [{algorithms}]\nunfit = \"skip\"\ngraph = \"g.csv\"\n\
         simulate = true\n{more}"
    ));
    let edges: String = EDGES.iter().map(|(one, other, weight)| format!("{one},{other},{weight}\n")).collect();
    fs::write(bench.path("g.csv"), format!("a,b,weight\n{edges}")).unwrap();
    let nodes: String = (0..6).map(|node| format!("node,{node},{node}\n")).collect();
    let links: String = (0..6).map(|router| format!("link,{router},{}\n", (router + 1) % 6)).collect();
    fs::write(bench.path("ring.csv"), format!("kind,a,b\n{nodes}{links}")).unwrap();
    bench
}

fn rows(bench: &Bench, file: &str) -> Vec<BTreeMap<String, String>> {
    csv_rows(&fs::read_to_string(bench.path(&format!("results/m/{file}"))).unwrap())
}

#[test]
fn costs_are_links_of_paths_and_traffic_is_run() {
    for (network, links) in NETWORKS {
        let bench = bench(network, "");
        bench.ok(&["run", "s.toml", "--quiet"]);
        let mut places = BTreeMap::<String, Vec<u64>>::new();
        for line in rows(&bench, "mapping.csv") {
            places.entry(line["algorithm"].clone()).or_default().push(line["processor"].parse().unwrap());
        }
        let rows = rows(&bench, "rows.csv");
        let halving = places.keys().filter(|name| ["mrb", "recursive"].contains(&name.as_str())).count();
        assert_eq!(halving, if network.contains("fat-tree") { 2 } else { 0 }, "{network}");
        for row in rows {
            let nodes = &places[&row["algorithm"]];
            let cost: u64 = EDGES.iter().map(|&(one, other, weight)| weight * links(nodes[one], nodes[other])).sum();
            assert_eq!(row["cost"], cost.to_string(), "{} on {network}", row["algorithm"]);
            let number = |column: &str| row[column].parse::<u64>().unwrap();
            assert!(number("measured") >= number("predicted") && number("measured") > 0, "{network}");
        }
        assert!(!bench.path("results/m/cuts.csv").exists(), "{network} has no bits");
    }
}

/// Processors with random links between any two, the way back of another length.
fn scattered(random: &mut Pcg64, count: usize) -> Processors {
    let lengths: Vec<u32> = (0..count * count).map(|_| random.random_range(0..5)).collect();
    Distances::new(count, |one, other| lengths[one as usize * count + other as usize]).unwrap().into()
}

/// The least cost of all permutations.
fn least(graph: &TaskGraph, before: &mut Vec<u32>) -> u64 {
    let nodes = u32::try_from(graph.nodes()).unwrap();
    let share = graph.size() / graph.nodes();
    if before.len() == graph.size() {
        return graph.cost(&Mapping::onto(before.clone(), graph.nodes()).unwrap());
    }
    let mut best = u64::MAX;
    for node in 0..nodes {
        if before.iter().filter(|&&at| at == node).count() < share {
            before.push(node);
            best = best.min(least(graph, before));
            before.pop();
        }
    }
    best
}

#[test]
fn every_mapper_maps_alike_many_tasks_onto_every_node_and_none_costs_less_than_the_search() {
    for seed in 0..60 {
        let random = &mut Pcg64::seed_from_u64(seed);
        let tasks = random.random_range(1..=6);
        let processors = random.random_range(1..=6);
        let graph = generate::gnp(tasks, 0.6, 9, random).unwrap().onto_network(scattered(random, processors));
        let options = Options { proposals: 10, ..Options::default() };
        let optimum = graph.cost(&exhaustive(&graph).unwrap());
        assert_eq!(optimum, least(&graph, &mut Vec::new()), "seed {seed}");
        for algorithm in ALGORITHMS {
            match algorithm.map(&graph, &options, random) {
                Ok(mapping) => assert!(graph.cost(&mapping) >= optimum, "{} of seed {seed}", algorithm.name),
                Err(error) => {
                    let name = algorithm.name;
                    assert!(!processors.is_power_of_two(), "{name} of seed {seed}");
                    assert_eq!(error, MappingError::NotHalved { name, processors });
                }
            }
        }
    }
}

#[test]
fn no_exchange_improves_what_exchanges_end_with() {
    for seed in 0..30 {
        let random = &mut Pcg64::seed_from_u64(seed);
        let graph = generate::gnp(14, 0.4, 9, random).unwrap().onto_network(scattered(random, 7));
        let start = Mapping::drawn(&graph, random).unwrap();
        let end = descend(&graph, &start).unwrap();
        assert!(graph.cost(&end) <= graph.cost(&start));
        for one in 0..14 {
            for other in 0..one {
                let mut nodes = end.processors().to_vec();
                nodes.swap(one, other);
                // the cost is rounded up to whole links
                assert!(graph.cost(&Mapping::onto(nodes, 7).unwrap()) >= graph.cost(&end), "seed {seed}");
            }
        }
    }
}

/// A ring of tasks lies on a ring of as many nodes.
#[test]
fn annealing_lays_a_ring_of_tasks_on_a_ring() {
    let random = &mut Pcg64::seed_from_u64(1);
    let ring = Distances::new(12, |one, other| u32::try_from(around(12)(one.into(), other.into())).unwrap()).unwrap();
    let graph = generate::ring(12, 3, random).unwrap().onto_network(ring.into());
    let anneal = Algorithm::named("anneal").unwrap();
    let mapping = anneal.map(&graph, &Options::default(), random).unwrap();
    assert_eq!(graph.cost(&mapping), graph.total_weight());
}

/// Halving the highest bits first keeps those together that are near each other in a tree.
#[test]
fn tasks_in_pairs_are_halved_onto_the_leaves_of_a_tree() {
    let tree = Distances::new(16, |one, other| 2 * (one ^ other).checked_ilog2().unwrap_or(0)).unwrap();
    let pairs: Vec<(u32, u32, u32)> = (0..8).map(|task| (task, 15 - task, 4)).collect();
    let graph = TaskGraph::new(16, &pairs).unwrap().onto_network(tree.into());
    for name in ["recursive", "mrb"] {
        let algorithm = Algorithm::named(name).unwrap();
        let options = Options { starts: 20, ..Options::default() };
        let mapping = algorithm.map(&graph, &options, &mut Pcg64::seed_from_u64(3)).unwrap();
        assert_eq!(graph.cost(&mapping), 0, "{name}");
    }
}

#[test]
fn what_needs_a_power_of_two_or_a_hypercube_is_refused_by_name() {
    let mesh = "network.mesh.shape = [3, 4]";
    for (network, algorithm, more, said) in [
        (mesh, "mrb", "", "`mrb` bisects the nodes and requires a power of two of nodes, not 12"),
        (mesh, "recursive", "", "`recursive` bisects the nodes and requires a power of two of nodes, not 12"),
        (mesh, "greedy", "bound = true", "`bound` is available only for mappings onto hypercubes"),
        (mesh, "exhaustive", "", "`exhaustive` supports at most 10 tasks on networks other than hypercubes, not 12"),
        (
            "network.mesh.shape = [100, 100]",
            "greedy",
            "",
            "a network of 10000 nodes is too large for mapping; the limit is 8192 nodes",
        ),
        ("", "greedy", "", "a mapping needs a [network.*] with channels"),
    ] {
        let bench = Bench::new(&format!(
            "name = \"m\"\n{network}\n[workload.mapping]\nalgorithms = [\"{algorithm}\"]\ngenerator = \"ring\"\n{more}"
        ));
        let stderr = bench.fails(2, &["run", "s.toml"]);
        let stderr = stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(stderr.contains(said), "{network} {algorithm}: {stderr}");
    }
}
