//! Multicast trees word by word from their definitions: recurrences over all splits, and stretches of a chain as lists.

use crate::model::Parameterised;

/// `t[i]`, the least time to reach `i` nodes from one of them, for each `i` up to `size`: the minimum over all splits. Index 0
/// stands for nothing.
///
/// ```text
/// t[1] = 0,   t[i] = min over 1 <= j < i of max( j > 1 ? t[j] + t_hold : 0 ,  t[ceil((i-j)/p)] + t_end )
/// ```
///
/// # Panics
/// If there are no ports.
pub fn least_times(size: usize, model: Parameterised, ports: usize) -> Vec<u64> {
    let mut times = vec![0, 0];
    for block in 2..=size {
        let least = (1..block).map(|kept| split_time(&times, block, kept, model, ports)).min();
        times.extend(least);
    }
    times
}

/// What a block takes whose holder keeps `kept` of it and gives the others to as many receivers as it has ports.
fn split_time(times: &[u64], block: usize, kept: usize, model: Parameterised, ports: usize) -> u64 {
    let keep = if kept > 1 { times[kept] + model.t_hold.0 } else { 0 };
    keep.max(times[(block - kept).div_ceil(ports)] + model.t_end.0)
}

/// All splits of a block of `block >= 2` nodes that take the least time, ascending, where `times` are those of
/// [`least_times`].
///
/// # Panics
/// If `times` has none of so large a block.
pub fn best_splits(times: &[u64], block: usize, model: Parameterised, ports: usize) -> Vec<usize> {
    (1..block).filter(|&kept| split_time(times, block, kept, model, ports) == times[block]).collect()
}

/// The earliest times at which nodes can be reached, of so many in all, ascending, the source at 0: all that have the message
/// send all the time on all their ports, and of all sends that are still to come the one that arrives first is next.
pub fn earliest_receipts(size: usize, model: Parameterised, ports: usize) -> Vec<u64> {
    let mut receipts = vec![0];
    // per node when it next begins a round of sends
    let mut rounds = vec![0];
    while receipts.len() < size {
        let first = (0..rounds.len()).min_by_key(|&node| rounds[node]).unwrap_or_default();
        let arrives = rounds[first] + model.t_end.0;
        rounds[first] += model.t_hold.0;
        for _ in 0..ports.min(size - receipts.len()) {
            receipts.push(arrives);
            rounds.push(arrives);
        }
    }
    receipts
}

/// A stretch of a chain, and which of its nodes holds the message.
#[derive(Clone, Debug)]
pub struct Stretch {
    /// Its nodes, in the order of the chain.
    pub nodes: Vec<u32>,
    /// The one that holds the message.
    pub holder: u32,
}

/// Which part of a stretch is given away, and who receives for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given {
    /// So many nodes from the start; the first of them receives.
    LowToFirst(usize),
    /// So many nodes from the start; the last of them receives, next to those that are kept.
    Low(usize),
    /// So many nodes at the end; the first of them receives, next to those that are kept.
    High(usize),
}

/// The sends (source, destination) of the tree that `give` makes of a stretch, in the order of message numbers: all of the
/// holder first, then those of each of its receivers. `give` is told how many nodes a stretch of two or more has, and at which
/// place its holder is.
pub fn split(stretch: &Stretch, give: &dyn Fn(usize, usize) -> Given) -> Vec<(u32, u32)> {
    let mut left = stretch.nodes.clone();
    let mut sends = Vec::new();
    let mut parts: Vec<Stretch> = Vec::new();
    while left.len() > 1 {
        let place = left.iter().position(|&node| node == stretch.holder).unwrap_or_default();
        let (nodes, holder) = match give(left.len(), place) {
            Given::LowToFirst(count) => {
                let low: Vec<u32> = left.drain(..count).collect();
                let first = low[0];
                (low, first)
            }
            Given::Low(count) => {
                let low: Vec<u32> = left.drain(..count).collect();
                let last = low[count - 1];
                (low, last)
            }
            Given::High(count) => {
                let high = left.split_off(left.len() - count);
                let first = high[0];
                (high, first)
            }
        };
        sends.push((stretch.holder, holder));
        parts.push(Stretch { nodes, holder });
    }
    sends.extend(parts.iter().flat_map(|part| split(part, give)));
    sends
}

/// What OPT-mesh gives: the holder keeps the side of so many nodes it lies in, `kept` of each size.
pub fn opt_mesh(kept: impl Fn(usize) -> usize) -> impl Fn(usize, usize) -> Given {
    move |size, place| if place < kept(size) { Given::High(size - kept(size)) } else { Given::Low(size - kept(size)) }
}

/// What U-mesh gives: the half that the holder does not lie in. The middle of an odd number belongs to the half that is given,
/// unless it is the holder, which gives the lower half.
pub fn u_mesh(size: usize, place: usize) -> Given {
    let half = size.div_ceil(2);
    let is_middle = size % 2 == 1 && place == size / 2;
    match place {
        _ if is_middle => Given::Low(size / 2),
        place if place < size / 2 => Given::High(half),
        _ => Given::Low(half),
    }
}

/// What a Fibonacci tree gives: of `f(n) <= K < f(n+1)` nodes `f(n-2)`, the low ones if the holder lies above them, else the
/// high ones.
pub fn fibonacci(size: usize, place: usize) -> Given {
    let mut numbers = vec![1, 1];
    while numbers[numbers.len() - 1] <= size {
        numbers.push(numbers[numbers.len() - 1] + numbers[numbers.len() - 2]);
    }
    // the last one is f(n+1)
    let given = numbers[numbers.len() - 4];
    if place >= given { Given::Low(given) } else { Given::High(given) }
}

/// What a binomial tree gives: all but the largest power of two that is smaller than the block.
pub fn binomial(size: usize, _: usize) -> Given {
    let mut kept = 1;
    while 2 * kept < size {
        kept *= 2;
    }
    Given::High(size - kept)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Ticks;

    #[test]
    fn the_papers_example_of_nine_nodes() {
        let model = Parameterised { t_hold: Ticks(20), t_end: Ticks(55) };
        let times = least_times(9, model, 1);
        assert_eq!((times[9], best_splits(&times, 9, model, 1).contains(&6)), (135, true));
        assert_eq!(earliest_receipts(9, model, 1)[8], 135);
        let chain = Stretch { nodes: (0..6).collect(), holder: 1 };
        assert_eq!(split(&chain, &u_mesh), [(1, 3), (1, 0), (1, 2), (3, 4), (4, 5)]);
    }
}
