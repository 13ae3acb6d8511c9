//! Remarks on the capacity of the busiest channel: the bound of saturation, and rates that exceed it.

use super::capacity::Capacity;
use super::{Mode, OpenLoop};
use crate::kind::{Remark, ResultLine};

/// The key along which a load rises.
pub(super) const RATE: &str = "workload.traffic.rate";

/// The capacities of `lines`, and which rates exceed theirs.
pub(super) fn remarks(lines: &[ResultLine<'_>]) -> Vec<Remark> {
    let mut known = Known::default();
    let limits: Vec<Limit> = lines.iter().enumerate().filter_map(|(at, line)| known.limit(at, line)).collect();
    let (steady, saturations): (Vec<Limit>, Vec<Limit>) = limits.into_iter().partition(|limit| limit.rate.is_some());
    capacities(&saturations, lines).into_iter().chain(excess(&steady, lines)).collect()
}

/// A line whose capacity is known.
struct Limit {
    line: usize,
    /// The rate of steady traffic, `None` in a search for saturation.
    rate: Option<f64>,
    capacity: Capacity,
}

/// The capacities that have been computed, by the settings of the point without the rate.
#[derive(Default)]
struct Known(Vec<(String, Option<Capacity>)>);

impl Known {
    /// Returns `None` for a burst or batches, or if each repetition draws its pattern.
    fn limit(&mut self, at: usize, line: &ResultLine<'_>) -> Option<Limit> {
        let workload: &OpenLoop = line.workload.downcast_ref()?;
        let rate = match workload.mode {
            Mode::Steady(_) => Some(workload.rate),
            Mode::Saturation(_) => None,
            Mode::Burst | Mode::Batch(_) => return None,
        };
        let capacity = self.capacity(workload, line)?;
        Some(Limit { line: at, rate, capacity })
    }

    fn capacity(&mut self, workload: &OpenLoop, line: &ResultLine<'_>) -> Option<Capacity> {
        let settings = line.place(RATE);
        if let Some((_, capacity)) = self.0.iter().find(|(known, _)| *known == settings) {
            return capacity.clone();
        }
        let pattern = workload.pattern.fixed()?;
        let capacity = Capacity::new(workload, line.machine, pattern);
        self.0.push((settings, capacity.clone()));
        capacity
    }
}

/// The most capacities that are listed one by one.
const FEW: usize = 3;

/// The capacities that bound saturation. Those above the largest rate are left out.
fn capacities(limits: &[Limit], lines: &[ResultLine<'_>]) -> Option<Remark> {
    let mut groups: Vec<(&Capacity, Vec<usize>)> = Vec::new();
    for limit in limits.iter().filter(|limit| limit.capacity.is_below(1.0)) {
        match groups.iter_mut().find(|(capacity, _)| capacity.to_string() == limit.capacity.to_string()) {
            Some((_, group)) => group.push(limit.line),
            None => groups.push((&limit.capacity, vec![limit.line])),
        }
    }
    let entry = |(capacity, group): &(&Capacity, Vec<usize>)| {
        let settings = common_settings(group, lines);
        let is_alone = groups.len() == 1 || settings.is_empty();
        if is_alone { capacity.to_string() } else { format!("{capacity} at {settings}") }
    };
    let by_rate = |a: &&(&Capacity, Vec<usize>), b: &&(&Capacity, Vec<usize>)| a.0.rate.total_cmp(&b.0.rate);
    let list = if groups.len() <= FEW {
        groups.iter().map(entry).collect::<Vec<_>>().join("; ")
    } else {
        format!("from {} to {}", entry(groups.iter().min_by(by_rate)?), entry(groups.iter().max_by(by_rate)?))
    };
    let text = format!("Saturation cannot exceed the capacity of the busiest channel: {list}.");
    let lines = groups.into_iter().flat_map(|(_, group)| group).collect::<Vec<_>>();
    (!lines.is_empty()).then_some(Remark { text, lines, doubted: &[] })
}

/// The settings that the lines of `group` have in common, such as `flits 8`.
fn common_settings(group: &[usize], lines: &[ResultLine<'_>]) -> String {
    let Some((&first, others)) = group.split_first() else { return String::new() };
    let is_common = |setting: &&(&str, &str)| others.iter().all(|&other| lines[other].settings.contains(setting));
    let common = lines[first].settings.iter().filter(is_common);
    common
        .map(|(key, value)| format!("{} {value}", key.rsplit('.').next().unwrap_or(key)))
        .collect::<Vec<_>>()
        .join(", ")
}

/// That rates are above the capacity of their busiest channel.
fn excess(limits: &[Limit], lines: &[ResultLine<'_>]) -> Option<Remark> {
    let above = limits.iter().filter_map(|limit| Some((limit.line, limit.rate?, &limit.capacity)));
    let above: Vec<(usize, f64, &Capacity)> = above.filter(|(_, rate, capacity)| capacity.is_below(*rate)).collect();
    let (line, rate, capacity) = above.first()?;
    let mut settings = lines[*line].place(RATE);
    if !settings.is_empty() {
        settings = format!(" ({settings})");
    }
    let text = match above.len() {
        1 => format!("Rate {rate} exceeds the capacity of the busiest channel: {capacity}{settings}."),
        more => format!(
            "The rate exceeds the capacity of the busiest channel at {more} of {} points: {capacity} for rate \
             {rate}{settings}.",
            lines.len()
        ),
    };
    Some(Remark { text, lines: above.iter().map(|(line, ..)| *line).collect(), doubted: &[] })
}
