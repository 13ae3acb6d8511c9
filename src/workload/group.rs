//! Who takes part in a multicast or a collective: listed, drawn at random for each repetition, or placed by a file.

use crate::config::{Diagnostic, Files, Numbers, Place, Reader};
use crate::kind::Setting;
use crate::kind::words::counted;
use crate::lines::line_span;
use crate::random;
use crate::units::{Key, NodeId};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Who takes part.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Group {
    /// This many nodes, placed at random for each repetition.
    Drawn(usize),
    /// These nodes, the source first.
    Nodes(Arc<[NodeId]>),
    /// For each repetition the nodes that a file lists, the source first.
    Placed(Arc<BTreeMap<u64, Arc<[NodeId]>>>),
}

impl Group {
    /// The number of nodes that take part.
    pub fn size(&self) -> usize {
        match self {
            Self::Drawn(size) => *size,
            Self::Nodes(nodes) => nodes.len(),
            Self::Placed(placements) => placements.first_key_value().map_or(0, |(_, nodes)| nodes.len()),
        }
    }

    /// One more than the largest node id that the group can name on a machine without a network.
    pub fn span(&self) -> usize {
        let largest = |nodes: &[NodeId]| nodes.iter().map(|node| node.index() + 1).max().unwrap_or(0);
        match self {
            Self::Drawn(size) => *size,
            Self::Nodes(nodes) => largest(nodes),
            Self::Placed(placements) => placements.values().map(|nodes| largest(nodes)).max().unwrap_or(0),
        }
    }

    /// The group of repetition `repetition` on a machine of `nodes` nodes. Without a network (`placed` is false) a
    /// drawn group is simply the first nodes.
    pub fn members(&self, seed: u64, repetition: u64, nodes: usize, placed: bool) -> Vec<NodeId> {
        match self {
            Self::Drawn(size) if placed => random::placement(seed, repetition, nodes, *size),
            Self::Drawn(size) => (0..*size).map(NodeId::new).collect(),
            Self::Nodes(members) => members.to_vec(),
            Self::Placed(placements) => placements.get(&repetition).map_or_else(Vec::new, |members| members.to_vec()),
        }
    }
}

pub(crate) const GROUP: Key = Key::integer("group", 1..=u32::MAX as u64)
    .called("group size")
    .or_else("the number of `nodes`")
    .unit("nodes")
    .says("number of nodes in the group, the source included, placed at random in each repetition; alternative to `nodes`");
pub(crate) const NODES: Key = Key::integers("nodes", 0..=u32::MAX as u64)
    .or_else("`group` random nodes")
    .says("nodes of the group, the source first");
pub(crate) const PLACEMENTS: Key = Key::file("placements")
    .or_else("random nodes")
    .says("JSON list of {k, p, nodes}, with the nodes of a group of size k in repetition p, the source first");

impl Group {
    /// Reads who takes part; what is wrong has been reported.
    pub(crate) fn read(table: &Reader<'_>, setting: &Setting<'_>, files: &mut Files<'_>) -> Option<Self> {
        let nodes = setting.machine.nodes();
        let size = table.optional_count(&GROUP);
        let listed = table.integers(&NODES);
        let placements = table.string(&PLACEMENTS);
        let listed = listed.and_then(|listed| distinct(table, &listed, nodes));
        let refuse = |key: &str, message: &str| {
            table.error(Diagnostic::at(table.place_of(key), message));
            None
        };
        match (size, table.gives(&NODES), placements) {
            (None, false, None) => {
                table.missing("group", "`group` = number of nodes, or `nodes` = [source, destinations...]");
                None
            }
            (None, false, Some(_)) => {
                table.missing("group", "the number of nodes, which selects the placements");
                None
            }
            (Some(_), true, _) => {
                refuse("group", "`group` and `nodes` exclude each other: `nodes` lists the whole group")
            }
            (None, true, Some(_)) => refuse("placements", "`placements` and `nodes` exclude each other"),
            (None, true, None) => Some(Self::Nodes(listed?.into())),
            (Some(size), false, placements) => {
                if let Some(nodes) = nodes.filter(|&nodes| size > nodes) {
                    let message = format!(
                        "`{}` = {size} exceeds the size of the machine, {}",
                        table.path_of("group"),
                        counted(nodes as u64, "node")
                    );
                    return refuse("group", &message);
                }
                match placements {
                    None => Some(Self::Drawn(size)),
                    Some(named) => placed(table, files, named, size, setting),
                }
            }
        }
    }
}

