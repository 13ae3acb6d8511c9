//! Bipartitions: the pass of Fiduccia and Mattheyses that halves all classes of tasks at once.

use super::TaskGraph;
use crate::units::NodeId;

/// The side of a task that is not to pull at all.
pub(super) const NO_SIDE: u8 = 2;

/// The key of a task that may not be moved any more, below all others.
const LOCKED: i128 = i128::MIN;

/// The modified graph of MRB, never built: gains of single moves, kept in tournaments.
///
/// A key is one number: the gain in balance in its topmost 32 bits, then the gain in weight in 64, then the complement of
/// the task, so that the greatest key is the best move and the lowest task among equals. The tasks on one side of a class
/// are a group, with a tournament over their gains in weight; above is one over groups, which adds the gain in balance that
/// the group shares. Groups are those of the start of the pass: whoever has moved is locked.
pub(super) struct Bipartition<'a> {
    graph: &'a TaskGraph,
    /// Of each task: twice the node of `trees` that is its leaf, and its side; the spare node 0 if it is not to be moved.
    leaves: Vec<u32>,
    /// Of each task: its group, which is twice the class and its side at the start.
    groups: Vec<u32>,
    /// Of each group: where its tournament starts, and how many tasks it has.
    bounds: Vec<(usize, usize)>,
    trees: Vec<i128>,
    top: Vec<i128>,
    /// Of each class: the tasks on side 0 less those on side 1.
    leads: Vec<i64>,
    moved: Vec<u32>,
    /// How many classes are unbalanced.
    unbalanced: usize,
    /// Whether tournaments that were not needed were not played.
    stale: bool,
}

