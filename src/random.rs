//! Named random streams: the same draws on every machine, for ever.
//!
//! A stream is derived from (seed, purpose, entity). Adding a draw to one stream never moves another, and two runs that
//! differ in anything but the seed draw the same placements. The generator is PCG XSL 128/64; its key is the SHA-256 of
//! the three names.
//!
//! Draws that are not uniform come from `rand_distr`, and are the same on every machine as far as floating-point
//! arithmetic is:
//!
//! - Geometric and weighted draws ([`rand_distr::Geometric`], [`rand_distr::weighted`]) return integers. The first compares
//!   powers with uniform draws; a power that another machine rounds otherwise decides otherwise less than once in 2^50.
//! - Normal and exponential draws multiply and add, which IEEE 754 fixes to the bit, but for their tails: one normal draw of
//!   3,900 and one exponential draw of 2,200 is a logarithm of the machine's library, which another library may round to a
//!   neighbour. glibc and `libm` differ, in the last bit, in one normal draw of 790,000 and in one exponential draw of
//!   380,000. Results are whole ticks and show it only where such a draw lies on a rounding edge.
//! - Lognormal and Pareto draws of `rand_distr` take every exponential and power from the machine's library. One in ten
//!   and one in four differ from `libm` in the last bits, which is too many for results that are compared byte for byte.
//!   [`lognormal`] and [`pareto`] make the same draws with `libm`, which is part of the build; tests hold them against
//!   `rand_distr`.
//!
//! `rand_distr` takes its functions from `num-traits`, which has those of the machine if any crate of the build switches
//! `num-traits/std` on. That is switched on always (see `Cargo.toml`), so that draws do not depend on who builds.

use crate::units::NodeId;
use rand::seq::index;
use rand::{RngExt, SeedableRng};
use rand_distr::{Exp1, OpenClosed01, StandardNormal};
use rand_pcg::Pcg64;
use rustc_hash::FxHashMap;
use sha2::{Digest, Sha256};
use std::cell::RefCell;

/// The stream for `purpose` and `entity` under `seed`.
pub fn stream(seed: u64, purpose: &str, entity: u64) -> Pcg64 {
    let name = format!("flitwise/{seed}/{purpose}/{entity}");
    let digest: [u8; 32] = Sha256::digest(name.as_bytes()).into();
    Pcg64::from_seed(digest)
}

