//! `flitwise schedule --format svg`: what stands in the pictures, and what is refused.

use crate::cli::{Bench, csv_rows};
use roxmltree::Document;

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
    assert_eq!(count(&texts, "Trees: a box is a node; below its name, when it has the message, ticks."), 1);
    let listed = bench.ok(&["schedule", "s.toml"]);
    let last = listed.lines().map(|line| line.split(',').nth(8).unwrap().to_owned()).next_back().unwrap();
    assert!(texts.contains(&format!("tree, predicted: {last} ticks")), "{texts:?}");
    // by the model and as measured, each with a head for each message and one in the legend
    let (texts, arrows) = picture(&bench, &["--diagram", "timing"]);
    assert_eq!((arrows, count(&texts, "send"), count(&texts, "receive"), count(&texts, "broken off")), (10, 2, 2, 0));
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
        texts.iter().any(|text| text.starts_with("in the end, measured: ")) && (8..=12).contains(&arrows),
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
    assert_eq!(texts.iter().filter(|text| text.starts_with("predicted and measured alike: ")).count(), 1, "{texts:?}");
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
    assert_eq!(count(&texts, "a head flit waited here, measured"), 1);
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
    refused(&["--format", "svg", "--diagram", "cuts"], "a multicast has no cuts; it has tree, timing, paths");
    refused(&["--format", "svg", "--diagram", "trees"], "tree, timing, paths, blocks, cuts");
    refused(&["--diagram", "tree"], "only --format svg reads --diagram");
    let many = ["schedule", "s.toml", "--format", "svg", "--set", "repetitions=25"];
    let first = bench.call(&many);
    let said = String::from_utf8(first.stderr).unwrap();
    assert!(
        first.status.success() && said.contains("repetition 0; --algorithm and --repetition choose others"),
        "{said}"
    );
    assert_eq!(bench.ok(&[&many[..], &["--repetition", "0"]].concat()).into_bytes(), first.stdout);
    let of_a_group = |size: usize| {
        let mesh = MESH.replace("shape = [4, 4]", "shape = [32, 32]");
        Bench::new(&mesh.replace("nodes = [5, 0, 3, 10, 15]", &format!("group = {size}")))
    };
    let output = of_a_group(100).call(&["schedule", "s.toml", "--format", "svg"]);
    let said = String::from_utf8(output.stderr).unwrap();
    let lanes = "left out: opt-mesh: the timing would have 100 lanes, and more than 64 cannot be read";
    assert!(output.status.success() && said.contains(lanes), "{said}");
    let said = of_a_group(100).fails(2, &["schedule", "s.toml", "--format", "svg", "--diagram", "paths"]);
    assert!(said.contains("of 256 nodes at most"), "{said}");
    let said = of_a_group(900).fails(2, &["schedule", "s.toml", "--format", "svg"]);
    assert!(said.contains("cannot be read"), "{said}");
}
