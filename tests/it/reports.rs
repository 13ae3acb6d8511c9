//! `hops.csv` and `report.html`: the same bytes however they were made, what they carry, and what harms neither.

use crate::cli::{Bench, csv_rows};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::read::DeflateDecoder;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs;
use std::io::Read;

const SWEEP: &str = r#"
name = "looked"
repetitions = 3
network.mesh.shape = [6, 6]
channel.flit_time = 2
node = { send_setup = 20, receive_setup = 35 }
workload.multicast = { algorithms = ["opt-tree", "u-mesh"], flits = 8, group = 12 }
sweep = { workload = { multicast = { flits = [8, 128] } } }
"#;

fn read(bench: &Bench, path: &str) -> String {
    fs::read_to_string(bench.path(path)).unwrap()
}

#[test]
fn hops_are_the_same_bytes_on_any_number_of_threads_and_in_shards() {
    let bench = Bench::new(SWEEP);
    bench.ok(&["run", "s.toml", "--hops", "--quiet", "--jobs", "1", "--out", "one"]);
    bench.ok(&["run", "s.toml", "--hops", "--quiet", "--jobs", "4", "--out", "four"]);
    for shard in ["1/2", "2/2"] {
        bench.ok(&["run", "s.toml", "--hops", "--quiet", "--shard", shard, "--out", "parts"]);
    }
    bench.ok(&["merge", "parts/looked", "--quiet"]);
    let one = read(&bench, "one/looked/hops.csv");
    assert!(one == read(&bench, "four/looked/hops.csv") && one == read(&bench, "parts/looked/hops.csv"));
    assert!(one.starts_with("point,algorithm,repetition,message,hop,channel,requested,granted,started,released\n"));
    let rows = csv_rows(&one);
    assert_eq!(
        rows.iter().filter(|row| row["hop"] == "0").count(),
        2 * 2 * 3 * 11,
        "a message for each but the source"
    );
}

/// Rows that a journal has and whose hops are gone are run again.
#[test]
fn hops_that_are_gone_are_made_again() {
    let bench = Bench::new(SWEEP);
    bench.ok(&["run", "s.toml", "--hops", "--quiet"]);
    let whole = read(&bench, "results/looked/hops.csv");
    fs::remove_dir_all(bench.path("results/looked/.hops")).unwrap();
    fs::remove_file(bench.path("results/looked/hops.csv")).unwrap();
    bench.ok(&["run", "s.toml", "--hops", "--quiet", "--resume"]);
    assert_eq!(read(&bench, "results/looked/hops.csv"), whole);
    // without them it is another run, and the one with them is kept
    let output = bench.call(&["run", "s.toml", "--quiet"]);
    let moved = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && moved.contains("`--hops` was given and is not given now"), "{moved}");
    assert_eq!(read(&bench, "results/looked.previous/hops.csv"), whole);
    assert!(!bench.path("results/looked/hops.csv").exists() && !bench.path("results/looked/.hops").exists());
}

/// A run that begins again on the flit engine leaves no hop of the first attempt.
#[test]
fn virtual_channels_that_share_a_link_leave_one_line_a_hop() {
    let scenario = r#"
name = "looked"
network.torus.shape = [5]
channel = { flit_time = 2, buffer = 2, virtual_channels = 2 }
workload.trace.file = "m.csv"
"#;
    let bench = Bench::new(scenario);
    fs::write(bench.path("m.csv"), "id,src,dst,flits,start\n40,0,2,6,0\n7,4,1,6,1\n").unwrap();
    bench.ok(&["run", "s.toml", "--hops", "--messages", "--quiet"]);
    let rows = csv_rows(&read(&bench, "results/looked/rows.csv"));
    assert_eq!(rows[0]["engine"], "flit");
    let mut hops: BTreeMap<String, usize> = BTreeMap::new();
    for hop in csv_rows(&read(&bench, "results/looked/hops.csv")) {
        assert!(hop["channel"] != "(0)->(1) vc 1" || (hop["granted"] == "5" && hop["started"] == "6"), "{hop:?}");
        *hops.entry(hop["message"].clone()).or_default() += 1;
    }
    assert_eq!(hops, BTreeMap::from([("40".to_owned(), 4), ("7".to_owned(), 4)]), "messages have their own ids");
}

