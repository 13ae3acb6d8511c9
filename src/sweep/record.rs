//! Lines of a journal: what is in them, and how it is told that they are whole.
//!
//! A line is JSON, `{"check":"0123456789abcdef","entry":{..}}`; the check is the first half of the digest
//! of the entry's bytes as they stand. A line that was cut short, or any byte of which has changed, does not pass.
//!
//! Long texts, such as a file with a line per rank of a million, stand behind the line as they are; the entry has their
//! lengths and digests.

use super::hops::{HopPart, HopParts};
use super::identity::Identity;
use super::shard::Shard;
use crate::digest::{Digest, hexadecimal};
use crate::kind::{DetailFiles, Keep, Row, RowError, RowId};
use crate::output::{RowFiles, Text};
use crate::recording::Recorder;
use crate::run::Unit;
use crate::scenario::{Experiment, PointId, Scenario};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::io::{self, Read};
use thiserror::Error;

/// What a line says.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Entry<'a> {
    /// The journal begins.
    Began(Beginning),
    /// A unit is done.
    Done(Cow<'a, Record>),
    /// A row failed, in words; the run ends.
    Failed(String),
    /// A run has come to its end.
    Ended(Ending),
}

/// The first line of a journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Beginning {
    /// Which part of the sweep it is.
    pub shard: Shard,
    /// How many units that part has.
    pub units: usize,
    /// How many rows that part has.
    pub rows: u64,
    /// What it belongs to.
    pub identity: Identity,
}

/// What a unit leaves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
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
    /// The lines that it adds to files, by the name of the file.
    pub files: Vec<(Cow<'static, str>, String)>,
    /// What stands behind the line of a journal, in this order: lines that it adds to other files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub behind: Vec<Behind>,
    /// What is summarised: for each row, the values of its metrics in their order.
    pub values: Vec<Vec<Option<u128>>>,
}

impl Record {
    /// The bytes of memory that it takes, roughly.
    pub fn memory(&self) -> usize {
        let texts: usize =
            self.files.iter().map(|(_, text)| size_of::<(Cow<'_, str>, String)>() + text.capacity()).sum();
        let of_row =
            |values: &Vec<Option<u128>>| size_of::<Vec<Option<u128>>>() + values.len() * size_of::<Option<u128>>();
        size_of::<Self>() + texts + self.values.iter().map(of_row).sum::<usize>()
    }
}

/// Lines of a file that stand behind the line of a journal as they are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Behind {
    /// The name of the file.
    pub file: Cow<'static, str>,
    /// How many bytes they are.
    pub bytes: u64,
    /// The digest of these.
    pub digest: Digest,
}

impl Behind {
    /// The lines, which `input` has next; none if it has others.
    pub(super) fn read(&self, input: &mut impl Read) -> io::Result<Option<String>> {
        let mut bytes = Vec::new();
        input.take(self.bytes).read_to_end(&mut bytes)?;
        Ok(if Digest::from_bytes(&bytes) == self.digest { String::from_utf8(bytes).ok() } else { None })
    }
}

/// How a run ended that left nothing to do.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ending {
    /// Rows that it computed, those of runs before aside.
    pub rows: u64,
    /// How many threads computed them.
    pub jobs: usize,
    /// How long it took, in seconds.
    pub seconds: f64,
}

const CHECK: &[u8] = b"{\"check\":\"";
const ENTRY: &[u8] = b"\",\"entry\":";
const DIGITS: usize = 16;

/// Room for the line of a unit of one row, as most are.
const LINE: usize = 384;

/// The line that says `entry`, its end included.
///
/// # Errors
/// If it cannot be written as JSON.
pub fn encode(entry: &Entry<'_>) -> serde_json::Result<Vec<u8>> {
    sealed(entry)
}

/// The line that says `entry`, whatever it is, with its check; its end included.
///
/// # Errors
/// If it cannot be written as JSON.
pub(super) fn sealed(entry: &impl Serialize) -> serde_json::Result<Vec<u8>> {
    let mut line = Vec::with_capacity(LINE);
    line.extend_from_slice(CHECK);
    line.extend_from_slice(&[b'0'; DIGITS]);
    line.extend_from_slice(ENTRY);
    let begin = line.len();
    serde_json::to_writer(&mut line, entry)?;
    let check = check(&line[begin..]);
    line[CHECK.len()..CHECK.len() + DIGITS].copy_from_slice(&hexadecimal(check));
    line.extend_from_slice(b"}\n");
    Ok(line)
}

/// The entry, or as much of it as `T` takes, of a `line` without its end, and its check; none if it is not whole.
pub fn decode<'a, T: Deserialize<'a>>(line: &'a [u8]) -> Option<(T, u64)> {
    let rest = line.strip_prefix(CHECK)?;
    let (digits, rest) = rest.split_at_checked(DIGITS)?;
    let entry = rest.strip_prefix(ENTRY)?.strip_suffix(b"}")?;
    let found = check(entry);
    if digits != hexadecimal(found) {
        return None;
    }
    Some((serde_json::from_slice(entry).ok()?, found))
}

/// Whether bytes begin as a line does.
pub(super) fn begins_as_line(bytes: &[u8]) -> bool {
    bytes.starts_with(CHECK)
}

fn check(bytes: &[u8]) -> u64 {
    Digest::from_bytes(bytes).first_half()
}

/// Lines of a file that are so many bytes, or more, stand behind the line of a journal, not in it.
const LARGE: usize = 1 << 16;

/// A record and how a journal says it.
#[derive(Clone, Debug)]
pub struct Line {
    /// What a unit left, but for the texts.
    record: Record,
    /// The line of a journal, its end included.
    text: Vec<u8>,
    /// What stands behind it.
    behind: Vec<String>,
}

