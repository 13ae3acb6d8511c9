//! Flit by flit, what messages are held up by: of every flit that starts, a chain of intervals that ends with its start.
//!
//! A flit starts on channel `h` as soon as three things are there, and then when its turn comes:
//!
//! ```text
//!   the flit before it has crossed          flit i-1 on h,    plus its flit time          transmit
//!   it has arrived                          flit i on h-1,    plus the way over h-1       hop
//!   a place is known to be free behind h    flit i-B on h+1,  plus the way back           credit
//! ```
//!
//! The chain goes on from the latest of the three; what is left until the start is for others. Where it leads by way of a credit to
//! a flit that came over `h` itself, it is a round trip: all of it that is not taken to move the flits of the buffer is waited for
//! the credit. Where it leads to a head flit farther on, the message was held up there.

use super::chain::Chain;
use crate::costs::ChannelCosts;
use crate::engine::router::{ChannelCycles, ChannelTiming};
use crate::machine::Machine;
use crate::topology::{Channels, LinkCost};
use crate::units::{ChannelId, MessageId, Ticks};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// What a channel takes.
#[derive(Clone, Copy, Debug)]
struct FlitRule {
    /// From the start of a flit to that of the next, at least.
    flit: Ticks,
    /// From the start of a flit until it can start on the next channel.
    arrival: Ticks,
    /// From when a flit leaves the buffer behind the channel until its place can be used again.
    credit: Ticks,
    buffer: u64,
    /// Whether places come free by themselves, because the channel leads to a node.
    returns: bool,
    /// Whether flits of one message may be followed by those of others before they have left the buffer.
    keeps_places: bool,
}

/// What channels take.
enum FlitRules<'a> {
    Wormhole(&'a dyn Channels, ChannelCosts),
    /// With the ticks of a cycle.
    Routers(ChannelTiming, u64),
}

impl FlitRules<'_> {
    fn of(&self, channel: ChannelId) -> FlitRule {
        match self {
            Self::Wormhole(channels, costs) => {
                let cost = channels.cost_among(channel, costs.flit_time);
                let LinkCost { flit_time, delay } = cost;
                let buffer = cost.buffer(costs.buffer);
                FlitRule {
                    flit: flit_time,
                    arrival: cost.crossing(),
                    credit: delay,
                    buffer,
                    returns: false,
                    keeps_places: false,
                }
            }
            Self::Routers(rules, cycle) => {
                let ChannelCycles { flit, arrival, credit, buffer, ejects } = rules.of(channel);
                let [flit, arrival, credit] = [flit, arrival, credit].map(|cycles| Ticks(cycles * cycle));
                FlitRule { flit, arrival, credit, buffer: buffer.into(), returns: ejects, keeps_places: true }
            }
        }
    }
}

/// A place that has come free in a buffer.
#[derive(Clone, Copy)]
struct Freed {
    /// When it can be used again.
    at: Ticks,
    /// The message whose flit has left it, and the chain to that.
    by: Option<(MessageId, Chain)>,
}

/// A channel with the places of its buffer.
struct Lane {
    rule: FlitRule,
    /// Places that no flit has taken yet.
    unused: u64,
    freed: VecDeque<Freed>,
}

/// A channel of a path on which flits have started.
#[derive(Clone, Debug)]
struct Passed {
    channel: ChannelId,
    head: Head,
    /// The first channel of the path from which the head flit has come here without waiting.
    unblocked_from: usize,
    /// The chain to the last of them.
    last: Chain,
    /// Those of flits that have not started on the next channel.
    behind: VecDeque<Chain>,
}

/// How a head flit started on a channel that it had been granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    /// When it could have.
    pub(super) ready: Ticks,
    /// For how long it waited for a credit then.
    pub(super) credit: Ticks,
    /// When it did.
    pub(super) at: Ticks,
}

