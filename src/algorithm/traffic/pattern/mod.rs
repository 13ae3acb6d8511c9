//! Patterns of destinations.
//!
//! A pattern is declared once, in [`PATTERNS`]: with a constructor if it follows from the [`Numbering`] of nodes alone, and
//! without one if scenarios give it keys. Each pattern draws destinations and knows its traffic matrix.

mod derived;
mod drawn;

pub use drawn::DrawnPattern;

use super::{IntegerWeights, Weights};
use crate::random;
use crate::units::NodeId;
use rand::RngExt;
use rand_pcg::Pcg64;
use std::sync::Arc;
use thiserror::Error;

/// Numbering of the nodes of a network, as far as patterns depend on it.
#[derive(Clone, Debug)]
pub struct Numbering {
    /// Nodes along each dimension. Nodes without coordinates are in one dimension.
    pub shape: Vec<u32>,
    /// The lattice along which `tornado` and `neighbor` move, if there is one. Its points have equally many nodes.
    pub lattice: Option<Vec<u32>>,
    /// Nodes of a group, if the network is a dragonfly.
    pub group: Option<u32>,
}

impl Numbering {
    /// The number of nodes.
    fn nodes(&self) -> u32 {
        self.shape.iter().product()
    }
}

/// Constructor of a pattern that follows from the numbering of nodes.
pub type DerivePattern = fn(&Numbering) -> Result<Pattern, PatternError>;

/// A traffic pattern of the registry.
#[derive(Clone, Copy, Debug)]
pub struct PatternEntry {
    /// The name that scenarios use.
    pub name: &'static str,
    /// Its destinations, in a few words.
    pub description: &'static str,
    /// The constructor, or `None` if the pattern is read from keys or drawn for each repetition.
    pub derive: Option<DerivePattern>,
}

/// Every traffic pattern.
pub const PATTERNS: [PatternEntry; 16] = [
    entry("uniform", "every node is equally likely (`include_self = false`: every node except the source)"),
    derived(
        "transpose",
        "swaps the coordinates on a square network, otherwise the halves of the binary node id",
        derived::transpose,
    ),
    derived("bit-complement", "inverts every bit of the node id", derived::bit_complement),
    derived("bit-reverse", "reverses the bits of the node id", derived::bit_reverse),
    derived("shuffle", "rotates the bits of the node id left by one", derived::shuffle),
    derived(
        "tornado",
        "nearly half-way along every dimension of lattices and hyperx: by ceil(k / 2) - 1 routers, if it has k",
        derived::tornado,
    ),
    derived("neighbor", "the next router along every dimension of lattices and hyperx", derived::neighbor),
    derived("diagonal", "the source with probability 2/3, the node after it with 1/3", |_| drawn::diagonal()),
    derived(
        "asymmetric",
        "the source modulo half the number of nodes, in the lower or the upper half of the nodes",
        drawn::asymmetric,
    ),
    derived(
        "taper64",
        "64 nodes: half of the packets go to any node, half to a node at most 8 + 1 node ids away",
        drawn::taper64,
    ),
    entry("hotspot", "`hotspot_fraction` of the packets go to `hotspots`, the others to any node"),
    entry("background", "every node except those in `excluded`"),
    derived("bad-dragonfly", "any node of the next group of a dragonfly", drawn::bad_dragonfly),
    derived(
        "bad-yarc",
        "any node of one column of the square of nodes, the same for a row of sources",
        drawn::bad_yarc,
    ),
    entry("permutation", "a random permutation, drawn for each repetition"),
    entry("matrix", "weights from a CSV file: rows are sources, columns are destinations"),
];

const fn entry(name: &'static str, description: &'static str) -> PatternEntry {
    PatternEntry { name, description, derive: None }
}

const fn derived(name: &'static str, description: &'static str, derive: DerivePattern) -> PatternEntry {
    PatternEntry { name, description, derive: Some(derive) }
}

