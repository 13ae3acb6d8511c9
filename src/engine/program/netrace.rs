//! Packets of a chip that are sent when those on which they depend have been delivered.
//!
//! A packet from a node to itself does not enter the network. Its delivery is a timer.

use super::{MessageSet, Program, Requests, Signal};
use crate::routing::{Network, Stretch};
use crate::schedule::netrace::{Netrace, Pacing};
use crate::units::{Flits, MessageId, NodeId, Ticks, narrow};

/// The packets of a [`Netrace`] on a network, without costs of nodes.
#[derive(Clone, Debug)]
pub struct NetraceProgram<'a> {
    trace: &'a Netrace,
    rules: NetraceRules,
    /// Per node of the trace its node of the network.
    nodes: &'a [NodeId],
    flit_bytes: u64,
    /// Per message its packet.
    packets: Vec<u32>,
    /// Per packet its message, if it enters the network.
    messages: Vec<Option<MessageId>>,
    /// Per packet the packets on which it still waits.
    open: Vec<u32>,
    /// The last delivery of a packet that does not enter the network.
    last: Ticks,
}

/// The times of packets, in ticks, which are the cycles of the trace.
#[derive(Clone, Copy, Debug)]
pub struct NetraceRules {
    /// The rule for the send of a packet.
    pub pacing: Pacing,
    /// The ticks from the delivery of the last packet on which one depends to its send, where that is after the cycle of the trace.
    pub turnaround: u64,
    /// The ticks of a packet from a node to itself.
    pub hop: u64,
}

impl NetraceRules {
    /// The tick at which a packet of `cycle` is requested if the last packet on which it depends is delivered at `delivered`.
    pub fn requested(&self, cycle: u64, delivered: Option<Ticks>) -> Ticks {
        Ticks(match (self.pacing, delivered) {
            (Pacing::Independent, _) | (_, None) => cycle,
            (Pacing::Trace, Some(Ticks(last))) => {
                if last < cycle {
                    cycle
                } else {
                    last + self.turnaround
                }
            }
            (Pacing::SelfThrottled, Some(Ticks(last))) => cycle.max(last + 1),
        })
    }
}

impl<'a> NetraceProgram<'a> {
    /// Creates the program of `trace`, whose node `i` is on `nodes[i]`, with flits of `flit_bytes` bytes.
    ///
    /// # Panics
    /// If there are fewer nodes than the trace has.
    pub fn new(trace: &'a Netrace, rules: NetraceRules, nodes: &'a [NodeId], flit_bytes: u64) -> Self {
        assert!(nodes.len() >= trace.nodes(), "{} nodes for {}", nodes.len(), trace.nodes());
        let is_sent = |(_, packet): &(u32, &crate::schedule::netrace::Packet)| packet.src != packet.dst;
        let packets: Vec<u32> = (0..).zip(trace.packets()).filter(is_sent).map(|(number, _)| number).collect();
        let mut messages = vec![None; trace.packets().len()];
        for (message, &packet) in packets.iter().enumerate() {
            messages[packet as usize] = Some(MessageId::new(message));
        }
        let open = if rules.pacing == Pacing::Independent { vec![0; messages.len()] } else { trace.open() };
        Self { trace, rules, nodes, flit_bytes, packets, messages, open, last: Ticks::ZERO }
    }

    /// The packet of each message.
    pub fn packets(&self) -> &[u32] {
        &self.packets
    }

    /// Requests packet `number`, which waits for nothing any more since the delivery at `delivered`, if it waited.
    fn request(&self, number: u32, delivered: Option<Ticks>, requests: &mut Requests) {
        let time = self.rules.requested(self.trace.packets()[number as usize].cycle, delivered);
        match self.messages[number as usize] {
            Some(message) => requests.request(message, time),
            None => requests.timer(number, time + Ticks(self.rules.hop)),
        }
    }

    /// Requests the packets that wait for nothing but packet `number`, which is delivered now.
    fn deliver(&mut self, number: u32, now: Ticks, requests: &mut Requests) {
        if self.rules.pacing == Pacing::Independent {
            return;
        }
        let trace = self.trace;
        for &dependant in trace.dependants(number as usize) {
            let open = &mut self.open[dependant as usize];
            *open -= 1;
            if *open == 0 {
                self.request(dependant, Some(now), requests);
            }
        }
    }
}

impl MessageSet for NetraceProgram<'_> {
    fn messages(&self) -> usize {
        self.packets.len()
    }

    fn message(&self, id: MessageId) -> (NodeId, NodeId, Flits) {
        let packet = &self.trace.packets()[self.packets[id.index()] as usize];
        let [src, dst] = [packet.src, packet.dst].map(|node| self.nodes[usize::from(node)]);
        (src, dst, Flits::from_bytes(packet.bytes(), self.flit_bytes))
    }

    fn stretches(&self, id: MessageId, network: &dyn Network, stretches: &mut Vec<Stretch>) -> bool {
        let (src, dst, _) = self.message(id);
        network.stretches(src, dst, stretches)
    }

    fn receive_time(&self, _: MessageId) -> Ticks {
        Ticks::ZERO
    }
}

impl Program for NetraceProgram<'_> {
    fn signal(&mut self, signal: Signal, requests: &mut Requests) {
        match signal {
            Signal::Start => {
                for number in 0..narrow(self.open.len(), "packets are numbered with 32 bits") {
                    if self.open[number as usize] == 0 {
                        self.request(number, None, requests);
                    }
                }
            }
            Signal::Delivered { id, now } => self.deliver(self.packets[id.index()], now, requests),
            Signal::Timer { token, now } => {
                self.last = now.max(self.last);
                self.deliver(token, now, requests);
            }
            Signal::Requested { .. } | Signal::Departed { .. } | Signal::Left { .. } | Signal::KeepCauses => {}
        }
    }

    fn completion(&self, received: Ticks) -> Ticks {
        self.last.max(received)
    }
}
