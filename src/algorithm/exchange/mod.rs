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

use crate::references::{self, Reference};
use crate::schedule::{CriticalPath, Exchange, MOST_NODES};
use How::{Rings, SplitAndMerge, SuhShin, Torus};
use hypercube::Way;
use ring::Program;
use split_and_merge::Variant;
use suh_shin::Ways;
use thiserror::Error;

/// How an exchange is planned, and what is on its critical path.
#[derive(Clone, Copy, Debug)]
enum How {
    /// All rings of a dimension run a program, dimension by dimension.
    Rings(fn(usize) -> Program),
    SplitAndMerge(Variant),
    SuhShin(Ways),
    Torus(fn(&[usize]) -> Exchange, fn(&[usize]) -> CriticalPath),
}

const fn entry(name: &'static str, summary: &'static str, how: How) -> Algorithm {
    Algorithm { name, summary, references: &[], sizes: Sizes::Any, is_by_number: false, how }
}

/// Every exchange algorithm: the one list that scenarios, `list`, help and documentation read.
pub const ALGORITHMS: &[Algorithm] = &[
    entry("naive", "one dimension after the other; each step moves all blocks one hop forward", Rings(naive::one_way))
        .citing(&[references::TORUS_EXCHANGE])
        .by_number(),
    entry(
        "naive-bidirectional",
        "as naive, but each block takes the shorter direction round a ring",
        Rings(naive::both_ways),
    )
    .citing(&[references::TORUS_EXCHANGE]),
    entry(
        "double-hop",
        "even nodes send two hops forward and odd nodes two hops back; the last step is one hop forward",
        Rings(double_hop::one_way),
    )
    .citing(&[references::TORUS_EXCHANGE])
    .on(Sizes::Even),
    entry(
        "double-hop-bidirectional",
        "as double-hop, but each block takes the shorter direction round a ring",
        Rings(double_hop::both_ways),
    )
    .citing(&[references::TORUS_EXCHANGE])
    .on(Sizes::Even),
    entry(
        "modified-double-hop",
        "double-hop for rings of any size; the hops that close an odd ring have other lengths",
        Rings(modified_double_hop::one_way),
    )
    .citing(&[references::TORUS_EXCHANGE]),
    entry(
        "modified-double-hop-bidirectional",
        "as modified-double-hop, but each block takes the shorter direction round a ring",
        Rings(modified_double_hop::both_ways),
    )
    .citing(&[references::TORUS_EXCHANGE]),
    entry(
        "split-and-merge",
        "double-hop on (N-1)x(N-1) nodes, then scatters along every row and column; as published",
        SplitAndMerge(Variant::Published),
    )
    .citing(&[references::TORUS_EXCHANGE])
    .on(Sizes::OddSquare),
    entry("split-and-merge-lean", "as split-and-merge, without its redundant step", SplitAndMerge(Variant::Lean))
        .citing(&[references::TORUS_EXCHANGE])
        .on(Sizes::OddSquare),
    entry(
        "suh-shin",
        "four classes of nodes send four hops at a time; then blocks move inside 4x4 submeshes",
        SuhShin(Ways::One),
    )
    .citing(&[references::SUH_SHIN])
    .on(Sizes::FoursTwice),
    entry(
        "suh-shin-bidirectional",
        "as suh-shin, but each block takes the shorter direction round a ring",
        SuhShin(Ways::Both),
    )
    .citing(&[references::SUH_SHIN])
    .on(Sizes::FoursTwice),
    entry(
        "direct",
        "in step t every node sends one block to the node whose number is higher by t",
        Torus(direct::rotation, direct::costs),
    )
    .citing(&[references::DIRECT_EXCHANGE])
    .by_number(),
    entry(
        "direct-shift",
        "in step t every node sends one block by the same offset along every dimension",
        Torus(direct::shift, direct::costs),
    )
    .citing(&[references::DIRECT_EXCHANGE]),
    entry(
        "pairwise",
        "in step t every node swaps one block with the node whose number is its own XOR t",
        Torus(direct::pairwise, direct::costs),
    )
    .citing(&[references::DIRECT_EXCHANGE])
    .by_number()
    .on(Sizes::PowerOfTwo),
    entry(
        "bruck",
        "in step t blocks go to the node whose number is higher by 2^t if their distance has bit t set",
        Torus(bruck::plan, bruck::costs),
    )
    .citing(&[references::BRUCK])
    .by_number(),
    entry(
        "hypercube",
        "nodes whose numbers differ in one bit swap half of their blocks, highest bit first, on shortest paths",
        Torus(|shape| hypercube::plan(shape, Way::Shortest), hypercube::costs),
    )
    .citing(&[references::CUBE_EXCHANGE])
    .by_number()
    .on(Sizes::PowerOfTwo),
    entry(
        "hypercube-mesh",
        "as hypercube, but never over the wrap-around links of a torus",
        Torus(|shape| hypercube::plan(shape, Way::WithinTheMesh), hypercube::costs),
    )
    .citing(&[references::CUBE_EXCHANGE])
    .on(Sizes::PowerOfTwo),
];

/// An algorithm in the registry.
#[derive(Clone, Copy, Debug)]
pub struct Algorithm {
    /// The name that scenarios use.
    pub name: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    /// The publications that it comes from, the first one first.
    pub references: &'static [Reference],
    /// The tori that it can do.
    pub sizes: Sizes,
    /// Whether on a ring of all nodes it knows nodes by their numbers alone, so that any network will do.
    pub is_by_number: bool,
    how: How,
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
            Self::OddSquare => "NxN with N odd and at least 3",
            Self::FoursTwice => "two dimensions, both multiples of 4",
            Self::PowerOfTwo => "sizes that are powers of two",
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
    #[error("requires {sizes}, not {}", by(.shape))]
    Size {
        /// The sizes that it takes.
        sizes: &'static str,
        /// The size asked for.
        shape: Vec<usize>,
    },
    /// No algorithm can do that many nodes here.
    #[error("does not support {0} nodes: an exchange has at most {MOST_NODES}")]
    TooManyNodes(usize),
}

/// A shape as people write it.
fn by(shape: &[usize]) -> String {
    shape.iter().map(ToString::to_string).collect::<Vec<_>>().join("x")
}

impl Algorithm {
    const fn citing(self, references: &'static [Reference]) -> Self {
        Self { references, ..self }
    }

    const fn on(self, sizes: Sizes) -> Self {
        Self { sizes, ..self }
    }

    const fn by_number(self) -> Self {
        Self { is_by_number: true, ..self }
    }

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
        Ok(match self.how {
            Rings(program) => ring::along_dimensions(shape, program),
            SplitAndMerge(variant) => split_and_merge::plan(shape[0], variant),
            SuhShin(ways) => suh_shin::plan(shape, ways),
            Torus(plan, _) => plan(shape),
        })
    }

    /// What the exchange on a torus of `shape` has on its critical path, in closed form.
    ///
    /// # Errors
    /// If the algorithm cannot do the size.
    pub fn critical_path(&self, shape: &[usize]) -> Result<CriticalPath, PlanError> {
        self.admits(shape)?;
        Ok(match self.how {
            Rings(program) => ring::costs(shape, program),
            SplitAndMerge(variant) => split_and_merge::costs(shape[0], variant),
            SuhShin(ways) => suh_shin::costs(shape, ways),
            Torus(_, costs) => costs(shape),
        })
    }
}
