//! The channels with their buffers, and the wires that they share: what is counted, and which flit can move.
//!
//! Of channels whose wire sleeps the counters stand where the wire fell asleep, but those that a wire awake reads: flits that have
//! crossed, if it goes to them, and flits that have started, if it comes from there.

use super::decisions::{Decision, Decisions};
use super::key::Key;
use super::patience::Patience;
use crate::engine::wormhole::messages::{Grant, Owners};
use crate::topology::Channels;
use crate::units::{ChannelId, MessageId};

/// A channel with the buffer at its downstream end.
#[derive(Clone, Copy)]
pub(super) struct VirtualChannel {
    /// Flits of the owner; 0 if it has none.
    pub(super) flits: u64,
    /// Flits of the owner that have started to cross, and that have crossed.
    pub(super) started: u64,
    pub(super) crossed: u64,
    /// The vc that the owner's flits come from, and the one that they go to.
    pub(super) before: u32,
    pub(super) after: u32,
    pub(super) owner: MessageId,
    /// Which channel of the owner's path it is.
    pub(super) hop: u32,
    /// Its wire.
    pub(super) wire: u32,
}

impl VirtualChannel {
    const FREE: Self =
        Self { flits: 0, started: 0, crossed: 0, before: 0, after: 0, owner: MessageId(0), hop: 0, wire: 0 };

    /// Whether it has an owner of which flits have not started.
    #[inline]
    pub(super) fn has_more(&self) -> bool {
        self.started < self.flits
    }
}

/// A physical channel.
#[derive(Clone, Default)]
pub(super) struct Wire {
    /// How many virtual channels it has, with successive numbers.
    pub(super) vcs: u32,
    /// The vc served last, whose flit is crossing if one is.
    pub(super) served: u32,
    /// Whether a flit is crossing, and when it will have crossed.
    pub(super) is_busy: bool,
    pub(super) idle_at: u64,
    pub(super) is_asleep: bool,
    /// After how many ticks everything comes again, asleep, and when it fell asleep.
    pub(super) period: u64,
    pub(super) asleep_from: Key,
    /// The number of its alarm.
    pub(super) alarm: u32,
    pub(super) patience: Patience,
    pub(super) decisions: Decisions,
}

/// How much is remembered: enough for the periods that are common where so many channels share a wire.
#[derive(Clone, Copy)]
pub(super) struct Remembered {
    /// The latest starts of a channel, as many as a power of two.
    pub(super) starts: usize,
    /// The most starts that a period may have.
    pub(super) of_period: usize,
    /// The latest decisions of a wire.
    pub(super) decisions: usize,
}

impl Remembered {
    /// The most starts of a channel that are remembered.
    pub(super) const MOST_STARTS: usize = 32;

    pub(super) fn for_sharing(virtual_channels: usize) -> Self {
        if virtual_channels > 2 {
            Self { starts: Self::MOST_STARTS, of_period: 8, decisions: 64 }
        } else {
            Self { starts: 8, of_period: 2, decisions: 16 }
        }
    }

    /// The bytes that a channel needs.
    pub(super) fn bytes_of_channel(self) -> usize {
        // of all starts that come again, those of the channel itself, and of those before and after it
        let starts = (self.starts + 2 * self.of_period) * size_of::<Key>();
        size_of::<VirtualChannel>() + size_of::<Wire>() + starts + self.decisions * size_of::<Decision>()
    }
}

/// All channels. Behind them lie three that stand for what is at the ends of a message, so that every flit that moves
/// comes from a vc and goes to one; their wire is always awake.
pub(super) struct State {
    pub(super) vcs: Vec<VirtualChannel>,
    /// By the first virtual channel of each.
    pub(super) wires: Vec<Wire>,
    /// The keys of the latest starts of each vc.
    starts: Vec<Key>,
    pub(super) remembered: Remembered,
    buffer: u64,
    /// From where all flits have come.
    source: u32,
    /// Where there is room for all.
    sink: u32,
    /// Where nothing goes before the header has been granted a channel.
    nowhere: u32,
}

/// Where there are so many started that there is room for any.
const ROOM_FOR_ALL: u64 = u64::MAX / 2;

impl State {
    pub(super) fn new(channels: &dyn Channels, buffer: u64) -> Self {
        let count = channels.count();
        let mut vcs = vec![VirtualChannel::FREE; count + 3];
        let remembered = Remembered::for_sharing(channels.virtual_channels());
        let wire = Wire { decisions: Decisions::new(remembered.decisions), ..Wire::default() };
        let mut wires = vec![wire; count + 1];
        for (number, vc) in vcs[..count].iter_mut().enumerate() {
            vc.wire = channels.physical(ChannelId::new(number)).0;
            wires[vc.wire as usize].vcs += 1;
        }
        for (first, wire) in wires.iter_mut().enumerate() {
            wire.served = ChannelId::new(first).0;
        }
        let [source, sink, nowhere] = [0, 1, 2].map(|behind| count + behind);
        vcs[source].crossed = u64::MAX;
        vcs[sink].started = ROOM_FOR_ALL;
        for end in [source, sink, nowhere] {
            vcs[end].wire = ChannelId::new(count).0;
        }
        let starts = vec![Key::default(); remembered.starts * count];
        let [source, sink, nowhere] = [source, sink, nowhere].map(|vc| ChannelId::new(vc).0);
        Self { vcs, wires, starts, remembered, buffer: buffer.min(ROOM_FOR_ALL), source, sink, nowhere }
    }

