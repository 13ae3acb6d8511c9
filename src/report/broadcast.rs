//! `trees.csv`, `nodes.csv` and `events.csv` of broadcasts.

use super::rows::{RowSink, end};
use crate::engine::broadcast::Happening;
use crate::run::Row;
use crate::schedule::Tree;
use crate::topology::CostMatrix;
use crate::units::{NodeId, Ticks};
use std::io::Write;

/// Writes what happened in broadcasts to three files, a line per send, per node, and per event.
pub struct BroadcastCsv<W: Write> {
    trees: csv::Writer<W>,
    nodes: csv::Writer<W>,
    events: Option<csv::Writer<W>>,
}

impl<W: Write> BroadcastCsv<W> {
    /// Begins with the headers; `events` only if events are asked for.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn new(trees: W, nodes: W, events: Option<W>) -> csv::Result<Self> {
        let mut trees = csv::Writer::from_writer(trees);
        trees.write_record(["point", "algorithm", "repetition", "tree", "order", "src", "dst"])?;
        let mut nodes = csv::Writer::from_writer(nodes);
        nodes.write_record(["point", "algorithm", "repetition", "node", "parent", "informed"])?;
        let mut events = events.map(csv::Writer::from_writer);
        if let Some(events) = &mut events {
            events.write_record(["point", "algorithm", "repetition", "time", "event", "src", "dst", "other"])?;
        }
        Ok(Self { trees, nodes, events })
    }
}

impl<W: Write> RowSink<W> for BroadcastCsv<W> {
    fn write(&mut self, row: &Row) -> csv::Result<()> {
        let Some(details) = &row.spread else { return Ok(()) };
        let name = (row.id.point, row.algorithm, row.id.repetition);
        for (number, tree) in details.trees.iter().enumerate() {
            for (order, (src, dst)) in tree.edges().iter().enumerate() {
                self.trees.serialize((name, number, order, src.0, dst.0))?;
            }
        }
        let nodes = details.spread.informed.iter().zip(&details.spread.parent);
        for (node, (informed, parent)) in nodes.enumerate() {
            self.nodes.serialize((name, node, parent.map(|parent| parent.0), informed.map(|at| at.0)))?;
        }
        if let Some(events) = &mut self.events {
            for (at, what, src, dst) in &details.log {
                let other = match what {
                    Happening::Switch(other) | Happening::Keep(other) => Some(other.0),
                    _ => None,
                };
                events.serialize((name, at.0, what.name(), src.0, dst.0, other))?;
            }
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> std::io::Result<Vec<W>> {
        [Some(self.trees), Some(self.nodes), self.events].into_iter().flatten().map(end).collect()
    }
}

/// Writes a line per send of each tree, in the columns of `flitwise schedule`, the tree's number as step; times are those
/// of the tree alone under `costs`.
///
/// # Errors
/// If they cannot be written.
pub fn trees_csv(
    csv: &mut csv::Writer<impl Write>,
    (algorithm, repetition): (&str, u64),
    costs: &CostMatrix,
    root: NodeId,
    trees: &[Tree],
) -> csv::Result<()> {
    for (number, tree) in trees.iter().enumerate() {
        let informed = tree.informed(costs, root);
        for &(src, dst) in tree.edges() {
            let received = informed[dst.index()].unwrap_or_default();
            let start = received - costs.cost(src, dst).min(received);
            let none = None::<Ticks>;
            csv.serialize((algorithm, repetition, number, src.0, dst.0, none, none, start.0, received.0, none))?;
        }
    }
    csv.flush()?;
    Ok(())
}
