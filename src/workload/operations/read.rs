//! `[workload.goal]` and `[workload.msccl]`: operations of ranks from a file.

use crate::config::{Diagnostic, Files, Place, Reader, utf16, without_mark};
use crate::kind::words::counted;
use crate::kind::{LINKS_KEY, Setting, Workload, read_links};
use crate::machine::Machine;
use crate::schedule::goal::{Algorithm, DataCheck, Goal, GoalError, Msccl};
use crate::units::{Key, NodeId};
use crate::workload::group::distinct;
use serde::Serialize;
use std::sync::Arc;

/// Operations of ranks.
#[derive(Clone, Debug, Serialize)]
pub struct Operations {
    /// The file, as the scenario names it.
    pub file: String,
    /// Which workload it is: goal or msccl.
    pub format: &'static str,
    /// The bytes of a flit.
    pub flit_bytes: u64,
    /// The operations.
    #[serde(skip)]
    pub goal: Arc<Goal>,
    /// The judgement of the data, if the file has steps that move them.
    #[serde(skip)]
    pub data: Option<Arc<DataCheck>>,
    /// Per rank its node; empty without a network.
    #[serde(skip)]
    pub nodes: Arc<[NodeId]>,
    /// Whether links are written.
    pub details: bool,
}

const GOAL_FILE: Key = Key::file("file").says("GOAL file of the operations of ranks, text or binary");
const MSCCL_FILE: Key = Key::file("file").says("MSCCL XML file of an algorithm, with one rank per GPU");
const FLIT_BYTES: Key = Key::integer("flit_bytes", 1..=1 << 40)
    .or_else("`channel.flit_bytes`, else 1")
    .unit("bytes")
    .says("size of a flit");
const NODES: Key = Key::integers("nodes", 0..=u32::MAX as u64).or_else("[0, 1, ..]").says("node of each rank");
const BUFFER_BYTES: Key =
    Key::integer("buffer_bytes", 1..=1 << 50).unit("bytes").says("size of the buffer that is split into chunks");
const REDUCE_PER_BYTE: Key =
    Key::integer("reduce_per_byte", 0..=1 << 20).or(0).unit("ticks").says("time of a reduction per byte");

/// The keys of `[workload.goal]`.
pub(crate) const GOAL: &[Key] = &[GOAL_FILE, FLIT_BYTES, NODES, LINKS_KEY];

/// The keys of `[workload.msccl]`.
pub(crate) const MSCCL: &[Key] = &[MSCCL_FILE, BUFFER_BYTES, REDUCE_PER_BYTE, FLIT_BYTES, NODES, LINKS_KEY];

/// The operations of a file, and the judgement of the data that they move, if it names them.
type Judged = (Arc<Goal>, Option<Arc<DataCheck>>);

/// What is read of a file: its name, and its operations.
type Named<'a> = (&'a str, Judged);

pub(super) fn read_goal(table: &Reader<'_>, setting: &Setting<'_>, files: &mut Files<'_>) -> Option<Arc<dyn Workload>> {
    let read = |bytes: &[u8]| Goal::read(bytes).map(|goal| (Arc::new(goal), None));
    let named = operations(table, files, &GOAL_FILE, "", read);
    placed(table, "goal", named, setting.machine)
}

pub(super) fn read_msccl(
    table: &Reader<'_>,
    setting: &Setting<'_>,
    files: &mut Files<'_>,
) -> Option<Arc<dyn Workload>> {
    let buffer_bytes = table.required_integer(&BUFFER_BYTES);
    let reduce_per_byte = table.integer(&REDUCE_PER_BYTE);
    let msccl = buffer_bytes.map(|buffer_bytes| Msccl { buffer_bytes, reduce_per_byte });
    let read = |bytes: &[u8]| match msccl {
        Some(msccl) => {
            let algorithm = Algorithm::read(bytes).map_err(|error| vec![error])?;
            Ok((Arc::new(algorithm.operations(msccl)), Some(Arc::new(algorithm.verify()))))
        }
        None => Err(Vec::new()), // that there is no size has been reported
    };
    let named = operations(table, files, &MSCCL_FILE, &format!("{msccl:?}"), read);
    placed(table, "msccl", named, setting.machine)
}

