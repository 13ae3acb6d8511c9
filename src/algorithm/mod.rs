//! Published algorithms, each a way to make a [`Schedule`](crate::schedule::Schedule), an
//! [`Exchange`](crate::schedule::Exchange) or the [`Tree`](crate::schedule::Tree)s of a broadcast; or to
//! put tasks onto a cube.
//!
//! An algorithm knows its group, an order of the nodes that the network may lend it, and the model's parameters; one
//! that is made for a torus knows its shape. It refuses to know engines. One folder a family, one file an algorithm.
//!
//! [`traffic`] is another thing: packets that no algorithm plans. It hands them to the router engine one by one, in
//! that engine's own terms, and knows nothing else of it.

pub mod broadcast;
pub mod exchange;
pub mod mapping;
pub mod multicast;
pub mod traffic;
