//! Whether messages bring every rank what it is promised: by carrying what each rank holds from step to step, every contribution
//! counted. Nothing here is fast, and nothing is shared with the proofs of [`crate::schedule`].
//!
//! What there is to deliver are *items*: positions of a vector, blocks of an exchange, or the one message of a multicast. A rank
//! holds of each item a multiset of contributions: how often the value of each rank is in it.

use std::collections::BTreeMap;

/// What a message does with each item that it carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Does {
    /// The receiver has what the sender has, in place of what it had.
    Copy,
    /// The receiver has what both had, each contribution as often as they together.
    Add,
    /// The sender has it no longer, the receiver has it.
    Move,
    /// The receiver has heard of all that the sender had heard of.
    Signal,
}

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent {
    /// The step; messages of a step carry what senders hold when it begins.
    pub step: usize,
    /// Who sends.
    pub src: usize,
    /// Who receives.
    pub dst: usize,
    /// What it does.
    pub does: Does,
    /// What it carries, by ascending number.
    pub items: Vec<usize>,
}

/// What ranks hold: of each item, how often the contribution of each contributor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holdings {
    items: usize,
    contributors: usize,
    counts: Vec<u64>,
}

impl Holdings {
    /// Nothing, of so many ranks, items and contributors.
    pub fn nothing(ranks: usize, items: usize, contributors: usize) -> Self {
        Self { items, contributors, counts: vec![0; ranks * items * contributors] }
    }

    /// How often `rank` has each contribution to `item`.
    ///
    /// # Panics
    /// If there is no such rank or item.
    pub fn of(&self, rank: usize, item: usize) -> &[u64] {
        &self.counts[(rank * self.items + item) * self.contributors..][..self.contributors]
    }

    /// The same, to be changed.
    ///
    /// # Panics
    /// If there is no such rank or item.
    pub fn of_mut(&mut self, rank: usize, item: usize) -> &mut [u64] {
        &mut self.counts[(rank * self.items + item) * self.contributors..][..self.contributors]
    }
}

/// What is promised.
#[derive(Clone, Debug)]
pub struct Promise {
    /// How many ranks there are.
    pub ranks: usize,
    /// What they hold before.
    pub before: Holdings,
    /// What they must hold in the end.
    pub after: Holdings,
    /// Per rank and item whether it matters what the rank holds in the end.
    pub matters: Vec<bool>,
    /// Whether a rank sends at most once and receives at most once in a step.
    pub one_port: bool,
}

/// What has been delivered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Delivered {
    /// Items that were copied to a rank that held the very same.
    pub redundant: Vec<usize>,
}

/// Follows `sent`, by ascending step, and sees whether the promise is kept.
///
/// # Errors
/// If it is not, in words: what is wrong first.
pub fn delivered(promise: &Promise, sent: &[Sent]) -> Result<Delivered, String> {
    let mut held = promise.before.clone();
    let mut delivered = Delivered::default();
    for step in sent.chunk_by(|one, other| one.step == other.step) {
        ends(promise, step)?;
        let carried = carried(&mut held, step)?;
        written_once(step)?;
        for (message, carried) in step.iter().zip(&carried) {
            for (&item, now) in message.items.iter().zip(carried) {
                let place = held.of_mut(message.dst, item);
                match message.does {
                    Does::Copy => {
                        if place == now.as_slice() {
                            delivered.redundant.push(item);
                        }
                        place.copy_from_slice(now);
                    }
                    Does::Add | Does::Move => {
                        place.iter_mut().zip(now).for_each(|(count, more)| *count = count.saturating_add(*more));
                    }
                    Does::Signal => {
                        place.iter_mut().zip(now).for_each(|(count, other)| *count = (*count).max(*other));
                    }
                }
            }
        }
    }
    kept(promise, &held)?;
    Ok(delivered)
}

/// That messages of a step go between two different ranks, and from and to each at most once where there is one port.
fn ends(promise: &Promise, step: &[Sent]) -> Result<(), String> {
    let mut sends = vec![0; promise.ranks];
    let mut receives = vec![0; promise.ranks];
    for Sent { step, src, dst, .. } in step {
        if src == dst || *src >= promise.ranks || *dst >= promise.ranks {
            return Err(format!("step {step}: a message from {src} to {dst} is not between two different ranks"));
        }
        sends[*src] += 1;
        receives[*dst] += 1;
        if promise.one_port && (sends[*src] > 1 || receives[*dst] > 1) {
            return Err(format!("step {step}: the message from {src} to {dst} is the second one of {src} or {dst}"));
        }
    }
    Ok(())
}