/// The data of a page, and its columns of numbers.
fn page(html: &str) -> (Value, BTreeMap<String, Vec<u64>>) {
    let between = |text: &str, begin: &str, end: &str| -> String {
        let from = text.find(begin).unwrap() + begin.len();
        text[from..from + text[from..].find(end).unwrap()].to_owned()
    };
    let data = between(html, "<script id=\"flitwise-data\" type=\"application/json\">", "</script>");
    let blobs = html.split("<script id=\"blob-").skip(1).map(|blob| {
        let name = blob.split('"').next().unwrap().to_owned();
        let packed = STANDARD.decode(between(blob, "type=\"text/plain\">", "</script>")).unwrap();
        let mut bytes = Vec::new();
        DeflateDecoder::new(packed.as_slice()).read_to_end(&mut bytes).unwrap();
        (name, numbers(&bytes))
    });
    (serde_json::from_str(&data).unwrap(), blobs.collect())
}

/// LEB128.
fn numbers(bytes: &[u8]) -> Vec<u64> {
    let mut numbers = Vec::new();
    let mut number = 0;
    let mut shift = 0;
    for byte in bytes {
        number |= u64::from(byte & 0x7f) << shift;
        shift += 7;
        if *byte < 0x80 {
            numbers.push(number);
            number = 0;
            shift = 0;
        }
    }
    numbers
}

fn signed(number: u64) -> i64 {
    (number >> 1).cast_signed() ^ -(number & 1).cast_signed()
}

#[test]
fn a_page_carries_the_hops_of_its_rows() {
    let bench = Bench::new(SWEEP);
    bench.ok(&["run", "s.toml", "--html", "--hops", "--quiet", "--rows", "point=1,repetition=2"]);
    let (data, blobs) = page(&read(&bench, "results/looked/report.html"));
    let hops = csv_rows(&read(&bench, "results/looked/hops.csv"));
    assert_eq!(data["replays"].as_array().unwrap().len(), 2);
    for replay in data["replays"].as_array().unwrap() {
        let of = |row: &&BTreeMap<String, String>| {
            row["point"] == "1" && row["repetition"] == "2" && *row["algorithm"] == replay["algorithm"]
        };
        let mut lines: Vec<_> = hops.iter().filter(of).collect();
        lines.sort_by_key(|line| ["message", "hop"].map(|column| line[column].parse::<u64>().unwrap()));
        let column = |name: &str| &blobs[&format!("r{}-{name}", replay["id"])];
        assert_eq!(lines.len() as u64, replay["hops"].as_u64().unwrap());
        assert_eq!(column("hops").len(), 3 * lines.len());
        let mut channel = 0;
        for ((line, step), ticks) in lines.iter().zip(column("paths")).zip(column("hops").chunks(3)) {
            channel = if line["hop"] == "0" { signed(*step) } else { channel + signed(*step) };
            let name = &replay["channels"][usize::try_from(channel).unwrap()]["name"];
            assert_eq!(*name, *line["channel"]);
            let time = |column: &str| line[column].parse::<u64>().unwrap();
            let waited = time("granted") - time("requested");
            let shared = time("started") - time("granted");
            assert_eq!(ticks, [waited, shared, time("released") - time("granted")], "{line:?}");
        }
        assert_eq!(column("messages").len() as u64, 6 * replay["messages"].as_u64().unwrap());
        assert!(!blobs.contains_key(&format!("r{}-requests", replay["id"])), "requests follow from starts");
    }
}

