//! What the diagrams of a multicast show: its tree, its timing by the model and as measured, its paths.

use super::{KIND, Multicast, Plan, members};
use crate::kind::diagram::{Member, Route, Sends, Timing, Transfer, is_flat, most};
use crate::kind::{Diagram, DiagramError, Picture, measured_transfers};
use crate::machine::Machine;
use crate::model::{MessageTimes, Prices};
use crate::routing::path_nodes;
use crate::schedule::Message;
use crate::units::NodeId;

impl Plan<'_> {
    fn name(&self) -> impl Fn(NodeId) -> String {
        let lattice = self.job.machine.lattice();
        move |node| Machine::node_name(lattice.as_ref(), node)
    }

    fn nodes(&self) -> usize {
        self.schedule.len() + 1
    }

    pub(super) fn tree(&self) -> Result<Vec<Picture>, DiagramError> {
        Diagram::Tree.within(self.nodes(), "nodes", most::TREE_NODES)?;
        let prices = self.timeline();
        let name = self.name();
        let root = self.schedule.source().index();
        let mut receivers = vec![Vec::new(); self.schedule.nodes()];
        let mut labels: Vec<[String; 2]> = vec![Default::default(); self.schedule.nodes()];
        labels[root] = [name(self.schedule.source()), "0".to_owned()];
        for message in self.schedule.messages() {
            receivers[message.src.index()].push(message.dst.index());
            labels[message.dst.index()] = [name(message.dst), prices.received[message.id.index()].to_string()];
        }
        let title = format!("tree: {} ticks", prices.completion);
        Ok(vec![Picture::Tree { title, sends: Sends { root, receivers, labels } }])
    }

    /// What the model says and what is measured, lanes in the order in which the model has the nodes receive.
    pub(super) fn timing(&self) -> Result<Vec<Picture>, DiagramError> {
        Diagram::Timing.within(self.nodes(), "lanes", most::LANES)?;
        let prices = self.timeline();
        let lanes = self.lanes(&prices);
        let mut lane_of = vec![0; self.schedule.nodes()];
        lanes.iter().enumerate().for_each(|(lane, node)| lane_of[node.index()] = lane);
        let ports = self.job.machine.node.ports;
        let times = times(self.workload, self.job.machine);
        let transfer = |message: Message| Transfer {
            src: lane_of[message.src.index()],
            dst: lane_of[message.dst.index()],
            port: (message.id.0 - self.schedule.sends(message.src).start) as usize % ports,
            start: prices.send_start[message.id.index()].0,
            times,
            received: true,
            blocked: false,
        };
        let predicted: Vec<Transfer> = self.schedule.messages().map(transfer).collect();
        let measured = measured_transfers(self, KIND.columns, self.job.machine.node, &predicted);
        let lanes = lanes.into_iter().map(self.name()).collect();
        Ok(vec![Picture::Timing(Timing { lanes, ports, predicted, measured })])
    }

    fn lanes(&self, prices: &Prices) -> Vec<NodeId> {
        let received = |message: Message| (prices.received[message.id.index()], message.dst);
        let mut order: Vec<_> = self.schedule.messages().map(received).collect();
        order.sort_unstable();
        std::iter::once(self.schedule.source()).chain(order.into_iter().map(|(_, node)| node)).collect()
    }

    pub(super) fn paths(&self) -> Result<Vec<Picture>, DiagramError> {
        let lattice = self.job.machine.lattice().filter(is_flat).ok_or(DiagramError::NoPlaces)?;
        let network = self.job.machine.network().ok_or(DiagramError::NoPlaces)?;
        let count = self.schedule.len();
        Diagram::Paths.within(count, "messages", most::PATHS)?;
        let prices = self.timeline();
        let name = self.name();
        let route = |message: Message| {
            let from = prices.send_start[message.id.index()];
            let to = prices.received[message.id.index()];
            let label = format!("{} to {}, {from} to {to}", name(message.src), name(message.dst));
            Route { nodes: path_nodes(network, message.src, message.dst), label }
        };
        let routes = self.in_sending_order(&prices).into_iter().map(route).collect();
        let is_source = |node: NodeId| node == self.schedule.source();
        let member = |node: NodeId| Member { node: node.0, name: name(node), is_source: is_source(node) };
        let members = members(&self.schedule).map(member).collect();
        Ok(vec![Picture::Paths { title: format!("paths: {count} messages"), lattice, routes, members }])
    }
}

/// The parts of a message's time; of times that the workload sets, only the hold and the end are known.
fn times(work: &Multicast, machine: &Machine) -> MessageTimes {
    if work.t_hold.is_none() && work.t_end.is_none() {
        return machine.parts(work.flits.0, 1);
    }
    let times = work.times(machine);
    let hold = times.t_hold.0;
    let arrival = times.t_end.0;
    MessageTimes { send: hold.min(arrival), hold, arrival, receive: 0, receive_hold: 0 }
}
