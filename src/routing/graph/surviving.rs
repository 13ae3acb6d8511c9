//! Paths over the links that survive failures: a routing of graphs, and the pairs of nodes between which it leads.
//!
//! Links have the numbers of the intact network. A node on a failed router reaches no node, not even itself.

use super::super::{LinkRouting, Order, Step};
use super::{UpDown, levels_of_components, one_way};
use crate::cancel;
use crate::topology::{Failures, Graph, Links};
use crate::units::{NodeId, RouterId};
use std::sync::Arc;

/// Rule of the paths.
#[derive(Clone, Debug)]
pub enum Survivor {
    /// Up-down routing, a destination at a time.
    UpDown(Arc<UpDown>),
    /// Another routing of graphs, such as shortest paths.
    Other(Arc<dyn LinkRouting>),
}

/// The answer to which routers paths lead.
#[derive(Clone, Debug)]
enum Reach {
    /// Between all routers of a component: per router, the number of its component.
    Components(Vec<u32>),
    /// To the routers at which paths to them end.
    Paths,
}

/// A routing over the links that survive failures.
#[derive(Clone, Debug)]
pub struct SurvivingPaths {
    graph: Arc<Graph>,
    rule: Survivor,
    /// Per router, true if it has failed.
    is_failed: Vec<bool>,
    reach: Reach,
}

impl SurvivingPaths {
    /// The paths of `rule` over `graph`, which has survived `failures`. `leads_everywhere` is true if the rule has a path wherever links
    /// lead. O(links) time.
    pub fn new(graph: Arc<Graph>, failures: &Failures, rule: Survivor, leads_everywhere: bool) -> Self {
        let mut is_failed = vec![false; graph.routers()];
        failures.routers.iter().for_each(|router| is_failed[router.index()] = true);
        let reach = match leads_everywhere && one_way(&graph).is_ok() {
            true => Reach::Components(components(&graph)),
            false => Reach::Paths,
        };
        Self { graph, rule, is_failed, reach }
    }

    fn routing(&self) -> &dyn LinkRouting {
        match &self.rule {
            Survivor::UpDown(paths) => paths.as_ref(),
            Survivor::Other(paths) => paths.as_ref(),
        }
    }

    /// Returns true if a path leads from router `from`, which has node `src`, to router `to`, which has node `dst`.
    fn leads(&self, [src, dst]: [NodeId; 2], [from, to]: [RouterId; 2]) -> bool {
        if self.is_failed[from.index()] || self.is_failed[to.index()] {
            return false;
        }
        match &self.reach {
            _ if from == to => true,
            Reach::Components(components) => components[from.index()] == components[to.index()],
            Reach::Paths => {
                let mut path = Vec::new();
                self.routing().path(src, dst, &mut path);
                path.last().is_some_and(|step| self.graph.ends(step.link).1 == to)
            }
        }
    }

    /// The number of ordered pairs of different nodes between which a path leads. O(nodes) time where links lead both ways, else
    /// a path for each pair of routers with nodes.
    pub fn connected_pairs(&self) -> u128 {
        let mut nodes_on: Vec<(u64, NodeId)> = vec![(0, NodeId(0)); self.graph.routers()];
        for node in (0..self.graph.nodes()).map(NodeId::new).rev() {
            let current = &mut nodes_on[self.graph.router_of(node).index()];
            *current = (current.0 + 1, node);
        }
        let alive: Vec<(RouterId, u64, NodeId)> = (0..self.graph.routers())
            .map(|router| (RouterId::new(router), nodes_on[router].0, nodes_on[router].1))
            .filter(|(router, nodes, _)| *nodes > 0 && !self.is_failed[router.index()])
            .collect();
        match &self.reach {
            Reach::Components(components) => {
                let mut sizes = vec![0_u64; self.graph.routers()];
                alive.iter().for_each(|(router, nodes, _)| sizes[components[router.index()] as usize] += nodes);
                sizes.into_iter().map(|nodes| u128::from(nodes) * u128::from(nodes.saturating_sub(1))).sum()
            }
            Reach::Paths => alive.iter().map(|from| self.reached(from, &alive)).sum(),
        }
    }

    /// The number of ordered pairs of different nodes of which the first is on router `from`.
    fn reached(&self, &(from, sources, src): &(RouterId, u64, NodeId), alive: &[(RouterId, u64, NodeId)]) -> u128 {
        cancel::checkpoint();
        let others = |&(to, nodes, _): &(RouterId, u64, NodeId)| if to == from { nodes - 1 } else { nodes };
        let led = alive.iter().filter(|&&(to, _, dst)| self.leads([src, dst], [from, to]));
        led.map(|to| u128::from(sources) * u128::from(others(to))).sum()
    }
}

/// Per router, the number of its component: that of its lowest router.
fn components(graph: &Graph) -> Vec<u32> {
    const NONE: u32 = u32::MAX;
    let mut components = vec![NONE; graph.routers()];
    for first in (0..graph.routers()).map(RouterId::new) {
        let mut ahead = vec![first];
        while let Some(router) = ahead.pop() {
            if components[router.index()] == NONE {
                components[router.index()] = first.0;
                ahead.extend(graph.links_from(router).iter().map(|&link| graph.link(link).to));
            }
        }
    }
    components
}

