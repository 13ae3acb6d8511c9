//! What a run of routers tells.

use crate::engine::Deadlock;

/// A packet that has arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Delivery {
    /// Its number, as it was offered.
    pub number: u32,
    /// Who sent it.
    pub src: u32,
    /// Who has it.
    pub dst: u32,
    /// Its length.
    pub flits: u32,
    /// When it was made.
    pub created: u64,
    /// When its head flit left its source.
    pub injected: u64,
    /// When its tail arrived.
    pub delivered: u64,
    /// Links that it took.
    pub hops: u32,
    /// Cycles that it takes even alone beyond those of channels that take a cycle for a flit.
    pub longer: u64,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ended {
    /// The cycle after the last one.
    pub cycles: u64,
    /// Flits that each port of each router sent while they were counted: `ports` numbers a router.
    pub carried: Vec<u64>,
    /// Flits that moved through a router's switch, in all.
    pub moved: u64,
    /// Packets that will never arrive, if any.
    pub deadlock: Option<Box<Deadlock>>,
}

impl Ended {
    /// The end of two strips of the same routers.
    pub(super) fn and(mut self, other: Self) -> Self {
        self.carried.iter_mut().zip(other.carried).for_each(|(flits, other)| *flits += other);
        Self { moved: self.moved + other.moved, ..self }
    }
}
