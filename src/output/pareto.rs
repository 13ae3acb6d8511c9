//! The Pareto front of a point: the algorithms that no other beats in both time and energy.

use super::summary::Summary;
use crate::kind::ENERGY;

/// The columns of the time of an algorithm, of which the first with values counts.
const TIMES: [&str; 3] = ["measured", "makespan", "latency"];

/// Returns whether each of `summaries` is on the Pareto front of its point, or `None` for those without a time or an energy.
pub(super) fn fronts(summaries: &[Summary]) -> Vec<Option<bool>> {
    summaries
        .chunk_by(|one, next| one.point == next.point)
        .flat_map(|of_point| {
            let costs: Vec<Option<[f64; 2]>> = of_point.iter().map(costs).collect();
            let is_on_front = |own: [f64; 2]| !costs.iter().flatten().any(|&other| dominates(other, own));
            costs.iter().map(|costs| costs.map(is_on_front)).collect::<Vec<_>>()
        })
        .collect()
}

/// The mean time and the mean energy of an algorithm, if it has both.
fn costs(summary: &Summary) -> Option<[f64; 2]> {
    let time = TIMES.into_iter().find_map(|column| summary.of(column))?;
    Some([time.mean, summary.of(ENERGY.name)?.mean])
}

/// Returns true if neither cost of `one` is larger than that of `other`, and one is smaller.
pub(crate) fn dominates(one: [f64; 2], other: [f64; 2]) -> bool {
    one[0] <= other[0] && one[1] <= other[1] && (one[0] < other[0] || one[1] < other[1])
}
