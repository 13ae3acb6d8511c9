//! Packets that will never arrive: who waits for whom.
//!
//! Buffers are looked at from the end: one can empty if what stands in front of it can leave, that is, if it may take a
//! vc that is free or will come free, into a buffer that has room or can empty. What cannot is deadlocked. This is
//! exact: it accuses no packet that could still go on.

use super::Traffic;
use super::fabric::{NOWHERE, channel_name};
use super::machine::Machine;
use super::state::{NONE, Stage};
use crate::engine::deadlock::{Deadlock, Waiting};
use crate::units::{ChannelId, MessageId, narrow};

impl<T: Traffic> Machine<'_, T> {
    /// Whether packets will never arrive, and which.
    pub(super) fn deadlock(&mut self) -> Option<Box<Deadlock>> {
        let waits = self.waits();
        let mut blocked: Vec<bool> = (0..self.inputs.len()).map(|vc| !waits[vc].is_empty()).collect();
        loop {
            let goes = |vc: &usize| blocked[*vc] && waits[*vc].iter().any(|&next| !blocked[next as usize]);
            let freed: Vec<usize> = (0..self.inputs.len()).filter(goes).collect();
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

    /// The packet in front of the buffer of input vc `vc`.
    fn waiting(&self, vc: u32) -> Waiting {
        let packet = self.front(vc);
        let number = if T::CLOSED { self.packets[packet as usize].number } else { packet };
        Waiting { message: MessageId(number), channel: ChannelId(vc) }
    }

    /// Per input vc with something in front: the input vcs any one of which has to go on first. Empty where nothing
    /// stands or nothing has to be waited for.
    fn waits(&mut self) -> Vec<Vec<u32>> {
        (0..self.inputs.len())
            .map(|vc| self.waits_of(narrow(vc, "virtual channels are numbered with 32 bits")))
            .collect()
    }

    fn waits_of(&mut self, vc: u32) -> Vec<u32> {
        let input = self.inputs[vc as usize];
        match input.stage {
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
        let flits = self.inputs[next as usize].flits;
        let blocked = if has_to_empty { flits > 0 } else { flits == self.costs.buffer };
        blocked.then_some(next)
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
