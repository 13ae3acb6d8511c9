//! A timing diagram: a lane per node, on it what keeps the node's processor and ports busy, between lanes what is on
//! its way.

use super::canvas::{Stroke, Surface};
use super::ink::{Rgb, colour, dashes};
use super::sheet::{LARGE, NORMAL, SMALL, Sheet, nth};
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
    let latest = timing.predicted.iter().chain(&timing.measured).map(end).max().unwrap_or(0);
    let both = [("predicted", &timing.predicted), ("measured", &timing.measured)];
    let shown = both.into_iter().filter(|(_, transfers)| !transfers.is_empty());
    shown.map(|(name, transfers)| sheet(name, timing, transfers, latest.max(1))).collect()
}

/// Pixels of the time axis.
const AXIS: i32 = 560;
/// Pixels of a port of a lane.
const PORT: i32 = 18;
const BETWEEN: i32 = 12;

/// How something is shown.
enum Sample {
    /// As a bar of half this height.
    Bar(i32, Rgb),
    Arrow(Stroke),
}

/// What bars or arrows of a sort mean.
struct Meaning {
    name: &'static str,
    sample: Sample,
    /// Whether a message has it.
    is_of: fn(&Transfer) -> bool,
}

const SEND: Rgb = colour(5);
const HELD: Rgb = Rgb::WHITE;
const RECEIVE: Rgb = Rgb::GREY;
const BROKEN: Rgb = Rgb::WHITE;
const NETWORK: Stroke = Stroke::thin(colour(1));
const BLOCKED: Stroke = Stroke { dashes: dashes(1), ..Stroke::thin(colour(2)) };

/// What bars and lines mean, in the order of the legend.
const MEANINGS: [Meaning; 6] = [
    Meaning { name: "send", sample: Sample::Bar(7, SEND), is_of: |sent| sent.times.send > 0 && sent.received },
    Meaning { name: "port held", sample: Sample::Bar(4, HELD), is_of: |sent| sent.times.hold > sent.times.send },
    Meaning { name: "network", sample: Sample::Arrow(NETWORK), is_of: |sent| sent.received && !sent.blocked },
    Meaning {
        name: "network, blocked on its path",
        sample: Sample::Arrow(BLOCKED),
        is_of: |sent| sent.received && sent.blocked,
    },
    Meaning { name: "receive", sample: Sample::Bar(7, RECEIVE), is_of: |sent| sent.times.receive > 0 },
    Meaning { name: "broken off", sample: Sample::Bar(7, BROKEN), is_of: |sent| !sent.received },
];

/// The diagram of `transfers`, which are called `name`, on an axis up to `end`.
fn sheet(name: &str, timing: &Timing, transfers: &[Transfer], end: u64) -> Sheet {
    let completion = transfers.iter().map(received).max().unwrap_or(0);
    let (mut sheet, top) = Sheet::titled(&format!("{name}: {completion} ticks"));
    let left = timing.lanes.iter().map(|name| width(name, NORMAL)).max().unwrap_or(0) + 10;
    let places = Places { left, top: top + 30, bar: nth(0, PORT, timing.ports), end };
    let bottom = places.lane(timing.lanes.len());
    for time in ticks(end) {
        let x = places.x(time);
        sheet.line(&[(x, places.top - 6), (x, bottom)], Stroke::thin(Rgb::PALE));
        sheet.text((x, bottom + 10), Side::Middle, SMALL, time.to_string());
    }
    sheet.text((left + AXIS / 2, bottom + 28), Side::Middle, SMALL, "ticks");
    for (at, name) in timing.lanes.iter().enumerate() {
        let lane = places.lane(at);
        sheet.text((left - 8, lane + places.bar / 2), Side::Right, NORMAL, name);
        sheet.line(&[(left, lane + places.bar), (left + AXIS, lane + places.bar)], Stroke::thin(Rgb::PALE));
    }
    transfers.iter().for_each(|transfer| places.bars(&mut sheet, transfer));
    transfers.iter().filter(|transfer| transfer.received).for_each(|transfer| places.path(&mut sheet, transfer));
    legend(&mut sheet, left, top + 4, transfers);
    sheet
}

/// Where times and lanes are, in pixels.
struct Places {
    left: i32,
    top: i32,
    /// Of all ports of a lane.
    bar: i32,
    /// The time at which the axis ends.
    end: u64,
}

impl Places {
    fn x(&self, time: u64) -> i32 {
        let pixels = u128::from(time) * u128::from(AXIS.unsigned_abs()) / u128::from(self.end);
        self.left + i32::try_from(pixels).unwrap_or(AXIS)
    }

    fn lane(&self, at: usize) -> i32 {
        nth(self.top, self.bar + BETWEEN, at)
    }

    /// What keeps sender and receiver busy.
    fn bars(&self, sheet: &mut Sheet, transfer: &Transfer) {
        let Transfer { src, dst, port, start, times, received, .. } = *transfer;
        let sent = start + times.send;
        let held = start + times.hold;
        let arrived = start + times.arrival;
        let top = nth(self.lane(src), PORT, port);
        let mut bar = |top: i32, height: i32, from: u64, to: u64, fill: Rgb| {
            if to > from {
                sheet.block((self.x(from), top), (self.x(to), top + height), Surface::bordered(fill));
            }
        };
        bar(top, PORT, start, sent, if received { SEND } else { BROKEN });
        bar(top + PORT / 4, PORT / 2, sent, held, HELD);
        bar(self.lane(dst), self.bar, arrived, arrived + times.receive, RECEIVE);
    }

    /// From the end of the send to the arrival.
    fn path(&self, sheet: &mut Sheet, transfer: &Transfer) {
        let Transfer { src, dst, port, start, times, .. } = *transfer;
        let from = nth(self.lane(src), PORT, port);
        let to = self.lane(dst);
        let (y, end) = if dst > src { (from + PORT, to) } else { (from, to + self.bar) };
        let stroke = if transfer.blocked { BLOCKED } else { NETWORK };
        sheet.arrow(&[(self.x(start + times.send), y), (self.x(start + times.arrival), end)], stroke);
    }
}

/// What stands above the lanes, from `x` on at the height `y`: the meanings that some of `transfers` have.
fn legend(sheet: &mut Sheet, mut x: i32, y: i32, transfers: &[Transfer]) {
    for Meaning { name, sample, .. } in MEANINGS.iter().filter(|meaning| transfers.iter().any(meaning.is_of)) {
        match *sample {
            Sample::Bar(half, fill) => sheet.block((x, y - half), (x + 24, y + half), Surface::bordered(fill)),
            Sample::Arrow(stroke) => sheet.arrow(&[(x, y), (x + 24, y)], stroke),
        }
        sheet.text((x + 30, y), Side::Left, SMALL, *name);
        x += 30 + width(name, SMALL) + LARGE;
    }
}

/// Round times up to `end`, some six of them, so far apart that their numbers fit.
fn ticks(end: u64) -> impl Iterator<Item = u64> {
    let digits = i32::try_from(end.to_string().len()).unwrap_or(20);
    let most = u64::from((AXIS / (digits * 8 + 16)).clamp(2, 8).unsigned_abs());
    let rounds = (0..20).flat_map(|power| [1, 2, 5].map(|one| one * 10_u64.pow(power).min(u64::MAX / 5)));
    let step = rounds.into_iter().find(|step| end / step <= most).unwrap_or(end);
    (0..=end / step).map(move |at| at * step)
}
