//! The extended generalised fat tree, of which the k-ary n-tree is a case.
//!
//! Nodes hang below `h` levels of switches. A switch of level `i` has `m_i` ports down and, below the top, `w_{i+1}` ports up:
//! `m_i` children in level `i - 1` (in level 1: nodes) and `w_{i+1}` parents in level `i + 1`. Each node has one parent.
//!
//! ```text
//!  level 3         0     1     2     3         m = [2, 2, 2], w = [1, 2, 2]: the 2-ary 3-tree
//!                  | \ /   ..    \ / |         up port u of (A a; B) leads to (A; u B),
//!  level 2        00   01   10   11            down port c of (A; u B) to (A c; B)
//!                  | \ / |   | \ / |
//!  level 1        00   01   10   11
//!                 / \  / \  / \  / \
//!  node          0  1 2  3 4  5 6  7
//! ```
//!
//! A node's number has the digits `a_h .. a_1` with radices `m`. A switch of level `i` is `(a_h .. a_{i+1}; b_i .. b_1)`: the
//! digits that all nodes below it share, and which of the switches above the same nodes it is, `b_j < w_j`. Switches are
//! numbered level by level from the lowest and within a level by these digits, the first most significant. Links are numbered
//! by the switch that they leave, first those down, then those up. Nothing is stored beyond a few numbers per level.
//!
//! Source: Petrini and Vanneschi, *k-ary n-trees*, IPPS 1997; Öhring, Ibel, Das and Kumar, *On generalized fat trees*,
//! IPPS 1995.

use super::layout::numbered;
use super::{GroupCosts, LinkCost, Links, OwnCosts, Part, TopologyError};
use crate::units::{LinkId, NodeId, RouterId};

/// What the switches of a level are joined to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stage {
    /// Children of a switch of this level: ports down.
    pub children: usize,
    /// Switches of this level above each child; one in the lowest level, where nodes are the children.
    pub parents: usize,
}

/// The product of a number of each stage; what is too large to be counted is the largest.
pub(crate) fn product(stages: &[Stage], number: fn(&Stage) -> usize) -> u128 {
    stages.iter().fold(1, |product, stage| product.saturating_mul(number(stage) as u128))
}

/// The links, one way, between the switches of `level`, from 0 and not the lowest, and those below.
pub(crate) fn links_below(stages: &[Stage], level: usize) -> u128 {
    let children = product(&stages[level..], |stage| stage.children);
    children.saturating_mul(product(&stages[..=level], |stage| stage.parents))
}

/// The name of the class of links in the gap number `gap` between two levels, from 0, the lowest.
pub(crate) fn gap_class(gap: usize) -> String {
    format!("gap{gap}")
}

/// A level of switches.
#[derive(Clone, Copy, Debug)]
struct Level {
    /// Nodes below each switch, `m_1 .. m_i`.
    nodes: usize,
    /// Switches above the same nodes, `w_1 .. w_i`.
    parallel: usize,
    /// Ports down.
    children: usize,
    /// Links down: the ports, but none of the lowest level.
    down: usize,
    /// Links up.
    up: usize,
    first_router: usize,
    first_link: usize,
}

/// A switch: its level, from 0, and its digits in two parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Switch {
    level: usize,
    /// `a_h .. a_{i+1}`.
    prefix: usize,
    /// `b_i .. b_1`.
    place: usize,
}

/// An extended generalised fat tree.
#[derive(Clone, Debug)]
pub struct FatTree {
    levels: Vec<Level>,
    nodes: usize,
    routers: usize,
    links: usize,
    /// Costs by gap between two levels, lowest gap first.
    costs: GroupCosts,
}

impl FatTree {
    /// The tree with such stages, the lowest first; `what` is the network in a few words.
    ///
    /// # Errors
    /// If there are no stages, a switch has no children or no parents, a node has several parents, or channels cannot be
    /// numbered with 32 bits.
    pub fn new(stages: &[Stage], what: impl Fn() -> String) -> Result<Self, TopologyError> {
        let sound = stages.iter().all(|stage| stage.children > 0 && stage.parents > 0);
        if !sound || stages.first().is_none_or(|lowest| lowest.parents != 1) {
            return Err(TopologyError::Stages);
        }
        let nodes = product(stages, |stage| stage.children);
        // every switch has a link or a node, so that what follows can be numbered if these, each both ways, can
        let links = (1..stages.len()).fold(nodes, |links, level| links.saturating_add(links_below(stages, level)));
        numbered(&what, links.saturating_mul(2))?;
        Ok(Self::from_stages(stages, numbered(&what, nodes)?))
    }

