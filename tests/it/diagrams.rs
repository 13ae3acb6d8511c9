//! `flitwise schedule --format svg`: what stands in the pictures, and what is refused.

use crate::cli::{Bench, csv_rows};
use flitwise::algorithm::collective::{ALGORITHMS, Request};
use flitwise::schedule::collective::Operation;
use roxmltree::Document;
use std::collections::BTreeSet;

const MESH: &str = "name = \"s\"\n[network.mesh]\nshape = [4, 4]\n[node]\nsend_setup = 20\nreceive_setup = 30\n\
                    [workload.multicast]\nalgorithms = [\"opt-mesh\"]\nflits = 5\nnodes = [5, 0, 3, 10, 15]\n";

const GRID: &str = "name = \"s\"\n[network.grid]\nnodes = 5\nbytes = 1000\nlatency = [1, 9]\nbandwidth = [1, 9]\n\
                    [workload.broadcast]\nalgorithms = [\"ttcc\"]\ntrees = 2\n";

const MAPPING: &str = "name = \"s\"\n[network.hypercube]\ndimension = 3\n[workload.mapping]\nalgorithms = [\"mrb\"]\n\
                       generator = \"gnp\"\ndensity = 0.5\nweights = 9\nsimulate = false\n";

/// The texts of the picture that `arguments` give, and how many heads of arrows it has.
fn picture(bench: &Bench, arguments: &[&str]) -> (Vec<String>, usize) {
    let svg = bench.ok(&[&["schedule", "s.toml", "--format", "svg"], arguments].concat());
    let document = Document::parse(&svg).unwrap();
    let named = |name: &'static str| document.descendants().filter(move |node| node.has_tag_name(name));
    let texts = named("text").map(|node| node.text().unwrap().trim().to_owned()).collect();
    (texts, named("polygon").count())
}

fn count(texts: &[String], text: &str) -> usize {
    texts.iter().filter(|other| *other == text).count()
}

#[test]
fn a_multicast_is_a_tree_a_timing_and_ways() {
    let bench = Bench::new(MESH);
    let (texts, arrows) = picture(&bench, &["--diagram", "tree"]);
    assert_eq!((arrows, count(&texts, "(1,1)"), count(&texts, "0")), (4, 1, 1));
    assert_eq!(
        count(
            &texts,
            "Trees: a box is a node. The number below its name is the time at which it has the message (ticks)."
        ),
        1
    );
    let listed = bench.ok(&["schedule", "s.toml"]);
    let last = listed.lines().map(|line| line.split(',').nth(8).unwrap().to_owned()).next_back().unwrap();
    assert!(texts.contains(&format!("tree, predicted: {last} ticks")), "{texts:?}");
    // by the model and as measured, each with a head for each message and one in the legend
    let (texts, arrows) = picture(&bench, &["--diagram", "timing"]);
    assert_eq!((arrows, count(&texts, "send"), count(&texts, "receive"), count(&texts, "aborted")), (10, 2, 2, 0));
    bench.ok(&["run", "s.toml", "--quiet"]);
    let row = csv_rows(&std::fs::read_to_string(bench.path("results/s/rows.csv")).unwrap()).remove(0);
    for title in ["predicted", "measured"] {
        assert_eq!(count(&texts, &format!("{title}: {} ticks", row[title])), 1, "{texts:?}");
    }
    // a head for each message and one for each in the list
    let (texts, arrows) = picture(&bench, &["--diagram", "paths"]);
    assert_eq!(arrows, 8);
    for line in listed.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let name = |node: &str| node.parse::<u32>().map(|node| format!("({},{})", node / 4, node % 4)).unwrap();
        let way = format!("{} to {}, {} to {}", name(fields[3]), name(fields[4]), fields[7], fields[8]);
        assert!(texts.contains(&way), "{way} is not in {texts:?}");
    }
    let (all, _) = picture(&bench, &[]);
    let (both, _) = picture(&bench, &["--diagram", "tree,timing"]);
    assert!(all.len() > both.len() && both.len() > texts.len() / 2);
}

