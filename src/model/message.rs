//! What one message costs its two ends, in parts, and the models that say it by length.

use super::{LogGops, Parameterised};
use crate::costs::{NetworkTime, NodeCosts};
use crate::units::{Flits, Ticks};
use serde::Serialize;

/// The parts of the parameterised model for a message of one length, each in ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MessageTimes {
    /// The sender's processor is busy so long.
    pub send: u64,
    /// The sender's interface is busy so long, from the start of the send.
    pub hold: u64,
    /// From the start of the send to the arrival at the receiver.
    pub arrival: u64,
    /// The receiver's processor is busy so long, from the arrival.
    pub receive: u64,
    /// The receiver's interface is busy so long, from the arrival.
    pub receive_hold: u64,
}

impl MessageTimes {
    /// Of messages of `flits` flits between nodes of the given costs and over a network that takes such times, with the
    /// nominal path ([`NetworkTime::nominal`]); an injection or ejection channel is busy for as long as the flits cross it,
    /// the head flit of a message without payload included.
    pub fn derived(node: &NodeCosts, network: impl Into<NetworkTime>, flits: Flits) -> Self {
        let network = network.into();
        let send = node.send(flits).0;
        let wire = network.wire_time(flits).0;
        let hold = node.hold(flits).0.max(wire);
        let arrival = send + network.nominal(flits).0;
        Self { send: send.min(hold), hold, arrival, receive: node.receive(flits).0, receive_hold: wire }
    }

    /// The two times that characterise the message where a node receives once.
    pub fn times(&self) -> Parameterised {
        Parameterised { t_hold: Ticks(self.send.max(self.hold)), t_end: Ticks(self.arrival + self.receive) }
    }
}

/// A chosen model: what a message costs by its length. Lengths are in bytes of a GOAL or MSCCL file, else in flits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Model {
    /// The parameterised model, linear in the length.
    Parameterised(Linear),
    /// LogP: messages of one length.
    LogP(LogP),
    /// LogGOPS, and LogGP with `O = 0`.
    LogGops(LogGops),
}

impl Model {
    /// The two times that characterise a message of `length`.
    pub fn times(&self, length: u64) -> Parameterised {
        self.parts(length).times()
    }

    /// The parts of a message of `length`.
    pub fn parts(&self, length: u64) -> MessageTimes {
        match self {
            Self::Parameterised(linear) => linear.parts(length),
            Self::LogP(logp) => logp.loggops().parts(length),
            Self::LogGops(loggops) => loggops.parts(length),
        }
    }

    /// The longest message whose sender does not wait for the receiver.
    pub fn eager(&self) -> u64 {
        match self {
            Self::LogGops(loggops) => loggops.eager,
            Self::Parameterised(_) | Self::LogP(_) => u64::MAX,
        }
    }
}

/// LogP (Culler et al. 1993), for messages of one small length, in ticks. `P`, the processors, is the machine's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct LogP {
    /// `L`: from the end of a send's overhead to the arrival.
    pub latency: u64,
    /// `o`: the processor is busy so long with a send or a receive.
    pub overhead: u64,
    /// `g`: between two sends, or two receipts, of a processor.
    pub gap: u64,
}

impl LogP {
    /// The same as LogGOPS: nothing per byte, and every message eager. Where a node receives once, as in a tree, no
    /// receipt waits for another's gap: `t_hold = max(g, o)`, `t_end = L + 2o`.
    pub fn loggops(&self) -> LogGops {
        let Self { latency, overhead, gap } = *self;
        LogGops { latency, overhead, gap, gap_per_byte: 0, overhead_per_byte: 0, eager: u64::MAX }
    }
}

/// A time that is linear in the length of a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Line {
    /// Ticks of a message of no length.
    pub setup: u64,
    /// Ticks per unit of length.
    pub per_flit: u64,
}

impl Line {
    fn at(self, length: u64) -> u64 {
        self.setup + self.per_flit * length
    }
}

/// The parameterised model as lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Linear {
    /// Between the starts of two sends.
    pub t_hold: Line,
    /// The parts of the time from the start of a send to its receipt.
    pub t_send: Line,
    /// On the network.
    pub t_net: Line,
    /// At the receiver.
    pub t_recv: Line,
}

impl Linear {
    /// A sender whose hold is shorter than its send overlaps them, so its processor is busy for the hold alone.
    fn parts(&self, length: u64) -> MessageTimes {
        let (send, hold, receive) = (self.t_send.at(length), self.t_hold.at(length), self.t_recv.at(length));
        let arrival = send + self.t_net.at(length);
        MessageTimes { send: send.min(hold), hold, arrival, receive, receive_hold: receive }
    }
}
