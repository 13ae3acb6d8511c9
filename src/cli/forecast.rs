//! `flitwise forecast`.

use super::ui::Ui;
use super::{BadLine, Told};
use anyhow::{Context, Error, Result};
use clap::Args;
use flitwise::config::Diagnostic;
use flitwise::forecast::{Bank, Column, SampleError, Samples};
use flitwise::output::{forecast_csv, forecast_table};
use std::fs::File;
use std::io::{BufReader, stdout};
use std::path::PathBuf;

#[derive(Args)]
pub(super) struct Forecast {
    /// Values in the order measured, at equal periods: one per line, or CSV; blank lines and # comments are skipped
    file: PathBuf,
    /// CSV: the column with the values, by the name in the header or counted from 1
    #[arg(long, value_name = "NAME|NUMBER")]
    column: Option<Column>,
    /// Print CSV: name,mae,mse,rmse,chosen_mse,chosen_mae
    #[arg(long)]
    csv: bool,
}

impl Forecast {
    pub(super) fn execute(&self, ui: &Ui) -> Result<()> {
        let bank = self.read()?;
        if self.csv {
            return Ok(forecast_csv(stdout().lock(), &bank)?);
        }
        ui.print(&forecast_table(&self.file.display().to_string(), &bank))
    }

    /// Every method after the whole file.
    fn read(&self) -> Result<Bank> {
        let file = File::open(&self.file).with_context(|| self.unreadable())?;
        let mut bank = Bank::all();
        for value in Samples::new(BufReader::new(file), self.column.clone()) {
            bank.update(value.map_err(|error| self.rejected(error))?);
        }
        Ok(bank)
    }

    fn rejected(&self, error: SampleError) -> Error {
        match error {
            SampleError::Io(error) => Error::new(error).context(self.unreadable()),
            SampleError::Line { line, text, what, accepted } => {
                let file = self.file.display().to_string();
                let line = usize::try_from(line).unwrap_or(usize::MAX);
                let (wrong, source) = BadLine { file: &file, line, text: &text, message: what }.shown();
                Told::of_usage(wrong.note(format!("accepted: {accepted}")), Some(source)).into()
            }
            error => {
                let said = format!("{}: {error}", self.file.display());
                let (message, accepted) = said.split_once("; ").unwrap_or((&said, "accepted: values"));
                Told::of_usage(Diagnostic::unplaced(message).note(accepted), None).into()
            }
        }
    }

    fn unreadable(&self) -> String {
        format!("cannot read the series {}", self.file.display())
    }
}
