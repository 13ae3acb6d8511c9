//! The log of a run: spans of time in which processors do something.

use super::Activity;
use super::tracks::{Track, busy, covered};
use crate::schedule::goal::{Action, Goal};
use crate::units::{Ticks, narrow};

/// A span of time in which a processor of a rank does something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The rank.
    pub rank: u32,
    /// The processor, by its number in the rank.
    pub cpu: u8,
    /// The activity, other than waiting and being idle.
    pub activity: Activity,
    /// The operation. Receives have the send of the message.
    pub operation: u32,
    /// The first tick.
    pub start: Ticks,
    /// The tick after the last one.
    pub end: Ticks,
}

/// The spans of a run in any order, and the ends of operations.
#[derive(Clone, Debug)]
pub struct Log {
    spans: Vec<Span>,
    /// For each send, by its number, the receive that takes its message.
    taken_by: Vec<u32>,
    /// Per rank and processor: the end of its last operation.
    ends: Vec<Ticks>,
    /// The processors of a rank.
    cpus: usize,
}

impl Log {
    /// Creates an empty log of a run of `goal`.
    pub fn new(goal: &Goal) -> Self {
        let cpus = usize::from(goal.highest_cpu()) + 1;
        let ends = vec![Ticks::ZERO; goal.ranks() * cpus];
        Self { spans: Vec::new(), taken_by: vec![0; goal.operations().len()], ends, cpus }
    }

    /// Adds `span` if it takes time.
    pub fn add(&mut self, span: Span) {
        if span.start < span.end {
            self.spans.push(span);
        }
    }

    /// Adds `span`, and `noise` ticks of noise behind it.
    pub fn add_with_noise(&mut self, span: Span, noise: Ticks) {
        self.add(span);
        self.add(Span { activity: Activity::Noise, start: span.end, end: span.end + noise, ..span });
    }

    /// Notes that an operation of processor `cpu` of `rank` ends at `end`.
    pub fn end(&mut self, rank: u32, cpu: u8, end: Ticks) {
        let last = &mut self.ends[rank as usize * self.cpus + usize::from(cpu)];
        *last = end.max(*last);
    }

    /// Adds the log of a part of `goal`, whose ranks begin at `first` and which starts at `start`.
    ///
    /// # Panics
    /// If the goal has fewer ranks or processors.
    pub fn append(&mut self, part: Self, goal: &Goal, first: usize, start: Ticks) {
        let rank: u32 = narrow(first, "ranks are numbered with 32 bits");
        let operation = goal.of_rank(first).start;
        let moved = |span: Span| Span {
            rank: rank + span.rank,
            operation: operation + span.operation,
            start: start + span.start,
            end: start + span.end,
            ..span
        };
        self.spans.extend(part.spans.into_iter().map(moved));
        let receives = self.taken_by[operation as usize..].iter_mut();
        receives.zip(&part.taken_by).for_each(|(receive, taken_by)| *receive = operation + taken_by);
        for (at, &end) in part.ends.iter().enumerate().filter(|(_, end)| **end > Ticks::ZERO) {
            self.ends[(first + at / part.cpus) * self.cpus + at % part.cpus] = start + end;
        }
    }

    /// Notes that `receive` takes the message of `send`.
    pub fn take(&mut self, receive: u32, send: u32) {
        self.taken_by[send as usize] = receive;
    }

    /// Returns the tracks of each rank: one for each processor and, if receives do not occupy processors, as many as are needed for
    /// receives. Each covers the time from 0 to `completion`.
    pub fn tracks(mut self, goal: &Goal, completion: Ticks, receives_occupy: bool) -> Vec<Vec<Track>> {
        let is_overlapping = |span: &Span| span.activity == Activity::Receive && !receives_occupy;
        self.spans
            .sort_by_key(|span| (span.rank, is_overlapping(span), span.cpu, span.start, span.end, span.operation));
        let mut rest = self.spans.as_slice();
        let mut ranks = Vec::with_capacity(goal.ranks());
        for rank in 0..goal.ranks() {
            let count = rest.iter().take_while(|span| span.rank as usize == rank).count();
            let (of_rank, others) = rest.split_at(count);
            rest = others;
            let (on_processors, overlapping) = of_rank.split_at(of_rank.partition_point(|span| !is_overlapping(span)));
            let mut tracks = self.of_processors(goal, rank, on_processors, completion);
            let free = self.of_receives(overlapping);
            let received = free.iter().enumerate().map(|(number, spans)| {
                let last = spans.last().map_or(Ticks::ZERO, |span| span.end);
                let slices = busy(spans, &self.taken_by);
                Track { name: format!("in{number}"), slices: covered(slices, Activity::Idle, last, completion) }
            });
            tracks.extend(received);
            ranks.push(tracks);
        }
        ranks
    }

