//! GOAL text in.
//!
//! Accepted is what the classic converter accepts, and besides: indentation, comments at the end of a line, `#` comments.
//! A statement ends with its line. A label names the first operation of its rank that bears it, and only operations
//! above can be named. Reading goes on after an error, at the next line.

use super::{ANY, Action, Goal, GoalBuilder, Operation};
use rustc_hash::FxHashMap;
use std::ops::Range;
use thiserror::Error;

/// How many errors are listed.
const LISTED: usize = 20;

/// Something that is no GOAL.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("line {line}, column {column}: {message}")]
pub struct GoalError {
    /// Counted from 1; 0 in the binary form.
    pub line: usize,
    /// In bytes, counted from 1.
    pub column: usize,
    /// The bytes that it is about.
    pub span: Range<usize>,
    /// What is wrong, and what is accepted.
    pub message: String,
}

impl Goal {
    /// Reads GOAL text, or the binary form, which its first bytes tell apart. O(bytes) time.
    ///
    /// ```
    /// use flitwise::schedule::goal::Goal;
    /// let text = "num_ranks 2\nrank 0 {\n  a: send 8b to 1 tag 3 // eight bytes\n}\nrank 1 { \nb: recv 8b from 0 tag 3\n}\n";
    /// let goal = Goal::read(text.as_bytes()).map_err(|errors| errors[0].clone())?;
    /// assert_eq!((goal.ranks(), goal.messages()), (2, 1));
    /// # Ok::<(), flitwise::schedule::goal::GoalError>(())
    /// ```
    ///
    /// # Errors
    /// Everything in it that is no GOAL, in order, or the first twenty.
    pub fn read(bytes: &[u8]) -> Result<Self, Vec<GoalError>> {
        if Self::is_binary(bytes) {
            return Self::read_binary(bytes).map_err(|error| vec![error]);
        }
        let mut text = Text::new(bytes);
        text.whole();
        if text.errors.is_empty() { Ok(text.goal.finish()) } else { Err(text.errors) }
    }
}

/// What is wrong at the place the reader has reached: what was expected.
struct Expected(&'static str);

/// How a statement ends early: with what was expected, or, once an error has been noted, with nothing more to say.
type Parsed<T> = Result<T, Expected>;

struct Text<'a> {
    bytes: &'a [u8],
    at: usize,
    line: u32,
    goal: GoalBuilder,
    labels: FxHashMap<&'a [u8], u32>,
    errors: Vec<GoalError>,
}

