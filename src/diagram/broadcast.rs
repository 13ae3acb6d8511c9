//! Diagrams of a broadcast over a grid: the trees as they are planned, and who informed whom when in the end.

use super::rows::{Panels, within};
use super::sheet::Sheet;
use super::timing::{self, Timing, Transfer};
use super::tree::{self, Sends};
use crate::engine::broadcast::Happening;
use crate::model::MessageTimes;
use crate::run::{BroadcastDetails, RowError, RowId, Runner, broadcast_plan};
use crate::scenario::{Broadcast, Diagram, Scenario};
use crate::units::{NodeId, Ticks};

/// The diagrams `chosen` of the row `id`, whose workload is `work`.
///
/// # Errors
/// If it cannot be planned.
pub(super) fn panels(
    scenario: &Scenario,
    work: &Broadcast,
    id: RowId,
    chosen: &[Diagram],
) -> Result<Panels, Box<RowError>> {
    let row = Runner::new(scenario).compute(id, true)?;
    let Some(details) = &row.spread else { return Ok(Vec::new()) };
    let trees = if chosen.contains(&Diagram::Tree) { trees(scenario, work, id, details)? } else { Vec::new() };
    let nodes = row.nodes;
    let mut trees = Some(trees);
    let lay_out = |&diagram: &Diagram| match diagram {
        Diagram::Tree => within(diagram, &[(nodes, "nodes", tree::MOST)], || trees.take().unwrap_or_default()),
        _ => within(diagram, &[(nodes, "lanes", timing::MOST_LANES)], || {
            let lanes = (0..nodes).map(|node| node.to_string()).collect();
            vec![timing::sheet(
                &format!("measured: {} ticks", details.spread.completion),
                &Timing { lanes, ports: 1, transfers: transfers(&details.log), until: 0 },
            )]
        }),
    };
    Ok(chosen.iter().map(lay_out).collect())
}

/// The trees as planned, each with the times at which it would inform nodes alone under the forecasts; then who informed
/// whom in the end.
fn trees(
    scenario: &Scenario,
    work: &Broadcast,
    id: RowId,
    details: &BroadcastDetails,
) -> Result<Vec<Sheet>, Box<RowError>> {
    let failed = |cause| {
        let algorithm = work.algorithms[id.algorithm].name;
        Box::new(RowError { point: id.point, algorithm, repetition: id.repetition, cause })
    };
    let (costs, trees) = broadcast_plan(scenario.points[id.point].experiment.seed, work, id).map_err(failed)?;
    let mut sheets = Vec::new();
    for (number, tree) in trees.iter().enumerate() {
        let informed = tree.informed(&costs.predicted, work.root);
        let title = if trees.len() == 1 { "tree".to_owned() } else { format!("tree {number}, alone") };
        let end = informed.iter().flatten().max().copied().unwrap_or_default();
        sheets
            .push(tree::sheet(&format!("{title}: {end} ticks predicted"), &sends(work.root, tree.edges(), &informed)));
    }
    let spread = &details.spread;
    let mut edges: Vec<(Ticks, NodeId, NodeId)> = Vec::new();
    for (node, (parent, at)) in spread.parent.iter().zip(&spread.informed).enumerate() {
        edges.extend(parent.zip(*at).map(|(parent, at)| (at, parent, NodeId::new(node))));
    }
    edges.sort_unstable();
    let edges: Vec<(NodeId, NodeId)> = edges.into_iter().map(|(_, src, dst)| (src, dst)).collect();
    let title = format!("in the end: {} ticks measured", spread.completion);
    sheets.push(tree::sheet(&title, &sends(work.root, &edges, &spread.informed)));
    Ok(sheets)
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
/// off; the time of a contest belongs to the transfer that wins it.
fn transfers(log: &[(Ticks, Happening, NodeId, NodeId)]) -> Vec<Transfer> {
    let mut open: Vec<(NodeId, NodeId, Ticks)> = Vec::new();
    let mut transfers = Vec::new();
    let mut close = |open: &mut Vec<(NodeId, NodeId, Ticks)>, src: NodeId, dst: NodeId, now: Ticks, received: bool| {
        if let Some(at) = open.iter().position(|&(from, to, _)| (from, to) == (src, dst)) {
            let (_, _, start) = open.swap_remove(at);
            let took = now.0 - start.0;
            if took == 0 {
                return; // broken off before anything was sent
            }
            let times = MessageTimes { send: took, hold: took, arrival: took, receive: 0, receive_hold: 0 };
            transfers.push(Transfer {
                lanes: [src.index(), dst.index()],
                port: 0,
                start: start.0,
                times,
                received,
                blocked: false,
            });
        }
    };
    for &(now, what, src, dst) in log {
        match what {
            Happening::Start => open.push((src, dst, now)),
            Happening::Done => close(&mut open, src, dst, now, true),
            Happening::GaveUp => close(&mut open, src, dst, now, false),
            Happening::Switch(other) => {
                close(&mut open, other, dst, now, false);
                open.push((src, dst, now));
            }
            Happening::Refused | Happening::Keep(_) => {}
        }
    }
    transfers
}
