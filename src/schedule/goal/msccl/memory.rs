//! The data of a chunk: nothing, a chunk of the input of a GPU, or a sum of such chunks.

use std::fmt;
use std::rc::Rc;

/// The content of a chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// No data: it is not an input, and no step has written it.
    Nothing,
    /// Chunk `index` of the input of `gpu`.
    One { index: u64, gpu: u32 },
    /// Chunk `index` of the inputs of several GPUs, summed up.
    Sum(Rc<Sum>),
    /// A mistake has got into it: the number of the mistake.
    Broken(usize),
}

/// A sum over GPUs, a bit for each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sum {
    index: u64,
    gpus: Vec<u64>,
}

/// The reason why two values have no sum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NoSum {
    /// They are of different chunks.
    Mixed(u64, u64),
    /// The chunk of a GPU is in both.
    Twice { index: u64, gpu: u32 },
}

impl Value {
    fn sum(self) -> Option<Rc<Sum>> {
        match self {
            Self::One { index, gpu } => {
                let mut gpus = vec![0; gpu as usize / 64 + 1];
                gpus[gpu as usize / 64] = 1 << (gpu % 64);
                Some(Rc::new(Sum { index, gpus }))
            }
            Self::Sum(sum) => Some(sum),
            Self::Nothing | Self::Broken(_) => None,
        }
    }

    /// The sum of two values that are chunks or sums.
    pub(super) fn plus(self, other: Self) -> Result<Self, NoSum> {
        let (one, other) = match (self.clone().sum(), other.clone().sum()) {
            (Some(one), Some(other)) => (one, other),
            (None, _) => return Ok(self),
            (_, None) => return Ok(other),
        };
        if one.index != other.index {
            return Err(NoSum::Mixed(one.index, other.index));
        }
        if let Some(gpu) = one.members().find(|&gpu| other.contains(gpu)) {
            return Err(NoSum::Twice { index: one.index, gpu });
        }
        let words = one.gpus.len().max(other.gpus.len());
        let word = |sum: &Sum, at: usize| sum.gpus.get(at).copied().unwrap_or_default();
        let gpus = (0..words).map(|at| word(&one, at) | word(&other, at)).collect();
        Ok(Self::Sum(Rc::new(Sum { index: one.index, gpus })))
    }

    /// True if it is the sum of chunk `index` over all of `gpus` GPUs.
    pub(super) fn is_whole(&self, index: u64, gpus: u64) -> bool {
        match self {
            Self::One { index: own, .. } => *own == index && gpus == 1,
            Self::Sum(sum) => sum.index == index && sum.count() == gpus,
            Self::Nothing | Self::Broken(_) => false,
        }
    }
}

impl Sum {
    fn contains(&self, gpu: u32) -> bool {
        self.gpus.get(gpu as usize / 64).is_some_and(|word| word >> (gpu % 64) & 1 == 1)
    }

    fn members(&self) -> impl Iterator<Item = u32> {
        (0_u32..)
            .zip(&self.gpus)
            .flat_map(|(at, &word)| (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| 64 * at + bit))
    }

    fn count(&self) -> u64 {
        self.gpus.iter().map(|word| u64::from(word.count_ones())).sum()
    }
}

/// The most members of a sum that are named.
const NAMED: u64 = 8;

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => f.write_str("no data"),
            Self::One { index, gpu } => write!(f, "chunk {index} of gpu {gpu}"),
            Self::Sum(sum) if sum.count() > NAMED => {
                write!(f, "the sum of chunk {} over {} gpus", sum.index, sum.count())
            }
            Self::Sum(sum) => {
                let members: Vec<String> = sum.members().map(|gpu| gpu.to_string()).collect();
                let (last, others) = members.split_last().map_or((String::new(), &[][..]), |(l, o)| (l.clone(), o));
                write!(f, "the sum of chunk {} over gpus {} and {last}", sum.index, others.join(", "))
            }
            Self::Broken(_) => f.write_str("invalid data"),
        }
    }
}
