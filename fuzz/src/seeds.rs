//! The initial corpus of a target: the shipped files, with the files that scenarios name, unless they are too long, and newly
//! generated outputs of runs.

use crate::readers::Target;
use std::path::{Path, PathBuf};

/// Writes the seeds of `target` to the directory `folder`.
pub(crate) fn write(target: &Target, folder: &Path) -> std::io::Result<()> {
    let shipped = target.seeds.iter().flat_map(|seed| match seed.strip_prefix('\n') {
        Some(text) => vec![text.as_bytes().to_vec()],
        None => files(seed).iter().map(|path| with_named(path)).collect(),
    });
    let seeds = shipped.chain((target.made)()).filter(|seed| seed.len() <= target.longest);
    std::fs::create_dir_all(folder)?;
    for (at, seed) in seeds.enumerate() {
        std::fs::write(folder.join(format!("seed-{at}")), seed)?;
    }
    Ok(())
}

/// Returns the files that `pattern` names: one file, or all with an extension, `folder/*.ending`.
fn files(pattern: &str) -> Vec<PathBuf> {
    let pattern = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(pattern);
    if pattern.file_stem().is_none_or(|stem| stem != "*") {
        return vec![pattern];
    }
    let entries = pattern.parent().and_then(|folder| std::fs::read_dir(folder).ok()).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    found.retain(|path| path.is_file() && path.extension() == pattern.extension());
    found.sort();
    found
}

/// Returns the contents of the file `path`. If it is a scenario, the files of its directory that it names follow.
fn with_named(path: &Path) -> Vec<u8> {
    let mut bytes = std::fs::read(path).unwrap_or_default();
    let folder = path.parent().filter(|_| path.extension().is_some_and(|ending| ending == "toml"));
    let text = String::from_utf8_lossy(&bytes).into_owned();
    for (name, folder) in text.split('"').skip(1).step_by(2).zip(folder.into_iter().cycle()) {
        let named = folder.join(name);
        if !name.is_empty() && !name.contains('/') && named.is_file() {
            bytes.extend_from_slice(format!("\n%%% {name}\n").as_bytes());
            bytes.extend_from_slice(&std::fs::read(named).unwrap_or_default());
        }
    }
    bytes
}
