//! Published algorithms, each a way to make a [`Schedule`](crate::schedule::Schedule) or an
//! [`Exchange`](crate::schedule::Exchange).
//!
//! An algorithm knows its group, an order of the nodes that the network may lend it, and the model's parameters; one that
//! is made for a torus knows its shape. It refuses to know engines. One folder a family, one file an algorithm.

pub mod exchange;
pub mod multicast;