/// An exchange's tables hold every block once; a broadcast over two trees is drawn as it ends; cuts sum to the cost.
#[test]
fn other_workloads_have_diagrams_of_their_own() {
    let bench =
        Bench::new("name = \"s\"\n[network.torus]\nshape = [4]\n[workload.exchange]\nalgorithms = [\"double-hop\"]\n");
    let (texts, _) = picture(&bench, &["--diagram", "blocks"]);
    // three states of 16 blocks, each two names, and four names of rows each
    assert_eq!(texts.iter().filter(|text| text.parse::<u32>().is_ok()).count(), 3 * (2 * 16 + 4));
    let bench = Bench::new(GRID);
    let (texts, arrows) = picture(&bench, &["--diagram", "tree"]);
    assert_eq!(texts.iter().filter(|text| text.contains(" alone, predicted: ")).count(), 2);
    assert!(
        texts.iter().any(|text| text.starts_with("resulting tree, measured: ")) && (8..=12).contains(&arrows),
        "{texts:?}"
    );
    let bench = Bench::new(MAPPING);
    let (texts, _) = picture(&bench, &[]);
    let cut = |text: &String| text.rsplit_once(" cuts ").map(|(_, cut)| cut.parse::<u64>().unwrap());
    let cuts: Vec<u64> = texts.iter().filter_map(cut).collect();
    bench.ok(&["run", "s.toml", "--quiet"]);
    let rows = csv_rows(&std::fs::read_to_string(bench.path("results/s/rows.csv")).unwrap());
    assert_eq!((cuts.len(), cuts.iter().sum::<u64>().to_string()), (3, rows[0]["cost"].clone()));
}

/// Graphs for Graphviz: as many edges as a broadcast has sends and a mapped graph has pairs that talk.
#[test]
fn broadcasts_and_mappings_are_graphs() {
    let bench = Bench::new(GRID);
    let graph = bench.ok(&["schedule", "s.toml", "--format", "dot"]);
    let sends = bench.ok(&["schedule", "s.toml"]).lines().count() - 1;
    assert!(graph.starts_with("digraph \"ttcc 0\" {\n  0 [shape=doublecircle];\n"), "{graph}");
    assert_eq!((graph.matches(" -> ").count(), graph.matches("style=dashed").count()), (sends, sends - 4));
    let bench = Bench::new(MAPPING);
    let graph = bench.ok(&["schedule", "s.toml", "--format", "dot"]);
    bench.ok(&["run", "s.toml", "--quiet"]);
    for row in csv_rows(&std::fs::read_to_string(bench.path("results/s/mapping.csv")).unwrap()) {
        let (task, node) = (&row["task"], &row["processor"]);
        assert!(graph.contains(&format!("  {task} [label=\"{task} on {node}\"];")), "{graph}");
    }
    assert!(graph.matches(" -- ").count() > 4, "{graph}");
}

/// Times are in the unit of the longest, where the scenario says how long a tick is; and all axes of a picture are equal.
#[test]
fn times_have_units_and_one_axis() {
    let text = MESH.replace("[\"opt-mesh\"]", "[\"opt-mesh\", \"sequential\"]");
    let bench = Bench::new(&format!("tick = \"1us\"\n{text}"));
    let (texts, _) = picture(&bench, &["--diagram", "tree,timing"]);
    assert_eq!(count(&texts, "time, µs"), 4, "{texts:?}");
    assert!(texts.iter().any(|text| text.starts_with("tree, predicted: ") && text.ends_with(" µs")), "{texts:?}");
    let axis = ["0", "20", "40", "60", "80", "100"].map(|time| count(&texts, time));
    assert!(axis.iter().all(|&times| times >= 4), "{axis:?}: {texts:?}");
}

/// Where predicted and measured times are equal, one diagram shows both.
#[test]
fn what_is_alike_is_drawn_once() {
    let bench = Bench::new(
        "name = \"s\"\n[network.torus]\nshape = [4]\n[node]\nsend_setup = 10\n[workload.exchange]\n\
         algorithms = [\"double-hop\"]\n",
    );
    let (texts, _) = picture(&bench, &["--diagram", "timing"]);
    assert_eq!(
        texts.iter().filter(|text| text.starts_with("predicted and measured (identical): ")).count(),
        1,
        "{texts:?}"
    );
    assert!(!texts.iter().any(|text| text.starts_with("measured: ")), "{texts:?}");
}

