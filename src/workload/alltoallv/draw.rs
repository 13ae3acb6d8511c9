//! Tokens that ranks send to experts, drawn at random.

use super::Matrix;
use super::read::{AllToAllV, Blocks, Skew};
use crate::kind::Job;
use crate::random;
use rand::seq::SliceRandom;
use rand::{Rng, RngExt};
use rand_pcg::Pcg64;
use std::sync::Arc;

/// Draws that find an expert that is already taken before the rest of the experts is weighed.
const TRIES: usize = 16;

impl AllToAllV {
    /// The bytes of the repetition of `job`, or an example.
    pub(super) fn matrix(&self, job: Option<Job<'_>>) -> Arc<Matrix> {
        let (ranks, tokens, top_k, experts, bytes_per_token, skew) = match &self.blocks {
            Blocks::Matrix { matrix, .. } => return Arc::clone(matrix),
            Blocks::Drawn { ranks, tokens, top_k, experts, bytes_per_token, skew } => {
                (ranks, tokens, top_k, experts, bytes_per_token, skew)
            }
        };
        let (seed, repetition) = job.map_or((0, 0), |job| (job.seed, job.repetition));
        let mut random = random::stream(seed, "experts", repetition);
        let weights = Weights::new(skew.weights(*experts, &mut random));
        let mut bytes = vec![0; ranks * ranks];
        for from in 0..*ranks {
            let mut experts_taken = Vec::with_capacity(*top_k);
            for _ in 0..*tokens {
                experts_taken.clear();
                for _ in 0..*top_k {
                    let expert = weights.draw(&experts_taken, &mut random);
                    experts_taken.push(expert);
                    bytes[from * ranks + expert / (experts / ranks)] += bytes_per_token;
                }
            }
        }
        Arc::new(Matrix { ranks: *ranks, bytes })
    }
}

impl Skew {
    /// The weights of `experts` experts.
    fn weights(self, experts: usize, random: &mut Pcg64) -> Vec<f64> {
        match self {
            Self::Uniform => vec![1.0; experts],
            Self::Zipf { exponent } => {
                let mut weights: Vec<f64> =
                    (1..).take(experts).map(|place: u32| libm::pow(f64::from(place), -exponent)).collect();
                weights.shuffle(random);
                weights
            }
            Self::Lognormal { sigma } => (0..experts).map(|_| random::lognormal(random, 0.0, sigma)).collect(),
        }
    }
}

/// Weights from which experts are drawn.
struct Weights {
    weights: Vec<f64>,
    /// The sums of the weights up to each.
    sums: Vec<f64>,
}

impl Weights {
    fn new(weights: Vec<f64>) -> Self {
        let sum = |sum: &mut f64, weight: &f64| {
            *sum += weight;
            Some(*sum)
        };
        let sums = weights.iter().scan(0.0, sum).collect();
        Self { weights, sums }
    }

    /// Draws an expert that is not among the `taken` ones, by weight.
    fn draw(&self, taken: &[usize], random: &mut impl Rng) -> usize {
        let all = self.sums[self.sums.len() - 1];
        for _ in 0..TRIES {
            let draw = random.random::<f64>() * all;
            let expert = self.sums.partition_point(|&sum| sum <= draw).min(self.sums.len() - 1);
            if !taken.contains(&expert) {
                return expert;
            }
        }
        let free = || (0..self.weights.len()).filter(|expert| !taken.contains(expert));
        let mut rest = random.random::<f64>() * free().map(|expert| self.weights[expert]).sum::<f64>();
        let mut last = 0;
        for expert in free() {
            last = expert;
            rest -= self.weights[expert];
            if rest < 0.0 {
                break;
            }
        }
        last
    }
}
