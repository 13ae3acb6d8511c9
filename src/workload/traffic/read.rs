//! `[workload.traffic]`: open-loop traffic.

use crate::algorithm::traffic::{Injection, Lengths, Load, PATTERNS, Pattern, Phases, Sources};
use crate::config::Diagnostic;
use crate::config::Files;
use crate::config::{Fault, Square, square};
use crate::config::{Reader, listed};
use crate::machine::NetworkSpec;
use crate::machine::Routers;
use serde::Serialize;

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
    #[must_use]
    pub fn pattern(&self, nodes: u32, seed: u64, repetition: u64) -> Pattern {
        self.pattern.clone().unwrap_or_else(|| Pattern::permutation(nodes, seed, repetition))
    }
}

impl OpenLoop {
    /// The sources of repetition `repetition` on `nodes` nodes, at `rate`.
    #[must_use]
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
    #[must_use]
    pub fn algorithm(&self) -> &'static str {
        self.routing
    }

    /// The longest that it is looked at, in flit times.
    #[must_use]
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
const LONGEST_PHASE: u64 = 1 << 40;

/// Most flits of a packet.
const LONGEST: u64 = 1 << 24;

/// Reads the workload on the network `spec`.
pub(super) fn read(
    table: &Reader<'_>,
    spec: Option<&NetworkSpec>,
    nodes: Option<usize>,
    routers: Option<Routers>,
    files: &mut Files<'_>,
) -> Option<OpenLoop> {
    let lengths = lengths(table);
    let mode = mode(table);
    let injection = injection(table);
    let rate = rate(table, mode, injection);
    let details = table.boolean("details", true);
    let pattern = pattern(table, spec, nodes, files)?;
    let most = rate * injection.peak() * greatest_share(&pattern, nodes?) / lengths.mean();
    if most > 1.0 && matches!(mode, Mode::Steady(_)) {
        let message = format!("some node would have to make {most:.3} packets in a cycle; a node makes at most one");
        table.error(Diagnostic::at(table.place_of("rate"), message).note("accepted: a lower rate, or longer packets"));
    }
    let own = match spec? {
        NetworkSpec::Mesh { .. } | NetworkSpec::Torus { .. } => "dimension-order",
        NetworkSpec::Hypercube { .. } => "e-cube",
        NetworkSpec::Bmin { .. } => "turnaround",
    };
    let routing = routers.as_ref().map_or(own, |routers| routers.routing);
    Some(OpenLoop { pattern, injection, lengths, rate, mode, routers, routing, details })
}

/// How much more than the mean the busiest node sends.
fn greatest_share(pattern: &PatternSource, nodes: usize) -> f64 {
    let shares =
        |pattern: &Pattern| (0..u32::try_from(nodes).unwrap_or(0)).map(|node| pattern.share(node)).fold(1.0, f64::max);
    pattern.pattern.as_ref().filter(|pattern| matches!(pattern, Pattern::Matrix(_))).map_or(1.0, shares)
}

fn lengths(table: &Reader<'_>) -> Lengths {
    let narrow = |flits| u32::try_from(flits).unwrap_or(u32::MAX);
    let flits = narrow(table.integer("packet_flits", 1, 1..=LONGEST));
    let long = table.optional_integer("long_flits", 1..=LONGEST);
    let fraction = table.optional_number("long_fraction", 0.0..=1.0);
    for (given, missing, what) in [
        ("long_flits", "long_fraction", "the fraction of packets that are long, from 0 to 1"),
        ("long_fraction", "long_flits", "the length of long packets, flits"),
    ] {
        if table.has(given) && !table.has(missing) {
            table.missing(missing, what);
        }
    }
    Lengths { flits, long: long.map(narrow).zip(fraction) }
}

fn mode(table: &Reader<'_>) -> Mode {
    let name =
        table.choice("mode", &[("steady", "steady"), ("saturation", "saturation"), ("burst", "burst")], "steady");
    let (warmup, measure) =
        (table.integer("warmup", 5000, 0..=LONGEST_PHASE), table.integer("measure", 15_000, 1..=LONGEST_PHASE));
    let phases = Phases { warmup, measure, drain: table.integer("drain", measure, 0..=LONGEST_PHASE) };
    if name == "burst" {
        for key in ["warmup", "measure", "drain", "rate", "injection"].into_iter().filter(|key| table.has(key)) {
            let message = format!("a burst is a packet of every node at time 0, so `{key}` would be ignored");
            table.error(Diagnostic::at(table.place_of(key), message).note("read by `mode = \"steady\"`"));
        }
    }
    match name {
        "burst" => Mode::Burst,
        "saturation" => Mode::Saturation(phases),
        _ => Mode::Steady(phases),
    }
}

fn injection(table: &Reader<'_>) -> Injection {
    let on_off = table.choice("injection", &[("bernoulli", false), ("on-off", true)], false);
    let probability = 1e-9..=1.0;
    let (alpha, beta) =
        (table.optional_number("alpha", probability.clone()), table.optional_number("beta", probability));
    if !on_off {
        for key in ["alpha", "beta"].into_iter().filter(|key| table.has(key)) {
            let message = format!("`{key}` is read by `injection = \"on-off\"` only, so it would be ignored");
            table.error(Diagnostic::at(table.place_of(key), message));
        }
        return Injection::Bernoulli;
    }
    for (key, what) in [("alpha", "from off to on"), ("beta", "from on to off")] {
        if !table.has(key) {
            table.missing(key, &format!("the probability that a node turns {what} in a cycle"));
        }
    }
    Injection::OnOff { alpha: alpha.unwrap_or(1.0), beta: beta.unwrap_or(1.0) }
}

