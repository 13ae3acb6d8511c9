//! Multicasts in routers: their trees, predictions, counts, exports, and refusals.

use crate::cli::{Bench, csv_rows};
use crate::support::{data, data_path};
use flitwise::engine::Engine;
use flitwise::kind::{Keep, RowId, TreeEnds, TreeLine};
use flitwise::scenario::{Experiment, Scenario};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// A tree: its channels in the order of the list.
type Channels = Vec<TreeLine>;

/// The trees of row `algorithm` of `experiment`, in their order.
fn trees(experiment: &Experiment, algorithm: usize) -> Vec<Channels> {
    let id = RowId { point: 0, algorithm, repetition: 0 };
    let experiment = experiment.in_repetition(id).unwrap();
    let planned = experiment.plan(id).unwrap();
    let mut trees: Vec<Channels> = Vec::new();
    planned.trees(&mut |line| {
        trees.resize(trees.len().max(line.tree + 1), Vec::new());
        trees[line.tree].push(line.clone());
    });
    trees
}

/// The links of a tree with their virtual channels, in rising order.
fn links(tree: &Channels) -> Vec<[u64; 2]> {
    let links = tree.iter().filter_map(|line| line.ends.link());
    let links: BTreeSet<[u64; 2]> = links.map(|(link, vc)| [link.0.into(), vc.into()]).collect();
    links.into_iter().collect()
}

/// The source and the destinations of a tree, after a check that each channel begins where those that feed it end, that nothing else
/// than ejection channels feeds nothing, and that no channel is there twice.
fn ends(tree: &Channels) -> (u32, BTreeSet<u32>) {
    let mut sources = Vec::new();
    let mut destinations = BTreeSet::new();
    let mut fed = BTreeSet::new();
    let mut distinct = BTreeSet::new();
    for (id, line) in tree.iter().enumerate() {
        assert_eq!(line.id, id);
        let [from, to] = line.ends.numbers();
        assert!(distinct.insert((line.ends.kind(), line.ends.link(), from, to)), "{line:?} is there twice");
        fed.extend(line.after.iter().copied());
        match (line.ends, line.after.as_slice()) {
            (TreeEnds::Injection { from, .. }, []) => sources.push(from),
            (TreeEnds::Link { .. } | TreeEnds::Ejection { .. }, &[feed]) => {
                assert!((feed as usize) < id, "{line:?}");
                let before = tree[feed as usize].ends;
                assert!(!matches!(before, TreeEnds::Ejection { .. }) && before.numbers()[1] == from, "{line:?}");
            }
            other => panic!("{other:?}"),
        }
        if let TreeEnds::Ejection { to, .. } = line.ends {
            assert!(destinations.insert(to));
        }
    }
    let inner = tree.iter().filter(|line| !matches!(line.ends, TreeEnds::Ejection { .. }));
    assert!(inner.map(|line| u32::try_from(line.id).unwrap()).eq(fed), "a channel leads nowhere");
    assert_eq!(sources.len(), 1);
    (sources[0], destinations)
}

/// By destination, the number of links from the source.
fn hops(tree: &Channels) -> BTreeMap<u32, u64> {
    let mut depths: Vec<u64> = Vec::new();
    let mut hops = BTreeMap::new();
    for line in tree {
        let before = line.after.first().map_or(0, |&feed| depths[feed as usize]);
        depths.push(before + u64::from(line.ends.link().is_some()));
        if let TreeEnds::Ejection { to, .. } = line.ends {
            hops.insert(to, before);
        }
    }
    hops
}

/// A table of a scenario, as TOML has it.
fn table(text: &mut String, name: &str, keys: &Value) {
    writeln!(text, "[{name}]").unwrap();
    for (key, value) in keys.as_object().unwrap() {
        writeln!(text, "{key} = {value}").unwrap();
    }
}

