//! Journals: files that lines are appended to, and that can be cut off anywhere.

use super::record::{Beginning, Ending, Entry, decode, encode};
use crate::scenario::PointId;
use serde::Deserialize;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A journal that is being written.
#[derive(Debug)]
pub struct Journal {
    file: File,
    /// Bytes of whole lines.
    length: u64,
}

impl Journal {
    /// Goes on behind the first `length` bytes of `file` and drops the others.
    ///
    /// # Errors
    /// If the file cannot be cut.
    pub fn behind(mut file: File, length: u64) -> io::Result<Self> {
        file.set_len(length)?;
        file.seek(SeekFrom::Start(length))?;
        Ok(Self { file, length })
    }

    /// Appends whole `lines`. If they cannot be written, nothing of them stays, if the file can be cut.
    ///
    /// # Errors
    /// If they cannot be written, such as on a full disk.
    pub fn append(&mut self, lines: &[u8]) -> io::Result<()> {
        if let Err(error) = self.file.write_all(lines) {
            // what is torn is dropped when the journal is read again
            let _ = self.file.set_len(self.length).and_then(|()| self.file.seek(SeekFrom::Start(self.length)));
            return Err(error);
        }
        self.length += lines.len() as u64;
        Ok(())
    }

    /// Appends a line that says `entry`.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn say(&mut self, entry: &Entry<'_>) -> io::Result<()> {
        self.append(&encode(entry)?)
    }

    /// Bytes of whole lines.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Makes sure that what was appended survives a loss of power.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }
}

/// Which unit a line is about, and what it must agree with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct Mark {
    /// Index of the point.
    pub point: usize,
    /// What the point is known by.
    pub id: PointId,
    /// Index of the algorithm.
    pub algorithm: usize,
    /// The first repetition.
    pub from: u64,
    /// How many.
    pub rows: u64,
}

/// An entry without the text of its rows.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Outline {
    Began(Beginning),
    Done(Mark),
    Failed(String),
    Ended(Ending),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    /// Bytes before it.
    pub(super) offset: u64,
    /// Bytes of it, without its end.
    pub(super) length: usize,
    pub(super) check: u64,
}

/// A line that does not pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The journal.
    pub journal: PathBuf,
    /// Its number, from 1.
    pub line: usize,
    /// Whether it is the end of the file, cut short.
    pub torn: bool,
}

impl std::fmt::Display for Damage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { journal, line, torn } = self;
        let what = if *torn { "is torn: its end was never written" } else { "is damaged: it does not match its check" };
        write!(f, "{}: line {line} {what}", journal.display())
    }
}

/// What stands in a journal.
#[derive(Clone, Debug, Default)]
pub struct Contents {
    /// How it begins, if it does.
    pub began: Option<Beginning>,
    pub(super) done: Vec<(Mark, Span)>,
    /// Why the last run failed, if it did.
    pub failed: Option<String>,
    /// How runs ended that left nothing to do.
    pub ended: Vec<Ending>,
    /// Lines that do not pass.
    pub damage: Vec<Damage>,
    /// Bytes of lines that have an end.
    pub length: u64,
}

impl Contents {
    /// How many rows are done, each counted once.
    pub fn rows(&self) -> u64 {
        let mut marks: Vec<&Mark> = self.done.iter().map(|(mark, _)| mark).collect();
        marks.sort_by_key(|mark| (mark.point, mark.algorithm, mark.from));
        marks.dedup();
        marks.iter().map(|mark| mark.rows).sum()
    }

    /// What stands in the journal `path`; nothing if there is none.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read(path: &Path) -> io::Result<Self> {
        match File::open(path) {
            Ok(file) => Self::of(path, file),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(error),
        }
    }

    fn of(path: &Path, file: File) -> io::Result<Self> {
        let mut contents = Self::default();
        let mut reader = BufReader::with_capacity(1 << 16, file);
        let mut line = Vec::new();
        let mut number = 0;
        loop {
            line.clear();
            let read = reader.read_until(b'\n', &mut line)?;
            if read == 0 {
                return Ok(contents);
            }
            number += 1;
            let damage = |torn| Damage { journal: path.to_owned(), line: number, torn };
            let Some(whole) = line.strip_suffix(b"\n") else {
                contents.damage.push(damage(true));
                return Ok(contents);
            };
            if !contents.take(whole) {
                contents.damage.push(damage(false));
            }
            contents.length += read as u64;
        }
    }

    /// Takes a line; false if it does not pass.
    fn take(&mut self, line: &[u8]) -> bool {
        let Some((outline, check)) = decode(line) else { return false };
        match outline {
            Outline::Began(beginning) => self.began = Some(beginning),
            Outline::Done(mark) => {
                self.failed = None;
                self.done.push((mark, Span { offset: self.length, length: line.len(), check }));
            }
            Outline::Failed(why) => self.failed = Some(why),
            Outline::Ended(ending) => {
                self.failed = None;
                self.ended.push(ending);
            }
        }
        true
    }
}

/// The journals in `folder`, by name.
///
/// # Errors
/// If the folder cannot be read.
pub fn journals(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if name.starts_with("journal-") && name.ends_with(".jsonl") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}
