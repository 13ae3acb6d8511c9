//! A run beside what was recorded: how long barriers waited, and how far off that is.

use super::NocTrace;
use super::prepare::{Access, Barrier, Purpose, Who};
use crate::engine::MessageOutcome;
use crate::engine::program::NocProgram;
use crate::kind::RowFile;
use crate::machine::Device;
use crate::units::{MessageId, SignedMillionths};
use serde::Serialize;

/// A line per barrier that follows reads.
pub(super) const BARRIERS: RowFile = RowFile {
    name: "barriers.csv",
    header: &[
        "point",
        "algorithm",
        "repetition",
        "trace",
        "x",
        "y",
        "proc",
        "noc",
        "index",
        "reads",
        "last_read",
        "end",
        "wait",
        "chip_last_read",
        "chip_end",
        "chip_wait",
        "error",
        "issue",
        "request",
        "request_blocked",
        "source",
        "reply_blocked",
        "reply",
        "wake",
    ],
};

/// A barrier as it was simulated, and as it was recorded if that is compared.
#[derive(Clone, Debug)]
pub(super) struct Waited<'a> {
    pub(super) barrier: &'a Barrier,
    /// The last read before it.
    pub(super) last: &'a Access,
    /// When that was issued, and when the barrier ended.
    pub(super) issued: u64,
    pub(super) end: u64,
    /// What it waited for, in parts that add up to the wait.
    pub(super) parts: Parts,
}

/// What a wait was spent on: the way of the read that came last, as far as it lies behind the issue of the last read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct Parts {
    /// The processor issued the request.
    pub(super) issue: u64,
    /// The request went as it would alone.
    pub(super) request: u64,
    /// The request was kept by others: on its way, or because its end held as many as it may.
    pub(super) request_blocked: u64,
    /// The end looked the data up, and sent what it had been asked for before.
    pub(super) source: u64,
    /// The reply was kept by others.
    pub(super) reply_blocked: u64,
    /// The reply went as it would alone.
    pub(super) reply: u64,
    /// The processor woke up, or the barrier took what barriers take.
    pub(super) wake: u64,
}

impl Parts {
    /// By name, in the order in which they follow each other.
    pub(super) fn named(&self) -> [(&'static str, u64); 7] {
        [
            ("issue", self.issue),
            ("request", self.request),
            ("blocked request", self.request_blocked),
            ("source", self.source),
            ("blocked reply", self.reply_blocked),
            ("reply", self.reply),
            ("wake-up", self.wake),
        ]
    }

    /// Of both.
    pub(super) fn and(&self, other: &Self) -> Self {
        Self {
            issue: self.issue + other.issue,
            request: self.request + other.request,
            request_blocked: self.request_blocked + other.request_blocked,
            source: self.source + other.source,
            reply_blocked: self.reply_blocked + other.reply_blocked,
            reply: self.reply + other.reply,
            wake: self.wake + other.wake,
        }
    }
}

/// A stretch of time that is dealt out, the part before its beginning cut off.
struct Window {
    from: u64,
    at: u64,
}

impl Window {
    /// What lies in it of the time from where the last part ended until `until`.
    fn until(&mut self, until: u64) -> u64 {
        let from = self.at.max(self.from);
        self.at = self.at.max(until);
        self.at.saturating_sub(from)
    }
}

impl Waited<'_> {
    pub(super) fn wait(&self) -> u64 {
        self.end - self.issued
    }

    fn recorded_wait(&self) -> u64 {
        self.barrier.recorded_end.saturating_sub(self.last.recorded)
    }

    /// How far the wait is off, if anything was waited for.
    fn error(&self) -> Option<f64> {
        let recorded = self.recorded_wait();
        (recorded > 0).then(|| self.wait() as f64 / recorded as f64 - 1.0)
    }
}

/// A run that is looked at.
pub(super) struct Run<'a> {
    pub(super) trace: &'a NocTrace,
    pub(super) device: &'a Device,
    pub(super) program: &'a NocProgram<'a>,
    pub(super) messages: &'a [MessageOutcome],
}

