//! A chip: its tiles, its constants and the ways of packets on its two networks.

use std::ops::Range;

/// Where ports of DRAM are, three per controller.
const DRAM: [[usize; 2]; 18] = [
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
];

/// A tile of the chip, column and row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tile {
    /// The column.
    pub x: usize,
    /// The row.
    pub y: usize,
}

impl Tile {
    /// That of column `x` and row `y`.
    pub fn new(x: usize, y: usize) -> Self {
        Self { x, y }
    }

    /// Every port of DRAM of the chip that is known.
    pub fn drams() -> Vec<Self> {
        DRAM.iter().map(|&[x, y]| Self { x, y }).collect()
    }

    /// Every worker of the chip that is known.
    pub fn workers() -> Vec<Self> {
        let rows = || (1..12).filter(|&y| y != 6);
        (1..10).filter(|&x| x != 5).flat_map(|x| rows().map(move |y| Self { x, y })).collect()
    }
}

/// An output channel on the way of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Where it begins.
    pub router: Tile,
    /// 0 along the row, 1 along the column, 2 into the end.
    pub output: usize,
    /// The dateline bit of its virtual channel.
    pub bit: usize,
}

/// How an end answers requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Cycles from the arrival of a request until its reply is ready.
    pub latency: u64,
    /// Thousandths of a flit of replies that leave in a cycle.
    pub rate: u64,
    /// Requests in the end whose reply has not started, at most.
    pub requests: usize,
    /// The starts of two replies are as far apart as so many bytes a cycle take, if that is limited.
    pub bytes_a_cycle: Option<u64>,
}

impl Memory {
    /// Cycles from the start of a reply of so many bytes to that of the next.
    pub(super) fn apart(&self, bytes: u64) -> u64 {
        self.bytes_a_cycle.map_or(0, |rate| bytes / rate)
    }

    /// Whether it takes time between the starts of two replies.
    pub(super) fn is_slow(&self) -> bool {
        self.bytes_a_cycle.is_some()
    }
}

/// The constants of the chip: times in cycles, places in flits. By default those of the chip that is known, Wormhole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    /// Tiles of a row.
    pub columns: usize,
    /// Tiles of a column.
    pub rows: usize,
    /// Where ports of DRAM are.
    pub drams: Vec<Tile>,
    /// What a flit carries.
    pub flit_bytes: u64,
    /// Payload of the longest packet, in flits.
    pub longest: u64,
    /// From a router into the next one.
    pub hop: u64,
    /// From an end into its router.
    pub injection: u64,
    /// From a router into its end.
    pub ejection: u64,
    /// Places of the buffers behind an end.
    pub end_places: usize,
    /// Places of the buffer of a virtual channel of requests, behind a link.
    pub request_places: usize,
    /// The same of replies.
    pub reply_places: usize,
    /// Virtual channels of requests of a link, per dateline bit.
    pub request_buddies: usize,
    /// The same of replies.
    pub reply_buddies: usize,
    /// From READ to the request at the end.
    pub issue: u64,
    /// How workers answer.
    pub worker: Memory,
    /// How ports of DRAM answer.
    pub dram: Memory,
    /// From the start of a barrier to its end, at least.
    pub barrier: u64,
    /// From the last flit to the end of a barrier, at least.
    pub after_last: u64,
    /// Whether packets change their virtual channel where a ring wraps.
    pub dateline: bool,
}

impl Default for Device {
    fn default() -> Self {
        Self {
            columns: 10,
            rows: 12,
            drams: Tile::drams(),
            flit_bytes: 32,
            longest: 256,
            hop: 9,
            injection: 5,
            ejection: 5,
            end_places: 6,
            request_places: 12,
            reply_places: 20,
            request_buddies: 1,
            reply_buddies: 2,
            issue: 10,
            worker: Memory { latency: 60, rate: 920, requests: 1, bytes_a_cycle: None },
            dram: Memory { latency: 160, rate: 850, requests: 4, bytes_a_cycle: Some(24) },
            barrier: 79,
            after_last: 40,
            dateline: true,
        }
    }
}

