//! The tables of a figure, made from what its scenario gives.

use super::data::FigureFile;
use crate::draw::{DrawError, draw};
use crate::kind::{Diagram, RowError};
use crate::output::{Labels, Listing, ListingError, Summaries, Summary, SummaryCsv};
use crate::run::{Rows, RunError, run};
use crate::scenario::{FigureTable, Scenario};
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use thiserror::Error;

/// Why a figure cannot be computed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FigureError {
    /// A row failed.
    #[error(transparent)]
    Row(#[from] Box<RowError>),
    /// A listing could not be written.
    #[error(transparent)]
    Listing(#[from] ListingError),
    /// A table could not be written.
    #[error(transparent)]
    Table(#[from] csv::Error),
    /// The workload does not give the table.
    #[error("{figure} has no table `{table}`, because its workload does not produce it")]
    NoTable {
        /// The figure.
        figure: String,
        /// The table.
        table: &'static str,
    },
}

/// The diagrams of what `scenario` plans, as SVG: of every point and variant, the first repetition; if there are any.
///
/// # Errors
/// If a row cannot be planned, or cannot be drawn as the figure says.
pub fn diagrams(scenario: &Scenario) -> Result<Option<String>, DrawError> {
    let Some(figure) = scenario.figure.as_ref().filter(|figure| !figure.diagrams.is_empty()) else { return Ok(None) };
    let rows = Rows::new(scenario);
    let first: Vec<_> = (0..rows.count()).map(|index| rows.get(index)).filter(|id| id.repetition == 0).collect();
    let wanted: Vec<Diagram> = figure.diagrams.iter().map(|(diagram, _)| *diagram).collect();
    draw(scenario, &first, &wanted).map(|drawing| Some(drawing.svg))
}

/// Collects the tables of a figure while its rows come, in order.
#[derive(Debug)]
pub struct Tables<'a> {
    scenario: &'a Scenario,
    /// The lines of row files that the figure has as tables, by the name of the file.
    lines: BTreeMap<&'static str, String>,
}

impl<'a> Tables<'a> {
    /// Those of `scenario`.
    pub fn new(scenario: &'a Scenario) -> Self {
        let wanted = scenario.figure.as_ref().map_or(&[][..], |figure| &figure.tables);
        let files = scenario.row_files(false).into_iter();
        let files = files.filter(|file| wanted.iter().any(|table| table.name() == file.table()));
        Self { scenario, lines: files.map(|file| (file.name, String::new())).collect() }
    }

    /// Takes lines that rows add to a file.
    pub fn add(&mut self, file: &str, lines: &str) {
        if let Some(text) = self.lines.get_mut(file) {
            text.push_str(lines);
        }
    }

    /// The summary and the other tables.
    ///
    /// # Errors
    /// A row that cannot be planned, or a table that the workload does not give.
    pub fn finish(self, summaries: &[Summary]) -> Result<Vec<FigureFile>, FigureError> {
        let summary = SummaryCsv::write(&Labels::new(self.scenario), summaries, Vec::new())?;
        let mut files = vec![(None, text(summary)?)];
        for &table in self.scenario.figure.iter().flat_map(|figure| &figure.tables) {
            files.push((Some(table), self.table(table)?));
        }
        Ok(files)
    }

    fn table(&self, table: FigureTable) -> Result<String, FigureError> {
        let none = || FigureError::NoTable { figure: self.scenario.name.clone(), table: table.name() };
        let header = self.scenario.table_columns(table).ok_or_else(none)?;
        let listing = match table {
            FigureTable::SCHEDULE => Listing::Schedule,
            FigureTable::HOLDINGS => Listing::Holdings,
            _ => {
                let file = self.lines.keys().find(|file| file.strip_suffix(".csv") == Some(table.name()));
                let lines = file.and_then(|file| self.lines.get(file)).ok_or_else(none)?;
                return Ok(format!("{}\n{lines}", header.join(",")));
            }
        };
        let mut csv = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
        csv.write_record(header)?;
        let all = Rows::new(self.scenario);
        for id in (0..all.count()).map(|index| all.get(index)) {
            listing.write(&mut csv, &self.scenario.points[id.point].experiment, id)?;
        }
        Ok(text(csv.into_inner().map_err(|error| csv::Error::from(error.into_error()))?)?)
    }
}

/// The summary of `scenario` and the other tables of its figure, computed on `threads` threads.
///
/// # Errors
/// The first row that fails, or a table that the workload does not give.
pub fn compute(scenario: &Scenario, threads: NonZeroUsize) -> Result<Vec<FigureFile>, FigureError> {
    let mut summaries = Summaries::new(scenario);
    let mut tables = Tables::new(scenario);
    let ran = run(scenario, threads, false, |row| {
        summaries.add(&row);
        row.files.iter().for_each(|(file, lines)| tables.add(file, lines));
        Ok::<(), std::convert::Infallible>(())
    });
    match ran {
        Ok(()) => tables.finish(&summaries.finish()),
        Err(RunError::Row(error)) => Err(error.into()),
        Err(RunError::Sink(never)) => match never {},
    }
}

fn text(bytes: Vec<u8>) -> csv::Result<String> {
    String::from_utf8(bytes).map_err(|error| std::io::Error::new(std::io::ErrorKind::InvalidData, error).into())
}
