//! Which receive takes which message: the first posted that fits, or the first arrived.
//!
//! A receive and a message fit if source and tag are equal or any. Few who wait at a rank are searched through; many
//! are kept in lists under every key that the other side's wildcards can ask for, so that a match takes constant time
//! whatever waits.
//!
//! Who waits is known by the number of its operation, which says its source and tag, but for the source of a message.
//! A rank at which one operation waits, as mostly, is one place in memory.

use super::stuck::{Left, faults};
use super::{ANY, ANY_TAG, Action, Goal, GoalViolation, Operation, number};
use rustc_hash::FxHashMap;

const NONE: u32 = u32::MAX;
/// Instead of who is next: it is in lists by key, and has been taken out.
const TAKEN: u32 = u32::MAX - 1;

/// Which of source and tag are wildcards, as two bits.
type Pattern = u8;

/// Sets of patterns, a bit each.
type Patterns = u8;

/// What sends and receives find each other by.
#[derive(Clone, Copy, Debug)]
struct Name {
    source: u32,
    tag: u64,
}

impl Name {
    fn pattern(self) -> Pattern {
        u8::from(self.source == ANY) | u8::from(self.tag == ANY_TAG) << 1
    }

    #[inline]
    fn fits(self, other: Self) -> bool {
        fits(self.source, other.source, ANY) && fits(self.tag, other.tag, ANY_TAG)
    }
}

/// True if two sources or tags are equal, or one of them is `any`.
#[inline]
pub(super) fn fits<T: PartialEq>(one: T, other: T, any: T) -> bool {
    one == other || one == any || other == any
}

fn members(patterns: Patterns) -> impl Iterator<Item = Pattern> {
    (0..4).filter(move |pattern| patterns >> pattern & 1 == 1)
}

/// So many wait at a rank in one list, which is searched; with more they are put in lists by key.
const SEARCHED: u8 = 8;
/// Instead of a count: those who wait at the rank are in lists by key.
const BY_KEY: u8 = u8::MAX;

/// Who waits: receives that are posted, or messages that no receive has asked for yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Posted = 0,
    Arrived = 1,
}

/// Who waits at a rank, by side.
#[derive(Clone, Copy, Debug)]
struct AtRank {
    queues: [Queue; 2],
    counts: [u8; 2],
    /// Which patterns its receives have, and the messages to it.
    patterns: [Patterns; 2],
}

/// A list in the order in which they came; nothing if none waits.
#[derive(Clone, Copy, Debug)]
struct Queue {
    first: u32,
    last: u32,
}

/// An operation that waits.
#[derive(Clone, Copy, Debug, Default)]
struct Waiting {
    /// Who came behind it, if any.
    next: u32,
    /// Of a message: its source.
    source: u32,
}

/// Who keeps a list: the rank, the patterns of its entries and of those who ask, and what both have to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Key {
    rank: u32,
    source: u32,
    tag: u64,
    patterns: u16,
}

impl Key {
    /// Where entries of pattern `entry` wait for those who ask with pattern `asking`.
    fn new(rank: u32, name: Name, entry: Pattern, asking: Pattern) -> Self {
        let either = entry | asking;
        let patterns = u16::from(entry) << 2 | u16::from(either);
        let source = if either & 1 != 0 { ANY } else { name.source };
        let tag = if either & 2 != 0 { ANY_TAG } else { name.tag };
        Self { rank, source, tag, patterns }
    }
}

/// Lists by key, of one side.
#[derive(Clone, Debug, Default)]
struct Keyed {
    /// Per key: the first and the last link.
    lists: FxHashMap<Key, Queue>,
    /// In the order in which they were filed, which is that in which the operations came.
    links: Vec<Link>,
}

#[derive(Clone, Copy, Debug)]
struct Link {
    id: u32,
    next: u32,
}

impl Keyed {
    /// Puts operation `id` in the lists of every key by which those may ask who ask with a pattern of `asking`.
    fn file(&mut self, id: u32, rank: u32, name: Name, asking: Patterns) {
        let own = name.pattern();
        let mut filed = 0_u8; // lists by what either side leaves open
        for pattern in members(asking) {
            let either = own | pattern;
            if filed >> either & 1 == 1 {
                continue;
            }
            filed |= 1 << either;
            let link = number(self.links.len());
            self.links.push(Link { id, next: NONE });
            let list =
                self.lists.entry(Key::new(rank, name, own, pattern)).or_insert(Queue { first: link, last: link });
            if list.last != link {
                self.links[list.last as usize].next = link;
                list.last = link;
            }
        }
    }

