//! The hops of a recorded run as text of a page: columns of small numbers, packed.
//!
//! Numbers are LEB128; of signed ones the sign is the lowest bit (zigzag). A column is
//! deflated, raw, and written in base64: about two bytes a hop.

use super::channels::ChannelList;
use crate::engine::program::{Began, Cause};
use crate::leb128;
use crate::recording::{Hop, Recording};
use crate::units::{MessageId, Ticks};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::DeflateEncoder;
use std::io::Write;

/// A column of numbers.
#[derive(Default)]
struct Column {
    bytes: Vec<u8>,
}

impl Column {
    fn push(&mut self, number: u64) {
        leb128::push(&mut self.bytes, number);
    }

    fn push_ticks(&mut self, ticks: Ticks) {
        self.push(ticks.0);
    }

    /// The difference of two numbers, with its sign.
    fn push_difference(&mut self, number: u64, before: u64) {
        let difference = number.wrapping_sub(before).cast_signed();
        self.push(((difference << 1) ^ (difference >> 63)).cast_unsigned());
    }

    /// Base64 of the deflated bytes.
    #[expect(clippy::expect_used, reason = "memory takes all bytes")]
    fn text(&self) -> String {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(&self.bytes).expect("memory takes all bytes");
        STANDARD.encode(encoder.finish().expect("memory takes all bytes"))
    }
}

/// A text of a page, with the end of its id.
pub(super) struct Blob {
    /// What it has, such as `hops`.
    pub(super) name: &'static str,
    /// Base64.
    pub(super) text: String,
}

/// How long a head flit is on its way from the start on a channel to the request of the next, in the shortest case.
#[derive(Clone, Copy)]
pub(super) struct Stride {
    /// The ticks of a flit.
    pub(super) flit_time: u64,
    /// The ticks after that.
    pub(super) routing_delay: u64,
}

impl Stride {
    fn next_request(self, hop: &Hop) -> u64 {
        hop.started_by().0 + self.flit_time + self.routing_delay
    }
}

/// All of `recording`.
pub(super) fn hop_blobs(recording: &Recording<'_>, channels: &ChannelList, stride: Stride) -> Vec<Blob> {
    let mut columns = Columns { stride, requested: 0, late: false, ..Columns::default() };
    for message in recording.numbers() {
        columns.add(recording, channels, message);
    }
    columns.blobs()
}

/// The columns of a run.
#[derive(Default)]
struct Columns {
    messages: Column,
    paths: Column,
    hops: Column,
    causes: Column,
    /// By how much requests are later than the shortest way of the head flit says, and whether any is.
    requests: Column,
    late: bool,
    stride: Stride,
    /// When the message before was requested.
    requested: u64,
}

impl Default for Stride {
    fn default() -> Self {
        Self { flit_time: 1, routing_delay: 0 }
    }
}

impl Columns {
    fn add(&mut self, recording: &Recording<'_>, channels: &ChannelList, message: MessageId) {
        let detail = &recording.messages[message.index()];
        let hops = recording.hops(message);
        let outcome = &detail.outcome;
        self.messages.push(outcome.src.0.into());
        self.messages.push(outcome.dst.0.into());
        self.messages.push(detail.flits.0);
        self.messages.push(hops.len() as u64);
        self.messages.push_difference(outcome.requested.0, self.requested);
        self.requested = outcome.requested.0;
        let released = hops.last().map_or(outcome.delivered, |hop| hop.released);
        self.messages.push_ticks(outcome.received - released);
        self.add_hops(hops, channels);
        self.add_cause(message, detail.began, outcome.requested);
    }

    fn add_hops(&mut self, hops: &[Hop], channels: &ChannelList) {
        let mut channel_before = 0;
        let mut before: Option<&Hop> = None;
        for hop in hops {
            let channel = channels.number(hop.channel) as u64;
            self.paths.push_difference(channel, channel_before);
            channel_before = channel;
            self.hops.push_ticks(hop.granted - hop.requested);
            self.hops.push_ticks(hop.started_by() - hop.granted);
            self.hops.push_ticks(hop.released - hop.granted);
            if let Some(before) = before {
                let expected = self.stride.next_request(before);
                self.requests.push_difference(hop.requested.0, expected);
                self.late |= hop.requested.0 != expected;
            }
            before = Some(hop);
        }
    }

