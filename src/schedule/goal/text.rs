//! GOAL text in.
//!
//! Accepted is what the classic converter accepts, and besides: indentation, comments at the end of a line, `#`
//! comments, a byte order mark. A statement ends with its line. A label names one operation of its rank, and only
//! operations above can be named. Reading goes on after an error, at the next line.

use super::labels::{Labels, Name};
use super::quick::{self, Words};
use super::scan::{Expected, Parsed, Scan};
use super::{ANY, Action, Goal, GoalBuilder, Operation};
use crate::cancel::Pace;
use std::ops::Range;
use thiserror::Error;

/// What editors put before text in UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// How many errors are listed.
const LISTED: usize = 20;

/// Something that is no GOAL.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("line {line}, column {column}: {message}")]
#[non_exhaustive]
pub struct GoalError {
    /// Counted from 1; 0 in the binary form.
    pub line: usize,
    /// In bytes, counted from 1.
    pub column: usize,
    /// The bytes that it is about.
    pub span: Range<usize>,
    /// What is wrong, and what is accepted.
    pub message: String,
    /// Where what stands twice stands first.
    pub first: Option<Range<usize>>,
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
    /// Everything in it that is no GOAL, in order, or the first twenty. Their places do not count a byte order mark.
    pub fn read(bytes: &[u8]) -> Result<Self, Vec<GoalError>> {
        if Self::is_binary(bytes) {
            return Self::read_binary(bytes).map_err(|error| vec![error]);
        }
        let mut text = Text::new(bytes.strip_prefix(MARK).unwrap_or(bytes));
        text.whole();
        if text.scan.errors.is_empty() {
            return Ok(text.goal.finish_own());
        }
        text.scan.errors.truncate(LISTED); // the last line may have had several
        Err(text.scan.errors)
    }
}

struct Text<'a> {
    scan: Scan<'a>,
    goal: GoalBuilder,
    labels: Labels<'a>,
}

