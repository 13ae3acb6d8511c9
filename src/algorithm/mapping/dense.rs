//! Bipartitions of graphs in which nearly all tasks talk to each other: [`super::cut`] on a table of weights.
//!
//! A move then changes nearly all gains, so they are all changed at once, many with one instruction, and the best of
//! each block is found on the way. What is moved, and in which order, is the same to the last task.

use super::TaskGraph;
use super::side::{OUT, signed};
use super::tournament::Gain;
use crate::cancel::{self, Pace};
use crate::units::NodeId;

/// How many gains one winner stands for; rows of the table are filled up to a multiple of it.
const WIDTH: usize = 64;

/// The most tasks of a table: from there on passes may give up early, which is not for here.
const MOST_TASKS: usize = 1 << 16;

/// Whether the table of a graph is worth its memory, at most twice that of the edges: two bytes a pair of tasks.
pub(super) fn is_dense(graph: &TaskGraph) -> bool {
    graph.size() <= MOST_TASKS && 16 * graph.edge_count() >= graph.size() * graph.size()
}

/// The tasks that take part in a bipartition, by rank, the lowest first, and what is known of them. No gain is beyond
/// the weight at its task, and none of those beyond 16 bits.
pub(super) struct Dense<'a> {
    graph: &'a TaskGraph,
    /// The rank of each task; [`OUT`] for those that take no part.
    ranks: Vec<u32>,
    ranked: Vec<u32>,
    /// By rank and rank: the weight between the two.
    table: Vec<i16>,
    /// Whether that is of all tasks.
    is_whole: bool,
    /// By rank: how much more weight there is to tasks outside on side 1 than on side 0.
    outside: Vec<i32>,
    classes: Vec<u32>,
    sides: Vec<u8>,
    /// Whether a task has been moved to balance its class, and stays.
    settled: Vec<bool>,
    /// 1 for those on side 1, -1 for those on side 0, when the gains were computed.
    signs: Vec<i16>,
    gains: Vec<i16>,
    /// The best of each [`WIDTH`] gains.
    winners: Vec<i16>,
    /// The ranks of each class, those on side 0 first, and how many there are on each side.
    slots: Vec<u32>,
    counts: Vec<[usize; 2]>,
    moved: Vec<u32>,
}

impl<'a> Dense<'a> {
    pub(super) fn new(graph: &'a TaskGraph) -> Self {
        Self {
            graph,
            ranks: vec![OUT; graph.size()],
            ranked: Vec::new(),
            table: Vec::new(),
            is_whole: false,
            outside: Vec::new(),
            classes: Vec::new(),
            sides: Vec::new(),
            settled: Vec::new(),
            signs: Vec::new(),
            gains: Vec::new(),
            winners: Vec::new(),
            slots: Vec::new(),
            counts: Vec::new(),
            moved: Vec::new(),
        }
    }

    pub(super) fn improve(&mut self, classes: &[u32], size: usize, sides: &mut [u8]) -> usize {
        self.enter(classes, size, sides);
        let mut passes = 1;
        while self.pass(size) {
            passes += 1;
        }
        for (&task, &side) in self.ranked.iter().zip(&self.sides) {
            sides[task as usize] = side;
            self.ranks[task as usize] = OUT;
        }
        passes
    }

    fn stride(&self) -> usize {
        self.gains.len()
    }

    /// Lays out the tasks of `classes`.
    fn enter(&mut self, classes: &[u32], size: usize, sides: &[u8]) {
        let count = classes.len();
        self.ranked.clear();
        self.ranked.extend_from_slice(classes);
        self.ranked.sort_unstable();
        self.sides.clear();
        for (rank, &task) in self.ranked.iter().enumerate() {
            self.ranks[task as usize] = NodeId::new(rank).0;
            self.sides.push(sides[task as usize]);
        }
        self.classes.clear();
        self.classes.resize(count, 0);
        for (at, &task) in classes.iter().enumerate() {
            self.classes[self.ranks[task as usize] as usize] = NodeId::new(at / size).0;
        }
        let stride = count.next_multiple_of(WIDTH);
        self.signs.clear();
        self.signs.resize(stride, 0);
        self.gains.resize(stride, i16::NONE);
        self.winners.resize(stride / WIDTH, i16::NONE);
        self.settled.resize(count, false);
        self.slots.resize(count, 0);
        self.counts.resize(count / size, [0, 0]);
        let is_whole = count == self.graph.size();
        if !(is_whole && self.is_whole) {
            self.tabulate(sides);
        }
        self.is_whole = is_whole;
    }

