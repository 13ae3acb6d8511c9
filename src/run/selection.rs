//! Which rows are looked at hop by hop: those that are asked for, or the repetitions in the middle of the point whose
//! algorithms differ most.

use super::Rows;
use crate::kind::RowId;
use crate::scenario::Scenario;
use crate::spelling::closest;
use thiserror::Error;

/// Rows that are asked for: `all`, or `point=P,algorithm=A,repetition=R` of which any part may be left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selector {
    point: Option<usize>,
    algorithm: Option<String>,
    repetition: Option<u64>,
}

/// What rows are asked for by.
const PARTS: [&str; 3] = ["point", "algorithm", "repetition"];

/// Why rows were not selected.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("--rows {text}: {what}\naccepted: {accepted}")]
pub struct SelectionError {
    text: String,
    what: String,
    accepted: String,
}

impl SelectionError {
    fn new(text: &str, what: String) -> Self {
        let accepted = "all, or any parts of point=P,algorithm=A,repetition=R".to_owned();
        Self { text: text.to_owned(), what, accepted }
    }

    fn accepting(self, accepted: String) -> Self {
        Self { accepted, ..self }
    }
}

impl Selector {
    /// The selector that `text` spells, for rows of `scenario`.
    ///
    /// # Errors
    /// If it is none, or there is no such row.
    pub fn parse(text: &str, scenario: &Scenario) -> Result<Self, SelectionError> {
        let mut selector = Self::default();
        if text == "all" {
            return Ok(selector);
        }
        for part in text.split(',') {
            let Some((key, value)) = part.split_once('=') else {
                return Err(SelectionError::new(text, format!("`{part}` is neither `all` nor KEY=VALUE")));
            };
            let no_number = || SelectionError::new(text, format!("`{value}` is not a number"));
            match key.trim() {
                "point" => selector.point = Some(value.trim().parse().map_err(|_| no_number())?),
                "algorithm" => selector.algorithm = Some(value.trim().to_owned()),
                "repetition" => selector.repetition = Some(value.trim().parse().map_err(|_| no_number())?),
                other => {
                    let guess = did_you_mean(other, &PARTS);
                    return Err(SelectionError::new(text, format!("rows have no `{other}`{guess}")));
                }
            }
        }
        selector.check(text, scenario)?;
        Ok(selector)
    }

    /// That there are such rows.
    fn check(&self, text: &str, scenario: &Scenario) -> Result<(), SelectionError> {
        let points = scenario.points.len();
        if let Some(point) = self.point.filter(|&point| point >= points) {
            let accepted = range("point", &(points - 1));
            return Err(SelectionError::new(text, format!("there is no point {point}")).accepting(accepted));
        }
        let within = self.point.map_or(0..points, |point| point..point + 1);
        let experiments = || within.clone().map(|point| &scenario.points[point].experiment);
        let mut names: Vec<&str> = experiments().flat_map(|experiment| experiment.workload.variants()).collect();
        names.sort_unstable();
        names.dedup();
        if let Some(algorithm) = self.algorithm.as_deref().filter(|algorithm| !names.contains(algorithm)) {
            let guess = did_you_mean(algorithm, &names);
            let accepted = names.iter().map(|name| format!("algorithm={name}")).collect::<Vec<_>>().join(", ");
            return Err(
                SelectionError::new(text, format!("there is no algorithm `{algorithm}`{guess}")).accepting(accepted)
            );
        }
        let most = experiments().map(|experiment| experiment.repetitions).max().unwrap_or(0);
        if let Some(repetition) = self.repetition.filter(|&repetition| repetition >= most) {
            let accepted = range("repetition", &(most - 1));
            let what = format!("there is no repetition {repetition}");
            return Err(SelectionError::new(text, what).accepting(accepted));
        }
        Ok(())
    }

    fn takes(&self, scenario: &Scenario, id: RowId) -> bool {
        let name = || scenario.points[id.point].experiment.workload.variant(id.algorithm);
        self.point.is_none_or(|point| point == id.point)
            && self.repetition.is_none_or(|repetition| repetition == id.repetition)
            && self.algorithm.as_ref().is_none_or(|algorithm| algorithm == name())
    }
}

/// The accepted selections by a `part`, from 0 to `last`.
fn range<T: std::fmt::Display + Default + PartialEq>(part: &str, last: &T) -> String {
    if *last == T::default() { format!("{part}=0") } else { format!("{part}=0 to {part}={last}") }
}

/// The end of a sentence about `written`, if one of `names` is like it.
fn did_you_mean(written: &str, names: &[&str]) -> String {
    let near = closest(written, names.iter().copied());
    near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default()
}

/// The rows of `scenario` that one of `selectors` takes, in order.
pub fn selected(scenario: &Scenario, selectors: &[Selector]) -> Vec<RowId> {
    let rows = Rows::new(scenario);
    let all = (0..rows.count()).map(|at| rows.get(at));
    all.filter(|&id| selectors.iter().any(|selector| selector.takes(scenario, id))).collect()
}

/// The rows that are looked at where none is asked for, if the rows of `scenario` took as long as `measured` says, in their
/// order: of the point where the largest mean of an algorithm is largest against the smallest, each algorithm's repetition
/// with the lower median. Of equals always the first.
pub fn most_telling(scenario: &Scenario, measured: &[Option<u64>]) -> Vec<RowId> {
    let rows = Rows::new(scenario);
    let ids: Vec<RowId> = (0..rows.count()).map(|at| rows.get(at)).collect();
    let timed: Vec<Timed> =
        ids.into_iter().zip(measured).filter_map(|(id, &ticks)| Some(Timed { id, ticks: ticks? })).collect();
    let points = timed.chunk_by(|a, b| a.id.point == b.id.point);
    let mut telling: Option<(f64, &[Timed])> = None;
    for point in points {
        let gap = gap(point);
        if telling.is_none_or(|(widest, _)| gap > widest) {
            telling = Some((gap, point));
        }
    }
    let algorithms = telling.into_iter().flat_map(|(_, point)| by_algorithm(point));
    algorithms.map(middle).collect()
}

/// A row and how long it took.
#[derive(Clone, Copy)]
struct Timed {
    id: RowId,
    ticks: u64,
}

fn by_algorithm(point: &[Timed]) -> impl Iterator<Item = &[Timed]> {
    point.chunk_by(|a, b| a.id.algorithm == b.id.algorithm)
}

/// The largest mean of an algorithm against the smallest.
#[expect(clippy::cast_precision_loss, reason = "means of ticks")]
fn gap(point: &[Timed]) -> f64 {
    let mean = |rows: &[Timed]| rows.iter().map(|row| row.ticks as f64).sum::<f64>() / rows.len() as f64;
    let least = by_algorithm(point).map(mean).fold(f64::INFINITY, f64::min);
    let most = by_algorithm(point).map(mean).fold(0.0, f64::max);
    if least > 0.0 { most / least } else { 1.0 }
}

/// The repetition with the lower median; of equals the first.
fn middle(rows: &[Timed]) -> RowId {
    let mut sorted: Vec<&Timed> = rows.iter().collect();
    sorted.sort_by_key(|row| (row.ticks, row.id.repetition));
    let median = sorted[(sorted.len() - 1) / 2].ticks;
    let first = sorted.partition_point(|row| row.ticks < median);
    sorted[first].id
}
