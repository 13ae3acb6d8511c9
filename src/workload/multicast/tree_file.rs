//! The file of the tree of `tree-file`: the links of a multicast, by the routers that they join.

use crate::config::{Columns, Diagnostic, Fault, Files, Place, Reader, Row, each_row};
use crate::network::NetworkSpec;
use crate::routing::tree::{EdgeError, EdgeProblem, TreeEdge};
use crate::units::{Key, RouterId, narrow};
use serde::{Serialize, Serializer};
use std::ops::Range;
use std::sync::Arc;

/// The key that names the file.
pub(super) const TREE: Key = Key::file("tree")
    .or_else("none")
    .read_by(&["tree-file"])
    .says("CSV file with the columns from,to: routers that the links of the tree of `tree-file` join");

/// A tree that has been read.
#[derive(Clone, Debug)]
pub struct TreeFile {
    /// The name of the file, as the scenario has it.
    name: Arc<str>,
    /// The location of the key.
    place: Place,
    /// The number of the file among the sources.
    source: usize,
    /// The edges, in the order of the file.
    pub(super) edges: Arc<[TreeEdge]>,
    /// The bytes of each.
    spans: Arc<[Range<usize>]>,
}

/// Manifests have its name.
impl Serialize for TreeFile {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.name)
    }
}

impl TreeFile {
    /// Reads the file that `table` names, of edges between routers of `network`. Returns `None` without a name or after an error, which
    /// has been reported.
    pub(super) fn read(table: &Reader<'_>, network: &dyn NetworkSpec, files: &mut Files<'_>) -> Option<Self> {
        let (name, place) = table.string(&TREE)?;
        let links = network.links().ok()?;
        let source = files.open(table, name, place)?;
        let text = &files.source(source).text;
        let routers = links.routers();
        let mut edges = Vec::new();
        let mut spans = Vec::new();
        let mut faults = Vec::new();
        let columns = Columns { names: &["from", "to"], required: 2 };
        let read = each_row(text, columns, |row| {
            let edge = row.and_then(|row| Ok((edge(&row, routers)?, row.line())));
            let (edge, span) = edge.map_err(|fault| faults.push(fault))?;
            edges.push(edge);
            spans.push(span);
            Ok(())
        });
        faults.extend(read.err());
        if !faults.is_empty() {
            faults.into_iter().for_each(|fault| table.error(fault.diagnostic(source)));
            return None;
        }
        let (edges, spans) = (edges.into(), spans.into());
        Some(Self { name: name.into(), place: place.clone(), source, edges, spans })
    }

    /// The diagnostic of an error of its edges.
    pub(super) fn diagnostic(&self, error: &EdgeError) -> Diagnostic {
        match (error.edge, &error.problem) {
            (Some(edge), _) => {
                let row = Place { source: self.source, span: self.spans[edge].clone() };
                Diagnostic::at(row, error.to_string())
            }
            (None, EdgeProblem::LeftOut(node)) => {
                Diagnostic::at(self.place.clone(), format!("destination {node} is not in {}", self.name))
            }
            (None, problem) => Diagnostic::at(self.place.clone(), format!("{}: {problem}", self.name)),
        }
    }
}

/// The edge of a row, between two of the given number of `routers`.
fn edge(row: &Row<'_>, routers: usize) -> Result<TreeEdge, Fault> {
    let router = |column| -> Result<RouterId, Fault> {
        let number = row.number(column, 0..=(routers as u64).saturating_sub(1))?;
        Ok(RouterId(narrow(number, "routers are numbered with 32 bits")))
    };
    Ok(TreeEdge { from: router(0)?, to: router(1)? })
}
