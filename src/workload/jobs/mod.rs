//! Jobs: several applications side by side on one machine, each in ranks of its own.
//!
//! ```text
//!   [workload.jobs.job.NAME] ──▶ Source ──▶ program, repeated ──┬──▶ under the model: each by itself
//!                                                               ├──▶ on the network: all as one program, on the nodes of the placement
//!                                                               └──▶ alone: each on the same nodes of an idle machine
//! ```
//!
//! LogGOPS models have no contention, so a job takes the same time there with and without others. This module knows no kind of
//! application by name.

mod placement;
mod plan;
mod read;

pub use placement::Placement;

use crate::config::Reader;
use crate::kind::words::counted;
use crate::kind::{
    Column, Combining, Demand, Job, Kind, LINKS, Parts, Planned, Read, RowFailure, RowFile, Template, Unread, Workload,
    WorstCase,
};
use crate::machine::Machine;
use crate::random;
use crate::schedule::goal::{Goal, GoalBuilder, Names};
use crate::workload::application::{self, Application, COLUMNS, HOSTS, Program, Source};
use rand::RngExt;
use serde::{Serialize, Serializer};
use std::sync::Arc;

/// The times of each job, together with the others and alone.
const JOBS: RowFile = RowFile {
    name: "jobs.csv",
    header: &[
        "point",
        "algorithm",
        "repetition",
        "job",
        "ranks",
        "messages",
        "bytes",
        "nodes",
        "start",
        "predicted",
        "measured",
        "predicted_alone",
        "measured_alone",
        "slowdown",
    ],
};

/// The ratio of the time of a job to its time alone. A row has the largest one of its jobs.
const SLOWDOWN: Column = Column::decimal("slowdown").shown_as("slowdown", 1, crate::kind::Cell::Fraction);

const ALL_COLUMNS: [Column; COLUMNS.len() + 1] = application::and([SLOWDOWN]);

/// Jobs in the registry.
pub static KIND: Kind = Kind {
    name: "jobs",
    summary: "several applications side by side on one machine",
    in_words: "a job mix",
    combining: Combining::Always,
    columns: &ALL_COLUMNS,
    files: &[HOSTS, JOBS, LINKS],
    parts: Some(Parts { file: JOBS, label: "job" }),
    remarks: |lines| application::remarks(lines, |workload| Some(&workload.downcast_ref::<Jobs>()?.application)),
    keys: read::KEYS,
    template: Template { scenario: include_str!("template.toml"), files: &[] },
    read: Read::Workload(read::read),
    ..application::KIND
};

/// One of several programs.
#[derive(Clone, Debug)]
pub struct JobProgram {
    /// The name, which the user chooses.
    pub name: String,
    /// The tick at which operations that require nothing are ready.
    pub start: u64,
    /// The number of times that the program is executed.
    pub repeat: u64,
    /// The number of ranks.
    pub ranks: usize,
    /// The application.
    pub source: Arc<dyn Source>,
}

impl Serialize for JobProgram {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let source = self.source.to_json().map_err(serde::ser::Error::custom)?;
        let json = serde_json::json!({
            "name": self.name, "start": self.start, "repeat": self.repeat, self.source.kind().name: source,
        });
        json.serialize(serializer)
    }
}

impl JobProgram {
    /// Returns the program of the row that `job` describes.
    fn draw(&self, job: Job<'_>) -> Arc<Program> {
        // by its name, so that other jobs do not change its draws
        let seed = random::stream(job.seed, &format!("job {}", self.name), 0).random();
        let (program, _) = self.source.draw(Job { seed, ..job });
        self.repeated(program)
    }

    fn repeated(&self, program: Arc<Program>) -> Arc<Program> {
        if self.repeat == 1 {
            return program;
        }
        let goal = joined([(&*program.goal, self.repeat)]);
        Arc::new(Program { goal: Arc::new(goal), ..(*program).clone() })
    }
}

/// The operations of programs side by side, each as often as stated.
fn joined<'a>(programs: impl IntoIterator<Item = (&'a Goal, u64)>) -> Goal {
    let mut builder = GoalBuilder::default();
    programs.into_iter().for_each(|(goal, times)| builder.append(goal, times));
    builder.finish()
}