impl Line {
    /// The line that says `record`, and what stands behind it.
    ///
    /// # Errors
    /// If it cannot be written as JSON.
    pub fn new(mut record: Record) -> serde_json::Result<Self> {
        let mut behind = Vec::new();
        for (file, text) in record.files.extract_if(.., |(_, text)| text.len() >= LARGE) {
            record.behind.push(Behind { file, bytes: text.len() as u64, digest: Digest::from_bytes(text.as_bytes()) });
            behind.push(text);
        }
        let text = encode(&Entry::Done(Cow::Borrowed(&record)))?;
        Ok(Self { record, text, behind })
    }

    /// The bytes of the line, without its end.
    pub(super) fn length(&self) -> usize {
        self.text.len() - 1
    }

    /// What a journal is to have, piece by piece.
    pub(super) fn pieces(&self) -> impl Iterator<Item = &[u8]> {
        std::iter::once(self.text.as_slice()).chain(self.behind.iter().map(String::as_bytes))
    }

    /// What the unit left.
    pub(super) fn into_record(self) -> Record {
        let Self { mut record, behind, .. } = self;
        let files = record.behind.drain(..).map(|described| described.file);
        record.files.extend(files.zip(behind));
        record
    }
}

/// Why a unit has no record.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum UnitError {
    /// A row failed.
    #[error(transparent)]
    Row(Box<RowError>),
    /// Its lines are not text.
    #[error(transparent)]
    Lines(#[from] csv::Error),
    /// Its record is not JSON.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// Its hops cannot be written.
    #[error("cannot write hops to {0}")]
    Hops(#[from] io::Error),
}

/// Where the hops of a unit go.
#[derive(Clone, Copy, Debug)]
pub struct HopFile<'a> {
    /// The files of all units.
    pub parts: &'a HopParts,
    /// The number of the unit in its plan.
    pub unit: usize,
}

impl HopFile<'_> {
    /// Computes the rows of `unit`, whose hops are written as they happen.
    fn write(&self, experiment: &Experiment, unit: &Unit, kept: DetailFiles) -> Result<Vec<Row>, UnitError> {
        let mut part = self.parts.begin(self.unit)?;
        let rows = unit.ids().map(|id| with_hops(experiment, id, kept, &mut part));
        let rows = rows.collect::<Result<_, _>>()?;
        part.finish()?;
        Ok(rows)
    }

    /// `error` with where it happened.
    fn told(&self, error: UnitError) -> UnitError {
        match error {
            UnitError::Hops(error) => {
                let folder = self.parts.folder().display();
                UnitError::Hops(io::Error::new(
                    error.kind(),
                    format!("{folder}: {error}; --resume continues from the last complete row"),
                ))
            }
            other => other,
        }
    }
}

/// Computes `unit` of `scenario` with the details that are `kept`. Hops are written to `hops`.
///
/// # Errors
/// The first row that fails, or the first hop that cannot be written.
///
/// # Panics
/// If the scenario has no such unit.
pub fn record(
    scenario: &Scenario,
    unit: &Unit,
    kept: DetailFiles,
    hops: Option<HopFile<'_>>,
) -> Result<Record, UnitError> {
    let Unit { point, algorithm, from, rows: count, .. } = *unit;
    let experiment = &scenario.points[point].experiment;
    let mut rows: Vec<Row> = match hops {
        None => {
            let run = |id| experiment.run(id, Keep::from_files(kept)).map_err(UnitError::Row);
            unit.ids().map(run).collect::<Result<_, _>>()?
        }
        Some(file) => file.write(experiment, unit, kept).map_err(|error| file.told(error))?,
    };
    let lines = RowFiles::new(scenario, kept).lines(&mut rows)?.into_iter();
    let files = lines.map(|Text { file, text }| (Cow::Borrowed(file), text)).collect();
    // not collected, which would keep the room of whole rows
    let mut values = Vec::with_capacity(rows.len());
    values.extend(rows.into_iter().map(|row| row.values));
    Ok(Record { point, id: scenario.points[point].id, algorithm, from, rows: count, files, behind: Vec::new(), values })
}

/// Computes the row `id`, whose hops go to `part` as they happen.
fn with_hops(experiment: &Experiment, id: RowId, kept: DetailFiles, part: &mut HopPart) -> Result<Row, UnitError> {
    let experiment = experiment.in_repetition(id).map_err(UnitError::Row)?;
    let machine = &*experiment.machine;
    let ids = experiment.workload.message_ids(machine);
    let hops = part.row(machine, id.repetition, ids.as_deref())?;
    let mut recorder = Recorder::new(machine, hops);
    let row =
        experiment.run(id, Keep { watch: Some(&mut recorder), ..Keep::from_files(kept) }).map_err(UnitError::Row)?;
    let (hops, _) = recorder.finish();
    hops.finish()?;
    Ok(row)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_with_any_bit_changed_does_not_pass() -> Result<(), serde_json::Error> {
        let line = encode(&Entry::Failed("point 3: \"x\"\n".to_owned()))?;
        let whole = &line[..line.len() - 1];
        assert!(matches!(decode(whole), Some((Entry::Failed(text), _)) if text == "point 3: \"x\"\n"));
        for at in 0..whole.len() {
            assert!(decode::<Entry<'_>>(&whole[..at]).is_none());
            for bit in 0..8 {
                let mut changed = whole.to_vec();
                changed[at] ^= 1 << bit;
                assert!(decode::<Entry<'_>>(&changed).is_none(), "byte {at}, bit {bit}");
            }
        }
        Ok(())
    }
}
