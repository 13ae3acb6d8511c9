//! `flitwise submit`.

use super::kept::KeptFlags;
use super::output::{planned, quoted};
use super::slurm::{FOLDER, Submitted};
use super::target::write_whole;
use super::ui::Ui;
use super::{Source, Usage, at_least_one};
use anyhow::{Context, Result, bail};
use clap::{Args, ValueHint};
use flitwise::memory::Limit;
use flitwise::output::{Manifest, ranges};
use flitwise::sweep::{Plan, Shard, Store, is_being_written, shares};
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf, absolute};
use std::process::Command;

#[derive(Args)]
pub(super) struct Submit {
    #[command(flatten)]
    source: Source,
    /// Number of tasks of the job array, one shard each
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    tasks: NonZeroUsize,
    /// Output directory, on a file system that all nodes share
    #[arg(short, long, value_name = "DIR", default_value = "results", value_hint = ValueHint::DirPath)]
    out: PathBuf,
    #[command(flatten)]
    kept: KeptFlags,
    /// Write the plan and the scripts to DIR/NAME, and print the sbatch commands without running them
    #[arg(long)]
    dry_run: bool,
    /// Options for sbatch, used for all jobs, such as --partition=short --cpus-per-task=16 --mem=32G --time=1:00:00
    #[arg(last = true, value_name = "SBATCH OPTION")]
    options: Vec<OsString>,
}

/// The program of Slurm that takes jobs.
const SBATCH: &str = "sbatch";

/// Options of sbatch that decide what is a task and what follows what.
const OURS: [&str; 5] = ["--array", "-a", "--dependency", "-d", "--parsable"];

struct Job {
    script: PathBuf,
    name: String,
    /// The pattern of its log's path, as sbatch reads it.
    log: String,
    more: Vec<String>,
}

impl Submit {
    pub(super) fn execute(&self, ui: &Ui) -> Result<()> {
        self.refuse_ours()?;
        self.source.file()?;
        self.refuse_without_slurm()?;
        // it runs on other machines: what they have, their tasks will see
        let scenario = self.source.load(Limit::available(u64::MAX))?;
        let kept = self.kept.checked(ui, &scenario)?;
        let plan = planned(&scenario, &self.source, kept)?;
        let folder = absolute(self.out.join(&scenario.name))?;
        let store = Store::to_look(&folder, &plan)?;
        for damage in store.damage() {
            ui.warn(&format!("{damage}; its rows are computed again"));
        }
        let before = Submitted::read(&folder)?;
        self.refuse_other_tasks(before.as_ref())?;
        let todo = self.todo(&plan, &store, before.as_ref())?;
        let missing = store.missing().len();
        drop(store);
        if missing == 0 && folder.join(Manifest::NAME).exists() {
            return ui.print(&format!("all rows are finished; the results are in {}\n", folder.display()));
        }
        let scripts = self.write_scripts(&folder)?;
        let array = (!todo.is_empty()).then(|| Job {
            script: scripts.0,
            name: format!("flitwise-{}", scenario.name),
            log: log(&folder, "task-%a.log"),
            more: vec![format!("--array={}", ranges(&todo, ","))],
        });
        let merge = Job {
            script: scripts.1,
            name: format!("flitwise-{}-merge", scenario.name),
            log: log(&folder, "merge.log"),
            more: Vec::new(),
        };
        self.submit(ui, &folder, before.as_ref(), array, merge)?;
        let again = match (missing, todo.len()) {
            (0, _) => "all rows are finished".to_owned(),
            (_, 0) => "all unfinished shards are queued or running".to_owned(),
            _ if todo.len() == plan.units.len() && todo.len() < self.tasks.get() => {
                format!("shards {} of {}, because the others have no rows", ranges(&todo, ","), self.tasks)
            }
            _ => format!("shards {} of {}", ranges(&todo, ","), self.tasks),
        };
        let status = quoted(["flitwise".into(), "status".into(), folder.into_os_string()]);
        ui.print(&format!("{again}; `{status}` shows the progress\n"))
    }

    fn refuse_ours(&self) -> Result<(), Usage> {
        let ours = |option: &&OsString| {
            let option = option.to_string_lossy();
            OURS.iter().any(|name| option == *name || option.starts_with(&format!("{name}=")))
        };
        match self.options.iter().find(ours) {
            None => Ok(()),
            Some(option) => {
                Err(Usage(format!("{} cannot be given, because flitwise submit sets it", option.to_string_lossy())))
            }
        }
    }

