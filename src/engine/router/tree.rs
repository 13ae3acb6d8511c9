//! Tree worms: packets that go to several nodes at once, a copy of every flit on each branch.
//!
//! A tree worm is the packets of one message to each of several nodes, which go the same way as far as their paths are the same.
//! Where paths part, the worm is granted a virtual channel on every branch, each as it comes free, before its head flit goes
//! on; from then on a flit moves when it can to all its branches. So a worm may hold one branch while it waits for another,
//! and two such worms can wait for each other for ever. Only outputs that decide by themselves take them.

use super::machine::Machine;
use super::state::{NONE, Stage};
use super::{Granted, HeadStart, Traffic};
use crate::routing::relation::Choice;
use crate::topology::Hop;
use rustc_hash::FxHashMap;

/// A packet of a worm: its number, and where it goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its number, as packets are offered.
    pub number: u32,
    /// Its node.
    pub dst: u32,
}

/// All tree worms that are under way.
#[derive(Default)]
pub(super) struct Trees {
    /// By place of a packet, the members that go where it does; none of packets that are no trees.
    members: Vec<Vec<Member>>,
    /// By number, the links of the path of a member.
    paths: FxHashMap<u32, Vec<Hop>>,
    /// By input vc, the branches of the worm in front of it.
    forks: FxHashMap<u32, Fork>,
}

/// A worm whose paths part at a router.
#[derive(Clone)]
pub(super) struct Fork {
    pub(super) branches: Vec<Branch>,
}

#[derive(Clone)]
pub(super) struct Branch {
    pub(super) choice: Choice,
    /// The output vc that it has been granted, or [`NONE`].
    pub(super) output: u32,
    /// The packet that goes on there.
    packet: u32,
}

impl Fork {
    pub(super) fn is_granted(&self) -> bool {
        self.branches.iter().all(|branch| branch.output != NONE)
    }
}

impl Trees {
    /// The members of the packet at `place`; none if it is no tree.
    pub(super) fn members(&self, place: u32) -> &[Member] {
        self.members.get(place as usize).map_or(&[], Vec::as_slice)
    }

    fn set(&mut self, place: u32, members: Vec<Member>) {
        let place = place as usize;
        if place >= self.members.len() {
            self.members.resize(place + 1, Vec::new());
        }
        self.members[place] = members;
    }

    /// The branches of the worm in front of input vc `vc`, if it has several there.
    #[inline]
    pub(super) fn fork(&self, vc: u32) -> Option<&Fork> {
        if self.forks.is_empty() { None } else { self.forks.get(&vc) }
    }

    /// Whether any worm has several branches where it is.
    #[inline]
    pub(super) fn has_forks(&self) -> bool {
        !self.forks.is_empty()
    }
}

