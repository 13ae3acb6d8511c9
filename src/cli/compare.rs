//! `flitwise compare`.

use super::finished::Finished;
use super::ui::Ui;
use super::{Failed, Told, Usage};
use anyhow::{Context, Error, Result};
use clap::{Args, ValueEnum, ValueHint};
use flitwise::compare::{Comparison, Keys, Line, Rows, RowsError, Run, Slower};
use flitwise::kind::words::counted;
use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;

/// Width of the table in a file or a pipe, which shows all columns.
const UNLIMITED: u16 = 1000;

/// The number of slower lines that an error names.
const NAMED: usize = 3;

#[derive(Args)]
pub(super) struct Compare {
    /// Directory of a finished run, DIR/NAME
    #[arg(value_name = "A", value_hint = ValueHint::DirPath)]
    a: PathBuf,
    /// Directory of the run to compare with A. Differences are B - A and B / A
    #[arg(value_name = "B", value_hint = ValueHint::DirPath)]
    b: PathBuf,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
    /// Column of rows.csv; repeatable [default: `measured`, or the main result of the workload]
    #[arg(long = "column", value_name = "COLUMN")]
    columns: Vec<String>,
    /// Exit with code 1 if B is significantly slower than A by more than PCT per cent in any line
    #[arg(long, value_name = "PCT", value_parser = percent)]
    fail_if_slower: Option<f64>,
}

/// Reads a percentage, with or without its sign.
fn percent(text: &str) -> Result<f64, String> {
    let number = text.trim().trim_end_matches('%').trim_end().parse::<f64>();
    number
        .ok()
        .filter(|limit| limit.is_finite() && *limit >= 0.0)
        .ok_or_else(|| "must be a percentage, such as 2%".to_owned())
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Table of the keys that differ, table of the results, and a summary
    Text,
    /// Swept keys, then algorithm,column,a_mean,b_mean,difference,ratio,ci95,test,p,p_holm
    Csv,
}

impl Compare {
    pub(super) fn execute(&self, ui: &Ui) -> Result<()> {
        let a = run(&Finished::open(&self.a, ui)?)?;
        let b = run(&Finished::open(&self.b, ui)?)?;
        let comparison = Comparison::new(&a, &b, &self.columns).map_err(Told::from_options)?;
        let slower = self.fail_if_slower.map(|limit| Ok((limit, comparison.slower(limit)?)));
        let slower = slower.transpose().map_err(Told::from_options)?;
        match self.format {
            Format::Text => ui.print(&comparison.text(ui.width().unwrap_or(UNLIMITED).into()))?,
            Format::Csv => ui.print(&comparison.csv()?)?,
        }
        match slower {
            Some((limit, slower)) if !slower.is_empty() => Err(Failed(slower_text(&comparison, limit, &slower)).into()),
            _ => Ok(()),
        }
    }
}

/// Describes in how many lines B is `slower`, and names the slowest.
fn slower_text(comparison: &Comparison, limit: f64, slower: &[Slower<'_>]) -> String {
    let all = counted(comparison.lines.len() as u64, "line");
    let named: Vec<String> = slower.iter().take(NAMED).map(|one| slower_line(comparison, one)).collect();
    let count = slower.len() - named.len();
    let rest = if count > 0 { format!(" and {count} more") } else { String::new() };
    format!("B is more than {limit} % slower than A in {} of {all}: {}{rest}", slower.len(), named.join("; "))
}

/// Names a line with its slowdown, such as `flits 64 opt-mesh: measured +5.2 %`.
fn slower_line(comparison: &Comparison, Slower { line, percent }: &Slower<'_>) -> String {
    let Line { place, column, .. } = line;
    let keys = comparison.swept.iter().map(|key| key.rsplit('.').next().unwrap_or(key));
    let mut words: Vec<String> = keys.zip(&place.settings).map(|(key, value)| format!("{key} {value}")).collect();
    words.push(place.algorithm.clone());
    format!("{}: {column} +{percent:.1} %", words.join(" "))
}

/// What the folder of `finished` says.
fn run(finished: &Finished) -> Result<Run> {
    let place = finished.folder().display();
    let keys = Keys::from_manifest(finished.manifest()).ok_or_else(|| {
        Usage(format!("{place} was written by another version; its manifest.json has no readable scenario"))
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
