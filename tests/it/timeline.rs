//! `--timeline`: the lanes of ranks under the model and on the network, and the same in `explain`.

use crate::cli::{Bench, csv_rows};
use serde_json::Value;
use std::fs;

const SCENARIO: &str = "name = \"a\"\n[network.torus]\nshape = [16]\n[channel]\nflit_time = 1\nbuffer = 2\n[node]\nsend_setup = 50\n\
                        receive_setup = 50\n[workload.goal]\nfile = \"g.goal\"\nflit_bytes = 16\n[model.loggops]\nL = 700\no = 40\n\
                        g = 60\nG = 3\nO = 1\n";

/// Computations of 700, 300 and 4,000 ticks one after the other on three ranks.
const GOAL: &str = "num_ranks 3\n\nrank 0 {\na: calc 700\ns: send 64b to 1 tag 3\ns requires a\nb: calc 500\nb requires a\n}\n\n\
                    rank 1 {\nr: recv 64b from 0 tag 3\nc: calc 300\nc requires r\nq: send 640b to 2\nq requires c\n}\n\n\
                    rank 2 {\nz: calc 90 cpu 1\nr: recv 640b from 1\nd: calc 4000\nd requires r\n}\n";

fn bench(text: &str) -> Bench {
    let bench = Bench::new(text);
    fs::write(bench.path("g.goal"), GOAL).unwrap();
    bench
}

#[test]
fn each_rank_has_tracks_under_the_model_and_on_the_network() {
    let bench = bench(SCENARIO);
    bench.ok(&["run", "s.toml", "--timeline"]);
    let text = fs::read_to_string(bench.path("results/a/timeline.csv")).unwrap();
    let lines: Vec<&str> = text.lines().map(|line| line.strip_prefix("0,goal,0,").unwrap_or(line)).collect();
    assert_eq!(lines[0], "point,algorithm,repetition,by,rank,lane,kind,begin,end,operation,peer,bytes,name");
    let lines_of = |by: &str, rank: u32| -> Vec<&str> {
        let start = format!("{by},{rank},");
        lines.iter().filter_map(|line| line.strip_prefix(&start)).collect()
    };
    // a send takes o + 63 O = 103 ticks, a receive o + 63 G = 229 ticks
    assert_eq!(
        lines_of("predicted", 0),
        [
            "cpu0,compute,0,700,0,,,a",
            "cpu0,send,700,803,1,1,64,s",
            "cpu0,compute,803,1303,2,,,b",
            "cpu0,idle,1303,8666,,,,"
        ]
    );
    assert_eq!(
        lines_of("predicted", 1)[..3],
        ["cpu0,wait,0,1440,,,,", "cpu0,receive,1440,1669,0,0,64,r", "cpu0,compute,1669,1969,1,,,c"]
    );
    assert_eq!(
        lines_of("predicted", 2)[..3],
        ["cpu0,wait,0,2709,,,,", "cpu0,receive,2709,4666,1,1,640,r", "cpu0,compute,4666,8666,2,,,d"]
    );
    // receives overlap with computations on a network
    assert_eq!(
        lines_of("measured", 2),
        [
            "cpu0,wait,0,1248,,,,",
            "cpu0,compute,1248,5248,2,,,d",
            "cpu1,compute,0,90,0,,,z",
            "cpu1,idle,90,5248,,,,",
            "in0,idle,0,1198,,,,",
            "in0,receive,1198,1248,1,1,640,r",
            "in0,idle,1248,5248,,,,"
        ]
    );
}

#[test]
fn explanations_have_the_time_of_each_rank() {
    let bench = bench(SCENARIO);
    let explained: Value = serde_json::from_str(&bench.ok(&["explain", "s.toml", "--format", "json"])).unwrap();
    let row = &explained["rows"][0];
    let path = row["path"].as_array().unwrap().iter().filter(|part| part["kind"] == "compute");
    let computed: Vec<(u64, u64)> = path
        .map(|part| (part["rank"].as_u64().unwrap(), part["to"].as_u64().unwrap() - part["from"].as_u64().unwrap()))
        .collect();
    assert_eq!(computed, [(0, 700), (1, 300), (2, 4000)]);
    bench.ok(&["run", "s.toml", "--timeline"]);
    let lines = csv_rows(&fs::read_to_string(bench.path("results/a/timeline.csv")).unwrap());
    for rank in row["ranks"].as_array().unwrap() {
        let number = rank["rank"].to_string();
        for kind in ["compute", "noise", "send", "wait", "idle"] {
            let slices = lines.iter().filter(|line| {
                line["by"] == "measured"
                    && line["rank"] == number
                    && line["kind"] == kind
                    && line["lane"].starts_with("cpu")
            });
            let length = |line: &std::collections::BTreeMap<String, String>| {
                line["end"].parse::<u64>().unwrap() - line["begin"].parse::<u64>().unwrap()
            };
            assert_eq!(rank[kind].as_u64().unwrap(), slices.map(length).sum::<u64>(), "{kind} of {rank}");
        }
    }
    let text = bench.ok(&["explain", "s.toml"]);
    assert!(text.contains("computing on rank 2\n"), "{text}");
    assert!(text.contains("Time of the processors of each rank"), "{text}");
}

#[test]
fn kinds_without_operations_have_no_timeline() {
    let bench = Bench::new(
        "name = \"a\"\n[network.torus]\nshape = [4]\n[workload.multicast]\nalgorithms = [\"sequential\"]\nflits = 1\ngroup = 2\n",
    );
    let message = bench.fails(2, &["run", "s.toml", "--timeline"]);
    assert!(message.contains("--timeline has no effect on [workload.multicast]"), "{message}");
    assert!(!bench.path("results").exists());
}

#[test]
fn messages_of_a_model_are_in_the_timeline_alone() {
    let model = &SCENARIO[SCENARIO.find("[model").unwrap()..];
    let bench = bench(&format!("name = \"a\"\n[workload.goal]\nfile = \"g.goal\"\n{model}"));
    let output = bench.call(&["run", "s.toml", "--timeline", "--messages"]);
    assert!(output.status.success());
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(errors.contains("--messages has no effect without a [network.*]"), "{errors}");
    assert!(bench.path("results/a/timeline.csv").exists() && !bench.path("results/a/messages.csv").exists());
}