#[test]
fn a_page_is_the_same_bytes_whoever_makes_it() {
    let bench = Bench::new(SWEEP);
    bench.ok(&["run", "s.toml", "--html", "--quiet", "--jobs", "1", "--out", "one"]);
    bench.ok(&["run", "s.toml", "--html", "--quiet", "--jobs", "3", "--out", "three"]);
    let made = read(&bench, "one/looked/report.html");
    assert!(made == read(&bench, "three/looked/report.html"));
    fs::remove_file(bench.path("one/looked/report.html")).unwrap();
    bench.ok(&["report", "one/looked", "--quiet"]);
    assert!(made == read(&bench, "one/looked/report.html"));
    assert!(!made.contains(&bench.path("").display().to_string()), "no folder of this machine");
    // a run that leaves other rows takes the page of those before away
    bench.ok(&["run", "s.toml", "--quiet", "--force", "--out", "one", "-s", "seed=2"]);
    assert!(!bench.path("one/looked/report.html").exists());
}

#[test]
fn a_page_allows_nothing_but_its_own_script_and_style() {
    let bench = Bench::new(SWEEP);
    bench.ok(&["run", "s.toml", "--html", "--quiet"]);
    let html = read(&bench, "results/looked/report.html");
    let policy = html.split("Content-Security-Policy\" content=\"").nth(1).unwrap().split('"').next().unwrap();
    assert!(policy.starts_with("default-src 'none'; script-src 'sha256-") && !policy.contains("unsafe"), "{policy}");
    for (open, close) in [("<style>", "</style>"), ("<script>", "</script>")] {
        let from = html.find(open).unwrap() + open.len();
        let text = &html[from..from + html[from..].find(close).unwrap()];
        let hash = format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text.as_bytes())));
        assert!(policy.contains(&hash), "{open} is not what the policy names");
    }
    assert!(html.len() < 250_000, "{} bytes", html.len());
}

/// The headline of the page of `scenario`, and the number of plots and figures that it shows.
fn shown(scenario: &str, files: &[(&str, &str)]) -> (String, usize, bool) {
    let bench = Bench::new(&format!("name = \"looked\"\n{scenario}"));
    files.iter().for_each(|(name, text)| fs::write(bench.path(name), text).unwrap());
    bench.ok(&["run", "s.toml", "--html", "--quiet"]);
    let (data, _) = page(&read(&bench, "results/looked/report.html"));
    let headline = data["verdict"].as_str().unwrap().to_owned();
    (headline, data["plots"].as_array().unwrap().len(), data["figure"].is_string())
}

const TRAFFIC: &str = "network.mesh.shape = [4, 4]\nchannel = { virtual_channels = 2, buffer = 4 }\n\
                       router.model = \"pipelined\"\n";

/// A headline states a result and never counts points, and a plot has at least two points.
#[test]
fn every_page_has_a_headline_and_no_plot_of_a_single_point() {
    let goal = "num_ranks 2\nrank 0 {\nc: calc 9000\ns: send 16b to 1 tag 0\ns requires c\n}\n\
                rank 1 {\nr: recv 16b from 0 tag 0\n}\n";
    let goals = "tick = \"1ns\"\nnetwork.mesh.shape = [2]\nworkload.goal = { file = \"two.goal\", flit_bytes = 16 }\n";
    let (headline, plots, _) = shown(goals, &[("two.goal", goal)]);
    assert!(
        headline.starts_with("The program completes in 9.0")
            && headline.contains(" µs. Computation is 100.0 % of the critical path."),
        "{headline}"
    );
    assert_eq!(plots, 0, "a single point");
    let one = "network.mesh.shape = [4, 4]\nworkload.multicast = { algorithms = [\"u-mesh\"], flits = 8, group = 4 }\n";
    let (headline, plots, _) = shown(one, &[]);
    assert!(headline.starts_with("u-mesh completes in ") && plots == 0, "{headline}");
    let (headline, plots, _) = shown(&format!("{one}sweep.workload.multicast.flits = [8, 64]\n"), &[]);
    let parts = ["u-mesh completes in ", " with flits 8, and in ", " with flits 64."];
    assert!(parts.iter().all(|part| headline.contains(part)) && plots == 1, "{headline}");
}

