//! One source, one message, a group of destinations.
//!
//! All algorithms here make trees by splitting ([`Split`]). Some keep the group in the order in which it is given;
//! those that are free of contention sort it into the network's chain ([`Network::chain_rank`]).
//!
//! Adding one: a file beside these, a line in [`ALGORITHMS`].
//!
//! ```
//! use flitwise::algorithm::multicast::{ALGORITHMS, Inside, Request};
//! use flitwise::model::Parameterised;
//! use flitwise::units::{Flits, NodeId, Ticks};
//! // a message to eight nodes takes 55 ticks, and a node's sends are 20 apart: which tree does the model like best?
//! let group: Vec<NodeId> = (0..8).map(NodeId).collect();
//! let model = Parameterised { t_hold: Ticks(20), t_end: Ticks(55) };
//! let flits = Flits(64);
//! let inside = Inside::Flat;
//! let copying = None;
//! let request = Request { group: &group, nodes: 8, network: None, copying, flits, model, ports: 1, block: 4, inside };
//! let mut times = Vec::new();
//! // some run only on the routers of a network
//! for algorithm in ALGORITHMS.iter().filter(|algorithm| algorithm.admits(None, None, model, 1).is_ok()) {
//!     let schedule = algorithm.plan(&request)?;
//!     schedule.check(&group[1..])?;
//!     times.push((model.price(&schedule, 1).completion.0, algorithm.name));
//! }
//! assert_eq!(times[..3], [(175, "sequential"), (385, "chain"), (165, "binomial")]);
//! assert!(times.contains(&(130, "opt-tree")));
//! // only routers that copy are faster
//! assert!(times.iter().all(|&(time, name)| time >= 130 || name == "tree-worm"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod binomial;
mod block_binomial;
mod chain;
mod copying;
mod dual_path;
mod fibonacci;
mod logp_optimal;
mod multi_path;
mod opt_mesh;
mod opt_table;
mod opt_tree;
mod router_tree;
mod sequential;
mod tree_file;
mod tree_worm;
mod u_mesh;

pub use binomial::Binomial;
pub use block_binomial::{BlockBinomial, Inside};
pub use chain::Chain;
pub use copying::CopyingNetwork;
pub use fibonacci::{Fibonacci, Receiver};
pub use logp_optimal::LogpOptimal;
pub use opt_mesh::OptMesh;
pub use opt_table::OptTable;
pub use opt_tree::OptTree;
pub use sequential::Sequential;
pub use tree_worm::tree_worm;
pub use u_mesh::UMesh;

use dual_path::dual_path;
use multi_path::multi_path;
use router_tree::router_tree;
use tree_file::tree_file;

use crate::model::Parameterised;
use crate::references::{self, Reference};
use crate::routing::tree::{EdgeError, HamiltonianLabels, TreeError, TreeNetwork, TreePaths};
use crate::routing::{Network, Order};
use crate::schedule::{Schedule, Split};
use crate::units::{Flits, NodeId};
use thiserror::Error;

