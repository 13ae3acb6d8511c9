//! The queue of future events.
//!
//! Both queues here pop events in the order of (time, kind, number), whatever the order in which they were pushed: that
//! total order is a contract, and every result that depends on ties rests on it. They know nothing of what an event
//! does.
//!
//! [`RingQueue`] is the one the engines use: two rings of buckets and a heap for what lies beyond both.
//!
//! ```text
//!   now                       now + 1024            now + 1 M
//!    |-- inner ring ------------|-- outer ring --------|-- overflow heap ...
//!    | 1024 buckets of 1 tick   | 1024 of 1024 ticks    |
//! ```
//!
//! An event in a ring is one 64-bit word. A bucket of the inner ring is sorted when its tick begins; the buckets of
//! simultaneous headers arrive as a few sorted runs, which the sort merges in linear time.
//!
//! As long as few events lie ahead, as in short runs, they are kept in one sorted list instead, which costs less than to
//! go from bucket to bucket.
//!
//! [`HeapQueue`] is the reference: a binary heap.

use crate::units::Ticks;
use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What an event is about; the order of the variants is the order at equal times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Kind {
    /// A flit or a whole message has arrived.
    Deliver = 0,
    /// A program is to be told of this tick.
    Timer = 1,
    /// A channel that has waiters is released.
    Wake = 2,
    /// A header asks for its next channel.
    Request = 3,
}

/// An event: at `time`, something of `kind` happens to `number`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct QueuedEvent {
    /// When.
    pub time: Ticks,
    /// What.
    pub kind: Kind,
    /// To which message or channel, or what a program calls it.
    pub number: u32,
}

/// A queue of future events.
pub trait EventQueue: Default {
    /// Adds `event`, which must not lie before the last event popped, nor before the tick through which events have last been
    /// popped while there were later ones.
    fn push(&mut self, event: QueuedEvent);

    /// Removes and returns the smallest event by (time, kind, number), if it does not lie after tick `last`.
    fn pop_through(&mut self, last: Ticks) -> Option<QueuedEvent>;

    /// Removes and returns the smallest event by (time, kind, number).
    #[inline]
    fn pop(&mut self) -> Option<QueuedEvent> {
        self.pop_through(Ticks::MAX)
    }

    /// The tick of the smallest event.
    fn next_time(&self) -> Option<Ticks>;

    /// Events that are about to be popped, each at most once: their handler may fetch what they touch from
    /// memory all at once instead of one after the other. A queue need not announce anything.
    fn announce(&mut self) -> impl Iterator<Item = QueuedEvent> {
        std::iter::empty()
    }
}

/// A binary heap: the reference.
#[derive(Debug, Default)]
pub struct HeapQueue {
    heap: BinaryHeap<Reverse<QueuedEvent>>,
}

impl HeapQueue {
    /// Removes and returns the smallest event if `is_due` accepts it.
    pub(crate) fn pop_if(&mut self, is_due: impl FnOnce(&QueuedEvent) -> bool) -> Option<QueuedEvent> {
        let Reverse(event) = self.heap.peek()?;
        if is_due(event) { self.pop() } else { None }
    }
}

impl EventQueue for HeapQueue {
    fn push(&mut self, event: QueuedEvent) {
        self.heap.push(Reverse(event));
    }

    fn pop_through(&mut self, last: Ticks) -> Option<QueuedEvent> {
        let is_later = |Reverse(event): &Reverse<QueuedEvent>| event.time > last;
        if self.heap.peek().is_some_and(is_later) {
            return None;
        }
        self.heap.pop().map(|Reverse(event)| event)
    }

    fn next_time(&self) -> Option<Ticks> {
        self.heap.peek().map(|Reverse(event)| event.time)
    }
}

/// How many events are announced at a time: enough to keep a processor's outstanding loads busy.
const ANNOUNCED: usize = 64;

const INNER_BITS: u32 = 10;
const OUTER_BITS: u32 = 10;
const INNER: u64 = 1 << INNER_BITS;
const OUTER: u64 = 1 << OUTER_BITS;

