//! `[workload.noc-trace]`: what processors of a chip did, from a trace of its networks.

use super::event::{Tile as Place, Trace, What};
use super::prepare::{Map, Networks, NoEnd, Prepared, Setting as Run};
use super::{map, npe};
use crate::config::{Diagnostic, Files, HOW_TO_FIT, Place as Where, Reader, unfit_for_tables};
use crate::engine::program::noc::Issue;
use crate::kind::{Setting, Workload};
use crate::machine::device::{Device, PRESETS};
use crate::units::{Key, NodeId, narrow};
use serde::Serialize;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The formats of traces.
const FORMATS: [(&str, ()); 1] = [("npe", ())];
/// When processors do what was recorded.
pub(super) const ISSUES: [(&str, Issue); 2] = [("react", Issue::React), ("replay", Issue::Replay)];
/// Which network transfers take.
const NETWORKS: [(&str, Networks); 5] = [
    ("as-recorded", Networks::AsRecorded),
    ("0", Networks::First),
    ("1", Networks::Second),
    ("swapped", Networks::Swapped),
    ("nearer", Networks::Nearer),
];

const FILE: Key = Key::file("file").says("trace as JSON, or as JSON compressed with gzip");
const FORMAT: Key = Key::word("format", |at| FORMATS.get(at).map(|(name, ())| *name))
    .or_word("npe")
    .says("format of the trace; npe: events of the profiler of Tenstorrent's chips");
const DEVICE: Key = Key::word("device", |at| PRESETS.get(at).map(|preset| preset.name))
    .or_word("wormhole-b0")
    .says("preset of the chip; [device] overrides its constants");
const ISSUE: Key = Key::word("issue", |at| ISSUES.get(at).map(|(name, _)| *name)).or_word("react").says(
    "times of events; react: after the previous event, with the delay in the trace, and after the simulated end of a \
     barrier; replay: at the times in the trace",
);
const COMPARE: Key = Key::boolean("compare").or_boolean(true).says("comparison with the times in the trace");
const MAP: Key = Key::file("map")
    .or_else("no changes")
    .says("CSV file with the columns x,y,to_x,to_y, which maps the core or memory at (x, y) to (to_x, to_y)");
const WHICH: Key = Key::word("networks", |at| NETWORKS.get(at).map(|(name, _)| *name)).or_word("as-recorded").says(
    "network of each transfer; as-recorded: the network in the trace; 0 or 1: always this network; swapped: the other \
         network; nearer: the network with the shorter path for the data",
);
const DETAILS: Key =
    Key::boolean("details").or_boolean(false).says("output of reads.csv, with a line per read, and of links.csv");

pub(super) const KEYS: &[Key] = &[FILE, FORMAT, DEVICE, ISSUE, COMPARE, MAP, WHICH, DETAILS];

/// A trace of a chip's networks, and how it is run.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct NocTrace {
    /// The file, as the scenario names it.
    pub file: String,
    /// When processors do what was recorded.
    #[serde(serialize_with = "issue_in_words")]
    pub issue: Issue,
    /// Whether it is judged against the times in the trace.
    pub compare: bool,
    /// The file that says where what is put.
    pub map: Option<String>,
    /// Which network each transfer takes.
    pub networks: Networks,
    /// Whether reads and links are written.
    pub details: bool,
    /// What is run.
    #[serde(skip)]
    pub prepared: Arc<Prepared>,
}

