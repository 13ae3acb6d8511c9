//! The critical path: one unbroken chain of intervals from 0 to the completion.
//!
//! It is found backwards from the message that was received last. Backwards through a message:
//!
//! ```text
//!   began      requested  granted started                        s_h                             delivered  received
//!     |-- send ----|-- wait --|-shared-|-- hop --|-- wait --| .. --|- hop, transmit, credit, shared -|- receive -|
//!                   injection channel             next channel      on the rest of the path
//! ```
//!
//! where the head flit is followed to the channel from which on it did not keep the tail waiting, and from there the flits behind it
//! ([`Chain`]); and then through whatever its send had to wait for last ([`Cause`]). Intervals without length are left out.

use super::chain::{Chain, behind_head};
use super::flits::HeadStart;
use super::{Hop, Recording};
use crate::costs::ChannelCosts;
use crate::engine::program::{Cause, Computation};
use crate::engine::router::ChannelTiming;
use crate::topology::LinkCost;
use crate::units::{ChannelId, MessageId, Ticks};

/// What an interval of the critical path was spent on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IntervalKind {
    /// Nothing had to happen before: a time that was given.
    Start,
    /// The overhead of a send.
    Send,
    /// The time between two sends of a port.
    Hold,
    /// A head flit waited for a channel.
    Wait,
    /// A head flit went from a channel to the next.
    Hop,
    /// Flits followed their head flit over a channel.
    Transmit,
    /// Flits had arrived, and no place behind the channel was known to be free.
    Credit,
    /// Flits had arrived and had a credit, and other virtual channels of the link took their turns.
    Shared,
    /// Flits had arrived at a router and had a credit, and the switch was granted to others of the link or of the input port.
    Switch,
    /// A head flit was behind another message in a buffer of a router.
    Queue,
    /// A head flit waited at a router for those with which it was combined.
    Join,
    /// The overhead of a receive.
    Receive,
    /// A rank computed.
    Compute,
}

impl IntervalKind {
    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Send => "send",
            Self::Hold => "hold",
            Self::Wait => "wait",
            Self::Hop => "hop",
            Self::Transmit => "transmit",
            Self::Credit => "credit",
            Self::Shared => "shared",
            Self::Switch => "switch",
            Self::Queue => "queue",
            Self::Join => "join",
            Self::Receive => "receive",
            Self::Compute => "compute",
        }
    }
}

/// A part of the critical path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// What the time was spent on.
    pub kind: IntervalKind,
    /// From when.
    pub from: Ticks,
    /// To when.
    pub to: Ticks,
    /// Whose time it was; of a computation, the message that waited for it, if one did.
    pub message: Option<MessageId>,
    /// Where, unless it was at a node.
    pub channel: Option<ChannelId>,
    /// The rank of a computation, in a run of operations.
    pub rank: Option<u32>,
}

impl Interval {
    /// How long it is.
    pub fn ticks(&self) -> Ticks {
        self.to - self.from
    }
}

/// The critical path of `recording`, from 0 on; empty without messages.
pub fn critical_path(recording: &Recording<'_>) -> Vec<Interval> {
    let timing = recording.machine.channel_timing();
    let mut walk = Walk { recording, timing, at: recording.completion, path: Vec::new() };
    match (recording.end, recording.last()) {
        (Some(cause), _) => walk.go_back(cause, None),
        (None, Some(last)) => walk.go_back(Cause::Received(last), Some(last)),
        (None, None) => {}
    }
    walk.path.reverse();
    walk.path
}

/// What stands before a time on the path.
struct Before {
    cause: Cause,
    /// Whose time it was.
    message: Option<MessageId>,
}

/// A walk from the completion back to 0.
struct Walk<'a> {
    recording: &'a Recording<'a>,
    /// The times of channels, on routers of which these are all that a flit takes.
    timing: Option<ChannelTiming>,
    /// How far back it has come.
    at: Ticks,
    path: Vec<Interval>,
}

