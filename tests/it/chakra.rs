//! Chakra traces: a writer of files, the sample of `flitwise new chakra`, times of collectives, and invalid traces.

use crate::cli::{Bench, csv_rows};
use crate::support::data_path;
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::path::Path;

/// The numbers of the types of nodes are their places.
const TYPES: [&str; 11] =
    ["invalid", "metadata", "load", "store", "comp", "send", "recv", "coll", "storage", "batch", "checkpoint"];

/// The encoding of a file.
#[derive(Clone, Copy, Default)]
pub(crate) struct Encoding<'a> {
    /// True if each id of a dependency is a field of its own.
    pub(crate) is_unpacked: bool,
    /// The field of integers in attributes, or 0 for int64.
    pub(crate) integers: u64,
    /// Bytes behind each node.
    pub(crate) extra: &'a [u8],
}

fn varint(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number > 127 {
        bytes.push(number.to_le_bytes()[0] | 128);
        number >>= 7;
    }
    bytes.push(number.to_le_bytes()[0]);
    bytes
}

/// A varint field. 0 has no field.
fn number(field: u64, number: u64) -> Vec<u8> {
    if number == 0 { Vec::new() } else { [varint(field << 3), varint(number)].concat() }
}

/// A field of bytes behind their number.
pub(crate) fn blob(field: u64, bytes: &[u8]) -> Vec<u8> {
    [varint(field << 3 | 2), varint(bytes.len() as u64), bytes.to_vec()].concat()
}

fn attribute(name: &str, value: &Value, integers: u64) -> Vec<u8> {
    let value = match value {
        Value::Bool(flag) => [varint(27 << 3), varint((*flag).into())].concat(),
        Value::String(text) => blob(29, text.as_bytes()),
        value => {
            let field = if integers == 0 { 9 } else { integers };
            [varint(field << 3), varint(value.as_i64().unwrap().cast_unsigned())].concat()
        }
    };
    [blob(1, name.as_bytes()), value].concat()
}

/// The message of a node with the keys `id`, `type`, and optionally `name`, `ctrl`, `data`, `us`, `values` and `attrs`.
fn node(node: &Value, encoding: Encoding<'_>) -> Vec<u8> {
    let integer = |key: &str| node[key].as_u64().unwrap_or(0);
    let kind = TYPES.iter().position(|name| *name == node["type"]).unwrap();
    let mut bytes = [number(1, integer("id")), blob(2, node["name"].as_str().unwrap_or("").as_bytes())].concat();
    bytes.extend(number(3, kind as u64));
    for (field, key) in [(4, "ctrl"), (5, "data")] {
        let ids = node[key].as_array().into_iter().flatten().map(|id| varint(id.as_u64().unwrap()));
        if encoding.is_unpacked {
            bytes.extend(ids.flat_map(|id| [varint(field << 3), id].concat()));
        } else {
            let packed = ids.collect::<Vec<_>>().concat();
            bytes.extend(if packed.is_empty() { Vec::new() } else { blob(field, &packed) });
        }
    }
    bytes.extend(number(6, 7));
    bytes.extend(number(7, integer("us")));
    if let Some(values) = node["values"].as_str() {
        bytes.extend(blob(8, &blob(1, values.as_bytes())));
    }
    for (name, value) in node["attrs"].as_object().into_iter().flatten() {
        bytes.extend(blob(10, &attribute(name, value, encoding.integers)));
    }
    bytes.extend(encoding.extra);
    bytes
}

/// The file of `nodes`.
pub(crate) fn encode(nodes: &[Value], encoding: Encoding<'_>) -> Vec<u8> {
    let metadata = [blob(1, b"0.0.4"), blob(2, &attribute("schema", &"own".into(), 0))].concat();
    let messages = std::iter::once(metadata).chain(nodes.iter().map(|one| node(one, encoding)));
    messages.flat_map(|message| [varint(message.len() as u64), message].concat()).collect()
}

/// The gzip file of `bytes`.
pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

fn et(nodes: &[Value]) -> Vec<u8> {
    encode(nodes, Encoding::default())
}

/// A directory with a scenario of the trace `t`, whose ranks have the given files.
fn bench(text: &str, ranks: &[Vec<u8>]) -> Bench {
    let bench = Bench::new(&format!("name = \"a\"\n{text}\n"));
    for (rank, bytes) in ranks.iter().enumerate() {
        fs::write(bench.path(&format!("t.{rank}.et")), bytes).unwrap();
    }
    bench
}

