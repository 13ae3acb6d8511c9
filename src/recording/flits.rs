//! The causes of delays, flit by flit: for every flit that starts, a chain of intervals that ends with its start.
//!
//! A flit starts on channel `h` after three events, and then in its turn:
//!
//! ```text
//!   the flit before it has crossed      flit i-1 on h,    plus the flit time           transmit
//!   it has arrived                      flit i on h-1,    plus the time over h-1       hop
//!   its slot behind h is free           flit i-B on h+1,  plus the time of the credit  credit
//! ```
//!
//! Its chain continues that of the last of the three events, and the time until its start belongs to others. If the credit is last and
//! its flit had crossed `h` itself, the two are a round trip: the channel moves `B` flits in it, and the rest is a wait for the credit.
//! If the chain of the credit begins with a head flit that waited beyond `h`, the message was delayed there.

use super::chain::Chain;
use crate::costs::ChannelCosts;
use crate::engine::router::{ChannelCycles, ChannelTiming};
use crate::machine::Machine;
use crate::topology::{Channels, LinkCost};
use crate::units::{ChannelId, MessageId, Ticks};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// Times of a channel, and its buffer.
#[derive(Clone, Copy, Debug)]
struct Times {
    rule: TimeRule,
    /// Flits of the buffer behind the channel.
    buffer: u64,
    /// The fate of slots after a flit.
    slots: Slots,
}

/// The rule for the times of a channel.
#[derive(Clone, Copy, Debug)]
enum TimeRule {
    Wormhole(LinkCost),
    /// Routers, and the ticks of a cycle.
    Routers(ChannelCycles, u64),
}

impl Times {
    /// The time for a flit to cross the channel.
    fn flit_time(&self) -> Ticks {
        match self.rule {
            TimeRule::Wormhole(cost) => cost.flit_time,
            TimeRule::Routers(cycles, cycle) => Ticks(cycles.flit * cycle),
        }
    }

    /// The first tick from `at` on at which a flit can start.
    fn start(&self, at: Ticks) -> Ticks {
        match self.rule {
            TimeRule::Wormhole(cost) => cost.start(at),
            TimeRule::Routers(..) => at,
        }
    }

    /// The first tick at which the next flit can start after one that started at `start`.
    fn next_start(&self, start: Ticks) -> Ticks {
        match self.rule {
            TimeRule::Wormhole(cost) => cost.start(start + cost.flit_time),
            TimeRule::Routers(cycles, cycle) => Ticks(cycles.next_start(start.0 / cycle) * cycle),
        }
    }

    /// The tick at which a flit that started at `start` can start on the next channel.
    fn arrival(&self, start: Ticks) -> Ticks {
        match self.rule {
            TimeRule::Wormhole(cost) => cost.arrival(start),
            TimeRule::Routers(cycles, cycle) => Ticks(cycles.arrival_after(start.0 / cycle) * cycle),
        }
    }

    /// The tick of the arrival of a flit that started at `start`, behind one that arrived at `before`. Flits over a link with a clock of
    /// its own are a cycle of the routers apart.
    fn arrival_behind(&self, start: Ticks, before: Ticks) -> Ticks {
        let arrival = self.arrival(start);
        match self.rule {
            TimeRule::Wormhole(LinkCost { clock: Some(clock), .. }) => arrival.max(before + Ticks(clock.cycle.into())),
            TimeRule::Routers(cycles, cycle) if cycles.has_clock() => arrival.max(before + Ticks(cycle)),
            _ => arrival,
        }
    }

    /// The tick from which the slot of a flit can be used again that left the buffer behind the channel at `left`.
    fn credit(&self, left: Ticks) -> Ticks {
        match self.rule {
            TimeRule::Wormhole(cost) => cost.start(cost.credit(left)),
            TimeRule::Routers(cycles, cycle) => Ticks(cycles.credit_after(left.0 / cycle) * cycle),
        }
    }
}