/// More messages than lines can tell apart have the lines of their generation; where head flits waited is marked, and
/// says for whom.
#[test]
fn many_messages_are_told_apart_and_where_they_met_is_marked() {
    let bench = Bench::new(
        "name = \"s\"\n[network.mesh]\nshape = [8, 8]\n[node]\nsend_setup = 200\nreceive_setup = 350\n\
         [workload.multicast]\nalgorithms = [\"opt-tree\"]\nflits = 400\ngroup = 32\n",
    );
    let svg = bench.ok(&["schedule", "s.toml", "--format", "svg", "--diagram", "paths"]);
    let (texts, _) = picture(&bench, &["--diagram", "paths"]);
    let groups: Vec<u32> =
        texts.iter().filter_map(|text| text.strip_suffix(" messages")?.rsplit(": ").next()?.parse().ok()).collect();
    assert_eq!((groups.len(), groups.iter().sum::<u32>()), (3, 31), "{texts:?}");
    assert_eq!(count(&texts, "a head flit waited here (measured)"), 1);
    assert!(svg.contains(" ticks here, for ("), "{svg}");
    bench.ok(&["run", "s.toml", "--quiet"]);
    let row = csv_rows(&std::fs::read_to_string(bench.path("results/s/rows.csv")).unwrap()).remove(0);
    let number = |column: &str| row[column].parse::<usize>().unwrap();
    let waits = svg.matches(" waited ").count() - 1; // the legend says it too
    assert_eq!(waits, number("blocked_headers") - number("queued_messages"));
}

#[test]
fn what_cannot_be_read_is_refused_or_left_out() {
    let bench = Bench::new(MESH);
    let refused = |arguments: &[&str], what: &str| {
        let said = bench.fails(2, &[&["schedule", "s.toml"], arguments].concat());
        assert!(said.contains(what), "{said}");
    };
    refused(
        &["--format", "svg", "--diagram", "cuts"],
        "a multicast has no diagram `cuts`; accepted: tree, timing, paths",
    );
    refused(&["--format", "svg", "--diagram", "trees"], "tree, timing, paths, blocks, cuts");
    refused(&["--diagram", "tree"], "--diagram requires --format svg");
    let many = ["schedule", "s.toml", "--format", "svg", "--set", "repetitions=25"];
    let first = bench.call(&many);
    let said = String::from_utf8(first.stderr).unwrap();
    assert!(first.status.success() && said.contains("repetition 0 of 25 (--repetition selects another)"), "{said}");
    assert_eq!(bench.ok(&[&many[..], &["--repetition", "0"]].concat()).into_bytes(), first.stdout);
    let of_a_group = |size: usize| {
        let mesh = MESH.replace("shape = [4, 4]", "shape = [32, 32]");
        Bench::new(&mesh.replace("nodes = [5, 0, 3, 10, 15]", &format!("group = {size}")))
    };
    let output = of_a_group(100).call(&["schedule", "s.toml", "--format", "svg"]);
    let said = String::from_utf8(output.stderr).unwrap();
    let lanes = "omitted: opt-mesh: the `timing` diagram would have 100 lanes, but at most 64 are legible";
    assert!(output.status.success() && said.contains(lanes), "{said}");
    let said = of_a_group(100).fails(2, &["schedule", "s.toml", "--format", "svg", "--diagram", "paths"]);
    assert!(said.contains("at most 256 nodes and routers"), "{said}");
    let said = of_a_group(900).fails(2, &["schedule", "s.toml", "--format", "svg"]);
    assert!(said.contains("are legible"), "{said}");
}

/// A collective on a network, such as `torus` of shape `4, 4`.
fn collective(network: &str, shape: &str, keys: &str) -> Bench {
    Bench::new(&format!(
        "name = \"s\"\n[network.{network}]\nshape = [{shape}]\n[node]\nsend_setup = 20\nreceive_setup = 10\n\
         reduce_per_flit = 2\nports = 4\n[workload.collective]\n{keys}"
    ))
}

