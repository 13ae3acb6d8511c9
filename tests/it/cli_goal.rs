//! The command on models and operations: what it writes, prints and refuses.

use crate::cli::{Bench, csv_rows};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::fs;
use std::io::Write;

const CHAIN: &str = "num_ranks 3\nrank 0 {\nl1: send 1b to 1\n}\nrank 1 {\nl1: recv 1b from 0\nl2: send 1b to 2\nl2 requires l1\n}\n\
                     rank 2 {\nl1: recv 1b from 1\n}\n";

const PRICED: &str = r#"
name = "goal"
[workload.goal]
file = "a.goal"
[model.loggops]
L = 2500
o = 1500
g = 1000
G = 6
"#;

fn bench(scenario: &str, goal: &str) -> Bench {
    let bench = Bench::new(scenario);
    fs::write(bench.path("a.goal"), goal).unwrap();
    bench
}

#[test]
fn hosts_are_written_under_the_model() {
    let bench = bench(PRICED, CHAIN);
    let table = bench.ok(&["run", "s.toml"]);
    assert!(table.contains("goal: model only, 2 messages of 3 ranks in a.goal"), "{table}");
    let hosts = fs::read_to_string(bench.path("results/goal/hosts.csv")).unwrap();
    assert_eq!(hosts, "point,host,finish,measured,noise\n0,0,1500,,0\n0,1,7000,,0\n0,2,11000,,0\n");
    let rows = csv_rows(&fs::read_to_string(bench.path("results/goal/rows.csv")).unwrap());
    assert_eq!((rows[0]["predicted"].as_str(), rows[0]["measured"].as_str()), ("11000", ""));
    assert_eq!((rows[0]["nodes"].as_str(), rows[0]["messages"].as_str()), ("3", "2"));
    // a scenario that has no hosts takes the file away
    fs::write(
        bench.path("s.toml"),
        "name = \"goal\"\n[workload.multicast]\nalgorithms = [\"chain\"]\nflits = 1\ngroup = 3\n",
    )
    .unwrap();
    bench.ok(&["run", "s.toml", "--quiet", "--force"]);
    assert!(!bench.path("results/goal/hosts.csv").exists());
}

#[test]
fn operations_are_measured_on_a_network() {
    let scenario = format!("{PRICED}\n[network.mesh]\nshape = [4]\n[node]\nsend_setup = 100\n");
    let bench =
        bench(&scenario.replace("file = \"a.goal\"", "file = \"a.goal\"\nflit_bytes = 8\nnodes = [3, 0, 1]"), CHAIN);
    bench.ok(&["run", "s.toml", "--messages", "--quiet"]);
    let rows = csv_rows(&fs::read_to_string(bench.path("results/goal/rows.csv")).unwrap());
    // three hops, then one: 100 + channels - 1 + a flit
    assert_eq!((rows[0]["predicted"].as_str(), rows[0]["measured"].as_str()), ("11000", "208"));
    let messages = csv_rows(&fs::read_to_string(bench.path("results/goal/messages.csv")).unwrap());
    assert_eq!(
        (messages[0]["src"].as_str(), messages[0]["dst"].as_str(), messages[1]["hops"].as_str()),
        ("3", "0", "1")
    );
    let found = bench.ok(&["check", "s.toml"]).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        found.contains("every message (2 in all) is sent and received") && found.contains("no contention"),
        "{found}"
    );
}

#[test]
fn what_cannot_be_executed_is_listed_with_code_1() {
    let bench = bench(PRICED, &CHAIN.replace("recv 1b from 1", "recv 1b from 0"));
    for verb in ["run", "check"] {
        let error = bench.fails(1, &[verb, "s.toml"]);
        assert!(error.contains("2 errors") && error.contains("--> a.goal:7:1"), "{error}");
        assert!(error.contains("rank 1: rank 2 has no receive that matches this message"), "{error}");
    }
    assert!(!bench.path("results/goal/rows.csv").exists());
    fs::write(
        bench.path("a.goal"),
        CHAIN.replace("to 2", "to 7").replace("l2 requires l1", "l1 requires l2\nl2 requires l1"),
    )
    .unwrap();
    let error = bench.fails(1, &["run", "s.toml"]);
    assert!(error.contains("rank 7 does not exist") && error.contains("wait for each other"), "{error}");
}