impl<'a> Bipartition<'a> {
    pub(super) fn new(graph: &'a TaskGraph) -> Self {
        let (leaves, groups) = (vec![0; graph.size()], vec![0; graph.size()]);
        let empty = (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (bounds, trees, top, leads, moved) = empty;
        Self { graph, leaves, groups, bounds, trees, top, leads, moved, unbalanced: 0, stale: false }
    }

    /// Moves tasks between sides until no pass gains, and returns how many passes there were, the last one included.
    ///
    /// `classes` has the tasks that may move, class by class, `size` each. `sides` is of all tasks: 0, 1 or [`NO_SIDE`].
    ///
    /// # Panics
    /// If a class comes out unbalanced, which cannot be: a task of the greater side would gain by moving.
    pub(super) fn improve(&mut self, classes: &[u32], size: usize, sides: &mut [u8]) -> usize {
        let mut passes = 1;
        while self.pass(classes, size, sides) {
            passes += 1;
        }
        for class in classes.chunks(size) {
            let ones = class.iter().filter(|&&task| sides[task as usize] == 1).count();
            assert_eq!(2 * ones, size, "a bipartition ended unbalanced");
        }
        passes
    }

    /// Moves every task once, the best first, and keeps the shortest prefix of the greatest gain. Whether any was kept.
    fn pass(&mut self, classes: &[u32], size: usize, sides: &mut [u8]) -> bool {
        self.arrange(classes, size, sides);
        let (mut sum, mut best, mut kept) = ((0, 0), (0, 0), 0);
        for moves in 1..=classes.len() {
            let task = task_of(self.top[1]);
            sum.0 += self.balance(self.groups[task as usize] as usize);
            sum.1 += self.trees[self.leaves[task as usize] as usize / 2] >> 32;
            self.shift(task, sides);
            if sum > best {
                (best, kept) = (sum, moves);
            }
        }
        for &task in &self.moved[kept..] {
            sides[task as usize] ^= 1;
        }
        kept > 0
    }

    fn arrange(&mut self, classes: &[u32], size: usize, sides: &[u8]) {
        self.bounds.clear();
        self.leads.clear();
        self.moved.clear();
        self.trees.clear();
        self.trees.resize(2 * classes.len(), LOCKED);
        let mut start = 0;
        for class in classes.chunks(size) {
            let members = |side| class.iter().copied().filter(move |&task| sides[task as usize] == side);
            let ones = members(1).count();
            for (side, count) in [(0, class.len() - ones), (1, ones)] {
                for (leaf, task) in (start + count..).zip(members(side)) {
                    self.leaves[task as usize] = NodeId::new(2 * leaf).0 + u32::from(side);
                    self.groups[task as usize] = NodeId::new(self.bounds.len()).0;
                    self.trees[leaf] = self.gain(task, sides) << 32 | i128::from(!task);
                }
                self.bounds.push((start, count));
                start += 2 * count;
            }
            self.leads.push(signed(class.len()) - 2 * signed(ones));
        }
        self.top.clear();
        self.top.resize(2 * self.bounds.len(), LOCKED);
        self.unbalanced = self.leads.iter().filter(|&&lead| lead != 0).count();
        // the spare node takes what is meant for locked tasks
        self.trees[0] = 0;
        self.rebuild();
    }

    /// What moving the task takes off the cut, wherever in the graph its neighbours are.
    fn gain(&self, task: u32, sides: &[u8]) -> i128 {
        let own = sides[task as usize];
        let pull = |&(end, weight): &(u32, u32)| match sides[end as usize] {
            NO_SIDE => 0,
            side if side == own => -i128::from(weight),
            _ => i128::from(weight),
        };
        self.graph.neighbours(task).iter().map(pull).sum()
    }

    /// What moving a task out of the group gains in balance: the coefficient of R, the weight above all weights.
    fn balance(&self, group: usize) -> i64 {
        let lead = self.leads[group / 2];
        if group.is_multiple_of(2) { lead - 1 } else { -lead - 1 }
    }

    /// Moves the task, locks it, and changes its neighbours' gains.
    fn shift(&mut self, task: u32, sides: &mut [u8]) {
        let group = self.groups[task as usize] as usize;
        let row = self.graph.neighbours(task);
        let from = u32::from(sides[task as usize]);
        sides[task as usize] ^= 1;
        self.moved.push(task);
        let lead = &mut self.leads[group / 2];
        self.unbalanced -= usize::from(*lead != 0);
        *lead += if from == 0 { -2 } else { 2 };
        self.unbalanced += usize::from(*lead != 0);
        let leaf = std::mem::take(&mut self.leaves[task as usize]) as usize / 2;
        self.trees[leaf] = LOCKED;
        let change = |side, weight| if side == from { i128::from(weight) << 33 } else { -(i128::from(weight) << 33) };
        // with many neighbours it is cheaper to play all tournaments again
        if self.stale || row.len() * 4 >= self.trees.len() {
            for &(end, weight) in row {
                let leaf = self.leaves[end as usize];
                self.trees[leaf as usize / 2] += change(leaf & 1, weight);
            }
            return self.decide(group / 2);
        }
        self.replay(leaf, group);
        for &(end, weight) in row {
            let leaf = self.leaves[end as usize];
            if leaf != 0 {
                self.trees[leaf as usize / 2] += change(leaf & 1, weight);
                self.replay(leaf as usize / 2, self.groups[end as usize] as usize);
            }
        }
        self.refresh(group);
        self.refresh(group ^ 1);
    }

    /// Plays the tournaments that are needed to know the best move after one in `class`.
    fn decide(&mut self, class: usize) {
        let lead = self.leads[class];
        if self.unbalanced == 1 && lead != 0 {
            // only moves from its greater side gain in balance
            let group = 2 * class + usize::from(lead < 0);
            self.play(group);
            let entry = self.entry(group);
            if entry != LOCKED {
                self.stale = true;
                self.top[1] = entry;
                return;
            }
        }
        self.rebuild();
    }

    /// Plays all tournaments.
    fn rebuild(&mut self) {
        self.stale = false;
        for group in 0..self.bounds.len() {
            self.play(group);
            self.top[self.bounds.len() + group] = self.entry(group);
        }
        for node in (1..self.bounds.len()).rev() {
            self.top[node] = self.top[2 * node].max(self.top[2 * node + 1]);
        }
    }

    fn play(&mut self, group: usize) {
        let (start, count) = self.bounds[group];
        let tree = &mut self.trees[start..start + 2 * count];
        for node in (1..count).rev() {
            tree[node] = tree[2 * node].max(tree[2 * node + 1]);
        }
    }

    /// Plays the games of a leaf that has changed.
    fn replay(&mut self, leaf: usize, group: usize) {
        let (start, count) = self.bounds[group];
        if climb(&mut self.trees[start..start + 2 * count], leaf - start) {
            self.refresh(group);
        }
    }

    /// Enters the group's best into the tournament of groups again.
    fn refresh(&mut self, group: usize) {
        let leaf = self.bounds.len() + group;
        let entry = self.entry(group);
        if self.top[leaf] != entry {
            self.top[leaf] = entry;
            climb(&mut self.top, leaf);
        }
    }

    fn entry(&self, group: usize) -> i128 {
        match self.bounds[group] {
            (_, 0) => LOCKED,
            (start, _) if self.trees[start + 1] == LOCKED => LOCKED,
            (start, _) => self.trees[start + 1] + (i128::from(self.balance(group)) << 96),
        }
    }
}

/// Plays the games above a changed node, and says whether the last winner changed.
fn climb(tree: &mut [i128], mut node: usize) -> bool {
    while node > 1 {
        node /= 2;
        let winner = tree[2 * node].max(tree[2 * node + 1]);
        if tree[node] == winner {
            return false;
        }
        tree[node] = winner;
    }
    true
}

fn task_of(key: i128) -> u32 {
    let [a, b, c, d, ..] = key.to_le_bytes();
    !u32::from_le_bytes([a, b, c, d])
}

fn signed(count: usize) -> i64 {
    i64::from(NodeId::new(count).0)
}

/// The weight between the sides.
pub(super) fn weight(graph: &TaskGraph, sides: &[u8]) -> u64 {
    let cut = graph.edges().filter(|&(one, other, _)| sides[one as usize] != sides[other as usize]);
    cut.map(|(_, _, weight)| u64::from(weight)).sum()
}

/// Splits every class into those on side 0 and those on side 1, in the order they had.
pub(super) fn split(classes: &mut [u32], size: usize, sides: &[u8]) {
    for class in classes.chunks_mut(size) {
        // a stable sort of two values
        class.sort_by_key(|&task| sides[task as usize]);
    }
}
