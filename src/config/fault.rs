//! Errors in the text of a file that a scenario names, before it is known which source of the scenario that is.

use super::diagnostic::{Diagnostic, Place};
use std::ops::Range;

/// An error, and the bytes that it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) span: Range<usize>,
    pub(crate) message: String,
    pub(crate) note: Option<String>,
    pub(crate) hint: Option<String>,
}

impl Fault {
    pub(crate) fn new(span: Range<usize>, message: impl Into<String>) -> Self {
        Self { span, message: message.into(), note: None, hint: None }
    }

    /// Adds what is accepted.
    pub(crate) fn note(self, note: impl Into<String>) -> Self {
        Self { note: Some(note.into()), ..self }
    }

    /// Adds a remedy.
    pub(crate) fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// Returns an error about all of `text`, which is shown at its first line.
    pub(crate) fn of_all(text: &str, message: impl Into<String>) -> Self {
        Self::new(0..text.lines().next().map_or(0, str::len), message)
    }

    /// Converts it to a diagnostic of the text number `source`.
    pub(crate) fn diagnostic(self, source: usize) -> Diagnostic {
        let Self { span, message, note, hint } = self;
        Diagnostic { note, hint, ..Diagnostic::at(Place { source, span }, message) }
    }

    /// Converts it to a diagnostic of the file called `name`, the text number `source`.
    pub(crate) fn of_file(self, name: &str, source: usize) -> Diagnostic {
        let message = format!("`{name}`: {}", self.message);
        Self { message, ..self }.diagnostic(source)
    }
}
