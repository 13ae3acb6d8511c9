//! What is to be said of results beside their numbers: what they rest on, and what the scenario names and a point left out.

use super::summary::Summary;
use crate::kind::{Means, Remark, ResultLine};
use crate::scenario::Scenario;
use crate::statistics::Statistics;

/// What the kind of `scenario` says of its `summaries`, which the table shows and `run` warns of.
pub fn remarks(scenario: &Scenario, summaries: &[Summary]) -> Vec<Remark> {
    with_lines(scenario, summaries, scenario.kind().remarks)
}

/// Calls `judge` with a line for each of `summaries`.
pub(super) fn with_lines<T>(
    scenario: &Scenario,
    summaries: &[Summary],
    judge: impl FnOnce(&[ResultLine<'_>]) -> T,
) -> T {
    let finders: Vec<_> = summaries.iter().map(|summary| |column: &str| summary.of(column)).collect();
    let lines = summaries.iter().zip(&finders).map(|(summary, find)| line(scenario, summary, find));
    judge(&lines.collect::<Vec<_>>())
}

fn line<'a>(
    scenario: &'a Scenario,
    summary: &'a Summary,
    find: &'a dyn Fn(&str) -> Option<Statistics>,
) -> ResultLine<'a> {
    let point = &scenario.points[summary.point];
    let keys = scenario.axes.iter().map(|axis| axis.key.as_str());
    ResultLine {
        workload: &*point.experiment.workload,
        machine: &point.experiment.machine,
        repetitions: summary.repetitions,
        settings: keys.zip(point.settings.iter().map(|setting| &**setting)).collect(),
        means: Means::new(find),
    }
}

/// An algorithm that some points do without.
struct Missing {
    algorithm: &'static str,
    why: String,
    /// At how many points; the reason is that of the first.
    points: usize,
}

/// The algorithms that points of `scenario` leave out because they do not fit, with why; nothing if there are none.
pub(super) fn left_out(scenario: &Scenario) -> String {
    let mut all: Vec<Missing> = Vec::new();
    for left in scenario.points.iter().flat_map(|point| point.experiment.workload.left_out()) {
        match all.iter_mut().find(|known| known.algorithm == left.algorithm) {
            Some(known) => known.points += 1,
            None => all.push(Missing { algorithm: left.algorithm, why: left.why.clone(), points: 1 }),
        }
    }
    if all.is_empty() {
        return String::new();
    }
    let in_words = |Missing { algorithm, why, points }: Missing| {
        let often = match scenario.points.len() {
            all if points < all => format!(" at {points} of {all} points"),
            _ => String::new(),
        };
        format!("{algorithm}{often} ({why})")
    };
    let all: Vec<String> = all.into_iter().map(in_words).collect();
    format!("Skipped algorithms: {}.\n", all.join("; "))
}
