//! The scenario of a subcommand, with the changes from the command line.

use super::Usage;
use super::memory::Memory;
use anyhow::{Context, Result};
use clap::{Args, ValueHint};
use flitwise::config::{LARGEST, Preset, read_all, read_given};
use flitwise::kind::Copying;
use flitwise::memory::Limit;
use flitwise::scenario::{DEFAULT, LoadError, NetworkAlone, Options, Scenario};
use std::path::{Path, PathBuf};

/// The name that stands for standard input.
const STANDARD_INPUT: &str = "-";

#[derive(Args, Default)]
pub(super) struct Source {
    /// Scenario file (TOML), or `-` for standard input [default: an embedded example, three multicast algorithms on a mesh]
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) scenario: Option<PathBuf>,
    /// Set a key to a TOML value or a bare word, e.g. engine.kind=flit; an array such as [1,2,4] sweeps a key that takes a
    /// single value
    #[arg(short, long, value_name = "KEY=VALUE")]
    pub(super) set: Vec<String>,
    /// Remove a key or table before --set is applied, e.g. network.mesh to choose another network
    #[arg(long, value_name = "KEY")]
    pub(super) unset: Vec<String>,
}

impl Source {
    /// The scenario, which may take so much memory with its rows.
    pub(super) fn load(&self, memory: Limit) -> Result<Scenario> {
        let options = Options { memory: Some(memory), ..self.options() };
        let (name, bytes, folder) = self.text()?;
        Ok(Scenario::from_bytes(&name, bytes, folder, &options).map_err(LoadError::Rejected)?)
    }

    /// The network that the scenario describes.
    pub(super) fn network(&self) -> Result<NetworkAlone> {
        let (name, bytes, folder) = self.text()?;
        Ok(NetworkAlone::from_bytes(&name, bytes, folder, &self.options()).map_err(LoadError::Rejected)?)
    }

    /// The scenario with deadlocks allowed, if its nodes admit a limited number of requests.
    pub(super) fn limited_requests(&self, memory: Limit) -> Result<Option<Scenario>> {
        let (name, bytes, folder) = self.text()?;
        let mut options = Options { memory: Some(memory), any_figure: true, ..self.options() };
        let limits = NetworkAlone::limits_requests(&name, bytes.clone(), folder, &options);
        if !limits.map_err(LoadError::Rejected)? {
            return Ok(None);
        }
        options.set.push("router.allow_deadlock=true".to_owned());
        Ok(Some(Scenario::from_bytes(&name, bytes, folder, &options).map_err(LoadError::Rejected)?))
    }

    /// The scenario with deadlocks allowed, if routers may copy or combine packets of its workload.
    pub(super) fn copying(&self, memory: Limit) -> Result<Option<Scenario>> {
        let (name, bytes, folder) = self.text()?;
        let mut options = Options { memory: Some(memory), any_figure: true, ..self.options() };
        let need = NetworkAlone::copying(&name, bytes.clone(), folder, &options).map_err(LoadError::Rejected)?;
        if need == Copying::Never {
            return Ok(None);
        }
        options.set.push("router.allow_deadlock=true".to_owned());
        match Scenario::from_bytes(&name, bytes, folder, &options) {
            Ok(scenario) => Ok(Some(scenario)),
            // the certificate of a network needs no workload
            Err(_) if need == Copying::IfPossible => Ok(None),
            Err(rejected) => Err(LoadError::Rejected(rejected).into()),
        }
    }

    /// The network that the scenario describes, if its routing gives one path between two nodes.
    pub(super) fn paths(&self) -> Result<NetworkAlone> {
        let alone = self.network()?;
        has_one_path(&alone)?;
        Ok(alone)
    }

    fn options(&self) -> Options {
        let memory = Some(Memory::default().limit());
        Options { set: self.set.clone(), unset: self.unset.clone(), memory, ..Options::default() }
    }

    /// What it is called in messages, what it says, and the folder of the files that it names.
    fn text(&self) -> Result<(String, Vec<u8>, &Path)> {
        match &self.scenario {
            Some(_) if self.is_standard_input() => {
                let bytes = read_all(std::io::stdin().lock(), LARGEST);
                let bytes = bytes.context("cannot read the scenario from standard input")?;
                Ok(("standard input".to_owned(), bytes, Path::new("")))
            }
            Some(path) => {
                let bytes = read_given(path, LARGEST).map_err(|error| LoadError::Unreadable(path.clone(), error));
                let bytes = match path.to_str().and_then(Preset::name_in) {
                    Some(_) => bytes.with_context(|| format!("`flitwise show {}` prints a preset", path.display()))?,
                    None => bytes?,
                };
                Ok((path.display().to_string(), bytes, path.parent().unwrap_or(Path::new(""))))
            }
            None => Ok(("default.toml".to_owned(), DEFAULT.into(), Path::new(""))),
        }
    }

    pub(super) fn is_standard_input(&self) -> bool {
        self.scenario.as_deref() == Some(Path::new(STANDARD_INPUT))
    }

    /// The file, which is read again later.
    pub(super) fn file(&self) -> Result<Option<&Path>, Usage> {
        if self.is_standard_input() {
            return Err(Usage(
                "the scenario is read again later, so it must be in a file, not on standard input".to_owned(),
            ));
        }
        Ok(self.scenario.as_deref())
    }
}

/// Refuses a routing that does not give one path between two nodes.
pub(super) fn has_one_path(alone: &NetworkAlone) -> Result<(), Usage> {
    let Some(name) = alone.chooses else { return Ok(()) };
    let message = format!("`{name}` routing does not define a single path between two nodes");
    Err(Usage(format!("{message}\naccepted: `dimension-order`, or the default routing of another network")))
}
