//! A timing diagram: a lane per node, on it what keeps the node's processor and ports busy, between lanes what is on
//! its way.

use super::canvas::{Stroke, Surface};
use super::clock::Clock;
use super::ink::{Rgb, colour, dashes};
use super::sheet::{LARGE, NORMAL, SMALL, Sheet, nth};
use super::text::{Side, width};
use crate::kind::diagram::{Timing, Transfer};

/// What all timing diagrams of a picture have in common, so that lengths can be compared.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    pub(super) clock: Clock,
    /// The time at which the axes end.
    pub(super) end: u64,
    /// Pixels left of the axes, for the names of lanes.
    pub(super) left: i32,
}

impl Scale {
    /// The scale of `timings`, times written by `clock`.
    pub(super) fn new<'a>(timings: impl Iterator<Item = &'a Timing>, clock: Clock) -> Self {
        let mut scale = Self { clock, end: 1, left: 0 };
        for timing in timings {
            let names = timing.lanes.iter().map(|name| width(name, NORMAL) + 10);
            scale.left = names.fold(scale.left, i32::max);
            scale.end = scale.end.max(latest(timing));
        }
        scale
    }
}

/// When all is over in a timing diagram.
pub(super) fn latest(timing: &Timing) -> u64 {
    let over = |transfer: &Transfer| transfer.end().max(transfer.start + transfer.times.hold);
    timing.predicted.iter().chain(&timing.measured).map(over).max().unwrap_or(0)
}

/// What the model says of messages and what was measured, as far as there is either: one diagram where they are alike.
pub(super) fn sheets(timing: &Timing, scale: Scale) -> Vec<Sheet> {
    let Timing { predicted, measured, .. } = timing;
    let alike =
        predicted.len() == measured.len() && predicted.iter().zip(measured).all(|(one, other)| one.is_like(other));
    if alike {
        return vec![sheet("predicted and measured (identical)", timing, predicted, scale)];
    }
    let shown = [("predicted", predicted), ("measured", measured)].into_iter();
    let shown = shown.filter(|(_, transfers)| !transfers.is_empty());
    shown.map(|(name, transfers)| sheet(name, timing, transfers, scale)).collect()
}

/// Pixels of the time axis.
const AXIS: i32 = 560;
/// Pixels of a port of a lane, and between lanes; less where there are more than so many.
const PORT: i32 = 18;
const BETWEEN: i32 = 12;
const NARROW_PORT: i32 = 12;
const NARROW_BETWEEN: i32 = 6;
const MOST_WIDE: usize = 20;

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

const SEND: Rgb = colour(7);
const HELD: Rgb = Rgb::WHITE;
const RECEIVE: Rgb = Rgb::GREY;
const COMBINE: Rgb = colour(5);
const BROKEN: Rgb = Rgb::WHITE;
const NETWORK: Stroke = Stroke::thin(colour(1));
/// Where all is over before the axis ends.
const END: Stroke = Stroke { dashes: dashes(2), ..Stroke::thin(Rgb::BLACK) };
const BLOCKED: Stroke = Stroke { dashes: dashes(1), ..Stroke::thin(colour(2)) };

/// What bars and lines mean, in the order of the legend.
const MEANINGS: [Meaning; 7] = [
    Meaning { name: "send", sample: Sample::Bar(7, SEND), is_of: |sent| sent.times.send > 0 && sent.received },
    Meaning { name: "port held", sample: Sample::Bar(4, HELD), is_of: |sent| sent.times.hold > sent.times.send },
    Meaning { name: "network", sample: Sample::Arrow(NETWORK), is_of: |sent| sent.received && !sent.blocked },
    Meaning {
        name: "network, blocked on its path",
        sample: Sample::Arrow(BLOCKED),
        is_of: |sent| sent.received && sent.blocked,
    },
    Meaning { name: "receive", sample: Sample::Bar(7, RECEIVE), is_of: |sent| sent.times.receive > sent.combine },
    Meaning { name: "combine", sample: Sample::Bar(7, COMBINE), is_of: |sent| sent.combine > 0 },
    Meaning { name: "aborted", sample: Sample::Bar(7, BROKEN), is_of: |sent| !sent.received },
];

