//! Up-down routing on a graph: up towards a root, then down, never up again (Schroeder et al., Autonet, 1991).
//!
//! Levels are those of a breadth-first search from the root. A link is up if (level, number) of the router that it leads to
//! is less than that of the router that it leaves. A path takes up links towards ever smaller (level, number) and then down
//! links towards ever larger ones: all messages ask for links in the same order, so that one class of virtual channels is
//! free of deadlock.
//!
//! ```text
//!   state (router, up)      may take any link, and stays up along up links
//!   state (router, down)    takes down links only
//! ```

use super::super::{LinkRouting, Step};
use super::rows::{MOST_BYTES, ends};
use crate::cancel;
use crate::topology::{Graph, Links};
use crate::units::{Key, LinkId, NodeId, RouterId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, PoisonError, RwLock};
use thiserror::Error;

/// The router that up links lead towards.
pub(crate) const ROOT: Key = Key::integer("root", 0..=u32::MAX as u64)
    .or(0)
    .read_if("routing", &["up-down"])
    .says("root of the spanning tree; up links lead towards this router");

/// Why there is no up-down routing.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum UpDownError {
    /// A link without one back.
    #[error("up-down requires links in both directions, but {from} -> {to} has no reverse link")]
    OneWay {
        /// The link.
        link: LinkId,
        /// The router that it leaves.
        from: RouterId,
        /// The router that it leads to.
        to: RouterId,
    },
    /// There is no such router to begin with.
    #[error("`root` is {root}, but there is no such router")]
    NoRoot {
        /// The router.
        root: u64,
    },
    /// A node that cannot be reached from the root.
    #[error("no path leads from the root, router {root}, to node {node}")]
    Unreached {
        /// The root.
        root: RouterId,
        /// The node.
        node: NodeId,
    },
}

/// Up-down routing by the shortest such path; at each router the lowest-numbered link that keeps it so.
///
/// A destination router takes O(links) time when it is first asked for, and then 8 bytes a router; the last 1 GiB of them
/// are kept.
#[derive(Debug)]
pub struct UpDown {
    graph: Arc<Graph>,
    levels: Vec<u32>,
    searched: RwLock<Searched>,
    most: usize,
}

/// The link of each state: of the routers that may still go up, then of those that go down.
type Row = Arc<[u32]>;

#[derive(Debug, Default)]
struct Searched {
    rows: FxHashMap<RouterId, Row>,
    /// The destinations by age.
    order: VecDeque<RouterId>,
}

const NONE: u32 = u32::MAX;

impl UpDown {
    /// The paths over `graph` by way of `root`.
    ///
    /// # Errors
    /// If there is no such router, it does not reach every node, or a link has none back.
    pub fn new(graph: Arc<Graph>, root: u64) -> Result<Self, UpDownError> {
        let routers = graph.routers();
        let Some(root) = u32::try_from(root).ok().filter(|&root| (root as usize) < routers).map(RouterId) else {
            return Err(UpDownError::NoRoot { root });
        };
        one_way(&graph)?;
        let levels = levels(&graph, root);
        let unreached = (0..graph.nodes()).map(NodeId::new).find(|&node| levels[graph.router_of(node).index()] == NONE);
        if let Some(node) = unreached {
            return Err(UpDownError::Unreached { root, node });
        }
        Ok(Self { graph, levels, searched: RwLock::default(), most: rows_kept(routers) })
    }

    /// The paths over `graph`, whose routers need not reach each other. The roots are `root` and the lowest router of each other
    /// component. If `root` has failed, the lowest router that has not takes its place.
    ///
    /// # Errors
    /// If there is no such router, or a link has none back.
    pub fn over_components(graph: Arc<Graph>, root: u64, failed: &BTreeSet<RouterId>) -> Result<Self, UpDownError> {
        let routers = graph.routers();
        let Some(root) = u32::try_from(root).ok().filter(|&root| (root as usize) < routers).map(RouterId) else {
            return Err(UpDownError::NoRoot { root });
        };
        one_way(&graph)?;
        let lowest = || (0..routers).map(RouterId::new).find(|router| !failed.contains(router));
        let root = if failed.contains(&root) { lowest().unwrap_or(root) } else { root };
        let levels = levels_of_components(&graph, root);
        Ok(Self { graph, levels, searched: RwLock::default(), most: rows_kept(routers) })
    }

