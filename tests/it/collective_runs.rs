//! Collectives that are run: engines agree, nothing is below its bound, and models say the same of operations.

use crate::cli::{Bench, csv_rows};
use flitwise::algorithm::collective::ALGORITHMS;
use flitwise::schedule::collective::Operation;
use std::collections::BTreeMap;
use std::fs;

/// The rows of rows.csv of a scenario, by algorithm.
fn rows(bench: &Bench, name: &str, settings: &[&str]) -> BTreeMap<String, BTreeMap<String, String>> {
    let mut arguments = vec!["run", "s.toml", "--quiet", "--force"];
    settings.iter().for_each(|setting| arguments.extend(["--set", setting]));
    bench.ok(&arguments);
    let rows = csv_rows(&fs::read_to_string(bench.path(&format!("results/{name}/rows.csv"))).unwrap());
    rows.into_iter().map(|row| (row["algorithm"].clone(), row.into_iter().collect())).collect()
}

fn number(row: &BTreeMap<String, String>, column: &str) -> u64 {
    row[column].parse().unwrap_or_else(|_| panic!("{column} is `{}`", row[column]))
}

/// All algorithms but the one that is no all-reduce.
/// The algorithms whose messages go between ranks.
fn all_algorithms() -> String {
    let names = ALGORITHMS.iter().filter(|algorithm| !algorithm.unproved && !algorithm.in_routers);
    names.map(|algorithm| format!("{:?}", algorithm.name)).collect::<Vec<_>>().join(", ")
}

const NETWORKS: [&str; 9] = [
    "network.mesh.shape = [4, 4]",
    "network.torus.shape = [3, 3]",
    "network.torus.shape = [8]",
    "network.mesh.shape = [3, 5]",
    "network.hypercube.dimension = 3",
    "network.bmin = { radix = 2, levels = 3 }",
    "network.fat-tree = { arity = 3, levels = 2 }",
    "network.dragonfly = { p = 1, a = 4, h = 1, groups = 2 }",
    "network.hyperx = { shape = [2, 2], concentration = 2 }",
];

fn scenario(network: &str, operation: &str, more: &str) -> String {
    let flits = if operation == "barrier" { "" } else { "flits = 61" };
    format!(
        "name = \"c\"\n{network}\nchannel = {{ flit_time = 2, buffer = 2 }}\n\
         node = {{ send_setup = 30, send_per_flit = 1, receive_setup = 20, reduce_setup = 7, reduce_per_flit = 2, ports = 2 }}\n\
         {more}\n[workload.collective]\noperation = \"{operation}\"\nalgorithms = [{}]\nunfit = \"skip\"\n{flits}\n",
        all_algorithms()
    )
}

