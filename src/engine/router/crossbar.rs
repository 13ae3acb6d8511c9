//! Outputs that decide by themselves: a cycle of routers with a way through the crossbar for every virtual channel.
//!
//! Head flits of a router are granted virtual channels before any flit of it moves, and what moves shows in the next cycle at
//! the earliest, so that routers can be looked at in any order. A router has at most 64 virtual channels, a bit each of one
//! word.

use super::fabric::Fabric;
use super::machine::Machine;
use super::sets::BitSet;
use super::state::NONE;
use super::{RouterCosts, Traffic};
use crate::routing::relation::Choice;

/// The most virtual channels of all ports of a router, gaps in their numbers included.
pub const MOST: u32 = u64::BITS;

/// Whose turn it is at the outputs, round robin over the input virtual channels of a router.
pub(super) struct Crossings {
    /// Per output port, the input vc that comes first for a virtual channel, and for the wire.
    turns: Vec<Turn>,
    /// Per output port of the router that is looked at: the input vcs that want something of it.
    wants: [u64; MOST as usize],
}

#[derive(Clone, Copy, Default)]
struct Turn {
    grant: u8,
    flit: u8,
}

impl Crossings {
    pub(super) fn new(fabric: &Fabric, costs: &RouterCosts) -> Self {
        let ports = if costs.full_crossbar { fabric.router_vcs() >> fabric.vc_bits } else { 0 };
        debug_assert!(ports == 0 || fabric.stride_bits <= MOST.ilog2());
        Self { turns: vec![Turn::default(); ports], wants: [0; MOST as usize] }
    }
}

/// The members of `set`, those from `turn` on first.
fn in_turn(set: u64, turn: u8) -> impl Iterator<Item = u32> {
    let before = (1_u64 << turn) - 1;
    BitSet::of(0, set & !before).chain(BitSet::of(0, set & before))
}

/// The one after `local`, of a router's virtual channels.
fn after(local: u32) -> u8 {
    ((local + 1) % MOST) as u8
}

