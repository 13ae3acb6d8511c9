//! GOAL in binary: what the classic converter makes of text. Little-endian and packed.
//!
//! ```text
//!   u64 magic = 4223
//!   from here offsets are counted:  u32 ranks, u8 largest cpu, u8 largest nic, ranks x (u64 start, u64 end)
//!   at a rank's start:              u32 operations, u32 roots, roots x u32,
//!                                   operations x 39 bytes, dependents (u32 each)
//!   an operation:                   u32 dependencies, u8 type, u32 peer, u64 size, u32 tag, u8 cpu, u8 nic,
//!                                   u32 count and u32 first of those that wait for its end, the same for its start
//! ```
//!
//! Tags have 32 bits, all set for any tag. Longer ones are not written: the classic converter cuts them off without a word.

use super::builder::Survey;
use super::dependents::{Dependents, Moment};
use super::text::GoalError;
use super::{ANY_TAG, Action, Goal, Operation, number};
use crate::cancel::Pace;
use std::io::{self, Write};

const MAGIC: u64 = 4223;
/// What a simulator leaves in a file that it has used up.
const SPOILED: u64 = 2342;

/// The byte from which offsets are counted.
const BASE: usize = 8;
const RECORD: usize = 39;

/// Reads numbers one after the other; what is not there is an error.
struct Bytes<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Bytes<'a> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], GoalError> {
        let there = self.bytes.get(self.at..).and_then(|rest| rest.first_chunk::<N>());
        let there = there.ok_or_else(|| self.error("the file ends too early"))?;
        self.at += N;
        Ok(*there)
    }

    fn u32(&mut self) -> Result<u32, GoalError> {
        self.take().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Result<u64, GoalError> {
        self.take().map(u64::from_le_bytes)
    }

    fn error(&self, message: &str) -> GoalError {
        let message = format!("byte {}: {message}", self.at);
        GoalError { line: 0, column: self.at + 1, span: 0..0, message, first: None }
    }

    /// A part of the file from byte `at` on, counted from [`BASE`].
    fn part(&self, at: u64) -> Result<Self, GoalError> {
        let at = usize::try_from(at).ok().and_then(|at| at.checked_add(BASE));
        let at = at.filter(|&at| at <= self.bytes.len());
        at.map(|at| Self { bytes: self.bytes, at })
            .ok_or_else(|| self.error("a rank begins beyond the end of the file"))
    }

    fn left(&self) -> usize {
        self.bytes.len() - self.at
    }
}

impl Goal {
    /// Whether `bytes` begin like the binary form.
    pub(crate) fn is_binary(bytes: &[u8]) -> bool {
        bytes.first_chunk().is_some_and(|first| [MAGIC, SPOILED].contains(&u64::from_le_bytes(*first)))
    }

    /// Reads the binary form.
    pub(super) fn read_binary(bytes: &[u8]) -> Result<Self, GoalError> {
        let mut header = Bytes { bytes, at: 0 };
        if header.u64()? == SPOILED {
            return Err(
                header.error("a simulator has overwritten this file (its option --save-mem); convert the text again")
            );
        }
        let ranks = header.u32()?;
        header.take::<2>()?; // the largest cpu and nic: the operations say it
        if ranks == 0 {
            return Err(header.error("the file has no ranks; at least one is required"));
        }
        if header.left() / 16 < ranks as usize {
            return Err(header.error(&format!("the file is too short for its number of ranks, {ranks}")));
        }
        let table = header.at..header.at + 16 * ranks as usize;
        let most = (bytes.len() - table.end) / RECORD;
        let mut goal = Self::of_no_ranks(ranks as usize, most);
        let mut pace = Pace::default();
        for [start, _] in bytes[table].as_chunks::<8>().0.as_chunks::<2>().0 {
            pace.step();
            read_rank(header.part(u64::from_le_bytes(*start))?, &mut goal)?;
            if goal.operations.len() > most {
                return Err(header.error("the data of ranks overlap: they list more operations than the file contains"));
            }
            goal.first.push(number(goal.operations.len()));
        }
        goal.dependents.end();
        Ok(goal)
    }

