//! Clocks of links, and their ends, where flits and credits cross from one clock to the other.
//!
//! All clocks have an edge at tick 0. An end passes a flit or a credit on at the next edge of the clock behind it, and needs some
//! cycles of each of the two clocks, for serialisation and for the crossing itself.
//!
//! Source: the network bridges of HeteroGarnet (gem5, `NetworkBridge.cc`; Bharadwaj et al., *Kite*, DAC 2020), with whole flits kept
//! whole.

use crate::units::Ticks;
use std::num::NonZeroU32;

/// The clock of a link that differs from that of the routers, or whose crossing takes time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LinkClock {
    /// Ticks of a cycle of the link.
    pub period: NonZeroU32,
    /// Ticks of a cycle of the routers.
    pub cycle: u32,
    /// Cycles that each end takes in both clocks.
    pub stages: u32,
}

impl LinkClock {
    /// The first edge of the link's clock from `at` on.
    ///
    /// ```
    /// use flitwise::topology::LinkClock;
    /// use flitwise::units::Ticks;
    /// use std::num::NonZeroU32;
    ///
    /// let period = NonZeroU32::MIN.saturating_add(2); // 3 ticks
    /// let clock = LinkClock { period, cycle: 2, stages: 2 };
    /// assert_eq!(clock.edge(Ticks(7)), Ticks(9));
    /// assert_eq!(clock.leave(Ticks(12)), Ticks(18 + 4), "two cycles of the link, an edge of the router, two of its cycles");
    /// ```
    #[inline]
    pub fn edge(self, at: Ticks) -> Ticks {
        rounded_up(at, self.period.get())
    }

    /// The tick at which a flit or a credit is in the clock of the routers that has crossed the wires at `at`.
    #[inline]
    pub fn leave(self, at: Ticks) -> Ticks {
        let Self { period, cycle, stages } = self;
        let [link, router] = [period.get(), cycle].map(|ticks| Ticks(u64::from(stages) * u64::from(ticks)));
        rounded_up(at + link, cycle) + router
    }

    /// The ticks of the stages of both clocks.
    pub fn latency(self) -> u64 {
        u64::from(self.stages) * (u64::from(self.period.get()) + u64::from(self.cycle))
    }

    /// A bound on the ticks for which a flit and its credit wait for edges on a round trip.
    pub fn waits(self) -> u64 {
        2 * (u64::from(self.period.get()) - 1) + 2 * (u64::from(self.cycle) - 1)
    }
}

/// The smallest multiple of `period` from `at` on.
#[inline]
fn rounded_up(at: Ticks, period: u32) -> Ticks {
    Ticks(at.0.next_multiple_of(u64::from(period)))
}
