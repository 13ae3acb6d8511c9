//! Which receive takes which message: the first posted that fits, or the first arrived.
//!
//! A receive and a message fit if source and tag are equal or any. Few who wait at a rank are searched through; many
//! are kept in lists under every key that the other side's wildcards can ask for, so that a match takes constant time
//! whatever waits.

use super::stuck::{Left, faults};
use super::{ANY, Action, Goal, GoalViolation, Operation, number};
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

/// So many wait at a rank in one list, which is searched; with more they are put in lists by key.
const SEARCHED: u32 = 8;
/// Instead of a count: those who wait at the rank are in lists by key.
const BY_KEY: u32 = u32::MAX;

/// Receives that are posted, or messages that no receive has asked for yet: by rank, in order.
#[derive(Clone, Debug, Default)]
struct Side {
    /// Per rank: those who wait.
    waiting: Vec<Waiting>,
    /// All that ever waited.
    entries: Vec<Entry>,
    lists: FxHashMap<Key, List>,
    links: Vec<Link>,
}

#[derive(Clone, Copy, Debug)]
struct Waiting {
    list: List,
    count: u32,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    /// The operation, or `NONE` once it is taken.
    id: u32,
    source: u32,
    tag: u32,
    next: u32,
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
    fn new(ranks: usize) -> Self {
        let empty = Waiting { list: List { first: NONE, last: NONE }, count: 0 };
        Self { waiting: vec![empty; ranks], ..Self::default() }
    }

    /// Adds `id` of `rank`, for those who may ask with one of the patterns `asking`.
    fn add(&mut self, id: u32, rank: u32, (source, tag): (u32, u32), asking: Patterns) {
        let entry = number(self.entries.len());
        self.entries.push(Entry { id, source, tag, next: NONE });
        let Waiting { list, count } = &mut self.waiting[rank as usize];
        if *count < SEARCHED {
            if *count == 0 {
                list.first = entry;
            } else {
                self.entries[list.last as usize].next = entry;
            }
            list.last = entry;
            *count += 1;
            return;
        }
        if std::mem::replace(count, BY_KEY) != BY_KEY {
            let mut at = list.first;
            while at != NONE {
                self.file(at, rank, asking);
                at = self.entries[at as usize].next;
            }
        }
        self.file(entry, rank, asking);
    }

    /// Takes the first that fits out, among entries of the patterns `present`.
    fn take(&mut self, rank: u32, name: (u32, u32), present: Patterns) -> Option<u32> {
        if self.waiting[rank as usize].count != BY_KEY {
            return self.search(rank, name);
        }
        let own = pattern(name.0, name.1);
        let fronts = members(present).map(|pattern| Key::new(rank, name, pattern, own));
        let mut first = NONE;
        for key in fronts {
            first = first.min(self.front(key).unwrap_or(NONE));
        }
        let entry = self.entries.get_mut(first as usize)?;
        Some(std::mem::replace(&mut entry.id, NONE))
    }

    /// Takes the first that fits out of the one list of a rank.
    fn search(&mut self, rank: u32, (source, tag): (u32, u32)) -> Option<u32> {
        let fits = |a: u32, b: u32| a == b || a == ANY || b == ANY;
        let Waiting { list, count } = &mut self.waiting[rank as usize];
        let (mut before, mut at) = (NONE, if *count == 0 { NONE } else { list.first });
        loop {
            let entry = *self.entries.get(at as usize)?;
            if fits(entry.source, source) && fits(entry.tag, tag) {
                self.entries[at as usize].id = NONE;
                if before == NONE {
                    list.first = entry.next;
                } else {
                    self.entries[before as usize].next = entry.next;
                }
                if list.last == at {
                    list.last = before;
                }
                *count -= 1;
                return Some(entry.id);
            }
            (before, at) = (at, entry.next);
        }
    }

    /// Puts an entry of `rank` in the lists of every key by which those may ask who ask with a pattern of `asking`.
    fn file(&mut self, entry: u32, rank: u32, asking: Patterns) {
        let Entry { source, tag, .. } = self.entries[entry as usize];
        let own = pattern(source, tag);
        let mut filed = 0_u8; // lists by what either side leaves open
        for pattern in members(asking) {
            let either = own | pattern;
            if filed >> either & 1 == 1 {
                continue;
            }
            filed |= 1 << either;
            let link = number(self.links.len());
            self.links.push(Link { entry, next: NONE });
            let key = Key::new(rank, (source, tag), own, pattern);
            let list = self.lists.entry(key).or_insert(List { first: link, last: link });
            if list.last != link {
                self.links[list.last as usize].next = link;
                list.last = link;
            }
        }
    }

    /// The first entry of a list that is not taken; those before it are dropped.
    fn front(&mut self, key: Key) -> Option<u32> {
        let list = self.lists.get_mut(&key)?;
        loop {
            let link = self.links[list.first as usize];
            if self.entries[link.entry as usize].id != NONE {
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
        self.entries.iter().map(|entry| entry.id).filter(|&id| id != NONE)
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
        Self { posted: Side::new(goal.ranks()), arrived: Side::new(goal.ranks()), patterns }
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

    /// Looks at what waits at `rank`, so that it is in the cache when it is asked for.
    pub(crate) fn touch(&self, rank: u32) -> u64 {
        let first = self.posted.waiting[rank as usize].list.first;
        self.posted.entries.get(first as usize).map_or(0, |entry| entry.id.into())
    }

    /// What is wrong with `goal` where receives and messages are left without a match; none if all have one. A send of
    /// more than `eager` bytes has waited for its receive.
    pub(crate) fn unmatched(&self, goal: &Goal, eager: u64) -> Option<GoalViolation> {
        let sorted = |side: &Side| {
            let mut left: Vec<u32> = side.left().collect();
            left.sort_unstable();
            left
        };
        let left = Left { receives: sorted(&self.posted), sends: sorted(&self.arrived), eager };
        GoalViolation::first_of(faults(goal, &left).into_iter())
    }
}
