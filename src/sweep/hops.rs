//! `hops.csv`: every message and every channel of its path, of every row.
//!
//! There can be more of them than memory holds, so a unit writes its hops to a file of its own beside the journal while it
//! runs, in a few bytes each; the lines are made of these when the files are put together. Such a file has, for each row, its
//! repetition, and then its messages in the order in which they have passed:
//!
//! ```text
//!   message + 1, hops,  then for each hop
//!       channel, [its name, if it is the first time],  requested - started of the hop before,  granted - requested,
//!       started - granted, released - started
//!   0   at the end of the row
//! ```
//!
//! All numbers are LEB128. At its end stands the digest of all before it, so that a file any byte of which has changed is
//! told from one that is whole.

use super::plan::Plan;
use crate::digest::Digester;
use crate::kind::text;
use crate::leb128;
use crate::machine::Machine;
use crate::output::Output;
use crate::recording::{Hop, HopSink, Track};
use crate::units::{ChannelId, MessageId, Ticks};
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Its columns.
pub(super) const HEADER: [&str; 10] =
    ["point", "algorithm", "repetition", "message", "hop", "channel", "requested", "granted", "started", "released"];

/// The folder, beside the journals, of what units write.
const FOLDER: &str = ".hops";

/// Bytes of the digest at the end of a file.
const DIGEST: usize = 16;

/// How a file is called as long as it is written.
const PARTIAL: &str = "partial";

/// The hops of units, in a folder of a sweep.
#[derive(Clone, Debug)]
pub struct HopParts {
    folder: PathBuf,
}

impl HopParts {
    /// Those of the sweep in `folder`.
    pub fn new(folder: &Path) -> Self {
        Self { folder: folder.join(FOLDER) }
    }

    /// Where they are.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    fn path(&self, unit: usize) -> PathBuf {
        self.folder.join(unit.to_string())
    }

    /// How far the hops of `unit` are there; what cannot be read is damaged.
    pub(super) fn part(&self, unit: usize) -> Part {
        let path = self.path(unit);
        match File::open(&path).and_then(passes) {
            Ok(true) => Part::Whole,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Part::Missing,
            Ok(false) | Err(_) => Part::Damaged(path),
        }
    }

    /// Removes all of them, if there are any.
    ///
    /// # Errors
    /// If they cannot be removed.
    pub fn clear(&self) -> io::Result<()> {
        match std::fs::remove_dir_all(&self.folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Begins to write those of `unit`.
    ///
    /// # Errors
    /// If the file cannot be made.
    pub(super) fn begin(&self, unit: usize) -> io::Result<HopPart> {
        std::fs::create_dir_all(&self.folder)?;
        let path = self.path(unit);
        let file = File::create(path.with_extension(PARTIAL))?;
        Ok(HopPart { path, output: BufWriter::new(file), digester: Digester::default(), error: None })
    }

    /// Adds the lines of all units of `plan` to `output`.
    ///
    /// # Errors
    /// If a unit has not written its own, or it is damaged, or `output` takes no more.
    pub(super) fn write_lines(&self, plan: &Plan, output: &mut Output) -> io::Result<()> {
        for (number, unit) in plan.units.iter().enumerate() {
            let path = self.path(number);
            let told = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
            let file = File::open(&path).map_err(told)?;
            let algorithm = &plan.points[unit.point].algorithms[unit.algorithm];
            let prefix =
                text(|csv| csv.write_record([&unit.point.to_string(), algorithm])).map_err(io::Error::other)?;
            let numbers = Numbers { input: BufReader::with_capacity(LINES, file) };
            let reader = PartReader { numbers, names: Vec::new(), prefix: prefix.trim_end() };
            reader.write_lines(unit.rows, output).map_err(told)?;
        }
        Ok(())
    }
}

/// How far the hops of a unit are there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Nothing of them, or not their end.
    Missing,
    /// Their file is not as it was written.
    Damaged(PathBuf),
    /// All of them.
    Whole,
}

/// Whether `file` ends with the digest of all before.
fn passes(mut file: File) -> io::Result<bool> {
    let Some(length) = file.metadata()?.len().checked_sub(DIGEST as u64) else { return Ok(false) };
    let mut digester = Digester::default();
    io::copy(&mut (&mut file).take(length), &mut digester)?;
    let mut digest = [0; DIGEST];
    file.read_exact(&mut digest)?;
    Ok(digester.finish().to_bytes() == digest)
}

