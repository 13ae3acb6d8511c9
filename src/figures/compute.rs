//! The tables of a figure, computed from its scenario.

use super::data::FigureFile;
use crate::diagram::{DiagramError, draw};
use crate::report::{Labels, Listing, ListingError, RowFile, Summaries, SummaryCsv};
use crate::run::{Row, RowError, Rows, RunError, run};
use crate::scenario::{Diagram, FigureTable, Scenario};
use std::num::NonZeroUsize;
use thiserror::Error;

/// Why a figure cannot be computed.
#[derive(Debug, Error)]
pub enum FigureError {
    /// A row failed.
    #[error(transparent)]
    Row(#[from] Box<RowError>),
    /// The threads could not be started.
    #[error("cannot start the threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// A table could not be written.
    #[error(transparent)]
    Table(#[from] csv::Error),
    /// The workload does not give the table.
    #[error("{figure} has no table `{table}`: its workload gives none")]
    NoTable {
        /// The figure.
        figure: String,
        /// The table.
        table: &'static str,
    },
}

impl From<ListingError> for FigureError {
    fn from(error: ListingError) -> Self {
        match error {
            ListingError::Row(error) => Self::Row(error),
            ListingError::Csv(error) => Self::Table(error),
        }
    }
}

/// The diagrams of what `scenario` plans, as SVG: of every point and algorithm, the first repetition; none if its figure
/// has none.
///
/// # Errors
/// If a row cannot be planned, or cannot be drawn as the figure says.
pub fn diagrams(scenario: &Scenario) -> Result<Option<String>, DiagramError> {
    let Some(figure) = scenario.figure.as_ref().filter(|figure| !figure.diagrams.is_empty()) else { return Ok(None) };
    let rows = Rows::of(scenario);
    let first: Vec<_> = (0..rows.count()).map(|index| rows.get(index)).filter(|id| id.repetition == 0).collect();
    let wanted: Vec<Diagram> = figure.diagrams.iter().map(|(diagram, _)| *diagram).collect();
    draw(scenario, &first, &wanted).map(|drawing| Some(drawing.svg))
}

/// The summary of `scenario` and the other tables of its figure, computed on `threads` threads.
///
/// # Errors
/// The first row that fails, or a table that the workload does not give.
pub fn compute(scenario: &Scenario, threads: NonZeroUsize) -> Result<Vec<FigureFile>, FigureError> {
    compute_watched(scenario, threads, || {})
}

/// As [`compute`], and tells `done` of each row.
///
/// # Errors
/// As [`compute`].
pub fn compute_watched(
    scenario: &Scenario,
    threads: NonZeroUsize,
    mut done: impl FnMut(),
) -> Result<Vec<FigureFile>, FigureError> {
    let others = scenario.figure.as_ref().map_or(&[][..], |figure| &figure.tables);
    let cuts = others.contains(&FigureTable::Cuts);
    let (mut summaries, mut kept) = (Summaries::default(), Vec::new());
    let ran = run(scenario, threads, false, |row| {
        done();
        summaries.add(&row);
        if cuts {
            kept.push(row);
        }
        Ok::<(), std::convert::Infallible>(())
    });
    match ran {
        Ok(()) => {}
        Err(RunError::Row(error)) => return Err(error.into()),
        Err(RunError::Threads(error)) => return Err(error.into()),
        Err(RunError::Sink(never)) => match never {},
    }
    let summary = SummaryCsv::write(&Labels::of(scenario), &summaries.finish(), Vec::new())?;
    let mut files = vec![(None, text(summary)?)];
    for &table in others {
        files.push((Some(table), other(scenario, table, &kept)?));
    }
    Ok(files)
}

fn text(bytes: Vec<u8>) -> csv::Result<String> {
    String::from_utf8(bytes).map_err(|error| std::io::Error::new(std::io::ErrorKind::InvalidData, error).into())
}

/// What lists the rows of `table`; none if rows carry it themselves.
pub(super) fn listing(table: FigureTable) -> Option<Listing> {
    match table {
        FigureTable::Schedule => Some(Listing::Schedule),
        FigureTable::Holdings => Some(Listing::Holdings),
        FigureTable::Cuts => None,
    }
}

/// The file of what each bit of addresses cuts, if `scenario` has it.
pub(super) fn cuts_file(scenario: &Scenario) -> Option<&'static RowFile> {
    RowFile::of(scenario, false).find(|file| file.name == "cuts.csv")
}

fn other(scenario: &Scenario, table: FigureTable, rows: &[Row]) -> Result<String, FigureError> {
    let none = || FigureError::NoTable { figure: scenario.name.clone(), table: table.name() };
    let Some(listing) = listing(table) else {
        let file = cuts_file(scenario).ok_or_else(none)?;
        return Ok(file.header(scenario)? + &file.lines(scenario, rows)?);
    };
    let mut csv = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
    csv.write_record(listing.header())?;
    let all = Rows::of(scenario);
    for id in (0..all.count()).map(|index| all.get(index)) {
        if !listing.write(&mut csv, &scenario.points[id.point].experiment, id)? {
            return Err(none());
        }
    }
    Ok(text(csv.into_inner().map_err(|error| csv::Error::from(error.into_error()))?)?)
}
