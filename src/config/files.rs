//! Files that a scenario names, looked up beside it and read once; and whatever else many points share.

use super::diagnostic::{Diagnostic, Place, Source};
use super::encoding::{Misencoded, decode};
use super::reader::Reader;
use crate::digest::Digest;
use rustc_hash::FxHashMap;
use std::any::{Any, TypeId};
use std::collections::BTreeMap;
use std::path::Path;

/// Files read so far, by the name that the scenario gives them, and what was made of them.
pub struct Files<'a> {
    folder: &'a Path,
    sources: &'a mut Vec<Source>,
    opened: BTreeMap<String, usize>,
    /// What points share, by its type and a key.
    shared: FxHashMap<(TypeId, String), Box<dyn Any>>,
    digests: BTreeMap<String, Digest>,
}

impl<'a> Files<'a> {
    pub(crate) fn new(folder: &'a Path, sources: &'a mut Vec<Source>) -> Self {
        Self { folder, sources, opened: BTreeMap::new(), shared: FxHashMap::default(), digests: BTreeMap::new() }
    }

    /// The index of the source of the text file `name`; a file that cannot be read is reported once for each place that
    /// names it.
    pub fn open(&mut self, table: &Reader<'_>, name: &str, place: &Place) -> Option<usize> {
        if let Some(&known) = self.opened.get(name) {
            return Some(known);
        }
        match decode(self.bytes(table, name, place)?) {
            Ok(text) => {
                let source = self.add_source(name, text);
                self.opened.insert(name.to_owned(), source);
                Some(source)
            }
            Err(wrong) => {
                self.refuse_encoding(table, name, &wrong);
                None
            }
        }
    }

    /// Reports that the file `name` is not UTF-8 text.
    pub fn refuse_encoding(&mut self, table: &Reader<'_>, name: &str, wrong: &Misencoded) {
        let source = self.sources.len();
        self.sources.push(wrong.source(&self.folder.join(name).display().to_string()));
        table.error(wrong.diagnostic(source));
    }

    /// The bytes of the file `name`; a file that cannot be read is reported.
    pub fn bytes(&mut self, table: &Reader<'_>, name: &str, place: &Place) -> Option<Vec<u8>> {
        let bytes = std::fs::read(self.folder.join(name));
        let bytes = bytes.map_err(|error| self.refuse(table, name, place, &error.to_string())).ok()?;
        self.digests.insert(name.to_owned(), Digest::from_bytes(&bytes));
        Some(bytes)
    }

    fn refuse(&self, table: &Reader<'_>, name: &str, place: &Place, problem: &str) {
        let note = format!("a file is looked up beside the scenario: {}", self.folder.join(name).display());
        table.error(Diagnostic::at(place.clone(), format!("cannot read `{name}`: {problem}")).note(note));
    }

    /// Adds the text of the file `name`, so that diagnostics can point into it.
    pub fn add_source(&mut self, name: &str, text: String) -> usize {
        self.sources.push(Source::new(self.folder.join(name).display().to_string(), text));
        self.sources.len() - 1
    }

    /// What `make` makes, once for all points that ask for the same `T` under the same `key`.
    pub fn shared<T: Clone + 'static>(&mut self, key: &str, make: impl FnOnce(&mut Self) -> T) -> T {
        let kept = (TypeId::of::<T>(), key.to_owned());
        if let Some(known) = self.shared.get(&kept).and_then(|known| known.downcast_ref::<T>()) {
            return known.clone();
        }
        let made = make(self);
        self.shared.insert(kept, Box::new(made.clone()));
        made
    }

    /// The digest of each file that was read so far, by name.
    pub fn digests(&self) -> &BTreeMap<String, Digest> {
        &self.digests
    }

    /// The source with this index; panics if there is none.
    pub fn source(&self, index: usize) -> &Source {
        &self.sources[index]
    }
}