    /// The tracks of the processors of `rank`. A processor that only ends operations without a duration has a track if it ends last, or if
    /// it is the only one.
    fn of_processors(&self, goal: &Goal, rank: usize, mut spans: &[Span], completion: Ticks) -> Vec<Track> {
        let ends = &self.ends[rank * self.cpus..(rank + 1) * self.cpus];
        let last = ends.iter().copied().fold(Ticks::ZERO, Ticks::max);
        let mut is_used = vec![false; self.cpus];
        for id in goal.of_rank(rank) {
            let operation = &goal.operations()[id as usize];
            is_used[usize::from(operation.cpu)] |= operation.action != Action::Compute || operation.size > 0;
        }
        spans.iter().for_each(|span| is_used[usize::from(span.cpu)] = true);
        let used_end =
            ends.iter().zip(&is_used).filter(|(_, used)| **used).map(|(end, _)| *end).fold(Ticks::ZERO, Ticks::max);
        let mut tracks = Vec::new();
        for (cpu, &end) in ends.iter().enumerate() {
            let count = spans.iter().take_while(|span| usize::from(span.cpu) == cpu).count();
            let (of_cpu, others) = spans.split_at(count);
            spans = others;
            let is_only = cpu == 0 && !is_used.contains(&true);
            if is_used[cpu] || is_only || (end == last && used_end < last) {
                let slices = covered(busy(of_cpu, &self.taken_by), Activity::Wait, end, completion);
                tracks.push(Track { name: format!("cpu{cpu}"), slices });
            }
        }
        tracks
    }

    /// Distributes receives that overlap: each to the first track that is free.
    fn of_receives(&self, spans: &[Span]) -> Vec<Vec<Span>> {
        let mut by_time: Vec<Span> = spans.to_vec();
        by_time.sort_by_key(|span| (span.start, span.end, span.operation));
        let mut tracks: Vec<Vec<Span>> = Vec::new();
        for span in by_time {
            let is_free = |track: &&mut Vec<Span>| track.last().is_none_or(|last| last.end <= span.start);
            match tracks.iter_mut().find(is_free) {
                Some(track) => track.push(span),
                None => tracks.push(vec![span]),
            }
        }
        tracks
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXT: &[u8] =
        b"num_ranks 2\nrank 0 {\na: calc 100\ns: send 1b to 1\nj: calc 0 cpu 1\n}\nrank 1 {\nr: recv 1b from 0\n}\n";

    fn span(rank: u32, activity: Activity, operation: u32, start: u64, end: u64) -> Span {
        Span { rank, cpu: 0, activity, operation, start: Ticks(start), end: Ticks(end) }
    }

    fn shown(tracks: &[Track]) -> Vec<(&str, Vec<(&'static str, u64)>)> {
        let slices = |track: &Track| track.slices.iter().map(|slice| (slice.activity.name(), slice.end.0)).collect();
        tracks.iter().map(|track| (track.name.as_str(), slices(track))).collect()
    }

    #[test]
    fn tracks_of_processors_wait_until_the_last_operation_has_ended() {
        let goal = Goal::read(TEXT).unwrap();
        let mut log = Log::new(&goal);
        log.add_with_noise(span(0, Activity::Compute, 0, 5, 105), Ticks(3));
        log.add(span(0, Activity::Send, 1, 110, 120));
        log.add(span(1, Activity::Receive, 1, 130, 140));
        log.take(3, 1);
        log.end(0, 0, Ticks(120));
        log.end(1, 0, Ticks(140));
        let tracks = log.clone().tracks(&goal, Ticks(150), true);
        let first = [("wait", 5), ("compute", 105), ("noise", 108), ("wait", 110), ("send", 120), ("idle", 150)];
        assert_eq!(shown(&tracks[0]), [("cpu0", first.to_vec())]);
        assert_eq!(shown(&tracks[1]), [("cpu0", vec![("wait", 130), ("receive", 140), ("idle", 150)])]);
        assert_eq!((tracks[1][0].slices[1].operation, tracks[1][0].slices[1].message), (Some(3), Some(1)));
        let tracks = log.tracks(&goal, Ticks(150), false);
        let overlapping = vec![("idle", 130), ("receive", 140), ("idle", 150)];
        assert_eq!(shown(&tracks[1]), [("cpu0", vec![("wait", 140), ("idle", 150)]), ("in0", overlapping)]);
    }

    proptest! {
        #[test]
        fn tracks_cover_the_time_once(spans in prop::collection::vec((0..2_u32, 0..4_usize, 0..200_u64, 0..50_u64), 0..40), late in 0..30_u64) {
            let goal = Goal::read(TEXT).unwrap();
            let mut log = Log::new(&goal);
            let kinds = [Activity::Compute, Activity::Noise, Activity::Send, Activity::Receive];
            let mut completion = Ticks(0);
            for (rank, kind, start, length) in spans {
                log.add(span(rank, kinds[kind], 1, start, start + length));
                log.end(rank, 0, Ticks(start + length));
                completion = completion.max(Ticks(start + length));
            }
            completion += Ticks(late);
            for track in log.tracks(&goal, completion, false).iter().flatten() {
                let edges = std::iter::once(Ticks::ZERO).chain(track.slices.iter().map(|slice| slice.end));
                prop_assert!(track.slices.iter().zip(edges).all(|(slice, before)| slice.start == before && slice.start < slice.end));
                prop_assert_eq!(track.slices.last().map_or(Ticks::ZERO, |slice| slice.end), completion);
            }
        }
    }
}