impl<T: Traffic> Machine<'_, T> {
    /// One cycle of all sources and routers.
    pub(super) fn cross(&mut self) {
        self.send_all();
        for group in 0..self.active.words.len() {
            for word in self.active.members(group) {
                let mut tries = self.requesting.words[word as usize] | self.ready.words[word as usize];
                while tries != 0 {
                    let router = (word * MOST + tries.trailing_zeros()) >> self.fabric.stride_bits;
                    tries &= !self.members_of(router);
                    self.cross_router(word, router);
                }
                if self.requesting.words[word as usize] | self.ready.words[word as usize] == 0 {
                    self.active.remove(word);
                }
            }
        }
    }

    /// The bits of the virtual channels of `router` in their word.
    fn members_of(&self, router: u32) -> u64 {
        self.fabric.mask << ((router << self.fabric.stride_bits) % MOST)
    }

    /// One cycle of `router`, whose virtual channels are in word `word`.
    fn cross_router(&mut self, word: u32, router: u32) {
        let members = self.members_of(router);
        let first = router << self.fabric.stride_bits;
        let requesting = (self.requesting.words[word as usize] & members) >> (first % MOST);
        if requesting != 0 {
            self.grant_each(first, requesting);
        }
        let ready = (self.ready.words[word as usize] & members) >> (first % MOST);
        if ready != 0 {
            self.move_each(first, ready);
        }
    }

    /// Grants virtual channels to the head flits in front of the input vcs `requesting`, counted from `first`.
    fn grant_each(&mut self, first: u32, requesting: u64) {
        let mut ports = 0_u64;
        for local in BitSet::of(0, requesting) {
            let port = self.wanted[(first + local) as usize].port;
            let wanted =
                if self.trees.fork(first + local).is_none() { 1 << port } else { self.wanted_ports(first + local) };
            ports |= wanted;
            for port in BitSet::of(0, wanted) {
                self.crossings.wants[port as usize] |= 1 << local;
            }
        }
        for port in BitSet::of(0, ports) {
            let wanting = std::mem::take(&mut self.crossings.wants[port as usize]);
            let out = self.port_number(first, port);
            for local in in_turn(wanting, self.crossings.turns[out].grant) {
                let vc = first + local;
                let is_granted =
                    if self.trees.fork(vc).is_none() { self.grant_one(vc) } else { self.grant_branch(vc, port) };
                if is_granted {
                    self.crossings.turns[out].grant = after(local);
                }
            }
        }
    }

    /// The number among all ports of `port` of the router whose virtual channels begin with `first`.
    fn port_number(&self, first: u32, port: u32) -> usize {
        ((first >> self.fabric.vc_bits) + port) as usize
    }

    /// Grants the head flit in front of input vc `vc` the lowest virtual channel that is free; whether one is, and its node admits
    /// it.
    fn grant_one(&mut self, vc: u32) -> bool {
        let choice = self.wanted[vc as usize];
        let leaves = u32::from(choice.port) >= self.fabric.local;
        let Some(output) = self.free_output(vc, choice) else {
            self.park(vc, choice.port);
            return false;
        };
        if leaves && !self.traffic.admits(self.packets[self.front(vc) as usize].number) {
            return false; // asks again in the next cycle
        }
        self.grant(vc, output);
        true
    }

    /// The lowest virtual channel of `choice` at the router of `vc` that is free.
    pub(super) fn free_output(&self, vc: u32, choice: Choice) -> Option<u32> {
        self.vcs_of(vc, choice).find(|&output| self.is_free(output, choice))
    }

    /// A flit leaves by every output port that one of the input vcs `ready`, counted from `first`, has a flit for.
    fn move_each(&mut self, first: u32, ready: u64) {
        if self.trees.has_forks() {
            return self.move_trees(first, ready);
        }
        let mut ports = 0_u64;
        for local in BitSet::of(0, ready) {
            let port = self.fabric.port(self.inputs[(first + local) as usize].out);
            ports |= 1 << port;
            self.crossings.wants[port as usize] |= 1 << local;
        }
        for port in BitSet::of(0, ports) {
            let wanting = std::mem::take(&mut self.crossings.wants[port as usize]);
            let out = self.port_number(first, port);
            let Some(local) = in_turn(wanting, self.crossings.turns[out].flit).next() else { continue };
            self.crossings.turns[out].flit = after(local);
            let vc = first + local;
            debug_assert_ne!(self.inputs[vc as usize].out, NONE);
            if self.leave(vc, self.inputs[vc as usize].out) {
                self.ready.remove(vc);
            }
        }
    }

    /// The same where worms may leave by several ports at once: one goes by the first of its ports where it is its turn among those
    /// whose other ports are not taken in this cycle.
    fn move_trees(&mut self, first: u32, ready: u64) {
        let mut ports = 0_u64;
        let mut wanted = [0_u64; MOST as usize];
        for local in BitSet::of(0, ready) {
            let vc = first + local;
            let leaves_by = match self.trees.fork(vc) {
                None => 1 << self.fabric.port(self.inputs[vc as usize].out),
                Some(_) => self.open_ports(vc),
            };
            wanted[local as usize] = leaves_by;
            ports |= leaves_by;
            for port in BitSet::of(0, leaves_by) {
                self.crossings.wants[port as usize] |= 1 << local;
            }
        }
        let mut taken = 0_u64;
        for port in BitSet::of(0, ports) {
            let wanting = std::mem::take(&mut self.crossings.wants[port as usize]);
            let turn = self.crossings.turns[self.port_number(first, port)].flit;
            let Some(local) = in_turn(wanting, turn).find(|&local| wanted[local as usize] & taken == 0) else {
                continue;
            };
            taken |= wanted[local as usize];
            for own in BitSet::of(0, wanted[local as usize]) {
                let out = self.port_number(first, own);
                self.crossings.turns[out].flit = after(local);
            }
            let vc = first + local;
            let rests = match self.trees.fork(vc) {
                None => self.leave(vc, self.inputs[vc as usize].out),
                Some(_) => self.leave_by_all(vc),
            };
            if rests {
                self.ready.remove(vc);
            }
        }
    }
}
