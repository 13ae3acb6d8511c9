//! `[workload.collective]`: an operation, its ranks, its vector, and the algorithms to compare.

use crate::algorithm::collective::{ALGORITHMS, Algorithm, PlanError, Request};
use crate::config::{Diagnostic, Errors, Files, Place, Reader, listed};
use crate::kind::{Copying, LeftOut, Selection, Setting, Unfit, Workload};
use crate::machine::Machine;
use crate::routing::Lattice;
use crate::schedule::Pace;
use crate::schedule::collective::Operation;
use crate::units::{Key, NodeId, saturated};
use crate::workload::LONGEST;
use crate::workload::group::Group;
use serde::{Serialize, Serializer};
use std::sync::Arc;

/// A collective workload.
#[derive(Clone, Debug, Serialize)]
pub struct Collective {
    /// What is to be done.
    #[serde(serialize_with = "by_name")]
    pub operation: Operation,
    /// The algorithms to compare, in the order in which they are given.
    pub algorithms: Vec<&'static Algorithm>,
    /// The length of the vector; 0 of a barrier.
    pub flits: u64,
    /// Who takes part, rank by rank; all nodes if none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<Group>,
    /// The rank of the root.
    pub root: usize,
    /// The logical shape of the ranks.
    pub shape: Vec<usize>,
    /// Into how many parts the vector is cut, if the scenario says so.
    pub parts: Option<usize>,
    /// The most flits of a message; 0 for any.
    pub segment_flits: u64,
    /// When nodes go on to the next step.
    pub pace: Pace,
    /// Whether schedules are run, rather than proved, counted and predicted only.
    pub simulate: bool,
    /// Whether links are watched.
    pub details: bool,
    /// Whether what is known to be wrong is run all the same.
    pub unproved: bool,
    /// The mesh or torus whose nodes are the ranks, in order, if they are.
    #[serde(skip)]
    pub lattice: Option<Lattice>,
    /// What is named and left out, as it cannot do this.
    #[serde(skip)]
    pub left_out: Vec<LeftOut>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
fn by_name<S: Serializer>(operation: &Operation, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(operation.name())
}

const OPERATION: Key = Key::word("operation", |at| Operation::ALL.get(at).map(|(name, _)| *name))
    .says("collective operation; see `flitwise guide collectives`");
const ALGORITHMS_KEY: Key = Key::names("algorithms", "collective algorithm", Algorithm::name_at)
    .says("algorithms to compare; see `flitwise list algorithms`");
const FLITS: Key = Key::integer("flits", 1..=LONGEST)
    .called("message length")
    .unit("flits")
    .read_if("operation", WITH_VECTORS)
    .because("the messages of a barrier carry no data")
    .says("length of the longest vector, such as the input of a scatter or the result of an all-gather");
const BYTES: Key = Key::integer("bytes", 1..=1 << 62)
    .called("message size")
    .or_else("none")
    .unit("bytes")
    .fills("flits")
    .read_if("operation", WITH_VECTORS)
    .because("the messages of a barrier carry no data")
    .says("size of the longest vector; alternative to `flits`");
/// Operations that move vectors.
const WITH_VECTORS: &[&str] = &["broadcast", "reduce", "scatter", "gather", "allgather", "reduce-scatter", "allreduce"];
const GROUP: Key = Key::integer("group", 1..=u32::MAX as u64)
    .called("group size")
    .or_else("all nodes")
    .unit("nodes")
    .says("number of ranks, placed on random nodes in each repetition; alternative to `nodes`");
const NODES: Key = Key::integers("nodes", 0..=u32::MAX as u64)
    .or_else("all nodes, in order")
    .says("node of each rank; required without a [network.*]");
const PLACEMENTS: Key = Key::file("placements")
    .or_else("random nodes")
    .says("JSON list of {k, p, nodes}, with the node of each rank of a group of size k in repetition p");
const ROOT: Key = Key::integer("root", 0..=u32::MAX as u64)
    .or(0)
    .read_if_or_by("operation", &["broadcast", "reduce", "scatter", "gather"], &["in-network"])
    .says("rank of the root; `in-network` turns an all-reduce or a barrier at its router");
const SHAPE: Key = Key::integers("shape", 1..=u32::MAX as u64)
    .or_else("shape of the network, or one dimension")
    .says("logical shape of the ranks, row-major; its product is the number of ranks");
const PARTS: Key = Key::integer("parts", 1..=64)
    .or_else("1, for `bucket` 2 per dimension")
    .read_by(&[
        "bucket",
        "swing-latency",
        "doubling-latency",
        "swing-bandwidth",
        "doubling-bandwidth",
        "trivance-latency",
        "trivance-bandwidth",
    ])
    .says("number of parts of the vector with different paths, up to 2 per dimension of the shape");
const SEGMENT_FLITS: Key = Key::integer("segment_flits", 0..=LONGEST)
    .or(0)
    .unit("flits")
    .says("maximum length of a message, or 0 for no limit; trees pipeline the segments, other messages are split");
const SEGMENT_BYTES: Key = Key::integer("segment_bytes", 0..=1 << 62)
    .or_else("none")
    .unit("bytes")
    .fills("segment_flits")
    .says("maximum size of a message; alternative to `segment_flits`");
const SYNCHRONOUS: Key = Key::boolean("synchronous")
    .or_boolean(true)
    .says("barrier between steps; otherwise messages start when their data have arrived");
const SIMULATE: Key = Key::boolean("simulate")
    .or_boolean(true)
    .says("simulation of schedules; otherwise they are only verified, counted and predicted");
const DETAILS: Key = Key::boolean("details")
    .or_boolean(false)
    .says("measurement of links during the run, which adds `held` and `waited` to links.csv");
const UNFIT: Key = Unfit::KEY.says(
    "treatment of algorithms that do not support the operation, size, shape or network: reject (an error) or skip",
);
const UNPROVED: Key = Key::boolean("unproved")
    .or_boolean(false)
    .read_by(&["tto-as-published"])
    .says("simulation of an algorithm whose verification fails");

pub(crate) const KEYS: &[Key] = &[
    OPERATION,
    ALGORITHMS_KEY,
    FLITS,
    BYTES,
    NODES,
    GROUP,
    PLACEMENTS,
    ROOT,
    SHAPE,
    PARTS,
    SEGMENT_FLITS,
    SEGMENT_BYTES,
    SYNCHRONOUS,
    SIMULATE,
    DETAILS,
    UNFIT,
    UNPROVED,
];

pub(super) fn read(table: &Reader<'_>, setting: &Setting<'_>, files: &mut Files<'_>) -> Option<Arc<dyn Workload>> {
    let operation = table.optional_choice(&OPERATION, &Operation::ALL);
    if !table.has("operation") {
        table.missing("operation", &format!("one of {}", listed(Operation::ALL.map(|(name, _)| name))));
    }
    let selection = Selection::read(table, &ALGORITHMS_KEY, &UNFIT);
    let flits = if operation == Some(Operation::Barrier) { Some(0) } else { table.required_integer(&FLITS) };
    let ranks = Ranks::read(table, setting, files);
    let root = table.integer(&ROOT);
    let shape = table.integers(&SHAPE);
    let parts = table.optional_count(&PARTS);
    let segment_flits = table.integer(&SEGMENT_FLITS);
    let synchronous = table.boolean(&SYNCHRONOUS);
    let simulate = table.boolean(&SIMULATE);
    let details = table.boolean(&DETAILS);
    let unproved = table.boolean(&UNPROVED);
    let ranks = ranks?;
    let shape = if table.gives(&SHAPE) { ranks.shape(table, &shape?) } else { Some(ranks.default_shape()) };
    let root = ranks.root(table, root);
    let mut collective = Collective {
        operation: operation?,
        algorithms: Vec::new(),
        flits: flits?,
        group: ranks.group,
        root: root?,
        shape: shape?,
        parts,
        segment_flits,
        pace: if synchronous { Pace::Synchronous } else { Pace::Asynchronous },
        simulate,
        details,
        unproved,
        lattice: ranks.lattice,
        left_out: Vec::new(),
    };
    collective.choose(&selection, setting);
    Some(Arc::new(collective))
}

/// Returns the need of routers that copy and combine packets, by the algorithms of the scenario `root`.
pub(super) fn copying(root: &Reader<'_>, _: &Machine, _: &mut Files<'_>) -> Copying {
    let errors = Errors::default();
    let quiet = root.with_errors(&errors);
    let Some(workload) = quiet.table("workload") else { return Copying::Never };
    let Some(table) = workload.table("collective") else { return Copying::Never };
    let operation = table.optional_choice(&OPERATION, &Operation::ALL);
    let runs_in_routers = |one: &Algorithm| one.in_routers && operation.is_some_and(|op| one.supports(op).is_ok());
    let selection = Selection::read(&table, &ALGORITHMS_KEY, &UNFIT);
    selection.copying(ALGORITHMS, runs_in_routers)
}

/// The ranks that take part.
struct Ranks {
    group: Option<Group>,
    count: usize,
    /// The mesh or torus whose nodes they are, in order, if they are.
    lattice: Option<Lattice>,
}

impl Ranks {
    fn read(table: &Reader<'_>, setting: &Setting<'_>, files: &mut Files<'_>) -> Option<Self> {
        let machine = setting.machine;
        let says = [&GROUP, &NODES, &PLACEMENTS].into_iter().any(|key| table.gives(key));
        if says {
            let group = Group::read(table, setting, files)?;
            let count = group.size();
            let lattice = match &group {
                Group::Nodes(nodes) => whole_lattice(machine).filter(|lattice| are_all(nodes, lattice.nodes())),
                Group::Drawn(_) | Group::Placed(_) => None,
            };
            return Some(Self { group: Some(group), count, lattice });
        }
        match machine.nodes() {
            Some(count) => Some(Self { group: None, count, lattice: whole_lattice(machine) }),
            None => {
                if !setting.root.has("network") {
                    table.missing("nodes", "without a [network.*] the node of each rank, or `group`");
                }
                None
            }
        }
    }

