//! Messages that wait for each other's channels for ever.

use crate::units::{ChannelId, MessageId};
use rustc_hash::FxHashMap;
use std::fmt;

/// A run that cannot end: no event is left and messages are undelivered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deadlock {
    /// Every undelivered message that waits for a channel, by number.
    pub waiting: Vec<Waiting>,
    /// Messages each of which holds what the one before waits for, and the last waits for what the first holds.
    pub cycle: Vec<Waiting>,
    /// The names of the channels in `cycle`, in its order.
    channel_names: Vec<String>,
}

/// A message that waits for a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Waiting {
    /// The message.
    pub message: MessageId,
    /// The channel it waits for.
    pub channel: ChannelId,
}

impl Deadlock {
    /// The deadlock in which `waiting` messages wait for channels held as `held` says, with a cycle found in it.
    pub(crate) fn find(
        waiting: Vec<Waiting>,
        held: &FxHashMap<ChannelId, MessageId>,
        name: impl Fn(ChannelId) -> String,
    ) -> Box<Self> {
        let wants: FxHashMap<MessageId, ChannelId> = waiting.iter().map(|w| (w.message, w.channel)).collect();
        let next = |at: Waiting| {
            let message = *held.get(&at.channel)?;
            wants.get(&message).map(|&channel| Waiting { message, channel })
        };
        let cycle = waiting.first().map_or_else(Vec::new, |&first| {
            let mut walk: Vec<Waiting> = Vec::new();
            let mut at = Some(first);
            while let Some(step) = at {
                if let Some(start) = walk.iter().position(|seen| seen.message == step.message) {
                    return walk.split_off(start);
                }
                walk.push(step);
                at = next(step);
            }
            Vec::new()
        });
        let channel_names = cycle.iter().map(|w| name(w.channel)).collect();
        Box::new(Self { waiting, cycle, channel_names })
    }
}

impl std::error::Error for Deadlock {}

impl fmt::Display for Deadlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 12;
        let messages: Vec<String> = self.waiting.iter().take(SHOWN).map(|w| w.message.to_string()).collect();
        let more = self.waiting.len().saturating_sub(SHOWN);
        write!(f, "deadlock: {} messages wait for ever: {}", self.waiting.len(), messages.join(", "))?;
        if more > 0 {
            write!(f, " and {more} more")?;
        }
        let holders = self.cycle.iter().cycle().skip(1);
        for ((waiting, holder), name) in self.cycle.iter().zip(holders).zip(&self.channel_names).take(SHOWN) {
            write!(f, "\n  message {} waits for channel {name}, held by message {}", waiting.message, holder.message)?;
        }
        if self.cycle.len() > SHOWN {
            write!(f, "\n  ... a cycle of {} messages in all", self.cycle.len())?;
        }
        Ok(())
    }
}
