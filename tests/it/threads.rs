//! Rows that several threads simulate, which are the same for any number of them.

use crate::cli::Bench;
use std::fs;
use std::path::Path;

/// A steady stream.
const STREAM: &str = "name = \"t\"\nworkload.traffic = { pattern = \"uniform\", rate = 0.1, packet_flits = 5, warmup = 100, \
                      measure = 400, drain = 2000, details = true }\n";

/// Networks and routers of every kind: lattices, networks of links, slow links, adaptive routings and options of routers.
const MACHINES: [&str; 12] = [
    "network.mesh.shape = [5, 4]\nchannel.virtual_channels = 4",
    "network.mesh.shape = [8]",
    "network.torus.shape = [4, 4]\nchannel.virtual_channels = 2",
    "network.torus.shape = [3, 3, 3]\nchannel.virtual_channels = 3\nrouter.routing = \"adaptive\"",
    "network.hypercube.dimension = 4\nrouter.speculative = false\nchannel.routing_delay = 2",
    "network.hyperx = { shape = [3, 3], concentration = 2 }\nchannel.virtual_channels = 4\nrouter.routing = \"ugal\"",
    "network.fat-tree = { arity = 3, levels = 2 }\nchannel.virtual_channels = 2\nrouter.routing = \"nca-adaptive\"",
    "network.dragonfly = { p = 2, a = 4, h = 2 }\nchannel.virtual_channels = 2",
    "network.mesh = { shape = [4, 4], delay = [3, 1], flit_time = [2, 1] }\nchannel.virtual_channels = 2",
    "network.mesh.shape = [4, 4]\nchannel.virtual_channels = 2\nrouter.switch_allocator = \"islip\"\nrouter.input_speedup = 2",
    "network.mesh.shape = [4, 4]\nchannel.virtual_channels = 4\nrouter.atomic = true",
    "network.mesh.shape = [4, 4]\nchannel.virtual_channels = 2\nrouter.vc_allocator = \"pim\"\nrouter.output_speedup = 2",
];

/// The tables of a run with these arguments.
fn tables(bench: &Bench, arguments: &[&str]) -> [String; 3] {
    bench.ok(&[&["run", "s.toml", "--quiet", "--force"], arguments].concat());
    ["rows", "summary", "links"].map(|name| fs::read_to_string(bench.path(&format!("results/t/{name}.csv"))).unwrap())
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    for machine in MACHINES {
        let bench = Bench::new(&format!("{STREAM}{machine}\nrouter.model = \"pipelined\"\n"));
        let one = tables(&bench, &["--threads", "1"]);
        for threads in ["2", "3", "8"] {
            assert_eq!(tables(&bench, &["--threads", threads]), one, "{machine}, {threads} threads");
        }
    }
}

/// Workloads of every way in which nodes send: at once, when others have arrived, and with everything that can be recorded.
const WORKLOADS: [&str; 9] = [
    "workload.traffic = { mode = \"burst\", pattern = \"transpose\", packet_flits = 6, details = true }",
    "workload.traffic = { pattern = \"uniform\", rate = 0.2, packet_flits = 3, warmup = 50, measure = 200, drain = 1000 }\n\
     energy.preset = \"dsent-22\"\nenergy.activity = true\nchannel.flit_bytes = 16\ntick = \"1ns\"",
    "workload.collective = { operation = \"allreduce\", algorithms = [\"rabenseifner\", \"swing-latency\"], flits = 64 }\n\
     node.send_setup = 7\nnode.send_per_flit = 1",
    "workload.collective = { operation = \"reduce-scatter\", algorithms = [\"ring\"], flits = 48, synchronous = false }",
    "workload.collective = { operation = \"allgather\", algorithms = [\"ring\"], flits = 33 }\n\
     energy.preset = \"dsent-22\"\nchannel.flit_bytes = 16\ntick = \"1ns\"",
    "workload.multicast = { algorithms = [\"opt-mesh\", \"binomial\"], flits = 20, group = 9 }\nnode.receive_setup = 30",
    "workload.exchange = { algorithms = [\"naive\", \"direct\"], block_flits = 4, unfit = \"skip\" }\nnode.ports = 2",
    "workload.halo = { shape = [4, 4], cells = [8, 8], iterations = 3 }\nrepetitions = 2",
    "workload.trace.file = \"m.csv\"",
];

