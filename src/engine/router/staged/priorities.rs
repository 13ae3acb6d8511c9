//! Priorities of packets at the allocators.

use super::super::layout::Layout;
use super::super::packets::{Packet, Packets};
use super::super::stage::Cycle;
use super::super::state::{Block, Input};
use super::super::vcset::VcSet;
use super::Stages;
use crate::engine::router::{Priority, PriorityRule};
use std::collections::VecDeque;

/// The priorities of the flits at the fronts of buffers, with the times that they depend on.
pub(super) struct Priorities {
    rule: PriorityRule,
    /// Per input VC of all routers, the cycles in which its flits have arrived. Empty where priorities do not depend on them.
    arrivals: Vec<VecDeque<u64>>,
    /// Per packet, the cycles in which its flits have arrived at their first router, as far as they have left it. Empty where
    /// priorities do not depend on them.
    injections: Vec<Vec<u64>>,
    /// Per input VC of all routers, the links that the packet at its front has crossed to the router, if its head flit has left.
    /// Empty where priorities do not depend on them.
    crossed: Vec<u32>,
}

impl Priorities {
    /// Creates priorities under `rule`.
    pub(super) fn new<const W: usize>(rule: PriorityRule, layout: &Layout<W>) -> Self {
        let reads_arrivals = matches!(rule.priority, Priority::NetworkAge | Priority::LocalAge);
        let vcs = |is_read: bool| if is_read { layout.blocks() * Layout::<W>::BLOCK } else { 0 };
        Self {
            rule,
            arrivals: vec![VecDeque::new(); vcs(reads_arrivals)],
            injections: Vec::new(),
            crossed: vec![0; vcs(rule.priority == Priority::Hops)],
        }
    }

    /// Notes the flits that have arrived in the buffers of `block` in this cycle.
    #[inline(always)]
    pub(super) fn observe<const W: usize>(&mut self, cycle: Cycle<'_, W>, block: &Block<W, Stages<W>>) {
        if self.arrivals.is_empty() {
            return;
        }
        for vc in block.occupied {
            let arrivals = &mut self.arrivals[cycle.layout.join(block.number, vc) as usize];
            arrivals.resize(block.inputs[vc].flits as usize, cycle.now);
        }
    }

    /// Notes that flits have left the input VCs `sent` of `block`.
    #[inline(always)]
    pub(super) fn forget<const W: usize>(
        &mut self,
        layout: &Layout<W>,
        block: &Block<W, Stages<W>>,
        packets: &Packets,
        sent: VcSet<W>,
    ) {
        if self.rule.priority == Priority::Hops {
            self.note_hops(layout, block, packets, sent);
        }
        if self.arrivals.is_empty() {
            return;
        }
        for vc in sent {
            let arrived = self.arrivals[layout.join(block.number, vc) as usize].pop_front();
            if self.rule.priority == Priority::NetworkAge && layout.of_nodes.contains(vc) {
                let Input { packet, left, .. } = block.inputs[vc];
                self.inject(packet, packets[packet].flits - left, arrived.unwrap_or(0));
            }
        }
    }

    /// Notes the links that packets have crossed whose head flits have left the input VCs `sent`: a packet counts the links of its
    /// head flit, and its other flits follow.
    fn note_hops<const W: usize>(
        &mut self,
        layout: &Layout<W>,
        block: &Block<W, Stages<W>>,
        packets: &Packets,
        sent: VcSet<W>,
    ) {
        for vc in sent {
            let Input { packet, left, .. } = block.inputs[vc];
            if packets[packet].flits - left == 1 {
                self.crossed[layout.join(block.number, vc) as usize] = packets[packet].hops;
            }
        }
    }

    /// Notes that flit number `flit`, counted from 1, of `packet` had arrived at its first router in the cycle `at`.
    fn inject(&mut self, packet: u32, flit: u32, at: u64) {
        let packet = packet as usize;
        if packet >= self.injections.len() {
            self.injections.resize_with(packet + 1, Vec::new);
        }
        if flit == 1 {
            self.injections[packet].clear(); // a packet that has arrived had the same number
        }
        self.injections[packet].push(at);
    }

    /// The priority of the flit at the front of input VC `vc`, whose packet has been routed, or of the highest one in the buffer.
    pub(super) fn priority<const W: usize>(
        &self,
        layout: &Layout<W>,
        block: &Block<W, Stages<W>>,
        packets: &Packets,
        vc: usize,
    ) -> i64 {
        let Input { packet, flits, left, .. } = block.inputs[vc];
        let front =
            InBuffer { vc: layout.join(block.number, vc), is_local: layout.of_nodes.contains(vc), flits, offset: 0 };
        let front_priority = self.flit_priority(&packets[packet], packet, packets[packet].flits - left, front);
        if !self.rule.donation {
            return front_priority;
        }
        let mut most = front_priority;
        let mut before = left;
        for number in packets.waiting(front.vc) {
            if before >= flits {
                break; // it has not arrived
            }
            let queued = InBuffer { offset: before as usize, ..front };
            most = most.max(self.flit_priority(&packets[number], number, 0, queued));
            before += packets[number].flits;
        }
        most
    }

    /// The priority of flit `flit` of `packet`.
    fn flit_priority(&self, packet: &Packet, number: u32, flit: u32, at: InBuffer) -> i64 {
        let time = |cycle: u64| -i64::try_from(cycle).unwrap_or(i64::MAX);
        match self.rule.priority {
            Priority::None => 0,
            Priority::Class => packet.priority.into(),
            Priority::Age => time(packet.created),
            Priority::LocalAge => time(self.arrival(at)),
            Priority::NetworkAge if at.is_local => time(self.arrival(at)),
            Priority::NetworkAge => time(self.injections[number as usize][flit as usize]),
            Priority::QueueLength => at.flits.into(),
            Priority::Hops if flit > 0 => self.crossed[at.vc as usize].into(),
            Priority::Hops => packet.hops.into(),
            Priority::Sequence => -i64::from(packet.sequence),
        }
    }

    fn arrival(&self, at: InBuffer) -> u64 {
        self.arrivals[at.vc as usize].get(at.offset).copied().unwrap_or(0)
    }
}

/// A flit in a buffer.
#[derive(Clone, Copy)]
struct InBuffer {
    /// The input VC, numbered among those of all routers.
    vc: u32,
    /// True at the router of its source.
    is_local: bool,
    /// The flits in the buffer.
    flits: u32,
    /// The flits before it.
    offset: usize,
}
