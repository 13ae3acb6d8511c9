//! The division of routers among strips.

use super::super::layout::Layout;
use crate::engine::router::RouterCosts;
use crate::routing::{PortAt, Routing};
use crate::units::narrow;

/// The blocks and nodes of each strip.
pub(crate) struct Cut {
    /// The first block of each strip, and the number of blocks.
    blocks: Vec<usize>,
    /// By node, its strip.
    nodes: Vec<usize>,
}

impl Cut {
    /// Cuts routers of `costs` on `routes`, in blocks of `W` words, into at most `strips` strips with equal numbers of channels.
    pub(crate) fn new<const W: usize>(routes: &dyn Routing, costs: RouterCosts, strips: usize) -> Self {
        let wiring = routes.wiring();
        let layout = Layout::<W>::new(wiring, &costs, routes.virtual_channels());
        let mut channels = vec![0; layout.blocks()];
        for router in 0..wiring.routers() {
            let (block, _) = layout.locate(router, 0, 0).split();
            let output = |port| PortAt { router: in_32_bits(router), port: in_32_bits(port) };
            channels[block] += (0..wiring.link_ports()).filter(|&port| wiring.leads_to(output(port)).is_some()).count();
        }
        let blocks_of_nodes: Vec<usize> =
            (0..layout.nodes()).map(|node| layout.entry(node * layout.numbering.injections, 0).split().0).collect();
        blocks_of_nodes.iter().for_each(|&block| channels[block] += 1);
        let blocks = cuts(&channels, strips);
        let nodes = blocks_of_nodes.iter().map(|&block| strip(&blocks, block)).collect();
        Self { blocks, nodes }
    }

    /// The number of strips.
    pub(super) fn strips(&self) -> usize {
        self.blocks.len() - 1
    }

    /// The first block of strip `strip`, and the one after its last.
    pub(super) fn blocks(&self, strip: usize) -> [usize; 2] {
        [self.blocks[strip], self.blocks[strip + 1]]
    }

    /// The strip of block number `block`.
    pub(super) fn of_block(&self, block: usize) -> usize {
        strip(&self.blocks, block)
    }

    /// The strip of `node`.
    pub(super) fn of_node(&self, node: u32) -> usize {
        self.nodes[node as usize]
    }
}

/// The strip of block number `block`, if strips begin at `firsts`.
fn strip(firsts: &[usize], block: usize) -> usize {
    firsts.partition_point(|&first| first <= block) - 1
}

/// The first block of each strip, and the number of blocks, so that strips have about the same number of `channels`. No strip is empty.
fn cuts(channels: &[usize], strips: usize) -> Vec<usize> {
    let strips = strips.clamp(1, channels.len().max(1));
    let all: usize = channels.iter().sum();
    let mut cuts = vec![0];
    let mut before = 0;
    for (block, &of_block) in channels.iter().enumerate() {
        let strip = cuts.len();
        let left = channels.len() - block;
        let is_due = before * strips >= all * strip || left == strips - strip;
        if strip < strips && block > cuts[strip - 1] && is_due {
            cuts.push(block);
        }
        before += of_block;
    }
    cuts.push(channels.len());
    cuts
}

fn in_32_bits(number: usize) -> u32 {
    narrow(number, "ports and routers are numbered with 32 bits")
}

#[cfg(test)]
mod tests {
    use super::cuts;

    #[test]
    fn strips_have_about_the_same_number_of_channels() {
        assert_eq!(cuts(&[1; 8], 2), [0, 4, 8]);
        assert_eq!(cuts(&[1; 8], 3), [0, 3, 6, 8]);
        assert_eq!(cuts(&[9, 1, 1, 1], 2), [0, 1, 4]);
        assert_eq!(cuts(&[1, 1, 1, 9], 2), [0, 3, 4]);
    }

    #[test]
    fn no_strip_is_empty() {
        assert_eq!(cuts(&[5], 4), [0, 1]);
        assert_eq!(cuts(&[0, 0, 7], 3), [0, 1, 2, 3]);
        assert_eq!(cuts(&[7, 0, 0], 3), [0, 1, 2, 3]);
        assert_eq!(cuts(&[7, 0, 0, 0, 0], 2), [0, 1, 5]);
    }
}
