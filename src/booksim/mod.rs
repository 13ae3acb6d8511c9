//! Configurations of BookSim 2 as scenarios.
//!
//! [`convert`] reads files and overrides in the order of the command line and returns a [`Conversion`]: the scenario as
//! TOML, the file that its network needs, notes on keys without effect, and the settings of a report. The table
//! [`KEYS`] has a row for each key of BookSim 2. Reading, notes, refusals and `flitwise list booksim-keys` follow from it.
//! All errors of a configuration are reported together.
//!
//! [`convert_embedded`] reads a file as the variants of BookSim 2 do that other simulators embed, and returns the scenario of
//! an embedded network.
//!
//! Independent of the command line, of the file system and of the clock: texts and the time are passed in. The facts about
//! BookSim 2 are those of its public repository at commit 28f4329.

mod allocator;
mod classes;
mod configuration;
mod control;
mod dialect;
mod embedded;
mod injection;
mod keys;
mod network;
mod pattern;
mod problem;
mod read_write;
mod results;
mod router;
mod scenario;
mod syntax;
mod toml;
mod topology;
mod traffic;
mod value;

#[cfg(test)]
#[expect(clippy::unwrap_used, clippy::panic, reason = "a test fails where it cannot continue")]
mod tests;

pub use control::{LatencyStart, ReportSettings, SimulationType};
pub use embedded::{EmbeddedConversion, convert_embedded};
pub use keys::{BooksimKey, Fate, KEYS, KeyType};
pub use problem::{Location, Note, Problem, Refused};
pub use results::{ClassResult, ResultFiles, Results};
pub use scenario::{Conversion, NetworkFile, convert};

use std::sync::Arc;

/// A part of a configuration: a file, or an override of the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A configuration file.
    File {
        /// The path as the user wrote it.
        path: Arc<str>,
        /// The text of the file.
        text: String,
    },
    /// An argument `key=value`.
    Override {
        /// The number of the argument, counted from 1.
        number: usize,
        /// The argument.
        text: String,
    },
}

impl Input {
    /// The inputs that `arguments` name: an argument with `=` is an override, any other is a file that `read` reads.
    ///
    /// # Errors
    /// Returns the first error of `read`.
    pub fn from_arguments<E>(
        arguments: &[String],
        mut read: impl FnMut(&str) -> Result<String, E>,
    ) -> Result<Vec<Self>, E> {
        let input = |(index, argument): (usize, &String)| match argument.contains('=') {
            true => Ok(Self::Override { number: index + 1, text: argument.clone() }),
            false => Ok(Self::File { path: argument.as_str().into(), text: read(argument)? }),
        };
        arguments.iter().enumerate().map(input).collect()
    }
}
