//! Which receive takes which message: the first posted that fits, or the first arrived.
//!
//! A receive and a message fit if source and tag are equal or any. Both sides keep who waits in lists under every key
//! that the other side's wildcards can ask for, so that a match takes constant time whatever waits.

use super::{ANY, Action, Goal, GoalViolation, Operation};
use rustc_hash::FxHashMap;

const NONE: u32 = u32::MAX;

/// Which of source and tag are wildcards, as two bits.
type Pattern = u8;

/// Sets of patterns, a bit each.
type Patterns = u8;

fn pattern(source: u32, tag: u32) -> Pattern {
    u8::from(source == ANY) | u8::from(tag == ANY) << 1
}

fn members(patterns: Patterns) -> impl Iterator<Item = Pattern> {
    (0..4).filter(move |pattern| patterns >> pattern & 1 == 1)
}

/// Receives that are posted, or messages that nobody has asked for yet: by rank, in order.
#[derive(Clone, Debug, Default)]
struct Side {
    lists: FxHashMap<Key, List>,
    links: Vec<Link>,
    /// Every entry ever made: the operation, or `NONE` once it is taken.
    entries: Vec<u32>,
}

/// Who keeps a list: the rank, the patterns of its entries and of those who ask, and what both have to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Key {
    rank: u32,
    source: u32,
    tag: u32,
    patterns: u16,
}

impl Key {
    /// Where entries of pattern `entry` wait for those who ask with pattern `asking`.
    fn new(rank: u32, (source, tag): (u32, u32), entry: Pattern, asking: Pattern) -> Self {
        let either = entry | asking;
        let blank = |value, bit| if either & bit != 0 { ANY } else { value };
        let patterns = u16::from(entry) << 2 | u16::from(either);
        Self { rank, source: blank(source, 1), tag: blank(tag, 2), patterns }
    }
}

#[derive(Clone, Copy, Debug)]
struct List {
    first: u32,
    last: u32,
}

#[derive(Clone, Copy, Debug)]
struct Link {
    entry: u32,
    next: u32,
}

impl Side {
    /// Adds `id` of `rank`, for those who may ask with one of the patterns `asking`.
    fn add(&mut self, id: u32, rank: u32, name: (u32, u32), asking: Patterns) {
        let entry = number(self.entries.len());
        self.entries.push(id);
        let own = pattern(name.0, name.1);
        let mut kept = 0_u8; // lists by what either side leaves open
        for pattern in members(asking) {
            let either = own | pattern;
            if kept >> either & 1 == 1 {
                continue;
            }
            kept |= 1 << either;
            let link = number(self.links.len());
            self.links.push(Link { entry, next: NONE });
            let list = self.lists.entry(Key::new(rank, name, own, pattern)).or_insert(List { first: link, last: link });
            if list.last != link {
                self.links[list.last as usize].next = link;
                list.last = link;
            }
        }
    }

    /// Takes the first that fits out, among entries of the patterns `present`.
    fn take(&mut self, rank: u32, name: (u32, u32), present: Patterns) -> Option<u32> {
        let own = pattern(name.0, name.1);
        let fronts = members(present).filter_map(|pattern| self.front(Key::new(rank, name, pattern, own)));
        let entry = fronts.collect::<Vec<u32>>().into_iter().min()?;
        Some(std::mem::replace(&mut self.entries[entry as usize], NONE))
    }

    /// The first entry of a list that is not taken; those before it are dropped.
    fn front(&mut self, key: Key) -> Option<u32> {
        let list = self.lists.get_mut(&key)?;
        loop {
            let link = self.links[list.first as usize];
            if self.entries[link.entry as usize] != NONE {
                return Some(link.entry);
            }
            if link.next == NONE {
                self.lists.remove(&key);
                return None;
            }
            list.first = link.next;
        }
    }

    fn left(&self) -> impl Iterator<Item = u32> + '_ {
        self.entries.iter().copied().filter(|&id| id != NONE)
    }
}

/// Matches receives with messages.
#[derive(Clone, Debug)]
pub(crate) struct Matching {
    posted: Side,
    arrived: Side,
    /// Per rank: the patterns of its receives, and of the messages to it.
    patterns: Vec<(Patterns, Patterns)>,
}

impl Matching {
    pub(crate) fn new(goal: &Goal) -> Self {
        let mut patterns = vec![(0, 0); goal.ranks()];
        for rank in 0..goal.ranks() {
            for id in goal.of_rank(rank) {
                let Operation { action, peer, tag, .. } = goal.operations()[id as usize];
                match action {
                    Action::Send => patterns[peer as usize].1 |= 1 << pattern(0, tag),
                    Action::Receive => patterns[rank].0 |= 1 << pattern(peer, tag),
                    Action::Compute => {}
                }
            }
        }
        Self { posted: Side::default(), arrived: Side::default(), patterns }
    }

    /// `rank` posts receive `id`: the message that it takes, if one is there.
    pub(crate) fn post(&mut self, id: u32, rank: u32, operation: &Operation) -> Option<u32> {
        let (name, (_, messages)) = ((operation.peer, operation.tag), self.patterns[rank as usize]);
        let message = self.arrived.take(rank, name, messages);
        if message.is_none() {
            self.posted.add(id, rank, name, messages);
        }
        message
    }

    /// Message `id` from `source` arrives at its peer: the receive that takes it, if one is posted.
    pub(crate) fn arrive(&mut self, id: u32, source: u32, operation: &Operation) -> Option<u32> {
        let (rank, name) = (operation.peer, (source, operation.tag));
        let (receives, _) = self.patterns[rank as usize];
        let receive = self.posted.take(rank, name, receives);
        if receive.is_none() {
            self.arrived.add(id, rank, name, receives);
        }
        receive
    }

    /// The receives and messages that nobody has matched; none if all are.
    pub(crate) fn unmatched(&self, goal: &Goal) -> Option<GoalViolation> {
        let receives = self.posted.left().map(|id| (id, "nobody sends it a message that fits"));
        let messages = self.arrived.left().map(|id| (id, "nobody receives its message"));
        let mut unmatched: Vec<(u32, &str)> = receives.chain(messages).collect();
        unmatched.sort_unstable();
        GoalViolation::of(unmatched.into_iter().map(|(id, why)| format!("{}: {why}", goal.in_words(id))))
    }
}

/// Entries and links are as many as operations, a few times at most.
fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(NONE)
}
