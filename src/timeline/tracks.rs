//! Tracks: slices of time in order, without gaps.

use super::Activity;
use super::log::Span;
use crate::units::Ticks;

/// A part of a track.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// The activity.
    pub activity: Activity,
    /// The first tick.
    pub start: Ticks,
    /// The tick after the last one.
    pub end: Ticks,
    /// The operation, if it has one.
    pub operation: Option<u32>,
    /// The send of the message that is sent or received.
    pub message: Option<u32>,
}

/// The slices of a processor, or of receives that overlap with its work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Track {
    /// The name: `cpu0`, `cpu1`, .. for processors, and `in0`, `in1`, .. for receives.
    pub name: String,
    /// The slices, in order and without gaps.
    pub slices: Vec<Slice>,
}

impl Track {
    /// The number of its processor, or `None` if it is a track of receives.
    pub fn processor(&self) -> Option<usize> {
        self.name.strip_prefix("cpu")?.parse().ok()
    }

    /// The slices in `parts` equal parts of the time up to `completion`: each part is the activity that takes most of it.
    pub fn in_parts(&self, parts: u64, completion: Ticks) -> Vec<Slice> {
        let edge = |part: u64| {
            Ticks(u64::try_from(u128::from(completion.0) * u128::from(part) / u128::from(parts)).unwrap_or(u64::MAX))
        };
        let mut all: Vec<Slice> = Vec::new();
        let mut rest = self.slices.as_slice();
        for part in 0..parts {
            let (start, end) = (edge(part), edge(part + 1));
            if start == end {
                continue;
            }
            let mut ticks = [Ticks::ZERO; Activity::ALL.len()];
            while let Some(slice) = rest.first() {
                if slice.start < end {
                    ticks[slice.activity as usize] += slice.end.min(end) - slice.start.max(start);
                }
                if slice.end > end {
                    break;
                }
                rest = &rest[1..];
            }
            let longest = Activity::ALL.into_iter().rev().max_by_key(|&activity| ticks[activity as usize]);
            let activity = longest.unwrap_or(Activity::Idle);
            match all.last_mut() {
                Some(last) if last.activity == activity => last.end = end,
                _ => all.push(Slice { activity, start, end, operation: None, message: None }),
            }
        }
        all
    }
}

/// The ticks of a rank in each activity, summed over its processors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals([Ticks; Activity::ALL.len()]);

impl Totals {
    /// Sums the slices of the processors of a rank with these `tracks`.
    pub fn new(tracks: &[Track]) -> Self {
        let mut totals = Self::default();
        for slice in tracks.iter().filter(|track| track.processor().is_some()).flat_map(|track| &track.slices) {
            totals.0[slice.activity as usize] += slice.end - slice.start;
        }
        totals
    }

    /// The ticks of `activity`.
    pub fn get(&self, activity: Activity) -> Ticks {
        self.0[activity as usize]
    }
}

/// The slices of `spans` of one track, which are in order. A span that overlaps the one before begins at the end of that.
/// `taken_by` names the receives of messages.
pub(super) fn busy(spans: &[Span], taken_by: &[u32]) -> Vec<Slice> {
    let mut slices = Vec::with_capacity(2 * spans.len() + 2);
    let mut time = Ticks::ZERO;
    for &Span { activity, operation, start, end, .. } in spans {
        let start = start.max(time);
        if start < end {
            let message = matches!(activity, Activity::Send | Activity::Receive).then_some(operation);
            let operation = if activity == Activity::Receive { taken_by[operation as usize] } else { operation };
            slices.push(Slice { activity, start, end, operation: Some(operation), message });
            time = end;
        }
    }
    slices
}

/// Fills the gaps between `slices`: with `gap` up to `last`, and with idle time from there to `completion`.
pub(super) fn covered(slices: Vec<Slice>, gap: Activity, last: Ticks, completion: Ticks) -> Vec<Slice> {
    let mut all = Vec::with_capacity(2 * slices.len() + 2);
    let mut time = Ticks::ZERO;
    let empty = |activity, start, end| Slice { activity, start, end, operation: None, message: None };
    for slice in slices {
        if time < slice.start {
            all.push(empty(gap, time, slice.start));
        }
        time = slice.end;
        all.push(slice);
    }
    for (activity, end) in [(gap, last), (Activity::Idle, completion)] {
        if time < end {
            all.push(empty(activity, time, end));
            time = end;
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merged_slices_cover_the_time_once() {
        let mut slices = Vec::new();
        for at in 0..1000 {
            let activity = if at % 3 == 0 { Activity::Wait } else { Activity::Compute };
            slices.push(Slice { activity, start: Ticks(at), end: Ticks(at + 1), operation: None, message: None });
        }
        slices.push(Slice {
            activity: Activity::Idle,
            start: Ticks(1000),
            end: Ticks(2001),
            operation: None,
            message: None,
        });
        let merged = Track { name: "cpu0".to_owned(), slices }.in_parts(7, Ticks(2001));
        let shown: Vec<_> = merged.iter().map(|slice| (slice.activity, slice.start.0, slice.end.0)).collect();
        assert_eq!(shown, [(Activity::Compute, 0, 857), (Activity::Idle, 857, 2001)]);
    }
}
