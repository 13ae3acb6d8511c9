//! `[workload.trace]`: messages with fixed times from a CSV file `id,src,dst,flits,start`.

use super::given;
use crate::config::{Diagnostic, Files, Place, Reader, other_delimiter};
use crate::engine::program::TraceMessage;
use crate::kind::{LINKS_KEY, Setting, Workload, read_links};
use crate::units::{Flits, Key, NodeId, Ticks, saturated};
use crate::workload::LONGEST;
use serde::Serialize;
use std::collections::BTreeMap;
use std::ops::{Range, RangeInclusive};
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
    Key::file("file").says("messages: CSV with the columns id,src,dst,flits,start, in flits and ticks");

pub(crate) const KEYS: &[Key] = &[FILE, LINKS_KEY];

pub(super) fn read(table: &Reader<'_>, setting: &Setting<'_>, files: &mut Files<'_>) -> Option<Arc<dyn Workload>> {
    let nodes = setting.machine.nodes();
    setting.demand_network(table, nodes.is_some(), "a trace needs a [network.*] to run on");
    let nodes = nodes?;
    setting.reject_node_costs("a trace has no node overheads");
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
    let before = table.error_count();
    let report = |span, message| table.error(Diagnostic::at(Place { source, span }, message));
    let parsed = parse(&files.source(source).text, nodes, &report);
    if table.error_count() > before {
        return None;
    }
    let (ids, messages): (Vec<u64>, Vec<TraceMessage>) = parsed.into_iter().unzip();
    Some(Trace { file: name.to_owned(), messages: messages.into(), ids: ids.into(), details: false })
}

/// What the columns take on a network of so many nodes.
pub(super) fn ranges(nodes: usize) -> [RangeInclusive<u64>; 5] {
    let last_node = nodes as u64 - 1;
    [0..=u64::MAX >> 1, 0..=last_node, 0..=last_node, 0..=LONGEST, 0..=1 << 60]
}

type Report<'a> = dyn Fn(Range<usize>, String) + 'a;

/// The messages by id; errors with the bytes they are about.
fn parse(text: &str, nodes: usize, report: &Report<'_>) -> BTreeMap<u64, TraceMessage> {
    let mut messages = BTreeMap::new();
    let mut csv = csv::ReaderBuilder::new();
    let mut reader = csv.has_headers(false).flexible(true).trim(csv::Trim::All).from_reader(text.as_bytes());
    let header = format!("the first line must be `{}`", COLUMNS.join(","));
    let mut is_first = true;
    for record in reader.records() {
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                report(0..0, format!("not CSV: {error}"));
                return messages;
            }
        };
        let start = record.position().map_or(0, |position| usize::try_from(position.byte()).unwrap_or(0));
        let line = Line::at(text, start);
        if is_first && record.iter().ne(COLUMNS) {
            let other = other_delimiter(line.text);
            let why = other.map_or_else(String::new, |other| format!("; here {other} stands where a comma separates"));
            report(line.span(), header + &why);
            return messages;
        }
        if !is_first
            && let Some((id, message)) = line.message(&record, nodes, report)
            && messages.insert(id, message).is_some()
        {
            report(line.field(0), format!("line {}, column 1: message {id} is listed twice", line.number()));
        }
        is_first = false;
    }
    if is_first {
        report(0..0, header);
    }
    messages
}

struct Line<'a> {
    /// The file, and where the line begins in it.
    file: &'a str,
    start: usize,
    text: &'a str,
}

impl<'a> Line<'a> {
    /// The first line at or after byte `start` that is not blank: where the CSV reader found its record.
    fn at(text: &'a str, start: usize) -> Self {
        let skipped = text[start..].len() - text[start..].trim_start_matches(['\n', '\r']).len();
        let start = start + skipped;
        Self { file: text, start, text: text[start..].lines().next().unwrap_or_default() }
    }

    /// Its number, from 1, which is counted only where something is wrong with it.
    fn number(&self) -> usize {
        1 + self.file[..self.start].matches('\n').count()
    }

    /// The id and the message that the line spells; what is wrong is reported.
    fn message(&self, record: &csv::StringRecord, nodes: usize, report: &Report<'_>) -> Option<(u64, TraceMessage)> {
        if record.len() != COLUMNS.len() {
            let needed = COLUMNS.len();
            let message = format!("line {}: {} fields where {needed} are needed", self.number(), record.len());
            report(self.span(), format!("{message}: {}", COLUMNS.join(",")));
            return None;
        }
        let ranges = ranges(nodes);
        let field = |column: usize| -> Option<u64> {
            let written = &record[column];
            let range = &ranges[column];
            let value = written.parse().ok().filter(|value| range.contains(value));
            if value.is_none() {
                let place = format!("line {}, column {}", self.number(), column + 1);
                let accepted = format!("an integer from {} to {}", range.start(), range.end());
                let message = format!("{place}: `{}` cannot be \"{written}\"; accepted: {accepted}", COLUMNS[column]);
                report(self.field(column), message);
            }
            value
        };
        let fields: Vec<Option<u64>> = (0..COLUMNS.len()).map(field).collect();
        let [Some(id), Some(src), Some(dst), Some(flits), Some(start)] = fields[..] else {
            return None;
        };
        let node = |id| NodeId::new(saturated(id));
        Some((id, TraceMessage { src: node(src), dst: node(dst), flits: Flits(flits), start: Ticks(start) }))
    }

    fn span(&self) -> Range<usize> {
        self.start..self.start + self.text.len()
    }

    /// The bytes of the field in `column`, for lines without quotes; otherwise of the whole line.
    fn field(&self, column: usize) -> Range<usize> {
        if self.text.contains('"') {
            return self.span();
        }
        let mut start = self.start;
        for (at, field) in self.text.split(',').enumerate() {
            if at == column {
                return start..start + field.len();
            }
            start += field.len() + 1;
        }
        self.span()
    }
}