#[test]
fn what_is_no_goal_is_shown_with_code_2() {
    let bench = bench(PRICED, &CHAIN.replace("send 1b to 2", "send 1 to 2"));
    let error = bench.fails(2, &["run", "s.toml"]);
    assert!(error.contains("expected `b` after the number of bytes, found `to`"), "{error}");
    assert!(error.contains("a.goal:7:12"), "{error}");
    fs::write(bench.path("a.goal"), [0x7f, 0x10, 0, 0, 0, 0, 0, 0, 9, 9]).unwrap();
    let error = bench.fails(2, &["run", "s.toml"]);
    assert!(error.contains("the file ends too early"), "{error}");
}

#[test]
fn schedules_are_printed_as_goal_and_priced_alike() {
    let bench = Bench::new(
        "name = \"tree\"\n[workload.multicast]\nalgorithms = [\"fibonacci\"]\nflits = 1\ngroup = 18\n[model.logp]\nL = 6\no = 2\ng = 4\n",
    );
    bench.ok(&["run", "s.toml", "--quiet"]);
    let rows = csv_rows(&fs::read_to_string(bench.path("results/tree/rows.csv")).unwrap());
    for format in ["goal", "goal-binary"] {
        let printed = bench.command(&["schedule", "s.toml", "--format", format]).output().unwrap();
        assert!(printed.status.success());
        fs::write(bench.path("a.goal"), printed.stdout).unwrap();
        fs::write(
            bench.path("g.toml"),
            "name = \"goal\"\n[workload.goal]\nfile = \"a.goal\"\n[model.logp]\nL = 6\no = 2\ng = 4\n",
        )
        .unwrap();
        bench.ok(&["run", "g.toml", "--quiet", "--force"]);
        let priced = csv_rows(&fs::read_to_string(bench.path("results/goal/rows.csv")).unwrap());
        assert_eq!(priced[0]["predicted"], rows[0]["predicted"], "{format}");
        // what is printed of operations is what was read
        let again = bench.command(&["schedule", "g.toml", "--format", format]).output().unwrap().stdout;
        assert_eq!(again, fs::read(bench.path("a.goal")).unwrap(), "{format}");
    }
    let wide = bench.ok(&["schedule", "s.toml", "--format", "goal", "--flit-bytes", "16"]);
    assert!(wide.contains("send 16b to "), "{wide}");
}

/// Four nodes, of which node 1 is near the root, and nodes 2 and 3 are near node 1.
const COSTS: &str = "0,2,9,9\n2,0,3,4\n9,3,0,8\n9,4,8,0\n";

#[test]
fn broadcasts_are_printed_as_goal_and_run_on_any_network() {
    let bench = Bench::new(
        "name = \"trees\"\n[network.grid]\nnodes = 12\nbytes = 1001\nlatency = [1, 90]\nbandwidth = [10, 9000]\n\
         [workload.broadcast]\nalgorithms = [\"ttcc\"]\n",
    );
    for network in ["", "[network.mesh]\nshape = [3, 4]\n", "[network.torus]\nshape = [4, 4]\n"] {
        for format in ["goal", "goal-binary"] {
            let printed = bench.command(&["schedule", "s.toml", "--format", format]).output().unwrap();
            assert!(printed.status.success());
            fs::write(bench.path("a.goal"), printed.stdout).unwrap();
            fs::write(bench.path("g.toml"), format!("{PRICED}{network}")).unwrap();
            bench.ok(&["run", "g.toml", "--quiet", "--force"]);
            let rows = csv_rows(&fs::read_to_string(bench.path("results/goal/rows.csv")).unwrap());
            assert_eq!((rows[0]["messages"].as_str(), rows[0]["nodes"].as_str()), ("22", "12"));
            assert_eq!(rows[0]["measured"].is_empty(), network.is_empty());
        }
    }
    let printed = bench.ok(&["schedule", "s.toml", "--format", "goal"]);
    let count = |what: &str| printed.lines().filter(|line| line.contains(what)).count();
    assert_eq!([count("send 501b"), count("recv 501b")], [11; 2], "the byte left over goes to the first tree");
    assert_eq!([count("send 500b"), count("recv 500b"), count("tag 1")], [11, 11, 22]);
}

