//! Turnaround routing on a bidirectional multistage network.
//!
//! A message climbs to level `t`, the position of the highest digit in which source and destination differ, and comes
//! down along the destination's digits. On the way up every channel is correct; which one is taken decides whether
//! multicast trees are free of contention: see [`UpPort`].

use super::{FatTreePaths, LinkRouting, ModK, Network, Order};
use crate::topology::{Bmin, Channels, FatTree, Stage};
use crate::units::{ChannelId, NodeId};
use std::sync::Arc;

/// Which channel up a message takes at level `l`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum UpPort {
    /// Digit `l` of the source: distinct sources never share an up channel.
    #[default]
    Source,
    /// Digit `l` of the destination: distinct destinations never share a down channel, but multicast trees may contend.
    Destination,
}

/// A bmin with turnaround routing.
#[derive(Clone, Debug)]
pub struct Turnaround {
    tree: Bmin,
    up: UpPort,
}

impl Turnaround {
    /// Turnaround routing on `tree` with the given choice of channels up.
    pub fn new(tree: Bmin, up: UpPort) -> Self {
        Self { tree, up }
    }

    /// The level at which a message turns: 0 when both leaves hang below one switch.
    fn turn(&self, src: NodeId, dst: NodeId) -> usize {
        let mut u = src.index();
        let mut v = dst.index();
        let mut levels = 0;
        while u != v {
            (u, v, levels) = (u / self.tree.radix(), v / self.tree.radix(), levels + 1);
        }
        usize::max(levels, 1) - 1
    }
}

impl Network for Turnaround {
    fn channels(&self) -> &dyn Channels {
        &self.tree
    }

    /// The label of a channel between levels `l` and `l+1` has the digits up to `l` from the leaf that decides the way
    /// up; the digits above are still the source's on the way up, and already the destination's on the way down.
    fn route(&self, src: NodeId, dst: NodeId, path: &mut Vec<ChannelId>) {
        path.push(self.tree.injection(src));
        let chooser = match self.up {
            UpPort::Source => src.index(),
            UpPort::Destination => dst.index(),
        };
        let turn = self.turn(src, dst);
        let radix = self.tree.radix();
        let label = |rest: usize, power: usize| rest / power * power + chooser % power;
        let mut power = 1;
        for level in 0..turn {
            power *= radix;
            path.push(self.tree.up(level, label(src.index(), power)));
        }
        for level in (0..turn).rev() {
            path.push(self.tree.down(level, label(dst.index(), power)));
            power /= radix;
        }
        path.push(self.tree.ejection(dst));
    }

    /// Those of the k-ary n-tree of as many levels: channels up are chosen by the digits of one end there, too.
    fn paths(&self) -> Option<Arc<dyn LinkRouting>> {
        let stage = |parents| Stage { children: self.tree.radix(), parents };
        let above = vec![stage(self.tree.radix()); self.tree.levels() - 1];
        let stages: Vec<Stage> = std::iter::once(stage(1)).chain(above).collect();
        let tree = FatTree::new(&stages, || "a bmin".to_owned()).ok()?;
        let by = match self.up {
            UpPort::Source => ModK::Source,
            UpPort::Destination => ModK::Destination,
        };
        Some(Arc::new(FatTreePaths::new(Arc::new(tree), by)))
    }

    fn hops(&self, src: NodeId, dst: NodeId) -> usize {
        2 * self.turn(src, dst)
    }

    fn order(&self) -> Order {
        Order::Leaf
    }

