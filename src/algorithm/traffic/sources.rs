//! Generation of packets.

use super::{Lengths, Pattern};
use crate::engine::router::Offer;
use crate::random;
use rand::{Rng, RngExt};
use rand_distr::Geometric;
use rand_pcg::Pcg64;
use serde::Serialize;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// When packets are made.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Injection {
    /// In every cycle with the same probability.
    Bernoulli,
    /// Nodes are on or off: an off node turns on with probability `alpha` in every cycle, an on node off with `beta`,
    /// and packets are made only while on, so much more often that the mean rate is kept.
    OnOff {
        /// From off to on.
        alpha: f64,
        /// From on to off.
        beta: f64,
    },
}

impl Injection {
    /// How much more often packets are made while packets are made at all.
    pub fn peak(&self) -> f64 {
        match self {
            Self::Bernoulli => 1.0,
            Self::OnOff { alpha, beta } => (alpha + beta) / alpha,
        }
    }
}

/// Pairs of nodes between which a path leads, in a network that has failed in part.
pub trait Reach: fmt::Debug + Send + Sync {
    /// Returns true if a path leads from `src` to `dst`.
    fn reaches(&self, src: u32, dst: u32) -> bool;
}

/// Packets that are not made, because no path leads to their destinations.
#[derive(Clone, Debug)]
struct Gaps {
    reach: Arc<dyn Reach>,
    /// Per node, true if it reaches no destination.
    is_cut_off: Vec<bool>,
    /// The cycles in which packets that are left out count.
    counted: Range<u64>,
    left_out: u64,
}

impl Gaps {
    /// Counts a packet of `node` to `dst` that is made in cycle `created` if it is left out. Returns true if so.
    fn leaves_out(&mut self, node: u32, dst: u32, created: u64) -> bool {
        let is_left_out = !self.reach.reaches(node, dst);
        self.left_out += u64::from(is_left_out && self.counted.contains(&created));
        is_left_out
    }

    /// Returns true if no packet of `node` that is made in cycle `created` or later counts or is sent.
    fn ends(&self, node: u32, created: u64) -> bool {
        self.is_cut_off[node as usize] && created >= self.counted.end
    }
}

/// The load that nodes offer to a network.
#[derive(Clone, Debug)]
pub struct Load {
    /// Where packets go.
    pub pattern: Pattern,
    /// When they are made.
    pub injection: Injection,
    /// How long they are.
    pub lengths: Lengths,
    /// Flits per node and cycle, on the mean over all nodes.
    pub rate: f64,
}

/// The packets of all nodes, drawn one after the other as they are asked for.
///
/// ```
/// use flitwise::algorithm::traffic::{Injection, Lengths, Load, Pattern, Sources};
///
/// let pattern = Pattern::Uniform { include_self: true };
/// let lengths = Lengths::Fixed(8);
/// let load = Load { pattern, injection: Injection::Bernoulli, lengths, rate: 0.1 };
/// let mut sources = Sources::new(load, 16, 1, 0);
/// let first = sources.next(5).expect("node 5 sends");
/// let second = sources.next(5).expect("and goes on");
/// assert!(first.dst < 16 && first.flits == 8 && first.created < second.created);
/// ```
#[derive(Clone, Debug)]
pub struct Sources {
    pattern: Pattern,
    injection: Injection,
    lengths: Lengths,
    nodes: Vec<Source>,
    gaps: Option<Gaps>,
}

#[derive(Clone, Debug)]
struct Source {
    clock: Clock,
    /// The number of packets that it has generated.
    generated: u32,
}

/// The cycles in which a node generates packets, at most one in each.
#[derive(Clone, Debug)]
pub(super) struct Clock {
    pub(super) random: Pcg64,
    injection: Injection,
    /// The first cycle that has not been drawn.
    cycle: u64,
    on: bool,
    /// The probability of a packet in a cycle (that is on).
    probability: f64,
    /// Cycles without a packet before the next with one, while on.
    wait: Geometric,
}

impl Sources {
    /// Sources of `nodes` nodes that offer `load`, drawn from the streams of `seed` for repetition `repetition`.
    pub fn new(load: Load, nodes: u32, seed: u64, repetition: u64) -> Self {
        let Load { pattern, injection, lengths, rate } = load;
        let mean = lengths.mean();
        let source = |node: u32| {
            let random = random::stream(seed, "traffic", repetition << 32 | u64::from(node));
            let share = if pattern.sends(node) { pattern.share(node) } else { 0.0 };
            Source { clock: Clock::new(random, injection, rate * share, mean), generated: 0 }
        };
        Self { injection, lengths, nodes: (0..nodes).map(source).collect(), pattern, gaps: None }
    }

    /// Leaves out packets to destinations that `reach` has no path to. Those made in the cycles `counted` are counted.
    #[must_use]
    pub fn within_reach(self, reach: Arc<dyn Reach>, counted: Range<u64>) -> Self {
        let nodes = self.nodes();
        let flow = self.pattern.flow(nodes);
        let reaches_any = |src| (0..nodes).any(|dst| flow(src, dst) > 0.0 && reach.reaches(src, dst));
        let is_cut_off = (0..nodes).map(|src| !reaches_any(src)).collect();
        drop(flow);
        Self { gaps: Some(Gaps { reach, is_cut_off, counted, left_out: 0 }), ..self }
    }

    /// The number of packets that were left out so far.
    pub fn left_out(&self) -> u64 {
        self.gaps.as_ref().map_or(0, |gaps| gaps.left_out)
    }

