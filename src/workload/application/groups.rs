//! Collectives of groups of ranks inside programs: the algorithms that are chosen for each operation, and their operations.
//!
//! A collective among the ranks `g[0..n-1]` consists of the operations that `flitwise schedule --format goal` prints for a
//! `[workload.collective]` of `n` ranks. Each schedule is made and verified once.

use crate::algorithm::collective::{ALGORITHMS, Algorithm, Request};
use crate::config::{Reader, Step};
use crate::costs::NodeCosts;
use crate::schedule::collective::Operation as Task;
use crate::schedule::goal::{Action, Goal, GoalBuilder, Operation};
use crate::units::{Flits, Key, NodeId, narrow};
use rustc_hash::FxHashMap;
use serde::{Serialize, Serializer, ser::SerializeMap};
use std::sync::Arc;

/// The algorithms of all-to-alls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AllToAll {
    /// All sends, then all receives.
    Linear,
    /// Step by step, to one rank and from one.
    Pairwise,
}

impl AllToAll {
    const ALL: [(&'static str, Self); 2] = [("linear", Self::Linear), ("pairwise", Self::Pairwise)];
}

/// The name of the `at`-th algorithm of `task` that takes any number of ranks.
fn fitting(task: Task, at: usize) -> Option<&'static str> {
    let fits =
        |one: &&Algorithm| !one.unproved && (1..14).all(|ranks| one.admits(&Request::new(task, ranks, 64)).is_ok());
    ALGORITHMS.iter().filter(fits).nth(at).map(|one| one.name)
}

/// The key of an operation.
macro_rules! choice {
    ($name:literal, $task:expr, $default:literal) => {
        Key::steps($name, |at| fitting($task, at)).or_word($default).says(SENTENCE)
    };
}

const SENTENCE: &str =
    "algorithm, or an array of { up_to, algorithm } of which the first counts whose `up_to` is at least the size";

/// The key of all-reduces.
pub(crate) const ALLREDUCE: Key = choice!("allreduce", Task::Allreduce, "ring");
/// The key of all-gathers.
pub(crate) const ALLGATHER: Key = choice!("allgather", Task::Allgather, "ring");
/// The key of reduce-scatters.
pub(crate) const REDUCE_SCATTER: Key = choice!("reduce-scatter", Task::ReduceScatter, "ring");
/// The key of broadcasts.
pub(crate) const BROADCAST: Key = choice!("broadcast", Task::Broadcast, "binomial");
/// The key of reductions to one rank.
pub(crate) const REDUCE: Key = choice!("reduce", Task::Reduce, "binomial");
/// The key of gathers.
pub(crate) const GATHER: Key = choice!("gather", Task::Gather, "binomial");
/// The key of scatters.
pub(crate) const SCATTER: Key = choice!("scatter", Task::Scatter, "binomial");
/// The key of barriers.
pub(crate) const BARRIER: Key = choice!("barrier", Task::Barrier, "dissemination");
/// The key of all-to-alls.
pub(crate) const ALL_TO_ALL: Key =
    Key::steps("alltoall", |at| AllToAll::ALL.get(at).map(|(name, _)| *name)).or_word("linear").says(SENTENCE);

/// The algorithms chosen for each operation, by the name of its key.
#[derive(Clone, Debug, Default)]
pub(crate) struct Choices(Vec<(&'static str, Vec<Step>)>);

impl Choices {
    /// Reads the table `[workload.KIND.algorithms]`, which has the keys `keys`.
    pub(crate) fn read(table: &Reader<'_>, keys: &'static [Key]) -> Self {
        let inner = table.table("algorithms");
        let read = |key: &Key| {
            let steps = inner.as_ref().and_then(|inner| inner.steps(key));
            let default = Step { up_to: None, word: key.default.word().unwrap_or_default() };
            (key.name, steps.unwrap_or_else(|| vec![default]))
        };
        let choices = keys.iter().map(read).collect();
        if let Some(inner) = &inner {
            inner.finish();
        }
        Self(choices)
    }

    /// The algorithm of an all-to-all on `bytes` bytes.
    pub(crate) fn all_to_all(&self, bytes: u64) -> AllToAll {
        let name = self.name(&ALL_TO_ALL, bytes);
        AllToAll::ALL.iter().find(|(other, _)| *other == name).map_or(AllToAll::Linear, |(_, algorithm)| *algorithm)
    }

    /// The algorithm for an operation with this `key` on `bytes` bytes.
    fn name(&self, key: &Key, bytes: u64) -> &'static str {
        let of_key = self.0.iter().find(|(name, _)| *name == key.name);
        let step =
            of_key.and_then(|(_, steps)| steps.iter().find(|step| step.up_to.is_none_or(|up_to| bytes <= up_to)));
        step.map_or(key.default.word().unwrap_or_default(), |step| step.word)
    }
}

impl Serialize for Choices {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, steps) in &self.0 {
            let steps: Vec<_> = steps.iter().map(|step| (step.up_to, step.word)).collect();
            map.serialize_entry(name, &steps)?;
        }
        map.end()
    }
}

