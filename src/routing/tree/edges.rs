//! Trees that list the routers which their links join.

use super::{Fork, Tree, TreeNetwork};
use crate::units::{ChannelId, LinkId, NodeId, RouterId};
use rustc_hash::{FxHashMap, FxHashSet};
use thiserror::Error;

/// A link of a tree, by the routers that it joins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeEdge {
    /// The router that it leaves.
    pub from: RouterId,
    /// The router that it leads to.
    pub to: RouterId,
}

/// An error of a list of edges.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{problem}")]
pub struct EdgeError {
    /// The index of the edge, if one is at fault.
    pub edge: Option<usize>,
    /// The problem.
    pub problem: EdgeProblem,
}

/// A reason why edges are not the tree of a multicast.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum EdgeProblem {
    /// No link joins the two routers.
    #[error("{} -> {}: there is no link between these routers", .0.from, .0.to)]
    NoLink(TreeEdge),
    /// Two edges lead to a router.
    #[error("router {0} has two links in")]
    TwoLinks(RouterId),
    /// An edge leads to the router of the source.
    #[error("router {0} is that of the source, so that no link leads to it")]
    IntoSource(RouterId),
    /// No edges lead from the source to a router that others leave.
    #[error("router {0} is not reached from the router of the source")]
    NotReached(RouterId),
    /// No destination is at the end of a branch.
    #[error("router {0} ends a branch without a destination")]
    NoDestination(RouterId),
    /// A destination is at no router of the tree.
    #[error("destination {0} is not in the tree")]
    LeftOut(NodeId),
}

/// The tree of `edges` from `src` to `dsts`, on virtual channel 0 of the lowest-numbered link between each two routers.
///
/// # Errors
/// Returns all errors of one kind: those of single edges, of parts that are not reached, or of ends.
pub fn tree_of_edges(
    network: &TreeNetwork,
    edges: &[TreeEdge],
    src: NodeId,
    dsts: &[NodeId],
) -> Result<Tree, Vec<EdgeError>> {
    let parents = Parents::new(network, edges, network.router_of(src))?;
    parents.check_reached(edges)?;
    parents.check_ends(network, edges, dsts)?;
    let mut fork = Fork::default();
    let mut path = Vec::new();
    for &dst in dsts {
        path.clear();
        parents.route(network, src, dst, &mut path);
        #[expect(clippy::expect_used, reason = "one edge leads to each router, so paths share what leads to it")]
        fork.add(&path).expect("paths along the edges of a tree make a tree");
    }
    Ok(fork.finish())
}

/// The edge into each router.
struct Parents {
    source: RouterId,
    /// By router, the index of the edge that leads to it, the router which that leaves, and its link.
    edges: FxHashMap<RouterId, (usize, RouterId, LinkId)>,
}

impl Parents {
    /// Finds the link of each edge.
    fn new(network: &TreeNetwork, edges: &[TreeEdge], source: RouterId) -> Result<Self, Vec<EdgeError>> {
        let mut parents = Self { source, edges: FxHashMap::default() };
        let add = |(index, edge): (usize, &TreeEdge)| {
            parents.add(network, index, *edge).err().map(|problem| EdgeError { edge: Some(index), problem })
        };
        let errors: Vec<EdgeError> = edges.iter().enumerate().filter_map(add).collect();
        if errors.is_empty() { Ok(parents) } else { Err(errors) }
    }

    fn add(&mut self, network: &TreeNetwork, index: usize, edge: TreeEdge) -> Result<(), EdgeProblem> {
        let links = network.links();
        let link = links.leaving(edge.from).find(|&link| links.ends(link).1 == edge.to);
        let link = link.ok_or(EdgeProblem::NoLink(edge))?;
        if edge.to == self.source {
            return Err(EdgeProblem::IntoSource(edge.to));
        }
        match self.edges.insert(edge.to, (index, edge.from, link)) {
            Some(_) => Err(EdgeProblem::TwoLinks(edge.to)),
            None => Ok(()),
        }
    }

    /// Checks that edges lead from the source to all others. The first edge of each part that they do not reach is an error.
    fn check_reached(&self, edges: &[TreeEdge]) -> Result<(), Vec<EdgeError>> {
        let mut outputs: FxHashMap<RouterId, Vec<RouterId>> = FxHashMap::default();
        edges.iter().for_each(|edge| outputs.entry(edge.from).or_default().push(edge.to));
        let mut reached: FxHashSet<RouterId> = FxHashSet::default();
        let mut ahead = vec![self.source];
        while let Some(router) = ahead.pop() {
            reached.insert(router);
            ahead.extend(outputs.get(&router).into_iter().flatten());
        }
        let unreached = |&(_, edge): &(usize, &TreeEdge)| !reached.contains(&edge.from);
        let begins = |&(_, edge): &(usize, &TreeEdge)| !self.edges.contains_key(&edge.from);
        let error = |(index, edge): (usize, &TreeEdge)| EdgeError {
            edge: Some(index),
            problem: EdgeProblem::NotReached(edge.from),
        };
        let mut errors: Vec<EdgeError> = edges.iter().enumerate().filter(unreached).filter(begins).map(error).collect();
        if errors.is_empty() {
            // a ring of edges has no beginning
            errors.extend(edges.iter().enumerate().find(unreached).map(error));
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }

    /// Checks that all destinations are at routers of the tree, and one at each end.
    fn check_ends(&self, network: &TreeNetwork, edges: &[TreeEdge], dsts: &[NodeId]) -> Result<(), Vec<EdgeError>> {
        let inner: FxHashSet<RouterId> = edges.iter().map(|edge| edge.from).collect();
        let served: FxHashSet<RouterId> = dsts.iter().map(|&dst| network.router_of(dst)).collect();
        let is_useless = |edge: &TreeEdge| !inner.contains(&edge.to) && !served.contains(&edge.to);
        let useless = edges.iter().enumerate().filter(|(_, edge)| is_useless(edge));
        let branches =
            useless.map(|(index, edge)| EdgeError { edge: Some(index), problem: EdgeProblem::NoDestination(edge.to) });
        let is_left_out = |&&dst: &&NodeId| {
            let router = network.router_of(dst);
            router != self.source && !self.edges.contains_key(&router)
        };
        let left_out = dsts.iter().filter(is_left_out);
        let left_out = left_out.map(|&dst| EdgeError { edge: None, problem: EdgeProblem::LeftOut(dst) });
        let errors: Vec<EdgeError> = branches.chain(left_out).collect();
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }

    /// Appends the path from `src` to `dst`.
    fn route(&self, network: &TreeNetwork, src: NodeId, dst: NodeId, path: &mut Vec<ChannelId>) {
        path.push(network.channels().ejection(dst));
        let mut router = network.router_of(dst);
        while router != self.source {
            let (_, from, link) = self.edges[&router];
            path.push(network.channel(link, 0));
            router = from;
        }
        path.push(network.channels().injection(src));
        path.reverse();
    }
}