    fn add_cause(&mut self, message: MessageId, began: Began, requested: Ticks) {
        let number = match began.cause {
            Cause::Start => 0,
            Cause::Received(_) => 1,
            Cause::Hold(_) => 2,
            Cause::Left(_) => 3,
            Cause::Computed(_) => 4,
        };
        self.causes.push(number);
        if let Some(after) = began.cause.after() {
            self.causes.push_difference(after.0.into(), message.0.into());
        }
        self.causes.push_ticks(requested - began.at);
    }

    fn blobs(&self) -> Vec<Blob> {
        let always =
            [("messages", &self.messages), ("paths", &self.paths), ("hops", &self.hops), ("causes", &self.causes)];
        let late = self.late.then_some(("requests", &self.requests));
        always.into_iter().chain(late).map(|(name, column)| Blob { name, text: column.text() }).collect()
    }
}

/// Into how many parts the time of a run is cut where its hops are too many for a page.
pub(super) const BINS: usize = 256;

/// For how long each channel was held and waited for, by parts of the time.
pub(super) fn binned(recording: &Recording<'_>, channels: &ChannelList) -> Vec<Blob> {
    let all = channels.channels.len();
    let mut held = Binned::new(all, recording.completion);
    let mut waited = Binned::new(all, recording.completion);
    for hop in recording.numbers().flat_map(|message| recording.hops(message)) {
        let channel = channels.number(hop.channel);
        held.add(channel, hop.granted, hop.released);
        waited.add(channel, hop.requested, hop.granted);
    }
    vec![Blob { name: "held", text: held.text() }, Blob { name: "waited", text: waited.text() }]
}

/// Ticks by channel and part of the time.
struct Binned {
    ticks: Vec<u64>,
    completion: u64,
}

impl Binned {
    fn new(channels: usize, completion: Ticks) -> Self {
        Self { ticks: vec![0; channels * BINS], completion: completion.0.max(1) }
    }

    /// When part `bin` begins.
    fn begin(&self, bin: usize) -> u64 {
        let parts = bin as u128 * u128::from(self.completion);
        #[expect(clippy::cast_possible_truncation, reason = "not more than the completion")]
        let begin = (parts / BINS as u128) as u64;
        begin
    }

    /// The part that has tick `at`, which is before the completion.
    fn bin(&self, at: u64) -> usize {
        let parts = u128::from(at) * BINS as u128;
        let bin = (parts / u128::from(self.completion)) as usize;
        // parts begin at whole ticks
        if bin + 1 < BINS && self.begin(bin + 1) <= at { bin + 1 } else { bin }
    }

    /// A channel is held, or waited for, from one time to another.
    fn add(&mut self, channel: usize, from: Ticks, to: Ticks) {
        let to = to.0.min(self.completion);
        let mut at = from.0;
        while at < to {
            let bin = self.bin(at);
            let end = self.begin(bin + 1).min(to);
            self.ticks[channel * BINS + bin] += end - at;
            at = end;
        }
    }

    fn text(&self) -> String {
        let mut column = Column::default();
        self.ticks.iter().for_each(|&ticks| column.push(ticks));
        column.text()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_have_their_sign_below() {
        let mut column = Column::default();
        [(5, 5), (6, 5), (5, 6), (7, 5), (5, 70)].into_iter().for_each(|(a, b)| column.push_difference(a, b));
        assert_eq!(column.bytes, [0, 2, 1, 4, 0x81, 1]);
    }

    #[test]
    fn ticks_of_parts_add_up() {
        let mut binned = Binned::new(2, Ticks(1000));
        binned.add(1, Ticks(3), Ticks(997));
        binned.add(1, Ticks(0), Ticks(1));
        assert_eq!(binned.ticks.iter().sum::<u64>(), 995);
        assert_eq!(binned.ticks[256], 1, "of [0,3) one tick");
        assert_eq!(binned.ticks[256 + 128], 3, "it begins at 500, the next at 503");
    }
}