    fn chain_rank(&self, node: NodeId) -> u64 {
        u64::from(node.0)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;
    use crate::topology::Links;

    /// The switches (level, digits) that a channel leaves and enters; a leaf is level 0 below a switch of one digit
    /// more. Built from the wiring rule, not from labels' use in routing.
    fn ends(tree: &Bmin, channel: ChannelId) -> (String, String) {
        let (k, n, leaves) = (tree.radix(), tree.levels(), tree.nodes());
        let digits = |mut word: usize| -> Vec<usize> {
            let mut digit = || (word % k, word /= k).0;
            (0..n).map(|_| digit()).collect()
        };
        let (bank, label) = (channel.index() / leaves, channel.index() % leaves);
        let switch = |level: usize, word: &[usize]| format!("switch {level} {word:?}");
        let leaf = format!("leaf {label}");
        match bank {
            0 => (leaf, switch(0, &digits(label)[1..])),
            1 => (switch(0, &digits(label)[1..]), leaf),
            _ => {
                let level = (bank - 2) / 2;
                let mut lower = digits(label);
                let upper_digit = lower.remove(level);
                let mut upper = lower.clone();
                // the lower switch keeps all its digits; the upper one differs in digit `level` only
                upper[level] = upper_digit;
                let (low, high) = (switch(level, &lower), switch(level + 1, &upper));
                if bank % 2 == 0 { (low, high) } else { (high, low) }
            }
        }
    }

    #[test]
    fn every_path_is_a_walk_from_leaf_to_leaf() -> Result<(), crate::topology::TopologyError> {
        for (radix, levels) in [(2, 1), (2, 2), (2, 4), (3, 3), (4, 2)] {
            for up in [UpPort::Source, UpPort::Destination] {
                let tree = Bmin::new(radix, levels, 1)?;
                let network = Turnaround::new(tree.clone(), up);
                for src in 0..tree.nodes() {
                    for dst in 0..tree.nodes() {
                        let mut path = Vec::new();
                        network.route(NodeId::new(src), NodeId::new(dst), &mut path);
                        assert_eq!(path.len(), 2 + network.hops(NodeId::new(src), NodeId::new(dst)));
                        let mut at = format!("leaf {src}");
                        for channel in path {
                            let (from, to) = ends(&tree, channel);
                            assert_eq!(from, at, "{radix}-ary {levels}-tree {src}->{dst} {up:?}");
                            at = to;
                        }
                        assert_eq!(at, format!("leaf {dst}"));
                    }
                }
            }
        }
        Ok(())
    }

    /// The links of the paths leave by the ports of the channels.
    #[test]
    fn paths_over_links_are_those_over_channels() -> Result<(), crate::topology::TopologyError> {
        for (radix, levels) in [(2, 1), (2, 4), (3, 3), (4, 2)] {
            for up in [UpPort::Source, UpPort::Destination] {
                let tree = Bmin::new(radix, levels, 1)?;
                let network = Turnaround::new(tree.clone(), up);
                let stage = |parents| Stage { children: radix, parents };
                let stages: Vec<Stage> = (0..levels).map(|level| stage(if level == 0 { 1 } else { radix })).collect();
                let links = FatTree::new(&stages, || "a tree".to_owned())?;
                let paths = network.paths().unwrap();
                for src in (0..tree.nodes()).map(NodeId::new) {
                    for dst in (0..tree.nodes()).map(NodeId::new) {
                        let mut channels = Vec::new();
                        network.route(src, dst, &mut channels);
                        let mut steps = Vec::new();
                        paths.path(src, dst, &mut steps);
                        assert_eq!(steps.len() + 2, channels.len());
                        for (step, &channel) in steps.iter().zip(&channels[1..]) {
                            let (from, _) = links.ends(step.link);
                            let port = links.leaving(from).position(|link| link == step.link);
                            assert_eq!(tree.hop(channel).map(|hop| usize::from(hop.port)), port);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    #[test]
    fn distinct_sources_never_share_an_up_channel() -> Result<(), crate::topology::TopologyError> {
        let tree = Bmin::new(3, 3, 1)?;
        let network = Turnaround::new(tree.clone(), UpPort::Source);
        let mut user = vec![None; tree.count()];
        for src in 0..tree.nodes() {
            for dst in 0..tree.nodes() {
                let mut path = Vec::new();
                network.route(NodeId::new(src), NodeId::new(dst), &mut path);
                for channel in &path[..path.len() / 2] {
                    assert_eq!(*user[channel.index()].get_or_insert(src), src);
                }
            }
        }
        Ok(())
    }
}
