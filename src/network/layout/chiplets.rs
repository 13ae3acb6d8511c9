//! Chiplets: routers at their coordinates with gaps between chiplets; interposer routers next to the routers above them.

use super::{Place, Shape};
use crate::units::narrow;

/// Steps between chiplets beyond those between routers, and between the blocks of a first dimension of three.
const CHIPS_APART: f64 = 1.2;
const BLOCKS_APART: f64 = 2.5;
/// Steps to the right and down from a router to the interposer router below it.
const BELOW: f64 = 0.5;

/// Numbers of chiplets and of routers of a chiplet along three dimensions, the first of which may be 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChipletGrid {
    chips: [u32; 3],
    shape: [u32; 3],
}

impl ChipletGrid {
    /// The grid of `shape[d]` routers on each of `chips[d]` chips along dimension `d`, of one to three.
    pub(in crate::network) fn new(chips: &[u64], shape: &[u64]) -> Self {
        let last_three = |numbers: &[u64]| {
            let mut all = [1; 3];
            let locations = all.iter_mut().rev();
            locations
                .zip(numbers.iter().rev())
                .for_each(|(place, &number)| *place = narrow(number, "pictures are small"));
            all
        };
        Self { chips: last_three(chips), shape: last_three(shape) }
    }

    /// The place of the router with these coordinates among those of all chiplets.
    fn place(self, [block, row, column]: [u32; 3]) -> Place {
        let steps =
            |coordinate: u32, d: usize| f64::from(coordinate) + CHIPS_APART * f64::from(coordinate / self.shape[d]);
        let last = self.chips[2] * self.shape[2] - 1;
        let width = steps(last, 2) + BLOCKS_APART;
        Place { x: f64::from(block) * width + steps(column, 2), y: steps(row, 1) }
    }

    /// The places of all routers of chiplets, then those of as many interposer routers as `below`.
    fn routers(self, below: usize) -> Vec<Place> {
        let sides = [0, 1, 2].map(|d| self.chips[d] * self.shape[d]);
        let mut locations: Vec<Place> = lattice(sides).map(|at| self.place(at)).collect();
        let middles = lattice(self.chips).map(|chip| [0, 1, 2].map(|d| chip[d] * self.shape[d] + self.shape[d] / 2));
        locations.extend(middles.take(below).map(|middle| {
            let above = self.place(middle);
            Place { x: above.x + BELOW, y: above.y + BELOW }
        }));
        locations
    }
}

/// The coordinates of a lattice with these `sides`, row-major.
fn lattice([blocks, rows, columns]: [u32; 3]) -> impl Iterator<Item = [u32; 3]> {
    (0..blocks)
        .flat_map(move |block| (0..rows).flat_map(move |row| (0..columns).map(move |column| [block, row, column])))
}

/// Interposer routers are those behind the routers of chiplets.
pub(super) fn places(shape: &Shape, grid: ChipletGrid) -> Vec<Place> {
    let of_chiplets: u32 = grid.chips.iter().chain(&grid.shape).product();
    shape.with_nodes(grid.routers(shape.neighbours.len() - of_chiplets as usize))
}
