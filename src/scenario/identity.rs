//! What a scenario and its points are known by: everything that results depend on, and nothing else.
//!
//! A point's results follow from its [`Experiment`] and the files it names: every random stream is derived from the
//! point's own seed, a purpose and the repetition, never from where the point stands. So the same point has the same
//! results in another sweep, another shard, or alone, and points that differ in anything but the seed draw the same
//! placements.

use super::Sizes;
use super::experiment::Experiment;
use crate::config::{Node, Table, Value};
use crate::digest::{Digest, Digester, hexadecimal};
use crate::kind::AsJson;
use crate::machine::Machine;
use serde::{Deserialize, Serialize, Serializer};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a point is known by: a digest of the resolved point and of the files it names, cut to 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(try_from = "String")]
pub struct PointId(u64);

/// The tables of a machine that count as they are written.
const WRITTEN: [&str; 4] = ["router", "device", "energy", "faults"];

/// Tables and keys that no result depends on.
const IRRELEVANT: [&str; 4] = ["tick", "figure", "claim", "engine.threads"];

/// Returns true if no result depends on the key with this dotted name.
fn is_irrelevant(key: &str) -> bool {
    IRRELEVANT.iter().any(|name| key.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')))
}

/// Makes the ids of points, most of which share a machine.
#[derive(Default)]
pub(super) struct PointIds {
    /// The machine of the last point, and its digest.
    last: Option<(Arc<Machine>, Digest)>,
    /// What is digested; kept for its room.
    text: Vec<u8>,
}

impl PointIds {
    /// The id of `experiment`, which `root` spells; `digests` are of all files that have been read.
    pub(super) fn of(&mut self, experiment: &Experiment, root: &Table, digests: &BTreeMap<String, Digest>) -> PointId {
        let Experiment { seed, repetitions, machine, workload, sizes, copying: _ } = experiment;
        let machine = self.digest(machine, root);
        self.text.clear();
        self.text.extend_from_slice(&machine.to_bytes());
        append(&mut self.text, &(seed, repetitions, workload.kind().name));
        append(&mut self.text, workload.as_ref());
        // rows with sizes have other columns
        if let Some(Sizes { flit_bytes, tick, requested }) = sizes.as_deref() {
            append(&mut self.text, &(flit_bytes, tick, requested));
        }
        if !digests.is_empty() {
            named(root, &mut |text| {
                if let Some(digest) = digests.get(text) {
                    self.text.push(0);
                    self.text.extend_from_slice(&digest.to_bytes());
                }
            });
        }
        PointId(Digest::from_bytes(&self.text).first_half())
    }

    /// Returns the digest of `machine`, which `root` describes.
    fn digest(&mut self, machine: &Arc<Machine>, root: &Table) -> Digest {
        if let Some((_, digest)) = self.last.as_ref().filter(|(last, _)| Arc::ptr_eq(last, machine)) {
            return *digest;
        }
        let Machine { network, channel, links, node, ejection, model, dependency_rule, engine, .. } = &**machine;
        let mut text = Vec::new();
        append(&mut text, &(network, channel, node, ejection, model, engine));
        // scenarios without classes of links keep their ids
        if !links.is_empty() {
            append(&mut text, &(links.flit_bits, links.as_ref()));
        }
        if let Some(dependency_rule) = dependency_rule {
            append(&mut text, dependency_rule);
        }
        for name in WRITTEN {
            if let Some((_, node)) = root.get(name) {
                append(&mut text, &(name, node.value.json()));
            }
        }
        let digest = Digest::from_bytes(&text);
        self.last = Some((Arc::clone(machine), digest));
        digest
    }
}

fn append(text: &mut Vec<u8>, value: &dyn AsJson) {
    let written = value.write_json(text);
    debug_assert!(written.is_ok(), "an experiment is made of numbers, strings and arrays of them");
}

impl PointId {
    /// As it is written: sixteen hexadecimal digits.
    pub fn digits(self) -> [u8; 16] {
        hexadecimal(self.0)
    }
}

impl std::fmt::Display for PointId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(std::str::from_utf8(&self.digits()).map_err(|_| std::fmt::Error)?)
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
    let mut json = root.json();
    if let Some(table) = json.as_object_mut() {
        table.retain(|key, _| key != "figure" && key != "claim"); // nothing that is run depends on them
        if let Some(engine) = table.get_mut("engine").and_then(|engine| engine.as_object_mut()) {
            engine.remove("threads");
        }
        table.retain(|key, table| key != "engine" || table.as_object().is_none_or(|engine| !engine.is_empty()));
    }
    digester.update(json.to_string());
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
    all.retain(|key, _| !is_irrelevant(key));
    all
}
