//! `flitwise run`.

use super::ui::Ui;
use super::{Source, Usage, all_cores, run_failure};
use anyhow::{Context, Error, Result};
use clap::Args;
use flitwise::report::{
    BroadcastCsv, CutsCsv, Folder, HostsCsv, Manifest, MappingCsv, MessagesCsv, Output, RowSink, RowsCsv, Run as Ran,
    Summaries, Summary, SummaryCsv, table,
};
use flitwise::run::{Rows, run};
use flitwise::scenario::Scenario;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// Every file that a run can leave in its folder.
const ROWS: &str = "rows.csv";
const SUMMARY: &str = "summary.csv";
const MESSAGES: &str = "messages.csv";
const HOSTS: &str = "hosts.csv";
const TREES: &str = "trees.csv";
const NODES: &str = "nodes.csv";
const EVENTS: &str = "events.csv";
const MAPPING: &str = "mapping.csv";
const CUTS: &str = "cuts.csv";
/// Those that a run may leave out, so that what an earlier run left has to go.
const OPTIONAL: [&str; 7] = [MESSAGES, HOSTS, TREES, NODES, EVENTS, MAPPING, CUTS];
const MANIFEST: &str = "manifest.json";

#[derive(Args)]
pub(super) struct Run {
    #[command(flatten)]
    source: Source,
    /// Folder of outputs; they go to a folder in it that is named like the scenario
    #[arg(long, value_name = "DIR", default_value = "results")]
    out: PathBuf,
    /// Rows computed at once; every number gives the same bytes [default: all cores]
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    /// Also write messages.csv, or events.csv of a broadcast: what happened to every message
    #[arg(long)]
    messages: bool,
    /// Print nothing but errors
    #[arg(long)]
    quiet: bool,
}

impl Run {
    pub(super) fn execute(&self, ui: &Ui) -> Result<()> {
        let started = Instant::now();
        let scenario = self.source.load()?;
        let priced = scenario.points.iter().any(|point| point.experiment.machine.is_none());
        if self.messages && priced && !scenario.is_broadcast() {
            let why = "--messages needs a [network.*]: without one, messages have a price but no history";
            return Err(Usage(why.to_owned()).into());
        }
        let target = self.out.join(&scenario.name);
        let folder = Folder::open(&target).with_context(|| format!("cannot write to {}", target.display()))?;
        let traces = clean_up_when_interrupted(&folder)?;
        let threads = self.jobs.unwrap_or_else(all_cores);
        let summaries = self.write(ui, &scenario, threads, &folder, started).with_context(|| in_folder(&target))?;
        {
            let _not_now = traces.lock(); // an interrupt waits until all outputs are in place
            let names = self.names(&scenario);
            let stale: Vec<&str> = OPTIONAL.into_iter().filter(|name| !names.contains(name)).collect();
            folder.commit(&names, &stale).with_context(|| in_folder(&target))?;
        }
        if !self.quiet {
            let table = table(&scenario, &summaries, ui.width());
            let written = format!("Written to {}: {}\n", target.display(), self.names(&scenario).join(", "));
            ui.print(&(table + &written)).with_context(|| format!("{} is complete, but", target.display()))?;
        }
        Ok(())
    }

