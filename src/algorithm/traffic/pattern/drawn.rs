//! Patterns that draw destinations by a formula of the source.
//!
//! Source: the traffic patterns of BookSim 2, of which these have the distributions.

use super::{Numbering, Pattern, PatternError};
use rand::RngExt;
use rand_pcg::Pcg64;
use std::sync::Arc;

/// A pattern that draws destinations by a formula of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DrawnPattern {
    /// The source with 2/3, the next node with 1/3.
    Diagonal,
    /// The source modulo half the number of nodes, in either half.
    Asymmetric,
    /// Half of the packets uniform, half to one of nine nodes around the source.
    Taper64,
    /// All nodes but a few are equally likely.
    Background(Background),
    /// All nodes of the next group are equally likely.
    NextGroup {
        /// Nodes of a group.
        group: u32,
    },
    /// All nodes of the column that has the number of the source's row are equally likely.
    Column {
        /// The side of the square of nodes.
        side: u32,
    },
}

/// Destinations of `background`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Background {
    /// Nodes that receive nothing, ascending.
    excluded: Arc<[u32]>,
    /// The other nodes, ascending.
    receivers: Arc<[u32]>,
}

impl Background {
    /// Nodes that receive nothing, ascending.
    pub fn excluded(&self) -> &[u32] {
        &self.excluded
    }
}

impl Pattern {
    /// A pattern of `nodes` nodes that sends to all but the `excluded` nodes. Returns `None` if no node is left.
    pub fn background(nodes: u32, excluded: &[u32]) -> Option<Self> {
        let mut excluded = excluded.to_vec();
        excluded.sort_unstable();
        excluded.dedup();
        let receivers: Arc<[u32]> = (0..nodes).filter(|node| excluded.binary_search(node).is_err()).collect();
        let background = Background { excluded: excluded.into(), receivers };
        (!background.receivers.is_empty()).then_some(Self::Drawn(DrawnPattern::Background(background)))
    }
}

pub(super) fn diagonal() -> Result<Pattern, PatternError> {
    Ok(Pattern::Drawn(DrawnPattern::Diagonal))
}

/// Needs two halves.
pub(super) fn asymmetric(numbering: &Numbering) -> Result<Pattern, PatternError> {
    match numbering.nodes() {
        nodes @ 0..2 => Err(PatternError::NodeCount { name: "asymmetric", accepted: "at least 2 nodes", nodes }),
        _ => Ok(Pattern::Drawn(DrawnPattern::Asymmetric)),
    }
}

/// Needs 64 nodes.
pub(super) fn taper64(numbering: &Numbering) -> Result<Pattern, PatternError> {
    match numbering.nodes() {
        TAPERED => Ok(Pattern::Drawn(DrawnPattern::Taper64)),
        nodes => Err(PatternError::NodeCount { name: "taper64", accepted: "64 nodes", nodes }),
    }
}

/// Needs the groups of a dragonfly.
pub(super) fn bad_dragonfly(numbering: &Numbering) -> Result<Pattern, PatternError> {
    let group = numbering.group.ok_or(PatternError::NoGroups)?;
    Ok(Pattern::Drawn(DrawnPattern::NextGroup { group }))
}

/// Needs a square of nodes.
pub(super) fn bad_yarc(numbering: &Numbering) -> Result<Pattern, PatternError> {
    let nodes = numbering.nodes();
    let side = nodes.isqrt();
    if side * side == nodes {
        return Ok(Pattern::Drawn(DrawnPattern::Column { side }));
    }
    Err(PatternError::NodeCount { name: "bad-yarc", accepted: "a square number of nodes", nodes })
}

/// Nodes of `taper64`.
const TAPERED: u32 = 64;

/// Distances between node ids that `taper64` draws in addition to uniform destinations, modulo [`TAPERED`].
const NEAR: [u32; 9] = [55, 56, 57, 63, 0, 1, 7, 8, 9];

impl DrawnPattern {
    /// Draws the destination of a packet of `src`, one of `nodes` nodes.
    pub(super) fn destination(&self, src: u32, nodes: u32, random: &mut Pcg64) -> u32 {
        match self {
            Self::Diagonal => {
                let is_next = random.random_range(0..3_u32) == 0;
                if is_next { next(src, nodes) } else { src }
            }
            Self::Asymmetric => {
                let half = nodes / 2;
                src % half + random.random_range(0..2_u32) * half
            }
            Self::Taper64 => {
                if random.random_range(0..2_u32) == 0 {
                    return random.random_range(0..TAPERED);
                }
                (src + NEAR[random.random_range(0..NEAR.len())]) % TAPERED
            }
            Self::Background(Background { receivers, .. }) => receivers[random.random_range(0..receivers.len())],
            Self::NextGroup { group } => first_of_next_group(src, *group, nodes) + random.random_range(0..*group),
            Self::Column { side } => random.random_range(0..*side) * side + src / side,
        }
    }

