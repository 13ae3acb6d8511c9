//! Selection of the elements that fail in a repetition: by a list, by a random order, and by a probability.
//!
//! Draws depend on the seed and the repetition alone, so that all points and algorithms of a repetition see the same order. The
//! elements of a smaller number or probability are among those of a larger one.

use crate::machine::Draw;
use crate::random;
use rand::RngExt;
use serde::Serialize;
use std::collections::BTreeSet;

/// Elements that fail, or are slow.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Selection<T: Ord> {
    /// Those that the scenario lists.
    pub(super) listed: BTreeSet<T>,
    /// The number of others that each repetition draws.
    pub(super) random: usize,
    /// The probability of each element, drawn in addition.
    pub(super) probability: f64,
}

impl<T: Ord> Default for Selection<T> {
    fn default() -> Self {
        Self { listed: BTreeSet::new(), random: 0, probability: 0.0 }
    }
}

impl<T: Ord + Copy> Selection<T> {
    /// Returns true if repetitions differ.
    pub(super) fn is_drawn(&self) -> bool {
        self.random > 0 || self.probability > 0.0
    }

    /// Returns true if it can select anything.
    pub(super) fn is_any(&self) -> bool {
        self.is_drawn() || !self.listed.is_empty()
    }

    /// The selected elements of `all`, drawn from the streams of `purpose`. Elements that are `excluded` are not drawn.
    pub(super) fn draw(&self, all: &[T], purpose: &str, draw: Draw, excluded: impl Fn(&T) -> bool) -> BTreeSet<T> {
        let mut selected = self.listed.clone();
        if self.random > 0 {
            let others = order(all, purpose, draw).into_iter();
            let others = others.filter(|element| !self.listed.contains(element) && !excluded(element));
            selected.extend(others.take(self.random));
        }
        if self.probability > 0.0 {
            let mut random = random::stream(draw.seed, &format!("faults {purpose}"), draw.repetition);
            // a number for each, so that one that is excluded does not move what others draw
            let drawn = all.iter().filter(|_| random.random::<f64>() < self.probability);
            selected.extend(drawn.filter(|element| !excluded(element)));
        }
        selected
    }
}

/// `all` in a random order.
fn order<T: Copy>(all: &[T], purpose: &str, draw: Draw) -> Vec<T> {
    let mut random = random::stream(draw.seed, &format!("faults {purpose} order"), draw.repetition);
    let mut order = all.to_vec();
    for at in (1..order.len()).rev() {
        order.swap(at, random.random_range(0..=at));
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRAW: Draw = Draw { seed: 7, repetition: 3 };

    fn selected(random: usize, probability: f64, draw: Draw) -> BTreeSet<u32> {
        let all: Vec<u32> = (0..200).collect();
        let selection = Selection { listed: [5, 9].into(), random, probability };
        selection.draw(&all, "links", draw, |_| false)
    }

    #[test]
    fn fewer_are_among_more() {
        let mut before = selected(0, 0.0, DRAW);
        assert_eq!(before, [5, 9].into());
        for random in [1, 2, 17, 100, 198] {
            let remaining = selected(random, 0.0, DRAW);
            assert_eq!(remaining.len(), 2 + random);
            assert!(before.is_subset(&remaining));
            before = remaining;
        }
        let mut before = selected(0, 0.0, DRAW);
        for probability in [0.05, 0.3, 0.31, 1.0] {
            let remaining = selected(0, probability, DRAW);
            assert!(before.is_subset(&remaining));
            before = remaining;
        }
        assert_eq!(before.len(), 200);
    }

    #[test]
    fn draws_depend_on_seed_and_repetition() {
        let first = selected(20, 0.0, DRAW);
        assert_eq!(first, selected(20, 0.0, DRAW));
        for draw in [Draw { seed: 8, ..DRAW }, Draw { repetition: 4, ..DRAW }] {
            assert_ne!(first, selected(20, 0.0, draw));
        }
    }

    #[test]
    fn each_fails_with_its_probability() {
        let counts = (0..400).map(|repetition| selected(0, 0.1, Draw { repetition, ..DRAW }).len());
        let mean = counts.sum::<usize>() as f64 / 400.0;
        // 2 are listed, and each of 198 others fails once in ten
        assert!((mean - 21.8).abs() < 0.7, "{mean}");
    }

    #[test]
    fn what_is_excluded_is_not_drawn() {
        let all: Vec<u32> = (0..10).collect();
        let selection = Selection { listed: BTreeSet::new(), random: 6, probability: 0.5 };
        let selected = selection.draw(&all, "slow", DRAW, |element| *element < 4);
        assert_eq!(selected, (4..10).collect());
    }
}
