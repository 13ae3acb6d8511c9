//! The keys of a scenario: every table with the keys that are declared beside its reader.

use super::{claim, figure};
use crate::config::updated_path;
use crate::machine::{costs, device, energy, faults, model, router};
use crate::network;
use crate::units::Key;
use crate::units::key::Takes;
use crate::workload::KINDS;
use std::sync::LazyLock;

pub(super) const NAME: Key =
    Key::text("name").says("name of the scenario and of its output directory: lower-case letters, digits, `-`");
pub(super) const SEED: Key = Key::integer("seed", 0..=u64::MAX >> 1).or(1).says("seed of all random streams");
pub(super) const REPETITIONS: Key = Key::integer("repetitions", 1..=1 << 32)
    .or(1)
    .says("number of runs of each point, each with different random numbers");
pub(super) const TICK: Key =
    Key::text("tick").or_else("none").says("length of a tick, such as \"10ns\", for values with units and for reports");

const INCLUDE: Key = Key::files("include").or_else("none").says(
    "files with scenarios or parts of them, such as a machine, or `preset:NAME` with a name from `flitwise list \
     presets`; keys of this file take precedence",
);

static NETWORKS: LazyLock<Vec<Key>> = LazyLock::new(|| {
    network::NETWORKS.iter().map(|kind| Key::table(kind.name, kind.keys).says(kind.summary)).collect()
});

static WORKLOADS: LazyLock<Vec<Key>> =
    LazyLock::new(|| KINDS.iter().map(|kind| Key::table(kind.name, kind.keys).says(kind.summary)).collect());

/// Those of a machine, its network aside.
const MACHINE: [Key; 9] = [
    Key::table("channel", costs::CHANNEL).says("costs and buffers of channels"),
    Key::table("links", network::LINK_KEYS)
        .says("classes of links with a width, clock, latency, buffer, length and energy of their own"),
    Key::table("node", costs::NODE).says("costs of sends and receives, and ports of a node"),
    Key::table("router", router::KEYS).says("model, routing and allocators of virtual-channel routers"),
    Key::table("device", device::KEYS).says("constants of a chip: routers, network interfaces, cores and memories"),
    Key::table("energy", energy::ENERGY)
        .says("energies and powers of routers and channels, which add energies to the results"),
    Key::table("faults", faults::KEYS)
        .beside(&["network"])
        .because("links and nodes fail only on a [network.*]")
        .says("failed links and routers, slow links and slow nodes; on a grid, links and nodes that fail at random"),
    Key::table("engine", costs::ENGINE).says("simulation engine"),
    Key::one_of("model", model::MODELS)
        .says("cost model for predictions; without it they follow from the costs of nodes and channels"),
];

/// Those that are not read point by point.
const AFTER_WORKLOAD: [Key; 3] = [
    Key::free("sweep").says(
        "swept keys: any dotted key with an array of values, or a range { from, to, step } or { from, to, times }; \
         `zip`: tables of keys that vary together; `where`: conditions that points must meet",
    ),
    Key::table("figure", figure::FIGURE)
        .says("plot of the results, and the figure or table of a paper that it reproduces"),
    Key::tables("claim", claim::CLAIM).says("expected results: statements of a paper, or your own expectations"),
];

static ROOT: LazyLock<Vec<Key>> = LazyLock::new(|| {
    let mut keys = vec![NAME, INCLUDE, SEED, REPETITIONS, TICK];
    let travels = "network between the nodes; without it the model alone predicts times";
    keys.push(Key::one_of("network", &NETWORKS).says(travels));
    keys.extend(MACHINE);
    keys.extend(of_kinds());
    keys.push(Key::one_of("workload", &WORKLOADS).required().says("workload to run"));
    keys.extend(AFTER_WORKLOAD);
    keys
});

/// The tables at the top that some kinds of workloads read, each once.
static OF_KINDS: LazyLock<Vec<Key>> = LazyLock::new(|| {
    let mut tables: Vec<Key> = Vec::new();
    for table in KINDS.iter().flat_map(|kind| kind.tables) {
        if tables.iter().all(|other| other.name != table.name) {
            tables.push(*table);
        }
    }
    tables
});

/// The tables at the top of a scenario that some kinds of workloads read and others do not.
pub(super) fn of_kinds() -> &'static [Key] {
    &OF_KINDS
}

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
    let mut tables = vec![KeyTable { path: String::new(), sentence: "top level of a scenario", keys: root() }];
    collect(root(), "", &mut tables);
    tables
}

/// The key at the dotted `path`, in its present or an old spelling, if it is declared.
pub(crate) fn find(path: &str) -> Option<&'static Key> {
    let path = updated_path(path, root());
    let (around, name) = path.rsplit_once('.').unwrap_or(("", &path));
    let inner = |keys, name: &str| Key::find(keys, name).map(Key::inner);
    let keys = around.split('.').filter(|name| !name.is_empty()).try_fold(root(), inner)?;
    Key::find(keys, name)
}

fn collect(keys: &'static [Key], around: &str, tables: &mut Vec<KeyTable>) {
    for key in keys {
        let path = if around.is_empty() { key.name.to_owned() } else { format!("{around}.{}", key.name) };
        if matches!(key.takes, Takes::Table(_) | Takes::OneOf(_) | Takes::Tables(_) | Takes::Named(_)) {
            // a table around tables of any name takes no other keys
            if !key.inner().iter().any(Key::has_any_name) {
                tables.push(KeyTable { path: path.clone(), sentence: key.sentence, keys: key.inner() });
            }
            collect(key.inner(), &path, tables);
        }
    }
}
