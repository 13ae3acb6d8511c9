//! Packets that will never arrive, and the packets that they wait for.
//!
//! A buffer can empty if the packet at its front can leave: if it may take a VC that is free or will come free, into a buffer
//! that has a slot or can empty. What cannot empty is deadlocked. The analysis is exact: it accuses no packet that could still
//! move.

use super::blocks::Blocks;
use super::candidates::Candidates;
use super::config::Config;
use super::layout::Layout;
use super::packets::{Packet, Packets};
use super::routing::{Branch, Routing};
use super::state::{Block, Input};
use crate::cancel::{self, Counted};
use crate::engine::deadlock::{Deadlock, Waiting};
use crate::engine::router::{Switching, channel_name};
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
    /// The cycles between two looks.
    interval: u64,
    /// The flits that had moved at the last look, if packets waited then and none was in flight.
    stalled: Option<u64>,
}

/// Cycles between two looks for packets that will never arrive.
const WATCH: u64 = 1 << 14;

/// Cycles between two looks where nodes may refuse packets, which can stop all others soon.
const WATCH_LIMITED: u64 = 1 << 10;

/// Effort between two reports: flits that move, and the cost of cycles without.
const REPORT: u64 = 1 << 13;

impl Schedule {
    /// Creates the schedule of a run with the number of `sources`. Nodes refuse packets if it `is_limited`.
    pub(crate) fn new(sources: usize, is_limited: bool) -> Self {
        let interval = if is_limited { WATCH_LIMITED } else { WATCH };
        Self { watch: interval, effort: 0, of_cycle: 1 + sources as u64 / 64, report: REPORT, interval, stalled: None }
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

    /// The cycle before which the run next looks for packets that will never arrive.
    pub(crate) fn watch(&self) -> u64 {
        self.watch
    }

    /// Returns true if the run is to look for packets that will never arrive before cycle `now`.
    #[inline(always)]
    pub(crate) fn watches(&mut self, now: u64) -> bool {
        let watches = now >= self.watch;
        if watches {
            self.watch = now + self.interval;
        }
        watches
    }
}

impl Schedule {
    /// Returns true if packets wait, as at the last call, and no flit has moved since. `moved` is the number of flits that have moved, if
    /// packets wait and none is in flight.
    pub(crate) fn has_stalled(&mut self, moved: Option<u64>) -> bool {
        let before = std::mem::replace(&mut self.stalled, moved);
        moved.is_some() && before == moved
    }
}

/// The state of routers in which packets may wait for each other.
pub(crate) struct Waits<'a, const W: usize, R, A> {
    pub(crate) config: &'a Config<'a>,
    pub(crate) layout: &'a Layout<W>,
    pub(crate) routing: &'a R,
    pub(crate) blocks: &'a Blocks<W, A>,
    pub(crate) packets: &'a Packets,
}

/// The conditions under which a buffer can empty: for each of them, one of several input VCs has to send first. Empty if a flit
/// can leave, or there is none.
type Conditions = Vec<Vec<u32>>;

