//! Bipartitions: the pass of Fiduccia and Mattheyses that halves all classes of tasks at once.

use super::TaskGraph;
use super::dense::{Dense, is_dense};
use super::side::{OUT, signed};
use super::tournament::{Gain, Tournament};
use crate::cancel::{self, Pace};
use crate::units::NodeId;

/// The side of a task that is not to pull at all.
pub(super) const NO_SIDE: u8 = 2;

/// Bipartitions of one graph after another, with gains as narrow as its weights allow.
pub(super) enum Bipartition<'a> {
    Narrow(Passes<'a, i16>),
    Wide(Passes<'a, i64>),
    Dense(Dense<'a>),
}

impl<'a> Bipartition<'a> {
    /// With passes that go to their end, but of very many tasks.
    pub(super) fn new(graph: &'a TaskGraph) -> Self {
        Self::with_effort(graph, PATIENT)
    }

    /// With passes that are given up soon: of [`super::mrb()`] of many tasks.
    pub(super) fn hasty(graph: &'a TaskGraph) -> Self {
        Self::with_effort(graph, HASTY)
    }

    fn with_effort(graph: &'a TaskGraph, effort: Effort) -> Self {
        // no gain is beyond the weight at its task
        let narrow = graph.ids().all(|task| graph.weighted_degree(task) <= i16::MAX.unsigned_abs().into());
        match (narrow, is_dense(graph)) {
            (true, true) => Self::Dense(Dense::new(graph)),
            (true, false) => Self::Narrow(Passes::new(graph, effort)),
            (false, _) => Self::Wide(Passes::new(graph, effort)),
        }
    }

    /// Moves tasks between sides until no pass gains, and returns how many passes there were, the last one included.
    ///
    /// `classes` has the tasks that may move, class by class, `size` each, which is even, ascending in each. `sides` is
    /// of all tasks: 0, 1 or [`NO_SIDE`].
    ///
    /// # Panics
    /// If a class comes out unbalanced, which cannot be: a task of the greater side would gain by moving.
    pub(super) fn improve(&mut self, classes: &[u32], size: usize, sides: &mut [u8]) -> usize {
        let passes = match self {
            Self::Narrow(passes) => passes.improve(classes, size, sides),
            Self::Wide(passes) => passes.improve(classes, size, sides),
            Self::Dense(passes) => passes.improve(classes, size, sides),
        };
        for class in classes.chunks(size) {
            let ones = class.iter().filter(|&&task| sides[task as usize] == 1).count();
            assert_eq!(2 * ones, size, "a bipartition ended unbalanced");
        }
        passes
    }
}

/// How long bipartitions of many tasks go on.
///
/// From the third pass or so on, the prefix that is kept is either short or nearly everything, which is as good as
/// moving the few that are left; looking for the latter takes all moves. So of many tasks a pass is first given up
/// after a number of moves that gain nothing, and only where that finds no prefix, and only a few times a bipartition,
/// it goes to its end.
#[derive(Clone, Copy, Debug)]
struct Effort {
    /// Up to so many tasks, all passes go to their end.
    exact: usize,
    /// How many moves after the best prefix a pass is given up.
    patience: usize,
    /// How many passes go to their end nevertheless.
    full: usize,
}

/// G(262144, 4 N) costs 0.05 % more than with full passes, in a third of the time.
const PATIENT: Effort = Effort { exact: 1 << 16, patience: 1 << 14, full: 8 };

/// From good starts, G(65536, 4 N) costs less than with full passes from random ones.
const HASTY: Effort = Effort { exact: 1 << 13, patience: 1 << 10, full: 0 };

/// Where a task is in the tournaments.
#[derive(Clone, Copy)]
struct Place {
    /// Among all that may move, the lowest first; [`OUT`] if it may not.
    rank: u32,
    /// Twice the slot, and the side at the start of the pass.
    slot: u32,
}

/// The modified graph of MRB, never built: the gains of single moves in weight, in two tournaments.
///
/// With R, a move gains in balance before it gains in weight. So the most unbalanced classes move a task of their
/// greater side, each once, the best first; and again, until all are balanced. From then on moves come in pairs: the
/// best of all, in a tournament by rank; then the best on the other side of its class, in a tournament by slots, in
/// which the tasks on one side of a class are together. Where there is no such other, no later prefix is balanced, and
/// the pass ends.
pub(super) struct Passes<'a, G> {
    graph: &'a TaskGraph,
    places: Vec<Place>,
    ranked: Vec<u32>,
    /// The tasks by slot: class by class, in each those of side 0 first.
    slotted: Vec<u32>,
    by_rank: Tournament<G>,
    by_slot: Tournament<G>,
    moved: Vec<u32>,
    effort: Effort,
    /// Rank, slot and new gain of those that a move changes.
    changes: Vec<(u32, u32, G)>,
}

impl<'a, G: Gain> Passes<'a, G> {
    fn new(graph: &'a TaskGraph, effort: Effort) -> Self {
        Self {
            graph,
            places: vec![Place { rank: OUT, slot: 0 }; graph.size()],
            ranked: Vec::new(),
            slotted: Vec::new(),
            by_rank: Tournament::new(),
            by_slot: Tournament::new(),
            moved: Vec::new(),
            effort,
            changes: Vec::new(),
        }
    }

    fn improve(&mut self, classes: &[u32], size: usize, sides: &mut [u8]) -> usize {
        self.ranked.clear();
        self.ranked.extend_from_slice(classes);
        self.ranked.sort_unstable();
        let mut passes = 1;
        let (patience, mut full) =
            if classes.len() > self.effort.exact { (self.effort.patience, self.effort.full) } else { (usize::MAX, 0) };
        let mut limit = patience;
        loop {
            if self.pass(classes, size, sides, limit) {
                limit = patience;
            } else if limit < usize::MAX && full > 0 {
                (limit, full) = (usize::MAX, full - 1);
            } else {
                break;
            }
            passes += 1;
        }
        for &task in classes {
            self.places[task as usize].rank = OUT;
        }
        passes
    }

    /// Moves every task once, the best first, and keeps the shortest prefix of the greatest gain. Whether any was kept.
    ///
    /// It ends after `limit` moves that are not kept.
    fn pass(&mut self, classes: &[u32], size: usize, sides: &mut [u8], limit: usize) -> bool {
        cancel::checkpoint();
        self.moved.clear();
        for (rank, &task) in self.ranked.iter().enumerate() {
            self.places[task as usize].rank = NodeId::new(rank).0;
        }
        let leads = self.arrange(classes, size, sides);
        if leads.iter().any(|&lead| lead != 0) {
            self.balance(leads, size, sides);
            self.arrange(classes, size, sides);
        }
        for at in 0..self.ranked.len() {
            self.show(self.ranked[at]);
        }
        let kept = self.pairs(size, sides, limit);
        for &task in &self.moved[kept..] {
            sides[task as usize] ^= 1;
        }
        kept > 0
    }

    /// Gives slots to all that may still move, and returns of each class the tasks on side 0 less those on side 1.
    fn arrange(&mut self, classes: &[u32], size: usize, sides: &[u8]) -> Vec<i64> {
        self.by_rank.clear(classes.len());
        self.by_slot.clear(classes.len());
        self.slotted.clear();
        self.slotted.resize(classes.len(), classes[0]);
        let mut leads = Vec::with_capacity(classes.len() / size);
        for (at, class) in classes.chunks(size).enumerate() {
            let movable = || class.iter().copied().filter(|&task| self.places[task as usize].rank != OUT);
            let ones = movable().filter(|&task| sides[task as usize] == 1).count();
            let zeros = movable().count() - ones;
            // halves, so that a side's slots are entries that one winner stands for; a side has more only before `balance`
            let mut next = [at * size, at * size + zeros.max(size - ones.max(size / 2))];
            for &task in class {
                let place = &mut self.places[task as usize];
                if place.rank != OUT {
                    let side = sides[task as usize];
                    let slot = &mut next[usize::from(side)];
                    place.slot = NodeId::new(2 * *slot).0 + u32::from(side);
                    self.slotted[*slot] = task;
                    *slot += 1;
                }
            }
            leads.push(signed(zeros) - signed(ones));
        }
        for &task in &self.ranked {
            let Place { rank, slot } = self.places[task as usize];
            if rank != OUT {
                self.by_slot.write(slot as usize / 2, G::new(gain(self.graph, task, sides)));
            }
        }
        leads
    }

    /// Moves tasks from greater sides until all classes are balanced.
    fn balance(&mut self, mut leads: Vec<i64>, size: usize, sides: &mut [u8]) {
        while let Some(most) = leads.iter().map(|lead| lead.abs()).max().filter(|&most| most > 0) {
            for class in (0..leads.len()).filter(|&class| leads[class].abs() == most) {
                for slot in class * size..(class + 1) * size {
                    let task = self.slotted[slot];
                    if sides[task as usize] == u8::from(leads[class] < 0) {
                        self.show(task);
                    }
                }
            }
            while let Some(rank) = self.by_rank.first(0, self.ranked.len()) {
                let task = self.ranked[rank];
                let class = self.places[task as usize].slot as usize / 2 / size;
                self.shift(task, sides);
                self.places[task as usize].rank = OUT;
                leads[class] -= 2 * leads[class].signum();
                for &task in &self.slotted[class * size..(class + 1) * size] {
                    let rank = self.places[task as usize].rank;
                    if rank != OUT {
                        self.by_rank.set(rank as usize, G::NONE);
                    }
                }
            }
        }
    }

    /// Enters a task into the tournament by rank.
    fn show(&mut self, task: u32) {
        let Place { rank, slot } = self.places[task as usize];
        if rank != OUT {
            self.by_rank.write(rank as usize, self.by_slot.get(slot as usize / 2));
        }
    }

    /// Moves pairs until `limit` moves are not to be kept, and returns how many moves to keep.
    fn pairs(&mut self, size: usize, sides: &mut [u8], limit: usize) -> usize {
        let (mut sum, mut best, mut kept) = (0, 0, self.moved.len());
        let mut pace = Pace::default();
        while let Some(rank) = self.by_rank.first(0, self.ranked.len()) {
            pace.step();
            if self.moved.len() - kept >= limit {
                break;
            }
            let task = self.ranked[rank];
            let half = self.places[task as usize].slot as usize / size;
            sum += self.shift(task, sides);
            let Some(slot) = self.by_slot.first((half ^ 1) * (size / 2), size / 2) else { break };
            sum += self.shift(self.slotted[slot], sides);
            if sum > best {
                (best, kept) = (sum, self.moved.len());
            }
        }
        kept
    }

    /// Moves the task, for good in this pass, changes its neighbours' gains, and returns its own.
    fn shift(&mut self, task: u32, sides: &mut [u8]) -> i64 {
        let Place { rank, slot } = self.places[task as usize];
        let (rank, slot) = (rank as usize, slot as usize / 2);
        let gain = self.by_slot.get(slot).weight();
        let from = u32::from(sides[task as usize]);
        sides[task as usize] ^= 1;
        self.moved.push(task);
        let row = self.graph.neighbours(task);
        // twice the weight, negative for those on the other side, without a branch
        let change = |place: Place, weight: u32| {
            let sign = -i64::from((place.slot & 1) ^ from);
            ((2 * i64::from(weight)) ^ sign) - sign
        };
        // with many neighbours it is cheaper to play all games again
        if row.len() * 16 >= self.ranked.len() {
            let (ranks, slots) = (self.by_rank.entries(), self.by_slot.entries());
            (ranks[rank], slots[slot]) = (G::NONE, G::NONE);
            for &(end, weight) in row {
                let place = self.places[end as usize];
                if place.rank != OUT {
                    let change = change(place, weight);
                    for entry in [&mut ranks[place.rank as usize], &mut slots[place.slot as usize / 2]] {
                        *entry = entry.plus(change);
                    }
                }
            }
            return gain;
        }
        self.by_rank.set(rank, G::NONE);
        self.by_slot.set(slot, G::NONE);
        // first all that are looked up, without a branch that would wait for them, then all that change
        let (mut count, changes) = (0, &mut self.changes);
        changes.resize(row.len().max(changes.len()), (0, 0, G::NONE));
        for &(end, weight) in row {
            let place = self.places[end as usize];
            let slot = if place.rank == OUT { slot } else { place.slot as usize / 2 };
            let gain = self.by_slot.get(slot);
            changes[count] = (place.rank, place.slot / 2, gain.plus(change(place, weight)));
            count += usize::from(gain != G::NONE);
        }
        for &(rank, slot, gain) in &changes[..count] {
            self.by_slot.set(slot as usize, gain);
            if self.by_rank.get(rank as usize) != G::NONE {
                self.by_rank.set(rank as usize, gain);
            }
        }
        gain
    }
}

/// What moving the task takes off the cut, wherever in the graph its neighbours are.
fn gain(graph: &TaskGraph, task: u32, sides: &[u8]) -> i64 {
    // by side, with nothing for `NO_SIDE`; a table, as a branch would be mispredicted half the time
    let factors = if sides[task as usize] == 0 { [-1, 1, 0, 0] } else { [1, -1, 0, 0] };
    let pull = |&(end, weight): &(u32, u32)| i64::from(weight) * factors[usize::from(sides[end as usize] & 3)];
    graph.neighbours(task).iter().map(pull).sum()
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

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::super::{generate, side::random_sides};
    use super::*;
    use rand::SeedableRng;
    use rand_pcg::Pcg64;

    /// The cut of a bipartition of G(2048, 8192), and the moves of its last pass.
    fn halve(effort: Effort, seed: u64) -> (u64, usize) {
        let random = &mut Pcg64::seed_from_u64(seed);
        let graph = generate::gnm(2048, 8192, 5, random).unwrap();
        let mut sides = random_sides(graph.size(), random);
        let mut passes = Passes::<i16>::new(&graph, effort);
        let classes: Vec<u32> = graph.ids().collect();
        passes.improve(&classes, graph.size(), &mut sides);
        (weight(&graph, &sides), passes.moved.len())
    }

    #[test]
    fn impatient_passes_move_less_and_cost_little() {
        let (mut exact, mut impatient) = (0, 0);
        for seed in 0..20 {
            let all = Effort { exact: 2048, patience: 64, full: 0 };
            let (cut, moved) = halve(all, seed);
            // the last pass, but for tasks without a partner left
            assert!(moved > 1900, "{moved}");
            exact += cut;
            let (cut, moved) = halve(Effort { exact: 0, ..all }, seed);
            assert_eq!(moved, 64, "the last pass keeps nothing, so gives up after 64 moves");
            impatient += cut;
        }
        assert!(impatient >= exact && impatient * 100 <= exact * 105, "{impatient} {exact}");
    }

    #[test]
    fn narrow_gains_are_wide_ones() {
        for seed in 0..20 {
            let random = &mut Pcg64::seed_from_u64(seed);
            let graph = generate::gnm(200, 900, 9, random).unwrap();
            let classes: Vec<u32> = graph.ids().collect();
            let mut narrow = random_sides(graph.size(), random);
            let mut wide = narrow.clone();
            let passes = Passes::<i16>::new(&graph, PATIENT).improve(&classes, 64, &mut narrow);
            assert_eq!(passes, Passes::<i64>::new(&graph, PATIENT).improve(&classes, 64, &mut wide));
            assert_eq!(narrow, wide);
        }
    }

    #[test]
    fn tables_move_the_same_tasks() {
        for seed in 0..60_usize {
            let random = &mut Pcg64::seed_from_u64(seed as u64);
            let tasks = [16, 100, 256][seed % 3];
            let graph = generate::gnp(tasks, 0.5, 3, random).unwrap();
            assert!(is_dense(&graph));
            let mut dense = Dense::new(&graph);
            let mut narrow = Passes::<i16>::new(&graph, PATIENT);
            let classes: Vec<u32> = graph.ids().collect();
            let size = graph.size();
            // all tasks in classes of some size, twice; then classes alone, with others on a side or on none
            for (classes, size) in [
                (&classes[..], size / 4),
                (&classes[..], 2),
                (&classes[size / 2..], size / 2),
                (&classes[..size / 4], size / 8),
                (&classes[..], size),
            ] {
                let mut sides = random_sides(graph.size(), random);
                if classes.len() < graph.size() {
                    sides.iter_mut().step_by(3).for_each(|side| *side = NO_SIDE);
                    classes.iter().for_each(|&task| sides[task as usize] &= 1);
                }
                let mut theirs = sides.clone();
                let passes = dense.improve(classes, size, &mut sides);
                assert_eq!(passes, narrow.improve(classes, size, &mut theirs), "seed {seed}");
                assert_eq!(sides, theirs, "seed {seed}");
            }
        }
    }

    #[test]
    fn heavy_tasks_have_wide_gains() {
        let edges = |weight| [(0, 1, weight), (1, 2, 1)];
        let light = TaskGraph::new(64, &edges(32_766)).unwrap();
        assert!(matches!(Bipartition::new(&light), Bipartition::Narrow(_)));
        let heavy = TaskGraph::new(64, &edges(32_767)).unwrap();
        assert!(matches!(Bipartition::new(&heavy), Bipartition::Wide(_)));
        let all = TaskGraph::new(3, &[(0, 1, 1), (1, 2, 1), (0, 2, 1)]).unwrap();
        assert!(matches!(Bipartition::new(&all), Bipartition::Dense(_)));
    }
}
