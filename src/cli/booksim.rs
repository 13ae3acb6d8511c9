//! `flitwise booksim`.

use super::again::existing;
use super::memory::Memory;
use super::output::{announce, publish};
use super::progress::{now, patient};
use super::run::{warn_of_buffers, warn_of_doubts};
use super::ui::{Ui, warn_of_machines};
use super::work::{Work, not_written};
use super::{Interrupted, Usage, at_least_one, run_failure, threads, told};
use anyhow::{Context, Error, Result};
use clap::{Args, ValueHint};
use flitwise::booksim::{Conversion, Input, Location, Refused, ResultFiles, Results, convert};
use flitwise::config::{Diagnostic, LARGEST, decode, read_given};
use flitwise::memory::Limit;
use flitwise::output::{RowFiles, RunInfo, Summaries, Summary, table};
use flitwise::run::{WorkerPool, check_memory, run, units};
use flitwise::scenario::{LoadError, Options, Rejected, Scenario};
use flitwise::sweep::{DetailFiles, Ending, Entry, Mode, Plan, Shard, Store};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// The file of a run with a line for each row.
const ROWS: &str = "rows.csv";
/// The file of a run with a line for each class of each row.
const CLASSES: &str = "classes.csv";

#[derive(Args)]
pub(super) struct Booksim {
    /// Configuration files, and assignments of keys. They are read in order, and later ones replace earlier ones
    #[arg(value_name = "FILE|KEY=VALUE", required = true, value_hint = ValueHint::FilePath)]
    arguments: Vec<String>,
    /// Print the equivalent scenario and run nothing
    #[arg(long, conflicts_with_all = ["json", "out", "jobs"])]
    scenario: bool,
    /// Print JSON instead of the table (fields are listed below)
    #[arg(long, conflicts_with = "quiet")]
    json: bool,
    /// Output directory. Files go to DIR/NAME, where NAME is the name of the first file [default: write no files]
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    out: Option<PathBuf>,
    /// Number of threads, limited to four per core. Results do not depend on it [default: all cores]
    #[arg(short, long, value_name = "N", value_parser = at_least_one)]
    jobs: Option<NonZeroUsize>,
    #[command(flatten)]
    memory: Memory,
    /// Print only errors and warnings
    #[arg(short, long)]
    quiet: bool,
}

/// Results of a run: its statistics, its files, and the line below the table.
struct Simulated {
    summaries: Vec<Summary>,
    files: ResultFiles,
    written: String,
}

impl Booksim {
    pub(super) fn execute(&self, ui: &Ui) -> Result<()> {
        let conversion = self.convert()?;
        if !self.quiet && !self.json {
            conversion.notes.iter().for_each(|note| ui.note(&format!("note: {note}")));
        }
        if self.scenario {
            return ui.print(&conversion.scenario);
        }
        let limit = self.memory.limit();
        let files = self.file_directory(&conversion);
        let scenario = patient(ui, "reading the scenario", self.quiet, || load(&conversion, &files, limit))?;
        warn_of_buffers(ui, &scenario);
        if !self.quiet {
            warn_of_machines(ui, &scenario)?;
        }
        let memory = limit.bytes.saturating_sub(scenario.memory());
        check_memory(&units(&scenario), memory, limit).map_err(|error| Usage(error.to_string()))?;
        let simulated = match &self.out {
            None => self.in_memory(ui, &scenario)?,
            Some(root) => {
                let pool = WorkerPool { threads: threads(self.jobs), memory };
                self.in_directory(ui, &scenario, &Target { root, files: &files, pool })?
            }
        };
        self.report(ui, &scenario, &conversion, &simulated)
    }

    /// The scenario of all arguments.
    fn convert(&self) -> Result<Conversion> {
        if self.arguments.iter().all(|argument| argument.contains('=')) {
            return Err(Usage("`flitwise booksim` needs a configuration file".to_owned()).into());
        }
        let inputs = Input::from_arguments(&self.arguments, read)?;
        Ok(convert(&inputs, seconds()).map_err(rejected)?)
    }

    /// The directory of the file that names the network, or of the last file.
    fn file_directory(&self, conversion: &Conversion) -> PathBuf {
        let named = conversion.network_file.as_ref().and_then(|file| match &file.location {
            Some(Location::Line { path, .. }) => Some(&**path),
            _ => None,
        });
        let last = || self.arguments.iter().map(String::as_str).rfind(|argument| !argument.contains('='));
        let file = named.or_else(last).unwrap_or_default();
        Path::new(file).parent().unwrap_or(Path::new("")).to_owned()
    }

    /// Runs `scenario` and writes no files.
    fn in_memory(&self, ui: &Ui, scenario: &Scenario) -> Result<Simulated> {
        let mut summaries = Summaries::new(scenario);
        let mut rows = Vec::new();
        let simulate = || {
            run(scenario, threads(self.jobs), false, |row| {
                summaries.add(&row);
                rows.push(row);
                Ok::<(), Error>(())
            })
        };
        let ran = patient(ui, "simulating", self.quiet, || ui.interrupts().token().run(simulate))?;
        ran.map_err(|error| told(scenario, run_failure(error)))?;
        let format = RowFiles::new(scenario, DetailFiles::default());
        let mut texts = format.headers()?;
        for lines in format.lines(&mut rows)? {
            if let Some(text) = texts.iter_mut().find(|text| text.file == lines.file) {
                text.text += &lines.text;
            }
        }
        let mut file =
            |name: &str| texts.iter().position(|text| text.file == name).map(|at| texts.swap_remove(at).text);
        let classes = file(CLASSES);
        let files = ResultFiles { rows: file(ROWS).unwrap_or_default(), classes };
        Ok(Simulated { summaries: summaries.finish(), files, written: String::new() })
    }