/// Every algorithm that can do it on a 4x4 torus and a 4x4 mesh has a tree, paths and tables; a timing, if it is short.
#[test]
fn all_collectives_of_16_nodes_are_drawn() {
    for operation in [Operation::Allreduce, Operation::Broadcast, Operation::ReduceScatter] {
        for network in ["torus", "mesh"] {
            let name = operation.name();
            let keys = |algorithms: &str| {
                format!(
                    "operation = \"{name}\"\nalgorithms = [{algorithms}]\nflits = 64\nunfit = \"skip\"\nsimulate = false\n"
                )
            };
            let request = Request { shape: vec![4, 4], ..Request::new(operation, 16, 64) };
            let is_fit = |name: &str| {
                let algorithm = ALGORITHMS.iter().find(|algorithm| algorithm.name == name).unwrap();
                !algorithm.unproved && (name == "multitree" || algorithm.admits(&request).is_ok())
            };
            let fit = ALGORITHMS.iter().filter(|one| one.operations.contains(&operation) && is_fit(one.name));
            let names: Vec<&str> = fit.map(|algorithm| algorithm.name).collect();
            assert!(names.len() > 4, "{names:?}");
            let listed: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
            let bench = collective(network, "4, 4", &keys(&listed.join(", ")));
            for algorithm in names {
                let (texts, _) = picture(&bench, &["--algorithm", algorithm, "--diagram", "tree,paths,blocks"]);
                for expected in ["step 0", "initially", "after step 0", "changed in this step"] {
                    assert_eq!(count(&texts, expected), 1, "{name} {algorithm} {network}: {expected}");
                }
                assert!(texts.iter().any(|text| text.contains("predicted: ")), "{name} {algorithm} {network}");
            }
        }
    }
}

/// The worked example of a ring: which message of which step carries which positions, and how many contributions.
const RING: [[(usize, usize, &str); 4]; 3] = [
    [(0, 1, "8-9"), (1, 2, "0-2"), (2, 3, "3-5"), (3, 0, "6-7")],
    [(0, 1, "6-7"), (1, 2, "8-9"), (2, 3, "0-2"), (3, 0, "3-5")],
    [(0, 1, "3-5"), (1, 2, "6-7"), (2, 3, "8-9"), (3, 0, "0-2")],
];

/// After each step a table shows what the messages of the step have brought, and marks it; lines of holdings agree.
#[test]
fn the_tables_of_a_ring_show_what_ranks_hold() {
    const SHARES: [&str; 4] = ["0-2", "3-5", "6-7", "8-9"];
    let bench = collective("torus", "4", "operation = \"reduce-scatter\"\nalgorithms = [\"ring\"]\nflits = 10\n");
    let svg = bench.ok(&["schedule", "s.toml", "--format", "svg", "--diagram", "blocks"]);
    let document = Document::parse(&svg).unwrap();
    let tips: Vec<&str> =
        document.descendants().filter(|node| node.has_tag_name("title")).filter_map(|node| node.text()).collect();
    let cells: Vec<&str> = tips.into_iter().filter(|tip| tip.contains("contribution")).collect();
    assert_eq!(cells.len(), 4 * 4 * 4);
    let lines = csv_rows(&bench.ok(&["schedule", "s.toml", "--format", "holdings"]));
    assert_eq!(lines.len(), 4 * 4);
    let mut held: Vec<Vec<BTreeSet<usize>>> = (0..4).map(|rank| vec![BTreeSet::from([rank]); 4]).collect();
    for after in 0..=RING.len() {
        let before = held.clone();
        for (src, dst, positions) in after.checked_sub(1).map_or(&[][..], |step| &RING[step]) {
            let share = SHARES.iter().position(|share| share == positions).unwrap();
            held[*dst][share].extend(&before[*src][share]);
        }
        for (rank, shares) in held.iter().enumerate() {
            let line = &lines[4 * after + rank];
            assert_eq!((line["after"].as_str(), line["node"].as_str()), (&*after.to_string(), &*rank.to_string()));
            let mut expanded: Vec<(u64, Vec<usize>)> = Vec::new();
            for stretch in line["blocks"].split(';') {
                let (positions, ranks) = stretch.split_once(':').unwrap();
                let (first, last) = positions.split_once('-').unwrap_or((positions, positions));
                let ranks: Vec<usize> = ranks.split(',').map(|rank| rank.parse().unwrap()).collect();
                let positions = first.parse::<u64>().unwrap()..=last.parse().unwrap();
                expanded.extend(positions.map(|position| (position, ranks.clone())));
            }
            let share_of = [0, 0, 0, 1, 1, 1, 2, 2, 3, 3];
            let expected: Vec<(u64, Vec<usize>)> =
                (0..).zip(share_of).map(|(at, share)| (at, shares[share].iter().copied().collect())).collect();
            assert_eq!(expanded, expected, "rank {rank} after {after} steps");
            for (share, contributors) in shares.iter().enumerate() {
                let cell = cells[16 * after + 4 * rank + share];
                let start = format!("{rank}, {}: the contribution", SHARES[share]);
                let ranks = cell.rsplit(" of ").next().unwrap();
                let many: usize = ranks
                    .split(", ")
                    .map(|run| match run.split_once('-') {
                        Some((first, last)) => last.parse::<usize>().unwrap() - first.parse::<usize>().unwrap() + 1,
                        None => 1,
                    })
                    .sum();
                assert!(cell.starts_with(&start) && many == contributors.len(), "{cell}: {contributors:?}");
            }
        }
    }
    let (texts, _) = picture(&bench, &["--diagram", "blocks"]);
    // four at the end, one in the legend
    assert_eq!((count(&texts, "all"), count(&texts, "3 of 4"), count(&texts, "{2}")), (5, 2 + 2, 4 + 3 + 2 + 1));
}