    /// The levels of the routers with nodes: no path has more links than twice the largest.
    pub fn levels(&self) -> impl Iterator<Item = u64> + '_ {
        (0..self.graph.nodes()).map(|node| self.levels[self.graph.router_of(NodeId::new(node)).index()].into())
    }

    fn is_up(&self, from: RouterId, to: RouterId) -> bool {
        (self.levels[to.index()], to) < (self.levels[from.index()], from)
    }

    fn row(&self, to: RouterId) -> Row {
        let searched = self.searched.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(row) = searched.rows.get(&to) {
            return Arc::clone(row);
        }
        drop(searched);
        // two that search the same at once find the same
        let row = self.search(to);
        let mut searched = self.searched.write().unwrap_or_else(PoisonError::into_inner);
        if searched.rows.insert(to, Arc::clone(&row)).is_none() {
            searched.order.push_back(to);
        }
        if searched.order.len() > self.most
            && let Some(oldest) = searched.order.pop_front()
        {
            searched.rows.remove(&oldest);
        }
        row
    }

    /// The links of all states towards `to`.
    fn search(&self, to: RouterId) -> Row {
        let routers = self.graph.routers();
        let distances = self.distances(to);
        let mut row = vec![NONE; 2 * routers];
        for router in (0..routers).map(RouterId::new).filter(|&router| router != to) {
            for &link in self.graph.links_from(router) {
                let end = self.graph.link(link).to;
                let is_up = self.is_up(router, end);
                let left = distances[state(routers, end, is_up)];
                let may = [true, false].into_iter().filter(|&may_go_up| may_go_up || !is_up);
                for from in may.map(|may_go_up| state(routers, router, may_go_up)) {
                    if row[from] == NONE && left != NONE && left + 1 == distances[from] {
                        row[from] = link.0;
                    }
                }
            }
        }
        row.into()
    }

    /// The links from each state to `to`, by breadth-first search backwards.
    fn distances(&self, to: RouterId) -> Vec<u32> {
        let routers = self.graph.routers();
        let mut distances = vec![NONE; 2 * routers];
        let mut queue = vec![(to, true), (to, false)];
        for &(router, may_go_up) in &queue {
            distances[state(routers, router, may_go_up)] = 0;
        }
        let mut settled = 0;
        while let Some(&(at, may_go_up)) = queue.get(settled) {
            settled += 1;
            let further = distances[state(routers, at, may_go_up)] + 1;
            for &link in self.graph.links_to(at) {
                let from = self.graph.link(link).from;
                // an up link leads from up to up, a down link from either to down
                if self.is_up(from, at) != may_go_up {
                    continue;
                }
                for before in [true, false].into_iter().filter(|&before| before || !may_go_up) {
                    let distance = &mut distances[state(routers, from, before)];
                    if *distance == NONE {
                        *distance = further;
                        queue.push((from, before));
                    }
                }
            }
        }
        distances
    }
}

/// The number of destinations whose links are kept in a graph of `routers` routers.
fn rows_kept(routers: usize) -> usize {
    let bytes = 2 * size_of::<u32>() as u64 * routers as u64;
    usize::try_from(MOST_BYTES / bytes).unwrap_or(1).max(1)
}

/// The number of a state.
fn state(routers: usize, router: RouterId, may_go_up: bool) -> usize {
    router.index() + if may_go_up { 0 } else { routers }
}

/// The levels of a breadth-first search from `root`.
fn levels(graph: &Graph, root: RouterId) -> Vec<u32> {
    let mut levels = vec![NONE; graph.routers()];
    search_levels(graph, root, &mut levels);
    levels
}

/// The levels of breadth-first searches from `root` and from the lowest router of each other component. Links lead in both
/// directions.
pub(super) fn levels_of_components(graph: &Graph, root: RouterId) -> Vec<u32> {
    let mut levels = levels(graph, root);
    for router in (0..graph.routers()).map(RouterId::new) {
        if levels[router.index()] == NONE {
            search_levels(graph, router, &mut levels);
        }
    }
    levels
}

/// Sets the levels of the routers that `root` reaches and that have none yet.
fn search_levels(graph: &Graph, root: RouterId, levels: &mut [u32]) {
    levels[root.index()] = 0;
    let mut queue = vec![root];
    let mut settled = 0;
    while let Some(&at) = queue.get(settled) {
        settled += 1;
        for &link in graph.links_from(at) {
            let to = graph.link(link).to;
            if levels[to.index()] == NONE {
                levels[to.index()] = levels[at.index()] + 1;
                queue.push(to);
            }
        }
    }
}

