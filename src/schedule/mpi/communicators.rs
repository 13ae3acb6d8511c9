//! The members of communicators.
//!
//! A trace names a communicator by a number of the process, and by the size and the rank in it. The ranks that name a number are its
//! members if they are as many as its size. If a number stands for several communicators, their groups have to be listed.

use super::read::TAG_BITS;
use super::{MpiError, MpiTrace};
use std::collections::BTreeMap;
use std::ops::Range;

/// Groups of ranks by the id of their communicators. Ranks are in the order of the communicator.
pub type ListedGroups = BTreeMap<u8, Vec<Vec<u32>>>;

/// The ranks of a communicator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommunicatorGroup {
    /// The id, which several groups may have.
    pub id: u8,
    /// The ranks of the trace, in the order of the communicator.
    pub ranks: Vec<u32>,
}

impl CommunicatorGroup {
    /// The tag of the messages of collective number `number`, from 0.
    pub fn collective_tag(&self, number: u64) -> u64 {
        (u64::from(self.id) << TAG_BITS) + FIRST_TAG + number
    }
}

/// The first tag of collectives within a communicator.
const FIRST_TAG: u64 = 1_000_000;

/// A rank as a member of a communicator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// The index of the group in [`MpiTrace::groups`], if a simulated call communicates in it.
    pub group: u32,
    /// The rank in the communicator.
    pub rank: u32,
}

/// A communicator that a rank names.
#[derive(Clone, Debug)]
pub(super) struct Named {
    pub(super) id: u8,
    /// The own rank in it, and the number of its ranks.
    pub(super) rank: u32,
    pub(super) size: u32,
    /// The first line that names it, and the bytes of the id there.
    pub(super) line: u32,
    pub(super) span: Range<usize>,
    /// True if a simulated call communicates in it.
    pub(super) is_used: bool,
}

/// Ranks of the trace that name the same id.
type NamedBy<'a> = Vec<(u32, &'a Named)>;

impl MpiTrace {
    /// Finds the members of all communicators in which calls communicate.
    pub(super) fn set_members(&mut self, named: &[Vec<Named>], listed: &ListedGroups, errors: &mut Vec<MpiError>) {
        let mut by_id: BTreeMap<u8, NamedBy<'_>> = BTreeMap::new();
        for (rank, all) in (0..).zip(named) {
            all.iter().for_each(|named| by_id.entry(named.id).or_default().push((rank, named)));
        }
        for (id, all) in by_id {
            let (single, shared): (NamedBy<'_>, NamedBy<'_>) = all.into_iter().partition(|(_, named)| named.size == 1);
            let mut add = |ranks| self.groups.push(CommunicatorGroup { id, ranks });
            single.into_iter().for_each(|(rank, _)| add(vec![rank]));
            if !shared.iter().any(|(_, named)| named.is_used) {
                continue;
            }
            let groups = match listed.get(&id) {
                Some(groups) => check_listed(groups, &shared, named.len()).map(|()| groups.clone()),
                None => all_members(&shared, named.len()).map(|ranks| vec![ranks]),
            };
            match groups {
                Ok(groups) => groups.into_iter().for_each(add),
                Err(error) => errors.push(error),
            }
        }
        let mut numbers: BTreeMap<(u8, u32), u32> = BTreeMap::new();
        for (number, group) in (0..).zip(&self.groups) {
            group.ranks.iter().for_each(|&rank| _ = numbers.entry((group.id, rank)).or_insert(number));
        }
        for (rank, (trace, named)) in (0..).zip(self.ranks.iter_mut().zip(named)) {
            let number = |id| numbers.get(&(id, rank)).copied().unwrap_or(u32::MAX);
            trace.members = named.iter().map(|named| Member { group: number(named.id), rank: named.rank }).collect();
        }
    }
}

/// The error `message` at the first line of `rank` that names a communicator.
fn error(&(rank, named): &(u32, &Named), message: String, accepted: &'static str) -> MpiError {
    MpiError { rank: rank as usize, span: named.span.clone(), message, accepted }
}

/// Returns the ranks that name a communicator in the order of their ranks in it, if they are all of its members.
fn all_members(named: &[(u32, &Named)], files: usize) -> Result<Vec<u32>, MpiError> {
    let Named { id, size, .. } = named[0].1;
    if *size as usize > files {
        let files = if files == 1 { "is 1 file".to_owned() } else { format!("are {files} files") };
        let message = format!("communicator {id} has {size} ranks, but there {files}");
        return Err(error(&named[0], message, "a file for each rank"));
    }
    let mut members: Vec<(u32, u32)> = named.iter().map(|(rank, named)| (named.rank, *rank)).collect();
    members.sort_unstable();
    let are_all = named.iter().all(|(_, other)| other.size == *size) && members.iter().map(|at| at.0).eq(0..*size);
    if are_all {
        return Ok(members.into_iter().map(|(_, rank)| rank).collect());
    }
    let message = format!(
        "the members of communicator {id} are ambiguous: it has {size} ranks, and is named in {} of {files} files",
        named.len()
    );
    Err(error(&named[0], message, "its groups in the file of `communicators`, as in {\"4\": [[0, 1], [2, 3]]}"))
}

/// Checks that each rank that names a communicator is in one of its listed groups, with its rank and size.
fn check_listed(groups: &[Vec<u32>], named: &[(u32, &Named)], files: usize) -> Result<(), MpiError> {
    for &(rank, Named { id, rank: own, size, .. }) in named {
        let mut found = groups.iter().filter(|group| group.contains(&rank));
        let fits = |group: &Vec<u32>| {
            let is_own =
                group.len() == *size as usize && group.iter().position(|&member| member == rank) == Some(*own as usize);
            is_own && group.iter().all(|&member| (member as usize) < files)
        };
        if !found.next().is_some_and(fits) || found.next().is_some() {
            let message = format!(
                "rank {rank} is rank {own} of {size} in communicator {id}, but not in exactly one such group in the file of `communicators`"
            );
            let named = named.iter().find(|(other, _)| *other == rank).unwrap_or(&named[0]);
            return Err(error(named, message, "the ranks of each group, in the order of the communicator"));
        }
    }
    Ok(())
}
