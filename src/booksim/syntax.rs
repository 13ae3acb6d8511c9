//! The language of configuration files: `key = value;` over any lines.
//!
//! Values are integers, decimals, words and vectors. Blanks, line ends and comments from `//` to the end of a line separate
//! tokens, and a value contains none of them. After an error the reader continues behind the next `;`, so that one pass
//! finds all errors. Independent of the meaning of keys.
//!
//! In configurations of embedded networks an assignment also ends with its line, so that `;` may be missing. Lines such as
//! `[config]`, and lines that begin with `#` or `;`, are skipped, as the library of PSAL reads them.

use super::Input;
use super::dialect::Dialect;
use super::problem::{Location, Problem};
use std::sync::Arc;

/// Type of a value as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Digits, possibly with a sign.
    Integer,
    /// A number with a point or an exponent.
    Decimal,
    /// A word, a function or a vector.
    Word,
}

/// An assignment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Assignment {
    pub(super) key: String,
    /// The value as it is written.
    pub(super) text: String,
    pub(super) form: Form,
    pub(super) location: Location,
}

/// Assignments in their order, and the errors between them.
#[derive(Debug, Default)]
pub(super) struct Parsed {
    pub(super) assignments: Vec<Assignment>,
    pub(super) problems: Vec<Problem>,
}

/// Reads all inputs in order.
pub(super) fn parse(inputs: &[Input], dialect: Dialect) -> Parsed {
    let mut parsed = Parsed::default();
    for input in inputs {
        match input {
            Input::File { path, text } => Parser::new(text, Origin::File(path), dialect, &mut parsed).read(),
            Input::Override { number, text } => {
                // the `;` at the end of an argument may be left out
                Parser::new(&format!("{text};"), Origin::Argument(*number), dialect, &mut parsed).read();
            }
        }
    }
    parsed
}

/// Origin of a text.
#[derive(Clone, Copy)]
enum Origin<'a> {
    File(&'a Arc<str>),
    Argument(usize),
}

impl Origin<'_> {
    fn location(self, line: usize) -> Location {
        match self {
            Self::File(path) => Location::Line { path: Arc::clone(path), line },
            Self::Argument(number) => Location::Argument(number),
        }
    }
}

/// A token with the number of its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Token<'t> {
    text: &'t str,
    kind: TokenKind,
    line: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TokenKind {
    Equals,
    Semicolon,
    /// The end of a line, where it ends an assignment.
    LineEnd,
    Value(Form),
    /// A vector without its last brace.
    OpenVector,
    /// A character that begins no token.
    Other,
    End,
}

impl Token<'_> {
    /// The token as an error shows it.
    fn shown(&self) -> String {
        match self.kind {
            TokenKind::LineEnd => "the end of the line".to_owned(),
            TokenKind::End => "the end of the text".to_owned(),
            _ => format!("`{}`", self.text),
        }
    }
}

struct Parser<'t, 'p> {
    text: &'t str,
    position: usize,
    line: usize,
    origin: Origin<'t>,
    dialect: Dialect,
    parsed: &'p mut Parsed,
}

impl<'t, 'p> Parser<'t, 'p> {
    fn new(text: &'t str, origin: Origin<'t>, dialect: Dialect, parsed: &'p mut Parsed) -> Self {
        Self { text, position: 0, line: 1, origin, dialect, parsed }
    }

    fn read(&mut self) {
        loop {
            let key = self.token();
            match key.kind {
                TokenKind::End => return,
                TokenKind::LineEnd => {}
                // an override may end with a `;` of its own
                TokenKind::Semicolon if matches!(self.origin, Origin::Argument(_)) => {}
                _ if self.begins_skipped_line(key) => self.skip_line(),
                _ => self.assignment(key),
            }
        }
    }