/// The diagram of `transfers`, which are called `name`.
fn sheet(name: &str, timing: &Timing, transfers: &[Transfer], scale: Scale) -> Sheet {
    let Scale { clock, end, left } = scale;
    let completion = transfers.iter().map(Transfer::end).max().unwrap_or(0);
    let (mut sheet, top) = Sheet::titled(&format!("{name}: {}", clock.text(completion)));
    let wide = timing.lanes.len() <= MOST_WIDE;
    let (port, between) = if wide { (PORT, BETWEEN) } else { (NARROW_PORT, NARROW_BETWEEN) };
    let places = Places { left, top: top + 30, port, bar: nth(0, port, timing.ports), between, end };
    let bottom = places.lane(timing.lanes.len());
    let longest = width(&clock.number(end), SMALL);
    for (time, text) in clock.round(end, (AXIS / (longest + 24)).clamp(2, 8).unsigned_abs()) {
        let x = places.x(time);
        sheet.line(&[(x, places.top - 6), (x, bottom)], Stroke::thin(Rgb::PALE));
        sheet.text((x, bottom + 10), Side::Middle, SMALL, text);
    }
    sheet.text((left + AXIS / 2, bottom + 28), Side::Middle, SMALL, format!("time, {}", clock.unit));
    for (at, name) in timing.lanes.iter().enumerate() {
        let lane = places.lane(at);
        sheet.text((left - 8, lane + places.bar / 2), Side::Right, if wide { NORMAL } else { SMALL }, name);
        sheet.line(&[(left, lane + places.bar), (left + AXIS, lane + places.bar)], Stroke::thin(Rgb::PALE));
    }
    let names = Names { lanes: &timing.lanes, clock };
    transfers.iter().for_each(|transfer| places.bars(&mut sheet, transfer, &names));
    let received = transfers.iter().filter(|transfer| transfer.received);
    received.for_each(|transfer| places.path(&mut sheet, transfer, &names));
    if completion < end {
        // where the axis goes on for the sake of others
        let x = places.x(completion);
        sheet.line(&[(x, places.top - 6), (x, bottom)], END);
        sheet.text((x, places.top - 12), Side::Middle, SMALL, clock.number(completion));
    }
    legend(&mut sheet, left, top + 4, transfers);
    // all diagrams of a picture are equally wide, so that their axes stand below each other
    sheet.reach((left + AXIS + longest / 2 + 1, 0));
    sheet
}

/// What is said of transfers.
struct Names<'a> {
    lanes: &'a [String],
    clock: Clock,
}

impl Names<'_> {
    fn say(&self, transfer: &Transfer, what: &str, from: u64, to: u64) -> String {
        let [src, dst] = [transfer.src, transfer.dst].map(|lane| &self.lanes[lane]);
        format!("{src} to {dst}: {what} from {} to {}", self.clock.exact(from), self.clock.exact(to))
    }
}

/// Where times and lanes are, in pixels.
struct Places {
    left: i32,
    top: i32,
    /// Of a port of a lane, and of all.
    port: i32,
    bar: i32,
    between: i32,
    /// The time at which the axis ends.
    end: u64,
}

impl Places {
    fn x(&self, time: u64) -> i32 {
        let pixels = u128::from(time) * u128::from(AXIS.unsigned_abs()) / u128::from(self.end);
        self.left + i32::try_from(pixels).unwrap_or(AXIS)
    }

    fn lane(&self, at: usize) -> i32 {
        nth(self.top, self.bar + self.between, at)
    }

    /// What keeps sender and receiver busy.
    fn bars(&self, sheet: &mut Sheet, transfer: &Transfer, names: &Names<'_>) {
        let Transfer { src, port, start, times, received, combine, .. } = *transfer;
        let sent = start + times.send;
        let held = start + times.hold;
        let arrived = start + times.arrival;
        let top = nth(self.lane(src), self.port, port);
        let mut bar = |what: &str, [top, height]: [i32; 2], [from, to]: [u64; 2], fill: Rgb| {
            if to > from {
                let bar = sheet.block((self.x(from), top), (self.x(to), top + height), Surface::bordered(fill));
                bar.tip = names.say(transfer, what, from, to);
            }
        };
        let (what, fill) = if received { ("send", SEND) } else { ("aborted", BROKEN) };
        bar(what, [top, self.port], [start, sent], fill);
        bar("port held", [top + self.port / 4, self.port / 2], [sent, held], HELD);
        let over = arrived + times.receive;
        bar("receive", self.landing(transfer), [arrived, over - combine], RECEIVE);
        bar("combine", self.landing(transfer), [over - combine, over], COMBINE);
    }

    /// Where the receipt of a transfer stands: its upper edge, and how high it is.
    fn landing(&self, transfer: &Transfer) -> [i32; 2] {
        let lane = self.lane(transfer.dst);
        transfer.landing.map_or([lane, self.bar], |port| [nth(lane, self.port, port), self.port])
    }

    /// From the end of the send to the arrival.
    fn path(&self, sheet: &mut Sheet, transfer: &Transfer, names: &Names<'_>) {
        let Transfer { src, dst, port, start, times, .. } = *transfer;
        let from = nth(self.lane(src), self.port, port);
        let [to, height] = self.landing(transfer);
        let (y, end) = if dst > src { (from + self.port, to) } else { (from, to + height) };
        let (stroke, what) = if transfer.blocked { (BLOCKED, "blocked on its path,") } else { (NETWORK, "network") };
        let sent = start + times.send;
        let arrived = start + times.arrival;
        let arrow = sheet.arrow(&[(self.x(sent), y), (self.x(arrived), end)], stroke);
        arrow.tip = names.say(transfer, what, sent, arrived);
    }
}

/// What stands above the lanes, from `x` on at the height `y`: the meanings that some of `transfers` have.
fn legend(sheet: &mut Sheet, mut x: i32, y: i32, transfers: &[Transfer]) {
    for Meaning { name, sample, .. } in MEANINGS.iter().filter(|meaning| transfers.iter().any(meaning.is_of)) {
        match *sample {
            Sample::Bar(half, fill) => sheet.block((x, y - half), (x + 24, y + half), Surface::bordered(fill)),
            Sample::Arrow(stroke) => sheet.arrow(&[(x, y), (x + 24, y)], stroke),
        };
        sheet.text((x + 30, y), Side::Left, SMALL, *name);
        x += 30 + width(name, SMALL) + LARGE;
    }
}
