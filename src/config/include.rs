//! `include = "machine.toml"`: what other files say, under what a scenario says itself.
//!
//! Tables are joined key by key, and what stands nearer wins: the command line, then the scenario, then the last file of
//! its list. Of tables of which exactly one stands, such as `[network.mesh]`, a choice takes the place of the included
//! one. Files that an included file names are looked up beside that.
//!
//! A name that begins with `preset:` is the name of a file that ships with the program.

use super::assignment::{in_other_unit, other_unit, takes, unset};
use super::diagnostic::{Diagnostic, Place, Source};
use super::document::{Document, parse};
use super::encoding::decode;
use super::parsing::{needed, no_room};
use super::preset::Preset;
use super::range;
use super::regular::{self, LARGEST};
use super::renamed::Renamed;
use super::value::{Node, Table, Value, dotted};
use crate::digest::Digest;
use crate::memory::Limit;
use crate::spelling::listed;
use crate::units::Key as Declared;
use crate::units::key::Takes;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The key that names files.
const INCLUDE: &str = "include";

/// The most files that are read, each as often as it is included: two that include the next twice, and so on, would never end.
const MOST: usize = 1000;

/// The digest of each file that is included, by name.
pub(crate) type Included = BTreeMap<String, Digest>;

/// The changes of the command line, and the keys, presets and memory that reading a scenario needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Changes<'a> {
    /// `KEY=VALUE` assignments.
    pub(crate) set: &'a [String],
    /// Dotted keys and tables that are taken away before.
    pub(crate) unset: &'a [String],
    /// The keys of the top of a scenario.
    pub(crate) declared: &'static [Declared],
    /// The files that ship with the program.
    pub(crate) presets: &'static [Preset],
    /// The most memory that reading may take; none for no limit.
    pub(crate) memory: Option<Limit>,
}

/// Reads files that others include.
struct Includer<'a> {
    changes: Changes<'a>,
    sources: &'a mut Vec<Source>,
    /// The folder of the scenario.
    folder: &'a Path,
    /// The files that are being read, each included by the one before.
    chain: Vec<PathBuf>,
    /// Which keys were there to be taken away.
    unset: Vec<bool>,
    /// The old spellings of keys so far.
    renamed: Renamed,
    digests: Included,
    /// How many files have been read.
    read: usize,
    /// Bytes that parsing all sources so far has taken.
    held: u64,
    wrong: Vec<Diagnostic>,
}

impl Document {
    /// Takes away and sets what the command line says, and puts below that what included files say, which are looked up
    /// beside the file that names them, the scenario's own in `folder`.
    ///
    /// # Errors
    /// Everything that is wrong with assignments and with included files.
    pub(crate) fn change(&mut self, folder: &Path, changes: Changes<'_>) -> Result<Included, Vec<Diagnostic>> {
        let mut renamed = Renamed::default();
        renamed.update(&mut self.root, changes.declared);
        let paths: Vec<String> = changes.unset.iter().map(|path| renamed.updated(path, changes.declared)).collect();
        let unset: Vec<bool> = paths.iter().map(|path| unset(&mut self.root, path)).collect();
        let mut wrong: Vec<Diagnostic> =
            changes.set.iter().filter_map(|set| self.assign_text(set, changes.declared, &mut renamed).err()).collect();
        renamed.update(&mut self.root, changes.declared);
        let chain = self.sources.first().and_then(|file| std::fs::canonicalize(&file.name).ok()).into_iter().collect();
        let held = self.sources.iter().map(|source| needed(&source.text)).sum();
        let mut includer = Includer {
            changes: Changes { unset: &paths, ..changes },
            sources: &mut self.sources,
            folder,
            chain,
            unset,
            renamed,
            digests: Included::new(),
            read: 0,
            held,
            wrong: Vec::new(),
        };
        includer.resolve(&mut self.root, Path::new(""));
        let Includer { unset, digests, wrong: in_files, renamed, .. } = includer;
        wrong.extend(in_files);
        wrong.extend(renamed.errors);
        self.renamed = renamed.notes;
        for (path, _) in changes.unset.iter().zip(unset).filter(|(_, found)| !found) {
            wrong.push(self.nothing_to_unset(path));
        }
        if wrong.is_empty() { Ok(digests) } else { Err(wrong) }
    }
}

