//! `flitwise fit`.

use super::Told;
use super::ui::Ui;
use super::{Usage, whole_number};
use anyhow::{Context, Result};
use clap::{Args, ValueEnum, ValueHint};
use flitwise::config::{LARGEST, read_given};
use flitwise::fit::{self, Measurements, Parameters};
use flitwise::output::{ModelTable, fit_toml, read_measurements};
use flitwise::scenario::Tick;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub(super) struct Fit {
    /// Benchmark output, in several files if they complement each other (osu_latency and osu_bw)
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    files: Vec<PathBuf>,
    /// Format of the files [default: detected from their content]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Print a machine file with this model, for `include` [default: tables of all models, to choose from]
    #[arg(long, value_enum)]
    model: Option<Model>,
    /// Length of a tick. Values are rounded to whole ticks
    #[arg(long, default_value = "1ps", value_parser = tick)]
    tick: Tick,
    /// Bytes per flit (`channel.flit_bytes` of the machine)
    #[arg(long, value_name = "BYTES", default_value_t = 1, value_parser = flit_bytes)]
    flit_bytes: u64,
    /// Smallest message size to use
    #[arg(long, value_name = "BYTES", default_value_t = 0, value_parser = whole_number::<u64>)]
    from: u64,
    /// Largest message size to use [default: all]
    #[arg(long, value_name = "BYTES", default_value_t = u64::MAX, hide_default_value = true, value_parser = whole_number::<u64>)]
    to: u64,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// Output of osu_latency, osu_bw or osu_mbw_mr
    Osu,
    /// Table of logp_mpi (parameterised LogP)
    Plogp,
    /// Table of the loggp pattern of Netgauge
    Netgauge,
}

impl From<Format> for fit::Format {
    fn from(format: Format) -> Self {
        match format {
            Format::Osu => Self::Osu,
            Format::Plogp => Self::Plogp,
            Format::Netgauge => Self::Netgauge,
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum Model {
    /// t_hold and t_end, each with a part per flit
    Parameterised,
    /// L, o, g
    Logp,
    /// L, o, g, G, O, S
    Loggops,
}

impl From<Model> for ModelTable {
    fn from(model: Model) -> Self {
        match model {
            Model::Parameterised => Self::Parameterised,
            Model::Logp => Self::LogP,
            Model::Loggops => Self::LogGops,
        }
    }
}

fn tick(text: &str) -> Result<Tick, String> {
    let accepted = "must be a number above 0 with a unit (ps, ns, us, ms or s), such as 10ns";
    Tick::parse(text).ok_or_else(|| accepted.to_owned())
}

/// The largest size of a flit in bytes.
const LARGEST_FLIT: u64 = 1 << 40;

/// Reads the size of a flit.
fn flit_bytes(text: &str) -> Result<u64, String> {
    let bytes = text.parse::<u64>().ok().filter(|bytes| (1..=LARGEST_FLIT).contains(bytes));
    bytes.ok_or_else(|| format!("must be a whole number from 1 to {LARGEST_FLIT}"))
}

impl Fit {
    pub(super) fn execute(&self, ui: &Ui) -> Result<()> {
        if self.from > self.to {
            return Err(Usage(format!("--from {} is above --to {}", self.from, self.to)).into());
        }
        let mut all: Option<Measurements> = None;
        for path in &self.files {
            let one = self.read(path)?;
            all = Some(match all {
                Some(before) => before.combine(one).map_err(|error| Told::from_options(error.into()))?,
                None => one,
            });
        }
        let measurements = all.context("no file")?;
        let parameters = Parameters::of(&measurements).map_err(|error| Told::from_options(error.into()))?;
        if self.model.is_some() && parameters.t_end.is_none() {
            let message = "a model requires t_end; add a latency measurement of the same machine, such as the output of osu_latency";
            return Err(Usage(message.to_owned()).into());
        }
        let model = self.model.map(Into::into);
        let text = fit_toml(&measurements, &parameters, &self.tick, self.flit_bytes, model);
        ui.print(&text.map_err(|error| Told::from_options(error.into()))?)
    }

    fn read(&self, path: &Path) -> Result<Measurements> {
        let name = path.display().to_string();
        let bytes = read_given(path, LARGEST).with_context(|| format!("cannot read the measurements {name}"))?;
        let format = self.format.map(Into::into);
        Ok(read_measurements(&name, &bytes, format, &(self.from..=self.to)).map_err(Told::from_options)?)
    }
}