/// Where the kind lies in a packed event; below it the number, above it the tick within an outer bucket.
const KIND_SHIFT: u32 = 32;
const TICK_SHIFT: u32 = 34;

fn pack(event: QueuedEvent) -> u64 {
    (event.time.0 % INNER) << TICK_SHIFT | (event.kind as u64) << KIND_SHIFT | u64::from(event.number)
}

fn unpack(window: u64, word: u64) -> QueuedEvent {
    let kind = match word >> KIND_SHIFT & 3 {
        0 => Kind::Deliver,
        1 => Kind::Timer,
        2 => Kind::Wake,
        _ => Kind::Request,
    };
    let time = Ticks(window * INNER + (word >> TICK_SHIFT));
    #[expect(clippy::cast_possible_truncation, reason = "the number is the low half of the word")]
    QueuedEvent { time, kind, number: word as u32 }
}

/// How many events are kept in a sorted list.
const FEW: usize = 24;

/// `event` as a number: the order of these is that of events.
fn rank(event: QueuedEvent) -> u128 {
    u128::from(event.time.0) << 64 | u128::from((event.kind as u64) << KIND_SHIFT | u64::from(event.number))
}

/// The event of a rank.
#[expect(clippy::cast_possible_truncation, reason = "the time is the high half of the rank")]
fn ranked(rank: u128) -> QueuedEvent {
    let time = Ticks((rank >> 64) as u64);
    QueuedEvent { time, ..unpack(0, rank as u64) }
}

/// Two rings of buckets with an overflow heap (see the module's text).
#[derive(Debug)]
pub struct RingQueue {
    /// All events, the next one last, as long as there are no more than [`FEW`]; afterwards the rings have them.
    few: Vec<u128>,
    in_rings: bool,
    /// The tick being popped: its events in order, how many are popped, and those pushed since it began.
    current: Vec<u64>,
    popped: usize,
    announced: usize,
    late: BinaryHeap<Reverse<u64>>,
    /// The tick being popped; its high part is the window that the inner ring covers.
    now: u64,
    inner: Ring,
    outer: Ring,
    overflow: BinaryHeap<Reverse<QueuedEvent>>,
    /// Emptied buckets, kept so that a few buffers, warm in the cache, serve all buckets.
    spare: Vec<Vec<u64>>,
}

thread_local! {
    /// The buckets of a queue that this thread has run empty: short runs take longer to make them than to use them.
    static EMPTIED: Cell<Option<Buckets>> = const { Cell::new(None) };
}

/// What is worth keeping of an empty queue.
struct Buckets {
    inner: Ring,
    outer: Ring,
    spare: Vec<Vec<u64>>,
}

/// A queue keeps no more than so many buffers for the next one.
const KEPT: usize = 64;

impl Default for RingQueue {
    fn default() -> Self {
        let fresh = || Buckets { inner: Ring::new(INNER), outer: Ring::new(OUTER), spare: Vec::new() };
        let Buckets { inner, outer, spare } = EMPTIED.take().unwrap_or_else(fresh);
        Self {
            few: Vec::with_capacity(FEW),
            in_rings: false,
            current: Vec::new(),
            popped: 0,
            announced: 0,
            late: BinaryHeap::new(),
            now: 0,
            inner,
            outer,
            overflow: BinaryHeap::new(),
            spare,
        }
    }
}

impl Drop for RingQueue {
    /// Leaves its buckets to the next queue of this thread, unless a run that stopped early has left events in them.
    fn drop(&mut self) {
        if self.inner.is_empty() && self.outer.is_empty() {
            let [inner, outer] = [&mut self.inner, &mut self.outer].map(std::mem::take);
            let mut spare = std::mem::take(&mut self.spare);
            spare.truncate(KEPT);
            spare.retain(|buffer| buffer.capacity() <= KEPT);
            EMPTIED.set(Some(Buckets { inner, outer, spare }));
        }
    }
}

