//! Times of channels in cycles of routers.
//!
//! ```text
//!   granted            leaves the switch   starts                     arrives in the next buffer
//!      |------ switch ------|--- edge ---|----- link, ends of the link -----|
//!      grant                 left         S = up(left, P)                    A
//! ```
//!
//! On a link with a clock of its own the start and the arrival of a flit depend on the edges of both clocks.

use crate::costs::Timing;
use crate::topology::{LinkClock, LinkCost};
use crate::units::{Ticks, narrow};
use std::num::NonZeroU32;

/// The times of a channel, in cycles of routers, and its buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// The time for a flit to cross it, at least 1. On a link with a clock of its own, a lower bound.
    pub flit: u32,
    /// The additional time of a flit. On a link with a clock of its own, a lower bound.
    pub delay: u32,
    /// Flits of the buffer behind it, if the channel has a size of its own.
    pub own_buffer: Option<NonZeroU32>,
    /// The times in ticks, if the link has a clock of its own.
    pub clocked: Option<ClockedPace>,
}

impl Pace {
    /// A cycle, without delay.
    pub const EVEN: Self = Self { flit: 1, delay: 0, own_buffer: None, clocked: None };

    /// The times `cost` in cycles of `flit_time` ticks. They are multiples of it, unless the link has a clock of its own.
    pub fn of(cost: LinkCost, flit_time: u64) -> Self {
        let LinkCost { flit_time: ticks, delay, clock, own_buffer } = cost;
        let cycles = |ticks: u64| narrow(ticks / flit_time, "longer times are refused before a run");
        let Some(clock) = clock else {
            return Self { flit: cycles(ticks.0), delay: cycles(delay.0), own_buffer, clocked: None };
        };
        let clocked = Some(ClockedPace { clock, flit_time: ticks, delay });
        Self { flit: cycles(ticks.0).max(1), delay: cycles(delay.0 + clock.latency()), own_buffer, clocked }
    }

    /// The additional time of a flit, compared with a channel that takes a cycle.
    #[inline]
    pub fn longer(self) -> u64 {
        u64::from(self.flit - 1) + u64::from(self.delay)
    }

    /// Bounds of the times. Only on a link with a clock of its own can a flit or a credit take less.
    #[must_use]
    pub fn bound(self) -> Self {
        self.clocked.map_or(self, |clocked| Self { clocked: None, ..clocked.bound() })
    }

    /// Returns true if its default buffer depends on its round trip.
    pub fn has_round_trip(self) -> bool {
        self.delay > 0 || self.clocked.is_some()
    }

    /// The fewest flits of a buffer behind the link with which one virtual channel of routers with this `timing` fills it.
    pub fn covering_buffer(self, timing: &Timing) -> u64 {
        match self.clocked {
            None => timing.covering_buffer(self.flit.into(), self.delay.into()),
            Some(clocked) => clocked.covering_buffer(timing),
        }
    }

    /// The first cycle in which a flit can leave the switch for the channel after another one that left in the cycle `left`.
    #[inline]
    pub fn next_departure(self, left: u64) -> u64 {
        match self.clocked {
            None => left + u64::from(self.flit),
            Some(clocked) => clocked.next_departure(left),
        }
    }

    /// The cycle in which the sender can use a slot again whose flit leaves the buffer behind the link in the cycle `now`, on routers
    /// with this `timing`.
    #[inline]
    pub fn credit(self, timing: &Timing, now: u64) -> u64 {
        match self.clocked {
            None => now + timing.credit + u64::from(self.delay),
            Some(clocked) => clocked.credit_after(timing, now),
        }
    }
}

/// The times of a link with a clock of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockedPace {
    /// The clock.
    pub clock: LinkClock,
    /// The time for a flit to cross the link.
    pub flit_time: Ticks,
    /// The additional time of a flit and of a credit.
    pub delay: Ticks,
}

impl ClockedPace {
    fn cycle(self) -> u64 {
        self.clock.cycle.into()
    }

    fn period(self) -> u64 {
        self.clock.period.get().into()
    }

    /// The tick at which a flit starts on the link that leaves the switch in the cycle `left`.
    #[inline]
    fn start(self, left: u64) -> Ticks {
        self.clock.edge(Ticks(left * self.cycle()))
    }

    /// The first cycle after `left` in which a flit leaves the switch that starts a flit time or more after the one of the cycle `left`.
    #[inline]
    pub fn next_departure(self, left: u64) -> u64 {
        // flits of all ticks behind the edge before it start at this edge
        let next = self.clock.edge(self.start(left) + self.flit_time);
        (next.0 - self.period()) / self.cycle() + 1
    }

