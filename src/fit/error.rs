//! Why measurements cannot be used.

use super::{Numbered, clipped};

/// Why a file, or several, cannot be turned into parameters.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem}\n  accepted: {accepted}\n  hint: {hint}")]
#[non_exhaustive]
pub struct FitError {
    /// What is wrong, and where: the file, and where it is a line's fault the line, counted from 1, and what it says.
    pub problem: String,
    /// What is accepted.
    pub accepted: &'static str,
    /// How to mend it.
    pub hint: &'static str,
}

impl FitError {
    /// A second table, or a second format, starts at `row` of `file`; the first starts at line `first`.
    pub(super) fn second_table(file: &str, row: Numbered<'_>, first: usize) -> Self {
        Self {
            problem: format!("{}: a second table starts here; line {first} starts the first", place(file, row)),
            accepted: "one table per file",
            hint: "split the file here, and give both parts if they complement each other",
        }
    }
}

/// A line of `file`, and what it says.
pub(super) fn place(file: &str, row: Numbered<'_>) -> String {
    format!("{file}:{}: `{}`", row.line, clipped(row.text))
}
