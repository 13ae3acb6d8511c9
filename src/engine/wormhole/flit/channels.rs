//! The channels with their buffers, and which flit can move.

use crate::costs::ChannelCosts;
use crate::engine::wormhole::messages::{Grant, Owners};
use crate::topology::Channels;
use crate::units::{ChannelId, MessageId};

/// A channel with the buffer at its downstream end.
#[derive(Clone, Copy)]
struct VirtualChannel {
    /// Flits of the owner; 0 if it has none.
    flits: u64,
    /// Flits of the owner that have started to cross, that have crossed, and that are known to have left the buffer.
    started: u64,
    crossed: u64,
    left: u64,
    /// Flits that the buffer holds.
    buffer: u64,
    /// The vc that the owner's flits come from, and the one that they go to.
    before: u32,
    after: u32,
    owner: MessageId,
    /// Which channel of the owner's path it is.
    hop: u32,
    /// The first of the channels that share its physical channel.
    first: u32,
}

impl VirtualChannel {
    const FREE: Self = Self {
        flits: 0,
        started: 0,
        crossed: 0,
        left: 0,
        buffer: 1,
        before: 0,
        after: 0,
        owner: MessageId(0),
        hop: 0,
        first: 0,
    };
}

/// A physical channel.
#[derive(Clone, Copy, Default)]
struct Wire {
    /// How many virtual channels it has, with successive numbers.
    vcs: u32,
    /// The place of the one served last.
    served: u32,
    /// Whether a flit is crossing.
    busy: bool,
}

/// All channels. Behind them lie three that stand for what is at the ends of a message, so that every flit that moves
/// comes from a vc and goes to one.
pub(super) struct VirtualChannels {
    vcs: Vec<VirtualChannel>,
    /// By the first virtual channel of each.
    wires: Vec<Wire>,
    /// From where all flits have come.
    source: u32,
    /// Where there is room for all.
    sink: u32,
    /// Where nothing goes before the header has been granted a channel.
    nowhere: u32,
}

/// A flit has crossed.
pub(super) struct Crossed {
    pub(super) owner: MessageId,
    /// Whether it was the tail on an ejection channel.
    pub(super) has_arrived: bool,
    /// Where it goes from here, if that is granted.
    pub(super) next: Option<ChannelId>,
}

/// A flit has started.
pub(super) struct Started {
    pub(super) owner: MessageId,
    pub(super) hop: u32,
    /// Whether it is the first.
    pub(super) is_header: bool,
    /// Whether the channel is the ejection channel.
    pub(super) is_last: bool,
    /// Whose buffer it has left.
    pub(super) before: Option<ChannelId>,
}

impl VirtualChannels {
    /// The state of `channels` before a run, with these `costs` for channels without their own.
    pub(super) fn new(channels: &dyn Channels, costs: &ChannelCosts) -> Self {
        let count = channels.count();
        let mut vcs = vec![VirtualChannel::FREE; count + 3];
        let mut wires = vec![Wire::default(); count];
        for (number, vc) in vcs[..count].iter_mut().enumerate() {
            let channel = ChannelId::new(number);
            vc.first = channels.physical(channel).0;
            vc.buffer = channels.cost_among(channel, costs.flit_time).buffer(costs.buffer);
            wires[vc.first as usize].vcs += 1;
        }
        let [source, sink, nowhere] = [0, 1, 2].map(|behind| count + behind);
        vcs[source].crossed = u64::MAX;
        let [source, sink, nowhere] = [source, sink, nowhere].map(|vc| ChannelId::new(vc).0);
        Self { vcs, wires, source, sink, nowhere }
    }

