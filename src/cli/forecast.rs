//! `flitwise forecast`.

use super::Told;
use super::ui::Ui;
use anyhow::{Context, Error, Result};
use clap::Args;
use flitwise::config::unpacked;
use flitwise::forecast::{Bank, Column, SampleError, Samples};
use flitwise::output::{forecast_csv, forecast_table, rejected_series};
use std::fs::File;
use std::io::{BufReader, stdout};
use std::path::PathBuf;

#[derive(Args)]
pub(super) struct Forecast {
    /// Series of values at equal periods: one per line, or CSV; blank lines and # comments are skipped
    file: PathBuf,
    /// Column of a CSV file with the values: a name in its header, or a number from 1
    #[arg(long, value_name = "NAME|NUMBER")]
    column: Option<Column>,
    /// Print CSV: name,mae,mse,rmse,chosen_mse,chosen_mae
    #[arg(long)]
    csv: bool,
}

impl Forecast {
    pub(super) fn execute(&self, ui: &Ui) -> Result<()> {
        let (bank, remarks) = self.read()?;
        if self.csv {
            remarks.iter().for_each(|remark| ui.warn(remark));
            return Ok(forecast_csv(stdout().lock(), &bank)?);
        }
        ui.print(&forecast_table(&self.file.display().to_string(), &bank, &remarks))
    }

    /// Runs every method on the whole file. The remarks on the file are the second value.
    fn read(&self) -> Result<(Bank, Vec<String>)> {
        let file = File::open(&self.file).and_then(|file| unpacked(BufReader::new(file)));
        let mut bank = Bank::all();
        let mut samples = Samples::new(file.with_context(|| self.unreadable())?, self.column.clone());
        for value in samples.by_ref() {
            bank.update(value.map_err(|error| self.rejected(error))?);
        }
        Ok((bank, samples.remarks()))
    }

    fn rejected(&self, error: SampleError) -> Error {
        match rejected_series(&self.file.display().to_string(), error) {
            Ok(rejected) => Told::from_options(rejected).into(),
            Err(error) => Error::new(error).context(self.unreadable()),
        }
    }

    fn unreadable(&self) -> String {
        format!("cannot read the series {}", self.file.display())
    }
}