impl EventQueue for RingQueue {
    #[inline]
    fn push(&mut self, event: QueuedEvent) {
        if !self.in_rings {
            return self.push_to_few(event);
        }
        let time = event.time.0;
        debug_assert!(time >= self.now, "an event in the past");
        let window = time / INNER;
        let ahead = window - self.now / INNER;
        if ahead == 0 {
            if time == self.now {
                self.late.push(Reverse(pack(event)));
            } else {
                self.inner.push(time % INNER, pack(event), &mut self.spare);
            }
        } else if ahead < OUTER {
            self.outer.push(window % OUTER, pack(event), &mut self.spare);
        } else {
            self.overflow.push(Reverse(event));
        }
    }

    /// Compares ticks only where a new one begins: all events of the tick being popped lie in it.
    #[inline]
    fn pop_through(&mut self, last: Ticks) -> Option<QueuedEvent> {
        loop {
            let next = self.current.get(self.popped).copied();
            let late = self.late.peek().map(|&Reverse(word)| word);
            let word = match (next, late) {
                (Some(next), Some(late)) if late < next => self.late.pop().map(|Reverse(word)| word),
                (Some(_), _) => {
                    self.popped += 1;
                    next
                }
                (None, Some(_)) => self.late.pop().map(|Reverse(word)| word),
                (None, None) => None,
            };
            if let Some(word) = word {
                return Some(unpack(self.now / INNER, word));
            }
            if !self.in_rings {
                let event = ranked(*self.few.last()?);
                if event.time > last {
                    return None;
                }
                self.few.pop();
                return Some(event);
            }
            if !self.begin_next_tick(last) {
                return None;
            }
        }
    }

    fn next_time(&self) -> Option<Ticks> {
        if self.popped < self.current.len() || !self.late.is_empty() {
            return Some(Ticks(self.now));
        }
        if !self.in_rings {
            return self.few.last().map(|&rank| ranked(rank).time);
        }
        match self.inner.next(self.now % INNER) {
            Some(tick) => Some(Ticks(self.now / INNER * INNER + tick)),
            None => self.next_beyond_inner(),
        }
    }

    #[inline]
    fn announce(&mut self) -> impl Iterator<Item = QueuedEvent> {
        let first = self.announced;
        if self.popped > first {
            self.announced = self.current.len().min(first + ANNOUNCED);
        }
        let window = self.now / INNER;
        self.current[first..self.announced].iter().map(move |&word| unpack(window, word))
    }
}

impl RingQueue {
    /// Adds `event` to the sorted list, or moves all events to the rings if they are no longer few.
    fn push_to_few(&mut self, event: QueuedEvent) {
        if self.few.len() < FEW {
            let rank = rank(event);
            let later = self.few.iter().rposition(|&other| other > rank);
            self.few.insert(later.map_or(0, |last| last + 1), rank);
            return;
        }
        self.in_rings = true;
        for rank in std::mem::take(&mut self.few) {
            self.push(ranked(rank));
        }
        self.push(event);
    }

    /// The tick of the smallest event beyond the window that the inner ring covers.
    fn next_beyond_inner(&self) -> Option<Ticks> {
        let in_ring = self.next_window_of_outer().map(|window| {
            let ticks = self.outer.buckets[Self::bucket_of(window)].iter().map(|word| word >> TICK_SHIFT);
            Ticks(window * INNER + ticks.min().unwrap_or(0))
        });
        let in_overflow = self.overflow.peek().map(|Reverse(event)| event.time);
        in_ring.into_iter().chain(in_overflow).min()
    }

    /// The window of the first bucket of the outer ring that is not empty.
    fn next_window_of_outer(&self) -> Option<u64> {
        let window = self.now / INNER;
        self.outer.next_after(window % OUTER).map(|bucket| {
            let ahead = (bucket + OUTER - window % OUTER) % OUTER;
            window + ahead
        })
    }

    fn bucket_of(window: u64) -> usize {
        (window % OUTER) as usize
    }