impl Walk<'_> {
    /// Goes back through all that a `cause` led to, of which `message` was the last to wait.
    fn go_back(&mut self, cause: Cause, message: Option<MessageId>) {
        let mut before = Before { cause, message };
        loop {
            let message = before.message;
            before = match before.cause {
                Cause::Start => return self.spend(IntervalKind::Start, Ticks::ZERO, message, None),
                Cause::Received(received) => self.through(received),
                Cause::Hold(sent) => self.hold(sent),
                Cause::Left(sent) => self.leave(sent),
                Cause::Computed(number) => self.compute(number, message),
            };
        }
    }

    /// The time since `from` was spent on `kind`.
    fn spend(&mut self, kind: IntervalKind, from: Ticks, message: Option<MessageId>, channel: Option<ChannelId>) {
        if from < self.at {
            self.path.push(Interval { kind, from, to: self.at, message, channel, rank: None });
            self.at = from;
        }
    }

    /// Why the send of `message`, whose time it was, began.
    fn began(&self, message: MessageId) -> Before {
        Before { cause: self.recording.began(message).cause, message: Some(message) }
    }

    /// Goes back through the whole of `message`.
    fn through(&mut self, message: MessageId) -> Before {
        let delivered = self.recording.messages[message.index()].outcome.delivered;
        self.spend(IntervalKind::Receive, delivered, Some(message), None);
        let hops = self.recording.hops(message);
        let Some(ejection) = hops.last() else { return self.set_out(message, 0) };
        let (chain, flit_time) = match self.recording.hops.track(message) {
            Some(track) => (track.ejected, track.flit),
            None => {
                let LinkCost { flit_time, delay, .. } = self.recording.machine.ejection_cost(ejection.channel);
                (self.chain(message, hops.len() - 1, self.at - (flit_time + delay)), flit_time)
            }
        };
        let chain = chain.transmitting(flit_time);
        self.follow(message, chain.hopping(self.at - chain.end), ejection.channel)
    }

    /// The chain to the start of the tail of `message` on channel `to` of its path at `at`, of a message whose flits were not
    /// followed.
    fn chain(&self, message: MessageId, to: usize, at: Ticks) -> Chain {
        let flits = self.recording.messages[message.index()].flits.on_wire();
        let hops = self.recording.hops(message);
        let machine = &*self.recording.machine;
        if machine.routers.is_some() {
            // on a chip the tail may have left before the latest time at which the head flit can have
            let from = if to == 1 { 0 } else { to };
            let started = hops[from].started.min(at);
            let transmit = Ticks((flits - 1) * machine.channel.flit_time).min(at - started);
            return Chain::head(from, started).transmitting(transmit).waiting_for_others(from, at);
        }
        // where channels have no delays, only others can keep a flit waiting
        behind_head(hops, flits, machine, to).waiting_for_others(to, at)
    }

    /// Goes back over `chain`, which ends now, and to the beginning of the send of `message`. Parts without a channel of their own are
    /// assigned to `channel`.
    fn follow(&mut self, message: MessageId, chain: Chain, channel: ChannelId) -> Before {
        let hops = self.recording.hops(message);
        let channel_of = |hop: usize| Some(hops[hop].channel);
        let Chain { from, transmit, hop, credit, others, .. } = chain;
        let parts = [
            (self.by_others(), others.0, channel_of(others.1)),
            (IntervalKind::Credit, credit.0, channel_of(credit.1)),
            (IntervalKind::Transmit, transmit, Some(channel)),
            (IntervalKind::Hop, hop, Some(channel)),
        ];
        for (kind, ticks, channel) in parts {
            self.spend(kind, self.at - ticks, Some(message), channel);
        }
        debug_assert_eq!(self.at, self.head(message, from).start.min(self.at), "the parts of {message} do not add up");
        self.set_out(message, from + 1)
    }

    /// The reason for which flits wait that have arrived and have a credit.
    fn by_others(&self) -> IntervalKind {
        if self.recording.machine.routers.is_some() { IntervalKind::Switch } else { IntervalKind::Shared }
    }

    /// The start of the head flit of `message` on channel `hop` of its path.
    fn head(&self, message: MessageId, hop: usize) -> HeadStart {
        let Hop { granted, started, .. } = self.recording.hops(message)[hop];
        let track = self.recording.hops.track(message);
        track.map_or(HeadStart { ready: granted, credit: Ticks::ZERO, start: started }, |track| track.heads[hop])
    }

    /// Goes back from the start of `message` on channel number `hops - 1` of its path to the beginning of its send.
    fn set_out(&mut self, message: MessageId, hops: usize) -> Before {
        let path = &self.recording.hops(message)[..hops];
        for (at, hop) in path.iter().enumerate().rev() {
            let Hop { channel, requested, granted, .. } = *hop;
            let HeadStart { ready, credit, start: left } = self.head(message, at);
            self.spend(IntervalKind::Queue, left, Some(message), Some(channel));
            self.spend(self.by_others(), ready + credit, Some(message), Some(channel));
            self.spend(IntervalKind::Credit, ready, Some(message), Some(channel));
            self.spend(IntervalKind::Hop, granted, Some(message), Some(channel));
            self.spend(IntervalKind::Wait, requested, Some(message), Some(channel));
            if let Some(before) = at.checked_sub(1).map(|before| path[before]) {
                let follows_flits = self.recording.hops.track(message).is_some();
                if let Some(arrived) = self.arrived(before).filter(|_| !follows_flits) {
                    self.spend(IntervalKind::Join, arrived.max(before.started), Some(message), Some(channel));
                }
                self.spend(IntervalKind::Hop, before.started, Some(message), Some(before.channel));
            }
        }
        self.spend(IntervalKind::Send, self.recording.began(message).at, Some(message), None);
        self.began(message)
    }

    /// The first tick at which a head flit that started on a channel as `hop` says can have requested the next one, on routers that may
    /// combine it with others before.
    fn arrived(&self, hop: Hop) -> Option<Ticks> {
        let timing = self.timing.as_ref()?;
        let ChannelCosts { flit_time, routing_delay, .. } = self.recording.machine.channel;
        let arrival = timing.cycles(hop.channel).arrival_after(hop.started.0 / flit_time);
        Some(Ticks(arrival * flit_time + routing_delay))
    }

    /// Goes back from the tick in which it is known that the tail of `sent` has left its injection channel.
    fn leave(&mut self, sent: MessageId) -> Before {
        let injection = self.recording.hops(sent)[0].channel;
        let chain = match self.recording.hops.track(sent) {
            Some(track) => track.left.waiting_for_credit(0, self.at),
            None => {
                let news = self.recording.machine.news_delay(injection);
                self.chain(sent, 1, self.at - news).waiting_for_credit(0, self.at)
            }
        };
        self.follow(sent, chain, injection)
    }

    /// Goes back to the beginning of the send of `sent`, after which its port, or its node, was not free before.
    fn hold(&mut self, sent: MessageId) -> Before {
        self.spend(IntervalKind::Hold, self.recording.began(sent).at, Some(sent), None);
        self.began(sent)
    }

    /// Goes back through a computation, for which `message` waited.
    fn compute(&mut self, number: u32, message: Option<MessageId>) -> Before {
        let Computation { operation, from, cause, .. } = self.recording.computations[number as usize];
        let timeline = self.recording.timeline.as_ref();
        let rank = timeline.zip(operation).map(|(timeline, id)| timeline.goal.rank_of(id));
        if from < self.at {
            self.path.push(Interval { kind: IntervalKind::Compute, from, to: self.at, message, channel: None, rank });
            self.at = from;
        }
        Before { cause, message }
    }
}
