//! Parameters from measurements: `t_end`, `t_hold`, LogP and LogGOPS from what benchmarks print.
//!
//! [`read`] turns the text of one file into [`Measurements`]: per size how long a message takes (`t_end`), how far
//! apart sends are (`t_hold`), and how long the processors of both ends are busy (`t_send`, `t_recv`), as far as the
//! file says. [`Measurements::combine`] puts files together that complement each other, and [`Parameters::of`] lays
//! lines through the times and derives the models' parameters, with everything that had to be assumed. All is in
//! seconds and bytes; ticks and flits are a scenario's. Nothing here opens files or prints.
//!
//! | file | `t_end(m)` | `t_hold(m)` | `t_send(m)`, `t_recv(m)` |
//! |---|---|---|---|
//! | OSU `osu_latency` | the latency | | |
//! | OSU `osu_bw`, `osu_mbw_mr` | | `m` / bandwidth | |
//! | `logp_mpi` (parameterised LogP, Kielmann et al. 2000) | `L + g(m)` | `g(m)` | `os(m)`, `or(m)` |
//! | Netgauge `loggp` (Hoefler et al. 2007) | `PRTT(1,0,s) / 2` | `(PRTT(n,0,s) - PRTT(1,0,s)) / (n - 1)` | `o_s`, `o_r` |

mod error;
mod line;
mod netgauge;
mod osu;
mod parameters;
mod plogp;

pub use error::{FitError, FitPlace};
pub use line::{Affine, Change, Clamped, CurveFit, Fitted};
pub use parameters::{LogGopsSeconds, NodeSeconds, Parameters, time_text};

use crate::delimiter::has_decimal_comma;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

/// A format of measurements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// What the OSU micro-benchmarks print.
    Osu,
    /// The table that `logp_mpi` writes.
    Plogp,
    /// The table that Netgauge's `loggp` pattern writes.
    Netgauge,
}

impl Format {
    /// What a row looks like.
    pub fn rows(self) -> &'static str {
        match self {
            Self::Osu => "a size in bytes, a value and any further columns, such as `1024  2.77`",
            Self::Plogp => "nine columns: time bytes os os_min os_cnfint or or_min or_cnfint g, times in seconds",
            Self::Netgauge => {
                "eleven columns: size n PRTT(1,0,s) PRTT(n,0,s) PRTT(n,PRTT(1,0,s),s) L o_s o_r g G lsqu(g,G), times in us"
            }
        }
    }

    /// The format that a line without its `#` introduces, if it is a title or header.
    fn introduced_by(line: &str) -> Option<Self> {
        if line.starts_with("LogP network performance data") || line.starts_with("Latency =") {
            Some(Self::Plogp)
        } else if line.starts_with("size") && line.contains("PRTT(1,0,s)") {
            Some(Self::Netgauge)
        } else {
            (osu::is_title(line) || osu::is_header(line)).then_some(Self::Osu)
        }
    }

    /// The only format whose titles or headers are in `text`.
    fn recognise(file: &str, text: &str) -> Result<Self, FitError> {
        let mut found: Option<(Self, usize)> = None;
        for row in numbered(text) {
            match (found, Self::introduced_by(uncommented(row.text))) {
                (None, Some(format)) => found = Some((format, row.line)),
                (Some((format, first)), Some(other)) if other != format => {
                    return Err(FitError::second_table(file, row, first));
                }
                _ => {}
            }
        }
        found.map(|(format, _)| format).ok_or_else(|| {
            let first = numbered(text).find(|line| !line.text.is_empty());
            let first =
                first.map_or("it is empty".to_owned(), |line| format!("it starts with `{}`", clipped(line.text)));
            FitError {
                place: None,
                problem: format!("{file}: unknown format; {first}"),
                accepted: "OSU text of osu_latency, osu_bw or osu_mbw_mr; the table of logp_mpi (`# LogP network \
                           performance data`); the loggp table of Netgauge (`# size n PRTT(1,0,s)`)",
                hint: "if it is one of these without its header, specify it with --format",
            }
        })
    }
}

impl std::fmt::Display for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Osu => "OSU text",
            Self::Plogp => "the table of logp_mpi",
            Self::Netgauge => "the loggp table of Netgauge",
        })
    }
}