    /// Refuses where nothing could be submitted, before anything is written.
    fn refuse_without_slurm(&self) -> Result<()> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        if self.dry_run || std::env::split_paths(&path).any(|folder| folder.join(SBATCH).is_file()) {
            return Ok(());
        }
        bail!(
            "cannot find {SBATCH}, so nothing was submitted or written; run this on a Slurm machine, or use --dry-run to \
             write the scripts and print the commands"
        )
    }

    /// Shards of another number would compute what is being computed.
    fn refuse_other_tasks(&self, before: Option<&Submitted>) -> Result<(), Usage> {
        let Some(before) = before.filter(|before| before.tasks != self.tasks) else { return Ok(()) };
        match before.active().as_slice() {
            [] => Ok(()),
            jobs => {
                let jobs: Vec<&str> = jobs.iter().map(|job| job.as_str()).collect();
                let jobs = jobs.join(" ");
                let tasks = before.tasks;
                Err(Usage(format!(
                    "job {jobs} with {tasks} tasks has not finished; wait, cancel it with scancel {jobs}, or use --tasks {tasks}"
                )))
            }
        }
    }

    /// The shards that lack rows and that no job works on or will, by number.
    fn todo(&self, plan: &Plan, store: &Store, before: Option<&Submitted>) -> Result<Vec<usize>> {
        let turns = before.filter(|before| before.tasks == self.tasks).map(Submitted::turns).unwrap_or_default();
        let mut lacks = vec![false; self.tasks.get()];
        for (unit, turn) in shares(&plan.units, self.tasks).into_iter().enumerate() {
            lacks[turn] |= !store.has(unit);
        }
        let mut todo = Vec::new();
        for number in (1..=self.tasks.get()).filter(|number| lacks[number - 1]) {
            let shard = Shard::new(number, self.tasks)?;
            if !turns.contains_key(&shard) && !is_being_written(&store.folder().join(shard.journal())) {
                todo.push(number);
            }
        }
        Ok(todo)
    }

    fn write_scripts(&self, folder: &Path) -> Result<(PathBuf, PathBuf)> {
        let program = std::env::current_exe()?.into_os_string();
        let scenario = match self.source.file()? {
            Some(path) => vec![absolute(path)?.into_os_string()],
            None => Vec::new(),
        };
        let out = absolute(&self.out)?.into_os_string();
        let set = self.source.set.iter().flat_map(|set| ["--set".into(), OsString::from(set)]);
        let unset = self.source.unset.iter().flat_map(|path| ["--unset".into(), OsString::from(path)]);
        let mut run: Vec<OsString> = vec![program.clone(), "run".into()];
        run.extend(scenario.into_iter().chain(unset).chain(set).chain(["--out".into(), out]));
        run.extend(self.kept.words().map(Into::into));
        refuse_unspeakable(&run)?;
        let run = quoted(run);
        let tasks = self.tasks;
        let array = format!(
            "#!/bin/sh\n\
             # Written by flitwise submit. Each task of the job array runs one shard of the sweep.\n\
             cpus=${{SLURM_CPUS_PER_TASK:-${{SLURM_CPUS_ON_NODE:-1}}}}\n\
             memory=${{SLURM_MEM_PER_NODE:-$((${{SLURM_MEM_PER_CPU:-0}} * cpus))}}\n\
             if [ \"$memory\" -gt 0 ]; then set -- --memory \"${{memory}}M\"; else set --; fi\n\
             exec {run} --shard \"$SLURM_ARRAY_TASK_ID/{tasks}\" --resume --jobs \"$cpus\" \"$@\"\n"
        );
        let merge = quoted([program, "merge".into(), folder.as_os_str().to_owned()]);
        let merge = format!("#!/bin/sh\n# Written by flitwise submit. Merges the shards of the sweep.\nexec {merge}\n");
        let scripts = folder.join(FOLDER);
        let written = |name: &str, text: String| -> Result<PathBuf> {
            let path = scripts.join(name);
            write_whole(&path, text.as_bytes())?;
            Ok(path)
        };
        std::fs::create_dir_all(&scripts)
            .with_context(|| format!("cannot write the scripts to {}", scripts.display()))?;
        Ok((written("array.sh", array)?, written("merge.sh", merge)?))
    }

    fn submit(
        &self,
        ui: &Ui,
        folder: &Path,
        before: Option<&Submitted>,
        array: Option<Job>,
        mut merge: Job,
    ) -> Result<()> {
        let mut jobs: Vec<String> = before.into_iter().flat_map(Submitted::active).cloned().collect();
        if let Some(array) = array {
            let number = self.sbatch(ui, &array, "the shards")?;
            jobs.push(number);
            if !self.dry_run {
                Submitted { tasks: self.tasks, jobs: jobs.clone() }.write(folder)?;
            }
        }
        if !jobs.is_empty() {
            // also after a task that failed: the merge then says what is missing
            merge.more.push(format!("--dependency=afterany:{}", jobs.join(":")));
        }
        self.sbatch(ui, &merge, "the merge").map(drop)
    }

    /// Submits `job` and returns its number.
    fn sbatch(&self, ui: &Ui, job: &Job, what: &str) -> Result<String> {
        let mut words: Vec<OsString> = vec![SBATCH.into(), "--parsable".into(), "--open-mode=append".into()];
        words.extend([format!("--job-name={}", job.name).into(), format!("--output={}", job.log).into()]);
        words.extend(job.more.iter().map(OsString::from));
        words.extend(self.options.iter().cloned());
        words.push(job.script.clone().into_os_string());
        if self.dry_run {
            ui.print(&format!("{}\n", quoted(words)))?;
            return Ok("JOB".to_owned());
        }
        let output = Command::new(&words[0]).args(&words[1..]).output().with_context(|| {
            let script = job.script.display();
            format!("cannot start sbatch, so nothing was submitted; the script is {script}")
        })?;
        if !output.status.success() {
            bail!("sbatch rejected {what}: {}", String::from_utf8_lossy(&output.stderr).trim());
        }
        // NUMBER, or NUMBER;CLUSTER
        let said = String::from_utf8_lossy(&output.stdout);
        let number = said.trim().split(';').next().unwrap_or_default().to_owned();
        ui.print(&format!("Submitted {what} as job {number}\n"))?;
        Ok(number)
    }
}

/// The pattern of the path of a log in `folder`; what sbatch would replace in the folder's own name is doubled.
fn log(folder: &Path, pattern: &str) -> String {
    format!("{}/{pattern}", folder.join(FOLDER).display().to_string().replace('%', "%%"))
}

/// Refuses what a script cannot say: it is text.
fn refuse_unspeakable(words: &[OsString]) -> Result<(), Usage> {
    match words.iter().find(|word| word.to_str().is_none_or(|word| word.contains('\0'))) {
        None => Ok(()),
        Some(word) => {
            let word = word.to_string_lossy();
            Err(Usage(format!(
                "`{word}` is not UTF-8 and cannot be written to the scripts of the jobs\naccepted: names in UTF-8"
            )))
        }
    }
}
