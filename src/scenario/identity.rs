//! What a scenario and its points are known by: everything that results depend on, and nothing else.
//!
//! A point's results follow from its [`Experiment`] and the files it names: every random stream is derived from the
//! point's own seed, a purpose and the repetition, never from where the point stands. So the same point has the same
//! results in another sweep, another shard, or alone, and points that differ in anything but the seed draw the same
//! placements.

use super::experiment::Experiment;
use crate::config::{Node, Table, Value};
use crate::digest::{Digest, Digester, hexadecimal};
use serde::{Deserialize, Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt::Write;

/// What a point is known by: a digest of the resolved point and of the files it names, cut to 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(try_from = "String")]
pub struct PointId(u64);

/// Keys that no result depends on.
const IRRELEVANT: [&str; 3] = ["tick", "figure", "claim"];

impl PointId {
    /// Of `experiment`, which `root` spells; `digests` are of all files that have been read.
    pub(super) fn of(experiment: &Experiment, root: &Table, digests: &BTreeMap<String, Digest>) -> Self {
        let mut digester = Digester::default();
        let written = serde_json::to_writer(&mut digester, experiment);
        debug_assert!(written.is_ok(), "an experiment is made of numbers, strings and arrays of them");
        if !digests.is_empty() {
            named(root, &mut |text| {
                if let Some(digest) = digests.get(text) {
                    digester.update([0]);
                    digester.update(digest.to_bytes());
                }
            });
        }
        Self(digester.finish().first_half())
    }
}

impl std::fmt::Display for PointId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        hexadecimal(self.0).into_iter().try_for_each(|digit| f.write_char(char::from(digit)))
    }
}

impl Serialize for PointId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl TryFrom<String> for PointId {
    type Error = std::num::ParseIntError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        u64::from_str_radix(&text, 16).map(Self)
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

/// The digest of a whole scenario and of the files it names.
pub(super) fn hash(root: &Table, digests: &BTreeMap<String, Digest>) -> Digest {
    let mut digester = Digester::default();
    let mut root = root.clone();
    root.entries.retain(|(key, _)| !["figure", "claim"].contains(&key.name.as_str())); // nothing that is run depends on them
    digester.update(Value::Table(root).json().to_string());
    for digest in digests.values() {
        digester.update([0]);
        digester.update(digest.to_bytes());
    }
    digester.finish()
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
