//! What `submit` leaves for `status`, and what Slurm says of it.

use super::target::write_whole;
use anyhow::{Context, Result};
use flitwise::sweep::Shard;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder, in that of the shards, of scripts, logs, and the numbers of jobs.
pub(super) const FOLDER: &str = "slurm";

const JOBS: &str = "jobs.json";

/// The job arrays that were submitted.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Submitted {
    /// How many shards there are.
    pub(super) tasks: NonZeroUsize,
    /// The numbers of the arrays, the last one last.
    pub(super) jobs: Vec<String>,
}

/// What Slurm says of a shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// It waits.
    Queued,
    /// It runs.
    Running,
}

impl Submitted {
    /// What was submitted of `folder`, if anything was.
    pub(super) fn read(folder: &Path) -> Result<Option<Self>> {
        let path = Self::path(folder);
        match std::fs::read(&path) {
            Ok(bytes) => {
                let submitted = serde_json::from_slice(&bytes);
                submitted.map(Some).with_context(|| {
                    let path = path.display();
                    format!("{path} is damaged; remove this file when none of its jobs is queued or running")
                })
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
        }
    }

    pub(super) fn write(&self, folder: &Path) -> Result<()> {
        let path = Self::path(folder);
        write_whole(&path, &serde_json::to_vec(self)?)
    }

    fn path(folder: &Path) -> PathBuf {
        folder.join(FOLDER).join(JOBS)
    }

    pub(super) fn shards(&self) -> impl Iterator<Item = Shard> + '_ {
        (1..=self.tasks.get()).filter_map(|number| Shard::new(number, self.tasks).ok())
    }

    /// The shards that Slurm has not done with, as far as it is there to say.
    pub(super) fn turns(&self) -> BTreeMap<Shard, Turn> {
        self.jobs
            .iter()
            .flat_map(|job| queue(job))
            .filter_map(|(number, turn)| Some((Shard::new(number, self.tasks).ok()?, turn)))
            .collect()
    }

    /// The arrays that Slurm has not done with.
    pub(super) fn active(&self) -> Vec<&String> {
        self.jobs.iter().filter(|job| !queue(job).is_empty()).collect()
    }
}

/// The tasks of the array `job` that wait or run; none if Slurm does not know it any more, or is not there.
fn queue(job: &str) -> Vec<(usize, Turn)> {
    let mut command = Command::new("squeue");
    command.args(["--noheader", "--array", "--format=%K %T", &format!("--jobs={job}")]);
    let Ok(output) = command.output() else { return Vec::new() };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let read = |line: &str| {
        let (task, state) = line.trim().split_once(' ')?;
        let turn = match state {
            "PENDING" | "REQUEUED" | "REQUEUE_HOLD" | "SUSPENDED" => Turn::Queued,
            "RUNNING" | "CONFIGURING" | "STAGE_OUT" => Turn::Running,
            // it is over, whatever is still being tidied up
            _ => return None,
        };
        Some((task.parse().ok()?, turn))
    };
    text.lines().filter_map(read).collect()
}
