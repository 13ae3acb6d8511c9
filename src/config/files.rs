//! Files that a scenario names, looked up beside it and read once; and whatever else many points share.

use super::diagnostic::{Diagnostic, Place, Source};
use super::encoding::{Misencoded, decode};
use super::parsing::no_room;
use super::reader::Reader;
use super::regular::{self, not_unpacked, unpacking};
use crate::digest::{Digest, Digester};
use crate::memory::Limit;
use crate::units::saturated;
use rustc_hash::FxHashMap;
use std::any::{Any, TypeId};
use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Files read so far, by the name that the scenario gives them, and what was made of them.
pub struct Files<'a> {
    folder: &'a Path,
    sources: &'a mut Vec<Source>,
    opened: BTreeMap<String, usize>,
    /// What points share, by its type and a key.
    shared: FxHashMap<(TypeId, String), Box<dyn Any>>,
    digests: BTreeMap<String, Digest>,
    /// The most bytes that they and what is made of them may take, if there is a limit.
    limit: Option<Limit>,
    /// Bytes that they and what was made of them take.
    held: u64,
}

/// Bytes that reading a file takes at most, and those that then stay, for each of its bytes.
const READ: u64 = 6;
const HELD: u64 = 3;

/// Bytes of a file that are read at a time: few enough to stay in the cache.
const PART: u64 = 1 << 18;

/// Why a file was not read.
enum Unread {
    Failed(io::Error),
    /// It has so many bytes, or more.
    TooLarge(u64),
}

impl<'a> Files<'a> {
    /// Files in `folder`, whose texts are added to `sources`; what is too large for `limit` is not read.
    pub(crate) fn new(folder: &'a Path, sources: &'a mut Vec<Source>, limit: Option<Limit>) -> Self {
        Self {
            folder,
            sources,
            opened: BTreeMap::new(),
            shared: FxHashMap::default(),
            digests: BTreeMap::new(),
            limit,
            held: 0,
        }
    }

    /// Bytes that the files read so far and what was made of them take.
    pub(crate) fn memory(&self) -> u64 {
        self.held
    }

    /// The path of the file `name`.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Returns the reason why there is no room for `bytes` more, as the end of a sentence, or `None` if there is room.
    pub(crate) fn refusal(&self, bytes: u64) -> Option<String> {
        let needed = self.held.saturating_add(bytes);
        self.limit.filter(|limit| needed > limit.bytes).map(|limit| limit.refusal(needed))
    }

    /// Returns true if there is a file `name`, or something else that has this name.
    pub(crate) fn exists(&self, name: &str) -> bool {
        self.folder.join(name).exists()
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

    /// The same as [`Self::open`] for TOML, which takes more than other texts where there is a table at every few bytes.
    pub fn open_toml(&mut self, table: &Reader<'_>, name: &str, place: &Place) -> Option<usize> {
        let source = self.open(table, name, place)?;
        match no_room(name, &self.sources[source].text, self.held, self.limit) {
            Some(refusal) => {
                table.error(Diagnostic { place: Some(place.clone()), ..refusal });
                None
            }
            None => Some(source),
        }
    }

    /// Reports that the file `name` is not UTF-8 text.
    pub fn refuse_encoding(&mut self, table: &Reader<'_>, name: &str, wrong: &Misencoded) {
        let source = self.sources.len();
        self.sources.push(wrong.source(&self.folder.join(name).display().to_string()));
        table.error(wrong.diagnostic(source));
    }

    /// The bytes of the file `name`, unpacked if it is a gzip file; a file that cannot be read is reported. The digest
    /// is that of the file as it is.
    pub fn bytes(&mut self, table: &Reader<'_>, name: &str, place: &Place) -> Option<Vec<u8>> {
        let mut digester = Digester::default();
        let read = self.read(name, &mut digester).and_then(|bytes| {
            self.hold(&bytes);
            self.unpack(bytes)
        });
        match read {
            Ok(bytes) => {
                self.digests.insert(name.to_owned(), digester.finish());
                Some(bytes)
            }
            Err(Unread::Failed(error)) => {
                self.refuse(table, name, place, &error.to_string());
                None
            }
            Err(Unread::TooLarge(bytes)) => {
                self.refuse_large(table, name, place, bytes);
                None
            }
        }
    }

    /// Unpacks a gzip file. Any other file is returned as it is.
    fn unpack(&mut self, bytes: Vec<u8>) -> Result<Vec<u8>, Unread> {
        let Some(unpacked) = unpacking(&bytes) else { return Ok(bytes) };
        let unpacked = self.all(unpacked, 0, |_| {}).map_err(|unread| match unread {
            Unread::Failed(error) => Unread::Failed(not_unpacked(error)),
            too_large @ Unread::TooLarge(_) => too_large,
        })?;
        self.hold(&unpacked);
        Ok(unpacked)
    }

    /// Counts what stands for the file `name`: its digest, and so many bytes that the caller holds.
    pub(crate) fn given(&mut self, name: &str, digest: Digest, bytes: u64) {
        self.held = self.held.saturating_add(bytes);
        self.digests.insert(name.to_owned(), digest);
    }

    /// Counts what reading leaves.
    fn hold(&mut self, bytes: &[u8]) {
        self.held = self.held.saturating_add(HELD.saturating_mul(bytes.len() as u64));
    }

    /// The most bytes that a file may have.
    fn most(&self) -> u64 {
        self.limit.map_or(u64::MAX - 1, |limit| limit.bytes.saturating_sub(self.held) / READ)
    }

    /// The bytes of a file, which is measured before it is read; `digester` takes them while they are in the cache.
    fn read(&self, name: &str, digester: &mut Digester) -> Result<Vec<u8>, Unread> {
        let (file, length) = regular::open(&self.folder.join(name)).map_err(Unread::Failed)?;
        if length > self.most() {
            return Err(Unread::TooLarge(length));
        }
        self.all(file, saturated(length), |part| digester.update(part))
    }

    /// All that `from` gives, which is `expected` bytes or, of what has no length, any number; no more is taken than may be.
    /// `seen` is told each part.
    fn all(&self, from: impl Read, expected: usize, mut seen: impl FnMut(&[u8])) -> Result<Vec<u8>, Unread> {
        let most = self.most();
        let mut bytes = Vec::new();
        // a length that no memory has is refused when the bytes are there, if they are
        let _ = bytes.try_reserve_exact(expected);
        let mut from = from.take(most + 1);
        loop {
            let begin = bytes.len();
            from.by_ref().take(PART).read_to_end(&mut bytes).map_err(Unread::Failed)?;
            if bytes.len() == begin {
                break;
            }
            seen(&bytes[begin..]);
        }
        if bytes.len() as u64 > most { Err(Unread::TooLarge(bytes.len() as u64)) } else { Ok(bytes) }
    }

    /// Reports that there is no memory for a file of so many bytes, or more.
    fn refuse_large(&self, table: &Reader<'_>, name: &str, place: &Place, bytes: u64) {
        let needed = bytes.saturating_mul(READ).saturating_add(self.held);
        let limit = self.limit.unwrap_or(Limit::available(u64::MAX));
        let message = format!("reading `{name}` {}", limit.refusal(needed));
        table.error(Diagnostic::at(place.clone(), message));
    }

    fn refuse(&self, table: &Reader<'_>, name: &str, place: &Place, problem: &str) {
        let note = format!("file names are relative to the scenario; path: {}", self.folder.join(name).display());
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