/// Programs side by side, and their placement.
#[derive(Clone, Debug, Serialize)]
pub struct JobMix {
    /// The rule by which jobs receive their nodes.
    pub placement: Placement,
    /// The jobs, in the order of the file.
    pub jobs: Vec<JobProgram>,
}

impl JobMix {
    /// The number of ranks of each job.
    fn ranks(&self) -> Vec<usize> {
        self.jobs.iter().map(|job| job.ranks).collect()
    }
}

impl Source for JobMix {
    fn kind(&self) -> &'static Kind {
        &KIND
    }

    fn program(&self) -> Arc<Program> {
        let programs: Vec<_> = self.jobs.iter().map(|job| (job.source.program(), job.repeat)).collect();
        Arc::new(Program::new(joined(programs.iter().map(|(program, times)| (&*program.goal, *times)))))
    }

    fn called(&self) -> String {
        counted(self.jobs.len() as u64, "job")
    }

    /// The names that the kinds of the jobs give, with operations numbered as in [`GoalBuilder::append`].
    fn names(&self) -> Names {
        let mut names = Names::default();
        let mut next = 0;
        for job in &self.jobs {
            let (own, goal) = (job.source.names(), Arc::clone(&job.source.program().goal));
            let ranks = (0..goal.ranks()).map(|rank| goal.of_rank(rank)).filter(|ids| !ids.is_empty());
            for (repetition, ids) in
                ranks.flat_map(|ids| (0..job.repeat).map(move |repetition| (repetition, ids.clone())))
            {
                next += u32::from(repetition > 0);
                for id in ids {
                    if !own.get(id).is_empty() {
                        names.set(next, own.get(id));
                    }
                    next += 1;
                }
            }
        }
        names
    }

    fn longest_key(&self) -> &'static str {
        read::JOB.name
    }

    fn cuts_vectors(&self) -> bool {
        self.jobs.iter().any(|job| job.source.cuts_vectors())
    }
}

/// Several applications on one machine.
#[derive(Clone, Debug)]
pub struct Jobs {
    /// The jobs.
    pub mix: Arc<JobMix>,
    /// The program of all ranks, job after job. Its nodes are an example if they are drawn.
    pub application: Application,
}

impl Serialize for Jobs {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.application.serialize(serializer)
    }
}

impl Workload for Jobs {
    fn kind(&self) -> &'static Kind {
        &KIND
    }

    fn participants(&self) -> usize {
        self.application.participants()
    }

    fn runs_operations(&self) -> bool {
        true
    }

    fn warnings(&self) -> Vec<String> {
        self.application.warnings()
    }

    /// Each job is planned by itself and as a part of all, and runs a second time alone.
    fn demand(&self, machine: &Machine, variant: usize) -> Demand {
        let all = self.application.demand(machine, variant);
        Demand {
            planning: all.planning.saturating_mul(2),
            planning_time: all.planning_time.saturating_mul(2),
            running_time: all.running_time.saturating_mul(2),
            ..all
        }
    }

    fn worst_case(&self, machine: &Machine) -> Option<WorstCase> {
        let latest = self.mix.jobs.iter().map(|job| job.start).max().unwrap_or(0);
        let worst = self.application.worst_case(machine)?;
        Some(WorstCase { ticks: worst.ticks.saturating_add(latest.into()), what: "these jobs", ..worst })
    }

    fn check(&self, root: &Reader<'_>, machine: &Machine) {
        self.application.check(root, machine);
    }

    fn unread(&self, machine: &Machine) -> Vec<Unread> {
        self.application.unread(machine)
    }

    fn title(&self, swept: &dyn Fn(&str) -> bool) -> Vec<String> {
        self.application.title(swept)
    }

    fn writes(&self, messages: bool) -> &'static [RowFile] {
        self.application.writes(messages)
    }

    fn plan<'a>(&'a self, job: Job<'a>) -> Result<Box<dyn Planned + 'a>, RowFailure> {
        plan::plan(self, job)
    }
}
