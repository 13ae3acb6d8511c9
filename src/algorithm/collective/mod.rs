//! Collectives with reduction: all-reduce and its kin.
//!
//! An algorithm makes a [`Collective`]: steps of messages that copy and combine parts of a vector. It knows how many ranks
//! there are, which is the root, the length of the vector and the *logical shape* of the ranks; one that is made for meshes
//! and tori knows which ranks are neighbours. It refuses to know nodes, routes and time.
//!
//! Adding one: a file beside these, a line in [`ALGORITHMS`].
//!
//! ```
//! use flitwise::algorithm::collective::{ALGORITHMS, Request};
//! use flitwise::schedule::collective::Operation;
//! // which all-reduces of 12 ranks send no flit that could be saved?
//! let request = Request::new(Operation::Allreduce, 12, 120);
//! let mut leanest = Vec::new();
//! for algorithm in ALGORITHMS.iter().filter(|algorithm| algorithm.admits(&request).is_ok()) {
//!     let collective = algorithm.plan(&request)?;
//!     collective.check()?;
//!     let sent: u64 = (0..collective.steps()).flat_map(|step| collective.messages(step)).map(|m| m.flits.0).sum();
//!     if sent == 2 * 11 * 120 {
//!         leanest.push(algorithm.name);
//!     }
//! }
//! assert!(leanest.contains(&"ring") && leanest.contains(&"circulant") && !leanest.contains(&"recursive-doubling"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bandwidth;
mod bine;
mod binomial;
mod bruck;
mod bucket;
mod butterfly;
mod circulant;
mod counterpart;
mod dissemination;
mod double_tree;
mod flat;
mod flood;
mod fold;
mod hamiltonian_rings;
mod in_network;
mod latency;
mod mesh_ring;
mod multitree;
mod neighbour_exchange;
mod pipelined;
mod rabenseifner;
mod recursive_doubling;
mod recursive_halving;
mod ring;
mod scatter_allgather;
mod trivance;
mod tto;

pub use in_network::{InNetworkError, TreeRequest};

use crate::references::Reference;
use crate::routing::Lattice;
use crate::schedule::collective::{Collective, Operation};
use thiserror::Error;

/// Every algorithm: the one list that scenarios, `list`, help and documentation read.
pub const ALGORITHMS: &[Algorithm] = &[
    flat::FLAT,
    binomial::BINOMIAL,
    bine::BINE,
    pipelined::CHAIN,
    pipelined::BINARY_TREE,
    double_tree::DOUBLE_TREE,
    scatter_allgather::SCATTER_ALLGATHER,
    scatter_allgather::REDUCE_SCATTER_GATHER,
    ring::RING,
    ring::RING_BIDIRECTIONAL,
    hamiltonian_rings::HAMILTONIAN_RINGS,
    mesh_ring::MESH_RING,
    mesh_ring::MESH_RING_BIDIRECTIONAL,
    bucket::BUCKET,
    recursive_doubling::RECURSIVE_DOUBLING,
    recursive_halving::RECURSIVE_HALVING,
    rabenseifner::RABENSEIFNER,
    bruck::BRUCK,
    circulant::CIRCULANT,
    neighbour_exchange::NEIGHBOUR_EXCHANGE,
    dissemination::DISSEMINATION,
    latency::SWING_LATENCY,
    latency::DOUBLING_LATENCY,
    bandwidth::SWING_BANDWIDTH,
    bandwidth::DOUBLING_BANDWIDTH,
    multitree::MULTITREE,
    tto::TTO,
    tto::TTO_AS_PUBLISHED,
    trivance::TRIVANCE_LATENCY,
    trivance::TRIVANCE_BANDWIDTH,
    in_network::IN_NETWORK,
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
    /// What it can do.
    pub operations: &'static [Operation],
    /// The sizes and shapes that it takes, in words.
    pub takes: &'static str,
    /// Into how many parts it cuts the vector.
    pub parts: Parts,
    /// Whether the messages of each part go along the edges of a tree, segment by segment.
    pub pipelined: bool,
    /// Whether it is known to be wrong, and runs only where that is asked for.
    pub unproved: bool,
    /// True if routers copy and combine its packets, so that it has no messages between ranks: [`TreeRequest`] plans it.
    pub in_routers: bool,
    admits: fn(&Request<'_>) -> bool,
    plan: fn(&Request<'_>) -> Collective,
    extent: fn(&Request<'_>) -> Extent,
}

impl Algorithm {
    /// An algorithm without a name that takes everything.
    const DEFAULT: Self = Self {
        name: "",
        summary: "",
        references: &[],
        operations: &[],
        takes: "any number of ranks",
        parts: Parts::Fixed(1),
        pipelined: false,
        unproved: false,
        in_routers: false,
        admits: |_| true,
        plan: |request| request.planner(1, 1).finish(0),
        extent: |_| Extent { steps: 0, messages: 0, vectors: 0, pieces: 0 },
    };
}

/// Into how many parts an algorithm cuts the vector, which then travel independently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parts {
    /// Always so many.
    Fixed(usize),
    /// As many as are asked for, up to so many a dimension of the shape, and so many unless they are.
    UpTo {
        /// The most, for each dimension.
        per_dimension: usize,
        /// How many, for each dimension, unless it is said; 0 stands for one part in all.
        default: usize,
    },
}

/// What a schedule is at most, without making it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// Steps.
    pub steps: u64,
    /// Messages.
    pub messages: u64,
    /// Whole vectors that are sent, if all flits are added up.
    pub vectors: u64,
    /// Pieces into which the vector is cut.
    pub pieces: u64,
}

/// What is to be planned.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// What is to be done.
    pub operation: Operation,
    /// How many ranks take part.
    pub ranks: usize,
    /// The root, of an operation that has one.
    pub root: usize,
    /// The length of the vector.
    pub flits: u64,
    /// The logical shape: its product is the number of ranks, which are numbered row-major.
    pub shape: Vec<usize>,
    /// Into how many parts the vector is cut, where the algorithm can choose.
    pub parts: Option<usize>,
    /// The most flits of a message; 0 for any.
    pub segment_flits: u64,
    /// The mesh or torus whose nodes are the ranks, in order, if they are.
    pub lattice: Option<&'a Lattice>,
}

