//! Applications: reference values of generated programs, of noise and of netrace traces.
//!
//! The cases are in `tests/data/applications`. Those of LogGOPSim's rules come from its own runs, and those of netrace from its reference
//! program.

use crate::chakra::{Encoding, blob, encode, gzip};
use crate::cli::{Bench, csv_rows};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use toml::Table;

const SETS: [(&str, &str); 5] = [
    ("A", "L = 2500\no = 1500\ng = 1000\nG = 6\nO = 0\nS = 65535"),
    ("B", "L = 1000\no = 500\ng = 200\nG = 1\nO = 0\nS = 1024"),
    ("C", "L = 5000\no = 2000\ng = 3000\nG = 2\nO = 3\nS = 65535"),
    ("D", "L = 0\no = 0\ng = 0\nG = 0\nO = 0\nS = 65535"),
    ("E", "L = 700\no = 40\ng = 60\nG = 3\nO = 1\nS = 1073741824"),
];

pub(crate) const MACHINES: [(&str, &str); 3] = [
    (
        "torus",
        "[network.torus]\nshape = [4, 4]\n[channel]\nflit_time = 2\nbuffer = 4\n[node]\nsend_setup = 300\nsend_per_flit = 1\n\
         receive_setup = 200\nreceive_per_flit = 1\n",
    ),
    (
        "mesh",
        "[network.mesh]\nshape = [4, 8]\n[channel]\nflit_time = 3\nbuffer = 8\nrouting_delay = 5\n[node]\nsend_setup = 120\n\
         receive_setup = 90\nports = 2\n",
    ),
    (
        "ring",
        "[network.torus]\nshape = [16]\n[channel]\nflit_time = 1\nbuffer = 2\n[node]\nsend_setup = 50\nreceive_setup = 50\n",
    ),
];

pub(crate) fn named<'a>(list: &[(&str, &'a str)], name: &str) -> &'a str {
    list.iter().find(|(other, _)| *other == name).unwrap().1
}

pub(crate) fn cases(text: &str) -> Vec<Value> {
    serde_json::from_str(text).unwrap()
}

pub(crate) fn numbers(list: &Value) -> Vec<u64> {
    list.as_array().unwrap().iter().map(|number| number.as_u64().unwrap()).collect()
}

/// The scenario of a case, with `machine` and without the keys that `omitted` names.
pub(crate) fn scenario(case: &Value, machine: &str, omitted: &[&str]) -> String {
    let kind = case["kind"].as_str().unwrap();
    let mut keys: Table = Table::try_from(&case["keys"]).unwrap();
    omitted.iter().for_each(|key| _ = keys.remove(*key));
    if let Some(algorithms) = case["algorithms"].as_object().filter(|algorithms| !algorithms.is_empty()) {
        keys.insert("algorithms".to_owned(), toml::Value::try_from(algorithms).unwrap());
    }
    let workload = Table::from_iter([(kind.to_owned(), toml::Value::Table(keys))]);
    let mut tables = Table::from_iter([("workload".to_owned(), toml::Value::Table(workload))]);
    if let Some(noise) = case.get("noise") {
        tables.insert("noise".to_owned(), toml::Value::try_from(noise).unwrap());
    }
    format!("name = \"a\"\n{machine}{tables}")
}

