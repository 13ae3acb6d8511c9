//! Flits of branches leave, and the slots of those that all branches have sent are free.

use super::super::delay::Run;
use super::super::flow::{Counter, Ejected, Flow, HeterogeneousLinks};
use super::super::packets::{Packet, Packets};
use super::super::stage::Cycle;
use super::super::state::Block;
use super::super::traffic::{Endpoints, Event};
use super::super::vcset::VcSet;
use super::grant::BranchGrant;
use super::plan::{Target, TreePacket};
use super::routing::{OpenJunctions, Trees};
use super::switch::Sending;
use crate::engine::router::{Traffic, TreeEvent, TreeStep};

/// The parts of the engine that change when flits of a block leave.
pub(super) struct Departures<'a, 'r, const W: usize, T> {
    pub(super) cycle: Cycle<'a, W>,
    pub(super) routing: &'a mut Trees<'r, W>,
    pub(super) counter: &'a mut Counter,
    pub(super) flow: &'a mut HeterogeneousLinks<W>,
    pub(super) packets: &'a mut Packets,
    pub(super) traffic: &'a mut Endpoints<T>,
}

impl<const W: usize, T: Traffic> Departures<'_, '_, W, T> {
    /// Gives each branch in `granted` a packet, and reports the grants.
    pub(super) fn begin<A>(&mut self, open: &mut OpenJunctions<W>, block: &Block<W, A>, granted: &[BranchGrant]) {
        let Cycle { now, layout, .. } = self.cycle;
        for &BranchGrant { junction, branch, output } in granted {
            let junction = &mut open.junctions[junction];
            let (worm, tree) = (junction.worm, junction.tree.clone());
            let branch = &mut junction.branches[branch];
            let mut packet: Packet = self.packets[junction.inputs[0].packet];
            packet.number = worm;
            if let Target::Node(node) = branch.planned.target {
                packet.header.dst = node;
            }
            branch.packet = self.packets.add(packet);
            let vc = layout.join(block.number, output);
            let requested = branch.requested.unwrap_or(now);
            let step = TreeStep::Granted { requested, granted: now };
            self.traffic.tree_event(TreeEvent { worm, place: branch.planned.place, vc, step });
            self.routing.set_position(branch.packet, TreePacket { tree, place: branch.planned.place, worm });
        }
    }

    /// Sends a flit by each branch in `sending`.
    pub(super) fn send<A>(&mut self, open: &mut OpenJunctions<W>, block: &mut Block<W, A>, sending: &[Sending]) {
        for &(junction, branch) in sending {
            self.send_by(open, block, junction, branch);
        }
        let Cycle { now, config, .. } = self.cycle;
        let Self { flow, packets, traffic, cycle, .. } = self;
        let none = VcSet::EMPTY;
        flow.block_sends(cycle.layout, block.number, none, none, |Ejected { flits, cycles, longer }| {
            traffic.event(Event::Accepted { at: now + config.timing.eject + longer, flits, cycles }, packets);
        });
    }

    fn send_by<A>(&mut self, open: &mut OpenJunctions<W>, block: &mut Block<W, A>, junction: usize, branch: usize) {
        let Cycle { now, layout, config } = self.cycle;
        let junction = &mut open.junctions[junction];
        let interval = if junction.is_join() { config.costs.combining.interval } else { 1 };
        let (flits, worm) = (junction.flits, junction.worm);
        let branch = &mut junction.branches[branch];
        let Some(number) = branch.output else { return };
        let channel = layout.place_in(block.number, number);
        let output = &mut block.outputs[number];
        output.credits -= 1;
        output.carried += HeterogeneousLinks::<W>::counted(self.counter, 1);
        self.counter.moved += 1;
        self.flow.send(layout, output, channel, 1, 0);
        let (leads_to, has_credit) = (output.leads_to, output.credits > 0);
        if !has_credit {
            block.with_credit.remove(number);
        }
        if layout.exclusive.contains(number) {
            block.empty.remove(number);
        }
        let vc = layout.join(block.number, number);
        if branch.sent == 0 && leads_to.is_node() {
            let step = TreeStep::Started { at: now };
            self.traffic.tree_event(TreeEvent { worm, place: branch.planned.place, vc, step });
        }
        if branch.sent == 0 && !leads_to.is_node() {
            self.packets[branch.packet].hops += 1;
            self.packets.send(layout.number(leads_to), branch.packet);
        }
        branch.sent += 1;
        branch.next = now + interval;
        if branch.sent == flits {
            if leads_to.is_node() {
                let arrival = now + config.timing.eject + self.flow.pace(layout, channel).longer();
                self.traffic.event(Event::Delivered { packet: branch.packet, vc, at: arrival }, self.packets);
                self.packets.remove(branch.packet);
            }
            block.free.insert(number);
            if !config.costs.atomic {
                self.traffic.event(Event::Freed { vc, at: now + 1 }, self.packets);
            }
        }
    }

    /// Frees the slots of the flits that all branches of their junction have sent, and closes junctions that all flits have left.
    pub(super) fn free_slots<A>(&mut self, open: &mut OpenJunctions<W>, block: &mut Block<W, A>) {
        let OpenJunctions { engaged, junctions } = open;
        junctions.retain_mut(|junction| {
            let flits = junction.release();
            if flits > 0 {
                for input in &junction.inputs {
                    let buffer = &mut block.inputs[input.vc];
                    buffer.flits -= flits;
                    buffer.left -= flits;
                    if buffer.flits == 0 {
                        block.occupied.remove(input.vc);
                    }
                    let filled_by = buffer.filled_by;
                    self.flow.free_slots(self.cycle.layout, Run { to: filled_by, flits });
                }
            }
            if !junction.is_over() {
                return true;
            }
            for input in &junction.inputs {
                engaged.remove(input.vc);
                self.leave(block, input.vc, input.packet);
            }
            false
        });
    }

    /// Reports that the tail of `packet` leaves the buffer of input VC `vc`, if it comes from a node, and forgets the packet.
    fn leave<A>(&mut self, block: &Block<W, A>, vc: usize, packet: u32) {
        let Cycle { now, layout, .. } = self.cycle;
        if layout.of_nodes.contains(vc) {
            let left = now + u64::from(self.flow.pace(layout, block.inputs[vc].filled_by).delay);
            self.traffic.event(Event::TailLeft { packet, at: left }, self.packets);
        }
        self.packets.remove(packet);
    }
}