impl<'a> Text<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        let (goal, labels) = (GoalBuilder::default(), FxHashMap::default());
        Self { bytes, at: 0, line: 1, goal, labels, errors: Vec::new() }
    }

    fn whole(&mut self) {
        self.skip_lines();
        let Some(ranks) = self.header() else { return };
        let mut seen = 0;
        while seen < ranks && self.errors.len() < LISTED {
            self.skip_lines();
            if self.peek().is_none() {
                let message = format!("the file ends after {seen} of {ranks} ranks");
                return self.error(self.at..self.at, message);
            }
            let start = self.at;
            match self.rank_header() {
                Ok(rank) if rank == seen => {}
                Ok(rank) => self.error(start..self.at, format!("rank {rank} stands where rank {seen} is expected")),
                Err(expected) => return self.unexpected(&expected),
            }
            self.goal.next_rank();
            self.labels.clear();
            if !self.statements() {
                return;
            }
            seen += 1;
        }
        self.skip_lines();
        if self.peek().is_some() && self.errors.len() < LISTED {
            self.unexpected(&Expected("the end of the file after the last rank"));
        }
    }

    fn header(&mut self) -> Option<u64> {
        let ranks = self.word("num_ranks").and_then(|()| self.integer("a number of ranks"));
        match ranks {
            Ok(0) => self.error(0..self.at, "no ranks: at least one is needed".to_owned()),
            Ok(ranks) if ranks >= u64::from(ANY) => self.error(0..self.at, format!("more than {} ranks", ANY - 1)),
            Ok(ranks) => return Some(ranks),
            Err(expected) => self.unexpected(&expected),
        }
        None
    }

    fn rank_header(&mut self) -> Parsed<u64> {
        self.word("rank")?;
        let rank = self.integer("the number of the rank")?;
        self.byte(b'{', "`{`")?;
        Ok(rank)
    }

    /// Reads up to the closing brace; false if there is none or too much is wrong.
    fn statements(&mut self) -> bool {
        loop {
            self.skip_lines();
            match self.peek() {
                None => {
                    self.unexpected(&Expected("`}`"));
                    return false;
                }
                Some(b'}') => {
                    self.at += 1;
                    return true;
                }
                Some(_) => {
                    let errors = self.errors.len();
                    match self.statement().and_then(|()| self.end_of_line()) {
                        Ok(()) => {}
                        Err(expected) if self.errors.len() == errors => self.unexpected(&expected),
                        Err(_) => {}
                    }
                    if self.errors.len() > errors {
                        self.skip_line();
                    }
                    if self.errors.len() >= LISTED {
                        return false;
                    }
                }
            }
        }
    }

    /// A labelled operation, an operation, or a dependency.
    fn statement(&mut self) -> Parsed<()> {
        let start = self.at;
        let Some(name) = self.identifier() else {
            return Err(Expected("a label, `send`, `recv`, `calc` or `}`"));
        };
        self.skip_blanks();
        match self.peek() {
            Some(b':') => {
                self.at += 1;
                self.skip_blanks();
                let next = self.goal.next();
                self.labels.entry(name).or_insert(next);
                let parsed = self.operation();
                if parsed.is_err() {
                    self.goal.push(Operation::compute(0)); // what the label stands for is not in doubt twice
                }
                parsed
            }
            Some(b'i' | b'r') if self.starts_with("requires") || self.starts_with("irequires") => {
                self.dependency(name, start)
            }
            _ => {
                self.at = start;
                self.operation()
            }
        }
    }

    fn dependency(&mut self, name: &'a [u8], start: usize) -> Parsed<()> {
        let started = self.peek() == Some(b'i');
        self.at += if started { "irequires".len() } else { "requires".len() };
        let waiting = self.labelled(name, start);
        self.skip_blanks();
        let start = self.at;
        let on = self.identifier().ok_or(Expected("the label of what is required"))?;
        match (waiting, self.labelled(on, start)) {
            (Some(waiting), Some(on)) if started => self.goal.irequires(waiting, on),
            (Some(waiting), Some(on)) => self.goal.requires(waiting, on),
            _ => {}
        }
        Ok(())
    }

    fn labelled(&mut self, name: &'a [u8], start: usize) -> Option<u32> {
        let known = self.labels.get(name).copied();
        if known.is_none() {
            let name = String::from_utf8_lossy(name);
            let message = format!("no operation above in this rank is labelled `{name}`");
            self.error(start..start + name.len(), message);
        }
        known
    }

    fn operation(&mut self) -> Parsed<()> {
        let line = self.line;
        let operation = if self.take("send") {
            self.message(Action::Send, "to")?
        } else if self.take("recv") {
            self.message(Action::Receive, "from")?
        } else if self.take("calc") {
            let size = self.integer("a number of ticks")?;
            Operation { cpu: self.small_option("cpu")?, ..Operation::compute(size) }
        } else {
            return Err(Expected("`send`, `recv`, `calc`, or `requires` after a label"));
        };
        self.goal.push_at(operation, line);
        Ok(())
    }

    fn message(&mut self, action: Action, preposition: &'static str) -> Parsed<Operation> {
        let size = self.integer("a number of bytes")?;
        self.byte(b'b', "`b` after the number of bytes")?;
        self.word(preposition)?;
        let peer = match action {
            Action::Receive => self.number_or_any("a rank, or -1 for any")?,
            _ => self.number("a rank")?,
        };
        self.skip_blanks();
        let tag = if self.take("tag") { self.number_or_any("a tag, or -1 for any")? } else { 0 };
        let (cpu, nic) = (self.small_option("cpu")?, self.small_option("nic")?);
        Ok(Operation { action, size, peer, tag, cpu, nic })
    }

    fn small_option(&mut self, name: &'static str) -> Parsed<u8> {
        self.skip_blanks();
        if !self.take(name) {
            return Ok(0);
        }
        let what = "a number from 0 to 255";
        let start = self.at;
        let value = self.integer(what)?;
        u8::try_from(value).map_err(|_| self.back_to(start, what))
    }

    fn number_or_any(&mut self, what: &'static str) -> Parsed<u32> {
        self.skip_blanks();
        let start = self.at;
        if self.take("-1") {
            let digits = self.peek().is_some_and(|byte| byte.is_ascii_digit());
            return if digits { Err(self.back_to(start, what)) } else { Ok(ANY) };
        }
        self.number(what)
    }

    fn number(&mut self, what: &'static str) -> Parsed<u32> {
        self.skip_blanks();
        let start = self.at;
        let value = self.integer(what)?;
        u32::try_from(value).ok().filter(|&value| value < ANY).ok_or_else(|| self.back_to(start, what))
    }

    fn back_to(&mut self, start: usize, what: &'static str) -> Expected {
        self.at = start;
        self.skip_blanks();
        Expected(what)
    }

    fn integer(&mut self, what: &'static str) -> Parsed<u64> {
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
    fn word(&mut self, word: &'static str) -> Parsed<()> {
        self.skip_blanks();
        if self.take(word) { Ok(()) } else { Err(Expected(word)) }
    }

    fn byte(&mut self, byte: u8, what: &'static str) -> Parsed<()> {
        self.skip_blanks();
        if self.peek() == Some(byte) {
            self.at += 1;
            Ok(())
        } else {
            Err(Expected(what))
        }
    }

    /// Blanks and a comment, then the end of the line, of the rank, or of the file.
    fn end_of_line(&mut self) -> Parsed<()> {
        let line = self.line;
        while self.skip_blank_or_comment() {}
        match self.peek() {
            None | Some(b'\n' | b'}') => Ok(()),
            Some(_) if self.line > line => Ok(()),
            Some(_) => Err(Expected("the end of the line")),
        }
    }

    fn identifier(&mut self) -> Option<&'a [u8]> {
        let start = self.at;
        if !self.peek()?.is_ascii_alphabetic() {
            return None;
        }
        while self.peek().is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            self.at += 1;
        }
        Some(&self.bytes[start..self.at])
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn starts_with(&self, text: &str) -> bool {
        self.bytes[self.at..].starts_with(text.as_bytes())
    }

    fn take(&mut self, text: &str) -> bool {
        let there = self.starts_with(text);
        self.at += if there { text.len() } else { 0 };
        there
    }

    fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r')) {
            self.at += 1;
        }
    }

    /// Blanks, comments and ends of lines.
    fn skip_lines(&mut self) {
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
    fn skip_blank_or_comment(&mut self) -> bool {
        match self.peek() {
            Some(b' ' | b'\t' | b'\r') => self.at += 1,
            Some(b'#') => self.skip_line(),
            Some(b'/') if self.starts_with("//") => self.skip_line(),
            Some(b'/') if self.starts_with("/*") => self.skip_comment(),
            _ => return false,
        }
        true
    }

    fn skip_line(&mut self) {
        let rest = &self.bytes[self.at..];
        self.at += rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
    }

    fn skip_comment(&mut self) {
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
    fn unexpected(&mut self, expected: &Expected) {
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

    fn error(&mut self, span: Range<usize>, message: String) {
        let before = &self.bytes[..span.start.min(self.bytes.len())];
        let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
        let column = 1 + before.iter().rev().take_while(|&&byte| byte != b'\n').count();
        self.errors.push(GoalError { line, column, span, message });
    }
}

/// Keywords in back quotes.
fn quoted(expected: &str) -> String {
    if matches!(expected, "num_ranks" | "rank" | "to" | "from") { format!("`{expected}`") } else { expected.to_owned() }
}
