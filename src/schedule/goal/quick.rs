//! Statements of GOAL text as tools write them: words with one blank between them, nothing behind them.
//!
//! ```text
//!   rank 5 {        l3: send 1024b to 7 tag 0        l3 requires l1
//! ```
//!
//! Most of a file is such statements, and this reads them in one go. It says nothing of any other, right or wrong: those are
//! for [`super::text`], which knows all that GOAL text can be. So are the last few bytes of a text: where so many bytes follow
//! as a word mostly has, they are taken as an array, whose end needs no second look.

use super::labels::Name;
use super::scan::IN_NAMES;
use super::{Action, Operation};

/// The rank that begins at byte `at`, and the byte behind its brace; none if it is written in another way.
#[inline]
pub(super) fn rank(bytes: &[u8], at: usize) -> Option<(u64, usize)> {
    let mut words = Words::new(bytes, at);
    words.expect(b"rank ")?;
    let rank = words.u32()?;
    words.expect(b" {")?;
    Some((rank.into(), words.at()))
}

/// So many bytes are taken as an array: few words have more.
const MOST: usize = 8;

/// So many digits fit a number of 32 bits, or one of 64, whatever they are.
const DIGITS_OF_U32: usize = 9;
const DIGITS_OF_U64: usize = 19;

/// What is left of a text. What is seldom found in one is read apart, and by value: words whose address a call has would live
/// in memory.
#[derive(Clone, Copy)]
pub(super) struct Words<'a> {
    rest: &'a [u8],
    /// How many bytes the text has.
    length: usize,
}

impl<'a> Words<'a> {
    /// What is left from byte `at` on; panics if the text is shorter.
    #[inline]
    pub(super) fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { rest: &bytes[at..], length: bytes.len() }
    }

    /// The byte at which it begins.
    #[inline]
    fn at(&self) -> usize {
        self.length - self.rest.len()
    }

    /// Where the line ends, if nothing more stands in it.
    #[inline]
    pub(super) fn end(&self) -> Option<usize> {
        (self.rest.first() == Some(&b'\n')).then(|| self.at())
    }

    /// Whether this comes next, which is then taken.
    #[inline]
    pub(super) fn take<const N: usize>(&mut self, word: &[u8; N]) -> bool {
        match self.rest.split_first_chunk() {
            Some((there, rest)) if there == word => {
                self.rest = rest;
                true
            }
            _ => false,
        }
    }

    #[inline]
    fn expect<const N: usize>(&mut self, word: &[u8; N]) -> Option<()> {
        self.take(word).then_some(())
    }

    /// The name that comes next.
    #[inline]
    pub(super) fn name(&mut self) -> Option<Name> {
        let at = self.at();
        let (&letter, rest) = self.rest.split_first()?;
        if !letter.is_ascii_alphabetic() {
            return None;
        }
        let digits = rest.first_chunk::<MOST>()?;
        let mut number = 0;
        for (length, &byte) in digits.iter().enumerate() {
            let digit = byte.wrapping_sub(b'0');
            if digit > 9 {
                if length == 0 || IN_NAMES[usize::from(byte)] {
                    break;
                }
                self.rest = &rest[length..];
                let is_plain = length == 1 || digits[0] != b'0';
                return Some(if is_plain { Name::numbered(at, letter, number) } else { Name::other(at) });
            }
            number = number * 10 + u32::from(digit);
        }
        let (name, rest) = any_name(at, self.rest)?;
        self.rest = rest;
        Some(name)
    }

    /// A number of at least one digit, and at most so many.
    // here and below: a call costs as much as most numbers
    #[inline(always)]
    fn digits(&mut self, most: usize) -> Option<u64> {
        if let Some(number) = self.some_digits() {
            return Some(number.into());
        }
        let (number, rest) = many_digits(self.rest, most)?;
        self.rest = rest;
        Some(number)
    }

    /// A number of at least one digit that fits 32 bits, whatever its digits are.
    #[inline(always)]
    fn u32(&mut self) -> Option<u32> {
        self.some_digits().or_else(|| self.any_u32())
    }

    /// The same of a number that is mostly below 10.
    #[inline(always)]
    fn small_u32(&mut self) -> Option<u32> {
        self.few_digits(0, 0).or_else(|| self.any_u32())
    }

    /// A tag, which is mostly below 10.
    #[inline(always)]
    fn tag(&mut self) -> Option<u64> {
        if let Some(number) = self.few_digits(0, 0) {
            return Some(number.into());
        }
        let (number, rest) = many_digits(self.rest, DIGITS_OF_U64)?;
        self.rest = rest;
        Some(number)
    }

    /// A number of at least one digit that fits 32 bits, of any length.
    #[inline(always)]
    fn any_u32(&mut self) -> Option<u32> {
        let (number, rest) = many_digits(self.rest, DIGITS_OF_U32)?;
        self.rest = rest;
        u32::try_from(number).ok()
    }

    /// A number of at least one digit and fewer than [`MOST`], and mostly of more than three.
    #[inline(always)]
    fn some_digits(&mut self) -> Option<u32> {
        match four_digits(*self.rest.first_chunk()?) {
            Some(number) => self.few_digits(4, number),
            None => self.few_digits(0, 0),
        }
    }

    /// A number of at least one digit and fewer than [`MOST`], so many of which are read and make up this number.
    #[inline(always)]
    fn few_digits(&mut self, mut length: usize, mut number: u32) -> Option<u32> {
        for byte in &self.rest.first_chunk::<MOST>()?[length..] {
            let digit = byte.wrapping_sub(b'0');
            if digit > 9 {
                self.rest = &self.rest[length..];
                return (length > 0).then_some(number);
            }
            number = number * 10 + u32::from(digit);
            length += 1;
        }
        None
    }

    /// Whether `irequires` comes next rather than `requires`; none if neither does.
    #[inline]
    pub(super) fn requires(&mut self) -> Option<bool> {
        let started = !self.take(b" requires ");
        if started {
            self.expect(b" irequires ")?;
        }
        Some(started)
    }

    /// The operation that comes next.
    #[inline]
    pub(super) fn operation(&mut self) -> Option<Operation> {
        let action = if self.take(b"send ") {
            Action::Send
        } else if self.take(b"recv ") {
            Action::Receive
        } else {
            let (operation, rest) = computation(self.rest)?;
            self.rest = rest;
            return Some(operation);
        };
        let size = self.digits(DIGITS_OF_U64)?;
        match action {
            Action::Send => self.expect(b"b to ")?,
            _ => self.expect(b"b from ")?,
        }
        let peer = self.u32()?;
        let tag = if self.take(b" tag ") { self.tag()? } else { 0 };
        let operation = Operation { action, size, peer, tag, cpu: 0, nic: 0 };
        if self.rest.first() == Some(&b'\n') {
            return Some(operation);
        }
        let (operation, rest) = with_options(operation, self.rest)?;
        self.rest = rest;
        Some(operation)
    }

    /// What stands behind `name`, and 0 if that does not stand there.
    fn option<const N: usize>(&mut self, name: &[u8; N]) -> Option<u8> {
        if self.take(name) { self.small_u32()?.try_into().ok() } else { Some(0) }
    }
}