    fn from_stages(stages: &[Stage], nodes: usize) -> Self {
        let mut tree = Self { levels: Vec::new(), nodes, routers: 0, links: 0, costs: GroupCosts::default() };
        let mut below = 1;
        let mut parallel = 1;
        for (level, stage) in stages.iter().enumerate() {
            below *= stage.children;
            parallel *= stage.parents;
            let down = if level == 0 { 0 } else { stage.children };
            let up = stages.get(level + 1).map_or(0, |above| above.parents);
            let first_router = tree.routers;
            let first_link = tree.links;
            let children = stage.children;
            tree.levels.push(Level { nodes: below, parallel, children, down, up, first_router, first_link });
            let switches = nodes / below * parallel;
            tree.routers += switches;
            tree.links += switches * (down + up);
        }
        tree
    }

    /// Sets the costs of links, up and down, by the gap between the levels that they join, and of the channels of nodes.
    #[must_use]
    pub fn with_costs(self, costs: impl Into<GroupCosts>) -> Self {
        Self { costs: costs.into(), ..self }
    }

    /// The number of levels of switches.
    pub fn levels(&self) -> usize {
        self.levels.len()
    }

    /// The lowest level, from 0, with a switch that is above both nodes.
    pub fn meeting(&self, one: NodeId, other: NodeId) -> usize {
        let apart = |level: &&Level| one.index() / level.nodes != other.index() / level.nodes;
        self.levels.iter().take_while(apart).count()
    }

    /// The link up from `level`, from 0, of a message that comes from `node`. At each level it takes the port that the
    /// digits of `chooser` say, with the numbers of parents as radices.
    pub fn up(&self, level: usize, node: NodeId, chooser: NodeId) -> LinkId {
        let here = self.levels[level];
        self.link(self.on_path(level, node, chooser), here.down + chooser.index() / here.parallel % here.up)
    }

    /// The link down from `level`, from 0 and not the lowest, of a message for `node` that climbed as `chooser` says
    /// ([`Self::up`]).
    pub fn down(&self, level: usize, node: NodeId, chooser: NodeId) -> LinkId {
        let child = node.index() / self.levels[level - 1].nodes % self.levels[level].children;
        self.link(self.on_path(level, node, chooser), child)
    }

    /// How many switches of `level`, from 0, stand above the same nodes.
    pub fn beside(&self, level: usize) -> usize {
        self.levels[level].parallel
    }

    /// Which of the switches above the same nodes `router` is, of `level`: what is left of the number that chose the ports up
    /// to it.
    pub fn place(&self, level: usize, router: RouterId) -> usize {
        let Level { parallel, first_router, .. } = self.levels[level];
        (router.index() - first_router) % parallel
    }

    /// The switch of `level` above `node` that a message stands at which took the ports up that `chooser` says.
    fn on_path(&self, level: usize, node: NodeId, chooser: NodeId) -> Switch {
        let Level { nodes, parallel, .. } = self.levels[level];
        Switch { level, prefix: node.index() / nodes, place: chooser.index() % parallel }
    }

    fn link(&self, from: Switch, port: usize) -> LinkId {
        let Level { parallel, down, up, first_link, .. } = self.levels[from.level];
        LinkId::new(first_link + (from.prefix * parallel + from.place) * (down + up) + port)
    }

    fn router(&self, switch: Switch) -> RouterId {
        let level = self.levels[switch.level];
        RouterId::new(level.first_router + switch.prefix * level.parallel + switch.place)
    }

    /// The switch that a link leaves, and the port.
    fn source(&self, link: LinkId) -> (Switch, usize) {
        let level = self.levels.partition_point(|level| level.first_link <= link.index()) - 1;
        let Level { parallel, down, up, first_link, .. } = self.levels[level];
        let within = link.index() - first_link;
        let switch = within / (down + up);
        (Switch { level, prefix: switch / parallel, place: switch % parallel }, within % (down + up))
    }

    /// Where `port` of `from` leads.
    fn target(&self, from: Switch, port: usize) -> Switch {
        let here = self.levels[from.level];
        if port < here.down {
            let below = self.levels[from.level - 1].parallel;
            Switch { level: from.level - 1, prefix: from.prefix * here.children + port, place: from.place % below }
        } else {
            let above = from.level + 1;
            let place = (port - here.down) * here.parallel + from.place;
            Switch { level: above, prefix: from.prefix / self.levels[above].children, place }
        }
    }
}

impl Links for FatTree {
    fn nodes(&self) -> usize {
        self.nodes
    }

    fn routers(&self) -> usize {
        self.routers
    }

