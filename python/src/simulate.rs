//! Simulation of messages on a network, with arrays as input and output.

use crate::columns::{Column, Table, from_lines, into_python};
use crate::errors::Failure;
use crate::patience::patiently;
use crate::scenario::{Scenario, Text};
use flitwise::engine::program::{TraceMessage, TraceProgram};
use flitwise::engine::{MessageOutcome, Outcome};
use flitwise::kind::{Keep, LINKS, Row, RowId};
use flitwise::machine::Draw;
use flitwise::units::{Flits, NodeId, Ticks};
use flitwise::workload::trace::Trace;
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;

/// The messages, as columns in order of their numbers.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Arrays<'py> {
    src: PyReadonlyArray1<'py, i64>,
    dst: PyReadonlyArray1<'py, i64>,
    flits: PyReadonlyArray1<'py, i64>,
    start: PyReadonlyArray1<'py, i64>,
}

impl Arrays<'_> {
    fn messages(&self) -> Result<Vec<TraceMessage>, Failure> {
        let slices = [&self.src, &self.dst, &self.flits, &self.start].map(|array| array.as_slice());
        let [Ok(src), Ok(dst), Ok(flits), Ok(start)] = slices else {
            return Err(Failure::usage("arrays of messages must be contiguous"));
        };
        let message = |id: usize| -> Option<TraceMessage> {
            Some(TraceMessage {
                src: NodeId(src[id].try_into().ok()?),
                dst: NodeId(dst[id].try_into().ok()?),
                flits: Flits(flits[id].try_into().ok()?),
                start: Ticks(start[id].try_into().ok()?),
            })
        };
        let all = (0..src.len()).map(|id| {
            let wrong = || [("src", src[id]), ("dst", dst[id]), ("flits", flits[id]), ("start", start[id])];
            message(id).ok_or_else(|| refused(id, &wrong()))
        });
        all.collect()
    }
}

/// Returns the error of a message with an invalid number.
fn refused(id: usize, numbers: &[(&str, i64)]) -> Failure {
    let most = |name: &str| if name == "src" || name == "dst" { i64::from(u32::MAX) } else { i64::MAX };
    let wrong = numbers.iter().find(|(name, number)| !(0..=most(name)).contains(number));
    let (name, number) = wrong.copied().unwrap_or(("message", 0));
    let accepted = if name == "src" || name == "dst" { "the number of a node, from 0" } else { "0 and above" };
    Failure::usage(format!("message {id}: `{name}` cannot be {number}\naccepted: {accepted}"))
}

/// The result of a simulation. Messages are in the order of their numbers.
struct Ended {
    messages: Vec<MessageOutcome>,
    completion: Ticks,
    engine: &'static str,
    links: Option<Table>,
}

/// Runs messages on the network of a scenario with a trace without a file. Returns `injected`, `delivered`, `blocked` and
/// `hops` of each message, the `completion`, the name of the `engine`, and the columns of `links` if the scenario sets
/// `details`.
#[pyfunction]
pub(crate) fn simulate<'py>(py: Python<'py>, text: Text, arrays: Arrays<'py>) -> PyResult<Bound<'py, PyDict>> {
    let messages: Arc<[TraceMessage]> = arrays.messages().map_err(|failure| failure.raise(py))?.into();
    let scenario = text.read(py, Some(messages))?;
    let Ended { messages, completion, engine, links } =
        patiently(py, None, || run(&scenario))?.map_err(|failure| failure.raise(py))?;
    let of_messages = |value: fn(&MessageOutcome) -> u64| integers(&messages, value);
    let columns = [
        ("injected", of_messages(|message| message.injected.0)),
        ("delivered", of_messages(|message| message.delivered.0)),
        ("blocked", of_messages(|message| message.blocked_time.0)),
        ("hops", of_messages(|message| message.hops.into())),
    ];
    let result = into_python(py, columns.map(|(name, column)| (name.to_owned(), column)).into())?;
    result.set_item("completion", completion.0)?;
    result.set_item("engine", engine)?;
    result.set_item("links", links.map(|links| into_python(py, links)).transpose()?)?;
    Ok(result)
}

#[expect(clippy::cast_possible_wrap, reason = "times are below 2^62")]
fn integers(messages: &[MessageOutcome], value: fn(&MessageOutcome) -> u64) -> Column {
    Column::Integers(messages.iter().map(|message| value(message) as i64).collect())
}

fn run(scenario: &Scenario) -> Result<Ended, Failure> {
    let id = RowId { point: 0, algorithm: 0, repetition: 0 };
    let core = &*scenario.inner;
    let experiment = &core.points[0].experiment;
    let Some(trace) = experiment.workload.downcast_ref::<Trace>().filter(|_| core.points.len() == 1) else {
        return Err(Failure::usage("`simulate` runs messages at one point and does not accept a sweep"));
    };
    if trace.details {
        let row = experiment.run(id, Keep::messages(true)).map_err(|error| Failure::row(core, &error))?;
        return watched(row);
    }
    let draw = Draw { seed: experiment.seed, repetition: 0 };
    // no row, because a row also records the cause of each send
    let run = experiment.machine.run(TraceProgram::new(&trace.messages), draw, &mut ());
    let run = run.ok_or_else(|| Failure::usage("messages need a [network.*] to run on"))?;
    let Outcome { messages, completion, engine, .. } =
        run.map_err(|stop| Failure::row(core, &experiment.failed(id, stop.into())))?;
    Ok(Ended { messages, completion, engine: engine.name(), links: None })
}

/// Returns the result of a run that recorded its links.
fn watched(row: Row) -> Result<Ended, Failure> {
    let lines = row.files.iter().filter(|(file, _)| *file == LINKS.name).map(|(_, lines)| lines.as_str());
    let links = from_lines(&LINKS, &lines.collect::<String>()).map_err(Failure::usage)?;
    Ok(Ended {
        completion: row.measured(),
        engine: row.engine.unwrap_or_default(),
        messages: row.details.into_iter().map(|detail| detail.outcome).collect(),
        links: Some(links),
    })
}
