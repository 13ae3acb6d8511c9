//! `[workload.trace]`: messages with fixed times from a CSV file with the columns id, src, dst, flits and start.

use super::given;
use crate::config::{Columns, Fault, Files, Numbers, Place, Reader, Row, each_row};
use crate::engine::program::TraceMessage;
use crate::kind::{LINKS_KEY, Setting, Workload, read_links};
use crate::units::{Flits, Key, NodeId, Ticks, saturated};
use crate::workload::LONGEST;
use serde::Serialize;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

pub(super) const COLUMNS: [&str; 5] = ["id", "src", "dst", "flits", "start"];

/// A trace workload.
#[derive(Clone, Debug, Serialize)]
pub struct Trace {
    /// The file, as the scenario names it; empty where messages are given without one.
    pub file: String,
    /// The messages by number: in the order of the ids that the file gives, which break ties.
    #[serde(skip)]
    pub messages: Arc<[TraceMessage]>,
    /// The id of each message.
    #[serde(skip)]
    pub ids: Arc<[u64]>,
    /// Whether links are written.
    pub details: bool,
}

pub(super) const FILE: Key =
    Key::file("file").says("CSV file of messages with the columns id,src,dst,flits,start, in flits and ticks");

pub(crate) const KEYS: &[Key] = &[FILE, LINKS_KEY];

pub(super) fn read(table: &Reader<'_>, setting: &Setting<'_>, files: &mut Files<'_>) -> Option<Arc<dyn Workload>> {
    let nodes = setting.machine.nodes();
    setting.demand_network(table, nodes.is_some(), "a trace needs a [network.*] to run on");
    let nodes = nodes?;
    setting.reject_node_costs("messages of a trace have no node overheads");
    let details = read_links(table, setting.machine, true);
    if let Some(messages) = setting.messages {
        let trace = given::trace(table, messages, nodes, files)?;
        return Some(Arc::new(Trace { details, ..trace }));
    }
    table.demand(&FILE);
    let named = table.string(&FILE)?;
    let trace = files.shared(&format!("{} {nodes}", named.0), |files| read_file(table, named, nodes, files))?;
    Some(Arc::new(Trace { details, ..trace }))
}

fn read_file(table: &Reader<'_>, (name, place): (&str, &Place), nodes: usize, files: &mut Files<'_>) -> Option<Trace> {
    let source = files.open(table, name, place)?;
    match parse(&files.source(source).text, nodes) {
        Ok(parsed) => {
            let (ids, messages): (Vec<u64>, Vec<TraceMessage>) = parsed.into_iter().unzip();
            Some(Trace { file: name.to_owned(), messages: messages.into(), ids: ids.into(), details: false })
        }
        Err(faults) => {
            faults.into_iter().for_each(|fault| table.error(fault.diagnostic(source)));
            None
        }
    }
}

/// What the columns take on a network of so many nodes.
pub(super) fn ranges(nodes: usize) -> [RangeInclusive<u64>; 5] {
    let last_node = nodes as u64 - 1;
    [0..=u64::MAX >> 1, 0..=last_node, 0..=last_node, 0..=LONGEST, 0..=1 << 60]
}

/// The messages by id.
fn parse(text: &str, nodes: usize) -> Result<BTreeMap<u64, TraceMessage>, Vec<Fault>> {
    let ranges = ranges(nodes);
    let mut messages = BTreeMap::new();
    let mut numbers = Numbers::default();
    let mut faults = Vec::new();
    let columns = Columns { names: &COLUMNS, required: COLUMNS.len() };
    let read = each_row(text, columns, |row| {
        let before = faults.len();
        match row {
            Err(fault) => faults.push(fault),
            Ok(row) => {
                [1, 2].iter().for_each(|&column| numbers.add_written(row.field(column)));
                if let Some((id, message)) = message(&row, &ranges, &mut faults)
                    && messages.insert(id, message).is_some()
                {
                    faults.push(Fault::new(row.span(0), format!("message {id} is listed twice")));
                }
            }
        }
        if faults.len() > before { Err(()) } else { Ok(()) }
    });
    numbers.explain(&mut faults, "nodes", nodes);
    faults.extend(read.err());
    if faults.is_empty() { Ok(messages) } else { Err(faults) }
}

/// The id and the message of `row`. Adds the errors of its fields to `faults`.
fn message(row: &Row<'_>, ranges: &[RangeInclusive<u64>; 5], faults: &mut Vec<Fault>) -> Option<(u64, TraceMessage)> {
    let mut number =
        |column: usize| row.number(column, ranges[column].clone()).map_err(|fault| faults.push(fault)).ok();
    let [id, src, dst, flits, start] = [0, 1, 2, 3, 4].map(&mut number);
    let node = |id| NodeId::new(saturated(id));
    let message = TraceMessage { src: node(src?), dst: node(dst?), flits: Flits(flits?), start: Ticks(start?) };
    Some((id?, message))
}