/// The fate of the slots of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slots {
    /// All are free when the next message is granted the channel.
    FreeAfterMessage,
    /// Each is free after its flit has left.
    FreeAfterFlit,
    /// Each is free a fixed time after its flit has started, as a node takes it.
    TakenByNode,
}

/// The source of the times of channels.
enum TimeSource<'a> {
    Wormhole(&'a dyn Channels, ChannelCosts),
    /// Routers, and the ticks of a cycle.
    Routers(Box<ChannelTiming>, u64),
}

impl TimeSource<'_> {
    fn times(&self, channel: ChannelId) -> Times {
        match self {
            Self::Wormhole(channels, costs) => {
                let cost = channels.cost_among(channel, costs.flit_time);
                let buffer = cost.buffer(costs.buffer);
                Times { rule: TimeRule::Wormhole(cost), buffer, slots: Slots::FreeAfterMessage }
            }
            Self::Routers(times, cycle) => {
                let cycles = times.cycles(channel);
                let slots = if cycles.ejects { Slots::TakenByNode } else { Slots::FreeAfterFlit };
                Times { rule: TimeRule::Routers(cycles, *cycle), buffer: cycles.buffer.into(), slots }
            }
        }
    }
}

/// A slot of a buffer that a flit has left.
#[derive(Clone, Copy)]
struct FreeSlot {
    /// The tick from which it can be used again.
    from: Ticks,
    /// The flit, if it was not sent to a node.
    flit: Option<DepartedFlit>,
}

/// A flit that has left a buffer.
#[derive(Clone, Copy)]
struct DepartedFlit {
    message: MessageId,
    /// The chain to its departure.
    chain: Chain,
    /// The time that it took to the buffer.
    arrival: Ticks,
}

/// A channel with the slots of its buffer.
struct Buffered {
    times: Times,
    /// Slots that no flit has used yet.
    unused: u64,
    /// Slots that flits have left, in order.
    free: VecDeque<FreeSlot>,
}

impl Buffered {
    /// Takes a slot for a flit that starts at `start`, and returns it if a flit used it before.
    fn take(&mut self, start: Ticks) -> Option<FreeSlot> {
        if self.times.slots == Slots::TakenByNode {
            self.free.push_back(FreeSlot { from: self.times.credit(start), flit: None });
        }
        if self.unused > 0 {
            self.unused -= 1;
            return None;
        }
        self.free.pop_front()
    }
}

/// The start of a head flit on a channel that its message was granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HeadStart {
    /// The earliest tick at which it could start.
    pub(super) ready: Ticks,
    /// The time that it waited for a credit.
    pub(super) credit: Ticks,
    /// The tick at which it started.
    pub(super) start: Ticks,
}

/// A channel of a path on which flits have started.
#[derive(Clone, Debug)]
struct PassedChannel {
    channel: ChannelId,
    head: HeadStart,
    /// The first channel of the path since which the head flit has not waited.
    unblocked_since: usize,
    /// The chain to the last flit.
    last: Chain,
    /// The flits that have not started on the next channel, each with the chain to its start and the tick of its arrival.
    buffered: VecDeque<(Chain, Ticks)>,
    /// The flit that has left the buffer last: its start, and its arrival there.
    passed: (Ticks, Ticks),
}

/// The causes of the delays of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Track {
    /// The starts of its head flit, by channel of its path.
    pub(super) heads: Vec<HeadStart>,
    /// The chain to the start of its tail on the second channel of its path.
    pub(super) left: Chain,
    /// The chain to the start of its tail on the last channel.
    pub(super) ejected: Chain,
    /// The flit time of the last channel.
    pub(super) flit: Ticks,
}

/// All flits in the network.
pub(super) struct Flits<'a> {
    times: TimeSource<'a>,
    channels: FxHashMap<ChannelId, Buffered>,
    messages: FxHashMap<MessageId, Vec<PassedChannel>>,
    /// The time from the arrival of a head flit until it can start on the next channel.
    head_time: Ticks,
}