    /// Per physical channel, by its first virtual channel, the place of the one served last.
    pub(super) fn turns(&self) -> impl Iterator<Item = u32> + '_ {
        self.wires.iter().map(|wire| wire.served)
    }

    pub(super) fn set_turns(&mut self, turns: &[u32]) {
        for (wire, &served) in self.wires.iter_mut().zip(turns) {
            wire.served = served;
        }
    }

    /// The bytes that so many channels need.
    pub(super) fn memory(channels: usize) -> u64 {
        (channels as u64).saturating_mul((size_of::<VirtualChannel>() + size_of::<Wire>()) as u64)
    }

    fn count(&self) -> usize {
        self.wires.len()
    }

    /// A vc as a channel, if it is one.
    #[inline]
    fn channel(&self, vc: u32) -> Option<ChannelId> {
        ((vc as usize) < self.count()).then_some(ChannelId(vc))
    }

    #[inline]
    fn wire(&self, channel: ChannelId) -> &Wire {
        &self.wires[self.vcs[channel.index()].first as usize]
    }

    /// Whether the next flit of the owner of `channel` has arrived and there is room for it.
    #[inline]
    pub(super) fn can_move(&self, channel: ChannelId) -> bool {
        let vc = &self.vcs[channel.index()];
        vc.started < vc.flits
            && vc.started < self.vcs[vc.before as usize].crossed
            && vc.started < vc.left.saturating_add(vc.buffer)
    }

    /// The number of the physical channel of `channel`.
    #[inline]
    pub(super) fn link(&self, channel: ChannelId) -> ChannelId {
        ChannelId(self.vcs[channel.index()].first)
    }

    /// Whether nothing crosses the physical channel of `channel`.
    #[inline]
    pub(super) fn is_idle(&self, channel: ChannelId) -> bool {
        !self.wire(channel).busy
    }

    /// Of the channels that share the physical channel of `channel`, the first in turn with a flit that can move.
    #[inline]
    pub(super) fn next_in_turn(&self, channel: ChannelId) -> Option<ChannelId> {
        let first = self.vcs[channel.index()].first;
        let wire = self.wires[first as usize];
        if wire.vcs == 1 {
            return self.can_move(channel).then_some(channel);
        }
        let mut place = wire.served;
        for _ in 0..wire.vcs {
            place = if place + 1 == wire.vcs { 0 } else { place + 1 };
            if self.can_move(ChannelId(first + place)) {
                return Some(ChannelId(first + place));
            }
        }
        None
    }

    /// A flit starts on `channel`.
    #[inline]
    pub(super) fn start(&mut self, channel: ChannelId) -> Started {
        let vc = &mut self.vcs[channel.index()];
        vc.started += 1;
        let VirtualChannel { owner, hop, before, after, first, started, .. } = *vc;
        let wire = &mut self.wires[first as usize];
        (wire.served, wire.busy) = (channel.0 - first, true);
        let is_header = started == 1;
        let is_last = after == self.sink;
        Started { owner, hop, is_header, is_last, before: self.channel(before) }
    }

    /// A flit has crossed `channel`; none if it has no owner.
    #[inline]
    pub(super) fn cross(&mut self, channel: ChannelId) -> Option<Crossed> {
        let vc = &mut self.vcs[channel.index()];
        vc.crossed += 1;
        let VirtualChannel { owner, after, first, crossed, flits, .. } = *vc;
        self.wires[first as usize].busy = false;
        let has_arrived = after == self.sink && crossed == flits;
        (flits > 0).then(|| Crossed { owner, has_arrived, next: self.channel(after) })
    }

    /// A flit has arrived in the buffer behind `channel`, which may have fallen idle before; where it goes from here, if
    /// that is granted.
    pub(super) fn arrive(&mut self, channel: ChannelId) -> Option<ChannelId> {
        let vc = &mut self.vcs[channel.index()];
        vc.crossed += 1;
        let after = vc.after;
        self.channel(after)
    }

    /// A flit has crossed `channel`, which falls idle, and may not have arrived yet.
    pub(super) fn fall_idle(&mut self, channel: ChannelId) {
        let first = self.vcs[channel.index()].first;
        self.wires[first as usize].busy = false;
    }

    /// It is known that a flit has left the buffer behind `channel`.
    #[inline]
    pub(super) fn leave(&mut self, channel: ChannelId) {
        self.vcs[channel.index()].left += 1;
    }

    /// Whether the tail of the owner of `channel`, whose buffer a flit has just left, has done so.
    #[inline]
    pub(super) fn has_been_left(&self, channel: ChannelId) -> bool {
        let vc = &self.vcs[channel.index()];
        vc.left == vc.flits
    }

    pub(super) fn grant(&mut self, grant: &Grant) {
        let Grant { owner, channel, hop, flits, before, last } = *grant;
        if let Some(before) = before {
            self.vcs[before.index()].after = channel.0;
        }
        let before = before.map_or(self.source, |before| before.0);
        // flits that leave the network need no room
        let (after, left) = if last { (self.sink, u64::MAX) } else { (self.nowhere, 0) };
        let vc = &mut self.vcs[channel.index()];
        *vc = VirtualChannel { flits, started: 0, crossed: 0, left, before, after, owner, hop, ..*vc };
    }

    /// Frees `channel`; who owned it, and as which channel of its path.
    pub(super) fn release(&mut self, channel: ChannelId) -> Option<(MessageId, u32)> {
        let vc = &mut self.vcs[channel.index()];
        let owned = std::mem::take(&mut vc.flits) > 0;
        owned.then_some((vc.owner, vc.hop))
    }

    /// Every owner of a channel, and which channel of its path that is.
    pub(super) fn owners(&self) -> impl Iterator<Item = (MessageId, u32)> + '_ {
        self.vcs.iter().filter(|vc| vc.flits > 0).map(|vc| (vc.owner, vc.hop))
    }
}

impl Owners for VirtualChannels {
    #[inline]
    fn is_free(&self, channel: ChannelId) -> bool {
        self.vcs[channel.index()].flits == 0
    }

    fn crossed(&self, channel: ChannelId) -> u64 {
        self.vcs[channel.index()].crossed
    }
}