/// What the flits of a message were held up by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Track {
    /// Its head flit, by channel of its path.
    pub(super) heads: Vec<Head>,
    /// To the start of its tail on the second channel of its path.
    pub(super) left: Chain,
    /// To the start of its tail on the last one.
    pub(super) ejected: Chain,
    /// What the last one takes a flit.
    pub(super) flit: Ticks,
}

/// All flits in flight.
pub(super) struct Flits<'a> {
    rules: FlitRules<'a>,
    wires: FxHashMap<ChannelId, Lane>,
    under_way: FxHashMap<MessageId, Vec<Passed>>,
    /// What a head flit takes from its arrival until it can start on the next channel.
    head_takes: Ticks,
}

impl<'a> Flits<'a> {
    /// Of a run on `machine`, where what holds flits up does not follow from head flits: on routers, and where channels have delays.
    /// None elsewhere, and of chips, whose interfaces send by rules of their own.
    pub(super) fn of(machine: &'a Machine) -> Option<Self> {
        let rules = match (&machine.routers, machine.network()) {
            (Some(routers), _) if routers.interfaces.is_some() => return None,
            (Some(routers), _) => {
                FlitRules::Routers(ChannelTiming::new(&routers.routes, routers.costs), machine.channel.flit_time)
            }
            (None, Some(network)) if machine.is_uneven() => FlitRules::Wormhole(network.channels(), machine.channel),
            (None, _) => return None,
        };
        let head_takes = Ticks(machine.channel.routing_delay) + grant_takes(machine);
        Some(Self { rules, wires: FxHashMap::default(), under_way: FxHashMap::default(), head_takes })
    }

    /// What has been told so far has not happened.
    pub(super) fn restart(&mut self) {
        self.wires.clear();
        self.under_way.clear();
    }

    /// The head flit of `message` starts on the next channel of its path, which is `channel`, at `at`, and could have at `ready`.
    pub(super) fn start_head(&mut self, message: MessageId, channel: ChannelId, ready: Ticks, at: Ticks) {
        let hop = self.hops(message);
        let wire = self.wire(channel);
        if !wire.rule.keeps_places {
            (wire.unused, wire.freed) = (wire.rule.buffer, VecDeque::new());
        }
        let freed = wire.take(at);
        let came = self.leave_buffer(message, hop);
        let credit = freed.map_or(Ticks::ZERO, |freed| Ticks(freed.at.0.saturating_sub(ready.0)));
        let last = Chain::head(hop, at);
        let head = Head { ready, credit, at };
        let head_takes = self.head_takes;
        let path = self.under_way.entry(message).or_default();
        let unblocked_from = match came {
            Some(came) if came.at + head_takes == at => path[hop - 1].unblocked_from,
            _ => hop,
        };
        path.push(Passed { channel, head, unblocked_from, last, behind: VecDeque::from([last]) });
        self.free(message, hop, last);
    }

    /// Another flit of `message` starts on channel number `hop` of its path at `at`.
    pub(super) fn follow(&mut self, message: MessageId, hop: usize, at: Ticks) {
        let came = self.leave_buffer(message, hop);
        let Some(&Passed { channel, last, .. }) = self.under_way.get(&message).and_then(|passed| passed.get(hop))
        else {
            return;
        };
        let wire = self.wire(channel);
        let freed = wire.take(at);
        let rule = wire.rule;
        let after = last.transmitting(rule.flit);
        let ready = came.filter(|came| came.at > after.at).unwrap_or(after);
        let chain = match freed.filter(|freed| freed.at > ready.at) {
            None => ready,
            Some(Freed { by: Some((owner, chain)), .. }) if owner == message => self.news(message, hop, chain, rule),
            // the place was another message's
            Some(freed) => ready.waiting_for_credit(hop, freed.at),
        };
        debug_assert!(chain.at <= at, "a flit of {message} starts on {channel} at {at}, due at {}", chain.at);
        let chain = chain.waiting_for_others(hop, at);
        if let Some(passed) = self.under_way.get_mut(&message).and_then(|passed| passed.get_mut(hop)) {
            passed.last = chain;
            passed.behind.push_back(chain);
        }
        self.free(message, hop, chain);
    }

