//! Conversion of errors into exceptions of the module `flitwise`.
//!
//! The text of an exception is the error message of the command. Python defines the classes (`flitwise/_errors.py`).

use flitwise::config::{Diagnostic, Source, render};
use flitwise::engine::Stop;
use flitwise::kind::{RowError, RowFailure};
use flitwise::scenario::{Rejected, Scenario};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::error::Error;
use std::fmt::Display;
use std::io;

/// An error that becomes an exception.
pub(crate) enum Failure {
    /// A scenario or a request is invalid.
    Scenario(Rejected),
    /// Measurements are invalid.
    Measurements(Rejected),
    /// A row failed.
    Run(Rejected),
    /// Messages of a row are in a deadlock: each message of the cycle, and the channel that it waits for.
    Deadlock(Rejected, Vec<(u32, String)>),
    /// A file cannot be read or written.
    Io(io::Error, String),
}

impl Failure {
    /// Returns the error `message` about an invalid request.
    pub(crate) fn usage(message: impl Display) -> Self {
        let message = message.to_string().replace("--rows ", "rows=");
        let (first, accepted) = message.split_once('\n').map_or((message.as_str(), None), |(a, b)| (a, Some(b)));
        let error = Diagnostic::unplaced(first);
        let error = match accepted {
            Some(accepted) => error.note(accepted),
            None => error,
        };
        Self::Scenario(Rejected::new(vec![error], Vec::new()))
    }

    /// Returns the error of a row of `scenario`.
    pub(crate) fn row(scenario: &Scenario, error: &RowError) -> Self {
        let shown = scenario.explain(error);
        let RowFailure::Stopped(Stop::Deadlock(deadlock)) = &error.cause else { return Self::Run(shown) };
        let machine = &scenario.points[error.id.point].experiment.machine;
        let waiting = deadlock.cycle.iter();
        Self::Deadlock(shown, waiting.map(|at| (at.message.0, machine.channel_name(at.channel))).collect())
    }

    /// Returns the I/O error `error` of the action `what`.
    pub(crate) fn io(error: io::Error, what: impl Into<String>) -> Self {
        Self::Io(error, what.into())
    }

    /// Converts the error into an exception.
    pub(crate) fn raise(self, py: Python<'_>) -> PyErr {
        let raised = match self {
            // the kind selects the class, such as FileExistsError
            Self::Io(error, what) => return io::Error::new(error.kind(), format!("{what}: {error}")).into(),
            Self::Scenario(shown) => exception(py, "ScenarioError", &shown, None),
            Self::Measurements(shown) => exception(py, "MeasurementError", &shown, None),
            Self::Run(shown) => exception(py, "RunError", &shown, None),
            Self::Deadlock(shown, cycle) => exception(py, "Deadlock", &shown, Some(cycle)),
        };
        raised.unwrap_or_else(|error| error)
    }
}

/// Converts the error of a file that cannot be read. Its source selects the exception, such as `FileNotFoundError`.
pub(crate) fn unreadable(error: &dyn Error) -> PyErr {
    let source = error.source().and_then(|source| source.downcast_ref::<io::Error>());
    let kind = source.map_or(io::ErrorKind::Other, io::Error::kind);
    io::Error::new(kind, error.to_string()).into()
}

fn exception(py: Python<'_>, class: &str, shown: &Rejected, cycle: Option<Vec<(u32, String)>>) -> PyResult<PyErr> {
    let sources: Vec<Source> = shown.sources.iter().map(argument).collect();
    let text = render(&shown.diagnostics, &sources, false);
    let diagnostics = PyList::empty(py);
    for diagnostic in &shown.diagnostics {
        diagnostics.append(fields(py, diagnostic, &sources)?)?;
    }
    let class = py.import("flitwise._errors")?.getattr(class)?;
    let raised = class.call1((text.trim_end(), diagnostics))?;
    if let Some(cycle) = cycle {
        raised.setattr("cycle", cycle)?;
    }
    Ok(PyErr::from_value(raised))
}

/// Renames the source of an option to the argument in Python: `set` for `--set`.
fn argument(source: &Source) -> Source {
    let name = source.name.strip_prefix("--").unwrap_or(&source.name);
    Source { name: name.to_owned(), ..source.clone() }
}

/// Returns the parts of a diagnostic by name. Lines and columns are counted from 1.
fn fields<'py>(py: Python<'py>, diagnostic: &Diagnostic, sources: &[Source]) -> PyResult<Bound<'py, PyDict>> {
    let fields = PyDict::new(py);
    fields.set_item("message", &diagnostic.message)?;
    let note = diagnostic.note.as_deref();
    fields.set_item("accepted", note.map(|note| note.strip_prefix("accepted: ").unwrap_or(note)))?;
    fields.set_item("hint", diagnostic.hint.as_deref())?;
    let place = diagnostic.place.as_ref().and_then(|place| Some((&place.span, sources.get(place.source)?)));
    if let Some((span, source)) = place {
        let before = &source.text.as_bytes()[..span.start.min(source.text.len())];
        let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let lines = before.iter().filter(|&&byte| byte == b'\n').count();
        fields.set_item("file", &source.name)?;
        fields.set_item("line", source.first_line + lines)?;
        fields.set_item("column", 1 + String::from_utf8_lossy(&before[line_start..]).chars().count())?;
        fields.set_item("text", source.text.get(span.clone()))?;
    }
    Ok(fields)
}
