//! Flits and head flits that cross each channel of a run.

use super::worm_junctions::WormJunctions;
use crate::engine::{Event, Interest, Observer, Program};
use crate::machine::Machine;
use crate::units::{ChannelId, Flits, MessageId, Ticks};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// The flits that crossed a channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Crossed {
    /// All flits.
    pub(crate) flits: u64,
    /// Head flits.
    pub(crate) heads: u64,
}

/// The channels by which a flit comes to a router and leaves it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Crossing {
    /// The channel to the router.
    pub(crate) from: ChannelId,
    /// The channel from the router.
    pub(crate) to: ChannelId,
}

/// The flits that crossed channels and crossbars, by the numbers under which observers know virtual channels.
#[derive(Clone, Debug, Default)]
pub(crate) struct Traversals {
    channels: Vec<Crossed>,
    /// By crossing, flits. Empty where the energy of a crossbar does not depend on ports.
    crossings: FxHashMap<Crossing, u64>,
    /// By a channel that leaves a join, the flits that are combined with another one there.
    combined: FxHashMap<ChannelId, u64>,
}

impl Traversals {
    /// Counts `flits` flits over `channel`, of which `heads` are head flits.
    pub(crate) fn add(&mut self, channel: ChannelId, flits: u64, heads: u64) {
        if channel.index() >= self.channels.len() {
            self.channels.resize(channel.index() + 1, Crossed::default());
        }
        let crossed = &mut self.channels[channel.index()];
        crossed.flits += flits;
        crossed.heads += heads;
    }

    /// Counts `flits` flits through a crossbar.
    pub(crate) fn cross(&mut self, crossing: Crossing, flits: u64) {
        *self.crossings.entry(crossing).or_default() += flits;
    }

    /// Counts `flits` flits that are combined with another one before they leave by `channel`.
    pub(super) fn combine(&mut self, channel: ChannelId, flits: u64) {
        *self.combined.entry(channel).or_default() += flits;
    }

    /// Returns what crossed either of two networks with the same numbers of channels.
    pub(crate) fn and(mut self, other: &Self) -> Self {
        for (channel, Crossed { flits, heads }) in other.channels() {
            self.add(channel, flits, heads);
        }
        other.crossings().for_each(|(crossing, flits)| self.cross(crossing, flits));
        other.combined().for_each(|(channel, flits)| self.combine(channel, flits));
        self
    }

    /// The channels that flits crossed.
    pub(super) fn channels(&self) -> impl Iterator<Item = (ChannelId, Crossed)> + '_ {
        let all = self.channels.iter().enumerate();
        all.filter(|(_, crossed)| crossed.flits > 0).map(|(channel, &crossed)| (ChannelId::new(channel), crossed))
    }

    /// The crossbars that flits crossed, in no particular order.
    pub(super) fn crossings(&self) -> impl Iterator<Item = (Crossing, u64)> + '_ {
        self.crossings.iter().map(|(&crossing, &flits)| (crossing, flits))
    }

    /// The channels that leave joins, in no particular order, each with the flits that are combined there.
    pub(super) fn combined(&self) -> impl Iterator<Item = (ChannelId, u64)> + '_ {
        self.combined.iter().map(|(&channel, &flits)| (channel, flits))
    }

    fn clear(&mut self) {
        self.channels.clear();
        self.crossings.clear();
        self.combined.clear();
    }
}

/// Counts what crosses channels, from the grants of a run.
pub(crate) struct TraversalWatch<'a> {
    /// The length of a message.
    flits: &'a dyn Fn(MessageId) -> Flits,
    /// The time in which the starts of flits count, and the time between those of a message that is not held up. All flits count if it is
    /// `None`.
    window: Option<(Range<Ticks>, u64)>,
    /// By message in the network, its last channel. `None` where the ports of a crossbar do not count.
    last: Option<FxHashMap<MessageId, ChannelId>>,
    /// The junctions of worms, if there are any.
    worms: Option<WormJunctions>,
    /// The flits that have crossed so far.
    seen: Traversals,
}

impl<'a> TraversalWatch<'a> {
    /// Creates a watch for the energy of a run of `program` on `machine`, of messages with the lengths that `flits` returns. Returns `None` if the
    /// energy follows from lengths and hops, or is not counted.
    pub(crate) fn for_energy(
        machine: &Machine,
        program: &dyn Program,
        flits: &'a dyn Fn(MessageId) -> Flits,
    ) -> Option<Self> {
        let model = machine.energy.as_deref()?;
        let worms = program.has_worms().then(|| WormJunctions::new(program));
        let is_needed = model.activity || !model.depends_on_hops_alone() || worms.is_some();
        is_needed.then(|| Self { worms, ..Self::new(flits, model.ports.is_some()) })
    }

    /// Creates a watch for the energy of open-loop traffic on `machine`, of which the flits that start within `window` count. Returns
    /// `None` if energy is not counted.
    pub(crate) fn of_traffic(
        machine: &Machine,
        flits: &'a dyn Fn(MessageId) -> Flits,
        window: Range<Ticks>,
    ) -> Option<Self> {
        let model = machine.energy.as_deref()?;
        let window = Some((window, machine.channel.flit_time));
        Some(Self { window, ..Self::new(flits, model.ports.is_some()) })
    }

    /// Creates a watch of messages with the lengths that `flits` returns, which counts the ports of crossbars if `ports`.
    fn new(flits: &'a dyn Fn(MessageId) -> Flits, ports: bool) -> Self {
        let last = ports.then(FxHashMap::default);
        Self { flits, window: None, last, worms: None, seen: Traversals::default() }
    }

    /// Returns what has crossed.
    pub(crate) fn finish(mut self) -> Traversals {
        if let Some(worms) = &self.worms {
            worms.add_to(&mut self.seen, self.flits, self.last.is_some());
        }
        self.seen
    }

    /// The flits of a message, and its head flits, that count if its head flit starts at `start`.
    fn counted(&self, message: MessageId, start: Ticks) -> Crossed {
        let flits = (self.flits)(message).on_wire();
        let Some((window, flit_time)) = &self.window else { return Crossed { flits, heads: 1 } };
        let before = |end: Ticks| end.0.saturating_sub(start.0).div_ceil(*flit_time).min(flits);
        Crossed { flits: before(window.end) - before(window.start), heads: u64::from(window.contains(&start)) }
    }
}

impl Observer for TraversalWatch<'_> {
    fn interest(&self) -> Interest {
        Interest::HOPS
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Restarted => {
                self.seen.clear();
                if let Some(last) = &mut self.last {
                    last.clear();
                }
                if let Some(worms) = &mut self.worms {
                    worms.clear();
                }
            }
            Event::Granted { message, channel, .. } if self.worms.as_ref().is_some_and(|of| of.contains(message)) => {
                if let Some(worms) = &mut self.worms {
                    worms.grant(message, channel);
                }
            }
            Event::Granted { message, hop, channel, start, .. } => {
                let Crossed { flits, heads } = self.counted(message, start);
                self.seen.add(channel, flits, heads);
                let before = self.last.as_mut().and_then(|last| last.insert(message, channel));
                if let Some(from) = before.filter(|_| hop > 0) {
                    self.seen.cross(Crossing { from, to: channel }, flits);
                }
            }
            _ => {}
        }
    }
}