/// The scenario of a case of the reference, on routers of a `model`.
fn scenario(case: &Value, model: &str) -> Scenario {
    let mut text = "name = \"t\"\n[node]\nsend_setup = 7\nsend_per_flit = 1\nreceive_setup = 5\nports = 4\n".to_owned();
    for (name, keys) in case["network"].as_object().unwrap() {
        table(&mut text, name, keys);
    }
    let vcs = &case["virtual_channels"];
    writeln!(text, "[channel]\nbuffer = 8\nvirtual_channels = {vcs}\n[router]\nmodel = \"{model}\"").unwrap();
    for (key, value) in case["router"].as_object().unwrap() {
        writeln!(text, "{key} = {value}").unwrap();
    }
    let nodes: Vec<&Value> = std::iter::once(&case["source"]).chain(case["destinations"].as_array().unwrap()).collect();
    let nodes = serde_json::to_string(&nodes).unwrap();
    let (algorithm, flits) = (&case["algorithm"], &case["flits"]);
    writeln!(text, "[workload.multicast]\nalgorithms = [{algorithm}]\nflits = {flits}\nnodes = {nodes}").unwrap();
    let directory = tempfile::tempdir().unwrap();
    for name in ["ring6.csv", "tree7.csv"] {
        std::fs::copy(data_path("in-network").join(name), directory.path().join(name)).unwrap();
    }
    let path = directory.path().join("s.toml");
    std::fs::write(&path, text).unwrap();
    Scenario::load(&path, &flitwise::scenario::Options::default()).unwrap()
}

#[test]
fn trees_are_those_of_the_reference() {
    let cases: Vec<Value> = data("in-network/trees.json");
    for case in &cases {
        let scenario = scenario(case, "ideal");
        let trees = trees(&scenario.points[0].experiment, 0);
        let expected: Vec<Vec<[u64; 2]>> = serde_json::from_value(case["links"].clone()).unwrap();
        assert_eq!(trees.iter().map(links).collect::<Vec<_>>(), expected, "{case}");
        let all: BTreeSet<u32> = serde_json::from_value(case["destinations"].clone()).unwrap();
        let mut reached = BTreeSet::new();
        for tree in &trees {
            let (source, destinations) = ends(tree);
            assert_eq!(u64::from(source), case["source"].as_u64().unwrap(), "{case}");
            assert_eq!(reached.len() + destinations.len(), reached.union(&destinations).count(), "{case}");
            reached.extend(destinations);
        }
        assert_eq!(reached, all, "{case}");
    }
    assert_eq!(cases.len(), 26);
}

/// Each destination is predicted as if the packet went there alone.
#[test]
fn times_are_those_of_a_unicast_along_the_tree() {
    for case in data::<Vec<Value>>("in-network/trees.json") {
        let flits = case["flits"].as_u64().unwrap();
        for (model, time) in [("ideal", [1, 1]), ("pipelined", [3, 4])] {
            let scenario = scenario(&case, model);
            let experiment = &scenario.points[0].experiment;
            let expected: BTreeMap<u32, u64> = trees(experiment, 0).iter().flat_map(hops).collect();
            let id = RowId { point: 0, algorithm: 0, repetition: 0 };
            let mut found = BTreeMap::new();
            experiment.plan(id).unwrap().messages(&mut |message| {
                let overheads = 7 + flits + 5;
                let expected_time = overheads + time[0] * message.hops.unwrap() + time[1] + flits;
                assert_eq!((message.send_start.0, message.received.0), (0, expected_time), "{model} {case}");
                found.insert(message.dst.0, message.hops.unwrap());
            });
            assert_eq!(found, expected, "{model} {case}");
        }
    }
}

/// The source sends a worm on each port at once, and the next when the port is free.
#[test]
fn worms_wait_for_the_ports_of_their_source() {
    let text = "name = \"t\"\n[network.mesh]\nshape = [5, 5]\n[node]\nsend_setup = 100\nports = 2\n[workload.multicast]\n\
                algorithms = [\"multi-path\"]\nflits = 8\nnodes = [12, 0, 4, 20, 24]\n";
    let scenario: Scenario = text.parse().unwrap();
    let mut starts = Vec::new();
    let id = RowId { point: 0, algorithm: 0, repetition: 0 };
    scenario.points[0].experiment.plan(id).unwrap().messages(&mut |message| {
        starts.push((message.dst.0, message.send_start.0));
    });
    // up first, and of each side the destinations with the lower second coordinate
    assert_eq!(starts, [(20, 0), (24, 0), (0, 100), (4, 100)]);
}

