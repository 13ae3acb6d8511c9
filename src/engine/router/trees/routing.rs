//! Packets on trees, and the junctions that are open.

use super::super::blocks::Blocks;
use super::super::candidates::Candidates;
use super::super::layout::Layout;
use super::super::packets::{Packet, Packets};
use super::super::routing::{Fixed, HeadFlit, Routing};
use super::super::state::Block;
use super::super::vcset::VcSet;
use super::junction::{Branch, Junction, OpenInput};
use super::plan::{PlannedOutput, Target, TreePacket};
use super::waits::WaitForVc;
use crate::engine::router::Traffic;
use crate::routing::tree::EjectionClass;

/// The open junctions of a block.
pub(super) struct OpenJunctions<const W: usize> {
    /// Input VCs whose front packet is at an open junction.
    pub(super) engaged: VcSet<W>,
    pub(super) junctions: Vec<Junction<W>>,
}

impl<const W: usize> OpenJunctions<W> {
    const NONE: Self = Self { engaged: VcSet::EMPTY, junctions: Vec::new() };
}

/// Routing of packets on trees.
pub(crate) struct Trees<'a, const W: usize> {
    paths: Fixed<'a>,
    /// By packet in the network, its tree and its place there.
    positions: Vec<Option<TreePacket>>,
    /// By block, the junctions that are open.
    blocks: Vec<OpenJunctions<W>>,
}

impl<'a, const W: usize> Trees<'a, W> {
    /// Creates the routing of packets on trees whose channels have the classes of `paths`, on a number of `blocks`.
    pub(crate) fn new(paths: Fixed<'a>, blocks: usize) -> Self {
        Self { paths, positions: Vec::new(), blocks: (0..blocks).map(|_| OpenJunctions::NONE).collect() }
    }

    /// The open junctions of block number `block`.
    pub(super) fn open(&self, block: usize) -> &OpenJunctions<W> {
        &self.blocks[block]
    }

    /// The open junctions of block number `block`, for changes.
    pub(super) fn open_mut(&mut self, block: usize) -> &mut OpenJunctions<W> {
        &mut self.blocks[block]
    }

    /// Takes the junctions of block number `block`, which [`Self::put_back`] puts back.
    pub(super) fn take(&mut self, block: usize) -> OpenJunctions<W> {
        std::mem::replace(&mut self.blocks[block], OpenJunctions::NONE)
    }

    /// Puts back the junctions of block number `block`.
    pub(super) fn put_back(&mut self, block: usize, junctions: OpenJunctions<W>) {
        self.blocks[block] = junctions;
    }

    /// The position of `packet`, until it has come to a junction.
    pub(super) fn position(&self, packet: u32) -> Option<&TreePacket> {
        self.positions[packet as usize].as_ref()
    }

    /// Sets the position of `packet`.
    pub(super) fn set_position(&mut self, packet: u32, position: TreePacket) {
        let packet = packet as usize;
        if packet >= self.positions.len() {
            self.positions.resize_with(packet + 1, || None);
        }
        self.positions[packet] = Some(position);
    }

    /// The branches of a junction with `outputs`, at the router of `head`.
    fn branches<A>(&self, head: HeadFlit<'_, W, A>, outputs: &[PlannedOutput], class: EjectionClass) -> Vec<Branch<W>> {
        let branch = |&planned: &PlannedOutput| {
            let candidates = match planned.target {
                Target::Node(node) => of_class(head.layout, head.layout.to_node(node as usize), class),
                Target::Link(hop) => self.paths.to_hop(head, Some(hop), 0).preferred,
            };
            Branch { planned, candidates, output: None, packet: 0, sent: 0, requested: None, next: 0 }
        };
        outputs.iter().map(branch).collect()
    }
}

/// Those of `outputs`, VCs of ejection channels of a node, that belong to channels of `class`.
fn of_class<const W: usize>(layout: &Layout<W>, outputs: VcSet<W>, class: EjectionClass) -> VcSet<W> {
    let parity = match class {
        EjectionClass::Up if layout.numbering.ejections > 1 => 0,
        EjectionClass::Down if layout.numbering.ejections > 1 => 1,
        _ => return outputs,
    };
    let first = outputs.first().map_or(0, |vc| layout.port_number(vc));
    let mut class_outputs = VcSet::EMPTY;
    for vc in outputs {
        if (layout.port_number(vc) - first) % 2 == parity {
            class_outputs.insert(vc);
        }
    }
    class_outputs
}

impl<const W: usize> Routing<W> for Trees<'_, W> {
    const ADAPTIVE: bool = true;

    fn begin<T: Traffic>(&mut self, number: u32, packet: &Packet, traffic: &mut T) {
        if let Some(position) = traffic.tree(packet.number) {
            self.set_position(number, position);
        }
    }

    /// Opens the junction of the packet, or adds the packet to it. Returns the output VCs of all its branches.
    fn candidates<A>(&mut self, head: HeadFlit<'_, W, A>, packets: &mut Packets) -> Candidates<W> {
        let none = Candidates { preferred: VcSet::EMPTY, escape: VcSet::EMPTY };
        let Some(TreePacket { tree, place, worm }) = self.positions[head.packet as usize].take() else { return none };
        let Some((number, planned)) = tree.junction(place) else { return none };
        let input = OpenInput { vc: head.vc, packet: head.packet };
        let router = head.first();
        let is_same = |junction: &Junction<W>| {
            (junction.worm, junction.number) == (worm, number) && head.layout.router_of(junction.lead()) == router
        };
        let of_block = &self.blocks[head.block.number].junctions;
        let index = match of_block.iter().position(is_same) {
            Some(index) => index,
            None => {
                let branches = self.branches(head, &planned.outputs, tree.ejection());
                let flits = packets[head.packet].flits;
                let junction = Junction::new((tree.clone(), worm), (number, planned.inputs), branches, flits);
                let of_block = &mut self.blocks[head.block.number].junctions;
                of_block.push(junction);
                of_block.len() - 1
            }
        };
        let of_block = &mut self.blocks[head.block.number];
        of_block.engaged.insert(head.vc);
        let junction = &mut of_block.junctions[index];
        junction.add(input);
        Candidates::preferred(junction.branches.iter().fold(VcSet::EMPTY, |all, branch| all | branch.candidates))
    }

    fn waits<A>(&self, layout: &Layout<W>, blocks: &Blocks<W, A>, packets: &Packets) -> Vec<WaitForVc> {
        Trees::waits(self, layout, blocks, packets)
    }

    fn front_packet(&self, block: usize, vc: usize) -> Option<u32> {
        Trees::front_packet(self, block, vc)
    }

    fn select<A>(&self, layout: &Layout<W>, block: &Block<W, A>, free: VcSet<W>) -> VcSet<W> {
        self.paths.select(layout, block, free)
    }
}
