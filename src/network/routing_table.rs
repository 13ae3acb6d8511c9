//! Files of routing tables: a link for a router and a destination router, row by row.

use crate::config::{Columns, Diagnostic, Fault, Files, Numbers, Place, Reader, Row, each_row};
use crate::routing::graph::{Entry, TableError};
use crate::topology::{Graph, Links};
use crate::units::{LinkId, RouterId, narrow};
use rustc_hash::FxHashSet;
use std::ops::Range;

/// A table that has been read.
#[derive(Clone, Debug)]
pub(super) struct RoutingTable {
    pub(super) entries: Vec<Entry>,
    /// The line of each entry, from 1.
    pub(super) lines: Vec<usize>,
    /// The bytes of each entry in the file.
    spans: Vec<Range<usize>>,
    /// The name of the file.
    pub(super) file: String,
    /// The file among the sources.
    pub(super) source: usize,
    /// The location of the key that names it.
    pub(super) named: Place,
}

impl RoutingTable {
    /// Reads the file `name` of links of `graph`. Returns `None` after an error, which has been reported.
    pub(super) fn read(scenario: &Reader<'_>, files: &mut Files<'_>, graph: &Graph, name: &str) -> Option<Self> {
        let named = scenario.place_within(&["router", "table"]);
        let source = files.open(scenario, name, &named)?;
        let text = &files.source(source).text;
        let mut rows = Rows { graph, text, table: Self::new(name, source, named), pairs: FxHashSet::default() };
        let mut numbers = Numbers::default();
        let mut faults = Vec::new();
        let columns = Columns { names: &["at", "to", "link", "class"], required: 3 };
        let read = each_row(text, columns, |row| {
            let added = row.and_then(|row| {
                [0, 1].iter().for_each(|&column| numbers.add_written(row.field(column)));
                rows.add(&row)
            });
            added.map_err(|fault| faults.push(fault))
        });
        numbers.explain(&mut faults, "routers", graph.routers());
        faults.extend(read.err());
        if faults.is_empty() {
            return Some(rows.table);
        }
        faults.into_iter().for_each(|fault| scenario.error(fault.diagnostic(source)));
        None
    }

    fn new(name: &str, source: usize, named: Place) -> Self {
        Self { entries: Vec::new(), lines: Vec::new(), spans: Vec::new(), file: name.to_owned(), source, named }
    }

    /// The location of the row of an entry.
    pub(super) fn location(&self, entry: usize) -> Place {
        Place { source: self.source, span: self.spans[entry].clone() }
    }
}

/// The rows of a table so far.
struct Rows<'a> {
    graph: &'a Graph,
    text: &'a str,
    table: RoutingTable,
    pairs: FxHashSet<(RouterId, RouterId)>,
}

impl Rows<'_> {
    /// Adds an entry.
    fn add(&mut self, row: &Row<'_>) -> Result<(), Fault> {
        let number = |column, count: usize| -> Result<u32, Fault> {
            let number = row.number(column, 0..=(count as u64).saturating_sub(1))?;
            Ok(narrow(number, "a graph has fewer routers and links than 2^32"))
        };
        let at = RouterId(number(0, self.graph.routers())?);
        let to = RouterId(number(1, self.graph.routers())?);
        let link = LinkId(number(2, self.graph.count())?);
        let class = match row.field(3) {
            "" => 0,
            // so that the number of classes is one of 8 bits
            _ => narrow(number(3, usize::from(u8::MAX))?, "it is below the largest"),
        };
        let (from, _) = self.graph.ends(link);
        if from != at {
            let own = self.graph.links_from(at);
            let more = if own.len() > 8 { ", .." } else { "" };
            let accepted = own.iter().take(8).map(ToString::to_string).collect::<Vec<_>>().join(", ");
            let fault = Fault::new(row.span(2), format!("link {link} starts at router {from}, not {at}"));
            return Err(fault.note(format!("accepted: {accepted}{more}")));
        }
        if !self.pairs.insert((at, to)) {
            return Err(Fault::new(row.line(), format!("router {at} already has a link for router {to}")));
        }
        self.note_line(row.line());
        self.table.entries.push(Entry { at, to, link, class });
        Ok(())
    }

    /// Notes that the next entry is at the bytes `span`.
    fn note_line(&mut self, span: Range<usize>) {
        let (line, from) = match (self.table.lines.last(), self.table.spans.last()) {
            (Some(&line), Some(last)) => (line, last.start),
            _ => (1, 0),
        };
        let newlines = self.text[from..span.start].bytes().filter(|&byte| byte == b'\n').count();
        self.table.lines.push(line + newlines);
        self.table.spans.push(span);
    }
}

/// Reports that tables of a routing are too large.
pub(super) fn refuse_size(table: &Reader<'_>, place: Place, error: &TableError) {
    let hint = "`-s router.routing=up-down` needs less memory: it computes paths to a destination only when a message goes there";
    table.error(Diagnostic::at(place, error.to_string()).hint(hint));
}