impl Run<'_> {
    fn outcome(&self, message: MessageId) -> &MessageOutcome {
        &self.messages[message.index()]
    }

    /// The transfer for which `barrier` waited longest.
    fn last_transfer(&self, barrier: &Barrier) -> Option<u32> {
        let last = barrier.last? as usize;
        let accesses = &self.trace.prepared.accesses[..=last];
        let reads = accesses.iter().rev().filter(|access| access.purpose == Purpose::Read);
        let transfers = reads.take(barrier.accesses as usize).flat_map(|access| access.transfers.clone());
        transfers.max_by_key(|&transfer| self.outcome(self.program.answer_of(transfer)).delivered)
    }

    /// What the wait of `barrier` since `from`, when its last read was issued, until `end` was spent on.
    fn parts(&self, barrier: &Barrier, from: u64, end: u64) -> Parts {
        let Some(transfer) = self.last_transfer(barrier) else { return Parts::default() };
        let request = self.outcome(self.program.first_message(transfer));
        let reply = self.outcome(self.program.answer_of(transfer));
        let issued = self.program.issued(transfer).0;
        let lengths = &self.trace.prepared.transfers[transfer as usize];
        let alone = |outcome: &MessageOutcome, flits| self.device.unloaded(outcome.hops as usize, flits).0;
        let at_rate = self.device.sending(self.trace.prepared.ends[lengths.ends.start as usize], lengths.back);
        let asked = issued + self.device.constants.issue;
        let mut window = Window { from, at: issued };
        let issue = window.until(asked);
        let way = window.until((asked + alone(request, lengths.there)).min(request.delivered.0));
        let request_blocked = window.until(request.delivered.0);
        let source = window.until(reply.injected.0);
        let kept = (reply.delivered.0 - reply.injected.0).saturating_sub(alone(reply, 1) + at_rate);
        let reply_blocked = window.until(reply.injected.0 + kept);
        let moving = window.until(reply.delivered.0);
        let wake = window.until(end);
        Parts { issue, request: way, request_blocked, source, reply_blocked, reply: moving, wake }
    }
}

/// The barriers of a run that follow reads.
pub(super) fn waited<'a>(run: &Run<'a>) -> Vec<Waited<'a>> {
    let Run { trace, program, .. } = *run;
    let prepared = &trace.prepared;
    let of_reads = prepared.barriers.iter().filter(|barrier| barrier.of_reads && barrier.accesses > 0);
    let waited = |barrier: &'a Barrier| {
        let last = &prepared.accesses[barrier.last? as usize];
        let issued = program.issued(last.transfers.start).0;
        let end = program.passed(barrier.processor as usize)[barrier.passed as usize].end.0;
        Some(Waited { barrier, last, issued, end, parts: run.parts(barrier, issued, end) })
    };
    of_reads.filter_map(waited).collect()
}

/// A line of barriers.csv.
#[derive(Serialize)]
pub(super) struct Line<'a> {
    trace: &'a str,
    x: u16,
    y: u16,
    proc: &'a str,
    noc: String,
    index: u32,
    reads: u32,
    last_read: u64,
    end: u64,
    wait: u64,
    chip_last_read: Option<u64>,
    chip_end: Option<u64>,
    chip_wait: Option<u64>,
    error: Option<String>,
    parts: Parts,
}

pub(super) fn line<'a>(trace: &'a NocTrace, waited: &Waited<'a>) -> Line<'a> {
    let Waited { barrier, last, issued, end, parts } = *waited;
    let Who { core, name: proc } = trace.prepared.processors[barrier.processor as usize];
    let told = |recorded: u64| trace.compare.then_some(recorded);
    let error = waited.error().filter(|_| trace.compare);
    Line {
        trace: &trace.file,
        x: core.x,
        y: core.y,
        proc,
        noc: noc(barrier.network),
        index: barrier.index,
        reads: barrier.accesses,
        last_read: issued,
        end,
        wait: waited.wait(),
        chip_last_read: told(last.recorded),
        chip_end: told(barrier.recorded_end),
        chip_wait: told(waited.recorded_wait()),
        error: error.map(|error| millionths(error).to_string()),
        parts,
    }
}

/// What traces call a network.
pub(super) fn noc(network: u8) -> String {
    format!("NOC_{network}")
}

pub(super) fn millionths(value: f64) -> SignedMillionths {
    #[expect(clippy::cast_possible_truncation, reason = "errors are small numbers")]
    SignedMillionths((value * 1e6).round() as i64)
}

/// How far waits are off, whichever way: the median, and what nine of ten do not exceed. None without waits.
pub(super) fn wait_errors(waited: &[Waited<'_>]) -> Option<[f64; 2]> {
    let mut errors: Vec<f64> = waited.iter().filter_map(Waited::error).map(f64::abs).collect();
    if errors.is_empty() {
        return None;
    }
    errors.sort_by(f64::total_cmp);
    Some([50, 90].map(|percent| errors[(errors.len() * percent / 100).min(errors.len() - 1)]))
}

/// How far a length that was simulated is off from the one that was recorded; none of nothing.
pub(super) fn error(simulated: u64, recorded: u64) -> Option<f64> {
    (recorded > 0).then(|| simulated as f64 / recorded as f64 - 1.0)
}
