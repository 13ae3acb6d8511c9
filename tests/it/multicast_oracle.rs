//! The planned trees against reference data: optimal tables with one and several ports, the children of every node on
//! a chain, and the worked examples of the OPT-tree and OPT-mesh papers send by send, route by route.

use crate::support::{data, first_nodes, model, plan, receivers, request};
use flitwise::algorithm::multicast::{OptMesh, OptTable, Request, UMesh};
use flitwise::model::Parameterised;
use flitwise::routing::{DimensionOrder, Network};
use flitwise::schedule::{Schedule, Split};
use flitwise::topology::Mesh;
use flitwise::units::{Flits, NodeId, Ticks};
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
struct Tables {
    cases: Vec<Table>,
}

/// `t` and `j` of groups from 1 on; a list of `j` that starts at 2 is one shorter.
#[derive(Deserialize)]
struct Table {
    #[serde(default = "one_port")]
    p: usize,
    t_hold: u64,
    t_end: u64,
    t: Vec<u64>,
    j: Option<Vec<Option<usize>>>,
}

fn one_port() -> usize {
    1
}

/// `t` and, where the file has it, `j` of every case in `file`, for every size.
fn reproduces_tables(file: &str, cases: usize, with_j: usize) {
    let Tables { cases: tables } = data(file);
    assert_eq!((tables.len(), tables.iter().filter(|t| t.j.is_some()).count()), (cases, with_j), "{file}");
    for table in &tables {
        let what = format!("{file} p={} t_hold={} t_end={}", table.p, table.t_hold, table.t_end);
        let got = OptTable::new(table.t.len(), model(table.t_hold, table.t_end), table.p);
        let times: Vec<u64> = (1..=table.t.len()).map(|size| got.time(size)).collect();
        assert_eq!(times, table.t, "{what}");
        let Some(j) = &table.j else { continue };
        let from_2: Vec<usize> = j.iter().copied().flatten().collect();
        let kept: Vec<usize> = (2..=table.t.len()).map(|size| got.kept(size)).collect();
        assert_eq!(kept, from_2, "{what}");
    }
}

#[test]
fn algorithm_1_gives_the_reference_times_and_splits() {
    reproduces_tables("multicast/opt_tree_alg1.json", 10, 10);
}

#[test]
fn a_hold_longer_than_the_end_gives_the_true_optimum() {
    reproduces_tables("multicast/opt_general_hold_gt_end.json", 5, 0);
}

#[test]
fn several_ports_give_the_reference_times_and_the_largest_splits() {
    reproduces_tables("multicast/opt_multiport.json", 15, 12);
}

#[test]
fn the_opt_tree_completes_at_the_optimal_time() {
    for file in ["opt_tree_alg1", "opt_general_hold_gt_end", "opt_multiport"] {
        let Tables { cases } = data(&format!("multicast/{file}.json"));
        for table in &cases {
            for (size, &time) in (1..).zip(&table.t) {
                let (group, model) = (first_nodes(size), model(table.t_hold, table.t_end));
                let tree = plan("opt-tree", &Request { ports: table.p, ..request(&group, size, model) });
                let completion = model.price(&tree, table.p).completion;
                assert_eq!(completion, Ticks(time), "{file}: {size} nodes, {model:?}, {} ports", table.p);
            }
        }
    }
}

/// A tree over a chain of `k` positions with the source at `s`: the children of every position, in the order of sends.
#[derive(Deserialize)]
struct Tree {
    k: usize,
    s: usize,
    #[serde(default)]
    t_hold: u64,
    #[serde(default)]
    t_end: u64,
    children: Vec<Vec<u32>>,
}

fn reproduces_trees<R: Split>(file: &str, trees: usize, rule: impl Fn(&Tree) -> R) {
    let references: Vec<Tree> = data(file);
    assert_eq!(references.len(), trees, "{file}");
    for tree in &references {
        let got = Schedule::split(&rule(tree), &first_nodes(tree.k), tree.k, Flits(1));
        for (node, children) in (0..).map(NodeId).zip(&tree.children) {
            let receivers: Vec<u32> = receivers(&got, node).iter().map(|child| child.0).collect();
            assert_eq!(receivers, *children, "{file}: k={} s={} node {node}", tree.k, tree.s);
        }
    }
}

#[test]
fn opt_mesh_gives_every_node_its_reference_children() {
    reproduces_trees("multicast/opt_mesh_children.json", 138, |tree| OptMesh {
        table: OptTable::new(tree.k, model(tree.t_hold, tree.t_end), 1),
        source: tree.s,
    });
}

#[test]
fn u_mesh_gives_every_node_its_reference_children() {
    reproduces_trees("multicast/u_mesh_children.json", 126, |tree| UMesh { size: tree.k, source: tree.s });
}

/// A send: when it starts, who sends, who receives, when it is received.
type Send = (u64, u32, u32, u64);