const MESH: &str = "[network.mesh]\nshape = [4, 4]\n[channel]\nbuffer = 8\n";
const TORUS: &str = "[network.torus]\nshape = [4, 4]\n[channel]\nbuffer = 8\n";

fn multicast(rest: &str, algorithms: &str, keys: &str) -> String {
    format!(
        "name = \"t\"\n{rest}[workload.multicast]\nalgorithms = {algorithms}\nflits = 5\nnodes = [5, 0, 7, 10]\n{keys}"
    )
}

fn variants(text: &str) -> Vec<&'static str> {
    let scenario: Scenario = text.parse().unwrap();
    let variants = scenario.points[0].experiment.workload.variants();
    variants.into_iter().filter(|name| ["router-tree", "dual-path", "multi-path", "tree-file"].contains(name)).collect()
}

#[test]
fn all_algorithms_are_those_that_the_routers_support() {
    let all = |rest: &str| variants(&multicast(rest, "\"all\"", ""));
    assert_eq!(all(MESH), ["router-tree", "dual-path", "multi-path"]);
    assert_eq!(all(TORUS), ["router-tree", "dual-path"]);
    assert_eq!(all("[network.bmin]\nradix = 2\nlevels = 4\n"), [""; 0]);
    assert_eq!(all("[model.parameterised]\nt_hold = 2\nt_end = 5\n"), [""; 0]);
    for engine in ["worm", "flit", "sleep"] {
        assert_eq!(all(&format!("{MESH}[engine]\nkind = \"{engine}\"\n")), [""; 0]);
    }
    assert_eq!(all(&format!("{MESH}[engine]\nkind = \"router\"\n")), ["router-tree", "dual-path", "multi-path"]);
    let adaptive = "[router]\nmodel = \"pipelined\"\nrouting = \"west-first\"\n";
    assert_eq!(all(&format!("{MESH}{adaptive}")), [""; 0]);
    // links of half a cycle are for the flit engine
    assert_eq!(all("[network.mesh]\nshape = [4, 4]\nflit_time = [1, 3]\n[channel]\nflit_time = 2\n"), [""; 0]);
}

/// With `engine = "auto"` packets that routers copy run on routers, and others on the wormhole engines.
#[test]
fn each_algorithm_takes_its_own_engine() {
    let scenario: Scenario = multicast(MESH, "[\"router-tree\", \"binomial\", \"dual-path\"]", "").parse().unwrap();
    let experiment = &scenario.points[0].experiment;
    let engine =
        |algorithm| experiment.in_repetition(RowId { point: 0, algorithm, repetition: 0 }).unwrap().machine.engine();
    assert_eq!([0, 1, 2].map(engine), [Engine::Router, Engine::Worm, Engine::Router]);
    assert!(experiment.machine.routers.is_none());
    let row = experiment.run(RowId { point: 0, algorithm: 1, repetition: 0 }, Keep::default()).unwrap();
    assert_eq!(row.engine, Some("worm"));
}

/// Without copies by routers, packets are messages, and flits over links follow from their paths.
#[test]
fn messages_that_nodes_forward_are_counted_as_packets() {
    let scenario: Scenario = multicast(MESH, "[\"sequential\"]", "").parse().unwrap();
    let row = scenario.points[0].experiment.run(RowId { point: 0, algorithm: 0, repetition: 0 }, Keep::default());
    let row = row.unwrap();
    let counts = ["packets", "link_flits", "forks", "joins"].map(|name| row.value(name));
    assert_eq!(counts, [Some(3), Some(5 * (2 + 2 + 2)), Some(0), Some(0)]);
    let modelled: Scenario =
        multicast("[model.parameterised]\nt_hold = 2\nt_end = 5\n", "[\"sequential\"]", "").parse().unwrap();
    let row = modelled.points[0].experiment.run(RowId { point: 0, algorithm: 0, repetition: 0 }, Keep::default());
    let row = row.unwrap();
    assert_eq!(["packets", "link_flits", "forks"].map(|name| row.value(name)), [Some(3), None, None]);
}

