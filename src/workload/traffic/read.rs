//! `[workload.traffic]`: open-loop traffic.

use crate::algorithm::traffic::{Injection, Lengths, Load, PATTERNS, Pattern, Phases, Sources};
use crate::config::{Diagnostic, Fault, Files, Reader, Square, listed, square};
use crate::kind::{Setting, Workload};
use crate::machine::Routers;
use crate::network::NetworkSpec;
use crate::units::Key;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// An open-loop traffic workload.
#[derive(Clone, Debug, Serialize)]
pub struct OpenLoop {
    /// Where packets go.
    pub pattern: PatternSource,
    /// When packets are made.
    pub injection: Injection,
    /// How long they are.
    pub lengths: Lengths,
    /// Flits per node and flit time; of a burst 0.
    pub rate: f64,
    /// What is run.
    pub mode: Mode,
    /// The routers; none for the wormhole engines.
    pub routers: Option<Routers>,
    /// What says which way packets go.
    routing: &'static str,
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
}

/// A pattern, or how each repetition draws it.
#[derive(Clone, Debug, Serialize)]
pub struct PatternSource {
    /// Its name.
    pub name: &'static str,
    /// The pattern; none if each repetition draws a permutation. What follows from its name or a file is not written.
    #[serde(serialize_with = "parameters")]
    pattern: Option<Pattern>,
}

impl PatternSource {
    /// The pattern of repetition `repetition` on `nodes` nodes.
    pub fn pattern(&self, nodes: u32, seed: u64, repetition: u64) -> Pattern {
        self.pattern.clone().unwrap_or_else(|| Pattern::permutation(nodes, seed, repetition))
    }

    /// The pattern, if it is the same in all repetitions.
    pub(super) fn fixed(&self) -> Option<&Pattern> {
        self.pattern.as_ref()
    }
}

impl OpenLoop {
    /// The sources of repetition `repetition` on `nodes` nodes, at `rate`.
    pub fn sources(&self, nodes: u32, rate: f64, seed: u64, repetition: u64) -> Sources {
        let pattern = self.pattern.pattern(nodes, seed, repetition);
        let load = Load { pattern, injection: self.injection, lengths: self.lengths, rate };
        Sources::new(load, nodes, seed, repetition)
    }

