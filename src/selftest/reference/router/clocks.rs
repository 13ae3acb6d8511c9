//! Links with clocks of their own, tick by tick: no closed forms.

use crate::costs::Timing;
use crate::routing::ClockedPace;

/// A link with a clock of its own between routers with this `timing`.
pub(super) struct ClockedLink {
    pub(super) pace: ClockedPace,
    pub(super) timing: Timing,
}

/// The first tick from `tick` on that is an edge of a clock.
fn edge(tick: u64, period: u64) -> u64 {
    (tick..).find(|tick| tick % period == 0).unwrap_or(tick)
}

impl ClockedLink {
    fn cycle(&self) -> u64 {
        self.pace.clock.cycle.into()
    }

    fn period(&self) -> u64 {
        self.pace.clock.period.get().into()
    }

    /// The time of a flit or a credit through both ends of the link, which is at the first of them at the tick `at` and takes `wires`.
    fn through_ends(&self, at: u64, wires: u64) -> u64 {
        let stages = u64::from(self.pace.clock.stages);
        let in_link_clock = edge(at, self.period()) + wires + stages * self.period();
        edge(in_link_clock, self.cycle()) + stages * self.cycle()
    }

    /// The tick at which a flit leaves the switch that is granted it in the cycle `granted`.
    fn leaves_switch(&self, granted: u64) -> u64 {
        (granted + self.timing.hop - self.timing.inject + 1) * self.cycle()
    }

    /// The cycle after `granted` in which the switch can be granted to the next flit.
    pub(super) fn next_grant(&self, granted: u64) -> u64 {
        let crossed = edge(self.leaves_switch(granted), self.period()) + self.pace.flit_time.0;
        let fits = |next: &u64| edge(self.leaves_switch(*next), self.period()) >= crossed;
        (granted + 1..).find(fits).unwrap_or(granted)
    }

    /// The cycle in which a flit has arrived that is granted the switch in the cycle `granted`, behind one that arrived in `last`.
    pub(super) fn arrival(&self, granted: u64, last: u64) -> u64 {
        let link = (self.timing.inject - 1) * self.cycle();
        let slower = self.pace.flit_time.0.saturating_sub(self.cycle());
        let arrival = self.through_ends(self.leaves_switch(granted), link + slower + self.pace.delay.0);
        (arrival / self.cycle()).max(last + 1)
    }

    /// The cycle in which the credit of a flit counts that is granted the switch in the cycle `granted`.
    pub(super) fn credit(&self, granted: u64) -> u64 {
        let link = (self.timing.inject - 1) * self.cycle();
        let arrival = self.through_ends((granted + 1) * self.cycle(), link + self.pace.delay.0) / self.cycle();
        arrival + self.timing.credit - self.timing.inject
    }
}
