//! Messages in arrays, run on a network, and what became of them in arrays.

use crate::columns::{Column, Table, from_csv, into_python};
use crate::errors::Failure;
use crate::patience::patiently;
use crate::scenario::{Scenario, Text};
use flitwise::engine::program::{TraceMessage, TraceProgram};
use flitwise::engine::{MessageOutcome, Outcome};
use flitwise::kind::{Keep, LINKS, RowFailure, RowId};
use flitwise::machine::Draw;
use flitwise::output::RowFiles;
use flitwise::units::{Flits, NodeId, Ticks};
use flitwise::workload::trace::Trace;
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;

/// The messages, by number.
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
            return Err(Failure::usage("arrays of messages have to be contiguous"));
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

/// A message with a number that no message can have.
fn refused(id: usize, numbers: &[(&str, i64)]) -> Failure {
    let most = |name: &str| if name == "src" || name == "dst" { i64::from(u32::MAX) } else { i64::MAX };
    let wrong = numbers.iter().find(|(name, number)| !(0..=most(name)).contains(number));
    let (name, number) = wrong.copied().unwrap_or(("message", 0));
    let accepted = if name == "src" || name == "dst" { "the number of a node, from 0" } else { "0 and above" };
    Failure::usage(format!("message {id}: `{name}` cannot be {number}\naccepted: {accepted}"))
}

/// What became of messages, in the order of their numbers.
struct Ended {
    outcome: Outcome,
    links: Option<Table>,
}

/// Runs messages on the network of a scenario with a trace without a file: `injected`, `delivered`, `blocked` and `hops`
/// of each message, with the `completion`, the name of the `engine`, and the columns of `links` if the scenario asks for them.
#[pyfunction]
pub(crate) fn simulate<'py>(py: Python<'py>, text: Text, arrays: Arrays<'py>) -> PyResult<Bound<'py, PyDict>> {
    let messages: Arc<[TraceMessage]> = arrays.messages().map_err(|failure| failure.raise(py))?.into();
    let scenario = text.read(py, Some(messages))?;
    let Ended { outcome, links } = patiently(py, None, || run(&scenario))?.map_err(|failure| failure.raise(py))?;
    let of_messages = |value: fn(&MessageOutcome) -> u64| integers(&outcome, value);
    let columns = [
        ("injected", of_messages(|message| message.injected.0)),
        ("delivered", of_messages(|message| message.delivered.0)),
        ("blocked", of_messages(|message| message.blocked_time.0)),
        ("hops", of_messages(|message| message.hops.into())),
    ];
    let result = into_python(py, columns.map(|(name, column)| (name.to_owned(), column)).into())?;
    result.set_item("completion", outcome.completion.0)?;
    result.set_item("engine", outcome.engine.name())?;
    result.set_item("links", links.map(|links| into_python(py, links)).transpose()?)?;
    Ok(result)
}

#[expect(clippy::cast_possible_wrap, reason = "times are below 2^62")]
fn integers(outcome: &Outcome, value: fn(&MessageOutcome) -> u64) -> Column {
    Column::Integers(outcome.messages.iter().map(|message| value(message) as i64).collect())
}

fn run(scenario: &Scenario) -> Result<Ended, Failure> {
    let id = RowId { point: 0, algorithm: 0, repetition: 0 };
    let core = &*scenario.inner;
    let experiment = &core.points[0].experiment;
    let failed = |cause: RowFailure| Failure::row(core, &experiment.failed(id, cause));
    let Some(trace) = experiment.workload.downcast_ref::<Trace>().filter(|_| core.points.len() == 1) else {
        return Err(Failure::usage("messages are run at one point: a network without a sweep"));
    };
    let draw = Draw { seed: experiment.seed, repetition: 0 };
    let run = experiment.machine.run(TraceProgram::new(&trace.messages), draw, &mut ());
    let run = run.ok_or_else(|| Failure::usage("messages need a [network.*] to run on"))?;
    let outcome = run.map_err(|stop| failed(stop.into()))?;
    let links = if trace.details { Some(links(scenario, id)?) } else { None };
    Ok(Ended { outcome, links })
}

/// The columns of `links.csv`, of a run that is watched.
fn links(scenario: &Scenario, id: RowId) -> Result<Table, Failure> {
    let core = &*scenario.inner;
    let row = core.points[id.point].experiment.run(id, Keep::default());
    let row = row.map_err(|error| Failure::row(core, &error))?;
    let headers = RowFiles::new(core, false).headers().map_err(Failure::usage)?;
    let header = headers.into_iter().find(|header| header.file == LINKS.name).map(|header| header.text);
    let lines = row.files.iter().filter(|(file, _)| *file == LINKS.name).map(|(_, lines)| lines.as_str());
    let text: String = header.as_deref().into_iter().chain(lines).collect();
    from_csv(&text).map_err(Failure::usage)
}
