//! `[workload.mpi]`: the files of a trace, the calls that are simulated, and the algorithms of collectives.

use super::program::{Loaded, Selected, load, most_operations};
use crate::config::{Diagnostic, Files, Place, Reader, decode};
use crate::lines::line_span;
use crate::schedule::mpi::{ListedGroups, MpiError, MpiTrace, ReadRules, SimulatedCalls};
use crate::units::Key;
use crate::workload::application::groups::{
    ALL_TO_ALL, ALLGATHER, ALLREDUCE, BARRIER, BROADCAST, Choices, Collectives, REDUCE,
};
use crate::workload::application::{DETAILS, FLIT_BYTES, NODES, Scene, Source, TICKS_PER_US, has_room, ticks_per_us};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

const TRACE: Key = Key::file("trace")
    .says("text trace of rank 0, whose name contains -0 once; the other ranks have their numbers in its place");
const CALLS: [(&str, SimulatedCalls); 3] = [
    ("all", SimulatedCalls::All),
    ("point-to-point", SimulatedCalls::PointToPoint),
    ("collectives", SimulatedCalls::Collectives),
];
const CALLS_KEY: Key = Key::word("calls", |at| CALLS.get(at).map(|(name, _)| *name))
    .or_word("all")
    .says("calls that are simulated; the time of the others is computation");
const COPIES: Key = Key::integer("copies", 1..=1 << 24).or(1).says("number of times that the ranks are repeated");
const COMMUNICATORS: Key = Key::file("communicators")
    .or_else("the ranks that name each")
    .says("JSON file with the groups of ranks of communicators, such as {\"4\": [[0, 1], [2, 3]]}");
const EXPANSIONS: [(&str, Expand); 2] = [("schedgen", Expand::Schedgen), ("algorithms", Expand::Algorithms)];
const EXPAND: Key = Key::word("expand", |at| EXPANSIONS.get(at).map(|(name, _)| *name))
    .or_word("schedgen")
    .says("operations of collectives: those of LogGOPSim's Schedgen, or those of selected algorithms");
const ALGORITHMS: &[Key] = &[ALLREDUCE, ALLGATHER, BROADCAST, REDUCE, BARRIER, ALL_TO_ALL];

pub(super) const KEYS: &[Key] = &[
    TRACE,
    TICKS_PER_US,
    CALLS_KEY,
    COPIES,
    COMMUNICATORS,
    EXPAND,
    Key::table("algorithms", ALGORITHMS).read_if("expand", &["algorithms"]).says("algorithms of the collectives"),
    FLIT_BYTES,
    NODES,
    DETAILS,
];

/// The operations of collectives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Expand {
    /// Those of Schedgen.
    Schedgen,
    /// Those of selected algorithms.
    Algorithms,
}

/// A trace of an MPI program.
#[derive(Clone, Debug, Serialize)]
pub struct Mpi {
    /// The file of rank 0, as the scenario names it.
    pub trace: String,
    /// The ticks of a microsecond.
    pub ticks_per_us: u64,
    /// The name of the calls that are simulated.
    pub calls: &'static str,
    /// The number of times that the ranks are repeated.
    pub copies: u64,
    /// The file of communicators, if there is one.
    pub communicators: Option<String>,
    /// The operations of collectives.
    pub expand: Expand,
    #[serde(rename = "algorithms", skip_serializing_if = "Option::is_none")]
    choices: Option<Choices>,
    #[serde(skip)]
    pub(super) loaded: Arc<Loaded>,
}

