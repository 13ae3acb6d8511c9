//! Where packets go.

use super::Weights;
use crate::random;
use crate::units::NodeId;
use rand::RngExt;
use rand_pcg::Pcg64;
use std::sync::Arc;
use thiserror::Error;

/// A traffic pattern of the registry.
#[derive(Clone, Copy, Debug)]
pub struct PatternEntry {
    /// The name that scenarios use.
    pub name: &'static str,
    /// What it is.
    pub what: &'static str,
}

/// Every traffic pattern.
pub const PATTERNS: [PatternEntry; 10] = [
    entry("uniform", "every node is equally likely (`include_self = false`: every node except the source)"),
    entry("transpose", "swaps the coordinates on a square network, otherwise the halves of the binary node id"),
    entry("bit-complement", "inverts every bit of the node id"),
    entry("bit-reverse", "reverses the bits of the node id"),
    entry("shuffle", "rotates the bits of the node id left by one"),
    entry(
        "tornado",
        "nearly half-way along every dimension of lattices and hyperx: by ceil(k / 2) - 1 routers, if it has k",
    ),
    entry("neighbor", "the next router along every dimension of lattices and hyperx"),
    entry("hotspot", "`hotspot_fraction` of the packets go to `hotspots`, the others to any node"),
    entry("permutation", "a random permutation, drawn for each repetition"),
    entry("matrix", "weights from a CSV file: rows are sources, columns are destinations"),
];

const fn entry(name: &'static str, what: &'static str) -> PatternEntry {
    PatternEntry { name, what }
}

/// Where packets go.
#[derive(Clone, Debug)]
pub enum Pattern {
    /// Any node, or any other node.
    Uniform {
        /// Whether a node sends to itself.
        include_self: bool,
    },
    /// Always the same node: per source, the destination.
    Fixed(Arc<[u32]>),
    /// Some of the packets to a few nodes.
    Hotspot {
        /// The nodes.
        nodes: Vec<u32>,
        /// The fraction of all packets that go to them.
        fraction: f64,
    },
    /// Per source, how likely each destination is.
    Matrix(Arc<[Weights]>),
}

/// Why a pattern does not suit a network.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum PatternError {
    /// It acts on bits of node ids.
    #[error("`{name}` uses the bits of node ids, so the number of nodes must be a power of two, not {nodes}")]
    NotBinary {
        /// The pattern.
        name: &'static str,
        /// The nodes.
        nodes: usize,
    },
    /// The id has an odd number of bits, and the network is no square.
    #[error("`transpose` requires a square network, or node ids with an even number of bits")]
    NotSquare,
    /// It acts on coordinates.
    #[error("`{0}` uses the coordinates of routers, which only lattices and hyperx have")]
    NoCoordinates(&'static str),
}

impl Pattern {
    /// The pattern called `name` that sends every packet of a node to the same destination, on nodes of this `shape` whose
    /// routers are of shape `routers`, if these have coordinates.
    ///
    /// # Errors
    /// If the shape does not suit it.
    pub fn fixed(name: &'static str, shape: &[u32], routers: Option<&[u32]>) -> Result<Self, PatternError> {
        let nodes: u32 = shape.iter().product();
        match name {
            "tornado" => return Self::along(name, nodes, routers, |k| k.div_ceil(2) - 1),
            "neighbor" => return Self::along(name, nodes, routers, |_| 1),
            _ => {}
        }
        let bits = nodes.trailing_zeros();
        let square = shape.len() == 2 && shape[0] == shape[1];
        if name == "transpose" && square {
            let side = shape[0];
            return Ok(Self::each(nodes, |node| node % side * side + node / side));
        }
        if !nodes.is_power_of_two() {
            return Err(PatternError::NotBinary { name, nodes: nodes as usize });
        }
        if name == "transpose" && bits % 2 == 1 {
            return Err(PatternError::NotSquare);
        }
        let half = bits / 2;
        Ok(Self::each(nodes, |node| match name {
            "transpose" => node >> half | (node << half & (nodes - 1)),
            "bit-complement" => !node & (nodes - 1),
            "bit-reverse" if bits == 0 => node,
            "bit-reverse" => node.reverse_bits() >> (32 - bits),
            _ => (node << 1 | node >> (bits.max(1) - 1)) & (nodes - 1),
        }))
    }

    /// The pattern called `name` that goes as many `steps` along every dimension as they say for its length: a node's packets
    /// go to the node that has the same place on the router there.
    fn along(
        name: &'static str,
        nodes: u32,
        routers: Option<&[u32]>,
        steps: impl Fn(u32) -> u32,
    ) -> Result<Self, PatternError> {
        let routers = routers.ok_or(PatternError::NoCoordinates(name))?;
        let concentration = nodes / routers.iter().product::<u32>();
        Ok(Self::each(nodes, |node| {
            moved(node / concentration, routers, &steps) * concentration + node % concentration
        }))
    }

