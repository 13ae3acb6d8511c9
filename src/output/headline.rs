//! The result of a run in one or two sentences: the headline of its page.
//!
//! Where variants are compared, the headline names the best ones and the range of each. Otherwise the kind of workload has a
//! sentence of its own, or the headline states the completion time. It never counts points.

use super::remarks::with_lines;
use super::summary::Summary;
use super::verdict::{Ranking, comparison, decisive, is_timed, joined};
use crate::kind::words::{Times, capitalised, enumerated, grouped, number};
use crate::kind::{ResultLine, headline};
use crate::scenario::Scenario;

/// The largest number of ranges or lists that a sentence names.
const RANGES: usize = 3;

/// The largest number of points that a sentence lists.
const LISTED: usize = 4;

/// The result of the run of `scenario` in sentences: the best variant, or the completion time where variants are not compared.
pub fn verdict(scenario: &Scenario, summaries: &[Summary]) -> String {
    let times = Times { tick: scenario.tick.as_ref().map(|tick| tick.nanoseconds) };
    let compared = comparison(scenario.kind().compares, summaries);
    if !compared.is_empty() {
        return by_point(scenario, summaries).unwrap_or_else(|| compared.trim_end().to_owned());
    }
    with_lines(scenario, summaries, |lines| {
        let sentence = (scenario.kind().headline)(lines, times);
        sentence.or_else(|| extremes(scenario, summaries, lines, times)).unwrap_or_default()
    })
}

/// The points at which the same variants are best.
struct Winners<'a> {
    names: Vec<&'a str>,
    /// Indices of points, ascending.
    points: Vec<usize>,
}

impl Winners<'_> {
    fn are_contiguous(&self) -> bool {
        self.points.windows(2).all(|pair| pair[0] + 1 == pair[1])
    }

    /// The names, with a verb in the first clause of a sentence and for ties.
    fn clause(&self, adjective: Option<&str>) -> String {
        let names = joined(&self.names);
        match (self.names.len(), adjective) {
            (1, Some(adjective)) => format!("{names} is {adjective}"),
            (1, None) => names,
            _ => format!("{names} tie"),
        }
    }
}

/// The best variants along the swept key, if a short sentence can say that.
fn by_point(scenario: &Scenario, summaries: &[Summary]) -> Option<String> {
    let compares = scenario.kind().compares;
    let points: Vec<&[Summary]> = summaries.chunk_by(|a, b| a.point == b.point).collect();
    let mut winners: Vec<Winners<'_>> = Vec::new();
    for (index, point) in points.iter().enumerate() {
        let names = Ranking::new(point, compares)?.names();
        match winners.iter_mut().find(|known| known.names == names) {
            Some(known) => known.points.push(index),
            None => winners.push(Winners { names, points: vec![index] }),
        }
    }
    let adjective = if is_timed(summaries) { "fastest" } else { "cheapest" };
    if points.len() < 2 || winners.len() > RANGES {
        return None;
    }
    if let [all] = winners.as_slice() {
        return Some(format!("{} at all {} points.", all.clause(Some(adjective)), points.len()));
    }
    let [axis] = scenario.axes.as_slice() else { return None };
    let swept = |point: &&[Summary]| -> Swept<'_> {
        let point = &scenario.points[point[0].point];
        Swept { value: &point.settings[0], written: &point.written()[0] }
    };
    let values: Vec<Swept<'_>> = points.iter().map(swept).collect();
    let mut clauses = Vec::new();
    for (index, winners) in winners.iter().enumerate() {
        let clause = winners.clause((index == 0).then_some(adjective));
        clauses.push(clause + &range(&axis.key, &values, winners)?);
    }
    Some(clauses.join("; ") + ".")
}

/// The value of a swept key: in its unit, and as it is written.
#[derive(Clone, Copy)]
struct Swept<'a> {
    value: &'a str,
    written: &'a str,
}

