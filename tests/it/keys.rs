//! Keys as they are declared: each is read, its default is what holds without it, what is unknown is told where it
//! belongs, and the JSON schema of them takes what is shipped and refuses what a schema can tell is wrong.

use crate::support::data_path;
use flitwise::config::Diagnostic;
use flitwise::scenario::{Options, Rejected, Scenario, schema, tables};
use flitwise::units::Key;
use flitwise::units::key::Takes;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use toml::{Table, Value};

/// Scenarios that have every table between them, and every choice that decides which keys are read. Files are those of
/// `tests/data/keys`.
const BASES: [&str; 68] = [
    "network.mesh.shape = [4, 4]\nengine.kind = \"flit\"\nchannel.buffer = 2\nnode.send_setup = 5\nrouter.model = \"ideal\"\n\
     workload.multicast = { algorithms = [\"block-binomial\"], flits = 8, group = 4 }\nsweep.seed = [1, 2]\n\
     figure = { source = \"s\", x = \"seed\", y = \"measured_mean\", x_label = \"x\", y_label = \"y\" }\n\
     claim = [{ text = \"s\", value = \"measured_mean\", printed = [1], note = \"n\" }]",
    "network.mesh.shape = [4, 4]\nworkload.multicast = { algorithms = [\"chain\", \"u-mesh\"], flits = 8, group = 4 }\n\
     sweep = { seed = [1, 2], \"workload.multicast.group\" = [4, 8] }\n\
     figure = { style = \"map\", x = \"seed\", y = \"group\" }",
    "network.torus.shape = [4, 4]\nworkload.exchange = { algorithms = [\"naive\"] }\nfigure.source = \"s\"\n\
     claim = [{ text = \"s\", value = \"measured_mean\", trend = \"rises\", along = \"seed\" }]\nsweep.seed = [1, 2]",
    "network.bmin = { radix = 2, levels = 3 }\nworkload.trace.file = \"trace.csv\"",
    "network.graph.file = \"net.csv\"\nrouter = { routing = \"shortest\" }\nworkload.trace.file = \"trace.csv\"",
    "network.graph.file = \"classes.csv\"\nchannel.flit_bits = 64\nlinks = { all = {}, node = {}, NAME = {} }\n\
     workload.trace.file = \"trace.csv\"",
    "network.graph.file = \"net.csv\"\nrouter = { routing = \"up-down\" }\nworkload.trace.file = \"trace.csv\"",
    "network.graph.file = \"net.csv\"\nrouter = { routing = \"table\", table = \"paths.csv\" }\nworkload.trace.file = \"trace.csv\"",
    "network.fat-tree = { arity = 2, levels = 3 }\nworkload.trace.file = \"trace.csv\"",
    "network.fat-tree = { children = [4, 2], parents = [1, 2] }\nworkload.trace.file = \"trace.csv\"",
    "network.dragonfly = { p = 2, a = 2, h = 1 }\nworkload.trace.file = \"trace.csv\"",
    "network.chiplets = { chips = [2, 2], shape = [2, 2] }\nworkload.trace.file = \"trace.csv\"",
    "network.chiplets = { chips = [2, 2], shape = [2, 2], interposer = true }\nworkload.trace.file = \"trace.csv\"",
    "network.dragonfly = { p = 2, a = 2, h = 1 }\nrouter = { routing = \"ugal\" }\nworkload.trace.file = \"trace.csv\"",
    "network.torus.shape = [3, 3]\nnode.send_setup = 5\nworkload.collective = { operation = \"allreduce\", flits = 18, \
     algorithms = [\"bucket\", \"tto-as-published\"], unproved = true }",
    "network.mesh.shape = [4, 4]\nchannel = { flit_bytes = 8, bandwidth = \"1GB/s\" }\n\
     node = { send_per_byte = \"1ns\", receive_per_byte = \"1ns\", hold_per_byte = \"1ns\", reduce_per_byte = \"1ns\" }\n\
     workload.collective = { operation = \"reduce\", algorithms = [\"flat\"], bytes = 8, segment_bytes = 8 }",
    "network.mesh.shape = [4, 4]\nchannel.flit_bytes = 8\n\
     workload.multicast = { algorithms = [\"chain\"], bytes = 8, group = 4 }",
    "network.torus.shape = [4, 4]\nchannel.flit_bytes = 8\nworkload.exchange = { algorithms = [\"naive\"], block_bytes = 8 }",
    "network.mesh.shape = [4, 4]\nchannel.flit_bytes = 8\n\
     workload.traffic = { pattern = \"uniform\", rate = 0.1, packet_bytes = 8 }",
    "network.mesh.shape = [4, 4]\nworkload.collective = { operation = \"reduce\", algorithms = [\"flat\"], flits = 8 }",
    "network.mesh.shape = [4, 4]\nworkload.collective = { operation = \"barrier\", algorithms = [\"dissemination\"] }",
    "model.logp = { L = 6, o = 2, g = 4 }\nworkload.multicast = { algorithms = [\"chain\"], flits = 8, group = 4 }",
    "model.loggops = { L = 6, o = 2, g = 4, G = 1 }\nworkload.goal.file = \"chain.goal\"",
    "model.parameterised = { t_hold = 6, t_end = 20 }\nworkload.multicast = { algorithms = [\"chain\"], flits = 8, group = 4 }",
    "network.mesh.shape = [2, 2]\nworkload.goal.file = \"chain.goal\"",
    "network.mesh.shape = [2, 2]\nworkload.msccl = { file = \"pair.xml\", buffer_bytes = 64 }",
    "network.grid = { nodes = 4, bytes = 9, latency = [1, 2], bandwidth = [5, 9], clusters = 2, between_latency = [1, 2], \
     between_bandwidth = [5, 9] }\nerror = { sigma = 0.1, truncation = \"clip\" }\n\
     faults = { slow_links = 0.1, slowdown = 2 }\n\
     workload.broadcast.algorithms = [\"ttcc\", \"flat\", \"ecef-lookahead\", \"fnf\", \"spoc\"]",
    "network.grid = { nodes = 4, bytes = 9, latency = [1, 2], bandwidth = [5, 9] }\nerror.forecast.series = \"walk\"\n\
     faults.dead_nodes = 0.1\nworkload.broadcast.algorithms = [\"ecef\"]",
    "network.grid.actual = \"grid.csv\"\nworkload.broadcast.algorithms = [\"ecef\"]",
    "network.hypercube.dimension = 2\n\
     workload.mapping = { algorithms = [\"mrb\", \"greedy\", \"anneal\"], generator = \"gnp\", density = 0.5, simulate = true }",
    "network.hyperx.shape = [4, 4]\nworkload.trace.file = \"trace.csv\"",
    "network.full-mesh.routers = 4\nworkload.trace.file = \"trace.csv\"",
    "network.hypercube.dimension = 2\nworkload.mapping = { algorithms = [\"mrb\"], generator = \"mesh\", shape = [2, 2] }",
    "network.hypercube.dimension = 2\nworkload.mapping = { algorithms = [\"mrb\"], graph = \"edges.csv\" }",
    "network.torus = { shape = [5, 2], directions = \"one-way\" }\ndevice.hop = 9\nworkload.noc-trace.file = \"reads.json\"",
    "network.mesh.shape = [4, 4]\nrouter.model = \"pipelined\"\nworkload.traffic = { pattern = \"uniform\", rate = 0.1 }",
    "network.mesh.shape = [4, 4]\nrouter = { model = \"pipelined\", vc_allocator = \"islip\", switch_allocator = \"islip\" }\n\
     workload.traffic = { pattern = \"uniform\", rate = 0.1 }",
    "network.mesh.shape = [4, 4]\nworkload.traffic = { pattern = \"hotspot\", hotspots = [1], hotspot_fraction = 0.1, \
     rate = 0.1, injection = \"on-off\", alpha = 0.5, beta = 0.5 }",
    "network.mesh.shape = [2, 2]\nworkload.traffic = { pattern = \"matrix\", matrix = \"weights.csv\", mode = \"saturation\" }",
    "network.mesh.shape = [4, 4]\nworkload.traffic = { pattern = \"background\", excluded = [1], rate = 0.1 }",
    "network.mesh.shape = [4, 4]\nrouter.model = \"pipelined\"\n\
     workload.traffic = { pattern = \"uniform\", mode = \"batch\", batch_packets = 3 }",
    "network.mesh.shape = [4, 4]\nchannel.virtual_channels = 4\n\
     router = { model = \"pipelined\", routing = \"adaptive\", buffer_policy = \"limited\" }\n\
     workload.traffic = { pattern = \"uniform\", rate = 0.1 }",
    "network.mesh.shape = [4, 4]\nrouter.model = \"pipelined\"\n\
     workload.traffic = { pattern = \"uniform\", class = [{ name = \"a\", pattern = \"uniform\", rate = 0.1, packet_flits = [1, 2] }] }",
    "network.mesh.shape = [4, 4]\nrouter.model = \"pipelined\"\nworkload.traffic = { pattern = \"uniform\", class = \
     [{ name = \"a\", pattern = \"hotspot\", hotspots = [1], hotspot_fraction = 0.1, rate = 0.1, injection = \"on-off\", \
     alpha = 0.5, beta = 0.5 }] }",
    "network.mesh.shape = [4, 4]\nrouter.model = \"pipelined\"\nworkload.traffic = { pattern = \"uniform\", class = \
     [{ name = \"a\", pattern = \"background\", excluded = [1], rate = 0.1 }] }",
    "network.mesh.shape = [2, 2]\nrouter.model = \"pipelined\"\nworkload.traffic = { pattern = \"uniform\", class = \
     [{ name = \"a\", pattern = \"matrix\", matrix = \"weights.csv\", rate = 0.1 }] }",
    "network.mesh.shape = [2, 2]\nworkload.embed.flit_bytes = 8",
    "network.mesh.shape = [2, 2]\nrouter.model = \"pipelined\"\n\
     workload.embed = { ejection = \"held\", class = [{ name = \"a\" }, { name = \"b\" }] }",
    "model.loggops = { L = 6, o = 2, g = 4, G = 1 }\nworkload.goal.file = \"chain.goal\"\nnoise.file = \"noise.txt\"",
    "model.loggops = { L = 6, o = 2, g = 4, G = 1 }\nworkload.goal.file = \"chain.goal\"\nnoise = { period = 9, duration = 2 }",
    "network.mesh.shape = [4, 4]\nfaults = { links = [[0, 1]], slow = [[2, 3]], slowdown = 2, stragglers = [1], straggle = 2 }\n\
     workload.multicast = { algorithms = [\"binomial\"], group = 4, flits = 4 }",
    "tick = \"1ns\"\nnetwork.mesh.shape = [4, 4]\nchannel.flit_bits = 64\nenergy = { preset = \"dsent-22\", link = \"1pJ/bit/mm\", \
     link_mm = 1.5, activity = true }\nworkload.trace.file = \"trace.csv\"",
    "network.mesh.shape = [2, 2]\nworkload.halo = { shape = [2, 2], cells = [4, 4] }",
    "network.mesh.shape = [2, 2]\nworkload.wavefront = { shape = [2, 2], blocks = 2, bytes_x = 8, bytes_y = 8, compute = 5 }",
    "network.mesh.shape = [2, 2]\nworkload.transpose = { shape = [2, 2], points = [4, 4, 4], algorithms.alltoall = \"linear\" }",
    "network.mesh.shape = [2, 2]\nworkload.training = { layers = 2, hidden = 8, sequence = 4, data = 2, expert = 2, experts = 4, \
     pipeline = 2, algorithms.allreduce = \"ring\" }",
    "network.mesh.shape = [2, 2]\nworkload.training = { layers = 2, hidden = 8, sequence = 4 }",
    "network.mesh.shape = [2, 1]\nworkload.alltoallv = { matrix = \"bytes.csv\", algorithms.alltoall = \"linear\" }",
    "network.mesh.shape = [2, 2]\nworkload.alltoallv = { ranks = 4, tokens = 8, top_k = 2, experts = 8, bytes_per_token = 4 }",
    "network.mesh.shape = [2, 2]\nworkload.alltoallv = { ranks = 4, tokens = 8, top_k = 2, experts = 8, bytes_per_token = 4, \
     skew = \"zipf\", exponent = 1.0 }",
    "network.mesh.shape = [2, 2]\nworkload.alltoallv = { ranks = 4, tokens = 8, top_k = 2, experts = 8, bytes_per_token = 4, \
     skew = \"lognormal\", sigma = 1.0 }",
    "network.mesh.shape = [2, 1]\nworkload.mpi.trace = \"mpi-0.txt\"",
    "network.mesh.shape = [2, 1]\nworkload.mpi = { trace = \"mpi-0.txt\", expand = \"algorithms\", algorithms.barrier = \"dissemination\" }",
    "network.mesh.shape = [2, 2]\nworkload.chakra = { trace = \"step\", algorithms.allreduce = \"ring\" }",
    "network.mesh.shape = [2, 2]\nworkload.chakra = { trace = \"step\", ops_per_tick = 10, bytes_per_tick = 10, \
     groups = \"groups.json\" }",
    "network.mesh.shape = [4, 4]\nworkload.netrace.file = \"pairs.tra\"",
    "network.mesh.shape = [4, 4]\nworkload.jobs.job.NAME.halo = { shape = [2, 2], cells = [4, 4] }",
    "network.mesh.shape = [3, 1]\nworkload.jobs = { placement = \"list\", job.NAME = { nodes = [2, 1, 0], goal.file = \"chain.goal\" } }",
];

