//! The reference program of netrace: packets cross an ideal mesh without contention, and a node sends and takes one in a cycle.

use super::{Netrace, Pacing};
use crate::units::narrow;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The cycles of packets by the reference program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Predicted {
    /// Per packet the cycle in which its node sends it.
    pub injected: Vec<u64>,
    /// Per packet the cycle in which its receiver takes it.
    pub ejected: Vec<u64>,
}

/// A queue of packets by a key. The last packet that was queued comes first among packets with equal keys, as in `queue.c`.
#[derive(Clone, Default)]
struct Queue {
    heap: BinaryHeap<(Reverse<u64>, u64, u32)>,
    pushed: u64,
}

impl Queue {
    fn push(&mut self, key: u64, packet: u32) {
        self.pushed += 1;
        self.heap.push((Reverse(key), self.pushed, packet));
    }

    /// The key of the first packet.
    fn key(&self) -> Option<u64> {
        self.heap.peek().map(|&(Reverse(key), ..)| key)
    }

    /// Removes the first packet if its key is not after `now`.
    fn take(&mut self, now: u64) -> Option<u32> {
        self.key().filter(|&key| key <= now)?;
        self.heap.pop().map(|(.., packet)| packet)
    }
}

/// A run of the reference program.
struct Run<'a> {
    trace: &'a Netrace,
    pacing: Pacing,
    /// The cycles from a packet that is cleared to its send.
    turnaround: u64,
    /// The cycles of a hop, and the width of the mesh.
    hop: u64,
    width: u64,
    /// Per packet the packets on which it still waits.
    open: Vec<u32>,
    /// Per packet, true once its cycle has come.
    has_come: Vec<bool>,
    /// Per node, the packets that it sends and those that arrive.
    injection: Vec<Queue>,
    arrival: Vec<Queue>,
    /// Packets that were cleared in the last cycle.
    cleared: Vec<u32>,
    next: u32,
    times: Predicted,
}

/// Runs `trace` as the reference program does, with `hop` cycles for a hop and `turnaround` cycles from the last packet on which one
/// depends to its send.
///
/// The width of the mesh is the root of the number of nodes, rounded down. Time: a step over the nodes for each cycle in which
/// something happens.
pub fn predict(trace: &Netrace, pacing: Pacing, hop: u64, turnaround: u64) -> Predicted {
    let packets = trace.packets().len();
    let queues = vec![Queue::default(); trace.nodes()];
    let mut run = Run {
        trace,
        pacing,
        turnaround,
        hop,
        width: (trace.nodes() as u64).isqrt().max(1),
        open: if pacing == Pacing::Independent { vec![0; packets] } else { trace.open() },
        has_come: vec![false; packets],
        injection: queues.clone(),
        arrival: queues,
        cleared: Vec::new(),
        next: 0,
        times: Predicted { injected: vec![0; packets], ejected: vec![0; packets] },
    };
    run.start();
    let mut now = run.next_cycle(0);
    while let Some(cycle) = now {
        run.cycle(cycle);
        now = run.next_cycle(cycle + 1);
    }
    run.times
}