/// The operations of a rank in a collective.
#[derive(Clone, Debug, Default)]
struct Part {
    operations: Vec<Operation>,
    /// Per operation: the operations that it requires, and those whose start it requires.
    requires: Vec<Vec<u32>>,
    starts: Vec<Vec<u32>>,
}

/// The operations of all ranks of a collective.
#[derive(Debug)]
pub(crate) struct Template {
    parts: Vec<Part>,
    messages: u64,
}

impl Template {
    fn new(goal: &Goal) -> Self {
        let part = |rank: usize| {
            let ids = goal.of_rank(rank);
            let count = ids.len();
            let mut part = Part {
                operations: ids.clone().map(|id| goal.operations()[id as usize]).collect(),
                requires: vec![Vec::new(); count],
                starts: vec![Vec::new(); count],
            };
            for id in ids.clone() {
                let local = |id: u32| (id - ids.start) as usize;
                goal.after_finish(id).iter().for_each(|&later| part.requires[local(later)].push(id - ids.start));
                goal.after_start(id).iter().for_each(|&later| part.starts[local(later)].push(id - ids.start));
            }
            part
        };
        Self { parts: (0..goal.ranks()).map(part).collect(), messages: goal.messages() as u64 }
    }
}

/// A collective in a program: its operations, and the first of its tags.
#[derive(Clone, Debug)]
pub(crate) struct Instance {
    template: Arc<Template>,
    tag: u64,
}

impl Instance {
    /// The number of operations of the rank with this `index` in the group.
    pub(crate) fn operations(&self, index: usize) -> usize {
        self.template.parts[index].operations.len()
    }
}

/// A collective to be made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call<'a> {
    /// The operation, and its key.
    pub(crate) task: Task,
    pub(crate) key: &'a Key,
    /// The number of ranks, and the root among them.
    pub(crate) ranks: usize,
    pub(crate) root: usize,
    /// The bytes of the vector.
    pub(crate) bytes: u64,
    /// The size by which the algorithm is chosen.
    pub(crate) size: u64,
}

/// The first tag of messages of collectives.
pub(crate) const FIRST_TAG: u64 = 1 << 30;

/// Makes the collectives of a program.
pub(crate) struct Collectives<'a> {
    choices: &'a Choices,
    node: &'a NodeCosts,
    flit_bytes: u64,
    templates: FxHashMap<(&'static str, &'static str, usize, usize, u64), Arc<Template>>,
}

impl<'a> Collectives<'a> {
    /// Creates collectives by the algorithms of `choices`, in which receivers combine messages at the costs of `node`.
    pub(crate) fn new(choices: &'a Choices, node: &'a NodeCosts, flit_bytes: u64) -> Self {
        Self { choices, node, flit_bytes, templates: FxHashMap::default() }
    }

    /// Returns the collective of `call`. Its messages have tags from `tag` on, which is moved past them.
    ///
    /// # Panics
    /// If the verification of its schedule fails.
    pub(crate) fn instance(&mut self, call: Call<'_>, tag: &mut u64) -> Instance {
        let (name, request) = self.request(call);
        let known = (request.operation.name(), name, request.ranks, request.root, request.flits);
        let template = match self.templates.get(&known) {
            Some(template) => Arc::clone(template),
            None => {
                let template = Arc::new(self.template(name, &request));
                self.templates.insert(known, Arc::clone(&template));
                template
            }
        };
        let first = *tag;
        *tag += template.messages;
        Instance { template, tag: first }
    }

    /// The algorithm of `call`, and the request to it.
    fn request(&self, call: Call<'_>) -> (&'static str, Request<'static>) {
        let Call { task, key, ranks, root, bytes, size } = call;
        let flits = if task == Task::Barrier { 0 } else { Flits::from_bytes(bytes, self.flit_bytes).0.max(1) };
        (self.choices.name(key, size), Request { root, ..Request::new(task, ranks, flits) })
    }

    /// The most operations of all ranks together in the collective of `call`: messages are sent, received and combined.
    pub(crate) fn most_operations(&self, call: Call<'_>) -> u128 {
        let (name, request) = self.request(call);
        let algorithm = ALGORITHMS.iter().find(|algorithm| algorithm.name == name);
        let extent = algorithm.and_then(|algorithm| algorithm.extent(&request).ok());
        extent.map_or(0, |extent| 3 * u128::from(extent.messages))
    }

