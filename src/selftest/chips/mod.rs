//! Traces of chips against a plain simulation of the chip.
//!
//! ```text
//!   case      chips and traces
//!   written   those that are smaller, and as scenarios
//! ```

mod case;
mod written;

use super::as_written;
use super::features::{Feature, FeatureSet, Swarm};
use super::laws::{AS_WRITTEN, Broken, CHIP_IS_REFERENCE, ENDS, NO_PANIC};
use super::reference::chip::{Action, BarrierTimes, Outcome, Processor, ReadTimes, simulate};
use super::report::Shown;
use super::subject::{About, Effort, Subject};
use crate::sweep::{DetailFiles, Plan, record};
use case::Traced;
use std::collections::BTreeMap;
use std::fmt::Display;

static ABOUT: About = About {
    name: "chips",
    summary: "processors that read over the two networks of a chip, compared with a reference implementation",
    laws: &[&CHIP_IS_REFERENCE, &AS_WRITTEN, &NO_PANIC, &ENDS],
    features: FeatureSet::of(&[
        Feature::OtherChips,
        Feature::OtherShapes,
        Feature::Replayed,
        Feature::BothNetworks,
        Feature::ReadBarriers,
        Feature::HotSpot,
        Feature::ManyMessages,
        Feature::LongMessages,
        Feature::AtOnce,
    ]),
};

/// The area.
pub(super) struct Chips;

impl Subject for Chips {
    type Case = Traced;

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn draw(&self, swarm: &mut Swarm) -> Traced {
        Traced::draw(swarm)
    }

    fn judge(&self, case: &Traced) -> Result<Effort, Broken> {
        judge(case, ours)
    }

    fn runs(&self, _: &Traced, _: &Broken) -> Vec<Shown> {
        vec![Shown { name: "chip", arguments: "" }]
    }
}

/// A line of a table by the names of its columns.
type Line = BTreeMap<&'static str, String>;

/// The lines of the tables of a run, by the names of the tables.
type Tables = BTreeMap<&'static str, Vec<Line>>;

/// What runs a case: this crate, or in tests what is wrong on purpose; none if the run is stopped.
type Run = fn(&Traced) -> Result<Option<Tables>, Broken>;

/// Says of an error that the law does not hold.
fn breaks<E: Display>(doing: &'static str) -> impl Fn(E) -> Broken {
    move |error| CHIP_IS_REFERENCE.broken(format!("{doing}: {error}"))
}

/// The tables of the scenario of `case`, as `flitwise run` writes them.
fn ours(case: &Traced) -> Result<Option<Tables>, Broken> {
    let Some(scenario) = as_written::scenario(case)? else { return Ok(None) };
    let plan = Plan::new(&scenario, DetailFiles::default()).map_err(breaks("planning"))?;
    let Ok(record) = record(&scenario, &plan.units[0], DetailFiles::default(), None) else { return Ok(None) };
    let mut tables = Tables::new();
    for file in scenario.row_files(false) {
        let text = record.files.iter().find(|(name, _)| name == file.name).map_or("", |(_, text)| text.as_str());
        let mut lines = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
        let line =
            |cells: csv::StringRecord| file.header.iter().copied().zip(cells.iter().map(str::to_owned)).collect();
        let lines: Result<Vec<Line>, csv::Error> = lines.records().map(|cells| cells.map(line)).collect();
        tables.insert(file.name, lines.map_err(breaks("reading a table"))?);
    }
    Ok(Some(tables))
}

/// Holds `case`, which `run` runs, against the plain simulation.
fn judge(case: &Traced, run: Run) -> Result<Effort, Broken> {
    let law = &CHIP_IS_REFERENCE;
    let ran = run(case)?;
    let expected = simulate(&case.device, case.issue, &case.processors);
    law.equal("deadlock, engine and reference", &ran.is_none(), &expected.is_err())?;
    let (Some(tables), Ok(outcome)) = (ran, expected) else {
        return Ok(Effort { deadlocked: true, ..Effort::default() });
    };
    let lines = |name: &str| tables.get(name).map_or(&[][..], Vec::as_slice);
    let reads = lines("reads.csv");
    let expected = Expected::of(case, &outcome);
    law.all_equal("reads", &of_all(reads, READ), &expected.reads)?;
    law.all_equal("barriers", &of_all(lines("barriers.csv"), BARRIER), &expected.barriers)?;
    let has_waited = |line: &Line| line.get("blocked").is_some_and(|ticks| ticks != "0");
    Ok(Effort { messages: case.messages(), blocked: reads.iter().any(has_waited), deadlocked: false })
}

