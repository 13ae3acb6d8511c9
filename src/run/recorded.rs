//! A row that is run once more, to see what happened hop by hop.

use crate::cancel;
use crate::engine::program::Causes;
use crate::kind::{Keep, Row, RowError, RowId};
use crate::recording::{HopTable, Recorder, Recording};
use crate::scenario::{Experiment, Scenario};

/// Why what rows of `experiment` do cannot be seen hop by hop; none if it can.
pub fn why_not_recorded(experiment: &Experiment) -> Option<&'static str> {
    let kind = experiment.workload.kind();
    let machine = &experiment.machine;
    if kind.needs_grid {
        return Some("a grid has only times between nodes and no channels");
    }
    if machine.network.is_none() {
        return Some("without a table [network.*], times are predicted by the model, which has no channels");
    }
    if kind.open_loop {
        return Some("open-loop traffic has no completion time to explain");
    }
    (!experiment.workload.runs_on_engine()).then_some("the scenario computes costs and sends no messages")
}

/// Roughly the bytes that a recorded hop takes, with what it is explained by.
const HOP: u64 = 200;

/// Roughly the bytes that a recording of a row of `algorithm` takes in `experiment`, and what is made of it.
///
/// # Panics
/// If there is no such algorithm.
pub fn recording_memory(experiment: &Experiment, algorithm: usize) -> u64 {
    let messages = experiment.demand(algorithm).messages as u64;
    messages.saturating_mul(experiment.machine.mean_path()).saturating_mul(HOP)
}

/// Runs the row `id` of `scenario` and records it; none where nothing moves over channels.
///
/// # Errors
/// If the schedule proves wrong, the run ends in a deadlock, or the scenario has no such row.
pub fn recorded(scenario: &Scenario, id: RowId) -> Result<Option<Recording<'_>>, Box<RowError>> {
    cancel::checkpoint();
    let experiment = scenario.experiment_of(id)?;
    if why_not_recorded(experiment).is_some() {
        return Ok(None);
    }
    let mut recorder = Recorder::new(&experiment.machine, HopTable::default()).following_flits();
    let mut row: Row = experiment.run(id, Keep { watch: Some(&mut recorder), ..Keep::messages(true) })?;
    let (hops, Causes { computations, end, .. }) = recorder.finish();
    let completion = row.measured();
    let messages = std::mem::take(&mut row.details);
    Ok(Some(Recording { machine: &experiment.machine, completion, messages, hops, computations, end }))
}
