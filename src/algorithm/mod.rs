//! Published algorithms, each a way to make a [`Schedule`](crate::schedule::Schedule), an
//! [`Exchange`](crate::schedule::Exchange), a [`Collective`](crate::schedule::collective::Collective) or the [`Tree`](broadcast::Tree)s of a broadcast; or to
//! put tasks onto a cube.
//!
//! An algorithm knows its group, an order of the nodes that the network may lend it, and the model's parameters; one
//! that is made for a torus knows its shape. It refuses to know engines. One folder a family, one file an algorithm.
//!
//! [`traffic`] is another thing: packets that no algorithm plans. It hands them to the router engine one by one, in
//! that engine's own terms, and knows nothing else of it.

pub mod broadcast;
pub mod collective;
pub mod exchange;
pub mod mapping;
pub mod multicast;
pub mod traffic;

/// Algorithms are looked up, and written, by their names.
macro_rules! by_name {
    ($($family:ident),*) => {$(
        impl $family::Algorithm {
            /// The algorithm called `name`.
            pub fn named(name: &str) -> Option<&'static Self> {
                $family::ALGORITHMS.iter().find(|algorithm| algorithm.name == name)
            }

            pub(crate) fn name_at(at: usize) -> Option<&'static str> {
                $family::ALGORITHMS.get(at).map(|algorithm| algorithm.name)
            }
        }

        impl serde::Serialize for $family::Algorithm {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name)
            }
        }
    )*};
}

by_name!(broadcast, collective, exchange, mapping, multicast);
