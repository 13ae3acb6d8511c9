//! Diagrams of a multicast: its tree, its timing by the model and as measured, its ways.

use super::DiagramError;
use super::paths::{self, Member, Way};
use super::rows::{Panels, measured, name, within};
use super::sheet::Sheet;
use super::timing::{self, Transfer};
use super::tree::{self, Sends};
use crate::model::{MessageTimes, Prices};
use crate::routing::Network;
use crate::run::{RowFailure, RowId, schedule};
use crate::scenario::{Diagram, Experiment, Multicast, Scenario};
use crate::schedule::{Message, Schedule};
use crate::units::NodeId;

/// The diagrams `chosen` of the row `id`.
///
/// # Errors
/// If it cannot be planned.
pub(super) fn panels(
    scenario: &Scenario,
    work: &Multicast,
    id: RowId,
    chosen: &[Diagram],
) -> Result<Panels, RowFailure> {
    let experiment = &scenario.points[id.point].experiment;
    let Some((planned, _)) = schedule(experiment, id)? else { return Ok(Vec::new()) };
    let prices = work.model(experiment.times(work.flits)).price(&planned, experiment.node.ports);
    let lattice = experiment.machine.as_ref().and_then(|machine| machine.spec.lattice());
    let name = |node| name(lattice.as_ref(), node);
    let count = planned.len() + 1;
    let lay_out = |&diagram: &Diagram| match diagram {
        Diagram::Tree => within(diagram, &[(count, "nodes", tree::MOST)], || {
            vec![tree::sheet(&format!("tree: {} ticks", prices.completion), &sends(&planned, &prices, &name))]
        }),
        Diagram::Timing => within(diagram, &[(count, "lanes", timing::MOST_LANES)], || {
            timing_of(scenario, (work, id), (&planned, &prices), &name)
        }),
        _ => match lattice.as_ref().filter(|lattice| paths::is_flat(lattice)).zip(experiment.network()) {
            Some((lattice, network)) => within(diagram, &[(planned.len(), "messages", paths::MOST)], || {
                let title = format!("paths: {} messages", planned.len());
                vec![paths::sheet(&title, lattice, &ways(network, &planned, &prices, &name), &members(&planned, &name))]
            }),
            None => Err(DiagramError::NoPlaces),
        },
    };
    Ok(chosen.iter().map(lay_out).collect())
}

fn sends(planned: &Schedule, prices: &Prices, name: &dyn Fn(NodeId) -> String) -> Sends {
    let mut receivers = vec![Vec::new(); planned.nodes()];
    let mut labels: Vec<[String; 2]> = vec![Default::default(); planned.nodes()];
    labels[planned.source().index()] = [name(planned.source()), "0".to_owned()];
    for message in planned.messages() {
        receivers[message.src.index()].push(message.dst.index());
        labels[message.dst.index()] = [name(message.dst), prices.received[message.id.index()].to_string()];
    }
    Sends { root: planned.source().index(), receivers, labels }
}

fn members(planned: &Schedule, name: &dyn Fn(NodeId) -> String) -> Vec<Member> {
    let receivers = planned.messages().map(|message| message.dst);
    let member = |node: NodeId| Member { node: node.0, name: name(node), is_source: node == planned.source() };
    std::iter::once(planned.source()).chain(receivers).map(member).collect()
}

/// What the model says and what is measured, lanes in the order in which the model has the nodes receive.
fn timing_of(
    scenario: &Scenario,
    (work, id): (&Multicast, RowId),
    (planned, prices): (&Schedule, &Prices),
    name: &dyn Fn(NodeId) -> String,
) -> Vec<Sheet> {
    let experiment = &scenario.points[id.point].experiment;
    let ports = experiment.node.ports;
    let times = times_of(experiment, work);
    let mut order: Vec<_> =
        planned.messages().map(|message| (prices.received[message.id.index()], message.dst)).collect();
    order.sort_unstable();
    let lanes: Vec<NodeId> = std::iter::once(planned.source()).chain(order.into_iter().map(|(_, node)| node)).collect();
    let mut lane_of = vec![0; planned.nodes()];
    lanes.iter().enumerate().for_each(|(lane, node)| lane_of[node.index()] = lane);
    let transfer = |message: Message| Transfer {
        lanes: [message.src, message.dst].map(|node| lane_of[node.index()]),
        port: (message.id.0 - planned.sends(message.src).start) as usize % ports,
        start: prices.send_start[message.id.index()].0,
        times,
        received: true,
        blocked: false,
    };
    let predicted: Vec<Transfer> = planned.messages().map(transfer).collect();
    let lanes: Vec<String> = lanes.into_iter().map(name).collect();
    let measured = measured(scenario, id, &predicted);
    timing::sheets(&lanes, ports, predicted, measured)
}

/// The parts of a message's time; of times that the scenario sets, only the hold and the end are known.
fn times_of(experiment: &Experiment, work: &Multicast) -> MessageTimes {
    if work.t_hold.is_none() && work.t_end.is_none() {
        return experiment.parts(work.flits.0, 1);
    }
    let times = work.model(experiment.times(work.flits));
    let (hold, arrival) = (times.t_hold.0, times.t_end.0);
    MessageTimes { send: hold.min(arrival), hold, arrival, receive: 0, receive_hold: 0 }
}

fn ways(network: &dyn Network, planned: &Schedule, prices: &Prices, name: &dyn Fn(NodeId) -> String) -> Vec<Way> {
    let mut order: Vec<_> = planned.messages().collect();
    order.sort_by_key(|message| (prices.send_start[message.id.index()], message.id));
    let way = |message: Message| {
        let at = message.id.index();
        let (from, to) = (prices.send_start[at], prices.received[at]);
        let label = format!("{} to {}, {from} to {to}", name(message.src), name(message.dst));
        Way { nodes: paths::route(network, message.src, message.dst), label }
    };
    order.into_iter().map(way).collect()
}
