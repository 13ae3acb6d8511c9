//! Wavefront sweeps, as in Sweep3D: a rank computes a block when its neighbours upstream have sent theirs.
//!
//! Source: Hoisie, Lubeck, Wasserman (2000), Performance and scalability analysis of teraflop-scale parallel architectures using
//! multidimensional wavefront applications. With free messages of latency L, one sweep takes `(X + Y - 2) (compute + L) + blocks
//! compute`.

use crate::config::{Diagnostic, Files, Reader};
use crate::kind::{Kind, Read, Template};
use crate::schedule::goal::{Goal, GoalBuilder, Operation};
use crate::units::{Key, narrow};
use crate::workload::application::{self, DETAILS, FLIT_BYTES, NODES, Program, Scene, Source, has_room, product};
use serde::Serialize;
use std::sync::Arc;

/// Wavefront sweeps in the registry.
pub static KIND: Kind = Kind {
    name: "wavefront",
    summary: "sweeps over a grid of ranks from its corners, as in Sweep3D",
    in_words: "a wavefront",
    keys: KEYS,
    template: Template { scenario: include_str!("template.toml"), files: &[] },
    read: Read::Source(read),
    ..application::KIND
};

const SHAPE: Key = Key::integers("shape", 1..=1 << 31).says("ranks in both dimensions, as [X, Y]");
const BLOCKS: Key = Key::integer("blocks", 1..=1 << 40).says("blocks of a rank in a sweep");
const BYTES_X: Key = Key::integer("bytes_x", 0..=1 << 50)
    .unit("bytes")
    .says("size of a message to the next rank in the first dimension");
const BYTES_Y: Key = Key::integer("bytes_y", 0..=1 << 50)
    .unit("bytes")
    .says("size of a message to the next rank in the second dimension");
const COMPUTE: Key = Key::integer("compute", 0..=1 << 50).unit("ticks").says("computation time of a block");
const SWEEPS: Key = Key::integer("sweeps", 1..=8).or(8).says("sweeps of an iteration, two from each corner in turn");
const ITERATIONS: Key = Key::integer("iterations", 1..=1 << 40).or(1).says("number of iterations");

const KEYS: &[Key] = &[SHAPE, BLOCKS, BYTES_X, BYTES_Y, COMPUTE, SWEEPS, ITERATIONS, FLIT_BYTES, NODES, DETAILS];

/// Wavefront sweeps.
#[derive(Clone, Debug, Serialize)]
pub struct Wavefront {
    /// Ranks in both dimensions.
    pub shape: [u64; 2],
    /// The blocks of a rank in a sweep.
    pub blocks: u64,
    /// The bytes of a message along each dimension.
    pub bytes: [u64; 2],
    /// The ticks of a block.
    pub compute: u64,
    /// The sweeps of an iteration.
    pub sweeps: u64,
    /// The number of iterations.
    pub iterations: u64,
}

fn read(table: &Reader<'_>, _: &Scene<'_>, files: &mut Files<'_>) -> Option<Arc<dyn Source>> {
    table.demand(&SHAPE);
    let shape = table.integers(&SHAPE);
    let [blocks, bytes_x, bytes_y, compute] =
        [BLOCKS, BYTES_X, BYTES_Y, COMPUTE].map(|key| table.required_integer(&key));
    let [sweeps, iterations] = [SWEEPS, ITERATIONS].map(|key| table.integer(&key));
    let shape: Vec<u64> = shape?.into_iter().map(|(value, _)| value).collect();
    let Ok(shape) = <[u64; 2]>::try_from(shape.as_slice()) else {
        let message = format!("`{}` has {} dimensions", table.path_of("shape"), shape.len());
        table.error(Diagnostic::at(table.place_of("shape"), message).note("accepted: two dimensions, as [X, Y]"));
        return None;
    };
    let wavefront =
        Wavefront { shape, blocks: blocks?, bytes: [bytes_x?, bytes_y?], compute: compute?, sweeps, iterations };
    let each = product([5, wavefront.blocks, sweeps, iterations]);
    let ranks = product(shape);
    let fits = has_room(table, files, "shape", ranks) && has_room(table, files, "blocks", ranks.saturating_mul(each));
    fits.then(|| Arc::new(wavefront) as Arc<dyn Source>)
}

impl Wavefront {
    /// The operations. Rank `x Y + y` is at `(x, y)`.
    fn goal(&self) -> Goal {
        let [width, height] = self.shape;
        let mut goal = GoalBuilder::default();
        for rank in 0..width * height {
            goal.next_rank();
            let mut last = None;
            for sweep in (0..self.iterations).flat_map(|_| 0..self.sweeps) {
                let corner = sweep / 2 % 4;
                let from_high = [corner & 1 == 1, corner & 2 == 2];
                let neighbours =
                    |dimension: usize| self.neighbours([rank / height, rank % height], dimension, from_high[dimension]);
                let directions =
                    [(neighbours(0), self.bytes[0], 2 * sweep), (neighbours(1), self.bytes[1], 2 * sweep + 1)];
                for _ in 0..self.blocks {
                    let first = goal.next();
                    for (neighbours, bytes, tag) in directions {
                        if let Some(from) = neighbours[0] {
                            let id = goal.push(Operation::receive(bytes, from, tag));
                            last.into_iter().for_each(|last| goal.requires(id, last));
                        }
                    }
                    let compute = goal.push(Operation::compute(self.compute));
                    last.into_iter().chain(first..compute).for_each(|before| goal.requires(compute, before));
                    for (neighbours, bytes, tag) in directions {
                        if let Some(to) = neighbours[1] {
                            let id = goal.push(Operation::send(bytes, to, tag));
                            goal.requires(id, compute);
                        }
                    }
                    last = Some(compute);
                }
            }
        }
        goal.finish()
    }

    /// The neighbours of the rank at `place` upstream and downstream along `dimension`, for a sweep from the `high` end or the low one.
    fn neighbours(&self, place: [u64; 2], dimension: usize, high: bool) -> [Option<u32>; 2] {
        let rank = |at: u64| {
            let mut to = place;
            to[dimension] = at;
            narrow(to[0] * self.shape[1] + to[1], "ranks are numbered with 32 bits")
        };
        let position = place[dimension];
        let lower = position.checked_sub(1).map(rank);
        let higher = (position + 1 < self.shape[dimension]).then(|| rank(position + 1));
        if high { [higher, lower] } else { [lower, higher] }
    }
}

impl Source for Wavefront {
    fn kind(&self) -> &'static Kind {
        &KIND
    }

    fn program(&self) -> Arc<Program> {
        Arc::new(Program::new(self.goal()))
    }

    fn longest_key(&self) -> &'static str {
        "blocks"
    }
}