    /// True if `token` begins a section or a comment of a line.
    fn begins_skipped_line(&self, token: Token<'t>) -> bool {
        let start = self.position - token.text.len();
        let is_first = || self.text[..start].rsplit('\n').next().is_some_and(|before| before.trim().is_empty());
        let rest = || self.remainder().lines().next().unwrap_or_default();
        let is_section = || rest().split("//").next().is_some_and(|rest| rest.trim_end().ends_with(']'));
        let is_skipped = match token.text {
            "[" => is_section(),
            text => matches!(text, "#" | ";"),
        };
        self.dialect == Dialect::Embedded && is_skipped && is_first()
    }

    fn skip_line(&mut self) {
        let rest = self.remainder();
        self.position += rest.find('\n').unwrap_or(rest.len());
    }

    /// Reads an assignment that begins with `key`. After an error it continues behind the end of the assignment.
    fn assignment(&mut self, key: Token<'t>) {
        if key.kind != TokenKind::Value(Form::Word) || key.text.starts_with('{') {
            return self.refuse(key, "a key is expected");
        }
        let equals = self.token();
        if equals.kind != TokenKind::Equals {
            return self.refuse(equals, &format!("`=` is expected after the key `{}`", key.text));
        }
        let value = self.token();
        let TokenKind::Value(form) = value.kind else {
            return self.refuse(value, &format!("{} for `{}`", expected_value(value), key.text));
        };
        let end = self.token();
        if !self.ends_assignment(end.kind) {
            return self
                .refuse(end, &format!("{} is expected after `{} = {}`", self.expected_end(), key.text, value.text));
        }
        let location = self.origin.location(key.line);
        let (key, text) = (key.text.to_owned(), value.text.to_owned());
        self.parsed.assignments.push(Assignment { key, text, form, location });
    }

    /// True if a token ends an assignment.
    fn ends_assignment(&self, kind: TokenKind) -> bool {
        match kind {
            TokenKind::Semicolon | TokenKind::LineEnd => true,
            TokenKind::End => self.dialect == Dialect::Embedded,
            _ => false,
        }
    }

    fn expected_end(&self) -> &'static str {
        match self.dialect {
            Dialect::Standalone => "`;`",
            Dialect::Embedded => "`;` or the end of the line",
        }
    }

    /// Reports an unexpected `token` and skips the rest of the assignment.
    fn refuse(&mut self, token: Token<'t>, expected: &str) {
        self.parsed.problems.push(Problem {
            location: Some(self.origin.location(token.line)),
            subject: format!("{} was read", token.shown()),
            reason: expected.to_owned(),
            accepted: String::new(),
        });
        let mut kind = token.kind;
        while !matches!(kind, TokenKind::Semicolon | TokenKind::LineEnd | TokenKind::End) {
            kind = self.token().kind;
        }
    }

    fn remainder(&self) -> &'t str {
        &self.text[self.position..]
    }

    fn skip_blanks(&mut self) {
        loop {
            let rest = self.remainder();
            let length = match rest.as_bytes().first() {
                Some(b' ' | b'\t' | b'\r') => 1,
                Some(b'\n') if self.dialect == Dialect::Standalone => {
                    self.line += 1;
                    1
                }
                Some(b'/') if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
                _ => return,
            };
            self.position += length;
        }
    }

    fn token(&mut self) -> Token<'t> {
        self.skip_blanks();
        let (kind, length) = next_token(self.remainder());
        let token = Token { text: &self.remainder()[..length], kind, line: self.line };
        self.position += length;
        self.line += usize::from(kind == TokenKind::LineEnd);
        token
    }
}

