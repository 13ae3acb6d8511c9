//! How lists of boxes of blocks grow and are divided.

use super::sets::{SetId, Sets};

/// Adds the box `sets` to `boxes`, merged with what differs from it in one set only. The caller knows that the blocks
/// in `sets` are in no box of the list.
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
