//! A timing diagram: a lane per node, on it what keeps the node's processor and ports busy, between lanes what is on its
//! way.

use super::sheet::{Colour, LARGE, NORMAL, Pen, SMALL, Sheet, nth};
use super::text::{Side, width};
use crate::kind::diagram::{Timing, Transfer};

/// When it has kept its sender, the network and its receiver busy.
fn end(transfer: &Transfer) -> u64 {
    received(transfer).max(transfer.start + transfer.times.hold)
}

fn received(transfer: &Transfer) -> u64 {
    transfer.start + transfer.times.arrival + transfer.times.receive
}

/// What the model says of messages and what was measured, as far as there is either: diagrams on one time axis.
pub(super) fn sheets(timing: &Timing) -> Vec<Sheet> {
    let latest = |transfers: &[Transfer]| transfers.iter().map(end).max().unwrap_or(0);
    let until = latest(&timing.predicted).max(latest(&timing.measured));
    let both = [("predicted", &timing.predicted), ("measured", &timing.measured)];
    let shown = both.into_iter().filter(|(_, transfers)| !transfers.is_empty());
    let draw = |(name, transfers): (&str, &Vec<Transfer>)| {
        let completion = transfers.iter().map(received).max().unwrap_or(0);
        sheet(&format!("{name}: {completion} ticks"), &Lanes { timing, transfers, until })
    };
    shown.map(draw).collect()
}

/// What one diagram shows.
struct Lanes<'a> {
    timing: &'a Timing,
    transfers: &'a [Transfer],
    /// The time at which the axis ends.
    until: u64,
}

/// Pixels of the time axis.
const AXIS: i32 = 560;
/// Pixels of a port of a lane.
const PORT: i32 = 18;
const BETWEEN: i32 = 12;

/// How something is shown.
enum Sample {
    /// As a bar of half this height.
    Bar(i32, Colour),
    Arrow(Pen),
}

/// What is shown of a message, how, and whether a message has it.
type Kind = (&'static str, Sample, fn(&Transfer) -> bool);

const SEND: Colour = Colour::Ink(5);
const HELD: Colour = Colour::White;
const RECEIVE: Colour = Colour::Grey;
const BROKEN: Colour = Colour::White;
const NETWORK: Pen = Pen { colour: Colour::Ink(1), dash: 0, width: 1 };
const BLOCKED: Pen = Pen { colour: Colour::Ink(2), dash: 1, width: 1 };

/// What bars and lines mean, in the order of the legend.
const KINDS: [Kind; 6] = [
    ("send", Sample::Bar(7, SEND), |transfer| transfer.times.send > 0 && transfer.received),
    ("port held", Sample::Bar(4, HELD), |transfer| transfer.times.hold > transfer.times.send),
    ("network", Sample::Arrow(NETWORK), |transfer| transfer.received && !transfer.blocked),
    ("network, blocked on its path", Sample::Arrow(BLOCKED), |transfer| transfer.received && transfer.blocked),
    ("receive", Sample::Bar(7, RECEIVE), |transfer| transfer.times.receive > 0),
    ("broken off", Sample::Bar(7, BROKEN), |transfer| !transfer.received),
];

/// The diagram of `lanes` under `title`.
fn sheet(title: &str, lanes: &Lanes<'_>) -> Sheet {
    let Lanes { timing, transfers, until } = *lanes;
    let (mut sheet, top) = Sheet::titled(title);
    let legend = top + 4;
    let top = top + 30;
    let left = timing.lanes.iter().map(|name| width(name, NORMAL)).max().unwrap_or(0) + 10;
    let end = until.max(1);
    let bar = nth(0, PORT, timing.ports);
    let lane = |at: usize| nth(top, bar + BETWEEN, at);
    let bottom = lane(timing.lanes.len());
    let x = |time: u64| left + scaled(time, end);
    for time in ticks(end) {
        sheet.line(&[(x(time), top - 6), (x(time), bottom)], Pen::FAINT);
        sheet.text((x(time), bottom + 10), Side::Middle, SMALL, time.to_string());
    }
    sheet.text((left + AXIS / 2, bottom + 28), Side::Middle, SMALL, "ticks");
    for (at, name) in timing.lanes.iter().enumerate() {
        sheet.text((left - 8, lane(at) + bar / 2), Side::Right, NORMAL, name);
        sheet.line(&[(left, lane(at) + bar), (left + AXIS, lane(at) + bar)], Pen::FAINT);
    }
    let places = Places { x: &x, lane: &lane, bar };
    transfers.iter().for_each(|transfer| places.bars(&mut sheet, transfer));
    transfers.iter().filter(|transfer| transfer.received).for_each(|transfer| places.path(&mut sheet, transfer));
    draw_legend(&mut sheet, (left, legend), transfers);
    sheet
}

/// Where times and lanes are.
struct Places<'a> {
    x: &'a dyn Fn(u64) -> i32,
    lane: &'a dyn Fn(usize) -> i32,
    bar: i32,
}

