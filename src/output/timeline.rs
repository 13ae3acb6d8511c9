//! timeline.csv: what each processor of each rank does, from the beginning of a run to its end.

use super::line::{push_field, push_number};
use crate::kind::Row;
use crate::timeline::Track;

/// The name of the file.
pub(super) const TIMELINE: &str = "timeline.csv";

/// Its columns. `by` is predicted or measured; the operation is counted within its rank.
pub(super) const TIMELINE_HEADER: [&str; 13] = [
    "point",
    "algorithm",
    "repetition",
    "by",
    "rank",
    "lane",
    "kind",
    "begin",
    "end",
    "operation",
    "peer",
    "bytes",
    "name",
];

/// Adds the lines of the timeline of `row`, if it has one.
pub(super) fn push_timeline(text: &mut String, row: &Row) {
    let Some(timeline) = &row.timeline else { return };
    let mut start = row.id.point.to_string();
    push_field(&mut start, row.algorithm);
    push_number(&mut start, row.id.repetition);
    for (by, ranks) in [("predicted", &timeline.predicted), ("measured", &timeline.measured)] {
        for (rank, Track { name, slices }) in
            (0..).zip(ranks).flat_map(|(rank, tracks)| tracks.iter().map(move |track| (rank, track)))
        {
            for slice in slices {
                text.push_str(&start);
                push_field(text, by);
                push_number(text, rank);
                push_field(text, name);
                push_field(text, slice.activity.name());
                push_number(text, slice.start.0);
                push_number(text, slice.end.0);
                match timeline.operation(slice) {
                    Some(operation) => {
                        push_number(text, operation.number.into());
                        match operation.message {
                            Some((peer, bytes)) => {
                                push_number(text, peer.into());
                                push_number(text, bytes);
                            }
                            None => text.push_str(",,"),
                        }
                        push_field(text, operation.name);
                    }
                    None => text.push_str(",,,,"),
                }
                text.push('\n');
            }
        }
    }
}