/// The first link without one back, as an error.
pub(super) fn one_way(graph: &Graph) -> Result<(), UpDownError> {
    let links = (0..graph.count()).map(LinkId::new);
    let joined: FxHashSet<(RouterId, RouterId)> = links.clone().map(|link| graph.ends(link)).collect();
    for link in links {
        let (from, to) = graph.ends(link);
        if !joined.contains(&(to, from)) {
            return Err(UpDownError::OneWay { link, from, to });
        }
    }
    Ok(())
}

impl UpDown {
    /// Calls `each` as [`LinkRouting::each_turn`] says: for each destination once per state, however many sources share it.
    pub(super) fn each_turn(&self, each: &mut dyn FnMut(&[Step])) {
        let routers = self.graph.routers();
        let with_nodes: Vec<RouterId> = (self.graph.routers_with_nodes().into_iter().enumerate())
            .filter(|(_, has_nodes)| *has_nodes)
            .map(|(router, _)| RouterId::new(router))
            .collect();
        let mut passed = vec![NONE; 2 * routers];
        for &to in &with_nodes {
            cancel::checkpoint();
            let row = self.search(to);
            for &from in &with_nodes {
                let mut index = state(routers, from, true);
                let mut before: Option<Step> = None;
                while index % routers != to.index() && row[index] != NONE {
                    let step = Step { link: LinkId(row[index]), class: 0 };
                    match before {
                        Some(before) => each(&[before, step]),
                        None => each(&[step]),
                    }
                    if std::mem::replace(&mut passed[index], to.0) == to.0 {
                        break; // the rest of the path is known
                    }
                    let (router, end) = self.graph.ends(step.link);
                    index = state(routers, end, index < routers && self.is_up(router, end));
                    before = Some(step);
                }
                // the last link of a path that was followed to its end
                if let Some(last) = before {
                    each(&[last]);
                }
            }
        }
    }
}

impl LinkRouting for UpDown {
    fn path(&self, src: NodeId, dst: NodeId, path: &mut Vec<Step>) {
        let (from, to) = ends(&self.graph, src, dst);
        if from == to {
            return;
        }
        let row = self.row(to);
        let routers = self.graph.routers();
        let mut at = from;
        let mut may_go_up = true;
        while at != to {
            let link = LinkId(row[state(routers, at, may_go_up)]);
            if link.0 == NONE {
                return; // a router of another component
            }
            let next = self.graph.link(link).to;
            may_go_up &= self.is_up(at, next);
            path.push(Step { link, class: 0 });
            at = next;
        }
    }

    fn chain_rank(&self, node: NodeId) -> u64 {
        self.graph.walk_rank(node)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;
    use crate::topology::{Attachment, Joint, LinkCost};

    /// A ring of routers with a node each.
    fn ring(routers: u32) -> Arc<Graph> {
        let cost = LinkCost::without_delay(1);
        let nodes = (0..routers).map(|router| Attachment { router: RouterId(router), cost });
        let both = |router| [(router, (router + 1) % routers), ((router + 1) % routers, router)];
        let joint = |(from, to)| Joint { from: RouterId(from), to: RouterId(to), cost };
        let links = (0..routers).flat_map(both).map(joint);
        Arc::new(Graph::new(routers as usize, nodes.collect(), links.collect()))
    }

    #[test]
    fn paths_are_the_same_however_few_destinations_are_kept() {
        let graph = ring(7);
        let all = UpDown::new(Arc::clone(&graph), 2).unwrap();
        let few = UpDown { most: 2, ..UpDown::new(Arc::clone(&graph), 2).unwrap() };
        for (src, dst) in (0..49).map(|pair| (NodeId(pair / 7), NodeId(pair % 7))) {
            let mut paths = [Vec::new(), Vec::new()];
            all.path(src, dst, &mut paths[0]);
            few.path(src, dst, &mut paths[1]);
            assert_eq!(paths[0], paths[1]);
            let mut up = paths[0].iter().map(|step| graph.ends(step.link)).map(|(from, to)| all.is_up(from, to));
            assert!(up.by_ref().skip_while(|&up| up).all(|up| !up), "{src} to {dst}");
        }
        assert_eq!(few.searched.read().unwrap().rows.len(), 2);
        assert_eq!(all.searched.read().unwrap().rows.len(), 7);
    }
}
