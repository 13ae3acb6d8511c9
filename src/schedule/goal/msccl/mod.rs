//! MSCCL XML in: collective schedules of GPU libraries as operations, a rank for each GPU.
//!
//! ```text
//!   xml       elements, their attributes, and errors at their places
//!   read      XML into an Algorithm: every step with its buffers, checked one by one
//!   order     the order of steps: threadblocks, dependencies, messages
//!   lower     an Algorithm into operations, which a model or a network executes
//!   verify    the data: the content of every chunk, and the postcondition of the collective
//!   races     accesses to one chunk without an order
//! ```
//!
//! A threadblock is one sequence of steps, each after the one before it has finished, or started if that sends: what is
//! sent lies in a buffer, and no sender waits for its receiver. A step may wait for one more step of another threadblock,
//! and `nop` steps for further ones. A send of `cnt` chunks is matched with the receive at the same place among those
//! of its channel between the two GPUs, which the tag says. Chunks are parts of a buffer of a given size. Copies within
//! a GPU take no time, reductions a time per byte. All threadblocks of a GPU share processor 0.
//!
//! Steps have the meaning of the interpreter of microsoft/msccl (`msccl_interpreter.h`). Postconditions are those of `check` in microsoft/msccl-tools (`msccl/language/collectives.py`).

mod collective;
mod lower;
mod memory;
mod order;
mod races;
mod read;
mod verify;
mod xml;

pub use verify::DataCheck;

use super::{BlockStep, Goal, GoalError};
use collective::Collective;
use std::fmt;
use std::ops::Range;

/// Sizes and times of the chunks of an MSCCL file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Msccl {
    /// The size of the buffer that all chunks together make, bytes.
    pub buffer_bytes: u64,
    /// The time of a reduction, ticks per byte.
    pub reduce_per_byte: u64,
}

impl Msccl {
    /// Reads MSCCL XML as operations.
    ///
    /// # Errors
    /// With the first thing in it that is wrong.
    pub fn read(&self, bytes: &[u8]) -> Result<Goal, GoalError> {
        Ok(Algorithm::read(bytes)?.operations(*self))
    }
}

/// An algorithm of a collective, as MSCCL XML says it: threadblocks of GPUs and their steps.
#[derive(Clone, Debug)]
pub struct Algorithm {
    /// The attribute `coll`.
    name: String,
    /// The collective, if its postcondition is known.
    collective: Option<Collective>,
    /// The placements of data with which it may be called.
    placements: Vec<Placement>,
    /// The chunks that the larger of the two buffers of a GPU is cut into: `nchunksperloop`.
    chunks: u64,
    gpus: Vec<Gpu>,
    /// GPU by GPU, in the order of the file.
    blocks: Vec<Block>,
    /// Threadblock by threadblock.
    steps: Vec<Step>,
}

/// The placement of the input and the output of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Placement {
    /// One within the other.
    InPlace,
    /// In buffers of their own.
    OutOfPlace,
}

#[derive(Clone, Debug)]
struct Gpu {
    line: u32,
    /// Chunks of its input, output and scratch buffers.
    sizes: [u64; 3],
    blocks: Range<usize>,
}

#[derive(Clone, Debug)]
struct Block {
    gpu: u32,
    id: u32,
    /// The GPUs that it sends to and receives from.
    send: Option<u32>,
    receive: Option<u32>,
    channel: u32,
    steps: Range<usize>,
}

#[derive(Clone, Debug)]
struct Step {
    kind: StepKind,
    /// The local chunks that it reads and writes, as far as the file names those that its kind needs.
    source: Option<Slice>,
    target: Option<Slice>,
    count: u64,
    /// The step of another threadblock that it waits for.
    after: Option<usize>,
    block: usize,
    number: u32,
    line: u32,
}

/// The first of some chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Slice {
    buffer: Buffer,
    offset: u64,
}

/// A buffer of a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Buffer {
    Input = 0,
    Output = 1,
    Scratch = 2,
}

impl Buffer {
    /// As the attributes `srcbuf` and `dstbuf` name them.
    const NAMES: [(&str, Self); 3] = [("i", Self::Input), ("o", Self::Output), ("s", Self::Scratch)];
    /// The attributes of a GPU that give their sizes.
    const SIZES: [&str; 3] = ["i_chunks", "o_chunks", "s_chunks"];
}

impl fmt::Display for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(["input", "output", "scratch"][*self as usize])
    }
}

/// The type of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StepKind {
    Send,
    Receive,
    ReceiveCopySend,
    ReceiveReduceCopy,
    ReceiveReduceSend,
    ReceiveReduceCopySend,
    Reduce,
    Copy,
    Nop,
}

impl StepKind {
    /// By the values of the attribute `type`.
    const NAMES: [(&str, Self); 9] = [
        ("s", Self::Send),
        ("r", Self::Receive),
        ("rcs", Self::ReceiveCopySend),
        ("rrc", Self::ReceiveReduceCopy),
        ("rrs", Self::ReceiveReduceSend),
        ("rrcs", Self::ReceiveReduceCopySend),
        ("re", Self::Reduce),
        ("cpy", Self::Copy),
        ("nop", Self::Nop),
    ];

    fn receives(self) -> bool {
        !matches!(self, Self::Send | Self::Reduce | Self::Copy | Self::Nop)
    }

    fn sends(self) -> bool {
        matches!(self, Self::Send | Self::ReceiveCopySend | Self::ReceiveReduceSend | Self::ReceiveReduceCopySend)
    }

    fn reduces(self) -> bool {
        matches!(self, Self::ReceiveReduceCopy | Self::ReceiveReduceSend | Self::ReceiveReduceCopySend | Self::Reduce)
    }

    /// True if it reads chunks of its own GPU at `srcoff`.
    fn reads(self) -> bool {
        !matches!(self, Self::Receive | Self::ReceiveCopySend | Self::Nop)
    }

    /// True if it writes chunks of its own GPU at `dstoff`.
    fn writes(self) -> bool {
        !matches!(self, Self::Send | Self::ReceiveReduceSend | Self::Nop)
    }
}

impl Algorithm {
    /// The GPU of step number `at`.
    fn gpu_of(&self, at: usize) -> usize {
        self.blocks[self.steps[at].block].gpu as usize
    }

    /// The name of step number `at` within its GPU.
    fn block_step(&self, at: usize) -> BlockStep {
        let step = &self.steps[at];
        BlockStep { block: self.blocks[step.block].id, step: step.number }
    }

    /// The GPU and the name of step number `at`.
    fn owner(&self, at: usize) -> String {
        format!("gpu {}, {}", self.gpu_of(at), self.block_step(at))
    }
}
