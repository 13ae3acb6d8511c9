//! Messages on trees that wait for each other forever.

use super::super::blocks::Blocks;
use super::super::layout::Layout;
use super::super::packets::Packets;
use super::super::state::Block;
use super::junction::{Branch, Junction};
use super::routing::Trees;

/// A message that waits for an output VC that another one holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WaitForVc {
    /// The message.
    pub(crate) message: u32,
    /// The number of the output VC, as observers know it.
    pub(crate) vc: u32,
    /// The message that holds it.
    pub(crate) holder: u32,
}

impl<const W: usize> Trees<'_, W> {
    /// The output VCs for which messages wait, and the messages that hold them, when nothing moves any more.
    pub(crate) fn waits<A>(&self, layout: &Layout<W>, blocks: &Blocks<W, A>, packets: &Packets) -> Vec<WaitForVc> {
        let mut waits = Vec::new();
        for block in blocks.iter() {
            for junction in &self.open(block.number).junctions {
                let branches = junction.branches.iter();
                waits.extend(branches.flat_map(|branch| self.waits_of(layout, blocks, block, (junction, branch))));
                self.add_followers(layout, block, (junction, packets), &mut waits);
            }
        }
        waits
    }

    /// The waits of a branch for an output VC, or for a slot behind the one that it has.
    fn waits_of<A>(
        &self,
        layout: &Layout<W>,
        blocks: &Blocks<W, A>,
        block: &Block<W, A>,
        (junction, branch): (&Junction<W>, &Branch<W>),
    ) -> Vec<WaitForVc> {
        let wait = |output: usize, holder: Option<u32>| {
            let vc = layout.join(block.number, output);
            holder.map(|holder| WaitForVc { message: junction.worm, vc, holder })
        };
        match branch.output {
            Some(output) if branch.sent < junction.ripe() => {
                wait(output, self.front_behind(blocks, block, output)).into_iter().collect()
            }
            None if junction.requests() => {
                let candidates = branch.candidates.into_iter();
                candidates.filter_map(|output| wait(output, self.holder(blocks, block, output))).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Adds the waits of packets that are behind those of `junction` in the buffers of its inputs.
    fn add_followers<A>(
        &self,
        layout: &Layout<W>,
        block: &Block<W, A>,
        (junction, packets): (&Junction<W>, &Packets),
        waits: &mut Vec<WaitForVc>,
    ) {
        for input in &junction.inputs {
            let vc = layout.number(block.inputs[input.vc].filled_by);
            let followers = packets.waiting(layout.join(block.number, input.vc));
            let positions = followers.filter_map(|packet| self.position(packet));
            waits.extend(positions.map(|position| WaitForVc { message: position.worm, vc, holder: junction.worm }));
        }
    }

    /// The message that holds output VC `output` of `block`, or whose flits are in the buffer behind it.
    fn holder<A>(&self, blocks: &Blocks<W, A>, block: &Block<W, A>, output: usize) -> Option<u32> {
        let junctions = &self.open(block.number).junctions;
        let holds = |junction: &&Junction<W>| junction.branches.iter().any(|branch| branch.output == Some(output));
        if !block.free.contains(output) {
            return junctions.iter().find(holds).map(|junction| junction.worm);
        }
        if block.empty.contains(output) { None } else { self.front_behind(blocks, block, output) }
    }

    /// The message at the front of the buffer behind output VC `output` of `block`.
    fn front_behind<A>(&self, blocks: &Blocks<W, A>, block: &Block<W, A>, output: usize) -> Option<u32> {
        let leads_to = block.outputs[output].leads_to;
        if leads_to.is_node() {
            return None;
        }
        let (next, vc) = leads_to.split();
        let junctions = &self.open(blocks[next].number).junctions;
        let is_input = |junction: &&Junction<W>| junction.inputs.iter().any(|input| input.vc == vc);
        junctions.iter().find(is_input).map(|junction| junction.worm)
    }

    /// The packet of the junction at the front of input VC `vc` of block number `block`.
    pub(crate) fn front_packet(&self, block: usize, vc: usize) -> Option<u32> {
        let inputs = self.open(block).junctions.iter().flat_map(|junction| &junction.inputs);
        inputs.into_iter().find(|input| input.vc == vc).map(|input| input.packet)
    }
}