    fn default_shape(&self) -> Vec<usize> {
        self.lattice.as_ref().map_or_else(|| vec![self.count], |lattice| lattice.shape().to_vec())
    }

    /// The shape that is written, if it has as many places as there are ranks.
    fn shape(&self, table: &Reader<'_>, written: &[(u64, &Place)]) -> Option<Vec<usize>> {
        let shape: Vec<usize> = written.iter().map(|&(side, _)| saturated(side)).collect();
        let places = shape.iter().fold(1, |product: usize, &side| product.saturating_mul(side));
        if places == self.count && !shape.is_empty() {
            return Some(shape);
        }
        let message = format!("the product of `shape` is {places}, but the number of ranks is {}", self.count);
        let wrong = Diagnostic::at(table.place_of("shape"), message);
        table.error(wrong.note(format!("accepted: sides whose product is {}", self.count)));
        None
    }

    fn root(&self, table: &Reader<'_>, root: u64) -> Option<usize> {
        let root = saturated(root);
        if root < self.count {
            return Some(root);
        }
        let message = format!("`root` = {root} is not a rank");
        table.error(Diagnostic::at(table.place_of("root"), message).note(format!("accepted: 0 to {}", self.count - 1)));
        None
    }
}

/// The mesh or torus that the machine is, if it is one.
fn whole_lattice(machine: &Machine) -> Option<Lattice> {
    let spec = machine.spec()?;
    if spec.is_hypercube() { None } else { spec.lattice() }
}

/// Whether `nodes` are all of so many, in order.
fn are_all(nodes: &[NodeId], count: usize) -> bool {
    nodes.len() == count && nodes.iter().enumerate().all(|(rank, node)| node.index() == rank)
}

impl Collective {
    /// How many ranks take part.
    pub fn ranks(&self) -> usize {
        self.shape.iter().product()
    }

