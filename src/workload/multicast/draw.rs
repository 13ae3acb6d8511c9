//! What the diagrams of a multicast show: its tree, its timing by the model and as measured, its paths.

use super::{KIND, Multicast, Plan, members};
use crate::kind::diagram::{Member, Paths, Route, Timing, Transfer, Tree, Wait, Waits, Ways, most};
use crate::kind::{Diagram, DiagramError, Picture, measured_transfers};
use crate::machine::Machine;
use crate::model::{MessageTimes, Prices};
use crate::schedule::Message;
use crate::units::{MessageId, NodeId, Ticks};

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
        let mut informed = vec![None; self.schedule.nodes()];
        informed[root] = Some(Ticks(0));
        for message in self.schedule.messages() {
            receivers[message.src.index()].push(message.dst.index());
            informed[message.dst.index()] = Some(prices.received[message.id.index()]);
        }
        let names = (0..self.schedule.nodes()).map(|node| name(NodeId::new(node))).collect();
        let title = "tree, predicted".to_owned();
        let tree = Tree { title, end: prices.completion, root, receivers, names, informed, ..Tree::default() };
        Ok(vec![Picture::Tree(tree)])
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
            port: self.send_position(message) % ports,
            landing: None,
            start: prices.send_start[message.id.index()].0,
            times,
            combine: 0,
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
        let ways = Ways::new(self.job.machine)?;
        let count = self.schedule.len();
        Diagram::Paths.within(count, "messages", most::PATHS)?;
        let prices = self.timeline();
        let name = self.name();
        let depths = self.depths();
        let route = |message: Message| {
            let from = prices.send_start[message.id.index()];
            let to = prices.received[message.id.index()];
            Route {
                vertices: self.vertices(&ways, message),
                label: format!("{} to {}", name(message.src), name(message.dst)),
                during: Some([from, to]),
                group: generation(depths[message.src.index()]),
            }
        };
        let order = self.in_sending_order(&prices);
        let waits = self.waits(&order);
        let routes = order.into_iter().map(route).collect();
        let is_source = |node: NodeId| node == self.schedule.source();
        let member = |node: NodeId| Member { vertex: ways.vertex(node), name: name(node), is_source: is_source(node) };
        let members = members(&self.schedule).map(member).collect();
        let title = format!("paths of {count} {}", if count == 1 { "message" } else { "messages" });
        Ok(vec![Picture::Paths(Paths { title, ground: ways.ground, routes, members, waits })])
    }

    /// The position of `message` among the sends of its node. Messages of a packet that routers copy have the same.
    fn send_position(&self, message: Message) -> usize {
        let packet = self.schedule.worm_of(message.id).map(|packet| packet.index);
        packet.unwrap_or_else(|| (message.id.0 - self.schedule.sends(message.src).start) as usize)
    }

    /// The vertices that `message` passes: along its tree, if it has one.
    fn vertices(&self, ways: &Ways<'_>, message: Message) -> Vec<u32> {
        let worm = self.schedule.worm_of(message.id);
        let Some((tree, first)) = worm.and_then(|worm| Some((worm.tree?, worm.messages.start))) else {
            return ways.path(message.src, message.dst);
        };
        let mut path = Vec::new();
        tree.path((message.id.0 - first) as usize, &mut path);
        ways.vertices_along(message.src, message.dst, &path)
    }

    /// Where head flits wait, if paths are fixed; messages by their places in `order`.
    fn waits(&self, order: &[Message]) -> Vec<Wait> {
        let machine = self.job.machine;
        if machine.routers.as_ref().is_some_and(|routers| !routers.fixes_paths) {
            return Vec::new();
        }
        let mut waits = Waits::default();
        if !matches!(machine.run(self.program(), self.job.draw(), &mut waits), Some(Ok(_))) {
            return Vec::new();
        }
        let mut places = vec![0; order.len()];
        order.iter().enumerate().for_each(|(place, message)| places[message.id.index()] = place);
        let placed = |wait: Wait| Wait {
            message: places[wait.message],
            holder: wait.holder.map(|holder| places[holder]),
            ..wait
        };
        waits.on_the_way().map(placed).collect()
    }

    /// How many messages lead from the source to each node.
    fn depths(&self) -> Vec<usize> {
        let mut depths = vec![0; self.schedule.nodes()];
        let mut ahead = vec![self.schedule.source()];
        while let Some(node) = ahead.pop() {
            for id in self.schedule.sends(node) {
                let receiver = self.schedule.message(MessageId(id)).dst;
                depths[receiver.index()] = depths[node.index()] + 1;
                ahead.push(receiver);
            }
        }
        depths
    }
}

/// What the messages have in common whose senders are `depth` messages from the source.
fn generation(depth: usize) -> String {
    match depth {
        0 => "sent by the source".to_owned(),
        1 => "sent by nodes 1 message from the source".to_owned(),
        _ => format!("sent by nodes {depth} messages from the source"),
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
