//! Files that a scenario names, looked up beside it and read once.

use super::diagnostic::Diagnostic;
use super::document::{Place, Source};
use super::reader::Reader;
use std::collections::BTreeMap;
use std::path::Path;

/// Files read so far, by the name that the scenario gives them.
pub(super) struct Files<'a> {
    folder: &'a Path,
    sources: &'a mut Vec<Source>,
    opened: BTreeMap<String, usize>,
}

impl<'a> Files<'a> {
    pub(super) fn new(folder: &'a Path, sources: &'a mut Vec<Source>) -> Self {
        Self { folder, sources, opened: BTreeMap::new() }
    }

    /// The index of the file's source; a file that cannot be read is reported once for each place that names it.
    pub(super) fn open(&mut self, table: &Reader<'_>, name: &str, place: &Place) -> Option<usize> {
        if let Some(&known) = self.opened.get(name) {
            return Some(known);
        }
        let path = self.folder.join(name);
        let problem = match std::fs::read(&path).map(String::from_utf8) {
            Ok(Ok(text)) => {
                self.sources.push(Source { name: path.display().to_string(), text });
                self.opened.insert(name.to_owned(), self.sources.len() - 1);
                return Some(self.sources.len() - 1);
            }
            Ok(Err(_)) => "it is not UTF-8 text".to_owned(),
            Err(error) => error.to_string(),
        };
        let note = format!("a file is looked up beside the scenario: {}", path.display());
        table.error(Diagnostic::at(place.clone(), format!("cannot read `{name}`: {problem}")).note(note));
        None
    }

    pub(super) fn source(&self, index: usize) -> &Source {
        &self.sources[index]
    }
}
