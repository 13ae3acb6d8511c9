//! `trees.csv`, `nodes.csv` and `events.csv` of broadcasts.

use super::rows::RowFile;
use crate::engine::broadcast::Happening;
use crate::scenario::Scenario;
use crate::schedule::Tree;
use crate::topology::CostMatrix;
use crate::units::{NodeId, Ticks};
use std::io::Write;

fn given(scenario: &Scenario, details: bool) -> bool {
    scenario.is_broadcast() && (details || scenario.has_details())
}

/// A line per send of every tree.
pub(super) const TREES: RowFile = RowFile {
    name: "trees.csv",
    given,
    header: |_, csv| csv.write_record(["point", "algorithm", "repetition", "tree", "order", "src", "dst"]),
    lines: |_, row, csv| {
        let name = (row.id.point, row.algorithm, row.id.repetition);
        for (number, tree) in row.spread.iter().flat_map(|details| details.trees.iter().enumerate()) {
            for (order, (src, dst)) in tree.edges().iter().enumerate() {
                csv.serialize((name, number, order, src.0, dst.0))?;
            }
        }
        Ok(())
    },
};

/// A line per node: when it had the message, and from whom.
pub(super) const NODES: RowFile = RowFile {
    name: "nodes.csv",
    given,
    header: |_, csv| csv.write_record(["point", "algorithm", "repetition", "node", "parent", "informed"]),
    lines: |_, row, csv| {
        let Some(details) = &row.spread else { return Ok(()) };
        let name = (row.id.point, row.algorithm, row.id.repetition);
        let nodes = details.spread.informed.iter().zip(&details.spread.parent).enumerate();
        nodes
            .map(|(node, (at, parent))| (name, node, parent.map(|p| p.0), at.map(|at| at.0)))
            .try_for_each(|line| csv.serialize(line))
    },
};

/// A line per transfer and contest.
pub(super) const EVENTS: RowFile = RowFile {
    name: "events.csv",
    given: |scenario, details| scenario.is_broadcast() && details,
    header: |_, csv| csv.write_record(["point", "algorithm", "repetition", "time", "event", "src", "dst", "other"]),
    lines: |_, row, csv| {
        let name = (row.id.point, row.algorithm, row.id.repetition);
        for (at, what, src, dst) in row.spread.iter().flat_map(|details| &details.log) {
            let other = match what {
                Happening::Switch(other) | Happening::Keep(other) => Some(other.0),
                _ => None,
            };
            csv.serialize((name, at.0, what.name(), src.0, dst.0, other))?;
        }
        Ok(())
    },
};

/// Writes a line per send of each tree, in the columns of `flitwise schedule`, the tree's number as step; times are those
/// of the tree alone under `costs`.
///
/// # Errors
/// If they cannot be written.
pub(super) fn trees_csv(
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
