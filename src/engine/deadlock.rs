//! Messages or packets that wait for each other's channels for ever.

use crate::units::{ChannelId, MessageId};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::fmt;

/// A run that cannot end: nothing can happen any more and messages are undelivered.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Deadlock {
    /// Every undelivered message that waits for a channel, by number; at virtual-channel routers every packet in front of
    /// a buffer that it will never leave, by buffer.
    pub waiting: Vec<Waiting>,
    /// Of these, a cycle: each waits for the next, and the last for the first.
    pub cycle: Vec<Waiting>,
    /// All of `waiting` in words.
    summary: String,
    /// What each of `cycle` waits for, in words.
    waits: Vec<String>,
    /// What `cycle` counts.
    unit: &'static str,
}

/// A message or packet that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Waiting {
    /// The message; of packets at virtual-channel routers, the number among those under way.
    pub message: MessageId,
    /// The channel it waits for; of a packet at a virtual-channel router, the one in whose buffer it stands.
    pub channel: ChannelId,
}

/// Most messages, and most members of a cycle, that are named.
const SHOWN: usize = 12;

impl Deadlock {
    /// The deadlock of `waiting` messages that wait for channels; `held` are channels as paths name them, each with a message that
    /// holds it. Of those that hold ports of one node the first by number is taken, so that every engine names the same cycle.
    pub(super) fn of_messages(
        waiting: Vec<Waiting>,
        held: &mut dyn Iterator<Item = (ChannelId, MessageId)>,
        name: &dyn Fn(ChannelId) -> String,
    ) -> Box<Self> {
        let mut holders: FxHashMap<ChannelId, MessageId> = FxHashMap::default();
        for (channel, message) in held {
            let holder = holders.entry(channel).or_insert(message);
            *holder = message.min(*holder);
        }
        let wants: FxHashMap<MessageId, ChannelId> = waiting.iter().map(|w| (w.message, w.channel)).collect();
        let next = |at: Waiting| {
            let message = *holders.get(&at.channel)?;
            wants.get(&message).map(|&channel| Waiting { message, channel })
        };
        let summary = summary(&waiting);
        let words = |at: Waiting, holder: Waiting| {
            format!("message {} waits for channel {}, held by message {}", at.message, name(at.channel), holder.message)
        };
        Self::new(waiting, &next, summary, &words, "messages")
    }

    /// The deadlock of messages that wait for channels, each with the message that holds the channel, if some wait for each other.
    pub(super) fn of_holders(
        waits: Vec<(Waiting, MessageId)>,
        name: &dyn Fn(ChannelId) -> String,
    ) -> Option<Box<Self>> {
        let mut blocked: BTreeMap<MessageId, Vec<(ChannelId, MessageId)>> = BTreeMap::new();
        for (Waiting { message, channel }, holder) in waits {
            blocked.entry(message).or_default().push((channel, holder));
        }
        // messages that wait for none of these do not wait forever
        while let Some(&free) = blocked.keys().find(|message| {
            blocked[message].iter().all(|(_, holder)| !blocked.contains_key(holder) || holder == *message)
        }) {
            blocked.remove(&free);
        }
        let next = |message: MessageId| {
            let held = |&&(_, holder): &&(ChannelId, MessageId)| holder != message && blocked.contains_key(&holder);
            blocked.get(&message)?.iter().find(held).copied()
        };
        let waiting = |message: MessageId| next(message).map(|(channel, _)| Waiting { message, channel });
        let all: Vec<Waiting> = blocked.keys().filter_map(|&message| waiting(message)).collect();
        if all.is_empty() {
            return None;
        }
        let summary = summary(&all);
        let follow = |at: Waiting| waiting(next(at.message)?.1);
        let words = |at: Waiting, holder: Waiting| {
            format!("message {} waits for channel {}, held by message {}", at.message, name(at.channel), holder.message)
        };
        Some(Self::new(all, &follow, summary, &words, "messages"))
    }

    /// The deadlock of packets that stand in front of buffers, of which each waits for the `next`; found in the cycle
    /// `now`.
    pub(super) fn of_packets(
        waiting: Vec<Waiting>,
        next: &dyn Fn(Waiting) -> Option<Waiting>,
        now: u64,
        packet: &dyn Fn(Waiting) -> String,
    ) -> Box<Self> {
        let buffers = waiting.len();
        let subject = match buffers {
            1 => "packet at the front of 1 buffer".to_owned(),
            _ => format!("packets at the front of {buffers} buffers"),
        };
        let summary = format!("the {subject} can never leave; found in cycle {now}");
        let words = |at, holder| format!("{} waits for {}", packet(at), packet(holder));
        Self::new(waiting, next, summary, &words, "buffers")
    }

    /// The deadlock of `waiting`, with the cycle that the first runs into by way of the `next` that each waits for.
    fn new(
        waiting: Vec<Waiting>,
        next: &dyn Fn(Waiting) -> Option<Waiting>,
        summary: String,
        words: &dyn Fn(Waiting, Waiting) -> String,
        unit: &'static str,
    ) -> Box<Self> {
        let mut walk: Vec<Waiting> = Vec::new();
        let mut at = waiting.first().copied();
        let mut cycle = Vec::new();
        while let Some(member) = at {
            if let Some(start) = walk.iter().position(|&seen| seen == member) {
                cycle = walk.split_off(start);
                break;
            }
            walk.push(member);
            at = next(member);
        }
        let holders = cycle.iter().cycle().skip(1);
        let waits = cycle.iter().zip(holders).take(SHOWN).map(|(&at, &holder)| words(at, holder)).collect();
        Box::new(Self { waiting, cycle, summary, waits, unit })
    }
}

/// The messages that wait, in a sentence.
fn summary(waiting: &[Waiting]) -> String {
    let messages: Vec<String> = waiting.iter().take(SHOWN).map(|w| w.message.to_string()).collect();
    let subject = if waiting.len() == 1 { "message waits" } else { "messages wait" };
    let mut summary = format!("{} {subject} forever: {}", waiting.len(), messages.join(", "));
    if waiting.len() > SHOWN {
        summary += &format!(" and {} more", waiting.len() - SHOWN);
    }
    summary
}

impl std::error::Error for Deadlock {}

impl fmt::Display for Deadlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "deadlock: {}", self.summary)?;
        for wait in &self.waits {
            write!(f, "\n  {wait}")?;
        }
        if self.cycle.len() > SHOWN {
            write!(f, "\n  ... {} {} in the cycle", self.cycle.len(), self.unit)?;
        }
        Ok(())
    }
}
