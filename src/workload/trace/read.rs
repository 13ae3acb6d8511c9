//! `[workload.trace]`: messages with fixed times from a CSV file with the columns id, src, dst, flits and start.
//!
//! A message with several destinations between blanks is a multicast, and one with several sources a reduction. They are a message for
//! each source and destination, with the same id.

use super::given;
use super::trees::{GroupKind, TraceGroup};
use crate::config::{Columns, Diagnostic, Errors, Fault, Files, Numbers, Place, Reader, Row, each_row};
use crate::engine::program::TraceMessage;
use crate::kind::{Copying, LINKS_KEY, Setting, Workload, read_links};
use crate::machine::Machine;
use crate::routing::tree::MulticastRoute;
use crate::units::{Flits, Key, NodeId, Ticks, narrow, saturated};
use crate::workload::LONGEST;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
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
    /// The multicasts and reductions, in the order of their messages.
    #[serde(skip)]
    pub groups: Arc<[TraceGroup]>,
    /// The trees of multicasts, if there are multicasts or reductions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub multicast: Option<MulticastRoute>,
    /// Whether links are written.
    pub details: bool,
}

pub(super) const FILE: Key =
    Key::file("file").says("CSV file of messages with the columns id,src,dst,flits,start, in flits and ticks");

pub(super) const MULTICAST: Key = Key::word("multicast", |index| MulticastRoute::ALL.get(index).map(|(name, _)| *name))
    .or_word(MulticastRoute::ALL[0].0)
    .says("trees of messages with several destinations, which routers copy");

pub(crate) const KEYS: &[Key] = &[FILE, MULTICAST, LINKS_KEY];

pub(super) fn read(table: &Reader<'_>, setting: &Setting<'_>, files: &mut Files<'_>) -> Option<Arc<dyn Workload>> {
    let nodes = setting.machine.nodes();
    setting.demand_network(table, nodes.is_some(), "a trace needs a [network.*] to run on");
    let nodes = nodes?;
    setting.reject_node_costs("messages of a trace have no node overheads");
    let details = read_links(table, setting.machine, true);
    let route = table.choice(&MULTICAST, &MulticastRoute::ALL);
    if let Some(messages) = setting.messages {
        let trace = given::trace(table, messages, nodes, files)?;
        return Some(Arc::new(Trace { details, ..trace }));
    }
    table.demand(&FILE);
    let trace = read_shared(table, nodes, files)?;
    let multicast = (!trace.groups.is_empty()).then_some(route);
    let trace = Trace { details, multicast, ..trace };
    if let (Some(_), Err(error)) = (multicast, setting.machine.copying_network()) {
        let message = format!("a trace with multicasts or reductions {error}");
        table.error(Diagnostic::at(table.place_of(FILE.name), message));
        return None;
    }
    Some(Arc::new(trace))
}

/// The trace of the file that `table` names, if it names one, on a network of the given number of nodes. Points share it.
fn read_shared(table: &Reader<'_>, nodes: usize, files: &mut Files<'_>) -> Option<Trace> {
    let named = table.string(&FILE)?;
    files.shared(&format!("{} {nodes}", named.0), |files| read_file(table, named, nodes, files))
}

/// Returns the need of routers that copy and combine packets: a trace with multicasts or reductions requires them. Any trace may be one
/// as long as there is no network.
pub(super) fn copying(root: &Reader<'_>, machine: &Machine, files: &mut Files<'_>) -> Copying {
    let errors = Errors::default();
    let names_file = |root: &Reader<'_>| {
        let workload = root.table("workload");
        workload
            .as_ref()
            .and_then(|workload| workload.table("trace"))
            .is_some_and(|table| table.string(&FILE).is_some())
    };
    if !names_file(&root.with_errors(&errors)) {
        return Copying::Never;
    }
    let Some(nodes) = machine.nodes() else { return Copying::Required };
    // errors of the file are reported here, as it is read once
    let workload = root.table("workload");
    let table = workload.as_ref().and_then(|workload| workload.table("trace"));
    let trace = table.and_then(|table| read_shared(&table, nodes, files));
    if trace.is_some_and(|trace| !trace.groups.is_empty()) { Copying::Required } else { Copying::Never }
}

