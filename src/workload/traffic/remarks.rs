//! What is to be said of measured traffic: what was measured on too little, and where more was offered and less arrived.

use super::limits::{self, RATE};
use super::read::LONGEST_PHASE;
use super::{Mode, OpenLoop, packets_of};
use crate::algorithm::traffic::{Lengths, Phases};
use crate::kind::words::grouped;
use crate::kind::{Remark, ResultLine};

/// Packets of all repetitions that a rate is to be measured on: a rate of so many is off by a seventh at most, nineteen
/// times of twenty, while they are made independently.
const PACKETS: f64 = 200.0;

/// The same of a saturation, which is searched for by such rates.
const PACKETS_AT_SATURATION: f64 = 250.0;

/// So many latencies of an empty network are to fit into the time that a rate is measured in: what was under way at its
/// beginning and its end is then little.
const LATENCIES: f64 = 5.0;

/// The latencies of an empty network that have to fit into the measurement of a saturation.
const LATENCIES_AT_SATURATION: f64 = 30.0;

/// The excess of a rate over saturation that a search has to notice. A queue that grows by it
/// reaches the latency that is too long, three times that in an empty network, on average over the packets that are measured,
/// if these are made late enough.
const NOTICED: f64 = 0.01;

/// The number of latencies of the slowest packets that have to fit into the same time, which shows that their queues empty
/// again: a few sources may starve though the mean latency is short.
const SLOWEST: f64 = 10.0;

/// A line that rests on too little.
struct Doubt {
    line: usize,
    /// Packets in a repetition, on average.
    packets: f64,
    /// For how many flit times it was measured, and for how many it should be.
    measure: u64,
    enough: u64,
    /// The lengths of packets.
    lengths: Lengths,
}

pub(super) fn remarks(lines: &[ResultLine<'_>]) -> Vec<Remark> {
    let doubts = |of: fn(&Measured<'_>) -> bool| -> Vec<Doubt> {
        let measured = lines.iter().enumerate().filter_map(|(at, line)| Measured::new(at, line));
        measured.filter(of).filter_map(|measured| measured.doubt()).collect()
    };
    let none = doubts(|measured| measured.packets == 0.0);
    let saturations = doubts(|measured| measured.packets > 0.0 && measured.saturation.is_some());
    let rates = doubts(|measured| measured.packets > 0.0 && measured.saturation.is_none());
    let all = [
        remark(
            &none,
            lines.len(),
            "No packet was generated in the measurement",
            &["offered", "accepted", "saturation"],
        ),
        remark(
            &saturations,
            lines.len(),
            "The measurement is too short for a reliable saturation rate",
            &["offered", "accepted", "saturation"],
        ),
        remark(
            &rates,
            lines.len(),
            "The measurement is too short for reliable values of offered and accepted",
            &["offered", "accepted"],
        ),
    ];
    let doubted: Vec<usize> = all.iter().flatten().flat_map(|remark| remark.lines.iter().copied()).collect();
    let limits = limits::remarks(lines);
    all.into_iter().flatten().chain(limits).chain(falls(lines, &doubted)).collect()
}

/// What was measured in a line of steady traffic.
struct Measured<'a> {
    line: usize,
    workload: &'a OpenLoop,
    phases: Phases,
    saturation: Option<f64>,
    packets: f64,
    repetitions: f64,
    nodes: f64,
    /// What a packet takes in an empty network, in flit times.
    unloaded: f64,
    /// The latency of the slowest hundredth of packets at least, in flit times.
    p99: f64,
}

impl<'a> Measured<'a> {
    /// None of a burst, or a line that has no rates.
    fn new(at: usize, line: &'a ResultLine<'_>) -> Option<Self> {
        let workload: &OpenLoop = line.workload.downcast_ref()?;
        let (Mode::Steady(phases) | Mode::Saturation(phases)) = workload.mode else { return None };
        let nodes = line.machine.network_nodes() as f64;
        let time = nodes * phases.measure as f64;
        let flit_time = if workload.routers.is_some() { 1 } else { line.machine.channel.flit_time };
        Some(Self {
            line: at,
            workload,
            phases,
            saturation: line.means.mean("saturation"),
            // millionths are rounded
            packets: (line.means.mean("offered")? * time / workload.lengths.mean()).round(),
            repetitions: line.repetitions as f64,
            nodes,
            unloaded: line.means.mean("unloaded").unwrap_or(0.0) / flit_time as f64,
            p99: line.means.mean("p99").unwrap_or(0.0) / flit_time as f64,
        })
    }