    /// Runs `scenario` and writes the files of `flitwise run`. Finished rows of the same scenario are reused.
    fn in_directory(&self, ui: &Ui, scenario: &Scenario, target: &Target<'_>) -> Result<Simulated> {
        let mut plan = Plan::new(scenario, DetailFiles::default())?;
        plan.manifest["folder"] = target.absolute_files()?.display().to_string().into();
        let directory = target.root.join(&scenario.name);
        let mut store = opened(ui, &directory, &plan)?;
        let _keeps = ui.interrupts().keep(directory.join(Shard::WHOLE.journal()), CONTINUE);
        let work = Work {
            scenario,
            plan: &plan,
            details: DetailFiles::default(),
            hops: None,
            pool: target.pool,
            quiet: self.quiet,
        };
        let ran = computed(ui, &work, &mut store)?;
        let publish = || ui.interrupts().token().run(|| publish(&plan, &mut store, ran));
        let summaries = patient(ui, "writing the files", self.quiet, publish).map_err(|_| interrupted())??;
        let files = result_files(&directory)?;
        Ok(Simulated { summaries, files, written: announce(&directory, &plan, &[]) })
    }

    /// Prints the table with the lines of BookSim 2 below it, or JSON.
    fn report(&self, ui: &Ui, scenario: &Scenario, conversion: &Conversion, simulated: &Simulated) -> Result<()> {
        let results = Results::collect(&simulated.files, &conversion.report)?;
        if self.json {
            return ui.print(&format!("{:#}\n", results.json(&scenario.name, &conversion.notes)));
        }
        let unstable: String = results.instabilities().iter().map(|reason| format!("unstable: {reason}\n")).collect();
        if self.quiet {
            return Ok(());
        }
        warn_of_doubts(ui, scenario, &simulated.summaries);
        let table = table(scenario, &simulated.summaries, ui.width());
        ui.print(&(table + &ui.folded(&unstable) + &results.text() + &ui.folded(&simulated.written)))
    }
}

/// Advice after an interruption.
const CONTINUE: &str = "the same command continues";

/// Destination of the files of a run, and the threads that compute it.
struct Target<'a> {
    root: &'a Path,
    /// The directory of the files that the scenario names.
    files: &'a Path,
    pool: WorkerPool,
}

impl Target<'_> {
    /// The directory of the files that the scenario names, as an absolute path.
    fn absolute_files(&self) -> std::io::Result<PathBuf> {
        std::path::absolute(if self.files.as_os_str().is_empty() { Path::new(".") } else { self.files })
    }
}

/// The rows in `directory`. Results of another scenario are moved aside.
fn opened(ui: &Ui, directory: &Path, plan: &Plan) -> Result<Store> {
    let shard = Shard::WHOLE;
    let mode = match Store::to_read(directory, plan) {
        Ok(_) => Mode::Resume,
        Err(_) => existing(ui, directory, plan, shard).map(|_| Mode::Fresh)?,
    };
    Ok(Store::open(directory, plan, shard, mode)?)
}

/// Computes the rows that `store` does not have.
fn computed(ui: &Ui, work: &Work<'_>, store: &mut Store) -> Result<RunInfo> {
    let started = now();
    let units = &work.plan.units;
    let tasks: Vec<usize> = (0..units.len()).filter(|&unit| !store.has(unit)).collect();
    let rows = tasks.iter().map(|&unit| units[unit].rows).sum::<u64>();
    if work.run(ui, store, &tasks)? < rows {
        return Err(interrupted().into());
    }
    let ran = RunInfo {
        jobs: work.pool.threads.get(),
        wall_time_seconds: started.elapsed().as_secs_f64(),
        resumed_rows: work.plan.rows() - rows,
        shards: 1,
    };
    let ending = Ending { rows, jobs: ran.jobs, seconds: ran.wall_time_seconds };
    let ended = store.say(&Entry::Ended(ending)).and_then(|()| store.sync());
    ended.with_context(|| not_written(store))?;
    Ok(ran)
}

fn interrupted() -> Interrupted {
    Interrupted(format!("interrupted: finished rows are kept; {CONTINUE}"))
}

/// Reads a configuration file.
fn read(path: &str) -> Result<String> {
    let bytes =
        read_given(Path::new(path), LARGEST).with_context(|| format!("cannot read the configuration `{path}`"))?;
    decode(bytes)
        .map_err(|wrong| LoadError::Rejected(Rejected::new(vec![wrong.diagnostic(0)], vec![wrong.source(path)])).into())
}

/// All errors of a configuration as diagnostics.
fn rejected(refused: Refused) -> LoadError {
    let Refused(problems) = refused;
    let diagnostics = problems.iter().map(|problem| Diagnostic::unplaced(problem.to_string())).collect();
    LoadError::Rejected(Rejected::new(diagnostics, Vec::new()))
}

/// Validates the scenario of `conversion`, whose files are in `files`.
fn load(conversion: &Conversion, files: &Path, limit: Limit) -> Result<Scenario> {
    let options = Options { memory: Some(limit), ..Options::default() };
    let name = format!("{}, the equivalent scenario", conversion.name);
    let scenario = Scenario::parse(&name, &conversion.scenario, files, &options);
    Ok(scenario.map_err(LoadError::Rejected)?)
}

/// The files of a run in `directory`.
fn result_files(directory: &Path) -> Result<ResultFiles> {
    let text = |name: &str| std::fs::read_to_string(directory.join(name));
    let rows = text(ROWS).with_context(|| format!("cannot read {}", directory.join(ROWS).display()))?;
    Ok(ResultFiles { rows, classes: text(CLASSES).ok() })
}

/// Seconds since 1970.
#[expect(clippy::disallowed_methods, reason = "`seed = time` gives another seed in each run")]
fn seconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}