impl Includer<'_> {
    /// Puts what the files that `table` includes say below what it says; `beside` is the folder of its file, seen from
    /// that of the scenario.
    fn resolve(&mut self, table: &mut Table, beside: &Path) {
        let Some(at) = table.entries.iter().position(|(key, _)| key.name == INCLUDE) else { return };
        let (_, node) = table.entries.remove(at);
        let Some(names) = names(&node) else {
            let message = format!("`{INCLUDE}` must be a string or an array of strings, not {}", node.value.kind());
            let note = "accepted: file names relative to this file, or `preset:` and the name of a preset";
            self.wrong.push(Diagnostic::at(node.place, message).note(note));
            return;
        };
        // below what the last one says is what those before it say
        for (name, place) in names.into_iter().rev() {
            if let Some(included) = self.counted(name, beside, place) {
                merge(table, included, self.changes.declared);
            }
        }
    }

    /// Returns the table of the file or preset `name`, which is included at `place` by a file in the directory `beside`, or
    /// `None` after an error. An error is reported for the first of too many files only.
    fn counted(&mut self, name: &str, beside: &Path, place: &Place) -> Option<Table> {
        self.read += 1;
        if self.read == MOST + 1 {
            let message =
                format!("cannot include `{}`: {MOST} files have already been included", written(name, beside));
            let note = "a file counts each time it is included, and so do the files that it includes";
            self.wrong.push(Diagnostic::at(place.clone(), message).note(note));
        }
        if self.read > MOST {
            return None;
        }
        match Preset::name_in(name) {
            Some(preset) => self.read_preset(preset, place),
            None => self.read(&beside.join(name), place),
        }
    }

    /// Returns the table of the preset `name`, which is included at `place`, or `None` after an error. Presets include
    /// nothing.
    fn read_preset(&mut self, name: &str, place: &Place) -> Option<Table> {
        let Some(preset) = Preset::find(self.changes.presets, name) else {
            let names = || self.changes.presets.iter().map(|preset| preset.name);
            let unknown = Diagnostic::at(place.clone(), format!("there is no preset `{name}`"));
            self.wrong.push(unknown.note(format!("accepted: {}", listed(names()))).did_you_mean(name, names()));
            return None;
        };
        let digest = Digest::from_bytes(preset.text.as_bytes());
        self.parse(preset.title(), preset.title(), preset.text.to_owned(), digest, place)
    }

    /// What the file `path` says, which is named at `place`, with all that it includes.
    fn read(&mut self, path: &Path, place: &Place) -> Option<Table> {
        let name = path.display().to_string();
        let whole = self.folder.join(path);
        let refuse = |wrong: &mut Vec<Diagnostic>, why: &str| {
            let note = format!("file names are relative to the including file; path: {}", whole.display());
            wrong.push(Diagnostic::at(place.clone(), format!("cannot include `{name}`: {why}")).note(note));
        };
        let found = match std::fs::canonicalize(&whole).and_then(|found| Ok((regular::read(&found)?, found))) {
            Ok(found) => found,
            Err(error) => {
                refuse(&mut self.wrong, &error.to_string());
                return None;
            }
        };
        let (bytes, found) = found;
        if self.chain.contains(&found) {
            refuse(&mut self.wrong, "it includes itself, directly or through another file");
            return None;
        }
        let before: usize = self.sources.iter().map(|source| source.text.len()).sum();
        if (before + bytes.len()) as u64 > LARGEST {
            let most = LARGEST >> 20;
            refuse(&mut self.wrong, &format!("the included files would exceed {most} MiB"));
            return None;
        }
        let source = self.sources.len();
        let digest = Digest::from_bytes(&bytes);
        let text = match decode(bytes) {
            Ok(text) => text,
            Err(other) => {
                self.sources.push(other.source(&whole.display().to_string()));
                self.wrong.push(other.diagnostic(source));
                return None;
            }
        };
        let mut table = self.parse(name, whole.display().to_string(), text, digest, place)?;
        let beside = path.parent().unwrap_or(Path::new(""));
        relocate(&mut table, beside, self.changes.declared);
        self.chain.push(found);
        self.resolve(&mut table, beside);
        self.chain.pop();
        Some(table)
    }

    /// Parses the `text` with this `digest`, which is included as `name` at `place` and called `title` in diagnostics, and
    /// removes the keys that the command line unsets.
    fn parse(&mut self, name: String, title: String, text: String, digest: Digest, place: &Place) -> Option<Table> {
        if let Some(refusal) = no_room(&name, &text, self.held, self.changes.memory) {
            self.wrong.push(Diagnostic { place: Some(place.clone()), ..refusal });
            return None;
        }
        self.held = self.held.saturating_add(needed(&text));
        self.digests.insert(name, digest);
        let parsed = parse(&text, self.sources.len());
        self.sources.push(Source::new(title, text));
        let mut table = parsed.map_err(|wrong| self.wrong.push(wrong)).ok()?;
        self.renamed.update(&mut table, self.changes.declared);
        for (path, found) in self.changes.unset.iter().zip(&mut self.unset) {
            *found |= unset(&mut table, path);
        }
        Some(table)
    }
}

