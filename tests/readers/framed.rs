//! Files that scenarios name, each in a scenario that is right: what is tried is the file alone.

use super::Target;
use super::folder::with_files;
use super::scenario::read;
use flitwise::memory::Limit;
use flitwise::scenario::Options;

/// What a run may take.
const MEMORY: u64 = 24 << 20;

/// A target that reads a file called `f` in the scenario `$frame`.
macro_rules! framed {
    ($name:literal, $reads:literal, $longest:literal, $seeds:expr, $($frame:literal),+) => {
        Target {
            name: $name,
            reads: $reads,
            longest: $longest,
            seeds: $seeds,
            made: Vec::new,
            run: |bytes| [$($frame),+].iter().for_each(|frame| in_frame(frame, bytes)),
        }
    };
}

pub(crate) const TARGETS: &[Target] = &[
    framed!(
        "trace",
        "CSV of messages: `[workload.trace]`",
        512,
        &[
            "tests/data/keys/trace.csv",
            "tests/data/bad/*.csv",
            "\nid,src,dst,flits,start,after\n0,0,1,8,0,\n1,1,2,8,,0\n"
        ],
        "network.mesh.shape = [2, 2]\nworkload.trace.file = \"f\""
    ),
    framed!(
        "noc-trace",
        "JSON of the NoC events of a chip, plain or gzip: `[workload.noc-trace]`",
        1024,
        &["tests/data/keys/*.json", "tests/data/bad/*.json", "scenarios/examples/*.json"],
        "network.torus = { shape = [5, 2], directions = \"one-way\" }\ndevice.hop = 9\nworkload.noc-trace.file = \"f\""
    ),
    framed!(
        "noc-map",
        "CSV of where what is put on a chip: `[workload.noc-trace]`",
        256,
        &["scenarios/examples/chip-apart.csv", "tests/data/bad/*.csv"],
        "network.torus = { shape = [5, 2], directions = \"one-way\" }\ndevice.hop = 9\nworkload.noc-trace = { file = \"reads.json\", map = \"f\" }"
    ),
    framed!(
        "chakra",
        "Chakra execution traces: `[workload.chakra]`",
        1024,
        &["src/workload/chakra/*.et"],
        "workload.chakra.trace = \"f\"\nmodel.loggops = { L = 1, o = 1, g = 1, G = 1 }",
        "workload.chakra = { trace = \"f\", dependencies = \"both\", communication = \"recorded\" }\n\
         model.loggops = { L = 1, o = 1, g = 1, G = 1 }"
    ),
    framed!(
        "netrace",
        "netrace files, packed or not: `[workload.netrace]`",
        512,
        &["tests/data/keys/*.tra", "src/workload/netrace/*.tra"],
        "workload.netrace = { file = \"f\", details = true }",
        "workload.netrace = { file = \"f\", pacing = \"self-throttled\" }"
    ),
    framed!(
        "noise",
        "offsets and durations of noise: `[noise]`",
        256,
        &["\n100 5\n900\t50 # a comment\n5000 1\n", "tests/data/bad/*.csv"],
        "workload.halo = { shape = [2], cells = [4], compute_per_cell = 9 }\nnoise.file = \"f\"\nmodel.loggops = { L = 1, o = 1, g = 1, G = 1 }"
    ),
    framed!(
        "blocks",
        "matrices of bytes between ranks: `[workload.alltoallv]`",
        256,
        &["\n0,10,5\n3,0,4\n1,2,0\n", "tests/data/bad/*.csv"],
        "workload.alltoallv.matrix = \"f\"\nmodel.loggops = { L = 1, o = 1, g = 1, G = 1 }"
    ),
    framed!(
        "graph",
        "CSV of nodes and links: `[network.graph]`",
        512,
        &["tests/data/keys/net.csv", "tests/data/networks/files/*.csv", "tests/data/bad/*.csv"],
        "network.graph = { file = \"f\", format = \"csv\" }\nrouter.routing = \"shortest\"\nworkload.trace.file = \"trace.csv\"",
        "network.graph = { file = \"f\", format = \"csv\" }\nrouter.routing = \"up-down\"\nworkload.trace.file = \"trace.csv\""
    ),
    framed!(
        "graph-toml",
        "TOML of nodes and links: `[network.graph]`",
        512,
        &[
            "\nrouters = 3\nnode = [0, 1, 2]\n[[link]]\nends = [0, 1]\n[[link]]\nends = [1, 2]\ndelay = 2\none_way = true\n"
        ],
        "network.graph = { file = \"f\", format = \"toml\" }\nrouter.routing = \"up-down\"\nworkload.trace.file = \"trace.csv\""
    ),
    framed!(
        "anynet",
        "anynet files of networks: `[network.graph]`",
        512,
        &["tests/data/networks/files/*.anynet", "scenarios/examples/*.anynet", "tests/data/bad/*.anynet"],
        "network.graph = { file = \"f\", format = \"anynet\" }\nrouter.routing = \"shortest\"\nworkload.trace.file = \"trace.csv\""
    ),
    framed!(
        "routes",
        "CSV of routing tables and paths: `router.table`",
        512,
        &["tests/data/keys/paths.csv", "tests/data/bad/*.csv"],
        "network.graph.file = \"net.csv\"\nrouter = { routing = \"table\", table = \"f\" }\nworkload.trace.file = \"trace.csv\""
    ),
    framed!(
        "grid",
        "CSV of latencies and bandwidths of links: `[network.grid]`",
        512,
        &["tests/data/keys/grid.csv", "scenarios/link.csv", "scenarios/paper/*.csv", "tests/data/bad/*.csv"],
        "network.grid.actual = \"f\"\nworkload.broadcast.algorithms = [\"ecef\"]",
        "network.grid = { actual = \"f\", predicted = \"f\" }\nworkload.broadcast.algorithms = [\"ttcc\"]"
    ),
    framed!(
        "edges",
        "CSV of edges of a graph, and of how much tasks send: `[workload.mapping]`",
        512,
        &["tests/data/keys/edges.csv", "tests/data/bad/*.csv"],
        "network.hypercube.dimension = 2\nworkload.mapping = { algorithms = [\"mrb\"], graph = \"f\" }"
    ),
    framed!(
        "weights",
        "matrices of weights: `[workload.traffic]`, `[workload.mapping]`",
        512,
        &["tests/data/keys/weights.csv", "scenarios/examples/next-group.csv", "tests/data/bad/*.csv"],
        "network.mesh.shape = [2, 2]\nworkload.traffic = { pattern = \"matrix\", matrix = \"f\", mode = \"saturation\" }"
    ),
    framed!(
        "placements",
        "JSON of placements of groups: `placements` of workloads",
        512,
        &["scenarios/examples/chip-groups.json", "tests/data/bad/*.json", "\n[{\"k\":4,\"p\":0,\"nodes\":[0,1,2,3]}]"],
        "network.mesh.shape = [4, 4]\nworkload.multicast = { algorithms = [\"chain\"], flits = 8, group = 4, placements = \"f\" }"
    ),
];

/// Reads `bytes` as the file that `frame` names.
fn in_frame(frame: &str, bytes: &[u8]) {
    let scenario = format!("name = \"frame\"\n{frame}\n");
    let options = Options { memory: Some(Limit::available(MEMORY)), ..Options::default() };
    let kept = KEPT.iter().map(|(name, text)| (*name, text.as_bytes())).filter(|(name, _)| frame.contains(name));
    // a trace has a file for each rank
    let names: &[&str] = if frame.contains("workload.chakra") { &["f.0.et", "f.1.et"] } else { &["f"] };
    let files: Vec<(&str, &[u8])> = kept.chain(names.iter().map(|name| (*name, bytes))).collect();
    with_files(&files, |folder| read(scenario.as_bytes(), folder, &options));
}

/// Files of frames that are right.
const KEPT: [(&str, &str); 3] = [
    ("trace.csv", include_str!("../data/keys/trace.csv")),
    ("net.csv", include_str!("../data/keys/net.csv")),
    ("reads.json", include_str!("../data/keys/reads.json")),
];
