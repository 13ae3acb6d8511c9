//! Packets that the nodes of a batch may still send.
//!
//! A node may send a packet while its batch has packets left and fewer than a limit of its own packets are in flight.
//! Independent of time and of the network.

/// Packets of a batch, and the limit of packets in flight.
#[derive(Clone, Debug)]
pub(super) struct Quotas {
    nodes: Vec<Quota>,
    /// Packets of a node in a batch, 0 for a node that sends nothing.
    packets: Vec<u64>,
    /// The most packets of a node in flight.
    outstanding: u64,
}

/// The packets of a node.
#[derive(Clone, Copy, Debug)]
struct Quota {
    /// Packets of the batch that it has not begun to send.
    left: u64,
    /// Packets that it has begun to send and that have not arrived.
    in_flight: u64,
}

impl Quotas {
    /// Creates the quotas of a first batch with the given number of `packets` of each node.
    pub(super) fn new(packets: Vec<u64>, outstanding: u64) -> Self {
        let nodes = packets.iter().map(|&left| Quota { left, in_flight: 0 }).collect();
        Self { nodes, packets, outstanding }
    }

    /// Packets of all nodes in a batch.
    pub(super) fn batch(&self) -> u64 {
        self.packets.iter().sum()
    }

    /// True if `node` may begin to send a packet.
    pub(super) fn can_send(&self, node: u32) -> bool {
        let quota = self.nodes[node as usize];
        quota.left > 0 && quota.in_flight < self.outstanding
    }

    /// Takes a packet that `node` begins to send.
    pub(super) fn send(&mut self, node: u32) {
        let quota = &mut self.nodes[node as usize];
        quota.left -= 1;
        quota.in_flight += 1;
    }

    /// Takes a packet of `node` out of those in flight.
    pub(super) fn arrive(&mut self, node: u32) {
        self.nodes[node as usize].in_flight -= 1;
    }

    /// Starts another batch. All packets of the last one have arrived.
    pub(super) fn restart(&mut self) {
        for (quota, &packets) in self.nodes.iter_mut().zip(&self.packets) {
            debug_assert_eq!((quota.left, quota.in_flight), (0, 0), "a batch ends when all its packets have arrived");
            quota.left = packets;
        }
    }

    /// The number of nodes.
    pub(super) fn nodes(&self) -> u32 {
        u32::try_from(self.nodes.len()).unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_sends_its_packets_within_the_limit() {
        let mut quotas = Quotas::new(vec![3, 0], 2);
        assert_eq!((quotas.batch(), quotas.can_send(1)), (3, false));
        quotas.send(0);
        quotas.send(0);
        assert!(!quotas.can_send(0), "two are in flight");
        quotas.arrive(0);
        quotas.send(0);
        quotas.arrive(0);
        assert!(!quotas.can_send(0), "none is left");
        quotas.arrive(0);
        quotas.restart();
        assert_eq!([0, 1].map(|node| quotas.can_send(node)), [true, false]);
    }
}
