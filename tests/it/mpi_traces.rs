//! Traces of MPI programs: reference values of the operations and times of Schedgen and LogGOPSim, and of collectives.

use crate::applications_oracle::{MACHINES, cases, compare_times, model, named, scenario};
use crate::cli::{Bench, csv_rows};
use flitwise::schedule::goal::{ANY, ANY_TAG, Action, Goal};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

fn mpi_cases() -> Vec<Value> {
    cases(include_str!("../data/applications/mpi.json"))
}

#[test]
fn ranks_finish_at_the_reference_times() {
    mpi_cases().iter().for_each(compare_times);
}

/// The digest of the operations and dependencies of each rank, in their order.
fn digest(goal: &Goal) -> String {
    let mut text = Vec::new();
    for rank in 0..goal.ranks() {
        let ids = goal.of_rank(rank);
        let mut required = vec![BTreeSet::new(); ids.len()];
        for id in ids.clone() {
            let number = id - ids.start;
            goal.after_finish(id)
                .iter()
                .for_each(|later| _ = required[(later - ids.start) as usize].insert((number, "")));
            goal.after_start(id)
                .iter()
                .for_each(|later| _ = required[(later - ids.start) as usize].insert((number, "i")));
        }
        for (number, id) in ids.enumerate() {
            let operation = goal.operations()[id as usize];
            let peer = if operation.peer == ANY { "-1".to_owned() } else { operation.peer.to_string() };
            let tag = if operation.tag == ANY_TAG { u64::from(u32::MAX) } else { operation.tag };
            let (kind, peer) = match operation.action {
                Action::Compute => ("calc", "None".to_owned()),
                Action::Send => ("send", peer),
                Action::Receive => ("recv", peer),
            };
            let mut line = format!("{rank} {number} {kind} {} {peer} {tag} {} ", operation.size, operation.cpu);
            let all: Vec<String> = required[number].iter().map(|(on, way)| format!("{on}{way}")).collect();
            line += &all.join(" ");
            text.push(line);
        }
    }
    let digest = Sha256::digest(text.join("\n"));
    digest.iter().fold(String::new(), |mut hex, byte| {
        write!(hex, "{byte:02x}").unwrap();
        hex
    })
}

#[test]
fn operations_are_those_of_schedgen() {
    for case in mpi_cases() {
        let bench = Bench::new(&scenario(&case, &model("A"), &["flit_bytes"]));
        for (file, content) in case["files"].as_object().unwrap() {
            fs::write(bench.path(file), content.as_str().unwrap()).unwrap();
        }
        let goal = Goal::read(bench.ok(&["schedule", "s.toml", "--format", "goal"]).as_bytes()).unwrap();
        assert_eq!(digest(&goal), case["expect"]["digest"], "{}", case["name"]);
    }
}

/// Runs a scenario with `workload`. Returns the time on a ring of 16 nodes.
fn measured(workload: &str, files: &[(String, String)]) -> String {
    let bench = Bench::new(&format!("name = \"a\"\n{}reduce_per_flit = 2\n{workload}", named(&MACHINES, "ring")));
    files.iter().for_each(|(name, text)| fs::write(bench.path(name), text).unwrap());
    bench.ok(&["run", "s.toml"]);
    csv_rows(&fs::read_to_string(bench.path("results/a/rows.csv")).unwrap()).remove(0)["measured"].clone()
}

#[test]
fn a_collective_by_an_algorithm_takes_the_time_of_the_collective_alone() {
    let cases = [
        ("allreduce", "rabenseifner", 63, "MPI_Allreduce:0:1:2:125:10,8,8:3:0,@,16:0"),
        ("allreduce", "ring", 63, "MPI_Iallreduce:0:1:2:125:10,8,8:3:0,@,16:8:0"),
        ("allgather", "ring", 64, "MPI_Allgather:0:1:8:10,8,8:2:8:10,8,8:0,@,16:0"),
        ("broadcast", "binomial", 50, "MPI_Bcast:0:1:100:10,8,8:0:0,@,16:0"),
        ("reduce", "binomial", 50, "MPI_Reduce:0:1:2:100:10,8,8:3:0:0,@,16:0"),
        ("barrier", "dissemination", 0, "MPI_Barrier:0:0,@,16:0"),
    ];
    for (operation, algorithm, flits, line) in cases {
        let flits = if flits > 0 { format!("flits = {flits}\n") } else { String::new() };
        let collective = format!(
            "[workload.collective]\noperation = \"{operation}\"\nalgorithms = [\"{algorithm}\"]\nsynchronous = false\n{flits}"
        );
        let traced = format!(
            "[workload.mpi]\ntrace = \"t-0\"\nflit_bytes = 16\nexpand = \"algorithms\"\nalgorithms.{operation} = \"{algorithm}\"\n"
        );
        let file = |rank: usize| {
            let line = line.replace('@', &rank.to_string());
            (format!("t-{rank}"), format!("MPI_Init:-:1:2:0\n{line}\nMPI_Finalize:0:-\n"))
        };
        let files: Vec<(String, String)> = (0..16).map(file).collect();
        assert_eq!(measured(&traced, &files), measured(&collective, &[]), "{operation} by {algorithm}");
    }
}