/// The operations that `read` makes of the file that `key` names, once of a file that is read the same `way`.
fn operations<'a>(
    table: &Reader<'a>,
    files: &mut Files<'_>,
    key: &Key,
    way: &str,
    read: impl FnOnce(&[u8]) -> Result<Judged, Vec<GoalError>>,
) -> Option<Named<'a>> {
    table.demand(key);
    let (name, place) = table.string(key)?;
    let goal = files.shared(&format!("{name} {way}"), |files| {
        let bytes = files.bytes(table, name, place)?;
        if let Some(other) = utf16(&bytes) {
            files.refuse_encoding(table, name, &other);
            return None;
        }
        let wrong = |errors| report(files, table, (name, place), &bytes, errors);
        read(&bytes).map_err(wrong).ok()
    });
    Some((name, goal?))
}

/// Reports errors where they stand; a binary file cannot be shown.
fn report(
    files: &mut Files<'_>,
    table: &Reader<'_>,
    (name, place): (&str, &Place),
    bytes: &[u8],
    errors: Vec<GoalError>,
) {
    match std::str::from_utf8(without_mark(bytes)) {
        Ok(text) if errors.iter().all(|error| error.line > 0) => {
            let source = files.add_source(name, text.to_owned());
            for GoalError { span, message, first, .. } in errors {
                let wrong = Diagnostic::at(Place { source, span }, message);
                table.error(match first {
                    Some(span) => wrong.related(Place { source, span }, "first defined here"),
                    None => wrong,
                });
            }
        }
        _ => {
            for GoalError { line, column, message, .. } in errors {
                let at = if line > 0 { format!("line {line}, column {column}: ") } else { String::new() };
                table.error(Diagnostic::at(place.clone(), format!("`{name}`: {at}{message}")));
            }
        }
    }
}

/// The bytes of a flit: those of the channels, if the scenario states them.
fn flit_bytes(table: &Reader<'_>) -> u64 {
    let given = table.optional_integer(&FLIT_BYTES);
    let of_channel = table.scale().and_then(|scale| scale.flit_bytes);
    if let (Some(given), Some(of_channel)) = (given, of_channel)
        && given != of_channel
    {
        let message = format!("`{}` is {given}, but `channel.flit_bytes` is {of_channel}", table.path_of("flit_bytes"));
        let diagnostic = Diagnostic::at(table.place_of("flit_bytes"), message);
        table.error(diagnostic.note("accepted: the same value, or `channel.flit_bytes` alone"));
    }
    given.or(of_channel).unwrap_or(1)
}

/// What both have: `flit_bytes`, `nodes` and `details`.
fn placed(
    table: &Reader<'_>,
    format: &'static str,
    named: Option<Named<'_>>,
    machine: &Machine,
) -> Option<Arc<dyn Workload>> {
    let flit_bytes = flit_bytes(table);
    let listed = table.integers(&NODES);
    let details = read_links(table, machine, true);
    let workload = |(file, (goal, data)): Named<'_>, nodes: Vec<NodeId>| -> Arc<dyn Workload> {
        Arc::new(Operations { file: file.to_owned(), format, flit_bytes, goal, data, nodes: nodes.into(), details })
    };
    let Some(machine) = machine.nodes() else {
        for key in [FLIT_BYTES, NODES].into_iter().filter(|key| table.gives(key)) {
            let message = format!("`{}` has no effect without a table [network.*]", table.path_of(key.name));
            table.error(Diagnostic::at(table.place_of(key.name), message));
        }
        return Some(workload(named?, Vec::new()));
    };
    let (file, judged) = named?;
    let ranks = judged.0.ranks();
    let nodes: Vec<NodeId> = match listed {
        Some(listed) => distinct(table, &listed, Some(machine))?,
        None => (0..machine.min(ranks)).map(NodeId::new).collect(),
    };
    if nodes.len() != ranks && (table.has("nodes") || nodes.len() < ranks) {
        let (place, have) = match table.has("nodes") {
            true => (table.place_of("nodes"), format!("`nodes` lists {}", counted(nodes.len() as u64, "node"))),
            false => (table.place_of("file"), format!("the machine has {}", counted(machine as u64, "node"))),
        };
        let message = format!("`{file}` has {}, but {have}", counted(ranks as u64, "rank"));
        table.error(Diagnostic::at(place, message).note("accepted: one node per rank"));
        return None;
    }
    Some(workload((file, judged), nodes))
}
