//! Traffic of random packets: which nodes send how much to which.
//!
//! A [`Pattern`] draws destinations, an [`Injection`] the times of packets, [`Lengths`] their lengths, and a [`Load`] sets
//! their rate. [`Sources`] draws from it, for each node from a stream of its own, so that the network cannot change a draw.
//! [`Steady`] and [`Burst`] are open loops: packets do not depend on the network. [`Batches`] is a closed loop. Independent of
//! routers and of any time but the cycle in which a packet is generated.
//!
//! Source of the patterns: W. J. Dally and B. Towles, Principles and Practices of Interconnection Networks, 2004,
//! section 3.2.

mod batch;
mod classes;
mod latencies;
mod lengths;
mod open_loop;
mod pattern;
mod quota;
mod sources;
mod weights;

pub use batch::{BatchPlan, BatchTimes, Batches};
pub use classes::{ClassLoad, ClassPlan, Classes, PacketClass};
pub use latencies::Latencies;
pub use lengths::{LengthMix, Lengths};
pub use open_loop::{Arrivals, Burst, Collected, Phases, Steady};
pub use pattern::{DerivePattern, DrawnPattern, Numbering, PATTERNS, Pattern, PatternEntry, PatternError};
pub use sources::{Injection, Load, Reach, Sources};
pub use weights::{IntegerWeights, Weights};