/// The `name` of an include, seen from the directory of the scenario, for a message.
fn written(name: &str, beside: &Path) -> String {
    match Preset::name_in(name) {
        Some(_) => name.to_owned(),
        None => beside.join(name).display().to_string(),
    }
}

/// The names that the value of `include` is, with their places.
fn names(node: &Node) -> Option<Vec<(&str, &Place)>> {
    let name = |node: &'_ Node| matches!(node.value, Value::String(_));
    let values = match &node.value {
        Value::Array(values) if values.iter().all(name) => values.as_slice(),
        Value::String(_) => std::slice::from_ref(node),
        _ => return None,
    };
    let named = values.iter().filter_map(|node| match &node.value {
        Value::String(text) => Some((text.as_str(), &node.place)),
        _ => None,
    });
    Some(named.collect())
}

/// Makes names of files in `table`, whose own file is in the folder `beside`, what they are from the scenario's.
fn relocate(table: &mut Table, beside: &Path, declared: &[Declared]) {
    if beside.as_os_str().is_empty() {
        return;
    }
    for (key, node) in &mut table.entries {
        let Some(declared) = Declared::find(declared, &key.name) else { continue };
        match &mut node.value {
            Value::String(name) if matches!(declared.takes, Takes::File) => {
                *name = beside.join(&*name).display().to_string();
            }
            Value::Table(inner) => relocate(inner, beside, declared.inner()),
            _ => {}
        }
    }
}

/// Adds to the scenario `own` what `other` says and it does not.
fn merge(own: &mut Table, mut other: Table, declared: &'static [Declared]) {
    // what is given and what is swept here is not swept there
    let mut leaves = Vec::new();
    collect(own, "", declared, &mut leaves);
    if let Some(Value::Table(swept)) = other.get_mut("sweep") {
        for path in leaves {
            let start = Place { source: 0, span: 0..0 };
            if let Some(other) = in_other_unit(declared, &dotted(&path, &start)) {
                swept.remove(&other);
            }
            swept.remove(&path);
        }
    }
    join(own, other, declared, false);
}

/// Adds to the table `own` what `other` says and it does not; if it is `one_of` several, its choice stays.
fn join(own: &mut Table, other: Table, declared: &'static [Declared], one_of: bool) {
    let chosen = one_of && !own.entries.is_empty();
    for (key, node) in other.entries {
        // this table gives the same value in another unit
        if other_unit(declared, &key.name).is_some_and(|other| own.get(other).is_some()) {
            continue;
        }
        let takes = Declared::find(declared, &key.name);
        match (own.get_mut(&key.name), node.value) {
            (None, _) if chosen => {}
            (None, value) => own.entries.push((key, Node { value, place: node.place })),
            (Some(Value::Table(inner)), Value::Table(other)) if !range::is_range(inner) => {
                let one_of = takes.is_some_and(|key| matches!(key.takes, Takes::OneOf(_)));
                join(inner, other, takes.map_or(&[], Declared::inner), one_of);
            }
            _ => {}
        }
    }
}

/// The dotted keys that `table` gives, and those that it sweeps.
fn collect(table: &Table, prefix: &str, declared: &'static [Declared], leaves: &mut Vec<String>) {
    for (key, node) in &table.entries {
        let path = if prefix.is_empty() { key.name.clone() } else { format!("{prefix}.{}", key.name) };
        match &node.value {
            Value::Table(swept) if path == "sweep" => collect(swept, "", declared, leaves),
            Value::Table(inner) if !range::is_range(inner) => collect(inner, &path, declared, leaves),
            Value::Array(groups) if path == "zip" => {
                for node in groups {
                    if let Value::Table(group) = &node.value {
                        collect(group, "", declared, leaves);
                    }
                }
            }
            _ if takes(declared, &dotted(&path, &key.place)).is_some() => leaves.push(path),
            _ => {}
        }
    }
}