/// Random bits that belong to `number`, under `key`: the same in whatever order they are asked for.
///
/// Source: the mixing function of SplitMix64 (G. L. Steele, D. Lea and C. H. Flood, Fast splittable pseudorandom number
/// generators, OOPSLA 2014).
pub fn mixed(key: u64, number: u64) -> u64 {
    let seed = key.wrapping_add((number.wrapping_add(1)).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let first = (seed ^ (seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let second = (first ^ (first >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    second ^ (second >> 31)
}

/// How many streams of placements a thread keeps at most.
const MOST_KEPT: usize = 4096;

thread_local! {
    /// The streams of placements, by seed and repetition: all points of a sweep draw from the same ones, and to derive one
    /// takes as long as to run a short point.
    static PLACEMENTS: RefCell<FxHashMap<(u64, u64), Pcg64>> = RefCell::default();
}

/// The group of `size` of `nodes` nodes that repetition `repetition` draws, in the order drawn; the first is the source.
///
/// # Panics
/// If `size` is larger than `nodes`.
pub fn placement(seed: u64, repetition: u64, nodes: usize, size: usize) -> Vec<NodeId> {
    let mut random = PLACEMENTS.with_borrow_mut(|kept| {
        if kept.len() >= MOST_KEPT {
            kept.clear();
        }
        let begin = || stream(seed, "placement", repetition);
        kept.entry((seed, repetition)).or_insert_with(begin).clone()
    });
    index::sample(&mut random, nodes, size).into_iter().map(NodeId::new).collect()
}

/// A draw from the uniform distribution over (0, 1], in steps of 2^-53.
pub fn uniform(random: &mut Pcg64) -> f64 {
    random.sample(OpenClosed01)
}

/// A draw from the normal distribution with mean 0 and deviation 1.
pub fn normal(random: &mut Pcg64) -> f64 {
    random.sample(StandardNormal)
}

/// A draw from the exponential distribution with this mean.
pub fn exponential(random: &mut Pcg64, mean: f64) -> f64 {
    let standard: f64 = random.sample(Exp1);
    mean * standard
}

/// A draw whose logarithm is normal with this mean and deviation.
pub fn lognormal(random: &mut Pcg64, mean: f64, deviation: f64) -> f64 {
    libm::exp(mean + deviation * normal(random))
}

/// A draw from the Pareto distribution: at least `least`, and more than `x` with probability `(least / x)^shape`.
pub fn pareto(random: &mut Pcg64, least: f64, shape: f64) -> f64 {
    least * libm::exp(-libm::log(uniform(random)) / shape)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;
    use rand::Rng;
    use rand_distr::weighted::WeightedAliasIndex;
    use rand_distr::{Distribution, Geometric, LogNormal, Pareto};

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

    /// The first draws of `distribution` from a stream called `name`.
    fn first<T, const N: usize>(name: &str, distribution: impl Fn(&mut Pcg64) -> T) -> [T; N] {
        let mut random = stream(1, name, 0);
        std::array::from_fn(|_| distribution(&mut random))
    }

    fn bits(name: &str, distribution: impl Fn(&mut Pcg64) -> f64) -> [u64; 4] {
        first(name, distribution).map(f64::to_bits)
    }

    /// Golden values, to the bit: a new version of a crate, or another feature of one, must not move a draw.
    #[test]
    fn real_draws_are_what_they_have_always_been() {
        let uniforms = [4604713006862644020, 4605632446262084201, 4594882902720533956, 4602173298578716574];
        assert_eq!(bits("uniform", uniform), uniforms);
        let normals = [13810410849468931797, 4607759503509982129, 4585820680429849702, 13826064189151529372];
        assert_eq!(bits("normal", normal), normals);
        let exponentials = [4631767818236145940, 4650825150188851530, 4647833424207596526, 4645029330712033664];
        assert_eq!(bits("exponential", |random| exponential(random, 900.0)), exponentials);
        let lognormals = [4610503716570238888, 4612106604414890996, 4607182786409562270, 4603596051243468118];
        assert_eq!(bits("lognormal", |random| lognormal(random, -0.18, 0.6)), lognormals);
        let paretos = [4636748889594008315, 4634375650099837327, 4634619179204344959, 4637122662365042573];
        assert_eq!(bits("pareto", |random| pareto(random, 60.0, 1.5)), paretos);
    }

    /// The first draw of a stream called `name` that is farther out than `edge`.
    fn tail(name: &str, edge: f64, distribution: fn(&mut Pcg64) -> f64) -> f64 {
        let mut random = stream(1, name, 0);
        loop {
            let draw = distribution(&mut random);
            if draw.abs() > edge {
                return draw;
            }
        }
    }

    /// Golden values of tails, which alone take a logarithm of the machine's library.
    #[test]
    fn tails_are_what_they_have_always_been() {
        assert_eq!(tail("normal tail", 3.7, normal).to_bits(), 13839318881732656309);
        let far = tail("exponential tail", 7.7, |random| exponential(random, 1.0));
        assert_eq!(far.to_bits(), 4621020042676386935);
    }

    #[test]
    fn whole_draws_are_what_they_have_always_been() {
        let geometric = |probability: f64| -> [u64; 8] {
            let distribution = Geometric::new(probability).unwrap();
            first("geometric", |random| distribution.sample(random))
        };
        assert_eq!(
            [0.0125, 0.25, 0.5, 0.9].map(geometric),
            [
                [82, 20, 23, 253, 39, 43, 103, 15],
                [2, 2, 0, 3, 13, 3, 3, 7],
                [0, 0, 0, 1, 2, 5, 1, 3],
                [0, 0, 0, 1, 1, 0, 0, 0],
            ]
        );
        let weighted = WeightedAliasIndex::new(vec![0.5, 0.0, 3.25, 1.0, 7.0]).unwrap();
        assert_eq!(first("weighted", |random| weighted.sample(random)), [4, 4, 2, 0, 2, 4, 2, 4, 2, 4, 4, 2]);
    }

    #[test]
    fn lognormal_and_pareto_draws_are_those_of_rand_distr_but_for_rounding() {
        let logarithms = LogNormal::new(-0.18, 0.6).unwrap();
        let times = Pareto::new(60.0, 1.5).unwrap();
        let mut ours = stream(1, "reference", 0);
        let mut theirs = ours.clone();
        let same = |one: f64, other: f64| (one / other - 1.0).abs() <= 64.0 * f64::EPSILON;
        for _ in 0..10_000 {
            assert!(same(lognormal(&mut ours, -0.18, 0.6), logarithms.sample(&mut theirs)));
            assert!(same(pareto(&mut ours, 60.0, 1.5), times.sample(&mut theirs)));
        }
    }
}
