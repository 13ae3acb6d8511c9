//! What a trace of a chip's networks says: which processor asked for what, when.
//!
//! Times are in cycles since time 0 of the trace. Knows no file format, no chip and no networks: a place is a column and a
//! row, and a network is a number.

/// A place on the chip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tile {
    /// The column.
    pub x: u16,
    /// The row.
    pub y: u16,
}

/// Something that a processor did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Where the processor is.
    pub core: Tile,
    /// Its index in [`Trace::processors`].
    pub processor: usize,
    /// The network that it asked, 0 or 1; 0 for a [`What::Begin`], which asks none.
    pub network: u8,
    /// When, in cycles since time 0.
    pub time: u64,
    /// What it did.
    pub what: What,
}

/// What a processor did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// A kernel began.
    Begin,
    /// It asked for data; the request goes to `from`, the data to the processor's core.
    Read {
        /// Where the data is.
        from: Tile,
        /// How much, at least 1.
        bytes: u64,
    },
    /// It sent data from its core.
    Write {
        /// Where the data goes.
        to: Tile,
        /// How much, at least 1.
        bytes: u64,
    },
    /// It sent the same data to all of a rectangle.
    Multicast {
        /// The corner with the smallest column and the smallest row, on both networks.
        first: Tile,
        /// The opposite corner.
        last: Tile,
        /// How much, at least 1.
        bytes: u64,
    },
    /// It began to wait until all that it has read is there. The next event of the processor is the end.
    ReadBarrierStart,
    /// It went on: all that it has read on this network is there.
    ReadBarrierEnd,
    /// It began to wait until all that it has written is acknowledged. The next event of the processor is the end.
    WriteBarrierStart,
    /// It went on: all that it has written on this network is acknowledged.
    WriteBarrierEnd,
    /// It waits until all that it has written has left. When it went on is not recorded.
    WriteFlush,
    /// It sent an increment, a single flit.
    SemaphoreIncrement {
        /// Where the semaphore is.
        to: Tile,
    },
    /// It set a semaphore of its own core; nothing goes over a network.
    SemaphoreSet,
    /// It waits for a semaphore of its own core. Who wakes it, and when it went on, is not recorded.
    SemaphoreWait,
}

/// A processor and what it did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Processor {
    /// Where it is.
    pub core: Tile,
    /// Which of its core's processors it is.
    pub name: &'static str,
    /// What it did, in the order of the trace: times never decrease, and each barrier that starts ends with the next
    /// event, on the same network.
    pub events: Vec<Event>,
}

/// What was recorded of a chip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// Who did something, by first appearance in the trace.
    pub processors: Vec<Processor>,
    /// Time 0, in the cycles that the chip counted: when the earliest event happened.
    pub start: u64,
    /// When the last event happened, in cycles since time 0.
    pub length: u64,
}

impl Trace {
    /// The events of one processor after the other.
    pub fn events(&self) -> impl Iterator<Item = &Event> {
        self.processors.iter().flat_map(|processor| &processor.events)
    }
}
