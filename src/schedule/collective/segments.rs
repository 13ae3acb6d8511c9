//! Cuts messages into segments.

use super::planner::piece_at;
use super::{Sent, SetId, Sets, cut};
use crate::units::{narrow, saturated};
use std::ops::Range;

/// Cuts each message of more than `segment` flits into as few as there are with no more, in order of position. Pieces of
/// the vector become smaller where messages are cut inside them.
pub(super) fn into_segments(steps: &mut [Vec<Sent>], bounds: &mut Vec<u64>, sets: &mut Sets, segment: u64) {
    let old = std::mem::take(sets);
    let cuts: Vec<Vec<Vec<Range<u64>>>> = (0..old.ends.len())
        .map(|at| segments_of(&old, bounds, SetId(narrow(at, "sets are numbered so")), segment))
        .collect();
    let ends = cuts.iter().flatten().flatten().flat_map(|range| [range.start, range.end]);
    bounds.extend(ends.collect::<Vec<_>>());
    bounds.sort_unstable();
    bounds.dedup();
    // the sets of a message's segments have consecutive numbers
    let mut firsts = Vec::with_capacity(cuts.len());
    for segments in &cuts {
        firsts.push(sets.ends.len());
        for ranges in segments {
            for range in ranges {
                sets.runs.push(piece_at(bounds, range.start)..piece_at(bounds, range.end));
            }
            sets.ends.push(narrow(sets.runs.len(), "runs of pieces are numbered with 32 bits"));
            sets.flits.push(ranges.iter().map(|range| range.end - range.start).sum());
        }
    }
    for step in steps {
        let cut_message = |sent: &Sent| {
            let sent = *sent;
            let first = firsts[sent.set.index()];
            let count = cuts[sent.set.index()].len();
            (first..first + count)
                .map(move |set| Sent { set: SetId(narrow(set, "sets are numbered with 32 bits")), ..sent })
        };
        *step = step.iter().flat_map(cut_message).collect();
    }
}

/// The segments of a set, each as the positions that it has.
fn segments_of(sets: &Sets, bounds: &[u64], set: SetId, segment: u64) -> Vec<Vec<Range<u64>>> {
    let all = sets.flits[set.index()];
    let count = saturated(all.div_ceil(segment)).max(1);
    let mut ranges = sets.runs(set).iter().map(|run| bounds[run.start as usize]..bounds[run.end as usize]);
    let mut rest = 0..0;
    let mut take = |mut wanted: u64| {
        let mut taken = Vec::new();
        while wanted > 0 {
            if rest.is_empty() {
                let Some(next) = ranges.next() else { break };
                rest = next;
            }
            let end = rest.end.min(rest.start + wanted);
            taken.push(rest.start..end);
            wanted -= end - rest.start;
            rest.start = end;
        }
        taken
    };
    (0..count).map(|at| cut(all, count, at)).map(|piece| take(piece.end - piece.start)).collect()
}
