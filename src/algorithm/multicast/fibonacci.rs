//! Fibonacci multicast: blocks split in the ratio of Fibonacci numbers.
//!
//! *Problem.* A multicast in the LogP model that beats halving without knowing the parameters exactly.
//!
//! *Idea.* A block of `K` nodes with `f(n) <= K < f(n+1)` gives `f(n-2)` of them away: the low ones if the holder
//! lies above them, else the high ones.
//!
//! *Cost.* O(K log K) to plan; completion `T(K) = max(T(f) + e, T(K-f) + g)` with `f = f(n-2)`, `e = L + 2o`,
//! whatever the source's position; at least as good as halving for every `K` up to 20,000 when `g <= 0.4814 e` (the
//! paper's 0.388 is sufficient, not tight).
//!
//! *Source.* Fibonacci multicast paper, Algorithm 1.
//!
//! The paper lets the low part be received by its first node. On a mesh that node is not next to the holder's part, so
//! messages of the two parts can meet; [`Receiver::Boundary`] takes the last one instead, at the same cost in LogP.

use super::opt_mesh::Stretch;
use crate::schedule::Split;

/// Who receives for a low part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Receiver {
    /// Its first node, as the paper prints it.
    First,
    /// Its last node, the one at the boundary of the holder's part.
    Boundary,
}

/// The Fibonacci tree over a chain, the source anywhere in it.
///
/// ```
/// use flitwise::algorithm::multicast::{Fibonacci, Receiver};
/// use flitwise::schedule::Schedule;
/// use flitwise::units::{Flits, NodeId};
/// let chain: Vec<NodeId> = (1..9).map(NodeId).collect();
/// let tree = Schedule::split(&Fibonacci::new(8, 0, Receiver::First), &chain, 9, Flits(1));
/// let receivers: Vec<u32> = tree.messages().filter(|m| m.src == NodeId(1)).map(|m| m.dst.0).collect();
/// assert_eq!(receivers, [6, 4, 3, 2]);
/// ```
#[derive(Clone, Debug)]
pub struct Fibonacci {
    size: usize,
    source: usize,
    receiver: Receiver,
    /// `f(2), f(3), ..` = 1, 2, 3, 5, .. up to the first beyond `size`.
    numbers: Vec<usize>,
}

impl Fibonacci {
    /// The rule for a chain of `size` positions with the source at position `source`.
    pub fn new(size: usize, source: usize, receiver: Receiver) -> Self {
        let mut numbers = vec![1, 2];
        while let &[.., before, last] = numbers.as_slice()
            && last <= size
        {
            numbers.push(before + last);
        }
        Self { size, source, receiver, numbers }
    }

    /// How many of `size >= 2` nodes are given away.
    fn given(&self, size: usize) -> usize {
        let at = self.numbers.partition_point(|&number| number <= size) - 1;
        // numbers[at] is f(n) with n = at + 2, and f(n-2) is wanted: of two nodes f(1), which is f(2) = numbers[0]
        self.numbers[at.saturating_sub(2)]
    }
}

impl Split for Fibonacci {
    type Block = Stretch;

    fn whole(&self) -> Stretch {
        Stretch::whole(self.size, self.source)
    }

    fn holder(&self, stretch: &Stretch) -> usize {
        stretch.holder
    }

    fn give(&self, stretch: &mut Stretch) -> Option<Stretch> {
        let size = stretch.last - stretch.first + 1;
        (size > 1).then(|| {
            let given = self.given(size);
            if stretch.holder < stretch.first + given {
                return stretch.give_to(stretch.last + 1 - given);
            }
            let low = stretch.give_to(stretch.first + given - 1);
            match self.receiver {
                Receiver::First => Stretch { holder: low.first, ..low },
                Receiver::Boundary => low,
            }
        })
    }
}
