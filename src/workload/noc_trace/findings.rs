//! What a run of a trace shows, in sentences: what waits were spent on, and who kept whom waiting, where.

use super::judge::{Parts, Waited};
use super::prepare::Prepared;
use super::reads::in_words;
use crate::engine::program::NocProgram;
use crate::kind::words::{counted, grouped};
use crate::recording::{Hop, Recording};
use crate::units::{ChannelId, MessageId, Ticks};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// How many links, and pairs of messages, are named.
const MOST: usize = 3;

/// How many messages of a chain are named.
const LONGEST_CHAIN: usize = 6;

/// What all waits were spent on.
pub(super) fn of_waits(waited: &[Waited<'_>]) -> Option<String> {
    let all = waited.iter().fold(Parts::default(), |all, one| all.and(&one.parts));
    let sum: u64 = waited.iter().map(Waited::wait).sum();
    if sum == 0 {
        return None;
    }
    let percent = |ticks: u64| 100.0 * ticks as f64 / sum as f64;
    let named = all.named().into_iter().filter(|(_, ticks)| *ticks > 0);
    let parts: Vec<String> = named.map(|(name, ticks)| format!("{name} {:.1} %", percent(ticks))).collect();
    let barriers = counted(waited.len() as u64, "barrier");
    Some(format!("total wait for reads at {barriers}, in ticks: {} ({})", grouped(sum), parts.join(", ")))
}

/// A run that was recorded, whose messages have names.
pub(super) struct Seen<'a> {
    pub(super) prepared: &'a Prepared,
    pub(super) program: &'a NocProgram<'a>,
    pub(super) recording: &'a Recording<'a>,
}

/// A wait of a head flit: from its request of a channel until it starts on it, for a virtual channel and then for room behind it.
#[derive(Clone, Copy)]
struct Wait {
    message: MessageId,
    channel: ChannelId,
    from: Ticks,
    to: Ticks,
    /// Who had the channel before it, and so stood in its way.
    keeper: Option<MessageId>,
}

impl Wait {
    fn ticks(&self) -> Ticks {
        self.to - self.from
    }
}

/// All waits of a run.
pub(super) struct Waits<'a> {
    seen: &'a Seen<'a>,
    /// By message, each in the order of its channels.
    of: Vec<Vec<Wait>>,
}

impl<'a> Seen<'a> {
    /// Its waits.
    pub(super) fn waits(&'a self) -> Waits<'a> {
        let mut granted: FxHashMap<ChannelId, BTreeMap<(Ticks, MessageId), ()>> = FxHashMap::default();
        for message in self.recording.numbers() {
            for hop in self.recording.hops(message) {
                granted.entry(hop.channel).or_default().insert((hop.granted, message), ());
            }
        }
        let wait = |message: MessageId, hop: &Hop| {
            let before = granted[&hop.channel].range(..(hop.granted, message)).next_back();
            let keeper = before.map(|(&(_, message), ())| message);
            Wait { message, channel: hop.channel, from: hop.requested, to: hop.started, keeper }
        };
        let of_message = |message: MessageId| {
            let hops = self.recording.hops(message).iter();
            hops.map(|hop| wait(message, hop)).filter(|wait| wait.to > wait.from).collect()
        };
        Waits { seen: self, of: self.recording.numbers().map(of_message).collect() }
    }

    fn name(&self, message: MessageId) -> String {
        in_words(self.prepared, self.program, message)
    }
}

impl Waits<'_> {
    fn all(&self) -> impl Iterator<Item = &Wait> {
        self.of.iter().flatten()
    }

    /// The channels that head flits waited for longest, virtual channels of a link together.
    pub(super) fn channels(&self) -> Option<String> {
        let mut ticks: BTreeMap<String, u64> = BTreeMap::new();
        let machine = &*self.seen.recording.machine;
        for wait in self.all() {
            let name = machine.link_name(wait.channel).unwrap_or_else(|| machine.channel_name(wait.channel));
            *ticks.entry(name).or_default() += wait.ticks().0;
        }
        let mut named: Vec<(String, u64)> = ticks.into_iter().collect();
        named.sort_by_key(|&(_, ticks)| Reverse(ticks));
        let named = named.iter().take(MOST).map(|(name, ticks)| format!("{name} {}", grouped(*ticks)));
        let named: Vec<String> = named.collect();
        (!named.is_empty())
            .then(|| format!("channels with the longest waits of head flits, in ticks: {}", named.join(", ")))
    }

    /// The pairs of messages of which one kept the other waiting longest.
    pub(super) fn pairs(&self) -> Option<String> {
        let mut ticks: BTreeMap<[MessageId; 2], u64> = BTreeMap::new();
        for wait in self.all() {
            if let Some(keeper) = wait.keeper {
                *ticks.entry([wait.message, keeper]).or_default() += wait.ticks().0;
            }
        }
        let mut pairs: Vec<([MessageId; 2], u64)> = ticks.into_iter().collect();
        pairs.sort_by_key(|&(_, ticks)| Reverse(ticks));
        let name = |&([kept, keeper], ticks): &([MessageId; 2], u64)| {
            format!("{} for the {} ({})", self.seen.name(kept), self.seen.name(keeper), grouped(ticks))
        };
        let named: Vec<String> = pairs.iter().take(MOST).map(name).collect();
        (!named.is_empty()).then(|| format!("longest waits of a message for another, in ticks: {}", named.join("; ")))
    }

    /// The longest wait, and why it was so long: whom it waited for, and whom that one waited for meanwhile.
    pub(super) fn longest(&self) -> Option<String> {
        let mut wait = self.all().min_by_key(|wait| (Reverse(wait.ticks()), wait.message))?;
        let mut text = format!("longest wait: the {} waited {}", self.seen.name(wait.message), self.for_channel(wait));
        for _ in 0..LONGEST_CHAIN {
            let Some(keeper) = wait.keeper else { break };
            text += &format!(", held by the {}", self.seen.name(keeper));
            let meanwhile = self.of[keeper.index()].iter().filter(|own| own.from < wait.to && own.to > wait.from);
            let Some(next) = meanwhile.max_by_key(|own| own.ticks()) else { break };
            text += &format!("; the {} waited {}", self.seen.name(keeper), self.for_channel(next));
            wait = next;
        }
        Some(text)
    }

    fn for_channel(&self, wait: &Wait) -> String {
        format!("{} ticks for {}", grouped(wait.ticks().0), self.seen.recording.machine.channel_name(wait.channel))
    }
}