    /// No ranks yet, with room for so many and for as many operations.
    fn of_no_ranks(ranks: usize, operations: usize) -> Self {
        let mut first = Vec::with_capacity(ranks + 1);
        first.push(0);
        Self {
            first,
            operations: Vec::with_capacity(operations),
            dependents: Dependents::with_capacity(operations),
            lines: Vec::new(),
            steps: Vec::new(),
            survey: Survey::NONE,
        }
    }

    /// Writes the binary form, which the classic simulator takes too.
    ///
    /// # Errors
    /// If `output` cannot be written, or with [`io::ErrorKind::InvalidInput`] if a tag needs more than 32 bits.
    pub fn write_binary(&self, output: &mut impl Write) -> io::Result<()> {
        self.refuse_long_tags()?;
        output.write_all(&MAGIC.to_le_bytes())?;
        output.write_all(&number(self.ranks()).to_le_bytes())?;
        output.write_all(&[self.highest_cpu(), self.highest_nic()])?;
        let mut at = (4 + 2 + 16 * self.ranks()) as u64;
        for rank in 0..self.ranks() {
            output.write_all(&at.to_le_bytes())?;
            at += self.rank_bytes(rank);
            output.write_all(&at.to_le_bytes())?;
        }
        (0..self.ranks()).try_for_each(|rank| self.write_rank(rank, output))
    }

    /// Refuses tags that the form has no room for.
    fn refuse_long_tags(&self) -> io::Result<()> {
        let is_long = |&id: &u32| short_tag(self.operations[id as usize].tag).is_none();
        let long = self.survey.has_long_tags.then(|| (0..self.first[self.ranks()]).find(is_long)).flatten();
        let Some(id) = long else { return Ok(()) };
        let message = format!(
            "tags of binary GOAL have 32 bits, which is too short for {}; GOAL text has tags of 64 bits",
            self.in_words(id)
        );
        Err(io::Error::new(io::ErrorKind::InvalidInput, message))
    }

    fn roots(&self, rank: usize) -> impl Iterator<Item = u32> + '_ {
        self.of_rank(rank).filter(|&id| self.waits_of(id) == 0)
    }

    fn waiting(&self, rank: usize) -> usize {
        self.of_rank(rank).map(|id| self.dependents.both(id).len()).sum()
    }

    fn rank_bytes(&self, rank: usize) -> u64 {
        (8 + 4 * (self.roots(rank).count() + self.waiting(rank)) + RECORD * self.of_rank(rank).len()) as u64
    }

    fn write_rank(&self, rank: usize, output: &mut impl Write) -> io::Result<()> {
        let ids = self.of_rank(rank);
        let own = |id: u32| id - ids.start;
        output.write_all(&number(ids.len()).to_le_bytes())?;
        output.write_all(&number(self.roots(rank).count()).to_le_bytes())?;
        self.roots(rank).try_for_each(|id| output.write_all(&own(id).to_le_bytes()))?;
        let mut first = 0;
        for id in ids.clone() {
            let operation = &self.operations[id as usize];
            let kind = match operation.action {
                Action::Send => 1,
                Action::Receive => 2,
                Action::Compute => 3,
            };
            output.write_all(&self.waits_of(id).to_le_bytes())?;
            output.write_all(&[kind])?;
            output.write_all(&operation.peer.to_le_bytes())?;
            output.write_all(&operation.size.to_le_bytes())?;
            output.write_all(&short_tag(operation.tag).unwrap_or(SHORT_ANY).to_le_bytes())?;
            output.write_all(&[operation.cpu, operation.nic])?;
            for waiting in [self.after_finish(id), self.after_start(id)] {
                output.write_all(&number(waiting.len()).to_le_bytes())?;
                output.write_all(&number(first).to_le_bytes())?;
                first += waiting.len();
            }
        }
        for id in ids.clone() {
            self.dependents.both(id).iter().copied().try_for_each(|id| output.write_all(&own(id).to_le_bytes()))?;
        }
        Ok(())
    }
}

