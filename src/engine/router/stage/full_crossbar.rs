//! Outputs that decide by themselves: routers with a path through the crossbar for every VC of every input port.
//!
//! Each output port grants its VCs to head flits, as many in a cycle as there are free ones, and then sends one flit, both round
//! robin over the input VCs of its router. A head flit may be granted a VC and leave in the same cycle.

use super::super::build::Network;
use super::super::discipline::Discipline;
use super::super::flow::HeterogeneousLinks;
use super::super::layout::Layout;
use super::super::packets::{Packet, Packets};
use super::super::relation::Groups;
use super::super::routing::{Branch, Routing, TreeWorms};
use super::super::state::Block;
use super::super::traffic::{Endpoints, Event};
use super::super::vcset::{VcArray, VcSet, short};
use super::{Cycle, Traversal, grant_event};
use crate::engine::router::{Granted, Traffic};

/// The most VCs of all ports of a router with a full crossbar, gaps in their numbers included.
pub const MOST_CROSSED: u32 = u64::BITS;

/// Arbiters of the output ports of a block: per port, the input VC that was served last.
pub(crate) struct OutputTurns<const W: usize> {
    grants: VcArray<u16, W>,
    flits: VcArray<u16, W>,
}

impl<const W: usize> OutputTurns<W> {
    fn new(layout: &Layout<W>) -> Self {
        let last = VcArray::numbered(|vc| layout.last_of_router(vc));
        Self { grants: last.clone(), flits: last }
    }
}

/// Each output port serves the input VCs in turn, whatever other ports do.
pub(crate) struct FullCrossbar<const W: usize> {
    /// Per output port, the input VCs that request something of it.
    requests: Groups<W>,
}

impl<const W: usize> Discipline<W> for FullCrossbar<W> {
    type Arbiters = OutputTurns<W>;

    fn new(_: &Layout<W>, _: &Network<'_>) -> Self {
        Self { requests: Groups::new() }
    }

    fn arbiters(&self, layout: &Layout<W>, _: usize) -> OutputTurns<W> {
        OutputTurns::new(layout)
    }
}

/// The members of `set`, in turn after `last`.
fn in_turn<const W: usize>(mut set: VcSet<W>, mut last: usize) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        if set.is_empty() {
            return None;
        }
        last = set.first_after(last);
        set.remove(last);
        Some(last)
    })
}

/// Grants at the outputs of a block.
pub(crate) struct OutputGrants<'a, 'r, const W: usize, T> {
    pub(crate) cycle: Cycle<'a, W>,
    pub(crate) routing: &'a mut TreeWorms<'r, W>,
    pub(crate) flow: &'a HeterogeneousLinks<W>,
    pub(crate) packets: &'a Packets,
    pub(crate) traffic: &'a mut Endpoints<T>,
}

impl<const W: usize, T: Traffic> OutputGrants<'_, '_, W, T> {
    /// Grants each head flit that requests output VCs the lowest that is free at each of its ports. One that leaves for its node is
    /// granted a VC only if the node admits it.
    pub(crate) fn grant_all(&mut self, block: &mut Block<W, OutputTurns<W>>, discipline: &mut FullCrossbar<W>) {
        let layout = self.cycle.layout;
        let requests = &mut discipline.requests;
        for head in block.waiting.requesting {
            let mut left = block.candidates[head].preferred;
            while let Some(output) = left.first() {
                requests.insert(head, layout.port_of(output));
                left -= layout.port_set(output);
            }
        }
        while let Some((port, heads)) = requests.take() {
            for head in in_turn(heads, block.allocator.grants[port].into()) {
                if self.grant(block, head, port) {
                    block.allocator.grants[port] = short(head);
                }
            }
        }
    }

