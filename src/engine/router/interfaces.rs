//! What a chip asks of the interfaces between its ends and its routers, and of the virtual channels of its links.

use serde::Serialize;
use std::ops::RangeInclusive;

/// A class of the virtual channels of every link.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VcClass {
    /// Which virtual channels it has.
    pub vcs: RangeInclusive<u16>,
    /// Flits that the buffer of each holds, those on their way to it included.
    pub buffer: u32,
}

/// The interfaces of nodes, where these send more than one kind of packets: each kind by an injection channel of its own, with one
/// virtual channel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Interfaces {
    /// The classes of the virtual channels of links, in the numbering of the paths that packets are told.
    pub classes: Vec<VcClass>,
    /// Flits that the buffer behind an injection channel holds, those on their way to it included.
    pub entry: u32,
    /// Per node, how many flits its last injection channel sends in a thousand cycles, at least 1 and at most 1000.
    pub rates: Vec<u32>,
}

impl Interfaces {
    /// The rates of sources, or `None` of one that sends a flit a cycle, for nodes with the given number of `injections`.
    pub(super) fn allowances(&self, injections: usize) -> Vec<Option<Allowance>> {
        let of_node = |&rate: &u32| {
            let others = std::iter::repeat_n(None, injections - 1);
            others.chain([(rate < FLIT).then(|| Allowance::new(rate))])
        };
        self.rates.iter().flat_map(of_node).collect()
    }

    /// Flits that the buffer behind virtual channel `vc` of a link holds.
    pub(super) fn buffer(&self, vc: u32) -> Option<u32> {
        let class = self.classes.iter().find(|class| class.vcs.clone().any(|of| u32::from(of) == vc))?;
        Some(class.buffer)
    }
}

/// A packet of a tree worm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its number, as packets are offered.
    pub number: u32,
    /// Its node.
    pub dst: u32,
}

/// A flit, in the units in which sources count what they may send.
const FLIT: u32 = 1000;

/// What a source may send that is slower than its channel: a flit whenever so much has come in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allowance {
    /// What comes in each cycle; never more than a flit and this is kept.
    rate: u32,
    /// What was there at the end of the cycle `since`.
    left: u32,
    since: u64,
}

impl Allowance {
    /// Of a source that sends `rate` flits in a thousand cycles, and may send its first at once.
    pub(super) fn new(rate: u32) -> Self {
        Self { rate, left: FLIT, since: 0 }
    }

    /// A flit leaves in the cycle `now`, which it may; the first cycle in which the next one may.
    pub(super) fn spend(&mut self, now: u64) -> u64 {
        let most = FLIT + self.rate;
        let come = u64::from(self.rate).saturating_mul(now - self.since);
        let there = u32::try_from(come).map_or(most, |come| come.saturating_add(self.left).min(most));
        self.left = there.saturating_sub(FLIT);
        self.since = now;
        let missing = FLIT.saturating_sub(self.left);
        now + u64::from(missing.div_ceil(self.rate)).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_source_saves_up_for_one_flit_at_most() {
        let mut allowance = Allowance::new(750);
        let mut at = 0;
        let mut sent = Vec::new();
        for _ in 0..6 {
            sent.push(at);
            at = allowance.spend(at);
        }
        // 1000 at first; then 750, 1500, 1250, 1000, 750, 1500 ..
        assert_eq!(sent, [0, 2, 3, 4, 6, 7]);
        // however long it rests, two flits follow each other
        let next = allowance.spend(1000);
        assert_eq!((next, allowance.spend(next)), (1001, 1002));
    }
}