/// A time that was measured at one size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// The length of the message, bytes.
    pub bytes: u64,
    /// The time, seconds; above zero.
    pub seconds: f64,
    /// The line of the file, counted from 1.
    pub line: usize,
}

/// A file that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Its name.
    pub name: String,
    /// What it was recognised as, with its own title if it has one.
    pub recognised: String,
    /// The lines that were used, counted from 1, in order.
    pub used: Vec<usize>,
    /// Lines, or values in them, that were not used, and why.
    pub skipped: Vec<(usize, String)>,
}

/// What files say about single messages between two processes. Times that they do not measure are empty.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurements {
    /// The files.
    pub origins: Vec<Origin>,
    /// From the start of a send to its receipt.
    pub t_end: Vec<Sample>,
    /// Between the starts of two sends of a processor.
    pub t_hold: Vec<Sample>,
    /// The sender's processor is busy so long.
    pub t_send: Vec<Sample>,
    /// The receiver's processor is busy so long.
    pub t_recv: Vec<Sample>,
    /// What had to be assumed to read them so.
    pub assumed: Vec<String>,
}

/// Reads `text`, the content of the file called `file`, as `format` or as whatever it is recognised as, and keeps the
/// rows whose sizes in bytes are in `sizes`.
///
/// # Errors
/// If it is in none of the formats, measures something else, or has a row that is none: with the line.
pub fn read(
    file: &str,
    text: &str,
    format: Option<Format>,
    sizes: &RangeInclusive<u64>,
) -> Result<Measurements, FitError> {
    let format = format.map_or_else(|| Format::recognise(file, text), Ok)?;
    let mut measurements = match format {
        Format::Osu => osu::read(file, text)?,
        Format::Plogp => plogp::read(file, text)?,
        Format::Netgauge => netgauge::read(file, text)?,
    };
    refuse_implausible(file, text, format, &mut measurements)?;
    measurements.keep(sizes);
    match measurements.origins.first() {
        Some(origin) if origin.used.is_empty() => {
            let skipped = origin.skipped.first();
            let skipped =
                skipped.map_or(String::new(), |(line, why)| format!("; the first skipped row is line {line}: {why}"));
            Err(FitError {
                place: None,
                problem: format!("{file}: no row of {format} can be used{skipped}"),
                accepted: format.rows(),
                hint: "check that the run was complete, and that --from and --to do not exclude all rows",
            })
        }
        _ => Ok(measurements),
    }
}

/// Times that messages can take, seconds: from a femtosecond to thirty years. What is beyond is a slip of a unit or a torn
/// number, and squares of times must stay numbers.
const PLAUSIBLE: RangeInclusive<f64> = 1e-15..=1e9;

/// Refuses times that no message takes, with the line.
fn refuse_implausible(file: &str, text: &str, format: Format, measurements: &mut Measurements) -> Result<(), FitError> {
    let samples = measurements.curves().into_iter().flat_map(|(_, curve)| curve.to_vec());
    let mut wrong: Vec<Sample> = samples.filter(|sample| !PLAUSIBLE.contains(&sample.seconds)).collect();
    wrong.sort_by_key(|sample| sample.line);
    let Some(Sample { bytes, seconds, line }) = wrong.first().copied() else { return Ok(()) };
    let row = numbered(text).find(|row| row.line == line).unwrap_or(Numbered { line, text: "" });
    let problem = format!("{seconds:e} s is not a plausible time for a message of {}", byte_count(bytes));
    Err(bad_row(file, row, format, problem))
}

impl Measurements {
    /// Of the file `name`, without any times yet.
    fn new(name: &str, recognised: String) -> Self {
        let origin = Origin { name: name.to_owned(), recognised, used: Vec::new(), skipped: Vec::new() };
        let [t_end, t_hold, t_send, t_recv] = [const { Vec::new() }; 4];
        Self { origins: vec![origin], t_end, t_hold, t_send, t_recv, assumed: Vec::new() }
    }

