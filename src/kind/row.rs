//! A row as data: what one variant did in one repetition of one point.

use super::column::{
    BLOCKED_HEADERS, BLOCKED_MESSAGES, BLOCKED_TIME, Column, MEASURED, PREDICTED, QUEUED_MESSAGES, QUEUED_TIME, Unit,
};
use super::columns::Columns;
use super::tree_deadlock::TreeRefusal;
use super::words::significant;
use crate::engine::program::Began;
use crate::engine::{MessageOutcome, Outcome, Stop};
use crate::timeline::Timeline;
use crate::units::{Attojoules, Flits, SignedMillionths, Ticks, narrow};
use std::error::Error;
use thiserror::Error;

/// Which row: a point, a variant of its workload, a repetition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowId {
    /// Index into the scenario's points.
    pub point: usize,
    /// Index into the workload's variants; 0 for workloads without any.
    pub algorithm: usize,
    /// From 0.
    pub repetition: u64,
}

/// What happened to a message.
#[derive(Clone, Debug)]
pub struct Detail {
    /// Its number.
    pub id: u64,
    /// Its length.
    pub flits: Flits,
    /// When it was where.
    pub outcome: MessageOutcome,
    /// When its send began, and why then.
    pub began: Began,
}

/// What one variant did in one repetition of one point.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Row {
    /// Which row.
    pub id: RowId,
    /// The variant's name.
    pub algorithm: &'static str,
    /// The seed of the point.
    pub seed: u64,
    /// Nodes that take part.
    pub nodes: usize,
    /// Messages sent.
    pub messages: usize,
    /// The engine that ran, if one did.
    pub engine: Option<&'static str>,
    /// What the kind counts, in the order of its stored columns; none where a row has no such value, or the column is text.
    /// What may be below zero is stored as its bits.
    pub values: Vec<Option<u128>>,
    /// The lines that the row adds to the kind's own files, by the name of the file.
    pub files: Vec<(&'static str, String)>,
    /// Every message, where that was asked for.
    pub details: Vec<Detail>,
    /// The timeline, if it is kept.
    pub timeline: Option<Box<Timeline>>,
    columns: Columns,
}

impl Row {
    /// The row `id` of a kind with such `columns`, of which nothing is known but what it is.
    pub fn new(id: RowId, algorithm: &'static str, seed: u64, columns: Columns) -> Self {
        Self {
            id,
            algorithm,
            seed,
            nodes: 0,
            messages: 0,
            engine: None,
            values: vec![None; columns.stored().count()],
            files: Vec::new(),
            details: Vec::new(),
            timeline: None,
            columns,
        }
    }

    /// Sets the value of a column.
    ///
    /// # Panics
    /// If the kind has no such column: kinds set their own.
    pub fn set(&mut self, column: &Column, value: u64) {
        self.set_wide(column, value.into());
    }

    fn set_wide(&mut self, column: &Column, value: u128) {
        let at = self.place(column.name);
        #[expect(clippy::expect_used, reason = "a kind sets the columns that it declares")]
        let at = at.expect("a kind sets only columns that it declares");
        self.values[at] = Some(value);
    }

    /// Sets the values of successive columns, of which `first` is the first.
    ///
    /// # Panics
    /// If the kind has no such columns: kinds set their own.
    pub(super) fn set_successive<const COUNT: usize>(&mut self, first: &Column, values: [u64; COUNT]) {
        #[expect(clippy::expect_used, reason = "a kind sets the columns that it declares")]
        let first = self.place(first.name).expect("a kind sets only columns that it declares");
        for (place, value) in self.values[first..first + COUNT].iter_mut().zip(values) {
            *place = Some(value.into());
        }
    }

    /// Sets the value of a column of signed fractions, in millionths.
    ///
    /// # Panics
    /// If the kind has no such column: kinds set their own.
    pub fn set_signed(&mut self, column: &Column, millionths: i64) {
        debug_assert_eq!(column.unit, Unit::SignedMillionths, "{}", column.name);
        self.set(column, SignedMillionths(millionths).stored());
    }