impl Places<'_> {
    /// What keeps sender and receiver busy.
    fn bars(&self, sheet: &mut Sheet, transfer: &Transfer) {
        let Transfer { src, dst, port, start, times, received, .. } = *transfer;
        let sent = start + times.send;
        let held = start + times.hold;
        let arrived = start + times.arrival;
        let top = nth((self.lane)(src), PORT, port);
        let mut bar = |top: i32, height: i32, from: u64, to: u64, fill: Colour| {
            if to > from {
                sheet.block(((self.x)(from), top), ((self.x)(to), top + height), fill);
            }
        };
        bar(top, PORT, start, sent, if received { SEND } else { BROKEN });
        bar(top + PORT / 4, PORT / 2, sent, held, HELD);
        bar((self.lane)(dst), self.bar, arrived, arrived + times.receive, RECEIVE);
    }

    /// From the end of the send to the arrival.
    fn path(&self, sheet: &mut Sheet, transfer: &Transfer) {
        let Transfer { src, dst, port, start, times, .. } = *transfer;
        let from = nth((self.lane)(src), PORT, port);
        let to = (self.lane)(dst);
        let (y, end) = if dst > src { (from + PORT, to) } else { (from, to + self.bar) };
        let pen = if transfer.blocked { BLOCKED } else { NETWORK };
        sheet.arrow(&[((self.x)(start + times.send), y), ((self.x)(start + times.arrival), end)], pen);
    }
}

fn draw_legend(sheet: &mut Sheet, (mut x, y): (i32, i32), transfers: &[Transfer]) {
    for (name, sample, _) in KINDS.iter().filter(|(.., has)| transfers.iter().any(has)) {
        match *sample {
            Sample::Bar(half, fill) => sheet.block((x, y - half), (x + 24, y + half), fill),
            Sample::Arrow(pen) => sheet.arrow(&[(x, y), (x + 24, y)], pen),
        }
        sheet.text((x + 30, y), Side::Left, SMALL, *name);
        x += 30 + width(name, SMALL) + LARGE;
    }
}

/// Where `time` is on an axis to `end`.
fn scaled(time: u64, end: u64) -> i32 {
    let pixels = u128::from(time) * u128::from(AXIS.unsigned_abs()) / u128::from(end);
    i32::try_from(pixels).unwrap_or(AXIS)
}

/// Round times up to `end`, some six of them, so far apart that their numbers fit.
fn ticks(end: u64) -> impl Iterator<Item = u64> {
    let digits = i32::try_from(end.to_string().len()).unwrap_or(20);
    let most = u64::from((AXIS / (digits * 8 + 16)).clamp(2, 8).unsigned_abs());
    let rounds = (0..20).flat_map(|power| [1, 2, 5].map(|one| one * 10_u64.pow(power).min(u64::MAX / 5)));
    let step = rounds.into_iter().find(|step| end / step <= most).unwrap_or(end);
    (0..=end / step).map(move |at| at * step)
}