    /// The probability that a packet of `src`, one of `nodes` nodes, goes to `dst`.
    pub(super) fn probability(&self, src: u32, dst: u32, nodes: u32) -> f64 {
        let share = |receives: bool, nodes: usize| f64::from(receives) / nodes as f64;
        match self {
            // on a network of one node it is both
            Self::Diagonal => (2.0 * f64::from(dst == src) + f64::from(dst == next(src, nodes))) / 3.0,
            Self::Asymmetric => {
                let half = nodes / 2;
                share(dst < 2 * half && dst % half == src % half, 2)
            }
            Self::Taper64 => {
                let is_near = NEAR.contains(&((dst + TAPERED - src) % TAPERED));
                (1.0 / f64::from(TAPERED) + share(is_near, NEAR.len())) / 2.0
            }
            Self::Background(Background { excluded, receivers }) => {
                share(excluded.binary_search(&dst).is_err(), receivers.len())
            }
            Self::NextGroup { group } => {
                share(dst / group * group == first_of_next_group(src, *group, nodes), *group as usize)
            }
            Self::Column { side } => share(dst % side == src / side, *side as usize),
        }
    }
}

/// The node after `node`, which is the first one for the last.
fn next(node: u32, nodes: u32) -> u32 {
    (node + 1) % nodes
}

/// The first node of the group after that of `src`.
fn first_of_next_group(src: u32, group: u32, nodes: u32) -> u32 {
    (src / group + 1) * group % nodes
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;
    use crate::random;

    fn numbering(nodes: u32) -> Numbering {
        Numbering { shape: vec![nodes], lattice: None, group: Some(8) }
    }

    /// Patterns with the number of their nodes.
    fn patterns() -> Vec<(Pattern, u32)> {
        let derived = |name, nodes| (Pattern::derived(name, &numbering(nodes)).unwrap(), nodes);
        vec![
            derived("diagonal", 5),
            derived("diagonal", 1),
            derived("asymmetric", 8),
            derived("asymmetric", 7),
            derived("taper64", 64),
            derived("bad-dragonfly", 24),
            derived("bad-yarc", 16),
            (Pattern::background(6, &[4, 0]).unwrap(), 6),
        ]
    }

    #[test]
    fn drawn_destinations_follow_the_flow() {
        const DRAWS: u32 = 20_000;
        let mut random = random::stream(1, "test", 0);
        for (pattern, nodes) in patterns() {
            let flow = pattern.flow(nodes);
            for src in [0, nodes / 2, nodes - 1] {
                let mut seen = vec![0_u32; nodes as usize];
                (0..DRAWS).for_each(|_| seen[pattern.destination(src, nodes, &mut random) as usize] += 1);
                for dst in 0..nodes {
                    let drawn = f64::from(seen[dst as usize]) / f64::from(DRAWS);
                    assert!((drawn - flow(src, dst)).abs() < 0.015, "{pattern:?}: {src} to {dst}, {drawn}");
                    assert!(flow(src, dst) > 0.0 || seen[dst as usize] == 0, "{pattern:?}: {src} to {dst}");
                }
                let total: f64 = (0..nodes).map(|dst| flow(src, dst)).sum();
                assert!((total - 1.0).abs() < 1e-9, "{pattern:?}: {total}");
            }
        }
    }

    #[test]
    fn destinations_are_those_of_the_formulas() {
        let receivers = |name, nodes: u32, src: u32| {
            let pattern = Pattern::derived(name, &numbering(nodes)).unwrap();
            let flow = pattern.flow(nodes);
            (0..nodes).filter(|&dst| flow(src, dst) > 0.0).collect::<Vec<u32>>()
        };
        assert_eq!(receivers("diagonal", 5, 4), [0, 4]);
        assert_eq!(receivers("asymmetric", 8, 6), [2, 6]);
        assert_eq!(receivers("bad-dragonfly", 24, 17), (0..8).collect::<Vec<u32>>());
        assert_eq!(receivers("bad-yarc", 16, 9), [2, 6, 10, 14]);
        let near: Vec<u32> = [1, 10, 63].into_iter().filter(|&dst| NEAR.contains(&((dst + 64) % 64))).collect();
        assert_eq!(near, [1, 63]);
    }

    #[test]
    fn networks_that_do_not_suit_are_refused() {
        let refusal = |name, nodes: u32| Pattern::derived(name, &numbering(nodes)).err().unwrap();
        let count = |name, accepted, nodes| PatternError::NodeCount { name, accepted, nodes };
        assert_eq!(refusal("asymmetric", 1), count("asymmetric", "at least 2 nodes", 1));
        assert_eq!(refusal("taper64", 16), count("taper64", "64 nodes", 16));
        assert_eq!(refusal("bad-yarc", 8), count("bad-yarc", "a square number of nodes", 8));
        let without_groups = Numbering { group: None, ..numbering(24) };
        assert_eq!(Pattern::derived("bad-dragonfly", &without_groups).err(), Some(PatternError::NoGroups));
        assert!(Pattern::background(2, &[1, 0, 1]).is_none());
    }
}
