//! Halo exchange: ranks in a grid compute on their cells and exchange the cells at the borders with their neighbours.

use crate::config::{Diagnostic, Files, Reader};
use crate::kind::{Kind, Read, Template};
use crate::schedule::goal::{Goal, GoalBuilder, Operation};
use crate::units::{Key, narrow};
use crate::workload::application::{self, DETAILS, FLIT_BYTES, NODES, Program, Scene, Source, has_room, product};
use serde::Serialize;
use std::sync::Arc;

/// Halo exchanges in the registry.
pub static KIND: Kind = Kind {
    name: "halo",
    summary: "stencil on a grid of ranks: each computes and exchanges borders with its neighbours",
    in_words: "a halo exchange",
    keys: KEYS,
    template: Template { scenario: include_str!("template.toml"), files: &[] },
    read: Read::Source(read),
    ..application::KIND
};

const SHAPE: Key = Key::integers("shape", 1..=1 << 31).says("ranks in each dimension, 1 to 3 of them");
const CELLS: Key = Key::integers("cells", 1..=1 << 40).says("cells of a rank in each dimension");
const CELL_BYTES: Key = Key::integer("cell_bytes", 1..=1 << 30).or(8).unit("bytes").says("size of a cell");
const WIDTH: Key = Key::integer("width", 1..=1 << 40).or(1).says("width of the border that is exchanged, in cells");
const PERIODIC: Key = Key::booleans("periodic")
    .or_else("true in each dimension")
    .says("for each dimension, true if its first and last ranks are neighbours");
const CORNERS: Key = Key::boolean("corners")
    .or_boolean(false)
    .says("exchange with diagonal neighbours too, instead of those along a dimension");
const ITERATIONS: Key = Key::integer("iterations", 1..=1 << 40).or(1).says("number of iterations");
const COMPUTE: Key = Key::integer("compute_per_cell", 0..=1 << 40)
    .or(0)
    .unit("ticks")
    .says("computation time of a cell in an iteration");
const OVERLAP: Key =
    Key::boolean("overlap").or_boolean(false).says("computation of the inner cells during the exchange");

const KEYS: &[Key] =
    &[SHAPE, CELLS, CELL_BYTES, WIDTH, PERIODIC, CORNERS, ITERATIONS, COMPUTE, OVERLAP, FLIT_BYTES, NODES, DETAILS];

/// A halo exchange.
#[derive(Clone, Debug, Serialize)]
pub struct Halo {
    /// Ranks in each dimension.
    pub shape: Vec<u64>,
    /// Cells of a rank in each dimension.
    pub cells: Vec<u64>,
    /// The bytes of a cell.
    pub cell_bytes: u64,
    /// The width of the border, in cells.
    pub width: u64,
    /// Per dimension, true if its first and last ranks are neighbours.
    pub periodic: Vec<bool>,
    /// True if diagonal neighbours exchange cells too.
    pub corners: bool,
    /// The number of iterations.
    pub iterations: u64,
    /// The ticks of a cell in an iteration.
    pub compute_per_cell: u64,
    /// True if the inner cells are computed during the exchange.
    pub overlap: bool,
}

fn read(table: &Reader<'_>, _: &Scene<'_>, files: &mut Files<'_>) -> Option<Arc<dyn Source>> {
    [SHAPE, CELLS].iter().for_each(|key| table.demand(key));
    let [shape, cells] = [SHAPE, CELLS].map(|key| table.integers(&key));
    let periodic = table.booleans(&PERIODIC);
    let [cell_bytes, width, iterations, compute_per_cell] =
        [CELL_BYTES, WIDTH, ITERATIONS, COMPUTE].map(|key| table.integer(&key));
    let [corners, overlap] = [CORNERS, OVERLAP].map(|key| table.boolean(&key));
    let [shape, cells] = [shape?, cells?].map(|list| list.into_iter().map(|(value, _)| value).collect::<Vec<u64>>());
    let dimensions = shape.len();
    if !(1..=3).contains(&dimensions) {
        let message = format!("`{}` has {dimensions} dimensions", table.path_of("shape"));
        table.error(Diagnostic::at(table.place_of("shape"), message).note("accepted: 1 to 3 dimensions"));
        return None;
    }
    let periodic = periodic.unwrap_or_else(|| vec![true; dimensions]);
    for (key, length) in [("cells", cells.len()), ("periodic", periodic.len())] {
        if length != dimensions {
            let message =
                format!("`{}` has {length} values, but `shape` has {dimensions} dimensions", table.path_of(key));
            let error = Diagnostic::at(table.place_of(key), message);
            table.error(error.note(format!("accepted: {dimensions} values, one for each dimension")));
            return None;
        }
    }
    if let Some(cells) = cells.iter().copied().filter(|&cells| cells < width).min() {
        let message =
            format!("`{}` is {width}, but a rank has only {cells} cells in one dimension", table.path_of("width"));
        table.error(Diagnostic::at(table.place_of("width"), message).note(format!("accepted: 1 to {cells}")));
        return None;
    }
    let halo = Halo { shape, cells, cell_bytes, width, periodic, corners, iterations, compute_per_cell, overlap };
    halo.fits(table, files).then(|| Arc::new(halo) as Arc<dyn Source>)
}