    /// The time on the wires, which take `wires` cycles of the routers without the clock.
    fn wire_time(self, wires: u64) -> Ticks {
        let slower = self.flit_time.0.saturating_sub(self.cycle());
        Ticks(wires * self.cycle() + slower) + self.delay
    }

    /// The cycle in which a flit is in the next buffer that leaves the switch in the cycle `left`, if it is not too close behind
    /// another one. The link takes `wires` cycles of the routers without its clock.
    #[inline]
    pub fn arrival(self, left: u64, wires: u64) -> u64 {
        self.clock.leave(self.start(left) + self.wire_time(wires)).0 / self.cycle()
    }

    /// The cycle in which a credit has arrived that is sent in the cycle `sent`.
    #[inline]
    pub fn credit(self, sent: u64, wires: u64) -> u64 {
        self.clock.leave(self.start(sent) + Ticks(wires * self.cycle()) + self.delay).0 / self.cycle()
    }

    /// The cycle in which the sender can use a slot again whose flit leaves the buffer in the cycle `now`.
    #[inline]
    pub fn credit_after(self, timing: &Timing, now: u64) -> u64 {
        self.credit(now + 1, timing.wires()) + timing.credit - timing.inject
    }

    /// The last cycle in which a flit can have left the switch that has arrived in the cycle `arrival`.
    pub fn latest_departure(self, arrival: u64, wires: u64) -> u64 {
        let stages = u64::from(self.clock.stages);
        let start = (arrival - stages) * self.cycle() - self.wire_time(wires).0 - stages * self.period();
        start / self.period() * self.period() / self.cycle()
    }

    /// The flits that cover the longest round trip of a flit and its credit.
    fn covering_buffer(self, timing: &Timing) -> u64 {
        let Self { clock, flit_time, delay } = self;
        let routers = (timing.hop + timing.credit) * self.cycle();
        let slower = flit_time.0.saturating_sub(self.cycle());
        let round_trip = routers + slower + 2 * (delay.0 + clock.latency()) + clock.waits();
        round_trip.div_ceil(flit_time.0.max(self.cycle()))
    }

    /// Times in cycles that no flit and no credit exceeds.
    fn bound(self) -> Pace {
        let cycles = |ticks: u64| narrow(ticks.div_ceil(self.cycle()) + 1, "longer times are refused before a run");
        let slowest = self.clock.edge(self.flit_time).0 + self.period();
        let delay = self.delay.0 + self.flit_time.0 + self.clock.latency() + self.clock.waits();
        Pace { flit: cycles(slowest), delay: cycles(delay), own_buffer: None, clocked: None }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;

    /// The rules for every tick, instead of closed forms.
    #[test]
    fn departures_and_arrivals_follow_the_edges_of_both_clocks() {
        for (period, cycle, flit_time, stages) in
            [(3, 2, 3, 1), (4, 2, 4, 0), (5, 2, 10, 2), (2, 3, 2, 1), (3, 3, 7, 1)]
        {
            let period = NonZeroU32::new(period).unwrap();
            let clock = LinkClock { period, cycle, stages };
            let clocked = ClockedPace { clock, flit_time: Ticks(flit_time), delay: Ticks(1) };
            let up = |tick: u64, clock: u32| (tick..).find(|tick| tick % u64::from(clock) == 0).unwrap();
            let start = |left: u64| up(left * u64::from(cycle), period.get());
            for left in 0..30 {
                let next = (left + 1..).find(|&next| start(next) >= start(left) + flit_time).unwrap();
                assert_eq!(clocked.next_departure(left), next, "{clock:?} {left}");
                let wire = u64::from(cycle) + flit_time.saturating_sub(cycle.into()) + 1;
                let stages = u64::from(stages);
                let in_link = start(left) + wire + stages * u64::from(period.get());
                let arrival = up(in_link, cycle) / u64::from(cycle) + stages;
                assert_eq!(clocked.arrival(left, 1), arrival);
                let latest = (left..).take_while(|&other| clocked.arrival(other, 1) == arrival).last();
                assert_eq!(Some(clocked.latest_departure(arrival, 1)), latest);
                let bound = Pace { flit: 1, delay: 0, own_buffer: None, clocked: Some(clocked) }.bound();
                assert!(arrival <= left + 1 + bound.longer() && next <= left + u64::from(bound.flit));
                assert!(clocked.credit(left, 1) <= left + 1 + u64::from(bound.delay));
            }
        }
    }
}
