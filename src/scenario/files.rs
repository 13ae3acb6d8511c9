//! Files that a scenario names, looked up beside it and read once.

use super::diagnostic::Diagnostic;
use super::document::{Place, Source};
use super::reader::Reader;
use crate::schedule::goal::{Goal, GoalError};
use crate::topology::CostMatrix;
use sha2::{Digest, Sha256};
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
    /// The SHA-256 of each file of operations, whose bytes are not kept.
    digests: Vec<[u8; 32]>,
}

impl<'a> Files<'a> {
    pub(super) fn new(folder: &'a Path, sources: &'a mut Vec<Source>) -> Self {
        Self {
            folder,
            sources,
            opened: BTreeMap::new(),
            operations: BTreeMap::new(),
            matrices: BTreeMap::new(),
            digests: Vec::new(),
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

    fn bytes(&self, table: &Reader<'_>, name: &str, place: &Place) -> Option<Vec<u8>> {
        let bytes = std::fs::read(self.folder.join(name));
        bytes.map_err(|error| self.refuse(table, name, place, &error.to_string())).ok()
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
        self.digests.push(Sha256::digest(&bytes).into());
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

    /// The SHA-256 of each file of operations, in the order in which they were read.
    pub(super) fn digests(self) -> Vec<[u8; 32]> {
        self.digests
    }

    pub(super) fn source(&self, index: usize) -> &Source {
        &self.sources[index]
    }
}