    /// Per physical channel, by its first virtual channel, the place of the one served last.
    pub(super) fn turns(&self) -> impl Iterator<Item = u32> + '_ {
        let wires = self.wires[..self.count()].iter().zip(0..);
        wires.map(|(wire, first)| wire.served - first)
    }

    pub(super) fn set_turns(&mut self, turns: &[u32]) {
        for ((wire, first), &place) in self.wires.iter_mut().zip(0..).zip(turns) {
            wire.served = first + place;
        }
    }

    /// How many channels there are.
    pub(super) fn count(&self) -> usize {
        self.wires.len() - 1
    }

    /// Whether `vc` is a channel, and not an end of all messages.
    #[inline]
    pub(super) fn is_channel(&self, vc: u32) -> bool {
        vc < self.source
    }

    /// Whether `vc` is where flits leave the network.
    #[inline]
    pub(super) fn is_sink(&self, vc: u32) -> bool {
        vc == self.sink
    }

    #[inline]
    pub(super) fn vc(&self, vc: u32) -> &VirtualChannel {
        &self.vcs[vc as usize]
    }

    #[inline]
    pub(super) fn vc_mut(&mut self, vc: u32) -> &mut VirtualChannel {
        &mut self.vcs[vc as usize]
    }

    #[inline]
    pub(super) fn wire(&self, wire: u32) -> &Wire {
        &self.wires[wire as usize]
    }

    #[inline]
    pub(super) fn wire_mut(&mut self, wire: u32) -> &mut Wire {
        &mut self.wires[wire as usize]
    }

    /// Whether the wire of `vc` sleeps.
    #[inline]
    pub(super) fn is_asleep(&self, vc: u32) -> bool {
        self.wire(self.vc(vc).wire).is_asleep
    }

    /// The channels of `wire`.
    #[inline]
    pub(super) fn vcs_of(&self, wire: u32) -> std::ops::Range<u32> {
        wire..wire + self.wire(wire).vcs
    }

    /// What is known at `key` of whether the next flit of `vc`, which has more, can start.
    #[inline]
    pub(super) fn decision(&self, vc: u32, key: Key) -> Decision {
        let this = self.vc(vc);
        let flits = self.vc(this.before).crossed - this.started;
        let room = self.vc(this.after).started + self.buffer - this.started;
        let [flits, room] = [flits, room].map(|count| u32::try_from(count).unwrap_or(u32::MAX));
        Decision { key, vc, flits, room }
    }

    /// The key of start number `start` of `vc`, from 0, which is one of the latest.
    #[inline]
    pub(super) fn kept_start(&self, vc: u32, start: u64) -> Key {
        self.starts[self.slot(vc, start)]
    }

    /// Keeps the key of start number `start` of `vc`.
    #[inline]
    pub(super) fn keep_start(&mut self, vc: u32, start: u64, key: Key) {
        let slot = self.slot(vc, start);
        self.starts[slot] = key;
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "only the lowest bits count")]
    fn slot(&self, vc: u32, start: u64) -> usize {
        vc as usize * self.remembered.starts + (start as usize & (self.remembered.starts - 1))
    }

    /// How many starts of a vc are kept.
    #[inline]
    pub(super) fn kept(&self) -> u64 {
        self.remembered.starts as u64
    }

    pub(super) fn grant(&mut self, grant: &Grant) {
        let Grant { owner, channel, hop, flits, before, last } = *grant;
        if let Some(before) = before {
            self.vcs[before.index()].after = channel.0;
        }
        let before = before.map_or(self.source, |before| before.0);
        let after = if last { self.sink } else { self.nowhere };
        let vc = &mut self.vcs[channel.index()];
        *vc = VirtualChannel { flits, started: 0, crossed: 0, before, after, owner, hop, ..*vc };
    }

    /// Every owner of a channel, and which channel of its path that is.
    pub(super) fn owners(&self) -> impl Iterator<Item = (MessageId, u32)> + '_ {
        self.vcs.iter().filter(|vc| vc.flits > 0).map(|vc| (vc.owner, vc.hop))
    }
}

impl Owners for State {
    fn is_free(&self, channel: ChannelId) -> bool {
        self.vcs[channel.index()].flits == 0
    }

    fn crossed(&self, channel: ChannelId) -> u64 {
        self.vcs[channel.index()].crossed
    }
}
