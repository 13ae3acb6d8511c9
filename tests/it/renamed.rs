//! Old spellings of keys: they run as before, with a note, and are stored under their present names.

use crate::cli::Bench;

const BROADCAST: &str = "name = \"s\"\n[network.grid]\nnodes = 6\nbytes = 1000\nlatency = [10, 20]\nbandwidth = [1000000, 2000000]\n\
                         [workload.broadcast]\nalgorithms = [\"ecef\"]\n[error]\nsigma = 0.1\n";

fn swept(key: &str) -> String {
    format!(
        "{BROADCAST}[sweep]\n\"{key}\" = [\"cost\", \"bandwidth\"]\nwhere = [\"{key} != 'none'\"]\n\
         [[claim]]\ntext = \"t\"\nfilter = \"{key} == 'cost'\"\nholds = \"measured_mean > 0\"\n"
    )
}

#[test]
fn old_spellings_give_the_same_files_and_a_note() {
    let bench = Bench::new(&swept("error.on"));
    std::fs::write(bench.path("new.toml"), swept("error.quantity")).unwrap();
    let old = bench.call(&["run", "s.toml", "--claims", "--out", "old"]);
    let new = bench.call(&["run", "new.toml", "--claims", "--out", "new"]);
    let errors = |output: &std::process::Output| String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(errors(&old).matches("note: `error.on` is now `error.quantity`\n").count(), 1, "{}", errors(&old));
    assert!(!errors(&new).contains("is now"), "{}", errors(&new));
    let read = |name: &str| std::fs::read_to_string(bench.path(name)).unwrap();
    let table = read("old/s/summary.csv");
    assert!(table.starts_with("scenario,error.on,algorithm,"), "{table}");
    assert_eq!(table, read("new/s/summary.csv"));
    assert_eq!(read("old/s/rows.csv"), read("new/s/rows.csv"));
    let manifest = read("old/s/manifest.json");
    assert!(manifest.contains("\"error.quantity\"") && !manifest.contains("error.on"), "{manifest}");
}

#[test]
fn the_command_line_and_files_may_use_different_spellings() {
    let bench = Bench::new(&format!("{BROADCAST}quantity = \"cost\"\n"));
    let summary = |scenario: &str, args: &[&str], out: &str| {
        bench.ok(&[&["run", scenario, "--out", out], args].concat());
        std::fs::read_to_string(bench.path(&format!("{out}/s/summary.csv"))).unwrap()
    };
    let set = summary("s.toml", &["--set", "error.on=bandwidth"], "old");
    assert_eq!(set, summary("s.toml", &["--set", "error.quantity=bandwidth"], "new"));
    let plain = summary("s.toml", &[], "plain");
    assert_eq!(plain, summary("s.toml", &["--unset", "error.on"], "unset"));
    assert_ne!(set, plain);
    std::fs::write(bench.path("part.toml"), "error.on = \"bandwidth\"\n").unwrap();
    std::fs::write(bench.path("whole.toml"), format!("include = \"part.toml\"\n{BROADCAST}")).unwrap();
    assert_eq!(set, summary("whole.toml", &[], "included"));
}

#[test]
fn both_spellings_in_one_table_are_an_error() {
    let bench = Bench::new(&format!("{BROADCAST}on = \"cost\"\nquantity = \"cost\"\n"));
    let shown = bench.fails(2, &["check", "s.toml"]);
    assert!(shown.contains("`error.on` and `error.quantity` are the same key"), "{shown}");
    assert!(shown.contains("help: keep `error.quantity`"), "{shown}");
}
