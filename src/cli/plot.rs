//! `flitwise plot`.

use super::finished::{Finished, table};
use super::picture::PictureFile;
use super::ui::Ui;
use super::{Told, Usage};
use anyhow::Result;
use clap::{Args, ValueEnum, ValueHint};
use flitwise::draw::auto::{Data, Range, View, Wanted, join, plots};
use std::path::PathBuf;

#[derive(Args)]
pub(super) struct Plot {
    /// Directories of finished runs, DIR/NAME. Several runs become curves of one picture
    #[arg(value_name = "DIR", required = true, value_hint = ValueHint::DirPath)]
    directories: Vec<PathBuf>,
    /// Column for the x axis: a swept key or the end of its name, `algorithm`, or a result [default: the swept key with most
    /// numbers]
    #[arg(long, value_name = "KEY")]
    x: Option<String>,
    /// Column of summary.csv for the y axis; `X` means `X_mean` [default: `measured_mean`, or the main result of the workload]
    #[arg(long, value_name = "COLUMN")]
    y: Option<String>,
    /// Keys that distinguish curves, separated by commas. Other keys make separate plots [default: `algorithm` and text keys]
    #[arg(long = "by", value_name = "KEY", value_delimiter = ',')]
    curve_keys: Vec<String>,
    /// Plot only points that satisfy a condition, e.g. "channel.buffer >= 4"; repeatable, all conditions must hold
    #[arg(long = "where", value_name = "CONDITION")]
    conditions: Vec<String>,
    #[command(flatten)]
    limits: Limits,
    /// Logarithmic axes [default: chosen from the values]
    #[arg(long, value_name = "AXES")]
    log: Option<Log>,
    /// Title of the picture [default: the names of both axes]
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Output file: SVG, PNG or PDF by its extension [default: SVG to standard output]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    out: Option<PathBuf>,
}

/// Ends of the axes.
#[derive(Args)]
struct Limits {
    /// Lower end of the x axis, in its unit
    #[arg(long, value_name = "NUMBER", value_parser = finite, allow_negative_numbers = true)]
    x_min: Option<f64>,
    /// Upper end of the x axis, in its unit
    #[arg(long, value_name = "NUMBER", value_parser = finite, allow_negative_numbers = true)]
    x_max: Option<f64>,
    /// Lower end of the y axis, in its unit
    #[arg(long, value_name = "NUMBER", value_parser = finite, allow_negative_numbers = true)]
    y_min: Option<f64>,
    /// Upper end of the y axis, in its unit [default for latencies: about 4 times the zero-load latency]
    #[arg(long, value_name = "NUMBER", value_parser = finite, allow_negative_numbers = true)]
    y_max: Option<f64>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Log {
    /// Only the x axis
    X,
    /// Only the y axis
    Y,
    /// Both axes
    Both,
    /// Neither axis
    None,
}

impl Plot {
    pub(super) fn execute(&self, ui: &Ui) -> Result<()> {
        let file = PictureFile::chosen(self.out.as_deref())?;
        let plots = plots(&self.data(ui)?, &self.options()).map_err(Told::from_options)?;
        file.write(ui, &plots.document())
    }

    /// The table of all runs.
    fn data(&self, ui: &Ui) -> Result<Data> {
        let mut runs = Vec::new();
        for directory in &self.directories {
            let run = Finished::open(directory, ui)?;
            let data = table(run.folder(), run.tick_length())?;
            runs.push((run.name().to_owned(), run.folder().display().to_string(), data));
        }
        // runs of one scenario are called by their directories
        let names: Vec<String> = runs.iter().map(|(name, ..)| name.clone()).collect();
        let is_shared = |name: &String| names.iter().filter(|other| *other == name).count() > 1;
        let named = runs.into_iter().map(|(name, place, data)| (if is_shared(&name) { place } else { name }, data));
        Ok(join(named.collect()).map_err(|error| Usage(error.to_string()))?)
    }

    fn options(&self) -> Wanted {
        let Limits { x_min, x_max, y_min, y_max } = self.limits;
        let range = |least, most| Range { least, most };
        Wanted {
            x: self.x.clone(),
            y: self.y.clone(),
            conditions: self.conditions.clone(),
            curve_keys: self.curve_keys.clone(),
            view: View { x: range(x_min, x_max), y: range(y_min, y_max), cut: None },
            log: self.log.map(Log::axes),
            title: self.title.clone(),
        }
    }
}

impl Log {
    /// True for each axis that is logarithmic: x, y.
    fn axes(self) -> [bool; 2] {
        match self {
            Self::X => [true, false],
            Self::Y => [false, true],
            Self::Both => [true, true],
            Self::None => [false, false],
        }
    }
}

/// A number that an axis can end at.
fn finite(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite());
    number.ok_or_else(|| format!("`{text}` is not a number\naccepted: a number such as 300 or 0.5, without a unit"))
}
