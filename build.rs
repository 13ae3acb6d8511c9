//! Tells the command where to find its commit.
//!
//! A checkout has a log of where HEAD has been, which the command itself reads when it is compiled: after a commit the
//! command alone is compiled again, and not the library. An archive or a package has its commit written into a file.
#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};
use std::process::Command;

/// The commit of an archive made by git, by its attribute `export-subst`.
const ARCHIVE: &str = "src/cli/commit.txt";

/// What `cargo package` leaves.
const PACKAGE: &str = ".cargo_vcs_info.json";

fn main() {
    println!("cargo::rustc-check-cfg=cfg(reflog)");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={ARCHIVE}");
    let root = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    if std::env::var_os("CARGO_FEATURE_CLI").is_none() {
        return;
    }
    if let Some(commit) = git(&root, &["log", "-1", "--format=%h %cs", "--abbrev=9"]).filter(|_| is_checkout(&root)) {
        println!("cargo::rustc-env=FLITWISE_COMMIT={commit}");
        track(&root);
    } else if let Some(commit) = archived(&root).or_else(|| packaged(&root)) {
        println!("cargo::rustc-env=FLITWISE_COMMIT={commit}");
    }
}

/// Whether `root` is the top of a checkout, and not a folder in that of another project.
fn is_checkout(root: &Path) -> bool {
    let top = git(root, &["rev-parse", "--show-toplevel"]).and_then(|top| Path::new(&top).canonicalize().ok());
    top.is_some() && top == root.canonicalize().ok()
}

/// Says where the log of HEAD is, or else what changes with a commit.
fn track(root: &Path) {
    let path = |name: &str| git(root, &["rev-parse", "--git-path", name]).map(|path| root.join(path));
    match path("logs/HEAD").filter(|path| path.is_file()) {
        Some(log) => {
            println!("cargo::rustc-cfg=reflog");
            println!("cargo::rustc-env=FLITWISE_REFLOG={}", log.display());
            // it hardly ever changes; when the checkout is no checkout any more, it is gone
            path("config").iter().for_each(|path| println!("cargo::rerun-if-changed={}", path.display()));
        }
        None => {
            for path in ["HEAD", "refs/heads", "packed-refs"].iter().filter_map(|name| path(name)) {
                println!("cargo::rerun-if-changed={}", path.display());
            }
        }
    }
}

fn git(root: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").arg("-C").arg(root).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && !text.is_empty()).then_some(text)
}

fn archived(root: &Path) -> Option<String> {
    let text = std::fs::read_to_string(root.join(ARCHIVE)).ok()?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty() && !text.starts_with('$'))
}

fn packaged(root: &Path) -> Option<String> {
    let text = std::fs::read_to_string(root.join(PACKAGE)).ok()?;
    let (_, rest) = text.split_once("\"sha1\"")?;
    rest.split('"').nth(1)?.get(..9).map(str::to_owned)
}