/// Adds the operations of the rank that begins where `bytes` are.
fn read_rank(mut bytes: Bytes<'_>, goal: &mut Goal) -> Result<(), GoalError> {
    let operations = bytes.u32()?;
    let roots = bytes.u32()?;
    bytes.at = bytes.at.saturating_add(4 * roots as usize);
    if bytes.at > bytes.bytes.len() || bytes.left() / RECORD < operations as usize {
        bytes.at = bytes.at.min(bytes.bytes.len());
        return Err(bytes.error(&format!("the file is too short for the number of operations of a rank, {operations}")));
    }
    let records = bytes.at..bytes.at + RECORD * operations as usize;
    let lists = Bytes { bytes: bytes.bytes, at: records.end };
    let mut rank = Rank { first: number(goal.operations.len()), operations, listed: lists.left() / 4, lists };
    goal.dependents.add(operations as usize);
    let mut pace = Pace::default();
    for record in bytes.bytes[records].as_chunks::<RECORD>().0 {
        pace.step();
        let Some(operation) = operation(record) else {
            bytes.at += TYPE + 1;
            return Err(bytes.error(&format!("unknown operation type {}; accepted: 1, 2, 3", record[TYPE])));
        };
        bytes.at += RECORD;
        let id = number(goal.operations.len());
        goal.survey.add(&operation);
        goal.operations.push(operation);
        for (at, moment) in LISTS {
            goal.dependents.begin_list(id, moment);
            let count = u32_at(record, at);
            if count > 0 {
                goal.dependents.note(id);
                rank.read_list(count, u32_at(record, at + 4), id, goal)?;
            }
        }
    }
    Ok(())
}

/// Where the type of an operation stands in its record, and where its two lists are named.
const TYPE: usize = 4;
const LISTS: [(usize, Moment); 2] = [(23, Moment::Finish), (31, Moment::Start)];

/// The operation of a record; none if there is no such type.
fn operation(record: &[u8; RECORD]) -> Option<Operation> {
    let action = match record[TYPE] {
        1 => Action::Send,
        2 => Action::Receive,
        3 => Action::Compute,
        _ => return None,
    };
    let size = u64::from(u32_at(record, 9)) | u64::from(u32_at(record, 13)) << 32;
    let tag = match u32_at(record, 17) {
        SHORT_ANY => ANY_TAG,
        tag => tag.into(),
    };
    Some(Operation { action, size, peer: u32_at(record, 5), tag, cpu: record[21], nic: record[22] })
}

/// Any tag, in 32 bits.
const SHORT_ANY: u32 = u32::MAX;

/// `tag` in 32 bits, if it has no more.
fn short_tag(tag: u64) -> Option<u32> {
    match tag {
        ANY_TAG => Some(SHORT_ANY),
        tag => u32::try_from(tag).ok().filter(|&tag| tag != SHORT_ANY),
    }
}

fn u32_at(record: &[u8; RECORD], at: usize) -> u32 {
    u32::from_le_bytes([record[at], record[at + 1], record[at + 2], record[at + 3]])
}

/// A rank that is being read.
struct Rank<'a> {
    /// Its first operation, and how many it has.
    first: u32,
    operations: u32,
    /// Where its lists of waiting operations begin.
    lists: Bytes<'a>,
    /// How many entries of lists may still come: lists that lay upon each other would be far larger in memory than in the file.
    listed: usize,
}

impl Rank<'_> {
    /// Adds the list of `count` operations from the `begin`-th on: they wait for operation `on`.
    fn read_list(&mut self, count: u32, begin: u32, on: u32, goal: &mut Goal) -> Result<(), GoalError> {
        let bytes = self.lists.bytes;
        let mut list = Bytes { bytes, at: self.lists.at.saturating_add(4 * begin as usize).min(bytes.len()) };
        self.listed = self
            .listed
            .checked_sub(count as usize)
            .ok_or_else(|| list.error("the lists of waiting operations have more entries than the file contains"))?;
        for _ in 0..count {
            let own = list.u32()?;
            if own >= self.operations {
                return Err(list.error(&format!(
                    "operation {own} does not exist; the number of operations of the rank is {}",
                    self.operations
                )));
            }
            let waiting = self.first + own;
            goal.survey.is_in_order &= on < waiting;
            goal.dependents.push(waiting);
        }
        Ok(())
    }
}