    /// Grants the head flit at input VC `head` a VC of output port `port`, if one is free to it. Returns true if so.
    fn grant(&mut self, block: &mut Block<W, OutputTurns<W>>, head: usize, port: usize) -> bool {
        let layout = self.cycle.layout;
        let candidates = block.candidates[head].preferred & layout.port_set(port);
        let branches = self.routing.branches(layout.join(block.number, head));
        let branch = branches.iter().position(|branch| !(branch.candidates & candidates).is_empty());
        let Some(output) = (candidates & block.free).first() else {
            if branch.is_none() {
                block.waiting.requesting.remove(head);
                block.waiting.blocked.insert(head);
            }
            return false;
        };
        let packet = branch.map_or(block.inputs[head].packet, |at| branches[at].packet);
        if layout.of_nodes.contains(output) && !self.traffic.nodes.admits(self.packets[packet].number) {
            return false; // it requests again in the next cycle
        }
        match branch {
            None => self.grant_packet(block, head, output),
            Some(at) => self.grant_branch(block, (head, at), output),
        }
        true
    }

    /// Grants output VC `output` to the packet at the front of input VC `head`.
    fn grant_packet(&mut self, block: &mut Block<W, OutputTurns<W>>, head: usize, output: usize) {
        let layout = self.cycle.layout;
        block.grant(layout, head, output);
        self.traffic.event(grant_event(self.cycle, self.flow, block, head, output), self.packets);
        let packet = block.inputs[head].packet;
        for number in self.routing.companions(packet) {
            self.traffic.event(
                joined(self.cycle, &self.packets[packet], number, layout.join(block.number, output)),
                self.packets,
            );
        }
    }

    /// Grants output VC `output` to branch number `at` of the fork at input VC `head`. The worm can move when all branches have one.
    fn grant_branch(&mut self, block: &mut Block<W, OutputTurns<W>>, (head, at): (usize, usize), output: usize) {
        let layout = self.cycle.layout;
        let vc = layout.join(block.number, output);
        let branches = self.routing.branches_mut(layout.join(block.number, head));
        branches[at].output = Some(output);
        let Branch { packet, candidates, .. } = branches[at];
        block.candidates[head].preferred -= candidates;
        block.free.remove(output);
        block.outputs[output].owner = short(head);
        if let (true, Some(first)) = (branches.iter().all(|branch| branch.output.is_some()), branches[0].output) {
            block.grant(layout, head, first);
            block.credited.insert(head); // the credits of all branches are looked up for each flit
        }
        for number in self.routing.messages(packet) {
            self.traffic.event(joined(self.cycle, &self.packets[packet], number, vc), self.packets);
        }
    }
}

/// The event that message `number`, which goes as one worm with `packet`, is granted output VC `vc`.
fn joined<const W: usize>(cycle: Cycle<'_, W>, packet: &Packet, number: u32, vc: u32) -> Event {
    let &Packet { hops, requested, .. } = packet;
    Event::Joined(Granted { number, hop: hops + 1, vc, requested, granted: cycle.now })
}

/// Sends a flit by every output port that an input VC has a flit for. A worm at a fork goes by all its ports, when it has priority
/// at one of them among those of whose ports none has sent in this cycle.
pub(crate) fn send_by_outputs<const W: usize, T: Traffic>(
    routing: &mut TreeWorms<'_, W>,
    block: &mut Block<W, OutputTurns<W>>,
    discipline: &mut FullCrossbar<W>,
    traversal: &mut Traversal<'_, W, HeterogeneousLinks<W>, T>,
) {
    let layout = traversal.cycle.layout;
    let requests = &mut discipline.requests;
    for vc in block.ready() {
        routing.ports(layout, block, vc).into_iter().for_each(|port| requests.insert(vc, port));
    }
    let mut sent = VcSet::<W>::EMPTY;
    while let Some((port, vcs)) = requests.take() {
        let mut in_turn = in_turn(vcs, block.allocator.flits[port].into());
        let is_open = |ports: VcSet<W>| !ports.is_empty() && (ports & sent).is_empty();
        let Some(vc) = in_turn.find(|&vc| is_open(routing.ports(layout, block, vc))) else { continue };
        for port in routing.ports(layout, block, vc) {
            sent.insert(port);
            block.allocator.flits[port] = short(vc);
        }
        let number = layout.join(block.number, vc);
        for branch in routing.branches(number).iter().skip(1) {
            traversal.send_copy(block, vc, branch);
        }
        if block.inputs[vc].left == 1 {
            routing.end_fork(number);
        }
        traversal.send(block, vc);
    }
}
