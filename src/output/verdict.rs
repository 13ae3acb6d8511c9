//! Which variant is best, by how much, and whether that can be told from chance: the sentence below the table.
//!
//! Variants of a point run under the same circumstances, repetition by repetition, so they are compared by the differences
//! from the best one ([`Difference`]): a tie is a mean difference whose 95 % interval has 0 in it, or no difference at all.

use super::summary::Summary;
use crate::statistics::Difference;
use std::cmp::Reverse;
use std::fmt::Write;

/// The mean of the first of `columns` that has values.
pub(super) fn decisive(summary: &Summary, columns: &[&str]) -> Option<f64> {
    columns.iter().find_map(|column| summary.of(column)).map(|statistics| statistics.mean)
}

/// Names are told up to this many; of more, how many there are.
const NAMED: usize = 4;

/// So many sets of variants that tie are told apart.
const TIES: usize = 3;

/// How the variants of a point stand to each other.
pub(super) struct Ranking<'a> {
    /// The best, and those that tie with it.
    first: Vec<&'a Summary>,
    /// Whether these are the same in every repetition.
    same: bool,
    /// The worst, if it does not tie with the best.
    last: Option<&'a Summary>,
    /// The mean of the best.
    best: f64,
    /// The mean of the worst.
    worst: f64,
}

impl<'a> Ranking<'a> {
    /// Of the variants of a point; none if they are not compared.
    pub(super) fn new(point: &'a [Summary], columns: &[&str]) -> Option<Self> {
        let compared = || point.iter().filter_map(|one| Some((one, one.behind?, decisive(one, columns)?)));
        if compared().count() < 2 {
            return None;
        }
        let tied = |(summary, behind, _): (&'a Summary, Difference, f64)| behind.is_tie().then_some(summary);
        let (_, _, best) = compared().min_by(|a, b| a.2.total_cmp(&b.2))?;
        let (last, behind, worst) = compared().max_by(|a, b| a.2.total_cmp(&b.2))?;
        let same = compared().filter(|(_, behind, _)| behind.is_tie()).all(|(_, behind, _)| behind.is_nothing());
        let last = (!behind.is_tie()).then_some(last);
        Some(Self { first: compared().filter_map(tied).collect(), same, last, best, worst })
    }

    /// The best variants.
    pub(super) fn names(&self) -> Vec<&'a str> {
        self.first.iter().map(|summary| summary.algorithm.as_str()).collect()
    }

    /// The sentence about a single point.
    fn in_words(&self, timed: bool) -> String {
        let slowest = self.last.map_or_else(String::new, |last| format!("; {}", self.behind(last, timed)));
        match self.first.as_slice() {
            [one] => {
                let how = if timed { "finishes first" } else { "costs least" };
                format!("{} {how}{slowest}.\n", one.algorithm)
            }
            _ if self.best == 0.0 && self.worst == 0.0 => {
                if timed { "All complete in 0 ticks.\n" } else { "All have a cost of 0.\n" }.to_owned()
            }
            _ => {
                let how = match (self.same, timed) {
                    (true, true) => "take the same time",
                    (true, false) => "cost the same",
                    (false, _) => "tie at 95 % confidence",
                };
                format!("{} {how}{slowest}.\n", joined(&self.names()))
            }
        }
    }

    /// How much longer `last` takes than the best.
    fn behind(&self, last: &Summary, timed: bool) -> String {
        let what = &last.algorithm;
        let ratio = self.worst / self.best;
        if !ratio.is_finite() {
            return if timed { format!("{what} finishes last") } else { format!("{what} costs most") };
        }
        let margin = last.behind.and_then(|behind| behind.confidence).map(|confidence| confidence / self.best);
        let times = times(ratio, margin);
        match timed {
            true => format!("{what} finishes last and takes {times} times as long"),
            false => format!("{what} costs most, {times} times as much"),
        }
    }
}

/// A ratio above 1 with as many decimals as tell it from 1, two at least, and its margin if that shows in them.
fn times(ratio: f64, margin: Option<f64>) -> String {
    let mut decimals = 2;
    let mut least = 0.005;
    while decimals < 9 && ratio - 1.0 < least {
        decimals += 1;
        least /= 10.0;
    }
    let mut text = format!("{ratio:.decimals$}");
    let margin = margin.map_or_else(String::new, |margin| format!("{margin:.decimals$}"));
    if margin.contains(|digit: char| digit.is_ascii_digit() && digit != '0') {
        let _ = write!(text, " ± {margin}"); // a string takes everything
    }
    text
}

/// `a and b`, or the first few and how many more there are.
pub(super) fn joined(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [others @ .., last] if names.len() <= NAMED => format!("{} and {last}", others.join(", ")),
        _ => format!("{} and {} more", names[..NAMED - 1].join(", "), names.len() + 1 - NAMED),
    }
}

/// True if `summaries` have times, and not only costs.
pub(super) fn is_timed(summaries: &[Summary]) -> bool {
    summaries.iter().any(|summary| decisive(summary, &["measured", "predicted"]).is_some())
}

