//! The findings of `flitwise check`, for people and as JSON.

mod text;

pub use text::FindingsText;

use super::json::settings_json;
use crate::kind::words::{counted, grouped};
use crate::kind::{DeadlockFreedom, SAME_MACHINE};
use crate::machine::DeadlockPolicy;
use crate::run::Examination;
use crate::scenario::{Experiment, Scenario};
use serde_json::{Value, json};

/// The findings of the rows of one variant at one point as JSON: an object with `point`, the swept keys, `algorithm`,
/// `deadlock_free`, `findings` and `contention`. Returns `None` for no rows. `freedom` is that of the routing there.
pub fn findings_json(scenario: &Scenario, freedom: Option<&DeadlockFreedom>, group: &[Examination]) -> Option<Value> {
    let first = group.first()?;
    let experiment = &scenario.points[first.id.point].experiment;
    let mut findings = workload_findings(experiment, group);
    findings.extend(freedom.map(DeadlockFreedom::sentence));
    let refusals: Vec<_> = group.iter().filter_map(|shown| shown.trees.as_ref()?.refusal.as_ref()).collect();
    findings.extend(refusals.first().map(ToString::to_string));
    let is_free = freedom.and_then(DeadlockFreedom::is_free).filter(|_| refusals.is_empty());
    let is_free = is_free.or(refusals.iter().any(|refusal| refusal.is_deadlock()).then_some(false));
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
    check.insert("deadlock_free".to_owned(), is_free.into());
    check.insert("findings".to_owned(), findings.into());
    check.insert("contention".to_owned(), contention.into());
    Some(check.into())
}

/// The sentences that the rows of one variant at one point prove.
fn workload_findings(experiment: &Experiment, group: &[Examination]) -> Vec<String> {
    let Some((first, others)) = group.split_first() else { return Vec::new() };
    let all = others.iter().fold(first.evidence.clone(), |all, shown| all.and(&shown.evidence));
    let trees = first.trees.iter().flat_map(|trees| trees.sentences.iter().cloned());
    experiment.workload.findings(&all).into_iter().chain(trees).chain(odd_model(group)).collect()
}

/// Describes a model that is far from the run.
fn odd_model(group: &[Examination]) -> Option<String> {
    let [predicted, measured] = group.iter().find_map(|shown| shown.odd_model)?.map(|ticks| grouped(ticks.0));
    Some(format!("the model predicts {predicted} ticks, but the run takes {measured}: {SAME_MACHINE}"))
}

/// The answer on deadlocks of a point, where it is not an error of its own.
fn accepted_freedom(experiment: &Experiment, freedom: &DeadlockFreedom) -> Option<String> {
    match (freedom, experiment.machine.deadlock) {
        (DeadlockFreedom::Possible(_), DeadlockPolicy::Refuse) => None,
        (DeadlockFreedom::Possible(_), DeadlockPolicy::Allow) => {
            Some(format!("{}; accepted by `router.allow_deadlock = true`", freedom.sentence()))
        }
        _ => Some(freedom.sentence()),
    }
}

/// Waits of head flits in the runs of the rows, or the run that did not come to its end.
fn contention(group: &[Examination]) -> Option<String> {
    let runs: Vec<_> =
        group.iter().filter_map(|shown| Some((shown.id.repetition, shown.contention.as_ref()?))).collect();
    if let Some((repetition, stop)) = runs.iter().find_map(|(r, run)| Some((r, run.blocked_headers.as_ref().err()?))) {
        return Some(format!("repetition {repetition} did not complete:\n{stop}"));
    }
    let contended: Vec<_> = runs.iter().filter(|(_, run)| run.waits_beyond_injection() > 0).collect();
    let queued: u64 = runs.iter().map(|(_, run)| run.queued_messages).sum();
    let all = counted(runs.len() as u64, "repetition");
    Some(match contended.first() {
        None if runs.is_empty() && !group.iter().any(|shown| shown.could_contend) => return None,
        None if runs.is_empty() => "contention was not checked, because nothing was run".to_owned(),
        None if queued == 0 => format!("no contention: no head flit waits in {all}"),
        None => format!(
            "no contention in the network: in {all}, head flits wait only for the injection channels of their nodes ({})",
            counted(queued, "time")
        ),
        Some((repetition, contention)) => {
            let headers: u64 = contended.iter().map(|(_, run)| run.waits_beyond_injection()).sum();
            let at_injection = match queued {
                0 => String::new(),
                queued => format!(" and {queued} for injection channels"),
            };
            let first = contention.first.as_deref().unwrap_or_default().replace("\n    ", "\n");
            let contended = contended.len();
            let waits = counted(headers, "wait");
            format!(
                "contention in {contended} of {all}: {waits} for network channels{at_injection}; \
                 first wait in repetition {repetition}:\n{first}"
            )
        }
    })
}