/// The `values` of a swept key at which `winners` are best: a range if the values ascend, or a short list.
fn range(key: &str, values: &[Swept<'_>], winners: &Winners<'_>) -> Option<String> {
    let key = last_part(key);
    let ascend = || {
        let numbers: Option<Vec<f64>> = values.iter().map(|swept| swept.value.parse().ok()).collect();
        numbers.is_some_and(|numbers| numbers.is_sorted())
    };
    let first = *winners.points.first()?;
    let last = *winners.points.last()?;
    let [from, to] = [first, last].map(|at| shown(values[at].written));
    if winners.are_contiguous() && ascend() {
        return Some(match (first, last) {
            (0, _) if last > 0 => format!(" for {key} up to {to}"),
            _ if first == last => format!(" for {key} {from}"),
            _ if last + 1 == values.len() => format!(" for {key} from {from}"),
            _ => format!(" for {key} {from} to {to}"),
        });
    }
    let listed: Vec<String> = winners.points.iter().map(|&at| shown(values[at].written)).collect();
    (values.len() <= LISTED).then(|| format!(" with {key} {}", enumerated(&listed)))
}

/// The last part of a key as text.
fn last_part(key: &str) -> String {
    key.rsplit('.').next().unwrap_or(key).replace('_', " ")
}

/// A value of a swept key, thousands separated.
fn shown(value: &str) -> String {
    value.parse().map_or_else(|_| value.to_owned(), grouped)
}

/// The smallest and the largest result of a single variant, each with its point.
fn extremes(scenario: &Scenario, summaries: &[Summary], lines: &[ResultLine<'_>], times: Times) -> Option<String> {
    let column = headline(|name| summaries.iter().any(|summary| summary.of(name).is_some()))?;
    let clause = |index: usize, value: f64| Clause {
        subject: subject(scenario, &summaries[index].algorithm),
        result: result(column, value, times),
        setting: setting(&lines[index]),
    };
    let values =
        summaries.iter().enumerate().filter_map(|(index, summary)| Some((index, decisive(summary, &[column])?)));
    let (first, least) = values.clone().min_by(|a, b| a.1.total_cmp(&b.1))?;
    let (last, most) = values.clone().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let lowest = clause(first, least);
    if least.total_cmp(&most).is_lt() {
        return Some(lowest.and(&clause(last, most), verb(column)));
    }
    let repetitions = summaries[first].repetitions;
    let mean = if repetitions > 1 { format!(" on average over {repetitions} repetitions") } else { String::new() };
    let everywhere = if values.count() > 1 { " at every point" } else { "" };
    Some(format!("{} {} {}{mean}{everywhere}.", lowest.start(), verb(column), lowest.result))
}

/// The swept settings of `line` after a preposition, or nothing without a sweep.
fn setting(line: &ResultLine<'_>) -> String {
    match line.place("") {
        settings if settings.is_empty() => settings,
        settings => format!(" with {}", settings.replace('_', " ")),
    }
}

/// A result and where it was reached.
struct Clause {
    subject: String,
    result: String,
    setting: String,
}

impl Clause {
    /// The subject at the beginning of a sentence. Names of algorithms keep their letters.
    fn start(&self) -> String {
        let noun = self.subject.starts_with("the ").then(|| capitalised(&self.subject));
        noun.unwrap_or_else(|| self.subject.clone())
    }

    /// A sentence with this result and `other`, whose subject is repeated only if it differs.
    fn and(&self, other: &Self, verb: &str) -> String {
        let first = format!("{} {verb} {}{}", self.start(), self.result, self.setting);
        let second = if self.subject == other.subject {
            // of `completes in`, the preposition is repeated
            let preposition = verb.strip_prefix("completes ").map_or_else(String::new, |word| format!("{word} "));
            format!("and {preposition}")
        } else {
            format!("{} {verb} ", other.subject)
        };
        format!("{first}, {second}{}{}.", other.result, other.setting)
    }
}

/// The verb between a subject and its value in `column`.
fn verb(column: &str) -> &'static str {
    match column {
        "measured" => "completes in",
        "predicted" => "is predicted to complete in",
        "cost" => "has a cost of",
        _ => "has a result of",
    }
}

fn result(column: &str, value: f64, times: Times) -> String {
    if column == "cost" { number(value) } else { times.text(value, "ticks") }
}

/// The algorithm, or the noun of a kind without algorithms, such as `the program`.
fn subject(scenario: &Scenario, algorithm: &str) -> String {
    let kind = scenario.kind();
    if kind.algorithms.is_some() {
        return algorithm.to_owned();
    }
    let noun = kind.in_words.split(" of ").next().unwrap_or_default();
    format!("the {}", noun.split_once(' ').map_or(noun, |(_, noun)| noun))
}
