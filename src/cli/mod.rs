//! The command line: one file per subcommand.
//!
//! Exit codes: 0 success, 1 failed run (deadlock, failed check or claim), 2 invalid usage, scenario or measurements,
//! 3 input or output error, 130 interrupted.

mod again;
mod arguments;
mod booksim;
mod calibrate;
mod check;
mod cite;
mod compare;
mod completions;
mod energy;
mod examples;
mod explain;
mod figures;
mod finished;
mod fit;
mod forecast;
mod guide;
mod kept;
mod keys;
mod list;
mod looks;
mod man;
mod memory;
mod merge;
mod network;
mod new;
mod output;
mod picture;
mod plan;
mod plot;
mod progress;
mod report;
mod rerun;
mod routes;
mod run;
mod schedule;
mod schema;
mod selftest;
mod show;
mod signals;
mod slurm;
mod source;
mod status;
mod submit;
mod target;
mod tree_certificate;
mod ui;
mod verbose;
mod version;
mod work;

use anyhow::Error;
use clap::{ColorChoice, CommandFactory, FromArgMatches, Parser, Subcommand};
use flitwise::engine::Stop;
use flitwise::fit::FitError;
use flitwise::kind::{RowError, RowFailure};
use flitwise::memory::OutOfMemory;
use flitwise::output::TooLong;
use flitwise::run::RunError;
use flitwise::scenario::{LoadError, Rejected, Scenario};
use flitwise::sweep::StoreError;
use signals::{INTERRUPTED, Interrupts};
use source::Source;
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::process::ExitCode;
use ui::Ui;

/// Simulate collective communication and traffic on wormhole-routed and virtual-channel networks, flit by flit
///
/// A scenario file describes the machine and the workload. flitwise generates and verifies the schedules of published
/// algorithms, predicts their time, simulates them with contention, and explains the difference.
#[derive(Parser)]
#[command(
    name = "flitwise",
    version = version::text(),
    max_term_width = 100,
    override_usage = "flitwise FILE [OPTIONS OF run]\n       flitwise COMMAND [OPTIONS]",
    subcommand_help_heading = "Commands",
    after_help = EXAMPLES,
)]
struct Cli {
    /// Colour the output. NO_COLOR, CLICOLOR_FORCE and TERM=dumb are honoured
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", hide_default_value = true)]
    color: ColorChoice,
    #[command(subcommand)]
    verb: Option<Verb>,
}

const EXAMPLES: &str =
    "Without a command or a file, flitwise runs the embedded default scenario and prints its table. It \
writes no files.

Examples:
  flitwise new multicast > mine.toml
  flitwise mine.toml
  flitwise mine.toml -s 'workload.multicast.flits=[1,64,4096]' -o sweep
  flitwise check mine.toml

Exit codes: 0 success; 1 failed run (deadlock, failed check or claim); 2 invalid usage, scenario or measurements; \
3 input or output error; 130 interrupted.";

