//! A row of an application: executed under the model, and run on the network.

use super::{Application, BYTES, COMPUTE, HOSTS, NOISE, Program, Report, in_loggopsim, tracks};
use crate::costs::Noise;
use crate::engine::program::{Causes, GoalProgram};
use crate::engine::{Outcome, Stop};
use crate::kind::{Beside, Evidence, FirstWait, Job, Keep, Planned, Row, RowFailure, measure_with_causes};
use crate::machine::{DependencyRule, Machine};
use crate::model::{Conditions, Execution, Model, execute_under};
use crate::schedule::goal::{DataCheck, Goal};
use crate::timeline::{Log, Timeline};
use crate::units::{Flits, MessageId, NodeId, Ticks};
use std::borrow::Cow;
use std::sync::Arc;

/// Plans the row of `application` that `job` describes.
pub(super) fn plan<'a>(application: &'a Application, job: Job<'a>) -> Result<Box<dyn Planned + 'a>, RowFailure> {
    let (program, report) = application.source.draw(job);
    let noise = application.noise.as_ref().map(|noise| noise.draw(job, application.outline.ranks));
    let mut log = job.timeline.then(|| Log::new(&program.goal));
    let executed = execute(&program, job.machine, application.flit_bytes, noise.as_ref(), log.as_mut())?;
    let nodes = Arc::clone(&application.nodes);
    Ok(Box::new(Plan { application, program, nodes, starts: Vec::new(), report, noise, job, executed, log }))
}

/// Executes `program` under the model of `machine`, whatever the network, and adds the activities of processors to `log`.
///
/// # Errors
/// If it cannot be executed, or moves data that are wrong.
pub(crate) fn execute(
    program: &Program,
    machine: &Machine,
    flit_bytes: u64,
    noise: Option<&Noise>,
    log: Option<&mut Log>,
) -> Result<Execution, RowFailure> {
    let failure = RowFailure::wrong("the operations cannot be executed");
    let eager = machine.model.as_ref().map_or(u64::MAX, Model::eager);
    let in_time = machine.dependency_rule.map_or(program.in_time, |rule| rule == DependencyRule::InTime);
    let conditions = Conditions { in_time, noise };
    let executed = program
        .goal
        .check()
        .and_then(|()| execute_under(&program.goal, |bytes| machine.parts(bytes, flit_bytes), eager, &conditions, log));
    let mut executed = match executed {
        Ok(executed) => executed,
        Err(violation) => return Err(failure(violation)),
    };
    if let Some(DataCheck::Violated(violation)) = program.data.as_deref() {
        return Err(RowFailure::wrong("the data violate the postcondition of the collective")(violation.clone()));
    }
    match executed.truncated.take() {
        Some(violation) => Err(failure(violation)),
        None => Ok(executed),
    }
}

/// Operations that can be executed, and their times under the model.
pub(crate) struct Plan<'a> {
    pub(crate) application: &'a Application,
    pub(crate) program: Arc<Program>,
    /// Per rank its node. Empty without a network.
    pub(crate) nodes: Arc<[NodeId]>,
    /// Per rank the tick at which it starts. Empty if all start at 0.
    pub(crate) starts: Vec<Ticks>,
    pub(crate) report: Report,
    pub(crate) noise: Option<Noise>,
    pub(crate) job: Job<'a>,
    pub(crate) executed: Execution,
    /// The activities under the model, if a timeline is kept.
    pub(crate) log: Option<Log>,
}

