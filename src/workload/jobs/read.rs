//! `[workload.jobs]`: the placement, and a table for each job.

use super::{JobMix, JobProgram, Jobs, Placement};
use crate::config::{Diagnostic, Files, Place, Reader, unfit_for_tables};
use crate::kind::words::counted;
use crate::kind::{Kind, ReadSource, Scene, Setting, Source, Workload, read_links};
use crate::units::{Key, NodeId};
use crate::workload::application::{
    Application, DETAILS, FLIT_BYTES, NODES as RANK_NODES, NoiseTable, Outline, flit_bytes, has_room, no_effect,
    refuse_without_network,
};
use crate::workload::{applications, group::distinct};
use std::sync::{Arc, LazyLock};

/// The rules of placement, as scenarios name them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Policy {
    Packed,
    RoundRobin,
    Random,
    List,
}

const POLICIES: [(&str, Policy); 4] = [
    ("packed", Policy::Packed),
    ("round-robin", Policy::RoundRobin),
    ("random", Policy::Random),
    ("list", Policy::List),
];

const PLACEMENT: Key = Key::word("placement", |at| POLICIES.get(at).map(|(name, _)| *name)).or_word("packed").says(
    "nodes of the jobs: from 0 on job after job, dealt to the jobs in turn, a random permutation in each repetition, or the `nodes` of \
     each job",
);
pub(super) const JOB: Key = Key::table("job", &[Key::named(job_keys).says("application in ranks of its own")])
    .required()
    .says("a table for each job, under a name of your choice");
const START: Key = Key::integer("start", 0..=1 << 60).or(0).unit("ticks").says("tick at which the job starts");
const REPEAT: Key = Key::integer("repeat", 1..=1 << 31).or(1).says("number of times that the job runs its program");
const NODES: Key =
    Key::integers("nodes", 0..=u32::MAX as u64).or_else("by `placement`").says("node of each rank of the job");

pub(super) const KEYS: &[Key] = &[PLACEMENT, JOB, FLIT_BYTES, DETAILS];

/// The keys that applications leave to all jobs.
const SHARED: [Key; 3] = [FLIT_BYTES, RANK_NODES, DETAILS];

/// The keys of a job: its own, and a table for each kind of application.
fn job_keys() -> &'static [Key] {
    static KEYS: LazyLock<Vec<Key>> = LazyLock::new(|| {
        let kinds = applications().map(|(kind, _)| table_of(kind));
        [START, REPEAT, NODES].into_iter().chain(kinds).collect()
    });
    &KEYS
}

/// The table of a kind in a job.
fn table_of(kind: &Kind) -> Key {
    let is_own = |key: &&Key| SHARED.iter().all(|shared| shared.name != key.name);
    let keys: Vec<Key> = kind.keys.iter().filter(is_own).copied().collect();
    Key::like(kind.name, format!("workload.{}", kind.name).leak(), keys.leak()).says(kind.summary)
}

/// A job as it is read.
struct ReadJob<'a> {
    table: &'a Reader<'a>,
    job: JobProgram,
    nodes: Option<Vec<(u64, &'a Place)>>,
    /// The number of operations of all repetitions.
    operations: u128,
}

pub(super) fn read(table: &Reader<'_>, setting: &Setting<'_>, files: &mut Files<'_>) -> Option<Arc<dyn Workload>> {
    let flit_bytes = flit_bytes(table, &FLIT_BYTES, 1);
    let policy = table.choice(&PLACEMENT, &POLICIES);
    table.demand(&JOB);
    let around = table.table(JOB.name);
    let names: Vec<&str> = around.iter().flat_map(Reader::keys).collect();
    if let Some(around) = around.as_ref().filter(|_| names.is_empty()) {
        table
            .error(Diagnostic::at(around.place(), "there is no job").note("accepted: tables [workload.jobs.job.NAME]"));
    }
    let tables: Vec<Option<Reader<'_>>> =
        names.iter().map(|name| around.as_ref().and_then(|around| around.table(name))).collect();
    let scene = Scene { setting, flit_bytes };
    let mut jobs: Vec<Option<ReadJob<'_>>> = Vec::new();
    for (name, table) in names.iter().zip(&tables) {
        jobs.push(table.as_ref().and_then(|table| read_job(name, table, &scene, files)));
    }
    let noise = NoiseTable::read(setting.root, files);
    let details = read_links(table, setting.machine, true);
    let jobs: Vec<ReadJob<'_>> = jobs.into_iter().collect::<Option<_>>()?;
    let is_unused = setting.machine.nodes().is_none() && !jobs.iter().any(|read| read.job.source.cuts_vectors());
    let warning = (is_unused && table.gives(&FLIT_BYTES)).then(|| no_effect(table, &FLIT_BYTES));
    let placement = placement(table, policy, &jobs, setting.machine.nodes());
    if jobs.is_empty() || !fit(table, &jobs, files) {
        return None;
    }
    let mix = Arc::new(JobMix { placement: placement?, jobs: jobs.into_iter().map(|read| read.job).collect() });
    let outline = Outline::new(&mix.program());
    let nodes = setting.machine.nodes().map_or_else(Vec::new, |nodes| mix.placement.nodes(&mix.ranks(), nodes, 0, 0));
    let source: Arc<dyn Source> = Arc::<JobMix>::clone(&mix);
    let application = Application { source, flit_bytes, nodes: nodes.into(), details, noise, outline, warning };
    Some(Arc::new(Jobs { mix, application }))
}

