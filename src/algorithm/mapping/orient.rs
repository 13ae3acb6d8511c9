//! Which half of each class is on which side, where all classes are in two halves already.
//!
//! It knows classes only by how much two of them would rather lie alike than turned; it refuses to know what is in them.

use super::TaskGraph;
use super::side::random_sides;
use super::tournament::{Gain, Tournament};
use crate::cancel::{self, Pace};
use crate::units::NodeId;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64;

/// So few classes are turned at random before passes improve them.
const FEW: usize = 8;

/// A pass is given up after so many turns that gain nothing.
const PATIENCE: usize = 1 << 9;

/// Not merged yet, no such class.
const NONE: u32 = u32::MAX;

/// Sides for classes of two tasks, or of two merged ones, all classes decided together.
///
/// Turning a class leaves it balanced, so no balance is kept here, and classes that have much to say to each other can be
/// merged, as they are or turned, and be turned as one. That moves what no exchange inside a class can: many classes
/// that agree among themselves and not with those around them.
pub(super) fn orient(graph: &TaskGraph, pairs: &[u32], random: &mut Pcg64) -> Vec<u8> {
    let turns = Couplings::of_pairs(graph, pairs).solve(random);
    let mut sides = vec![0; graph.size()];
    for (pair, turn) in pairs.chunks_exact(2).zip(turns) {
        sides[pair[0] as usize] = turn;
        sides[pair[1] as usize] = turn ^ 1;
    }
    sides
}

/// What a class is merged into, and whether it is turned in it.
#[derive(Clone, Copy)]
struct Merged {
    into: u32,
    turn: u8,
}

/// Of any two classes, what is cut if one is turned less what is cut if none is: compressed rows, an entry in both.
struct Couplings {
    offsets: Vec<usize>,
    ends: Vec<(u32, i64)>,
}

/// Rows in the making.
struct Rows {
    rows: Couplings,
    /// Of each class, the last row that has it, and where.
    last: Vec<(u32, usize)>,
}

impl Rows {
    fn new(count: usize) -> Self {
        Self { rows: Couplings { offsets: vec![0], ends: Vec::new() }, last: vec![(NONE, 0); count] }
    }

    /// Adds to the row of `class`, which is the last; what it has with itself does not count.
    fn add(&mut self, class: u32, other: u32, weight: i64) {
        if other == class {
            return;
        }
        let (row, at) = self.last[other as usize];
        if row == class {
            self.rows.ends[at].1 += weight;
        } else {
            self.last[other as usize] = (class, self.rows.ends.len());
            self.rows.ends.push((other, weight));
        }
    }

    /// Ends the last row, without those that do not care.
    fn end(&mut self) {
        let Couplings { offsets, ends } = &mut self.rows;
        let start = offsets[offsets.len() - 1];
        let mut kept = start;
        for at in start..ends.len() {
            ends[kept] = ends[at];
            kept += usize::from(ends[at].1 != 0);
        }
        ends.truncate(kept);
        offsets.push(kept);
    }
}

impl Couplings {
    fn count(&self) -> usize {
        self.offsets.len() - 1
    }

    fn classes(&self) -> std::ops::Range<u32> {
        0..NodeId::new(self.count()).0
    }

    fn row(&self, class: u32) -> &[(u32, i64)] {
        &self.ends[self.offsets[class as usize]..self.offsets[class as usize + 1]]
    }

    /// Those of classes of two tasks; the first of each is on side 0 unless it is turned.
    fn of_pairs(graph: &TaskGraph, pairs: &[u32]) -> Self {
        let mut places = vec![NONE; graph.size()];
        for (place, &task) in (0..).zip(pairs) {
            places[task as usize] = place;
        }
        let mut rows = Rows::new(pairs.len() / 2);
        let mut pace = Pace::default();
        for (class, pair) in (0..).zip(pairs.chunks_exact(2)) {
            for (half, &task) in (0..).zip(pair) {
                pace.step();
                for &(end, weight) in graph.neighbours(task) {
                    let place = places[end as usize];
                    let weight = i64::from(weight);
                    rows.add(class, place / 2, if place & 1 == half { weight } else { -weight });
                }
            }
            rows.end();
        }
        rows.rows
    }

    /// Whether each is turned: as in the problem of merged classes, then improved.
    fn solve(&self, random: &mut Pcg64) -> Vec<u8> {
        cancel::checkpoint();
        let mut turns = self.start(random);
        let mut tournament = Tournament::new();
        while self.pass(&mut tournament, &mut turns) {}
        turns
    }

    fn start(&self, random: &mut Pcg64) -> Vec<u8> {
        if self.count() <= FEW {
            return random_sides(self.count(), random);
        }
        let (merged, count) = self.matched(random);
        // where hardly any class is merged with another, the problem is no smaller
        if 20 * count > 19 * self.count() {
            return random_sides(self.count(), random);
        }
        let small = self.merge(&merged, count).solve(random);
        merged.iter().map(|one| small[one.into as usize] ^ one.turn).collect()
    }