/// The function that plans a schedule.
#[derive(Clone, Copy, Debug)]
enum Plan {
    /// Plans messages that nodes forward.
    Messages(fn(&Request<'_>) -> Schedule),
    /// Plans packets that routers copy.
    Worms(fn(&Request<'_>) -> Result<Schedule, PlanError>),
}

const fn entry(name: &'static str, summary: &'static str, plan: fn(&Request<'_>) -> Schedule) -> Algorithm {
    planned(name, summary, Plan::Messages(plan))
}

const fn worms(
    name: &'static str,
    summary: &'static str,
    plan: fn(&Request<'_>) -> Result<Schedule, PlanError>,
) -> Algorithm {
    planned(name, summary, Plan::Worms(plan))
}

const fn planned(name: &'static str, summary: &'static str, plan: Plan) -> Algorithm {
    Algorithm { name, summary, references: &[], fits: Fits::Anything, needs: Needs::Nothing, along_chain: false, plan }
}

/// Every multicast algorithm: the one list that scenarios, `list`, help and documentation read.
pub const ALGORITHMS: &[Algorithm] = &[
    entry("sequential", "the source sends to every destination directly", |request| {
        request.in_given_order(&Sequential { size: request.group.len() })
    })
    .citing(&[references::OPT_MESH]),
    entry("chain", "every node forwards the message to the next node", |request| {
        request.in_given_order(&Chain { size: request.group.len() })
    })
    .citing(&[references::OPT_MESH]),
    entry("binomial", "recursive doubling, the usual binomial tree; optimal for t_hold = t_end", |request| {
        request.in_given_order(&Binomial { size: request.group.len() })
    })
    .citing(&[references::OPT_MESH]),
    entry(
        "block-binomial",
        "binomial tree over the first nodes of all blocks, then within each block (`block`, `inside`)",
        |request| request.in_given_order(&request.block_binomial()),
    )
    .citing(&[references::OPT_MESH]),
    entry(
        "opt-tree",
        "the optimal tree for any t_hold, t_end and number of ports; nodes in the given order",
        |request| request.in_given_order(&OptTree { table: request.table() }),
    )
    .citing(&[references::OPT_TREE, references::OPT_MESH]),
    entry("opt-mesh", "the optimal tree with the nodes in dimension order; contention-free", |request| {
        request.opt_on_chain()
    })
    .citing(&[references::OPT_MESH, references::OPT_MIN])
    .sorted()
    .made_for(Fits::DimensionOrdered)
    .needing(Needs::HoldWithinEnd),
    entry("u-mesh", "recursive halving of the nodes in dimension order; contention-free", |request| {
        request.on_chain(|size, source| UMesh { size, source })
    })
    .citing(&[references::U_MESH])
    .sorted()
    .made_for(Fits::DimensionOrdered),
    entry("opt-chain", "the optimal tree on the nodes in network order; on graphs, in depth-first order", |request| {
        request.opt_on_chain()
    })
    .citing(&[references::OPT_MESH])
    .sorted()
    .needing(Needs::HoldWithinEnd),
    entry("bisection", "recursive halving of the nodes in the order of the network, as in papers on LogP", |request| {
        request.on_chain(|size, source| UMesh { size, source })
    })
    .citing(&[references::LOGP_BROADCAST, references::FIBONACCI])
    .sorted(),
    entry(
        "fibonacci",
        "splits the nodes by Fibonacci numbers, as published; under LogP at least as fast as bisection if g <= 0.48 (L + 2o)",
        |request| request.on_chain(|size, source| Fibonacci::new(size, source, Receiver::First)),
    )
    .citing(&[references::FIBONACCI])
    .sorted(),
    entry(
        "fibonacci-boundary",
        "as fibonacci, but the node of a part nearest to the sender receives it; contention-free on meshes, hypercubes, bmins",
        |request| request.on_chain(|size, source| Fibonacci::new(size, source, Receiver::Boundary)),
    )
    .citing(&[references::FIBONACCI])
    .sorted(),
    entry(
        "logp-optimal",
        "the optimal tree of LogP, built from the earliest possible receipts; nodes in the given order",
        |request| request.in_given_order(&request.logp_optimal()),
    )
    .citing(&[references::LOGP_BROADCAST])
    .needing(Needs::OnePort),
    entry(
        "u-min",
        "recursive halving of the nodes in the order of leaf addresses; contention-free on a bmin",
        |request| request.on_chain(|size, source| UMesh { size, source }),
    )
    .citing(&[references::U_MIN])
    .sorted()
    .made_for(Fits::Multistage),
    entry("opt-min", "the optimal tree on the nodes in leaf-address order; contention-free on a bmin", |request| {
        request.opt_on_chain()
    })
    .citing(&[references::OPT_MIN])
    .sorted()
    .made_for(Fits::Multistage)
    .needing(Needs::HoldWithinEnd),
    worms("tree-worm", "one worm from the source to all destinations, copied by the routers on its path", tree_worm)
        .citing(&[references::TREE_WORMS])
        .made_for(Fits::TreeWorms),
    worms("router-tree", "one packet along the paths of unicasts, copied where they part", router_tree)
        .citing(&[references::TREE_WORMS])
        .made_for(Fits::TreePaths),
    worms("dual-path", "two packets along a Hamiltonian path of the routers, one in each direction", dual_path)
        .citing(&[references::TREE_WORMS, references::RESOURCE_DEADLOCKS])
        .made_for(Fits::Labels),
    worms("multi-path", "up to four packets along a Hamiltonian path of the routers of a mesh", multi_path)
        .citing(&[references::TREE_WORMS, references::RESOURCE_DEADLOCKS])
        .made_for(Fits::PlaneLabels),
    worms("tree-file", "one packet along the tree in a file (`tree`), which routers copy", tree_file)
        .citing(&[references::TREE_WORMS])
        .made_for(Fits::Routers),
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
    /// The networks that it is made for.
    pub fits: Fits,
    /// Whether it sorts the group into the network's chain, so that most messages go to near nodes.
    pub along_chain: bool,
    needs: Needs,
    plan: Plan,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Needs {
    Nothing,
    OnePort,
    /// `t_hold <= t_end`, and one port: the optimal tree placed on a chain.
    HoldWithinEnd,
}

/// The networks that an algorithm is made for. All of them can be priced without a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fits {
    /// Any network.
    Anything,
    /// Meshes and hypercubes with dimension-ordered routing.
    DimensionOrdered,
    /// Bidirectional multistage networks, and fat trees that choose by the destination.
    Multistage,
    /// Chips whose routers copy messages.
    TreeWorms,
    /// Networks whose paths make trees, with routers that copy packets.
    TreePaths,
    /// Networks whose routers have Hamiltonian labels and copy packets.
    Labels,
    /// Those of two dimensions without rings.
    PlaneLabels,
    /// Any network with routers that copy packets.
    Routers,
}

impl Fits {
    /// The names of the networks, as scenarios write them.
    pub fn networks(self) -> &'static str {
        match self {
            Self::Anything => "any network",
            Self::DimensionOrdered => "mesh, hypercube, chiplets with dimension-order",
            Self::Multistage => "bmin, fat-tree with d-mod-k",
            Self::TreeWorms => "a chip set by `device`",
            Self::TreePaths => "mesh, torus, hypercube, hyperx, full-mesh, fat-tree, dragonfly, graph",
            Self::Labels => "mesh, torus, hypercube",
            Self::PlaneLabels => "mesh of 2 dimensions",
            Self::Routers => "any network on virtual-channel routers",
        }
    }

    fn admits(self, network: &dyn Network, routers: Option<&TreeNetwork>) -> bool {
        let order = network.order();
        match self {
            Self::Anything => true,
            Self::DimensionOrdered => order == Order::Dimension,
            Self::Multistage => order == Order::Leaf,
            Self::TreeWorms => network.tree_class().is_some(),
            Self::TreePaths => routers.is_some_and(|routers| !matches!(routers.paths(), TreePaths::Undefined)),
            Self::Labels => routers.is_some_and(|routers| routers.labels().is_some()),
            Self::PlaneLabels => routers.and_then(TreeNetwork::labels).is_some_and(HamiltonianLabels::is_plane),
            Self::Routers => routers.is_some(),
        }
    }

    /// True if the algorithm is made for the routers of a network and not for nodes: it has no schedule without one.
    fn needs_routers(self) -> bool {
        matches!(self, Self::TreePaths | Self::Labels | Self::PlaneLabels | Self::Routers)
    }
}

/// What a multicast is to do, and what its algorithm may use.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The group; the first node is the source. No node is listed twice.
    pub group: &'a [NodeId],
    /// The machine's nodes are numbered `0..nodes`.
    pub nodes: usize,
    /// The network, if there is one. Algorithms only read the order of its nodes, unless routers copy.
    pub network: Option<&'a dyn Network>,
    /// A view of the network on its trees, if its routers copy packets.
    pub copying: Option<CopyingNetwork<'a>>,
    /// The length of the message.
    pub flits: Flits,
    /// The model that `opt-*` optimise for.
    pub model: Parameterised,
    /// Sends that a node can have under way at once.
    pub ports: usize,
    /// The block size of `block-binomial`.
    pub block: usize,
    /// What `block-binomial` does inside a block.
    pub inside: Inside,
}

/// Why an algorithm has no schedule for a request.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlanError {
    /// Algorithm 2 would tell the source to send to itself.
    #[error(
        "requires t_hold <= t_end, but t_hold = {} and t_end = {}, so the source would send to itself; `opt-tree` \
         accepts any t_hold and t_end",
        .0.t_hold, .0.t_end
    )]
    HoldExceedsEnd(Parameterised),
    /// The contention-free optimal trees and the one of LogP are made for one-port nodes.
    #[error("is defined for nodes with one port, not with {0}; `opt-tree` accepts any number of ports")]
    OnePort(usize),
    /// The network has not the order of nodes that the algorithm rests on.
    #[error("supports only these networks: {0}")]
    Network(&'static str),
    /// Chips have worms of their own, which other networks do not.
    #[error("supports only these networks: {}; `router-tree` is the same on other networks", Fits::TreeWorms.networks())]
    NoChip,
    /// There are no routers that could copy.
    #[error("requires a table [network.*], whose routers copy packets")]
    NoNetwork,
    /// There is no tree.
    #[error("requires `tree`, the file with the links of the tree")]
    NoTree,
    /// The network has no such trees.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// The tree of the user is wrong.
    #[error("{}", first_of(.0))]
    Edges(Vec<EdgeError>),
}

fn first_of(errors: &[EdgeError]) -> String {
    errors.first().map_or_else(String::new, ToString::to_string)
}

impl Algorithm {
    const fn citing(self, references: &'static [Reference]) -> Self {
        Self { references, ..self }
    }

    const fn sorted(self) -> Self {
        Self { along_chain: true, ..self }
    }

    const fn made_for(self, fits: Fits) -> Self {
        Self { fits, ..self }
    }

    const fn needing(self, needs: Needs) -> Self {
        Self { needs, ..self }
    }

    /// True if routers copy its packets, other than on a chip: virtual-channel routers run it.
    pub fn needs_routers(&self) -> bool {
        self.fits.needs_routers()
    }

    /// True if its tree is in a file.
    pub fn reads_tree(&self) -> bool {
        self.fits == Fits::Routers
    }

    /// Checks that the algorithm is defined for nodes with `ports` ports under `model`, on `network` if there is one, whose `routers`
    /// copy packets if they do.
    ///
    /// # Errors
    /// If it is not, with the reason.
    pub fn admits(
        &self,
        network: Option<&dyn Network>,
        routers: Option<&TreeNetwork>,
        model: Parameterised,
        ports: usize,
    ) -> Result<(), PlanError> {
        match network {
            None if self.needs_routers() => return Err(PlanError::NoNetwork),
            Some(network) if !self.fits.admits(network, routers) => {
                return Err(match self.fits {
                    Fits::TreeWorms => PlanError::NoChip,
                    fits => PlanError::Network(fits.networks()),
                });
            }
            _ => {}
        }
        match self.needs {
            Needs::HoldWithinEnd if model.t_hold > model.t_end => Err(PlanError::HoldExceedsEnd(model)),
            Needs::HoldWithinEnd | Needs::OnePort if ports > 1 => Err(PlanError::OnePort(ports)),
            _ => Ok(()),
        }
    }

    /// The schedule that the algorithm makes for `request`.
    ///
    /// # Errors
    /// If the algorithm is not defined for the request's parameters or network.
    ///
    /// # Panics
    /// If the group is empty or names a node that the machine does not have.
    pub fn plan(&self, request: &Request<'_>) -> Result<Schedule, PlanError> {
        let routers = request.copying.map(|copying| copying.network);
        self.admits(request.network, routers, request.model, request.ports)?;
        match self.plan {
            Plan::Messages(plan) => Ok(plan(request)),
            Plan::Worms(plan) => plan(request),
        }
    }
}

/// Sorts `nodes` by their ranks: in linear time if these differ and lie close together, as those of a machine's nodes do.
fn sort_by_rank(nodes: &mut [NodeId], rank: impl Fn(NodeId) -> u64) {
    match by_dense_rank(nodes, &rank) {
        Some(by_rank) => {
            let sorted = by_rank.into_iter().filter(|&node| node != NO_NODE);
            nodes.iter_mut().zip(sorted).for_each(|(place, node)| *place = node);
        }
        None => nodes.sort_by_cached_key(|&node| rank(node)),
    }
}

/// Stands for a rank that no node has.
const NO_NODE: NodeId = NodeId(u32::MAX);

/// The node of every rank, if no two of `nodes` have the same and there are no more than four ranks a node.
fn by_dense_rank(nodes: &[NodeId], rank: impl Fn(NodeId) -> u64) -> Option<Vec<NodeId>> {
    let ranks = nodes.iter().map(|&node| u32::try_from(rank(node)).ok()).collect::<Option<Vec<u32>>>()?;
    let last = *ranks.iter().max()? as usize;
    if last >= 4 * nodes.len() {
        return None;
    }
    let mut by_rank = vec![NO_NODE; last + 1];
    for (&node, rank) in nodes.iter().zip(ranks) {
        if std::mem::replace(&mut by_rank[rank as usize], node) != NO_NODE {
            return None;
        }
    }
    Some(by_rank)
}

impl Request<'_> {
    fn table(&self) -> OptTable {
        OptTable::new(self.group.len(), self.model, self.ports)
    }

    fn in_given_order<R: Split>(&self, rule: &R) -> Schedule {
        Schedule::split(rule, self.group, self.nodes, self.flits)
    }

    /// Splits the group in the order of the network's chain; `rule` takes the group's size and the source's position.
    fn on_chain<R: Split>(&self, rule: impl FnOnce(usize, usize) -> R) -> Schedule {
        let mut chain = self.group.to_vec();
        match self.network {
            Some(network) => sort_by_rank(&mut chain, |node| network.chain_rank(node)),
            None => chain.sort_unstable(),
        }
        #[expect(clippy::expect_used, reason = "sorting loses no node")]
        let source = chain.iter().position(|node| *node == self.group[0]).expect("the chain is the group, sorted");
        Schedule::split(&rule(chain.len(), source), &chain, self.nodes, self.flits)
    }

    fn block_binomial(&self) -> BlockBinomial {
        BlockBinomial { size: self.group.len(), block: self.block, inside: self.inside }
    }

    fn logp_optimal(&self) -> LogpOptimal {
        LogpOptimal::new(self.group.len(), self.model.t_hold.0, self.model.t_end.0)
    }

    fn opt_on_chain(&self) -> Schedule {
        self.on_chain(|_, source| OptMesh { table: self.table(), source })
    }
}
