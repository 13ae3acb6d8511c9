//! `[workload.chakra]`: the files of a trace, and the rules by which they become operations.

use super::groups::has_all_ranks;
use super::program::{Lowering, Operations};
use crate::config::{Diagnostic, Files, Place, Reader};
use crate::costs::NodeCosts;
use crate::lines::line_span;
use crate::schedule::chakra::{RankTrace, Work};
use crate::schedule::goal::Names;
use crate::units::{Key, saturated};
use crate::workload::application::groups::{
    ALL_TO_ALL, ALLGATHER, ALLREDUCE, BARRIER, BROADCAST, Choices, GATHER, REDUCE, REDUCE_SCATTER, SCATTER,
};
use crate::workload::application::{DETAILS, FLIT_BYTES, NODES, Scene, Source, TICKS_PER_US, has_room, ticks_per_us};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

const TRACE: Key = Key::file("trace").says("prefix P of the files of the ranks: P.0.et, P.1.et, .., or .et.gz");
const RANKS: Key = Key::integer("ranks", 1..=1 << 20).or_else("the number of files").says("number of ranks");
const DEPENDENCIES_OF: [(&str, Dependencies); 2] = [("data", Dependencies::Data), ("both", Dependencies::Both)];
const DEPENDENCIES: Key = Key::word("dependencies", |at| DEPENDENCIES_OF.get(at).map(|(name, _)| *name))
    .or_word("data")
    .says("dependencies between nodes that count: those of data, or control dependencies too");
const COMMUNICATIONS: [(&str, Communication); 2] =
    [("simulated", Communication::Simulated), ("recorded", Communication::Recorded)];
const COMMUNICATION: Key = Key::word("communication", |at| COMMUNICATIONS.get(at).map(|(name, _)| *name))
    .or_word("simulated")
    .says("messages and collectives on the simulated machine, or computations of their recorded durations");
const OPS_PER_TICK: Key = Key::integer("ops_per_tick", 1..=1 << 50).or_else("the recorded durations").says(
    "operations of a GPU in a tick; with `bytes_per_tick`, the time of computations with `num_ops` and `tensor_size`",
);
const BYTES_PER_TICK: Key = Key::integer("bytes_per_tick", 1..=1 << 50)
    .or_else("the recorded durations")
    .unit("bytes")
    .says("bytes that a GPU reads or writes in a tick; needs `ops_per_tick`");
const GROUPS: Key = Key::file("groups")
    .or_else("those of metadata nodes")
    .says("JSON file of the groups of collectives: {\"name\": [ranks], ..}");
const ALGORITHMS: &[Key] =
    &[ALLREDUCE, ALLGATHER, REDUCE_SCATTER, BROADCAST, REDUCE, GATHER, SCATTER, BARRIER, ALL_TO_ALL];

pub(super) const KEYS: &[Key] = &[
    TRACE,
    RANKS,
    DEPENDENCIES,
    COMMUNICATION,
    TICKS_PER_US,
    OPS_PER_TICK,
    BYTES_PER_TICK,
    GROUPS,
    Key::table("algorithms", ALGORITHMS).says("algorithms of the collectives"),
    FLIT_BYTES,
    NODES,
    DETAILS,
];

/// The dependencies between nodes that count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Dependencies {
    /// Those of data.
    Data,
    /// Those of data and of control.
    Both,
}

/// The simulation of messages and collectives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Communication {
    /// On the machine.
    Simulated,
    /// As computations of their recorded durations.
    Recorded,
}

/// The speed of a GPU, from which the times of computations follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Roofline {
    /// The operations in a tick.
    pub ops_per_tick: u64,
    /// The bytes in a tick.
    pub bytes_per_tick: u64,
}

/// The rules by which a trace becomes operations.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Settings {
    pub(super) trace: String,
    pub(super) ranks: Option<usize>,
    pub(super) dependencies: Dependencies,
    pub(super) communication: Communication,
    pub(super) ticks_per_us: u64,
    #[serde(flatten)]
    pub(super) roofline: Option<Roofline>,
    /// The file of groups.
    pub(super) groups: Option<String>,
    pub(super) algorithms: Choices,
    #[serde(skip)]
    pub(super) node: NodeCosts,
    #[serde(skip)]
    pub(super) flit_bytes: u64,
}

/// Groups of ranks by their names.
pub(super) type Listed = BTreeMap<String, Vec<u64>>;

/// The traces of all ranks, and the names of their files.
#[derive(Debug, Default)]
pub(super) struct Traces {
    pub(super) files: Vec<String>,
    pub(super) ranks: Vec<RankTrace>,
}

impl Traces {
    /// The number of nodes of all ranks.
    pub(super) fn nodes(&self) -> usize {
        self.ranks.iter().map(|rank| rank.nodes.len()).sum()
    }

    fn count(&self, work: Work) -> usize {
        self.ranks.iter().flat_map(|rank| &rank.nodes).filter(|node| node.work == work).count()
    }
}

/// A Chakra trace and its operations.
#[derive(Clone, Debug, Serialize)]
pub struct Chakra {
    #[serde(flatten)]
    pub(super) settings: Settings,
    #[serde(skip)]
    pub(super) traces: Arc<Traces>,
    #[serde(skip)]
    pub(super) listed: Option<Arc<Listed>>,
    #[serde(skip)]
    pub(super) operations: Operations,
}

impl Chakra {
    pub(super) fn storage_nodes(&self) -> usize {
        self.traces.count(Work::Storage)
    }

    /// Collectives without a type, if collectives are simulated.
    pub(super) fn unknown_collectives(&self) -> usize {
        match self.settings.communication {
            Communication::Simulated => self.traces.count(Work::UnknownCollective),
            Communication::Recorded => 0,
        }
    }