    /// Merges each with the free one it cares most about, in a random order, and says how many that makes.
    fn matched(&self, random: &mut Pcg64) -> (Vec<Merged>, usize) {
        let mut order: Vec<u32> = self.classes().collect();
        order.shuffle(random);
        let mut merged = vec![Merged { into: NONE, turn: 0 }; self.count()];
        let mut count = 0;
        for one in order {
            if merged[one as usize].into != NONE {
                continue;
            }
            merged[one as usize].into = NodeId::new(count).0;
            let free = self.row(one).iter().filter(|&&(end, _)| merged[end as usize].into == NONE);
            if let Some(&(other, weight)) = free.max_by_key(|&&(end, weight)| (weight.abs(), !end)) {
                merged[other as usize] = Merged { into: NodeId::new(count).0, turn: u8::from(weight < 0) };
            }
            count += 1;
        }
        (merged, count)
    }

    /// Those of merged classes.
    fn merge(&self, merged: &[Merged], count: usize) -> Self {
        let mut members = vec![[NONE; 2]; count];
        for (class, one) in (0..).zip(merged) {
            let pair = &mut members[one.into as usize];
            pair[usize::from(pair[0] != NONE)] = class;
        }
        let mut rows = Rows::new(count);
        for (into, pair) in (0..).zip(&members) {
            for &member in pair.iter().filter(|&&member| member != NONE) {
                let turn = merged[member as usize].turn;
                for &(end, weight) in self.row(member) {
                    let other = merged[end as usize];
                    rows.add(into, other.into, if other.turn == turn { weight } else { -weight });
                }
            }
            rows.end();
        }
        rows.rows
    }

    /// Turns every class once, the best first, and keeps the shortest prefix of the greatest gain. Whether any was kept.
    fn pass(&self, tournament: &mut Tournament<i64>, turns: &mut [u8]) -> bool {
        cancel::checkpoint();
        let entries = self.count().next_power_of_two();
        tournament.clear(entries);
        for class in self.classes() {
            let gains = self.row(class).iter().map(|&end| gain(end, class, turns));
            tournament.write(class as usize, gains.sum());
        }
        let mut turned: Vec<u32> = Vec::new();
        let mut sum = 0;
        let mut best = 0;
        let mut kept = 0;
        while let Some(class) = tournament.first(0, entries).filter(|_| turned.len() - kept < PATIENCE) {
            sum += tournament.get(class);
            tournament.set(class, i64::NONE);
            turns[class] ^= 1;
            turned.push(NodeId::new(class).0);
            self.turned(NodeId::new(class).0, tournament, turns);
            if sum > best {
                (best, kept) = (sum, turned.len());
            }
        }
        for &class in &turned[kept..] {
            turns[class as usize] ^= 1;
        }
        kept > 0
    }

    /// Changes the gains of those that care about one that has been turned.
    fn turned(&self, class: u32, tournament: &mut Tournament<i64>, turns: &[u8]) {
        for &(end, weight) in self.row(class) {
            let change = 2 * gain((end, weight), class, turns);
            tournament.set(end as usize, tournament.get(end as usize).plus(change));
        }
    }
}

/// What turning `class` takes off the cut between it and another.
fn gain((end, weight): (u32, i64), class: u32, turns: &[u8]) -> i64 {
    if turns[end as usize] == turns[class as usize] { -weight } else { weight }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::super::cut::weight;
    use super::*;
    use rand::SeedableRng;

    /// A ladder of 512 rungs, of which every other is upside down: only the rungs need be cut.
    #[test]
    fn classes_in_a_row_agree() {
        let pairs: Vec<u32> = (0..512).flat_map(|class| [2 * class + class % 2, 2 * class + 1 - class % 2]).collect();
        let rails = (0..511).flat_map(|class| [(2 * class, 2 * class + 2, 1), (2 * class + 1, 2 * class + 3, 1)]);
        let rungs = (0..512).map(|class| (2 * class, 2 * class + 1, 1));
        let graph = TaskGraph::new(1024, &rails.chain(rungs).collect::<Vec<_>>()).unwrap();
        for seed in 0..10 {
            let sides = orient(&graph, &pairs, &mut Pcg64::seed_from_u64(seed));
            assert!(pairs.chunks(2).all(|pair| sides[pair[0] as usize] != sides[pair[1] as usize]));
            assert_eq!(weight(&graph, &sides), 512);
        }
    }

    #[test]
    fn those_that_do_not_care_are_turned_anyhow() {
        let graph = TaskGraph::new(64, &[(0, 1, u32::MAX)]).unwrap();
        let pairs: Vec<u32> = graph.ids().collect();
        let sides = orient(&graph, &pairs, &mut Pcg64::seed_from_u64(1));
        assert!(pairs.chunks(2).all(|pair| sides[pair[0] as usize] + sides[pair[1] as usize] == 1));
    }
}