#[test]
fn all_to_alls_by_algorithms_send_blocks_that_are_not_empty() {
    let lines = [
        "MPI_Alltoall:0:1:4:10,8,8:2:4:10,8,8:0,R,3:0",
        "MPI_Alltoallv:0:1:7:0,1,1:8:0,0,0:1,4,4:2:7:0,1,1:8:0,0,0:1,4,4:0,R,3:0",
        "MPI_Alltoallv:0:1:7:0,0,0:8:0,0,0:1,4,4:2:7:0,0,0:8:0,0,0:1,4,4:0,R,3:0",
    ];
    for algorithm in ["linear", "pairwise"] {
        let algorithms = format!("expand = \"algorithms\"\nalgorithms.alltoall = \"{algorithm}\"\n");
        let bench = Bench::new(&format!(
            "name = \"a\"\n[workload.mpi]\ntrace = \"t-0\"\ncopies = 2\n{algorithms}{}",
            model("A")
        ));
        for rank in 0..3 {
            let mut line = lines.join("\n").replace('R', &rank.to_string());
            if rank == 0 {
                line = line.replace("7:0,1,1", "7:1,1,1");
            } else {
                line = line.replace("7:0,1,1", if rank == 1 { "7:1,0,1" } else { "7:1,1,0" });
            }
            fs::write(bench.path(&format!("t-{rank}")), format!("MPI_Init:-:1:2:0\n{line}\nMPI_Finalize:5:-\n"))
                .unwrap();
        }
        bench.ok(&["run", "s.toml"]);
        let row = csv_rows(&fs::read_to_string(bench.path("results/a/rows.csv")).unwrap()).remove(0);
        // six ranks: five messages of each in the first, and in the second also from the first rank of a copy to that of the other
        assert_eq!((row["messages"].as_str(), row["compute"].as_str()), ("56", "30000"), "{algorithm}");
    }
}

#[test]
fn calls_that_are_skipped_are_counted_and_remarked() {
    let bench = Bench::new(&format!("name = \"a\"\n[workload.mpi]\ntrace = \"t-0.txt\"\ncopies = 3\n{}", model("A")));
    let text = "MPI_Init:-:1:2:10\nMPI_Scan:20:1,0,1:25.5\nMPI_Gather:30:1,0,1:31\nMPI_Finalize:40:-\n";
    fs::write(bench.path("t-0.txt"), text).unwrap();
    let output = bench.ok(&["run", "s.toml"]);
    assert!(output.contains("not simulated: MPI_Gather (3), MPI_Scan (3). Their 19,500 ticks"), "{output}");
    let row = csv_rows(&fs::read_to_string(bench.path("results/a/rows.csv")).unwrap()).remove(0);
    assert_eq!((row["skipped_calls"].as_str(), row["skipped_time"].as_str()), ("6", "19500"));
}

/// The traces of the directory that the environment variable MPI_TRACES names, which are read in place.
#[test]
#[ignore = "needs MPI_TRACES, a directory of traces of liballprof with a directory for each, which are not part of the project"]
fn published_traces_run() {
    let traces = PathBuf::from(std::env::var_os("MPI_TRACES").expect("MPI_TRACES names a directory"));
    let mut directories = vec![traces];
    let mut count = 0;
    while let Some(directory) = directories.pop() {
        let entries = fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path());
        for path in entries {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                directories.push(path);
            } else if name.contains("-0.") || name.ends_with("-0") {
                let table = toml::Table::from_iter([("trace".to_owned(), path.to_str().unwrap().into())]);
                let bench = Bench::new(&format!("name = \"a\"\n[workload.mpi]\n{table}{}", model("A")));
                bench.ok(&["run", "s.toml"]);
                count += 1;
            }
        }
    }
    assert!(count > 0);
}