/// What each message of a step carries, item by item: what its sender holds when the step begins. What moves is then held no
/// longer.
fn carried(held: &mut Holdings, step: &[Sent]) -> Result<Vec<Vec<Vec<u64>>>, String> {
    let mut all = Vec::new();
    for Sent { step, src, dst, does, items } in step {
        let mut of_message = Vec::new();
        for &item in items {
            let now = held.of(*src, item).to_vec();
            if now.iter().all(|&count| count == 0) {
                return Err(format!("step {step}: {src} sends item {item} to {dst} but does not hold it"));
            }
            if *does == Does::Move {
                held.of_mut(*src, item).fill(0);
            }
            of_message.push(now);
        }
        all.push(of_message);
    }
    Ok(all)
}

/// That an item of a rank which a message of the step replaces is changed by no other.
fn written_once(step: &[Sent]) -> Result<(), String> {
    let mut written: BTreeMap<(usize, usize), Does> = BTreeMap::new();
    let copies = step.iter().any(|message| message.does == Does::Copy);
    for Sent { step, dst, does, items, .. } in step.iter().filter(|_| copies) {
        for &item in items {
            let before = written.insert((*dst, item), *does);
            if before.is_some_and(|before| before == Does::Copy || *does == Does::Copy) {
                return Err(format!("step {step}: item {item} of {dst} is written twice"));
            }
        }
    }
    Ok(())
}

/// That every rank holds in the end what it must, each contribution as often as it must.
fn kept(promise: &Promise, held: &Holdings) -> Result<(), String> {
    for rank in 0..promise.ranks {
        for item in 0..held.items {
            let matters = promise.matters[rank * held.items + item];
            let has = held.of(rank, item);
            let must = promise.after.of(rank, item);
            if matters && has != must {
                return Err(format!("{rank} ends with {has:?} of item {item}, not {must:?}"));
            }
        }
    }
    Ok(())
}

/// Per message those of earlier steps that bring its sender something that it carries, by number.
pub fn needs(sent: &[Sent]) -> Vec<Vec<usize>> {
    let brings = |earlier: &Sent, message: &Sent| {
        earlier.step < message.step
            && earlier.dst == message.src
            && earlier.items.iter().any(|item| message.items.binary_search(item).is_ok())
    };
    let of_message = |at: usize| (0..at).filter(|&earlier| brings(&sent[earlier], &sent[at])).collect();
    (0..sent.len()).map(of_message).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two ranks whose values are to be combined at both.
    fn sum_of_two() -> Promise {
        let mut before = Holdings::nothing(2, 1, 2);
        let mut after = before.clone();
        for rank in 0..2 {
            before.of_mut(rank, 0)[rank] = 1;
            after.of_mut(rank, 0).fill(1);
        }
        Promise { ranks: 2, before, after, matters: vec![true; 2], one_port: false }
    }

    fn sent(step: usize, src: usize, dst: usize, does: Does) -> Sent {
        Sent { step, src, dst, does, items: vec![0] }
    }

    #[test]
    fn contributions_are_counted() {
        let promise = sum_of_two();
        let both_ways = [sent(0, 0, 1, Does::Add), sent(0, 1, 0, Does::Add)];
        assert_eq!(delivered(&promise, &both_ways), Ok(Delivered::default()));
        let in_turn = [sent(0, 0, 1, Does::Add), sent(1, 1, 0, Does::Add)];
        let twice = delivered(&promise, &in_turn);
        assert_eq!(twice, Err("0 ends with [2, 1] of item 0, not [1, 1]".to_owned()));
        let back = [sent(0, 0, 1, Does::Add), sent(1, 1, 0, Does::Copy), sent(2, 1, 0, Does::Copy)];
        assert_eq!(delivered(&promise, &back), Ok(Delivered { redundant: vec![0] }));
        assert_eq!(needs(&back), [vec![], vec![0], vec![0]]);
    }
}
