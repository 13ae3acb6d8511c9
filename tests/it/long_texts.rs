//! Rows that leave long texts: these stand in journals as they are, behind the line that says so, and what happens to them
//! is told and mended as what happens to lines.

use crate::cli::Bench;
use std::fs;
use std::path::PathBuf;

const SCENARIO: &str = "name = \"long\"\n[workload.goal]\nfile = \"a.goal\"\n[model.logp]\nL = 6\no = 2\ng = 4\n\
                        [sweep]\n\"model.logp.L\" = [5, 6, 7]\n";

/// Ranks that compute, more than a line of a journal takes.
fn bench() -> Bench {
    let bench = Bench::new(SCENARIO);
    let ranks = (0..9000).map(|rank| format!("rank {rank} {{\ncalc {}\n}}\n", 1000 + rank));
    fs::write(bench.path("a.goal"), format!("num_ranks 9000\n{}", ranks.collect::<String>())).unwrap();
    bench
}

fn files(bench: &Bench, out: &str) -> [Vec<u8>; 3] {
    ["rows.csv", "summary.csv", "hosts.csv"].map(|name| fs::read(bench.path(out).join("long").join(name)).unwrap())
}

fn journal(bench: &Bench, out: &str, shard: &str) -> PathBuf {
    bench.path(out).join("long").join(format!("journal-{shard}.jsonl"))
}

/// Where the line of each unit begins, and how many bytes it has.
fn units(journal: &[u8]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    for line in journal.split_inclusive(|&byte| byte == b'\n') {
        if line.starts_with(b"{\"check\":") && line.windows(8).any(|part| part == b"\"behind\"") {
            found.push((at, line.len()));
        }
        at += line.len();
    }
    found
}

/// Goes on, and tells what was said.
fn resumed(bench: &Bench, expected: &[Vec<u8>; 3]) -> String {
    let output = bench.call(&["run", "s.toml", "--quiet", "--jobs", "1", "--resume"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(files(bench, "results") == *expected, "other bytes: {said}");
    said
}

#[test]
fn a_long_text_stands_behind_its_line_and_is_checked() {
    let bench = bench();
    bench.ok(&["run", "s.toml", "--quiet", "--jobs", "1"]);
    let expected = files(&bench, "results");
    let path = journal(&bench, "results", "1-of-1");
    let whole = fs::read(&path).unwrap();
    let units = units(&whole);
    assert_eq!(units.len(), 3);
    assert!(units.iter().all(|&(_, bytes)| bytes < 1000));
    let header = expected[2].iter().position(|&byte| byte == b'\n').unwrap() + 1;
    let texts: Vec<u8> = units
        .iter()
        .zip([units[1].0, units[2].0])
        .flat_map(|(unit, end)| whole[unit.0 + unit.1..end].to_vec())
        .collect();
    assert!(expected[2][header..].starts_with(&texts), "they stand there as they are in the file");
    assert_eq!(resumed(&bench, &expected), "");

    let line_of = |at: usize| 1 + whole[..at].iter().filter(|&&byte| byte == b'\n').count();
    let (second, length) = units[1];
    for (what, at) in [
        ("its line", second + 40),
        ("the end of its line", second + length - 1),
        ("its text", second + length + 70_000),
    ] {
        let mut changed = whole.clone();
        changed[at] ^= 4;
        fs::write(&path, &changed).unwrap();
        let said = resumed(&bench, &expected);
        assert!(said.contains(&format!("journal-1-of-1.jsonl: line {} is damaged", line_of(second))), "{what}: {said}");
        assert_eq!(said.matches("is damaged").count(), 1, "{what}: {said}");
    }
    for cut in [second + length + 70_000, units[2].0 - 1, second + length, second + 40] {
        fs::write(&path, &whole[..cut]).unwrap();
        let said = resumed(&bench, &expected);
        let torn = said.contains(&format!("journal-1-of-1.jsonl: line {} is incomplete", line_of(second)));
        assert!(torn, "{cut} of {}: {said}", whole.len());
        assert_eq!(resumed(&bench, &expected), "", "what is mended is whole");
    }
}

#[test]
fn shards_with_long_texts_are_put_together_to_the_same_bytes() {
    let bench = bench();
    bench.ok(&["run", "s.toml", "--quiet"]);
    for shard in ["1/2", "2/2"] {
        bench.ok(&["run", "s.toml", "--quiet", "--out", "parts", "--shard", shard]);
    }
    bench.ok(&["merge", "parts/long", "--quiet"]);
    assert!(files(&bench, "parts") == files(&bench, "results"));
}
