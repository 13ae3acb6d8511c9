//! Scenarios from text alone, and what is wrong with them as text.
//!
//! For users of the library that have no file and no terminal; the command loads files and colours what it shows.

use super::{Options, Rejected, Scenario};
use crate::config::{Diagnostic, render};
use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// What stands for the file in what is wrong with a scenario that has none.
const NAME: &str = "scenario";

impl FromStr for Scenario {
    type Err = Rejected;

    /// The scenario that `text` spells, without limit of memory; files that it names are in the current folder.
    ///
    /// ```
    /// use flitwise::scenario::{DEFAULT, Scenario};
    ///
    /// let scenario: Scenario = DEFAULT.parse()?;
    /// assert_eq!(scenario.points.len(), 1);
    ///
    /// let rejected = DEFAULT.replace("flits", "flist").parse::<Scenario>().unwrap_err();
    /// assert!(rejected.to_string().contains("did you mean `flits`?"));
    /// # Ok::<(), flitwise::scenario::Rejected>(())
    /// ```
    fn from_str(text: &str) -> Result<Self, Rejected> {
        Self::parse(NAME, text, Path::new(""), &Options::default())
    }
}

impl Scenario {
    /// What is wrong with it, found after it was loaded; `diagnostics` point into its texts.
    pub fn reject(&self, diagnostics: Vec<Diagnostic>) -> Rejected {
        Rejected { diagnostics, sources: self.document.sources.clone() }
    }
}

impl std::error::Error for Rejected {}

/// Everything that is wrong, each with its place and its line.
impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(render(&self.diagnostics, &self.sources, false).trim_end())
    }
}
