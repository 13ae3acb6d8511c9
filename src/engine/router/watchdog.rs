//! Packets that will never arrive: who waits for whom.
//!
//! Buffers are looked at from the end: one can empty if what stands in front of it can leave, that is, if it may take a
//! vc that is free or will come free, into a buffer that has room or can empty. What cannot is deadlocked. This is
//! exact: it accuses no packet that could still go on.

use super::Traffic;
use super::fabric::{NOWHERE, channel_name};
use super::machine::Machine;
use super::state::{NONE, Stage};
use super::tree::Branch;
use crate::engine::deadlock::{Deadlock, Waiting};
use crate::units::{ChannelId, MessageId, narrow};

impl<T: Traffic> Machine<'_, T> {
    /// Whether packets will never arrive, and which.
    pub(super) fn deadlock(&mut self) -> Option<Box<Deadlock>> {
        let waits = self.waits();
        let mut blocked: Vec<bool> = (0..waits.len()).map(|vc| !waits[vc].is_empty()).collect();
        loop {
            let any_goes = |waits: &[u32]| waits.iter().any(|&next| !blocked[next as usize]);
            let goes = |vc: &usize| blocked[*vc] && self.goes(*vc, &waits[*vc], &any_goes);
            let freed: Vec<usize> = (0..waits.len()).filter(goes).collect();
            if freed.is_empty() {
                break;
            }
            for vc in freed {
                blocked[vc] = false;
            }
        }
        let vcs = (0..self.fabric.router_vcs()).filter(|&vc| blocked[vc]);
        let waiting: Vec<Waiting> =
            vcs.map(|vc| self.waiting(narrow(vc, "virtual channels are numbered with 32 bits"))).collect();
        // what is blocked waits for what is blocked, as what waits for nothing is freed above
        let next = |at: Waiting| waits[at.channel.index()].first().map(|&vc| self.waiting(vc));
        let packet = |at: Waiting| self.packet_in_words(at);
        (!waiting.is_empty()).then(|| Deadlock::of_packets(waiting, next, self.now, packet))
    }

    /// The input vc from which the rest of the packet in front of `vc` comes, which a worm may hold back that waits for another
    /// branch; none if all of it is on its way.
    fn feeder(&self, vc: u32) -> Vec<u32> {
        let up = self.inputs[vc as usize].up;
        let owner = self.outputs[up as usize].owner;
        if owner == NONE { Vec::new() } else { vec![owner] }
    }

    /// Whether input vc `vc` can empty, if any one of those that it `waits` for can; a worm with several branches, if on each of them
    /// `any_goes` of those that it waits for there.
    fn goes(&self, vc: usize, waits: &[u32], any_goes: &dyn Fn(&[u32]) -> bool) -> bool {
        let vc = narrow(vc, "virtual channels are numbered with 32 bits");
        let Some(fork) = self.trees.fork(vc) else { return any_goes(waits) };
        fork.branches.iter().all(|branch| {
            let waits = self.waits_of_branch(vc, branch);
            waits.is_empty() || any_goes(&waits)
        })
    }

    /// The input vcs any one of which has to go on before a flit of the worm in front of `vc` can leave by `branch`; none if it can.
    fn waits_of_branch(&self, vc: u32, branch: &Branch) -> Vec<u32> {
        if branch.output != NONE {
            return self.blocker(branch.output, false).into_iter().collect();
        }
        let owners = self.vcs_of(vc, branch.choice).map(|output| self.outputs[output as usize].owner);
        let owners: Vec<u32> = owners.collect();
        if owners.contains(&NONE) { Vec::new() } else { owners }
    }

    /// The packet in front of the buffer of input vc `vc`.
    fn waiting(&self, vc: u32) -> Waiting {
        let packet = self.front(vc);
        let number = if T::CLOSED { self.packets[packet as usize].number } else { packet };
        Waiting { message: MessageId(number), channel: ChannelId(vc) }
    }

    /// Per input vc with something in front: the input vcs any one of which has to go on first. Empty where nothing
    /// stands or nothing has to be waited for.
    fn waits(&mut self) -> Vec<Vec<u32>> {
        (0..self.fabric.router_vcs())
            .map(|vc| self.waits_of(narrow(vc, "virtual channels are numbered with 32 bits")))
            .collect()
    }

    fn waits_of(&mut self, vc: u32) -> Vec<u32> {
        let input = self.inputs[vc as usize];
        if let Some(fork) = self.trees.fork(vc) {
            return fork.branches.iter().flat_map(|branch| self.waits_of_branch(vc, branch)).collect();
        }
        match input.stage {
            _ if input.flits == 0 && input.first != input.end && self.trees.has_forks() => self.feeder(vc),
            _ if input.flits == 0 => Vec::new(),
            Stage::Idle | Stage::Runs => Vec::new(), // is being routed, or leaves
            Stage::Head | Stage::Body => self.blocker(input.out, false).into_iter().collect(),
            Stage::Requests => self.waits_for_a_vc(vc),
        }
    }

    fn waits_for_a_vc(&mut self, vc: u32) -> Vec<u32> {
        let mut choices = Vec::new();
        self.choices(vc, &mut choices);
        let router = self.fabric.router(vc);
        let mut waits = Vec::new();
        for choice in choices {
            let first = self.fabric.vc(router, u32::from(choice.port));
            for output in first + u32::from(choice.first)..=first + u32::from(choice.last) {
                match (self.outputs[output as usize].owner, self.blocker(output, self.costs.atomic || choice.empty)) {
                    (NONE, None) => return Vec::new(),
                    (NONE, Some(next)) | (next, _) => waits.push(next),
                }
            }
        }
        waits
    }

    /// The input vc that has to move before a flit can leave by `output`; none if there is a credit, or one on its way.
    /// If the buffer `has_to_empty`, also where there is a credit.
    fn blocker(&self, output: u32, has_to_empty: bool) -> Option<u32> {
        let next = self.outputs[output as usize].down;
        if next == NOWHERE {
            return None;
        }
        let flits = u32::from(self.inputs[next as usize].flits);
        let blocked = if has_to_empty { flits > 0 } else { flits == self.buffer_behind(output) };
        blocked.then_some(next)
    }

    /// Flits that the buffer behind output vc `output` of a link holds.
    fn buffer_behind(&self, output: u32) -> u32 {
        let own = self.interfaces.and_then(|interfaces| interfaces.buffer(self.fabric.within(output)));
        own.unwrap_or_else(|| self.fabric.buffer(output))
    }

    fn packet_in_words(&self, waiting: Waiting) -> String {
        let vc = waiting.channel.0;
        let wiring = self.routes.wiring();
        let up = self.inputs[vc as usize].up;
        let buffer = channel_name(self.routes, &self.costs, ChannelId(up));
        let packet = &self.packets[self.front(vc) as usize];
        let what = if T::CLOSED { format!("message {}", packet.number) } else { "a packet".to_owned() };
        let src = wiring.node_name(packet.src);
        let dst = wiring.node_name(packet.header.dst);
        format!("in the buffer of {buffer}: {what} from {src} to {dst}")
    }
}
