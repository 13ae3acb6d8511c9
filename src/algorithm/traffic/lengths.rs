//! Lengths of packets.

use super::IntegerWeights;
use crate::random;
use rand_pcg::Pcg64;
use serde::ser::{Serialize, SerializeStruct, Serializer};
use std::sync::Arc;

/// Lengths of packets, flits.
#[derive(Clone, Debug, PartialEq)]
pub enum Lengths {
    /// All packets have the same length.
    Fixed(u32),
    /// Short and long packets.
    Long {
        /// Flits of a short packet.
        flits: u32,
        /// Flits of a long packet.
        long: u32,
        /// The fraction of packets that are long.
        fraction: f64,
    },
    /// Each packet draws one of several lengths.
    Mixed(Arc<LengthMix>),
}

/// Lengths by weight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LengthMix {
    flits: Vec<u32>,
    weights: IntegerWeights,
}

impl LengthMix {
    /// The lengths, flits.
    pub fn flits(&self) -> &[u32] {
        &self.flits
    }

    /// The weights of the lengths.
    pub fn weights(&self) -> &IntegerWeights {
        &self.weights
    }

    fn probability(&self, index: usize) -> f64 {
        self.weights.probability(index)
    }
}

impl Lengths {
    /// Lengths that packets draw by weight, from pairs of flits and weight. A single length is not drawn.
    ///
    /// # Panics
    /// If no weight is above 0.
    pub fn mixed(lengths: &[(u32, u32)]) -> Self {
        if let [(flits, 1..)] = *lengths {
            return Self::Fixed(flits);
        }
        let (flits, weights): (Vec<u32>, Vec<u32>) = lengths.iter().copied().unzip();
        Self::Mixed(Arc::new(LengthMix { flits, weights: IntegerWeights::new(&weights) }))
    }

    /// The mean length, flits.
    pub fn mean(&self) -> f64 {
        match self {
            Self::Fixed(flits) => f64::from(*flits),
            Self::Long { flits, long, fraction } => {
                let short = f64::from(*flits);
                short + fraction * (f64::from(*long) - short)
            }
            Self::Mixed(mix) => mix.weights.mean(&mix.flits),
        }
    }

    /// All lengths that packets have, the shortest first.
    pub fn values(&self) -> Vec<u32> {
        let mut values: Vec<u32> = match self {
            Self::Fixed(flits) => vec![*flits],
            Self::Long { flits, long, fraction } => {
                let occurring = [(*flits, *fraction < 1.0), (*long, *fraction > 0.0)];
                occurring.into_iter().filter(|&(_, occurs)| occurs).map(|(flits, _)| flits).collect()
            }
            Self::Mixed(mix) => {
                let lengths = mix.flits.iter().enumerate();
                lengths.filter(|&(index, _)| mix.probability(index) > 0.0).map(|(_, &flits)| flits).collect()
            }
        };
        values.sort_unstable();
        values.dedup();
        values
    }

    /// The length of the longest packet.
    pub fn longest(&self) -> u32 {
        match self {
            Self::Fixed(flits) => *flits,
            Self::Long { flits, long, .. } => *flits.max(long),
            Self::Mixed(mix) => mix.flits.iter().copied().max().unwrap_or(1),
        }
    }

    /// The length of the shortest packet.
    pub fn shortest(&self) -> u32 {
        match self {
            Self::Fixed(flits) => *flits,
            Self::Long { flits, long, .. } => *flits.min(long),
            Self::Mixed(mix) => mix.flits.iter().copied().min().unwrap_or(1),
        }
    }

    /// Draws the length of a packet. A fixed length takes no random number.
    pub(super) fn draw(&self, random: &mut Pcg64) -> u32 {
        match self {
            Self::Fixed(flits) => *flits,
            Self::Long { flits, long, fraction } => {
                if random::uniform(random) <= *fraction {
                    *long
                } else {
                    *flits
                }
            }
            Self::Mixed(mix) => mix.flits[mix.weights.draw(random)],
        }
    }
}

/// The form that identifies scenarios. Lengths without weights keep the form that they had before there were mixes.
impl Serialize for Lengths {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut table = serializer.serialize_struct("Lengths", 2)?;
        match self {
            Self::Fixed(flits) => {
                table.serialize_field("flits", flits)?;
                table.serialize_field("long", &None::<(u32, f64)>)?;
            }
            Self::Long { flits, long, fraction } => {
                table.serialize_field("flits", flits)?;
                table.serialize_field("long", &Some((long, fraction)))?;
            }
            Self::Mixed(mix) => {
                table.serialize_field("flits", &mix.flits)?;
                table.serialize_field("weights", &mix.weights.weights())?;
            }
        }
        table.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_the_lengths_that_occur() {
        let values = |long, fraction| Lengths::Long { flits: 5, long, fraction }.values();
        assert_eq!(values(1, 0.2), [1, 5]);
        assert_eq!(values(9, 0.2), [5, 9]);
        assert_eq!([values(9, 0.0), values(9, 1.0), values(5, 0.5)], [[5], [9], [5]]);
        assert_eq!(Lengths::Fixed(5).values(), [5]);
        assert_eq!(Lengths::mixed(&[(9, 1), (2, 3), (7, 0), (9, 1)]).values(), [2, 9]);
    }

    #[test]
    fn a_mix_of_one_length_is_fixed() {
        assert_eq!(Lengths::mixed(&[(4, 3)]), Lengths::Fixed(4));
    }

    #[test]
    fn mixed_lengths_have_the_mean_and_the_shares_of_their_weights() {
        let mixed = Lengths::mixed(&[(1, 3), (16, 1), (40, 0)]);
        assert!((mixed.mean() - 4.75).abs() < 1e-12);
        assert_eq!([mixed.shortest(), mixed.longest()], [1, 40]);
        let mut random = random::stream(1, "test", 0);
        let drawn: Vec<u32> = (0..40_000).map(|_| mixed.draw(&mut random)).collect();
        let long = drawn.iter().filter(|&&flits| flits == 16).count();
        assert!((9_700..10_300).contains(&long), "{long}");
        assert!(drawn.iter().all(|&flits| flits == 1 || flits == 16));
    }
}