/// A direction in which a rank exchanges cells.
struct Offset {
    /// Per dimension -1, 0 or 1.
    steps: Vec<i64>,
    /// The place in the list of all offsets.
    tag: u64,
    bytes: u64,
}

impl Halo {
    /// Reports if the program, a message or a computation is too large.
    fn fits(&self, table: &Reader<'_>, files: &Files<'_>) -> bool {
        let ranks = product(self.shape.iter().copied());
        let each = 2 * self.offsets().len() as u128 + 2;
        let cells = product(self.cells.iter().copied());
        let largest = cells.saturating_mul(self.cell_bytes.max(self.compute_per_cell).max(1).into());
        if largest >= 1 << 62 {
            let message = format!("`{}` has too many cells", table.path_of("cells"));
            let error = Diagnostic::at(table.place_of("cells"), message);
            table.error(error.note("accepted: fewer than 2^62 bytes and ticks in a rank"));
            return false;
        }
        let iterations = u128::from(self.iterations);
        has_room(table, files, "shape", ranks.saturating_mul(each))
            && has_room(table, files, "iterations", ranks.saturating_mul(each).saturating_mul(iterations))
    }

    /// The directions of exchange in lexicographic order.
    fn offsets(&self) -> Vec<Offset> {
        let dimensions = self.shape.len();
        let all = 3_u64.pow(narrow(dimensions, "there are 1 to 3 dimensions"));
        let offset = |tag: u64| {
            let digit =
                |place: usize| tag / 3_u64.pow(narrow(dimensions - 1 - place, "there are 1 to 3 dimensions")) % 3;
            let steps: Vec<i64> = (0..dimensions).map(|place| digit(place).cast_signed() - 1).collect();
            let sides = steps.iter().zip(&self.cells).map(|(&step, &cells)| if step == 0 { cells } else { self.width });
            Offset { bytes: self.cell_bytes.saturating_mul(sides.product()), steps, tag }
        };
        let is_exchanged = |offset: &Offset| {
            let count = offset.steps.iter().filter(|&&step| step != 0).count();
            count == 1 || (self.corners && count > 1)
        };
        (0..all).map(offset).filter(is_exchanged).collect()
    }

    /// The neighbour of `rank`, which is at `place`, in a direction, if it is another rank.
    fn neighbour(&self, rank: u64, place: &[u64], offset: &Offset) -> Option<u32> {
        let mut to = 0;
        for (((&at, &step), &side), &periodic) in place.iter().zip(&offset.steps).zip(&self.shape).zip(&self.periodic) {
            let next = at.checked_add_signed(step).filter(|&next| next < side);
            let wrapped = (at + side).checked_add_signed(step).map(|next| next % side);
            to = to * side + next.or(wrapped.filter(|_| periodic))?;
        }
        (to != rank).then(|| narrow(to, "ranks are numbered with 32 bits"))
    }

    /// The operations.
    fn goal(&self) -> Goal {
        let offsets = self.offsets();
        let cells: u64 = self.cells.iter().product();
        let inner: u64 = self.cells.iter().map(|cells| cells.saturating_sub(2 * self.width)).product();
        let ranks: u64 = self.shape.iter().product();
        let mut goal = GoalBuilder::default();
        for rank in 0..ranks {
            goal.next_rank();
            let stride = |dimension: usize| self.shape[dimension + 1..].iter().product::<u64>();
            let coordinates: Vec<u64> = (0..self.shape.len()).map(|at| rank / stride(at) % self.shape[at]).collect();
            let neighbours: Vec<_> = offsets.iter().map(|offset| self.neighbour(rank, &coordinates, offset)).collect();
            let mut before: Vec<u32> = Vec::new();
            for _ in 0..self.iterations {
                let first = goal.next();
                if !self.overlap {
                    goal.push(Operation::compute(cells * self.compute_per_cell));
                }
                for (offset, to) in offsets.iter().zip(&neighbours).filter_map(|(offset, to)| Some((offset, (*to)?))) {
                    goal.push(Operation::send(offset.bytes, to, offset.tag));
                }
                // the neighbour sends in the opposite direction
                let opposite = |offset: &Offset| {
                    3_u64.pow(narrow(self.shape.len(), "there are 1 to 3 dimensions")) - 1 - offset.tag
                };
                for (offset, from) in
                    offsets.iter().zip(&neighbours).filter_map(|(offset, from)| Some((offset, (*from)?)))
                {
                    goal.push(Operation::receive(offset.bytes, from, opposite(offset)));
                }
                if self.overlap {
                    goal.push(Operation::compute(inner * self.compute_per_cell));
                    let end = goal.next();
                    for id in first..end {
                        before.iter().for_each(|&before| goal.requires(id, before));
                    }
                    let outer = goal.push(Operation::compute((cells - inner) * self.compute_per_cell));
                    (first..outer).for_each(|id| goal.requires(outer, id));
                    before = vec![outer];
                } else {
                    before.iter().for_each(|&before| goal.requires(first, before));
                    (first + 1..goal.next()).for_each(|id| goal.requires(id, first));
                    before = (first..goal.next()).collect();
                }
            }
        }
        goal.finish()
    }
}

impl Source for Halo {
    fn kind(&self) -> &'static Kind {
        &KIND
    }

    fn program(&self) -> Arc<Program> {
        Arc::new(Program::new(self.goal()))
    }

    fn longest_key(&self) -> &'static str {
        "iterations"
    }
}
