//! What `flitwise check` finds of the rows of one variant at one point, for people and as JSON.

use super::json::settings_json;
use super::text::wrapped;
use crate::kind::deadlock_freedom;
use crate::kind::words::counted;
use crate::run::Examination;
use crate::scenario::{Experiment, Scenario};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// What was shown of the rows of one variant at one point, for people: the routing's proof once a point, the findings,
/// and whether head flits waited; empty for no rows.
pub fn findings_text(scenario: &Scenario, group: &[Examination]) -> String {
    let Some(first) = group.first() else {
        return String::new();
    };
    let mut text = String::new();
    if first.id.algorithm == 0 && !scenario.axes.is_empty() {
        let settings = scenario.axes.iter().zip(scenario.points[first.id.point].settings.iter());
        let settings: Vec<String> = settings.map(|(axis, value)| format!("{} = {value}", axis.key)).collect();
        let _ = writeln!(text, "point {}: {}", first.id.point, settings.join(", "));
    }
    let experiment = &scenario.points[first.id.point].experiment;
    let workload = &experiment.workload;
    if first.id.algorithm == 0 {
        text += &routing_proof(experiment);
    }
    let _ = writeln!(text, "  {}", workload.variant(first.id.algorithm));
    let all = group[1..].iter().fold(first.evidence.clone(), |all, shown| all.and(&shown.evidence));
    let proved: String =
        workload.findings(&all).iter().map(|sentence| wrapped(sentence, "    ", "      ", 80)).collect();
    text + &proved + &contention(group)
}

/// What is found of an algorithm at a point.
/// The same as JSON: an object with `point`, the swept keys, `algorithm`, `findings` and `contention`; none for no rows.
pub fn findings_json(scenario: &Scenario, group: &[Examination]) -> Option<Value> {
    let first = group.first()?;
    let experiment = &scenario.points[first.id.point].experiment;
    let all = group[1..].iter().fold(first.evidence.clone(), |all, shown| all.and(&shown.evidence));
    let mut findings = routing_findings(experiment);
    findings.extend(experiment.workload.findings(&all));
    let runs: Vec<_> = group.iter().filter_map(|shown| shown.contention.as_ref()).collect();
    let stopped = runs.iter().find_map(|run| run.blocked_headers.as_ref().err()).map(ToString::to_string);
    let contention = (!runs.is_empty()).then(|| {
        let waits: u64 = runs.iter().map(|run| run.waits_beyond_injection()).sum();
        json!({
            "runs": runs.len(),
            "contended": runs.iter().filter(|run| run.waits_beyond_injection() > 0).count(),
            "waits": waits,
            "queued": runs.iter().map(|run| run.queued_messages).sum::<u64>(),
            "first": runs.iter().find_map(|run| run.first.as_deref()),
            "stopped": stopped,
        })
    });
    let mut check = settings_json(scenario, first.id.point);
    check.insert("point".to_owned(), first.id.point.into());
    check.insert("algorithm".to_owned(), experiment.workload.variant(first.id.algorithm).into());
    check.insert("findings".to_owned(), findings.into());
    check.insert("contention".to_owned(), contention.into());
    Some(check.into())
}

/// What is shown of the routers themselves. Paths that are fixed are proved with what takes them, and open-loop traffic
/// proves its routing itself.
fn routing_proof(experiment: &Experiment) -> String {
    routing_findings(experiment).iter().map(|sentence| wrapped(sentence, "  ", "    ", 80)).collect()
}

fn routing_findings(experiment: &Experiment) -> Vec<String> {
    let Some(routers) = &experiment.machine.routers else { return Vec::new() };
    let proves = !routers.fixes_paths && !experiment.workload.kind().open_loop;
    let routing = proves.then(|| deadlock_freedom(routers));
    routing.into_iter().collect()
}

fn contention(group: &[Examination]) -> String {
    let runs: Vec<_> =
        group.iter().filter_map(|shown| Some((shown.id.repetition, shown.contention.as_ref()?))).collect();
    if let Some((repetition, stop)) = runs.iter().find_map(|(r, run)| Some((r, run.blocked_headers.as_ref().err()?))) {
        let stop = stop.to_string().replace('\n', "\n    ");
        return format!("    repetition {repetition} did not run to the end:\n    {stop}\n");
    }
    let contended: Vec<_> = runs.iter().filter(|(_, run)| run.waits_beyond_injection() > 0).collect();
    let queued: u64 = runs.iter().map(|(_, run)| run.queued_messages).sum();
    let all = counted(runs.len() as u64, "run");
    match contended.first() {
        None if runs.is_empty() && !group.iter().any(|shown| shown.could_contend) => String::new(),
        None if runs.is_empty() => "    not run: contention was not looked for\n".to_owned(),
        None if queued == 0 => format!("    no contention: no head flit waits in {all}\n"),
        None => format!(
            "    no contention: in {all} head flits wait for their own injection channel alone, {}\n",
            counted(queued, "time")
        ),
        Some((repetition, contention)) => {
            let headers: u64 = contended.iter().map(|(_, run)| run.waits_beyond_injection()).sum();
            let at_injection = match queued {
                0 => String::new(),
                queued => format!(" and {queued} at injection channels"),
            };
            let first = contention.first.as_deref().unwrap_or_default();
            format!(
                "    contention in {} of {all}, {}{at_injection}; repetition {repetition}:\n    {first}\n",
                contended.len(),
                counted(headers, "wait"),
            )
        }
    }
}