    /// Packets that a node makes, at most on average.
    pub(super) fn packets_per_node(&self) -> u64 {
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

    /// The longest that it is looked at, in flit times.
    pub fn longest(&self) -> u64 {
        match self.mode {
            Mode::Steady(phases) | Mode::Saturation(phases) => phases.end(),
            Mode::Burst => 0,
        }
    }
}

fn parameters<S: serde::Serializer>(pattern: &Option<Pattern>, serializer: S) -> Result<S::Ok, S::Error> {
    match pattern {
        Some(Pattern::Uniform { include_self }) => include_self.serialize(serializer),
        Some(Pattern::Hotspot { nodes, fraction }) => (nodes, fraction).serialize(serializer),
        Some(Pattern::Fixed(_) | Pattern::Matrix(_)) | None => serializer.serialize_none(),
    }
}

fn phases<S: serde::Serializer>(phases: &Phases, serializer: S) -> Result<S::Ok, S::Error> {
    [phases.warmup, phases.measure, phases.drain].serialize(serializer)
}

/// Most cycles of a phase.
pub(super) const LONGEST_PHASE: u64 = 10_000_000_000;

/// Most flits of a packet.
const LONGEST: u64 = 1 << 24;

const PATTERN: Key = Key::word("pattern", |at| PATTERNS.get(at).map(|entry| entry.name))
    .says("pattern of destinations; see `flitwise list patterns`");
const INCLUDE_SELF: Key = Key::boolean("include_self")
    .or_boolean(true)
    .read_if("pattern", &["uniform"])
    .says("packets from a node to itself");
const HOTSPOTS: Key = Key::integers("hotspots", 0..=u32::MAX as u64)
    .read_if("pattern", &["hotspot"])
    .says("nodes that receive additional packets, such as [0, 7]");
const HOTSPOT_FRACTION: Key = Key::number("hotspot_fraction", 0.0..=1.0)
    .read_if("pattern", &["hotspot"])
    .says("fraction of all packets that go to the hotspots");
const MATRIX: Key = Key::file("matrix")
    .read_if("pattern", &["matrix"])
    .says("CSV file without a header, with a weight for each pair of nodes: row = source, column = destination");
const RATE: Key = Key::number("rate", f64::MIN_POSITIVE..=1.0)
    .called("injection rate")
    .unit("flits per node and flit time")
    .read_if("mode", &["steady"])
    .because("only `mode = \"steady\"` has a fixed rate")
    .says("offered load");
const PACKET_FLITS: Key =
    Key::integer("packet_flits", 1..=LONGEST).called("packet length").or(1).unit("flits").says("length of a packet");
const PACKET_BYTES: Key = Key::integer("packet_bytes", 1..=1 << 62)
    .called("packet size")
    .or_else("none")
    .unit("bytes")
    .fills("packet_flits")
    .says("size of a packet; alternative to `packet_flits`");
const LONG_FLITS: Key =
    Key::integer("long_flits", 1..=LONGEST).or_else("no long packets").unit("flits").says("length of a long packet");
const LONG_FRACTION: Key =
    Key::number("long_fraction", 0.0..=1.0).or_else("no long packets").says("fraction of long packets");
/// A key of streams, as against bursts.
const fn of_streams(key: Key) -> Key {
    key.read_if("mode", &["steady", "saturation"]).because("a burst is one packet per node at time 0")
}
const INJECTIONS: [(&str, bool); 2] = [("bernoulli", false), ("on-off", true)];
const INJECTION: Key = of_streams(Key::word("injection", |at| INJECTIONS.get(at).map(|(name, _)| *name)))
    .or_word("bernoulli")
    .says("process of packet generation: constant probability (bernoulli), or bursts of a node (on-off)");
/// A probability that is not 0, so that what it decides happens at some time.
const fn probability(name: &'static str) -> Key {
    Key::number(name, 1e-9..=1.0).read_if("injection", &["on-off"])
}
const ALPHA: Key = probability("alpha").says("probability that a node changes from off to on in a flit time");
const BETA: Key = probability("beta").says("probability that a node changes from on to off in a flit time");
/// What is run, given its phases.
type InPhases = fn(Phases) -> Mode;
const MODES: [(&str, InPhases); 3] =
    [("steady", Mode::Steady), ("saturation", Mode::Saturation), ("burst", |_| Mode::Burst)];
const MODE: Key = Key::word("mode", |at| MODES.get(at).map(|(name, _)| *name))
    .or_word("steady")
    .says("fixed rate (steady), search for the saturation rate (saturation), or one packet per node at time 0 (burst)");
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
    MATRIX,
    RATE,
    PACKET_FLITS,
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
    let lengths = lengths(table);
    let mode = mode(table);
    let injection = injection(table);
    let rate = rate(table, mode, injection);
    let details = table.boolean(&DETAILS);
    let pattern = pattern(table, spec, nodes, files)?;
    if matches!(mode, Mode::Steady(_)) {
        refuse_crowded(table, &pattern, injection, rate / lengths.mean());
    }
    let own = spec?.routing();
    let routing = routers.as_ref().map_or(own, |routers| routers.routing);
    Some(Arc::new(OpenLoop { pattern, injection, lengths, rate, mode, routers, routing, details }))
}