/// The value that is expected in place of `token`.
fn expected_value(token: Token<'_>) -> &'static str {
    match token.kind {
        TokenKind::OpenVector => "a vector such as {1,5} without blanks is expected",
        _ => "a value (integer, decimal, word or vector) is expected",
    }
}

/// The kind and the length of the token that `text` begins with. The longest token counts, and of equally long ones the
/// number.
fn next_token(text: &str) -> (TokenKind, usize) {
    let Some(first) = text.chars().next() else { return (TokenKind::End, 0) };
    match first {
        '=' => return (TokenKind::Equals, 1),
        ';' => return (TokenKind::Semicolon, 1),
        '\n' => return (TokenKind::LineEnd, 1),
        '{' => return vector(text),
        _ => {}
    }
    let word = if is_word_start(first) { span(text, is_word_part) } else { 0 };
    match number(text) {
        Some((form, length)) if length >= word => (TokenKind::Value(form), length),
        _ if word > 0 => (TokenKind::Value(Form::Word), word),
        _ => (TokenKind::Other, first.len_utf8()),
    }
}

/// A vector reaches to the last brace of its characters.
fn vector(text: &str) -> (TokenKind, usize) {
    let length = span(text, is_word_part);
    match text[..length].rfind('}') {
        Some(end) if length > 2 => (TokenKind::Value(Form::Word), end + 1),
        _ => (TokenKind::OpenVector, length),
    }
}

/// The form and the length of the number that `text` begins with.
fn number(text: &str) -> Option<(Form, usize)> {
    let sign = usize::from(text.starts_with('-'));
    let digits_end = sign + span(&text[sign..], is_digit);
    let fraction = match text[digits_end..].strip_prefix('.') {
        Some(rest) => span(rest, is_digit),
        None => 0,
    };
    let mantissa = if fraction > 0 { digits_end + 1 + fraction } else { digits_end };
    if mantissa == sign {
        return None;
    }
    match exponent(&text[mantissa..]) {
        0 if fraction == 0 => Some((Form::Integer, mantissa)),
        length => Some((Form::Decimal, mantissa + length)),
    }
}

/// The length of the exponent that `text` begins with, or 0 if there is none.
fn exponent(text: &str) -> usize {
    let Some(rest) = text.strip_prefix(['e', 'E']) else { return 0 };
    let sign = usize::from(rest.starts_with(['+', '-']));
    match span(&rest[sign..], is_digit) {
        0 => 0,
        digits => 1 + sign + digits,
    }
}

/// The length of the characters at the beginning of `text` that are `accepted`.
fn span(text: &str, accepted: fn(char) -> bool) -> usize {
    text.find(|c| !accepted(c)).unwrap_or(text.len())
}

fn is_digit(c: char) -> bool {
    c.is_ascii_digit()
}

fn is_word_start(c: char) -> bool {
    c.is_ascii_alphabetic() || "_-/.".contains(c)
}

fn is_word_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_-/.+({,)}".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Parsed {
        parse(&[Input::File { path: "f.cfg".into(), text: text.to_owned() }], Dialect::Standalone)
    }

    fn read_embedded(text: &str) -> Parsed {
        parse(&[Input::File { path: "f.icnt".into(), text: text.to_owned() }], Dialect::Embedded)
    }

    fn values(text: &str) -> Vec<(String, Form)> {
        let parsed = read(text);
        assert_eq!(parsed.problems, [], "{text}");
        parsed.assignments.into_iter().map(|assignment| (assignment.text, assignment.form)).collect()
    }

    #[test]
    fn values_have_the_forms_of_booksim() {
        for (text, form) in [
            ("4", Form::Integer),
            ("-1", Form::Integer),
            ("1.0", Form::Decimal),
            (".5", Form::Decimal),
            ("-.5", Form::Decimal),
            ("1e-3", Form::Decimal),
            ("-", Form::Word),
            ("mesh", Form::Word),
            ("net/a.anynet", Form::Word),
            ("{1,5}", Form::Word),
            ("{{1,5},{3}}", Form::Word),
            ("{1e-3,.5}", Form::Word),
            ("on_off({0.02,0.1})", Form::Word),
            ("hotspot({{0,63},{3,1}})", Form::Word),
            ("separable_input_first(tree(4,round_robin))", Form::Word),
        ] {
            assert_eq!(values(&format!("k = {text};")), [(text.to_owned(), form)]);
        }
    }

    #[test]
    fn assignments_may_span_lines_and_have_comments() {
        let parsed = read("// a mesh\nk\n = // of eight\n 8 ;n=2;\n");
        let lines: Vec<_> = parsed.assignments.iter().map(|a| (a.key.as_str(), a.location.to_string())).collect();
        assert_eq!(lines, [("k", "f.cfg:2".to_owned()), ("n", "f.cfg:4".to_owned())]);
    }

    #[test]
    fn errors_state_what_was_read_and_what_is_expected() {
        for (text, shown) in [
            ("k = 4\n", "f.cfg:2: the end of the text was read: `;` is expected after `k = 4`"),
            ("\n= 4;", "f.cfg:2: `=` was read: a key is expected"),
            ("k 4;", "f.cfg:1: `4` was read: `=` is expected after the key `k`"),
            ("k = ;", "f.cfg:1: `;` was read: a value (integer, decimal, word or vector) is expected for `k`"),
            ("k = {1, 5};", "f.cfg:1: `{1,` was read: a vector such as {1,5} without blanks is expected for `k`"),
            ("k = 2x;", "f.cfg:1: `x` was read: `;` is expected after `k = 2`"),
            ("k = 1.;", "f.cfg:1: `.` was read: `;` is expected after `k = 1`"),
            ("k = §;", "f.cfg:1: `§` was read: a value (integer, decimal, word or vector) is expected for `k`"),
        ] {
            let shown_problems: Vec<String> = read(text).problems.iter().map(ToString::to_string).collect();
            assert_eq!(shown_problems, [shown]);
        }
    }

    #[test]
    fn reading_continues_after_an_error() {
        let parsed = read("k = ;\nn = 2;\n= 3;\nc = 1;");
        let keys: Vec<&str> = parsed.assignments.iter().map(|assignment| assignment.key.as_str()).collect();
        assert_eq!((keys, parsed.problems.len()), (vec!["n", "c"], 2));
    }

    #[test]
    fn arguments_need_no_semicolon() {
        let parsed = parse(&[Input::Override { number: 2, text: "k=4;n=3".to_owned() }], Dialect::Standalone);
        let read: Vec<_> = parsed.assignments.iter().map(|a| (a.key.as_str(), a.location.to_string())).collect();
        assert_eq!(read, [("k", "argument 2".to_owned()), ("n", "argument 2".to_owned())]);
        let parsed = parse(&[Input::Override { number: 3, text: "k=4;".to_owned() }], Dialect::Standalone);
        assert_eq!((parsed.assignments.len(), parsed.problems.len()), (1, 0));
    }

    #[test]
    fn lines_of_embedded_networks_need_no_semicolon() {
        let text =
            "[config]\n# a\n; b\n  k = 4 // four\r\nn = 2;\n\n//c\nname = islip; //loa;\nx = 1; y = 2\nz={{1,2},{3}};";
        let parsed = read_embedded(text);
        let read: Vec<_> = parsed.assignments.iter().map(|a| format!("{} {} {}", a.location, a.key, a.text)).collect();
        let expected = ["4 k 4", "5 n 2", "8 name islip", "9 x 1", "9 y 2", "10 z {{1,2},{3}}"];
        assert_eq!(read, expected.map(|line| format!("f.icnt:{line}")));
        assert_eq!(parsed.problems, []);
    }

    #[test]
    fn errors_in_lines_of_embedded_networks_end_with_the_line() {
        let parsed = read_embedded("[config\nk = \nn 2\nx = 1 y = 2\nz = 3;;\n= 4\nc = 1");
        let shown: Vec<String> = parsed.problems.iter().map(ToString::to_string).collect();
        let expected = [
            "1: `[` was read: a key is expected",
            "2: the end of the line was read: a value (integer, decimal, word or vector) is expected for `k`",
            "3: `2` was read: `=` is expected after the key `n`",
            "4: `y` was read: `;` or the end of the line is expected after `x = 1`",
            "5: `;` was read: a key is expected",
            "6: `=` was read: a key is expected",
        ];
        assert_eq!(shown, expected.map(|problem| format!("f.icnt:{problem}")));
        let keys: Vec<&str> = parsed.assignments.iter().map(|assignment| assignment.key.as_str()).collect();
        assert_eq!(keys, ["z", "c"]);
    }
}
