//! What has happened, held against the rules of [`crate::engine::wormhole`], one by one and word by word. Nothing is simulated:
//! given when flits started, each rule is a sum.

use super::laws::{Broken, CONSERVED, CYCLE, FIRST_COME, FLITS_OBEY};
use crate::costs::ChannelCosts;
use crate::engine::{Deadlock, Event, Interest, Observer, Outcome};
use crate::routing::Network;
use crate::topology::{LinkCost, Origin};
use crate::units::{ChannelId, MessageId, Ticks, narrow, saturated};
use std::collections::BTreeMap;

/// A head flit was granted a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Grant {
    pub(super) message: MessageId,
    pub(super) hop: usize,
    pub(super) channel: ChannelId,
    pub(super) requested: Ticks,
    pub(super) start: Ticks,
}

/// A message gave a channel back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Release {
    pub(super) message: MessageId,
    pub(super) hop: usize,
    pub(super) channel: ChannelId,
    pub(super) at: Ticks,
}

/// A flit started on a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Start {
    pub(super) message: MessageId,
    pub(super) hop: usize,
    pub(super) at: Ticks,
    pub(super) channel: ChannelId,
}

/// All that an engine tells of a run.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) grants: Vec<Grant>,
    pub(super) releases: Vec<Release>,
    /// Flits, if they were followed.
    pub(super) starts: Vec<Start>,
    pub(super) follows: bool,
}

impl Record {
    /// Of an engine that tells of every flit.
    pub(super) fn of_flits() -> Self {
        Self { follows: true, ..Self::default() }
    }

    /// In the order of (message, hop), in which two engines that tell the same may differ.
    pub(super) fn sort(&mut self) {
        self.grants.sort_unstable();
        self.releases.sort_unstable();
        self.starts.sort_unstable();
    }
}

impl Observer for Record {
    fn interest(&self) -> Interest {
        Interest { flits: self.follows, ..Interest::HOPS }
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Restarted => *self = Self { follows: self.follows, ..Self::default() },
            Event::Granted { message, hop, channel, requested, start } => {
                self.grants.push(Grant { message, hop, channel, requested, start });
            }
            Event::Started { message, hop, channel, at } if self.follows => {
                self.starts.push(Start { message, hop, at, channel });
            }
            Event::Released { message, hop, channel, at } => {
                self.releases.push(Release { message, hop, channel, at });
            }
            Event::Started { .. } | Event::Left { .. } | Event::Ended(_) => {}
        }
    }
}

/// A run of the flit engine that has come to its end.
pub(super) struct Flown<'a> {
    pub(super) network: &'a dyn Network,
    pub(super) costs: ChannelCosts,
    /// Sorted, with every flit.
    pub(super) record: &'a Record,
    pub(super) outcome: &'a Outcome,
    /// Per message its flits on the wire, and the path that it was to take.
    pub(super) messages: &'a [Planned],
}

/// A message before it was sent.
pub(super) struct Planned {
    pub(super) flits: u64,
    pub(super) path: Vec<ChannelId>,
}

/// What a message did at a channel.
struct Hop<'a> {
    grant: Grant,
    release: Release,
    /// Flits in their order.
    flits: &'a [Start],
    cost: LinkCost,
    /// Whether flits of another may be in between.
    shared: bool,
}

