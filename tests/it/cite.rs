//! `flitwise cite`, and references of everything that has a source.

use crate::cli::Bench;
use crate::pages::root;
use flitwise::algorithm::{broadcast, collective, exchange, mapping, multicast};
use flitwise::references::{ALL, Reference, SUBJECTS};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;

fn algorithms() -> Vec<(&'static str, &'static [Reference])> {
    let mut all = Vec::new();
    all.extend(multicast::ALGORITHMS.iter().map(|one| (one.name, one.references)));
    all.extend(collective::ALGORITHMS.iter().map(|one| (one.name, one.references)));
    all.extend(exchange::ALGORITHMS.iter().map(|one| (one.name, one.references)));
    all.extend(broadcast::ALGORITHMS.iter().map(|one| (one.name, one.references)));
    all.extend(mapping::ALGORITHMS.iter().map(|one| (one.name, one.references)));
    all
}

#[test]
fn every_algorithm_has_a_reference() {
    for (name, references) in algorithms() {
        assert!(!references.is_empty(), "{name}");
    }
}

#[test]
fn every_reference_is_cited_by_something() {
    let mut cited: BTreeSet<&str> =
        algorithms().iter().flat_map(|(_, found)| found.iter()).map(|one| one.key).collect();
    cited.extend(SUBJECTS.iter().flat_map(|subject| subject.references).map(|one| one.key));
    let scenarios: String = paper_scenarios().into_iter().map(|(_, text)| text).collect();
    for reference in ALL {
        let in_a_scenario = scenarios.contains(&format!("\"{}\"", reference.key));
        assert!(cited.contains(reference.key) || in_a_scenario, "{}", reference.key);
    }
}

fn paper_scenarios() -> Vec<(String, String)> {
    let entries = fs::read_dir(root().join("scenarios/paper")).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path()).filter(|path| path.extension().is_some_and(|e| e == "toml"));
    paths.map(|path| (path.display().to_string(), fs::read_to_string(&path).unwrap())).collect()
}

#[test]
fn every_scenario_of_a_paper_cites_it() {
    for (name, text) in paper_scenarios() {
        assert!(!text.contains("[figure]") || text.contains("\ncites = [\""), "{name}");
    }
}

#[test]
fn every_network_and_routing_that_is_listed_can_be_cited() {
    let bench = Bench::new("");
    let list: Value = serde_json::from_str(&bench.ok(&["list", "--json"])).unwrap();
    let names = |key: &str| -> Vec<String> {
        let lines = list[key].as_array().unwrap().iter();
        lines.map(|line| line["name"].as_str().unwrap().to_owned()).collect()
    };
    let networks = names("networks").into_iter().filter(|name| name != "grid");
    for name in networks.chain(names("routings").into_iter().chain(names("network_routings"))) {
        let text = bench.ok(&["cite", &name]);
        assert!(text.contains(", 19") || text.contains(", 20"), "{name}: {text}");
    }
}

#[test]
fn names_and_scenarios_are_cited_as_text_and_as_bibtex() {
    let bench = Bench::new("");
    assert!(bench.ok(&["cite", "opt-mesh"]).contains("Optimal Multicast Algorithm"));
    assert!(bench.ok(&["cite", "bruck"]).contains("Bruck"));
    let entry = bench.ok(&["cite", "swing-bandwidth", "--bibtex"]);
    assert!(entry.starts_with("@inproceedings{desensi2024swing,\n"), "{entry}");
    let everything = bench.ok(&["cite"]);
    assert!(everything.starts_with("The flitwise authors. flitwise: ") && everything.lines().count() > ALL.len());
    assert_eq!(bench.ok(&["cite", "--bibtex"]).matches("\n}\n").count(), ALL.len() + 1);
    let scenario = root().join("scenarios/paper/swing-hops.toml");
    let cited = bench.ok(&["cite", scenario.to_str().unwrap()]);
    assert!(cited.starts_with("Daniele De Sensi"), "{cited}");
    let error = bench.fails(2, &["cite", "swing-bandwith"]);
    assert!(
        error.contains("no entry with references is called `swing-bandwith`; did you mean `swing-bandwidth`?"),
        "{error}"
    );
}