    /// The chain to when it is known in front of channel `hop` of the path of `message` that the flit at the end of `chain`, one of
    /// its own, has left the buffer behind.
    fn news(&self, message: MessageId, hop: usize, chain: Chain, rule: FlitRule) -> Chain {
        let path = self.under_way.get(&message).map_or(&[][..], Vec::as_slice);
        let unblocked_from = path.get(chain.from).map_or(chain.from, |passed| passed.unblocked_from);
        if unblocked_from > hop {
            return chain.waiting_for_credit(hop, chain.at + rule.credit);
        }
        let from = chain.from.min(hop);
        let chain = path.get(from).map_or(chain, |passed| chain.starting_at(from, passed.head.at));
        chain.round_trip(hop, rule.arrival, rule.credit, rule.flit * rule.buffer)
    }

    fn wire(&mut self, channel: ChannelId) -> &mut Lane {
        let rules = &self.rules;
        self.wires.entry(channel).or_insert_with(|| {
            let rule = rules.of(channel);
            Lane { rule, unused: rule.buffer, freed: VecDeque::new() }
        })
    }

    /// The flit of `message` that starts on channel `hop` leaves the buffer behind the channel before: the chain to its arrival there.
    fn leave_buffer(&mut self, message: MessageId, hop: usize) -> Option<Chain> {
        let before = self.under_way.get_mut(&message)?.get_mut(hop.checked_sub(1)?)?;
        let arrival = self.wires.get(&before.channel)?.rule.arrival;
        before.behind.pop_front().map(|chain| chain.hopping(arrival))
    }

    /// The flit at the end of `chain` has left the buffer behind the channel before `hop`.
    fn free(&mut self, message: MessageId, hop: usize, chain: Chain) {
        let before = hop.checked_sub(1).and_then(|before| self.under_way.get(&message)?.get(before));
        let Some(wire) = before.and_then(|before| self.wires.get_mut(&before.channel)) else { return };
        wire.freed.push_back(Freed { at: chain.at + wire.rule.credit, by: Some((message, chain)) });
    }

    /// `message` has passed: how its tail did, if its flits were told.
    pub(super) fn pass(&mut self, message: MessageId) -> Option<Track> {
        let passed = self.under_way.remove(&message)?;
        let last = passed.last()?;
        let flit = self.wires.get(&last.channel)?.rule.flit;
        let heads = passed.iter().map(|passed| passed.head).collect();
        Some(Track { heads, left: passed.get(1)?.last, ejected: last.last, flit })
    }

    /// On how many channels of its path the head flit of `message` has started.
    pub(super) fn hops(&self, message: MessageId) -> usize {
        self.under_way.get(&message).map_or(0, Vec::len)
    }

    /// Which channel of its path `channel` is, if the head flit of `message` has started on it.
    pub(super) fn hop_on(&self, message: MessageId, channel: ChannelId) -> Option<usize> {
        self.under_way.get(&message)?.iter().rposition(|passed| passed.channel == channel)
    }
}

impl Lane {
    /// A flit takes a place at `at`: when that came free, unless no flit had it before.
    fn take(&mut self, at: Ticks) -> Option<Freed> {
        if self.rule.returns {
            self.freed.push_back(Freed { at: at + self.rule.credit, by: None });
        }
        if self.unused > 0 {
            self.unused -= 1;
            return None;
        }
        self.freed.pop_front()
    }
}

/// From the grant of a channel until a flit can leave by it: a cycle of routers that do not try the switch before a channel is granted.
pub(super) fn grant_takes(machine: &Machine) -> Ticks {
    let waits = machine.routers.as_ref().is_some_and(|routers| !routers.costs.speculative);
    Ticks(if waits { machine.channel.flit_time } else { 0 })
}
