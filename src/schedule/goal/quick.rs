//! Statements of GOAL text as tools write them: words with one blank between them, nothing behind them.
//!
//! ```text
//!   l3: send 1024b to 7 tag 0        l3 requires l1
//! ```
//!
//! Most of a file is such statements, and this reads them in one go. It says nothing of any other, right or wrong: those are
//! for [`super::text`], which knows all that GOAL text can be.

use super::labels::Name;
use super::scan::IN_NAMES;
use super::{Action, Operation};

/// What a statement says.
#[derive(Clone, Copy)]
pub(super) enum Statement<'a> {
    /// An operation, with its label if it has one.
    Operation { label: Option<Name<'a>>, operation: Operation },
    /// That one operation requires another, or, if `started`, that it has started.
    Dependency { waiting: Name<'a>, on: Name<'a>, on_at: usize, started: bool },
}

/// The statement at byte `at`, and where its line ends; none if it is written in another way.
#[inline]
pub(super) fn statement(bytes: &[u8], at: usize) -> Option<(Statement<'_>, usize)> {
    let mut words = Words { bytes, at };
    let name = words.name()?;
    let statement = if words.take(b": ") {
        Statement::Operation { label: Some(name), operation: words.keyword_and_operation()? }
    } else if words.take(b" requires ") {
        words.dependency(name, false)?
    } else if words.take(b" irequires ") {
        words.dependency(name, true)?
    } else {
        words.at = at;
        Statement::Operation { label: None, operation: words.keyword_and_operation()? }
    };
    (bytes.get(words.at) == Some(&b'\n')).then_some((statement, words.at))
}

/// So many digits fit a number of 32 bits, or one of 64, whatever they are.
const DIGITS_OF_U32: usize = 9;
const DIGITS_OF_U64: usize = 19;

/// A text and how far it has been read.
struct Words<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Words<'a> {
    #[inline]
    fn take<const N: usize>(&mut self, word: &[u8; N]) -> bool {
        let there = self.bytes.get(self.at..).and_then(|rest| rest.first_chunk()) == Some(word);
        self.at += if there { N } else { 0 };
        there
    }

    #[inline]
    fn name(&mut self) -> Option<Name<'a>> {
        let rest = self.bytes.get(self.at..)?;
        if !rest.first()?.is_ascii_alphabetic() {
            return None;
        }
        let mut number = 0;
        for (length, &byte) in rest.iter().enumerate() {
            if !IN_NAMES[usize::from(byte)] {
                self.at += length;
                return Some(Name { bytes: &rest[..length], number });
            }
            number = number << 8 | u64::from(byte);
        }
        None
    }

    /// A number of as many digits as fit, or fewer.
    #[inline]
    fn digits(&mut self, most: usize) -> Option<u64> {
        let mut value = 0_u64;
        for (length, &byte) in self.bytes.get(self.at..)?.iter().enumerate() {
            let digit = byte.wrapping_sub(b'0');
            if digit > 9 {
                self.at += length;
                return (1..=most).contains(&length).then_some(value);
            }
            value = value.wrapping_mul(10).wrapping_add(digit.into());
        }
        None
    }

    #[inline]
    fn u32(&mut self) -> Option<u32> {
        u32::try_from(self.digits(DIGITS_OF_U32)?).ok()
    }

    #[inline]
    fn keyword_and_operation(&mut self) -> Option<Operation> {
        if self.take(b"send ") {
            let size = self.digits(DIGITS_OF_U64)?;
            if self.take(b"b to ") { self.message(Action::Send, size) } else { None }
        } else if self.take(b"recv ") {
            let size = self.digits(DIGITS_OF_U64)?;
            if self.take(b"b from ") { self.message(Action::Receive, size) } else { None }
        } else if self.take(b"calc ") {
            let size = self.digits(DIGITS_OF_U64)?;
            Some(Operation { cpu: self.option(b" cpu ")?, ..Operation::compute(size) })
        } else {
            None
        }
    }

    #[inline]
    fn message(&mut self, action: Action, size: u64) -> Option<Operation> {
        let peer = self.u32()?;
        let tag = if self.take(b" tag ") { self.u32()? } else { 0 };
        Some(Operation { action, size, peer, tag, cpu: self.option(b" cpu ")?, nic: self.option(b" nic ")? })
    }

    /// What stands behind `name`, and 0 if that does not stand there.
    #[inline]
    fn option<const N: usize>(&mut self, name: &[u8; N]) -> Option<u8> {
        if self.take(name) { self.u32()?.try_into().ok() } else { Some(0) }
    }

    #[inline]
    fn dependency(&mut self, waiting: Name<'a>, started: bool) -> Option<Statement<'a>> {
        let on_at = self.at;
        Some(Statement::Dependency { waiting, on: self.name()?, on_at, started })
    }
}
