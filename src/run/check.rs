//! What can be shown of a row: its schedule's proof, and whether its head flits ever wait.

use crate::cancel;
use crate::engine::Stop;
use crate::kind::{
    Contention, DeadlockFreedom, Evidence, FirstWait, Keep, ModelledTimes, Planned, Row, RowError, RowFailure, RowId,
    TreeFindings, tree_findings,
};
use crate::scenario::{Experiment, Scenario};
use crate::units::Ticks;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// What was shown of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Examination {
    /// Which row.
    pub id: RowId,
    /// What was proved.
    pub evidence: Evidence,
    /// The findings on packets that routers copy or combine, if there are any.
    pub trees: Option<TreeFindings>,
    /// What happened on the network; none if nothing was run there.
    pub contention: Option<Contention>,
    /// Whether contention is a question that can be asked of it.
    pub could_contend: bool,
    /// The time that the scenario's own model predicts and the time that the run takes, in ticks, where they differ so much
    /// that the model hardly describes the same machine.
    pub odd_model: Option<[Ticks; 2]>,
}

/// Deadlock freedom of the routing at every point, decided once for equal machines, or `None` if schedules prescribe the path of
/// every message and prove these themselves. Begins with a [`checkpoint`](cancel::checkpoint) for every node of a network.
pub fn deadlock_freedom(scenario: &Scenario) -> Vec<Option<Arc<DeadlockFreedom>>> {
    let mut known: FxHashMap<String, Arc<DeadlockFreedom>> = FxHashMap::default();
    let mut decide = |experiment: &Experiment| {
        let machine = &experiment.machine;
        let keeps_paths = machine.routers.as_ref().is_none_or(|routers| routers.fixes_paths);
        if keeps_paths && experiment.workload.prescribes_paths() {
            return None;
        }
        let decided = known.entry(DeadlockFreedom::key(machine));
        Some(Arc::clone(decided.or_insert_with(|| Arc::new(DeadlockFreedom::decide(machine)))))
    };
    scenario.points.iter().map(|point| decide(&point.experiment)).collect()
}

/// Plans and proves the row `id`, runs it where there is a network, and looks for contention. A run that deadlocks is a
/// finding.
///
/// # Errors
/// If the plan proves wrong, or the scenario has no such row.
pub fn examine(scenario: &Scenario, id: RowId) -> Result<Examination, Box<RowError>> {
    cancel::checkpoint();
    let experiment = scenario.experiment_of(id)?;
    let experiment = experiment.in_repetition(id)?;
    let planned = experiment.plan(id)?;
    let evidence = planned.verify().map_err(|cause| experiment.failed(id, cause))?;
    let ids = experiment.workload.message_ids(&experiment.machine);
    let name = |message: usize| ids.as_ref().map_or(message as u64, |ids| ids[message]);
    let trees = find_trees(&experiment, planned.as_ref(), &name).map_err(|cause| experiment.failed(id, cause))?;
    let could_contend = planned.could_contend();
    if trees.as_ref().is_some_and(|trees| trees.refusal.is_some()) {
        return Ok(Examination { id, evidence, trees, contention: None, could_contend, odd_model: None });
    }
    let mut watch = FirstWait::default();
    let ended = match planned.watch(&mut watch) {
        Some(Err(Stop::NoPath(no_path))) if !experiment.machine.leaves_out(no_path.src, no_path.dst) => {
            return Err(experiment.failed(id, Stop::NoPath(no_path).into()));
        }
        // a row with messages that are left out is not run
        Some(Err(Stop::NoPath(_))) => None,
        ended => ended,
    };
    let contention = ended.map(|ended| watch.contention(&experiment.machine, ended, &name));
    let ran = contention.as_ref().is_some_and(|contention| contention.blocked_headers.is_ok());
    // the first repetition stands for all: looking takes another run
    let looks = ran && id.repetition == 0 && experiment.machine.model.is_some();
    let odd_model = if looks { odd_model(&experiment.run(id, Keep::default())?) } else { None };
    Ok(Examination { id, evidence, trees, contention, could_contend, odd_model })
}

/// The findings on the packets of a row that routers copy or combine, if there are any.
fn find_trees(
    experiment: &Experiment,
    planned: &dyn Planned,
    name: &dyn Fn(usize) -> u64,
) -> Result<Option<TreeFindings>, RowFailure> {
    let mut findings = None;
    planned.copied(&mut |messages| findings = Some(tree_findings(&experiment.machine, messages, name)));
    findings.transpose()
}

/// The predicted and the measured time of `row`, if the model is far off for another reason than contention.
fn odd_model(row: &Row) -> Option<[Ticks; 2]> {
    let [predicted, measured, blocked] = ["predicted", "measured", "blocked_time"].map(|column| row.value(column));
    let [predicted, measured] = [predicted?, measured?];
    let [of_model, of_run, waited] = [predicted, measured, blocked.unwrap_or(0)].map(|ticks| ticks as f64);
    let times = ModelledTimes { measured: of_run, blocked: waited, predicted: of_model };
    times.differ().then_some([Ticks(predicted), Ticks(measured)])
}
