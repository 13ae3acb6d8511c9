//! The critical path: one unbroken chain of intervals from 0 to the completion.
//!
//! It is found backwards from the message that was received last. Backwards through a message:
//!
//! ```text
//!   began      requested  granted started                        s_H    s_H + m flit_time  delivered  received
//!     |-- send ----|-- wait --|-shared-|-- hop --|-- wait --| .. --|--- transmit ---|- shared -|- receive -|
//!                   injection channel             next channel      ejection channel
//! ```
//!
//! and then through whatever its send had to wait for last ([`Cause`]). Intervals without length are left out.

use super::{Hop, Recording};
use crate::engine::program::{Cause, Computation};
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
    /// Other virtual channels had the link; on routers also the switch, or the place in front of a buffer.
    Shared,
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
            Self::Shared => "shared",
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
}

impl Interval {
    /// How long it is.
    pub fn ticks(&self) -> Ticks {
        self.to - self.from
    }
}

/// The critical path of `recording`, from 0 on; empty without messages.
pub fn critical_path(recording: &Recording<'_>) -> Vec<Interval> {
    let mut walk = Walk { recording, at: recording.completion, path: Vec::new() };
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
            self.path.push(Interval { kind, from, to: self.at, message, channel });
            self.at = from;
        }
    }

    /// Why the send of `message`, whose time it was, began.
    fn began(&self, message: MessageId) -> Before {
        Before { cause: self.recording.began(message).cause, message: Some(message) }
    }

    /// Goes back through the whole of `message`.
    fn through(&mut self, message: MessageId) -> Before {
        let outcome = &self.recording.messages[message.index()].outcome;
        self.spend(IntervalKind::Receive, outcome.delivered, Some(message), None);
        let hops = self.recording.hops(message);
        if let Some(ejection) = hops.last() {
            let channel = Some(ejection.channel);
            let LinkCost { flit_time, delay } = self.recording.machine.ejection_cost(ejection.channel);
            let flits = self.recording.messages[message.index()].flits.on_wire();
            let arrives = ejection.started + delay;
            let transmitted = arrives + Ticks(flit_time.0 * flits);
            self.spend(IntervalKind::Shared, transmitted, Some(message), channel);
            self.spend(IntervalKind::Transmit, arrives, Some(message), channel);
            self.spend(IntervalKind::Hop, ejection.started, Some(message), channel);
        }
        self.set_out(message, hops.len())
    }

    /// Goes back from the start of `message` on channel number `hops - 1` of its path to the beginning of its send.
    fn set_out(&mut self, message: MessageId, hops: usize) -> Before {
        let path = &self.recording.hops(message)[..hops];
        for (at, hop) in path.iter().enumerate().rev() {
            let Hop { channel, requested, granted, .. } = *hop;
            self.spend(IntervalKind::Shared, granted, Some(message), Some(channel));
            self.spend(IntervalKind::Wait, requested, Some(message), Some(channel));
            if let Some(before) = at.checked_sub(1).map(|before| path[before]) {
                self.spend(IntervalKind::Hop, before.started, Some(message), Some(before.channel));
            }
        }
        self.spend(IntervalKind::Send, self.recording.began(message).at, Some(message), None);
        self.began(message)
    }

    /// Goes back to the beginning of the send of `sent`, after which its port, or its node, was not free before.
    fn hold(&mut self, sent: MessageId) -> Before {
        self.spend(IntervalKind::Hold, self.recording.began(sent).at, Some(sent), None);
        self.began(sent)
    }

    /// Goes back from the tick in which the tail of `sent` left its injection channel to the hop that decided when it did.
    fn leave(&mut self, sent: MessageId) -> Before {
        let hops = self.recording.hops(sent);
        let injection = Some(hops[0].channel);
        let Decider { hop, left } = self.decider(sent);
        self.spend(IntervalKind::Shared, left, Some(sent), injection);
        self.spend(IntervalKind::Transmit, hops[hop].started, Some(sent), injection);
        self.set_out(sent, hop + 1)
    }

    /// The hop that decided when the tail of `sent` left its injection channel, and when that would have been had its links been
    /// its own: the worm engine's `release(0)`. Where channels differ, and on routers, the injection channel itself.
    fn decider(&self, sent: MessageId) -> Decider {
        let hops = self.recording.hops(sent);
        let machine = self.recording.machine;
        let of_injection = Decider { hop: 0, left: self.at };
        if machine.is_uneven() || machine.routers.is_some() {
            return of_injection;
        }
        let flits = self.recording.messages[sent.index()].flits.on_wire();
        let buffer = machine.channel.buffer.without_delay();
        let reach = (flits - 1) / buffer;
        let deciding = (0..=reach).zip(hops.iter().enumerate().skip(1)).map(|(ahead, (hop, start))| {
            let behind = flits - 1 - ahead * buffer;
            Decider { hop, left: start.started + Ticks(machine.channel.flit_time * behind) }
        });
        // of equals the first, which is the smallest hop
        deciding.reduce(|first, next| if next.left > first.left { next } else { first }).unwrap_or(of_injection)
    }

    /// Goes back through a computation, for which `message` waited.
    fn compute(&mut self, number: u32, message: Option<MessageId>) -> Before {
        let Computation { from, cause, .. } = self.recording.computations[number as usize];
        self.spend(IntervalKind::Compute, from, message, None);
        Before { cause, message }
    }
}

/// A hop of a message, and when its tail left its injection channel because of it.
struct Decider {
    hop: usize,
    left: Ticks,
}
