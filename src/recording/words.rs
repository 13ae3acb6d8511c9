//! The sentences that say why a run took as long as it did.

use super::critical::{Interval, IntervalKind};
use super::{Blame, Recording};
use crate::kind::words::grouped;
use crate::units::{ChannelId, MessageId, Ticks, time_text};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The unit in which people read times: ticks, or units of time if the nanoseconds of a tick are given.
#[derive(Clone, Copy, Debug, Default)]
pub struct ShownTimes(pub Option<f64>);

impl ShownTimes {
    /// `time` as a number of ticks, or with a unit of time.
    #[expect(clippy::cast_precision_loss, reason = "for people to read")]
    pub fn text(self, time: Ticks) -> String {
        self.0.map_or_else(|| grouped(time.0), |tick| time_text(time.0 as f64 * tick))
    }

    /// Returns the text of `time` with the word `ticks` behind a number of ticks.
    pub fn text_with_unit(self, time: Ticks) -> String {
        let unit = match (self.0, time) {
            (Some(_), _) => "",
            (None, Ticks(1)) => " tick",
            (None, _) => " ticks",
        };
        format!("{}{unit}", self.text(time))
    }
}

/// So many waits are told.
const TOLD: usize = 3;

/// How long each kind of interval is in all, in the order in which they first appear.
pub(super) fn shares(path: &[Interval]) -> Vec<(IntervalKind, Ticks)> {
    let mut shares: Vec<(IntervalKind, Ticks)> = Vec::new();
    for interval in path {
        match shares.iter_mut().find(|(kind, _)| *kind == interval.kind) {
            Some((_, ticks)) => *ticks += interval.ticks(),
            None => shares.push((interval.kind, interval.ticks())),
        }
    }
    shares
}

/// What the run of `algorithm` took, and whom its critical `path` waited for longest.
pub(super) fn sentences(
    algorithm: &str,
    (recording, shown): (&Recording<'_>, ShownTimes),
    path: &[Interval],
    blame: &Blame<'_>,
) -> Vec<String> {
    let completion = recording.completion;
    let part = |&(kind, ticks): &(IntervalKind, Ticks)| {
        format!("{} {} ({})", shown.text(ticks), kind.name(), percent(ticks, completion))
    };
    let parts: Vec<String> = shares(path).iter().map(part).collect();
    let sum = if parts.is_empty() { String::new() } else { format!(" = {}", parts.join(" + ")) };
    let first = format!("{algorithm}: completion {}{sum}", shown.text_with_unit(completion));
    let waits = longest_waits(recording, path, blame).into_iter().map(|wait| {
        let Wait { ticks, holder, channel } = wait;
        let of_all = percent(ticks, completion);
        format!("{} ({of_all}) waiting for message {} on {channel}", shown.text(ticks), recording.id(holder))
    });
    let computed = longest_computations(path).into_iter().map(|(rank, ticks)| {
        format!("{} ({}) computing on rank {rank}", shown.text(ticks), percent(ticks, completion))
    });
    std::iter::once(first).chain(computed).chain(waits).collect()
}

/// The ranks whose computations are on `path`, and their ticks, the longest first.
fn longest_computations(path: &[Interval]) -> Vec<(u32, Ticks)> {
    let mut ranks: BTreeMap<u32, Ticks> = BTreeMap::new();
    for interval in path {
        if let Some(rank) = interval.rank {
            *ranks.entry(rank).or_default() += interval.ticks();
        }
    }
    let mut ranks: Vec<(u32, Ticks)> = ranks.into_iter().collect();
    ranks.sort_by_key(|&(rank, ticks)| (Reverse(ticks), rank));
    ranks.truncate(TOLD);
    ranks
}

/// A holder that the path waited for on a channel.
struct Wait {
    ticks: Ticks,
    holder: MessageId,
    channel: String,
}

/// The longest waits of `path` by direct holder and channel; of equals by number and name.
fn longest_waits(recording: &Recording<'_>, path: &[Interval], blame: &Blame<'_>) -> Vec<Wait> {
    let mut all: BTreeMap<(MessageId, ChannelId), Ticks> = BTreeMap::new();
    for wait in path.iter().filter(|interval| interval.kind == IntervalKind::Wait) {
        let Some(channel) = wait.channel else { continue };
        for held in blame.holders(channel, wait.from..wait.to) {
            *all.entry((held.message, channel)).or_default() += held.ticks;
        }
    }
    let named = all.into_iter().map(|((holder, channel), ticks)| {
        let channel = recording.machine.channel_name(channel);
        Wait { ticks, holder, channel }
    });
    let mut waits: Vec<Wait> = named.collect();
    waits.sort_by(|a, b| (Reverse(a.ticks), a.holder, &a.channel).cmp(&(Reverse(b.ticks), b.holder, &b.channel)));
    waits.truncate(TOLD);
    waits
}

/// `part` of `all`, such as `12.3 %`.
#[expect(clippy::cast_precision_loss, reason = "for people to read")]
pub(super) fn percent(part: Ticks, all: Ticks) -> String {
    format!("{:.1} %", 100.0 * part.0 as f64 / all.0 as f64)
}