/// Refuses a rate at which some node would make more than a packet per cycle, where nodes make `packets` on the mean.
fn refuse_crowded(table: &Reader<'_>, pattern: &PatternSource, injection: Injection, packets: f64) {
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

fn lengths(table: &Reader<'_>) -> Lengths {
    let narrow = |flits| u32::try_from(flits).unwrap_or(u32::MAX);
    let flits = narrow(table.integer(&PACKET_FLITS));
    let long = table.optional_integer(&LONG_FLITS);
    let fraction = table.optional_number(&LONG_FRACTION);
    if table.gives(&LONG_FLITS) {
        table.demand(&LONG_FRACTION);
    }
    if table.gives(&LONG_FRACTION) {
        table.demand(&LONG_FLITS);
    }
    Lengths { flits, long: long.map(narrow).zip(fraction) }
}

fn mode(table: &Reader<'_>) -> Mode {
    let mode = table.choice(&MODE, &MODES);
    let warmup = table.integer(&WARMUP);
    let measure = table.integer(&MEASURE);
    let phases = Phases { warmup, measure, drain: table.optional_integer(&DRAIN).unwrap_or(measure) };
    mode(phases)
}

fn injection(table: &Reader<'_>) -> Injection {
    let on_off = table.choice(&INJECTION, &INJECTIONS);
    let alpha = table.optional_number(&ALPHA);
    let beta = table.optional_number(&BETA);
    if !on_off {
        return Injection::Bernoulli;
    }
    table.demand(&ALPHA);
    table.demand(&BETA);
    Injection::OnOff { alpha: alpha.unwrap_or(1.0), beta: beta.unwrap_or(1.0) }
}

fn rate(table: &Reader<'_>, mode: Mode, injection: Injection) -> f64 {
    let rate = table.optional_number(&RATE);
    match mode {
        Mode::Burst => 0.0,
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

fn pattern(
    table: &Reader<'_>,
    spec: Option<&dyn NetworkSpec>,
    nodes: Option<usize>,
    files: &mut Files<'_>,
) -> Option<PatternSource> {
    table.demand(&PATTERN);
    let name = table.word(&PATTERN)?;
    let nodes = u32::try_from(nodes?).ok()?;
    let pattern = match name {
        "uniform" => Some(uniform(table, nodes)),
        "permutation" => None,
        "hotspot" => Some(hotspot(table, nodes)?),
        "matrix" => Some(matrix(table, nodes, files)?),
        _ => Some(fixed(table, spec?, name)?),
    };
    Some(PatternSource { name, pattern })
}

fn uniform(table: &Reader<'_>, nodes: u32) -> Pattern {
    let include_self = table.boolean(&INCLUDE_SELF);
    if !include_self && nodes == 1 {
        let message = "with a single node there is no other destination";
        table.error(Diagnostic::at(table.place_of("include_self"), message).note("accepted here: true"));
    }
    Pattern::Uniform { include_self }
}

fn fixed(table: &Reader<'_>, spec: &dyn NetworkSpec, name: &'static str) -> Option<Pattern> {
    let shape = spec.shape();
    let routers = spec.router_shape();
    let pattern = |name| Pattern::fixed(name, &shape, routers.as_deref());
    match pattern(name) {
        Ok(pattern) => Some(pattern),
        Err(error) => {
            let any = ["uniform", "hotspot", "permutation", "matrix"];
            let names = PATTERNS.iter().map(|entry| entry.name);
            let fitting = names.filter(|name| any.contains(name) || pattern(name).is_ok());
            let note = format!("accepted on a {}: {}", spec.title(), listed(fitting));
            table.error(Diagnostic::at(table.place_of("pattern"), error.to_string()).note(note));
            None
        }
    }
}

fn hotspot(table: &Reader<'_>, nodes: u32) -> Option<Pattern> {
    table.demand(&HOTSPOTS);
    table.demand(&HOTSPOT_FRACTION);
    let spots = table.integers_to(&HOTSPOTS, u64::from(nodes) - 1);
    let fraction = table.optional_number(&HOTSPOT_FRACTION);
    let spots = spots?;
    let mut seen = BTreeMap::new();
    for (node, place) in &spots {
        if let Some(first) = seen.insert(*node, *place) {
            let message = format!("node {node} is listed twice in `hotspots`");
            table.error(Diagnostic::at((*place).clone(), message).related(first.clone(), "first listed here"));
        }
    }
    let nodes: Vec<u32> = spots.into_iter().filter_map(|(node, _)| u32::try_from(node).ok()).collect();
    if nodes.is_empty() {
        table.error(
            Diagnostic::at(table.place_of("hotspots"), "`hotspots` is empty").note("accepted: at least one node"),
        );
        return None;
    }
    Some(Pattern::Hotspot { nodes, fraction: fraction? })
}

fn matrix(table: &Reader<'_>, nodes: u32, files: &mut Files<'_>) -> Option<Pattern> {
    table.demand(&MATRIX);
    let (name, place) = table.string(&MATRIX)?;
    let source = files.open(table, name, place)?;
    let weights = weights(&files.source(source).text, nodes as usize);
    weights.map_err(|fault| table.error(fault.of_file(name, source))).ok().map(|weights| Pattern::matrix(&weights))
}

fn weights(text: &str, nodes: usize) -> Result<Vec<Vec<f64>>, Fault> {
    let weight = |_, _, written: &str| {
        let weight = written.parse().ok().filter(|weight| (0.0..1e12).contains(weight));
        weight.ok_or_else(|| "is not a weight; accepted: 0 to 1e12".to_owned())
    };
    let Square { values, .. } = square(text, Some(nodes), "weight", weight)?;
    if values.iter().all(|&weight: &f64| weight == 0.0) {
        return Err(Fault::of_all(text, "all weights are 0, so no node sends".to_owned()));
    }
    Ok(values.chunks(nodes.max(1)).map(<[f64]>::to_vec).collect())
}