    /// Moves to the next tick that has events, if it does not lie after tick `last`; false if not.
    fn begin_next_tick(&mut self, last: Ticks) -> bool {
        loop {
            if let Some(tick) = self.inner.next(self.now % INNER) {
                let tick = self.now / INNER * INNER + tick;
                if tick > last.0 {
                    return false;
                }
                self.now = tick;
                let mut emptied = std::mem::replace(&mut self.current, self.inner.take(tick % INNER));
                self.popped = 0;
                self.announced = 0;
                self.current.sort();
                if emptied.capacity() > 0 {
                    emptied.clear();
                    self.spare.push(emptied);
                }
                return true;
            }
            if !self.open_next_window(last) {
                return false;
            }
        }
    }

    /// Moves the inner ring to the next window that has events, if it does not begin after tick `last`, and spreads that window
    /// over it; false if not.
    fn open_next_window(&mut self, last: Ticks) -> bool {
        let in_overflow = self.overflow.peek().map(|Reverse(event)| event.time.0 / INNER);
        let windows = self.next_window_of_outer().into_iter().chain(in_overflow);
        // a window that begins later stays closed: events that are pushed until then may lie before it
        let Some(next) = windows.min().filter(|window| window * INNER <= last.0) else {
            return false;
        };
        self.now = next * INNER;
        let mut bucket = self.outer.take(next % OUTER);
        for word in bucket.drain(..) {
            self.inner.push(word >> TICK_SHIFT, word, &mut self.spare);
        }
        if bucket.capacity() > 0 {
            self.spare.push(bucket);
        }
        while let Some(&Reverse(event)) = self.overflow.peek() {
            let window = event.time.0 / INNER;
            if window >= next + OUTER {
                break;
            }
            self.overflow.pop();
            if window == next {
                self.inner.push(event.time.0 % INNER, pack(event), &mut self.spare);
            } else {
                self.outer.push(window % OUTER, pack(event), &mut self.spare);
            }
        }
        true
    }
}

/// Buckets in a ring, with a bit for each that is not empty.
#[derive(Debug, Default)]
struct Ring {
    buckets: Vec<Vec<u64>>,
    occupied: Vec<u64>,
}

impl Ring {
    fn new(size: u64) -> Self {
        Self { buckets: (0..size).map(|_| Vec::new()).collect(), occupied: (0..size / 64).map(|_| 0).collect() }
    }

    fn is_empty(&self) -> bool {
        self.occupied.iter().all(|&word| word == 0)
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "a ring has a few thousand buckets")]
    fn push(&mut self, bucket: u64, word: u64, spare: &mut Vec<Vec<u64>>) {
        let at = bucket as usize;
        let events = &mut self.buckets[at];
        if events.is_empty() {
            self.occupied[at / 64] |= 1 << (at % 64);
            if events.capacity() == 0 {
                *events = spare.pop().unwrap_or_default();
            }
        }
        events.push(word);
    }

    #[expect(clippy::cast_possible_truncation, reason = "a ring has a few thousand buckets")]
    fn take(&mut self, bucket: u64) -> Vec<u64> {
        let at = bucket as usize;
        self.occupied[at / 64] &= !(1 << (at % 64));
        std::mem::take(&mut self.buckets[at])
    }

    /// The first bucket at or after `from` that is not empty, without going round.
    fn next(&self, from: u64) -> Option<u64> {
        let first = (from / 64) as usize;
        let mut word = self.occupied[first] & (u64::MAX << (from % 64));
        let mut at = first;
        while word == 0 {
            at += 1;
            word = *self.occupied.get(at)?;
        }
        Some(at as u64 * 64 + u64::from(word.trailing_zeros()))
    }

    /// The first bucket after `from`, going round, that is not empty; `from` itself is empty.
    fn next_after(&self, from: u64) -> Option<u64> {
        self.next(from).or_else(|| self.next(0))
    }
}

#[cfg(test)]
mod tests;