    /// The operations of the collective `request` by the algorithm `name`, one of those that its key takes.
    #[expect(
        clippy::expect_used,
        reason = "keys take algorithms for any number of ranks, and schedules pass their verification"
    )]
    fn template(&self, name: &str, request: &Request<'_>) -> Template {
        let algorithm = ALGORITHMS.iter().find(|algorithm| algorithm.name == name).expect("keys take known algorithms");
        let collective = algorithm.plan(request).expect("keys take algorithms for any number of ranks");
        collective.check().expect("schedules of algorithms pass their verification");
        let nodes: Vec<NodeId> = (0..request.ranks).map(NodeId::new).collect();
        Template::new(&Goal::of_collective(&collective, &nodes, self.flit_bytes, |flits| self.node.reduce(flits).0))
    }
}

/// A rank in a group, and its place in a program.
pub(crate) struct Member<'a> {
    /// The ranks of the group.
    pub(crate) group: &'a [u32],
    /// The rank's own place in the group.
    pub(crate) index: usize,
    /// The processor of its operations.
    pub(crate) cpu: u8,
    /// The operations that it waits for.
    pub(crate) after: &'a [u32],
}

impl Member<'_> {
    /// Adds the part of this rank in the collective `instance` to its operations. Returns the operations that the next operations require.
    pub(crate) fn add(&self, goal: &mut GoalBuilder, instance: &Instance) -> Vec<u32> {
        let Part { operations, requires, starts } = &instance.template.parts[self.index];
        let first = goal.next();
        for ((operation, requires), starts) in operations.iter().zip(requires).zip(starts) {
            let operation = match operation.action {
                Action::Compute => Operation { cpu: self.cpu, ..*operation },
                _ => Operation {
                    peer: self.group[operation.peer as usize],
                    tag: instance.tag + operation.tag,
                    cpu: self.cpu,
                    ..*operation
                },
            };
            let id = goal.push(operation);
            requires.iter().for_each(|&on| goal.requires(id, first + on));
            starts.iter().for_each(|&on| goal.irequires(id, first + on));
            if requires.is_empty() && starts.is_empty() {
                self.after.iter().for_each(|&on| goal.requires(id, on));
            }
        }
        if operations.is_empty() { self.after.to_vec() } else { (first..goal.next()).collect() }
    }

    /// Adds the part of this rank in an all-to-all with `block(i, j)` bytes from the `i`-th rank to the `j`-th. Returns the operations
    /// that the next operations require.
    pub(crate) fn all_to_all(
        &self,
        goal: &mut GoalBuilder,
        algorithm: AllToAll,
        tag: u64,
        block: impl Fn(usize, usize) -> u64,
    ) -> Vec<u32> {
        let count = self.group.len();
        let (to, from) = (|k: usize| (self.index + k) % count, |k: usize| (self.index + count - k) % count);
        let send = |k| Some((block(self.index, to(k)), to(k))).filter(|&(bytes, _)| bytes > 0);
        let receive = |k| Some((block(from(k), self.index), from(k))).filter(|&(bytes, _)| bytes > 0);
        let mut add = |operation: Operation, after: &[u32]| {
            let id = goal.push(Operation { cpu: self.cpu, ..operation });
            after.iter().for_each(|&on| goal.requires(id, on));
            id
        };
        let sent = |(bytes, to): (u64, usize)| Operation::send(bytes, self.group[to], tag);
        let received = |(bytes, from): (u64, usize)| Operation::receive(bytes, self.group[from], tag);
        let mut last = self.after.to_vec();
        match algorithm {
            AllToAll::Linear => {
                let sends: Vec<u32> = (1..count).filter_map(send).map(|block| add(sent(block), &last)).collect();
                let receives = (1..count).filter_map(receive).map(|block| add(received(block), &last));
                let all: Vec<u32> = sends.into_iter().chain(receives).collect();
                if all.is_empty() { last } else { all }
            }
            AllToAll::Pairwise => {
                for k in 1..count {
                    let pair = [send(k).map(sent), receive(k).map(received)];
                    let step: Vec<u32> = pair.into_iter().flatten().map(|operation| add(operation, &last)).collect();
                    if !step.is_empty() {
                        last = step;
                    }
                }
                last
            }
        }
    }
}

/// The number of a rank in a program.
pub(crate) fn rank(number: u64) -> u32 {
    narrow(number, "ranks are numbered with 32 bits")
}
