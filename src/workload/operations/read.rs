//! `[workload.goal]` and `[workload.msccl]`: operations of ranks from a file.

use crate::config::{Diagnostic, Files, Place, Reader, read_given, utf16, without_mark};
use crate::kind::Kind;
use crate::schedule::goal::{Algorithm, Goal, GoalError, Msccl, Names};
use crate::units::Key;
use crate::workload::application::{DETAILS, FLIT_BYTES, NODES, Program, Scene, Source};
use serde::Serialize;
use std::path::PathBuf;
use std::sync::Arc;

/// The operations of a file.
#[derive(Clone, Debug, Serialize)]
pub struct Operations {
    /// The file, as the scenario names it.
    pub file: String,
    /// The kind: goal or msccl.
    pub format: &'static str,
    #[serde(skip)]
    path: PathBuf,
    #[serde(skip)]
    program: Arc<Program>,
}

impl Source for Operations {
    fn kind(&self) -> &'static Kind {
        if self.format == super::MSCCL.name { &super::MSCCL } else { &super::GOAL }
    }

    fn program(&self) -> Arc<Program> {
        Arc::clone(&self.program)
    }

    fn called(&self) -> String {
        self.file.clone()
    }

    /// The labels of a GOAL file, which is read again: most runs do without them.
    fn names(&self) -> Names {
        let bytes = read_given(&self.path, u64::MAX).unwrap_or_default();
        self.program.goal.labels(&bytes)
    }

    fn text_file(&self) -> Option<&str> {
        Some(&self.file)
    }

    fn longest_key(&self) -> &'static str {
        "file"
    }
}

const GOAL_FILE: Key = Key::file("file").says("GOAL file of the operations of ranks, text or binary");
const MSCCL_FILE: Key = Key::file("file").says("MSCCL XML file of an algorithm, with one rank per GPU");
const BUFFER_BYTES: Key =
    Key::integer("buffer_bytes", 1..=1 << 50).unit("bytes").says("size of the buffer that is split into chunks");
const REDUCE_PER_BYTE: Key =
    Key::integer("reduce_per_byte", 0..=1 << 20).or(0).unit("ticks").says("time of a reduction per byte");

/// The keys of `[workload.goal]`.
pub(crate) const GOAL: &[Key] = &[GOAL_FILE, FLIT_BYTES, NODES, DETAILS];

/// The keys of `[workload.msccl]`.
pub(crate) const MSCCL: &[Key] = &[MSCCL_FILE, BUFFER_BYTES, REDUCE_PER_BYTE, FLIT_BYTES, NODES, DETAILS];

pub(super) fn read_goal(table: &Reader<'_>, _: &Scene<'_>, files: &mut Files<'_>) -> Option<Arc<dyn Source>> {
    let read = |bytes: &[u8]| Ok(Program { in_time: false, ..Program::new(Goal::read(bytes)?) });
    operations(table, files, &GOAL_FILE, ("goal", ""), read)
}

pub(super) fn read_msccl(table: &Reader<'_>, _: &Scene<'_>, files: &mut Files<'_>) -> Option<Arc<dyn Source>> {
    let buffer_bytes = table.required_integer(&BUFFER_BYTES);
    let reduce_per_byte = table.integer(&REDUCE_PER_BYTE);
    let msccl = buffer_bytes.map(|buffer_bytes| Msccl { buffer_bytes, reduce_per_byte });
    let read = |bytes: &[u8]| match msccl {
        Some(msccl) => {
            let algorithm = Algorithm::read(bytes).map_err(|error| vec![error])?;
            let data = Some(Arc::new(algorithm.verify()));
            Ok(Program { data, in_time: false, ..Program::new(algorithm.operations(msccl)) })
        }
        None => Err(Vec::new()), // that there is no size has been reported
    };
    operations(table, files, &MSCCL_FILE, ("msccl", &format!("{msccl:?}")), read)
}

/// The operations that `read` makes of the file that `key` names, made once for each `variety`.
fn operations(
    table: &Reader<'_>,
    files: &mut Files<'_>,
    key: &Key,
    (format, variety): (&'static str, &str),
    read: impl FnOnce(&[u8]) -> Result<Program, Vec<GoalError>>,
) -> Option<Arc<dyn Source>> {
    table.demand(key);
    let (name, place) = table.string(key)?;
    let program = files.shared(&format!("{name} {variety}"), |files| {
        let bytes = files.bytes(table, name, place)?;
        if let Some(other) = utf16(&bytes) {
            files.refuse_encoding(table, name, &other);
            return None;
        }
        let wrong = |errors| report(files, table, (name, place), &bytes, errors);
        read(&bytes).map_err(wrong).ok().map(Arc::new)
    })?;
    Some(Arc::new(Operations { file: name.to_owned(), format, path: files.path(name), program }))
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