/// What is compared of a read, and what tells it apart.
const READ: &[&str] = &["x", "y", "proc", "index", "issued", "requested", "answered", "done", "hops"];

/// The same of a barrier.
const BARRIER: &[&str] = &["x", "y", "proc", "index", "reads", "last_read", "end"];

/// Of every line its cells in `columns`, in words, in order.
fn of_all(lines: &[Line], columns: &[&str]) -> Vec<String> {
    let of_line = |line: &Line| {
        let cells = columns.iter().map(|&column| format!("{column} {}", line.get(column).map_or("", String::as_str)));
        cells.collect::<Vec<String>>().join(", ")
    };
    let mut all: Vec<String> = lines.iter().map(of_line).collect();
    all.sort_unstable();
    all
}

/// What the plain simulation says, in the same words.
#[derive(Default)]
struct Expected {
    reads: Vec<String>,
    barriers: Vec<String>,
}

impl Expected {
    fn of(case: &Traced, outcome: &Outcome) -> Self {
        let mut expected = Self::default();
        let mut reads = outcome.reads.iter();
        for (processor, barriers) in case.processors.iter().zip(&outcome.barriers) {
            let own: Vec<&ReadTimes> = reads.by_ref().take(processor.reads().count()).collect();
            expected.add_reads(processor, &own);
            expected.add_barriers(processor, &own, barriers);
        }
        expected.reads.sort_unstable();
        expected.barriers.sort_unstable();
        expected
    }

    fn add_reads(&mut self, processor: &Processor, reads: &[&ReadTimes]) {
        let Processor { tile, name, .. } = processor;
        for (index, ReadTimes { issued, requested, answered, done, hops }) in reads.iter().enumerate() {
            self.reads.push(format!(
                "x {}, y {}, proc {name}, index {index}, issued {issued}, requested {requested}, answered {answered}, \
                 done {done}, hops {hops}",
                tile.x, tile.y
            ));
        }
    }

    /// The barriers that follow reads.
    fn add_barriers(&mut self, processor: &Processor, reads: &[&ReadTimes], barriers: &[BarrierTimes]) {
        let Processor { tile, name, events } = processor;
        let mut reads = reads.iter();
        let mut count = 0;
        let mut last_read = 0;
        let mut index = 0;
        for event in events {
            if let Action::Read { .. } = event.action {
                count += 1;
                last_read = reads.next().map_or(last_read, |times| times.issued);
                continue;
            }
            let end = barriers.get(index).map_or(0, |times| times.end);
            if count > 0 {
                self.barriers.push(format!(
                    "x {}, y {}, proc {name}, index {index}, reads {count}, last_read {last_read}, end {end}",
                    tile.x, tile.y
                ));
            }
            index += 1;
            count = 0;
        }
    }
}

#[cfg(test)]
#[allow(clippy::panic, reason = "a test that cannot go on fails")]
mod tests {
    use super::super::minimise::minimise;
    use super::super::subject::Specimen;
    use super::*;
    use crate::random;

    fn drawn(number: u64) -> Traced {
        Traced::draw(&mut Swarm::new(random::stream(number, ABOUT.name, 0), ABOUT.features))
    }

    #[test]
    fn nothing_is_found_where_nothing_is_planted() {
        let broken = (0..60).find_map(|number| Some((number, judge(&drawn(number), ours).err()?)));
        assert_eq!(broken, None);
    }

    /// A chip whose memories take a request more than they should.
    fn generous(case: &Traced) -> Result<Option<Tables>, Broken> {
        let mut other = case.clone();
        other.device.dram.requests += 1;
        ours(&other)
    }

    /// Two reads of one memory show it.
    #[test]
    fn a_memory_that_takes_a_request_too_many_is_found() {
        let first = (0..200).find_map(|number| Some((drawn(number), judge(&drawn(number), generous).err()?)));
        let Some((case, broken)) = first else { panic!("nothing is found") };
        let small = minimise(case, broken, |case| judge(case, generous).err()).case;
        let reads = small.processors.iter().flat_map(Processor::reads).count();
        assert!(reads <= 6 && small.device.columns * small.device.rows <= 25, "{}", small.in_words());
    }
}