    /// A permutation of `nodes` nodes drawn at random.
    pub fn permutation(nodes: u32, seed: u64, repetition: u64) -> Self {
        let mut random = random::stream(seed, "traffic permutation", repetition);
        let mut order: Vec<u32> = (0..nodes).collect();
        for at in (1..order.len()).rev() {
            order.swap(at, random.random_range(0..=at));
        }
        Self::Fixed(order.into())
    }

    /// A pattern from `weights`: row = source, column = destination. A source whose weights are all zero sends nothing.
    ///
    /// # Panics
    /// As [`Weights::new`] does.
    pub fn matrix(weights: &[Vec<f64>]) -> Self {
        Self::Matrix(weights.iter().map(|row| Weights::new(row)).collect())
    }

    fn each(nodes: u32, to: impl Fn(u32) -> u32) -> Self {
        Self::Fixed((0..nodes).map(to).collect())
    }

    /// Whether `node` sends at all.
    pub fn sends(&self, node: u32) -> bool {
        match self {
            Self::Matrix(rows) => rows[node as usize].total() > 0.0,
            _ => true,
        }
    }

    /// How much `node` sends, as a multiple of the mean over all nodes; 1 for all patterns but a matrix.
    pub fn share(&self, node: u32) -> f64 {
        match self {
            Self::Matrix(rows) => {
                let mean = rows.iter().map(Weights::total).sum::<f64>() / rows.len() as f64;
                rows[node as usize].total() / mean
            }
            _ => 1.0,
        }
    }

    /// The traffic matrix of `nodes` nodes: flits from source to destination per flit that a node offers on the mean.
    pub fn flow(&self, nodes: u32) -> impl Fn(u32, u32) -> f64 + '_ {
        let shares: Vec<f64> = match self {
            Self::Matrix(rows) => {
                let mean = rows.iter().map(Weights::total).sum::<f64>() / rows.len() as f64;
                rows.iter().map(|row| row.total() / mean).collect()
            }
            _ => vec![1.0; nodes as usize],
        };
        move |src, dst| shares[src as usize] * self.probability(src, dst, nodes)
    }

    /// The part of the packets of `src`, of `nodes` nodes, that goes to `dst`.
    fn probability(&self, src: u32, dst: u32, nodes: u32) -> f64 {
        let any = 1.0 / f64::from(nodes);
        match self {
            Self::Uniform { include_self: true } => any,
            Self::Uniform { include_self: false } if src == dst => 0.0,
            Self::Uniform { include_self: false } => 1.0 / f64::from(nodes - 1),
            Self::Fixed(to) => f64::from(to[src as usize] == dst),
            Self::Hotspot { nodes: spots, fraction } => {
                let is_spot = f64::from(spots.contains(&dst));
                fraction * is_spot / spots.len() as f64 + (1.0 - fraction) * any
            }
            Self::Matrix(rows) => rows[src as usize].probability(dst as usize),
        }
    }

    /// The first node that sends most, and its share as a multiple of the mean. Returns `None` if all nodes send the same.
    pub fn busiest(&self) -> Option<(u32, f64)> {
        let Self::Matrix(rows) = self else { return None };
        let shares = (0..).zip(rows.iter()).map(|(node, _)| (node, self.share(node)));
        shares.reduce(|most, next| if next.1 > most.1 { next } else { most })
    }

    /// The destination of a packet that `src` of `nodes` nodes makes.
    ///
    /// # Panics
    /// If `src` sends nothing.
    #[expect(clippy::expect_used, reason = "sources that send nothing make no packets")]
    pub fn destination(&self, src: u32, nodes: u32, random: &mut Pcg64) -> u32 {
        match self {
            Self::Uniform { include_self: true } => random.random_range(0..nodes),
            Self::Uniform { include_self: false } => {
                let other = random.random_range(0..nodes.max(2) - 1);
                if other >= src { (other + 1) % nodes } else { other }
            }
            Self::Fixed(to) => to[src as usize],
            Self::Hotspot { nodes: spots, fraction } => {
                if random::uniform(random) <= *fraction {
                    spots[random.random_range(0..spots.len())]
                } else {
                    random.random_range(0..nodes)
                }
            }
            Self::Matrix(rows) => {
                let destination = rows[src as usize].draw(random).expect("only nodes that send make packets");
                NodeId::new(destination).0
            }
        }
    }
}

