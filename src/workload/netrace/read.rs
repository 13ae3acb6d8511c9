//! `[workload.netrace]`: a netrace file, and the rules for the sends of its packets.

use crate::config::{Diagnostic, Files, Place, Reader};
use crate::kind::words::counted;
use crate::kind::{Setting, Workload};
use crate::schedule::netrace::{Netrace, NetraceError, Pacing};
use crate::units::{Key, NodeId};
use crate::workload::application::{NODES, flit_bytes};
use crate::workload::group::distinct;
use serde::Serialize;
use std::sync::Arc;

const FILE: Key = Key::file("file").says("netrace file (.tra), which may be packed by bzip2 or gzip");
const DEPENDENCIES: Key =
    Key::boolean("dependencies").or_boolean(true).says("packets wait for the packets on which they depend");
const PACINGS: [(&str, Pacing); 2] = [("trace", Pacing::Trace), ("self-throttled", Pacing::SelfThrottled)];
const PACING: Key = Key::word("pacing", |at| PACINGS.get(at).map(|(name, _)| *name))
    .or_word("trace")
    .says("send of a packet some time after those on which it depends, or at once");
const FIRST_REGION: Key =
    Key::integer("first_region", 0..=u32::MAX as u64).or(0).says("region at which reading begins");
const TURNAROUND: Key = Key::integer("turnaround", 0..=1 << 40)
    .or(8)
    .unit("ticks")
    .says("time from the delivery of the last packet on which a packet depends to its send");
const HOP_CYCLES: Key = Key::integer("hop_cycles", 0..=1 << 40)
    .or(3)
    .unit("ticks")
    .says("time of a hop in the prediction, and of packets from a node to itself");
const FLIT_BYTES: Key = Key::integer("flit_bytes", 1..=1 << 40)
    .or_else("`channel.flit_bytes`, else 8")
    .unit("bytes")
    .says("size of a flit");
const DETAILS: Key = Key::boolean("details")
    .or_boolean(false)
    .says("packets.csv with the times of each packet, and on a network links.csv with the load of each link");

pub(super) const KEYS: &[Key] =
    &[FILE, DEPENDENCIES, PACING, FIRST_REGION, TURNAROUND, HOP_CYCLES, FLIT_BYTES, NODES, DETAILS];

/// A netrace trace.
#[derive(Clone, Debug, Serialize)]
pub struct NetraceWorkload {
    /// The file, as the scenario names it.
    pub file: String,
    /// The rule for the send of a packet.
    pub pacing: Pacing,
    /// The region at which reading begins.
    pub first_region: u64,
    /// The ticks from the last delivery on which a packet depends to its send.
    pub turnaround: u64,
    /// The ticks of a hop in the prediction.
    pub hop_cycles: u64,
    /// The bytes of a flit.
    pub flit_bytes: u64,
    /// True if packets and links are written.
    pub details: bool,
    /// Per node of the trace its node of the network. Empty without a network.
    #[serde(skip)]
    pub nodes: Arc<[NodeId]>,
    /// The packets.
    #[serde(skip)]
    pub trace: Arc<Netrace>,
}

pub(super) fn read(table: &Reader<'_>, setting: &Setting<'_>, files: &mut Files<'_>) -> Option<Arc<dyn Workload>> {
    setting.reject_node_costs("packets of a netrace trace have no node overheads");
    let [first_region, turnaround, hop_cycles] = [FIRST_REGION, TURNAROUND, HOP_CYCLES].map(|key| table.integer(&key));
    let details = table.boolean(&DETAILS);
    let flit_bytes = flit_bytes(table, &FLIT_BYTES, 8);
    let pacing = pacing(table);
    let listed = table.integers(&NODES);
    table.demand(&FILE);
    let (file, place) = table.string(&FILE)?;
    let trace =
        files.shared(&format!("{file} {first_region}"), |files| trace(table, files, (file, place), first_region))?;
    let machine = setting.machine.nodes();
    let nodes = match (listed, machine) {
        (Some(listed), _) => distinct(table, &listed, machine)?,
        (None, Some(machine)) => (0..machine.min(trace.nodes())).map(NodeId::new).collect(),
        (None, None) => Vec::new(),
    };
    if machine.is_some() && nodes.len() != trace.nodes() {
        let (key, have) = match table.has("nodes") {
            true => ("nodes", format!("`nodes` lists {}", counted(nodes.len() as u64, "node"))),
            false => ("file", format!("the machine has {}", counted(nodes.len() as u64, "node"))),
        };
        let message = format!("`{file}` has {}, but {have}", counted(trace.nodes() as u64, "node"));
        table.error(Diagnostic::at(table.place_of(key), message).note("accepted: a node for each node of the trace"));
        return None;
    }
    let nodes = nodes.into();
    let file = file.to_owned();
    let workload = NetraceWorkload {
        file,
        pacing: pacing?,
        first_region,
        turnaround,
        hop_cycles,
        flit_bytes,
        details,
        nodes,
        trace,
    };
    Some(Arc::new(workload))
}

/// The rule for the send of a packet.
fn pacing(table: &Reader<'_>) -> Option<Pacing> {
    let pacing = table.choice(&PACING, &PACINGS);
    if table.boolean(&DEPENDENCIES) {
        return Some(pacing);
    }
    if pacing == Pacing::SelfThrottled {
        let message = "`pacing` = \"self-throttled\" has no effect without `dependencies`";
        table.error(Diagnostic::at(table.place_of("pacing"), message).note("accepted: trace"));
        return None;
    }
    Some(Pacing::Independent)
}

/// The packets of the file `name`.
fn trace(
    table: &Reader<'_>,
    files: &mut Files<'_>,
    (name, place): (&str, &Place),
    first_region: u64,
) -> Option<Arc<Netrace>> {
    let bytes = files.bytes(table, name, place)?;
    let trace = Netrace::read(&bytes, first_region);
    let report = |error: NetraceError| {
        let (place, key) =
            if error.of_region { (table.place_of("first_region"), "`first_region`: ") } else { (place.clone(), "") };
        table.error(Diagnostic::at(place, format!("{key}`{name}`: {error}")));
    };
    trace.map_err(|errors| errors.into_iter().for_each(report)).ok().map(Arc::new)
}
