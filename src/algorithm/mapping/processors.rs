//! What tasks are mapped onto: processors, and how many links lie between any two of them.

use super::graph::WHAT;
use crate::cancel;
use crate::memory::{OutOfMemory, filled};
use crate::units::NodeId;
use std::sync::Arc;

/// The most processors of which all distances are kept.
pub const MOST_PROCESSORS: usize = 1 << 13;

/// The processors of a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Processors {
    /// Those of a hypercube of so many dimensions: as many links lie between two as their numbers have bits that differ.
    Cube(u32),
    /// Those of any other network.
    Network(Arc<Distances>),
}

impl Processors {
    /// How many there are.
    pub fn count(&self) -> usize {
        match self {
            Self::Cube(dimensions) => 1 << dimensions,
            Self::Network(distances) => distances.count(),
        }
    }

    /// The bits of their numbers, where all numbers of so many bits are one's.
    ///
    /// # Panics
    /// If there are other than a power of two.
    pub fn bits(&self) -> u32 {
        assert!(self.count().is_power_of_two(), "bits are decided for a power of two of processors");
        self.count().ilog2()
    }

    /// How far one is from another: in links on a hypercube, elsewhere in links there and back. Mappers compare sums of them.
    #[inline]
    pub(super) fn apart(&self, one: u32, other: u32) -> u32 {
        match self {
            Self::Cube(_) => (one ^ other).count_ones(),
            Self::Network(distances) => distances.there_and_back(one, other),
        }
    }

    /// Those next to one: no farther than the nearest that a link leads to; ascending, but by bits on a hypercube.
    pub fn neighbours(&self, one: u32) -> impl Iterator<Item = u32> + '_ {
        let (bits, listed): (u32, &[u32]) = match self {
            Self::Cube(dimensions) => (*dimensions, &[]),
            Self::Network(distances) => (0, distances.neighbours(one)),
        };
        (0..bits).map(move |bit| one ^ 1 << bit).chain(listed.iter().copied())
    }
}

/// The links between any two processors of a network, both ways together, in a table.
///
/// Memory: 4 bytes a pair of processors, and as much again for each that is a neighbour of the other.
///
/// ```
/// use flitwise::algorithm::mapping::{Distances, Mapping, TaskGraph};
///
/// // three processors in a row, and three tasks of which 0 and 2 talk to each other
/// let row = Distances::new(3, |one, other| one.abs_diff(other))?;
/// let graph = TaskGraph::new(3, &[(0, 2, 10)])?.onto_network(row.into());
/// assert_eq!(graph.cost(&Mapping::onto(vec![0, 1, 2], 3)?), 20);
/// assert_eq!(graph.cost(&Mapping::onto(vec![0, 2, 1], 3)?), 10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distances {
    count: usize,
    /// By processor and processor.
    there_and_back: Vec<u32>,
    /// Of each processor where its neighbours begin.
    offsets: Vec<usize>,
    neighbours: Vec<u32>,
}

impl Distances {
    /// The distances of `count` processors with so many `links` from one to another.
    ///
    /// # Errors
    /// If there is no memory for them.
    pub fn new(count: usize, links: impl Fn(u32, u32) -> u32) -> Result<Self, OutOfMemory> {
        let mut there_and_back = filled(0, count * count, WHAT)?;
        for one in 0..count {
            cancel::checkpoint();
            for other in 0..one {
                let [from, to] = [one, other].map(|at| NodeId::new(at).0);
                let both = links(from, to) + links(to, from);
                there_and_back[one * count + other] = both;
                there_and_back[other * count + one] = both;
            }
        }
        let mut distances = Self { count, there_and_back, offsets: vec![0], neighbours: Vec::new() };
        for one in 0..count {
            distances.join(one);
        }
        Ok(distances)
    }

    /// Notes the neighbours of a processor.
    fn join(&mut self, one: usize) {
        let row = &self.there_and_back[one * self.count..][..self.count];
        let next = row.iter().copied().filter(|&links| links > 0).min().unwrap_or(0);
        let near = row.iter().enumerate().filter(|&(other, &links)| other != one && links <= next);
        self.neighbours.extend(near.map(|(other, _)| NodeId::new(other).0));
        self.offsets.push(self.neighbours.len());
    }

    /// How many processors there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Links from one processor to another, and from there back.
    #[inline]
    pub fn there_and_back(&self, one: u32, other: u32) -> u32 {
        self.there_and_back[one as usize * self.count + other as usize]
    }

    /// Links from one processor to every other and back, by number.
    pub(super) fn row(&self, one: u32) -> &[u32] {
        &self.there_and_back[one as usize * self.count..][..self.count]
    }

    /// The processors next to one: no farther than the nearest that a link leads to, those on the same router included;
    /// ascending.
    pub fn neighbours(&self, one: u32) -> &[u32] {
        &self.neighbours[self.offsets[one as usize]..self.offsets[one as usize + 1]]
    }
}

impl From<Distances> for Processors {
    fn from(distances: Distances) -> Self {
        Self::Network(Arc::new(distances))
    }
}