    /// Sets the value of a column of decimal numbers, to six significant digits.
    ///
    /// # Panics
    /// If the kind has no such column: kinds set their own.
    pub fn set_decimal(&mut self, column: &Column, value: f64) {
        debug_assert_eq!(column.unit, Unit::Decimal, "{}", column.name);
        // what files say is read as the very number
        let rounded = significant(value).parse::<f64>().unwrap_or(value);
        self.set(column, rounded.to_bits());
    }

    /// Sets the value of a column of energies.
    ///
    /// # Panics
    /// If the scenario has no such column.
    pub fn set_energy(&mut self, column: &Column, energy: Attojoules) {
        debug_assert_eq!(column.unit, Unit::Energy, "{}", column.name);
        self.set_wide(column, energy.0);
    }

    /// The value of the column called `name`; none if the row has none.
    ///
    /// # Panics
    /// If it is an energy above 2^64 attojoules: [`Self::energy`] returns these.
    pub fn value(&self, name: &str) -> Option<u64> {
        let value = self.values[self.place(name)?]?;
        Some(narrow(value, "only energies need more than 64 bits"))
    }

    /// The energy in the column called `name`. Returns `None` if the row has none.
    pub fn energy(&self, name: &str) -> Option<Attojoules> {
        self.values[self.place(name)?].map(Attojoules)
    }

    /// What was measured; zero where nothing was.
    pub fn measured(&self) -> Ticks {
        Ticks(self.value(MEASURED.name).unwrap_or_default())
    }

    /// Returns true if the row has the column called `name`.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.place(name).is_some()
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.columns.stored().position(|column| column.name == name)
    }

    /// Sets what the model says.
    pub fn predict(&mut self, completion: Ticks) {
        self.set(&PREDICTED, completion.0);
    }

    /// Sets what was measured in a run, in those of the common columns that the kind declares.
    pub fn measure(&mut self, measured: &Outcome) {
        let values = [
            (MEASURED, measured.completion.0),
            (BLOCKED_MESSAGES, measured.blocked_messages),
            (BLOCKED_HEADERS, measured.blocked_headers),
            (BLOCKED_TIME, measured.blocked_time.0),
            (QUEUED_MESSAGES, measured.queued_messages),
            (QUEUED_TIME, measured.queued_time.0),
        ];
        for (column, value) in values {
            if let Some(at) = self.place(column.name) {
                self.values[at] = Some(value.into());
            }
        }
        self.engine = Some(measured.engine.name());
    }
}

/// Why a row failed.
#[derive(Debug, Error)]
#[error("point {}, {algorithm}, repetition {}: {cause}", .id.point, .id.repetition)]
#[non_exhaustive]
pub struct RowError {
    /// Which row.
    pub id: RowId,
    /// The variant.
    pub algorithm: &'static str,
    /// What happened.
    #[source]
    pub cause: RowFailure,
}

impl RowError {
    /// The failure of the row `id`, of the variant called `algorithm`.
    pub fn new(id: RowId, algorithm: &'static str, cause: RowFailure) -> Self {
        Self { id, algorithm, cause }
    }
}

/// What made a row fail.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RowFailure {
    /// The scenario has other points, fewer variants of its workload, or fewer repetitions.
    #[error("the scenario has no such row")]
    NoSuchRow,
    /// The run did not come to its end.
    #[error(transparent)]
    Stopped(#[from] Stop),
    /// Routers copy or combine its packets, which can deadlock.
    #[error(transparent)]
    Trees(#[from] TreeRefusal),
    /// It cannot be planned, or what is planned is wrong.
    #[error("{0}")]
    Plan(#[source] Box<dyn Error + Send + Sync>),
    /// The same, with what is wrong.
    #[error("{what}: {cause}")]
    Wrong {
        /// What is wrong, such as `the schedule is wrong`.
        what: &'static str,
        /// How.
        #[source]
        cause: Box<dyn Error + Send + Sync>,
    },
}

impl RowFailure {
    /// A request that a planner does not take.
    pub fn plan(cause: impl Error + Send + Sync + 'static) -> Self {
        Self::Plan(Box::new(cause))
    }

    /// Makes failures of errors: something is wrong, and this is `what`.
    pub fn wrong<E: Error + Send + Sync + 'static>(what: &'static str) -> impl FnOnce(E) -> Self {
        move |cause| Self::Wrong { what, cause: Box::new(cause) }
    }
}
