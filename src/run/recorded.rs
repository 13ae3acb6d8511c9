//! A row that is run once more, to see what happened hop by hop.

use crate::cancel;
use crate::engine::program::Causes;
use crate::kind::{Keep, PREDICTED, Row, RowError, RowId};
use crate::machine::Machine;
use crate::recording::{HopTable, Recorder, Recording};
use crate::scenario::{Experiment, Scenario};
use crate::timeline::Timeline;
use crate::units::Ticks;
use std::borrow::Cow;

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
    let demand = experiment.demand(algorithm);
    let hops = (demand.messages as u64).saturating_mul(experiment.machine.mean_path()).saturating_mul(HOP);
    if experiment.workload.runs_operations() { hops.saturating_add(demand.timeline()) } else { hops }
}

/// The timeline of the row `id` of `scenario` under its model, and its completion. None for rows with a network, which are
/// [`recorded`], and for rows that run no operations.
///
/// # Errors
/// If the program proves wrong, or the scenario has no such row.
pub fn predicted_timeline(scenario: &Scenario, id: RowId) -> Result<Option<(Box<Timeline>, Ticks)>, Box<RowError>> {
    cancel::checkpoint();
    let experiment = scenario.experiment_of(id)?;
    if experiment.machine.network.is_some() || !experiment.workload.runs_operations() {
        return Ok(None);
    }
    let mut row = experiment.run(id, Keep { timeline: true, ..Keep::default() })?;
    let completion = Ticks(row.value(PREDICTED.name).unwrap_or_default());
    Ok(row.timeline.take().map(|timeline| (timeline, completion)))
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
    let machine = match experiment.in_repetition(id)? {
        Cow::Borrowed(experiment) => Cow::Borrowed(&*experiment.machine),
        Cow::Owned(experiment) => Cow::Owned(Machine::clone(&experiment.machine)),
    };
    let mut recorder = Recorder::new(&machine, HopTable::default()).following_flits();
    let timeline = experiment.workload.runs_operations();
    let mut row: Row = experiment.run(id, Keep { watch: Some(&mut recorder), timeline, ..Keep::messages(true) })?;
    let (hops, Causes { computations, end, .. }) = recorder.finish();
    let completion = row.measured();
    let messages = std::mem::take(&mut row.details);
    Ok(Some(Recording { machine, completion, messages, hops, computations, timeline: row.timeline.take(), end }))
}