impl<const W: usize, R: Routing<W>, A> Waits<'_, W, R, A> {
    /// The packets that will never arrive, if there are any, as found in cycle `now`. `message` returns the number of the message
    /// that a packet carries, if it carries one.
    pub(crate) fn deadlock(&self, message: &dyn Fn(&Packet) -> Option<u32>, now: u64) -> Option<Box<Deadlock>> {
        let conditions: Vec<Conditions> = (0..self.layout.numbering.all()).map(|vc| self.conditions(vc)).collect();
        let deadlocked = deadlocked(&conditions);
        let waiting = |vc: u32| {
            let packet = self.packet(vc);
            let message = message(&self.packets[packet]).unwrap_or(packet);
            Waiting { message: MessageId(message), channel: ChannelId(vc) }
        };
        let all: Vec<Waiting> =
            (0..self.layout.numbering.all()).filter(|&vc| deadlocked[vc as usize]).map(waiting).collect();
        // a packet that is deadlocked waits for others that are, as one that waits for nothing can move
        let next = |at: Waiting| conditions[at.channel.index()].iter().flatten().next().map(|&vc| waiting(vc));
        let describe = |at: Waiting| self.describe(at.channel.0, message);
        (!all.is_empty()).then(|| Deadlock::of_packets(all, &next, now, &describe))
    }

    /// All packets that wait at the front of a buffer in cycle `now`, when no flit can move any more: some wait for their node, which
    /// waits for other packets to leave.
    pub(crate) fn stalled(&self, message: &dyn Fn(&Packet) -> Option<u32>, now: u64) -> Option<Box<Deadlock>> {
        let is_occupied = |vc: &u32| {
            let (block, at) = self.layout.split(*vc);
            self.blocks[block].occupied.contains(at)
        };
        let waiting = |vc: u32| {
            let packet = self.packet(vc);
            let message = message(&self.packets[packet]).unwrap_or(packet);
            Waiting { message: MessageId(message), channel: ChannelId(vc) }
        };
        let all: Vec<Waiting> = (0..self.layout.numbering.all()).filter(is_occupied).map(waiting).collect();
        let describe = |at: Waiting| self.describe(at.channel.0, message);
        (!all.is_empty()).then(|| Deadlock::of_packets(all, &|_| None, now, &describe))
    }

    /// Describes the packet at the front of input VC `vc`, and the buffer.
    fn describe(&self, vc: u32, message: &dyn Fn(&Packet) -> Option<u32>) -> String {
        let Config { routes, costs, .. } = self.config;
        let buffer = channel_name(*routes, costs, ChannelId(self.layout.number(self.input(vc).filled_by)));
        let packet = &self.packets[self.packet(vc)];
        let [src, dst] = [packet.src, packet.header.dst].map(|node| routes.wiring().node_name(node));
        let what = message(packet).map_or("a packet".to_owned(), |number| format!("message {number}"));
        format!("{what} from {src} to {dst} in the buffer of {buffer}")
    }

    /// The record of input VC `vc`, numbered among those of all routers.
    fn input(&self, vc: u32) -> &Input<W> {
        let (block, vc) = self.layout.split(vc);
        &self.blocks[block].inputs[vc]
    }

    /// The packet at the front of input VC `vc`, numbered among those of all routers, or the next to arrive there.
    fn packet(&self, vc: u32) -> u32 {
        let (number, at) = self.layout.split(vc);
        if let Some(packet) = self.routing.front_packet(number, at) {
            return packet;
        }
        let block = &self.blocks[number];
        let is_routed = (block.granted() | block.waiting.requesting | block.waiting.blocked).contains(at);
        let next = if is_routed { None } else { self.packets.front(vc) };
        next.unwrap_or(block.inputs[at].packet)
    }

    /// The conditions under which input VC `vc`, numbered among those of all routers, can empty.
    fn conditions(&self, vc: u32) -> Conditions {
        let (number, vc_of_block) = self.layout.split(vc);
        let block = &self.blocks[number];
        let branches = self.routing.branches(vc);
        if !branches.is_empty() {
            return branches
                .iter()
                .map(|branch| self.waits_of_branch(number, branch))
                .filter(|of| !of.is_empty())
                .collect();
        }
        let vc = vc_of_block;
        let waits = if !block.occupied.contains(vc) {
            if self.routing.has_forks() { self.feeder(block, vc) } else { Vec::new() }
        } else if block.running.contains(vc) {
            Vec::new()
        } else if block.granted().contains(vc) {
            self.blocker(number, block.inputs[vc].output.into(), 0).into_iter().collect()
        } else if (block.waiting.requesting | block.waiting.blocked).contains(vc) {
            let Candidates { preferred, escape } = block.candidates[vc];
            let packet = block.inputs[vc].packet;
            self.waits_for_a_vc(number, packet, preferred.into_iter().chain(escape))
        } else {
            Vec::new() // it has not been routed
        };
        if waits.is_empty() { Vec::new() } else { vec![waits] }
    }

    /// The input VC from which the rest of the packet at the front of input VC `vc` comes, which is empty: a worm that waits for a
    /// VC on another branch may hold it back.
    fn feeder(&self, block: &Block<W, A>, vc: usize) -> Vec<u32> {
        let from = block.inputs[vc].filled_by;
        if from.is_node() {
            return Vec::new();
        }
        let (number, output) = from.split();
        let sender = &self.blocks[number];
        let owner = sender.outputs[output].owner.into();
        let has_sent = !sender.free.contains(output) && (sender.granted() - sender.heads).contains(owner);
        if has_sent { vec![self.layout.join(number, owner)] } else { Vec::new() }
    }

    /// The input VCs any one of which has to send before a flit can leave block `number` by `branch`. Empty if it can.
    fn waits_of_branch(&self, number: usize, branch: &Branch<W>) -> Vec<u32> {
        let block = &self.blocks[number];
        match branch.output {
            Some(output) => self.blocker(number, output, 0).into_iter().collect(),
            None if !(branch.candidates & block.free).is_empty() => Vec::new(),
            None => {
                let owner = |output: usize| self.layout.join(number, block.outputs[output].owner.into());
                branch.candidates.into_iter().map(owner).collect()
            }
        }
    }

    /// The input VCs any one of which has to send before the head flit of `packet` can be granted one of `outputs` of block `number`.
    fn waits_for_a_vc(&self, number: usize, packet: u32, outputs: impl Iterator<Item = usize>) -> Vec<u32> {
        let block = &self.blocks[number];
        let is_wormhole = self.config.costs.microarchitecture.switching == Switching::Wormhole;
        let needed = if is_wormhole { 1 } else { self.packets[packet].flits };
        let mut waits = Vec::new();
        for output in outputs {
            let has_to_empty = self.layout.exclusive.contains(output);
            let most = if has_to_empty { block.outputs[output].buffer.into() } else { needed };
            match (block.free.contains(output), self.blocker(number, output, most - 1)) {
                (true, None) => return Vec::new(),
                (true, Some(next)) => waits.push(next),
                (false, _) => waits.push(self.layout.join(number, block.outputs[output].owner.into())),
            }
        }
        waits
    }

    /// The input VC behind output VC `output` of block `number`, if its buffer has at most `slots` free slots. `None` if it leads to a
    /// node.
    fn blocker(&self, number: usize, output: usize, slots: u32) -> Option<u32> {
        let output = &self.blocks[number].outputs[output];
        if output.leads_to.is_node() {
            return None;
        }
        let (block, vc) = output.leads_to.split();
        let free = u32::from(output.buffer) - self.blocks[block].inputs[vc].flits;
        (free <= slots).then(|| self.layout.join(block, vc))
    }
}

/// By input VC, true if it cannot empty under its `conditions`.
fn deadlocked(conditions: &[Conditions]) -> Vec<bool> {
    let mut deadlocked: Vec<bool> = conditions.iter().map(|of| !of.is_empty()).collect();
    loop {
        let can_send = |any: &Vec<u32>| any.iter().any(|&next| !deadlocked[next as usize]);
        let can_empty = |vc: &usize| deadlocked[*vc] && conditions[*vc].iter().all(can_send);
        let freed: Vec<usize> = (0..conditions.len()).filter(can_empty).collect();
        if freed.is_empty() {
            return deadlocked;
        }
        freed.into_iter().for_each(|vc| deadlocked[vc] = false);
    }
}
