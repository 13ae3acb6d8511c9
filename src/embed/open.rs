//! Embedded networks from scenarios.

use super::running::{Ground, Running};
use super::stats::SentTotals;
use super::{Facts, Network};
use crate::config::{Diagnostic, render};
use crate::engine::Window;
use crate::memory::Limit;
use crate::scenario::{LoadError, Options, Rejected, Scenario, Tick};
use crate::workload::embed::Embed;
use rustc_hash::FxHashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fmt, io};

/// A scenario or a configuration of BookSim 2 that cannot be opened. It is displayed as the `flitwise` command prints errors,
/// with lines and accepted values.
#[derive(Debug)]
pub struct OpenError(Failure);

/// A failure to open a network.
#[derive(Debug)]
enum Failure {
    /// The scenario has errors, or its file cannot be read. Errors of a configuration of BookSim 2 are texts without a place.
    Scenario(LoadError),
    /// The file of a configuration of BookSim 2 cannot be read.
    Configuration(PathBuf, io::Error),
}

impl OpenError {
    /// The error of a configuration of BookSim 2 in the file `path`, which cannot be read.
    pub(super) fn unreadable_configuration(path: &Path, error: io::Error) -> Self {
        Self(Failure::Configuration(path.to_owned(), error))
    }

    /// All errors of the scenario or configuration, with the texts that they are in.
    ///
    /// # Errors
    /// The same error if the file cannot be read.
    pub fn rejected(self) -> Result<Rejected, Self> {
        match self.0 {
            Failure::Scenario(LoadError::Rejected(rejected)) => Ok(rejected),
            unreadable => Err(Self(unreadable)),
        }
    }
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Failure::Scenario(LoadError::Rejected(Rejected { diagnostics, sources, .. })) => {
                f.write_str(render(diagnostics, sources, false).trim_end())
            }
            Failure::Scenario(unreadable) => unreadable.fmt(f),
            Failure::Configuration(path, error) => {
                write!(f, "cannot read the configuration `{}`: {error}", path.display())
            }
        }
    }
}

impl std::error::Error for OpenError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0 {
            Failure::Scenario(error) => error.source(),
            Failure::Configuration(_, error) => Some(error),
        }
    }
}

impl From<LoadError> for OpenError {
    fn from(error: LoadError) -> Self {
        Self(Failure::Scenario(error))
    }
}

impl From<Rejected> for OpenError {
    fn from(rejected: Rejected) -> Self {
        LoadError::Rejected(rejected).into()
    }
}

impl Network {
    /// Opens the network of the scenario `text`. Files that it names are looked up in the working directory. `name` and
    /// `[workload.embed]` may be missing.
    ///
    /// # Errors
    /// All errors of the scenario; a workload other than `[workload.embed]`; a scenario that takes more memory than there is.
    pub fn open(text: &str) -> Result<Self, OpenError> {
        Self::open_with(text, Path::new(""), options())
    }

    /// Opens the network of the scenario in the file `path`. Files that it names are looked up in its directory.
    ///
    /// # Errors
    /// If the file cannot be read; otherwise those of [`Self::open`].
    pub fn open_file(path: &Path) -> Result<Self, OpenError> {
        Self::start(&Scenario::load(path, &options())?)
    }

    /// Opens the network of the scenario `text`, with the changes of `options`. Files that it names are looked up in `folder`.
    ///
    /// # Errors
    /// Those of [`Self::open`].
    pub fn open_with(text: &str, folder: &Path, options: Options) -> Result<Self, OpenError> {
        Self::open_named("scenario", text, folder, options)
    }

    /// Opens the network of the scenario `text`, which errors call `name`, as [`Self::open_with`].
    pub(super) fn open_named(name: &str, text: &str, folder: &Path, options: Options) -> Result<Self, OpenError> {
        let options = embedded(options);
        // the error of an empty text names the table that a scenario needs
        let text = if text.trim_ascii().is_empty() { "workload.embed = {}\n" } else { text };
        Self::start(&Scenario::parse(name, text, folder, &options)?)
    }

    /// Starts the network of `scenario`, which has been read for it.
    fn start(scenario: &Scenario) -> Result<Self, OpenError> {
        let failed =
            |message: String| Rejected::new(vec![Diagnostic::unplaced(message)], scenario.document.sources.clone());
        let experiment = &scenario.points[0].experiment;
        let Some(embed) = experiment.workload.downcast_ref::<Embed>() else {
            return Err(failed("the scenario has no [workload.embed]".to_owned()).into());
        };
        let ground = Ground::new(Arc::clone(&experiment.machine), embed, experiment.seed);
        let (running, engine) = Running::start(ground).map_err(|stop| failed(stop.to_string()))?;
        let facts = Facts {
            nodes: u32::try_from(experiment.machine.network_nodes()).unwrap_or(u32::MAX),
            classes: embed.classes.iter().map(|class| class.name.clone()).collect(),
            flit_bytes: embed.flit_bytes,
            cycle: experiment.machine.channel.flit_time,
            tick_fs: scenario.tick.as_ref().map_or(0, femtoseconds),
            engine: engine.name(),
        };
        Ok(Self {
            running,
            sent: vec![SentTotals::default(); facts.classes.len()],
            facts,
            payloads: Window::default(),
            timers: FxHashMap::default(),
        })
    }
}

/// Femtoseconds of `tick`, or 0 if they are not rounded.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 10^18")]
fn femtoseconds(tick: &Tick) -> u64 {
    let femtoseconds = tick.nanoseconds * 1e6;
    let rounded = femtoseconds.round();
    if (femtoseconds - rounded).abs() <= rounded * 1e-12 { rounded as u64 } else { 0 }
}

/// The options of a scenario that is opened without any.
fn options() -> Options {
    embedded(Options::default())
}

/// Returns `options` for a scenario that is embedded.
fn embedded(options: Options) -> Options {
    let name = options.name.or_else(|| Some("embedded".to_owned()));
    let memory = options.memory.or_else(Limit::stated_by_system);
    Options { name, memory, embedded: true, ..options }
}