    fn tabulate(&mut self, sides: &[u8]) {
        let stride = self.stride();
        self.table.clear();
        self.table.resize(self.ranked.len() * stride, 0);
        self.outside.clear();
        // no branches, which would be mispredicted: who takes part does not pull, who does not is put behind the row
        let pull = |(&rank, &side): (&u32, &u8)| if rank == OUT { [-1, 1, 0, 0][usize::from(side & 3)] } else { 0 };
        let pulls: Vec<i32> = self.ranks.iter().zip(sides).map(pull).collect();
        let mut weights = vec![0; stride + 1];
        for (&task, row) in self.ranked.iter().zip(self.table.chunks_exact_mut(stride)) {
            weights.fill(0);
            let mut outside = 0;
            for &(end, weight) in self.graph.neighbours(task) {
                let weight = i16::new(weight.into());
                outside += i32::from(weight) * pulls[end as usize];
                weights[(self.ranks[end as usize] as usize).min(stride)] = weight;
            }
            self.outside.push(outside);
            row.copy_from_slice(&weights[..stride]);
        }
    }

    /// As the pass of [`super::cut::Passes`].
    fn pass(&mut self, size: usize) -> bool {
        cancel::checkpoint();
        self.moved.clear();
        self.settled.fill(false);
        let leads = self.arrange(size);
        if leads.iter().any(|&lead| lead != 0) {
            self.balance(leads);
            self.arrange(size);
        }
        let kept = self.pairs(size);
        for &rank in &self.moved[kept..] {
            self.sides[rank as usize] ^= 1;
        }
        kept > 0
    }

    /// Computes the gains of all that may still move, and returns of each class the tasks on side 0 less those on side 1.
    fn arrange(&mut self, size: usize) -> Vec<i64> {
        for (sign, &side) in self.signs.iter_mut().zip(&self.sides) {
            *sign = if side == 0 { -1 } else { 1 };
        }
        let rows = self.table.chunks_exact(self.stride());
        self.gains.fill(i16::NONE);
        for (rank, row) in rows.enumerate().filter(|&(rank, _)| !self.settled[rank]) {
            let products = row.iter().zip(&self.signs).map(|(&weight, &sign)| i32::from(weight) * i32::from(sign));
            let pulled = products.sum::<i32>() + self.outside[rank];
            self.gains[rank] = i16::new((if self.sides[rank] == 0 { pulled } else { -pulled }).into());
        }
        for (winner, gains) in self.winners.iter_mut().zip(self.gains.chunks_exact(WIDTH)) {
            *winner = gains.iter().fold(i16::NONE, |best, &gain| best.max(gain));
        }
        self.lay(size);
        self.counts.iter().map(|&[zeros, ones]| signed(zeros) - signed(ones)).collect()
    }

    /// Gives slots to all that may still move.
    fn lay(&mut self, size: usize) {
        self.counts.fill([0, 0]);
        for side in [0, 1] {
            for (rank, &class) in self.classes.iter().enumerate() {
                if self.sides[rank] == side && !self.settled[rank] {
                    let counts = &mut self.counts[class as usize];
                    self.slots[class as usize * size + counts[0] + counts[1]] = NodeId::new(rank).0;
                    counts[usize::from(side)] += 1;
                }
            }
        }
    }

