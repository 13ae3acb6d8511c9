//! An order of virtual channels in which all dependencies lead downwards (Dally and Seitz 1987).

use super::waits::Waits;

/// Per virtual channel the length of the longest chain of dependencies that begins at it; none if there is a cycle.
///
/// Virtual channels are ranked when all that depend on theirs are, beginning with those from whose front packets leave.
/// O(states + requests) time.
pub(super) fn ranks(waits: &Waits) -> Option<Vec<u32>> {
    let mut order = Order::new(waits);
    let leaving = waits.states.numbers().map(|demand| demand.0).filter(|&demand| waits.requested.at(demand).is_empty());
    let mut open: Vec<u32> = leaving.collect();
    while let Some(demand) = open.pop() {
        order.rank_holders(demand, &mut open);
    }
    (order.ranked == waits.channels.used.len()).then_some(order.ranks)
}

struct Order<'a> {
    waits: &'a Waits,
    /// Per virtual channel the longest chain that is known so far.
    ranks: Vec<u32>,
    /// Per virtual channel the demands at its front whose chains are not known yet.
    unknown_fronts: Vec<usize>,
    /// Per demand the longest chain that it begins.
    chains: Vec<u32>,
    /// Per demand the virtual channels requested whose ranks are not known yet.
    unknown_requested: Vec<usize>,
    /// Virtual channels whose ranks are known.
    ranked: usize,
}

impl<'a> Order<'a> {
    fn new(waits: &'a Waits) -> Self {
        let requested = |demand: super::Demand| waits.requested.at(demand.0).len();
        let unknown_requested: Vec<usize> = waits.states.numbers().map(requested).collect();
        let unknown_fronts: Vec<usize> = waits.all_channels().map(|channel| waits.fronts.at(channel).len()).collect();
        Self {
            waits,
            ranks: vec![0; unknown_fronts.len()],
            unknown_fronts,
            chains: vec![0; unknown_requested.len()],
            unknown_requested,
            ranked: 0,
        }
    }

    /// The chain of `demand` is known: passes it on to the virtual channels at whose front it stands, and opens the demands
    /// whose chains are known then.
    fn rank_holders(&mut self, demand: u32, open: &mut Vec<u32>) {
        for &channel in self.waits.holders.at(demand) {
            let at = channel as usize;
            self.ranks[at] = self.ranks[at].max(self.chains[demand as usize]);
            self.unknown_fronts[at] -= 1;
            if self.unknown_fronts[at] == 0 {
                self.ranked += 1;
                self.lengthen_requesters(channel, open);
            }
        }
    }

    fn lengthen_requesters(&mut self, channel: u32, open: &mut Vec<u32>) {
        for requester in self.waits.requesters.at(channel) {
            let at = requester.to as usize;
            self.chains[at] = self.chains[at].max(self.ranks[channel as usize] + 1);
            self.unknown_requested[at] -= 1;
            if self.unknown_requested[at] == 0 {
                open.push(requester.to);
            }
        }
    }
}
