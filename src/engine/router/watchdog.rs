//! Packets that will never arrive: who waits for whom.
//!
//! Buffers are looked at from the end: one can empty if what stands in front of it can leave, that is, if it may take a
//! lane that is free or will come free, into a buffer that has room or can empty. What cannot is jammed for ever. This is
//! exact: it accuses no packet that could still go on.

use super::Traffic;
use super::fabric::NOWHERE;
use super::lane::Stage;
use super::machine::Machine;
use super::source::NONE;
use crate::units::narrow;
use std::fmt;

/// Packets that wait for each other for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Jam {
    /// The cycle in which it was found.
    pub at: u64,
    /// Buffers whose packet in front will never leave.
    pub buffers: usize,
    /// A cycle of them: where each packet stands, where it is from and goes to.
    pub circle: Vec<Stuck>,
}

/// A packet that stands in front of a buffer for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stuck {
    /// The channel whose buffer it is.
    pub channel: String,
    /// Who sent it.
    pub src: String,
    /// Where it would go.
    pub dst: String,
}

impl std::error::Error for Jam {}

impl fmt::Display for Jam {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 12;
        let found = format!("found in cycle {}", self.at);
        write!(f, "deadlock: the packets in front of {} buffers will never leave, {found}", self.buffers)?;
        for stuck in self.circle.iter().take(SHOWN) {
            write!(f, "\n  in the buffer of {}: a packet from {} to {}", stuck.channel, stuck.src, stuck.dst)?;
            f.write_str(", which waits for the next")?;
        }
        if self.circle.len() > SHOWN {
            write!(f, "\n  ... a cycle of {} buffers in all", self.circle.len())?;
        }
        Ok(())
    }
}

impl<T: Traffic> Machine<'_, T> {
    /// Whether packets will never arrive, and which.
    pub(super) fn jam(&self) -> Option<Jam> {
        let waits = self.waits();
        let mut jammed: Vec<bool> = (0..self.inputs.len()).map(|lane| !waits[lane].is_empty()).collect();
        loop {
            let goes = |lane: &usize| jammed[*lane] && waits[*lane].iter().any(|&next| !jammed[next as usize]);
            let freed: Vec<usize> = (0..self.inputs.len()).filter(goes).collect();
            if freed.is_empty() {
                break;
            }
            for lane in freed {
                jammed[lane] = false;
            }
        }
        let first = jammed.iter().position(|&stuck| stuck)?;
        let mut walk: Vec<u32> = Vec::new();
        let mut at = narrow(first, "lanes are numbered with 32 bits");
        let start = loop {
            if let Some(start) = walk.iter().position(|&seen| seen == at) {
                break start;
            }
            walk.push(at);
            at = waits[at as usize][0]; // jammed lanes wait for jammed lanes, as what waits for nothing is freed above
        };
        let circle = walk[start..].iter().map(|&lane| self.stuck(lane)).collect();
        Some(Jam { at: self.now, buffers: jammed.iter().filter(|&&stuck| stuck).count(), circle })
    }

    /// Per input lane with something in front: the input lanes any one of which has to go on first. Empty where nothing
    /// stands or nothing has to be waited for.
    fn waits(&self) -> Vec<Vec<u32>> {
        (0..self.inputs.len()).map(|lane| self.waits_of(narrow(lane, "lanes are numbered with 32 bits"))).collect()
    }

    fn waits_of(&self, lane: u32) -> Vec<u32> {
        let input = &self.inputs[lane as usize];
        match input.stage {
            _ if input.flits == 0 => Vec::new(),
            Stage::Idle | Stage::Runs => Vec::new(), // is being routed, or leaves
            Stage::Header | Stage::Body => self.blocker(input.out, false).into_iter().collect(),
            Stage::Asks => self.waits_for_a_lane(lane),
        }
    }

    fn waits_for_a_lane(&self, lane: u32) -> Vec<u32> {
        let mut choices = Vec::new();
        let router = self.fabric.router(lane);
        let entered = self.fabric.port(lane) as usize;
        let mut header = self.packets[self.front(lane) as usize].header;
        if self.adaptive {
            self.relation.choices(router, entered, &mut header, &mut choices);
        } else {
            choices.push(self.inputs[lane as usize].way);
        }
        let mut waits = Vec::new();
        for choice in choices {
            let first = self.fabric.lane(router, u32::from(choice.port));
            for output in first + u32::from(choice.first)..=first + u32::from(choice.last) {
                match (self.outputs[output as usize].owner, self.blocker(output, self.costs.atomic || choice.empty)) {
                    (NONE, None) => return Vec::new(),
                    (NONE, Some(next)) | (next, _) => waits.push(next),
                }
            }
        }
        waits
    }

    /// The input lane that has to move before a flit can leave by `output`; none if there is a credit, or one on its way.
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

    fn stuck(&self, lane: u32) -> Stuck {
        let lattice = self.relation.lattice();
        let up = self.inputs[lane as usize].up;
        let from = if up as usize >= self.inputs.len() {
            format!("injection {}", lattice.node_name(self.fabric.router(lane)))
        } else {
            let channel = lattice.channel_name(self.fabric.router(up), self.fabric.port(up) as usize);
            let within = self.fabric.within(lane);
            if self.fabric.lanes == 1 { channel } else { format!("{channel} vc {within}") }
        };
        let packet = &self.packets[self.front(lane) as usize];
        Stuck { channel: from, src: lattice.node_name(packet.src), dst: lattice.node_name(packet.header.dst) }
    }
}
