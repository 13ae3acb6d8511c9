//! The postconditions of collectives: the chunk that each place of each output has to hold in the end.

use super::{Buffer, Placement};
use std::fmt;

/// A collective whose result is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Collective {
    AllGather,
    AllReduce,
    ReduceScatter,
    AllToAll,
    Broadcast,
    Reduce,
}

impl Collective {
    /// By the values of the attribute `coll`.
    pub(super) const NAMES: [(&str, Self); 6] = [
        ("allgather", Self::AllGather),
        ("allreduce", Self::AllReduce),
        ("reduce_scatter", Self::ReduceScatter),
        ("alltoall", Self::AllToAll),
        ("broadcast", Self::Broadcast),
        ("reduce", Self::Reduce),
    ];

    /// True if a GPU has a part of the chunks to itself: they have to be a multiple of the GPUs.
    pub(super) fn has_shares(self) -> bool {
        matches!(self, Self::AllGather | Self::ReduceScatter | Self::AllToAll)
    }

    /// The part of `chunks` in the input of each of `gpus` GPUs.
    pub(super) fn input(self, chunks: u64, gpus: u64) -> u64 {
        if self == Self::AllGather { chunks / gpus } else { chunks }
    }

    /// The part of `chunks` in the output of each of `gpus` GPUs.
    pub(super) fn output(self, chunks: u64, gpus: u64) -> u64 {
        if self == Self::ReduceScatter { chunks / gpus } else { chunks }
    }

    /// Its postcondition, as the end of a sentence that begins with its name.
    pub(super) fn postcondition(self, root: u32) -> String {
        match self {
            Self::AllGather => "every gpu ends with every chunk".to_owned(),
            Self::AllReduce => "every gpu ends with every chunk summed over all gpus".to_owned(),
            Self::ReduceScatter => "every gpu ends with its share of the chunks, summed over all gpus".to_owned(),
            Self::AllToAll => "every gpu ends with its chunks of every gpu".to_owned(),
            Self::Broadcast => format!("every gpu ends with every chunk of gpu {root}"),
            Self::Reduce => format!("gpu {root} ends with every chunk summed over all gpus"),
        }
    }

    /// Its name with an article.
    pub(super) fn with_article(self) -> String {
        let article = if matches!(self, Self::AllGather | Self::AllReduce | Self::AllToAll) { "an" } else { "a" };
        format!("{article} {self}")
    }
}

impl fmt::Display for Collective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::AllGather => "all-gather",
            Self::AllReduce => "all-reduce",
            Self::ReduceScatter => "reduce-scatter",
            Self::AllToAll => "all-to-all",
            Self::Broadcast => "broadcast",
            Self::Reduce => "reduce",
        })
    }
}

/// The contribution that a chunk of an output has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Required {
    /// The number of the chunk in the input.
    pub(super) index: u64,
    /// The GPU whose chunk it is, or `None` if it is the sum over all.
    pub(super) gpu: Option<u32>,
}

/// A call of a collective.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    pub(super) collective: Collective,
    pub(super) placement: Placement,
    pub(super) gpus: u64,
    pub(super) chunks: u64,
}

impl Call {
    /// Chunks that each GPU has to itself.
    fn share(&self) -> u64 {
        self.chunks / self.gpus
    }

    /// Chunks of the input of a GPU.
    pub(super) fn input(&self) -> u64 {
        self.collective.input(self.chunks, self.gpus)
    }

    /// Chunks of the output of a GPU.
    pub(super) fn output(&self) -> u64 {
        self.collective.output(self.chunks, self.gpus)
    }

    /// True if `gpu` has an output where `root` is the root.
    pub(super) fn is_receiver(&self, gpu: u32, root: u32) -> bool {
        self.collective != Collective::Reduce || gpu == root
    }

    /// The contribution that chunk `at` of the output of `gpu` has to be.
    pub(super) fn required(&self, gpu: u32, at: u64, root: u32) -> Required {
        let share = self.share().max(1);
        let first = u64::from(gpu) * share;
        let owner = || u32::try_from(at / share).ok();
        match self.collective {
            Collective::AllGather => Required { index: at % share, gpu: owner() },
            Collective::AllToAll => Required { index: first + at % share, gpu: owner() },
            Collective::ReduceScatter => Required { index: first + at, gpu: None },
            Collective::AllReduce | Collective::Reduce => Required { index: at, gpu: None },
            Collective::Broadcast => Required { index: at, gpu: Some(root) },
        }
    }

    /// The memory of `gpu`, whose buffers have the `sizes` of the file, or the sizes that the call needs. In place, one of
    /// input and output lies within the other.
    pub(super) fn layout(&self, gpu: u32, sizes: [u64; 3]) -> Layout {
        let [input, output, scratch] = sizes;
        let input = input.max(self.input());
        let output = output.max(self.output());
        let start = u64::from(gpu) * self.share();
        let (starts, end) = match (self.placement, self.collective) {
            (Placement::OutOfPlace, _) => ([0, input], input + output),
            (Placement::InPlace, Collective::AllGather) => ([start, 0], output.max(start + input)),
            (Placement::InPlace, Collective::ReduceScatter) => ([0, start], input.max(start + output)),
            (Placement::InPlace, _) => ([0, 0], input.max(output)),
        };
        Layout { starts: [starts[0], starts[1], end], size: end + scratch }
    }
}

/// The starts of the buffers of a GPU in its memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    starts: [u64; 3],
    /// Chunks of all of them together.
    pub(super) size: u64,
}

impl Layout {
    /// The layout of buffers without overlap.
    pub(super) fn contiguous([input, output, scratch]: [u64; 3]) -> Self {
        Self { starts: [0, input, input + output], size: input + output + scratch }
    }

    /// The index of a chunk in the memory.
    pub(super) fn index(&self, buffer: Buffer, at: u64) -> u64 {
        self.starts[buffer as usize] + at
    }
}
