//! Pictures of timelines: a track for each processor of each rank, under the model and as measured.

use super::canvas::{Caption, Stroke, Surface};
use super::clock::Clock;
use super::ink::{Rgb, colour};
use super::sheet::{LARGE, SMALL, Sheet, nth};
use super::text::{Side, width};
use super::{headed, paint, title};
use crate::kind::RowId;
use crate::kind::words::counted;
use crate::scenario::Scenario;
use crate::timeline::{Activity, Timeline, Track};
use crate::units::Ticks;

/// Pixels of the time axis.
const AXIS: i32 = 720;
/// The most tracks of a picture.
const MOST_LANES: usize = 1024;
/// Pixels of a track, by the number of tracks up to which it is that high.
const HEIGHTS: [(usize, i32); 3] = [(48, 13), (160, 7), (MOST_LANES, 3)];

/// The colours of activities, in the order of the legend.
const COLOURS: [(Activity, Rgb); 6] = [
    (Activity::Compute, Rgb::GREY),
    (Activity::Noise, colour(4)),
    (Activity::Send, colour(1)),
    (Activity::Receive, colour(3)),
    (Activity::Wait, colour(2)),
    (Activity::Idle, Rgb::PALE),
];

/// Draws `timeline`, of the row `id` of `scenario`, as SVG: the tracks under the model, and below them those on the network. Each pixel
/// has the colour of the activity that takes most of its time.
///
/// # Panics
/// If there is no such row.
pub fn draw_timeline(scenario: &Scenario, id: RowId, timeline: &Timeline) -> String {
    let runs = [("predicted", &timeline.predicted), ("measured", &timeline.measured)];
    let runs: Vec<_> = runs.into_iter().filter(|(_, ranks)| !ranks.is_empty()).collect();
    let end = runs.iter().map(|(_, ranks)| completion(ranks)).fold(Ticks(1), Ticks::max);
    #[expect(clippy::cast_precision_loss, reason = "a unit is chosen by the longest time")]
    let clock = Clock::new(scenario.tick.as_ref(), end.0 as f64);
    let mut all = Sheet::default();
    let mut notes = Vec::new();
    for (name, ranks) in runs {
        let (sheet, left_out) = panel(name, ranks, (end, clock));
        let top = if all.size.1 == 0 { 0 } else { all.size.1 + LARGE };
        all.put((0, top), sheet);
        notes.extend(left_out);
    }
    notes.dedup();
    let caption = Caption {
        title: scenario.name.clone(),
        subtitle: title(scenario, id),
        description: "The time of the processors of each rank".to_owned(),
    };
    paint::paint(headed(&caption, &notes, all), &caption)
}

/// The tick at which tracks end.
fn completion(ranks: &[Vec<Track>]) -> Ticks {
    let last = |track: &Track| track.slices.last().map_or(Ticks::ZERO, |slice| slice.end);
    ranks.iter().flatten().map(last).fold(Ticks::ZERO, Ticks::max)
}

/// The tracks of a run, and a note if some are left out.
fn panel(name: &str, ranks: &[Vec<Track>], (end, clock): (Ticks, Clock)) -> (Sheet, Option<String>) {
    let all = ranks.iter().flatten().count();
    let shown = all.min(MOST_LANES);
    let height = HEIGHTS.iter().find(|(most, _)| shown <= *most).map_or(3, |(_, height)| *height);
    let completion = completion(ranks);
    let (mut sheet, top) = Sheet::titled(&format!("{name}: {}", clock.text(completion.0)));
    let left = 34 + width(&ranks.len().to_string(), SMALL) + 30;
    let x = |time: Ticks| {
        left + i32::try_from(u128::from(time.0) * u128::from(AXIS.unsigned_abs()) / u128::from(end.0)).unwrap_or(AXIS)
    };
    let top = top + 24;
    let bottom = nth(top, height, shown) + 3 * i32::try_from(ranks.len().min(shown)).unwrap_or(0);
    for (time, text) in clock.round(end.0, 8) {
        sheet.line(&[(x(Ticks(time)), top - 4), (x(Ticks(time)), bottom + 4)], Stroke::thin(Rgb::PALE));
        sheet.text((x(Ticks(time)), bottom + 12), Side::Middle, SMALL, text);
    }
    sheet.text((left + AXIS / 2, bottom + 28), Side::Middle, SMALL, format!("time, {}", clock.unit));
    let mut y = top;
    let mut named = i32::MIN;
    for (number, (rank, track)) in (0..)
        .zip(ranks)
        .flat_map(|(rank, tracks)| tracks.iter().map(move |track| (rank, track)))
        .take(shown)
        .enumerate()
    {
        let is_first = ranks[rank as usize].first().is_some_and(|first| first.name == track.name);
        y += if is_first && number > 0 { 3 } else { 0 };
        if is_first && y >= named {
            sheet.text((left - 34, y + height.min(13) / 2), Side::Right, SMALL, format!("{rank}"));
            named = y + 12;
        }
        if height > 10 {
            sheet.text((left - 4, y + height / 2), Side::Right, SMALL, track.name.clone());
        }
        let parts = u64::try_from(x(completion) - left).unwrap_or(1).max(1);
        for slice in track.in_parts(parts, completion) {
            let fill =
                COLOURS.iter().find(|(activity, _)| *activity == slice.activity).map_or(Rgb::WHITE, |(_, fill)| *fill);
            let block = sheet.block((x(slice.start), y), (x(slice.end), y + height - 1), Surface::plain(fill));
            let (from, to) = (clock.number(slice.start.0), clock.text(slice.end.0));
            block.tip = format!("rank {rank}, {}: {} from {from} to {to}", track.name, slice.activity.name());
        }
        y += height;
    }
    let mut sample = left;
    for (activity, fill) in COLOURS {
        sheet.block((sample, top - 22), (sample + 20, top - 10), Surface::plain(fill));
        sheet.text((sample + 25, top - 16), Side::Left, SMALL, activity.name());
        sample += 25 + width(activity.name(), SMALL) + LARGE;
    }
    let left_out = (shown < all).then(|| format!("The first {shown} of {} are shown.", counted(all as u64, "lane")));
    (sheet, left_out)
}
