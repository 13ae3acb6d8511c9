//! `flitwise check`.

use super::ui::Ui;
use super::{Failed, Source, all_cores, available_memory, run_failure};
use anyhow::{Error, Result};
use clap::Args;
use flitwise::run::{
    BroadcastFindings, Contention, Examination, ExchangeFindings, OperationFindings, RoutingFindings, Rows, examine,
    in_parallel,
};
use flitwise::scenario::Scenario;
use flitwise::schedule::ExchangeProof;
use flitwise::schedule::dependency::Dependencies;
use std::fmt::Write;

#[derive(Args)]
pub(super) struct Check {
    #[command(flatten)]
    source: Source,
}

impl Check {
    pub(super) fn execute(&self, ui: &Ui) -> Result<()> {
        let scenario = self.source.load(available_memory())?;
        let rows = Rows::of(&scenario);
        let (points, schedules) = (counted(scenario.points.len(), "point"), counted(rows.count(), "row"));
        ui.print(&format!("{}: valid; {points}, {schedules}\n", scenario.name))?;
        let progress = ui.progress(rows.count(), false);
        let mut group: Vec<Examination> = Vec::new();
        let mut stopped = 0;
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
                stopped += usize::from(shown.contention.as_ref().is_some_and(|c| c.blocked_headers.is_err()));
                group.push(shown);
                Ok::<(), Error>(())
            },
        )
        .map_err(run_failure)?;
        progress.finish_and_clear();
        ui.print(&findings(&scenario, &group))?;
        match stopped {
            0 => Ok(()),
            stopped => Err(Failed(format!("{stopped} of {schedules} did not run to the end")).into()),
        }
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
    text + &proofs(group)
        + &exchanged(first)
        + &executed(first)
        + &spread(group)
        + &mapped(group)
        + &routed(first)
        + &contention(group)
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

/// What was shown of operations, which is the same in all repetitions.
fn executed(shown: &Examination) -> String {
    let Some(OperationFindings { operations, messages, completion }) = shown.operations else {
        return String::new();
    };
    wrapped(&format!(
        "proved: {operations} operations name ranks that exist and none waits for itself; executed under the model, \
         {messages} messages are all sent and received, and the last rank has finished at {completion}"
    ))
}

/// What was shown of mappings.
fn mapped(group: &[Examination]) -> String {
    let costs: Vec<u64> = group.iter().filter_map(|shown| Some(shown.mapping?.cost)).collect();
    let Some((least, most)) = costs.iter().min().zip(costs.iter().max()) else {
        return String::new();
    };
    let repetitions = counted(costs.len(), "repetition");
    let (tasks, bound) = group
        .iter()
        .filter_map(|shown| Some((shown.mapping?.task_load, shown.mapping?.bound)))
        .fold((0, Some(u64::MAX)), |(tasks, bound), (load, least)| {
            (load.max(tasks), bound.zip(least).map(|(bound, least)| bound.min(least)))
        });
    let share = match tasks {
        0 | 1 => "a task for every node".to_owned(),
        tasks => format!("as many tasks for every node as for every other, at most {tasks}"),
    };
    let bound = bound.map_or_else(String::new, |bound| format!(", where nothing costs less than {bound}"));
    wrapped(&format!("proved for {repetitions}: a node for every task, {share}; cost {least} to {most}{bound}"))
}

/// What was shown of the routing of virtual-channel routers.
fn routed(shown: &Examination) -> String {
    let Some(RoutingFindings { dependence, lanes, adaptive }) = &shown.routing else {
        return String::new();
    };
    let shape: Vec<String> = dependence.shape.iter().map(ToString::to_string).collect();
    let what = format!("{} routing with {}", shown.algorithm, counted((*lanes).into(), "virtual channel"));
    let (shape, many) = (shape.join("x"), dependence.lanes);
    wrapped(&match &dependence.cycle {
        None if *adaptive => format!(
            "proved of {what} on {shape} nodes: whatever packets choose, the {many} virtual channels that they can always \
             fall back on close no circle of dependencies, so nothing deadlocks"
        ),
        None => format!(
            "proved of {what} on {shape} nodes: {many} virtual channels close no circle of dependencies, so nothing deadlocks"
        ),
        Some(cycle) => {
            let shown: Vec<&str> = cycle.iter().take(8).map(String::as_str).collect();
            let more = if cycle.len() > 8 { format!(", .. ({} in all)", cycle.len()) } else { String::new() };
            format!(
                "{what} on {shape} nodes can deadlock: these channels depend on each other in a circle: {}{more}",
                shown.join(", ")
            )
        }
    })
}

/// What was shown of broadcasts.
fn spread(group: &[Examination]) -> String {
    let all: Vec<BroadcastFindings> = group.iter().filter_map(|shown| shown.broadcast).collect();
    let Some(first) = all.first() else {
        return String::new();
    };
    let ratio = |of: &BroadcastFindings| of.promised.0 as f64 / of.bound.0.max(1) as f64;
    let worst = all.iter().map(ratio).fold(0.0, f64::max);
    wrapped(&format!(
        "proved for {}: {} with {}, none of which is in two trees; the first informs every node, from one that has the \
         message; if the forecasts come true it takes at most {worst:.2} times the lower bound",
        counted(all.len(), "repetition"),
        counted(first.trees, "tree"),
        counted(first.sends, "send"),
    ))
}

