//! What results of traces show together: how far off the simulation is, and whether another placement would be faster.

use super::NocTrace;
use super::prepare::Networks;
use crate::kind::words::{counted, grouped};
use crate::kind::{Remark, ResultLine};

/// How far the simulation is off in nine of ten traces that were recorded, as a part of their length, where its constants are those
/// of the documentation and of the fit: two times that differ by less are a tie. `results/` and the guide say what this rests on.
const NINE_OF_TEN: f64 = 0.10;

/// From how many traces on it is said how far off all are.
const SEVERAL: usize = 2;

pub(super) fn remarks(lines: &[ResultLine<'_>]) -> Vec<Remark> {
    errors(lines).into_iter().chain(placements(lines)).collect()
}

fn trace<'a>(line: &ResultLine<'a>) -> Option<&'a NocTrace> {
    line.workload.downcast_ref()
}

/// Whether it is the run that was recorded, and no other.
fn is_as_recorded(trace: &NocTrace) -> bool {
    trace.map.is_none() && trace.networks == Networks::AsRecorded
}

/// How far off all traces are.
fn errors(lines: &[ResultLine<'_>]) -> Option<Remark> {
    let error = |at: usize| {
        let line = &lines[at];
        trace(line).filter(|trace| is_as_recorded(trace))?;
        Some((at, line.means.mean("error")?.abs()))
    };
    let mut errors: Vec<(usize, f64)> = (0..lines.len()).filter_map(error).collect();
    if errors.len() < SEVERAL {
        return None;
    }
    errors.sort_by(|a, b| a.1.total_cmp(&b.1));
    let at = |percent: usize| 100.0 * errors[(errors.len() * percent / 100).min(errors.len() - 1)].1;
    let traces = counted(errors.len() as u64, "trace");
    let text = format!("{traces}: median error {:.1} %, 90th percentile {:.1} %.", at(50), at(90));
    Some(Remark { text, lines: errors.into_iter().map(|(at, _)| at).collect(), doubted: &[] })
}

/// What becomes of each trace that is run in several ways.
fn placements(lines: &[ResultLine<'_>]) -> Vec<Remark> {
    let mut groups: Vec<(&NocTrace, Vec<usize>)> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(own) = trace(line) else { continue };
        match groups.iter_mut().find(|(first, _)| first.file == own.file && first.issue == own.issue) {
            Some((_, group)) => group.push(at),
            None => groups.push((own, vec![at])),
        }
    }
    groups.into_iter().filter_map(|(first, group)| placement(lines, first, group)).collect()
}

/// The ways in which `first` is run, the fastest first; those that the simulation cannot tell from it are ties.
fn placement(lines: &[ResultLine<'_>], first: &NocTrace, group: Vec<usize>) -> Option<Remark> {
    let mut timed: Vec<(f64, &NocTrace)> =
        group.iter().filter_map(|&at| Some((lines[at].means.mean("measured")?, trace(&lines[at])?))).collect();
    if timed.len() < 2 || timed.iter().all(|(_, way)| way.map == first.map && way.networks == first.networks) {
        return None;
    }
    timed.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (best, _) = timed[0];
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "times are whole and not below zero")]
    let in_ticks = |time: f64| grouped(time.round() as u64);
    let name = |&(time, way): &(f64, &NocTrace)| {
        let off = 100.0 * (time / best - 1.0);
        let tie = if time > best && time / best - 1.0 < NINE_OF_TEN { ", a tie" } else { "" };
        let more = if time > best { format!(" (+{off:.1} %{tie})") } else { String::new() };
        format!("{} {}{more}", in_words(way), in_ticks(time))
    };
    let ways: Vec<String> = timed.iter().map(name).collect();
    let text = format!(
        "{}: {}. Differences below {:.0} % are ties, because the error of the simulation exceeds this in one of ten \
         traces.",
        first.file,
        ways.join(", "),
        100.0 * NINE_OF_TEN
    );
    Some(Remark { text, lines: group, doubted: &[] })
}

/// How a trace is run, in a few words.
fn in_words(way: &NocTrace) -> String {
    let networks = match way.networks {
        Networks::AsRecorded => "as recorded",
        Networks::First => "network 0",
        Networks::Second => "network 1",
        Networks::Swapped => "swapped networks",
        Networks::Nearer => "nearer networks",
    };
    match &way.map {
        Some(map) if way.networks == Networks::AsRecorded => map.clone(),
        Some(map) => format!("{map} on {networks}"),
        None => networks.to_owned(),
    }
}
