//! Errors and notes of a configuration, each with its location.

use std::fmt::{self, Display, Formatter};
use std::sync::Arc;

/// Location of an assignment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// A line of a file.
    Line {
        /// The path as the user wrote it.
        path: Arc<str>,
        /// The number of the line, counted from 1.
        line: usize,
    },
    /// An argument of the command line, counted from 1.
    Argument(usize),
}

impl Display for Location {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line { path, line } => write!(f, "{path}:{line}"),
            Self::Argument(number) => write!(f, "argument {number}"),
        }
    }
}

/// An error of a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The location, or `None` for a default value.
    pub location: Option<Location>,
    /// The assignment `key = value`, or the text that was read.
    pub subject: String,
    /// The reason, as a clause.
    pub reason: String,
    /// The accepted values, or an empty text if the reason states them.
    pub accepted: String,
}

impl Display for Problem {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(location) = &self.location {
            write!(f, "{location}: ")?;
        }
        write!(f, "{}: {}", self.subject, self.reason)?;
        if self.accepted.is_empty() { Ok(()) } else { write!(f, "; accepted: {}", self.accepted) }
    }
}

/// A remark on a key that is read in another way than its text suggests, or that has no effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The key.
    pub key: &'static str,
    /// The location, or `None` for a default value.
    pub location: Option<Location>,
    /// The assignment `key = value` and a sentence on it.
    pub text: String,
}

impl Display for Note {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.location {
            Some(location) => write!(f, "{location}: {}", self.text),
            None => write!(f, "{}", self.text),
        }
    }
}

/// All errors of a configuration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the configuration has {} errors, the first of which is: {}", .0.len(), .0.first().map_or(String::new(), ToString::to_string))]
pub struct Refused(pub Vec<Problem>);
