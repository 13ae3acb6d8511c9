//! Flits on channels that differ in their time for a flit or in their delay.
//!
//! A channel that takes several cycles for a flit keeps its output port in use for as long. Arrivals and credits are kept by the
//! cycle in which they are due. Where every channel takes one cycle for a flit and ports have a single VC, flits leave in runs
//! as on uniform links ([`super::runs`]).

use super::super::channels::Channels;
use super::super::delay::{Run, Wheel};
use super::super::layout::{Layout, Place};
use super::super::packets::Packets;
use super::super::state::{Block, Input, Output};
use super::super::vcset::{VcArray, VcSet};
use super::{Arriving, Ejected, Flow, SlotReturn};
use crate::costs::Timing;
use crate::engine::router::RouterCosts;
use crate::routing::{ClockedPace, Pace};

/// Flits and credits in flight, and ports in use.
pub(crate) struct HeterogeneousLinks<const W: usize> {
    timing: Timing,
    now: u64,
    channels: Channels,
    longest_run: u32,
    flits: Wheel<Run>,
    credits: Wheel<Run>,
    /// Flits and credits that arrive in this cycle.
    arriving: Vec<Run>,
    returning: Vec<Run>,
    /// By block, the output ports in use, as their first VCs.
    in_use: Vec<VcSet<W>>,
    /// Ports that are in use until a later cycle.
    taken: Wheel<Place>,
    /// Per output VC of the block that was visited last, the length of the run that left by it last.
    lengths: VcArray<u32, W>,
    /// By channel, the cycle in which the last flit arrives over a link with a clock of its own. Empty if there are no such links.
    last_arrivals: Vec<u64>,
    ejected: Vec<Ejected>,
}

impl<const W: usize> Flow<W> for HeterogeneousLinks<W> {
    const COUNTS_EJECTION: bool = true;
    const ONE_VC: bool = false;

    fn new(layout: &Layout<W>, channels: Channels, costs: &RouterCosts, longest_run: u32) -> Self {
        Self::with_waits(layout, channels, &costs.timing, longest_run, 0)
    }

    #[inline]
    fn run(&self, left: u32, here: u32, credits: u32) -> u32 {
        left.min(here).min(credits).min(self.longest_run)
    }

    #[inline]
    fn pace(&self, layout: &Layout<W>, place: Place) -> Pace {
        self.channels.pace(layout, place)
    }

    fn add_time(&self, layout: &Layout<W>, place: Place, packets: &mut Packets, number: u32, routing: u64) {
        let packet = &mut packets[number];
        packet.extra_time = packet.extra_time.plus_channel(self.pace(layout, place), packet.flits, routing);
    }

    #[inline]
    fn ports_in_use(&self, _: &Layout<W>, block: usize) -> VcSet<W> {
        self.in_use[block]
    }

    fn advance(&mut self, now: u64) {
        self.now = now;
        take_due(&mut self.flits, now, &mut self.arriving);
        take_due(&mut self.credits, now, &mut self.returning);
        let due = self.taken.take(now);
        for place in &due {
            let (block, port) = place.split();
            self.in_use[block].remove(port);
        }
        self.taken.give_back(now, due);
    }

    fn inject(&mut self, layout: &Layout<W>, source: Place, run: Run, now: u64) -> u64 {
        let pace = self.pace(layout, source);
        self.flits.add(now + self.timing.inject + pace.longer(), run);
        let free_at = now + u64::from(run.flits) * u64::from(pace.flit);
        free_at.max(self.channels.next_flit(layout, source, now))
    }

    fn vc_sends(&mut self, layout: &Layout<W>, input: &Input<W>, output: &Output, place: Place, flits: u32) {
        let Self { now, timing, .. } = *self;
        let back = self.pace(layout, input.filled_by).credit(&timing, now);
        self.credits.add(back, Run { to: input.filled_by, flits });
        self.lengths[place.split().1] = flits;
        self.send(layout, output, place, flits, 0);
    }

    fn length(&self, output: usize) -> u32 {
        self.lengths[output]
    }

    fn block_sends(&mut self, _: &Layout<W>, _: usize, _: VcSet<W>, _: VcSet<W>, eject: impl FnMut(Ejected)) {
        self.ejected.drain(..).for_each(eject);
    }

    fn arrivals<A>(
        &mut self,
        _now: u64,
        _layout: &Layout<W>,
        blocks: &mut [Block<W, A>],
        mut arrive: impl FnMut(&mut Block<W, A>, usize, u32),
    ) {
        for &Run { to, flits } in &self.arriving {
            let (block, vc) = to.split();
            arrive(&mut blocks[block], vc, flits);
        }
    }

    fn credits<A>(
        &mut self,
        _now: u64,
        _layout: &Layout<W>,
        blocks: &mut [Block<W, A>],
        mut credit: impl FnMut(&mut [Block<W, A>], Place, u32),
    ) {
        for &Run { to, flits } in &self.returning {
            credit(blocks, to, flits);
        }
    }