impl Flown<'_> {
    /// That every rule was kept.
    pub(super) fn obeys(&self) -> Result<(), Broken> {
        let hops = self.hops()?;
        let mut at = 0;
        for (id, planned) in self.messages.iter().enumerate() {
            let of_message = &hops[at..at + planned.path.len()];
            at += planned.path.len();
            self.headers(of_message)?;
            self.flits(of_message)?;
            self.ends(id, of_message)?;
        }
        self.in_line(&hops)?;
        self.one_at_a_time()
    }

    /// Every message at every channel of its path, in order.
    fn hops(&self) -> Result<Vec<Hop<'_>>, Broken> {
        let Record { grants, releases, starts, .. } = self.record;
        let channels = self.network.channels();
        let places: usize = self.messages.iter().map(|planned| planned.path.len()).sum();
        CONSERVED.equal("number of channels of all paths, and number of grants", &places, &grants.len())?;
        CONSERVED.equal("number of grants, and number of releases", &grants.len(), &releases.len())?;
        let mut hops = Vec::with_capacity(places);
        let mut left = starts.as_slice();
        let mut pairs = grants.iter().zip(releases);
        for (id, planned) in self.messages.iter().enumerate() {
            for (hop, &first) in planned.path.iter().enumerate() {
                let Some((&grant, &release)) = pairs.next() else { break };
                let place = (MessageId::new(id), hop);
                let alike = alike(self.network, first);
                let is_path = (first.0..first.0 + alike).contains(&grant.channel.0);
                if (grant.message, grant.hop) != place || (release.message, release.hop) != place || !is_path {
                    return Err(
                        CONSERVED.broken(format!("message {id} at hop {hop} of its path: {grant:?}, {release:?}"))
                    );
                }
                let flits = saturated(planned.flits);
                let (of_hop, rest) = left.split_at(flits.min(left.len()));
                left = rest;
                let is_here = |start: &Start| (start.message, start.hop) == place && start.channel == grant.channel;
                if of_hop.len() < flits || !of_hop.iter().all(is_here) {
                    return Err(CONSERVED
                        .broken(format!("message {id} has {flits} flits, at hop {hop} of its path: {of_hop:?}")));
                }
                let even = LinkCost::without_delay(self.costs.flit_time);
                let cost = channels.cost(grant.channel).unwrap_or(even);
                let is_link = hop > 0 && hop + 1 < planned.path.len();
                let shared = is_link && channels.virtual_channels() > 1;
                hops.push(Hop { grant, release, flits: of_hop, cost, shared });
            }
        }
        if left.is_empty() {
            Ok(hops)
        } else {
            Err(CONSERVED.broken(format!("flits that belong to no message: {left:?}")))
        }
    }

    /// A head flit requests a channel when it has crossed the one before and was routed; it starts when it was granted it.
    fn headers(&self, hops: &[Hop<'_>]) -> Result<(), Broken> {
        for pair in hops.windows(2) {
            let due = pair[0].flits[0].at + pair[0].cost.crossing() + Ticks(self.costs.routing_delay);
            FIRST_COME.equal(
                format_args!("due and actual request of {:?}", pair[1].grant),
                &due,
                &pair[1].grant.requested,
            )?;
        }
        for hop in hops {
            let is_due =
                if hop.shared { hop.flits[0].at >= hop.grant.start } else { hop.flits[0].at == hop.grant.start };
            if !is_due {
                return Err(FLITS_OBEY.broken(format!("{:?}, but {:?}", hop.grant, hop.flits[0])));
            }
        }
        Ok(())
    }

    /// Flit `i` starts on channel `h` when flit `i-1` has left it, when it has come over `h-1`, and when it is known that flit
    /// `i-buffer` has left the buffer.
    fn flits(&self, hops: &[Hop<'_>]) -> Result<(), Broken> {
        for (h, hop) in hops.iter().enumerate() {
            let buffer = saturated(hop.cost.buffer(self.costs.buffer));
            for i in 1..hop.flits.len() {
                let mut due = hop.flits[i - 1].at + hop.cost.flit_time;
                if let Some(before) = h.checked_sub(1).map(|before| &hops[before]) {
                    due = due.max(before.flits[i].at + before.cost.crossing());
                }
                if let (Some(next), Some(left)) = (hops.get(h + 1), i.checked_sub(buffer)) {
                    due = due.max(next.flits[left].at + hop.cost.delay);
                }
                let at = hop.flits[i].at;
                if at < due || (at > due && !hop.shared) {
                    return Err(
                        FLITS_OBEY.broken(format!("flit {i} of {:?} is due at {due}, but starts at {at}", hop.grant))
                    );
                }
            }
        }
        Ok(())
    }

    /// A channel is released when it is known that the tail has left its buffer; the message is delivered when the tail has come.
    fn ends(&self, id: usize, hops: &[Hop<'_>]) -> Result<(), Broken> {
        let tail = |hop: &Hop<'_>| hop.flits[hop.flits.len() - 1].at;
        for (h, hop) in hops.iter().enumerate() {
            let due = match hops.get(h + 1) {
                Some(next) => tail(next) + hop.cost.delay,
                None => tail(hop) + hop.cost.flit_time,
            };
            FLITS_OBEY.equal(format_args!("due and actual time of {:?}", hop.release), &due, &hop.release.at)?;
        }
        let Some(last) = hops.last() else { return Ok(()) };
        let due = tail(last) + last.cost.crossing();
        let outcome = &self.outcome.messages[id];
        FLITS_OBEY.equal(format_args!("delivery of message {id}, due and reported"), &due, &outcome.delivered)?;
        CONSERVED.equal(
            format_args!("links of message {id}, counted and reported"),
            &(hops.len() - 2),
            &(outcome.hops as usize),
        )?;
        let waits: u64 = hops.iter().map(|hop| hop.grant.start.0 - hop.grant.requested.0).sum();
        CONSERVED.equal(
            format_args!("waits of message {id}, counted and reported"),
            &Ticks(waits),
            &outcome.blocked_time,
        )
    }

    /// Of those that wait for a link, or for any channel of a node, the first is granted the lowest that is free.
    fn in_line(&self, hops: &[Hop<'_>]) -> Result<(), Broken> {
        let mut lines: BTreeMap<ChannelId, Vec<&Hop<'_>>> = BTreeMap::new();
        let firsts = self.messages.iter().flat_map(|planned| &planned.path);
        for (hop, &first) in hops.iter().zip(firsts) {
            lines.entry(first).or_default().push(hop);
        }
        for (first, mut line) in lines {
            line.sort_unstable_by_key(|hop| (hop.grant.requested, hop.grant.message));
            // per channel when the one that took it last gives it back
            let mut taken: Vec<Option<Ticks>> = vec![None; alike(self.network, first) as usize];
            for hop in line {
                let Grant { channel, requested, start, .. } = hop.grant;
                let place = (channel.0 - first.0) as usize;
                let soonest = taken.iter().map(|until| until.unwrap_or(Ticks::ZERO)).fold(Ticks(u64::MAX), Ticks::min);
                let due = soonest.max(requested);
                FIRST_COME.equal(format_args!("due and actual start of {:?}", hop.grant), &due, &start)?;
                // one that is given back in that very tick may be passed over
                let is_free = |until: &Option<Ticks>| until.is_none_or(|until| until < start);
                if taken[place].is_some_and(|until| until > start) || taken[..place].iter().any(is_free) {
                    return Err(FIRST_COME
                        .broken(format!("{:?}: channels from {first} on are held until {taken:?}", hop.grant)));
                }
                taken[place] = Some(hop.release.at);
            }
        }
        Ok(())
    }

    /// Virtual channels of a physical channel move one flit at a time between them.
    fn one_at_a_time(&self) -> Result<(), Broken> {
        let channels = self.network.channels();
        if channels.virtual_channels() == 1 {
            return Ok(()); // each has one owner at a time, whose flits keep their distance
        }
        let mut starts: Vec<(ChannelId, Start)> =
            self.record.starts.iter().map(|start| (channels.physical(start.channel), *start)).collect();
        starts.sort_unstable_by_key(|(physical, start)| (*physical, start.at));
        for pair in starts.windows(2) {
            let [(one, before), (other, after)] = [pair[0], pair[1]];
            let flit_time = channels.cost(before.channel).map_or(Ticks(self.costs.flit_time), |cost| cost.flit_time);
            if one == other && after.at < before.at + flit_time {
                return Err(FLITS_OBEY.broken(format!(
                    "two flits start within the flit time, {flit_time}, of one physical channel: {before:?}, {after:?}"
                )));
            }
        }
        Ok(())
    }
}

/// How many channels a head flit may take in place of `first`.
fn alike(network: &dyn Network, first: ChannelId) -> u32 {
    let channels = network.channels();
    let count = match channels.origin(first) {
        Origin::Injection(_) => channels.ports(),
        Origin::Ejection(_) => channels.ejection_ports(),
        Origin::Link(_) => 1,
    };
    narrow(count, "channels are numbered with 32 bits")
}

/// That each message of the cycle of `deadlock` holds a channel that the one before waits for, by what `record` tells.
pub(super) fn closes(deadlock: &Deadlock, record: &Record, network: &dyn Network) -> Result<(), Broken> {
    let channels = network.channels();
    if deadlock.cycle.is_empty() {
        return Err(CYCLE.broken("messages wait forever, but there is no cycle"));
    }
    let released = |grant: &Grant| {
        record.releases.iter().any(|release| (release.message, release.hop) == (grant.message, grant.hop))
    };
    let held: Vec<&Grant> = record.grants.iter().filter(|grant| !released(grant)).collect();
    for (waiting, holder) in deadlock.cycle.iter().zip(deadlock.cycle.iter().cycle().skip(1)) {
        let first = waiting.channel;
        let wanted = first..ChannelId(first.0 + alike(network, first));
        if !held.iter().any(|grant| grant.message == holder.message && wanted.contains(&grant.channel)) {
            let name = channels.name(first);
            return Err(CYCLE.broken(format!(
                "message {} waits for {name}, which message {} does not hold",
                waiting.message, holder.message
            )));
        }
    }
    Ok(())
}