    /// The ranks of a class that were on a side when gains were computed, and have not been moved to balance it.
    fn half(&self, size: usize, class: usize, side: u8) -> &[u32] {
        let [zeros, ones] = self.counts[class];
        let (start, count) = if side == 0 { (0, zeros) } else { (zeros, ones) };
        &self.slots[class * size + start..][..count]
    }

    /// Moves tasks from greater sides until all classes are balanced.
    fn balance(&mut self, mut leads: Vec<i64>) {
        let size = self.ranked.len() / leads.len();
        while let Some(most) = leads.iter().map(|lead| lead.abs()).max().filter(|&most| most > 0) {
            let mut shown: Vec<u32> = Vec::new();
            for class in (0..leads.len()).filter(|&class| leads[class].abs() == most) {
                let half = self.half(size, class, u8::from(leads[class] < 0));
                shown.extend(half.iter().filter(|&&rank| !self.settled[rank as usize]));
            }
            shown.sort_unstable();
            while let Some(rank) = self.best(&shown) {
                let class = self.classes[rank];
                self.shift(rank);
                self.settled[rank] = true;
                let lead = &mut leads[class as usize];
                *lead -= 2 * lead.signum();
                shown.retain(|&rank| self.classes[rank as usize] != class);
            }
        }
    }

    /// The first of the best of `ranks`, which ascend, if any may move.
    fn best(&self, ranks: &[u32]) -> Option<usize> {
        let (mut best, mut first) = (i16::NONE, None);
        for &rank in ranks {
            let gain = self.gains[rank as usize];
            if gain > best {
                (best, first) = (gain, Some(rank as usize));
            }
        }
        first
    }

    fn best_of_all(&self) -> Option<usize> {
        let (best, first) = first_of_best(&self.winners);
        let start = first * WIDTH;
        (best > i16::NONE).then(|| start + first_of_best(&self.gains[start..start + WIDTH]).1)
    }

    /// Moves pairs, and returns how many moves to keep.
    fn pairs(&mut self, size: usize) -> usize {
        let (mut sum, mut best, mut kept) = (0, 0, self.moved.len());
        let mut pace = Pace::default();
        while let Some(rank) = self.best_of_all() {
            pace.step();
            let (class, side) = (self.classes[rank] as usize, self.sides[rank]);
            sum += self.shift(rank);
            let Some(other) = self.best(self.half(size, class, side ^ 1)) else { break };
            sum += self.shift(other);
            if sum > best {
                (best, kept) = (sum, self.moved.len());
            }
        }
        kept
    }

    /// Moves a task, for good in this pass, changes all gains, and returns its own.
    fn shift(&mut self, rank: usize) -> i64 {
        let gain = std::mem::replace(&mut self.gains[rank], i16::NONE).weight();
        self.moved.push(NodeId::new(rank).0);
        self.sides[rank] ^= 1;
        if self.sides[rank] == 0 {
            self.change(rank, i16::wrapping_add);
        } else {
            self.change(rank, i16::wrapping_sub);
        }
        gain
    }

    /// Changes the gains by twice the weight to a task that has moved.
    fn change(&mut self, rank: usize, change: impl Fn(i16, i16) -> i16) {
        let stride = self.stride();
        let row = self.table[rank * stride..][..stride].chunks_exact(WIDTH);
        let blocks = self.gains.chunks_exact_mut(WIDTH).zip(row).zip(self.signs.chunks_exact(WIDTH));
        for (((gains, row), signs), winner) in blocks.zip(&mut self.winners) {
            let mut best = i16::NONE;
            for ((gain, &weight), &sign) in gains.iter_mut().zip(row).zip(signs) {
                let changed = change(*gain, weight.wrapping_mul(sign).wrapping_mul(2));
                *gain = if *gain == i16::NONE { i16::NONE } else { changed };
                best = best.max(*gain);
            }
            *winner = best;
        }
    }
}

fn first_of_best(gains: &[i16]) -> (i16, usize) {
    let best = gains.iter().fold(i16::NONE, |best, &gain| best.max(gain));
    (best, gains.iter().take_while(|&&gain| gain != best).count())
}
