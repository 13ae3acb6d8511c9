//! What the diagrams of a collective show: trees ([`super::tree`]), tables of holdings ([`super::holdings`]), the timing by
//! the model and as measured, and the paths of each step.

use super::{KIND, Plan};
use crate::engine::unloaded::Timeline;
use crate::kind::diagram::{Member, Paths, Route, Timing, Transfer, Wait, Waits, Ways, most};
use crate::kind::{Diagram, DiagramError, Picture, measured_transfers};
use crate::machine::Machine;
use crate::model::MessageTimes;
use crate::schedule::collective::{Action, CollectiveMessage};
use crate::units::MessageId;
use std::fmt::Write as _;

/// As many ranges of positions are written; more are counted.
const MOST_RANGES: usize = 3;

impl Plan<'_> {
    /// What the nodes of the ranks are called.
    pub(super) fn names(&self) -> Vec<String> {
        (0..self.collective.ranks()).map(|rank| self.name(rank)).collect()
    }

    pub(super) fn name(&self, rank: usize) -> String {
        Machine::node_name(self.job.machine.lattice().as_ref(), self.nodes[rank])
    }

    pub(super) fn picture(&self, diagram: Diagram) -> Result<Vec<Picture>, DiagramError> {
        match diagram {
            Diagram::Tree => self.trees(),
            Diagram::Timing => self.timing(),
            Diagram::Paths => self.paths(),
            Diagram::Blocks | Diagram::Cuts => self.vector_tables(),
        }
    }

    fn timing(&self) -> Result<Vec<Picture>, DiagramError> {
        let ranks = self.collective.ranks();
        Diagram::Timing.within(ranks, "lanes", most::LANES)?;
        Diagram::Timing.within(self.collective.len(), "messages", most::TRANSFERS)?;
        let timeline = self.predict();
        let mut predicted: Vec<Transfer> =
            self.all_messages().map(|(_, message)| self.transfer(&message, &timeline)).collect();
        let mut measured = measured_transfers(self, KIND.columns, self.job.machine.node, &predicted);
        let ports = set_apart(ranks, &mut predicted).max(set_apart(ranks, &mut measured));
        Ok(vec![Picture::Timing(Timing { lanes: self.names(), ports, predicted, measured })])
    }

    /// A message as it is predicted.
    fn transfer(&self, message: &CollectiveMessage, timeline: &Timeline) -> Transfer {
        let CollectiveMessage { id, src, dst, action, flits, .. } = *message;
        let node = &self.model.node;
        let send = self.model.send_overhead(flits).0;
        let start = timeline.requested[id.index()].0 - send;
        let combine = if action == Action::Reduce { node.reduce(flits).0 } else { 0 };
        let parts = self.model.parts(flits);
        let hold = match (self.model.chosen, self.load()) {
            (None, Some(load)) => {
                let left = send + self.model.network.occupancy(flits, load.links(id)).0;
                node.hold(flits).0.max(left)
            }
            _ => parts.hold,
        };
        let receive = parts.receive + combine;
        let arrival = timeline.received[id.index()].0 - receive - start;
        Transfer {
            src,
            dst,
            port: 0,
            landing: None,
            start,
            times: MessageTimes { send, hold, arrival, receive, receive_hold: 0 },
            combine,
            received: true,
            blocked: false,
        }
    }

    fn paths(&self) -> Result<Vec<Picture>, DiagramError> {
        let ways = Ways::new(self.job.machine)?;
        let steps = self.collective.steps();
        let count = (0..steps).map(|step| self.collective.step(step).len()).max().unwrap_or(0);
        Diagram::Paths.within(count, "messages in a step", most::PATHS)?;
        Diagram::Paths.within(steps, "steps", most::STEPS)?;
        let drawn = Drawn { ways, names: self.names(), waits: self.waits() };
        Ok((0..steps).map(|step| Picture::Paths(self.paths_of_step(step, &drawn))).collect())
    }

    fn paths_of_step(&self, step: usize, drawn: &Drawn<'_>) -> Paths {
        let messages = self.collective.step(step);
        let member = |(rank, name): (usize, &String)| Member {
            vertex: drawn.ways.vertex(self.nodes[rank]),
            name: name.clone(),
            is_source: self.workload.operation.has_root() && rank == self.collective.root(),
        };
        let place = |id: usize| id.checked_sub(messages.start as usize).filter(|&place| place < messages.len());
        let placed = |wait: &Wait| {
            place(wait.message).map(|message| Wait { message, holder: wait.holder.and_then(place), ..*wait })
        };
        Paths {
            title: format!("step {step}"),
            ground: drawn.ways.ground.clone(),
            routes: self.collective.messages(step).map(|message| self.route(&message, drawn)).collect(),
            members: drawn.names.iter().enumerate().map(member).collect(),
            waits: drawn.waits.iter().filter_map(placed).collect(),
        }
    }

    fn route(&self, message: &CollectiveMessage, drawn: &Drawn<'_>) -> Route {
        let CollectiveMessage { id, src, dst, part, action, .. } = *message;
        let from = &drawn.names[src];
        let to = &drawn.names[dst];
        let action = action.name();
        let positions = self.few_positions(id);
        let label = format!("{from} to {to}, {action} {positions}");
        let group = if self.collective.parts() > 1 { format!("part {part}, {action}") } else { action.to_owned() };
        Route {
            vertices: drawn.ways.path(self.nodes[src], self.nodes[dst]),
            label: label.trim_end().to_owned(),
            during: None,
            group,
        }
    }

    /// The positions that a message carries; the first ranges and how many flits there are in all, if they are many.
    fn few_positions(&self, id: MessageId) -> String {
        let ranges: Vec<_> = self.collective.positions(id).collect();
        if ranges.len() <= MOST_RANGES {
            return self.positions(id);
        }
        let shown: Vec<String> = ranges[..MOST_RANGES].iter().map(super::holdings::in_words).collect();
        let mut text = shown.join(";");
        // a string takes everything
        let _ = write!(text, ";.., {} flits", self.collective.message(id).flits.0);
        text
    }

    /// Where head flits wait, if it is run and paths are fixed.
    fn waits(&self) -> Vec<Wait> {
        let machine = self.job.machine;
        let fixed = machine.routers.as_ref().is_none_or(|routers| routers.fixes_paths);
        if !self.workload.simulate || !fixed {
            return Vec::new();
        }
        let mut waits = Waits::default();
        let ran = machine.run(self.program(), self.job.draw(), &mut waits);
        if matches!(ran, Some(Ok(_))) { waits.on_the_way().collect() } else { Vec::new() }
    }
}