/// The value of `column` in the first row of the scenario of `bench`.
fn value(bench: &Bench, column: &str) -> u64 {
    bench.ok(&["run", "s.toml"]);
    let rows = csv_rows(&fs::read_to_string(bench.path("results/a/rows.csv")).unwrap());
    rows[0][column].parse().unwrap()
}

/// The sample: two pipeline stages with two ranks each, which sum activations in pairs and gradients among all.
fn sample(rank: u64) -> Vec<u8> {
    let groups = r#"[{"pg_name": "1", "ranks": [0, 1]}, {"pg_name": "2", "ranks": [2, 3]}]"#;
    let is_first = rank < 2;
    let sum = |bytes: u64| json!({"comm_type": 0, "comm_size": bytes});
    let mut activations = sum(16384);
    activations["pg_name"] = if is_first { "1" } else { "2" }.into();
    let gpu = |operations: u64, bytes: u64| json!({"is_cpu_op": false, "num_ops": operations, "tensor_size": bytes});
    let exchange = match is_first {
        true => json!({"id": 4, "name": "send activations", "type": "send", "us": 3, "data": [3],
            "attrs": {"comm_size": 16384, "comm_dst": rank + 2, "comm_tag": 1}}),
        false => json!({"id": 4, "name": "receive activations", "type": "recv", "us": 3,
            "attrs": {"comm_size": 16384, "comm_src": rank - 2, "comm_tag": 1}}),
    };
    et(&[
        json!({"id": 1, "name": "## process_group:init ##", "type": "metadata", "values": groups}),
        json!({"id": 2, "name": "forward", "type": "comp", "us": 40, "data": if is_first { vec![1] } else { vec![1, 4] },
            "attrs": gpu(3_000_000_000, 2_000_000)}),
        json!({"id": 3, "name": "sum of activations", "type": "coll", "us": 9, "data": [2], "attrs": activations}),
        exchange,
        json!({"id": 5, "name": "backward", "type": "comp", "us": 80, "data": [3], "attrs": gpu(6_000_000_000, 4_000_000)}),
        json!({"id": 6, "name": "sum of gradients", "type": "coll", "us": 30, "data": [5], "attrs": sum(65536)}),
        json!({"id": 7, "name": "load batch", "type": "load", "us": 60, "ctrl": [2], "attrs": {"is_cpu_op": true}}),
        json!({"id": 8, "name": "optimizer", "type": "comp", "us": 20, "data": [6], "attrs": {"is_cpu_op": false}}),
    ])
}

#[test]
fn the_sample_consists_of_these_nodes() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/workload/chakra");
    for rank in 0..4 {
        for folder in [&source, &data_path("keys"), &data_path("bad")] {
            if rank > 1 && folder.ends_with("bad") {
                continue; // a trace without half of its ranks
            }
            let path = folder.join(format!("step.{rank}.et"));
            if std::env::var_os("FLITWISE_BLESS").is_some() {
                fs::write(&path, sample(rank)).unwrap();
            }
            assert_eq!(fs::read(path).unwrap(), sample(rank));
        }
    }
}

#[test]
fn a_trace_of_one_collective_takes_the_time_of_the_collective() {
    let machine = "[network.torus]\nshape = [4, 2]\n[channel]\nflit_time = 2\nbuffer = 4\n[node]\nsend_setup = 300\n\
                   receive_setup = 200\nreduce_per_flit = 1\n";
    for (kind, bytes, algorithm, operation, flits) in [
        (0, 1000, "rabenseifner", "allreduce", 63),
        (1, 1024, "binomial", "reduce", 64),
        (2, 128, "bruck", "allgather", 64),
        (3, 128, "binomial", "gather", 64),
        (4, 1024, "binomial", "scatter", 64),
        (5, 1024, "chain", "broadcast", 64),
        (8, 1024, "recursive-halving", "reduce-scatter", 64),
        (9, 0, "dissemination", "barrier", 0),
    ] {
        let length = if flits == 0 { String::new() } else { format!("flits = {flits}\n") };
        let collective = format!(
            "{machine}[workload.collective]\noperation = \"{operation}\"\nalgorithms = [\"{algorithm}\"]\nsynchronous = false\n{length}"
        );
        let chakra = format!(
            "{machine}[workload.chakra]\ntrace = \"t\"\nflit_bytes = 16\nalgorithms.{operation} = \"{algorithm}\"\n"
        );
        let trace = et(&[json!({"id": 0, "type": "coll", "attrs": {"comm_type": kind, "comm_size": bytes}})]);
        let measured = value(&bench(&chakra, &vec![trace; 8]), "measured");
        assert_eq!(measured, value(&bench(&collective, &[]), "measured"), "{operation}");
    }
}

