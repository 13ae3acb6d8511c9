//! Multicast trees by recursive splitting, the shape that all the multicast algorithms here share.
//!
//! The holder of a block of nodes gives part of it to a receiver, which becomes that part's holder, and goes on with
//! the rest until only itself is left. An algorithm is the rule by which a block is split; numbering and layout are
//! done here, once, in O(k) time and without recursion.

use super::{NOTHING, Schedule};
use crate::cancel;
use crate::units::{Flits, MessageId, NodeId};

/// A rule that splits blocks of positions in a group.
pub trait Split {
    /// A set of positions with its holder.
    type Block: Copy;

    /// The block of the whole group, held by the source.
    fn whole(&self) -> Self::Block;

    /// The position that holds `block`.
    fn holder(&self, block: &Self::Block) -> usize;

    /// Gives part of `block` away and returns it, held by its receiver; none when only the holder is left.
    fn give(&self, block: &mut Self::Block) -> Option<Self::Block>;
}

impl Schedule {
    /// The multicast tree that `rule` makes of `group`, where position `i` is node `group[i]`; ids run over `0..nodes`.
    ///
    /// # Panics
    /// If `group` is empty or an id in it is not below `nodes`.
    pub fn split<R: Split>(rule: &R, group: &[NodeId], nodes: usize, flits: Flits) -> Self {
        cancel::checkpoint();
        let whole = rule.whole();
        let mut schedule = Self::empty(nodes, group[rule.holder(&whole)], flits, group.len() - 1);
        // a holder has at most one part for each message of its chain, of which there are few at a time
        let mut blocks = Vec::with_capacity(16);
        blocks.push((whole, NOTHING));
        while let Some((mut block, after)) = blocks.pop() {
            let holder = group[rule.holder(&block)];
            let first = schedule.src.len();
            let waiting = blocks.len();
            while let Some(part) = rule.give(&mut block) {
                blocks.push((part, MessageId::new(schedule.src.len()).0));
                schedule.push(holder, group[rule.holder(&part)], after);
            }
            schedule.close(holder, first);
            blocks[waiting..].reverse();
        }
        schedule
    }
}
