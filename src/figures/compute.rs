//! The tables of a figure, computed from its scenario.

use super::data::FigureFile;
use crate::report::{
    HOLDINGS, Labels, RowFile, SCHEDULE, Summaries, SummaryCsv, exchange_csv, holdings_csv, schedule_csv, trees_csv,
};
use crate::run::{
    Row, RowError, RowFailure, RowId, Rows, RunError, broadcast_plan, exchange_model, exchange_plan, run, schedule,
};
use crate::scenario::{FigureTable, Scenario, Workload};
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

type Csv = csv::Writer<Vec<u8>>;

/// The summary of `scenario` and the other tables of its figure, computed on `threads` threads.
///
/// # Errors
/// The first row that fails, or a table that the workload does not give.
pub fn compute(scenario: &Scenario, threads: NonZeroUsize) -> Result<Vec<FigureFile>, FigureError> {
    let others = scenario.figure.as_ref().map_or(&[][..], |figure| &figure.tables);
    let cuts = others.contains(&FigureTable::Cuts);
    let (mut summaries, mut kept) = (Summaries::default(), Vec::new());
    let ran = run(scenario, threads, false, |row| {
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

fn other(scenario: &Scenario, table: FigureTable, rows: &[Row]) -> Result<String, FigureError> {
    let none = || FigureError::NoTable { figure: scenario.name.clone(), table: table.name() };
    if table == FigureTable::Cuts {
        let file = RowFile::of(scenario, false).find(|file| file.name == "cuts.csv").ok_or_else(none)?;
        return Ok(file.header(scenario)? + &file.lines(scenario, rows)?);
    }
    let mut csv = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
    match table {
        FigureTable::Holdings => csv.write_record(HOLDINGS)?,
        _ => csv.write_record(SCHEDULE)?,
    }
    let all = Rows::of(scenario);
    for id in (0..all.count()).map(|index| all.get(index)) {
        let algorithm = scenario.points[id.point].experiment.workload.algorithm(id.algorithm);
        let failed = |cause| Box::new(RowError { point: id.point, algorithm, repetition: id.repetition, cause });
        match lines(&mut csv, scenario, table, id) {
            Ok(true) => {}
            Ok(false) => return Err(none()),
            Err(Trouble::Row(cause)) => return Err(failed(cause).into()),
            Err(Trouble::Csv(error)) => return Err(error.into()),
        }
    }
    Ok(text(csv.into_inner().map_err(|error| csv::Error::from(error.into_error()))?)?)
}

enum Trouble {
    Row(RowFailure),
    Csv(csv::Error),
}

impl From<RowFailure> for Trouble {
    fn from(failure: RowFailure) -> Self {
        Self::Row(failure)
    }
}

impl From<csv::Error> for Trouble {
    fn from(error: csv::Error) -> Self {
        Self::Csv(error)
    }
}

/// Writes what `table` says of the row `id`; false if its workload has no such table.
fn lines(csv: &mut Csv, scenario: &Scenario, table: FigureTable, id: RowId) -> Result<bool, Trouble> {
    let experiment = &scenario.points[id.point].experiment;
    let name = (experiment.workload.algorithm(id.algorithm), id.repetition);
    match (&experiment.workload, table) {
        (Workload::Multicast(multicast), FigureTable::Schedule) => {
            let Some((planned, _)) = schedule(experiment, id)? else { return Ok(false) };
            let prices = multicast.model(experiment.times(multicast.flits)).price(&planned, experiment.node.ports);
            schedule_csv(csv, name, &planned, &prices, experiment.network())?;
        }
        (Workload::Exchange(workload), FigureTable::Schedule) => {
            let planned = exchange_plan(workload, id)?;
            let prices = exchange_model(experiment, workload).price(&planned);
            exchange_csv(csv, name, &planned, &prices, workload.block_flits.0)?;
        }
        (Workload::Exchange(workload), FigureTable::Holdings) => {
            holdings_csv(csv, name, &exchange_plan(workload, id)?)?;
        }
        (Workload::Broadcast(workload), FigureTable::Schedule) => {
            let (costs, trees) = broadcast_plan(experiment.seed, workload, id)?;
            trees_csv(csv, name, &costs.predicted, workload.root, &trees)?;
        }
        _ => return Ok(false),
    }
    Ok(true)
}
