//! Diagrams of a broadcast over a grid: the trees as they are planned, and who informed whom when in the end.

use super::DiagramError;
use super::rows::{Panels, within};
use super::sheet::Sheet;
use super::timing::{self, Timing, Transfer};
use super::tree::{self, Sends};
use crate::engine::broadcast::Happening;
use crate::model::MessageTimes;
use crate::run::{BroadcastDetails, RowError, RowId, Runner};
use crate::scenario::{Broadcast, Diagram, Scenario};
use crate::topology::CostError;
use crate::topology::CostMatrix;
use crate::units::{NodeId, Ticks};
use std::collections::BTreeMap;

/// The diagrams `chosen` of the row `id`, whose workload is `work`.
///
/// # Errors
/// If it cannot be planned or run.
pub(super) fn panels(
    scenario: &Scenario,
    work: &Broadcast,
    id: RowId,
    chosen: &[Diagram],
) -> Result<Panels, DiagramError> {
    let experiment = &scenario.points[id.point].experiment;
    let failed = |error: CostError| DiagramError::Row(Box::new(RowError::of(experiment, id, error.into())));
    let costs = work.grid.costs(experiment.seed, id.repetition).map_err(failed)?;
    let row = Runner::new(scenario).compute(id, true).map_err(DiagramError::Row)?;
    let Some(details) = &row.spread else { return Ok(Vec::new()) };
    let lay_out = |&diagram: &Diagram| match diagram {
        Diagram::Tree => {
            within(diagram, &[(row.nodes, "nodes", tree::MOST)], || trees(work.root, &costs.predicted, details))
        }
        _ => within(diagram, &[(row.nodes, "lanes", timing::MOST_LANES)], || vec![timing_of(row.nodes, details)]),
    };
    Ok(chosen.iter().map(lay_out).collect())
}

fn timing_of(nodes: usize, details: &BroadcastDetails) -> Sheet {
    let lanes = (0..nodes).map(|node| node.to_string()).collect();
    let title = format!("measured: {} ticks", details.spread.completion);
    timing::sheet(&title, &Timing { lanes, ports: 1, transfers: transfers(&details.log), until: 0 })
}

/// The trees as planned, each with the times at which it would inform nodes alone under the forecasts; then who informed
/// whom in the end.
fn trees(root: NodeId, predicted: &CostMatrix, details: &BroadcastDetails) -> Vec<Sheet> {
    let BroadcastDetails { trees, spread, .. } = details;
    let mut sheets = Vec::new();
    for (number, tree) in trees.iter().enumerate() {
        let informed = tree.informed(predicted, root);
        let name = if trees.len() == 1 { "tree".to_owned() } else { format!("tree {number}, alone") };
        let end = informed.iter().flatten().max().copied().unwrap_or_default();
        sheets.push(tree::sheet(&format!("{name}: {end} ticks predicted"), &sends(root, tree.edges(), &informed)));
    }
    let mut edges: Vec<(Ticks, NodeId, NodeId)> = Vec::new();
    for (node, (parent, at)) in spread.parent.iter().zip(&spread.informed).enumerate() {
        edges.extend(parent.zip(*at).map(|(parent, at)| (at, parent, NodeId::new(node))));
    }
    edges.sort_unstable();
    let edges: Vec<(NodeId, NodeId)> = edges.into_iter().map(|(_, src, dst)| (src, dst)).collect();
    let title = format!("in the end: {} ticks measured", spread.completion);
    sheets.push(tree::sheet(&title, &sends(root, &edges, &spread.informed)));
    sheets
}

fn sends(root: NodeId, edges: &[(NodeId, NodeId)], informed: &[Option<Ticks>]) -> Sends {
    let mut receivers = vec![Vec::new(); informed.len()];
    for &(src, dst) in edges {
        receivers[src.index()].push(dst.index());
    }
    let label =
        |(node, at): (usize, &Option<Ticks>)| [node.to_string(), at.map_or_else(String::new, |at| at.to_string())];
    Sends { root: root.index(), receivers, labels: informed.iter().enumerate().map(label).collect() }
}

/// What the events of a broadcast say of its transfers. One that another sender replaced, or that was given up, is broken
/// off; the time of a contest belongs to the transfer that wins it. What was broken off before anything was sent is left
/// out, and so is the second of two senders in parallel, of whose start there is no event.
fn transfers(log: &[(Ticks, Happening, NodeId, NodeId)]) -> Vec<Transfer> {
    let (mut open, mut transfers) = (BTreeMap::<(NodeId, NodeId), Ticks>::new(), Vec::new());
    for &(now, what, src, dst) in log {
        let (ended, received) = match what {
            Happening::Start => (None, false),
            Happening::Done => (Some(src), true),
            Happening::GaveUp => (Some(src), false),
            Happening::Switch(other) => (Some(other), false),
            Happening::Refused | Happening::Keep(_) => continue,
        };
        if let Some((src, start)) = ended.and_then(|src| Some((src, open.remove(&(src, dst))?)))
            && now > start
        {
            transfers.push(transfer([src, dst], start, now, received));
        }
        if matches!(what, Happening::Start | Happening::Switch(_)) {
            open.insert((src, dst), now);
        }
    }
    transfers
}

fn transfer(ends: [NodeId; 2], start: Ticks, end: Ticks, received: bool) -> Transfer {
    let took = (end - start).0;
    let times = MessageTimes { send: took, hold: took, arrival: took, receive: 0, receive_hold: 0 };
    Transfer { lanes: ends.map(NodeId::index), port: 0, start: start.0, times, received, blocked: false }
}
