//! The size of a network of routers, and the bytes that it takes.

use super::candidates::Candidates;
use super::packets::Packet;
use super::source::Source;
use super::state::{Input, Output};
use super::vcset::{VcSet, WORD};
use crate::routing::MOST_PORTS;

/// Most virtual channels of a router: the members of the widest sets. Each port counts its virtual channels, rounded up to a power of
/// two.
pub const MOST_ROUTER_VCS: u64 = 4096;

const _: () = assert!(MOST_PORTS as u64 == MOST_ROUTER_VCS, "each port takes a number");

/// The size of a network of routers.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// Nodes, each with a source.
    pub nodes: u64,
    /// Routers.
    pub routers: u64,
    /// Ports of a router, those of its node among them.
    pub ports: u64,
    /// Virtual channels of a port.
    pub virtual_channels: u64,
    /// Flits that the buffer of a virtual channel holds.
    pub buffer: u64,
    /// Flits of the shortest packets.
    pub shortest: u64,
    /// The most packets in flight at a time, if that is known, and else all that fit.
    pub packets: u64,
}

/// The bytes that a VC takes in blocks of `W` words, with its part of sets, arbiters and queues.
fn vc_memory<const W: usize>() -> usize {
    let records = size_of::<Input<W>>() + size_of::<Output>() + size_of::<Candidates<W>>();
    let arbiters = 3 * size_of::<u16>();
    let queue = size_of::<[u16; 2]>();
    records + size_of::<VcSet<W>>() + size_of::<u16>() + arbiters + queue
}

/// The bytes that routers take. What is too much to be counted saturates: an estimate that is refused anyway.
pub fn memory(size: Size) -> u64 {
    let Size { nodes, routers, ports, virtual_channels, buffer, shortest, packets: most } = size;
    let numbers = (ports * virtual_channels.next_power_of_two()).next_power_of_two();
    let of_vc = match numbers.div_ceil(WORD as u64) {
        ..=1 => vc_memory::<1>(),
        2..=4 => vc_memory::<4>(),
        5..=16 => vc_memory::<16>(),
        _ => vc_memory::<64>(),
    };
    let queue = size_of::<u32>() as u64 * buffer.next_power_of_two();
    let vcs = routers.saturating_mul(numbers).saturating_mul(of_vc as u64 + queue);
    // whole packets in a buffer, and those whose head or tail it has
    let packets = routers.saturating_mul(ports * virtual_channels).saturating_mul(2 + buffer / shortest.max(1));
    let packets = packets.min(most).saturating_mul(size_of::<Packet>() as u64);
    let source = size_of::<Source>() as u64 + size_of::<u32>() as u64 * virtual_channels;
    vcs.saturating_add(packets).saturating_add(nodes.saturating_mul(source))
}
