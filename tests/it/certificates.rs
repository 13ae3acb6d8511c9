//! Certificates of freedom from deadlock, and of cycles, read by a checker that knows nothing but the text.

use crate::cli::{Bench, csv_rows};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// A virtual channel: its link and its number.
type Channel = (String, String);

/// What the text of a certificate proves: `free`, `cycle`, or nothing.
fn proved(text: &str) -> Option<&'static str> {
    let mut ranks: BTreeMap<Channel, i64> = BTreeMap::new();
    let mut turns: BTreeSet<(Channel, Channel)> = BTreeSet::new();
    let mut held: Vec<Channel> = Vec::new();
    let mut verdict = "";
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let channel = |at: usize| (words[at].to_owned(), words[at + 1].to_owned());
        match words[0] {
            "verdict" => verdict = words[1],
            "vc" => drop(ranks.insert(channel(1), words[5].parse().unwrap_or(-1))),
            "turn" => drop(turns.insert((channel(1), channel(3)))),
            "hold" => held.push(channel(1)),
            _ => {}
        }
    }
    let descends = |(from, to): &(Channel, Channel)| {
        let [from, to] = [from, to].map(|channel| ranks.get(channel).copied().unwrap_or(-1));
        from > to && to >= 0
    };
    let next = held.iter().cycle().skip(1);
    match verdict {
        "free" if turns.iter().all(descends) && ranks.values().all(|&rank| rank >= 0) => Some("free"),
        "cycle" => {
            let distinct: BTreeSet<&Channel> = held.iter().collect();
            let linked = held.iter().zip(next).all(|(one, next)| turns.contains(&(one.clone(), next.clone())));
            (linked && !held.is_empty() && distinct.len() == held.len()).then_some("cycle")
        }
        _ => None,
    }
}

/// The certificate of a network, and the exit code.
fn certificate(network: &str, virtual_channels: u32) -> (i32, String) {
    let bench = Bench::new(&format!("name = \"c\"\n{network}\n[channel]\nvirtual_channels = {virtual_channels}\n"));
    let output = bench.command(&["check", "s.toml", "--certificate", "c.txt"]).output().unwrap();
    (output.status.code().unwrap(), fs::read_to_string(bench.path("c.txt")).unwrap())
}

#[test]
fn lattices_are_free_with_their_classes_and_not_without() {
    for (network, virtual_channels, expected) in [
        ("[network.mesh]\nshape = [4, 3]", 1, "free"),
        ("[network.hypercube]\ndimension = 4", 2, "free"),
        ("[network.torus]\nshape = [4, 5]", 2, "free"),
        ("[network.torus]\nshape = [4, 5]", 4, "free"),
        ("[network.torus]\nshape = [3, 3]", 1, "free"),
        ("[network.torus]\nshape = [4, 5]", 1, "cycle"),
    ] {
        let (code, text) = certificate(network, virtual_channels);
        assert_eq!(proved(&text), Some(expected), "{network}, {virtual_channels} virtual channels");
        assert_eq!(code, i32::from(expected == "cycle"), "{network}");
    }
}

/// A proof whose ranks do not fall, or a cycle with a gap, proves nothing.
#[test]
fn a_false_certificate_does_not_pass() {
    let (_, text) = certificate("[network.mesh]\nshape = [4, 3]", 1);
    let turn = text.lines().find(|line| line.starts_with("turn")).unwrap();
    let words: Vec<&str> = turn.split_whitespace().collect();
    let reversed = format!("turn {} {} {} {}", words[3], words[4], words[1], words[2]);
    assert_eq!(proved(&text.replace(turn, &reversed)), None);
    let (_, text) = certificate("[network.torus]\nshape = [5]", 1);
    let held = text.lines().find(|line| line.starts_with("hold")).unwrap();
    assert_eq!(proved(&text.replacen(&format!("{held}\n"), "", 1)), None);
}

/// Whichever two links follow each other in a path stand as a turn.
#[test]
fn turns_are_those_of_paths() {
    let bench = Bench::new("name = \"c\"\n[network.torus]\nshape = [5, 4]\n");
    bench.ok(&["check", "s.toml", "--certificate", "c.txt"]);
    let text = fs::read_to_string(bench.path("c.txt")).unwrap();
    let turns: BTreeSet<&str> = text.lines().filter_map(|line| line.strip_prefix("turn ")).collect();
    let mut seen = BTreeSet::new();
    let rows = csv_rows(&bench.ok(&["routes", "s.toml", "--pairs", "all"]));
    for pair in rows.windows(2).filter(|pair| pair[1]["hop"] != "0") {
        let channel = |row: &BTreeMap<String, String>| format!("{} {}", row["link"], row["class"]);
        let turn = format!("{} {}", channel(&pair[0]), channel(&pair[1]));
        assert!(turns.contains(turn.as_str()), "{turn}");
        seen.insert(turn);
    }
    assert_eq!(seen.len(), turns.len());
}

#[test]
fn what_gives_no_path_is_refused() {
    let bench = Bench::new("name = \"c\"\n[network.mesh]\nshape = [4, 4]\n[router]\nrouting = \"adaptive\"\n");
    let said = bench.fails(2, &["check", "s.toml", "--certificate", "c.txt"]);
    assert!(said.contains("`adaptive` routing does not give one path") && said.contains("accepted: `dimension-order`"));
    assert!(!bench.path("c.txt").exists());
}