#[test]
fn programs_and_records_do_not_depend_on_the_number_of_threads() {
    for workload in WORKLOADS {
        let bench = Bench::new(&format!(
            "name = \"t\"\nnetwork.mesh.shape = [4, 4]\nchannel.virtual_channels = 2\nrouter.model = \"pipelined\"\n{workload}\n"
        ));
        fs::write(bench.path("m.csv"), "id,src,dst,flits,start\n1,0,15,40,0\n2,15,1,3,2\n3,5,1,9,4\n4,2,13,200,4\n")
            .unwrap();
        let files = |threads: &str| {
            let timeline: &[&str] = if workload.contains("halo") { &["--timeline"] } else { &[] };
            bench
                .ok(&[&["run", "s.toml", "--quiet", "--force", "--messages", "--threads", threads], timeline].concat());
            csv_files(&bench.path("results/t"))
        };
        let one = files("1");
        for threads in ["2", "3", "8"] {
            assert_eq!(files(threads), one, "{workload}, {threads} threads");
        }
    }
}

/// Each CSV file in `directory` with its text.
fn csv_files(directory: &Path) -> Vec<(String, String)> {
    let entries = fs::read_dir(directory).unwrap();
    let mut files: Vec<_> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "csv"))
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read_to_string(&path).unwrap()))
        .collect();
    files.sort();
    files
}

#[test]
fn saturation_does_not_depend_on_the_number_of_threads() {
    let bench = Bench::new(
        "name = \"t\"\nnetwork.mesh.shape = [4, 4]\nrouter.model = \"pipelined\"\nworkload.traffic = { mode = \"saturation\", \
         pattern = \"transpose\", packet_flits = 2, warmup = 200, measure = 1000, details = true }\n",
    );
    assert_eq!(tables(&bench, &["--threads", "3"]), tables(&bench, &["--threads", "1"]));
}

#[test]
fn the_number_of_threads_makes_no_other_scenario() {
    let bench = Bench::new(&format!("{STREAM}network.mesh.shape = [4, 4]\nrouter.model = \"pipelined\"\n"));
    bench.ok(&["run", "s.toml", "--threads", "2"]);
    let output = bench.ok(&["run", "s.toml", "-s", "engine.threads=3"]);
    assert!(output.contains("unchanged, nothing to do"), "{output}");
}

#[test]
fn the_reason_for_one_thread_is_printed() {
    let details = |lines: &str| {
        let bench = Bench::new(&format!("{STREAM}network.mesh.shape = [4, 4]\n{lines}\n"));
        let output = bench.call(&["run", "s.toml", "-v", "--threads", "2"]);
        String::from_utf8(output.stderr).unwrap()
    };
    let pipelined = "router.model = \"pipelined\"";
    for (lines, expected) in [
        (pipelined.to_owned(), "`pipelined` routers; 2 threads"),
        ("engine.kind = \"router\"".to_owned(), "; one thread: ideal routers depend on each other within a cycle"),
        (format!("{pipelined}\nrouter.allow_deadlock = true"), "; one thread: `router.allow_deadlock` is true"),
    ] {
        let details = details(&lines);
        assert!(details.contains(expected), "{lines}: {details}");
    }
}

#[test]
fn zero_threads_are_rejected() {
    let bench = Bench::new(&format!("{STREAM}network.mesh.shape = [4, 4]\n"));
    let error = bench.fails(2, &["run", "s.toml", "--threads", "0"]);
    assert!(error.contains("must be a whole number from 1 to 1024, or auto"), "{error}");
}

#[test]
#[ignore = "takes minutes"]
fn examples_do_not_depend_on_the_number_of_threads() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/examples");
    let bench = Bench::new("");
    for entry in fs::read_dir(examples).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let files = |threads: &str| {
            let out = format!("out-{threads}");
            bench.ok(&["run", path.to_str().unwrap(), "--quiet", "--threads", threads, "--out", &out]);
            csv_files(&bench.path(&out).join(path.file_stem().unwrap()))
        };
        let one = files("1");
        for threads in ["2", "3", "8"] {
            assert!(files(threads) == one, "{}, {threads} threads", path.display());
        }
    }
}

#[test]
fn threads_are_accepted_where_they_have_no_effect() {
    for scenario in [
        "name = \"t\"\nnetwork.mesh.shape = [4, 4]\nworkload.multicast = { algorithms = [\"binomial\"], flits = 4, group = 5 }\n",
        "name = \"t\"\nworkload.multicast = { algorithms = [\"binomial\"], flits = 4, group = 5 }\nmodel.parameterised = { t_hold = 3, t_end = 9 }\n",
    ] {
        let bench = Bench::new(scenario);
        let one = bench.ok(&["run", "s.toml", "--quiet", "--out", "a"]);
        let two = bench.ok(&["run", "s.toml", "--quiet", "--threads", "2", "--out", "b"]);
        assert_eq!(one, two);
        assert_eq!(csv_files(&bench.path("a/t")), csv_files(&bench.path("b/t")), "{scenario}");
    }
}
