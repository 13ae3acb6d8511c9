//! What moved over a chip with two one-way networks, as plain data: transfers, and the links that each crossed when.
//!
//! It refuses to know which format shows it, and what a transfer was made for. Times are in cycles from the start of the run.

use serde::Serialize;

/// A core, or a port of memory, by its column and its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tile {
    /// Its column, from 0.
    pub x: u16,
    /// Its row, from 0.
    pub y: u16,
}

/// Where a link leads: to the next tile, around the edge behind the last. Network 0 goes east and south, network 1 north and
/// west.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// To the next column.
    East,
    /// To the next row.
    South,
    /// To the row before.
    North,
    /// To the column before.
    West,
}

impl Direction {
    /// All, those of network 0 first.
    pub const ALL: [Self; 4] = [Self::East, Self::South, Self::North, Self::West];

    /// The network that goes there, 0 or 1.
    pub fn network(self) -> u8 {
        match self {
            Self::East | Self::South => 0,
            Self::North | Self::West => 1,
        }
    }
}

/// Flits that crossed a link one after the other, evenly spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkUse {
    /// The column of the tile that the link leads away from.
    pub x: u16,
    /// Its row.
    pub y: u16,
    /// Where it leads.
    pub direction: Direction,
    /// How many flits crossed it.
    pub flits: u64,
    /// The cycle in which the first began to.
    pub from: u64,
    /// The cycle in which the last had; what took no time counts in the cycle in which it began.
    pub until: u64,
}

/// Data that moved.
#[derive(Clone, Debug, PartialEq)]
pub struct Transfer {
    /// What it was, in the words of the trace, such as `READ`.
    pub kind: String,
    /// Bytes of data.
    pub bytes: u64,
    /// Where the data came from.
    pub src: Tile,
    /// Where it went.
    pub dst: Vec<Tile>,
    /// The cycle in which it began.
    pub start: u64,
    /// The cycle in which it had ended.
    pub end: u64,
    /// The network that it took, 0 or 1.
    pub network: u8,
    /// Bytes a cycle that its source can send at most.
    pub injection_rate: f64,
    /// The links that the data crossed, in the order of its way; several times the same where it was cut into packets, and
    /// none where it stayed.
    pub links: Vec<LinkUse>,
    /// The links that were crossed for it by what is no data: requests, or that it has arrived. They are as busy with that as
    /// with data, but are no part of its way.
    pub overhead: Vec<LinkUse>,
}

impl Transfer {
    /// All links that were crossed for it.
    pub fn uses(&self) -> impl Iterator<Item = &LinkUse> {
        self.links.iter().chain(&self.overhead)
    }
}

/// All that moved in a run.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Timeline {
    /// What the makers call the chip, such as `wormhole_b0`.
    pub arch: String,
    /// Columns and rows of tiles.
    pub shape: [u16; 2],
    /// Cycles of a step, in which what happens is told together.
    pub cycles_per_step: u64,
    /// In the order of their numbers.
    pub transfers: Vec<Transfer>,
}
