//! Noise: times at which the operating system takes a processor from its rank.
//!
//! The rule is that of LogGOPSim (Hoefler, Schneider, Lumsdaine 2010, section 3.4; `Noise.hpp`): an operation is lengthened by the
//! events of a trace that is read from a phase on, and again from its first event after its last one.

use std::ops::Range;
use std::sync::Arc;

/// The noise of all ranks: one list of events, and the phase at which each rank begins to read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Noise {
    events: Arc<NoiseEvents>,
    phases: Vec<u64>,
}

/// The times at which noise begins, and its durations, in ticks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoiseEvents {
    /// The events of a trace in rising order, of which none overlap.
    Trace(NoiseTrace),
    /// Events at `period`, `2 period`, and so on.
    Periodic {
        /// The time from one event to the next.
        period: u64,
        /// The duration of each event, shorter than the period.
        duration: u64,
    },
}

/// The events of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoiseTrace {
    offsets: Vec<u64>,
    /// The sums of the durations before each event, and of all at the end.
    sums: Vec<u64>,
}

impl NoiseTrace {
    /// Creates a trace of `events`, an offset and a duration each, in rising order and without overlaps.
    ///
    /// # Panics
    /// If there are no events.
    pub fn new(events: impl IntoIterator<Item = (u64, u64)>) -> Self {
        let mut trace = Self { offsets: Vec::new(), sums: vec![0] };
        let mut sum = 0;
        for (offset, duration) in events {
            sum += duration;
            trace.offsets.push(offset);
            trace.sums.push(sum);
        }
        assert!(!trace.offsets.is_empty(), "a trace of noise has an event");
        trace
    }

    /// The offset of the last event, after which the trace repeats.
    pub fn length(&self) -> u64 {
        self.offsets[self.offsets.len() - 1]
    }

    /// The time added to an operation of `length` ticks that begins at `time` in the trace, which has an event.
    fn added(&self, time: u64, length: u64) -> u64 {
        let index = self.offsets.partition_point(|&offset| offset <= time);
        let end = self.offsets.partition_point(|&offset| offset < time + length).max(index.max(1));
        let rest = match index.checked_sub(1) {
            Some(last) if time > self.offsets[0] => self.end(last).saturating_sub(time),
            _ => 0,
        };
        rest + self.sums[end] - self.sums[index.max(1)]
    }

    fn end(&self, event: usize) -> u64 {
        self.offsets[event] + self.sums[event + 1] - self.sums[event]
    }
}

impl NoiseEvents {
    /// The time added to an operation of `length` ticks that begins at `time` in the list of events. The first event of a trace counts
    /// only where it has begun before.
    fn added(&self, time: u64, length: u64) -> u64 {
        match self {
            Self::Trace(trace) => {
                // the length of the longest operation is below that of the trace, which is checked where it is read
                let around = trace.length().saturating_sub(length).max(1);
                trace.added(time % around, length)
            }
            Self::Periodic { period, duration } => {
                let count = time / period; // events up to now
                let rest = if time > *period { (count * period + duration).saturating_sub(time) } else { 0 };
                let limit = (time + length).div_ceil(*period).saturating_sub(1); // events before the end
                rest + limit.saturating_sub(count) * duration
            }
        }
    }

    /// The most time that is added to `operations` operations which take `ticks` ticks in all.
    pub fn most_added(&self, ticks: u128, operations: u128) -> u128 {
        match self {
            // an operation is shorter than the trace
            Self::Trace(trace) => operations.saturating_mul(trace.sums[trace.sums.len() - 1].into()),
            // an event that has begun before, and one for each period that is begun
            Self::Periodic { period, duration } => {
                let events = (ticks / u128::from(*period)).saturating_add(operations.saturating_mul(2));
                events.saturating_mul((*duration).into())
            }
        }
    }

    /// The length after which events repeat.
    pub fn period(&self) -> u64 {
        match self {
            Self::Trace(trace) => trace.length(),
            Self::Periodic { period, .. } => *period,
        }
    }
}

impl Noise {
    /// Creates noise of `events`, which rank `i` reads from `phases[i]` on.
    pub fn new(events: impl Into<Arc<NoiseEvents>>, phases: Vec<u64>) -> Self {
        Self { events: events.into(), phases }
    }

    /// The noise of some of the ranks, numbered from 0, for programs that count time from tick `start` on.
    ///
    /// # Panics
    /// If a rank has no phase.
    #[must_use]
    pub fn of_ranks(&self, ranks: Range<usize>, start: u64) -> Self {
        let phases = self.phases[ranks].iter().map(|phase| phase + start).collect();
        Self { events: Arc::clone(&self.events), phases }
    }

    /// The ticks by which noise lengthens an operation of `rank` that begins at `begin` and takes `length` ticks without it.
    ///
    /// # Panics
    /// If `rank` has no phase.
    pub fn added(&self, rank: u32, begin: u64, length: u64) -> u64 {
        self.events.added(begin + self.phases[rank as usize], length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The rule as it is written: event by event.
    fn slow(events: &[(u64, u64)], around: u64, at: u64, length: u64) -> u64 {
        let x = at % around;
        let last = events.iter().rposition(|&(offset, _)| offset <= x);
        let rest =
            last.filter(|_| x > events[0].0).map_or(0, |last| (events[last].0 + events[last].1).saturating_sub(x));
        let later = events.iter().enumerate().skip(1).filter(|&(number, _)| last.is_none_or(|last| number > last));
        rest + later.filter(|(_, event)| event.0 < x + length).map(|(_, event)| event.1).sum::<u64>()
    }

    proptest! {
        #[test]
        fn noise_is_that_of_the_rule(gaps in prop::collection::vec((1..40_u64, 0..30_u64), 2..20), begin in 0..2_000_u64, length in 0..50_u64) {
            let mut offset = 0;
            let mut events = Vec::new();
            for (gap, duration) in gaps {
                events.push((offset + gap, duration));
                offset += gap + duration;
            }
            let end = events[events.len() - 1].0;
            prop_assume!(end > length);
            let noise = Noise::new(NoiseEvents::Trace(NoiseTrace::new(events.iter().copied())), vec![7]);
            prop_assert_eq!(noise.added(0, begin, length), slow(&events, end - length, begin + 7, length));
        }

        #[test]
        fn periodic_noise_is_a_long_trace(period in 2..40_u64, part in 0..40_u64, begin in 0..500_u64, length in 0..200_u64) {
            let duration = part % period;
            // an event without duration is the first, because the first event of a trace counts only where it has begun before
            let later = (1..40_000 / period).map(|number| (number * period, duration));
            let events: Vec<(u64, u64)> = [(0, 0)].into_iter().chain(later).collect();
            let noise = Noise::new(NoiseEvents::Periodic { period, duration }, vec![0]);
            // and no event is cut off where an operation begins with the first
            prop_assume!(begin != period);
            prop_assert_eq!(noise.added(0, begin, length), slow(&events, u64::MAX, begin, length));
        }
    }
}
