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
    opened: BTreeMap<String, Option<usize>>,
}

impl<'a> Files<'a> {
    pub(super) fn new(folder: &'a Path, sources: &'a mut Vec<Source>) -> Self {
        Self { folder, sources, opened: BTreeMap::new() }
    }

    /// The index of the file's source; a file that cannot be read is reported once for each place that names it.
    pub(super) fn open(&mut self, table: &Reader<'_>, name: &str, place: &Place) -> Option<usize> {
        if let Some(&known) = self.opened.get(name)
            && known.is_some()
        {
            return known;
        }
        let path = self.folder.join(name);
        let read = std::fs::read(&path).map(String::from_utf8);
        let source = match read {
            Ok(Ok(text)) => {
                self.sources.push(Source { name: path.display().to_string(), text });
                Some(self.sources.len() - 1)
            }
            Ok(Err(_)) => {
                table.error(Diagnostic::at(place.clone(), format!("`{name}` is not UTF-8 text")));
                None
            }
            Err(error) => {
                let message = format!("cannot read `{name}`: {error}");
                let note = format!("a file is looked up beside the scenario: {}", path.display());
                table.error(Diagnostic::at(place.clone(), message).note(note));
                None
            }
        };
        self.opened.insert(name.to_owned(), source);
        source
    }

    pub(super) fn source(&self, index: usize) -> &Source {
        &self.sources[index]
    }
}
