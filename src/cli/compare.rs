//! `flitwise compare`.

use super::finished::Finished;
use super::ui::Ui;
use super::{Told, Usage};
use anyhow::{Context, Error, Result};
use clap::{Args, ValueEnum, ValueHint};
use flitwise::compare::{Comparison, Keys, Rows, RowsError, Run};
use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;

/// How wide the table is where standard output is no terminal.
const WIDTH: u16 = 80;

#[derive(Args)]
pub(super) struct Compare {
    /// The folder of a finished run, DIR/NAME
    #[arg(value_name = "A", value_hint = ValueHint::DirPath)]
    a: PathBuf,
    /// The folder of another, which differences are told of: B - A, B / A
    #[arg(value_name = "B", value_hint = ValueHint::DirPath)]
    b: PathBuf,
    /// How it is printed
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
    /// A column of rows.csv; may be given several times [default: `measured`, or what the runs are for]
    #[arg(long = "column", value_name = "COLUMN")]
    columns: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A table to read: scenario keys that differ, an empty line, a line per algorithm and point, what it comes to
    Text,
    /// Swept keys, then algorithm,column,a_mean,b_mean,difference,ratio,ci95,test,p,p_holm
    Csv,
}

impl Compare {
    pub(super) fn execute(&self, ui: &Ui) -> Result<()> {
        let a = run(&Finished::open(&self.a, ui)?)?;
        let b = run(&Finished::open(&self.b, ui)?)?;
        let comparison = Comparison::new(&a, &b, &self.columns).map_err(Told::from_options)?;
        match self.format {
            Format::Text => ui.print(&comparison.text(ui.width().unwrap_or(WIDTH).into())),
            Format::Csv => ui.print(&comparison.csv()?),
        }
    }
}

/// What the folder of `finished` says.
fn run(finished: &Finished) -> Result<Run> {
    let place = finished.folder().display();
    let keys = Keys::from_manifest(finished.manifest()).ok_or_else(|| {
        Usage(format!("{place} is of another version, whose manifest.json has no scenario that can be read"))
    })?;
    let path = finished.folder().join("rows.csv");
    let file = File::open(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let rows = Rows::from_csv(BufReader::new(file)).map_err(|error| unread(finished, error))?;
    Ok(Run { keys, rows })
}

fn unread(finished: &Finished, error: RowsError) -> Error {
    let place = finished.folder().display();
    match error {
        RowsError::Csv(error) if error.is_io_error() => {
            Error::new(error).context(format!("cannot read {place}/rows.csv"))
        }
        other => Usage(format!("{place}: {other}")).into(),
    }
}