impl Run<'_> {
    /// Queues what needs no dependencies, where packets do not wait for their cycle.
    fn start(&mut self) {
        if self.pacing == Pacing::SelfThrottled {
            for (number, packet) in (0..).zip(self.trace.packets()) {
                if self.open[number as usize] == 0 {
                    self.injection[usize::from(packet.src)].push(packet.cycle, number);
                }
            }
            self.next = narrow(self.trace.packets().len(), "a file has fewer than 2^32 packets");
        }
    }

    /// The first cycle from `from` on in which something happens.
    fn next_cycle(&self, from: u64) -> Option<u64> {
        let of_trace = self.trace.packets().get(self.next as usize).map(|packet| packet.cycle);
        let of_queues = self.injection.iter().chain(&self.arrival).filter_map(Queue::key);
        let cleared = (self.pacing == Pacing::SelfThrottled && !self.cleared.is_empty()).then_some(from);
        of_queues.chain(of_trace).chain(cleared).min().map(|cycle| cycle.max(from))
    }

    fn cycle(&mut self, now: u64) {
        self.enter(now);
        self.inject(now);
        self.eject(now);
        if self.pacing == Pacing::Trace {
            self.respond(now);
        }
    }

    /// Queues the packets of this cycle that wait for nothing, and those that were cleared in the last cycle.
    fn enter(&mut self, now: u64) {
        for number in std::mem::take(&mut self.cleared) {
            let packet = &self.trace.packets()[number as usize];
            self.injection[usize::from(packet.src)].push(packet.cycle.max(now), number);
        }
        while let Some(packet) = self.trace.packets().get(self.next as usize).filter(|packet| packet.cycle <= now) {
            self.has_come[self.next as usize] = true;
            if self.open[self.next as usize] == 0 {
                self.injection[usize::from(packet.src)].push(packet.cycle, self.next);
            }
            self.next += 1;
        }
    }

    /// Each node sends the first of its packets.
    fn inject(&mut self, now: u64) {
        for node in 0..self.injection.len() {
            let Some(number) = self.injection[node].take(now) else { continue };
            self.times.injected[number as usize] = now;
            let dst = self.trace.packets()[number as usize].dst;
            let key = now + self.hop * self.hops(node as u64, dst.into()).max(1);
            self.arrival[usize::from(dst)].push(key, number);
        }
    }

    /// The hops between two nodes of the mesh.
    fn hops(&self, from: u64, to: u64) -> u64 {
        (from % self.width).abs_diff(to % self.width) + (from / self.width).abs_diff(to / self.width)
    }

    /// Each node takes the first packet that has arrived, which clears those that depend on it.
    fn eject(&mut self, now: u64) {
        for node in 0..self.arrival.len() {
            let Some(number) = self.arrival[node].take(now) else { continue };
            self.times.ejected[number as usize] = now;
            if self.pacing == Pacing::Independent {
                continue;
            }
            for &dependant in self.trace.dependants(number as usize) {
                let open = &mut self.open[dependant as usize];
                *open -= 1;
                if *open == 0 && (self.has_come[dependant as usize] || self.pacing == Pacing::SelfThrottled) {
                    self.cleared.push(dependant);
                }
            }
        }
    }

    /// Queues the packets that have waited and were cleared in this cycle: node by node, by their cycle, and of equal cycles the last
    /// one of the file first.
    fn respond(&mut self, now: u64) {
        let packets = self.trace.packets();
        let order = |&number: &u32| {
            let packet = &packets[number as usize];
            (packet.src, packet.cycle, Reverse(number))
        };
        let mut cleared = std::mem::take(&mut self.cleared);
        cleared.sort_by_key(order);
        for number in cleared {
            self.injection[usize::from(packets[number as usize].src)].push(now + self.turnaround, number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Packet;
    use super::*;

    #[test]
    fn a_request_and_its_reply_take_the_cycles_of_the_rules() {
        let packet = |cycle, id, src, dst, kind, dependants| Packet { cycle, id, kind, src, dst, dependants };
        let packets = vec![packet(0, 7, 0, 3, 1, 0..1), packet(4, 8, 3, 0, 2, 1..1)];
        let trace = Netrace { nodes: 4, packets, dependants: vec![1] };
        let times = |pacing| {
            let Predicted { injected, ejected } = predict(&trace, pacing, 3, 8);
            [injected[0], ejected[0], injected[1], ejected[1]]
        };
        assert_eq!(times(Pacing::Trace), [0, 6, 14, 20]);
        assert_eq!(times(Pacing::SelfThrottled), [0, 6, 7, 13]);
        assert_eq!(times(Pacing::Independent), [0, 6, 4, 10]);
    }
}