pub(super) fn read(table: &Reader<'_>, scene: &Scene<'_>, files: &mut Files<'_>) -> Option<Arc<dyn Source>> {
    table.demand(&TRACE);
    let ticks_per_us = ticks_per_us(table);
    let calls = table.choice(&CALLS_KEY, &CALLS);
    let copies = table.integer(&COPIES);
    let expand = table.choice(&EXPAND, &EXPANSIONS);
    let choices = (expand == Expand::Algorithms).then(|| Choices::read(table, ALGORITHMS));
    let communicators = table.string(&COMMUNICATORS);
    let groups = match communicators {
        Some((name, place)) => listed_groups(table, files, name, place)?,
        None => ListedGroups::new(),
    };
    let (trace, place) = table.string(&TRACE)?;
    let node = &scene.setting.machine.node;
    let of_algorithms = choices.as_ref().map(|choices| (choices, node, scene.flit_bytes));
    let key = format!("{trace} {ticks_per_us} {calls:?} {copies} {groups:?} {of_algorithms:?}");
    let loaded = files.shared(&key, |files| {
        let rules = ReadRules { calls, ticks_per_us, copies, groups: &groups };
        let read = read_trace(table, files, (trace, place), &rules)?;
        if !has_room(table, files, "trace", most_operations(&read, copies)) {
            return None;
        }
        let selected = choices
            .as_ref()
            .map(|choices| Selected { choices, collectives: Collectives::new(choices, node, scene.flit_bytes) });
        Some(Arc::new(load(&read, copies, selected)))
    })?;
    let calls = CALLS.iter().find(|(_, other)| *other == calls).map_or("", |(name, _)| *name);
    let communicators = communicators.map(|(name, _)| name.to_owned());
    let trace = trace.to_owned();
    Some(Arc::new(Mpi { trace, ticks_per_us, calls, copies, communicators, expand, choices, loaded }))
}

/// The names of the files before and after the number of the rank, if `-0` is in `name` once.
fn around_rank(name: &str) -> Option<(&str, &str)> {
    let (before, after) = name.split_once("-0")?;
    (!after.contains("-0")).then_some((before, after))
}

/// Reads the files of all ranks.
fn read_trace(
    table: &Reader<'_>,
    files: &mut Files<'_>,
    (first, place): (&str, &Place),
    rules: &ReadRules<'_>,
) -> Option<MpiTrace> {
    let Some((before, after)) = around_rank(first) else {
        let count = first.matches("-0").count();
        let message = format!("`{first}` contains -0 {}", if count == 0 { "nowhere" } else { "several times" });
        let note = "accepted: a name with one -0, which is replaced by the number of the rank";
        table.error(Diagnostic::at(place.clone(), message).note(note));
        return None;
    };
    let name = |rank: usize| format!("{before}-{rank}{after}");
    let mut texts = Vec::new();
    while texts.is_empty() || files.exists(&name(texts.len())) {
        let name = name(texts.len());
        match decode(files.bytes(table, &name, place)?) {
            Ok(text) => texts.push(text),
            Err(other) => {
                files.refuse_encoding(table, &name, &other);
                return None;
            }
        }
    }
    let all: Vec<&str> = texts.iter().map(String::as_str).collect();
    let errors = match MpiTrace::read(&all, rules) {
        Ok(trace) => return Some(trace),
        Err(errors) => errors,
    };
    let mut sources = BTreeMap::new();
    for MpiError { rank, span, message, accepted, .. } in errors {
        let source =
            *sources.entry(rank).or_insert_with(|| files.add_source(&name(rank), std::mem::take(&mut texts[rank])));
        let diagnostic = Diagnostic::at(Place { source, span }, message);
        table.error(if accepted.is_empty() { diagnostic } else { diagnostic.note(format!("accepted: {accepted}")) });
    }
    None
}

/// The groups of communicators that the file `name` lists.
fn listed_groups(table: &Reader<'_>, files: &mut Files<'_>, name: &str, place: &Place) -> Option<ListedGroups> {
    let source = files.open(table, name, place)?;
    let text = &files.source(source).text;
    let unreadable = |error: serde_json::Error| {
        let line = Place { source, span: line_span(text, error.line().saturating_sub(1)) };
        let message = format!("`{name}` does not list the groups of communicators: {error}");
        table.error(Diagnostic::at(line, message).note("accepted: such as {\"4\": [[0, 1], [2, 3]]}"));
    };
    serde_json::from_str(text).map_err(unreadable).ok()
}
