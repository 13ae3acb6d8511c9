//! Messages on trees that wait for each other forever.

use super::super::layout::Layout;
use super::super::state::Block;
use super::junction::Junction;
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
    pub(crate) fn waits<A>(&self, layout: &Layout<W>, blocks: &[Block<W, A>]) -> Vec<WaitForVc> {
        let mut waits = Vec::new();
        for block in blocks {
            let junctions = &self.open(block.number).junctions;
            for junction in junctions.iter().filter(|junction| junction.requests()) {
                for branch in junction.branches.iter().filter(|branch| branch.output.is_none()) {
                    for output in branch.candidates {
                        if let Some(holder) = self.holder(blocks, block, output) {
                            let vc = layout.join(block.number, output);
                            waits.push(WaitForVc { message: junction.worm, vc, holder });
                        }
                    }
                }
            }
        }
        waits
    }

    /// The message that holds output VC `output` of `block`, or whose flits are in the buffer behind it.
    fn holder<A>(&self, blocks: &[Block<W, A>], block: &Block<W, A>, output: usize) -> Option<u32> {
        let junctions = &self.open(block.number).junctions;
        let holds = |junction: &&Junction<W>| junction.branches.iter().any(|branch| branch.output == Some(output));
        if !block.free.contains(output) {
            return junctions.iter().find(holds).map(|junction| junction.worm);
        }
        let leads_to = block.outputs[output].leads_to;
        if block.empty.contains(output) || leads_to.is_node() {
            return None;
        }
        let (next, vc) = leads_to.split();
        let junctions_behind = &self.open(blocks[next].number).junctions;
        let is_input = |junction: &&Junction<W>| junction.inputs.iter().any(|input| input.vc == vc);
        junctions_behind.iter().find(is_input).map(|junction| junction.worm)
    }
}
