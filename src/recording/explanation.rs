//! Why a run took as long as it did: its critical path, whom that waited for, and who is to blame for all waits.

use super::blame::{Blame, Held, Root};
use super::critical::{Interval, IntervalKind, critical_path};
use super::forest::all_roots;
use super::{Recording, ShownTimes, words};
use crate::units::{ChannelId, MessageId, Ticks};

/// A wait on the critical path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathWait {
    /// Whose head flit waited.
    pub message: MessageId,
    /// For which channel.
    pub channel: ChannelId,
    /// From when.
    pub from: Ticks,
    /// To when.
    pub to: Ticks,
    /// Who had it meanwhile, in order of time.
    pub holders: Vec<Held>,
    /// Who moved while it and all between stood.
    pub roots: Vec<Root>,
}

/// Why a run took as long as it did.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The critical path from 0 to the completion.
    pub path: Vec<Interval>,
    /// How long each kind of its intervals is in all, in the order in which they first appear: they add up to the completion.
    pub shares: Vec<(IntervalKind, Ticks)>,
    /// Its waits.
    pub waits: Vec<PathWait>,
    /// Who is to blame for all waits of the run, from the largest on.
    pub blame: Vec<Root>,
    /// What there is to say of it.
    pub words: Vec<String>,
}

impl Explanation {
    /// The explanation of `recording`, a run of `algorithm`, with times in the unit of `shown`.
    pub fn new(algorithm: &str, recording: &Recording<'_>, shown: ShownTimes) -> Self {
        let path = critical_path(recording);
        let blame = Blame::new(recording);
        let waits = path.iter().filter_map(|interval| PathWait::new(interval, &blame)).collect();
        let words = words::sentences(algorithm, (recording, shown), &path, &blame);
        Self { shares: words::shares(&path), waits, blame: all_roots(recording, &blame), words, path }
    }
}

impl PathWait {
    /// Of an `interval`, if it is a wait.
    fn new(interval: &Interval, blame: &Blame<'_>) -> Option<Self> {
        let &Interval { kind, from, to, message, channel, .. } = interval;
        let message = message.filter(|_| kind == IntervalKind::Wait)?;
        let channel = channel?;
        let holders = blame.holders(channel, from..to);
        Some(Self { message, channel, from, to, holders, roots: blame.roots(channel, from..to) })
    }
}