impl Device {
    /// Cycles without an action of a processor and without a flit sent or moved, while no processor is about to act, after
    /// which nothing ever will happen: longer than any memory takes, and than the starts of two replies are apart.
    pub(super) fn patience(&self) -> u64 {
        2000 + self.dram.apart(self.longest * self.flit_bytes)
    }

    /// Row by row.
    pub fn tiles(&self) -> impl Iterator<Item = Tile> {
        let columns = self.columns;
        (0..self.rows).flat_map(move |y| (0..columns).map(move |x| Tile { x, y }))
    }

    /// The place of a tile among [`Self::tiles`].
    pub(super) fn number(&self, tile: Tile) -> usize {
        tile.y * self.columns + tile.x
    }

    /// How the end at `tile` answers.
    pub(super) fn memory(&self, tile: Tile) -> &Memory {
        if self.drams.contains(&tile) { &self.dram } else { &self.worker }
    }

    /// Virtual channels of a link.
    pub(super) fn link_vcs(&self) -> usize {
        2 * (self.request_buddies + self.reply_buddies)
    }

    /// The virtual channels of a link that a packet of a class with this dateline bit may take.
    pub(super) fn vcs(&self, is_reply: bool, bit: usize) -> Range<usize> {
        let buddies = if is_reply { self.reply_buddies } else { self.request_buddies };
        let first = if is_reply { 2 * self.request_buddies } else { 0 };
        first + bit * buddies..first + (bit + 1) * buddies
    }

    /// The payloads of the packets of a read, in bytes.
    pub fn packets(&self, bytes: u64) -> Vec<u64> {
        let longest = self.longest * self.flit_bytes;
        (0..bytes.div_ceil(longest)).map(|number| longest.min(bytes - number * longest)).collect()
    }

    /// The next tile in the row.
    pub(super) fn beside(&self, tile: Tile, grows: bool) -> Tile {
        Tile { x: next(tile.x, self.columns, grows), y: tile.y }
    }

    /// The next tile in the column.
    pub(super) fn below(&self, tile: Tile, grows: bool) -> Tile {
        Tile { x: tile.x, y: next(tile.y, self.rows, grows) }
    }

    /// The output channels on the way from one tile to another: on network 0 x grows and then y, on network 1 y shrinks and
    /// then x.
    pub fn way(&self, network: usize, from: Tile, to: Tile) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut at = from;
        if network == 0 {
            self.along_row(&mut at, to, true, &mut steps);
            self.along_column(&mut at, to, true, &mut steps);
        } else {
            self.along_column(&mut at, to, false, &mut steps);
            self.along_row(&mut at, to, false, &mut steps);
        }
        steps.push(Step { router: to, output: 2, bit: 0 });
        steps
    }

    fn along_row(&self, at: &mut Tile, to: Tile, grows: bool, steps: &mut Vec<Step>) {
        let mut wrapped = false;
        while at.x != to.x {
            wrapped |= at.x == if grows { self.columns - 1 } else { 0 };
            steps.push(Step { router: *at, output: 0, bit: usize::from(wrapped && self.dateline) });
            *at = self.beside(*at, grows);
        }
    }

    fn along_column(&self, at: &mut Tile, to: Tile, grows: bool, steps: &mut Vec<Step>) {
        let mut wrapped = false;
        while at.y != to.y {
            wrapped |= at.y == if grows { self.rows - 1 } else { 0 };
            steps.push(Step { router: *at, output: 1, bit: usize::from(wrapped && self.dateline) });
            *at = self.below(*at, grows);
        }
    }
}

/// The next place on a ring.
fn next(at: usize, size: usize, grows: bool) -> usize {
    (at + if grows { 1 } else { size - 1 }) % size
}