#[test]
fn headlines_of_traffic_state_latency_saturation_and_makespan() {
    let routings = "sweep.router.routing = [\"dimension-order\", \"o1turn\"]\n";
    let steady = "workload.traffic = { pattern = \"uniform\", rate = 0.1, packet_flits = 2, measure = 1000 }\n";
    let (headline, plots, _) = shown(&format!("{TRAFFIC}{steady}"), &[]);
    assert!(headline.starts_with("At injection rate 0.1, the mean latency is ") && plots == 0, "{headline}");
    // the latency at 0.9 is cut
    let rates = "sweep.workload.traffic.rate = [0.05, 0.1, 0.9]\n";
    let (headline, plots, _) = shown(&format!("{TRAFFIC}{steady}{rates}"), &[]);
    assert!(
        headline.starts_with("The mean latency is ") && headline.contains(" cycles at injection rate 0.05 and "),
        "{headline}"
    );
    assert!(headline.contains("the network is saturated at 0.9 and accepts 0.") && plots == 2, "{headline}");
    let (headline, _, _) = shown(&format!("{TRAFFIC}{steady}{routings}{rates}"), &[]);
    assert!(
        headline.starts_with("At injection rate 0.1, ") && headline.contains(" accepts the most, 0."),
        "{headline}"
    );
    let saturation =
        "workload.traffic = { pattern = \"uniform\", mode = \"saturation\", measure = 1000, warmup = 200 }\n";
    let (headline, _, _) = shown(&format!("{TRAFFIC}{saturation}{routings}"), &[]);
    assert!(headline.contains(" saturates at 0.") && headline.contains(" flits/node/cycle; "), "{headline}");
    let burst = "workload.traffic = { pattern = \"uniform\", mode = \"burst\" }\n";
    let (headline, _, _) = shown(&format!("{TRAFFIC}{burst}"), &[]);
    assert!(headline.starts_with("The network delivers the burst in "), "{headline}");
}

/// Crossovers along a swept key are ranges.
#[test]
fn headlines_of_sweeps_name_the_ranges_of_the_best() {
    let swept = "network.torus.shape = [4, 4]\nnode = { send_setup = 500, receive_setup = 500 }\n\
                 workload.collective = { operation = \"allreduce\", algorithms = [\"ring\", \"swing-latency\"], flits = 16 }\n\
                 sweep.workload.collective.flits = [16, 256, 65536]\n";
    let (headline, _, _) = shown(swept, &[]);
    assert_eq!(headline, "swing-latency is fastest for flits up to 256; ring for flits 65,536.");
}

/// The figure of a scenario replaces the automatic plots of its page.
#[test]
fn a_page_shows_the_figure_of_its_scenario() {
    let swept = "network.mesh.shape = [4, 4]\nworkload.multicast = { algorithms = [\"u-mesh\"], flits = 8, group = 4 }\n\
                 sweep.workload.multicast.flits = [8, 64]\nfigure = { x = \"workload.multicast.flits\", y = \"measured\" }\n";
    let (_, plots, figure) = shown(swept, &[]);
    assert!(plots == 0 && figure);
}

/// What a user wrote can end no script: it stands in the JSON alone.
#[test]
fn hostile_names_stay_text() {
    let evil = "x<script>&\u{2028}.csv";
    let scenario = format!(
        "name = \"looked\"\nnetwork.mesh.shape = [6]\nworkload.trace.file = \"m.csv\"\n\
         sweep = {{ workload = {{ trace = {{ file = [\"m.csv\", \"{evil}\"] }} }} }}\n"
    );
    let bench = Bench::new(&scenario);
    for file in ["m.csv", evil] {
        fs::write(bench.path(file), "id,src,dst,flits,start\n0,0,3,4,0\n").unwrap();
    }
    bench.ok(&["run", "s.toml", "--html", "--quiet"]);
    let html = read(&bench, "results/looked/report.html");
    assert!(!html.contains("x<script>") && !html.contains('\u{2028}'));
    let (data, _) = page(&html);
    let columns = data["summary"]["columns"].as_array().unwrap();
    let files = columns.iter().find(|column| column["name"] == "workload.trace.file").unwrap();
    assert_eq!(files["values"][1], evil);
}