impl Request<'_> {
    /// `operation` among `ranks` ranks in a row with a vector of `flits` flits.
    pub fn new(operation: Operation, ranks: usize, flits: u64) -> Self {
        Self { operation, ranks, root: 0, flits, shape: vec![ranks], parts: None, segment_flits: 0, lattice: None }
    }
}

/// Why an algorithm has no schedule for a request.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlanError {
    /// It does other things.
    #[error("supports {can}, not {asked}")]
    Operation {
        /// What it does.
        can: String,
        /// What it was asked for.
        asked: &'static str,
    },
    /// It is not made for the size or the shape.
    #[error("requires {takes}, not {}", sized(*ranks, shape))]
    Size {
        /// What it takes.
        takes: &'static str,
        /// The number of ranks asked for.
        ranks: usize,
        /// Their shape.
        shape: Vec<usize>,
    },
    /// It cannot cut the vector into so many parts.
    #[error("accepts `parts` up to {most} on a {dimensions}-dimensional shape, not {parts}")]
    Parts {
        /// The most.
        most: usize,
        /// Dimensions of the shape.
        dimensions: usize,
        /// Parts asked for.
        parts: usize,
    },
    /// Routers copy and combine its packets.
    #[error(
        "copies and combines packets in routers and has no messages between ranks, so that only [workload.collective] accepts it"
    )]
    InRouters,
    /// It needs to know which ranks are neighbours.
    #[error("requires a mesh or torus with all nodes as ranks, in order")]
    NoLattice,
}

/// The number of ranks, and their shape if it has several dimensions.
fn sized(ranks: usize, shape: &[usize]) -> String {
    let plural = if ranks == 1 { "" } else { "s" };
    if shape.len() < 2 {
        return format!("{ranks} rank{plural}");
    }
    let sides: Vec<String> = shape.iter().map(ToString::to_string).collect();
    format!("{ranks} rank{plural} in the shape {}", sides.join("x"))
}

impl Algorithm {
    /// Whether the algorithm can do what is asked for.
    ///
    /// # Errors
    /// If it cannot, with the reason.
    pub fn admits(&self, request: &Request<'_>) -> Result<(), PlanError> {
        self.supports(request.operation)?;
        if self.in_routers {
            return Err(PlanError::InRouters);
        }
        if let (Parts::UpTo { per_dimension, .. }, Some(parts)) = (self.parts, request.parts) {
            let dimensions = request.shape.len();
            let most = per_dimension * dimensions;
            if parts > most {
                return Err(PlanError::Parts { most, dimensions, parts });
            }
        }
        if self.name == multitree::MULTITREE.name && request.lattice.is_none() {
            return Err(PlanError::NoLattice);
        }
        if (self.admits)(request) {
            Ok(())
        } else {
            Err(PlanError::Size { takes: self.takes, ranks: request.ranks, shape: request.shape.clone() })
        }
    }

    /// Checks that `operation` is one of its operations.
    ///
    /// # Errors
    /// Returns an error if it is not.
    pub fn supports(&self, operation: Operation) -> Result<(), PlanError> {
        if self.operations.contains(&operation) {
            return Ok(());
        }
        let names: Vec<&str> = self.operations.iter().map(|operation| operation.name()).collect();
        Err(PlanError::Operation { can: names.join(", "), asked: operation.name() })
    }

    /// The schedule.
    ///
    /// # Errors
    /// If the algorithm cannot do what is asked for.
    pub fn plan(&self, request: &Request<'_>) -> Result<Collective, PlanError> {
        self.admits(request)?;
        Ok((self.plan)(&self.completed(request)))
    }

    /// What the schedule is at most, in closed form.
    ///
    /// # Errors
    /// If the algorithm cannot do what is asked for.
    pub fn extent(&self, request: &Request<'_>) -> Result<Extent, PlanError> {
        self.admits(request)?;
        Ok((self.extent)(&self.completed(request)))
    }

    /// The request with the number of parts that the algorithm takes.
    fn completed<'a>(&self, request: &Request<'a>) -> Request<'a> {
        let parts = match self.parts {
            Parts::Fixed(parts) => parts,
            Parts::UpTo { default, .. } => request.parts.unwrap_or((default * request.shape.len()).max(1)),
        };
        Request { parts: Some(parts), ..request.clone() }
    }

    /// Whether it can choose into how many parts it cuts the vector.
    pub const fn reads_parts(&self) -> bool {
        matches!(self.parts, Parts::UpTo { .. })
    }
}
