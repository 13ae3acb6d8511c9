//! Whether head flits wait for channels in a run, and which was the first.
//!
//! Messages contend for channels beyond injection; at its own injection channel a message waits for its sender's others.

use super::words::counted;
use crate::engine::{Event, Interest, Observer, Outcome, Stop};
use crate::machine::Machine;
use crate::units::{ChannelId, MessageId, Ticks};
use rustc_hash::FxHashMap;

/// Whether head flits waited.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Contention {
    /// How many times a head flit waited; the reason if the run did not come to its end.
    pub blocked_headers: Result<u64, Stop>,
    /// How many of these waited for their own injection channel; none if the run did not come to its end.
    pub queued_messages: u64,
    /// The first that was granted a channel beyond its injection channel after it had waited, in words.
    pub first: Option<String>,
}

impl Contention {
    /// How many times a head flit waited for a channel beyond its own injection channel; none if the run did not come to
    /// its end.
    pub fn waits_beyond_injection(&self) -> u64 {
        self.blocked_headers.as_ref().map_or(0, |all| all - self.queued_messages)
    }
}

/// Notes the first head flit that waited beyond its injection channel, and the message that held the channel.
#[derive(Default)]
pub struct FirstWait {
    owners: FxHashMap<ChannelId, MessageId>,
    first: Option<Wait>,
}

#[derive(Clone, Copy)]
struct Wait {
    message: MessageId,
    channel: ChannelId,
    requested: Ticks,
    granted: Ticks,
    holder: MessageId,
}

impl Observer for FirstWait {
    fn interest(&self) -> Interest {
        Interest::HOPS
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Restarted => *self = Self::default(),
            Event::Granted { message, hop, channel, requested, start: granted } => {
                let before = self.owners.insert(channel, message);
                if hop > 0
                    && granted > requested
                    && self.first.is_none()
                    && let Some(holder) = before
                {
                    self.first = Some(Wait { message, channel, requested, granted, holder });
                }
            }
            _ => {}
        }
    }
}

impl FirstWait {
    /// The contention of a run on `machine` that has `ended`. `name` returns the id of a message.
    pub fn contention(
        &self,
        machine: &Machine,
        ended: Result<Outcome, Stop>,
        name: &dyn Fn(usize) -> u64,
    ) -> Contention {
        let first = ended.as_ref().ok().zip(self.first).map(|(outcome, wait)| wait.describe(outcome, machine, name));
        let queued_messages = ended.as_ref().map_or(0, |outcome| outcome.queued_messages);
        Contention { blocked_headers: ended.map(|outcome| outcome.blocked_headers), queued_messages, first }
    }
}

impl Wait {
    fn describe(&self, outcome: &Outcome, machine: &Machine, name: &dyn Fn(usize) -> u64) -> String {
        let ends = |id: MessageId| {
            let message = &outcome.messages[id.index()];
            format!("message {} ({}->{})", name(id.index()), message.src, message.dst)
        };
        let channel = machine.channel_name(self.channel);
        let blocked = self.granted.0 - self.requested.0;
        format!(
            "{} requests {channel} at tick {},\n    held by {}; granted at tick {} (blocked for {})",
            ends(self.message),
            self.requested,
            ends(self.holder),
            self.granted,
            counted(blocked, "tick"),
        )
    }
}