impl<'a> Flits<'a> {
    /// Tracks the flits of a run on `machine` if head flits and turns do not explain all delays: on routers, and on channels that
    /// differ. Chips are left out: their interfaces have rules of their own.
    pub(super) fn tracked(machine: &'a Machine) -> Option<Self> {
        let times = match (&machine.routers, machine.network()) {
            (Some(routers), _) if routers.interfaces.is_some() => return None,
            (Some(routers), _) => TimeSource::Routers(
                Box::new(ChannelTiming::new(routers.routes.as_ref(), routers.costs)),
                machine.channel.flit_time,
            ),
            (None, Some(network)) if machine.is_uneven() => TimeSource::Wormhole(network.channels(), machine.channel),
            (None, _) => return None,
        };
        let head_time = Ticks(machine.channel.routing_delay) + grant_time(machine);
        Some(Self { times, channels: FxHashMap::default(), messages: FxHashMap::default(), head_time })
    }

    /// Drops all flits, because the run restarts.
    pub(super) fn restart(&mut self) {
        self.channels.clear();
        self.messages.clear();
    }

    /// The head flit of `message` starts on the next channel of its path, `channel`, at `start`, and could start at `ready`.
    pub(super) fn start_head(&mut self, message: MessageId, channel: ChannelId, ready: Ticks, start: Ticks) {
        let hop = self.hops(message);
        let channel_state = self.channel_state(channel);
        if channel_state.times.slots == Slots::FreeAfterMessage {
            (channel_state.unused, channel_state.free) = (channel_state.times.buffer, VecDeque::new());
        }
        let slot = channel_state.take(start);
        let times = channel_state.times;
        let ready = times.start(ready);
        let arrived = self.leave_buffer(message, hop);
        let credit = slot.map_or(Ticks::ZERO, |slot| Ticks(slot.from.0.saturating_sub(ready.0)));
        let last = Chain::head(hop, start);
        let head = HeadStart { ready, credit, start };
        let head_time = self.head_time;
        let path = self.messages.entry(message).or_default();
        let unblocked_since = match arrived {
            Some(arrived) if times.start(arrived.end + head_time) == start => path[hop - 1].unblocked_since,
            _ => hop,
        };
        let buffered = VecDeque::from([(last, times.arrival(start))]);
        path.push(PassedChannel { channel, head, unblocked_since, last, buffered, passed: (start, start) });
        self.free_slot(message, hop, last);
    }

    /// Another flit of `message` starts on channel number `hop` of its path at `start`.
    pub(super) fn start_body(&mut self, message: MessageId, hop: usize, start: Ticks) {
        let arrived = self.leave_buffer(message, hop);
        let path = self.messages.get(&message).map_or(&[][..], Vec::as_slice);
        let Some(&PassedChannel { channel, last, .. }) = path.get(hop) else { return };
        let channel_state = self.channel_state(channel);
        let slot = channel_state.take(start);
        let times = channel_state.times;
        let crossed = last.transmitting(times.next_start(last.end) - last.end);
        let arrived = arrived.map(|arrived| arrived.hopping(times.start(arrived.end) - arrived.end));
        let ready = arrived.filter(|arrived| arrived.end > crossed.end).unwrap_or(crossed);
        let chain = match slot.filter(|slot| slot.from > ready.end) {
            None => ready,
            Some(FreeSlot { flit: Some(flit), from }) if flit.message == message => {
                self.with_credit(hop, flit, from, times)
            }
            // the flit of another message used the slot
            Some(slot) => ready.waiting_for_credit(hop, slot.from),
        };
        debug_assert!(chain.end <= start, "a flit of {message} starts on {channel} at {start}, due at {}", chain.end);
        let chain = chain.waiting_for_others(hop, start);
        if let Some(passed) = self.messages.get_mut(&message).and_then(|path| path.get_mut(hop)) {
            // flits that leave a link with a clock of its own follow each other, too
            let before = passed.buffered.back().map_or(passed.passed.1, |(_, arrival)| *arrival);
            passed.last = chain;
            passed.buffered.push_back((chain, times.arrival_behind(start, before)));
        }
        self.free_slot(message, hop, chain);
    }

