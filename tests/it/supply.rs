//! What flitwise is built from: every package that is named has a reason in `SUPPLY.md`, every package of the build a licence that
//! `deny.toml` allows and a place at crates.io, and no code of its own is unsafe.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

fn file(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
}

fn table(name: &str) -> toml::Table {
    file(name).parse().unwrap()
}

/// The rows of all tables in `SUPPLY.md`: a package, and why it is here.
fn rows() -> Vec<[String; 2]> {
    let text = file("SUPPLY.md");
    let lines = text.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| package |"));
    let cells = |line: &str| -> Vec<String> { line.split('|').map(|cell| cell.trim().to_owned()).collect() };
    lines.map(|line| cells(line)[1..3].to_vec().try_into().unwrap()).collect()
}

#[test]
fn every_package_that_is_named_has_a_reason_and_no_other_has() {
    let mut named = BTreeSet::new();
    for manifest in [table("Cargo.toml"), table("python/Cargo.toml")] {
        for section in ["dependencies", "dev-dependencies", "build-dependencies"] {
            let Some(section) = manifest.get(section) else { continue };
            named.extend(section.as_table().unwrap().keys().cloned());
        }
        assert!(manifest.get("target").is_none(), "dependencies of some systems alone: the test does not read them");
    }
    named.remove("flitwise"); // the Python module's
    let rows = rows();
    let told: BTreeSet<String> = rows.iter().map(|[name, _]| name.clone()).collect();
    assert_eq!(told, named, "SUPPLY.md and Cargo.toml");
    assert_eq!(told.len(), rows.len(), "a package stands twice in SUPPLY.md");
    for [name, why] in rows {
        assert!(why.split_whitespace().count() >= 3, "{name}: {why:?} is no reason");
    }
}

/// Packages of the build on this system, the tests' included, each with its licence; the Python module's, which need not be
/// here, are not among them.
fn packages() -> BTreeSet<String> {
    let output = Command::new(env!("CARGO"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(["tree", "--offline", "--locked", "--package", "flitwise", "--edges", "normal,build,dev"])
        .args(["--no-dedupe", "--prefix", "none", "--format", "{p}\t{l}"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

/// Whether a licence `expression`, as SPDX writes it, is met by what is `allowed`.
fn is_allowed(expression: &str, allowed: &BTreeSet<String>) -> bool {
    // an old way to say the same
    let expression = expression.replace('/', " OR ");
    let words = expression.replace('(', " ( ").replace(')', " ) ");
    let mut words = words.split_whitespace().peekable();
    let met = any(&mut words, allowed);
    met && words.next().is_none()
}

type Words<'a> = std::iter::Peekable<std::str::SplitWhitespace<'a>>;

fn any(words: &mut Words<'_>, allowed: &BTreeSet<String>) -> bool {
    let mut met = all(words, allowed);
    while words.next_if_eq(&"OR").is_some() {
        met |= all(words, allowed);
    }
    met
}

fn all(words: &mut Words<'_>, allowed: &BTreeSet<String>) -> bool {
    let mut met = one(words, allowed);
    while words.next_if_eq(&"AND").is_some() {
        met &= one(words, allowed);
    }
    met
}

fn one(words: &mut Words<'_>, allowed: &BTreeSet<String>) -> bool {
    match words.next() {
        Some("(") => {
            let met = any(words, allowed);
            met && words.next() == Some(")")
        }
        Some(name) => {
            let exception = words.next_if_eq(&"WITH").and_then(|_| words.next());
            // an exception allows more, but is none that is listed
            exception.is_none() && allowed.contains(name)
        }
        None => false,
    }
}

#[test]
fn licences_are_told_apart() {
    let allowed = BTreeSet::from(["MIT", "Zlib", "Unicode-3.0"].map(str::to_owned));
    for met in ["MIT", "MIT/Apache-2.0", "GPL-3.0 OR Zlib", "(MIT OR GPL-3.0) AND Unicode-3.0"] {
        assert!(is_allowed(met, &allowed), "{met}");
    }
    for unmet in ["", "GPL-3.0", "MIT AND GPL-3.0", "MIT WITH it", "(MIT", "MIT Zlib", "GPL-3.0/LGPL-3.0"] {
        assert!(!is_allowed(unmet, &allowed), "{unmet}");
    }
}

#[test]
fn every_package_of_the_build_has_a_licence_that_is_allowed() {
    let deny = table("deny.toml");
    let allowed = deny["licenses"]["allow"].as_array().unwrap();
    let allowed: BTreeSet<String> = allowed.iter().map(|name| name.as_str().unwrap().to_owned()).collect();
    let packages = packages();
    assert!(packages.len() > 50, "{} packages", packages.len());
    for package in packages {
        let (_, licence) = package.split_once('\t').unwrap();
        assert!(is_allowed(licence, &allowed), "{package:?}");
    }
}

#[test]
fn every_package_comes_from_crates_io_with_a_checksum() {
    let lock = table("Cargo.lock");
    for package in lock["package"].as_array().unwrap() {
        let name = package["name"].as_str().unwrap();
        match package.get("source").and_then(toml::Value::as_str) {
            None => assert!(["flitwise", "flitwise-ffi", "flitwise-python"].contains(&name), "{name}"),
            Some(source) => {
                assert_eq!(source, "registry+https://github.com/rust-lang/crates.io-index", "{name}");
                assert_eq!(package["checksum"].as_str().map(str::len), Some(64), "{name}");
            }
        }
    }
}

#[test]
fn no_code_of_ours_is_unsafe() {
    for root in ["src/lib.rs", "src/main.rs", "build.rs", "python/src/lib.rs"] {
        assert!(file(root).lines().any(|line| line == "#![forbid(unsafe_code)]"), "{root}");
    }
    for manifest in ["Cargo.toml", "python/Cargo.toml"] {
        let lints = &table(manifest)["lints"]["rust"]["unsafe_code"];
        assert_eq!(lints.as_str(), Some("forbid"), "{manifest}: examples, tests and benchmarks, too");
    }
}
