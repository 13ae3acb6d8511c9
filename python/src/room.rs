//! Memory for the results of a run: rows, and the records of their messages and links, stay in memory until the end.
//!
//! A run whose estimated results do not fit is rejected before it starts.

use crate::errors::Failure;
use crate::scenario::Scenario;
use flitwise::kind::words::counted;
use flitwise::memory::{Limit, in_words, size};
use flitwise::run::{Unit, check_memory};
use flitwise::scenario::Experiment;

/// Returns the memory limit: `asked`, such as `8G`, or the available memory.
pub(crate) fn limit(asked: Option<&str>) -> Result<Limit, Failure> {
    let bytes = asked.map(size).transpose().map_err(|accepted| Failure::usage(format!("`memory` {accepted}")))?;
    Ok(Limit::within_available(bytes.map(|bytes| Limit { bytes, why: "allowed by `memory`" })))
}

/// Results that stay in memory until the end of a run.
#[derive(Clone, Copy)]
pub(crate) enum Staying {
    Rows,
    Messages,
    Links,
}

impl Staying {
    fn name(self) -> &'static str {
        match self {
            Self::Rows => "rows",
            Self::Messages => "messages",
            Self::Links => "links",
        }
    }

    /// Returns the bytes of one of them, including its line or its share of columns.
    fn bytes(self) -> u64 {
        match self {
            Self::Rows => 800,
            Self::Messages => 400,
            Self::Links => 150,
        }
    }

    /// Returns the maximum number of them in a row of a variant of `experiment`.
    fn count(self, experiment: &Experiment, algorithm: usize) -> u64 {
        let messages = || experiment.demand(algorithm).messages as u64;
        let crossings = || messages().saturating_mul(experiment.machine.mean_path());
        match self {
            Self::Rows => 1,
            Self::Messages => messages(),
            Self::Links => crossings().min(experiment.machine.channels() as u64),
        }
    }
}

impl Scenario {
    /// Returns the memory for rows, in bytes.
    pub(crate) fn memory(&self) -> u64 {
        self.limit.bytes.saturating_sub(self.inner.memory())
    }

    /// Returns an error if a row, all rows, or the messages of all rows do not fit into memory.
    pub(crate) fn refuse_large(&self, units: &[Unit], messages: bool) -> Result<(), Failure> {
        check_memory(units, self.memory(), self.limit).map_err(Failure::usage)?;
        self.refuse_many(Staying::Rows, units)?;
        if messages { self.refuse_many(Staying::Messages, units) } else { Ok(()) }
    }

    /// Returns an error if the results `what` of all rows do not fit into memory.
    pub(crate) fn refuse_many(&self, what: Staying, units: &[Unit]) -> Result<(), Failure> {
        let experiment = |unit: &Unit| &self.inner.points[unit.point].experiment;
        let of_unit = |unit: &Unit| unit.rows.saturating_mul(what.count(experiment(unit), unit.algorithm));
        let count = units.iter().map(of_unit).fold(0, u64::saturating_add);
        let needed = count.saturating_mul(what.bytes());
        if needed <= self.memory() {
            return Ok(());
        }
        let rows = counted(units.iter().map(|unit| unit.rows).sum(), "row");
        let Limit { bytes, why } = self.limit;
        let needed = in_words(needed);
        let there = in_words(bytes);
        let message = format!("the {} of {rows} need about {needed} of memory; {there} are {why}", what.name());
        Err(Failure::usage(message + "\naccepted: fewer rows; the command `flitwise run` stores them in files instead"))
    }
}