/// What is told of `summaries`, where the first of the columns `compares` that has values decides; nothing where variants
/// are not compared.
pub(super) fn comparison(compares: &[&str], summaries: &[Summary]) -> String {
    let timed = is_timed(summaries);
    let points = summaries.chunk_by(|a, b| a.point == b.point).count();
    let rankings = summaries.chunk_by(|a, b| a.point == b.point).filter_map(|point| Ranking::new(point, compares));
    let mut counts: Vec<(Vec<&str>, usize)> = Vec::new();
    for ranking in rankings {
        if points == 1 {
            return ranking.in_words(timed);
        }
        let names = ranking.names();
        match counts.iter_mut().find(|(known, _)| *known == names) {
            Some((_, count)) => *count += 1,
            None => counts.push((names, 1)),
        }
    }
    if counts.is_empty() {
        return String::new();
    }
    let what = if timed { "Fastest" } else { "Cheapest" };
    match counted(counts).split_first() {
        Some((first, [])) => format!("{what}: {first} of {points} points.\n"),
        Some((first, others)) => format!("{what}: {first} of {points} points, {}.\n", others.join(", ")),
        None => String::new(),
    }
}

/// How often which variant is best alone, then which tie how often.
fn counted(mut counts: Vec<(Vec<&str>, usize)>) -> Vec<String> {
    counts.sort_by_key(|&(_, count)| Reverse(count));
    let (alone, ties): (Vec<_>, Vec<_>) = counts.into_iter().partition(|(names, _)| names.len() == 1);
    let mut told: Vec<String> = alone.into_iter().map(|(names, count)| format!("{} at {count}", names[0])).collect();
    if ties.len() > TIES {
        told.push(format!("ties at {}", ties.iter().map(|(_, count)| count).sum::<usize>()));
    } else {
        told.extend(ties.into_iter().map(|(names, count)| format!("{} tied at {count}", joined(&names))));
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::{Metric, Summaries};

    /// The verdict over points whose variants are called a, b, c and so on, each with the values of its repetitions.
    fn told(column: &str, points: &[&[&[u64]]]) -> String {
        let metrics = [Metric { name: column.to_owned(), millionths: false, signed: false, decimal: false }];
        let mut summaries = Summaries::of_metrics(&metrics, &[column]);
        for (point, variants) in points.iter().enumerate() {
            for (name, values) in ["a", "b", "c", "d", "e", "f"].into_iter().zip(*variants) {
                values.iter().for_each(|&value| summaries.add_values(point, name, &[Some(value.into())]));
            }
        }
        comparison(&[column], &summaries.finish())
    }

    #[test]
    fn wins_ties_and_nothing_are_told_apart() {
        let one = |variants: &[&[u64]]| told("measured", &[variants]);
        assert_eq!(one(&[&[10], &[13]]), "a finishes first; b finishes last and takes 1.30 times as long.\n");
        assert_eq!(one(&[&[10], &[10]]), "a and b take the same time.\n");
        assert_eq!(one(&[&[0], &[0], &[0]]), "All complete in 0 ticks.\n");
        assert_eq!(one(&[&[0], &[5]]), "a finishes first; b finishes last.\n");
        assert_eq!(one(&[&[10_000], &[10_004]]), "a finishes first; b finishes last and takes 1.0004 times as long.\n");
        // the same placements: each time a tick more
        assert_eq!(
            one(&[&[100, 400], &[101, 401]]),
            "a finishes first; b finishes last and takes 1.004 times as long.\n"
        );
        // as likely more as less
        assert_eq!(one(&[&[100, 101, 100], &[101, 100, 101]]), "a and b tie at 95 % confidence.\n");
        let three: [&[u64]; 3] = [&[100, 101, 100], &[101, 100, 101], &[200, 210, 190]];
        assert_eq!(
            one(&three),
            "a and b tie at 95 % confidence; c finishes last and takes 1.99 ± 0.24 times as long.\n"
        );
        assert_eq!(
            one(&[&[7], &[7], &[7], &[7], &[7], &[8]]),
            "a, b, c and 2 more take the same time; f finishes last and takes 1.14 times as long.\n"
        );
        assert_eq!(one(&[&[7]]), "");
        assert_eq!(told("cost", &[&[&[0], &[0]]]), "All have a cost of 0.\n");
        assert_eq!(told("cost", &[&[&[4], &[6]]]), "a costs least; b costs most, 1.50 times as much.\n");
    }

    #[test]
    fn points_are_counted_with_their_ties() {
        let wins: &[&[u64]] = &[&[1], &[2], &[3]];
        let ties: &[&[u64]] = &[&[2], &[2], &[3]];
        let loses: &[&[u64]] = &[&[4], &[3], &[3]];
        assert_eq!(told("measured", &[wins, ties, wins]), "Fastest: a at 2 of 3 points, a and b tied at 1.\n");
        let expected = "Fastest: a at 1 of 3 points, a and b tied at 1, b and c tied at 1.\n";
        assert_eq!(told("measured", &[wins, ties, loses]), expected);
        let others: [&[&[u64]]; 2] = [&[&[2], &[3], &[2]], &[&[2], &[2], &[2]]];
        let expected = "Fastest: a at 1 of 5 points, ties at 4.\n";
        assert_eq!(told("measured", &[wins, ties, loses, others[0], others[1]]), expected);
    }
}
