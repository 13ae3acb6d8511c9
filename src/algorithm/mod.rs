//! Published algorithms, each a way to make a [`Schedule`](crate::schedule::Schedule).
//!
//! An algorithm knows its group, an order of the nodes that the network may lend it, and the model's parameters. It
//! refuses to know engines. One folder a family, one file an algorithm.

pub mod multicast;