/// The name at byte `at`, where `rest` begins, and what follows it.
fn any_name(at: usize, rest: &[u8]) -> Option<(Name, &[u8])> {
    let length = rest.iter().position(|&byte| !IN_NAMES[usize::from(byte)])?;
    Some((Name::new(at, &rest[..length]), &rest[length..]))
}

/// The number that four digits are, if they are digits.
#[inline]
fn four_digits(bytes: [u8; 4]) -> Option<u32> {
    const HIGHEST: u32 = 0x8080_8080;
    // each byte of a digit becomes its value, which is below 10
    let digits = u32::from_le_bytes(bytes) ^ 0x3030_3030;
    if (digits.wrapping_add(0x7676_7676) | digits) & HIGHEST != 0 {
        return None;
    }
    // two numbers of two digits, in the lower byte of each half; then one of four, in the upper half
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8) & 0x00ff_00ff;
    Some(pairs.wrapping_mul(100 << 16 | 1) >> 16)
}

/// A number of at least one digit and at most so many, and what follows it.
#[cold]
fn many_digits(rest: &[u8], most: usize) -> Option<(u64, &[u8])> {
    let length = rest.iter().position(|byte| !byte.is_ascii_digit())?;
    let digits = rest.get(..length).filter(|_| (1..=most).contains(&length))?;
    Some((digits.iter().fold(0, |value, digit| value * 10 + u64::from(digit - b'0')), &rest[length..]))
}

fn computation(rest: &[u8]) -> Option<(Operation, &[u8])> {
    let mut words = Words { rest, length: rest.len() };
    words.expect(b"calc ")?;
    let size = words.digits(DIGITS_OF_U64)?;
    let operation = Operation { cpu: words.option(b" cpu ")?, ..Operation::compute(size) };
    Some((operation, words.rest))
}

/// The processor and the interface, where they are named.
fn with_options(operation: Operation, rest: &[u8]) -> Option<(Operation, &[u8])> {
    let mut words = Words { rest, length: rest.len() };
    let operation = Operation { cpu: words.option(b" cpu ")?, nic: words.option(b" nic ")?, ..operation };
    Some((operation, words.rest))
}