impl Plan<'_> {
    fn on_network(&self) -> GoalProgram<'_> {
        let Self { application, program, nodes, starts, noise, job, .. } = self;
        let program = GoalProgram::new(&program.goal, nodes, &job.machine.node, application.flit_bytes);
        program.with_starts(starts).with_noise(noise.as_ref()).with_stragglers(job.machine.stragglers())
    }

    /// Predicts the row, and runs it if there is a network. Returns the outcome of the run.
    ///
    /// # Errors
    /// If the run ends in a deadlock.
    pub(crate) fn run_row(&self, row: &mut Row, keep: Keep<'_>) -> Result<Option<Outcome>, RowFailure> {
        let goal = &self.program.goal;
        row.nodes = goal.ranks();
        row.messages = goal.messages();
        row.predict(self.executed.completion);
        row.set(&BYTES, u64::try_from(goal.sent()).unwrap_or(u64::MAX));
        row.set(&COMPUTE, u64::try_from(goal.computed()).unwrap_or(u64::MAX));
        row.set(&NOISE, self.executed.noise.iter().map(|noise| noise.0).sum());
        (self.report)(row);
        let mut measured = None;
        if self.job.machine.network.is_some() {
            let program = self.on_network();
            let links = self.application.details;
            let flits: Vec<Flits> = match keep.wants_messages() || links {
                true => (0..row.messages).map(|message| program.flits(MessageId::new(message))).collect(),
                false => Vec::new(),
            };
            let name = |message: usize| (message as u64, flits[message]);
            measured = measure_with_causes(self.job.machine, program, row, Beside { keep, links, name: &name })?;
        }
        row.timeline = self.log.as_ref().map(|log| Box::new(self.timeline(log, measured.as_ref())));
        let measured = measured.map(|(outcome, _)| outcome);
        if row.id.repetition == 0 {
            self.add_hosts(row, measured.as_ref().map(|outcome| outcome.ends.as_slice()));
        }
        Ok(measured)
    }

    /// The tracks of the ranks under the model, by its `log`, and as they were `measured`.
    fn timeline(&self, log: &Log, measured: Option<&(Outcome, Causes)>) -> Timeline {
        let goal = &self.program.goal;
        let on_network =
            |(outcome, causes): &(Outcome, Causes)| tracks::on_network(goal, outcome, causes, self.noise.as_ref());
        Timeline {
            goal: Arc::clone(goal),
            names: self.application.source.names(),
            nodes: Arc::clone(&self.nodes),
            predicted: log.clone().tracks(goal, self.executed.completion, true),
            measured: measured.map(on_network).unwrap_or_default(),
        }
    }

    /// Adds the times of the ranks under the model and, if they are `measured`, on the network.
    fn add_hosts(&self, row: &mut Row, measured: Option<&[Ticks]>) {
        let point = row.id.point as u64;
        let Execution { finish, noise, .. } = &self.executed;
        let processors = measured.map_or(1, |ends| ends.len() / finish.len().max(1));
        let lines = finish.iter().enumerate().map(|(host, finish)| {
            let ends = measured.map(|ends| &ends[host * processors..(host + 1) * processors]);
            let measured = ends.and_then(|ends| ends.iter().max()).map(|end| end.0);
            let noise = noise.get(host).map_or(0, |noise| noise.0);
            [Some(point), Some(host as u64), Some(finish.0), measured, Some(noise)]
        });
        row.add_numbers(&HOSTS, lines);
    }
}

impl Planned for Plan<'_> {
    fn verify(&self) -> Result<Evidence, RowFailure> {
        let goal = &self.program.goal;
        let evidence = Evidence::new().note(format!(
            "proved: every operation ({} in all) names an existing rank, and none waits for itself; under the model every \
             message ({} in all) is sent and received, and the last rank finishes at tick {}",
            goal.operations().len(),
            goal.messages(),
            self.executed.completion
        ));
        let evidence = match goal.ambiguous_tags() {
            Some(tags) => evidence.note(in_loggopsim(&tags)),
            None => evidence,
        };
        Ok(match self.program.data.as_deref() {
            Some(DataCheck::Proved(proof)) => evidence.note(format!("proved: {proof}")),
            Some(DataCheck::Unchecked(reason)) => evidence.note(format!("the data are not checked: {reason}")),
            Some(DataCheck::Violated(_)) | None => evidence,
        })
    }

    fn run(&self, row: &mut Row, keep: Keep<'_>) -> Result<(), RowFailure> {
        self.run_row(row, keep).map(drop)
    }

    fn watch(&self, watch: &mut FirstWait) -> Option<Result<Outcome, Stop>> {
        self.job.machine.network.as_ref()?; // without one, ranks have no nodes
        self.job.machine.run(self.on_network(), self.job.draw(), watch)
    }

    fn could_contend(&self) -> bool {
        self.job.machine.network.is_some()
    }

    fn goal(&self, flit_bytes: Option<u64>) -> Option<Result<Cow<'_, Goal>, String>> {
        Some(match flit_bytes {
            None => Ok(Cow::Borrowed(&self.program.goal)),
            Some(_) => Err("--flit-bytes has no effect: operations are already in bytes".to_owned()),
        })
    }
}
