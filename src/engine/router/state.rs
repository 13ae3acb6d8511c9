//! What routers keep of a vc, a port and a packet, as small as it can be: a machine has millions of them.
//!
//! Records that [`Machine`](super::machine::Machine) changes; they refuse to know when.

use crate::routing::relation::{Choice, Header};

/// What the packet in front of a buffer is about to do.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// Nothing stands in front, or what does has not been routed.
    Idle,
    /// A header requests a vc.
    Asks,
    /// A header has a vc and has not left.
    Header,
    /// The header has left.
    Body,
    /// Flits leave, one a cycle, until a run of them ends.
    Runs,
}

/// The buffer of a vc at an input port.
#[derive(Clone, Copy)]
pub(super) struct Input {
    /// The output vc that the packet in front has been given, or [`NONE`](super::source::NONE).
    pub(super) out: u32,
    /// Flits in the buffer, and of a run those that arrive one a cycle from now on, less those of a run that leaves.
    pub(super) flits: u32,
    /// Flits of the packet in front that have not left.
    pub(super) left: u32,
    /// The output or source vc that feeds it.
    pub(super) up: u32,
    /// Packets whose headers have been sent here and whose tails have not left: where they begin in the ring, and how
    /// many.
    pub(super) first: u16,
    pub(super) packets: u16,
    /// Which output vc of its router it requests first.
    pub(super) turn: u16,
    pub(super) stage: Stage,
    /// The way on, where there is only one.
    pub(super) way: Choice,
}

/// A vc at an output port, or of a source.
#[derive(Clone, Copy)]
pub(super) struct Output {
    /// Free slots in the buffer it leads to, those that come free one a cycle from now on among them.
    pub(super) credits: u32,
    /// The input vc whose packet has it, or [`NONE`](super::source::NONE).
    pub(super) owner: u32,
    /// The input vc that it leads to; [`NOWHERE`](super::fabric::NOWHERE) if that is a node.
    pub(super) down: u32,
    /// Which input vc of its router it takes first.
    pub(super) turn: u16,
    /// Flits that it has sent while they were counted.
    pub(super) carried: u64,
}

/// Whose turn it is at a port, round robin. Ports are numbered by their first vc, `vc >> vc_bits`.
#[derive(Clone, Copy, Default)]
pub(super) struct Turns {
    /// Of an input port: the output it requests first, and the vc.
    pub(super) output: u8,
    pub(super) vc: u8,
    /// Of an output port: the input it takes first.
    pub(super) input: u8,
}

/// A packet in the network.
#[derive(Clone, Copy)]
pub(super) struct Packet {
    pub(super) header: Header,
    pub(super) src: u32,
    pub(super) flits: u32,
    pub(super) hops: u32,
    pub(super) created: u64,
    pub(super) injected: u64,
    /// When its head flit requested the virtual channel that it wants.
    pub(super) requested: u64,
    /// As it was offered.
    pub(super) number: u32,
}
