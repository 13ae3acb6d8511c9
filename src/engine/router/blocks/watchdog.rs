//! Packets that will never arrive, and the packets that they wait for.
//!
//! A buffer can empty if the packet at its front can leave: if it may take a VC that is free or will come free, into a buffer
//! that has a slot or can empty. What cannot empty is deadlocked. The analysis is exact: it accuses no packet that could still
//! move.

use super::engine::Config;
use super::layout::Layout;
use super::packets::{Packet, Packets};
use super::state::Block;
use crate::cancel::{self, Counted};
use crate::engine::deadlock::{Deadlock, Waiting};
use crate::engine::router::channel_name;
use crate::units::{ChannelId, MessageId};

/// The cycles in which a run looks for packets that will never arrive, and reports its progress.
pub(crate) struct Schedule {
    /// The next cycle in which it looks for packets.
    watch: u64,
    /// The effort of all cycles, flits aside, and of one in which nothing moves: in proportion to the routers.
    effort: u64,
    of_cycle: u64,
    /// The effort after which it next reports its progress.
    report: u64,
}

/// Cycles between two looks for packets that will never arrive.
const WATCH: u64 = 1 << 14;

/// Effort between two reports: flits that move, and the cost of cycles without.
const REPORT: u64 = 1 << 13;

impl Schedule {
    /// Creates the schedule of a run with the number of `sources`.
    pub(crate) fn new(sources: usize) -> Self {
        Self { watch: WATCH, effort: 0, of_cycle: 1 + sources as u64 / 64, report: REPORT }
    }

    /// Counts a cycle, and returns true if the run is to report its progress, when `moved` flits have moved.
    #[inline(always)]
    pub(crate) fn reports(&mut self, moved: u64) -> bool {
        self.effort += self.of_cycle;
        self.effort + moved >= self.report
    }

    /// Reports the part `done` of `all` work.
    #[cold]
    #[inline(never)]
    pub(crate) fn report(&mut self, moved: u64, (done, all): (u64, u64)) {
        self.report = self.effort + moved + REPORT;
        cancel::ran((moved, Counted::Flits), done, all);
    }

    /// Returns true if the run is to look for packets that will never arrive before cycle `now`.
    #[inline(always)]
    pub(crate) fn watches(&mut self, now: u64) -> bool {
        let watches = now >= self.watch;
        if watches {
            self.watch = now + WATCH;
        }
        watches
    }
}

/// The packets that will never arrive, if there are any, as found in cycle `now`. `message` returns the number of the message
/// that a packet carries, if it carries one.
pub(crate) fn deadlock<const W: usize, A>(
    config: &Config<'_>,
    layout: &Layout<W>,
    blocks: &[Block<W, A>],
    packets: &Packets,
    message: impl Fn(&Packet) -> Option<u32>,
    now: u64,
) -> Option<Box<Deadlock>> {
    let waits: Vec<Vec<u32>> = (0..layout.all()).map(|vc| waits_for(layout, blocks, vc)).collect();
    let deadlocked = deadlocked(&waits);
    let waiting = |vc: u32| {
        let packet = input(layout, blocks, vc).packet;
        let message = message(&packets[packet]).unwrap_or(packet);
        Waiting { message: MessageId(message), channel: ChannelId(vc) }
    };
    let all: Vec<Waiting> = (0..layout.all()).filter(|&vc| deadlocked[vc as usize]).map(waiting).collect();
    // a packet that is deadlocked waits for others that are, as one that waits for nothing can move
    let next = |at: Waiting| waits[at.channel.index()].first().map(|&vc| waiting(vc));
    let describe = |at: Waiting| {
        let input = input(layout, blocks, at.channel.0);
        let buffer = channel_name(config.routes, &config.costs, ChannelId(layout.number(input.filled_by)));
        let packet = &packets[input.packet];
        let wiring = config.routes.wiring();
        let [src, dst] = [packet.src, packet.header.dst].map(|node| wiring.node_name(node));
        let what = message(packet).map_or("a packet".to_owned(), |number| format!("message {number}"));
        format!("in the buffer of {buffer}: {what} from {src} to {dst}")
    };
    (!all.is_empty()).then(|| Deadlock::of_packets(all, next, now, describe))
}

/// By input VC, true if it cannot empty, when each one waits for any of `waits`.
fn deadlocked(waits: &[Vec<u32>]) -> Vec<bool> {
    let mut deadlocked: Vec<bool> = waits.iter().map(|waits| !waits.is_empty()).collect();
    loop {
        let can_empty = |vc: &usize| deadlocked[*vc] && waits[*vc].iter().any(|&next| !deadlocked[next as usize]);
        let freed: Vec<usize> = (0..waits.len()).filter(can_empty).collect();
        if freed.is_empty() {
            return deadlocked;
        }
        freed.into_iter().for_each(|vc| deadlocked[vc] = false);
    }
}

/// The record of input VC `vc`, numbered among those of all routers.
fn input<'a, const W: usize, A>(layout: &Layout<W>, blocks: &'a [Block<W, A>], vc: u32) -> &'a super::state::Input<W> {
    let (block, vc) = layout.split(vc);
    &blocks[block].inputs[vc]
}

/// The input VCs any one of which has to send before a flit can leave input VC `vc`. Empty if it has no flit or can send.
fn waits_for<const W: usize, A>(layout: &Layout<W>, blocks: &[Block<W, A>], vc: u32) -> Vec<u32> {
    let (number, vc) = layout.split(vc);
    let block = &blocks[number];
    if !block.occupied.contains(vc) || block.running.contains(vc) {
        return Vec::new();
    }
    if block.granted().contains(vc) {
        let output = block.inputs[vc].output.into();
        return blocker(layout, blocks, number, output, 0).into_iter().collect();
    }
    if !(block.waiting.requesting | block.waiting.blocked).contains(vc) {
        return Vec::new(); // it has not been routed
    }
    waits_for_a_vc(layout, blocks, number, vc)
}

/// The input VCs any one of which has to send before the head flit at input VC `vc` can be granted an output VC.
fn waits_for_a_vc<const W: usize, A>(layout: &Layout<W>, blocks: &[Block<W, A>], number: usize, vc: usize) -> Vec<u32> {
    let block = &blocks[number];
    let candidates = block.candidates[vc];
    let mut waits = Vec::new();
    for output in candidates.preferred.into_iter().chain(candidates.escape) {
        let has_to_empty = layout.exclusive.contains(output);
        let most = if has_to_empty { block.outputs[output].buffer.into() } else { 1 };
        let blocker = blocker(layout, blocks, number, output, most - 1);
        match (block.free.contains(output), blocker) {
            (true, None) => return Vec::new(),
            (true, Some(next)) => waits.push(next),
            (false, _) => waits.push(layout.join(number, block.outputs[output].owner.into())),
        }
    }
    waits
}

/// The input VC behind output VC `output` of block `number`, if its buffer has at most `slots` free slots. `None` if it leads to a node.
fn blocker<const W: usize, A>(
    layout: &Layout<W>,
    blocks: &[Block<W, A>],
    number: usize,
    output: usize,
    slots: u32,
) -> Option<u32> {
    let output = &blocks[number].outputs[output];
    if output.leads_to.is_node() {
        return None;
    }
    let (block, vc) = output.leads_to.split();
    let free = u32::from(output.buffer) - blocks[block].inputs[vc].flits;
    (free <= slots).then(|| layout.join(block, vc))
}
