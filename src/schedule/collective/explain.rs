//! Follows one piece of the vector with the very sets of contributions, to say what is wrong with it.

use super::contributions::{self, Contributions, common};
use super::{Action, Collective, CollectiveMessage, CollectiveViolation, Holding};
use crate::cancel;
use std::ops::Range;

/// Follows `piece` through all messages.
///
/// # Errors
/// The first message that does wrong, or else the first rank that ends with something else than it must hold.
pub(super) fn explain(collective: &Collective, piece: usize) -> Result<(), CollectiveViolation> {
    let ranks = collective.ranks;
    let owner = collective.share_owners().get(piece).copied().unwrap_or_default();
    let flits = collective.bounds[piece]..collective.bounds[piece + 1];
    let mut held = Contributions::new(ranks, ranks);
    for rank in 0..ranks {
        if let Holding::One(contributor) = collective.operation.before(rank, owner, collective.root) {
            held.insert(rank, contributor);
        }
    }
    let mut carried: Vec<(CollectiveMessage, Vec<u64>)> = Vec::new();
    // per rank the step in which it was last written, and how
    let mut written = vec![(usize::MAX, Action::Reduce); ranks];
    for step in cancel::steps(0..collective.steps()) {
        carried.clear();
        for message in collective.messages(step) {
            if !holds(collective.runs(message.id), piece) {
                continue;
            }
            let set = held.set(message.src).to_vec();
            if set.iter().all(|&word| word == 0) {
                let CollectiveMessage { id, src, dst, .. } = message;
                return Err(CollectiveViolation::NotHeld { step, message: id, src, dst, flits });
            }
            carried.push((message, set));
        }
        for (message, set) in &carried {
            let CollectiveMessage { id, src, dst, action, .. } = *message;
            let before = std::mem::replace(&mut written[dst], (step, action));
            if before.0 == step && (before.1 == Action::Copy || action == Action::Copy) {
                return Err(CollectiveViolation::WrittenTwice { step, message: id, rank: dst, flits });
            }
            let row = held.set_mut(dst);
            if action == Action::Copy {
                row.copy_from_slice(set);
                continue;
            }
            if action == Action::Reduce
                && let Some(contributor) = common(row, set)
            {
                return Err(CollectiveViolation::CountedTwice { step, message: id, src, dst, contributor, flits });
            }
            contributions::unite(row, set);
        }
    }
    (0..ranks).try_for_each(|rank| complete(collective, &held, rank, owner, &flits))
}

fn holds(runs: &[Range<u32>], piece: usize) -> bool {
    let at = runs.partition_point(|run| run.end as usize <= piece);
    runs.get(at).is_some_and(|run| run.start as usize <= piece)
}

/// Whether `rank` ends with what it must hold of a piece in the share of `owner`.
fn complete(
    collective: &Collective,
    held: &Contributions,
    rank: usize,
    owner: usize,
    flits: &Range<u64>,
) -> Result<(), CollectiveViolation> {
    let needed: Vec<usize> = match collective.operation.after(rank, owner, collective.root) {
        Holding::Nothing => return Ok(()),
        Holding::One(contributor) => vec![contributor],
        Holding::All => (0..collective.ranks).collect(),
    };
    let row = held.set(rank);
    let has = |&&contributor: &&usize| contributions::contains(row, contributor);
    let here = needed.iter().filter(has).count();
    let missing = needed.iter().find(|contributor| !has(contributor)).copied();
    let many = contributions::count(row);
    match missing {
        Some(missing) if collective.operation == super::Operation::Barrier => {
            Err(CollectiveViolation::LeftEarly { rank, heard: here, ranks: collective.ranks, missing })
        }
        None if many == needed.len() => Ok(()),
        missing => Err(CollectiveViolation::Incomplete {
            rank,
            flits: flits.clone(),
            held: here,
            needed: needed.len(),
            missing,
        }),
    }
}
