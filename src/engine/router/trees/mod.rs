//! Packets on trees: routers copy them where their tree forks, and combine them where it joins.
//!
//! A packet that comes to the front of an input VC opens the [`Junction`](junction::Junction) of its tree there, or joins it as another
//! input. A junction has a branch for each of its outputs, and serves it by itself:
//!
//! 1. *Grants.* When all inputs are there, it requests the ejection channels of its router in the order of nodes, each when the one
//!    before is granted, and then all links.
//! 2. *Flits.* A branch sends a flit when it has come by every input, and `combine_latency` has passed if there are several. It reads the
//!    buffers by itself: a flit leaves them, and its slots are free, when the last branch has sent it.
//!
//! So a fork is a head flit with a set of outputs, and a join a set of inputs that wait for each other. A packet to one node is a tree
//! without either. Everything else is as for other packets: sources, links, credits and nodes.
//!
//! - `plan`: the trees as routers see them. `routing`: the packets and the open junctions. `junction`: an open junction.
//! - `grant`: output VCs, in turn and first come. `switch`: the flits that leave in a cycle. `send`: what changes when they do.
//! - `serve`: the loops over blocks. `waits`: what keeps a junction from sending, for the search for deadlocks.

mod grant;
mod junction;
mod plan;
mod routing;
mod send;
mod serve;
mod switch;
mod waits;

pub use plan::TreePacket;
pub(crate) use plan::{PacketTree, WayEnds};
pub(crate) use routing::Trees;
pub(crate) use serve::{TreesFirstCome, TreesInTurn};
pub(crate) use waits::WaitForVc;