    /// The first link of a list whose operation is not taken; those before it are dropped.
    fn front(&mut self, key: Key, waiting: &[Waiting]) -> Option<u32> {
        let list = self.lists.get_mut(&key)?;
        loop {
            let link = self.links[list.first as usize];
            if waiting[link.id as usize].next != TAKEN {
                return Some(list.first);
            }
            if link.next == NONE {
                self.lists.remove(&key);
                return None;
            }
            list.first = link.next;
        }
    }
}

/// Matches receives with messages.
#[derive(Clone, Debug)]
pub(crate) struct Matching<'a> {
    operations: &'a [Operation],
    ranks: Vec<AtRank>,
    /// Per operation; only that of those that wait means anything.
    waiting: Vec<Waiting>,
    keyed: [Keyed; 2],
    /// How many wait, on both sides and at all ranks.
    count: usize,
}

/// Notes which patterns the receives of each rank have, and the messages to it.
fn note_patterns(goal: &Goal, ranks: &mut [AtRank]) {
    for rank in 0..goal.ranks() {
        for &Operation { action, peer, tag, .. } in goal.operations_of(rank) {
            let (at, side, source) = match action {
                Action::Send => (peer as usize, Side::Arrived, 0),
                Action::Receive => (rank, Side::Posted, peer),
                Action::Compute => continue,
            };
            ranks[at].patterns[side as usize] |= 1 << Name { source, tag }.pattern();
        }
    }
}

impl<'a> Matching<'a> {
    pub(crate) fn new(goal: &'a Goal) -> Self {
        let queues = [Queue { first: NONE, last: NONE }; 2];
        let exact = 1 << Name { source: 0, tag: 0 }.pattern();
        let mut ranks = vec![AtRank { queues, counts: [0; 2], patterns: [exact; 2] }; goal.ranks()];
        if goal.survey.has_wildcards {
            note_patterns(goal, &mut ranks);
        }
        let operations = goal.operations();
        let waiting = vec![Waiting::default(); operations.len()];
        Self { operations, ranks, waiting, keyed: Default::default(), count: 0 }
    }

    /// `rank` posts receive `id`: the message that it takes, if one is there.
    #[inline]
    pub(crate) fn post(&mut self, id: u32, rank: u32) -> Option<u32> {
        let Operation { peer, tag, .. } = self.operations[id as usize];
        let name = Name { source: peer, tag };
        let message = self.take(Side::Arrived, rank, name);
        if message.is_none() {
            self.add(Side::Posted, id, rank);
        }
        message
    }

    /// `rank` posts receive `id` before any message has arrived.
    #[inline]
    pub(crate) fn post_first(&mut self, id: u32, rank: u32) {
        self.add(Side::Posted, id, rank);
    }

    /// The message of send `id` of rank `source` arrives at `rank`: the receive that takes it, if one is posted.
    #[inline]
    pub(crate) fn arrive(&mut self, id: u32, source: u32, rank: u32, tag: u64) -> Option<u32> {
        let receive = self.take(Side::Posted, rank, Name { source, tag });
        if receive.is_none() {
            self.waiting[id as usize].source = source;
            self.add(Side::Arrived, id, rank);
        }
        receive
    }

    /// The source of message `id`, which [`post`](Self::post) has given.
    #[inline]
    pub(crate) fn source(&self, id: u32) -> u32 {
        self.waiting[id as usize].source
    }

    /// Looks at who waits at `rank`, so that it is in the cache when it is asked for.
    #[inline]
    pub(crate) fn touch(&self, rank: u32) -> u64 {
        self.ranks[rank as usize].counts[0].into()
    }

    /// The receive that `rank` has posted first of those that wait, if it is easy to tell: to have it in the cache when it is
    /// asked for.
    #[inline]
    pub(crate) fn first_posted(&self, rank: u32) -> Option<u32> {
        let AtRank { queues, counts, .. } = &self.ranks[rank as usize];
        (counts[Side::Posted as usize] > 0).then_some(queues[Side::Posted as usize].first)
    }

    fn name(&self, side: Side, id: u32) -> Name {
        let Operation { peer, tag, .. } = self.operations[id as usize];
        match side {
            Side::Posted => Name { source: peer, tag },
            Side::Arrived => Name { source: self.waiting[id as usize].source, tag },
        }
    }