/// The trees of parts, the way to a root, and how a contribution spreads where there are no trees.
#[test]
fn trees_of_collectives_say_what_they_are() {
    let titles = |bench: &Bench| -> Vec<String> {
        let (texts, _) = picture(bench, &["--diagram", "tree"]);
        texts.into_iter().filter(|text| text.contains("predicted: ")).collect()
    };
    let of = |operation: &str, algorithm: &str, more: &str| {
        let keys = format!("operation = \"{operation}\"\nalgorithms = [\"{algorithm}\"]\nflits = 48\n{more}");
        collective("mesh", "4, 4", &keys)
    };
    let starts = |titles: &[String], expected: &[&str]| {
        assert_eq!(titles.len(), expected.len(), "{titles:?}");
        assert!(titles.iter().zip(expected).all(|(title, start)| title.starts_with(start)), "{titles:?}");
    };
    starts(&titles(&of("broadcast", "bine", "")), &["tree, predicted: "]);
    starts(&titles(&of("reduce", "binomial", "root = 5\n")), &["tree to the root, predicted: "]);
    let spread = "propagation of the contribution of (0,0), predicted: ";
    starts(&titles(&of("allreduce", "ring", "")), &[spread]);
    // messages that come to a rank by two ways are no tree
    let spread = "propagation of the contribution of (1,1), predicted: ";
    starts(&titles(&of("broadcast", "scatter-allgather", "root = 5\n")), &[spread]);
    let parts = |count: usize| (0..count).map(|part| format!("part {part}, reduced and broadcast, predicted: "));
    for (algorithm, count) in [("double-tree", 2), ("tto", 3)] {
        let expected: Vec<String> = parts(count).collect();
        let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
        let bench = of("allreduce", algorithm, "segment_flits = 4\nsynchronous = false\n");
        starts(&titles(&bench), &expected);
        let (texts, arrows) = picture(&bench, &["--diagram", "tree"]);
        // the corner of the middle tree has two ways
        let repaired = usize::from(algorithm == "tto");
        assert_eq!(arrows, count * 15 + repaired);
        assert_eq!(count_of_dashed(&texts), repaired);
    }
    let published = of("allreduce", "tto-as-published", "unproved = true\n");
    let (_, arrows) = picture(&published, &["--diagram", "tree"]);
    assert_eq!(arrows, 15 + 14 + 15, "the middle tree leaves out a corner");
}

fn count_of_dashed(texts: &[String]) -> usize {
    count(texts, "Trees: some segments use the dashed edges instead.")
}

/// A barrier has a column of whom ranks have heard; messages that are combined have a bar for it, and paths of many
/// messages the colours of their parts.
#[test]
fn diagrams_of_collectives_show_what_they_must() {
    let barrier = collective("torus", "6", "operation = \"barrier\"\nalgorithms = [\"dissemination\"]\n");
    let (texts, _) = picture(&barrier, &["--diagram", "tree,blocks"]);
    assert_eq!((count(&texts, "heard of"), count(&texts, "4 of 6")), (4, 3), "{texts:?}");
    assert!(texts.iter().any(|text| text.starts_with("propagation of the signal of 0, predicted: ")), "{texts:?}");
    let lines = csv_rows(&barrier.ok(&["schedule", "s.toml", "--format", "holdings"]));
    assert_eq!(lines.last().unwrap()["blocks"], "0,1,2,3,4,5");

    let keys = "operation = \"allreduce\"\nalgorithms = [\"swing-latency\"]\nflits = 8\n";
    let (texts, arrows) = picture(&collective("torus", "8", keys), &["--diagram", "timing"]);
    let combined = ["combine", "receive"].map(|what| count(&texts, what));
    let diagrams = texts.iter().filter(|text| text.contains(" ticks") && text.contains("ed")).count();
    assert_eq!((combined, arrows > 24 * diagrams), ([diagrams; 2], true), "{texts:?}");

    let keys = "operation = \"allreduce\"\nalgorithms = [\"swing-bandwidth\"]\nflits = 64\nparts = 4\n";
    let (texts, _) = picture(&collective("torus", "4, 4", keys), &["--diagram", "paths"]);
    assert_eq!(count(&texts, "part 3, reduce: 16 messages"), 4, "{texts:?}");
    assert_eq!(count(&texts, "part 3, copy: 16 messages"), 4, "{texts:?}");
    let few = "operation = \"broadcast\"\nalgorithms = [\"bine\"]\nflits = 16\n";
    let (texts, _) = picture(&collective("torus", "8", few), &["--diagram", "paths"]);
    assert_eq!(count(&texts, "0 to 3, copy 0-15"), 1, "{texts:?}");
}