#[test]
fn schedules_list_messages_and_the_channels_of_trees() {
    let bench = Bench::new(&multicast(MESH, "[\"sequential\", \"router-tree\"]", ""));
    let rows = csv_rows(&bench.ok(&["schedule", "s.toml", "--algorithm", "router-tree"]));
    let ends: Vec<[&str; 3]> =
        rows.iter().map(|row| ["src", "dst", "hops"].map(|column| row[column].as_str())).collect();
    assert_eq!(ends, [["5", "0", "2"], ["5", "7", "2"], ["5", "10", "2"]]);
    let listed = bench.ok(&["schedule", "s.toml", "--format", "trees"]);
    let expected = "\
algorithm,repetition,tree,id,kind,link,vc,from,to,after
router-tree,0,0,0,injection,,,5,5,
router-tree,0,0,1,link,13,0,5,9,0
router-tree,0,0,2,link,14,0,5,1,0
router-tree,0,0,3,link,15,0,5,6,0
router-tree,0,0,4,link,29,0,9,10,1
router-tree,0,0,5,link,4,0,1,0,2
router-tree,0,0,6,link,19,0,6,7,3
router-tree,0,0,7,ejection,,,10,10,4
router-tree,0,0,8,ejection,,,0,0,5
router-tree,0,0,9,ejection,,,7,7,6
";
    assert_eq!(listed, expected);
    let error = bench.fails(2, &["schedule", "s.toml", "--format", "goal", "--algorithm", "router-tree"]);
    assert!(error.contains("no operations of ranks"), "{error}");
    let svg = bench.ok(&["schedule", "s.toml", "--format", "svg", "--algorithm", "router-tree"]);
    assert!(svg.contains("</svg>"));
}

/// A tree of the user along the second dimension first, which dimension order does not take.
#[test]
fn a_tree_from_a_file_takes_its_links() {
    let bench = Bench::new(&multicast(MESH, "[\"tree-file\"]", "tree = \"t.csv\"\n"));
    let edges = "from,to\n4,0\n5,4\n5,6\n6,7\n6,10\n";
    std::fs::write(bench.path("t.csv"), edges).unwrap();
    let rows = csv_rows(&bench.ok(&["schedule", "s.toml", "--format", "trees"]));
    let links = rows.iter().filter(|row| row["kind"] == "link");
    let found: BTreeSet<String> = links.map(|row| format!("{},{}", row["from"], row["to"])).collect();
    assert_eq!(found, edges.lines().skip(1).map(str::to_owned).collect());
}

/// A scenario that is refused, the tree file that it names, and the words of the message.
struct Refused {
    name: &'static str,
    text: String,
    tree: &'static str,
    says: &'static [&'static str],
}

fn refused(name: &'static str, rest: &str, algorithm: &str, says: &'static [&'static str]) -> Refused {
    Refused { name, text: multicast(rest, &format!("[\"{algorithm}\"]"), ""), tree: "", says }
}

fn refused_tree(name: &'static str, tree: &'static str, says: &'static [&'static str]) -> Refused {
    Refused { name, text: multicast(MESH, "[\"tree-file\"]", "tree = \"t.csv\"\n"), tree, says }
}

