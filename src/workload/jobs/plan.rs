//! A row of jobs: each executed by itself under the model, all run on the network, and each run there alone.

use super::{JOBS, JobMix, JobProgram, Jobs, SLOWDOWN, joined};
use crate::costs::Noise;
use crate::engine::program::GoalProgram;
use crate::engine::{Outcome, Stop};
use crate::kind::words::significant;
use crate::kind::{Evidence, FirstWait, Job, Keep, Planned, Row, RowFailure};
use crate::model::Execution;
use crate::schedule::goal::{DataCheck, Goal};
use crate::timeline::Log;
use crate::units::{NodeId, Ticks};
use crate::workload::application::{self, Application, Program, execute};
use std::borrow::Cow;
use std::error::Error;
use std::fmt::Display;
use std::ops::Range;
use std::sync::Arc;
use thiserror::Error;

/// Plans the row of `jobs` that `job` describes.
///
/// # Errors
/// If a job cannot be executed.
pub(super) fn plan<'a>(jobs: &'a Jobs, job: Job<'a>) -> Result<Box<dyn Planned + 'a>, RowFailure> {
    let Jobs { mix: programs, application } = jobs;
    let noise = application.noise.as_ref().map(|noise| noise.draw(job, application.outline.ranks));
    let mut parts: Vec<Part<'_>> = Vec::new();
    let mut executed = Execution::default();
    let mut logs = Vec::new();
    for own in &programs.jobs {
        let first = executed.finish.len();
        let (part, log) = Part::new(own, job, application, first, noise.as_ref(), &mut executed)?;
        parts.push(part);
        logs.push(log);
    }
    let goal = joined(parts.iter().map(|part| (&*part.program.goal, 1)));
    let mut log = job.timeline.then(|| Log::new(&goal));
    for (part, own) in parts.iter().zip(logs) {
        if let (Some(log), Some(own)) = (&mut log, own) {
            log.append(own, &goal, part.ranks.start, Ticks(part.job.start));
        }
    }
    let starts = parts.iter().flat_map(|part| part.ranks.clone().map(|_| Ticks(part.job.start))).collect();
    let mix = application::Plan {
        application,
        program: Arc::new(Program::new(goal)),
        nodes: nodes(programs, job).into(),
        starts,
        report: Box::new(|_| ()),
        noise,
        job,
        executed,
        log,
    };
    Ok(Box::new(Plan { mix, parts }))
}

/// The nodes of all ranks. Empty without a network.
fn nodes(mix: &JobMix, job: Job<'_>) -> Vec<NodeId> {
    let Some(nodes) = job.machine.nodes() else { return Vec::new() };
    mix.placement.nodes(&mix.ranks(), nodes, job.seed, job.repetition)
}

/// An error of a job.
#[derive(Debug, Error)]
#[error("job `{name}`: {cause}")]
struct JobFailure {
    name: String,
    #[source]
    cause: Box<dyn Error + Send + Sync>,
}

/// A job of a row.
struct Part<'a> {
    job: &'a JobProgram,
    program: Arc<Program>,
    /// Its ranks among those of all jobs.
    ranks: Range<usize>,
    /// The noise of its ranks.
    noise: Option<Noise>,
    /// The time from its start to its last end under the model.
    predicted: u64,
}

impl<'a> Part<'a> {
    /// Draws the program of `own`, whose ranks begin at `first`, and adds its times under the model to `executed`. Returns the
    /// activities too if a timeline is kept.
    fn new(
        own: &'a JobProgram,
        job: Job<'_>,
        application: &Application,
        first: usize,
        noise: Option<&Noise>,
        executed: &mut Execution,
    ) -> Result<(Self, Option<Log>), RowFailure> {
        let program = own.draw(job);
        let mut log = job.timeline.then(|| Log::new(&program.goal));
        let ranks = first..first + program.goal.ranks();
        // the model counts time from the start of the job
        let shifted = noise.map(|noise| noise.of_ranks(ranks.clone(), own.start));
        let execution = execute(&program, job.machine, application.flit_bytes, shifted.as_ref(), log.as_mut());
        let Execution { finish, completion, noise: added, .. } = execution.map_err(|failure| of_job(own, failure))?;
        let ends = finish.iter().enumerate().map(|(rank, &end)| match program.goal.of_rank(rank).is_empty() {
            true => Ticks::ZERO,
            false => end + Ticks(own.start),
        });
        executed.finish.extend(ends);
        executed.completion = executed.finish.iter().copied().max().unwrap_or_default();
        executed.noise.extend(added);
        let noise = noise.map(|noise| noise.of_ranks(ranks.clone(), 0));
        Ok((Self { job: own, program, ranks, noise, predicted: completion.0 }, log))
    }

    /// The time from its start to the last of `ends`.
    fn duration(&self, ends: &[Ticks]) -> u64 {
        let last = ends.iter().map(|end| end.0).max().unwrap_or(0);
        last.saturating_sub(self.job.start)
    }
}