fn bases() -> Vec<Table> {
    BASES.iter().map(|text| format!("name = \"base\"\n{text}").parse().unwrap()).collect()
}

fn parse(scenario: &Table) -> Result<Scenario, Rejected> {
    Scenario::parse("s.toml", &scenario.to_string(), &data_path("keys"), &Options::default())
}

/// The table at `path`; of an array of tables the first.
fn table_at<'a>(scenario: &'a mut Table, path: &str) -> Option<&'a mut Table> {
    let mut table = scenario;
    for name in path.split('.').filter(|name| !name.is_empty()) {
        table = match table.get_mut(name)? {
            Value::Array(tables) => tables.first_mut()?.as_table_mut()?,
            value => value.as_table_mut()?,
        };
    }
    Some(table)
}

/// Every base in which the table at `path` stands, with `key` set to `value`.
fn with(path: &str, key: &Key, value: &Value) -> Vec<Table> {
    let set = |mut base: Table| {
        table_at(&mut base, path)?.insert(key.name.to_owned(), value.clone());
        Some(base)
    };
    bases().into_iter().filter_map(set).collect()
}

fn dotted(path: &str, key: &Key) -> String {
    if path.is_empty() { key.name.to_owned() } else { format!("{path}.{}", key.name) }
}

#[test]
fn the_bases_are_valid() {
    for base in bases() {
        let rejected = parse(&base).err().map(|rejected| rejected.diagnostics);
        assert_eq!(rejected, None, "{base}");
    }
}

