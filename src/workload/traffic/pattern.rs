//! Keys of patterns, and their readers.

use crate::algorithm::traffic::{
    DerivePattern, DrawnPattern, IntegerWeights, Numbering, PATTERNS, Pattern, PatternError,
};
use crate::config::{Diagnostic, Fault, Files, Place, Reader, Square, listed, square};
use crate::network::{NetworkSpec, with_article};
use crate::units::Key;
use serde::Serialize;
use std::collections::BTreeMap;

pub(super) const PATTERN: Key = Key::word("pattern", |at| PATTERNS.get(at).map(|entry| entry.name))
    .says("pattern of destinations; see `flitwise list patterns`");
pub(super) const INCLUDE_SELF: Key = Key::boolean("include_self")
    .or_boolean(true)
    .read_if("pattern", &["uniform"])
    .says("packets from a node to itself");
pub(super) const HOTSPOTS: Key = Key::integers("hotspots", 0..=u32::MAX as u64)
    .read_if("pattern", &["hotspot"])
    .says("nodes that receive additional packets, such as [0, 7]");
pub(super) const HOTSPOT_FRACTION: Key = Key::number("hotspot_fraction", 0.0..=1.0)
    .or_else("1 with `hotspot_weights`, otherwise required")
    .read_if("pattern", &["hotspot"])
    .says("fraction of all packets that go to the hotspots");
pub(super) const HOTSPOT_WEIGHTS: Key = Key::integers("hotspot_weights", 1..=u32::MAX as u64)
    .or_else("1 for each")
    .read_if("pattern", &["hotspot"])
    .says("weights of the hotspots among each other, one for each, such as [3, 1]");
pub(super) const EXCLUDED: Key = Key::integers("excluded", 0..=u32::MAX as u64)
    .read_if("pattern", &["background"])
    .says("nodes that receive no packets, such as [0, 7]");
pub(super) const MATRIX: Key = Key::file("matrix")
    .read_if("pattern", &["matrix"])
    .says("CSV file without a header, with a weight for each pair of nodes: row = source, column = destination");

