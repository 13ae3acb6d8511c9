//! Slices of a trace: what a message did, or a processor of a rank, from when to when.
//!
//! ```text
//!   began      requested  granted          released   requested   granted   released .. delivered  received
//!     |-- send ----|-- wait --|-- channel ----|           |-- wait --|-- channel --|   ..  |-- receive --|
//!                   injection channel                      next channel
//! ```
//!
//! Slices without length are left out, and so is the time in which a processor is idle. Those that would overlap on a track are put on several.

use crate::cancel;
use crate::recording::{Hop, Recording};
use crate::timeline::{self, Timeline};
use crate::units::{ChannelId, MessageId, NodeId, Ticks};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What tracks of a name show. In this order they stand below each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Activity {
    /// The activities of this processor of the rank on this node.
    Processor(NodeId, usize),
    /// What this node sends.
    Send(NodeId),
    /// What this node receives.
    Receive(NodeId),
    /// Which message has this channel.
    Channel(ChannelId),
    /// Which head flits wait for this channel.
    Wait(ChannelId),
}

/// The subject of a slice. Messages are before processors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Subject {
    /// A message.
    Message {
        message: MessageId,
        /// True if it is the first slice of the message.
        is_first: bool,
        /// True if it is the last slice of the message.
        is_last: bool,
    },
    /// A processor, in an activity that has this name.
    Processor { name: usize },
}

/// A stretch of time of a message or a processor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slice {
    pub(super) from: Ticks,
    pub(super) to: Ticks,
    /// Which track it is on.
    pub(super) track: usize,
    pub(super) subject: Subject,
}

/// All slices of a run.
pub(super) struct Slices {
    /// In the order in which they begin.
    pub(super) all: Vec<Slice>,
    /// Per track what it shows.
    pub(super) tracks: Vec<Activity>,
    /// The names of activities of processors.
    pub(super) names: Vec<String>,
}

impl Slices {
    /// Those of `recording`, on tracks on which no two overlap.
    pub(super) fn new(recording: &Recording<'_>) -> Self {
        let mut activities = Activities::default();
        let mut all = slices(recording, &mut activities);
        let mut names = Vec::new();
        if let Some(timeline) = &recording.timeline {
            names = processors(timeline, &mut activities, &mut all);
        }
        // no two slices of a message or a track begin in the same tick
        all.sort_unstable_by_key(|slice| (slice.from, slice.subject, slice.track));
        let tracks = on_tracks(&mut all, &activities.all);
        Self { all, tracks, names }
    }

    /// When the last slice ends.
    pub(super) fn end(&self) -> Ticks {
        self.all.iter().map(|slice| slice.to).max().unwrap_or(Ticks::ZERO)
    }
}

/// What is done, each with a number.
#[derive(Default)]
struct Activities {
    all: Vec<Activity>,
    numbers: FxHashMap<Activity, usize>,
}

impl Activities {
    fn number(&mut self, activity: Activity) -> usize {
        *self.numbers.entry(activity).or_insert_with(|| {
            self.all.push(activity);
            self.all.len() - 1
        })
    }
}

/// A part of what a message did.
struct Part {
    activity: Activity,
    from: Ticks,
    to: Ticks,
}

/// What `message` did, in the order in which it began to.
fn parts<'a>(recording: &'a Recording<'_>, message: MessageId) -> impl Iterator<Item = Part> + 'a {
    let detail = &recording.messages[message.index()];
    let outcome = &detail.outcome;
    let send = Part { activity: Activity::Send(outcome.src), from: detail.began.at, to: outcome.requested };
    let receive = Part { activity: Activity::Receive(outcome.dst), from: outcome.delivered, to: outcome.received };
    let hops = recording.hops(message).iter().flat_map(parts_of_hop);
    std::iter::once(send).chain(hops).chain(std::iter::once(receive)).filter(|part| part.from < part.to)
}

fn parts_of_hop(hop: &Hop) -> [Part; 2] {
    let Hop { channel, requested, granted, released, .. } = *hop;
    [
        Part { activity: Activity::Wait(channel), from: requested, to: granted },
        Part { activity: Activity::Channel(channel), from: granted, to: released },
    ]
}