    fn count(&self) -> usize {
        self.links
    }

    fn router_of(&self, node: NodeId) -> RouterId {
        RouterId::new(node.index() / self.levels[0].nodes)
    }

    fn ends(&self, link: LinkId) -> (RouterId, RouterId) {
        let (from, port) = self.source(link);
        (self.router(from), self.router(self.target(from, port)))
    }

    /// A class for each gap between two levels, lowest gap first.
    fn classes(&self) -> Vec<String> {
        (0..self.levels.len() - 1).map(gap_class).collect()
    }

    fn class(&self, link: LinkId) -> usize {
        let (from, port) = self.source(link);
        let is_down = port < self.levels[from.level].down;
        if is_down { from.level - 1 } else { from.level }
    }

    fn cost(&self, link: LinkId) -> Option<LinkCost> {
        if self.costs.links.is_empty() {
            return None; // which switch the link leaves need not be looked up
        }
        self.costs.link(self.class(link))
    }

    fn node_cost(&self, _node: NodeId) -> Option<LinkCost> {
        self.costs.node
    }

    fn own_costs(&self) -> Option<OwnCosts<Part>> {
        let first_up = |level: &Level| Part::Link(LinkId::new(level.first_link + level.down));
        let links = self.levels.iter().map(first_up).zip(0..self.levels.len() - 1);
        self.costs.summary(links, Part::Node(NodeId(0)))
    }

    fn leaving(&self, router: RouterId) -> Box<dyn Iterator<Item = LinkId> + '_> {
        let level = self.levels.partition_point(|level| level.first_router <= router.index()) - 1;
        let Level { down, up, first_router, first_link, .. } = self.levels[level];
        let first = first_link + (router.index() - first_router) * (down + up);
        Box::new((first..first + down + up).map(LinkId::new))
    }

    /// Every link has one back.
    fn most_arriving(&self) -> usize {
        self.levels.iter().map(|level| level.down + level.up).max().unwrap_or_default()
    }

    fn most_nodes(&self) -> usize {
        self.levels[0].children
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(levels: &[[usize; 2]]) -> Result<FatTree, TopologyError> {
        let stages: Vec<Stage> = levels.iter().map(|&[children, parents]| Stage { children, parents }).collect();
        FatTree::new(&stages, || "a tree".to_owned())
    }

    #[test]
    fn links_are_numbered_as_documented() -> Result<(), TopologyError> {
        let tree = tree(&[[4, 1], [3, 2], [2, 2]])?;
        assert_eq!((tree.nodes(), tree.routers(), tree.count()), (24, 6 + 4 + 4, 2 * (6 * 2 + 2 * 4)));
        // the second leaf switch has two links up, to (0; 0) and (0; 1)
        let up: Vec<_> = tree.leaving(RouterId(1)).map(|link| (link.0, tree.ends(link).1.0)).collect();
        assert_eq!(up, [(2, 6), (3, 7)]);
        // (1; 1) of the middle level: three leaves, then (; 0 1) and (; 1 1)
        let middle: Vec<_> = tree.leaving(RouterId(9)).map(|link| (link.0, tree.ends(link).1.0)).collect();
        assert_eq!(middle, [(27, 3), (28, 4), (29, 5), (30, 11), (31, 13)]);
        Ok(())
    }

    #[test]
    fn every_link_has_one_back() -> Result<(), TopologyError> {
        for levels in [&[[2, 1]][..], &[[1, 1], [3, 4]], &[[2, 1], [1, 3], [4, 1]], &[[3, 1]; 3]] {
            let tree = tree(levels)?;
            let mut count = 0;
            for router in (0..tree.routers()).map(RouterId::new) {
                for link in tree.leaving(router) {
                    let (from, to) = tree.ends(link);
                    assert_eq!((from, link.index()), (router, count));
                    assert_eq!(tree.leaving(to).filter(|&back| tree.ends(back).1 == from).count(), 1);
                    count += 1;
                }
            }
            assert_eq!(count, tree.count());
        }
        Ok(())
    }

    #[test]
    fn what_is_no_tree_or_too_large_is_refused() {
        for levels in [&[][..], &[[0, 1]], &[[2, 2]], &[[2, 1], [2, 0]]] {
            assert_eq!(tree(levels).err(), Some(TopologyError::Stages));
        }
        for levels in
            [&[[2048, 1]; 4][..], &[[2, 1]; 999], &[[1, 1], [1, usize::MAX], [1, usize::MAX], [1, usize::MAX]]]
        {
            assert!(matches!(tree(levels).err(), Some(TopologyError::TooLarge { .. })), "{levels:?}");
        }
    }
}