#[test]
fn every_key_that_is_declared_is_read() {
    let wrong = Value::Datetime("1979-05-27".parse().unwrap());
    let mut keys = 0;
    for table in tables() {
        for key in table.keys {
            let name = format!("`{}`", dotted(&table.path, key));
            let refused = |scenario: &Table| {
                let Err(rejected) = parse(scenario) else { return false };
                rejected.diagnostics.iter().any(|d| d.message.contains(&name) && d.message.contains(" must be "))
            };
            assert!(with(&table.path, key, &wrong).iter().any(refused), "{name} is not read");
            keys += 1;
        }
    }
    assert!(keys > 180, "{keys}");
}

/// What a scenario comes to, but for the places where it says so.
fn resolved(scenario: &Scenario) -> String {
    let experiments: Vec<_> = scenario.points.iter().map(|point| &point.experiment).collect();
    let text = format!("{experiments:?} {:?}", scenario.figure);
    let parts: Vec<&str> =
        text.split("span: ").map(|part| part.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.')).collect();
    parts.concat()
}

#[test]
fn a_default_that_is_written_out_changes_nothing() {
    let mut keys = 0;
    for table in tables() {
        for key in table.keys {
            let Some(default) = key.default.toml() else { continue };
            let value = format!("v = {default}").parse::<Table>().unwrap().remove("v").unwrap();
            let mut compared = 0;
            for scenario in with(&table.path, key, &value) {
                let mut without = scenario.clone();
                table_at(&mut without, &table.path).unwrap().remove(key.name);
                // where it is not read, it is refused; and some bases are nothing without it
                let (Ok(written), Ok(without)) = (parse(&scenario), parse(&without)) else { continue };
                assert_eq!(resolved(&written), resolved(&without), "{}", dotted(&table.path, key));
                compared += 1;
            }
            assert!(compared > 0, "no base reads {}", dotted(&table.path, key));
            keys += 1;
        }
    }
    assert!(keys > 60, "{keys}");
}

#[test]
fn an_unknown_key_is_told_what_its_table_takes() {
    for table in tables() {
        let key = Key::text("zzz");
        let Some(scenario) = with(&table.path, &key, &Value::Integer(1)).into_iter().next() else {
            panic!("no base has [{}]", table.path);
        };
        let rejected = parse(&scenario).unwrap_err();
        let unknown = rejected.diagnostics.into_iter().find(|d| d.message.contains("unknown key `zzz`")).unwrap();
        let note = unknown.note.unwrap();
        let accepted: BTreeSet<&str> = note.split('`').skip(1).step_by(2).collect();
        assert_eq!(accepted, table.keys.iter().map(|key| key.name).collect(), "{}", table.path);
    }
}

#[test]
fn a_key_of_another_table_is_told_where_it_belongs() {
    let text = include_str!("../../scenarios/default.toml");
    for (set, message, hint) in [
        (
            "flits=5",
            "unknown key `flits`",
            "`flits` is a key of [workload.multicast]: did you mean `workload.multicast.flits`?",
        ),
        (
            "flit_tme=5",
            "unknown key `flit_tme`",
            "`flit_time` is a key of [network.mesh], [channel]; write the dotted key, such as `network.mesh.flit_time`",
        ),
        (
            "node.buffer=5",
            "unknown key `buffer` in [node]",
            "`buffer` is a key of [channel]: did you mean `channel.buffer`?",
        ),
        ("channel.bufer=5", "unknown key `bufer` in [channel]", "did you mean `buffer`?"),
        (
            "starts=5",
            "unknown key `starts`",
            "`starts` is a key of [workload.mapping]: did you mean `workload.mapping.starts`?",
        ),
    ] {
        let options = Options { set: vec![set.to_owned()], ..Options::default() };
        let rejected = Scenario::parse("s.toml", text, Path::new(""), &options).unwrap_err();
        let found = rejected.diagnostics.iter().find(|wrong| wrong.message == message).unwrap();
        assert_eq!(found.hint.as_deref(), Some(hint), "{set}");
        assert!(found.note.as_ref().is_some_and(|note| note.starts_with("accepted: `")), "{set}");
    }
}

/// Every scenario below `folder`.
fn scenarios(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            scenarios(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "toml") {
            found.push(path);
        }
    }
}