fn read_job<'a>(name: &str, table: &'a Reader<'a>, scene: &Scene<'_>, files: &mut Files<'_>) -> Option<ReadJob<'a>> {
    if let Some(why) = unfit_for_tables(name).or_else(|| name.is_empty().then(|| "is empty".to_owned())) {
        let message = format!("the name of job `{name}` {why}; names are written to tables");
        table.error(Diagnostic::at(table.place(), message));
    }
    let start = table.integer(&START);
    let repeat = table.integer(&REPEAT);
    let nodes = table.integers(&NODES);
    let source = only_kind(name, table).and_then(|KindTable { inner, read, .. }| {
        let source = read(&inner, scene, files);
        inner.finish();
        source
    });
    table.finish();
    let source = source?;
    let goal = &source.program().goal;
    let ranks = goal.ranks();
    // with the joins between repetitions
    let operations = (goal.operations().len() as u128 + ranks as u128).saturating_mul(repeat.into());
    Some(ReadJob { table, job: JobProgram { name: name.to_owned(), start, repeat, ranks, source }, nodes, operations })
}

/// The table of a kind of application in a job.
struct KindTable<'r> {
    kind: &'static Kind,
    read: ReadSource,
    inner: Reader<'r>,
}

/// The only application in the `table` of job `name`. Another number of applications is reported.
fn only_kind<'r>(name: &str, table: &'r Reader<'_>) -> Option<KindTable<'r>> {
    let before = table.error_count();
    let kinds = applications().filter(|(kind, _)| table.has(kind.name));
    let mut tables: Vec<KindTable<'_>> =
        kinds.filter_map(|(kind, read)| Some(KindTable { kind, read, inner: table.table(kind.name)? })).collect();
    let refuse = |place: Place, message: String| {
        let kinds: Vec<&str> = applications().map(|(kind, _)| kind.name).collect();
        let accepted = format!("accepted: exactly one of [{}.KIND], where KIND is {}", table.path(), kinds.join(", "));
        table.error(Diagnostic::at(place, message).note(accepted));
    };
    if let [first, .., last] = tables.as_slice() {
        let [first, second] = [first.kind.name, last.kind.name];
        let message = format!("job `{name}` has more than one application: {first} and {second}");
        refuse(last.inner.place(), message);
        return None;
    }
    // a table with another name is reported by `finish`
    let is_known = |key: &str| Key::find(job_keys(), key).is_some();
    if tables.is_empty() && table.error_count() == before && table.keys().all(is_known) {
        refuse(table.place(), format!("job `{name}` has no application"));
    }
    tables.pop()
}

/// Returns true if there is room for the operations of all `jobs`. Else that is reported.
fn fit(table: &Reader<'_>, jobs: &[ReadJob<'_>], files: &Files<'_>) -> bool {
    let fits = |read: &ReadJob<'_>| has_room(read.table, files, REPEAT.name, read.operations);
    jobs.iter().all(fits) && has_room(table, files, JOB.name, jobs.iter().map(|read| read.operations).sum())
}

/// The placement of `jobs` on a machine with this number of `nodes`, if it has a network. Errors have been reported if there is none.
fn placement(table: &Reader<'_>, policy: Policy, jobs: &[ReadJob<'_>], nodes: Option<usize>) -> Option<Placement> {
    if policy != Policy::List {
        for read in jobs.iter().filter(|read| read.table.gives(&NODES)) {
            let message = format!("`{}` has no effect without `placement = \"list\"`", read.table.path_of(NODES.name));
            read.table.error(Diagnostic::at(read.table.place_of(NODES.name), message));
        }
    }
    let Some(nodes) = nodes else {
        if policy != Policy::Packed {
            refuse_without_network(table, &PLACEMENT);
        }
        return Some(Placement::Packed);
    };
    match policy {
        Policy::List => return listed(table, jobs, nodes).map(|nodes| Placement::List(nodes.into())),
        Policy::Packed | Policy::RoundRobin | Policy::Random => {}
    }
    let ranks: usize = jobs.iter().map(|read| read.job.ranks).sum();
    if ranks > nodes {
        let [ranks, nodes] = [counted(ranks as u64, "rank"), counted(nodes as u64, "node")];
        let message = format!("the jobs have {ranks}, but the machine has {nodes}");
        table.error(Diagnostic::at(table.place_within(&[JOB.name]), message).note("accepted: one node per rank"));
        return None;
    }
    Some(match policy {
        Policy::RoundRobin => Placement::RoundRobin,
        Policy::Random => Placement::Random,
        Policy::Packed | Policy::List => Placement::Packed,
    })
}

/// The nodes that `jobs` list, job after job. The machine has `nodes` nodes.
fn listed(table: &Reader<'_>, jobs: &[ReadJob<'_>], nodes: usize) -> Option<Vec<NodeId>> {
    let before = table.error_count();
    for read in jobs {
        match &read.nodes {
            None => read.table.demand(&NODES),
            Some(listed) if listed.len() != read.job.ranks => {
                let [ranks, listed] = [counted(read.job.ranks as u64, "rank"), counted(listed.len() as u64, "node")];
                let message = format!("job `{}` has {ranks}, but `nodes` lists {listed}", read.job.name);
                let error = Diagnostic::at(read.table.place_of(NODES.name), message);
                read.table.error(error.note("accepted: one node per rank"));
            }
            Some(_) => {}
        }
    }
    let all: Vec<(u64, &Place)> = jobs.iter().filter_map(|read| read.nodes.as_deref()).flatten().copied().collect();
    let nodes = if all.is_empty() { None } else { distinct(table, &all, Some(nodes)) };
    nodes.filter(|_| table.error_count() == before)
}
