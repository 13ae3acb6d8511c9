//! Findings as text: each distinct one once, with the algorithms and the points that it holds for.

use super::super::text::{ranges, wrapped};
use super::{accepted_freedom, contention, workload_findings};
use crate::kind::{DeadlockFreedom, PossibleDeadlock};
use crate::machine::DeadlockPolicy;
use crate::run::Examination;
use crate::scenario::{Rejected, Scenario};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;

/// Most values of a swept key by which points are described.
const MOST_VALUES: usize = 4;

/// Bytes of a finding of which each algorithm has its own copy.
const SHORT: usize = 150;

/// The findings of all points of a scenario, in the order in which they are added.
#[derive(Debug)]
pub struct FindingsText<'a> {
    scenario: &'a Scenario,
    /// The answer on deadlocks at each point.
    freedom: &'a [Option<Arc<DeadlockFreedom>>],
    findings: Vec<Finding>,
    /// The number of each finding, by its text.
    numbers: FxHashMap<String, usize>,
}

/// A finding, and the points where it holds.
#[derive(Debug)]
struct Finding {
    text: String,
    /// Its last position among the findings of an algorithm.
    rank: usize,
    /// By algorithm, or by `None` if it holds for all algorithms at a point, in the order in which they were added.
    points: Vec<(Option<&'static str>, BTreeSet<usize>)>,
}

/// Algorithms and points with findings of their own.
#[derive(PartialEq, Eq, Hash)]
struct Scope<'f> {
    algorithms: Vec<&'static str>,
    points: &'f BTreeSet<usize>,
}

impl<'a> FindingsText<'a> {
    /// Findings on the routing of each point of `scenario`, of which `freedom` knows if it can deadlock, and none of rows.
    pub fn new(scenario: &'a Scenario, freedom: &'a [Option<Arc<DeadlockFreedom>>]) -> Self {
        let mut text = Self { scenario, freedom, findings: Vec::new(), numbers: FxHashMap::default() };
        for (number, (point, freedom)) in scenario.points.iter().zip(freedom).enumerate() {
            let experiment = &point.experiment;
            let freedom = freedom.as_ref().and_then(|freedom| accepted_freedom(experiment, freedom));
            if let Some(sentence) = freedom {
                text.insert(sentence, 0, number, None);
            }
        }
        text
    }

    /// Adds what was found of the rows of one variant at one point.
    pub fn add(&mut self, group: &[Examination]) {
        let Some(first) = group.first() else { return };
        let point = first.id.point;
        let experiment = &self.scenario.points[point].experiment;
        let algorithm = Some(experiment.workload.variant(first.id.algorithm));
        let found = workload_findings(experiment, group).into_iter().chain(contention(group));
        for (rank, finding) in found.enumerate() {
            self.insert(finding, rank, point, algorithm);
        }
    }

    fn insert(&mut self, text: String, rank: usize, point: usize, algorithm: Option<&'static str>) {
        let number = *self.numbers.entry(text).or_insert_with_key(|text| {
            self.findings.push(Finding { text: text.clone(), rank, points: Vec::new() });
            self.findings.len() - 1
        });
        let finding = &mut self.findings[number];
        finding.rank = finding.rank.max(rank);
        let known = &mut finding.points;
        match known.iter_mut().find(|(other, _)| *other == algorithm) {
            Some((_, points)) => drop(points.insert(point)),
            None => known.push((algorithm, BTreeSet::from([point]))),
        }
    }

    /// All of them: first those of several points, then those of single points.
    pub fn text(&self) -> String {
        let all = self.scenario.points.len();
        let (several, single): (Vec<_>, Vec<_>) =
            self.sections().into_iter().partition(|(scope, _)| scope.points.len() > 1 || all == 1);
        let mut text = String::new();
        for (scope, findings) in several {
            let points = if all > 1 { at_points(self.scenario, scope.points) } else { String::new() };
            text += &section(&scope.algorithms, &points, &findings);
        }
        let mut shown = None;
        for (scope, findings) in single {
            let point = scope.points.first().copied();
            if let Some(point) = point.filter(|_| shown != point) {
                let _ = writeln!(text, "point {point}: {}", settings(self.scenario, point));
            }
            shown = point;
            text += &section(&scope.algorithms, "", &findings);
        }
        text
    }

