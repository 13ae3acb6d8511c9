//! The keys that all applications read: the size of a flit, the nodes of the ranks, and whether links are written.

use super::{Application, NoiseTable, Outline};
use crate::config::{Diagnostic, Files, Place, Reader};
use crate::kind::words::counted;
use crate::kind::{LINKS_KEY, ReadSource, Scene, Setting, Workload, read_links};
use crate::units::{Key, NodeId};
use crate::workload::group::distinct;
use rust_decimal::Decimal;
use std::sync::Arc;

/// The size of a flit.
pub(crate) const FLIT_BYTES: Key = Key::integer("flit_bytes", 1..=1 << 40)
    .or_else("`channel.flit_bytes`, else 1")
    .unit("bytes")
    .says("size of a flit");
/// The nodes of the ranks.
pub(crate) const NODES: Key =
    Key::integers("nodes", 0..=u32::MAX as u64).or_else("[0, 1, ..]").says("node of each rank");
/// The key that decides if links are written.
pub(crate) const DETAILS: Key = LINKS_KEY;

/// The ticks of a microsecond of a trace.
pub(crate) const TICKS_PER_US: Key = Key::integer("ticks_per_us", 1..=1 << 40)
    .or_else("by `tick`, else 1000")
    .says("ticks of a microsecond of the trace");

/// The bytes of a flit as `key` states them, or those of the channels, or `default`.
pub(crate) fn flit_bytes(table: &Reader<'_>, key: &Key, default: u64) -> u64 {
    let stated = table.optional_integer(key);
    let of_channel = table.scale().and_then(|scale| scale.flit_bytes);
    if let (Some(stated), Some(of_channel)) = (stated, of_channel)
        && stated != of_channel
    {
        let message =
            format!("`{}` is {stated}, but `channel.flit_bytes` is {of_channel}", table.path_of("flit_bytes"));
        let diagnostic = Diagnostic::at(table.place_of("flit_bytes"), message);
        table.error(diagnostic.note("accepted: the same value, or `channel.flit_bytes` alone"));
    }
    stated.or(of_channel).unwrap_or(default)
}

/// The ticks of a microsecond as [`TICKS_PER_US`] states them, or by the duration of a tick, or 1000.
pub(crate) fn ticks_per_us(table: &Reader<'_>) -> u64 {
    let stated = table.optional_integer(&TICKS_PER_US);
    let tick = table.scale().and_then(|scale| scale.tick);
    let by_tick = tick.and_then(|tick| Decimal::from(PICOSECONDS).checked_div(tick));
    let refuse = |message: String, accepted: &str| {
        let diagnostic = Diagnostic::at(place_of(table, TICKS_PER_US.name), message);
        table.error(diagnostic.note(format!("accepted: {accepted}")));
    };
    match (by_tick.and_then(|ticks| u64::try_from(ticks).ok().filter(|_| ticks.is_integer())), by_tick, stated) {
        (Some(by_tick), _, Some(stated)) if by_tick != stated => {
            let message = format!("`{}` is {stated}, but `tick` makes it {by_tick}", table.path_of(TICKS_PER_US.name));
            refuse(message, "the same value, or `tick` alone");
        }
        (Some(by_tick), ..) if by_tick > 0 => return by_tick,
        (_, Some(by_tick), _) => {
            let message = format!("a microsecond of the trace is {} ticks by `tick`", by_tick.normalize());
            refuse(message, "a `tick` that divides 1 us");
        }
        (_, None, stated) => return stated.unwrap_or(1000),
    }
    1
}

/// The picoseconds of a microsecond.
const PICOSECONDS: u64 = 1_000_000;

/// The place of `key` if it is given, and else that of the table.
pub(super) fn place_of(table: &Reader<'_>, key: &str) -> Place {
    if table.has(key) { table.place_of(key) } else { table.place() }
}

/// The sentence that `key` has no effect without a network.
pub(crate) fn no_effect(table: &Reader<'_>, key: &Key) -> String {
    format!("`{}` has no effect without a table [network.*]", table.path_of(key.name))
}

/// Reports `key` if it is given.
pub(crate) fn refuse_without_network(table: &Reader<'_>, key: &Key) {
    if table.gives(key) {
        table.error(Diagnostic::at(table.place_of(key.name), no_effect(table, key)));
    }
}

/// Reads an application whose own keys `source` reads. Errors have been reported if there is none.
pub(crate) fn read(
    table: &Reader<'_>,
    setting: &Setting<'_>,
    files: &mut Files<'_>,
    source: ReadSource,
) -> Option<Arc<dyn Workload>> {
    let flit_bytes = flit_bytes(table, &FLIT_BYTES, 1);
    let source = source(table, &Scene { setting, flit_bytes }, files);
    let noise = NoiseTable::read(setting.root, files);
    let listed = table.integers(&NODES);
    let details = read_links(table, setting.machine, true);
    let mut warning = None;
    let application = |source, outline, nodes: Vec<NodeId>, warning| -> Option<Arc<dyn Workload>> {
        let (noise, nodes) = (noise.clone(), nodes.into());
        Some(Arc::new(Application { source, flit_bytes, nodes, details, noise, outline, warning }))
    };
    let Some(machine) = setting.machine.nodes() else {
        refuse_without_network(table, &NODES);
        let source = source?;
        // only a warning, so that a program can be exported whatever its machine
        if table.gives(&FLIT_BYTES) && !source.cuts_vectors() {
            warning = Some(no_effect(table, &FLIT_BYTES));
        }
        let outline = Outline::new(&source.program());
        return application(source, outline, Vec::new(), warning);
    };
    let source = source?;
    let outline = Outline::new(&source.program());
    let ranks = outline.ranks;
    let nodes: Vec<NodeId> = match listed {
        Some(listed) => distinct(table, &listed, Some(machine))?,
        None => (0..machine.min(ranks)).map(NodeId::new).collect(),
    };
    if nodes.len() != ranks && (table.has("nodes") || nodes.len() < ranks) {
        let (key, have) = match table.has("nodes") {
            true => ("nodes", format!("`nodes` lists {}", counted(nodes.len() as u64, "node"))),
            false => (source.longest_key(), format!("the machine has {}", counted(machine as u64, "node"))),
        };
        let name = source.text_file().map_or_else(|| source.called(), |file| format!("`{file}`"));
        let message = format!("{name} has {}, but {have}", counted(ranks as u64, "rank"));
        table.error(Diagnostic::at(place_of(table, key), message).note("accepted: one node per rank"));
        return None;
    }
    application(source, outline, nodes, warning)
}