    /// Slots of nodes are among those of [`Flow::credits`].
    fn node_credits<A>(
        &mut self,
        _now: u64,
        _layout: &Layout<W>,
        _blocks: &mut [Block<W, A>],
        _credit: impl FnMut(&mut Block<W, A>, usize, u32),
    ) {
    }

    #[inline(always)]
    fn arriving(&self, _: u64) -> Arriving {
        Arriving { flits: !self.arriving.is_empty(), credits: !self.returning.is_empty(), node_credits: false }
    }

    fn is_empty(&self, _: u64, _: &Layout<W>) -> bool {
        self.flits.is_empty() && self.credits.is_empty()
    }
}

impl<const W: usize> HeterogeneousLinks<W> {
    /// Creates links without flits. A run has up to `longest_run` flits, and flits and credits wait for up to `wait` cycles before they
    /// leave.
    pub(super) fn with_waits(
        layout: &Layout<W>,
        channels: Channels,
        timing: &Timing,
        longest_run: u32,
        wait: u64,
    ) -> Self {
        let slowest = channels.slowest();
        let last_arrivals = if channels.has_clocks() { vec![0; layout.channels()] } else { Vec::new() };
        // the longest delay is that of a flit to a node and of its credit back
        let longest = timing.longest() + slowest.longer() + u64::from(slowest.delay) + wait;
        Self {
            timing: *timing,
            now: 0,
            channels,
            longest_run,
            flits: Wheel::new(longest),
            credits: Wheel::new(longest),
            arriving: Vec::new(),
            returning: Vec::new(),
            in_use: vec![VcSet::EMPTY; layout.blocks()],
            taken: Wheel::new(u64::from(slowest.flit) + wait),
            lengths: VcArray::filled(0),
            last_arrivals,
            ejected: Vec::new(),
        }
    }

    /// Returns credits in the cycle `at`.
    pub(super) fn return_credit(&mut self, at: u64, credits: Run) {
        self.credits.add(at, credits);
    }

    /// Returns the credits of slots in the buffer that `slots.to` fills, whose flits leave in this cycle.
    pub(crate) fn free_slots(&mut self, layout: &Layout<W>, slots: Run) {
        let back = self.pace(layout, slots.to).credit(&self.timing, self.now);
        self.credits.add(back, slots);
    }

    /// Sends flits by `output`, which is at `place`, without a credit for the buffer that they leave. They wait for `waits` cycles
    /// before they leave.
    pub(crate) fn send(&mut self, layout: &Layout<W>, output: &Output, place: Place, flits: u32, waits: u64) {
        let Self { now, timing, .. } = *self;
        let now = now + waits;
        let pace = self.pace(layout, place);
        if let Some(clocked) = pace.clocked {
            return self.send_clocked(layout, (clocked, place), output.leads_to, now);
        }
        if pace.flit > 1 {
            self.take_port(layout, place, now + u64::from(pace.flit));
        }
        if output.leads_to.is_node() {
            self.ejected.push(Ejected { flits: 1, cycles: flits, longer: pace.longer() + waits });
            let back = timing.sink_credit_after(pace.flit.into(), pace.delay.into());
            self.credits.add(now + back, Run { to: place, flits });
        } else {
            self.flits.add(now + timing.hop + pace.longer(), Run { to: output.leads_to, flits });
        }
    }

    /// Keeps the output port of `place` in use until the cycle `until`.
    fn take_port(&mut self, layout: &Layout<W>, place: Place, until: u64) {
        let (block, vc) = place.split();
        let port = layout.port_of(vc);
        self.in_use[block].insert(port);
        self.taken.add(until, layout.place_in(block, port));
    }

    /// Sends a flit to `to` over the link with a clock of its own that leaves by the VC at `place`. The flit has been granted the switch
    /// in the cycle `granted`, or waits in an output queue as if it had been granted it then.
    fn send_clocked(&mut self, layout: &Layout<W>, (link, place): (ClockedPace, Place), to: Place, granted: u64) {
        let until_link = self.timing.until_link();
        let left = granted + until_link;
        let pace = self.pace(layout, place);
        let next = pace.next_departure(left) - until_link;
        if next > granted + 1 {
            self.take_port(layout, place, next);
        }
        let last = &mut self.last_arrivals[layout.channel(place)];
        let arrival = link.arrival(left, self.timing.wires()).max(*last + 1);
        *last = arrival;
        self.flits.add(arrival, Run { to, flits: 1 });
    }
}

impl<const W: usize> SlotReturn for HeterogeneousLinks<W> {
    fn return_slots(&mut self) {
        take_due(&mut self.credits, self.now, &mut self.returning);
    }
}

/// Replaces `due` by the items of `wheel` that are due in the cycle `now`.
fn take_due(wheel: &mut Wheel<Run>, now: u64, due: &mut Vec<Run>) {
    let before = std::mem::replace(due, wheel.take(now));
    wheel.give_back(now, before);
}
