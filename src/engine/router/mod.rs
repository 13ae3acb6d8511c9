//! Virtual-channel routers, cycle by cycle: open-loop traffic on meshes, tori and hypercubes.
//!
//! This engine runs packets that [`Traffic`] offers, node by node, through routers with input buffers, virtual channels
//! (`vc` in names), credits and round-robin allocation, under any [`Relation`](crate::routing::Relation). It knows
//! nothing of patterns, rates and statistics. Unlike the engines of [`crate::engine`] it is driven by cycles, but only
//! routers with something to do are looked at, and cycles in which nothing can happen are left out.
//!
//! # The router
//!
//! Every router has an input and an output port for each link and one for its node; every input port has a buffer of
//! `buffer` flits for each virtual channel. In a cycle
//!
//! 1. flits and credits arrive; sources send at most a flit each, given a credit, and every packet by the next virtual
//!    channel with room after that of the packet before (of virtual channel 0, to begin with);
//! 2. headers in front of a buffer request an output virtual channel: each one that is free, round robin (where routing
//!    is adaptive, the one with most credits, and the escape only if nothing else is free); each output virtual channel
//!    grants one of those requests, round robin;
//! 3. every input port with flits that have a virtual channel and a credit requests the switch on behalf of one of its
//!    virtual channels, round robin over the outputs they want, and of one output over the virtual channels; headers
//!    that request a virtual channel in this cycle request the switch too (*speculation*), for every output with a
//!    virtual channel that is free to them and has a credit, but come after all others; each output grants one input,
//!    round robin; a header that wins without having been granted a virtual channel there with a credit has wasted it;
//! 4. winners send a flit. Their virtual channel is free for the next packet when it was the tail: that packet may
//!    enter a buffer that still holds the last one, unless buffers are `atomic`.
//!
//! Round robin begins with the first port and virtual channel; one that has been granted what it requested, wasted or
//! not, passes the turn on to the one after it. A header stands in front of its buffer from its arrival, or from the
//! cycle after that in which the tail before it has left.
//!
//! [`Timing`] says how long flits and credits take. Pipelined: one cycle each for allocation, the switch and a link, so
//! that a flit arrives three cycles after it was allocated and its slot can be used again five cycles after it was;
//! ideal: one cycle for everything.
//!
//! Source: the input-queued router of W. J. Dally and B. Towles, Principles and Practices of Interconnection Networks,
//! 2004, chapters 16 to 19, with separable input-first allocation of one iteration.
//!
//! # What it costs
//!
//! Time in proportion to the flits that move and headers that try. Where ports have one virtual channel, no other
//! packet can come between the flits of a packet, and all that are there and have a credit leave as one *run*: what
//! others see of it, a flit a cycle, is told to them when it begins, which is exact because nothing can stop it.
//! Buffers hold counts, not flits: memory does not depend on the length of packets, and packets that wait at their
//! source are not there at all until it is their turn.

mod allocate;
mod fabric;
mod machine;
mod outcome;
mod source;
mod state;
mod watchdog;
mod wheel;

pub use machine::{memory, run};
pub use outcome::{Delivery, Ended};

use serde::Serialize;

/// How many cycles things take, from the cycle of allocation on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Timing {
    /// Until a flit stands in the next router's buffer.
    pub hop: u64,
    /// From a source until a flit stands in the buffer of its router.
    pub inject: u64,
    /// Until a flit has arrived at its node.
    pub eject: u64,
    /// Until the sender of a flit knows that its slot is free again.
    pub credit: u64,
    /// The same where a node takes the flit.
    pub sink_credit: u64,
    /// From a header's arrival in front of its buffer until it requests a virtual channel.
    pub routing: u64,
}

impl Timing {
    /// A cycle for allocation, one for the switch, `link` for the link.
    pub fn pipelined(link: u64, routing: u64) -> Self {
        let hop = 2 + link;
        Self { hop, inject: 1 + link, eject: hop, credit: 1 + link, sink_credit: hop + 1 + link, routing }
    }

    /// A cycle a hop.
    pub fn ideal(routing: u64) -> Self {
        Self { hop: 1, inject: 1, eject: 1, credit: 1, sink_credit: 1, routing }
    }

    /// What a packet of `flits` flits takes over `distance` links when nothing is in its way.
    pub fn unloaded(&self, distance: u64, flits: u64) -> u64 {
        self.inject + distance * self.hop + (distance + 1) * self.routing + self.eject + flits - 1
    }

    fn longest(&self) -> u64 {
        let delays = [self.hop, self.inject, self.eject, self.credit, self.sink_credit, self.routing + 1];
        delays.into_iter().fold(0, u64::max)
    }
}

/// What routers are like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct RouterCosts {
    /// How long things take.
    pub timing: Timing,
    /// Flits that the buffer of a virtual channel holds, at least 1.
    pub buffer: u32,
    /// Whether a virtual channel is free for the next packet only when its buffer is empty.
    pub atomic: bool,
    /// Whether headers request the switch in the cycle in which they request a virtual channel.
    pub speculative: bool,
}

/// A packet that a node wants to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer {
    /// The cycle in which it was made.
    pub created: u64,
    /// Where it goes.
    pub dst: u32,
    /// Its length, at least 1.
    pub flits: u32,
    /// Random bits for routing.
    pub coins: u64,
}

/// What nodes want to send, and what is told of its deliveries.
pub trait Traffic {
    /// The next packet of `node`, in the order in which they are made; none if there are no more.
    fn next(&mut self, node: u32) -> Option<Offer>;

    /// A packet arrives. Packets are told of as soon as that is certain, in no particular order.
    fn delivered(&mut self, delivery: &Delivery);

    /// Flits arrive at their node, one a cycle, so many as `flits`, from the cycle `at` on.
    fn accepted(&mut self, at: u64, flits: u32);

    /// Whether the run goes on with the cycle `now`.
    fn goes_on(&self, now: u64) -> bool;

    /// The cycles in which flits on links are counted.
    fn counted(&self) -> std::ops::Range<u64>;
}
