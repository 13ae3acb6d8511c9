//! `[workload.traffic]`: traffic of random packets.

use super::class_keys::{CLASS, REPLY_QUEUE};
use super::lengths::{self, LONG_FLITS, LONG_FRACTION, LONGEST, PACKET_BYTES, PACKET_FLITS, PACKET_WEIGHTS};
use super::pattern::{
    self, EXCLUDED, HOTSPOT_FRACTION, HOTSPOT_WEIGHTS, HOTSPOTS, INCLUDE_SELF, MATRIX, PATTERN, PatternSource,
};
use super::{batch, classes};
use crate::algorithm::traffic::{BatchPlan, Injection, Lengths, Load, Pattern, Phases, Sources};
use crate::config::{Diagnostic, Files, Reader};
use crate::kind::{Setting, Workload};
use crate::machine::Routers;
use crate::units::Key;
use serde::Serialize;
use std::sync::Arc;

/// A workload of random packets, in an open loop or in batches.
#[derive(Clone, Debug, Serialize)]
pub struct OpenLoop {
    /// Where packets go.
    pub pattern: PatternSource,
    /// When packets are made.
    pub injection: Injection,
    /// How long they are.
    pub lengths: Lengths,
    /// Flits per node and flit time, or 0 for a burst and batches.
    pub rate: f64,
    /// What is run.
    pub mode: Mode,
    /// The routers; none for the wormhole engines.
    pub routers: Option<Routers>,
    /// What says which way packets go.
    pub(super) routing: &'static str,
    /// Whether links are written.
    pub details: bool,
}

/// What is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// A steady stream, measured.
    Steady(#[serde(serialize_with = "phases")] Phases),
    /// The same, at the highest rate that the network carries.
    Saturation(#[serde(serialize_with = "phases")] Phases),
    /// A packet of every node at time 0.
    Burst,
    /// Batches of packets, each sent as fast as the network allows.
    Batch(BatchPlan),
}

impl OpenLoop {
    /// The sources of repetition `repetition` on `nodes` nodes, at `rate`.
    pub fn sources(&self, nodes: u32, rate: f64, seed: u64, repetition: u64) -> Sources {
        let pattern = self.pattern.pattern(nodes, seed, repetition);
        let load = Load { pattern, injection: self.injection, lengths: self.lengths.clone(), rate };
        Sources::new(load, nodes, seed, repetition)
    }

    /// Packets that a node makes, at most on average.
    pub(super) fn packets_per_node(&self) -> u64 {
        if let Mode::Batch(plan) = self.mode {
            return plan.packets_per_node();
        }
        let rate = self.rate / self.lengths.mean();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "saturates"
        )]
        let packets = (self.longest() as f64 * rate) as u64;
        packets.saturating_add(1)
    }

    /// The name of what says which way packets go.
    pub fn algorithm(&self) -> &'static str {
        self.routing
    }

    /// A bound on latencies, in flit times.
    pub(super) fn longest_latency(&self) -> u64 {
        if matches!(self.mode, Mode::Batch(_)) { u64::MAX } else { self.longest() }
    }

    /// The longest that it is looked at, in flit times.
    pub fn longest(&self) -> u64 {
        match self.mode {
            Mode::Steady(phases) | Mode::Saturation(phases) => phases.end(),
            Mode::Burst | Mode::Batch(_) => 0,
        }
    }
}

pub(super) fn phases<S: serde::Serializer>(phases: &Phases, serializer: S) -> Result<S::Ok, S::Error> {
    [phases.warmup, phases.measure, phases.drain].serialize(serializer)
}

/// Most cycles of a phase.
pub(super) const LONGEST_PHASE: u64 = 10_000_000_000;

pub(super) const RATE: Key = Key::number("rate", f64::MIN_POSITIVE..=LONGEST as f64)
    .called("injection rate")
    .unit("flits per node and flit time")
    .read_if("mode", &["steady"])
    .because("only `mode = \"steady\"` has a fixed rate")
    .says("offered load: at most one packet per node and flit time");
/// A key of streams, as against bursts and batches.
const fn of_streams(key: Key) -> Key {
    key.read_if("mode", &["steady", "saturation"])
        .because("a burst is one packet per node at time 0, and batches are sent as fast as possible")
}
pub(super) const INJECTIONS: [(&str, bool); 2] = [("bernoulli", false), ("on-off", true)];
const INJECTION: Key = of_streams(Key::word("injection", |at| INJECTIONS.get(at).map(|(name, _)| *name)))
    .or_word("bernoulli")
    .says("process of packet generation: constant probability (bernoulli), or bursts of a node (on-off)");
/// A probability that is not 0, so that what it decides happens at some time.
const fn probability(name: &'static str) -> Key {
    Key::number(name, 1e-9..=1.0).read_if("injection", &["on-off"])
}
pub(super) const ALPHA: Key =
    probability("alpha").says("probability that a node changes from off to on in a flit time");
