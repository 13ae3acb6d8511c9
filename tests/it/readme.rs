//! The README: short, and what it shows is what the program does.

use crate::cli::csv_rows;
use crate::pages::{Page, root};
use crate::routers;
use flitwise::guide::{GROUPS, Group, Topic};
use flitwise::scenario::{Options, Scenario};
use std::collections::BTreeSet;

const README: &str = "README.md";

#[test]
fn what_it_shows() {
    Page::open(README).run();
}

#[test]
fn is_short() {
    let text = Page::open(README).text();
    assert!(text.lines().count() <= 220, "{} lines", text.lines().count());
    let is_generated = |line: &str| line.starts_with("- **");
    let wide = text.lines().find(|line| line.chars().count() > 120 && !is_generated(line));
    assert_eq!(wide, None);
}

/// Every scenario in it is whole: another test runs them.
#[test]
fn its_scenarios_are_whole() {
    let text = Page::open(README).text();
    assert!(text.contains("\n```toml\n") && !text.contains("```toml "));
}

#[test]
fn lists_the_guides_by_group() {
    let link = |topic: &Topic| format!("[{0}](src/guide/{0}.md)", topic.name);
    let item = |group: &Group| {
        let links: Vec<String> = group.topics.iter().map(link).collect();
        format!("- **{}:** {}\n", group.title, links.join(", "))
    };
    Page::open(README).compare("guides", &GROUPS.iter().map(item).collect::<String>());
}

/// Latencies and rates of the routers beside those of BookSim 2 and CAMINOS.
#[test]
fn agreement() {
    let header =
        "| network | packets | quantity | other simulator | flitwise | deviation |\n|---|---|---|---|---|---|\n";
    let lines = routers::agreement().concat();
    Page::open("src/guide/traffic.md").compare("agreement", &(header.to_owned() + &lines));
    Page::open(README).compare("agreement", &agreement_with_booksim());
}

/// The number of points of `benches/booksim-agreement` that agree.
fn agreement_with_booksim() -> String {
    let rows = csv_rows(&std::fs::read_to_string(root().join("results/booksim/agreement.csv")).unwrap());
    let configurations: BTreeSet<&String> = rows.iter().map(|row| &row["configuration"]).collect();
    let count = |within: &str| rows.iter().filter(|row| row["within"] == within).count();
    let compared = rows.len() - count("saturated");
    format!(
        "- **BookSim 2.** {} configurations were run in both simulators. Of {} latencies and accepted rates, {} ({} %)\n  \
         agree within the bounds of 1 to 8 % that [booksim](src/guide/booksim.md) states, and {} more within the\n  \
         differences between seeds of BookSim 2. [results/booksim](results/booksim/README.md) lists all.\n",
        configurations.len(),
        compared,
        count("bound"),
        100 * count("bound") / compared,
        count("seeds"),
    )
}

/// What the example called `name` prints, which `cargo test` has built beside this test.
fn printed_by(name: &str) -> String {
    let folder = std::env::current_exe().unwrap().ancestors().nth(2).unwrap().join("examples");
    let output = std::process::Command::new(folder.join(name)).output();
    let output = output.expect("`cargo test` without `--test` builds examples");
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_guide_shows_the_first_run_of_the_library_which_runs() {
    let source = include_str!("../../examples/first-run.rs");
    let (_, code) = source.split_once("\n\n").unwrap();
    let guide = Topic::named("library").unwrap().text;
    assert!(guide.contains(&format!("```rust\n{code}```\n")), "the guide's example is not examples/first-run.rs");
    let printed = printed_by("first-run");
    assert!(
        printed.contains("opt-mesh finishes first; binomial finishes last and takes 1.31 times as long."),
        "{printed}"
    );
}

/// Examples that add to the library from outside: short, named in the guide, and right by what they assert.
#[test]
fn a_topology_a_routing_and_an_algorithm_of_ones_own_run() {
    let guide = Topic::named("library").unwrap().text;
    let expected = [
        ("own-topology", "all-to-all: 90 messages over 150 links, "),
        ("own-routing", "with a dateline: completed after "),
        ("own-algorithm", "optimal: "),
    ];
    for (name, part) in expected {
        let source = std::fs::read_to_string(root().join("examples").join(format!("{name}.rs"))).unwrap();
        assert!(source.lines().count() <= 60, "{name}: {} lines", source.lines().count());
        assert!(guide.contains(&format!("`examples/{name}.rs`")), "{name} is not in the guide");
        let printed = printed_by(name);
        assert!(printed.contains(part), "{name}: {printed}");
    }
}

/// A host program in three languages, which the acceptance check and the tests of `ffi` and of the Python module run.
#[test]
fn the_guide_shows_the_examples_of_hosts() {
    let guide = Topic::named("embed").unwrap().text;
    let examples = [
        ("c tokens.c", "ffi/examples/tokens.c", "#include"),
        ("rust", "examples/tokens.rs", "use flitwise"),
        ("python", "examples/tokens.py", "import flitwise"),
    ];
    for (language, path, start) in examples {
        let source = std::fs::read_to_string(root().join(path)).unwrap();
        let code = &source[source.find(start).unwrap()..];
        assert!(guide.contains(&format!("```{language}\n{code}```\n")), "the guide's example is not {path}");
    }
}

#[test]
fn every_scenario_that_is_shipped_is_valid() {
    let folder = root().join("scenarios");
    let mut found = 0;
    for folder in [folder.clone(), folder.join("paper"), folder.join("examples")] {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "toml") {
                let scenario = Scenario::load(&path, &Options::default()).unwrap();
                let paper = path.parent().is_some_and(|parent| parent.ends_with("paper"));
                assert!(!paper || path.file_stem().is_some_and(|stem| *stem == *scenario.name), "{}", path.display());
                found += 1;
            }
        }
    }
    assert!(found >= 12);
}
