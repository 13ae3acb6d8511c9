//! The timelines of ranks, as the page reads them.

use crate::timeline::{Slice, Timeline, Track};
use crate::units::Ticks;
use serde_json::{Value as Json, json};

/// The most slices of a run that a page has as they are.
const MOST_SLICES: usize = 200_000;

/// The most parts of the time of a track whose slices are merged: more than a screen has pixels.
const MOST_PARTS: usize = 4_000;

/// Adds the tracks of `ranks` in a run of `timeline` that ends at `completion` to the data of the run, as `ranks`, with the note
/// `ranks_note` if slices are merged.
pub(super) fn add_ranks(json: &mut Json, timeline: &Timeline, ranks: &[Vec<Track>], completion: Ticks) {
    let slices: usize = ranks.iter().flatten().map(|track| track.slices.len()).sum();
    let tracks = ranks.iter().flatten().count();
    let parts = (slices > MOST_SLICES).then(|| (MOST_SLICES / tracks.max(1)).clamp(1, MOST_PARTS));
    let track = |track: &Track| {
        let slices: Vec<Json> = match parts {
            Some(parts) => track.in_parts(parts as u64, completion).iter().map(|slice| slice_json(slice, "")).collect(),
            None => {
                let name = |slice| timeline.operation(slice).map_or("", |operation| operation.name);
                track.slices.iter().map(|slice| slice_json(slice, name(slice))).collect()
            }
        };
        json!({ "name": track.name, "slices": slices })
    };
    let rank = |(rank, tracks): (usize, &Vec<Track>)| json!({ "rank": rank, "lanes": tracks.iter().map(track).collect::<Vec<_>>() });
    json["ranks"] = ranks.iter().enumerate().map(rank).collect();
    if let Some(parts) = parts {
        let note = format!(
            "This run has too many slices for a page. Each track has {parts} parts, with the activity that takes most of each, so \
             sums are approximate. timeline.csv (--timeline) has all slices."
        );
        json["ranks_note"] = note.into();
    }
}

/// `[kind, begin, end]`, with the name of the operation behind if it has one.
fn slice_json(slice: &Slice, name: &str) -> Json {
    let mut json = vec![json!(slice.activity.name()), json!(slice.start.0), json!(slice.end.0)];
    if !name.is_empty() {
        json.push(name.into());
    }
    json.into()
}
