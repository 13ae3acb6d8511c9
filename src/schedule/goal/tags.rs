//! Tags that are different in 64 bits and the same in 32, which is all that LogGOPSim keeps of them.

use super::builder::FEW_BITS;
use super::{ANY, ANY_TAG, Action, Goal};
use rustc_hash::FxHashMap;
use std::fmt;

/// Two tags of messages to one rank that are the same in 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AmbiguousTags {
    /// One tag, and another, or the same if it is -1, any tag, in 32 bits.
    tags: [u64; 2],
    /// The sender, or `None` if some receive takes messages of any.
    source: Option<u32>,
    rank: u32,
}

impl fmt::Display for AmbiguousTags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tags: [one, other], source, rank } = self;
        let messages = match source {
            Some(source) => format!("of messages from rank {source} to rank {rank}"),
            None => format!("of messages to rank {rank}"),
        };
        match one == other {
            true => write!(f, "its tag {one} {messages} is -1, any tag"),
            false => write!(f, "its tags {one} and {other} {messages} are the same"),
        }
    }
}

impl Goal {
    /// Returns the first two tags of a pair of ranks, or of a rank that receives from any, that are the same in 32 bits, or
    /// `None` if all differ. O(1) time without long tags, else O(operations).
    pub(crate) fn ambiguous_tags(&self) -> Option<AmbiguousTags> {
        if !self.survey.has_long_tags {
            return None;
        }
        let mut seen: FxHashMap<(Option<u32>, u32, u64), u64> = FxHashMap::default();
        for rank in 0..self.ranks() {
            let number = super::number(rank);
            for operation in self.operations_of(rank) {
                let (source, rank) = match operation.action {
                    Action::Compute => continue,
                    _ if operation.tag == ANY_TAG => continue,
                    Action::Send => (number, operation.peer),
                    Action::Receive => (operation.peer, number),
                };
                let source = Some(source).filter(|&source| source != ANY && !self.survey.has_any_source);
                let tag = operation.tag;
                let short = tag & FEW_BITS;
                let first = if short == FEW_BITS { tag } else { *seen.entry((source, rank, short)).or_insert(tag) };
                if first != tag || short == FEW_BITS {
                    return Some(AmbiguousTags { tags: [first, tag], source, rank });
                }
            }
        }
        None
    }
}
