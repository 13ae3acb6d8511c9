//! What a row plans as a graph for Graphviz, in the DOT language: schedules, exchanges, trees of a broadcast, mappings.

use crate::algorithm::mapping::{Mapping, TaskGraph};
use crate::model::Prices;
use crate::run::{RowError, RowId, broadcast_plan, exchange_plan, mapping_plan, schedule};
use crate::scenario::{Experiment, Workload};
use crate::schedule::{Exchange, Schedule, Tree};
use crate::units::NodeId;
use std::io::{self, Write};
use thiserror::Error;

/// Why a row is no graph.
#[derive(Debug, Error)]
pub enum DotError {
    /// It cannot be planned.
    #[error(transparent)]
    Row(Box<RowError>),
    /// It cannot be written.
    #[error(transparent)]
    Write(#[from] io::Error),
}

/// Writes the graph of the row `id` of `experiment`; false if its workload has none.
///
/// # Errors
/// If the row cannot be planned or the graph cannot be written.
pub fn dot(output: &mut impl Write, experiment: &Experiment, id: RowId) -> Result<bool, DotError> {
    let title = format!("{} {}", experiment.workload.algorithm(id.algorithm), id.repetition);
    let failed = |cause| DotError::Row(Box::new(RowError::of(experiment, id, cause)));
    match &experiment.workload {
        Workload::Multicast(multicast) => {
            let Some((planned, _)) = schedule(experiment, id).map_err(failed)? else { return Ok(false) };
            let model = multicast.model(experiment.times(multicast.flits));
            schedule_dot(output, &title, &planned, &model.price(&planned, experiment.node.ports))?;
        }
        Workload::Exchange(workload) => {
            exchange_dot(output, &title, &exchange_plan(workload, id).map_err(failed)?)?;
        }
        Workload::Broadcast(workload) => {
            let (_, trees) = broadcast_plan(experiment.seed, workload, id).map_err(failed)?;
            trees_dot(output, &title, workload.root, &trees)?;
        }
        Workload::Mapping(workload) => {
            let (graph, mapping) = mapping_plan(experiment, workload, id).map_err(failed)?;
            mapping_dot(output, &title, &graph, &mapping)?;
        }
        Workload::Operations(_) | Workload::Trace(_) | Workload::Traffic(_) => return Ok(false),
    }
    Ok(true)
}

/// An edge per message, labelled with when it is sent and received.
fn schedule_dot(output: &mut impl Write, name: &str, schedule: &Schedule, prices: &Prices) -> io::Result<()> {
    writeln!(output, "digraph \"{name}\" {{")?;
    writeln!(output, "  {} [shape=doublecircle];", schedule.source())?;
    for message in schedule.messages() {
        let (start, received) = (prices.send_start[message.id.index()], prices.received[message.id.index()]);
        writeln!(output, "  {} -> {} [label=\"{start}..{received}\"];", message.src, message.dst)?;
    }
    writeln!(output, "}}")
}

/// An edge per message, labelled with its step and how many blocks it carries.
fn exchange_dot(output: &mut impl Write, name: &str, exchange: &Exchange) -> io::Result<()> {
    writeln!(output, "digraph \"{name}\" {{")?;
    for step in 0..exchange.steps() {
        for message in exchange.messages(step) {
            let (src, dst, blocks) = (message.src, message.dst, message.blocks);
            writeln!(output, "  {src} -> {dst} [label=\"{step}: {blocks}\"];")?;
        }
    }
    writeln!(output, "}}")
}

/// An edge per send, labelled with its tree and its place in the tree's order; trees after the first are dashed.
fn trees_dot(output: &mut impl Write, name: &str, root: NodeId, trees: &[Tree]) -> io::Result<()> {
    writeln!(output, "digraph \"{name}\" {{")?;
    writeln!(output, "  {root} [shape=doublecircle];")?;
    for (number, tree) in trees.iter().enumerate() {
        let style = if number > 0 { ", style=dashed" } else { "" };
        for (order, (src, dst)) in tree.edges().iter().enumerate() {
            writeln!(output, "  {src} -> {dst} [label=\"{number}: {order}\"{style}];")?;
        }
    }
    writeln!(output, "}}")
}

/// A node per task, labelled with the task and where it is put; an edge per pair that talks, labelled with its weight.
fn mapping_dot(output: &mut impl Write, name: &str, graph: &TaskGraph, mapping: &Mapping) -> io::Result<()> {
    writeln!(output, "graph \"{name}\" {{")?;
    for (task, node) in mapping.processors().iter().enumerate().take(graph.tasks()) {
        writeln!(output, "  {task} [label=\"{task} on {node}\"];")?;
    }
    for (one, other, weight) in graph.edges() {
        writeln!(output, "  {one} -- {other} [label=\"{weight}\"];")?;
    }
    writeln!(output, "}}")
}