/// The largest and the sum of the levels of routers with nodes, in breadth-first searches from `root` and from the lowest router of
/// each other component.
pub fn largest_level_and_sum(graph: &Graph, root: RouterId) -> (u64, u64) {
    let levels = levels_of_components(graph, root);
    let of_nodes = (0..graph.nodes()).map(|node| u64::from(levels[graph.router_of(NodeId::new(node)).index()]));
    (of_nodes.clone().max().unwrap_or(0), of_nodes.sum())
}

impl LinkRouting for SurvivingPaths {
    fn classes(&self) -> u8 {
        self.routing().classes()
    }

    fn path(&self, src: NodeId, dst: NodeId, path: &mut Vec<Step>) {
        if self.reaches(src, dst) {
            self.routing().path(src, dst, path);
        }
    }

    fn reaches(&self, src: NodeId, dst: NodeId) -> bool {
        self.leads([src, dst], [src, dst].map(|node| self.graph.router_of(node)))
    }

    fn each_turn(&self, each: &mut dyn FnMut(&[Step])) -> bool {
        match &self.rule {
            Survivor::UpDown(paths) => {
                paths.each_turn(each);
                true
            }
            Survivor::Other(_) => false,
        }
    }

    fn order(&self) -> Order {
        Order::None
    }

    fn chain_rank(&self, node: NodeId) -> u64 {
        self.graph.walk_rank(node)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;
    use crate::routing::certificate::Dependencies;
    use crate::routing::graph::{Shortest, Weight};
    use crate::topology::{Coordinates, LatticeLinks, RouterPair};
    use std::collections::BTreeSet;

    fn mesh() -> LatticeLinks {
        LatticeLinks::new(Coordinates::new(&[3, 3], false)).with_concentration(2)
    }

    fn failures(pairs: &[(u32, u32)], routers: &[u32]) -> Failures {
        let pairs = pairs.iter().map(|&(a, b)| RouterPair::new(RouterId(a), RouterId(b))).collect();
        Failures { pairs, routers: routers.iter().copied().map(RouterId).collect() }
    }

    fn surviving(failures: &Failures) -> (SurvivingPaths, SurvivingPaths) {
        let graph = Arc::new(Graph::surviving(&mesh(), failures, 1));
        let up_down = Arc::new(UpDown::over_components(Arc::clone(&graph), 0, &BTreeSet::new()).unwrap());
        let shortest = Arc::new(Shortest::new(Arc::clone(&graph), Weight::Links).unwrap());
        let up_down = SurvivingPaths::new(Arc::clone(&graph), failures, Survivor::UpDown(up_down), true);
        (up_down, SurvivingPaths::new(graph, failures, Survivor::Other(shortest), false))
    }

    #[test]
    fn components_and_paths_agree_on_what_is_connected() {
        let cases = [(failures(&[], &[]), 18 * 17), (failures(&[(0, 1), (3, 0)], &[]), 16 * 15 + 2)];
        for (failures, pairs) in cases.into_iter().chain([(failures(&[(0, 1)], &[4]), 16 * 15)]) {
            let (by_components, by_paths) = surviving(&failures);
            assert_eq!([by_components.connected_pairs(), by_paths.connected_pairs()], [pairs; 2], "{failures:?}");
            for (src, dst) in (0..324).map(|pair| (NodeId(pair / 18), NodeId(pair % 18))) {
                assert_eq!(by_components.reaches(src, dst), by_paths.reaches(src, dst), "{src} to {dst}");
            }
        }
    }

    #[test]
    fn nodes_of_a_failed_router_reach_no_node() {
        let (paths, _) = surviving(&failures(&[], &[4]));
        assert!(!paths.reaches(NodeId(8), NodeId(9)) && !paths.reaches(NodeId(8), NodeId(8)));
        assert!(paths.reaches(NodeId(0), NodeId(1)) && paths.reaches(NodeId(0), NodeId(0)));
    }

    #[test]
    fn turns_of_each_destination_are_those_of_all_paths() {
        struct Plain(SurvivingPaths);

        impl std::fmt::Debug for Plain {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }

        impl LinkRouting for Plain {
            fn path(&self, src: NodeId, dst: NodeId, path: &mut Vec<Step>) {
                self.0.path(src, dst, path);
            }
        }

        for failures in [failures(&[(1, 4)], &[]), failures(&[(0, 1), (3, 0)], &[8])] {
            let (paths, _) = surviving(&failures);
            let text = |routing: &dyn LinkRouting| {
                let certificate = Dependencies::of(&mesh(), routing, 1).certificate();
                let mut text = Vec::new();
                certificate.write(&mut text, "", &mesh()).unwrap();
                let mut lines: Vec<String> = String::from_utf8(text).unwrap().lines().map(str::to_owned).collect();
                lines.sort_unstable();
                lines
            };
            assert_eq!(text(&paths), text(&Plain(paths.clone())));
        }
    }
}
