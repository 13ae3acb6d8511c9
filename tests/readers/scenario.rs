//! Scenarios: TOML with the files that it names and includes, sweeps, expressions, and what the command line sets.

use super::Target;
use super::folder::with_files;
use flitwise::config::{Diagnostic, Place, Source, render};
use flitwise::memory::Limit;
use flitwise::scenario::{NetworkAlone, Options, Rejected, Scenario};
use std::path::Path;

pub(crate) const TARGETS: &[Target] = &[
    Target {
        name: "scenario",
        reads: "scenarios, with the files that they name and include",
        longest: 4096,
        seeds: &[
            "scenarios/*.toml",
            "scenarios/examples/*.toml",
            "scenarios/paper/*.toml",
            "tests/data/plan/*.toml",
            "tests/data/bad/*.toml",
            "tests/data/bad/accepted/*.toml",
            "tests/data/bad/exit-1/*.toml",
        ],
        made: Vec::new,
        run: whole,
    },
    Target {
        name: "settings",
        reads: "`--set KEY=VALUE` and `--unset KEY`, sweeps and expressions of scenarios",
        longest: 256,
        seeds: &[
            "\nengine.kind=flit",
            "\nworkload.multicast.flits=[1,2,4]\n-network.mesh",
            "\nsweep.\"network.mesh.shape\"=[[4,4],[8,8]]",
            "\nsweep.\"workload.multicast.group\"={ from = 2, to = 8, step = 2 }",
            "\nsweep.where=[\"group <= 4 or flits * 2 > 2 and not (seed != 1)\"]",
            "\nclaim=[{ says = \"s\", value = \"max(measured_mean, 2) / 3\", printed = [1] }]",
        ],
        made: Vec::new,
        run: settings,
    },
];

/// What parts of an input are called: a line of its own before each but the first.
const MARK: &[u8] = b"\n%%% ";

/// What a run may take. Less than a target may, so that what an estimate leaves out has room.
const MEMORY: u64 = 24 << 20;

/// A scenario that takes every kind of key that a command line may set.
const BASE: &str = "name = \"base\"\nnetwork.mesh.shape = [4, 4]\n\
    workload.multicast = { algorithms = [\"chain\"], flits = 8, group = 4 }\nsweep.seed = [1, 2]\n";

/// `bytes` without the names of files that never end, which a reader would wait for.
fn is_harmless(bytes: &[u8]) -> bool {
    ["/dev", "/proc", "/sys"].iter().all(|place| !bytes.windows(place.len()).any(|part| part == place.as_bytes()))
}

fn whole(bytes: &[u8]) {
    if !is_harmless(bytes) {
        return;
    }
    let (main, files) = parts(bytes);
    let options = Options { memory: Some(Limit::available(MEMORY)), ..Options::default() };
    with_files(&files, |folder| read(main, folder, &options));
}

fn settings(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let (unset, set): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.starts_with('-'));
    let set = set.into_iter().map(str::to_owned).collect();
    let unset = unset.into_iter().map(|line| line[1..].to_owned()).collect();
    let memory = Some(Limit::available(MEMORY));
    let options = Options { set, unset, memory, ..Options::default() };
    if is_harmless(bytes) {
        with_files(&[], |folder| read(BASE.as_bytes(), folder, &options));
    }
}

/// The scenario, and the files beside it, by name.
fn parts(bytes: &[u8]) -> (&[u8], Vec<(&str, &[u8])>) {
    let mut rest = bytes;
    let mut texts = Vec::new();
    while let Some(at) = rest.windows(MARK.len()).position(|part| part == MARK) {
        texts.push(&rest[..at]);
        rest = &rest[at + MARK.len()..];
    }
    texts.push(rest);
    (texts[0], texts[1..].iter().filter_map(|text| file(text)).collect())
}

/// A file: its name, which is one that cannot lead elsewhere, and from the next line on what is in it.
fn file(text: &[u8]) -> Option<(&str, &[u8])> {
    let at = text.iter().position(|&byte| byte == b'\n')?;
    let name = std::str::from_utf8(&text[..at]).ok()?;
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    (!name.is_empty() && name.len() < 64 && name.chars().all(plain) && !name.starts_with('.'))
        .then_some((name, &text[at + 1..]))
}

/// Reads the scenario twice, which must say the same; what is wrong must be shown where something is.
pub(super) fn read(main: &[u8], folder: &Path, options: &Options) {
    let once = || Scenario::from_bytes("s.toml", main.to_vec(), folder, options);
    match (once(), once()) {
        (Ok(first), Ok(second)) => {
            assert_eq!(first.hash(), second.hash());
            assert_eq!(first.points.len(), second.points.len());
            assert!(!first.points.is_empty() && first.memory() <= MEMORY, "takes {}", first.memory());
        }
        (Err(first), Err(second)) => {
            assert_eq!(first.diagnostics, second.diagnostics);
            shown(&first);
        }
        (first, second) => panic!("{:?}, then {:?}", first.map(drop), second.map(drop)),
    }
    let alone = Options { memory: options.memory, ..options.clone() };
    if let Err(rejected) = NetworkAlone::from_bytes("s.toml", main.to_vec(), folder, &alone) {
        shown(&rejected);
    }
}

/// What is wrong can be shown: at least something is, and each stands in a text.
fn shown(rejected: &Rejected) {
    let Rejected { diagnostics, sources, .. } = rejected;
    assert!(!diagnostics.is_empty());
    diagnostics.iter().for_each(|diagnostic| placed(diagnostic, sources));
    let few = &diagnostics[..diagnostics.len().min(3)];
    let text = render(few, sources, true);
    assert!(text.contains(" error"), "{text}");
}

fn placed(diagnostic: &Diagnostic, sources: &[Source]) {
    let places = diagnostic.place.iter().chain(diagnostic.related.iter().map(|related| &related.place));
    for Place { source, span } in places {
        let text = &sources[*source].text;
        assert!(text.get(span.clone()).is_some(), "{}: {span:?} of {} bytes", diagnostic.message, text.len());
    }
}
