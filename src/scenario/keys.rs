//! The keys of a scenario: every table with the keys that are declared beside its reader.

use super::{claim, figure};
use crate::config::updated_path;
use crate::machine::{costs, device, model, router};
use crate::network;
use crate::units::Key;
use crate::units::key::Takes;
use crate::workload::KINDS;
use std::sync::LazyLock;

pub(super) const NAME: Key =
    Key::text("name").says("the scenario, and its folder of outputs: lower-case letters, digits, `-`");
pub(super) const SEED: Key = Key::integer("seed", 0..=u64::MAX >> 1).or(1).says("of every random stream");
pub(super) const REPETITIONS: Key = Key::integer("repetitions", 1..=1 << 32)
    .or(1)
    .says("how often each point is run, each time with random draws of its own");
pub(super) const TICK: Key =
    Key::text("tick").or_else("none").says("the length of a tick, for reports, such as \"10ns\"");

const INCLUDE: Key = Key::files("include").or_else("none").says(
    "scenarios or parts of them, such as a machine in a file of its own or `preset:NAME`, one of `flitwise list \
     presets`; keys here take precedence",
);

static NETWORKS: LazyLock<Vec<Key>> = LazyLock::new(|| {
    network::NETWORKS.iter().map(|kind| Key::table(kind.name, kind.keys).says(kind.summary)).collect()
});

static WORKLOADS: LazyLock<Vec<Key>> =
    LazyLock::new(|| KINDS.iter().map(|kind| Key::table(kind.name, kind.keys).says(kind.summary)).collect());

/// Those of a machine, its network aside.
const MACHINE: [Key; 6] = [
    Key::table("channel", costs::CHANNEL).says("what channels are like"),
    Key::table("node", costs::NODE).says("what nodes take to send and to receive"),
    Key::table("router", router::KEYS).says("virtual-channel routers, for traffic"),
    Key::table("device", device::KEYS).says("a chip: its routers, the ends of its networks, what its processors take"),
    Key::table("engine", costs::ENGINE).says("what moves messages over the network"),
    Key::one_of("model", model::MODELS).says("what predicts times; without it they follow from nodes and channels"),
];

/// Those that are not read point by point.
const AFTER_WORKLOAD: [Key; 3] = [
    Key::free("sweep").says(
        "any dotted key with an array of values, or a range { from, to, step } or { from, to, times }; \
         `zip`: tables of keys that vary together; `where`: conditions that points must meet",
    ),
    Key::table("figure", figure::FIGURE).says("how this is drawn, and which table or figure of a paper it is"),
    Key::tables("claim", claim::CLAIM).says("what is to come out: the paper's words, or your own expectation"),
];

static ROOT: LazyLock<Vec<Key>> = LazyLock::new(|| {
    let mut keys = vec![NAME, INCLUDE, SEED, REPETITIONS, TICK];
    let travels = "what messages travel on; without it the model alone predicts them";
    keys.push(Key::one_of("network", &NETWORKS).says(travels));
    keys.extend(MACHINE);
    keys.extend(KINDS.iter().flat_map(|kind| kind.tables));
    keys.push(Key::one_of("workload", &WORKLOADS).required().says("what is run"));
    keys.extend(AFTER_WORKLOAD);
    keys
});

pub(crate) fn root() -> &'static [Key] {
    &ROOT
}

/// A table of a scenario, and what it declares.
#[derive(Clone, Debug)]
pub struct KeyTable {
    /// Its dotted path; empty for the top of a scenario.
    pub path: String,
    /// What it is, in a sentence.
    pub sentence: &'static str,
    /// Its keys, the tables in it included.
    pub keys: &'static [Key],
}

/// Every table that a scenario can have, the top first, each before those in it.
pub fn tables() -> Vec<KeyTable> {
    let mut tables = vec![KeyTable { path: String::new(), sentence: "the top of a scenario", keys: root() }];
    collect(root(), "", &mut tables);
    tables
}

/// The key at the dotted `path`, in its present or an old spelling, if it is declared.
pub(crate) fn find(path: &str) -> Option<&'static Key> {
    let path = updated_path(path, root());
    let (around, name) = path.rsplit_once('.').unwrap_or(("", &path));
    let table = tables().into_iter().find(|table| table.path == around)?;
    table.keys.iter().find(|key| key.name == name)
}

fn collect(keys: &'static [Key], around: &str, tables: &mut Vec<KeyTable>) {
    for key in keys {
        let path = if around.is_empty() { key.name.to_owned() } else { format!("{around}.{}", key.name) };
        if matches!(key.takes, Takes::Table(_) | Takes::OneOf(_) | Takes::Tables(_)) {
            tables.push(KeyTable { path: path.clone(), sentence: key.sentence, keys: key.inner() });
            collect(key.inner(), &path, tables);
        }
    }
}
