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

use super::text::GoalError;
use super::{Action, Goal, GoalBuilder, Operation, number};
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

    fn byte(&mut self) -> Result<u8, GoalError> {
        self.take::<1>().map(|[byte]| byte)
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
            return Err(header.error("a simulator has used this file up (run with --save-mem): convert the text again"));
        }
        let ranks = header.u32()?;
        header.take::<2>()?; // the largest cpu and nic: the operations say it
        if ranks == 0 {
            return Err(header.error("no ranks: at least one is needed"));
        }
        if header.left() / 16 < ranks as usize {
            return Err(header.error(&format!("the file is too short for the {ranks} ranks that it names")));
        }
        let mut goal = GoalBuilder::default();
        let mut pace = Pace::default();
        for _ in 0..ranks {
            pace.step();
            let (start, _) = (header.u64()?, header.u64()?);
            goal.next_rank();
            read_rank(header.part(start)?, &mut goal)?;
        }
        Ok(goal.finish())
    }

    /// Writes the binary form, which the classic simulator takes too.
    ///
    /// # Errors
    /// If `output` cannot be written.
    pub fn write_binary(&self, output: &mut impl Write) -> io::Result<()> {
        let largest = |of: fn(&Operation) -> u8| self.operations.iter().map(of).max().unwrap_or(0);
        output.write_all(&MAGIC.to_le_bytes())?;
        output.write_all(&number(self.ranks()).to_le_bytes())?;
        output.write_all(&[largest(|operation| operation.cpu), largest(|operation| operation.nic)])?;
        let mut at = (4 + 2 + 16 * self.ranks()) as u64;
        for rank in 0..self.ranks() {
            output.write_all(&at.to_le_bytes())?;
            at += self.rank_bytes(rank);
            output.write_all(&at.to_le_bytes())?;
        }
        (0..self.ranks()).try_for_each(|rank| self.write_rank(rank, output))
    }

    fn roots(&self, rank: usize) -> impl Iterator<Item = u32> + '_ {
        self.of_rank(rank).filter(|&id| self.waits[id as usize] == 0)
    }

    fn dependents(&self, rank: usize) -> usize {
        self.of_rank(rank).map(|id| self.after_finish(id).len() + self.after_start(id).len()).sum()
    }

    fn rank_bytes(&self, rank: usize) -> u64 {
        (8 + 4 * (self.roots(rank).count() + self.dependents(rank)) + RECORD * self.of_rank(rank).len()) as u64
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
            output.write_all(&self.waits[id as usize].to_le_bytes())?;
            output.write_all(&[kind])?;
            output.write_all(&operation.peer.to_le_bytes())?;
            output.write_all(&operation.size.to_le_bytes())?;
            output.write_all(&operation.tag.to_le_bytes())?;
            output.write_all(&[operation.cpu, operation.nic])?;
            for waiting in [self.after_finish(id), self.after_start(id)] {
                output.write_all(&number(waiting.len()).to_le_bytes())?;
                output.write_all(&number(first).to_le_bytes())?;
                first += waiting.len();
            }
        }
        for id in ids.clone() {
            let waiting = self.after_finish(id).iter().chain(self.after_start(id));
            waiting.copied().try_for_each(|id| output.write_all(&own(id).to_le_bytes()))?;
        }
        Ok(())
    }
}

fn read_rank(mut bytes: Bytes<'_>, goal: &mut GoalBuilder) -> Result<(), GoalError> {
    let (operations, roots) = (bytes.u32()?, bytes.u32()?);
    let first = goal.next();
    bytes.at = bytes.at.saturating_add(4 * roots as usize);
    if bytes.at > bytes.bytes.len() || bytes.left() / RECORD < operations as usize {
        bytes.at = bytes.at.min(bytes.bytes.len());
        return Err(bytes.error(&format!("{operations} operations do not fit the file")));
    }
    let dependents = bytes.at + RECORD * operations as usize;
    let mut pace = Pace::default();
    for id in first..first + operations {
        pace.step();
        bytes.u32()?; // dependencies: counted from the dependents
        let action = match bytes.byte()? {
            1 => Action::Send,
            2 => Action::Receive,
            3 => Action::Compute,
            other => return Err(bytes.error(&format!("no operation is of type {other}; accepted: 1, 2, 3"))),
        };
        let (peer, size, tag) = (bytes.u32()?, bytes.u64()?, bytes.u32()?);
        let (cpu, nic) = (bytes.byte()?, bytes.byte()?);
        goal.push(Operation { action, size, peer, tag, cpu, nic });
        for started in [false, true] {
            let (count, begin) = (bytes.u32()?, bytes.u32()?);
            let at = dependents.saturating_add(4 * begin as usize).min(bytes.bytes.len());
            let mut list = Bytes { bytes: bytes.bytes, at };
            for _ in 0..count {
                let waiting = list.u32()?;
                if waiting >= operations {
                    return Err(list.error(&format!("operation {waiting} is not one of the rank's {operations}")));
                }
                if started { goal.irequires(first + waiting, id) } else { goal.requires(first + waiting, id) }
            }
        }
    }
    Ok(())
}