/// Destinations of packets.
#[derive(Clone, Debug)]
pub enum Pattern {
    /// Any node, or any other node.
    Uniform {
        /// True if a node sends to itself, too.
        include_self: bool,
    },
    /// Always the same node: per source, the destination.
    Fixed(Arc<[u32]>),
    /// Some of the packets to a few nodes.
    Hotspot {
        /// The nodes.
        nodes: Vec<u32>,
        /// The weight of each of them.
        weights: IntegerWeights,
        /// The fraction of all packets that go to them.
        fraction: f64,
    },
    /// One of a few formulas, with random numbers.
    Drawn(DrawnPattern),
    /// Per source, how likely each destination is.
    Matrix(Arc<[Weights]>),
}

/// An error of a pattern that does not suit a network.
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
    /// Node ids have an odd number of bits, and the network is not a square.
    #[error("`transpose` requires a square network, or node ids with an even number of bits")]
    NotSquare,
    /// It acts on coordinates.
    #[error("`{0}` uses the coordinates of routers, which only lattices and hyperx have")]
    NoCoordinates(&'static str),
    /// It sends to another group.
    #[error("`bad-dragonfly` uses the groups of routers, which only a dragonfly has")]
    NoGroups,
    /// It needs a certain number of nodes.
    #[error("`{name}` requires {accepted}, not {nodes}")]
    NodeCount {
        /// The pattern.
        name: &'static str,
        /// The accepted numbers of nodes, in a few words.
        accepted: &'static str,
        /// The nodes.
        nodes: u32,
    },
}

impl Pattern {
    /// The pattern called `name`, if it follows from the numbering of nodes.
    ///
    /// # Errors
    /// Returns an error if the numbering does not suit the pattern.
    ///
    /// # Panics
    /// Panics if `name` is not a pattern of [`PATTERNS`] with a constructor.
    #[expect(clippy::expect_used, reason = "callers name patterns of the registry")]
    pub fn derived(name: &str, numbering: &Numbering) -> Result<Self, PatternError> {
        let entry = PATTERNS.iter().find(|entry| entry.name == name);
        let derive = entry.and_then(|entry| entry.derive).expect("the pattern has a constructor");
        derive(numbering)
    }

    /// A pattern that sends `fraction` of the packets to `nodes`, all of them equally likely.
    pub fn hotspot(nodes: Vec<u32>, fraction: f64) -> Self {
        let weights = IntegerWeights::new(&vec![1; nodes.len()]);
        Self::Hotspot { nodes, weights, fraction }
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

    /// Returns true if `node` sends packets.
    pub fn sends(&self, node: u32) -> bool {
        match self {
            Self::Matrix(rows) => rows[node as usize].total() > 0.0,
            _ => true,
        }
    }

    /// Flits that `node` sends as a multiple of the mean over all nodes, which is 1 for all patterns but a matrix.
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
            Self::Hotspot { nodes: spots, weights, fraction } => {
                let spot = spots.iter().position(|&spot| spot == dst);
                let share = spot.map_or(0.0, |spot| weights.share(spot, *fraction));
                share + (1.0 - fraction) * any
            }
            Self::Drawn(pattern) => pattern.probability(src, dst, nodes),
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
            Self::Hotspot { nodes: spots, weights, fraction } => {
                if random::uniform(random) <= *fraction {
                    spots[weights.draw(random)]
                } else {
                    random.random_range(0..nodes)
                }
            }
            Self::Drawn(pattern) => pattern.destination(src, nodes, random),
            Self::Matrix(rows) => {
                let destination = rows[src as usize].draw(random).expect("only nodes that send generate packets");
                NodeId::new(destination).0
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Drawn destinations follow the traffic matrix of every pattern. A node sends its share.
    #[test]
    fn the_flow_is_what_is_drawn_on_average() {
        const DRAWS: u32 = 40_000;
        let hotspot = Pattern::hotspot(vec![1, 3], 0.4);
        let weights = IntegerWeights::new(&[3, 1]);
        let weighted = Pattern::Hotspot { nodes: vec![2, 0], weights, fraction: 0.8 };
        let matrix = Pattern::matrix(&[vec![1.0, 1.0, 2.0, 0.0], vec![0.0; 4], vec![1.0, 0.0, 0.0, 2.0], vec![1.0; 4]]);
        let uniform = [true, false].map(|include_self| Pattern::Uniform { include_self });
        let fixed = Pattern::permutation(4, 1, 0);
        let mut random = random::stream(1, "test", 0);
        for pattern in uniform.into_iter().chain([hotspot, weighted, matrix, fixed]) {
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
