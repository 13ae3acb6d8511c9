//! Every node has a block for every node of a torus: all-to-all personalised exchange.
//!
//! An algorithm makes an [`Exchange`]: steps of messages whose way round every ring is prescribed, because many are
//! free of contention only that way. Algorithms know the shape of the torus and nothing else.
//!
//! Adding one: a file beside these, a line in [`ALGORITHMS`].
//!
//! ```
//! use flitwise::algorithm::exchange::ALGORITHMS;
//! // start-ups cost most where blocks are short: which algorithm has the fewest on a 4x4 torus?
//! let mut fewest = ("", usize::MAX);
//! for algorithm in ALGORITHMS.iter().filter(|algorithm| algorithm.admits(&[4, 4]).is_ok()) {
//!     let proof = algorithm.plan(&[4, 4])?.check()?;
//!     assert_eq!(proof.blocks, 16 * 15);
//!     if proof.startups < fewest.1 {
//!         fewest = (algorithm.name, proof.startups);
//!     }
//! }
//! assert_eq!(fewest, ("double-hop", 4));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bruck;
mod direct;
mod double_hop;
mod hypercube;
mod modified_double_hop;
mod naive;
mod ring;
mod split_and_merge;
mod suh_shin;

use crate::schedule::{CriticalPath, Exchange, MOST_NODES};
use thiserror::Error;

/// Every exchange algorithm: the one list that scenarios, `list`, help and documentation read.
pub const ALGORITHMS: &[Algorithm] = &[
    Algorithm {
        name: "naive",
        summary: "dimension by dimension, everything one hop on in each step",
        sizes: Sizes::Any,
        plan: |shape| ring::along_dimensions(shape, naive::one_way),
        critical_path: |shape| ring::costs(shape, naive::one_way),
    },
    Algorithm {
        name: "naive-bidirectional",
        summary: "as naive, each block the shorter way round",
        sizes: Sizes::Any,
        plan: |shape| ring::along_dimensions(shape, naive::both_ways),
        critical_path: |shape| ring::costs(shape, naive::both_ways),
    },
    Algorithm {
        name: "double-hop",
        summary: "even nodes two hops on, odd nodes two hops back, then one hop on",
        sizes: Sizes::Even,
        plan: |shape| ring::along_dimensions(shape, double_hop::one_way),
        critical_path: |shape| ring::costs(shape, double_hop::one_way),
    },
    Algorithm {
        name: "double-hop-bidirectional",
        summary: "as double-hop, each block the shorter way round",
        sizes: Sizes::Even,
        plan: |shape| ring::along_dimensions(shape, double_hop::both_ways),
        critical_path: |shape| ring::costs(shape, double_hop::both_ways),
    },
    Algorithm {
        name: "modified-double-hop",
        summary: "double-hop with a seam where an odd ring closes",
        sizes: Sizes::Any,
        plan: |shape| ring::along_dimensions(shape, modified_double_hop::one_way),
        critical_path: |shape| ring::costs(shape, modified_double_hop::one_way),
    },
    Algorithm {
        name: "modified-double-hop-bidirectional",
        summary: "as modified-double-hop, each block the shorter way round",
        sizes: Sizes::Any,
        plan: |shape| ring::along_dimensions(shape, modified_double_hop::both_ways),
        critical_path: |shape| ring::costs(shape, modified_double_hop::both_ways),
    },
    Algorithm {
        name: "split-and-merge",
        summary: "double-hop on the even part, then scatters over the rest; as published",
        sizes: Sizes::OddSquare,
        plan: |shape| split_and_merge::plan(shape[0], split_and_merge::Variant::Published),
        critical_path: |shape| split_and_merge::costs(shape[0], split_and_merge::Variant::Published),
    },
    Algorithm {
        name: "split-and-merge-lean",
        summary: "as split-and-merge, without its redundant step",
        sizes: Sizes::OddSquare,
        plan: |shape| split_and_merge::plan(shape[0], split_and_merge::Variant::Lean),
        critical_path: |shape| split_and_merge::costs(shape[0], split_and_merge::Variant::Lean),
    },
    Algorithm {
        name: "suh-shin",
        summary: "four classes of nodes by fours along both dimensions, then inside 4x4 submeshes",
        sizes: Sizes::FoursTwice,
        plan: |shape| suh_shin::plan(shape, suh_shin::Ways::One),
        critical_path: |shape| suh_shin::costs(shape, suh_shin::Ways::One),
    },
    Algorithm {
        name: "suh-shin-bidirectional",
        summary: "as suh-shin, each block the shorter way round",
        sizes: Sizes::FoursTwice,
        plan: |shape| suh_shin::plan(shape, suh_shin::Ways::Both),
        critical_path: |shape| suh_shin::costs(shape, suh_shin::Ways::Both),
    },
    Algorithm {
        name: "direct",
        summary: "in step t every node sends one block to the node t numbers on",
        sizes: Sizes::Any,
        plan: direct::rotation,
        critical_path: direct::costs,
    },
    Algorithm {
        name: "direct-shift",
        summary: "in step t every node sends one block by the same offset along every dimension",
        sizes: Sizes::Any,
        plan: direct::shift,
        critical_path: direct::costs,
    },
    Algorithm {
        name: "pairwise",
        summary: "in step t nodes whose numbers differ by XOR t swap one block",
        sizes: Sizes::PowerOfTwo,
        plan: direct::pairwise,
        critical_path: direct::costs,
    },
    Algorithm {
        name: "bruck",
        summary: "in step t the blocks whose distance has bit t set go 2^t numbers on",
        sizes: Sizes::Any,
        plan: bruck::plan,
        critical_path: bruck::costs,
    },
    Algorithm {
        name: "hypercube",
        summary: "recursive halving of the numbers, highest bit first, the shortest way",
        sizes: Sizes::PowerOfTwo,
        plan: |shape| hypercube::plan(shape, hypercube::Way::Shortest),
        critical_path: hypercube::costs,
    },
    Algorithm {
        name: "hypercube-mesh",
        summary: "as hypercube, never over the edge of the mesh",
        sizes: Sizes::PowerOfTwo,
        plan: |shape| hypercube::plan(shape, hypercube::Way::WithinTheMesh),
        critical_path: hypercube::costs,
    },
];