    fn curves(&mut self) -> [(&'static str, &mut Vec<Sample>); 4] {
        let Self { t_end, t_hold, t_send, t_recv, .. } = self;
        [("t_end", t_end), ("t_hold", t_hold), ("t_send", t_send), ("t_recv", t_recv)]
    }

    fn skip(&mut self, line: usize, why: impl Into<String>) {
        if let Some(origin) = self.origins.first_mut() {
            origin.skipped.push((line, why.into()));
        }
    }

    /// Adds a sample of the time `what`, which the file calls `name`; one that is not above zero is skipped as `unusable`.
    fn add(&mut self, what: &str, name: &str, sample: Sample, unusable: &str) {
        if sample.seconds <= 0.0 {
            self.skip(sample.line, format!("its {name} at {} is {unusable}", byte_count(sample.bytes)));
        } else if let Some((_, curve)) = self.curves().into_iter().find(|(known, _)| *known == what) {
            curve.push(sample);
        }
    }

    /// Drops the rows of other sizes, and notes which lines are left.
    fn keep(&mut self, sizes: &RangeInclusive<u64>) {
        let mut used = BTreeSet::new();
        let mut dropped = BTreeSet::new();
        for (_, curve) in self.curves() {
            for sample in curve.iter() {
                let lines = if sizes.contains(&sample.bytes) { &mut used } else { &mut dropped };
                lines.insert((sample.line, sample.bytes));
            }
            curve.retain(|sample| sizes.contains(&sample.bytes));
        }
        for (line, bytes) in dropped {
            self.skip(line, format!("the size {bytes} is outside --from and --to"));
        }
        for origin in &mut self.origins {
            origin.used = used.iter().map(|&(line, _)| line).collect();
            origin.skipped.sort();
        }
    }

    /// Puts this and `other` together, which must measure different times.
    ///
    /// # Errors
    /// If both measure the same time.
    pub fn combine(mut self, mut other: Self) -> Result<Self, FitError> {
        let first = self.file_names();
        let second = other.file_names();
        for ((what, ours), (_, theirs)) in self.curves().into_iter().zip(other.curves()) {
            if !ours.is_empty() && !theirs.is_empty() {
                return Err(FitError {
                    place: None,
                    problem: format!("{first} and {second} both measure {what}"),
                    accepted: "several files that complement each other, such as osu_latency and osu_bw",
                    hint: "fit them separately",
                });
            }
            ours.append(theirs);
        }
        self.origins.append(&mut other.origins);
        self.assumed.append(&mut other.assumed);
        Ok(self)
    }

    fn file_names(&self) -> String {
        let names: Vec<&str> = self.origins.iter().map(|origin| origin.name.as_str()).collect();
        names.join(", ")
    }
}

/// A line of a file, without blanks at either end.
#[derive(Clone, Copy)]
struct Numbered<'a> {
    /// Its number, from 1.
    line: usize,
    text: &'a str,
}

fn numbered(text: &str) -> impl Iterator<Item = Numbered<'_>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    text.lines().map(str::trim).zip(1..).map(|(text, line)| Numbered { line, text })
}

/// A line without the `#` that makes it a comment; some logs have lost it.
fn uncommented(line: &str) -> &str {
    line.trim_start_matches('#').trim_start()
}

/// A line fit to be shown in a message: short, and without control characters.
fn clipped(line: &str) -> String {
    const MOST: usize = 60;
    let mut shown: String = line.chars().take(MOST).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if line.chars().nth(MOST).is_some() {
        shown += "...";
    }
    shown
}

/// A number of bytes with its noun, such as `1 byte`.
fn byte_count(bytes: u64) -> String {
    if bytes == 1 { "1 byte".to_owned() } else { format!("{bytes} bytes") }
}

fn number(token: &str) -> Option<f64> {
    token.parse().ok().filter(|value: &f64| value.is_finite())
}

/// A row of `format` that is none.
fn bad_row(file: &str, row: Numbered<'_>, format: Format, problem: impl Into<String>) -> FitError {
    let hint = match format {
        _ if row.text.split_whitespace().any(has_decimal_comma) => {
            "write a decimal point, not a decimal comma; benchmarks write points if they run with LC_NUMERIC=C"
        }
        Format::Osu => {
            "remove text after the table that starts with a digit, and lines broken by the output of other ranks"
        }
        Format::Plogp | Format::Netgauge => "check that the file is complete and contains a single run",
    };
    let place = Some(FitPlace::new(file, row));
    FitError { place, problem: problem.into(), accepted: format.rows(), hint }
}