    /// Findings by the algorithms and points that they hold for. Those of several points come first.
    fn sections(&self) -> Vec<(Scope<'_>, Vec<&str>)> {
        let mut numbers: FxHashMap<Scope<'_>, usize> = FxHashMap::default();
        let mut sections: Vec<Vec<&Finding>> = Vec::new();
        for finding in &self.findings {
            for scope in finding.scopes() {
                let number = *numbers.entry(scope).or_insert_with(|| {
                    sections.push(Vec::new());
                    sections.len() - 1
                });
                sections[number].push(finding);
            }
        }
        let mut ordered: Vec<(usize, Scope<'_>)> = numbers.into_iter().map(|(scope, number)| (number, scope)).collect();
        let single = |scope: &Scope<'_>| if scope.points.len() == 1 { scope.points.first().copied() } else { None };
        ordered.sort_by_key(|(number, scope)| (single(scope), *number));
        let texts = |number: usize| {
            let mut findings = sections[number].clone();
            findings.sort_by_key(|finding| finding.rank);
            findings.into_iter().map(|finding| finding.text.as_str()).collect::<Vec<_>>()
        };
        ordered.into_iter().map(|(number, scope)| (scope, texts(number))).collect()
    }

    /// The errors of routings that can deadlock, unless the scenario accepts that.
    pub fn refused(&self) -> Option<Rejected> {
        let mut refused: Vec<(&PossibleDeadlock, BTreeSet<usize>)> = Vec::new();
        for (number, (point, freedom)) in self.scenario.points.iter().zip(self.freedom).enumerate() {
            let deadlock = freedom.as_ref().and_then(|freedom| freedom.deadlock());
            let Some(deadlock) = deadlock.filter(|_| point.experiment.machine.deadlock == DeadlockPolicy::Refuse)
            else {
                continue;
            };
            match refused.iter_mut().find(|(known, _)| *known == deadlock) {
                Some((_, points)) => drop(points.insert(number)),
                None => refused.push((deadlock, BTreeSet::from([number]))),
            }
        }
        let errors = refused.into_iter().map(|(deadlock, points)| {
            let is_everywhere = points.len() == self.scenario.points.len();
            let points = if is_everywhere { String::new() } else { format!(" {}", at_points(self.scenario, &points)) };
            self.scenario.explain_deadlock(deadlock, &points)
        });
        errors.reduce(|mut all, one| {
            all.diagnostics.extend(one.diagnostics);
            all
        })
    }
}

impl Finding {
    /// Algorithms with the same points together, if the finding is long: what is short is easier to read next to the others of its
    /// algorithm.
    fn scopes(&self) -> Vec<Scope<'_>> {
        let mut scopes: Vec<Scope<'_>> = Vec::new();
        let is_shared = |scope: &Scope<'_>| self.text.len() > SHORT && !scope.algorithms.is_empty();
        for (algorithm, points) in &self.points {
            match scopes.iter_mut().find(|scope| scope.points == points && is_shared(scope)) {
                Some(scope) => scope.algorithms.extend(algorithm),
                None => scopes.push(Scope { algorithms: algorithm.iter().copied().collect(), points }),
            }
        }
        scopes
    }
}

/// Findings below the algorithms and points that they hold for.
fn section(algorithms: &[&str], points: &str, findings: &[&str]) -> String {
    let mut words = vec![algorithms.join(", "), points.to_owned()];
    words.retain(|words| !words.is_empty());
    let heading = words.join(" ");
    let (mut text, indent) = match heading.as_str() {
        "" => (String::new(), "  "),
        heading => (wrapped(heading, "  ", "  ", 80), "    "),
    };
    let further = format!("{indent}  ");
    for finding in findings {
        match finding.contains('\n') {
            true => text.extend(finding.lines().map(|line| format!("{indent}{line}\n"))),
            false => text += &wrapped(finding, indent, &further, 80),
        }
    }
    text
}

/// The swept keys of a point with their values.
fn settings(scenario: &Scenario, point: usize) -> String {
    let settings = scenario.axes.iter().zip(scenario.points[point].written().iter());
    settings.map(|(axis, value)| format!("{} = {value}", axis.key)).collect::<Vec<_>>().join(", ")
}

/// Describes points: all, those with some values of swept keys, or their numbers.
fn at_points(scenario: &Scenario, points: &BTreeSet<usize>) -> String {
    let (count, all) = (points.len(), scenario.points.len());
    if count == all {
        return format!("at all {all} points");
    }
    if count == 1 {
        return points.first().map_or_else(String::new, |point| format!("at {}", settings(scenario, *point)));
    }
    match conditions(scenario, points) {
        Some(conditions) => format!("at the {count} points with {conditions}"),
        None => {
            let numbers: Vec<usize> = points.iter().copied().collect();
            format!("at points {}", ranges(&numbers, ", "))
        }
    }
}

/// Values of swept keys that all of `points` have and no others.
fn conditions(scenario: &Scenario, points: &BTreeSet<usize>) -> Option<String> {
    let value = |point: usize, axis: usize| scenario.points[point].written()[axis].to_string();
    let mut named = Vec::new();
    let mut meet: Vec<usize> = (0..scenario.points.len()).collect();
    for (axis, swept) in scenario.axes.iter().enumerate() {
        let mut values: Vec<String> = Vec::new();
        for value in points.iter().map(|&point| value(point, axis)) {
            if !values.contains(&value) {
                values.push(value);
            }
        }
        let before = meet.len();
        meet.retain(|&point| values.contains(&value(point, axis)));
        if meet.len() < before {
            if values.len() > MOST_VALUES {
                return None;
            }
            named.push(format!("{} = {}", swept.key, values.join(" or ")));
        }
    }
    (meet.len() == points.len()).then(|| named.join(", "))
}