/// The nodes of a list, if they are distinct, on the machine, and at least the source is there.
pub(crate) fn distinct(table: &Reader<'_>, listed: &[(u64, &Place)], nodes: Option<usize>) -> Option<Vec<NodeId>> {
    let mut seen = BTreeMap::new();
    let before = table.error_count();
    if listed.is_empty() {
        let message = "`nodes` is empty: at least one node is needed";
        table.error(Diagnostic::at(table.place_of("nodes"), message));
    }
    for (node, place) in listed {
        if let Some(nodes) = nodes.filter(|&nodes| *node >= nodes as u64) {
            let message = format!("node {node} does not exist");
            table.error(Diagnostic::at((*place).clone(), message).note(format!("accepted: 0 to {}", nodes - 1)));
        }
        if let Some(first) = seen.insert(*node, *place) {
            let message = format!("node {node} is listed twice in `nodes`");
            table.error(Diagnostic::at((*place).clone(), message).related(first.clone(), "first listed here"));
        }
    }
    let member = |(node, _): &(u64, &Place)| u32::try_from(*node).ok().map(NodeId);
    (table.error_count() == before).then(|| listed.iter().filter_map(member).collect())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Placement {
    k: usize,
    p: u64,
    nodes: Vec<u32>,
}

/// The placements of groups of `size` from a file; repetition `p` takes entry (`size`, `p`).
fn placed(
    table: &Reader<'_>,
    files: &mut Files<'_>,
    (name, place): (&str, &Place),
    size: usize,
    setting: &Setting<'_>,
) -> Option<Group> {
    let nodes = setting.machine.nodes();
    let repetitions = setting.repetitions;
    let source = files.open(table, name, place)?;
    let text = &files.source(source).text;
    let unreadable = |error: serde_json::Error| {
        let at = Place { source, span: line_span(text, error.line().saturating_sub(1)) };
        table.error(Diagnostic::at(at, format!("`{name}` is not a list of {{k, p, nodes}}: {error}")));
    };
    let placements: Vec<Placement> = serde_json::from_str(text).map_err(unreadable).ok()?;
    let mut numbers = Numbers::default();
    placements.iter().flat_map(|placement| &placement.nodes).for_each(|&node| numbers.add(u64::from(node)));
    let from_one = nodes.and_then(|nodes| numbers.counted_from_one("nodes", nodes));
    let whole = |message: String| table.error(Diagnostic::at(place.clone(), message));
    let before = table.error_count();
    let mut chosen = BTreeMap::new();
    for Placement { k, p, nodes: listed } in placements.into_iter().filter(|p| p.k == size && p.p < repetitions) {
        let members: Arc<[NodeId]> = listed.iter().copied().map(NodeId).collect();
        let distinct = BTreeSet::from_iter(listed);
        if members.len() != k {
            let nodes = counted(members.len() as u64, "node");
            whole(format!("`{name}`: the placement k = {k}, p = {p} has {nodes} instead of {k}"));
        } else if distinct.len() != k {
            whole(format!("`{name}`: the placement k = {k}, p = {p} names a node twice"));
        } else if let Some((last, nodes)) = distinct.last().zip(nodes).filter(|&(last, nodes)| *last as usize >= nodes)
        {
            let message =
                format!("`{name}`: the placement k = {k}, p = {p} names node {last}; the last node is {}", nodes - 1);
            table.error(Diagnostic { hint: from_one.clone(), ..Diagnostic::at(place.clone(), message) });
        }
        if chosen.insert(p, members).is_some() {
            whole(format!("`{name}` has the placement k = {k}, p = {p} twice"));
        }
    }
    if let Some(p) = (0..repetitions).find(|p| !chosen.contains_key(p)) {
        whole(format!("`{name}` has no placement k = {size}, p = {p}, which repetition {p} needs"));
    }
    (table.error_count() == before).then(|| Group::Placed(Arc::new(chosen)))
}
