//! What a collective should take if no head flit were ever blocked.
//!
//! Nodes do what they do in a run ([`CollectiveProgram`]); a message of `L` flits on the wire that goes `h` hops is delivered
//! `(h+1) (c_d + d_r) + L c_d` after it requested its injection channel, through routers after the unloaded time of its path,
//! or as a chosen model says. With a barrier between steps and ports enough that is the sum over the steps of the largest
//! time of a message. To combine costs the same in every model.

use super::Model;
use crate::costs::{NetworkTime, NodeCosts, Stragglers};
use crate::engine::program::{CollectiveProgram, Overheads};
use crate::engine::unloaded::{self, Passage, Timeline};
use crate::model::MessageTimes;
use crate::schedule::Pace;
use crate::schedule::collective::Collective;
use crate::units::{Flits, MessageId, NodeId, Ticks};

/// The model of a collective between nodes and over a network of given costs.
#[derive(Clone, Copy, Debug)]
pub struct CollectiveModel {
    /// What nodes cost.
    pub node: NodeCosts,
    /// What the network takes.
    pub network: NetworkTime,
    /// The model that says instead what a message takes and how far apart sends are, if one is chosen.
    pub chosen: Option<Model>,
    /// When nodes go on to the next step.
    pub pace: Pace,
}

/// The overheads of a message of `flits` flits at nodes with `costs`.
fn overheads(costs: &NodeCosts, flits: Flits) -> Overheads {
    Overheads {
        send: costs.send(flits),
        hold: costs.hold(flits),
        receive: costs.receive(flits),
        reduce: costs.reduce(flits),
    }
}

impl CollectiveModel {
    /// The program of `collective`, rank `i` on `nodes[i]`, as nodes run it on a network.
    pub fn program<'a>(&self, collective: &'a Collective, nodes: &'a [NodeId]) -> CollectiveProgram<'a> {
        CollectiveProgram::new(collective, nodes, self.node.ports, self.pace, |flits| overheads(&self.node, flits))
    }

    /// Returns the program with `stragglers` among the nodes.
    pub fn program_with_stragglers<'a>(
        &self,
        collective: &'a Collective,
        nodes: &'a [NodeId],
        stragglers: Option<&'a Stragglers>,
    ) -> CollectiveProgram<'a> {
        let slow = stragglers.map(|stragglers| stragglers.slow(self.node)).unwrap_or_default();
        self.program(collective, nodes).with_stragglers(stragglers, |flits| overheads(&slow, flits))
    }

    /// When the messages of `collective` are requested and received without contention; `passage` says what the network
    /// takes for a message, if there is one ([`Self::over_links`]).
    pub fn predict(
        &self,
        collective: &Collective,
        nodes: &[NodeId],
        passage: Option<&dyn Fn(MessageId) -> Passage>,
    ) -> Timeline {
        let payload = |id: MessageId| collective.message(id).flits;
        match (self.chosen, passage) {
            (None, Some(passage)) => unloaded::run(self.program(collective, nodes), passage),
            _ => unloaded::run(self.modelled_program(collective, nodes), |id| {
                let MessageTimes { send, arrival, .. } = self.parts(payload(id));
                Passage { left: Ticks::ZERO, delivered: Ticks(arrival - send) }
            }),
        }
    }

    /// What the network takes for a message of `flits` flits over so many links that are like every channel.
    pub fn over_links(&self, flits: Flits, links: usize) -> Passage {
        Passage { left: self.network.occupancy(flits, links), delivered: self.network.unloaded(flits, links) }
    }

    /// The program as nodes run it that cost what the model says.
    fn modelled_program<'a>(&self, collective: &'a Collective, nodes: &'a [NodeId]) -> CollectiveProgram<'a> {
        CollectiveProgram::new(collective, nodes, self.node.ports, self.pace, |flits| {
            let MessageTimes { send, hold, receive, .. } = self.parts(flits);
            Overheads { send: Ticks(send), hold: Ticks(hold), receive: Ticks(receive), reduce: self.node.reduce(flits) }
        })
    }

    /// From the start of a send of `flits` flits to the request of its injection channel, as [`CollectiveModel::predict`]
    /// has it.
    pub fn send_overhead(&self, flits: Flits) -> Ticks {
        match self.chosen {
            Some(_) => Ticks(self.parts(flits).send),
            None => self.node.send(flits),
        }
    }

    /// The parts of the time of a message of `flits` flits where no path is looked at.
    pub fn parts(&self, flits: Flits) -> MessageTimes {
        match &self.chosen {
            Some(model) => model.parts(flits.0),
            None => MessageTimes::derived(&self.node, self.network, flits),
        }
    }
}