/// The slices of all messages, each on the track with the number of its activity.
fn slices(recording: &Recording<'_>, activities: &mut Activities) -> Vec<Slice> {
    let count = recording.numbers().map(|message| parts(recording, message).count()).sum();
    let mut all = Vec::with_capacity(count);
    let mut pace = cancel::Pace::default();
    for message in recording.numbers() {
        pace.step();
        let mut parts = parts(recording, message).peekable();
        let mut is_first = true;
        while let Some(Part { activity, from, to }) = parts.next() {
            let track = activities.number(activity);
            let subject = Subject::Message { message, is_first, is_last: parts.peek().is_none() };
            all.push(Slice { from, to, track, subject });
            is_first = false;
        }
    }
    all
}

/// Adds the slices of the processors of all ranks to `all`. Returns the names to which they refer: the activity, with the name of the
/// operation behind it.
fn processors(timeline: &Timeline, activities: &mut Activities, all: &mut Vec<Slice>) -> Vec<String> {
    let mut names: FxHashMap<String, usize> = FxHashMap::default();
    for (&node, tracks) in timeline.nodes.iter().zip(&timeline.measured) {
        for own in tracks {
            let Some(number) = own.processor() else { continue };
            let track = activities.number(Activity::Processor(node, number));
            for slice in own.slices.iter().filter(|slice| slice.activity != timeline::Activity::Idle) {
                let operation = timeline.operation(slice).map(|operation| operation.name).unwrap_or_default();
                let name = format!("{} {operation}", slice.activity.name()).trim_end().to_owned();
                let next = names.len();
                let name = *names.entry(name).or_insert(next);
                all.push(Slice { from: slice.start, to: slice.end, track, subject: Subject::Processor { name } });
            }
        }
    }
    let mut sorted: Vec<(String, usize)> = names.into_iter().collect();
    sorted.sort_unstable_by_key(|&(_, number)| number);
    sorted.into_iter().map(|(name, _)| name).collect()
}

/// Moves each of `slices`, in the order in which they begin, from its activity to the first track of it that is free then.
/// Per track, what it shows.
fn on_tracks(slices: &mut [Slice], activities: &[Activity]) -> Vec<Activity> {
    let mut lanes: Vec<Lanes> = activities.iter().map(|_| Lanes::default()).collect();
    let mut tracks = Vec::with_capacity(activities.len());
    for slice in slices {
        let activity = slice.track;
        slice.track = lanes[activity].place(slice, || {
            tracks.push(activities[activity]);
            tracks.len() - 1
        });
    }
    tracks
}

/// The tracks of an activity.
#[derive(Default)]
struct Lanes {
    /// Those with a slice on them, by its end.
    taken: BinaryHeap<Reverse<(Ticks, usize)>>,
    free: BinaryHeap<Reverse<usize>>,
}

impl Lanes {
    /// The track of `slice`, which begins no sooner than those before: the first that is free, or a `new` one.
    fn place(&mut self, slice: &Slice, new: impl FnOnce() -> usize) -> usize {
        while let Some(&Reverse((until, track))) = self.taken.peek()
            && until <= slice.from
        {
            self.taken.pop();
            self.free.push(Reverse(track));
        }
        let track = self.free.pop().map_or_else(new, |Reverse(track)| track);
        self.taken.push(Reverse((slice.to, track)));
        track
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slice(from: u64, to: u64, track: usize) -> Slice {
        let message = MessageId(0);
        let subject = Subject::Message { message, is_first: false, is_last: false };
        Slice { from: Ticks(from), to: Ticks(to), track, subject }
    }

    #[test]
    fn slices_that_overlap_are_put_on_the_first_track_that_is_free() {
        let channels = [ChannelId(7), ChannelId(3)].map(Activity::Channel);
        let mut slices = [(0, 5, 1), (0, 9, 1), (2, 4, 0), (4, 6, 0), (5, 7, 1), (7, 8, 1), (8, 9, 1)]
            .map(|(from, to, track)| slice(from, to, track));
        let tracks = on_tracks(&mut slices, &channels);
        assert_eq!(slices.map(|slice| slice.track), [0, 1, 2, 2, 0, 0, 0]);
        assert_eq!(tracks, [channels[1], channels[1], channels[0]]);
    }
}
