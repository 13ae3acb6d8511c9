//! Links and nodes of a grid that fail during a broadcast.

use crate::topology::CostMatrix;
use crate::units::{NodeId, Ticks};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::ops::Range;

/// What happens to a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LinkFault {
    /// What has not been sent takes so many times longer.
    Slow(f64),
    /// Nothing comes through any more.
    Dead,
}

/// When links and nodes fail.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Faults {
    links: FxHashMap<(NodeId, NodeId), (Ticks, LinkFault)>,
    /// When a node dies, and with it all its links.
    deaths: FxHashMap<NodeId, Ticks>,
}

/// Nothing fails.
pub(super) static NO_FAULTS: Faults =
    Faults { links: FxHashMap::with_hasher(FxBuildHasher), deaths: FxHashMap::with_hasher(FxBuildHasher) };

impl Faults {
    /// The link from `src` to `dst` fails at `at`; the last fault of a link counts.
    pub fn fail(&mut self, src: NodeId, dst: NodeId, at: Ticks, fault: LinkFault) {
        self.links.insert((src, dst), (at, fault));
    }

    /// Node `node` dies at `at`.
    pub fn kill(&mut self, node: NodeId, at: Ticks) {
        self.deaths.insert(node, at);
    }

    /// Whether `node` lives to the end.
    pub fn survives(&self, node: NodeId) -> bool {
        !self.deaths.contains_key(&node)
    }

    /// When a transfer from `src` to `dst` that starts at `start` ends; never if it is none.
    pub(super) fn end(&self, costs: &CostMatrix, src: NodeId, dst: NodeId, start: Ticks) -> Option<Ticks> {
        let end = start + costs.cost(src, dst);
        if self.links.is_empty() && self.deaths.is_empty() {
            return Some(end);
        }
        let end = match self.links.get(&(src, dst)) {
            Some(&(at, _)) if at >= end => Some(end),
            Some((_, LinkFault::Dead)) => None,
            Some(&(at, LinkFault::Slow(factor))) => {
                let fails = at.max(start);
                Some(fails + times(end - fails, factor))
            }
            None => Some(end),
        };
        end.filter(|&end| self.live(src, dst, end))
    }

    /// When a transfer from `src` to `dst` that would end at `end` ends if nothing comes during `pause`; never if its link or one
    /// of its ends fails before.
    pub(super) fn end_after(&self, src: NodeId, dst: NodeId, pause: Range<Ticks>, end: Ticks) -> Option<Ticks> {
        let put_off = end + (pause.end - pause.start);
        let end = match self.links.get(&(src, dst)) {
            Some(&(at, LinkFault::Dead)) if at < put_off => return None,
            Some(&(at, LinkFault::Slow(factor))) if pause.start < at && at < put_off => {
                // what would have come before the link fails, of which some still does
                let fast = at.min(end) - pause.start;
                let resumed = at.max(pause.end);
                let slow = end - at.min(end);
                resumed + times(fast - (resumed - pause.end), factor) + slow
            }
            _ => put_off,
        };
        Some(end).filter(|&end| self.live(src, dst, end))
    }

    /// Whether both `src` and `dst` live until `end`.
    fn live(&self, src: NodeId, dst: NodeId, end: Ticks) -> bool {
        let death = [src, dst].into_iter().filter_map(|node| self.deaths.get(&node)).min();
        death.is_none_or(|&death| death >= end)
    }

    /// Whether nothing comes through from `src` to `dst` from `now` on.
    pub(super) fn dead(&self, src: NodeId, dst: NodeId, now: Ticks) -> bool {
        let link = self.links.get(&(src, dst)).is_some_and(|&(at, fault)| fault == LinkFault::Dead && at <= now);
        link || self.died(src, now) || self.died(dst, now)
    }

    /// Whether `node` has died by `now`.
    pub(super) fn died(&self, node: NodeId, now: Ticks) -> bool {
        self.deaths.get(&node).is_some_and(|&death| death <= now)
    }
}

/// `factor` times as long, in whole ticks.
#[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded")]
pub(super) fn times(ticks: Ticks, factor: f64) -> Ticks {
    Ticks((ticks.0 as f64 * factor).round() as u64)
}