const MODEL: &str = "[model.loggops]\nL = 2500\no = 1500\ng = 1000\nG = 6\n";

fn computation(id: u64, us: u64) -> Value {
    json!({"id": id, "type": "comp", "us": us})
}

fn allreduce(id: u64, bytes: u64) -> Value {
    json!({"id": id, "type": "coll", "attrs": {"comm_type": 0, "comm_size": bytes}})
}

#[test]
fn recorded_communication_sends_nothing_and_needs_no_groups() {
    let mut reduced = allreduce(2, 64);
    reduced["us"] = 7.into();
    reduced["data"] = json!([1]);
    reduced["attrs"]["pg_name"] = "unknown".into();
    let trace = et(&[computation(1, 5), reduced]);
    let bench = bench(&format!("[workload.chakra]\ntrace = \"t\"\ncommunication = \"recorded\"\n{MODEL}"), &[trace]);
    assert_eq!(value(&bench, "predicted"), 12_000);
    assert_eq!((value(&bench, "messages"), value(&bench, "collectives"), value(&bench, "trace_nodes")), (0, 0, 2));
}

#[test]
fn groups_of_a_file_are_one_if_their_members_are() {
    // the second collective waits for the first one, which waits for a computation of the other rank
    let grouped = |id: u64, name: &str, after: &[u64]| {
        let mut node = allreduce(id, 1);
        node["attrs"]["pg_name"] = name.into();
        node["data"] = json!(after);
        node
    };
    let waiting = [computation(1, 100), grouped(2, "x", &[1]), grouped(3, "y", &[])];
    let idle = [grouped(2, "x", &[]), grouped(3, "y", &[])];
    let text = format!("[workload.chakra]\ntrace = \"t\"\ngroups = \"g.json\"\n{MODEL}");
    let bench = bench(&text, &[et(&waiting), et(&idle)]);
    fs::write(bench.path("g.json"), r#"{"x": [0, 1], "y": [0, 1]}"#).unwrap();
    let exchange = 1500 + 2500 + 1500;
    assert!(value(&bench, "predicted") >= 100_000 + 2 * exchange);
    assert_eq!(value(&bench, "collectives"), 2);
}

#[test]
fn nodes_that_are_not_simulated_as_such_are_counted_in_remarks() {
    let nodes = [json!({"id": 1, "type": "batch", "us": 1}), json!({"id": 2, "type": "coll", "us": 1})];
    let output = bench(&format!("[workload.chakra]\ntrace = \"t\"\n{MODEL}"), &[et(&nodes)]).ok(&["run", "s.toml"]);
    assert!(
        output.contains("1 storage, batch or checkpoint node") && output.contains("1 collective without `comm_type`"),
        "{output}"
    );
}

#[test]
fn packed_files_are_read_where_there_are_no_others() {
    let bench = bench(&format!("[workload.chakra]\ntrace = \"t\"\n{MODEL}"), &[et(&[computation(1, 4)])]);
    fs::write(bench.path("t.1.et.gz"), gzip(&et(&[computation(1, 5)]))).unwrap();
    assert_eq!((value(&bench, "predicted"), value(&bench, "nodes")), (5000, 2));
}

#[test]
fn each_error_names_the_file_and_the_node() {
    let refused = |ranks: &[Vec<u8>], words: &[&str]| {
        let error = bench(&format!("[workload.chakra]\ntrace = \"t\"\n{MODEL}"), ranks).fails(2, &["run", "s.toml"]);
        words.iter().for_each(|word| assert!(error.contains(word), "{word}: {error}"));
    };
    let traces = |nodes: &[Value]| vec![et(nodes), et(&[computation(1, 5)])];
    let after = |id: u64, on: u64| json!({"id": id, "type": "comp", "data": [on]});
    let send = |attributes: Value| traces(&[json!({"id": 1, "type": "send", "attrs": attributes})]);
    let whole = et(&[computation(1, 5)]);
    refused(&[whole[..whole.len() - 2].to_vec()], &["`t.0.et`: frame 1", "ends"]);
    refused(&[[&whole[..], &[0xff; 11]].concat()], &["frame 2", "varint"]);
    refused(&[[&whole[..], b"\x01\x0b"].concat()], &["frame 2", "wire type 3"]);
    refused(&[Vec::new()], &["`t.0.et`", "is empty"]);
    let metadata = 1 + usize::from(whole[0]);
    refused(&[whole[metadata..].to_vec()], &["frame 0", "metadata"]);
    refused(&traces(&[computation(1, 5), computation(1, 5)]), &["`t.0.et`: node 1", "twice"]);
    refused(&traces(&[after(1, 9)]), &["`t.0.et`: node 1", "node 9"]);
    refused(&traces(&[after(1, 2), after(2, 1)]), &["`t.0.et`", "cycle", "node 1", "node 2"]);
    refused(&traces(&[after(1, 1)]), &["cycle", "node 1"]);
    refused(&send(json!({"comm_dst": 5})), &["`t.0.et`: node 1", "rank 5"]);
    refused(&send(json!({"comm_size": 5})), &["`t.0.et`: node 1", "comm_dst"]);
    refused(&send(json!({"comm_dst": 1, "comm_tag": 1 << 30})), &["node 1", "comm_tag"]);
    refused(&send(json!({"comm_dst": 1, "comm_size": -1})), &["node 1", "`comm_size` is -1"]);
    refused(&send(json!({"comm_dst": "1"})), &["node 1", "`comm_dst` is not an integer"]);
    refused(&traces(&[json!({"id": 1, "type": "coll", "attrs": {"comm_type": 10}})]), &["node 1", "`comm_type` is 10"]);
    refused(&traces(&[allreduce(1, 64)]), &["all-reduce", "rank 1 has only 0 collectives"]);
    refused(&[et(&[allreduce(1, 64)]), et(&[allreduce(1, 65)])], &["64", "65"]);
    let mut gathered = allreduce(2, 64);
    gathered["attrs"]["comm_type"] = 2.into();
    refused(&[et(&[allreduce(1, 64)]), et(&[gathered])], &["all-reduce", "all-gather"]);
    let grouped = |name: &str| {
        let definition =
            r#"[{"pg_name": "7", "ranks": [1]}, {"pg_name": "8", "ranks": [0, 4]}, {"pg_name": "9", "ranks": [0, 0]}]"#;
        let mut node = allreduce(2, 64);
        node["attrs"]["pg_name"] = name.into();
        traces(&[json!({"id": 1, "type": "metadata", "values": definition}), node])
    };
    refused(&grouped("6"), &["`t.0.et`: node 2", "group `6` is unknown", "`0`, `7`"]);
    refused(&grouped("7"), &["node 2", "does not contain rank 0"]);
    refused(&grouped("8"), &["node 2", "rank 4", "2 ranks"]);
    refused(&grouped("9"), &["node 2", "rank 0 twice"]);
}

#[test]
fn a_message_without_partner_fails_with_both_ranks() {
    let send = json!({"id": 1, "type": "send", "attrs": {"comm_size": 8, "comm_dst": 1}});
    let text = format!("[workload.chakra]\ntrace = \"t\"\n{MODEL}");
    let error = bench(&text, &[et(&[send]), et(&[computation(1, 5)])]).fails(1, &["run", "s.toml"]);
    assert!(error.contains("rank 0") && error.contains("rank 1"), "{error}");
}

/// Reads the traces in the directory `CHAKRA` in place, such as `examples` of astra-sim/astra-sim.
#[test]
#[ignore = "reads published traces in the directory that the environment variable CHAKRA names"]
fn published_traces_run() {
    let mut directories = vec![std::path::PathBuf::from(std::env::var_os("CHAKRA").expect("CHAKRA names a directory"))];
    let mut run = 0;
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(&directory).unwrap() {
            let path = fs::canonicalize(entry.unwrap().path()).unwrap();
            if path.is_dir() {
                directories.push(path);
            } else if let Some(trace) = path.to_str().and_then(|path| path.strip_suffix(".0.et")) {
                let model = format!("{MODEL}S = 1000000000000\n");
                let bench = bench(&format!("[workload.chakra]\ntrace = \"{trace}\"\n{model}"), &[]);
                assert!(value(&bench, "predicted") > 0, "{trace}");
                run += 1;
            }
        }
    }
    assert!(run > 0, "no trace there");
}