    /// Whether it rests on too little, and what would be enough.
    fn doubt(&self) -> Option<Doubt> {
        let (packets, latencies) = match self.saturation {
            Some(_) => (PACKETS_AT_SATURATION, LATENCIES_AT_SATURATION),
            None => (PACKETS, LATENCIES),
        };
        let length = self.workload.lengths.mean();
        // where no packet came by, the rate alone tells when one will
        let rate = if self.packets > 0.0 {
            self.packets * length / self.nodes / self.phases.measure as f64
        } else {
            self.saturation.filter(|&rate| rate > 0.0).unwrap_or(self.workload.rate)
        };
        let for_packets = packets * length / (rate * self.nodes * self.repetitions);
        let for_latencies = latencies * self.unloaded.max(length);
        let needed = for_packets.max(for_latencies).max(self.for_growth());
        let measure = self.phases.measure;
        let lengths = self.workload.lengths.clone();
        let doubt = Doubt { line: self.line, packets: self.packets, measure, enough: round_up(needed), lengths };
        (needed > measure as f64).then_some(doubt)
    }

    /// The flit times to measure for in which queues grow long enough to be noticed, none but for a search.
    fn for_growth(&self) -> f64 {
        let growth = (2.0 * self.unloaded / NOTICED).max(SLOWEST * self.p99);
        let warmup = self.phases.warmup as f64;
        if self.saturation.is_some() { 2.0 * (growth - warmup) } else { 0.0 }
    }
}

/// The next number with two digits and zeros.
fn round_up(value: f64) -> u64 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
    let whole = value.ceil() as u64;
    let mut scale = 1;
    while whole / scale >= 100 {
        scale *= 10;
    }
    whole.div_ceil(scale).saturating_mul(scale)
}

/// That `doubts` rest on too little, with what would be enough for all of them.
fn remark(doubts: &[Doubt], lines: usize, what: &str, doubted: &'static [&'static str]) -> Option<Remark> {
    let worst = doubts.iter().max_by_key(|doubt| doubt.enough)?;
    let often = if lines > 1 { format!(" at {} of {lines} points", doubts.len()) } else { String::new() };
    let Doubt { packets, measure, enough, lengths, .. } = worst;
    let (packets, measure, enough) = (*packets, *measure, *enough);
    let kind = packets_of(lengths);
    let packets = if packets > 1.0 {
        format!("{packets} {kind}")
    } else if packets > 0.0 {
        format!("{packets} {}", kind.replacen("packets", "packet", 1))
    } else {
        kind
    };
    let times = if measure == 1 { "flit time" } else { "flit times" };
    let basis = format!("{packets} in {} {times}", grouped(measure));
    let text = if enough < LONGEST_PHASE {
        format!("{what}{often} ({basis}): set `workload.traffic.measure` to at least {} flit times.", grouped(enough))
    } else {
        format!("{what}{often} ({basis}): increase `rate`.")
    };
    Some(Remark { text, lines: doubts.iter().map(|doubt| doubt.line).collect(), doubted })
}

/// Less has to arrive by this part to be remarked upon.
const FALL: f64 = 0.05;

/// Where less arrives though more is offered, of the lines that are not `doubted`.
fn falls(lines: &[ResultLine<'_>], doubted: &[usize]) -> Option<Remark> {
    let mut loads: Vec<(String, Vec<Load>)> = Vec::new();
    for (at, line) in lines.iter().enumerate().filter(|(at, _)| !doubted.contains(at)) {
        let Some(load) = Load::new(at, line) else { continue };
        let place = line.place(RATE);
        match loads.iter_mut().find(|(known, _)| *known == place) {
            Some((_, loads)) => loads.push(load),
            None => loads.push((place, vec![load])),
        }
    }
    let falling: Vec<(&str, &Load, &Load)> = loads
        .iter()
        .filter_map(|(place, loads)| fall(loads).map(|(most, last)| (place.as_str(), most, last)))
        .collect();
    let &(place, most, last) = falling.first()?;
    let place = match (place, falling.len()) {
        ("", _) => String::new(),
        (place, 1) => format!(" ({place})"),
        (place, found) => format!(" ({place}; {found} of {} curves drop)", loads.len()),
    };
    let text = format!(
        "Throughput drops beyond saturation: {:.4} accepted at rate {}, {:.4} at {}{place}.",
        most.accepted, most.rate, last.accepted, last.rate
    );
    Some(Remark { text, lines: falling.iter().map(|(_, _, last)| last.line).collect(), doubted: &[] })
}

struct Load {
    line: usize,
    rate: f64,
    accepted: f64,
}

impl Load {
    fn new(line: usize, from: &ResultLine<'_>) -> Option<Self> {
        let (_, rate) = from.settings.iter().find(|(key, _)| *key == RATE)?;
        Some(Self { line, rate: rate.parse().ok()?, accepted: from.means.mean("accepted")? })
    }
}

/// The load at which most arrives and the highest one, if less arrives there.
fn fall(loads: &[Load]) -> Option<(&Load, &Load)> {
    let most = loads.iter().max_by(|a, b| a.accepted.total_cmp(&b.accepted))?;
    let last = loads.iter().max_by(|a, b| a.rate.total_cmp(&b.rate))?;
    (last.rate > most.rate && last.accepted < (1.0 - FALL) * most.accepted).then_some((most, last))
}