#[test]
fn the_whole_message_is_sent_along_one_tree_and_shares_need_trees_that_reach_every_node() {
    let bench = Bench::new(
        "name = \"trees\"\n[network.grid]\nactual = \"c.csv\"\n[workload.broadcast]\nalgorithms = [\"ttcc\"]\ntrees = 1\n",
    );
    fs::write(bench.path("c.csv"), COSTS).unwrap();
    let goal = ["schedule", "s.toml", "--format", "goal"];
    let error = bench.fails(2, &goal);
    assert!(error.contains("do not include the size of the message; set `network.grid.bytes`"), "{error}");
    let sized = [&goal[..], &["--set", "network.grid.bytes=64"]].concat();
    assert_eq!(
        bench.ok(&sized),
        "num_ranks 4\n\n\
         rank 0 {\nl1: send 64b to 1\n}\n\n\
         rank 1 {\nl1: recv 64b from 0\nl2: send 64b to 2\nl2 requires l1\nl3: send 64b to 3\nl3 irequires l2\n}\n\n\
         rank 2 {\nl1: recv 64b from 1\n}\n\n\
         rank 3 {\nl1: recv 64b from 1\n}\n"
    );
    let error = bench.fails(2, &[&sized[..], &["--flit-bytes", "16"]].concat());
    assert!(error.contains("--flit-bytes has no effect: ") && error.contains("already in bytes"), "{error}");
    // the first tree has every link of node 1
    let error = bench.fails(2, &[&sized[..], &["--set", "workload.broadcast.trees=2"]].concat());
    let expected = "tree 1 cannot carry a share of the message: destination 1 never receives the message; \
                    reduce `workload.broadcast.trees`";
    assert!(error.contains(expected), "{error}");
}

#[test]
fn what_goal_cannot_say_is_refused() {
    let bench = Bench::new(
        "name = \"tree\"\n[workload.multicast]\nalgorithms = [\"fibonacci\", \"chain\"]\nflits = 1\ngroup = 18\n",
    );
    let one = bench.call(&["schedule", "s.toml", "--format", "goal"]);
    assert!(
        String::from_utf8(one.stderr)
            .unwrap()
            .contains("showing repetition 0, 1 of 2 algorithms: fibonacci (--algorithm selects others)")
    );
    assert_eq!(
        bench.ok(&["schedule", "s.toml", "--format", "goal", "--algorithm", "fibonacci"]).into_bytes(),
        one.stdout
    );
    let error = bench.fails(2, &["schedule", "s.toml", "--flit-bytes", "16"]);
    assert!(error.contains("--flit-bytes requires a GOAL format"), "{error}");
    let goal = self::bench(PRICED, CHAIN);
    let error = goal.fails(2, &["schedule", "s.toml"]);
    assert!(error.contains("--format goal"), "{error}");
}

/// The worked example of the Fibonacci paper: L = 6, o = 2, g = 4, eight nodes.
#[test]
fn the_chosen_model_says_what_is_predicted() {
    let bench = Bench::new(
        "name = \"fig\"\n[workload.multicast]\nalgorithms = [\"bisection\", \"fibonacci\", \"logp-optimal\", \"opt-tree\"]\nflits = 1\n\
         group = 8\n[model.logp]\nL = 6\no = 2\ng = 4\n",
    );
    let predicted = |set: &[&str]| {
        let arguments: Vec<&str> = [&["run", "s.toml", "--quiet", "--force"], set].concat();
        bench.ok(&arguments);
        let rows = csv_rows(&fs::read_to_string(bench.path("results/fig/rows.csv")).unwrap());
        rows.iter().map(|row| row["predicted"].parse().unwrap()).collect::<Vec<u64>>()
    };
    assert_eq!(predicted(&[]), [30, 24, 24, 24]);
    assert_eq!(predicted(&["--set", "model.logp.g=12"])[0], 24 + 10, "three sends of the source, 12 apart");
    let other = fs::read_to_string(bench.path("s.toml")).unwrap();
    let other = other.replace(
        "[model.logp]\nL = 6\no = 2\ng = 4\n",
        "[model.parameterised]\nt_hold = 4\nt_send = 2\nt_net = 6\nt_recv = 2\n",
    );
    fs::write(bench.path("s.toml"), &other).unwrap();
    assert_eq!(predicted(&[]), [30, 24, 24, 24]);
    let other = other.replace("t_send = 2\nt_net = 6\nt_recv = 2", "t_end = 9\nt_end_per_flit = 1");
    fs::write(bench.path("s.toml"), other).unwrap();
    assert_eq!(predicted(&[]), [30, 24, 24, 24]);
    assert_eq!(predicted(&["--set", "workload.multicast.flits=11"])[0], 60);
}

