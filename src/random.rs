//! Named random streams: the same draws on every machine, for ever.
//!
//! A stream is derived from (seed, purpose, entity). Adding a draw to one stream never moves another, and two runs that
//! differ in anything but the seed draw the same placements. The generator is PCG XSL 128/64; its key is the SHA-256 of
//! the three names.
//!
//! Draws of real numbers take their logarithms and the like from `libm`, not from the machine's own library. With
//! `rand_distr` they would change where any crate of the build switches `num-traits/std` on, as those of the tests do:
//! lognormal and Pareto draws often, normal ones about once in two million.

use crate::units::NodeId;
use rand::seq::index;
use rand::{Rng, SeedableRng};
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

/// A draw from the uniform distribution over (0, 1], in steps of 2^-53.
pub fn uniform(random: &mut Pcg64) -> f64 {
    let steps = (random.next_u64() >> 11) + 1;
    steps as f64 / (1_u64 << 53) as f64
}

/// A draw from the normal distribution with mean 0 and deviation 1.
///
/// *Source.* G. E. P. Box, M. E. Muller, A note on the generation of random normal deviates, Annals of Mathematical
/// Statistics 29, 1958; of the two it makes the first is taken.
pub fn normal(random: &mut Pcg64) -> f64 {
    let (radius, turn) = (uniform(random), uniform(random));
    (-2.0 * libm::log(radius)).sqrt() * libm::cos(std::f64::consts::TAU * turn)
}

/// A draw from the exponential distribution with this mean.
pub fn exponential(random: &mut Pcg64, mean: f64) -> f64 {
    -mean * libm::log(uniform(random))
}

/// A draw from the Pareto distribution: at least `least`, and more than `x` with probability `(least / x)^shape`.
pub fn pareto(random: &mut Pcg64, least: f64, shape: f64) -> f64 {
    least * libm::exp(-libm::log(uniform(random)) / shape)
}

#[cfg(test)]
mod tests {
    use super::*;

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
