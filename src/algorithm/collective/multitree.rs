//! MultiTree: a spanning tree for each rank, grown so that no two messages of a step share a link.
//!
//! **Problem.** Allgather, backwards reduce-scatter, and both for an all-reduce on a mesh or a torus.
//!
//! **Idea.** Tree `r` carries block `r` from its root, rank `r`. At the beginning of a time step all directed links are free. Trees take
//! turns `0, 1, .., P-1, 0, ..` until `P` turns in a row add nothing: in its turn a tree looks at the nodes that it had at the start of
//! the time step, in the order in which they joined, and at their neighbours in rising order, and takes the first free link to
//! a node that it lacks. Then the next time step, until all trees span all nodes.
//!
//! **Cost.** One hop a message, one message a link and step. On `n x n` meshes, `n = 3..12`, 5, 8, 12, 18, 24, 32, 40, 50, 60 and 72 steps
//! each way of a block each; a corner's two links need at least `ceil((P-1)/2)`.
//!
//! **Source.** Huang, Majhi, Kim et al., "Communication Algorithm-Architecture Co-Design for Distributed Deep Learning", ISCA
//! 2021, Algorithm 1. Tie rules of published schedules differ, and take more steps.
//!
//! ```
//! use flitwise::algorithm::collective::{Algorithm, Request};
//! use flitwise::routing::Lattice;
//! use flitwise::schedule::collective::Operation;
//! let mesh = Lattice::new(&[4, 4], false, &[0, 1]);
//! let request = Request { lattice: Some(&mesh), shape: vec![4, 4], ..Request::new(Operation::Allgather, 16, 16) };
//! assert_eq!(Algorithm::named("multitree").ok_or("no such algorithm")?.plan(&request)?.steps(), 8);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::ring::OF_SHARES;
use super::{Algorithm, Request};
use crate::cancel;
use crate::references;
use crate::schedule::collective::{Collective, Move, Phase};
use crate::topology::{Coordinates, Direction};
use crate::units::NodeId;

pub(super) const MULTITREE: Algorithm = Algorithm {
    name: "multitree",
    references: &[references::MULTITREE],
    summary: "one tree per rank, grown link by link so that no two messages of a step share a link",
    operations: OF_SHARES,
    takes: "all nodes of a mesh or a torus, in order",
    plan,
    extent: |request| request.extent_of_halves(request.ranks as u64, 1),
    ..Algorithm::DEFAULT
};

fn plan(request: &Request<'_>) -> Collective {
    let ranks = request.ranks;
    let mut planner = request.planner(1, ranks);
    let blocks: Vec<_> = (0..ranks).map(|block| planner.block(0, block)).collect();
    let mut allgather = Phase::default();
    let Some(lattice) = request.lattice else { return planner.finish(0) };
    let mut forest = Forest::new(lattice);
    let mut step = 0;
    while forest.left > 0 {
        for Joined { tree, parent, child } in forest.time_step() {
            allgather.send(step, Move { part: 0, src: parent, dst: child, set: blocks[tree] });
        }
        step += 1;
    }
    request.by_allgather(planner, &allgather)
}

/// A node that has joined a tree.
struct Joined {
    tree: usize,
    parent: usize,
    child: usize,
}

/// Trees that grow.
struct Forest {
    /// Per node its neighbours in rising order.
    neighbours: Vec<Vec<usize>>,
    /// The number of the first link that leaves each node.
    links: Vec<usize>,
    trees: Vec<Tree>,
    /// Nodes that trees still lack, all together.
    left: usize,
}

/// A tree.
struct Tree {
    has: Vec<bool>,
    /// The nodes that may have neighbours outside, in the order in which they joined.
    open: Vec<usize>,
    /// Those that joined in this time step.
    joined: Vec<usize>,
    /// Up to where the tree has looked in this time step: a place in `open`, and a neighbour. What it left behind stays so,
    /// because links stay taken and nodes stay in the tree.
    looked: usize,
    neighbour: usize,
}

impl Forest {
    fn new(lattice: &Coordinates) -> Self {
        let nodes = lattice.nodes();
        let neighbours: Vec<Vec<usize>> = (0..nodes).map(|node| neighbours(lattice, node)).collect();
        let mut links = Vec::with_capacity(nodes);
        let mut next = 0;
        for around in &neighbours {
            links.push(next);
            next += around.len();
        }
        let tree = |root: usize| {
            let mut has = vec![false; nodes];
            has[root] = true;
            Tree { has, open: vec![root], joined: Vec::new(), looked: 0, neighbour: 0 }
        };
        Self { neighbours, links, trees: (0..nodes).map(tree).collect(), left: nodes * (nodes - 1) }
    }

    /// The nodes that join in a time step.
    fn time_step(&mut self) -> Vec<Joined> {
        cancel::checkpoint();
        let count = self.trees.len();
        let mut free = vec![true; self.links.last().map_or(0, |last| last + self.neighbours[count - 1].len())];
        let mut all = Vec::new();
        let mut idle = 0;
        for turn in (0..count).cycle() {
            if idle == count {
                break;
            }
            match self.take_turn(turn, &mut free) {
                Some(joined) => {
                    idle = 0;
                    all.push(joined);
                }
                None => idle += 1,
            }
        }
        self.left -= all.len();
        for tree in &mut self.trees {
            tree.settle(&self.neighbours);
        }
        all
    }

    fn take_turn(&mut self, tree: usize, free: &mut [bool]) -> Option<Joined> {
        let Tree { has, open, joined, looked, neighbour } = &mut self.trees[tree];
        while let Some(&parent) = open.get(*looked) {
            let around = &self.neighbours[parent];
            while let Some(&child) = around.get(*neighbour) {
                let link = self.links[parent] + *neighbour;
                *neighbour += 1;
                if free[link] && !has[child] {
                    free[link] = false;
                    has[child] = true;
                    joined.push(child);
                    return Some(Joined { tree, parent, child });
                }
            }
            *looked += 1;
            *neighbour = 0;
        }
        None
    }
}

impl Tree {
    /// Ends a time step: what joined may be looked at, and what has no neighbours outside need not be any more.
    fn settle(&mut self, neighbours: &[Vec<usize>]) {
        let has = &self.has;
        self.open.append(&mut self.joined);
        self.open.retain(|&node| neighbours[node].iter().any(|&next| !has[next]));
        self.looked = 0;
        self.neighbour = 0;
    }
}

/// The neighbours of a node in rising order, each once.
fn neighbours(lattice: &Coordinates, node: usize) -> Vec<usize> {
    let ways = (0..lattice.dimensions()).flat_map(|d| [(d, Direction::Plus), (d, Direction::Minus)]);
    let next = ways.filter_map(|(d, way)| lattice.neighbour(NodeId::new(node), d, way)).map(NodeId::index);
    let mut all: Vec<usize> = next.filter(|&next| next != node).collect();
    all.sort_unstable();
    all.dedup();
    all
}