impl<T: Traffic> Machine<'_, T> {
    /// The packet at `place`, with this number and destination, sets out; perhaps as a worm with others.
    pub(super) fn admit_tree(&mut self, place: u32, first: Member) {
        let mut members = Vec::new();
        self.traffic.worm(first.number, &mut members);
        if !members.is_empty() {
            members.insert(0, first);
            for member in &members {
                let mut path = Vec::new();
                self.traffic.path(member.number, &mut path);
                self.trees.paths.insert(member.number, path);
            }
        }
        self.trees.set(place, members);
    }

    /// Where the worm goes on whose packet stands in front of `vc`: the one thing that it requests, or several, of which the first
    /// is given and all are noted.
    pub(super) fn fork_at(&mut self, vc: u32, packet: u32) -> Choice {
        let taken = self.packets[packet as usize].hops as usize;
        let mut groups: Vec<(Option<Hop>, Vec<Member>)> = Vec::new();
        for &member in self.trees.members(packet) {
            let next = self.trees.paths[&member.number].get(taken).copied();
            match groups.iter_mut().find(|(known, _)| *known == next) {
                Some((_, group)) => group.push(member),
                None => groups.push((next, vec![member])),
            }
        }
        let is_fork = groups.len() > 1;
        let mut branches = Vec::new();
        for (at, (next, members)) in groups.into_iter().enumerate() {
            let packet = if at == 0 { packet } else { self.copy(packet) };
            let first = members[0];
            let own = &mut self.packets[packet as usize];
            own.number = first.number;
            own.header.dst = first.dst;
            self.trees.set(packet, members);
            let choice = self.choice_of_hop(next);
            let choice = self.for_its_node(choice, packet);
            branches.push(Branch { choice, output: NONE, packet });
        }
        let choice = branches[0].choice;
        if is_fork {
            self.trees.forks.insert(vc, Fork { branches });
        }
        choice
    }

    /// A place with a copy of `packet`.
    fn copy(&mut self, packet: u32) -> u32 {
        let copy = self.packets[packet as usize];
        self.place_of(copy)
    }

    /// The branch of the fork in front of `vc` that wants `port` is granted the lowest virtual channel that is free; whether one
    /// is, and its node admits it.
    pub(super) fn grant_branch(&mut self, vc: u32, port: u32) -> bool {
        let Some(fork) = self.trees.fork(vc) else { return false };
        let Some(at) = fork.branches.iter().position(|branch| u32::from(branch.choice.port) == port) else {
            return false;
        };
        let Branch { choice, packet, .. } = fork.branches[at];
        let Some(output) = self.free_output(vc, choice) else { return false };
        let number = self.packets[packet as usize].number;
        if port >= self.fabric.local && !self.traffic.admits(number) {
            return false;
        }
        self.outputs[output as usize].owner = vc;
        let Some(fork) = self.trees.forks.get_mut(&vc) else { return false };
        fork.branches[at].output = output;
        if fork.is_granted() {
            let first = fork.branches[0].output;
            let input = &mut self.inputs[vc as usize];
            input.out = first;
            input.stage = Stage::Head;
            self.requesting.remove(vc);
            self.ready.insert(vc);
        }
        self.tell_members(packet, output);
        true
    }

    /// The ports that the worm in front of `vc` still wants a virtual channel of.
    pub(super) fn wanted_ports(&self, vc: u32) -> u64 {
        let branches = self.trees.fork(vc).into_iter().flat_map(|fork| &fork.branches);
        branches.filter(|branch| branch.output == NONE).fold(0, |ports, branch| ports | 1 << branch.choice.port)
    }

    /// The ports by which a flit of the worm in front of `vc` leaves, if it can to all its branches; else none.
    pub(super) fn open_ports(&self, vc: u32) -> u64 {
        let Some(fork) = self.trees.fork(vc).filter(|fork| fork.is_granted()) else { return 0 };
        let has_room = |branch: &Branch| self.outputs[branch.output as usize].credits > 0;
        if !fork.branches.iter().all(has_room) {
            return 0;
        }
        fork.branches.iter().fold(0, |ports, branch| ports | 1 << branch.choice.port)
    }

    /// A flit in front of `vc` leaves by all branches of its worm; whether none can follow in the next cycle.
    pub(super) fn leave_by_all(&mut self, vc: u32) -> bool {
        let input = self.inputs[vc as usize];
        let is_tail = input.left == 1;
        let fork = if is_tail { self.trees.forks.remove(&vc) } else { self.trees.fork(vc).cloned() };
        for branch in fork.iter().flat_map(|fork| &fork.branches[1..]) {
            self.send_copy(branch, input.stage == Stage::Head, is_tail);
        }
        self.leave(vc, input.out)
    }

    /// A copy of a flit leaves by `branch`.
    fn send_copy(&mut self, branch: &Branch, is_head: bool, is_tail: bool) {
        let Branch { output, packet, .. } = *branch;
        let counts = self.counted.contains(&self.now);
        let sent = &mut self.outputs[output as usize];
        sent.credits -= 1;
        sent.carried += u64::from(counts);
        let down = sent.down;
        let leaves = down == super::fabric::NOWHERE;
        self.moved += 1;
        if leaves {
            self.traffic.accepted(self.now + self.costs.timing.eject, 1);
            self.outbox.sink_credits.push((output, 1));
        } else {
            self.outbox.hops.push((down, 1));
        }
        if is_head && leaves {
            self.tell_start_of(packet, output);
        } else if is_head {
            self.packets[packet as usize].hops += 1;
            self.enqueue(down, packet);
        }
        if is_tail {
            if leaves {
                self.deliver(packet, output, self.now);
            }
            self.outputs[output as usize].owner = NONE;
            self.tell_freed(output, self.now + 1);
            self.wake(output);
        }
    }

    /// Every packet of the worm at `packet` has been granted output vc `output`.
    pub(super) fn tell_members(&mut self, packet: u32, output: u32) {
        let requested = self.packets[packet as usize].requested;
        let hop = self.packets[packet as usize].hops + 1;
        for at in 0..self.trees.members(packet).len() {
            let Member { number, .. } = self.trees.members(packet)[at];
            let granted = self.now;
            self.traffic.granted(Granted { number, hop, vc: output, requested, granted });
        }
    }

    /// The packet at `packet` starts for its node by output vc `output`.
    fn tell_start_of(&mut self, packet: u32, vc: u32) {
        if self.is_watched {
            let hop = self.packets[packet as usize].hops + 1;
            let number = self.packets[packet as usize].number;
            self.traffic.head_started(HeadStart { number, hop, vc, at: self.now });
        }
    }
}
