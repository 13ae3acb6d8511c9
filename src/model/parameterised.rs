//! The parameterised communication model of the OPT-tree paper (sections 2.1 and 4.2).
//!
//! A message is characterised by two times: `t_end`, from the start of its send to its receipt, and `t_hold`, from the
//! start of a send to the earliest start of the next by the same port. A node that has received at `r` starts its
//! `q`-th send (from 0) at `r + (q / p) t_hold` with `p` ports.
//!
//! For nodes and channels with linear costs the paper gives `t_hold = s_s + m s_d` and
//! `t_end = s_s + r_s + (k-1) c_d + m (s_d + c_d + r_d)` with `k` channels on the path; its figures use the nominal
//! `k = 1`, and so does [`Parameterised::derived`]. A message without payload has one flit on the wire all the same
//! ([`Flits`]), so its `t_end` is `s_s + r_s + k c_d`.
//!
//! # The effective hold
//!
//! The injection channel of a sender is occupied for `m c_d` ticks, `c_d` at least, so a node cannot inject faster than
//! that however fast its processor is. The paper's parameters always satisfy `t_hold >= m c_d`; where they do not,
//! trees built with the nominal hold queue up at their own injection channels and can lose to much simpler ones (64
//! nodes, 64 K flits, `c_d = 8`, `s_d = 2`: predicted 2.78 M ticks, measured 8.20 M). [`Parameterised::derived`]
//! therefore takes `max(t_hold, m c_d)`, with which prediction and measurement agree again (4.478 M both).

use super::MessageTimes;
use crate::cancel;
use crate::costs::{NetworkTime, NodeCosts};
use crate::routing::Network;
use crate::schedule::{Message, Schedule};
use crate::units::{Flits, Ticks};
use serde::Serialize;

/// The two times that characterise a message of one length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Parameterised {
    /// From the start of a send to the earliest start of the next on the same port.
    pub t_hold: Ticks,
    /// From the start of a send to the receipt of the message.
    pub t_end: Ticks,
}

impl Parameterised {
    /// The model of messages of `flits` flits between nodes of the given costs and over a network that takes such times,
    /// with the effective hold and the nominal path: of one channel, or on pipelined routers of no links.
    pub fn derived(node: &NodeCosts, network: impl Into<NetworkTime>, flits: Flits) -> Self {
        MessageTimes::derived(node, network, flits).times()
    }

    /// When `schedule`'s messages are sent and received by nodes with `ports` ports.
    pub fn price(&self, schedule: &Schedule, ports: usize) -> Prices {
        price(schedule, ports, self.t_hold, |_| self.t_end)
    }
}

/// What a model says of a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Prices {
    /// Per message: when its send starts.
    pub send_start: Vec<Ticks>,
    /// Per message: when it is received.
    pub received: Vec<Ticks>,
    /// When the last message is received; zero without messages.
    pub completion: Ticks,
}

/// Prices `schedule` with a `t_end` that may differ from message to message. O(messages) time.
pub fn price(schedule: &Schedule, ports: usize, t_hold: Ticks, t_end: impl Fn(Message) -> Ticks) -> Prices {
    let mut send_start = Vec::with_capacity(schedule.len());
    let mut received: Vec<Ticks> = Vec::with_capacity(schedule.len());
    cancel::checkpoint();
    for message in schedule.messages() {
        let ready = message.after.map_or(Ticks::ZERO, |after| received[after.index()]);
        // a worm that routers copy is sent once
        let worm = schedule.worm_of(message.id).map(|worm| worm.index as u64);
        let position = worm.unwrap_or_else(|| u64::from(message.id.0 - schedule.sends(message.src).start));
        let start = ready + t_hold * (position / ports as u64);
        send_start.push(start);
        received.push(start + t_end(message));
    }
    let completion = received.iter().copied().fold(Ticks::ZERO, Ticks::max);
    Prices { send_start, received, completion }
}

/// The closed form of a run without contention: the parameterised model with each message's own path length.
///
/// What an engine measures differs from this only where headers are blocked.
pub fn uncontended(
    schedule: &Schedule,
    network: &dyn Network,
    node: &NodeCosts,
    time: impl Into<NetworkTime>,
) -> Prices {
    let time = time.into();
    let flits = schedule.flits();
    let overheads = node.send(flits) + node.receive(flits);
    let Parameterised { t_hold, .. } = Parameterised::derived(node, time, flits);
    price(schedule, node.ports, t_hold, |message| {
        overheads + time.unloaded(flits, network.hops(message.src, message.dst))
    })
}
