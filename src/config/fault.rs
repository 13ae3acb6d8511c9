//! Errors in the text of a file that a scenario names, before it is known which source of the scenario that is, and the diagnostics
//! that they become.

use super::diagnostic::{Diagnostic, Place};
use crate::fault::Fault;

impl Fault {
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
