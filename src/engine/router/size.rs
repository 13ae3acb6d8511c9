//! How large a network of routers is, and the bytes that it takes.

use super::state::{Input, Output, Packet, Source};
use crate::routing::relation::Choice;

/// How large a network of routers is.
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
    /// Whether head flits may have several ports to choose from.
    pub adaptive: bool,
    /// Flits that the buffer of a virtual channel holds.
    pub buffer: u64,
    /// Flits of the shortest packets.
    pub shortest: u64,
    /// The most packets that are under way at a time, if that is known; else all that fit.
    pub packets: u64,
}

/// Bytes of the choices of a head flit that may have several.
const CHOICES: usize = 24;

/// The bytes that routers take. What is too much to be counted saturates: an estimate that is refused anyway.
pub fn memory(size: Size) -> u64 {
    let Size { nodes, routers, ports, virtual_channels, adaptive, buffer, shortest, packets: most } = size;
    let all = routers.saturating_mul((ports * virtual_channels.next_power_of_two()).next_power_of_two());
    let wish = if adaptive { CHOICES } else { 0 };
    let records = size_of::<Input>() + size_of::<Output>() + size_of::<Choice>() + wish;
    let vc = records as u64 + 4 * buffer.next_power_of_two();
    // whole packets in a buffer, and those whose head or tail it has
    let packets = routers.saturating_mul(ports * virtual_channels).saturating_mul(2 + buffer / shortest.max(1));
    let packets = packets.min(most).saturating_mul(size_of::<Packet>() as u64);
    all.saturating_mul(vc).saturating_add(packets).saturating_add(nodes * size_of::<Source>() as u64)
}