/// The rows of `hosts.csv`, and the row of `rows.csv`, of a scenario of `case`.
pub(crate) fn run(case: &Value, text: &str) -> (Vec<BTreeMap<String, String>>, BTreeMap<String, String>) {
    let bench = Bench::new(text);
    for (file, content) in files(case) {
        let path = bench.path(&file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    bench.ok(&["run", "s.toml"]);
    let table = |file: &str| csv_rows(&fs::read_to_string(bench.path(&format!("results/a/{file}"))).unwrap());
    (table("hosts.csv"), table("rows.csv").remove(0))
}

/// The files of a case: texts, or the Chakra traces of its ranks.
fn files(case: &Value) -> Vec<(String, Vec<u8>)> {
    if let Some(files) = case["files"].as_object() {
        return files.iter().map(|(file, text)| (file.clone(), text.as_str().unwrap().into())).collect();
    }
    let how = case["how"].as_str().unwrap();
    let extra = if how == "extra" { blob(99, b"later") } else { Vec::new() };
    let integers = if how == "field" { 11 } else { 0 };
    let encoding = Encoding { is_unpacked: how == "unpacked", integers, extra: &extra };
    let traces = case["et"].as_array().unwrap().iter().enumerate();
    let file = |(rank, nodes): (usize, &Value)| {
        let bytes = encode(nodes.as_array().unwrap(), encoding);
        let name = format!("{}.{rank}.et", case["prefix"].as_str().unwrap());
        if how == "gz" { (format!("{name}.gz"), gzip(&bytes)) } else { (name, bytes) }
    };
    traces.map(file).collect()
}

pub(crate) fn column(rows: &[BTreeMap<String, String>], name: &str) -> Vec<u64> {
    rows.iter().map(|row| row[name].parse().unwrap()).collect()
}

/// The scenario of a case of jobs on `machine`, with the jobs in their order.
fn job_mix(case: &Value, machine: &str) -> String {
    let mut text = format!("{machine}[workload.jobs]\nplacement = {}\nflit_bytes = 16\n", case["placement"]);
    for job in case["jobs"].as_array().unwrap() {
        let name = job["name"].as_str().unwrap();
        let given = ["start", "repeat", "nodes"].iter().filter_map(|key| Some((key, job.get(key)?)));
        let keys: String = given.map(|(key, value)| format!("{key} = {value}\n")).collect();
        let kind = job["kind"].as_str().unwrap();
        let own = Table::try_from(&job["keys"]).unwrap();
        text += &format!("[workload.jobs.job.{name}]\n{keys}[workload.jobs.job.{name}.{kind}]\n{own}");
    }
    text
}

/// The lines of `jobs.csv`.
fn jobs_of(bench: &Bench) -> Vec<BTreeMap<String, String>> {
    csv_rows(&fs::read_to_string(bench.path("results/a/jobs.csv")).unwrap())
}

#[test]
fn jobs_take_the_reference_times_with_the_others_and_alone() {
    for case in cases(include_str!("../data/applications/jobs.json")) {
        let name = &case["name"];
        let machine = format!("name = \"a\"\n{}{}", named(&MACHINES, "ring"), model("A"));
        let bench = Bench::new(&job_mix(&case, &machine));
        fs::write(bench.path("g.goal"), case["files"]["g.goal"].as_str().unwrap()).unwrap();
        let table = bench.ok(&["run", "s.toml"]);
        let hosts = csv_rows(&fs::read_to_string(bench.path("results/a/hosts.csv")).unwrap());
        let mut ends = column(&hosts, "measured").into_iter();
        let jobs = jobs_of(&bench);
        let expected = case["expect"].as_array().unwrap();
        assert_eq!(jobs.len(), expected.len(), "{name}");
        for (job, expected) in jobs.iter().zip(expected) {
            let title = expected["job"].as_str().unwrap();
            assert_eq!(job["job"], title, "{name}");
            assert!(table.contains(&format!("\n  {title} ")), "{name}: {table}");
            for key in ["ranks", "start", "messages", "bytes", "predicted", "measured", "measured_alone"] {
                assert_eq!(job[key], expected[key].to_string(), "{name}, {title}, {key}");
            }
            assert_eq!(job["predicted_alone"], job["predicted"], "{name}, {title}");
            let nodes: Vec<u64> = job["nodes"].split(' ').map(|node| node.parse().unwrap()).collect();
            assert_eq!(nodes, numbers(&expected["nodes"]), "{name}, {title}");
            let hosts = numbers(&expected["hosts"]);
            assert_eq!(ends.by_ref().take(hosts.len()).collect::<Vec<_>>(), hosts, "{name}, {title}");
        }
    }
}

pub(crate) fn model(set: &str) -> String {
    format!("[model.loggops]\n{}\n", named(&SETS, set))
}

/// Compares the times of the ranks of `case` under all models and on all networks.
pub(crate) fn compare_times(case: &Value) {
    let (name, expected) = (&case["name"], &case["expect"]);
    // the size of a flit counts without a network only where it cuts vectors
    let cuts_vectors = case["kind"] == "training" || case["kind"] == "chakra";
    let omitted: &[&str] = if cuts_vectors { &[] } else { &["flit_bytes"] };
    for (set, finish) in expected["finish"].as_object().unwrap() {
        let (hosts, row) = run(case, &scenario(case, &model(set), omitted));
        assert_eq!(column(&hosts, "finish"), numbers(finish), "{name}, model {set}");
        for total in ["compute", "bytes", "messages"] {
            assert_eq!(row[total], expected[total].to_string(), "{name}, {total}");
        }
    }
    for (machine, measured) in expected["measured"].as_object().unwrap() {
        let (hosts, _) = run(case, &scenario(case, named(&MACHINES, machine), &[]));
        assert_eq!(column(&hosts, "measured"), numbers(measured), "{name}, {machine}");
    }
}

#[test]
fn ranks_of_generated_programs_finish_at_the_reference_times() {
    cases(include_str!("../data/applications/generators.json")).iter().for_each(compare_times);
}

#[test]
fn ranks_of_chakra_traces_finish_at_the_reference_times() {
    cases(include_str!("../data/applications/chakra.json")).iter().for_each(compare_times);
}

#[test]
fn noise_is_that_of_loggopsim() {
    for case in cases(include_str!("../data/applications/noise.json")) {
        let name = &case["name"];
        let is_networked = case.get("network").is_some();
        let network = if is_networked { named(&MACHINES, "ring") } else { "" };
        let machine = format!("{network}{}", model(case["set"].as_str().unwrap()));
        let (hosts, row) = run(&case, &scenario(&case, &machine, &[]));
        assert_eq!(column(&hosts, "finish"), numbers(&case["finish"]), "{name}");
        assert_eq!(column(&hosts, "noise"), numbers(&case["injected"]), "{name}");
        assert_eq!(row["noise"], numbers(&case["injected"]).iter().sum::<u64>().to_string(), "{name}");
        if is_networked {
            assert_eq!(column(&hosts, "measured"), numbers(&case["finish"]), "{name}, ranks that only compute");
        }
    }
}

/// The netrace file of `packets`, each `[cycle, id, type, src, dst, [dependants]]`.
fn netrace(case: &Value, packets: &[Value]) -> Vec<u8> {
    let number = |value: &Value| value.as_u64().unwrap();
    let mut offsets = Vec::new();
    let mut body: Vec<u8> = Vec::new();
    for packet in packets {
        offsets.push(body.len() as u64);
        let [cycle, id, kind, src, dst] = [0, 1, 2, 3, 4].map(|field| number(&packet[field]));
        let dependants = numbers(&packet[5]);
        body.extend(cycle.to_le_bytes());
        body.extend(&id.to_le_bytes()[..4]);
        body.extend([0; 4]);
        body.extend([kind, src, dst, 2, dependants.len() as u64].map(|byte| u8::try_from(byte).unwrap()));
        dependants.iter().for_each(|dependant| body.extend(&dependant.to_le_bytes()[..4]));
    }
    let regions = case["regions"].as_array().unwrap();
    let mut file = vec![0x55, 0x54, 0x4a, 0x48, 0, 0, 0x80, 0x3f];
    file.extend([0; 30]);
    file.extend([u8::try_from(number(&case["nodes"])).unwrap(), 0]);
    file.extend(number(&case["cycles"]).to_le_bytes());
    file.extend((packets.len() as u64).to_le_bytes());
    file.extend([0; 4]);
    file.extend(&(regions.len() as u64).to_le_bytes()[..4]);
    file.extend([0; 8]);
    for region in regions {
        let first = usize::try_from(number(&region[0])).unwrap();
        file.extend(offsets[first].to_le_bytes());
        file.extend(number(&region[1]).to_le_bytes());
        file.extend(number(&region[2]).to_le_bytes());
    }
    file.extend(body);
    file
}

#[test]
fn packets_are_predicted_as_by_the_reference_program_of_netrace() {
    let cases = cases(include_str!("../data/applications/netrace.json"));
    for case in &cases {
        let packets = cases.iter().find(|other| other["of"] == case["of"] && other["packets"].is_array()).unwrap();
        let mut keys: Table = Table::try_from(&case["keys"]).unwrap();
        keys.insert("file".to_owned(), "t.tra".into());
        keys.insert("details".to_owned(), true.into());
        let bench = Bench::new(&format!("name = \"a\"\n[workload.netrace]\n{keys}"));
        fs::write(bench.path("t.tra"), netrace(case, packets["packets"].as_array().unwrap())).unwrap();
        bench.ok(&["run", "s.toml"]);
        let table = |file: &str| csv_rows(&fs::read_to_string(bench.path(&format!("results/a/{file}"))).unwrap());
        let row = table("rows.csv").remove(0);
        let expected = &case["expect"];
        for total in ["predicted", "packets"] {
            assert_eq!(row[total], expected[total].to_string(), "{}, {total}", case["name"]);
        }
        if expected["injected"].is_array() {
            let injected = column(&table("packets.csv"), "predicted_injected");
            assert_eq!(injected, numbers(&expected["injected"]), "{}", case["name"]);
        }
    }
}