pub(super) const BETA: Key = probability("beta").says("probability that a node changes from on to off in a flit time");
/// Reads a mode, given its phases.
type ReadMode = fn(&Reader<'_>, Phases) -> Mode;
const MODES: [(&str, ReadMode); 4] = [
    ("steady", |_, phases| Mode::Steady(phases)),
    ("saturation", |_, phases| Mode::Saturation(phases)),
    ("burst", |_, _| Mode::Burst),
    ("batch", |table, _| Mode::Batch(batch::read(table))),
];
pub(super) const MODE: Key = Key::word("mode", |at| MODES.get(at).map(|(name, _)| *name)).or_word("steady").says(
    "fixed rate (steady), search for the saturation rate (saturation), one packet per node at time 0 (burst), or batches \
     of packets that each node sends as fast as possible (batch)",
);
const WARMUP: Key = of_streams(Key::integer("warmup", 0..=LONGEST_PHASE))
    .or(5000)
    .unit("flit times")
    .says("length of the warm-up, which is not measured");
const MEASURE: Key = of_streams(Key::integer("measure", 1..=LONGEST_PHASE))
    .or(15_000)
    .unit("flit times")
    .says("length of the measurement; only packets generated in it are counted");
const DRAIN: Key = of_streams(Key::integer("drain", 0..=LONGEST_PHASE))
    .or_else("measure")
    .unit("flit times")
    .says("maximum time after the measurement to wait for its packets");
const DETAILS: Key = Key::boolean("details").or_boolean(true).says("output of links.csv");

pub(crate) const KEYS: &[Key] = &[
    PATTERN,
    INCLUDE_SELF,
    HOTSPOTS,
    HOTSPOT_FRACTION,
    HOTSPOT_WEIGHTS,
    EXCLUDED,
    MATRIX,
    RATE,
    PACKET_FLITS,
    PACKET_WEIGHTS,
    PACKET_BYTES,
    LONG_FLITS,
    LONG_FRACTION,
    INJECTION,
    ALPHA,
    BETA,
    MODE,
    WARMUP,
    MEASURE,
    DRAIN,
    batch::BATCH_PACKETS,
    batch::OUTSTANDING,
    batch::BATCHES,
    REPLY_QUEUE,
    CLASS,
    DETAILS,
];

/// Traffic needs a network, and has no node overheads.
pub(super) fn read(table: &Reader<'_>, setting: &Setting<'_>, files: &mut Files<'_>) -> Option<Arc<dyn Workload>> {
    let machine = setting.machine;
    setting.demand_network(table, machine.network.is_some(), "traffic needs a [network.*] to run on");
    setting.reject_node_costs("open-loop packets have no node overheads");
    let spec = machine.spec();
    let nodes = machine.nodes();
    let routers = machine.routers.clone();
    let mode = mode(table);
    if classes::are_needed(table, machine) {
        return classes::read(table, setting, mode, table.boolean(&DETAILS), files);
    }
    classes::refuse_without(table, machine);
    let lengths = lengths::lengths(table);
    lengths::refuse_too_long(table, &lengths, routers.as_ref());
    let injection = injection(table);
    let rate = rate(table, mode, injection);
    let details = table.boolean(&DETAILS);
    let pattern = pattern::pattern(table, spec, nodes, files)?;
    match mode {
        Mode::Steady(_) => refuse_crowded(table, &pattern, injection, rate / lengths.mean()),
        Mode::Batch(_) => batch::require_routers(table, setting.machine),
        Mode::Saturation(_) | Mode::Burst => {}
    }
    let own = spec?.routing();
    let routing = routers.as_ref().map_or(own, |routers| routers.routing);
    Some(Arc::new(OpenLoop { pattern, injection, lengths, rate, mode, routers, routing, details }))
}

/// Refuses a rate at which some node would make more than a packet per cycle, where nodes make `packets` on the mean.
pub(super) fn refuse_crowded(table: &Reader<'_>, pattern: &PatternSource, injection: Injection, packets: f64) {
    let busiest = pattern.fixed().and_then(Pattern::busiest);
    let (node, share) =
        busiest.map_or_else(|| ("a node".to_owned(), 1.0), |(node, share)| (format!("node {node}"), share));
    let most = packets * share * injection.peak();
    if most <= 1.0 {
        return;
    }
    let rate = table.optional_number(&RATE).unwrap_or(1.0);
    let most_rate = (rate / most * 1e4).floor() / 1e4;
    let shown = ((most * 1e3).round() / 1e3).max(1.001);
    let condition = if injection == Injection::Bernoulli { "" } else { " while it is on" };
    let message = format!("`rate` = {rate} makes {node} inject {shown} packets per cycle{condition}, which exceeds 1");
    let error = Diagnostic::at(table.place_of(RATE.name), message)
        .note(format!("accepted here: a `rate` of at most {most_rate}"))
        .hint(format!("lower `rate` to {most_rate}, or increase `packet_flits`"));
    table.error(error);
}

fn mode(table: &Reader<'_>) -> Mode {
    let mode = table.choice(&MODE, &MODES);
    let warmup = table.integer(&WARMUP);
    let measure = table.integer(&MEASURE);
    let phases = Phases { warmup, measure, drain: table.optional_integer(&DRAIN).unwrap_or(measure) };
    mode(table, phases)
}

pub(super) fn injection(table: &Reader<'_>) -> Injection {
    let is_on_off = table.choice(&INJECTION, &INJECTIONS);
    if is_on_off { on_off(table) } else { Injection::Bernoulli }
}

/// Reads bursts of a node.
pub(super) fn on_off(table: &Reader<'_>) -> Injection {
    let alpha = table.optional_number(&ALPHA);
    let beta = table.optional_number(&BETA);
    table.demand(&ALPHA);
    table.demand(&BETA);
    Injection::OnOff { alpha: alpha.unwrap_or(1.0), beta: beta.unwrap_or(1.0) }
}

fn rate(table: &Reader<'_>, mode: Mode, injection: Injection) -> f64 {
    let rate = table.optional_number(&RATE);
    match mode {
        Mode::Burst | Mode::Batch(_) => 0.0,
        Mode::Saturation(_) => {
            if injection != Injection::Bernoulli {
                let message = "`mode = \"saturation\"` does not support bursts of a node";
                table.error(Diagnostic::at(table.place_of("injection"), message).note("accepted here: `bernoulli`"));
            }
            1.0
        }
        Mode::Steady(_) => {
            table.demand(&RATE);
            rate.unwrap_or(1.0)
        }
    }
}
