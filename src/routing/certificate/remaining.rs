//! Virtual channels that packets may hold for ever, as far as is known, and the headers that are *blocked* by them.
//!
//! A header is blocked while it requests a virtual channel of these that it may have to take, standing behind another
//! packet, or while all that it requests are of these. One that leaves the network is not.

use super::waits::{Edge, Waits};

pub(super) struct Remaining<'a> {
    pub(super) waits: &'a Waits,
    /// Per virtual channel whether it remains.
    remains: Vec<bool>,
    /// Per demand how many of the virtual channels remain that it requests.
    requested: Vec<usize>,
    /// The same of those that are taken while there are packets in their buffers.
    behind_others: Vec<usize>,
}

impl<'a> Remaining<'a> {
    /// All virtual channels.
    pub(super) fn new(waits: &'a Waits) -> Self {
        let edges = || waits.states.numbers().map(|demand| waits.requested.at(demand.0));
        let behind_others = |edges: &[Edge]| edges.iter().filter(|edge| !edge.empty).count();
        Self {
            waits,
            remains: vec![true; waits.channels.used.len()],
            requested: edges().map(<[Edge]>::len).collect(),
            behind_others: edges().map(behind_others).collect(),
        }
    }

    pub(super) fn has(&self, channel: u32) -> bool {
        self.remains[channel as usize]
    }

    /// The virtual channels that remain.
    pub(super) fn channels(&self) -> impl Iterator<Item = u32> + '_ {
        self.waits.all_channels().filter(|&channel| self.has(channel))
    }

    /// Whether headers with `demand` are blocked.
    pub(super) fn blocks(&self, demand: u32) -> bool {
        self.behind_others[demand as usize] > 0 || self.holds_all(demand)
    }

    /// Whether all virtual channels remain that headers with `demand` request, and they request some.
    pub(super) fn holds_all(&self, demand: u32) -> bool {
        let requested = self.waits.requested.at(demand).len();
        requested > 0 && self.requested[demand as usize] == requested
    }

    /// Takes `channel` away, and calls `freed` with the demands that are blocked no more.
    pub(super) fn remove(&mut self, channel: u32, mut freed: impl FnMut(u32)) {
        self.remains[channel as usize] = false;
        let waits = self.waits;
        for &Edge { to: demand, empty } in waits.requesters.at(channel) {
            let was_blocked = self.blocks(demand);
            self.requested[demand as usize] -= 1;
            self.behind_others[demand as usize] -= usize::from(!empty);
            if was_blocked && !self.blocks(demand) {
                freed(demand);
            }
        }
    }
}