#[test]
fn engines_agree_and_nothing_is_below_its_bound() {
    let mut compared = 0;
    for network in NETWORKS {
        for (operation, _) in Operation::ALL {
            for synchronous in ["true", "false"] {
                let pace = format!("workload.collective.synchronous={synchronous}");
                let bench = Bench::new(&scenario(network, operation, ""));
                let worm = rows(&bench, "c", &[&pace]);
                let flit = rows(&bench, "c", &[&pace, "engine.kind=\"flit\""]);
                for (algorithm, row) in &worm {
                    let what = format!("{algorithm} {operation} on {network}, synchronous = {synchronous}");
                    assert_eq!(row["measured"], flit[algorithm]["measured"], "{what}");
                    assert!(number(row, "bound") <= number(row, "measured"), "{what}: {row:?}");
                    assert!(number(row, "bound_startups") <= number(row, "startups"), "{what}: {row:?}");
                    if number(row, "blocked_headers") == 0 {
                        assert_eq!(row["predicted"], row["measured"], "{what}");
                    }
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 400, "only {compared} collectives");
}

/// Ports that send several messages in a step, and roots that receive more at a time than they could send.
#[test]
fn nothing_is_below_its_bound_where_channels_are_few_or_many() {
    let settings = [
        ["node.ports=1", "node.receive_setup=900"],
        ["node.ports=1", "node.ejection_ports=\"unlimited\""],
        ["node.ports=3", "node.ejection_ports=1"],
    ];
    for network in ["network.torus.shape = [9]", "network.torus.shape = [4, 4]", "network.mesh.shape = [7]"] {
        for (operation, _) in Operation::ALL {
            let bench = Bench::new(&scenario(network, operation, ""));
            for setting in settings {
                for pace in ["workload.collective.synchronous=true", "workload.collective.synchronous=false"] {
                    for (algorithm, row) in rows(&bench, "c", &[pace, setting[0], setting[1]]) {
                        let what = format!("{algorithm} {operation} on {network}, {pace}, {setting:?}");
                        // between barriers the bound is that of ports that send once in a step
                        let once =
                            pace.ends_with("false") || number(&row, "startups") >= number(&row, "bound_startups");
                        assert!(!once || number(&row, "bound") <= number(&row, "measured"), "{what}: {row:?}");
                    }
                }
            }
        }
    }
}

/// A scatter and a gather of fewer flits than ranks leave some ranks without a share, which are sent nothing.
#[test]
fn ranks_without_a_share_are_not_in_the_bound() {
    for operation in ["scatter", "gather"] {
        let text = scenario("network.torus.shape = [64]", operation, "").replace("flits = 61", "flits = 7");
        let bench = Bench::new(&text);
        for pace in ["workload.collective.synchronous=true", "workload.collective.synchronous=false"] {
            for (algorithm, row) in rows(&bench, "c", &[pace, "node.ports=1", "node.receive_setup=900"]) {
                let what = format!("{algorithm} {operation}, {pace}");
                assert!(number(&row, "bound") <= number(&row, "measured"), "{what}: {row:?}");
                assert!(number(&row, "bound_startups") <= number(&row, "startups"), "{what}: {row:?}");
            }
        }
    }
}

#[test]
fn collectives_run_on_routers() {
    for router in ["model = \"ideal\"", "model = \"pipelined\"", "model = \"pipelined\", routing = \"adaptive\""] {
        let vcs = if router.contains("adaptive") { 3 } else { 2 };
        let more = format!("router = {{ {router} }}");
        let text = scenario("network.torus.shape = [4, 4]", "allreduce", &more);
        let text = text.replace("buffer = 2", &format!("buffer = 4, virtual_channels = {vcs}"));
        for synchronous in ["true", "false"] {
            let bench = Bench::new(&text);
            let rows = rows(&bench, "c", &[&format!("workload.collective.synchronous={synchronous}")]);
            assert!(rows.len() > 14, "{:?}", rows.keys());
            for (algorithm, row) in rows {
                assert!(number(&row, "measured") >= number(&row, "bound"), "{algorithm} on {router}: {row:?}");
            }
        }
    }
}

/// The two messages that every node of a ring receives at the same time do not share an ejection channel.
#[test]
fn messages_from_both_sides_are_ejected_side_by_side() {
    let bench = Bench::new(
        "name = \"c\"\n[network.torus]\nshape = [8]\n[channel]\nvirtual_channels = 4\nbuffer = 16\n\
         [router]\nmodel = \"pipelined\"\n[node]\nports = 2\n\
         [workload.collective]\noperation = \"allreduce\"\nalgorithms = [\"ring-bidirectional\"]\nflits = 4096\n",
    );
    for row in rows(&bench, "c", &[]).values() {
        assert!(100 * number(row, "measured") < 101 * number(row, "predicted"), "{row:?}");
    }
}

#[test]
fn links_add_up_to_the_hops_of_messages() {
    let bench = Bench::new(&scenario("network.torus.shape = [8]", "allreduce", ""));
    rows(&bench, "c", &[]);
    let mut flits: BTreeMap<String, u64> = BTreeMap::new();
    for row in csv_rows(&fs::read_to_string(bench.path("results/c/links.csv")).unwrap()) {
        *flits.entry(row["algorithm"].clone()).or_default() += row["flits"].parse::<u64>().unwrap();
    }
    let listed = bench.ok(&["schedule", "s.toml", "--format", "csv", "-q"]);
    let mut carried: BTreeMap<String, u64> = BTreeMap::new();
    for row in csv_rows(&listed) {
        let hops = row["flits"].parse::<u64>().unwrap() * row["hops"].parse::<u64>().unwrap();
        *carried.entry(row["algorithm"].clone()).or_default() += hops;
    }
    assert_eq!(flits, carried);
    assert!(flits.len() > 10);
}

#[test]
fn loggops_says_the_same_of_the_schedule_and_of_its_operations() {
    // no rank of these receives two messages at a time, or combines while it could send, which LogGOPS would put one after
    // the other
    let model = "model.loggops = { L = 1000, o = 20, g = 30, G = 3, S = 1000000 }";
    for (operation, algorithm, reduces) in [
        ("allreduce", "ring", true),
        ("allreduce", "recursive-doubling", true),
        ("allreduce", "rabenseifner", true),
        ("allreduce", "circulant", true),
        ("allgather", "bruck", false),
        ("broadcast", "chain", false),
        ("broadcast", "binomial", false),
        ("reduce-scatter", "recursive-halving", true),
    ] {
        let reduce = if reduces { "node = { reduce_setup = 11, reduce_per_flit = 2 }\n" } else { "" };
        let bench = Bench::new(&format!(
            "name = \"c\"\n{model}\n{reduce}[workload.collective]\noperation = \"{operation}\"\n\
             algorithms = [\"{algorithm}\"]\nflits = 64\ngroup = 8\nsynchronous = false\n"
        ));
        let predicted = rows(&bench, "c", &[])[algorithm]["predicted"].clone();
        bench.ok(&["schedule", "s.toml", "--format", "goal", "--out", "c.goal", "-q"]);
        fs::write(bench.path("goal.toml"), format!("name = \"goal\"\n{model}\nworkload.goal.file = \"c.goal\"\n"))
            .unwrap();
        bench.ok(&["run", "goal.toml", "-q"]);
        let executed = csv_rows(&fs::read_to_string(bench.path("results/goal/rows.csv")).unwrap());
        assert_eq!(executed[0]["predicted"], predicted, "{algorithm}");
    }
}

#[test]
fn ranks_are_placed_as_groups_are() {
    let text = scenario("network.mesh.shape = [4, 4]", "gather", "repetitions = 3");
    let bench = Bench::new(&text.replace("unfit", "group = 7\nroot = 4\nunfit"));
    let placed = bench.ok(&["schedule", "s.toml", "--format", "csv", "-q", "--algorithm", "flat"]);
    let roots = |repetition: &str| -> Vec<String> {
        let of = csv_rows(&placed).into_iter().filter(|row| row["repetition"] == repetition);
        of.map(|row| row["dst"].clone()).collect()
    };
    for repetition in ["0", "1", "2"] {
        let roots = roots(repetition);
        assert!(roots.len() == 6 && roots.iter().all(|root| *root == roots[0]), "{roots:?}");
    }
    let found = bench.ok(&["check", "s.toml"]);
    assert!(found.contains("proved: gather: the root ends with the share of every rank (7 ranks)"), "{found}");
}

#[test]
fn one_rank_has_nothing_to_do() {
    for (operation, _) in Operation::ALL {
        let bench = Bench::new(&scenario("network.mesh.shape = [1]", operation, ""));
        for (algorithm, row) in rows(&bench, "c", &[]) {
            assert_eq!((number(&row, "messages"), number(&row, "measured")), (0, 0), "{algorithm} {operation}");
        }
    }
}
