//! `[noise]`: times at which the operating system takes processors from ranks.

use crate::config::{Diagnostic, Fault, Files, Place, Reader};
use crate::costs::{Noise, NoiseEvents, NoiseTrace};
use crate::kind::Job;
use crate::kind::words::counted;
use crate::random;
use crate::units::Key;
use rand::RngExt;
use serde::Serialize;
use std::sync::Arc;

const FILE: Key = Key::file("file")
    .or_else("none, with `period` and `duration`")
    .says("file of events: an offset and a duration in ticks on each line, in rising order");
const PERIOD: Key = Key::integer("period", 1..=1 << 60)
    .unit("ticks")
    .unless("file")
    .because("the file lists all events")
    .says("time from one event to the next");
const DURATION: Key = Key::integer("duration", 0..=1 << 60)
    .unit("ticks")
    .unless("file")
    .because("the file lists all events")
    .says("duration of each event, below the period");
const PHASES: Key =
    Key::integers_or_word("phases", 0..=1 << 60, &["random", "same"]).or_word("random").unit("ticks").says(
        "place in the list of events at which ranks begin: random, the same random one for all, or one for each rank",
    );

/// The keys of `[noise]`.
const KEYS: &[Key] = &[FILE, PERIOD, DURATION, PHASES];

/// The table `[noise]`, for the tables that kinds of applications read.
pub(crate) const TABLE: Key =
    Key::table("noise", KEYS).says("noise of the operating system, which lengthens computations and sends");

/// Noise as the scenario states it.
#[derive(Clone, Debug, Serialize)]
pub struct NoiseTable {
    /// The file, if the events come from one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The period and the duration of events, if they are periodic.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub periodic: Option<[u64; 2]>,
    /// The place in the list of events at which each rank begins.
    pub phases: Phases,
    #[serde(skip)]
    events: Arc<NoiseEvents>,
}

/// The places in the list of events at which ranks begin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Phases {
    /// A random one for each rank.
    Random,
    /// One random place for all ranks.
    Same,
    /// One for each rank.
    #[serde(untagged)]
    List(Vec<u64>),
}

impl NoiseTable {
    /// Reads `[noise]`, if it is there. Errors have been reported.
    pub(crate) fn read(root: &Reader<'_>, files: &mut Files<'_>) -> Option<Self> {
        let table = root.table("noise")?;
        let phases = phases(&table);
        let read = match table.string(&FILE) {
            Some((name, place)) => {
                let events = files.shared(&format!("noise {name}"), |files| events(&table, files, name, place));
                events.map(|events| (Some(name.to_owned()), None, events))
            }
            None => periodic(&table),
        };
        table.finish();
        let (file, periodic, events) = read?;
        Some(Self { file, periodic, phases: phases?, events })
    }

    /// Reports phases for another number of ranks, and events of a trace that is no longer than an operation of `longest` ticks.
    pub(super) fn check(&self, root: &Reader<'_>, ranks: usize, longest: u64) {
        let refuse = |key: &str, message: String, note: String| {
            root.error(Diagnostic::at(root.place_within(&["noise", key]), message).note(format!("accepted: {note}")));
        };
        if let Phases::List(phases) = &self.phases
            && phases.len() != ranks
        {
            let message =
                format!("`noise.phases` has {}, but there are {ranks} ranks", counted(phases.len() as u64, "value"));
            refuse("phases", message, format!("{ranks} values, one for each rank"));
        }
        if let (Some(file), true) = (&self.file, self.events.period() <= longest) {
            let end = self.events.period();
            let message = format!("`{file}`: the last event is at {end}, but an operation takes {longest} ticks");
            refuse("file", message, format!("events beyond {longest}"));
        }
    }

    /// The most time that noise adds to `operations` operations which take `ticks` ticks in all.
    pub(super) fn most_added(&self, ticks: u128, operations: u128) -> u128 {
        self.events.most_added(ticks, operations)
    }

    /// The noise of `ranks` ranks in the repetition of `job`.
    pub(crate) fn draw(&self, job: Job<'_>, ranks: usize) -> Noise {
        let mut random = random::stream(job.seed, "noise", job.repetition);
        let mut phase = || random.random_range(0..self.events.period().max(1));
        let phases = match &self.phases {
            Phases::List(phases) => phases.clone(),
            Phases::Same => vec![phase(); ranks],
            Phases::Random => (0..ranks).map(|_| phase()).collect(),
        };
        Noise::new(Arc::clone(&self.events), phases)
    }
}

fn phases(table: &Reader<'_>) -> Option<Phases> {
    match table.integers_or_word(&PHASES)? {
        Ok(integers) => Some(Phases::List(integers)),
        Err("same") => Some(Phases::Same),
        Err(_) => Some(Phases::Random),
    }
}

type ReadEvents = (Option<String>, Option<[u64; 2]>, Arc<NoiseEvents>);

fn periodic(table: &Reader<'_>) -> Option<ReadEvents> {
    let [period, duration] = [PERIOD, DURATION].map(|key| table.required_integer(&key));
    let (period, duration) = (period?, duration?);
    if duration >= period {
        let message = format!("`duration` is {duration}, but `period` is {period}");
        table.error(Diagnostic::at(table.place_of("duration"), message).note(format!("accepted: below {period}")));
        return None;
    }
    Some((None, Some([period, duration]), Arc::new(NoiseEvents::Periodic { period, duration })))
}

/// The events of the file `name`.
fn events(table: &Reader<'_>, files: &mut Files<'_>, name: &str, place: &Place) -> Option<Arc<NoiseEvents>> {
    let source = files.open(table, name, place)?;
    match parse(&files.source(source).text) {
        Ok(events) => Some(Arc::new(NoiseEvents::Trace(NoiseTrace::new(events)))),
        Err(fault) => {
            table.error(fault.of_file(name, source));
            None
        }
    }
}

/// The offsets and durations of `text`.
fn parse(text: &str) -> Result<Vec<(u64, u64)>, Fault> {
    let mut events: Vec<(u64, u64)> = Vec::new();
    let mut position = 0;
    for line in text.split_inclusive('\n') {
        let span = position..position + line.trim_end().len();
        position += line.len();
        let written = line.split('#').next().unwrap_or_default().trim();
        if written.is_empty() {
            continue;
        }
        let fault = |message: String| Fault::new(span.clone(), message);
        let number = |text: &str| {
            let read = text.parse::<u64>().ok().filter(|&number| number <= 1 << 60);
            read.ok_or_else(|| fault(format!("\"{text}\" is not a number of ticks")))
        };
        let fields: Vec<&str> = written.split_whitespace().collect();
        let [offset, duration] = fields[..] else {
            return Err(fault(format!("has {} fields; accepted: an offset and a duration", fields.len())));
        };
        let (offset, duration) = (number(offset)?, number(duration)?);
        if let Some(&(before, length)) = events.last()
            && offset < (before + length).max(before + 1)
        {
            let end = before + length;
            let message = match offset <= before {
                true => format!("offset {offset} does not follow offset {before}"),
                false => format!("the event at {offset} overlaps the one before it, which ends at {end}"),
            };
            return Err(fault(message));
        }
        events.push((offset, duration));
    }
    if events.is_empty() { Err(Fault::of_all(text, "there are no events")) } else { Ok(events) }
}