fn all_cores() -> NonZeroUsize {
    std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

/// As many threads as were asked for, but no more than help: four for each core.
fn threads(jobs: Option<NonZeroUsize>) -> NonZeroUsize {
    const FOUR: NonZeroUsize = NonZeroUsize::MIN.saturating_add(3);
    jobs.map_or_else(all_cores, |jobs| jobs.min(all_cores().saturating_mul(FOUR)))
}

#[derive(Subcommand)]
enum Verb {
    /// Print a commented scenario as a starting point
    #[command(after_help = examples::NEW)]
    New(new::New),
    /// Run a scenario, print a table, and write rows.csv, summary.csv and manifest.json
    #[command(after_help = examples::RUN, long_about = examples::RUN_AT_LENGTH)]
    Run(run::Run),
    /// Run a BookSim 2 configuration, or print the equivalent scenario
    #[command(after_help = examples::BOOKSIM)]
    Booksim(booksim::Booksim),
    /// Show the table of a finished run, or list the runs in a directory
    #[command(after_help = examples::SHOW)]
    Show(show::Show),
    /// Plot finished runs as SVG, PNG or PDF, with axes chosen automatically
    #[command(after_help = examples::PLOT)]
    Plot(plot::Plot),
    /// Compare two finished runs: changed keys, and results with significance tests
    #[command(after_help = examples::COMPARE)]
    Compare(compare::Compare),
    /// Estimate the time and memory of each point of a scenario without running it
    #[command(after_help = examples::PLAN)]
    Plan(plan::Plan),
    /// Merge the shards of a sweep into the files of a single run
    #[command(after_help = examples::MERGE)]
    Merge(merge::Merge),
    /// Submit a sweep to Slurm: one array task per shard, then a merge job
    #[command(after_help = examples::SUBMIT)]
    Submit(submit::Submit),
    /// Show which shards of a sweep are done, running or failed
    #[command(after_help = examples::STATUS)]
    Status(status::Status),
    /// Print the schedules of a scenario without running them
    #[command(after_help = examples::SCHEDULE)]
    Schedule(schedule::Schedule),
    /// Validate a scenario, verify its schedules, and report contention
    #[command(after_help = examples::CHECK)]
    Check(check::Check),
    /// Explain the completion time of rows: critical path and blocking messages
    #[command(after_help = examples::EXPLAIN)]
    Explain(explain::Explain),
    /// Write the HTML page of a finished run: table, plots and an interactive replay
    #[command(after_help = examples::REPORT)]
    Report(report::Report),
    /// Show the nodes, links and distances of a network, or export it as a graph
    #[command(after_help = examples::NETWORK)]
    Network(network::Network),
    /// Print the links of the paths between nodes of a network
    #[command(after_help = examples::ROUTES)]
    Routes(routes::Routes),
    /// Run the scenarios of papers: tables, plots, and a verdict on every claim
    #[command(after_help = examples::FIGURES)]
    Figures(figures::Figures),
    /// Fit model parameters to benchmark output (OSU, logp_mpi, Netgauge)
    #[command(after_help = examples::FIT)]
    Fit(fit::Fit),
    /// Forecast the next value of a measured series, and show the error of each method
    #[command(after_help = examples::FORECAST)]
    Forecast(forecast::Forecast),
    /// Test the simulator with random cases, each computed in several ways
    #[command(after_help = examples::SELFTEST)]
    Selftest(selftest::Selftest),
    /// List algorithms, networks, engines, workloads, forecasters or scenario keys
    #[command(after_help = examples::LIST)]
    List(list::List),
    /// Read a guide, or search all guides for words
    Guide(guide::Guide),
    /// Print the references of algorithms, networks and scenarios, as text or BibTeX
    Cite(cite::Cite),
    /// Print a JSON Schema of scenario files, for editors
    #[command(after_help = examples::SCHEMA)]
    Schema(schema::Schema),
    /// Print a completion script for a shell
    #[command(after_help = examples::COMPLETIONS)]
    Completions(completions::Completions),
    /// Print the manual page
    #[command(after_help = examples::MAN)]
    Man(man::Manual),
}

/// A failure that is the user's to mend: bad usage rather than a failed run.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Usage(String);

/// What was asked for was done and came out badly.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Failed(String);

/// A run that was interrupted before it was complete, with how to go on.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Interrupted(String);

/// Reads a number of things that cannot be none.
fn at_least_one(text: &str) -> Result<NonZeroUsize, String> {
    positive(text)
}

/// Reads a whole number that cannot be 0.
fn positive<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| "must be a whole number from 1".to_owned())
}

/// Reads a whole number that may be 0.
fn whole_number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| "must be a whole number from 0".to_owned())
}

/// A failure with the places in texts that it is about; the cause, if there is one, says which kind of failure it is.
#[derive(Debug, thiserror::Error)]
#[error("{}", .shown.diagnostics.first().map_or("", |first| first.message.as_str()))]
struct Told {
    shown: Rejected,
    #[source]
    cause: Box<dyn std::error::Error + Send + Sync>,
}

impl Told {
    /// What is wrong with options, or with measurements.
    fn from_options(shown: Rejected) -> Self {
        let message = shown.diagnostics.first().map_or("", |first| first.message.as_str()).to_owned();
        Self { shown, cause: Usage(message).into() }
    }
}

/// `error`, with its place if a row of `scenario` failed.
fn told(scenario: &Scenario, error: Error) -> Error {
    match error.downcast::<RowError>() {
        Ok(row) => Told { shown: scenario.explain(&row), cause: row.into() }.into(),
        Err(other) => other,
    }
}