impl<'a> Text<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self { scan: Scan::new(bytes), goal: GoalBuilder::for_text(bytes.len()), labels: Labels::new(bytes) }
    }

    fn whole(&mut self) {
        self.scan.skip_lines();
        let Some(ranks) = self.header() else { return };
        let mut seen = 0;
        let mut pace = Pace::default();
        while seen < ranks && self.scan.errors.len() < LISTED {
            pace.step();
            self.scan.skip_lines();
            if self.scan.peek().is_none() {
                let message = format!("the file ends after {seen} of {ranks} ranks");
                return self.scan.error(self.scan.at..self.scan.at, message);
            }
            let start = self.scan.at;
            match self.rank_header() {
                Ok(rank) if rank == seen => {}
                Ok(rank) => {
                    self.scan.error(start..self.scan.at, format!("expected rank {seen}, found rank {rank}"));
                }
                Err(expected) => return self.scan.unexpected(&expected),
            }
            self.goal.next_rank();
            self.labels.begin(self.scan.at);
            if !self.statements() {
                return;
            }
            seen += 1;
        }
        self.scan.skip_lines();
        if self.scan.peek().is_some() && self.scan.errors.len() < LISTED {
            self.scan.unexpected(&Expected("the end of the file after the last rank"));
        }
    }

    fn header(&mut self) -> Option<u64> {
        let ranks = self.scan.word(b"num_ranks", "num_ranks").and_then(|()| self.scan.integer("a number of ranks"));
        match ranks {
            Ok(0) => self.scan.error(0..self.scan.at, "`num_ranks` is 0; at least one rank is required".to_owned()),
            Ok(ranks) if ranks >= u64::from(ANY) => {
                self.scan.error(0..self.scan.at, format!("`num_ranks` is more than {}", ANY - 1));
            }
            Ok(ranks) => return Some(ranks),
            Err(expected) => self.scan.unexpected(&expected),
        }
        None
    }

    fn rank_header(&mut self) -> Parsed<u64> {
        if let Some((rank, end)) = quick::rank(self.scan.bytes, self.scan.at) {
            self.scan.at = end;
            return Ok(rank);
        }
        self.scan.word(b"rank", "rank")?;
        let rank = self.scan.integer("the number of the rank")?;
        self.scan.byte(b'{', "`{`")?;
        Ok(rank)
    }

    /// Reads up to the closing brace; false if there is none or too much is wrong.
    fn statements(&mut self) -> bool {
        let mut pace = Pace::default();
        loop {
            pace.step();
            self.scan.skip_lines();
            match self.scan.peek() {
                None => {
                    self.scan.unexpected(&Expected("`}`"));
                    return false;
                }
                Some(b'}') => {
                    self.scan.at += 1;
                    return true;
                }
                Some(_) => {
                    let errors = self.scan.errors.len();
                    if !self.quick_statements(&mut pace) {
                        self.statement_and_end();
                    }
                    if self.scan.errors.len() > errors {
                        self.scan.skip_line();
                    }
                    if self.scan.errors.len() >= LISTED {
                        return false;
                    }
                }
            }
        }
    }

    /// Reads statements as long as they are written as tools write them and nothing is wrong with them; whether there was
    /// any.
    #[inline]
    fn quick_statements(&mut self, pace: &mut Pace) -> bool {
        let start = self.scan.at;
        let errors = self.scan.errors.len();
        while self.quick_statement() && self.scan.errors.len() == errors {
            pace.step();
            self.scan.at += 1; // the end of the line
            self.scan.line += 1;
        }
        self.scan.at > start
    }

    /// Reads a statement up to the end of its line, if it is written as tools write it; whether it is.
    #[inline]
    fn quick_statement(&mut self) -> bool {
        let start = Words::new(self.scan.bytes, self.scan.at);
        let mut words = start;
        let Some(name) = words.name() else { return false };
        if words.take(b": ") {
            self.quick_operation(Some(name), words)
        } else if let Some(started) = words.requires() {
            self.quick_dependency(name, started, words)
        } else {
            self.quick_operation(None, start)
        }
    }

    /// Reads an operation that `words` begin with; whether they do.
    fn quick_operation(&mut self, label: Option<Name>, mut words: Words<'a>) -> bool {
        let Some(operation) = words.operation() else { return false };
        let Some(end) = words.end() else { return false };
        if let Some(name) = label {
            self.label(name);
        }
        self.goal.push_at(operation, self.scan.line);
        self.scan.at = end;
        true
    }

    /// Reads the name that `words` begin with, of what `waiting` requires; whether there is one.
    fn quick_dependency(&mut self, waiting: Name, started: bool, mut words: Words<'a>) -> bool {
        let Some(on) = words.name() else { return false };
        let Some(end) = words.end() else { return false };
        let waiting = self.labelled(waiting);
        self.depends(waiting, on, started);
        self.scan.at = end;
        true
    }

    /// A statement in any form, and the end of its line.
    fn statement_and_end(&mut self) {
        let errors = self.scan.errors.len();
        match self.statement().and_then(|()| self.scan.end_of_line()) {
            Ok(()) => {}
            Err(expected) if self.scan.errors.len() == errors => self.scan.unexpected(&expected),
            Err(_) => {}
        }
    }

    /// A labelled operation, an operation, or a dependency.
    fn statement(&mut self) -> Parsed<()> {
        let start = self.scan.at;
        let Some(name) = self.scan.identifier() else {
            return Err(Expected("a label, `send`, `recv`, `calc` or `}`"));
        };
        self.scan.skip_blanks();
        match self.scan.peek() {
            Some(b':') => {
                self.scan.at += 1;
                self.scan.skip_blanks();
                self.label(name);
                let parsed = self.operation();
                if parsed.is_err() {
                    self.goal.push(Operation::compute(0)); // what the label stands for is not in doubt twice
                }
                parsed
            }
            Some(b'r') if self.scan.take(b"requires") => self.dependency(name, false),
            Some(b'i') if self.scan.take(b"irequires") => self.dependency(name, true),
            _ => {
                self.scan.at = start;
                self.operation()
            }
        }
    }

    /// Names the next operation, unless another of the rank has the name.
    #[inline]
    fn label(&mut self, name: Name) {
        if let Some(first) = self.labels.insert(name, self.goal.next()) {
            self.labelled_twice(name, first.at);
        }
    }

    #[cold]
    fn labelled_twice(&mut self, name: Name, first: usize) {
        let written = name.written(self.scan.bytes);
        let line = self.scan.line_of(first);
        let shown = String::from_utf8_lossy(written);
        let message = format!("`{shown}` labels two operations of this rank; the first is in line {line}");
        self.scan.error(name.at..name.at + written.len(), message);
        if let Some(error) = self.scan.errors.last_mut() {
            error.first = Some(first..first + written.len());
        }
    }

    /// What stands behind `requires`, or, where the start is meant, `irequires`.
    fn dependency(&mut self, name: Name, started: bool) -> Parsed<()> {
        let waiting = self.labelled(name);
        self.scan.skip_blanks();
        let on = self.scan.identifier().ok_or(Expected("the label of the required operation"))?;
        self.depends(waiting, on, started);
        Ok(())
    }

    /// The operation `waiting`, if it is known, requires the one that `on` names.
    #[inline]
    fn depends(&mut self, waiting: Option<u32>, on: Name, started: bool) {
        match (waiting, self.labelled(on)) {
            (Some(waiting), Some(on)) if started => self.goal.irequires(waiting, on),
            (Some(waiting), Some(on)) => self.goal.requires(waiting, on),
            _ => {}
        }
    }

    #[inline]
    fn labelled(&mut self, name: Name) -> Option<u32> {
        let known = self.labels.get(name);
        if known.is_none() {
            self.not_labelled(name);
        }
        known
    }

    #[cold]
    fn not_labelled(&mut self, name: Name) {
        let written = name.written(self.scan.bytes);
        let message = format!("no earlier operation of this rank has the label `{}`", String::from_utf8_lossy(written));
        self.scan.error(name.at..name.at + written.len(), message);
    }

    fn operation(&mut self) -> Parsed<()> {
        let line = self.scan.line;
        let operation = if self.scan.take(b"send") {
            self.message(Action::Send)?
        } else if self.scan.take(b"recv") {
            self.message(Action::Receive)?
        } else if self.scan.take(b"calc") {
            let size = self.scan.integer("a number of ticks")?;
            Operation { cpu: self.scan.small_option(b"cpu")?, ..Operation::compute(size) }
        } else {
            return Err(Expected("`send`, `recv`, `calc`, or `requires` after a label"));
        };
        self.goal.push_at(operation, line);
        Ok(())
    }

    #[inline]
    fn message(&mut self, action: Action) -> Parsed<Operation> {
        let size = self.scan.integer("a number of bytes")?;
        self.scan.byte(b'b', "`b` after the number of bytes")?;
        let peer = if action == Action::Receive {
            self.scan.word(b"from", "from")?;
            self.scan.rank_or_any()?
        } else {
            self.scan.word(b"to", "to")?;
            self.scan.number("a rank")?
        };
        self.scan.skip_blanks();
        let tag = if self.scan.take(b"tag") { self.scan.tag()? } else { 0 };
        let cpu = self.scan.small_option(b"cpu")?;
        let nic = self.scan.small_option(b"nic")?;
        Ok(Operation { action, size, peer, tag, cpu, nic })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Lines as tools write them, lines that are written in other ways, and lines that are wrong.
    const LINES: &[&str] = &[
        "l1: send 8b to 1",
        "l1: send 8b to 1 tag 7 cpu 1 nic 255",
        "l2: recv 18446744073709551615b from 0 tag 4294967294",
        "l2: recv 8b from 0 tag 4294967295",
        "send 8b to 0 tag 18446744073709551614",
        "send 8b to 0 tag 18446744073709551615",
        "send 8b to 0 tag 18446744073709551616",
        "l2: recv 8b from 0 tag 5010012302",
        "l2: recv 8b from 0 tag 6010012302 cpu 1 nic 1",
        "l2: recv 8b from 999999999",
        "a_label_of_many_bytes: calc 9999999999999999999 cpu 3",
        "send 8b to 0 tag 0",
        "calc 10",
        "l2 requires l1",
        "l2 irequires l1",
        "a_label_of_many_bytes requires a_label_of_many_bytez",
        "send: send 1b to 0",
        "send requires send",
        "l9:send 8b to 1",
        "  calc 5 // five",
        "recv 8b from -1 tag -1",
        "l2 requires  l1",
        "l1: send 8b to 4294967295",
        "l1: send 8 b to 1",
        "l1: recv 8b to 1",
        "calc 5 cpu 256",
        "calc 5 nic 1",
        "send 8b to 1 tag",
        "l1: nothing",
        "l2 requires",
        "l1: send 99999999999999999999b to 1",
    ];

    /// The same, read in the general way alone.
    fn in_any_form(bytes: &[u8]) -> Result<Goal, Vec<GoalError>> {
        // a blank at the end of a line is nothing, and no tool writes it
        let spaced: Vec<u8> = bytes
            .split_inclusive(|&byte| byte == b'\n')
            .flat_map(|line| [&line[..line.len() - 1], b" \n"].concat())
            .collect();
        Goal::read(&spaced)
    }

    proptest! {
        #[test]
        fn the_quick_way_reads_what_the_general_one_does(lines in prop::collection::vec(0..LINES.len(), 0..8)) {
            let lines: String = lines.into_iter().map(|line| format!("{}\n", LINES[line])).collect();
            let text = format!("num_ranks 2\nrank 0 {{\n{lines}}}\nrank 1 {{\n{lines}}}\n");
            // an end of a line is told behind its blanks
            let said = |errors: Vec<GoalError>| -> Vec<String> {
                errors.iter().map(|error| format!("{}: {}", error.line, error.message)).collect()
            };
            let quick = Goal::read(text.as_bytes());
            let general = in_any_form(text.as_bytes());
            prop_assert_eq!(quick.as_ref().map(|goal| &goal.lines).ok(), general.as_ref().map(|goal| &goal.lines).ok());
            prop_assert_eq!(quick.map_err(said), general.map_err(said));
        }
    }
}
