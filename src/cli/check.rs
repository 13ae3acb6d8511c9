//! `flitwise check`.

use super::ui::Ui;
use super::{Source, all_cores, run_failure};
use anyhow::{Error, Result};
use clap::Args;
use flitwise::run::{Examination, Rows, examine, in_parallel};
use flitwise::scenario::Scenario;
use std::fmt::Write;

#[derive(Args)]
pub(super) struct Check {
    #[command(flatten)]
    source: Source,
}

impl Check {
    pub(super) fn execute(&self, ui: &Ui) -> Result<()> {
        let scenario = self.source.load()?;
        let rows = Rows::of(&scenario);
        let (points, schedules) = (counted(scenario.points.len(), "point"), counted(rows.count(), "row"));
        ui.print(&format!("{}: valid; {points}, {schedules}\n", scenario.name))?;
        let progress = ui.progress(rows.count(), false);
        let mut group: Vec<Examination> = Vec::new();
        in_parallel(
            &rows,
            all_cores(),
            1,
            |id| examine(&scenario, id),
            |shown| {
                progress.inc(1);
                let key = |shown: &Examination| (shown.id.point, shown.id.algorithm);
                if group.first().is_some_and(|first| key(first) != key(&shown)) {
                    let text = findings(&scenario, &std::mem::take(&mut group));
                    progress.suspend(|| ui.print(&text))?;
                }
                group.push(shown);
                Ok::<(), Error>(())
            },
        )
        .map_err(run_failure)?;
        progress.finish_and_clear();
        ui.print(&findings(&scenario, &group))
    }
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// What was shown of all repetitions of an algorithm at a point.
fn findings(scenario: &Scenario, group: &[Examination]) -> String {
    let Some(first) = group.first() else {
        return String::new();
    };
    let mut text = String::new();
    if first.id.algorithm == 0 && !scenario.axes.is_empty() {
        let settings = scenario.axes.iter().zip(&scenario.points[first.id.point].settings);
        let settings: Vec<String> = settings.map(|(axis, value)| format!("{} = {value}", axis.key)).collect();
        text += &format!("point {}: {}\n", first.id.point, settings.join(", "));
    }
    let _ = writeln!(text, "  {}", first.algorithm);
    text + &proofs(group) + &contention(group)
}

fn proofs(group: &[Examination]) -> String {
    let proofs: Vec<_> = group.iter().filter_map(|shown| shown.proof).collect();
    let Some(first) = proofs.first() else {
        return String::new();
    };
    let most = |value: fn(&flitwise::schedule::Proof) -> usize| proofs.iter().map(value).max().unwrap_or(0);
    format!(
        "    proved for {}: each of {} receives exactly once and nobody\n    else does; every sender holds the message \
         before it sends; nobody sends to itself;\n    a port sends one message at a time; depth {}, at most {} of one node\n",
        counted(proofs.len(), "schedule"),
        counted(first.destinations, "destination"),
        most(|proof| proof.depth),
        counted(most(|proof| proof.fan_out), "send"),
    )
}

fn contention(group: &[Examination]) -> String {
    let runs: Vec<_> =
        group.iter().filter_map(|shown| Some((shown.id.repetition, shown.contention.as_ref()?))).collect();
    let contended: Vec<_> = runs.iter().filter(|(_, contention)| contention.blocked_headers > 0).collect();
    match contended.first() {
        None if runs.is_empty() => "    no network: contention was not looked for\n".to_owned(),
        None => format!("    no contention: no header waits in {}\n", counted(runs.len(), "run")),
        Some((repetition, contention)) => {
            let headers: u64 = contended.iter().map(|(_, contention)| contention.blocked_headers).sum();
            let first = contention.first.as_deref().unwrap_or_default();
            let (runs, contended) = (runs.len(), contended.len());
            format!(
                "    contention in {contended} of {runs} runs, {headers} waits; repetition {repetition}:\n    {first}\n"
            )
        }
    }
}
