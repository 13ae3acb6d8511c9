//! Why measurements cannot be used.

use super::{Numbered, clipped};
use std::fmt;

/// Why a file, or several, cannot be turned into parameters.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub struct FitError {
    /// Where it is, if a line is wrong.
    pub place: Option<FitPlace>,
    /// What is wrong; with the file, where it is all of it.
    pub problem: String,
    /// What is accepted.
    pub accepted: &'static str,
    /// How to mend it.
    pub hint: &'static str,
}

/// A line of measurements.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FitPlace {
    /// The file, as it was named.
    pub file: String,
    /// The line, counted from 1.
    pub line: usize,
    /// What it says.
    pub text: String,
}

impl FitPlace {
    /// The line `row` of `file`.
    pub(super) fn new(file: &str, row: Numbered<'_>) -> Self {
        Self { file: file.to_owned(), line: row.line, text: row.text.to_owned() }
    }
}

impl fmt::Display for FitPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: `{}`", self.file, self.line, clipped(&self.text))
    }
}

impl fmt::Display for FitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { place, problem, accepted, hint } = self;
        if let Some(place) = place {
            write!(f, "{place}: ")?;
        }
        write!(f, "{problem}\n  accepted: {accepted}\n  hint: {hint}")
    }
}

impl FitError {
    /// A second table, or a second format, starts at `row` of `file`; the first starts at line `first`.
    pub(super) fn second_table(file: &str, row: Numbered<'_>, first: usize) -> Self {
        Self {
            place: Some(FitPlace::new(file, row)),
            problem: format!("a second table starts here; the first one starts in line {first}"),
            accepted: "one table per file",
            hint: "split the file here, and pass both parts if they complement each other",
        }
    }
}
