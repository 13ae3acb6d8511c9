//! Choices by weight: the destinations of a source as a traffic matrix gives them, and a few choices with integer weights.

use rand::RngExt;
use rand_distr::weighted::{Error, WeightedAliasIndex};
use rand_pcg::Pcg64;

/// A row of a traffic matrix: how likely each destination is, relative to the others.
#[derive(Clone, Debug)]
pub struct Weights {
    total: f64,
    weights: Box<[f64]>,
    /// None if all weights are zero.
    destinations: Option<WeightedAliasIndex<f64>>,
}

impl Weights {
    /// The row of these weights, one per destination.
    ///
    /// *Cost.* O(nodes) time and memory; a draw takes O(1).
    ///
    /// # Panics
    /// If a weight is negative or not a number, or so large that the sum of the row is not finite.
    #[expect(clippy::panic, reason = "readers of scenarios accept weights from 0 to 1e12")]
    pub fn new(weights: &[f64]) -> Self {
        let destinations = match WeightedAliasIndex::new(weights.to_vec()) {
            Ok(destinations) => Some(destinations),
            Err(Error::InsufficientNonZero | Error::InvalidInput) => None,
            Err(error) => panic!("weights of a traffic matrix: {error}"),
        };
        Self { total: weights.iter().sum(), weights: weights.into(), destinations }
    }

    /// The sum of the weights.
    pub fn total(&self) -> f64 {
        self.total
    }

    /// The probability of `destination`, 0 if all weights are zero.
    pub fn probability(&self, destination: usize) -> f64 {
        if self.total > 0.0 { self.weights[destination] / self.total } else { 0.0 }
    }

    /// A destination; none if all weights are zero.
    pub fn draw(&self, random: &mut Pcg64) -> Option<usize> {
        self.destinations.as_ref().map(|destinations| random.sample(destinations))
    }
}

/// Integer weights of a few choices, as scenarios list them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IntegerWeights {
    /// For each choice, the sum of its weight and of those before it.
    sums: Box<[usize]>,
}

impl IntegerWeights {
    /// Creates the weights.
    ///
    /// # Panics
    /// If no weight is above 0.
    pub fn new(weights: &[u32]) -> Self {
        let add = |sum: &mut usize, &weight: &u32| {
            *sum += weight as usize;
            Some(*sum)
        };
        let sums: Box<[usize]> = weights.iter().scan(0, add).collect();
        assert!(sums.last().is_some_and(|&total| total > 0), "a choice has a weight above 0");
        Self { sums }
    }

    /// The sum of the weights.
    fn total(&self) -> usize {
        self.sums.last().copied().unwrap_or_default()
    }

    /// The weights, by choice.
    pub fn weights(&self) -> Vec<usize> {
        let before = std::iter::once(&0).chain(&self.sums);
        self.sums.iter().zip(before).map(|(sum, before)| sum - before).collect()
    }

    /// True if all weights are 1.
    pub fn are_ones(&self) -> bool {
        (1..).zip(&self.sums).all(|(number, &sum)| number == sum)
    }

    /// The probability of choice `index`.
    pub fn probability(&self, index: usize) -> f64 {
        self.share(index, 1.0)
    }

    /// The part of `amount` that goes to choice `index`.
    pub fn share(&self, index: usize, amount: f64) -> f64 {
        let before = index.checked_sub(1).map_or(0, |before| self.sums[before]);
        amount * (self.sums[index] - before) as f64 / self.total() as f64
    }

    /// The mean of `values`, one for each choice.
    pub fn mean(&self, values: &[u32]) -> f64 {
        let weighted = values.iter().zip(self.weights()).map(|(&value, weight)| f64::from(value) * weight as f64);
        weighted.sum::<f64>() / self.total() as f64
    }

    /// Draws a choice with one random number below the sum of the weights.
    pub fn draw(&self, random: &mut Pcg64) -> usize {
        let number = random.random_range(0..self.total());
        self.sums.partition_point(|&sum| sum <= number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::stream;

    #[test]
    fn integer_weights_are_probabilities_of_their_choices() {
        let weights = IntegerWeights::new(&[0, 1, 0, 3]);
        for (index, probability) in [0.0, 0.25, 0.0, 0.75].into_iter().enumerate() {
            assert!((weights.probability(index) - probability).abs() < 1e-12);
        }
        assert_eq!(weights.weights(), [0, 1, 0, 3]);
        let mut random = stream(1, "test", 0);
        let mut seen = [0_u32; 4];
        (0..40_000).for_each(|_| seen[weights.draw(&mut random)] += 1);
        assert_eq!([seen[0], seen[2]], [0; 2]);
        assert!((29_500..30_500).contains(&seen[3]), "{seen:?}");
    }

    /// Hotspots without weights draw as they did before there were weights.
    #[test]
    fn equal_weights_draw_the_index_itself() {
        let weights = IntegerWeights::new(&[1; 7]);
        let mut random = stream(1, "test", 0);
        let mut other = random.clone();
        for _ in 0..100 {
            assert_eq!(weights.draw(&mut random), other.random_range(0..7_usize));
        }
    }

    #[test]
    #[should_panic(expected = "a choice has a weight above 0")]
    fn integer_weights_of_zero_are_refused() {
        let _ = IntegerWeights::new(&[0, 0]);
    }

    #[test]
    fn destinations_come_as_often_as_their_weights_say() {
        let weights = Weights::new(&[0.0, 1.0, 0.0, 3.0, 1e-9]);
        let mut seen = [0_u32; 5];
        let mut random = stream(1, "test", 0);
        for destination in std::iter::repeat_with(|| weights.draw(&mut random)).take(40_000).flatten() {
            seen[destination] += 1;
        }
        assert_eq!([seen[0], seen[2], seen[4]], [0; 3]);
        assert!((29_500..30_500).contains(&seen[3]), "{seen:?}");
    }

    #[test]
    fn rows_without_weight_have_no_destination() {
        let mut random = stream(1, "test", 0);
        for row in [&[0.0; 3][..], &[]] {
            assert_eq!(Weights::new(row).draw(&mut random), None);
        }
    }

    #[test]
    #[should_panic(expected = "weights of a traffic matrix")]
    fn negative_weights_are_refused() {
        let _ = Weights::new(&[1.0, -1.0]);
    }
}
