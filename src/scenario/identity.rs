//! What a scenario and its points are known by: everything that results depend on, and nothing else.
//!
//! A point's results follow from its [`Experiment`] and the files it names: every random stream is derived from the
//! point's own seed, a purpose and the repetition, never from where the point stands. So the same point has the same
//! results in another sweep, another shard, or alone, and points that differ in anything but the seed draw the same
//! placements.

use super::experiment::Experiment;
use super::files::Digest;
use crate::config::{Node, Table, Value};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::io::Write;

/// What a point is known by: a SHA-256 of the resolved point and of the files it names, cut to 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PointId(u64);

/// Keys that no result depends on.
const IRRELEVANT: [&str; 3] = ["tick", "figure", "claim"];

impl PointId {
    /// Of `experiment`, which `root` spells; `digests` are of all files that have been read.
    pub(super) fn of(experiment: &Experiment, root: &Table, digests: &BTreeMap<String, Digest>) -> Self {
        let mut hash = Hash(Sha256::new());
        // an experiment is made of numbers, strings and arrays of them, and a hash takes any byte
        let written = serde_json::to_writer(&mut hash, experiment);
        debug_assert!(written.is_ok());
        if !digests.is_empty() {
            named(root, &mut |text| {
                if let Some(digest) = digests.get(text) {
                    hash.0.update([0]);
                    hash.0.update(digest);
                }
            });
        }
        let digest: Digest = hash.0.finalize().into();
        let first = digest.iter().take(8).fold(0, |value, &byte| value << 8 | u64::from(byte));
        Self(first)
    }
}

impl std::fmt::Display for PointId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl From<PointId> for String {
    fn from(id: PointId) -> Self {
        id.to_string()
    }
}

impl TryFrom<String> for PointId {
    type Error = std::num::ParseIntError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        u64::from_str_radix(&text, 16).map(Self)
    }
}

/// A hash that can be written to.
struct Hash(Sha256);

impl Write for Hash {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Hands every string in `table` to `take`.
fn named(table: &Table, take: &mut impl FnMut(&str)) {
    fn within(node: &Node, take: &mut impl FnMut(&str)) {
        match &node.value {
            Value::String(text) => take(text),
            Value::Array(values) => values.iter().for_each(|node| within(node, take)),
            Value::Table(table) => named(table, take),
            _ => {}
        }
    }
    table.entries.iter().for_each(|(_, node)| within(node, take));
}

/// The SHA-256 of a whole scenario and of the files it names, in hexadecimal digits.
pub(super) fn hash(root: &Table, digests: &BTreeMap<String, Digest>) -> String {
    let mut hash = Sha256::new();
    let mut root = root.clone();
    root.entries.retain(|(key, _)| !["figure", "claim"].contains(&key.name.as_str())); // nothing that is run depends on them
    hash.update(Value::Table(root).json().to_string());
    for digest in digests.values() {
        hash.update([0]);
        hash.update(digest);
    }
    hexadecimal(&hash.finalize().into())
}

pub(super) fn hexadecimal(digest: &Digest) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Every key in `root`, dotted, with its value as TOML, but for those that no result depends on.
pub(super) fn keys(root: &Table) -> BTreeMap<String, String> {
    fn collect(table: &Table, prefix: &str, keys: &mut BTreeMap<String, String>) {
        for (key, node) in &table.entries {
            let name = if prefix.is_empty() { key.name.clone() } else { format!("{prefix}.{}", key.name) };
            match &node.value {
                Value::Table(inner) => collect(inner, &name, keys),
                other => {
                    keys.insert(name, other.toml());
                }
            }
        }
    }
    let mut all = BTreeMap::new();
    collect(root, "", &mut all);
    all.retain(|key, _| !IRRELEVANT.contains(&key.split('.').next().unwrap_or_default()));
    all
}
