//! Destinations by weight, as a traffic matrix gives them: what one source sends to each node.

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::stream;

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
