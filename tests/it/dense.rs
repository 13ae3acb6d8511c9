//! Scenarios that are small on disk and large in memory, or wrong in a hundred thousand places: both are told at once.

use crate::cli::Bench;
use std::fmt::Write as _;
use std::fs;

/// A table, in a table, in a table: two bytes each.
fn tables(count: usize) -> String {
    format!("many = [{}]\n", "{a.a.a.a.a.a.a.a.a.a=1},".repeat(count))
}

const GRAPH: &str =
    "name = \"dense\"\n[network.graph]\nfile = \"net.toml\"\n[workload.trace]\nfile = \"messages.csv\"\n";

#[test]
fn a_text_that_would_fill_the_memory_is_not_parsed() {
    let scenario = format!("name = \"dense\"\n{}", tables(40_000));
    let bench = Bench::new(&scenario);
    let said = bench.fails(2, &["check", "s.toml", "--memory", "256M"]);
    assert!(
        said.contains("parsing `s.toml` needs ") && said.contains("move long lists and tables to a file"),
        "{said}"
    );
    // with so much it is parsed, and is wrong for what it says
    let said = bench.fails(2, &["check", "s.toml", "--memory", "8G"]);
    assert!(said.contains("unknown key `many`") && !said.contains("to parse"), "{said}");
}

#[test]
fn nor_is_one_that_is_included_or_describes_a_graph() {
    let bench = Bench::new(&format!("include = \"more.toml\"\n{GRAPH}"));
    fs::write(bench.path("more.toml"), tables(40_000)).unwrap();
    let said = bench.fails(2, &["check", "s.toml", "--memory", "256M"]);
    assert!(said.contains("parsing `more.toml` needs ") && said.contains("s.toml:1:11"), "{said}");

    let bench = Bench::new(GRAPH);
    fs::write(bench.path("net.toml"), tables(40_000)).unwrap();
    let said = bench.fails(2, &["check", "s.toml", "--memory", "256M"]);
    assert!(said.contains("parsing `net.toml` needs ") && said.contains("s.toml:3:8"), "{said}");
}

#[test]
fn a_hundred_thousand_unknown_keys_are_a_few_errors_and_a_number() {
    let mut scenario = "name = \"dense\"\n".to_owned();
    for key in 0..100_000 {
        writeln!(scenario, "k{key} = 1").unwrap();
    }
    let said = Bench::new(&scenario).fails(2, &["check", "s.toml"]);
    assert!(said.matches("error: ").count() <= 5, "{said}");
    assert!(said.contains("more like this") && said.contains("more keys from here on are unknown"), "{said}");
}

#[test]
fn errors_far_down_a_long_file_are_shown_with_their_lines() {
    let scenario = format!("{}{}[seed]\n", "name = \"far\"\nseed = 7\n", "# nothing\n".repeat(50_000));
    let said = Bench::new(&scenario).fails(2, &["check", "s.toml"]);
    assert!(said.contains("s.toml:50003:2") && said.contains("50003 | [seed]"), "{said}");
    assert!(said.contains("2 | seed = 7"), "{said}");
}
