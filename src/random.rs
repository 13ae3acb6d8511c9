//! Named random streams: the same draws on every machine, for ever.
//!
//! A stream is derived from (seed, purpose, entity). Adding a draw to one stream never moves another, and two runs that
//! differ in anything but the seed draw the same placements. The generator is PCG XSL 128/64; its key is the SHA-256 of
//! the three names.

use crate::units::NodeId;
use rand::SeedableRng;
use rand::seq::index;
use rand_pcg::Pcg64;
use sha2::{Digest, Sha256};

/// The stream for `purpose` and `entity` under `seed`.
#[must_use]
pub fn stream(seed: u64, purpose: &str, entity: u64) -> Pcg64 {
    let name = format!("flitwise/{seed}/{purpose}/{entity}");
    let digest: [u8; 32] = Sha256::digest(name.as_bytes()).into();
    Pcg64::from_seed(digest)
}

/// The group of `size` of `nodes` nodes that repetition `repetition` draws, in the order drawn; the first is the source.
///
/// # Panics
/// If `size` is larger than `nodes`.
#[must_use]
pub fn placement(seed: u64, repetition: u64, nodes: usize, size: usize) -> Vec<NodeId> {
    let mut random = stream(seed, "placement", repetition);
    index::sample(&mut random, nodes, size).into_iter().map(NodeId::new).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::Rng;

    /// Golden values: if they change, every published result that was drawn at random changes.
    #[test]
    fn streams_are_what_they_have_always_been() {
        let mut random = stream(1, "placement", 0);
        assert_eq!([random.next_u64(), random.next_u64()], [1848880260070737930, 18258179458524886885]);
        let nodes: Vec<u32> = placement(1, 0, 256, 8).into_iter().map(|node| node.0).collect();
        assert_eq!(nodes, [246, 69, 253, 247, 40, 33, 12, 26]);
    }

    #[test]
    fn streams_of_different_names_differ() {
        let first = |seed, purpose, entity| stream(seed, purpose, entity).next_u64();
        let draws =
            [first(1, "placement", 0), first(2, "placement", 0), first(1, "traffic", 0), first(1, "placement", 1)];
        for (at, draw) in draws.iter().enumerate() {
            assert!(!draws[..at].contains(draw));
        }
    }

    #[test]
    fn a_placement_of_all_nodes_names_each_once() {
        let mut nodes: Vec<usize> = placement(7, 3, 100, 100).into_iter().map(NodeId::index).collect();
        nodes.sort_unstable();
        assert!(nodes.into_iter().eq(0..100));
    }
}