/// The sends of an example in the order of the list, nodes given by number or by coordinates on the 6 x 6 mesh.
fn sends(example: &Value) -> Vec<Send> {
    let number = |value: &Value| u32::try_from(value.as_u64().unwrap()).unwrap();
    let node = |value: &Value| match value.as_array() {
        Some(at) => number(&at[0]) * 6 + number(&at[1]),
        None => number(value),
    };
    let time = |value: &Value| value.as_u64().unwrap();
    let send = |s: &Value| (time(&s[0]), node(&s[1]), node(&s[2]), time(&s[3]));
    example["sends"].as_array().unwrap().iter().map(send).collect()
}

fn priced_sends(schedule: &Schedule, model: Parameterised) -> Vec<Send> {
    let prices = model.price(schedule, 1);
    let times = prices.send_start.iter().zip(&prices.received);
    let mut sends: Vec<Send> = schedule.messages().zip(times).map(|(m, (s, r))| (s.0, m.src.0, m.dst.0, r.0)).collect();
    sends.sort_unstable();
    sends
}

/// That `schedule` makes the sends of `example` and completes at `time`.
fn assert_example(name: &str, example: &Value, time: u64, schedule: &Schedule, model: Parameterised) {
    assert_eq!(example["time"], time, "{name}");
    assert_eq!(priced_sends(schedule, model), sends(example), "{name}");
    assert_eq!(model.price(schedule, 1).completion, Ticks(time), "{name}");
}

#[test]
fn the_papers_small_examples_send_by_send() {
    let examples: Value = data("multicast/examples.json");
    let cases = [
        ("/fig3/sequential", 9, "sequential", 4, model(2, 5)),
        ("/fig3/binomial", 10, "binomial", 4, model(2, 5)),
        ("/fig3/chain", 15, "chain", 4, model(2, 5)),
        ("/fig5", 135, "opt-tree", 9, model(20, 55)),
        ("/fig6a", 80, "opt-tree", 7, model(10, 40)),
        ("/fig6b_standard_mask_binomial", 90, "binomial", 7, model(10, 40)),
        ("/fig6b_receiver_ceil", 120, "u-mesh", 7, model(10, 40)),
        ("/fig6c", 60, "opt-tree", 7, model(20, 20)),
    ];
    for (name, time, algorithm, size, model) in cases {
        let schedule = plan(algorithm, &request(&first_nodes(size), size, model));
        assert_example(name, examples.pointer(name).unwrap(), time, &schedule, model);
    }
}

fn mesh_6x6() -> DimensionOrder {
    DimensionOrder::first_coordinate_first(Mesh::new(&[6, 6], 1).unwrap())
}

/// The group of Figs. 8 and 9; its source is (3,2).
fn group_6x6() -> Vec<NodeId> {
    let at = [(3, 2), (5, 4), (1, 5), (4, 4), (2, 1), (3, 4), (5, 1), (4, 3)];
    at.map(|(a, b)| NodeId(6 * a + b)).to_vec()
}

#[test]
fn the_mesh_examples_send_by_send() {
    let examples: Value = data("multicast/examples.json");
    let (mesh, group) = (mesh_6x6(), group_6x6());
    let asked = Request { network: Some(&mesh), ..request(&group, 36, model(20, 55)) };
    for (name, time, algorithm) in [("fig8a_opt_mesh", 130, "opt-mesh"), ("fig8b_u_mesh", 165, "u-mesh")] {
        assert_example(name, &examples[name], time, &plan(algorithm, &asked), asked.model);
    }
}

/// The coordinates of the nodes that a message visits, from the names of its channels.
fn visited(mesh: &DimensionOrder, src: NodeId, dst: NodeId) -> Vec<String> {
    let mut path = Vec::new();
    mesh.route(src, dst, &mut path);
    let names: Vec<String> = path.iter().map(|&channel| mesh.channels().name(channel)).collect();
    let (injection, links) = names[..names.len() - 1].split_first().unwrap();
    let source = injection.strip_prefix("injection ").unwrap().to_owned();
    let reached = links.iter().map(|link| link.split_once("->").unwrap().1.to_owned());
    std::iter::once(source).chain(reached).collect()
}

#[test]
fn the_mesh_example_takes_the_papers_routes() {
    let examples: Value = data("multicast/examples.json");
    let routes: Vec<Vec<(u32, u32)>> = serde_json::from_value(examples["fig9_paths"].clone()).unwrap();
    let (mesh, group) = (mesh_6x6(), group_6x6());
    let asked = Request { network: Some(&mesh), ..request(&group, 36, model(20, 55)) };
    let sends = priced_sends(&plan("opt-mesh", &asked), asked.model);
    assert_eq!(sends.len(), routes.len());
    for ((_, src, dst, _), route) in sends.into_iter().zip(&routes) {
        let expected: Vec<String> = route.iter().map(|(a, b)| format!("({a},{b})")).collect();
        assert_eq!(visited(&mesh, NodeId(src), NodeId(dst)), expected);
    }
}
