//! The optimal broadcast tree of LogP, from the sorted stream of its labels.
//!
//! *Problem.* Inform `K` nodes soonest when sends of a node are `g` apart and a message takes `e = L + 2o`.
//!
//! *Idea.* The optimal tree is infinite: the root has label 0, a node of label `t` has children of labels
//! `t + e + i g`. The `K` smallest labels are the answer. They come in order from two queues, each sorted by itself:
//! the first children of nodes, and the next children of nodes that have one.
//!
//! *Cost.* O(K) time and memory; completion the `K`-th label, the same as [`OptTree`](super::OptTree) with
//! `t_hold = g` and `t_end = e`, which gets there by another way.
//!
//! *Source.* Karp, Sahay, Santos and Schauser, SPAA 1993, as the Fibonacci multicast paper (section 2) has it. The
//! paper's recurrence for the number of labels up to `t` is off by one: `N(t) = N(t-g) + N(t-e)` holds from `t = e` on.

use crate::schedule::Split;
use std::collections::VecDeque;

/// Stands for "no child" in the compact arrays.
const NO_CHILD: usize = usize::MAX;

/// The optimal tree over positions in the order in which they are informed, the source first.
///
/// ```
/// use flitwise::algorithm::multicast::LogpOptimal;
/// assert_eq!(LogpOptimal::new(8, 4, 10).labels(), [0, 10, 14, 18, 20, 22, 24, 24]);
/// ```
#[derive(Clone, Debug)]
pub struct LogpOptimal {
    labels: Vec<u64>,
    first_child: Vec<usize>,
    next_sibling: Vec<usize>,
}

impl LogpOptimal {
    /// The tree of `size >= 1` nodes with a gap of `g` ticks and `e` ticks from a send to its receipt.
    pub fn new(size: usize, g: u64, e: u64) -> Self {
        let mut labels = vec![0];
        let mut first_child = vec![NO_CHILD; size];
        let mut next_sibling = vec![NO_CHILD; size];
        // (label of the child, its parent), and of a next child the one before it
        let mut first = VecDeque::from([(e, 0)]);
        let mut next: VecDeque<(u64, usize, usize)> = VecDeque::new();
        for child in 1..size {
            let goes_on = next.front().filter(|(label, ..)| first.front().is_none_or(|(other, _)| label <= other));
            let (label, parent) = if let Some(&(label, parent, before)) = goes_on {
                next.pop_front();
                next_sibling[before] = child;
                (label, parent)
            } else {
                #[expect(clippy::expect_used, reason = "the node before this one has not had its first child")]
                let (label, parent) = first.pop_front().expect("every node waits for its first child at first");
                first_child[parent] = child;
                (label, parent)
            };
            labels.push(label);
            first.push_back((label + e, child));
            next.push_back((label + g, parent, child));
        }
        Self { labels, first_child, next_sibling }
    }

    /// When each node is informed, ascending, in ticks.
    pub fn labels(&self) -> &[u64] {
        &self.labels
    }
}

/// A node and the next of its children.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    holder: usize,
    next: usize,
}

impl LogpOptimal {
    fn family(&self, holder: usize) -> Family {
        Family { holder, next: self.first_child[holder] }
    }
}

impl Split for LogpOptimal {
    type Block = Family;

    fn whole(&self) -> Family {
        self.family(0)
    }

    fn holder(&self, family: &Family) -> usize {
        family.holder
    }

    fn give(&self, family: &mut Family) -> Option<Family> {
        let child = family.next;
        (child != NO_CHILD).then(|| {
            family.next = self.next_sibling[child];
            self.family(child)
        })
    }
}
