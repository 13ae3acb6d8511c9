//! Tree worms: packets that go to several nodes at once, with a copy of every flit on each branch.
//!
//! A tree worm is the packets of one message to several nodes, which follow one path as far as their paths are the same. Where
//! paths part, at a *fork*, the worm is granted a VC on every branch, each as it comes free, before its head flit moves on;
//! from then on a flit moves when it can to all branches. So a worm may hold one branch while it waits for another, and two
//! worms can deadlock.

use super::super::layout::Layout;
use super::super::packets::{Packet, Packets};
use super::super::state::{Block, Output};
use super::super::vcset::{VcArray, VcSet};
use super::{Branch, Candidates, Fixed, HeadFlit, Routing};
use crate::engine::router::{Member, Traffic};
use crate::topology::Hop;
use rustc_hash::FxHashMap;

/// A packet of a worm, and the links of its path.
struct MemberPath {
    member: Member,
    path: Vec<Hop>,
}

/// Routing of packets on prescribed paths, some of them as tree worms.
pub(crate) struct TreeWorms<'a, const W: usize> {
    paths: Fixed<'a>,
    /// By packet, the members of the worm that it stands for. Empty for packets to one node.
    members: Vec<Vec<MemberPath>>,
    /// By input VC, numbered among those of all routers, the branches of the worm at its front, if it has several there.
    forks: FxHashMap<u32, Vec<Branch<W>>>,
}

impl<'a, const W: usize> TreeWorms<'a, W> {
    /// Creates the routing of packets on `paths`.
    pub(crate) fn new(paths: Fixed<'a>) -> Self {
        Self { paths, members: Vec::new(), forks: FxHashMap::default() }
    }

    fn set_members(&mut self, packet: u32, members: Vec<MemberPath>) {
        let packet = packet as usize;
        if packet >= self.members.len() {
            self.members.resize_with(packet + 1, Vec::new);
        }
        self.members[packet] = members;
    }

    /// The members of the worm that `packet` stands for, or `None` if it goes to one node.
    fn tree(&self, packet: u32) -> Option<&[MemberPath]> {
        self.members.get(packet as usize).map(Vec::as_slice).filter(|members| !members.is_empty())
    }

    /// The messages that go as the worm that `packet` stands for.
    pub(crate) fn messages(&self, packet: u32) -> impl Iterator<Item = u32> {
        self.tree(packet).unwrap_or_default().iter().map(|of| of.member.number)
    }

    /// Candidates of a tree worm: those of all its branches. A branch is a packet of its own from here on.
    #[inline(never)]
    fn part<A>(&mut self, head: HeadFlit<'_, W, A>, packets: &mut Packets) -> Candidates<W> {
        let hops = packets[head.packet].hops as usize;
        let mut groups: Vec<(Option<Hop>, Vec<MemberPath>)> = Vec::new();
        for of in std::mem::take(&mut self.members[head.packet as usize]) {
            let next = of.path.get(hops).copied();
            match groups.iter_mut().find(|(known, _)| *known == next) {
                Some((_, group)) => group.push(of),
                None => groups.push((next, vec![of])),
            }
        }
        let mut branches = Vec::new();
        for (next, members) in groups {
            let packet = if branches.is_empty() { head.packet } else { packets.add(packets[head.packet]) };
            let Member { number, dst } = members[0].member;
            packets[packet].number = number;
            packets[packet].header.dst = dst;
            self.set_members(packet, members);
            let Candidates { preferred, .. } = self.paths.to_hop(head, next, dst);
            branches.push(Branch { packet, candidates: preferred, output: None });
        }
        let all = branches.iter().fold(VcSet::EMPTY, |all, branch| all | branch.candidates);
        if branches.len() > 1 {
            self.forks.insert(head.layout.join(head.block.number, head.vc), branches);
        }
        Candidates::preferred(all)
    }

    /// The branches of the worm at the front of input VC `vc`, to be changed.
    pub(crate) fn branches_mut(&mut self, vc: u32) -> &mut [Branch<W>] {
        if self.forks.is_empty() { &mut [] } else { self.forks.get_mut(&vc).map_or(&mut [], Vec::as_mut_slice) }
    }

    /// Ends the fork of the worm whose tail leaves input VC `vc`.
    pub(crate) fn end_fork(&mut self, vc: u32) {
        self.forks.remove(&vc);
    }

    /// The output ports by which a flit of input VC `vc` leaves: all of a fork, if it can by each of them, else none.
    pub(crate) fn ports<A>(&self, layout: &Layout<W>, block: &Block<W, A>, vc: usize) -> VcSet<W> {
        let branches = self.branches(layout.join(block.number, vc));
        if branches.is_empty() {
            return VcSet::single(layout.port_of(block.inputs[vc].output.into()));
        }
        let mut ports = VcSet::EMPTY;
        for branch in branches {
            match branch.output.filter(|&output| has_credit(&block.outputs, output)) {
                Some(output) => ports.insert(layout.port_of(output)),
                None => return VcSet::EMPTY,
            }
        }
        ports
    }
}

fn has_credit<const W: usize>(outputs: &VcArray<Output, W>, output: usize) -> bool {
    outputs[output].credits > 0
}

impl<const W: usize> Routing<W> for TreeWorms<'_, W> {
    const ADAPTIVE: bool = false;

    fn begin<T: Traffic>(&mut self, number: u32, packet: &Packet, traffic: &mut T) {
        Routing::<W>::begin(&mut self.paths, number, packet, traffic);
        let first = Member { number: packet.number, dst: packet.header.dst };
        let mut members = Vec::new();
        traffic.worm(packet.number, &mut members);
        if !members.is_empty() {
            members.insert(0, first);
        }
        let with_path = |member: Member| {
            let mut path = Vec::new();
            traffic.path(member.number, &mut path);
            MemberPath { member, path }
        };
        self.set_members(number, members.into_iter().map(with_path).collect());
    }

    fn companions(&self, packet: u32) -> impl Iterator<Item = u32> {
        self.messages(packet).skip(1)
    }

    fn candidates<A>(&mut self, head: HeadFlit<'_, W, A>, packets: &mut Packets) -> Candidates<W> {
        if self.tree(head.packet).is_some() { self.part(head, packets) } else { self.paths.candidates(head, packets) }
    }

    fn select<A>(&self, _: &Layout<W>, _: &Block<W, A>, free: VcSet<W>) -> VcSet<W> {
        free
    }

    fn has_forks(&self) -> bool {
        !self.forks.is_empty()
    }

    fn branches(&self, vc: u32) -> &[Branch<W>] {
        if self.forks.is_empty() { &[] } else { self.forks.get(&vc).map_or(&[], Vec::as_slice) }
    }
}
