//! The words of GOAL text: blanks, comments, numbers, keywords, names, and where errors are.

use super::labels::Name;
use super::{ANY, ANY_TAG, GoalError};
use std::ops::Range;

/// What is wrong at the place the reader has reached: what was expected.
pub(super) struct Expected(pub(super) &'static str);

/// How a statement ends early: with what was expected, or, once an error has been noted, with nothing more to say.
pub(super) type Parsed<T> = Result<T, Expected>;

/// The bytes that names are made of.
pub(super) const IN_NAMES: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        table[byte as usize] = byte.is_ascii_alphanumeric() || byte == b'_';
        byte += 1;
    }
    table
};

/// A text and how far it has been read.
pub(super) struct Scan<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
    pub(super) line: u32,
    pub(super) errors: Vec<GoalError>,
}

impl<'a> Scan<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, line: 1, errors: Vec::new() }
    }

    #[inline]
    pub(super) fn small_option<const N: usize>(&mut self, name: &[u8; N]) -> Parsed<u8> {
        self.skip_blanks();
        if self.take(name) { self.small_number() } else { Ok(0) }
    }

    fn small_number(&mut self) -> Parsed<u8> {
        let what = "a number from 0 to 255";
        let start = self.at;
        let value = self.integer(what)?;
        u8::try_from(value).map_err(|_| self.back_to(start, what))
    }

    /// A rank, or -1 for any.
    #[inline]
    pub(super) fn rank_or_any(&mut self) -> Parsed<u32> {
        let accepted = "a rank, or -1 for any";
        if self.minus_one(accepted)? { Ok(ANY) } else { self.number(accepted) }
    }

    /// A tag of 64 bits, or -1 for any, which is the highest of them.
    #[inline]
    pub(super) fn tag(&mut self) -> Parsed<u64> {
        let accepted = "a tag, or -1 for any";
        if self.minus_one(accepted)? { Ok(ANY_TAG) } else { self.integer(accepted) }
    }

    /// Takes -1 and returns true if it comes next. No digit may follow it.
    #[inline]
    fn minus_one(&mut self, what: &'static str) -> Parsed<bool> {
        self.skip_blanks();
        let start = self.at;
        if !self.take(b"-1") {
            return Ok(false);
        }
        let has_more = self.peek().is_some_and(|byte| byte.is_ascii_digit());
        if has_more { Err(self.back_to(start, what)) } else { Ok(true) }
    }

    #[inline]
    pub(super) fn number(&mut self, what: &'static str) -> Parsed<u32> {
        self.skip_blanks();
        let start = self.at;
        let value = self.integer(what)?;
        u32::try_from(value).ok().filter(|&value| value < ANY).ok_or_else(|| self.back_to(start, what))
    }

    #[cold]
    pub(super) fn back_to(&mut self, start: usize, what: &'static str) -> Expected {
        self.at = start;
        self.skip_blanks();
        Expected(what)
    }

    #[inline]
    pub(super) fn integer(&mut self, what: &'static str) -> Parsed<u64> {
        self.skip_blanks();
        let start = self.at;
        let mut value = 0_u64;
        let mut fits = true;
        while let Some(digit) = self.peek().map(|byte| byte.wrapping_sub(b'0')).filter(|&digit| digit < 10) {
            if value > u64::MAX / 10 - 1 {
                let longer = value.checked_mul(10).and_then(|value| value.checked_add(digit.into()));
                fits &= longer.is_some();
            }
            value = value.wrapping_mul(10).wrapping_add(digit.into());
            self.at += 1;
        }
        if fits && self.at > start { Ok(value) } else { Err(self.back_to(start, what)) }
    }

    /// A keyword, after blanks; `expected` says what it is.
    #[inline]
    pub(super) fn word<const N: usize>(&mut self, word: &[u8; N], expected: &'static str) -> Parsed<()> {
        self.skip_blanks();
        if self.take(word) { Ok(()) } else { Err(Expected(expected)) }
    }

    #[inline]
    pub(super) fn byte(&mut self, byte: u8, what: &'static str) -> Parsed<()> {
        self.skip_blanks();
        if self.peek() == Some(byte) {
            self.at += 1;
            Ok(())
        } else {
            Err(Expected(what))
        }
    }

    /// Blanks and a comment, then the end of the line, of the rank, or of the file.
    #[inline]
    pub(super) fn end_of_line(&mut self) -> Parsed<()> {
        if self.peek() == Some(b'\n') { Ok(()) } else { self.end_of_commented_line() }
    }

    fn end_of_commented_line(&mut self) -> Parsed<()> {
        let line = self.line;
        while self.skip_blank_or_comment() {}
        match self.peek() {
            None | Some(b'\n' | b'}') => Ok(()),
            Some(_) if self.line > line => Ok(()),
            Some(_) => Err(Expected("the end of the line")),
        }
    }

    #[inline]
    pub(super) fn identifier(&mut self) -> Option<Name> {
        let start = self.at;
        if !self.peek()?.is_ascii_alphabetic() {
            return None;
        }
        while self.peek().is_some_and(|byte| IN_NAMES[usize::from(byte)]) {
            self.at += 1;
        }
        Some(Name::new(start, &self.bytes[start..self.at]))
    }

    #[inline]
    pub(super) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    #[inline]
    pub(super) fn starts_with<const N: usize>(&self, word: &[u8; N]) -> bool {
        self.bytes.get(self.at..).and_then(|rest| rest.first_chunk()) == Some(word)
    }

    #[inline]
    pub(super) fn take<const N: usize>(&mut self, word: &[u8; N]) -> bool {
        let there = self.starts_with(word);
        self.at += if there { N } else { 0 };
        there
    }

    #[inline]
    pub(super) fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r')) {
            self.at += 1;
        }
    }

    /// Blanks, comments and ends of lines.
    #[inline]
    pub(super) fn skip_lines(&mut self) {
        while let Some(byte) = self.peek() {
            if byte == b'\n' {
                self.at += 1;
                self.line += 1;
            } else if byte > b'/' || !self.skip_blank_or_comment() {
                return; // what blanks and comments begin with is none above a slash
            }
        }
    }

    /// One blank or one comment; a comment that begins with `//` or `#` lasts to the end of its line.
    pub(super) fn skip_blank_or_comment(&mut self) -> bool {
        match self.peek() {
            Some(b' ' | b'\t' | b'\r') => self.at += 1,
            Some(b'#') => self.skip_line(),
            Some(b'/') if self.starts_with(b"//") => self.skip_line(),
            Some(b'/') if self.starts_with(b"/*") => self.skip_comment(),
            _ => return false,
        }
        true
    }

    pub(super) fn skip_line(&mut self) {
        let rest = &self.bytes[self.at..];
        self.at += rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
    }

    pub(super) fn skip_comment(&mut self) {
        let rest = &self.bytes[self.at..];
        match rest.windows(2).position(|pair| pair == b"*/") {
            Some(length) => {
                let lines = rest[..length].iter().filter(|&&byte| byte == b'\n').count();
                self.line += u32::try_from(lines).unwrap_or(u32::MAX);
                self.at += length + 2;
            }
            None => {
                self.error(self.at..self.at + 2, "the end of this comment, `*/`, is missing".to_owned());
                self.at = self.bytes.len();
            }
        }
    }

    /// Notes that something else stands here than what was expected.
    pub(super) fn unexpected(&mut self, expected: &Expected) {
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len()).min(40);
        let found = match length {
            0 if rest.is_empty() => "the end of the file".to_owned(),
            0 => "the end of the line".to_owned(),
            _ => format!("`{}`", String::from_utf8_lossy(&rest[..length])),
        };
        let message = format!("expected {}, found {found}", quoted(expected.0));
        self.error(self.at..self.at + length, message);
    }

    pub(super) fn error(&mut self, span: Range<usize>, message: String) {
        let before = &self.bytes[..span.start.min(self.bytes.len())];
        let line = self.line_of(before.len());
        let column = 1 + before.iter().rev().take_while(|&&byte| byte != b'\n').count();
        self.errors.push(GoalError { line, column, span, message, first: None });
    }

    /// The line of the byte at `at`, from 1.
    pub(super) fn line_of(&self, at: usize) -> usize {
        1 + self.bytes[..at].iter().filter(|&&byte| byte == b'\n').count()
    }
}

/// Keywords in back quotes.
fn quoted(expected: &str) -> String {
    if matches!(expected, "num_ranks" | "rank" | "to" | "from") { format!("`{expected}`") } else { expected.to_owned() }
}