/// An algorithm in the registry.
#[derive(Clone, Copy, Debug)]
pub struct Algorithm {
    /// The name that scenarios use.
    pub name: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    /// The tori that it can do.
    pub sizes: Sizes,
    plan: fn(&[usize]) -> Exchange,
    critical_path: fn(&[usize]) -> CriticalPath,
}

/// What the all-to-all exchange paper prints for `algorithm` on a torus of `shape`, right or wrong, where it prints
/// both start-ups and blocks.
pub fn printed(algorithm: &Algorithm, shape: &[usize]) -> Option<CriticalPath> {
    match (algorithm.name, shape) {
        ("double-hop", &[rows, columns]) if rows == columns => Some(double_hop::printed(rows as u64)),
        _ => None,
    }
}

/// The tori that an algorithm can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sizes {
    /// Any.
    Any,
    /// An even number of nodes along every dimension; a dimension of one node does not matter.
    Even,
    /// N x N, N odd and at least 3.
    OddSquare,
    /// Two dimensions, both multiples of four.
    FoursTwice,
    /// A power of two along every dimension.
    PowerOfTwo,
}

impl Sizes {
    /// The sizes in words.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Any => "any sizes",
            Self::Even => "even sizes",
            Self::OddSquare => "NxN, N odd and at least 3",
            Self::FoursTwice => "two dimensions, multiples of 4",
            Self::PowerOfTwo => "powers of two",
        }
    }

    fn admit(self, shape: &[usize]) -> bool {
        match self {
            Self::Any => true,
            Self::Even => shape.iter().all(|&n| n == 1 || n % 2 == 0),
            Self::OddSquare => matches!(*shape, [rows, columns] if rows == columns && rows % 2 == 1 && rows >= 3),
            Self::FoursTwice => matches!(*shape, [rows, columns] if rows % 4 == 0 && columns % 4 == 0),
            Self::PowerOfTwo => shape.iter().all(|n| n.is_power_of_two()),
        }
    }
}

/// Why an algorithm has no exchange for a torus.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlanError {
    /// It is not made for the size.
    #[error("takes {sizes}, not {}", by(.shape))]
    Size {
        /// The sizes that it takes.
        sizes: &'static str,
        /// The size asked for.
        shape: Vec<usize>,
    },
    /// No algorithm can do that many nodes here.
    #[error("cannot do {0} nodes: an exchange here takes at most {MOST_NODES}")]
    TooManyNodes(usize),
}

/// A shape as people write it.
fn by(shape: &[usize]) -> String {
    shape.iter().map(ToString::to_string).collect::<Vec<_>>().join("x")
}

impl Algorithm {
    /// Whether the algorithm can do a torus with `shape[d]` nodes along dimension `d`.
    ///
    /// # Errors
    /// If it cannot, with the reason.
    pub fn admits(&self, shape: &[usize]) -> Result<(), PlanError> {
        // a product that saturates is larger than the most as well
        let nodes = shape.iter().fold(1, |product: usize, &n| product.saturating_mul(n));
        if nodes > MOST_NODES {
            return Err(PlanError::TooManyNodes(nodes));
        }
        if self.sizes.admit(shape) {
            Ok(())
        } else {
            Err(PlanError::Size { sizes: self.sizes.in_words(), shape: shape.to_vec() })
        }
    }

    /// The exchange that the algorithm makes on a torus of `shape`.
    ///
    /// # Errors
    /// If it cannot do the size.
    pub fn plan(&self, shape: &[usize]) -> Result<Exchange, PlanError> {
        self.admits(shape)?;
        Ok((self.plan)(shape))
    }

    /// What the exchange on a torus of `shape` has on its critical path, in closed form.
    ///
    /// # Errors
    /// If the algorithm cannot do the size.
    pub fn critical_path(&self, shape: &[usize]) -> Result<CriticalPath, PlanError> {
        self.admits(shape)?;
        Ok((self.critical_path)(shape))
    }
}
