//! The chips that are known by name.

use super::{Constants, EndCosts, Tile, VcCosts};

/// A rectangle of tiles: the first and the last along each of two dimensions.
pub(super) type Rectangle = [u64; 4];

/// What is known of a chip.
#[derive(Debug)]
pub(crate) struct Preset {
    /// Its name.
    pub(crate) name: &'static str,
    /// Its routers along each dimension.
    pub(crate) shape: [u64; 2],
    /// Where cores are: x, y of the first corner and of the last.
    pub(crate) workers: &'static [Rectangle],
    /// Where ports of large memories are: x, y.
    pub(crate) dram: &'static [[u64; 2]],
    /// Its constants.
    pub(crate) constants: Constants,
}

/// Every chip that is known, the default first.
pub(crate) static PRESETS: [Preset; 1] = [WORMHOLE_B0];

/// Tenstorrent Wormhole B0: two one-way tori of 10 x 12 routers. Places, routes, the width of a flit, the longest packet, the
/// time of a hop and the speed of memories are those of its makers' documentation (tt-isa-documentation, `WormholeB0/NoC`;
/// tt-npe, `wormhole_b0.hpp`); buddies of replies, places of buffers, times of memories, rates and limits were fitted to
/// 35 traces that were recorded on it. Time is in cycles of 1 ns.
const WORMHOLE_B0: Preset = Preset {
    name: "wormhole-b0",
    shape: [10, 12],
    // cores, and behind them in the same columns the ends of its Ethernet
    workers: &[[1, 0, 4, 11], [6, 0, 9, 11]],
    dram: &[
        [0, 0],
        [0, 1],
        [0, 11],
        [0, 5],
        [0, 6],
        [0, 7],
        [5, 0],
        [5, 1],
        [5, 11],
        [5, 2],
        [5, 9],
        [5, 10],
        [5, 3],
        [5, 4],
        [5, 8],
        [5, 5],
        [5, 6],
        [5, 7],
    ],
    constants: Constants {
        flit_bytes: 32,
        packet_flits: 256,
        hop: 9,
        inject: 5,
        eject: 5,
        request: VcCosts { buddies: 1, buffer: 12 },
        reply: VcCosts { buddies: 2, buffer: 20 },
        multicast: VcCosts { buddies: 1, buffer: 20 },
        worker: EndCosts { memory: 60, rate: 920, requests: 1 },
        dram: EndCosts { memory: 160, rate: 850, requests: 4 },
        dram_bytes_per_cycle: 24,
        issue: 10,
        wake: 40,
        barrier: 79,
    },
};

impl Preset {
    /// What stands where, row-major, on routers of such a shape: its own tiles where that is its own, else cores alone.
    pub(super) fn tiles(&self, shape: &[u64]) -> Vec<Tile> {
        if shape != self.shape {
            let routers = shape.iter().product::<u64>();
            return (0..routers).map(|_| Tile::Worker).collect();
        }
        placed(self.shape, self.workers, self.dram)
    }
}

/// Whether `at` lies from one to another, whichever is the smaller.
fn is_between(one: u64, other: u64, at: u64) -> bool {
    (one.min(other)..=one.max(other)).contains(&at)
}

/// What stands where, on routers of two dimensions.
pub(super) fn placed([width, height]: [u64; 2], workers: &[Rectangle], dram: &[[u64; 2]]) -> Vec<Tile> {
    let tile = |x: u64, y: u64| {
        let holds = |&[left, top, right, bottom]: &Rectangle| is_between(left, right, x) && is_between(top, bottom, y);
        match () {
            () if dram.contains(&[x, y]) => Tile::Dram,
            () if workers.iter().any(holds) => Tile::Worker,
            () => Tile::Router,
        }
    };
    (0..width).flat_map(|x| (0..height).map(move |y| tile(x, y))).collect()
}