/// The hops of a unit that is at work.
pub(super) struct HopPart {
    path: PathBuf,
    output: BufWriter<File>,
    /// Of what was written.
    digester: Digester,
    /// What went wrong first; nothing is written any more.
    error: Option<io::Error>,
}

impl HopPart {
    /// Begins the row of a `repetition` on `machine`, whose messages are called `ids`, or by their numbers.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn row<'a>(
        &'a mut self,
        machine: &'a Machine,
        repetition: u64,
        ids: Option<&'a [u64]>,
    ) -> io::Result<HopRow<'a>> {
        let mut bytes = Vec::new();
        leb128::push(&mut bytes, repetition);
        self.write(&bytes)?;
        let begin = self.output.stream_position()?;
        let before = self.digester.clone();
        Ok(HopRow { part: self, machine, ids, begin, before, known: Vec::new(), names: 0, bytes })
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.digester.update(bytes);
        self.output.write_all(bytes)
    }

    /// Completes the file.
    ///
    /// # Errors
    /// If something could not be written.
    pub(super) fn finish(mut self) -> io::Result<()> {
        if let Some(error) = self.error {
            return Err(error);
        }
        self.output.write_all(&self.digester.finish().to_bytes())?;
        let file = self.output.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.sync_all()?;
        drop(file);
        std::fs::rename(self.path.with_extension(PARTIAL), &self.path)
    }
}

/// Takes the hops of a row.
pub(super) struct HopRow<'a> {
    part: &'a mut HopPart,
    machine: &'a Machine,
    ids: Option<&'a [u64]>,
    /// Where the row begins in the file.
    begin: u64,
    /// The digest of what stands before it.
    before: Digester,
    /// Per channel its number in the file, and one more.
    known: Vec<u64>,
    names: u64,
    /// Room for a message.
    bytes: Vec<u8>,
}

impl HopRow<'_> {
    /// The row is over.
    ///
    /// # Errors
    /// If something could not be written.
    pub(super) fn finish(self) -> io::Result<()> {
        match self.part.error.take() {
            Some(error) => Err(error),
            None => self.part.write(&[0]),
        }
    }

    fn write(&mut self, message: MessageId, hops: &[Hop]) -> io::Result<()> {
        let id = self.ids.map_or(u64::from(message.0), |ids| ids[message.index()]);
        self.bytes.clear();
        leb128::push(&mut self.bytes, id + 1);
        leb128::push(&mut self.bytes, hops.len() as u64);
        let mut before = Ticks::ZERO;
        for hop in hops {
            self.push_channel(hop.channel);
            leb128::push(&mut self.bytes, (hop.requested - before).0);
            leb128::push(&mut self.bytes, (hop.granted - hop.requested).0);
            let started = hop.started_by();
            leb128::push(&mut self.bytes, (started - hop.granted).0);
            leb128::push(&mut self.bytes, (hop.released - started).0);
            before = started;
        }
        self.part.write(&self.bytes)
    }

    fn push_channel(&mut self, channel: ChannelId) {
        if channel.index() >= self.known.len() {
            self.known.resize(channel.index() + 1, 0);
        }
        let known = &mut self.known[channel.index()];
        if *known > 0 {
            return leb128::push(&mut self.bytes, *known - 1);
        }
        self.names += 1;
        *known = self.names;
        leb128::push(&mut self.bytes, self.names - 1);
        let name = self.machine.channel_name(channel);
        leb128::push(&mut self.bytes, name.len() as u64);
        self.bytes.extend_from_slice(name.as_bytes());
    }

    /// Begins the row again.
    fn begin_again(&mut self) -> io::Result<()> {
        self.part.output.seek(SeekFrom::Start(self.begin))?;
        self.part.output.get_ref().set_len(self.begin)?;
        self.part.digester = self.before.clone();
        self.known.clear();
        self.names = 0;
        Ok(())
    }

    /// Remembers what went wrong until the row is over.
    fn note(&mut self, done: io::Result<()>) {
        if let Err(error) = done {
            self.part.error.get_or_insert(error);
        }
    }
}

impl HopSink for HopRow<'_> {
    fn passed(&mut self, message: MessageId, hops: &[Hop], _: Option<Track>) {
        if self.part.error.is_none() {
            let written = self.write(message, hops);
            self.note(written);
        }
    }

    fn restarted(&mut self) {
        let begun = self.begin_again();
        self.note(begun);
    }
}

