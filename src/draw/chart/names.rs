//! Heights of names near the ends of their curves, without overlap.

use std::ops::Range;

/// Heights as near as can be to those `wanted`, in the same order, at least `apart` from each other and within `room` if that
/// is large enough.
///
/// The sum of squares of what all are moved by is least: in order, heights less `apart` times their rank must not fall, and
/// neighbours that do fall are put together at their mean until none does.
pub(super) fn moved_apart(wanted: &[f64], apart: f64, room: Range<f64>) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|&a, &b| wanted[a].total_cmp(&wanted[b]));
    let mut blocks: Vec<Block> = Vec::new();
    for (rank, &at) in order.iter().enumerate() {
        blocks.push(Block { sum: wanted[at] - below(rank, apart), count: 1 });
        while let [.., before, last] = blocks.as_slice()
            && before.mean() > last.mean()
        {
            let joined = Block { sum: before.sum + last.sum, count: before.count + last.count };
            blocks.truncate(blocks.len() - 2);
            blocks.push(joined);
        }
    }
    let last = (room.end - below(wanted.len().saturating_sub(1), apart)).max(room.start);
    let means = blocks.iter().flat_map(|block| std::iter::repeat_n(block.mean(), block.count));
    let mut heights = vec![0.0; wanted.len()];
    for ((rank, at), mean) in order.into_iter().enumerate().zip(means) {
        heights[at] = mean.clamp(room.start, last) + below(rank, apart);
    }
    heights
}

/// Names that would overlap if none were moved, as one.
#[derive(Clone, Copy)]
struct Block {
    sum: f64,
    count: usize,
}

impl Block {
    fn mean(self) -> f64 {
        self.sum / below(self.count, 1.0)
    }
}

#[expect(clippy::cast_precision_loss, reason = "names are few")]
fn below(rank: usize, apart: f64) -> f64 {
    rank as f64 * apart
}

#[cfg(test)]
mod tests {
    use super::moved_apart;

    #[test]
    fn names_move_no_more_than_they_must() {
        let cases: [(&[f64], &[f64]); 6] = [
            (&[], &[]),
            (&[20.0, 50.0], &[20.0, 50.0]),
            (&[50.0, 50.0], &[45.0, 55.0]),
            (&[52.0, 50.0, 80.0], &[56.0, 46.0, 80.0]),
            (&[0.0, 0.0, 0.0], &[0.0, 10.0, 20.0]),
            (&[100.0, 99.0, 98.0], &[100.0, 90.0, 80.0]),
        ];
        for (wanted, expected) in cases {
            assert_eq!(moved_apart(wanted, 10.0, 0.0..100.0), expected, "{wanted:?}");
        }
    }
}