    /// The names of nodes as names of their operations.
    pub(super) fn operation_names(&self) -> Names {
        let mut names = Names::default();
        if let Ok(lowering) = Lowering::new(&self.settings, &self.traces, self.listed.as_deref()) {
            lowering.program(Some(&mut names));
        }
        names
    }
}

pub(super) fn read(table: &Reader<'_>, scene: &Scene<'_>, files: &mut Files<'_>) -> Option<Arc<dyn Source>> {
    table.demand(&TRACE);
    let ranks = table.optional_integer(&RANKS).map(saturated);
    let dependencies = table.choice(&DEPENDENCIES, &DEPENDENCIES_OF);
    let communication = table.choice(&COMMUNICATION, &COMMUNICATIONS);
    let ticks_per_us = ticks_per_us(table);
    let roofline = roofline(table);
    let algorithms = Choices::read(table, ALGORITHMS);
    let groups = table.string(&GROUPS);
    let listed =
        groups.map(|(name, place)| files.shared(name, |files| read_groups(table, files, (name, place)).map(Arc::new)));
    let (trace, place) = table.string(&TRACE)?;
    let traces = files.shared(&format!("{trace} {ranks:?}"), |files| {
        read_traces(table, files, (trace, place), ranks).map(Arc::new)
    })?;
    let listed = match listed {
        Some(listed) => Some(listed?),
        None => None,
    };
    let settings = Settings {
        trace: trace.to_owned(),
        ranks,
        dependencies,
        communication,
        ticks_per_us,
        roofline: roofline?,
        groups: groups.map(|(name, _)| name.to_owned()),
        algorithms,
        node: scene.setting.machine.node,
        flit_bytes: scene.flit_bytes,
    };
    // points that differ in the machine alone share the operations
    let operations = files.shared(&format!("{settings:?}"), |files| {
        let lowering = Lowering::new(&settings, &traces, listed.as_deref());
        let report = |errors: Vec<String>| {
            errors.into_iter().for_each(|error| table.error(Diagnostic::at(place.clone(), error)));
        };
        let lowering = lowering.map_err(report).ok()?;
        let has_room = has_room(table, files, "trace", lowering.most_operations());
        has_room.then(|| lowering.program(None))
    })?;
    Some(Arc::new(Chakra { settings, traces, listed, operations }))
}

/// The speed of a GPU, if it is given. Half of it has been reported if there is no result.
fn roofline(table: &Reader<'_>) -> Option<Option<Roofline>> {
    let [ops, bytes] = [OPS_PER_TICK, BYTES_PER_TICK].map(|key| table.optional_integer(&key));
    let is_half = table.gives(&OPS_PER_TICK) != table.gives(&BYTES_PER_TICK);
    if is_half {
        let keys = [OPS_PER_TICK.name, BYTES_PER_TICK.name];
        let [given, missing] = if table.gives(&OPS_PER_TICK) { keys } else { [keys[1], keys[0]] };
        let message = format!("`{}` is given without `{missing}`", table.path_of(given));
        let diagnostic = Diagnostic::at(table.place_of(given), message);
        table.error(diagnostic.note("accepted: both, or neither for the recorded durations"));
        return None;
    }
    Some(ops.zip(bytes).map(|(ops_per_tick, bytes_per_tick)| Roofline { ops_per_tick, bytes_per_tick }))
}

/// The groups of the JSON file `name`.
fn read_groups(table: &Reader<'_>, files: &mut Files<'_>, (name, place): (&str, &Place)) -> Option<Listed> {
    let source = files.open(table, name, place)?;
    let text = &files.source(source).text;
    let unreadable = |error: serde_json::Error| {
        let line = Place { source, span: line_span(text, error.line().saturating_sub(1)) };
        let diagnostic = Diagnostic::at(line, format!("`{name}` is not an object of groups: {error}"));
        table.error(diagnostic.note("accepted: the ranks of each group by its name, as in {\"tensor-0\": [0, 1]}"));
    };
    let listed: Listed = serde_json::from_str(text).map_err(unreadable).ok()?;
    if let Some(all) = listed.keys().find(|name| has_all_ranks(name)) {
        let message = format!("`{name}` lists the group `{all}`, which always contains all ranks");
        table.error(Diagnostic::at(place.clone(), message).note("accepted: other names of groups"));
        return None;
    }
    Some(listed)
}

/// The traces of `ranks` ranks, or of all files that follow each other.
fn read_traces(
    table: &Reader<'_>,
    files: &mut Files<'_>,
    (trace, place): (&str, &Place),
    ranks: Option<usize>,
) -> Option<Traces> {
    let before = table.error_count();
    let mut traces = Traces { files: Vec::new(), ranks: Vec::new() };
    for rank in 0..ranks.unwrap_or(usize::MAX) {
        let plain = format!("{trace}.{rank}.et");
        let packed = format!("{plain}.gz");
        let (has_plain, has_packed) = (files.exists(&plain), files.exists(&packed));
        if ranks.is_none() && rank > 0 && !has_plain && !has_packed {
            break;
        }
        let name = if has_packed && !has_plain { packed } else { plain };
        let bytes = files.bytes(table, &name, place);
        match bytes.map(|bytes| RankTrace::read(&bytes)) {
            Some(Ok(trace)) => {
                traces.files.push(name);
                traces.ranks.push(trace);
            }
            Some(Err(errors)) => errors.into_iter().for_each(|error| {
                table.error(Diagnostic::at(place.clone(), format!("`{name}`: {error}")));
            }),
            None => break,
        }
        if table.error_count() >= before + MOST {
            break;
        }
    }
    (table.error_count() == before).then_some(traces)
}

/// The most errors that are reported.
pub(super) const MOST: usize = 20;
