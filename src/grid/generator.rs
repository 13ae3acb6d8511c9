//! Grids drawn at random: latency and bandwidth of every link from ranges.

use crate::memory::{filled, room};
use crate::topology::{CostError, CostMatrix, LARGEST_COST};
use rand::{Rng, RngExt};
use serde::Serialize;

/// What memory is for.
const LINKS: &str = "the links of a grid";

/// How a quantity is drawn from its range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Distribution {
    /// Every value is as likely.
    #[default]
    Uniform,
    /// Every ratio is as likely.
    LogUniform,
}

/// Latency in ticks and bandwidth in bytes per million ticks (KB/s of ticks of a nanosecond), as inclusive ranges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Ranges {
    /// The least and the largest latency.
    pub latency: (u64, u64),
    /// The least and the largest bandwidth, at least 1.
    pub bandwidth: (u64, u64),
}

/// Nodes in groups of nearly equal size with links of another kind between the groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Clusters {
    /// How many groups of consecutive nodes.
    pub count: usize,
    /// The links between groups.
    pub between: Ranges,
}

/// A recipe for grids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Generator {
    /// How many nodes.
    pub nodes: usize,
    /// The size of the message.
    pub bytes: u64,
    /// The links, or those inside a group.
    pub links: Ranges,
    /// How latencies and bandwidths are drawn.
    pub distribution: Distribution,
    /// Whether both directions of a link are the same.
    pub symmetric: bool,
    /// Whether all links that leave a node are the same.
    pub per_node: bool,
    /// Groups, if there are any.
    pub clusters: Option<Clusters>,
}

/// Links of a grid, row by row: what a message takes apart from its data, and for its data, in ticks.
#[derive(Clone, Debug, PartialEq)]
pub struct Links {
    nodes: usize,
    latency: Vec<f64>,
    data: Vec<f64>,
}

impl Generator {
    /// The least cost that a link can have.
    pub fn floor(&self) -> u64 {
        let of = |ranges: &Ranges| rounded(real(ranges.latency.0) + self.data(real(ranges.bandwidth.1)));
        let between = self.clusters.map_or(u64::MAX, |clusters| of(&clusters.between));
        of(&self.links).min(between)
    }

    /// The largest cost that a link can have.
    pub fn ceiling(&self) -> u64 {
        let of = |ranges: &Ranges| whole(real(ranges.latency.1) + self.data(real(ranges.bandwidth.0)));
        of(&self.links).max(self.clusters.map_or(0, |clusters| of(&clusters.between)))
    }

    fn data(&self, bandwidth: f64) -> f64 {
        real(self.bytes) * 1e6 / bandwidth
    }

    /// Draws a grid: for each link, row by row, a latency and a bandwidth; of symmetric links those above the diagonal,
    /// of nodes whose links are the same one pair a node.
    ///
    /// # Errors
    /// If there is no memory for so many links.
    pub fn draw(&self, random: &mut impl Rng) -> Result<Links, CostError> {
        let count = self.nodes.saturating_mul(self.nodes);
        let latency = filled(0.0, count, LINKS)?;
        let mut links = Links { nodes: self.nodes, latency, data: filled(0.0, count, LINKS)? };
        for src in 0..self.nodes {
            let of_node = self.per_node.then(|| self.link(src, src, random));
            for dst in 0..self.nodes {
                let at = src * self.nodes + dst;
                if src == dst {
                    continue;
                }
                let mirror = dst * self.nodes + src;
                let (latency, data) = match of_node {
                    Some(link) => link,
                    None if self.symmetric && dst < src => (links.latency[mirror], links.data[mirror]),
                    None => self.link(src, dst, random),
                };
                (links.latency[at], links.data[at]) = (latency, data);
            }
        }
        Ok(links)
    }

    fn link(&self, src: usize, dst: usize, random: &mut impl Rng) -> (f64, f64) {
        let group = |node: usize| self.clusters.map_or(0, |clusters| node * clusters.count / self.nodes);
        let spread = match &self.clusters {
            Some(clusters) if group(src) != group(dst) => &clusters.between,
            _ => &self.links,
        };
        let latency = self.distribution.draw(spread.latency, random);
        let bandwidth = self.distribution.draw(spread.bandwidth, random);
        (latency, self.data(bandwidth))
    }
}

impl Distribution {
    fn draw(self, (least, largest): (u64, u64), random: &mut impl Rng) -> f64 {
        let (least, largest, part) = (real(least), real(largest), random.random::<f64>());
        match self {
            Self::LogUniform if least > 0.0 => least * libm::pow(largest / least, part),
            Self::Uniform | Self::LogUniform => least + (largest - least) * part,
        }
    }
}

impl Links {
    /// Links whose costs are all data: `costs` as they are.
    pub fn of(costs: &CostMatrix) -> Self {
        let data: Vec<f64> = costs.costs().iter().map(|&cost| real(cost)).collect();
        Self { nodes: costs.nodes(), latency: vec![0.0; data.len()], data }
    }

    /// The costs of the links, in whole ticks.
    ///
    /// # Errors
    /// If one of them is too large.
    pub fn costs(&self) -> Result<CostMatrix, CostError> {
        self.costs_by(|_, latency, data| latency + data)
    }

    /// The costs that `cost` makes of each link: by its place in the matrix, its latency and its data.
    pub(crate) fn costs_by(&self, mut cost: impl FnMut(usize, f64, f64) -> f64) -> Result<CostMatrix, CostError> {
        let link = |at: usize| {
            let (src, dst) = (at / self.nodes, at % self.nodes);
            if src == dst { 0 } else { rounded(cost(at, self.latency[at], self.data[at])) }
        };
        let mut costs = room(self.data.len(), LINKS)?;
        costs.extend((0..self.data.len()).map(link));
        CostMatrix::new(self.nodes, costs)
    }
}

#[expect(clippy::cast_precision_loss, reason = "costs are below 2^46")]
pub(super) fn real(value: u64) -> f64 {
    value as f64
}

/// The nearest whole number of ticks that can be a cost: what is forecast to take longer takes the longest.
fn rounded(ticks: f64) -> u64 {
    whole(ticks).clamp(1, LARGEST_COST - 1)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "what is out of range ends at its ends")]
fn whole(ticks: f64) -> u64 {
    ticks.round() as u64
}