fn read_file(table: &Reader<'_>, (name, place): (&str, &Place), nodes: usize, files: &mut Files<'_>) -> Option<Trace> {
    let source = files.open(table, name, place)?;
    match parse(&files.source(source).text, nodes) {
        Ok(parsed) => Some(parsed.trace(name)),
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

/// The messages of a file by id.
#[derive(Debug, Default)]
struct Parsed {
    /// Each message with its first source and destination.
    messages: BTreeMap<u64, TraceMessage>,
    /// The sources and destinations of those with several.
    groups: BTreeMap<u64, GroupEnds>,
}

/// The ends of a multicast or a reduction: several destinations or several sources.
#[derive(Debug)]
struct GroupEnds {
    kind: GroupKind,
    nodes: Vec<NodeId>,
}

impl Parsed {
    /// The trace of the file `name`.
    fn trace(self, name: &str) -> Trace {
        let mut groups = Vec::new();
        let (ids, messages): (Vec<u64>, Vec<TraceMessage>) = if self.groups.is_empty() {
            self.messages.into_iter().unzip()
        } else {
            let mut all = Vec::new();
            for (id, message) in self.messages {
                match self.groups.get(&id) {
                    None => all.push((id, message)),
                    Some(ends) => {
                        let first = message_number(all.len());
                        all.extend(ends.messages(message).map(|message| (id, message)));
                        groups.push(TraceGroup { kind: ends.kind, messages: first..message_number(all.len()) });
                    }
                }
            }
            all.into_iter().unzip()
        };
        let (messages, ids, groups) = (messages.into(), ids.into(), groups.into());
        Trace { file: name.to_owned(), messages, ids, groups, multicast: None, details: false }
    }
}

/// The number of a message.
pub(super) fn message_number(index: usize) -> u32 {
    narrow(index, "messages are numbered with 32 bits")
}

impl GroupEnds {
    /// A message like `message` for each source and destination.
    fn messages(&self, message: TraceMessage) -> impl Iterator<Item = TraceMessage> + '_ {
        self.nodes.iter().map(move |&node| match self.kind {
            GroupKind::Multicast => TraceMessage { dst: node, ..message },
            GroupKind::Reduction => TraceMessage { src: node, ..message },
        })
    }
}

fn parse(text: &str, nodes: usize) -> Result<Parsed, Vec<Fault>> {
    let ranges = ranges(nodes);
    let mut parsed = Parsed::default();
    let mut numbers = Numbers::default();
    let mut faults = Vec::new();
    let columns = Columns { names: &COLUMNS, required: COLUMNS.len() };
    let read = each_row(text, columns, |row| {
        let before = faults.len();
        match row {
            Err(fault) => faults.push(fault),
            Ok(row) => {
                let words = [1, 2].into_iter().flat_map(|column| row.field(column).split_ascii_whitespace());
                words.for_each(|word| numbers.add_written(word));
                if let Some((id, message, ends)) = message(&row, &ranges, &mut faults) {
                    if parsed.messages.insert(id, message).is_some() {
                        faults.push(Fault::new(row.span(0), format!("message {id} is listed twice")));
                    }
                    parsed.groups.extend(ends.map(|ends| (id, ends)));
                }
            }
        }
        if faults.len() > before { Err(()) } else { Ok(()) }
    });
    numbers.explain(&mut faults, "nodes", nodes);
    faults.extend(read.err());
    if faults.is_empty() { Ok(parsed) } else { Err(faults) }
}

/// The id and the message of `row`, and its sources or destinations if there are several. Adds the errors of its fields to `faults`.
fn message(
    row: &Row<'_>,
    ranges: &[RangeInclusive<u64>; 5],
    faults: &mut Vec<Fault>,
) -> Option<(u64, TraceMessage, Option<GroupEnds>)> {
    let mut number =
        |column: usize| row.number(column, ranges[column].clone()).map_err(|fault| faults.push(fault)).ok();
    let [id, flits, start] = [0, 3, 4].map(&mut number);
    let mut ends = |column: usize, name: &str| {
        let read = row.numbers(column, ranges[column].clone()).and_then(|nodes| distinct(row, column, name, nodes));
        read.map_err(|fault| faults.push(fault)).ok()
    };
    let (sources, destinations) = (ends(1, "source"), ends(2, "destination"));
    let (sources, destinations) = (sources?, destinations?);
    let message = TraceMessage { src: sources[0], dst: destinations[0], flits: Flits(flits?), start: Ticks(start?) };
    let group = match (sources.len(), destinations.len()) {
        (1, 1) => None,
        (1, _) => Some(GroupEnds { kind: GroupKind::Multicast, nodes: destinations }),
        (_, 1) => Some(GroupEnds { kind: GroupKind::Reduction, nodes: sources }),
        (sources, destinations) => {
            let message = format!("{sources} sources and {destinations} destinations");
            let fault = Fault::new(row.line(), message);
            faults.push(fault.note("accepted: one source or one destination"));
            return None;
        }
    };
    Some((id?, message, group))
}

/// The nodes with these numbers, unless one is listed twice.
fn distinct(row: &Row<'_>, column: usize, name: &str, numbers: Vec<u64>) -> Result<Vec<NodeId>, Fault> {
    let mut seen = BTreeSet::new();
    let twice = numbers.iter().copied().find(|&number| numbers.len() > 1 && !seen.insert(number));
    match twice {
        Some(number) => Err(Fault::new(row.span(column), format!("{name} {number} is listed twice"))),
        None => Ok(numbers.into_iter().map(|number| NodeId::new(saturated(number))).collect()),
    }
}
