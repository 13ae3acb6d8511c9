//! Bipartitions: the pass of Fiduccia and Mattheyses that halves all classes of tasks at once.

use super::TaskGraph;
use crate::units::NodeId;

/// The side of a task that is not to pull at all.
pub(super) const NO_SIDE: u8 = 2;

/// The gain of a task that may not be moved any more, below all others.
const LOCKED: i64 = i64::MIN;

/// The entry of a group without anybody to move, below all others.
const NOBODY: i128 = i128::MIN;

/// The modified graph of MRB, never built: gains of single moves, kept in tournaments.
///
/// The tasks on one side of a class are a group, with a tournament over their gains in weight, where of equals the lower
/// task is to the left and wins. Above is a tournament over groups, whose entries are one number: the gain in balance that
/// the group shares in the topmost 32 bits, then its best gain in weight in 64, then the complement of the task. Groups are
/// those of the start of the pass: whoever has moved is locked.
pub(super) struct Bipartition<'a> {
    graph: &'a TaskGraph,
    /// Of each task: twice the node of `trees` that is its leaf, and its side; the spare node 0 if it is not to be moved.
    leaves: Vec<u32>,
    /// Of each task: its group, which is twice the class and its side at the start.
    groups: Vec<u32>,
    /// Of each group: where its tournament starts, and its leaves, a power of two.
    bounds: Vec<(usize, usize)>,
    trees: Vec<i64>,
    /// Of each leaf of `trees`: the task.
    tasks: Vec<u32>,
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
        Self {
            graph,
            leaves: vec![0; graph.size()],
            groups: vec![0; graph.size()],
            bounds: Vec::new(),
            trees: Vec::new(),
            tasks: Vec::new(),
            top: Vec::new(),
            leads: Vec::new(),
            moved: Vec::new(),
            unbalanced: 0,
            stale: false,
        }
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
            sum.1 += i128::from(self.trees[self.leaves[task as usize] as usize / 2]);
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
        self.tasks.clear();
        let mut start = 0;
        for class in classes.chunks(size) {
            let members = |side| class.iter().copied().filter(move |&task| sides[task as usize] == side);
            let ones = members(1).count();
            for (side, count) in [(0, class.len() - ones), (1, ones)] {
                let width = count.max(1).next_power_of_two();
                self.trees.resize(start + 2 * width, LOCKED);
                self.tasks.resize(start + 2 * width, 0);
                for (leaf, task) in (start + width..).zip(members(side)) {
                    self.leaves[task as usize] = NodeId::new(2 * leaf).0 + u32::from(side);
                    self.groups[task as usize] = NodeId::new(self.bounds.len()).0;
                    self.trees[leaf] = self.gain(task, sides);
                    self.tasks[leaf] = task;
                }
                self.bounds.push((start, width));
                start += 2 * width;
            }
            self.leads.push(signed(class.len()) - 2 * signed(ones));
        }
        self.top.clear();
        self.top.resize(2 * self.bounds.len(), NOBODY);
        self.unbalanced = self.leads.iter().filter(|&&lead| lead != 0).count();
        // the spare node takes what is meant for locked tasks
        self.trees[0] = 0;
        self.rebuild();
    }

    /// What moving the task takes off the cut, wherever in the graph its neighbours are.
    fn gain(&self, task: u32, sides: &[u8]) -> i64 {
        // by side, with nothing for `NO_SIDE`; a table, as a branch would be mispredicted half the time
        let factors = if sides[task as usize] == 0 { [-1, 1, 0, 0] } else { [1, -1, 0, 0] };
        let pull = |&(end, weight): &(u32, u32)| i64::from(weight) * factors[usize::from(sides[end as usize] & 3)];
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
        // twice the weight, negative for those on the other side, without a branch
        let change = |side: u32, weight: u32| {
            let sign = -i64::from(side ^ from);
            ((2 * i64::from(weight)) ^ sign) - sign
        };
        // with many neighbours it is cheaper to play all tournaments again
        if self.stale || row.len() * 8 >= self.trees.len() {
            self.trees[leaf] = LOCKED;
            for &(end, weight) in row {
                let leaf = self.leaves[end as usize];
                let gain = &mut self.trees[leaf as usize / 2];
                *gain = gain.wrapping_add(change(leaf & 1, weight));
            }
            return self.decide(group / 2);
        }
        self.replay(leaf, group, LOCKED);
        for &(end, weight) in row {
            let leaf = self.leaves[end as usize];
            if leaf != 0 {
                let gain = self.trees[leaf as usize / 2] + change(leaf & 1, weight);
                self.replay(leaf as usize / 2, self.groups[end as usize] as usize, gain);
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
            if entry != NOBODY {
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
        let (start, width) = self.bounds[group];
        let tree = &mut self.trees[start..start + 2 * width];
        for node in (1..width).rev() {
            tree[node] = tree[2 * node].max(tree[2 * node + 1]);
        }
    }

    /// Gives a leaf a gain and plays its games.
    fn replay(&mut self, leaf: usize, group: usize, gain: i64) {
        let (start, width) = self.bounds[group];
        let tree = &mut self.trees[start..start + 2 * width];
        // among equals the best may be another task even where the best gain stays
        let matters = tree[leaf - start].max(gain) >= tree[1];
        tree[leaf - start] = gain;
        climb(tree, leaf - start);
        if matters {
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
        let (start, width) = self.bounds[group];
        let tree = &self.trees[start..start + 2 * width];
        let gain = tree[1];
        if gain == LOCKED {
            return NOBODY;
        }
        let mut node = 1;
        while node < width {
            node = 2 * node + usize::from(tree[2 * node] != gain);
        }
        let task = self.tasks[start + node];
        (i128::from(self.balance(group)) << 96) + (i128::from(gain) << 32) + i128::from(!task)
    }
}

/// Plays the games above a changed node, until one ends as before.
fn climb<T: Ord + Copy>(tree: &mut [T], mut node: usize) {
    while node > 1 {
        node /= 2;
        let winner = tree[2 * node].max(tree[2 * node + 1]);
        if tree[node] == winner {
            return;
        }
        tree[node] = winner;
    }
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