/// A pattern, or how each repetition draws it.
#[derive(Clone, Debug, Serialize)]
pub struct PatternSource {
    /// Its name.
    pub name: &'static str,
    /// The pattern, or `None` if each repetition draws a permutation. Parameters that follow from its name or a file are left out.
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

fn parameters<S: serde::Serializer>(pattern: &Option<Pattern>, serializer: S) -> Result<S::Ok, S::Error> {
    match pattern {
        Some(Pattern::Uniform { include_self }) => include_self.serialize(serializer),
        Some(Pattern::Hotspot { nodes, weights, fraction }) if weights.are_ones() => {
            (nodes, fraction).serialize(serializer)
        }
        Some(Pattern::Hotspot { nodes, weights, fraction }) => {
            (nodes, weights.weights(), fraction).serialize(serializer)
        }
        Some(Pattern::Drawn(DrawnPattern::Background(background))) => background.excluded().serialize(serializer),
        Some(Pattern::Fixed(_) | Pattern::Drawn(_) | Pattern::Matrix(_)) | None => serializer.serialize_none(),
    }
}

/// Reads the pattern of a network with `nodes` nodes. An error has been reported if there is none.
pub(super) fn pattern(
    table: &Reader<'_>,
    spec: Option<&dyn NetworkSpec>,
    nodes: Option<usize>,
    files: &mut Files<'_>,
) -> Option<PatternSource> {
    table.demand(&PATTERN);
    let name = table.word(&PATTERN)?;
    let nodes = u32::try_from(nodes?).ok()?;
    let entry = PATTERNS.iter().find(|entry| entry.name == name)?;
    let pattern = match (entry.derive, name) {
        (Some(derive), _) => Some(derived(table, spec?, derive)?),
        (None, "uniform") => Some(uniform(table, nodes)),
        (None, "hotspot") => Some(hotspot(table, nodes)?),
        (None, "background") => Some(background(table, nodes)?),
        (None, "matrix") => Some(matrix(table, nodes, files)?),
        (None, _) => None,
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

/// The pattern that `derive` returns for the network.
fn derived(table: &Reader<'_>, spec: &dyn NetworkSpec, derive: DerivePattern) -> Option<Pattern> {
    let numbering = numbering(spec);
    derive(&numbering).map_err(|error| refuse(table, spec, &numbering, &error)).ok()
}

/// The numbering of the nodes of `spec`.
pub(crate) fn numbering(spec: &dyn NetworkSpec) -> Numbering {
    let lattice = spec.lattice_of_nodes().or_else(|| spec.router_shape());
    Numbering { shape: spec.shape(), lattice, group: spec.group_nodes() }
}

/// Reports that the pattern does not suit the network, with those that do.
fn refuse(table: &Reader<'_>, spec: &dyn NetworkSpec, numbering: &Numbering, error: &PatternError) {
    let fitting = PATTERNS.iter().filter(|entry| entry.derive.is_none_or(|derive| derive(numbering).is_ok()));
    let names = listed(fitting.map(|entry| entry.name));
    let note = format!("accepted on {}: {names}", with_article(&spec.title()));
    table.error(Diagnostic::at(table.place_of(PATTERN.name), error.to_string()).note(note));
}

/// Distinct nodes that `key` lists, of `nodes` nodes. Returns `None` if the key is not given or not an array.
fn listed_nodes(table: &Reader<'_>, key: &Key, nodes: u32) -> Option<Vec<u32>> {
    table.demand(key);
    let entries = table.integers_to(key, u64::from(nodes) - 1)?;
    let mut seen = BTreeMap::new();
    for (node, place) in &entries {
        if let Some(first) = seen.insert(*node, *place) {
            let message = format!("node {node} is listed twice in `{}`", key.name);
            table.error(Diagnostic::at((*place).clone(), message).related(first.clone(), "first listed here"));
        }
    }
    Some(entries.into_iter().filter_map(|(node, _)| u32::try_from(node).ok()).collect())
}

fn hotspot(table: &Reader<'_>, nodes: u32) -> Option<Pattern> {
    let spots = listed_nodes(table, &HOTSPOTS, nodes);
    let weights = table.integers(&HOTSPOT_WEIGHTS);
    if weights.is_none() {
        table.demand(&HOTSPOT_FRACTION);
    }
    let fraction = table.optional_number(&HOTSPOT_FRACTION).or_else(|| weights.is_some().then_some(1.0));
    let spots = spots?;
    if spots.is_empty() {
        table.error(
            Diagnostic::at(table.place_of("hotspots"), "`hotspots` is empty").note("accepted: at least one node"),
        );
        return None;
    }
    let weights = match weights {
        Some(weights) => integers_for_each(table, &HOTSPOT_WEIGHTS, &weights, &HOTSPOTS, spots.len())?,
        None => vec![1; spots.len()],
    };
    Some(Pattern::Hotspot { nodes: spots, weights: IntegerWeights::new(&weights), fraction: fraction? })
}

/// The integers that `key` gives, one for each of the `entries` of `listing`. Reports another number of them.
pub(super) fn integers_for_each(
    table: &Reader<'_>,
    key: &Key,
    given: &[(u64, &Place)],
    listing: &Key,
    entries: usize,
) -> Option<Vec<u32>> {
    if given.len() == entries {
        return given.iter().map(|(integer, _)| u32::try_from(*integer).ok()).collect();
    }
    let listing = listing.name;
    let count = counted_entries(given.len());
    let message = format!("`{}` has {count}, but `{listing}` has {entries}", key.name);
    let error = Diagnostic::at(table.place_of(key.name), message);
    table.error(error.note(format!("accepted: one integer for each of `{listing}`")));
    None
}

fn counted_entries(count: usize) -> String {
    format!("{count} {}", if count == 1 { "entry" } else { "entries" })
}

fn background(table: &Reader<'_>, nodes: u32) -> Option<Pattern> {
    let excluded = listed_nodes(table, &EXCLUDED, nodes)?;
    let pattern = Pattern::background(nodes, &excluded);
    if pattern.is_none() {
        let error = Diagnostic::at(table.place_of(EXCLUDED.name), "`excluded` lists all nodes, so no node receives");
        table.error(error.note(format!("accepted: at most {} nodes", nodes - 1)));
    }
    pattern
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