fn packed(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

/// Files of every workload, the scenario and the files that it includes are unpacked, whatever their names are.
#[test]
fn packed_files_are_read_as_plain_ones() {
    let bench = Bench::new("");
    let write = |name: &str, text: &str| fs::write(bench.path(name), packed(text)).unwrap();
    write("s.toml", PRICED);
    write("a.goal", CHAIN);
    bench.ok(&["run", "s.toml"]);
    let rows = csv_rows(&fs::read_to_string(bench.path("results/goal/rows.csv")).unwrap());
    assert_eq!(rows[0]["predicted"], "11000");
    write("a.goal", &CHAIN.replace("send 1b to 2", "send 1 to 2"));
    assert!(bench.fails(2, &["run", "s.toml"]).contains("a.goal:7:12"));
    write("a.goal", &CHAIN.replace("recv 1b from 1", "recv 1b from 0"));
    assert!(bench.fails(1, &["run", "s.toml"]).contains("--> a.goal:7:1"));
    write("g.csv", "kind,a,b\nnode,0,0\nnode,1,1\nnode,2,2\nlink,0,1\nlink,1,2\n");
    write("t.csv", "id,src,dst,flits,start\n0,0,2,8,0\n");
    write("base.toml", "[network.graph]\nfile = \"g.csv\"\n");
    write("t.toml", "name = \"t\"\ninclude = [\"base.toml\"]\n[workload.trace]\nfile = \"t.csv\"\n");
    bench.ok(&["run", "t.toml"]);
    write("series", "1\n2\n3\n4\n5\n6\n7\n8\n");
    assert!(bench.ok(&["forecast", "series"]).contains("8 values"));
}

#[test]
fn tags_that_loggopsim_takes_for_one_are_remarked_upon() {
    let tagged = |tags: [u64; 2]| {
        let [a, b] = tags;
        format!(
            "num_ranks 2\nrank 0 {{\nsend 1b to 1 tag {a}\nsend 1b to 1 tag {b}\n}}\n\
             rank 1 {{\nrecv 1b from 0 tag {a}\nrecv 1b from 0 tag {b}\n}}\n"
        )
    };
    let outputs = |tags: [u64; 2]| {
        let bench = bench(PRICED, &tagged(tags));
        let folded = |verb: &str| bench.ok(&[verb, "s.toml"]).split_whitespace().collect::<Vec<_>>().join(" ");
        ["run", "check"].map(folded)
    };
    for text in outputs([5_010_012_302, 6_010_012_302]) {
        assert!(!text.contains("LogGOPSim"), "{text}");
    }
    for text in outputs([7, (1 << 32) + 7]) {
        let remark = "LogGOPSim stores tags modulo 2^32, so its tags 7 and 4294967303 of messages from rank 0 to rank 1 are the same";
        assert!(text.contains(remark), "{text}");
    }
    for text in outputs([7, u64::from(u32::MAX)]) {
        assert!(text.contains("is -1, any tag"), "{text}");
    }
    let bench = bench(PRICED, &tagged([7, 1 << 40]));
    let error = bench.fails(2, &["schedule", "s.toml", "--format", "goal-binary", "-o", "b.goal"]);
    assert!(error.contains("tags of binary GOAL have 32 bits") && error.contains("--format goal"), "{error}");
    assert!(!bench.path("b.goal").exists());
    assert!(bench.ok(&["schedule", "s.toml", "--format", "goal"]).contains("tag 1099511627776"));
}

#[test]
fn a_rank_that_does_not_exist_is_named_where_it_is_used() {
    let bench = bench(PRICED, &CHAIN.replace("to 2", "to 7"));
    let error = bench.fails(1, &["check", "s.toml"]);
    assert!(error.contains("rank 7 does not exist; the last rank is 2") && error.contains("--> a.goal:7:1"), "{error}");
    assert!(error.contains("rank 1 sends to it"), "{error}");
}
