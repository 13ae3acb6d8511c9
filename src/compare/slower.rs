//! Lines of a comparison in which B is slower than A by more than a limit, for checks against a stored baseline.

use super::line::Line;
use super::sentence::Outcome;
use super::{Comparison, refused};
use crate::config::listed;
use crate::scenario::Rejected;

/// Columns of times and costs: B is slower if its value is larger.
const LESS_IS_FASTER: [&str; 10] =
    ["measured", "predicted", "makespan", "latency", "network_latency", "p50", "p99", "cost", "delay", "blocked_time"];

/// Columns of throughput: B is slower if its value is smaller.
const MORE_IS_FASTER: [&str; 2] = ["accepted", "saturation"];

/// A line in which B is slower.
#[derive(Clone, Debug, PartialEq)]
pub struct Slower<'a> {
    /// The line.
    pub line: &'a Line,
    /// The slowdown in per cent. Infinite if the value of the faster run is 0.
    pub percent: f64,
}

/// Returns the lines in which B is slower than A by more than `limit` per cent, the largest slowdown first. A difference that
/// chance may have made does not count; one between single repetitions does, as both runs are deterministic.
///
/// # Errors
/// Returns an error if a compared column is neither a time, a cost nor a throughput.
pub(super) fn slower(comparison: &Comparison, limit: f64) -> Result<Vec<Slower<'_>>, Rejected> {
    if let Some(column) = comparison.columns.iter().find(|column| !is_judged(column)) {
        let accepted = listed(LESS_IS_FASTER.into_iter().chain(MORE_IS_FASTER));
        let message = format!(
            "--fail-if-slower does not support column `{column}`, in which neither smaller nor larger values are faster"
        );
        return Err(refused(&message, &format!("accepted: --column with {accepted}")));
    }
    let slowdowns = comparison.lines.iter().filter_map(|line| Some(Slower { line, percent: slowdown(line)? }));
    let mut slower: Vec<Slower<'_>> = slowdowns.filter(|slower| slower.percent > limit).collect();
    slower.sort_by(|a, b| b.percent.total_cmp(&a.percent));
    Ok(slower)
}

fn is_judged(column: &str) -> bool {
    LESS_IS_FASTER.contains(&column) || MORE_IS_FASTER.contains(&column)
}

/// Returns the slowdown of B in per cent, or `None` if a value is missing or chance may have made the difference.
fn slowdown(line: &Line) -> Option<f64> {
    let tested = &line.tested;
    if matches!(Outcome::new(tested), Outcome::Unsure | Outcome::Nothing) {
        return None;
    }
    let (a, b) = (tested.a?, tested.b?);
    let (fast, slow) = if MORE_IS_FASTER.contains(&line.column.as_str()) { (b, a) } else { (a, b) };
    if slow <= fast {
        return None;
    }
    Some(if fast > 0.0 { (slow / fast - 1.0) * 100.0 } else { f64::INFINITY })
}