#[test]
fn machines_and_trees_that_do_not_fit_are_refused() {
    let adaptive = format!("{MESH}[router]\nmodel = \"pipelined\"\nrouting = \"west-first\"\n");
    let one_way = "[network.torus]\nshape = [4, 4]\ndirections = \"one-way\"\n";
    let cases = [
        refused("an engine", &format!("{MESH}[engine]\nkind = \"flit\"\n"), "router-tree", &["flit", "auto", "router"]),
        refused("a chip", &format!("{one_way}[device]\nlike = \"wormhole-b0\"\n"), "router-tree", &["`tree-worm`"]),
        refused("no network", "[model.parameterised]\nt_hold = 2\nt_end = 5\n", "dual-path", &["[network.*]"]),
        refused("tree-worm", MESH, "tree-worm", &["`router-tree`"]),
        refused("a routing", &adaptive, "dual-path", &["west-first", "dimension-order"]),
        refused("a fat tree", "[network.fat-tree]\narity = 4\nlevels = 2\n", "dual-path", &["mesh, torus, hypercube"]),
        refused("a torus", TORUS, "multi-path", &["mesh of 2 dimensions"]),
        refused("rings in one direction", one_way, "dual-path", &["no link of router (1,3)", "labels"]),
        refused("no file", MESH, "tree-file", &["`tree-file`", "`tree`"]),
        refused_tree(
            "two links in",
            "from,to\n5,1\n1,0\n5,4\n4,0\n5,6\n6,7\n6,10\n",
            &["t.csv:5", "router 0 has two links in"],
        ),
        refused_tree("not reached", "from,to\n5,1\n1,0\n6,7\n6,10\n", &["t.csv:4", "router 6 is not reached"]),
        refused_tree("a ring", "from,to\n5,1\n1,0\n2,3\n3,2\n", &["t.csv:4", "router 2 is not reached"]),
        refused_tree("no link", "from,to\n5,1\n1,0\n5,7\n", &["t.csv:4", "5 -> 7", "no link"]),
        refused_tree("left out", "from,to\n5,1\n1,0\n5,6\n6,7\n", &["destination 10 is not in t.csv"]),
        refused_tree(
            "a bare branch",
            "from,to\n5,1\n1,0\n5,6\n6,7\n6,10\n10,14\n",
            &["t.csv:7", "router 14 ends a branch"],
        ),
        refused_tree("no router", "from,to\n5,16\n", &["t.csv:2", "16", "0 to 15"]),
        refused_tree("into the source", "from,to\n5,1\n1,5\n", &["t.csv:3", "router 5 is that of the source"]),
    ];
    for Refused { name, text, tree, says } in cases {
        let bench = Bench::new(&text);
        std::fs::write(bench.path("t.csv"), tree).unwrap();
        let error = bench.fails(2, &["run", "s.toml"]);
        let error = error.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(says.iter().all(|says| error.contains(says)), "{name}: {error}");
    }
}

#[test]
fn a_tree_needs_an_algorithm_that_reads_it() {
    let bench = Bench::new(&multicast(MESH, "[\"router-tree\"]", "tree = \"t.csv\"\n"));
    std::fs::write(bench.path("t.csv"), "from,to\n5,1\n").unwrap();
    let error = bench.fails(2, &["run", "s.toml"]);
    assert!(error.contains("tree") && error.contains("tree-file"), "{error}");
}

/// Algorithms whose trees do not exist are skipped.
#[test]
fn algorithms_without_trees_are_skipped_on_demand() {
    let one_way = "[network.torus]\nshape = [4, 4]\ndirections = \"one-way\"\n";
    let text = multicast(one_way, "[\"router-tree\", \"dual-path\"]", "unfit = \"skip\"\n");
    assert_eq!(variants(&text), ["router-tree"]);
}

/// Groups are drawn for each repetition, and so are trees.
#[test]
fn trees_lead_to_the_group_of_their_repetition() {
    let text = "name = \"t\"\nrepetitions = 3\n[network.mesh]\nshape = [4, 4]\n[workload.multicast]\n\
                algorithms = [\"dual-path\"]\nflits = 5\ngroup = 6\n";
    let scenario: Scenario = text.parse().unwrap();
    let experiment = &scenario.points[0].experiment;
    let mut groups = BTreeSet::new();
    for repetition in 0..3 {
        let id = RowId { point: 0, algorithm: 0, repetition };
        let planned = experiment.plan(id).unwrap();
        let mut listed: BTreeMap<usize, Channels> = BTreeMap::new();
        planned.trees(&mut |line| listed.entry(line.tree).or_default().push(line.clone()));
        let mut members = BTreeSet::new();
        planned.messages(&mut |message| assert!(members.insert(message.dst.0)));
        let reached: BTreeSet<u32> = listed.values().flat_map(|tree| ends(tree).1).collect();
        assert_eq!((reached.len(), &reached), (5, &members));
        groups.insert(members);
    }
    assert_eq!(groups.len(), 3);
}