    /// What algorithms are asked for.
    pub fn request(&self) -> Request<'_> {
        Request {
            operation: self.operation,
            ranks: self.ranks(),
            root: self.root,
            flits: self.flits,
            shape: self.shape.clone(),
            parts: self.parts,
            segment_flits: self.segment_flits,
            lattice: self.lattice.as_ref(),
        }
    }

    /// Sets the algorithms to those of `selection` that support the operation.
    fn choose(&mut self, selection: &Selection<'_>, setting: &Setting<'_>) {
        let request = self.request();
        // what is known to be wrong runs only if it is named
        let is_hidden = |algorithm: &Algorithm| selection.is_every() && algorithm.unproved && !self.unproved;
        let admits = |algorithm: &Algorithm| match algorithm.admits(&request) {
            Err(PlanError::InRouters) => self.admits_in_routers(setting, selection.skips()),
            Ok(()) if is_hidden(algorithm) => Err("is known to be incorrect".to_owned()),
            admitted => admitted.map_err(|error| error.to_string()),
        };
        let none = format!("none of `algorithms` supports this {}", self.operation.name());
        let note = |wrong: Diagnostic| wrong.note(self.fitting());
        let admitted = selection.admit(ALGORITHMS, |one| one.name, admits, note, &none);
        self.algorithms = admitted.algorithms;
        self.left_out = admitted.left_out;
    }

    /// Checks that there are routers that run it. Errors of routers that are required have been reported, unless it `skips` algorithms.
    fn admits_in_routers(&self, setting: &Setting<'_>, skips: bool) -> Result<(), String> {
        self.admits_trees(setting.machine, setting.seed).map_err(|error| error.to_string())?;
        match setting.copying {
            None if skips => Err("requires virtual-channel routers, which do not support this machine".to_owned()),
            _ => Ok(()),
        }
    }

    /// The algorithms that can do what is asked for, as a note.
    fn fitting(&self) -> String {
        let request = self.request();
        let fitting = ALGORITHMS.iter().filter(|one| !one.unproved && one.admits(&request).is_ok());
        format!("accepted here: {}", listed(fitting.map(|algorithm| algorithm.name)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::key::Readers;

    #[test]
    fn keys_name_the_algorithms_that_read_them() {
        let reads = |key: Key, name: &str| matches!(key.readers, Readers::Algorithms(names) if names.contains(&name));
        for algorithm in ALGORITHMS {
            assert_eq!(reads(PARTS, algorithm.name), algorithm.reads_parts(), "{}", algorithm.name);
            assert_eq!(reads(UNPROVED, algorithm.name), algorithm.unproved, "{}", algorithm.name);
        }
    }
}
