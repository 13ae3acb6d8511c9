//! Journals: files that lines, and what stands behind them, are appended to, and that can be cut off anywhere.

use super::record::{Beginning, Behind, Ending, Entry, begins_as_line, decode, encode};
use crate::digest::Digester;
use crate::scenario::PointId;
use crate::units::saturated;
use serde::Deserialize;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Bytes of short lines that are written at once, and those that are read.
const TOGETHER: usize = 1 << 16;

/// A journal that is being written.
#[derive(Debug)]
pub(crate) struct Journal {
    file: File,
    /// Bytes of whole lines.
    length: u64,
}

impl Journal {
    /// Goes on behind the first `length` bytes of `file` and drops the others.
    ///
    /// # Errors
    /// If the file cannot be cut.
    pub(crate) fn behind(mut file: File, length: u64) -> io::Result<Self> {
        file.set_len(length)?;
        file.seek(SeekFrom::Start(length))?;
        Ok(Self { file, length })
    }

    /// Appends `pieces`, which make whole lines. If they cannot be written, nothing of them stays, if the file can be cut.
    ///
    /// # Errors
    /// If they cannot be written, such as on a full disk.
    pub(crate) fn append<'a>(&mut self, pieces: impl Iterator<Item = &'a [u8]>) -> io::Result<()> {
        let written = self.write(pieces);
        match written {
            Ok(bytes) => self.length += bytes,
            Err(_) => {
                // what is torn is dropped when the journal is read again
                let _ = self.file.set_len(self.length).and_then(|()| self.file.seek(SeekFrom::Start(self.length)));
            }
        }
        written.map(drop)
    }

    /// Writes `pieces`, short ones together; how many bytes they are.
    fn write<'a>(&mut self, mut pieces: impl Iterator<Item = &'a [u8]>) -> io::Result<u64> {
        let mut output = BufWriter::with_capacity(TOGETHER, &mut self.file);
        let bytes = pieces.try_fold(0, |bytes, piece| output.write_all(piece).map(|()| bytes + piece.len() as u64))?;
        output.flush()?;
        Ok(bytes)
    }

    /// Appends a line that says `entry`.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn say(&mut self, entry: &Entry<'_>) -> io::Result<()> {
        self.append(std::iter::once(encode(entry)?.as_slice()))
    }

    /// Bytes of whole lines.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// Makes sure that what was appended survives a loss of power.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }
}

/// Which unit a line is about, and what it must agree with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
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

/// A record without the text of its rows.
#[derive(Deserialize)]
struct Sketch {
    point: usize,
    id: PointId,
    algorithm: usize,
    from: u64,
    rows: u64,
    #[serde(default)]
    behind: Vec<Behind>,
}

impl Sketch {
    fn mark(&self) -> Mark {
        let Self { point, id, algorithm, from, rows, .. } = *self;
        Mark { point, id, algorithm, from, rows }
    }
}

/// An entry without the text of its rows.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Outline {
    Began(Beginning),
    Done(Sketch),
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

/// A line of a journal that does not pass, or a file beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Damage {
    /// The journal, or the file beside it.
    pub file: PathBuf,
    /// The number of the line, from 1; none where it is the whole file.
    pub line: Option<usize>,
    /// Whether it is the end of the file, cut short.
    pub torn: bool,
}

impl std::fmt::Display for Damage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let what = if self.torn { "is incomplete (its end was not written)" } else { "is damaged (wrong checksum)" };
        match self.line {
            Some(line) => write!(f, "{}: line {line} {what}", self.file.display()),
            None => write!(f, "{} {what}", self.file.display()),
        }
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
        // a number for people: what rows a foreign line tells of is not known to be true
        marks.iter().fold(0, |rows, mark| rows.saturating_add(mark.rows))
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
        let mut input = Input { reader: BufReader::with_capacity(TOGETHER, file), lines: 0 };
        let mut line = Vec::new();
        let mut was_damaged = false;
        while input.line(&mut line)? {
            let number = input.lines;
            let whole = line.strip_suffix(b"\n");
            // what stood behind a damaged line is no line of its own
            if was_damaged && whole.is_some_and(|whole| !begins_as_line(whole)) {
                contents.length += line.len() as u64;
                continue;
            }
            let passes = match whole {
                Some(whole) => contents.take(whole, &mut input)?,
                None => None,
            };
            was_damaged = passes == Some(false);
            if passes != Some(true) {
                contents.damage.push(Damage { file: path.to_owned(), line: Some(number), torn: passes.is_none() });
            }
            if passes.is_none() {
                break;
            }
        }
        Ok(contents)
    }

    /// Takes a line, and what stands behind it; false if it does not pass, none if its end was never written.
    fn take(&mut self, line: &[u8], input: &mut Input) -> io::Result<Option<bool>> {
        let end = self.length + line.len() as u64 + 1;
        let Some((outline, check)) = decode(line) else {
            self.length = end;
            return Ok(Some(false));
        };
        let mut behind = 0;
        match outline {
            Outline::Began(beginning) => self.began = Some(beginning),
            Outline::Done(sketch) => {
                let Some(passes) = input.pass(&sketch.behind)? else { return Ok(None) };
                // all of it is there, so its length is a number
                behind = sketch.behind.iter().map(|described| described.bytes).sum();
                if !passes {
                    self.length = end + behind;
                    return Ok(Some(false));
                }
                self.failed = None;
                self.done.push((sketch.mark(), Span { offset: self.length, length: line.len(), check }));
            }
            Outline::Failed(why) => self.failed = Some(why),
            Outline::Ended(ending) => {
                self.failed = None;
                self.ended.push(ending);
            }
        }
        self.length = end + behind;
        Ok(Some(true))
    }
}

/// A journal that is being read.
struct Input {
    reader: BufReader<File>,
    /// How many ends of lines have been read, and the line that is open.
    lines: usize,
}

impl Input {
    /// Reads a line with its end, if it has one; false at the end of the file.
    fn line(&mut self, line: &mut Vec<u8>) -> io::Result<bool> {
        line.clear();
        self.lines += 1;
        Ok(self.reader.read_until(b'\n', line)? > 0)
    }

    /// Whether all that stands here is what is `described`; none if the file ends within it.
    fn pass(&mut self, described: &[Behind]) -> io::Result<Option<bool>> {
        let mut passes = true;
        for described in described {
            let mut digester = Digester::default();
            let mut left = described.bytes;
            while left > 0 {
                let buffer = self.reader.fill_buf()?;
                if buffer.is_empty() {
                    return Ok(None);
                }
                let part = &buffer[..buffer.len().min(saturated(left))];
                digester.update(part);
                self.lines += part.iter().filter(|&&byte| byte == b'\n').count();
                let read = part.len();
                self.reader.consume(read);
                left -= read as u64;
            }
            passes &= digester.finish() == described.digest;
        }
        Ok(Some(passes))
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
