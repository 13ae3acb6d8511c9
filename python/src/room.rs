//! Room for what stays of a run: rows, and what is kept of their messages and links, lie in memory until all are done.
//!
//! What does not fit is refused before it is computed, by estimates.

use crate::errors::Failure;
use crate::scenario::Scenario;
use flitwise::kind::words::counted;
use flitwise::memory::{Limit, in_words, size};
use flitwise::run::{Unit, check_memory};
use flitwise::scenario::Experiment;

/// What may be taken of the machine's memory: what is `asked` for, such as `8G`, or all that there is.
pub(crate) fn limit(asked: Option<&str>) -> Result<Limit, Failure> {
    let bytes = asked.map(size).transpose().map_err(|accepted| Failure::usage(format!("memory: {accepted}")))?;
    Ok(Limit::within_available(bytes.map(|bytes| Limit { bytes, why: "allowed by `memory`" })))
}

/// What stays of rows until all are done.
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

    /// Bytes of one, with its line or its place in columns.
    fn bytes(self) -> u64 {
        match self {
            Self::Rows => 800,
            Self::Messages => 400,
            Self::Links => 150,
        }
    }

    /// How many a row of a variant of `experiment` has at most.
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
    /// The memory that rows may take, in bytes.
    pub(crate) fn memory(&self) -> u64 {
        self.limit.bytes.saturating_sub(self.inner.memory())
    }

    /// Refuses what does not fit into memory: a row, all rows, or the messages of all rows, which stay.
    pub(crate) fn refuse_large(&self, units: &[Unit], messages: bool) -> Result<(), Failure> {
        check_memory(units, self.memory(), self.limit).map_err(Failure::usage)?;
        self.refuse_many(Staying::Rows, units)?;
        if messages { self.refuse_many(Staying::Messages, units) } else { Ok(()) }
    }

    /// Refuses rows of which `what` stays, if there is no memory for that.
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
        Err(Failure::usage(message + "\naccepted: fewer rows; `flitwise run` in a shell keeps them in files"))
    }
}