/// The failure of `job`, with its name.
fn of_job(job: &JobProgram, failure: RowFailure) -> RowFailure {
    match failure {
        RowFailure::Wrong { what, cause } => {
            RowFailure::Wrong { what, cause: Box::new(JobFailure { name: job.name.clone(), cause }) }
        }
        other => other,
    }
}

/// Jobs that can be executed.
struct Plan<'a> {
    /// All jobs as one program.
    mix: application::Plan<'a>,
    parts: Vec<Part<'a>>,
}

/// The times of a job. LogGOPS models have no contention, so the predicted time is the same with other jobs and alone.
struct Times {
    predicted: u64,
    /// The measured times with the others and alone, on a network.
    measured: Option<[u64; 2]>,
}

impl Times {
    /// The ratio of the time with the others to the time alone.
    #[expect(clippy::cast_precision_loss, reason = "a ratio with six digits")]
    fn slowdown(&self) -> f64 {
        match self.measured {
            Some([duration, isolated]) if duration != isolated => duration as f64 / isolated as f64,
            _ => 1.0,
        }
    }
}

impl Plan<'_> {
    /// Runs `part` on its nodes of an idle machine, from the same start on. Returns the time that it takes.
    fn run_isolated(&self, part: &Part<'_>) -> Option<Result<u64, RowFailure>> {
        let application::Plan { application, nodes, starts, job, .. } = &self.mix;
        let nodes = nodes.get(part.ranks.clone())?;
        let program = GoalProgram::new(&part.program.goal, nodes, &job.machine.node, application.flit_bytes);
        let program = program.with_starts(&starts[part.ranks.clone()]).with_noise(part.noise.as_ref());
        let program = program.with_stragglers(job.machine.stragglers());
        let outcome = job.machine.run(program, job.draw(), &mut ())?;
        Some(outcome.map(|outcome| part.duration(&outcome.ends)).map_err(RowFailure::from))
    }

    /// The times of each job, of a run of all with this outcome if there was one.
    fn times(&self, outcome: Option<&Outcome>) -> Result<Vec<Times>, RowFailure> {
        let processors = outcome.map_or(1, |outcome| outcome.ends.len() / self.mix.starts.len().max(1));
        let times = |part: &Part<'_>| {
            let ends = outcome.map(|outcome| &outcome.ends[part.ranks.start * processors..part.ranks.end * processors]);
            let duration = ends.map(|ends| part.duration(ends));
            let isolated = if duration.is_some() { self.run_isolated(part).transpose()? } else { None };
            let measured = duration.zip(isolated).map(|(duration, isolated)| [duration, isolated]);
            Ok(Times { predicted: part.predicted, measured })
        };
        self.parts.iter().map(times).collect()
    }

    fn add_jobs(&self, row: &mut Row, times: &[Times]) {
        let lines = self.parts.iter().zip(times).map(|(part, times)| {
            let goal = &part.program.goal;
            let nodes = self.mix.nodes.get(part.ranks.clone()).unwrap_or_default();
            let [measured, alone] = times.measured.map_or([None; 2], |measured| measured.map(Some));
            (
                (&part.job.name, goal.ranks(), goal.messages(), u64::try_from(goal.sent()).unwrap_or(u64::MAX)),
                (blanks(nodes.iter().map(|node| node.0)), part.job.start),
                (times.predicted, measured, times.predicted, alone),
                significant(times.slowdown()),
            )
        });
        row.add_lines(&JOBS, lines);
        row.set_decimal(&SLOWDOWN, times.iter().map(Times::slowdown).fold(0.0, f64::max));
    }
}

/// `values` separated by blanks.
fn blanks(values: impl Iterator<Item = impl Display>) -> String {
    values.map(|value| value.to_string()).collect::<Vec<_>>().join(" ")
}

impl Planned for Plan<'_> {
    fn verify(&self) -> Result<Evidence, RowFailure> {
        let checked = |part: &Part<'_>| match part.program.data.as_deref()? {
            DataCheck::Proved(proof) => Some(format!("proved: job `{}`: {proof}", part.job.name)),
            DataCheck::Unchecked(reason) => {
                Some(format!("the data of job `{}` are not checked: {reason}", part.job.name))
            }
            DataCheck::Violated(_) => None,
        };
        let evidence = self.mix.verify()?;
        Ok(self.parts.iter().filter_map(checked).fold(evidence, Evidence::note))
    }

    fn run(&self, row: &mut Row, keep: Keep<'_>) -> Result<(), RowFailure> {
        let outcome = self.mix.run_row(row, keep)?;
        let times = self.times(outcome.as_ref())?;
        self.add_jobs(row, &times);
        Ok(())
    }

    fn watch(&self, watch: &mut FirstWait) -> Option<Result<Outcome, Stop>> {
        self.mix.watch(watch)
    }

    fn could_contend(&self) -> bool {
        self.mix.could_contend()
    }

    fn goal(&self, flit_bytes: Option<u64>) -> Option<Result<Cow<'_, Goal>, String>> {
        self.mix.goal(flit_bytes)
    }
}