    /// Returns true if no packet of `node` has a path.
    pub(super) fn is_cut_off(&self, node: u32) -> bool {
        self.gaps.as_ref().is_some_and(|gaps| gaps.is_cut_off[node as usize])
    }

    /// Counts `offer` of `node` if it is left out. Returns true if so.
    pub(super) fn leaves_out(&mut self, node: u32, offer: &Offer) -> bool {
        self.gaps.as_mut().is_some_and(|gaps| gaps.leaves_out(node, offer.dst, offer.created))
    }

    /// The number of nodes.
    pub fn nodes(&self) -> u32 {
        u32::try_from(self.nodes.len()).unwrap_or(u32::MAX)
    }

    /// Flits that all nodes together make in a cycle, on average.
    pub fn flits_per_cycle(&self) -> f64 {
        let packets: f64 = self.nodes.iter().map(|source| source.clock.probability).sum();
        packets / self.injection.peak() * self.lengths.mean()
    }

    /// The next packet of `node`; none if it never sends.
    pub fn next(&mut self, node: u32) -> Option<Offer> {
        let nodes = self.nodes();
        loop {
            let created = self.nodes[node as usize].clock.next()?;
            let offer = self.packet(node, nodes, created);
            if !self.leaves_out(node, &offer) {
                return Some(offer);
            }
            if self.gaps.as_ref().is_some_and(|gaps| gaps.ends(node, created)) {
                return None;
            }
        }
    }

    /// A packet of `node` made in cycle `created`, whatever the rate.
    pub(super) fn packet(&mut self, node: u32, nodes: u32, created: u64) -> Offer {
        let Source { clock, generated } = &mut self.nodes[node as usize];
        let random = &mut clock.random;
        let dst = self.pattern.destination(node, nodes, random);
        let flits = self.lengths.draw(random);
        let sequence = *generated;
        *generated = generated.wrapping_add(1);
        Offer { number: node, created, dst, flits, random_bits: random.next_u64(), class: 0, sequence }
    }

    /// Whether `node` sends at all.
    pub fn sends(&self, node: u32) -> bool {
        self.pattern.sends(node)
    }
}

/// Cycles without a packet before the next with one, if there is one in a cycle with this probability.
#[expect(clippy::expect_used, reason = "the caller clamps it")]
fn waits(probability: f64) -> Geometric {
    Geometric::new(probability).expect("a probability is from 0 to 1")
}

impl Clock {
    /// Creates the clock of a node that generates packets of `mean` flits on average at a mean `rate` in flits per cycle. In each cycle
    /// while it is on the node generates one with the same probability.
    pub(super) fn new(mut random: Pcg64, injection: Injection, rate: f64, mean: f64) -> Self {
        let probability = (rate * injection.peak() / mean).clamp(0.0, 1.0);
        let on = match injection {
            Injection::Bernoulli => true,
            Injection::OnOff { alpha, beta } => random::uniform(&mut random) <= alpha / (alpha + beta),
        };
        Self { random, injection, cycle: 0, on, probability, wait: waits(probability) }
    }

    /// The cycle of the next packet, or `None` if the node never generates one.
    pub(super) fn next(&mut self) -> Option<u64> {
        if self.probability <= 0.0 {
            return None;
        }
        let created = match self.injection {
            Injection::Bernoulli => self.cycle.saturating_add(self.random.sample(self.wait)),
            Injection::OnOff { alpha, beta } => self.next_while_on(alpha, beta),
        };
        self.cycle = created.saturating_add(1);
        Some(created)
    }

    fn next_while_on(&mut self, alpha: f64, beta: f64) -> u64 {
        let mut cycle = self.cycle;
        loop {
            let turns = random::uniform(&mut self.random) <= if self.on { beta } else { alpha };
            self.on ^= turns;
            if self.on && random::uniform(&mut self.random) <= self.probability {
                return cycle;
            }
            cycle += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flits_per_cycle(injection: Injection, lengths: Lengths, rate: f64) -> f64 {
        let pattern = Pattern::Uniform { include_self: true };
        let mut sources = Sources::new(Load { pattern, injection, lengths, rate }, 16, 1, 0);
        let mut flits = 0;
        const CYCLES: u64 = 40_000;
        for node in 0..16 {
            let mut last = None;
            while let Some(offer) = sources.next(node).filter(|offer| offer.created < CYCLES) {
                assert!(last.is_none_or(|last| offer.created > last), "at most one packet a cycle, in order");
                last = Some(offer.created);
                flits += u64::from(offer.flits);
            }
        }
        flits as f64 / 16.0 / CYCLES as f64
    }

    #[test]
    fn the_rate_is_kept() {
        let long = Lengths::Long { flits: 1, long: 16, fraction: 0.25 };
        for lengths in [Lengths::Fixed(8), long, Lengths::mixed(&[(1, 3), (16, 1)])] {
            for injection in [Injection::Bernoulli, Injection::OnOff { alpha: 0.05, beta: 0.1 }] {
                let rate = flits_per_cycle(injection, lengths.clone(), 0.2);
                assert!((rate - 0.2).abs() < 0.01, "{injection:?} {lengths:?}: {rate}");
            }
        }
        for flits in [1, 5] {
            let full = flits_per_cycle(Injection::Bernoulli, Lengths::Fixed(flits), f64::from(flits));
            assert!((full - f64::from(flits)).abs() < 1e-9, "a packet in every cycle");
        }
    }
}