#[test]
fn collectives_that_cannot_be_read_are_refused() {
    let refused = |shape: &str, algorithm: &str, diagram: &str, what: &str| {
        let keys =
            format!("operation = \"allreduce\"\nalgorithms = [\"{algorithm}\"]\nflits = 4096\nsimulate = false\n");
        let said = collective("torus", shape, &keys)
            .fails(2, &["schedule", "s.toml", "--format", "svg", "--diagram", diagram]);
        assert!(said.contains(what), "{said}");
    };
    refused("65", "circulant", "blocks", "the `blocks` diagram would have 65 nodes, but at most 64 are legible");
    refused("18", "ring", "blocks", "the `blocks` diagram would have 34 steps, but at most 32 are legible");
    refused(
        "33",
        "ring-bidirectional",
        "paths",
        "the `paths` diagram would have 66 messages in a step, but at most 64",
    );
    refused("5, 5", "swing-bandwidth", "timing", "messages, but at most 128 are legible");
    refused("129", "circulant", "tree", "the `tree` diagram would have 129 nodes, but at most 128 are legible");
    let keys = "operation = \"broadcast\"\nalgorithms = [\"chain\"]\nflits = 100\nsegment_flits = 1\n";
    let said = collective("torus", "3", &format!("{keys}root = 1\n"))
        .fails(2, &["schedule", "s.toml", "--format", "svg", "--diagram", "blocks"]);
    assert!(said.contains("the `blocks` diagram would have 101 steps"), "{said}");
    // what is too large for tables is too large for lines only where memory ends
    let keys =
        "operation = \"reduce-scatter\"\nalgorithms = [\"circulant\"]\nflits = 2000\ngroup = 1100\nsimulate = false\n";
    let bench = Bench::new(&format!("name = \"s\"\n[workload.collective]\n{keys}[model.logp]\nL = 6\no = 2\ng = 4\n"));
    let said = bench.fails(1, &["schedule", "s.toml", "--format", "holdings"]);
    assert!(said.contains("1100 ranks for 1100 pieces of the vector need 332 MiB"), "{said}");
}

/// Paths lead over fat trees, dragonflies and graphs, too: an arrow for each message, and what the places mean.
#[test]
fn paths_are_drawn_over_networks_without_coordinates() {
    for (network, words) in [
        ("network.fat-tree = { arity = 3, levels = 2 }", "switches are arranged by level, with the nodes below"),
        ("network.bmin = { radix = 2, levels = 3 }", "switches are arranged by level, with the nodes below"),
        ("network.dragonfly = { p = 2, a = 4, h = 1, groups = 5 }", "the routers of a group form a circle"),
        ("network.full-mesh.routers = 7", "the distance of two routers is roughly their number of hops."),
        (
            "network.mesh = { shape = [3, 3], concentration = 2 }",
            "roughly their number of hops; nodes are next to their routers",
        ),
    ] {
        let workload = "workload.multicast = { algorithms = [\"binomial\"], flits = 8, group = 5 }";
        let bench = Bench::new(&format!("name = \"s\"\n{network}\n{workload}\n"));
        let svg = bench.ok(&["schedule", "s.toml", "--format", "svg", "--diagram", "paths"]);
        assert!(svg.contains(words) && svg.contains("paths of 4 messages"), "{network}");
    }
}