    fn names(&self, scenario: &Scenario) -> Vec<&'static str> {
        [&[ROWS, SUMMARY][..], &self.optional(scenario), &[MANIFEST]].concat()
    }

    /// The files that `scenario` has besides.
    fn optional(&self, scenario: &Scenario) -> Vec<&'static str> {
        let (grid, detailed) = (scenario.is_broadcast(), scenario.has_details() || self.messages);
        let given = [
            (MESSAGES, self.messages && !grid),
            (HOSTS, scenario.is_operations()),
            (TREES, grid && detailed),
            (NODES, grid && detailed),
            (EVENTS, grid && self.messages),
            (MAPPING, scenario.is_mapping() && scenario.has_details()),
            (CUTS, scenario.is_mapping() && scenario.has_details()),
        ];
        given.into_iter().filter(|(_, given)| *given).map(|(name, _)| name).collect()
    }

    /// Everything that takes rows, one after the other.
    fn sinks<'a>(&self, scenario: &'a Scenario, folder: &Folder) -> Result<Vec<Box<dyn RowSink<Output> + 'a>>> {
        let optional = self.optional(scenario);
        let given = |name: &'static str| match optional.contains(&name) {
            true => folder.output(name).map(Some),
            false => Ok(None),
        };
        let mut sinks: Vec<Box<dyn RowSink<Output> + 'a>> =
            vec![Box::new(RowsCsv::new(scenario, folder.output(ROWS)?)?)];
        if let Some(messages) = given(MESSAGES)? {
            sinks.push(Box::new(MessagesCsv::new(messages)?));
        }
        if let Some(hosts) = given(HOSTS)? {
            sinks.push(Box::new(HostsCsv::new(hosts)?));
        }
        if let Some(mapping) = given(MAPPING)? {
            sinks.push(Box::new(MappingCsv::new(mapping)?));
        }
        if let Some(cuts) = given(CUTS)? {
            sinks.push(Box::new(CutsCsv::new(cuts)?));
        }
        if let Some((trees, nodes)) = given(TREES)?.zip(given(NODES)?) {
            sinks.push(Box::new(BroadcastCsv::new(trees, nodes, given(EVENTS)?)?));
        }
        Ok(sinks)
    }

    /// Computes and writes everything to the staging folder.
    fn write(
        &self,
        ui: &Ui,
        scenario: &Scenario,
        threads: NonZeroUsize,
        folder: &Folder,
        started: Instant,
    ) -> Result<Vec<Summary>> {
        let count = Rows::of(scenario).count();
        let progress = ui.progress(count, self.quiet);
        let mut sinks = self.sinks(scenario, folder)?;
        let mut summaries = Summaries::default();
        run(scenario, threads, self.messages, |row| {
            sinks.iter_mut().try_for_each(|sink| sink.write(&row))?;
            summaries.add(&row);
            progress.inc(1);
            Ok::<(), Error>(())
        })
        .map_err(run_failure)?;
        progress.finish_and_clear();
        for sink in sinks {
            sink.finish()?.into_iter().try_for_each(Folder::close)?;
        }
        let summaries = summaries.finish();
        Folder::close(SummaryCsv::write(scenario, &summaries, folder.output(SUMMARY)?)?)?;
        let ran = Ran { rows: count, jobs: threads.get(), wall_time: started.elapsed() };
        let mut manifest = folder.output(MANIFEST)?;
        serde_json::to_writer_pretty(&mut manifest, &Manifest::new(scenario, ran))?;
        Folder::close(manifest)?;
        Ok(summaries)
    }
}

fn in_folder(target: &Path) -> String {
    format!("nothing was written to {}", target.display())
}

/// Ctrl-C removes what has been begun, then ends the process; while the lock is held, it waits.
fn clean_up_when_interrupted(folder: &Folder) -> Result<Arc<Mutex<Vec<PathBuf>>>> {
    let traces = Arc::new(Mutex::new(folder.traces()));
    let seen = Arc::clone(&traces);
    ctrlc::set_handler(move || {
        if let Ok(traces) = seen.lock() {
            for (at, trace) in traces.iter().enumerate() {
                let _ = if at == 0 { std::fs::remove_dir_all(trace) } else { std::fs::remove_dir(trace) };
            }
        }
        std::process::exit(130);
    })?;
    Ok(traces)
}

/// The default scenario's table, with nothing written.
pub(super) fn preview(ui: &Ui) -> Result<()> {
    let scenario = Source { scenario: None, set: Vec::new() }.load()?;
    let mut summaries = Summaries::default();
    run(&scenario, all_cores(), false, |row| {
        summaries.add(&row);
        Ok::<(), Error>(())
    })
    .map_err(run_failure)?;
    ui.print(&table(&scenario, &summaries.finish(), ui.width()))?;
    ui.print("Next: `flitwise run SCENARIO.toml`; `flitwise list` names what there is.\n")
}