pub(crate) fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    let colour = arguments::colour(&words);
    let command = || Cli::command().color(colour);
    let read = arguments::complete(words.clone())
        .and_then(|words| Cli::from_arg_matches(&command().try_get_matches_from(words)?))
        .map_err(|error| arguments::advise(error, &words));
    let cli = match read {
        Ok(cli) => cli,
        Err(error) => error.with_cmd(&command()).exit(),
    };
    let ui = Ui::new(cli.color, Interrupts::heed());
    let outcome = match cli.verb {
        None => run::preview(&ui),
        Some(Verb::New(new)) => new.execute(&ui),
        Some(Verb::Run(run)) => run.execute(&ui),
        Some(Verb::Booksim(booksim)) => booksim.execute(&ui),
        Some(Verb::Show(show)) => show.execute(&ui),
        Some(Verb::Plot(plot)) => plot.execute(&ui),
        Some(Verb::Compare(compare)) => compare.execute(&ui),
        Some(Verb::Plan(plan)) => plan.execute(&ui),
        Some(Verb::Merge(merge)) => merge.execute(&ui),
        Some(Verb::Submit(submit)) => submit.execute(&ui),
        Some(Verb::Status(status)) => status.execute(&ui),
        Some(Verb::Schedule(schedule)) => schedule.execute(&ui),
        Some(Verb::Check(check)) => check.execute(&ui),
        Some(Verb::Explain(explain)) => explain.execute(&ui),
        Some(Verb::Report(report)) => report.execute(&ui),
        Some(Verb::Network(network)) => network.execute(&ui),
        Some(Verb::Routes(routes)) => routes.execute(&ui),
        Some(Verb::Figures(figures)) => figures.execute(&ui),
        Some(Verb::Fit(fit)) => fit.execute(&ui),
        Some(Verb::Forecast(forecast)) => forecast.execute(&ui),
        Some(Verb::Selftest(selftest)) => selftest.execute(&ui),
        Some(Verb::List(list)) => list.execute(&ui),
        Some(Verb::Guide(guide)) => guide.execute(&ui),
        Some(Verb::Cite(cite)) => cite.execute(&ui),
        Some(Verb::Schema(schema)) => schema.execute(&ui),
        Some(Verb::Completions(completions)) => completions.execute(&ui),
        Some(Verb::Man(manual)) => manual.execute(&ui),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            ui.error(&error);
            ExitCode::from(exit_code(&error))
        }
    }
}

/// The reader of our output has seen enough: not an error.
fn broken_pipe(error: &Error) -> bool {
    io_error(error).is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}

fn io_error(error: &Error) -> Option<&std::io::Error> {
    error.chain().find_map(|cause| {
        cause.downcast_ref::<std::io::Error>().or_else(|| match cause.downcast_ref::<csv::Error>()?.kind() {
            csv::ErrorKind::Io(error) => Some(error),
            _ => None,
        })
    })
}

fn exit_code(error: &Error) -> u8 {
    let is = |test: fn(&(dyn std::error::Error + 'static)) -> bool| error.chain().any(test);
    if is(<dyn std::error::Error>::is::<Interrupted>) {
        INTERRUPTED
    } else if error.chain().any(|e| e.downcast_ref().is_some_and(StoreError::is_refusal))
        || is(|e| {
            e.is::<Usage>()
                || e.is::<FitError>()
                || e.is::<TooLong>()
                || e.is::<OutOfMemory>()
                || matches!(e.downcast_ref(), Some(LoadError::Rejected(_)))
                || e.downcast_ref().is_some_and(is_refused)
        })
    {
        2
    } else if is(|e| e.is::<RowError>() || e.is::<RowFailure>() || e.is::<Failed>()) {
        1
    } else {
        3
    }
}

/// Returns true if a row failed for an error of the scenario: a message without a path round the failures that it lists, or packets that
/// routers copy or combine and that can deadlock.
fn is_refused(error: &RowError) -> bool {
    match &error.cause {
        RowFailure::Stopped(Stop::NoPath(no_path)) => no_path.repetition.is_none(),
        RowFailure::Trees(_) => true,
        _ => false,
    }
}

/// A run's failure as an error whose causes can be told apart.
fn run_failure(error: RunError<Error>) -> Error {
    match error {
        RunError::Row(row) => Error::new(*row),
        RunError::Sink(error) => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitwise::kind::RowId;
    use flitwise::schedule::Violation;
    use flitwise::units::NodeId;

    #[test]
    fn failures_have_the_documented_exit_codes() {
        let violation = RowFailure::plan(Violation::LeftOut { node: NodeId(3) });
        let row = RowError::new(RowId { point: 0, algorithm: 0, repetition: 0 }, "opt-mesh", violation);
        assert_eq!(exit_code(&Error::new(row)), 1);
        assert_eq!(exit_code(&Error::new(Usage("no".to_owned()))), 2);
        assert_eq!(exit_code(&Error::new(std::io::Error::other("disk"))), 3);
        assert!(broken_pipe(&Error::new(std::io::Error::from(std::io::ErrorKind::BrokenPipe))));
    }

    #[test]
    fn the_command_line_is_consistent() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }
}