/// Makes lines of what a unit has written.
struct PartReader<'a> {
    numbers: Numbers<BufReader<File>>,
    /// What stands in the column `channel`, by number of the channel in the file.
    names: Vec<String>,
    /// The point and the algorithm.
    prefix: &'a str,
}

/// Bytes of lines that are gathered before they are written.
const LINES: usize = 1 << 16;

impl PartReader<'_> {
    fn write_lines(mut self, rows: u64, output: &mut Output) -> io::Result<()> {
        let mut lines = Vec::with_capacity(2 * LINES);
        for _ in 0..rows {
            let repetition = self.numbers.next()?;
            self.names.clear();
            loop {
                let id = self.numbers.next()?;
                if id == 0 {
                    break;
                }
                let beginning = format!("{},{repetition},{},", self.prefix, id - 1);
                self.add_message(&beginning, &mut lines)?;
                if lines.len() >= LINES {
                    output.write_all(&lines)?;
                    lines.clear();
                }
            }
        }
        self.numbers.bytes(DIGEST)?;
        if !self.numbers.input.fill_buf()?.is_empty() {
            return Err(damaged("data after the last row"));
        }
        output.write_all(&lines)
    }

    /// Adds the lines of a message, which begin alike.
    fn add_message(&mut self, beginning: &str, lines: &mut Vec<u8>) -> io::Result<()> {
        let hops = self.numbers.next()?;
        let mut digits = itoa::Buffer::new();
        let mut started = 0;
        for hop in 0..hops {
            let channel = self.read_channel()?;
            let requested = self.numbers.after(started)?;
            let granted = self.numbers.after(requested)?;
            started = self.numbers.after(granted)?;
            let released = self.numbers.after(started)?;
            lines.extend_from_slice(beginning.as_bytes());
            lines.extend_from_slice(digits.format(hop).as_bytes());
            lines.push(b',');
            let name = self.names.get(channel).ok_or_else(|| damaged("a channel number without a name"))?;
            lines.extend_from_slice(name.as_bytes());
            for ticks in [requested, granted, started, released] {
                lines.push(b',');
                lines.extend_from_slice(digits.format(ticks).as_bytes());
            }
            lines.push(b'\n');
        }
        Ok(())
    }

    /// The number of the next channel, whose name is read if it is new.
    fn read_channel(&mut self) -> io::Result<usize> {
        let channel = usize::try_from(self.numbers.next()?).map_err(io::Error::other)?;
        if channel == self.names.len() {
            let length = usize::try_from(self.numbers.next()?).map_err(io::Error::other)?;
            let name = self.numbers.bytes(length)?;
            self.names.push(field(String::from_utf8(name).map_err(io::Error::other)?));
        }
        Ok(channel)
    }
}

/// `name` as a field of CSV: coordinates have commas.
fn field(name: String) -> String {
    if name.contains([',', '"']) { format!("\"{}\"", name.replace('"', "\"\"")) } else { name }
}

/// Reads numbers of seven bits a byte.
struct Numbers<R> {
    input: R,
}

impl<R: BufRead> Numbers<R> {
    fn next(&mut self) -> io::Result<u64> {
        // mostly all of its bytes are there
        if let [first, ..] = *self.input.fill_buf()?
            && first < 0x80
        {
            self.input.consume(1);
            return Ok(first.into());
        }
        let mut number = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let buffer = self.input.fill_buf()?;
            let &byte = buffer.first().ok_or(io::ErrorKind::UnexpectedEof)?;
            self.input.consume(1);
            let part = u64::from(byte & 0x7f);
            if part << shift >> shift != part {
                break; // the tenth byte has room for one bit
            }
            number |= part << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(damaged("a number with more than 64 bits"))
    }

    /// So many ticks after `before` as the next number says.
    fn after(&mut self, before: u64) -> io::Result<u64> {
        before.checked_add(self.next()?).ok_or_else(|| damaged("a time with more than 64 bits"))
    }

    fn bytes(&mut self, count: usize) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let read = self.input.by_ref().take(count as u64).read_to_end(&mut bytes)?;
        if read == count { Ok(bytes) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }
}

fn damaged(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.to_owned())
}
