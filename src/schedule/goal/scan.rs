//! The words of GOAL text: blanks, comments, numbers, keywords, names, and where errors are.

use super::{ANY, GoalError};
use std::ops::Range;

/// What is wrong at the place the reader has reached: what was expected.
pub(super) struct Expected(pub(super) &'static str);

/// How a statement ends early: with what was expected, or, once an error has been noted, with nothing more to say.
pub(super) type Parsed<T> = Result<T, Expected>;

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

    pub(super) fn small_option(&mut self, name: &'static str) -> Parsed<u8> {
        self.skip_blanks();
        if !self.take(name) {
            return Ok(0);
        }
        let what = "a number from 0 to 255";
        let start = self.at;
        let value = self.integer(what)?;
        u8::try_from(value).map_err(|_| self.back_to(start, what))
    }

    pub(super) fn number_or_any(&mut self, what: &'static str) -> Parsed<u32> {
        self.skip_blanks();
        let start = self.at;
        if self.take("-1") {
            let digits = self.peek().is_some_and(|byte| byte.is_ascii_digit());
            return if digits { Err(self.back_to(start, what)) } else { Ok(ANY) };
        }
        self.number(what)
    }

    pub(super) fn number(&mut self, what: &'static str) -> Parsed<u32> {
        self.skip_blanks();
        let start = self.at;
        let value = self.integer(what)?;
        u32::try_from(value).ok().filter(|&value| value < ANY).ok_or_else(|| self.back_to(start, what))
    }

    pub(super) fn back_to(&mut self, start: usize, what: &'static str) -> Expected {
        self.at = start;
        self.skip_blanks();
        Expected(what)
    }

    pub(super) fn integer(&mut self, what: &'static str) -> Parsed<u64> {
        self.skip_blanks();
        let start = self.at;
        let mut value = Some(0_u64);
        while let Some(digit) = self.peek().map(|byte| byte.wrapping_sub(b'0')).filter(|&digit| digit < 10) {
            value = value.and_then(|value| value.checked_mul(10)?.checked_add(u64::from(digit)));
            self.at += 1;
        }
        match value {
            Some(value) if self.at > start => Ok(value),
            _ => Err(self.back_to(start, what)),
        }
    }

    /// A keyword, after blanks.
    pub(super) fn word(&mut self, word: &'static str) -> Parsed<()> {
        self.skip_blanks();
        if self.take(word) { Ok(()) } else { Err(Expected(word)) }
    }

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
    pub(super) fn end_of_line(&mut self) -> Parsed<()> {
        let line = self.line;
        while self.skip_blank_or_comment() {}
        match self.peek() {
            None | Some(b'\n' | b'}') => Ok(()),
            Some(_) if self.line > line => Ok(()),
            Some(_) => Err(Expected("the end of the line")),
        }
    }

    pub(super) fn identifier(&mut self) -> Option<&'a [u8]> {
        let start = self.at;
        if !self.peek()?.is_ascii_alphabetic() {
            return None;
        }
        while self.peek().is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            self.at += 1;
        }
        Some(&self.bytes[start..self.at])
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    pub(super) fn starts_with(&self, text: &str) -> bool {
        self.bytes[self.at..].starts_with(text.as_bytes())
    }

    pub(super) fn take(&mut self, text: &str) -> bool {
        let there = self.starts_with(text);
        self.at += if there { text.len() } else { 0 };
        there
    }

    pub(super) fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r')) {
            self.at += 1;
        }
    }

    /// Blanks, comments and ends of lines.
    pub(super) fn skip_lines(&mut self) {
        loop {
            if self.peek() == Some(b'\n') {
                self.at += 1;
                self.line += 1;
            } else if !self.skip_blank_or_comment() {
                return;
            }
        }
    }

    /// One blank or one comment; a comment that begins with `//` or `#` lasts to the end of its line.
    pub(super) fn skip_blank_or_comment(&mut self) -> bool {
        match self.peek() {
            Some(b' ' | b'\t' | b'\r') => self.at += 1,
            Some(b'#') => self.skip_line(),
            Some(b'/') if self.starts_with("//") => self.skip_line(),
            Some(b'/') if self.starts_with("/*") => self.skip_comment(),
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
                self.error(self.at..self.at + 2, "this comment does not end: `*/` is missing".to_owned());
                self.at = self.bytes.len();
            }
        }
    }

    /// Notes that something else stands here than what was expected.
    pub(super) fn unexpected(&mut self, expected: &Expected) {
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len()).min(40);
        let found = match length {
            0 if rest.is_empty() => "the file ends".to_owned(),
            0 => "the line ends".to_owned(),
            _ => format!("`{}` stands", String::from_utf8_lossy(&rest[..length])),
        };
        let message = format!("{found} where {} is expected", quoted(expected.0));
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