fn json(text: &str) -> Option<serde_json::Value> {
    serde_json::to_value(text.parse::<Table>().ok()?).ok()
}

#[test]
fn the_schema_takes_every_scenario_that_is_shipped() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let validator = jsonschema::draft7::new(&schema()).unwrap();
    let mut paths = Vec::new();
    scenarios(&root.join("scenarios"), &mut paths);
    let mut texts: Vec<String> = paths.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect();
    assert!(texts.len() > 40, "{}", texts.len());
    texts.extend(bases().iter().map(Table::to_string));
    for text in texts {
        let wrong: Vec<String> = validator.iter_errors(&json(&text).unwrap()).map(|error| error.to_string()).collect();
        assert!(wrong.is_empty(), "{wrong:?}\n{text}");
    }
}

#[test]
fn the_schema_takes_what_the_pages_show() {
    let validator = jsonschema::draft7::new(&schema()).unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut pages = vec![root.join("README.md")];
    let guides = std::fs::read_dir(root.join("src/guide")).unwrap().map(|entry| entry.unwrap().path());
    pages.extend(guides.filter(|path| path.extension().is_some_and(|extension| extension == "md")));
    let text: String = pages.iter().map(|page| std::fs::read_to_string(page).unwrap()).collect();
    let blocks: Vec<&str> = text.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(blocks.len() >= 15, "{}", blocks.len());
    for block in blocks {
        let json = serde_json::to_value(block.parse::<Table>().unwrap()).unwrap();
        let wrong: Vec<String> = validator.iter_errors(&json).map(|error| error.to_string()).collect();
        assert!(wrong.is_empty(), "{wrong:?}\n{block}");
    }
}

