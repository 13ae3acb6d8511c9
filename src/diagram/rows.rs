//! Which diagrams the rows of a workload have, and what stands in them.

use super::cuts::{self, Placed};
use super::sheet::Sheet;
use super::timing::{self, Transfer};
use super::{DiagramError, broadcast, exchange, multicast};
use crate::routing::Lattice;
use crate::run::{RowError, RowFailure, RowId, Runner, mapping_plan};
use crate::scenario::{Diagram, Experiment, Mapping, Scenario, Workload};
use crate::units::NodeId;

/// The diagrams of a row, each laid out or too large.
pub(super) type Panels = Vec<Result<Vec<Sheet>, DiagramError>>;

/// What can be drawn of a multicast.
const MULTICAST: &[Diagram] = &[Diagram::Tree, Diagram::Timing, Diagram::Paths];
/// What can be drawn of one that no network has.
const MODELLED: &[Diagram] = &[Diagram::Tree, Diagram::Timing];
/// What can be drawn of an exchange.
const EXCHANGE: &[Diagram] = &[Diagram::Paths, Diagram::Blocks, Diagram::Timing];
/// What can be drawn of a broadcast.
const BROADCAST: &[Diagram] = &[Diagram::Tree, Diagram::Timing];
/// What can be drawn of a mapping.
const MAPPING: &[Diagram] = &[Diagram::Cuts];

/// What the workload of `experiment` is called, and which diagrams there are of it.
#[must_use]
pub fn kinds(experiment: &Experiment) -> (&'static str, &'static [Diagram]) {
    match &experiment.workload {
        Workload::Multicast(_) if experiment.machine.is_none() => ("a multicast without a network", MODELLED),
        Workload::Multicast(_) => ("a multicast", MULTICAST),
        Workload::Exchange(_) => ("an exchange", EXCHANGE),
        Workload::Broadcast(_) => ("a broadcast", BROADCAST),
        Workload::Mapping(_) => ("a mapping", MAPPING),
        Workload::Operations(_) => ("a program of operations", &[]),
        Workload::Trace(_) => ("a trace", &[]),
        Workload::Traffic(_) => ("traffic", &[]),
    }
}

/// The diagrams `wanted` of the row `id`, or all there are.
///
/// # Errors
/// If the row cannot be planned or has no such diagram.
pub(super) fn panels(scenario: &Scenario, id: RowId, wanted: &[Diagram]) -> Result<Panels, DiagramError> {
    let experiment = &scenario.points[id.point].experiment;
    let (workload, drawn) = kinds(experiment);
    let none = |diagram| DiagramError::None { workload, diagram, drawn };
    if drawn.is_empty() {
        return Err(none(None));
    }
    if let Some(&absent) = wanted.iter().find(|diagram| !drawn.contains(diagram)) {
        return Err(none(Some(absent)));
    }
    let chosen: Vec<Diagram> = drawn.iter().copied().filter(|one| wanted.is_empty() || wanted.contains(one)).collect();
    let failed = |cause: RowFailure| DiagramError::Row(Box::new(RowError::of(experiment, id, cause)));
    match &experiment.workload {
        Workload::Multicast(work) => multicast::panels(scenario, work, id, &chosen).map_err(failed),
        Workload::Exchange(work) => exchange::panels(scenario, work, id, &chosen).map_err(failed),
        Workload::Broadcast(work) => broadcast::panels(scenario, work, id, &chosen),
        Workload::Mapping(work) => mapping(experiment, work, id).map_err(failed),
        Workload::Operations(_) | Workload::Trace(_) | Workload::Traffic(_) => Err(none(None)),
    }
}

/// Lays out unless there are too many of something.
pub(super) fn within(
    diagram: Diagram,
    limits: &[(usize, &'static str, usize)],
    sheets: impl FnOnce() -> Vec<Sheet>,
) -> Result<Vec<Sheet>, DiagramError> {
    match limits.iter().find(|(count, _, most)| count > most) {
        Some(&(count, what, most)) => Err(DiagramError::TooLarge { diagram, count, what, most }),
        None => Ok(sheets()),
    }
}

/// What is measured of the messages that are `predicted`; nothing where there is no network, or if the run fails.
pub(super) fn measured(scenario: &Scenario, id: RowId, predicted: &[Transfer]) -> Vec<Transfer> {
    let node = scenario.points[id.point].experiment.node;
    let Ok(row) = Runner::new(scenario).compute(id, true) else { return Vec::new() };
    let ran = predicted.iter().zip(&row.details);
    ran.map(|(planned, (_, flits, outcome))| timing::measured(planned, outcome, node.send(*flits).0)).collect()
}

/// What nodes are called: by coordinates where there are several, else by number.
pub(super) fn name(lattice: Option<&Lattice>, node: NodeId) -> String {
    match lattice {
        Some(lattice) if lattice.dimensions() > 1 && lattice.shape().iter().any(|&n| n > 2) => {
            lattice.node_name(node.0)
        }
        _ => node.to_string(),
    }
}

fn mapping(experiment: &Experiment, work: &Mapping, id: RowId) -> Result<Panels, RowFailure> {
    let (graph, mapping) = mapping_plan(experiment, work, id)?;
    let count = mapping.processors().len();
    let sheets = || {
        cuts::sheets(&Placed {
            processors: mapping.processors().to_vec(),
            edges: graph.edges().collect(),
            tasks: work.graph.tasks(),
            dimensions: mapping.dimensions(),
        })
    };
    Ok(vec![within(Diagram::Cuts, &[(count, "tasks", cuts::MOST)], sheets)])
}
