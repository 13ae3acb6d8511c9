//! What routers keep of a vc, a port, a packet and a source, as small as it can be: a machine has millions of them. And what
//! an allocation keeps from one router, or round, to the next.
//!
//! Records that a machine changes; they refuse to know when.

use super::fabric::Fabric;
use super::turns::Bid;
use super::{Offer, RouterCosts};
use crate::routing::Pace;
use crate::routing::relation::{Choice, Header};

/// What the packet in front of a buffer is about to do.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// Nothing stands in front, or what does has not been routed.
    Idle,
    /// A head flit requests a vc.
    Requests,
    /// A head flit has a vc and has not left.
    Head,
    /// The head flit has left.
    Body,
    /// Flits leave, one a cycle, until a run of them ends.
    Runs,
}

/// The buffer of a vc at an input port.
#[derive(Clone, Copy)]
pub(super) struct Input {
    /// The input vcs that share its input port or, once it has been granted an output vc, the port of that, as a word; where all
    /// vcs of a router are in one.
    pub(super) rivals: u64,
    /// The output vc that the packet in front has been granted, or [`NONE`].
    pub(super) out: u32,
    /// Flits of the packet in front that have not left.
    pub(super) left: u32,
    /// The output or source vc that feeds it.
    pub(super) up: u32,
    /// Flits in the buffer, and of a run those that arrive one a cycle from now on, less those of a run that leaves.
    pub(super) flits: u16,
    /// Packets whose head flits have been sent here and whose tails have not left: where they begin in the ring and where they end,
    /// counted on beyond the size of the ring.
    pub(super) first: u16,
    pub(super) end: u16,
    pub(super) stage: Stage,
    /// Of the first vc of a port: the vc within the port that had the last turn to send. Bits that other ports differ in mean nothing.
    pub(super) turn_of: u8,
    /// And by which output vc of the router, likewise.
    pub(super) turn_by: u16,
}

/// A vc at an output port, or of a source.
#[derive(Clone, Copy)]
pub(super) struct Output {
    /// Free slots in the buffer it leads to, those that come free one a cycle from now on among them.
    pub(super) credits: u32,
    /// The input vc whose packet has it, or [`NONE`].
    pub(super) owner: u32,
    /// The input vc that it leads to; [`NOWHERE`](super::fabric::NOWHERE) if that is a node.
    pub(super) down: u32,
    /// Of the first vc of a port: the input vc of the router that had the last turn to send by it. Bits above those mean nothing.
    pub(super) turn_of: u16,
    /// Flits that it has sent while they were counted.
    pub(super) carried: u64,
    /// Of the first vc of a port: the input vcs that have one of its vcs, as a word; only where [`Machine::owned`] says so.
    ///
    /// [`Machine::owned`]: super::machine::Machine::owned
    pub(super) owners: u64,
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
    /// What the channels it has taken take beyond a cycle for a flit.
    pub(super) beyond: Beyond,
    /// When its head flit requested the virtual channel that it wants.
    pub(super) requested: u64,
    /// As it was offered.
    pub(super) number: u32,
}

/// How much longer a packet that nothing is in the way of is on its way than over channels that take a cycle for a flit.
#[derive(Clone, Copy, Default)]
pub(super) struct Beyond {
    /// Its head flit.
    pub(super) head: u64,
    /// Its tail behind that.
    pub(super) tail: u64,
}

impl Beyond {
    /// The same over one more channel, of which the head flit of a packet of so many `flits` has been routed for `routing` cycles,
    /// in which flits come up that a slow channel has held behind it.
    pub(super) fn over(self, pace: Pace, flits: u32, routing: u64) -> Self {
        let behind = u64::from(flits - 1) * u64::from(pace.flit - 1);
        Self { head: self.head + pace.longer(), tail: behind.max(self.tail.saturating_sub(routing)) }
    }
}

/// No packet.
pub(super) const NONE: u32 = u32::MAX;

/// A source, at work on a packet or waiting for one to be made.
#[derive(Clone, Copy)]
pub(super) struct Source {
    /// The packet that is being sent, if one is.
    pub(super) offer: Option<Offer>,
    /// Its number, once its head flit has left.
    pub(super) packet: u32,
    /// Flits of it that have not left.
    pub(super) left: u32,
    /// The vc it takes.
    pub(super) vc: u32,
    /// The cycle after the last in which flits leave that it has begun to send.
    pub(super) sends_until: u64,
}

/// What a router's allocation writes down, kept from one to the next.
pub(super) struct Scratch {
    /// Per output port of the router: who takes it so far.
    pub(super) taken: [Bid; 64],
}

impl Scratch {
    pub(super) fn new(fabric: &Fabric) -> Self {
        debug_assert!(fabric.ports <= 64);
        let none = Bid { rank: 0, vc: NONE, output: 0 };
        Self { taken: [none; 64] }
    }
}

/// The input and output vcs of a word whose ports have sent a flit in a cycle.
#[derive(Clone, Copy, Default)]
pub(super) struct Moved {
    pub(super) from: u64,
    pub(super) by: u64,
}

/// What is remembered from round to round.
pub(super) struct Rounds {
    /// Where routers have all their vcs in one word: by word, the last cycle in which it was asked for, and what has moved then.
    moved: Vec<(u64, Moved)>,
    /// Where they fill several, per input and per output port: the cycle after the last in which it has sent a flit.
    pub(super) sent_from: Vec<u64>,
    pub(super) sent_to: Vec<u64>,
    /// Routers to be looked at in the next round, each once, and the last round in which each was listed.
    pub(super) routers: Vec<u32>,
    pub(super) listed: Vec<u64>,
    pub(super) round: u64,
    /// Virtual channels of the router that is looked at.
    pub(super) vcs: Vec<u32>,
    pub(super) choices: Vec<Choice>,
}

impl Rounds {
    pub(super) fn new(fabric: &Fabric, costs: &RouterCosts) -> Self {
        let routers = if costs.first_come() { fabric.routers as usize } else { 0 };
        let [words, ports] = match (routers, fabric.words) {
            (0, _) => [0, 0],
            (_, 1) => [fabric.router_vcs().div_ceil(64), 0],
            _ => [0, fabric.router_vcs() >> fabric.vc_bits],
        };
        Self {
            moved: vec![(0, Moved::default()); words],
            sent_from: vec![0; ports],
            sent_to: vec![0; ports],
            routers: Vec::new(),
            listed: vec![0; routers],
            round: 1,
            vcs: Vec::new(),
            choices: Vec::new(),
        }
    }

    /// What has moved in word `word` in the cycle `now`.
    #[inline]
    pub(super) fn moved(&mut self, word: u32, now: u64) -> Moved {
        let (at, moved) = &mut self.moved[word as usize];
        if *at != now {
            *at = now;
            *moved = Moved::default();
        }
        *moved
    }

    /// So much has moved in word `word` in the cycle that was asked for last.
    #[inline]
    pub(super) fn note(&mut self, word: u32, moved: Moved) {
        self.moved[word as usize].1 = moved;
    }

    pub(super) fn list(&mut self, router: u32) {
        if std::mem::replace(&mut self.listed[router as usize], self.round) != self.round {
            self.routers.push(router);
        }
    }
}
