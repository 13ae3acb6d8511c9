//! Open-loop traffic: who sends how much to whom, whatever the network does with it.
//!
//! A [`Pattern`] says where packets go, an [`Injection`] when they are made, [`Lengths`] how long they are, and a
//! [`Load`] how many besides; [`Sources`] draws from it, for each node from a stream of its own, so that nothing that a
//! network does can move a draw. This floor knows no routers and no time but the cycle in which a packet is made.
//!
//! Source of the patterns: W. J. Dally and B. Towles, Principles and Practices of Interconnection Networks, 2004,
//! section 3.2.

mod latencies;
mod open_loop;
mod pattern;
mod sources;
mod weights;

pub use latencies::Latencies;
pub use open_loop::{Arrivals, Burst, Collected, Phases, Steady};
pub use pattern::{PATTERNS, Pattern, PatternEntry, PatternError};
pub use sources::{Injection, Lengths, Load, Sources};
pub use weights::Weights;