/// What was shown of an exchange, which is the same in all repetitions.
fn exchanged(shown: &Examination) -> String {
    let Some(ExchangeFindings { proof, loads, shared, dependencies }) = &shown.exchange else {
        return String::new();
    };
    let ExchangeProof { blocks, startups, critical_blocks, critical_hops, .. } = proof;
    let mut text = wrapped(&format!(
        "proved: each of {blocks} blocks is delivered exactly once; every sender holds what it sends; a node sends at \
         most once and receives at most once in each of {startups} steps; {critical_blocks} blocks and {critical_hops} \
         hops on the critical path"
    ));
    let busiest = loads.iter().map(|load| load.messages).max().unwrap_or(0);
    text += &match shared {
        None => wrapped("no two messages of a step share a link"),
        Some((step, first)) => {
            let loads: Vec<String> = loads.iter().take(64).map(|load| load.messages.to_string()).collect();
            let more = if proof.startups > loads.len() { " .." } else { "" };
            let loads = loads.join(" ");
            wrapped(&format!("step {step}: {first}; up to {busiest} messages a link, step by step {loads}{more}"))
        }
    };
    text + &circles(dependencies)
}

/// Whether channels depend on each other in a circle, with each number of virtual channels.
fn circles(dependencies: &[Dependencies]) -> String {
    let lanes = |d: &Dependencies| d.virtual_channels.to_string();
    let (safe, risky): (Vec<_>, Vec<_>) = dependencies.iter().partition(|d| d.over_all_steps.is_none());
    let mut text: String = risky.into_iter().map(|d| wrapped(&circle(d))).collect();
    if !safe.is_empty() {
        let lanes: Vec<String> = safe.into_iter().map(lanes).collect();
        let lanes = lanes.join(" or ");
        text += &wrapped(&format!("with {lanes} virtual channels: no circle of dependencies, so no pace can deadlock"));
    }
    text
}

fn circle(dependencies: &Dependencies) -> String {
    const SHOWN: usize = 8;
    let channels = |cycle: &[String]| {
        let more = if cycle.len() > SHOWN { format!(", .. ({} in all)", cycle.len()) } else { String::new() };
        format!("{}{more}", cycle.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", "))
    };
    let lanes = counted(dependencies.virtual_channels, "virtual channel");
    match (&dependencies.within_a_step, &dependencies.over_all_steps) {
        (Some((step, cycle)), _) => {
            format!("with {lanes}: step {step} alone closes a circle of dependencies: {}", channels(cycle))
        }
        (None, Some(cycle)) => {
            format!("with {lanes}: no circle within a step, but one over all steps: {}", channels(cycle))
        }
        (None, None) => format!("with {lanes}: no circle"),
    }
}

/// `text` in lines of at most 80 columns, indented by four, further lines by six.
fn wrapped(text: &str) -> String {
    let mut lines = String::new();
    let mut line = String::from("   ");
    for word in text.split(' ') {
        if line.chars().count() + 1 + word.chars().count() > 80 {
            lines += &line;
            lines.push('\n');
            line = String::from("     ");
        }
        line.push(' ');
        line += word;
    }
    lines + &line + "\n"
}

fn contention(group: &[Examination]) -> String {
    let runs: Vec<_> =
        group.iter().filter_map(|shown| Some((shown.id.repetition, shown.contention.as_ref()?))).collect();
    if let Some((repetition, stop)) = runs.iter().find_map(|(r, run)| Some((r, run.blocked_headers.as_ref().err()?))) {
        let stop = stop.to_string().replace('\n', "\n    ");
        return format!("    repetition {repetition} did not run to the end:\n    {stop}\n");
    }
    let waits = |run: &Contention| run.blocked_headers.as_ref().map_or(0, |waits| *waits);
    let contended: Vec<_> = runs.iter().filter(|(_, run)| waits(run) > 0).collect();
    match contended.first() {
        None if runs.is_empty()
            && group.iter().any(|shown| {
                let routed = shown.routing.is_some() || shown.mapping.is_some();
                routed || shown.operations.is_some() || shown.broadcast.is_some()
            }) =>
        {
            String::new()
        }
        None if runs.is_empty() => "    not run: contention was not looked for\n".to_owned(),
        None => format!("    no contention: no header waits in {}\n", counted(runs.len(), "run")),
        Some((repetition, contention)) => {
            let headers: u64 = contended.iter().map(|(_, run)| waits(run)).sum();
            let first = contention.first.as_deref().unwrap_or_default();
            let (runs, contended) = (runs.len(), contended.len());
            format!(
                "    contention in {contended} of {runs} runs, {headers} waits; repetition {repetition}:\n    {first}\n"
            )
        }
    }
}