fn rate(table: &Reader<'_>, mode: Mode, injection: Injection) -> f64 {
    let before = table.error_count();
    let rate = table.optional_number("rate", 0.0..=1.0);
    match mode {
        Mode::Burst => 0.0,
        Mode::Saturation(_) => {
            if table.has("rate") {
                let message = "`mode = \"saturation\"` looks for the rate, so `rate` would be ignored";
                table.error(Diagnostic::at(table.place_of("rate"), message).note("read by `mode = \"steady\"`"));
            }
            if injection != Injection::Bernoulli {
                let message = "`mode = \"saturation\"` makes packets at any time as likely";
                table.error(Diagnostic::at(table.place_of("injection"), message).note("accepted here: `bernoulli`"));
            }
            1.0
        }
        Mode::Steady(_) => {
            if rate.is_none() {
                table.missing("rate", "flits per node and flit time, above 0 and up to 1");
            }
            if rate == Some(0.0) && table.error_count() == before {
                let message = "at a rate of 0 nothing would be sent";
                table.error(Diagnostic::at(table.place_of("rate"), message).note("accepted: above 0 and up to 1"));
            }
            rate.unwrap_or(1.0)
        }
    }
}

/// Which pattern reads a key.
const READERS: [(&str, &str); 4] =
    [("include_self", "uniform"), ("hotspots", "hotspot"), ("hotspot_fraction", "hotspot"), ("matrix", "matrix")];

fn pattern(
    table: &Reader<'_>,
    spec: Option<&NetworkSpec>,
    nodes: Option<usize>,
    files: &mut Files<'_>,
) -> Option<PatternSource> {
    for key in ["pattern", "include_self", "hotspots", "hotspot_fraction", "matrix"] {
        table.skip(key);
    }
    if !table.has("pattern") {
        let names: Vec<&str> = PATTERNS.iter().map(|entry| entry.name).collect();
        table.missing("pattern", &format!("one of {}", names.join(", ")));
        return None;
    }
    let names = PATTERNS.map(|entry| (entry.name, entry.name));
    let name = table.choice("pattern", &names, "uniform");
    for (key, reader) in READERS {
        if table.has(key) && name != reader {
            let message = format!("`{key}` is read by `pattern = \"{reader}\"` only, so it would be ignored");
            table.error(Diagnostic::at(table.place_of(key), message));
        }
    }
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
    let include_self = table.boolean("include_self", true);
    if !include_self && nodes == 1 {
        let message = "a single node has no other to send to";
        table.error(Diagnostic::at(table.place_of("include_self"), message).note("accepted here: true"));
    }
    Pattern::Uniform { include_self }
}

fn fixed(table: &Reader<'_>, spec: &NetworkSpec, name: &'static str) -> Option<Pattern> {
    match Pattern::fixed(name, &spec.shape()) {
        Ok(pattern) => Some(pattern),
        Err(error) => {
            let shape = spec.shape();
            let digits = ["transpose", "bit-complement", "bit-reverse", "shuffle"];
            let fitting = PATTERNS
                .iter()
                .map(|entry| entry.name)
                .filter(|name| !digits.contains(name) || Pattern::fixed(name, &shape).is_ok());
            let note = format!("accepted on a {}: {}", spec.title(), listed(fitting));
            table.error(Diagnostic::at(table.place_of("pattern"), error.to_string()).note(note));
            None
        }
    }
}

fn hotspot(table: &Reader<'_>, nodes: u32) -> Option<Pattern> {
    let spots = table.integers("hotspots", 0..=u64::from(nodes) - 1);
    let fraction = table.optional_number("hotspot_fraction", 0.0..=1.0);
    if !table.has("hotspots") {
        table.missing("hotspots", "the nodes that many packets go to, such as [0, 7]");
    }
    if fraction.is_none() {
        table.missing("hotspot_fraction", "the fraction of all packets that go to the hotspots, from 0 to 1");
    }
    let nodes: Vec<u32> = spots?.into_iter().filter_map(|(node, _)| u32::try_from(node).ok()).collect();
    if nodes.is_empty() {
        table.error(
            Diagnostic::at(table.place_of("hotspots"), "there is no hotspot").note("accepted: at least one node"),
        );
        return None;
    }
    Some(Pattern::Hotspot { nodes, fraction: fraction? })
}

fn matrix(table: &Reader<'_>, nodes: u32, files: &mut Files<'_>) -> Option<Pattern> {
    let Some((name, place)) = table.string("matrix") else {
        if !table.has("matrix") {
            table.missing("matrix", "a CSV file of weights without a header: row = source, column = destination");
        }
        return None;
    };
    let source = files.open(table, name, &place)?;
    let weights = weights(&files.source(source).text, nodes as usize);
    weights.map_err(|fault| table.error(fault.of_file(name, source))).ok().map(|weights| Pattern::matrix(&weights))
}

fn weights(text: &str, nodes: usize) -> Result<Vec<Vec<f64>>, Fault> {
    let weight = |_, _, written: &str| {
        let weight = written.parse().ok().filter(|weight| (0.0..1e12).contains(weight));
        weight.ok_or_else(|| "is no weight; accepted: 0 to 1e12".to_owned())
    };
    let Square { values, .. } = square(text, Some(nodes), "weight", weight)?;
    if values.iter().all(|&weight: &f64| weight == 0.0) {
        return Err(Fault::of_all(text, "all weights are 0: nobody sends".to_owned()));
    }
    Ok(values.chunks(nodes.max(1)).map(<[f64]>::to_vec).collect())
}
