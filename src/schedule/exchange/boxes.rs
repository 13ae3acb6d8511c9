//! The lattice that boxes of blocks live in, and how lists of boxes grow and are divided.

use super::sets::{SetId, Sets};
use crate::routing::Move;

/// Nodes on an integer lattice that is closed to a ring along every axis; numbers are row-major.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Lattice {
    shape: Vec<usize>,
    strides: Vec<usize>,
}

impl Lattice {
    pub(super) fn new(shape: &[usize]) -> Self {
        // where a product saturates, so does that of all sides: an exchange refuses so many nodes
        let mut strides = vec![1_usize; shape.len()];
        for axis in (1..shape.len()).rev() {
            strides[axis - 1] = strides[axis].saturating_mul(shape[axis]);
        }
        Self { shape: shape.to_vec(), strides }
    }

    pub(super) fn shape(&self) -> &[usize] {
        &self.shape
    }

    pub(super) fn axes(&self) -> usize {
        self.shape.len()
    }

    /// The number of nodes; saturates, as strides do.
    pub(super) fn nodes(&self) -> usize {
        self.shape.iter().fold(1, |product: usize, &n| product.saturating_mul(n))
    }

    /// The number of nodes along the longest axis; 0 without axes.
    pub(super) fn longest(&self) -> usize {
        self.shape.iter().copied().max().unwrap_or(0)
    }

    pub(super) fn stride(&self, axis: usize) -> usize {
        self.strides[axis]
    }

    pub(super) fn coordinate(&self, node: usize, axis: usize) -> usize {
        node / self.strides[axis] % self.shape[axis]
    }

    /// Where `moves` from `node` end.
    pub(super) fn land(&self, node: usize, moves: &[Move]) -> usize {
        moves.iter().fold(node, |node, step| {
            let axis = step.dimension as usize;
            let at = self.coordinate(node, axis);
            let n = self.shape[axis];
            let hops = step.hops.unsigned_abs() as usize % n;
            let to = if step.hops < 0 { (at + n - hops) % n } else { (at + hops) % n };
            node - at * self.strides[axis] + to * self.strides[axis]
        })
    }
}

/// Adds the box `sets` to `boxes`, merged with what differs from it in one set only. The caller knows that the blocks in
/// `sets` are in no box of the list.
pub(super) fn absorb(boxes: &mut Vec<SetId>, sets: &[SetId], arena: &mut Sets) {
    boxes.extend_from_slice(sets);
    merge_last(boxes, sets.len(), arena);
}

/// Merges the last box with what differs from it in one set only, as long as there is such a box.
fn merge_last(boxes: &mut Vec<SetId>, width: usize, arena: &mut Sets) {
    loop {
        let last = boxes.len() - width;
        let (others, last) = boxes.split_at_mut(last);
        let Some((start, place)) = neighbour(others, last) else { return };
        last[place] = arena.union(last[place], others[start + place]);
        boxes.drain(start..start + width);
    }
}

/// The start of the first box that differs from `sets` in one set only, and which one.
fn neighbour(boxes: &[SetId], sets: &[SetId]) -> Option<(usize, usize)> {
    let different = |held: &[SetId]| {
        let mut places = held.iter().zip(sets).enumerate().filter(|(_, (a, b))| a != b).map(|(place, _)| place);
        places.next().filter(|_| places.next().is_none())
    };
    boxes.chunks_exact(sets.len()).enumerate().find_map(|(at, held)| Some((at * sets.len(), different(held)?)))
}

/// Which blocks: those whose set number `place` lies in `mask`.
#[derive(Clone, Copy)]
pub(super) struct Within {
    pub(super) place: usize,
    pub(super) mask: SetId,
}

/// Takes from `held` all blocks that are `wanted`.
pub(super) fn take(held: &mut Vec<SetId>, width: usize, wanted: Within, arena: &mut Sets) -> Vec<SetId> {
    let Within { place, mask } = wanted;
    let mut taken = Vec::with_capacity(width);
    let mut kept = Vec::with_capacity(held.len());
    for sets in held.chunks_exact(width) {
        let (within, beyond) = arena.divide(sets[place], mask);
        for (which, list) in [(within, &mut taken), (beyond, &mut kept)] {
            if let Some(set) = which {
                let at = list.len();
                list.extend_from_slice(sets);
                list[at + place] = set;
                merge_last(list, width, arena);
            }
        }
    }
    *held = kept;
    taken
}
