//! Whether packets on the virtual channels of links can wait for each other for ever, with a certificate that others can check.
//!
//! A *state* is a virtual channel and the header of a packet at its front ([`States`]). What it may go to next decides, by the
//! first of these methods that does:
//!
//! 1. *Order.* A packet that holds a virtual channel and may request another makes the first depend on the second. Without a
//!    cycle of dependencies the network is *free*: every virtual channel has a rank, the length of the longest chain of
//!    dependencies that begins at it, and all dependencies lead to lower ranks (Dally and Seitz 1987).
//! 2. *Cycle.* Packets that hold a virtual channel each, every one blocked by the others.
//! 3. *Rounds.* Virtual channels that cannot be held for ever leave, until none is left: the network is free, and the rank of
//!    a virtual channel is the round in which it left.
//!    (No network is both free and has such a cycle; to look for the cycle takes less time.)
//! 4. Otherwise it is *undecided*. What is left are packets that hold several virtual channels each, and to decide for those
//!    whether they can deadlock is co-NP-complete (Verbeek and Schmaltz 2011).
//!
//! Packets end in the network, or at nodes that answer them ([`Endpoints`]): then injection and ejection channels are channels,
//! too.
//!
//! This directory knows links, virtual channels and the requests of head flits. It does not know time, buffers and traffic.

mod channels;
mod cycle;
mod endpoints;
mod lattice;
mod order;
mod path_packets;
mod paths;
mod remaining;
mod rounds;
mod states;
mod text;
pub mod trees;
mod waits;
mod walk;

pub use endpoints::{EndpointClass, Endpoints, NodePackets, ReplyCycle, reply_cycle};
pub use lattice::LatticePackets;
pub use path_packets::PathPackets;
pub use paths::{Dependencies, Shares, steps_of_all};
pub use states::{Demand, Request, States};
pub use text::{MOST_LINES, TooLong};
pub use walk::Packets;

use super::DependencyGraph;
use crate::topology::Links;
use crate::units::LinkId;
use channels::NetworkChannel;
use waits::Waits;

/// Most demands of headers that are not merged.
const MOST_APART: usize = 2_000_000;

/// A virtual channel of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VirtualChannel {
    /// The link, or another channel that is numbered like links.
    pub link: LinkId,
    /// The number of the virtual channel.
    pub vc: u16,
}

impl VirtualChannel {
    /// Its name in texts, where links have the given number of virtual channels.
    pub fn name(self, links: &dyn Links, virtual_channels: u16) -> String {
        let channel = NetworkChannel::numbered(self.link, links).name(links);
        if virtual_channels == 1 { channel } else { format!("{channel} vc {}", self.vc) }
    }

    /// Its name in certificates: the number of the channel and its own.
    fn id(self, links: &dyn Links) -> String {
        format!("{} {}", NetworkChannel::numbered(self.link, links), self.vc)
    }
}

/// What is proved of a network and its routing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing can deadlock.
    Free,
    /// Packets can hold virtual channels for ever, each waiting for another.
    Cycle,
    /// Neither is proved.
    Undecided,
}

impl Verdict {
    /// As certificates have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::Cycle => "cycle",
            Self::Undecided => "undecided",
        }
    }
}

/// How it is proved.
#[derive(Clone, Debug)]
enum Proof {
    /// The ranks of virtual channels: lengths of chains.
    Order(Vec<u32>),
    /// The ranks of virtual channels: rounds.
    Rounds(Vec<u32>),
    Cycle(Vec<VirtualChannel>),
    None,
}

/// A verdict on a network and its routing, with what proves it.
#[derive(Clone, Debug)]
pub struct Certificate {
    waits: Waits,
    proof: Proof,
}

impl States {
    /// What they prove.
    pub fn certificate(self) -> Certificate {
        let waits = Waits::new(self);
        let proof = Proof::of(&waits);
        Certificate { waits, proof }
    }
}

impl Proof {
    fn of(waits: &Waits) -> Self {
        if let Some(ranks) = order::ranks(waits) {
            return Self::Order(ranks);
        }
        if let Some(held) = cycle::held(waits) {
            return Self::Cycle(held);
        }
        rounds::ranks(waits).map_or(Self::None, Self::Rounds)
    }
}

impl Certificate {
    /// What the states of `packets` prove. Headers that request the same stand for one, unless nothing follows from that.
    pub fn for_packets(packets: &mut impl Packets) -> Self {
        let merged = States::walk(packets).certificate();
        if merged.verdict() != Verdict::Undecided {
            return merged;
        }
        States::walk_apart(packets, MOST_APART).map_or(merged, States::certificate)
    }

    /// The verdict.
    pub fn verdict(&self) -> Verdict {
        match self.proof {
            Proof::Order(_) | Proof::Rounds(_) => Verdict::Free,
            Proof::Cycle(_) => Verdict::Cycle,
            Proof::None => Verdict::Undecided,
        }
    }

    /// Virtual channels at whose front headers may stand.
    pub fn used(&self) -> usize {
        self.waits.channels.used.len()
    }

    /// Dependencies: ordered pairs of virtual channels. They are counted.
    pub fn dependencies(&self) -> usize {
        self.waits.all_channels().map(|channel| self.waits.turns(channel).len()).sum()
    }

    /// States, with headers that request the same merged.
    pub fn states(&self) -> usize {
        self.waits.fronts.len()
    }

    /// The number of rounds after which no virtual channel is left, if that is the proof.
    pub fn rounds(&self) -> Option<u32> {
        match &self.proof {
            Proof::Rounds(ranks) => Some(ranks.iter().max().map_or(0, |last| last + 1)),
            _ => None,
        }
    }

    /// Virtual channels that packets can hold for ever, each waiting for the next, if that is the proof.
    pub fn held(&self) -> &[VirtualChannel] {
        match &self.proof {
            Proof::Cycle(held) => held,
            _ => &[],
        }
    }
}