/// Whether a schema can tell what is wrong from what is said about it: a key alone, its type, its range, its words.
fn is_told_by_a_schema(message: &str) -> bool {
    let words = [
        "unknown key `",
        " must be an integer",
        " must be a ",
        " must be an array",
        " is out of range",
        " cannot be \"",
        " must list at least one ",
        " does not select a ",
        " is listed twice",
        "more than one table [",
    ];
    let algorithm = message.starts_with("unknown ") && message.contains(" \"");
    // what a file says, and what belongs to a sweep, is beyond a schema of keys
    let beyond = [
        "line ",
        "`where` must",
        "`zip` must",
        "hotspots` is out",
        "the range",
        "the values of",
        "`name` cannot",
        "`tick` cannot",
        // values with units
        "is out of range: ",
        "node ",
    ];
    (algorithm || words.iter().any(|word| message.contains(word))) && !beyond.iter().any(|word| message.contains(word))
}

#[test]
fn the_schema_refuses_what_a_schema_can_tell() {
    let validator = jsonschema::draft7::new(&schema()).unwrap();
    let mut paths = Vec::new();
    scenarios(&data_path("bad"), &mut paths);
    let mut told = 0;
    let mut refused = 0;
    for path in paths {
        // some are in another encoding
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let Some(json) = json(&text) else { continue };
        let Err(rejected) = Scenario::parse("s.toml", &text, &data_path("bad"), &Options::default()) else { continue };
        refused += usize::from(!validator.is_valid(&json));
        // what is swept is free, and what a graph file says as TOML is no key of a scenario
        let swept = json.get("sweep").is_some();
        let in_scenario = |wrong: &&Diagnostic| wrong.place.as_ref().is_none_or(|place| place.source == 0);
        let mut wrong = rejected.diagnostics.iter().filter(in_scenario);
        if !swept && wrong.any(|wrong| is_told_by_a_schema(&wrong.message)) {
            assert!(!validator.is_valid(&json), "{}: {:?}", path.display(), rejected.diagnostics);
            told += 1;
        }
    }
    // the rest is wrong with files, networks, and keys that exclude each other
    assert!(told >= 39 && refused >= 47, "{told} told, {refused} refused");
}