    /// Adds operation `id` to those that wait at `rank`.
    #[inline]
    fn add(&mut self, side: Side, id: u32, rank: u32) {
        self.count += 1;
        let at = &mut self.ranks[rank as usize];
        let count = &mut at.counts[side as usize];
        if *count >= SEARCHED {
            return self.add_by_key(side, id, rank);
        }
        let queue = &mut at.queues[side as usize];
        if *count == 0 {
            queue.first = id;
        } else {
            self.waiting[queue.last as usize].next = id;
        }
        queue.last = id;
        *count += 1;
    }

    /// The same where many wait.
    fn add_by_key(&mut self, side: Side, id: u32, rank: u32) {
        let at = &mut self.ranks[rank as usize];
        let asking = at.patterns[1 - side as usize];
        let count = std::mem::replace(&mut at.counts[side as usize], BY_KEY);
        let mut before = at.queues[side as usize].first;
        if count != BY_KEY {
            for _ in 0..count {
                let name = self.name(side, before);
                self.keyed[side as usize].file(before, rank, name, asking);
                before = std::mem::replace(&mut self.waiting[before as usize].next, NONE);
            }
        }
        self.waiting[id as usize].next = NONE;
        let name = self.name(side, id);
        self.keyed[side as usize].file(id, rank, name, asking);
    }

    /// Takes the first that fits out of those that wait at `rank`.
    #[inline]
    fn take(&mut self, side: Side, rank: u32, name: Name) -> Option<u32> {
        let taken = match self.ranks[rank as usize].counts[side as usize] {
            0 => None,
            BY_KEY => self.take_by_key(side, rank, name),
            count => self.search(side, rank, name, count),
        };
        self.count -= usize::from(taken.is_some());
        taken
    }

    /// Takes the first that fits out of a list of `count`.
    #[inline]
    fn search(&mut self, side: Side, rank: u32, name: Name, count: u8) -> Option<u32> {
        let mut before = NONE;
        let mut id = self.ranks[rank as usize].queues[side as usize].first;
        for left in (0..count).rev() {
            // the last one has nothing behind it, and says nothing of it
            let next = if left > 0 { self.waiting[id as usize].next } else { NONE };
            if self.name(side, id).fits(name) {
                let at = &mut self.ranks[rank as usize];
                at.counts[side as usize] -= 1;
                let queue = &mut at.queues[side as usize];
                if left == 0 {
                    queue.last = before;
                }
                if before == NONE {
                    queue.first = next;
                } else {
                    self.waiting[before as usize].next = next;
                }
                return Some(id);
            }
            before = id;
            id = next;
        }
        None
    }

    fn take_by_key(&mut self, side: Side, rank: u32, name: Name) -> Option<u32> {
        let own = name.pattern();
        let mut first = NONE;
        for pattern in members(self.ranks[rank as usize].patterns[side as usize]) {
            let key = Key::new(rank, name, pattern, own);
            first = first.min(self.keyed[side as usize].front(key, &self.waiting).unwrap_or(NONE));
        }
        let id = self.keyed[side as usize].links.get(first as usize)?.id;
        self.waiting[id as usize].next = TAKEN;
        Some(id)
    }

    /// Who waits on a side, by number.
    fn left(&self, side: Side) -> Vec<u32> {
        let mut left = Vec::new();
        for at in &self.ranks {
            let count = at.counts[side as usize];
            let mut id = at.queues[side as usize].first;
            for _ in 0..if count == BY_KEY { 0 } else { count } {
                left.push(id);
                id = self.waiting[id as usize].next;
            }
        }
        let links = self.keyed[side as usize].links.iter().map(|link| link.id);
        left.extend(links.filter(|&id| self.waiting[id as usize].next != TAKEN));
        left.sort_unstable();
        left.dedup();
        left
    }

    /// What is wrong with `goal` where receives and messages are left without a match; none if all have one. A send of
    /// more than `eager` bytes has waited for its receive.
    pub(crate) fn unmatched(&self, goal: &Goal, eager: u64) -> Option<GoalViolation> {
        if self.count == 0 {
            return None;
        }
        let left = Left { receives: self.left(Side::Posted), sends: self.left(Side::Arrived), eager };
        GoalViolation::first_of(faults(goal, &left).into_iter())
    }
}
