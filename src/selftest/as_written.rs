//! Cases as the files in which findings are shown: these are read and run as `flitwise run` does.

use super::laws::{AS_WRITTEN, Broken};
use super::report::CaseFile;
use super::subject::Specimen;
use crate::kind::{Keep, RowId};
use crate::scenario::{Experiment, Options, Scenario};
use std::fmt::Display;

/// Of how many cases one is run as it is written: files take as long as some cases.
const ONE_OF: u64 = 64;

/// Whether case `number` is run as it is written.
pub(super) fn is_due(number: u64) -> bool {
    number.is_multiple_of(ONE_OF)
}

/// Says of an error that the law does not hold.
fn breaks<E: Display>(doing: &str) -> impl Fn(E) -> Broken {
    move |error| AS_WRITTEN.broken(format!("{doing}: {error}"))
}

/// The scenario of `case`, read from its files; none if no scenario can say it.
pub(super) fn scenario(case: &impl Specimen) -> Result<Option<Scenario>, Broken> {
    scenario_with(case, Vec::new())
}

/// Reads the scenario of `case` with keys that are `set` to other values.
pub(super) fn scenario_with(case: &impl Specimen, set: Vec<String>) -> Result<Option<Scenario>, Broken> {
    if !case.is_sayable() {
        return Ok(None);
    }
    let files = case.written("case", "unchanged");
    let Some((scenario, others)) = files.split_first() else { return Ok(None) };
    let folder = tempfile::tempdir().map_err(breaks("creating a directory"))?;
    for CaseFile { name, text } in others {
        std::fs::write(folder.path().join(name), text).map_err(breaks("writing a file"))?;
    }
    let options = Options { set, ..Options::default() };
    let scenario = Scenario::parse(scenario.name, &scenario.text, folder.path(), &options);
    scenario.map(Some).map_err(breaks("reading the scenario"))
}

/// Reads and runs the scenario of `case`, if there is one.
pub(super) fn judge(case: &impl Specimen) -> Result<(), Broken> {
    let Some(scenario) = scenario(case)? else { return Ok(()) };
    for (number, point) in scenario.points.iter().enumerate() {
        for algorithm in 0..point.experiment.workload.variants().len() {
            run(&point.experiment, RowId { point: number, algorithm, repetition: 0 })?;
        }
    }
    Ok(())
}

/// Runs a row, which may end early, by a deadlock or with something undone.
fn run(experiment: &Experiment, id: RowId) -> Result<(), Broken> {
    let Ok(row) = experiment.run(id, Keep::messages(false)) else { return Ok(()) };
    let worst = experiment.worst_case();
    match worst.map(|worst| worst.ticks).filter(|&ticks| u128::from(row.measured().0) > ticks) {
        Some(ticks) => {
            Err(AS_WRITTEN.broken(format!("a row takes {} ticks, but its bound is {ticks}", row.measured().0)))
        }
        None => Ok(()),
    }
}