#[test]
fn the_command_prints_the_schema_and_the_keys_of_a_table() {
    let printed = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_flitwise")).args(arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(serde_json::from_str::<serde_json::Value>(&printed(&["schema"])).unwrap(), schema());
    let keys = printed(&["list", "keys", "workload.mapping"]);
    assert!(keys.contains("      an integer from 1 to 1048576; default: 1; only with mrb\n"), "{keys}");
    for table in tables().iter().filter(|table| !table.path.is_empty()) {
        let keys = printed(&["list", "keys", &table.path]);
        let named = |key: &&Key| keys.lines().any(|line| line.starts_with(&format!("  {}", key.name)));
        assert_eq!(table.keys.iter().filter(named).count(), table.keys.len(), "{}", table.path);
    }
}

#[test]
fn declarations_are_whole() {
    for table in tables() {
        let mut names = BTreeSet::new();
        for key in table.keys {
            let name = dotted(&table.path, key);
            assert!(names.insert(key.name), "{name} is declared twice");
            assert!(!key.sentence.is_empty() && !key.sentence.ends_with('.'), "{name}: {:?}", key.sentence);
            if let Takes::Integer(least, most) | Takes::IntegerOr(least, most, _) | Takes::Integers(least, most) =
                key.takes
            {
                assert!(least < most, "{name}");
            }
        }
    }
}