    /// The chain to the arrival of a credit at `from` in front of channel `hop` of the path of the message of the `flit` whose credit it
    /// is.
    fn with_credit(&self, hop: usize, flit: DepartedFlit, from: Ticks, times: Times) -> Chain {
        let DepartedFlit { message, chain, arrival } = flit;
        let path = self.messages.get(&message).map_or(&[][..], Vec::as_slice);
        let unblocked_since = path.get(chain.from).map_or(chain.from, |passed| passed.unblocked_since);
        let crossed = match path.get(hop) {
            _ if chain.lowest <= hop => chain,
            Some(passed) if unblocked_since <= hop => chain.starting_at(hop, passed.head.start),
            _ => return chain.waiting_for_credit(hop, from),
        };
        crossed.round_trip(hop, arrival, from - crossed.end, times.flit_time() * times.buffer)
    }

    fn channel_state(&mut self, channel: ChannelId) -> &mut Buffered {
        let times = &self.times;
        self.channels.entry(channel).or_insert_with(|| {
            let times = times.times(channel);
            Buffered { times, unused: times.buffer, free: VecDeque::new() }
        })
    }

    /// Takes the flit of `message` that starts on channel `hop` out of the buffer in front, and returns the chain to its arrival there.
    fn leave_buffer(&mut self, message: MessageId, hop: usize) -> Option<Chain> {
        let before = self.messages.get_mut(&message)?.get_mut(hop.checked_sub(1)?)?;
        let (chain, arrival) = before.buffered.pop_front()?;
        before.passed = (chain.end, arrival);
        Some(chain.hopping(arrival - chain.end))
    }

    /// Frees the slot in front of channel `hop` that the flit at the end of `chain` has left.
    fn free_slot(&mut self, message: MessageId, hop: usize, chain: Chain) {
        let before = hop.checked_sub(1).and_then(|before| self.messages.get(&message)?.get(before));
        let Some(&PassedChannel { channel, passed: (start, arrived), .. }) = before else { return };
        let Some(channel_state) = self.channels.get_mut(&channel) else { return };
        let flit = Some(DepartedFlit { message, chain, arrival: arrived - start });
        channel_state.free.push_back(FreeSlot { from: channel_state.times.credit(chain.end), flit });
    }

    /// Removes `message`, which has left the network, and returns its track if its flits were reported.
    pub(super) fn remove(&mut self, message: MessageId) -> Option<Track> {
        let path = self.messages.remove(&message)?;
        let last = path.last()?;
        let flit = self.channels.get(&last.channel)?.times.flit_time();
        let heads = path.iter().map(|passed| passed.head).collect();
        Some(Track { heads, left: path.get(1)?.last, ejected: last.last, flit })
    }

    /// The number of channels of its path on which the head flit of `message` has started.
    pub(super) fn hops(&self, message: MessageId) -> usize {
        self.messages.get(&message).map_or(0, Vec::len)
    }

    /// The index of `channel` in the path of `message`, if its head flit has started there.
    pub(super) fn hop(&self, message: MessageId, channel: ChannelId) -> Option<usize> {
        self.messages.get(&message)?.iter().rposition(|passed| passed.channel == channel)
    }
}

/// The time from the grant of a channel until a flit can leave by it: a cycle if routers try the switch only after the grant.
pub(super) fn grant_time(machine: &Machine) -> Ticks {
    let waits = machine.routers.as_ref().is_some_and(|routers| !routers.costs.speculative);
    Ticks(if waits { machine.channel.flit_time } else { 0 })
}
