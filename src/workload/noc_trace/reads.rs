//! What became of each read: when it was where, what kept it, and who.

use super::NocTrace;
use super::judge::noc;
use super::prepare::{Access, Prepared, Who};
use crate::engine::program::NocProgram;
use crate::engine::{Event, Interest, MessageOutcome, Observer};
use crate::kind::RowFile;
use crate::units::{ChannelId, MessageId, Ticks};
use rustc_hash::FxHashMap;
use serde::Serialize;

/// A line per read.
pub(super) const READS: RowFile = RowFile {
    name: "reads.csv",
    header: &[
        "point",
        "algorithm",
        "repetition",
        "x",
        "y",
        "proc",
        "noc",
        "index",
        "from_x",
        "from_y",
        "bytes",
        "issued",
        "requested",
        "answered",
        "done",
        "hops",
        "blocked",
        "blocked_by",
    ],
};

/// Watches who kept whom waiting: for a virtual channel, and then for room behind it.
pub(super) struct Blockers {
    /// Per message, for how long each other one kept its head flit waiting, in the order in which they did.
    by: Vec<Vec<(MessageId, u64)>>,
    /// Per channel, who had it last.
    had: FxHashMap<ChannelId, MessageId>,
    /// Per message, the channel that it was granted last: when it requested it, and who had it before.
    granted: Vec<Option<(Ticks, MessageId)>>,
}

impl Blockers {
    /// Of so many messages.
    pub(super) fn new(messages: usize) -> Self {
        Self { by: vec![Vec::new(); messages], had: FxHashMap::default(), granted: vec![None; messages] }
    }

    /// Who kept the messages `of` waiting longest, and how long all did; none where nothing had to wait.
    fn longest(&self, of: impl Iterator<Item = MessageId>) -> (u64, Option<MessageId>) {
        let mut all: Vec<(MessageId, u64)> = Vec::new();
        for &(blocker, ticks) in of.flat_map(|message| &self.by[message.index()]) {
            match all.iter_mut().find(|(known, _)| *known == blocker) {
                Some((_, sum)) => *sum += ticks,
                None => all.push((blocker, ticks)),
            }
        }
        let sum = all.iter().map(|(_, ticks)| ticks).sum();
        // of several that took as long the first
        let longest = all.iter().rev().max_by_key(|(_, ticks)| *ticks);
        (sum, longest.map(|(blocker, _)| *blocker))
    }
}

impl Observer for Blockers {
    fn interest(&self) -> Interest {
        Interest::HOPS
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Granted { message, channel, requested, .. } => {
                let before = self.had.insert(channel, message);
                self.granted[message.index()] = before.map(|before| (requested, before));
            }
            Event::Started { message, at, .. } => {
                if let Some((requested, before)) = self.granted[message.index()].take()
                    && at > requested
                {
                    self.by[message.index()].push((before, at.0 - requested.0));
                }
            }
            _ => {}
        }
    }
}

/// A line of reads.csv.
#[derive(Serialize)]
pub(super) struct Line<'a> {
    x: u16,
    y: u16,
    proc: &'a str,
    noc: String,
    index: u32,
    from_x: u16,
    from_y: u16,
    bytes: u64,
    issued: u64,
    requested: u64,
    answered: u64,
    done: u64,
    hops: u32,
    blocked: u64,
    blocked_by: String,
}

/// What is known of a run that lines of reads are made of.
pub(super) struct Seen<'a> {
    pub(super) trace: &'a NocTrace,
    pub(super) program: &'a NocProgram<'a>,
    pub(super) messages: &'a [MessageOutcome],
    pub(super) blockers: &'a Blockers,
}

impl<'a> Seen<'a> {
    /// The messages of an access: there, and back.
    fn messages_of(&self, access: &Access) -> impl Iterator<Item = [MessageId; 2]> + use<'_> {
        access.transfers.clone().map(|transfer| {
            let there = self.program.first_message(transfer);
            [there, MessageId(there.0 + 1)]
        })
    }

    fn outcome(&self, message: MessageId) -> &MessageOutcome {
        &self.messages[message.index()]
    }

    /// Links on the way of its first request and of the reply.
    fn way(&self, read: &Access) -> u32 {
        let first = self.messages_of(read).next();
        first.into_iter().flatten().map(|message| self.outcome(message).hops).sum()
    }

    pub(super) fn line(&self, read: &'a Access) -> Line<'a> {
        let prepared = &*self.trace.prepared;
        let there = || self.messages_of(read).map(|[there, _]| self.outcome(there));
        let back = || self.messages_of(read).map(|[_, back]| self.outcome(back));
        let last = |times: &mut dyn Iterator<Item = Ticks>| times.fold(Ticks::ZERO, Ticks::max).0;
        let first_reply = back().map(|reply| reply.injected).min();
        let (blocked, blocker) = self.blockers.longest(self.messages_of(read).flatten());
        let Who { core, name: proc } = prepared.processors[read.processor as usize];
        Line {
            x: core.x,
            y: core.y,
            proc,
            noc: noc(read.network),
            index: read.index,
            from_x: read.other.x,
            from_y: read.other.y,
            bytes: read.bytes,
            issued: self.program.issued(read.transfers.start).0,
            requested: last(&mut there().map(|request| request.delivered)),
            answered: first_reply.map_or(0, |at| at.0),
            done: last(&mut back().map(|reply| reply.delivered)),
            hops: self.way(read),
            blocked,
            blocked_by: blocker.map_or_else(String::new, |message| in_words(prepared, self.program, message)),
        }
    }
}

/// Whose message `message` is, such as `reply to (9,2) NCRISC read 17`.
pub(super) fn in_words(prepared: &Prepared, program: &NocProgram<'_>, message: MessageId) -> String {
    let (transfer, is_back) = program.transfer_of(message);
    let owner = prepared.accesses.partition_point(|access| access.transfers.end <= transfer);
    let access = &prepared.accesses[owner];
    let Who { core, name: proc } = prepared.processors[access.processor as usize];
    let (what, preposition) = access.purpose.in_words(is_back);
    format!("{what} {preposition} ({},{}) {proc} {}", core.x, core.y, access.index)
}
