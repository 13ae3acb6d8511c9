//! The table that `run` prints says nothing that the numbers do not: ties, intervals, what is measured on too little, what
//! is left out.

use crate::cli::Bench;
use flitwise::output::{summarise, table, whole_table};
use flitwise::run::rows;
use flitwise::scenario::Scenario;

const MULTICAST: &str = "name = \"m\"\n[network.mesh]\nshape = [4, 4]\n[node]\nsend_setup = 20\nreceive_setup = 35\n\
                         [workload.multicast]\nalgorithms = [\"opt-mesh\", \"u-mesh\"]\nflits = 8\ngroup = 8\n";

/// The table of the scenario that `text` spells, whatever the width, and what is warned of.
fn ran(text: &str, set: &[&str]) -> (String, String) {
    let bench = Bench::new(text);
    std::fs::write(bench.path("graph.csv"), "a,b,weight\n0,9,3\n").unwrap();
    std::fs::write(bench.path("empty.csv"), "id,src,dst,flits,start\n").unwrap();
    let set = set.iter().flat_map(|set| ["--set", *set]);
    let output = bench.call(&["run", "s.toml"].into_iter().chain(set).collect::<Vec<_>>());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr))
}

/// `said` without the ends of its lines.
fn in_one_line(said: &str) -> String {
    said.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn nothing_is_compared_where_all_is_nothing() {
    let cases = [
        (MULTICAST.replace("group = 8", "group = 1"), "All complete in 0 ticks."),
        (
            "name = \"t\"\n[network.torus]\nshape = [1]\n[workload.exchange]\nalgorithms = [\"direct\", \"naive\"]\n".to_owned(),
            "All complete in 0 ticks.",
        ),
        (
            "name = \"t\"\n[network.hypercube]\ndimension = 3\n[workload.mapping]\nalgorithms = [\"greedy\", \"mrb\"]\n\
             graph = \"graph.csv\"\n"
                .to_owned(),
            "All have a cost of 0.",
        ),
        (
            "name = \"t\"\n[workload.multicast]\nalgorithms = [\"fibonacci\", \"bisection\"]\nflits = 1\ngroup = 16\n\
             [model.logp]\nL = 0\no = 0\ng = 0\n"
                .to_owned(),
            "All complete in 0 ticks.",
        ),
    ];
    for (scenario, expected) in cases {
        let (table, _) = ran(&scenario, &[]);
        assert!(table.contains(expected), "{table}");
        assert!(!table.contains("NaN") && !table.contains("inf") && !table.contains("times as"), "{table}");
    }
}

#[test]
fn a_tie_is_no_win() {
    let (table, _) = ran(MULTICAST, &["workload.multicast.group=2"]);
    assert!(table.contains("opt-mesh and u-mesh take the same time.\n") && !table.contains("first"), "{table}");
    let both = "workload.multicast.algorithms=[\"opt-mesh\", \"fibonacci-boundary\"]";
    let (table, _) = ran(MULTICAST, &[both, "repetitions=8", "workload.multicast.group=9"]);
    assert!(table.contains("opt-mesh and fibonacci-boundary tie at 95 % confidence.\n"), "{table}");
}

/// Both send to the same groups, repetition by repetition, so that their difference is surer than either mean.
#[test]
fn what_is_behind_is_known_as_well_as_the_repetitions_agree() {
    let scenario = MULTICAST.replace("name = \"m\"", "name = \"m\"\nrepetitions = 10");
    let (table, _) = ran(&scenario, &[]);
    let line = table.lines().find(|line| line.starts_with("u-mesh")).unwrap();
    let cells: Vec<f64> = line.split_whitespace().filter_map(|cell| cell.parse().ok()).collect();
    let &[.., ratio, margin] = cells.as_slice() else { panic!("{table}") };
    assert!(ratio > 1.0 && margin > 0.0 && margin < ratio - 1.0, "{table}");
    let said = format!("u-mesh finishes last and takes {ratio:.2} ± {margin:.2} times as long.");
    assert!(table.contains(&said), "{table}");
    let (table, _) = ran(MULTICAST, &[]);
    assert!(!table.contains('±'), "a single repetition has no interval: {table}");
    let (table, _) = ran(MULTICAST, &["workload.multicast.algorithms=[\"u-mesh\"]"]);
    assert!(!table.contains("vs best"), "there is nothing to compare it with: {table}");
}

#[test]
fn what_is_measured_on_too_little_is_marked_and_warned_of() {
    let traffic = "name = \"t\"\n[network.mesh]\nshape = [4, 4]\n[router]\nmodel = \"pipelined\"\n[channel]\nbuffer = 8\n\
                   [workload.traffic]\npattern = \"uniform\"\n";
    let at = |more: &str| ran(&format!("{traffic}{more}"), &[]);
    let (table, warned) = at("mode = \"saturation\"\nwarmup = 0\nmeasure = 50\n");
    let enough =
        warned.split("`workload.traffic.measure` to at least ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap();
    assert!(warned.starts_with("warning: The measurement is too short for a reliable saturation rate ("), "{warned}");
    assert!(table.contains("   ? 0.") && in_one_line(&table).contains(warned.trim().trim_start_matches("warning: ")));
    assert!(in_one_line(&table).contains("saturation: highest injection rate"), "{table}");
    // what is said to be enough is
    let enough: u64 = enough.replace(',', "").parse().unwrap();
    let (table, warned) = at(&format!("mode = \"saturation\"\nwarmup = 500\nmeasure = {enough}\n"));
    assert!(warned.is_empty() && !table.contains('?'), "{enough}: {warned}{table}");
    for measure in [1, 10] {
        let (_, warned) = at(&format!("mode = \"saturation\"\npacket_flits = 64\nwarmup = 0\nmeasure = {measure}\n"));
        assert!(
            warned.contains("No packet was generated") && warned.contains("`workload.traffic.measure` to at least "),
            "{warned}"
        );
    }
    let (_, warned) = at("rate = 1e-12\n");
    assert!(warned.contains("No packet was generated") && warned.contains("increase `rate`"), "{warned}");
    let (_, warned) = at("rate = 0.1\nwarmup = 0\nmeasure = 20\n");
    assert!(warned.contains("The measurement is too short for reliable values of offered and accepted"), "{warned}");
    let (table, warned) = at("rate = 0.1\n");
    assert!(warned.is_empty() && !table.contains("aturation"), "{warned}{table}");
    let trace = "name = \"t\"\n[network.mesh]\nshape = [4, 4]\n[workload.trace]\nfile = \"empty.csv\"\n";
    assert!(ran(trace, &[]).1.contains("The trace has no messages"));
}

#[test]
fn a_load_beyond_saturation_is_remarked_upon() {
    let (table, warned) = ran(
        "name = \"t\"\n[network.torus]\nshape = [8, 8]\n[router]\nmodel = \"pipelined\"\n[channel]\nvirtual_channels = 2\n\
         buffer = 5\n[workload.traffic]\npattern = \"tornado\"\nrate = 0.1\npacket_flits = 4\nwarmup = 500\nmeasure = 1500\n\
         [sweep]\n\"workload.traffic.rate\" = [0.05, 0.1, 0.3]\n",
        &[],
    );
    let said = in_one_line(&table);
    assert!(warned.is_empty() && said.contains("Throughput drops beyond saturation: "), "{table}");
    assert!(said.contains(" at 0.3."), "{table}");
}

#[test]
fn what_is_left_out_is_named() {
    let exchange = "name = \"t\"\n[network.torus]\nshape = [6, 6]\n[workload.exchange]\n\
                    algorithms = [\"double-hop\", \"suh-shin\"]\nunfit = \"skip\"\n[sweep]\n\
                    \"network.torus.shape\" = [[6, 6], [8, 8]]\n";
    let said = in_one_line(&ran(exchange, &[]).0);
    assert!(said.contains("Skipped algorithms: suh-shin at 1 of 2 points (requires two dimensions"), "{said}");
    let all = "workload.multicast.algorithms=[\"opt-mesh\", \"u-min\"]";
    let said = in_one_line(&ran(MULTICAST, &[all, "workload.multicast.unfit=\"skip\""]).0);
    assert!(
        said.contains("Skipped algorithms: u-min (supports only these networks: bmin, fat-tree with d-mod-k)."),
        "{said}"
    );
    let mapping = "name = \"t\"\n[network.hypercube]\ndimension = 5\n[workload.mapping]\n\
                   algorithms = [\"greedy\", \"exhaustive\"]\ngenerator = \"ring\"\nunfit = \"skip\"\n";
    let said = in_one_line(&ran(mapping, &[]).0);
    assert!(said.contains("exhaustive (supports at most ") && !said.contains("random"), "{said}");
    let bench = Bench::new(MULTICAST);
    let none = ["--set", "workload.multicast.algorithms=[\"u-min\"]", "--set", "workload.multicast.unfit=\"skip\""];
    let said = bench.fails(2, &["run", "s.toml", none[0], none[1], none[2], none[3]]);
    assert!(said.contains("none of `algorithms` supports this machine"), "{said}");
}

#[test]
fn columns_that_are_not_shown_are_named_and_no_footer_speaks_of_them() {
    let text =
        "name = \"x\"\n[network.torus]\nshape = [4, 4]\n[workload.exchange]\nalgorithms = [\"direct\", \"naive\"]\n";
    let scenario: Scenario = text.parse().unwrap();
    let summaries = summarise(&scenario, rows(&scenario)).unwrap();
    let wide = table(&scenario, &summaries, None);
    assert!(wide.contains("blocks and hops: largest message") && !wide.contains("hidden at"), "{wide}");
    let narrow = table(&scenario, &summaries, Some(60));
    assert!(narrow.lines().skip(1).all(|line| line.chars().count() <= 60), "{narrow}");
    let said = in_one_line(&narrow);
    let dropped = "5 columns are hidden at 60 characters per line: start-ups, blocks, hops, blocked, queued. A wider terminal or summary.csv shows them.";
    assert!(said.contains(dropped) && !said.contains("largest message") && !said.contains("queued:"), "{narrow}");
    assert!(narrow.contains("predicted   measured   vs model   vs best"), "{narrow}");
}

#[test]
fn all_lines_are_shown_when_asked_for() {
    let swept = format!("{MULTICAST}[sweep]\n\"workload.multicast.flits\" = {{ from = 1, to = 40, step = 1 }}\n");
    let scenario: Scenario = swept.parse().unwrap();
    let summaries = summarise(&scenario, rows(&scenario)).unwrap();
    let lines =
        |table: &str| table.lines().filter(|line| line.contains("opt-mesh  ") || line.contains("u-mesh  ")).count();
    let cut = table(&scenario, &summaries, None);
    assert!(cut.contains("... and 20 more lines; use --all, or see summary.csv\n"), "{cut}");
    assert_eq!((lines(&cut), lines(&whole_table(&scenario, &summaries, None))), (60, 80));
    let printed = Bench::new(&swept).ok(&["run", "s.toml", "--all"]);
    assert_eq!(lines(&printed), 80, "{printed}");
}

/// A model that counts bytes where the network counts flits is off by more than contention explains.
#[test]
fn a_model_of_another_machine_is_remarked_upon() {
    let model = format!("{MULTICAST}[model.logp]\nL = 1\no = 1\ng = 1\n");
    let said = in_one_line(&ran(&model, &[]).0);
    assert!(
        said.contains("Predicted and measured times differ by more than a factor of two: check that [model.*]"),
        "{said}"
    );
    assert!(!ran(MULTICAST, &[]).0.contains("factor of two"));
}

#[test]
fn what_cannot_be_meant_is_refused() {
    let grid = "name = \"t\"\n[network.grid]\nnodes = 4\nbytes = 100\nlatency = [1, 2]\nbandwidth = [1, 2]\n\
                [workload.broadcast]\ntrees = 50\nalgorithms = [\"ttcc\"]\n";
    let said = Bench::new(grid).fails(2, &["run", "s.toml"]);
    assert!(said.contains("`trees` = 50 is too large") && said.contains("accepted here: 1 to 3"), "{said}");
    let said = Bench::new(&format!("tick = \"1001s\"\n{MULTICAST}")).fails(2, &["run", "s.toml"]);
    assert!(said.contains("`tick` cannot be \"1001s\"") && said.contains("at most 1000s"), "{said}");
}
