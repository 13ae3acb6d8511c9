//! Files that a scenario names, looked up beside it and read once.

use super::trace::Trace;
use crate::config::Diagnostic;
use crate::config::Reader;
use crate::config::{Place, Source};
use crate::schedule::goal::{Goal, GoalError};
use crate::topology::CostMatrix;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Files read so far, by the name that the scenario gives them.
pub(super) struct Files<'a> {
    folder: &'a Path,
    sources: &'a mut Vec<Source>,
    opened: BTreeMap<String, usize>,
    /// Operations by name and how they were read; none if they are wrong.
    operations: BTreeMap<String, Option<Arc<Goal>>>,
    /// Cost matrices by name; none if they are wrong.
    matrices: BTreeMap<String, Option<Arc<CostMatrix>>>,
    /// Traces by name and number of nodes; none if they are wrong.
    traces: BTreeMap<(String, usize), Option<Trace>>,
    /// The SHA-256 of each file that was read, by name.
    digests: BTreeMap<String, Digest>,
}

/// A SHA-256.
pub(super) type Digest = [u8; 32];

impl<'a> Files<'a> {
    pub(super) fn new(folder: &'a Path, sources: &'a mut Vec<Source>) -> Self {
        Self {
            folder,
            sources,
            opened: BTreeMap::new(),
            operations: BTreeMap::new(),
            matrices: BTreeMap::new(),
            traces: BTreeMap::new(),
            digests: BTreeMap::new(),
        }
    }

    /// The index of the file's source; a file that cannot be read is reported once for each place that names it.
    pub(super) fn open(&mut self, table: &Reader<'_>, name: &str, place: &Place) -> Option<usize> {
        if let Some(&known) = self.opened.get(name) {
            return Some(known);
        }
        let text = String::from_utf8(self.bytes(table, name, place)?);
        match text {
            Ok(text) => {
                let source = self.add_source(name, text);
                self.opened.insert(name.to_owned(), source);
                Some(source)
            }
            Err(_) => {
                self.refuse(table, name, place, "it is not UTF-8 text");
                None
            }
        }
    }

    fn bytes(&mut self, table: &Reader<'_>, name: &str, place: &Place) -> Option<Vec<u8>> {
        let bytes = std::fs::read(self.folder.join(name));
        let bytes = bytes.map_err(|error| self.refuse(table, name, place, &error.to_string())).ok()?;
        self.digests.insert(name.to_owned(), Sha256::digest(&bytes).into());
        Some(bytes)
    }

    fn refuse(&self, table: &Reader<'_>, name: &str, place: &Place, problem: &str) {
        let note = format!("a file is looked up beside the scenario: {}", self.folder.join(name).display());
        table.error(Diagnostic::at(place.clone(), format!("cannot read `{name}`: {problem}")).note(note));
    }

    fn add_source(&mut self, name: &str, text: String) -> usize {
        self.sources.push(Source { name: self.folder.join(name).display().to_string(), text });
        self.sources.len() - 1
    }

    /// The operations that `read` makes of the bytes of file `name`, which `place` names. What is read the same way, as
    /// `key` says, is read once.
    pub(super) fn operations(
        &mut self,
        table: &Reader<'_>,
        (name, place): (&str, &Place),
        key: &str,
        read: impl FnOnce(&[u8]) -> Result<Goal, Vec<GoalError>>,
    ) -> Option<Arc<Goal>> {
        if let Some(known) = self.operations.get(key) {
            return known.clone();
        }
        let bytes = self.bytes(table, name, place)?;
        let goal = match read(&bytes) {
            Ok(goal) => Some(Arc::new(goal)),
            Err(errors) => {
                self.report(table, (name, place), &bytes, errors);
                None
            }
        };
        self.operations.insert(key.to_owned(), goal.clone());
        goal
    }

    /// The costs in the file `name`, if they have been read before; none in it if they are wrong.
    pub(super) fn matrix(&self, name: &str) -> Option<Option<Arc<CostMatrix>>> {
        self.matrices.get(name).cloned()
    }

    /// Keeps the costs in the file `name`.
    pub(super) fn keep_matrix(&mut self, name: &str, matrix: Option<Arc<CostMatrix>>) {
        self.matrices.insert(name.to_owned(), matrix);
    }

    /// The trace in the file `name` on so many nodes, which `read` reads the first time.
    pub(super) fn trace(
        &mut self,
        (name, nodes): (&str, usize),
        read: impl FnOnce(&mut Self) -> Option<Trace>,
    ) -> Option<Trace> {
        let key = (name.to_owned(), nodes);
        if let Some(known) = self.traces.get(&key) {
            return known.clone();
        }
        let trace = read(self);
        self.traces.insert(key, trace.clone());
        trace
    }

    /// Reports errors where they stand; a binary file cannot be shown.
    fn report(&mut self, table: &Reader<'_>, (name, place): (&str, &Place), bytes: &[u8], errors: Vec<GoalError>) {
        match std::str::from_utf8(bytes) {
            Ok(text) if errors.iter().all(|error| error.line > 0) => {
                let source = self.add_source(name, text.to_owned());
                for GoalError { span, message, .. } in errors {
                    table.error(Diagnostic::at(Place { source, span }, message));
                }
            }
            _ => {
                for GoalError { message, .. } in errors {
                    table.error(Diagnostic::at(place.clone(), format!("`{name}`: {message}")));
                }
            }
        }
    }

    /// The SHA-256 of each file that was read so far, by name.
    pub(super) fn digests(&self) -> &BTreeMap<String, Digest> {
        &self.digests
    }

    pub(super) fn source(&self, index: usize) -> &Source {
        &self.sources[index]
    }
}
