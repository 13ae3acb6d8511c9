//! What an exchange should take if no header were ever blocked, and what its papers say.
//!
//! A step's message of `L` flits on the wire that goes `h` hops is received
//! `t_send + (h+1) (c_d + d_r) + L c_d + t_recv` after its send starts; with a barrier the steps' largest times add up.
//! The cruder model of the all-to-all exchange paper (section 4) counts `S` start-ups of `t_s` and `B` blocks of `t_d`
//! on the critical path: `S t_s + B t_d`.

use super::{MessageTimes, Model, Parameterised, Prices};
use crate::cancel;
use crate::costs::{NetworkTime, NodeCosts};
use crate::schedule::{CriticalPath, Exchange, ExchangeMessage, Pace};
use crate::units::{Flits, Ticks, narrow};

/// The model of blocks of one length between nodes and over channels of given costs.
#[derive(Clone, Copy, Debug)]
pub struct ExchangeModel {
    /// What nodes cost.
    pub node: NodeCosts,
    /// What the network takes.
    pub network: NetworkTime,
    /// The model that says instead what a message takes and how far apart sends are, if one is chosen.
    pub chosen: Option<Model>,
    /// The length of a block.
    pub block_flits: Flits,
    /// When nodes go on to the next step.
    pub pace: Pace,
}

impl ExchangeModel {
    /// When every message of `exchange` is sent and received without contention.
    pub fn price(&self, exchange: &Exchange) -> Prices {
        let mut prices = Prices {
            send_start: Vec::with_capacity(exchange.len()),
            received: Vec::with_capacity(exchange.len()),
            completion: Ticks::ZERO,
        };
        prices.completion = self.walk(exchange, |start, received| {
            prices.send_start.push(start);
            prices.received.push(received);
        });
        prices
    }

    /// When the last message of `exchange` is received without contention.
    pub fn completion(&self, exchange: &Exchange) -> Ticks {
        self.walk(exchange, |_, _| {})
    }

    /// Tells `see` when each message is sent and received, by number; when the last one is. O(messages) time.
    fn walk(&self, exchange: &Exchange, mut see: impl FnMut(Ticks, Ticks)) -> Ticks {
        let mut ready = vec![Ticks::ZERO; exchange.nodes()];
        let mut free = ready.clone();
        let mut completion = Ticks::ZERO;
        let mut arrivals = Vec::new();
        for step in 0..exchange.steps() {
            cancel::checkpoint();
            for message in exchange.messages(step) {
                let Parameterised { t_hold, t_end } = self.parts(&message).times();
                let start = ready[message.src.index()].max(free[message.src.index()]);
                let received = start + t_end;
                free[message.src.index()] = start + t_hold;
                arrivals.push((message.dst.index(), received));
                completion = completion.max(received);
                see(start, received);
            }
            for (node, received) in arrivals.drain(..) {
                ready[node] = ready[node].max(received);
            }
            if self.pace == Pace::Synchronous {
                ready.fill(completion);
            }
        }
        completion
    }

    /// The parts of a message's time, which add up to its receipt in [`ExchangeModel::price`]; the injection channel
    /// holds the sender's next send up as well.
    pub fn parts(&self, message: &ExchangeMessage<'_>) -> MessageTimes {
        let flits = Flits(message.blocks * self.block_flits.0);
        if let Some(model) = &self.chosen {
            return model.parts(flits.0);
        }
        let links = narrow::<usize, _>(message.hops(), "a path that is laid out in memory has fewer than 2^32 hops");
        let send = self.node.send(flits);
        let receive = self.node.receive(flits).0;
        MessageTimes {
            send: send.0,
            hold: (send + self.network.occupancy(flits, links)).max(self.node.hold(flits)).0,
            arrival: (send + self.network.unloaded(flits, links)).0,
            receive,
            receive_hold: receive,
        }
    }

    /// `S t_s + B t_d` of `costs`, where a start-up is the set-up of a send and of a receive, and `t_d` what a block
    /// takes to be sent, to cross a channel and to be received.
    pub fn transmission(&self, costs: CriticalPath) -> Ticks {
        let startup = self.node.send_setup + self.node.receive_setup;
        let per_flit = self.node.send_per_flit + self.network.flit_time() + self.node.receive_per_flit;
        Ticks(costs.startups * startup + costs.blocks * self.block_flits.0 * per_flit)
    }
}