/// The router as far along every dimension as `steps` says for its length, round the edge.
fn moved(router: u32, shape: &[u32], steps: impl Fn(u32) -> u32) -> u32 {
    let (mut to, mut stride, mut rest) = (0, 1, router);
    for &k in shape.iter().rev() {
        to += (rest % k + steps(k)) % k * stride;
        rest /= k;
        stride *= k;
    }
    to
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fixed(name: &'static str, shape: &[u32]) -> Vec<u32> {
        match Pattern::fixed(name, shape, Some(shape)) {
            Ok(Pattern::Fixed(to)) => to.to_vec(),
            other => unreachable!("{other:?}"),
        }
    }

    #[test]
    fn fixed_patterns_of_sixteen_nodes() {
        let shape = [4, 4];
        assert_eq!(fixed("transpose", &shape)[..6], [0, 4, 8, 12, 1, 5]);
        assert_eq!(fixed("bit-complement", &shape)[..3], [15, 14, 13]);
        assert_eq!(fixed("bit-reverse", &shape)[..5], [0, 8, 4, 12, 2]);
        assert_eq!(fixed("shuffle", &shape)[6..10], [12, 14, 1, 3]);
        assert_eq!(fixed("tornado", &shape)[..5], [5, 6, 7, 4, 9]);
        assert_eq!(fixed("neighbor", &shape)[..5], [5, 6, 7, 4, 9]);
        assert_eq!(fixed("tornado", &[5, 8])[0], 2 * 8 + 3);
        assert_eq!(fixed("transpose", &[3, 3])[1], 3);
        assert_eq!(fixed("transpose", &[2, 8])[..3], [0, 4, 8]);
    }

    /// Three nodes a router on a ring of five, and a mesh of two by three.
    #[test]
    fn nodes_keep_their_place_on_the_router() -> Result<(), PatternError> {
        let to = |name, nodes, routers: &[u32]| match Pattern::fixed(name, &[nodes], Some(routers))? {
            Pattern::Fixed(to) => Ok(to.to_vec()),
            other => unreachable!("{other:?}"),
        };
        assert_eq!(to("neighbor", 15, &[5])?[..4], [3, 4, 5, 6]);
        assert_eq!(to("tornado", 15, &[5])?[12..], [3, 4, 5]);
        assert_eq!(to("neighbor", 12, &[2, 3])?[..6], [8, 9, 10, 11, 6, 7]);
        assert_eq!(to("tornado", 12, &[2, 3])?[..6], [2, 3, 4, 5, 0, 1]);
        Ok(())
    }

    #[test]
    fn shapes_that_do_not_suit_are_refused() {
        let refusal = |name, shape: &[u32]| Pattern::fixed(name, shape, None).err();
        assert_eq!(refusal("shuffle", &[3, 4]), Some(PatternError::NotBinary { name: "shuffle", nodes: 12 }));
        assert_eq!(refusal("transpose", &[2, 4]), Some(PatternError::NotSquare));
        assert_eq!(refusal("tornado", &[16]), Some(PatternError::NoCoordinates("tornado")));
        assert_eq!(refusal("neighbor", &[16]), Some(PatternError::NoCoordinates("neighbor")));
    }

    #[test]
    fn every_fixed_pattern_is_a_permutation() {
        for name in ["transpose", "bit-complement", "bit-reverse", "shuffle", "tornado", "neighbor"] {
            let mut to = fixed(name, &[8, 8]);
            to.sort_unstable();
            assert!(to.into_iter().eq(0..64), "{name}");
        }
    }

    /// Drawn destinations follow the traffic matrix of every pattern. A node sends its share.
    #[test]
    fn the_flow_is_what_is_drawn_on_average() {
        const DRAWS: u32 = 40_000;
        let hotspot = Pattern::Hotspot { nodes: vec![1, 3], fraction: 0.4 };
        let matrix = Pattern::matrix(&[vec![1.0, 1.0, 2.0, 0.0], vec![0.0; 4], vec![1.0, 0.0, 0.0, 2.0], vec![1.0; 4]]);
        let uniform = [true, false].map(|include_self| Pattern::Uniform { include_self });
        let fixed = Pattern::permutation(4, 1, 0);
        let mut random = random::stream(1, "test", 0);
        for pattern in uniform.into_iter().chain([hotspot, matrix, fixed]) {
            let flow = pattern.flow(4);
            for src in (0..4).filter(|&src| pattern.sends(src)) {
                let mut seen = [0_u32; 4];
                (0..DRAWS).for_each(|_| seen[pattern.destination(src, 4, &mut random) as usize] += 1);
                for dst in 0..4 {
                    let drawn = pattern.share(src) * f64::from(seen[dst as usize]) / f64::from(DRAWS);
                    assert!((drawn - flow(src, dst)).abs() < 0.02, "{pattern:?}: {src} to {dst}, {drawn}");
                }
            }
        }
    }

    #[test]
    fn drawn_destinations_follow_their_weights() {
        let mut random = random::stream(1, "test", 0);
        let matrix = Pattern::matrix(&[vec![0.0, 1.0, 3.0], vec![0.0; 3], vec![2.0, 0.0, 0.0]]);
        assert_eq!([0, 1, 2].map(|node| matrix.sends(node)), [true, false, true]);
        assert!((matrix.share(0) - 2.0).abs() < 1e-12);
        let mut seen = [0; 3];
        for _ in 0..4000 {
            seen[matrix.destination(0, 3, &mut random) as usize] += 1;
        }
        assert_eq!(seen[0], 0);
        assert!((2850..3150).contains(&seen[2]), "{seen:?}");
        assert_eq!(matrix.busiest(), Some((0, 2.0)));
        let others = Pattern::Uniform { include_self: false };
        assert!((0..1000).all(|_| others.destination(5, 8, &mut random) != 5));
    }
}
