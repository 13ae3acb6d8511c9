//! Netrace: packets of a chip that runs a program, with the packets on which each depends.
//!
//! Source: Hestness, Grot, Keckler (2010), Netrace: dependency-driven trace-based network-on-chip simulation. The format and the
//! [reference](predict()) are those of its reference program (`netrace.c`, `main.c`).

mod predict;
mod read;

pub use predict::{Predicted, predict};
pub use read::NetraceError;

use std::ops::Range;

/// A packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet {
    /// The cycle in which the traced system sent it.
    pub cycle: u64,
    /// The number that the file gives it.
    pub id: u32,
    /// The type of its message.
    pub kind: u8,
    /// The sender.
    pub src: u8,
    /// The receiver.
    pub dst: u8,
    /// The packets that depend on it, as a part of [`Netrace::dependants`].
    dependants: Range<u32>,
}

impl Packet {
    /// The bytes of the packet: an address, or an address and a cache line.
    pub fn bytes(&self) -> u64 {
        bytes(self.kind).unwrap_or(0)
    }
}

/// The bytes of a packet of type `kind`, if it is one that is sent.
fn bytes(kind: u8) -> Option<u64> {
    match kind {
        1 | 5 | 13 | 14 | 15 | 25 | 27 | 28 | 29 => Some(8),
        2 | 3 | 4 | 6 | 16 | 30 => Some(72),
        _ => None,
    }
}

/// The packets of a trace, in the order of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Netrace {
    nodes: u8,
    packets: Vec<Packet>,
    dependants: Vec<u32>,
}

impl Netrace {
    /// The number of nodes of the chip.
    pub fn nodes(&self) -> usize {
        self.nodes.into()
    }

    /// The packets.
    pub fn packets(&self) -> &[Packet] {
        &self.packets
    }

    /// The packets that depend on packet number `at`, by their numbers in [`Self::packets`], which are larger.
    ///
    /// # Panics
    /// If there is no such packet.
    pub fn dependants(&self, at: usize) -> &[u32] {
        let Range { start, end } = self.packets[at].dependants;
        &self.dependants[start as usize..end as usize]
    }

    /// The number of dependencies between packets.
    pub fn dependencies(&self) -> usize {
        self.dependants.len()
    }

    /// Per packet, the number of packets on which it depends.
    pub fn open(&self) -> Vec<u32> {
        let mut open = vec![0; self.packets.len()];
        self.dependants.iter().for_each(|&dependant| open[dependant as usize] += 1);
        open
    }
}

/// The rule for the cycle in which a packet is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pacing {
    /// Not before the cycle of the trace, and some cycles after the packets on which it depends.
    Trace,
    /// As soon as the packets on which it depends have arrived, but not before the cycle of the trace.
    SelfThrottled,
    /// In the cycle of the trace, whatever it depends on.
    Independent,
}