/// What paths lead over, and what is said of them.
struct Drawn<'a> {
    ways: Ways<'a>,
    /// What the nodes of the ranks are called.
    names: Vec<String>,
    /// Where head flits wait, by the numbers of all messages.
    waits: Vec<Wait>,
}

/// An end of a transfer, which keeps a lane busy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Busy {
    from: u64,
    to: u64,
    transfer: usize,
    is_receipt: bool,
}

/// Puts the ends of `transfers` that keep one of so many lanes busy at the same time on different ports of it; says how many
/// ports that takes.
fn set_apart(lanes: usize, transfers: &mut [Transfer]) -> usize {
    let mut all: Vec<Busy> = Vec::with_capacity(2 * transfers.len());
    for (at, transfer) in transfers.iter().enumerate() {
        let Transfer { start, times, .. } = *transfer;
        let arrived = start + times.arrival;
        all.push(Busy { from: start, to: start + times.send.max(times.hold), transfer: at, is_receipt: false });
        all.push(Busy { from: arrived, to: arrived + times.receive, transfer: at, is_receipt: true });
    }
    all.sort_unstable();
    // per lane and port when it is free
    let mut free: Vec<Vec<u64>> = vec![Vec::new(); lanes];
    for Busy { from, to, transfer, is_receipt } in all {
        let transfer = &mut transfers[transfer];
        let ports = &mut free[if is_receipt { transfer.dst } else { transfer.src }];
        let port = ports.iter().position(|&free| free <= from).unwrap_or(ports.len());
        if port == ports.len() {
            ports.push(to);
        }
        ports[port] = to;
        if is_receipt {
            transfer.landing = Some(port);
        } else {
            transfer.port = port;
        }
    }
    free.iter().map(Vec::len).max().unwrap_or(1).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn transfer(src: usize, dst: usize, start: u64) -> Transfer {
        let times = MessageTimes { send: 10, hold: 20, arrival: 30, receive: 10, receive_hold: 0 };
        Transfer { src, dst, port: 0, landing: None, start, times, combine: 0, received: true, blocked: false }
    }

    #[test]
    fn what_overlaps_in_a_lane_stands_on_different_ports() {
        // two sends at once, a third when both ports are free, a receipt that meets its hold
        let mut transfers = [transfer(0, 1, 0), transfer(0, 2, 10), transfer(0, 1, 40), transfer(1, 0, 25)];
        assert_eq!(set_apart(3, &mut transfers), 2);
        assert_eq!(transfers.map(|sent| sent.port), [0, 1, 0, 0]);
        assert_eq!(transfers.map(|sent| sent.landing), [Some(1), Some(0), Some(0), Some(1)]);
    }
}