#[test]
fn a_page_without_channels_says_why_nothing_is_replayed() {
    let grid = "name = \"looked\"\nnetwork.grid = { nodes = 5, bytes = 10, latency = [1, 2], bandwidth = [1, 2] }\n\
                workload.broadcast.algorithms = [\"ecef\", \"binomial\"]\n";
    let bench = Bench::new(grid);
    bench.ok(&["run", "s.toml", "--html", "--quiet"]);
    let (data, blobs) = page(&read(&bench, "results/looked/report.html"));
    assert!(blobs.is_empty() && data["replays"].as_array().unwrap().is_empty());
    assert!(data["why"].as_str().unwrap().starts_with("There is no replay: "));
}

/// Networks of every sort have places for all of their nodes, and names for all channels that messages take.
#[test]
fn every_network_has_a_page() {
    let networks = [
        ("network.mesh.shape = [3, 3, 2]", 18),
        ("network.torus.shape = [6]", 6),
        ("network.torus = { shape = [4, 4], twist = [[0, 1, 2]] }", 16),
        ("network.hypercube.dimension = 5", 32),
        ("network.bmin = { radix = 2, levels = 4 }", 16),
        ("network.fat-tree = { arity = 3, levels = 2 }", 9),
        ("network.dragonfly = { p = 1, a = 2, h = 1, groups = 3 }", 6),
        ("network.hyperx.shape = [3, 3]", 9),
        ("network.full-mesh.routers = 5", 5),
        ("network.mesh = { shape = [4, 4], concentration = 2 }", 32),
        (
            "network.mesh.shape = [3, 3]\nrouter.model = \"pipelined\"\nchannel = { virtual_channels = 2, buffer = 4 }",
            9,
        ),
    ];
    for (network, nodes) in networks {
        let exchange = "workload.exchange = { algorithms = [\"direct\"], block_flits = 2, synchronous = false }";
        let bench = Bench::new(&format!("name = \"looked\"\n{network}\n{exchange}\n"));
        bench.ok(&["run", "s.toml", "--html", "--quiet"]);
        let (data, _) = page(&read(&bench, "results/looked/report.html"));
        let layout = &data["replays"][0]["layout"];
        let place = |at: usize| (layout["x"][at].to_string(), layout["y"][at].to_string());
        let mut places: Vec<_> = (0..nodes).map(place).collect();
        places.sort();
        places.dedup();
        assert_eq!(places.len(), nodes, "{network}: nodes on top of each other");
        assert_eq!(layout["x"].as_array().unwrap().len(), nodes, "{network}");
    }
}

#[test]
fn traces_are_written_for_the_rows_that_are_chosen() {
    let bench = Bench::new(SWEEP);
    let said = bench.ok(&["run", "s.toml", "--trace", "perfetto", "--rows", "point=0,repetition=1"]);
    let names = || {
        let all = fs::read_dir(bench.path("results/looked")).unwrap();
        let mut names: Vec<String> = all.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.retain(|name| name.ends_with(".pftrace"));
        names.sort();
        names
    };
    assert_eq!(names(), ["opt-tree-p0-r1.pftrace", "u-mesh-p0-r1.pftrace"]);
    assert!(said.contains("opt-tree-p0-r1.pftrace, u-mesh-p0-r1.pftrace"), "{said}");
    // what is there is made again without a run, and taken away by one that leaves other rows
    let said = bench.ok(&["run", "s.toml", "--trace", "perfetto", "--html", "--rows", "all"]);
    assert!(said.contains("report.html was written") && said.contains("no row has changed"), "{said}");
    assert_eq!(names().len(), 2 * 2 * 3);
    bench.ok(&["run", "s.toml", "--quiet", "--force", "-s", "seed=2"]);
    assert!(names().is_empty());
}
