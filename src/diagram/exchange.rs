//! Diagrams of an exchange: the ways of each step, who holds which blocks, and the timing by the model and as measured.

use super::DiagramError;
use super::blocks;
use super::paths::{self, Member, Way};
use super::rows::{Panels, measured, name, within};
use super::sheet::Sheet;
use super::timing::{self, Transfer};
use crate::routing::{Lattice, Move, lattice};
use crate::run::{RowFailure, RowId, exchange_model, exchange_plan};
use crate::scenario::{Diagram, Exchange as Workload, Scenario};
use crate::schedule::{Exchange, ExchangeMessage};
use crate::topology::Direction;
use crate::units::NodeId;

/// The diagrams `chosen` of the row `id`.
///
/// # Errors
/// If it cannot be planned.
pub(super) fn panels(
    scenario: &Scenario,
    work: &Workload,
    id: RowId,
    chosen: &[Diagram],
) -> Result<Panels, RowFailure> {
    let experiment = &scenario.points[id.point].experiment;
    let planned = exchange_plan(work, id)?;
    let (nodes, steps) = (planned.nodes(), planned.steps());
    let lattice = experiment.machine.as_ref().and_then(|machine| machine.spec.lattice());
    let name = |node| name(lattice.as_ref(), node);
    let most = (0..steps).map(|step| planned.step(step).len()).max().unwrap_or(0);
    let lay_out = |&diagram: &Diagram| match diagram {
        Diagram::Blocks => {
            let limits = [(nodes, "nodes", blocks::MOST), (steps, "steps", blocks::MOST_STEPS)];
            within(diagram, &limits, || blocks::sheets(&planned, &name))
        }
        Diagram::Timing => {
            let limits = [(nodes, "lanes", timing::MOST_LANES), (planned.len(), "messages", timing::MOST)];
            within(diagram, &limits, || timing_of(scenario, (work, id), &planned, &name))
        }
        _ => match lattice.as_ref().filter(|lattice| paths::is_flat(lattice)) {
            Some(lattice) => {
                let limits = [(most, "messages in a step", paths::MOST), (steps, "steps", blocks::MOST_STEPS)];
                within(diagram, &limits, || (0..steps).map(|step| step_ways(lattice, &planned, step, &name)).collect())
            }
            None => Err(DiagramError::NoPlaces),
        },
    };
    Ok(chosen.iter().map(lay_out).collect())
}

fn step_ways(lattice: &Lattice, planned: &Exchange, step: usize, name: &dyn Fn(NodeId) -> String) -> Sheet {
    let way = |message: ExchangeMessage<'_>| {
        let label = format!("{} to {}, {} blocks", name(message.src), name(message.dst), message.blocks);
        Way { nodes: moved(lattice, message.src.0, message.moves), label }
    };
    let ways: Vec<Way> = planned.messages(step).map(way).collect();
    let member = |node: NodeId| Member { node: node.0, name: name(node), is_source: false };
    let members: Vec<Member> = (0..planned.nodes()).map(NodeId::new).map(member).collect();
    paths::sheet(&format!("step {step}"), lattice, &ways, &members)
}

/// The nodes that `moves` pass.
fn moved(lattice: &Lattice, from: u32, moves: &[Move]) -> Vec<u32> {
    let mut nodes = vec![from];
    for step in moves {
        let direction = if step.hops < 0 { Direction::Minus } else { Direction::Plus };
        let port = lattice::port(step.dimension as usize, direction);
        for _ in 0..step.hops.unsigned_abs() {
            let at = nodes.last().copied().unwrap_or(from);
            nodes.extend(lattice.neighbour(at, port));
        }
    }
    nodes
}

/// What the model says and what is measured.
fn timing_of(
    scenario: &Scenario,
    (work, id): (&Workload, RowId),
    planned: &Exchange,
    name: &dyn Fn(NodeId) -> String,
) -> Vec<Sheet> {
    let model = exchange_model(&scenario.points[id.point].experiment, work);
    let prices = model.price(planned);
    let transfer = |message: ExchangeMessage<'_>| Transfer {
        lanes: [message.src.index(), message.dst.index()],
        port: 0,
        start: prices.send_start[message.id.index()].0,
        times: model.parts(&message),
        received: true,
        blocked: false,
    };
    let predicted: Vec<Transfer> = (0..planned.steps()).flat_map(|step| planned.messages(step)).map(transfer).collect();
    let lanes: Vec<String> = (0..planned.nodes()).map(NodeId::new).map(name).collect();
    let measured = measured(scenario, id, &predicted);
    timing::sheets(&lanes, 1, predicted, measured)
}