pub(super) fn issue_name(issue: Issue) -> &'static str {
    match issue {
        Issue::React => "react",
        Issue::Replay => "replay",
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde asks")]
fn issue_in_words<S: serde::Serializer>(issue: &Issue, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(issue_name(*issue))
}

pub(super) fn read(table: &Reader<'_>, setting: &Setting<'_>, files: &mut Files<'_>) -> Option<Arc<dyn Workload>> {
    let message = "a trace of a chip needs a [network.torus] with directions = \"one-way\"";
    setting.demand_network(table, setting.root.has("network"), message);
    table.demand(&FILE);
    table.choice(&FORMAT, &FORMATS);
    table.word(&DEVICE);
    let issue = table.choice(&ISSUE, &ISSUES);
    let compare = table.boolean(&COMPARE);
    let networks = table.choice(&WHICH, &NETWORKS);
    let details = table.boolean(&DETAILS);
    let named = table.string(&FILE);
    if let Some((name, place)) = named
        && let Some(why) = unfit_for_tables(name)
    {
        let message = format!("the name of the trace {why}, so it cannot be written to tables");
        table.error(Diagnostic::at(place.clone(), message).hint(HOW_TO_FIT));
    }
    let map_file = table.string(&MAP);
    // a machine that is wrong has been reported
    let device = setting.machine.device.clone()?;
    let Some(shape) = shape(setting) else {
        let message = "a trace of a chip needs a network of two dimensions with at most 65536 routers each";
        table.error(Diagnostic::at(table.place(), message));
        return None;
    };
    let trace = named.and_then(|(name, place)| npe::read(table, (name, place), shape, files));
    let moves = match map_file {
        Some(named) => map::read(table, named, shape, files),
        None => Some(Map::new()),
    };
    let named = named?;
    let map_name = map_file.map(|(name, _)| name.to_owned());
    let key = format!("noc-trace {} {map_name:?} {networks:?} {device:?}", named.0);
    let trace = trace?;
    let source = Source { trace: &trace, moves: &moves?, networks, shape };
    if map_file.is_some_and(|map| source.refuse_shared(table, map)) {
        return None;
    }
    let prepared = files.shared(&key, |_| source.prepare(setting, &device));
    let prepared = prepared.map_err(|wrong| refuse(table, named, map_file, &wrong)).ok()?;
    let file = named.0.to_owned();
    Some(Arc::new(NocTrace { file, issue, compare, map: map_name, networks, details, prepared }))
}

/// Routers along each of the two dimensions of a network, without the number of networks.
fn shape(setting: &Setting<'_>) -> Option<[u16; 2]> {
    let shape = setting.machine.spec()?.shape();
    let [.., width, height] = shape[..] else { return None };
    let sides = [u16::try_from(width).ok()?, u16::try_from(height).ok()?];
    (shape.len() == 3).then_some(sides)
}

/// What is run, and where.
struct Source<'a> {
    trace: &'a Trace,
    moves: &'a Map,
    networks: Networks,
    shape: [u16; 2],
}

impl Source<'_> {
    fn prepare(&self, setting: &Setting<'_>, device: &Device) -> Result<Arc<Prepared>, Vec<NoEnd>> {
        let hops = |from: NodeId, to: NodeId| setting.machine.network().map_or(0, |network| network.hops(from, to));
        let Self { trace, moves: map, networks, shape } = *self;
        Prepared::new(trace, &Run { device, shape, map, networks, hops: &hops }).map(Arc::new)
    }

    /// Whether two places of the trace are put on one, which is reported.
    fn refuse_shared(&self, table: &Reader<'_>, (name, place): (&str, &Where)) -> bool {
        let before = table.error_count();
        let mut taken = Map::new();
        for from in named_in(self.trace) {
            let to = self.moves.get(&from).copied().unwrap_or(from);
            let Some(other) = taken.insert(to, from) else { continue };
            let [put, stays] = if from == to { [other, from] } else { [from, other] };
            let stays = format!(
                "but ({}, {}) of the trace {}",
                stays.x,
                stays.y,
                if stays == to { "stays there" } else { "is mapped there, too" }
            );
            let message = format!("{name}: ({}, {}) is mapped to ({}, {}), {stays}", put.x, put.y, to.x, to.y);
            table.error(
                Diagnostic::at(place.clone(), message)
                    .note("needed: a separate location for each core and memory of the trace"),
            );
        }
        table.error_count() > before
    }
}

/// The places that a trace names one by one: of cores, and of what they read and write.
fn named_in(trace: &Trace) -> BTreeSet<Place> {
    let named = trace.events().flat_map(|event| {
        let other = match event.what {
            What::Read { from, .. } => Some(from),
            What::Write { to, .. } | What::SemaphoreIncrement { to } => Some(to),
            _ => None,
        };
        std::iter::once(event.core).chain(other)
    });
    named.collect()
}

/// Reports places without ends: of the trace, or of the map if something is put there.
fn refuse(table: &Reader<'_>, trace: (&str, &Where), map: Option<(&str, &Where)>, wrong: &[NoEnd]) {
    for NoEnd { recorded, put } in wrong {
        let (name, place) = map.filter(|_| recorded != put).unwrap_or(trace);
        let moved =
            if recorded == put { String::new() } else { format!(", the target of ({}, {}),", recorded.x, recorded.y) };
        let message = format!("{name}: ({}, {}){moved} is a router without a core or memory", put.x, put.y);
        let note = "accepted: the cores of `device.workers` and the memory ports of `device.dram`";
        table.error(Diagnostic::at(place.clone(), message).note(note));
    }
}

/// How many things there are, as rows count them.
pub(super) fn count(things: usize) -> u64 {
    narrow(things, "64 bits count what memory holds")
}
