//! What is wrong with the TOML of a scenario, in words that say what is meant.
//!
//! The parser says what it expected next; people forget a comma, write a key twice, or bring another format. This file
//! knows the text around an error; it refuses to know what keys mean.

use super::diagnostic::{Diagnostic, Place};
use super::foreign::{TOML, configuration};
use super::lookalike::Lookalike;
use super::numeral;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// What is wrong with `text`, the source with this index, by the `error` that the parser found first.
pub(super) fn diagnostic(text: &str, source: usize, error: &toml::de::Error) -> Diagnostic {
    let mut wrong = in_text(text, error);
    let related = wrong.related.iter_mut().map(|related| &mut related.place);
    wrong.place.iter_mut().chain(related).for_each(|place| place.source = source);
    wrong
}

/// The same as if `text` were the first source.
fn in_text(text: &str, error: &toml::de::Error) -> Diagnostic {
    let span = error.span().unwrap_or(text.len()..text.len());
    if let Some(foreign) = configuration(text) {
        return at(&span, format!("this is {}, not TOML", foreign.name)).hint(foreign.hint);
    }
    let message = error.message().trim();
    let slip = lookalike(text, &span).or_else(|| written(text, &span));
    slip.or_else(|| by_message(text, &span, message)).unwrap_or_else(|| at(&span, message))
}

/// The diagnostic for the `message` of the parser, if it has a clearer one.
fn by_message(text: &str, span: &Range<usize>, message: &str) -> Option<Diagnostic> {
    match message {
        "duplicate key" => Some(duplicate(text, span)),
        _ if message.starts_with("string values must be quoted") => bare(text, span),
        _ if message.starts_with("invalid boolean") || message.starts_with("invalid float") => bare(text, span),
        _ if message.starts_with("key with no value") => no_value(text, span),
        _ if message.starts_with("extra `=`") => Some(at(span, "`==` does not set a value").hint("write one `=`")),
        _ if message.starts_with("missing comma")
            && text.get(span.start..).unwrap_or_default().trim_start().starts_with(';') =>
        {
            Some(at(span, "`;` is between two values").hint("write a comma"))
        }
        _ if message.starts_with("missing escaped value") => {
            Some(at(span, message).hint("use single quotes, in which a backslash is literal, or write two backslashes"))
        }
        _ => None,
    }
}

/// A character that only looks like a plain one, in the line of the error.
fn lookalike(text: &str, span: &Range<usize>) -> Option<Diagnostic> {
    let line = Line::containing(text, span.start);
    // within plain quotes any character is right
    let quoted = |at: usize| line.text[..at].matches(['"', '\'']).count() % 2 == 1;
    let (found, letter) = Lookalike::first_in(line.text).filter(|(found, _)| !quoted(*found))?;
    let start = line.start + found;
    Some(
        at(&(start..start + letter.len()), format!("{} is not plain text", letter.description())).hint(letter.remedy()),
    )
}

/// A value in the line of the error that is nearly TOML: the whole of it, or the element of an array that the error is in.
fn written(text: &str, span: &Range<usize>) -> Option<Diagnostic> {
    let line = Line::containing(text, span.start);
    let value = line.value();
    let begins = line.start + (value.as_ptr() as usize - line.text.as_ptr() as usize);
    if let Some(ended) = value.strip_suffix(';').filter(|ended| !ended.contains([';', '[', '('])) {
        let end = begins + ended.len();
        return Some(at(&(end..end + 1), "a line of TOML does not end with `;`").hint("remove it"));
    }
    let comment = ["//", "/*"].into_iter().find_map(|mark| value.find(mark));
    if let Some(comment) = comment.filter(|&comment| !value[..comment].contains(['"', '\''])) {
        let start = begins + comment;
        let message = format!("`{}` does not begin a comment", &value[comment..comment + 2]);
        return Some(at(&(start..start + 2), message).hint("comments begin with `#`"));
    }
    if let Some(slip) = numeral::explain(value) {
        return Some(at(&(begins..begins + value.len()), format!("`{value}` {}", slip.problem)).hint(slip.hint));
    }
    let (begins, element) = line.element(span.start);
    let are_values = element.contains(' ') && element.split_whitespace().all(|value| DeValue::parse(value).is_ok());
    let slip = numeral::explain(element).filter(|_| !are_values)?;
    Some(at(&(begins..begins + element.len()), format!("`{element}` {}", slip.problem)).hint(slip.hint))
}

/// A line of a text.
struct Line<'t> {
    start: usize,
    text: &'t str,
}

impl<'t> Line<'t> {
    /// The line around byte `at`.
    fn containing(text: &'t str, at: usize) -> Self {
        let bytes = text.as_bytes();
        let at = at.min(bytes.len());
        let start = bytes[..at].iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let end = bytes[at..].iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |length| at + length);
        Self { start, text: &text[start..end] }
    }

    /// The text behind the first `=`, without a comment and blanks around. Empty if there is no `=`.
    fn value(&self) -> &'t str {
        let behind = self.text.split_once('=').map_or(&self.text[self.text.len()..], |(_, value)| value);
        behind.split('#').next().unwrap_or_default().trim()
    }

    /// The text around byte `at` of the whole text up to the next separators, without blanks, and where it begins.
    fn element(&self, at: usize) -> (usize, &'t str) {
        const SEPARATORS: [char; 6] = [',', '[', ']', '=', '{', '}'];
        let (before, behind) = self.text.split_at(at.saturating_sub(self.start).min(self.text.len()));
        let from = before.rfind(SEPARATORS).map_or(0, |separator| separator + 1);
        let length = behind.find(SEPARATORS).unwrap_or(behind.len());
        let element = &self.text[from..before.len() + length];
        let blanks = element.len() - element.trim_start().len();
        (self.start + from + blanks, element.trim())
    }
}

/// What is wrong with a text that says nothing; none of one that says something.
pub(super) fn empty(text: &str) -> Option<Diagnostic> {
    let says_something = |line: &str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    if text.lines().any(says_something) {
        return None;
    }
    let what = if text.trim().is_empty() { "the file is empty" } else { "the file contains only comments" };
    let hint = "start from a template: `flitwise new multicast`, for example, prints a complete scenario";
    Some(at(&(0..0), what).hint(hint))
}

fn at(span: &Range<usize>, message: impl Into<String>) -> Diagnostic {
    Diagnostic::at(Place { source: 0, span: span.clone() }, message)
}

/// Something that is neither quoted nor a number: a string without quotes, or two values without a comma.
fn bare(text: &str, span: &Range<usize>) -> Option<Diagnostic> {
    let written = text.get(span.clone())?.trim_end();
    let values: Vec<&str> = written.split_whitespace().collect();
    if written.is_empty() {
        return Some(at(span, "a value is missing after `=`"));
    }
    if values.len() > 1 && values.iter().all(|value| DeValue::parse(value).is_ok()) {
        return Some(at(span, format!("a comma is missing between `{}` and `{}`", values[0], values[1])));
    }
    let plain = !written.contains(['"', '\'', '[', ']', '{', '}', '=']);
    plain.then(|| at(span, format!("`{written}` is not a value")).hint(format!("a string needs quotes: \"{written}\"")))
}

/// A line without `=`: `key: value`, as YAML has it, a comment of another format, or a key alone.
fn no_value(text: &str, span: &Range<usize>) -> Option<Diagnostic> {
    let line = Line::containing(text, span.start);
    let content = line.text.trim_start();
    if let Some(mark) = ["//", ";", "%", "--", "/*"].into_iter().find(|mark| content.starts_with(mark)) {
        let start = line.start + (line.text.len() - content.len());
        let message = format!("`{mark}` does not begin a comment");
        return Some(at(&(start..start + mark.len()), message).hint("comments begin with `#`"));
    }
    let (key, _) = text[line.start..span.start].split_once(':').or_else(|| line.text.split_once(':'))?;
    let wrong = at(span, format!("`{}` has no `=`", key.trim()));
    Some(if line.text.contains(":=") { wrong.hint("write `=` for `:=`") } else { wrong.hint(TOML) })
}

/// A key or a table that is given twice: which, and where it stands first.
fn duplicate(text: &str, span: &Range<usize>) -> Diagnostic {
    let name = text.get(span.clone()).unwrap_or_default().to_owned();
    let start = text[..span.start].rfind('\n').map_or(0, |newline| newline + 1);
    let before = &text[start..span.start];
    let is_table = before.trim_start().starts_with('[');
    let mut path = if is_table { Vec::new() } else { header(&text[..start]) };
    path.extend(parts(before.trim_start().trim_start_matches('[')));
    path.push(unquoted(&name));
    // what comes before has been read, and has the first
    let (table, _) = DeTable::parse_recoverable(&text[..start]);
    let first = first_of(table.get_ref(), &path).filter(|first| first.end <= span.start);
    let dotted = path.join(".");
    let (message, label) = match (is_table, path.split_last()) {
        (true, _) => (format!("[{dotted}] is given twice"), "first given here"),
        (_, Some((key, table))) if !table.is_empty() => {
            (format!("`{key}` is given twice in [{}]", table.join(".")), "first given here")
        }
        _ => (format!("`{dotted}` is given twice"), "first given here"),
    };
    let hint = if is_table { "put all its keys under one header" } else { "remove one of the two" };
    let wrong = at(span, message).hint(hint);
    match first {
        Some(span) => wrong.related(Place { source: 0, span }, label),
        None => wrong,
    }
}

/// The path of the table whose header is the last in `text`.
fn header(text: &str) -> Vec<String> {
    let header = text.lines().rev().find(|line| line.trim_start().starts_with('['));
    let Some(header) = header.map(|line| line.trim().trim_start_matches('[')) else { return Vec::new() };
    let Some((name, _)) = header.split_once(']') else { return Vec::new() };
    name.split('.').map(unquoted).collect()
}

/// The parts of a dotted key that stand before its last.
fn parts(before: &str) -> impl Iterator<Item = String> {
    let ended = before.rsplit_once('.').map_or("", |(parts, _)| parts);
    ended.split('.').map(unquoted).filter(|part| !part.is_empty())
}

fn unquoted(name: &str) -> String {
    name.trim().trim_matches(['"', '\'']).to_owned()
}

/// Where the key at `path` below `table` stands.
fn first_of(table: &DeTable<'_>, path: &[String]) -> Option<Range<usize>> {
    let (first, rest) = path.split_first()?;
    let (key, value) = table.iter().find(|(key, _)| key.get_ref() == first.as_str())?;
    if rest.is_empty() {
        return Some(key.span());
    }
    match value.get_ref() {
        DeValue::Table(inner) => first_of(inner, rest),
        DeValue::Array(values) => match values.last().map(Spanned::get_ref) {
            Some(DeValue::Table(inner)) => first_of(inner, rest),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::super::document::Document;

    /// What is said of `text`, what is shown below, and what is shown beside it.
    fn wrong(text: &str) -> (String, String, Option<String>) {
        let wrong = Document::parse("s.toml", text).unwrap_err().remove(0);
        let shown = |place: &super::Place| text[place.span.clone()].to_owned();
        let first = wrong.related.first().map(|related| {
            let line = 1 + text[..related.place.span.start].matches('\n').count();
            format!("{} in line {line}", shown(&related.place))
        });
        (wrong.message, shown(&wrong.place.unwrap()), first)
    }

    #[test]
    fn what_is_forgotten_is_told() {
        for (text, message, shown) in [
            ("a = [4 4]", "a comma is missing between `4` and `4`", "4 4"),
            ("a = [1,\n true false]", "a comma is missing between `true` and `false`", "true false"),
            ("a = [\"x\" \"y\"]", "missing comma between array elements, expected `,`", ""),
            ("a = opt-mesh", "`opt-mesh` is not a value", "opt-mesh"),
            ("a = foo", "`foo` is not a value", "foo"),
            ("a = ", "a value is missing after `=`", ""),
            ("name: x\n", "`name` has no `=`", ""),
            ("{\"name\": \"x\"}", "this is JSON, not TOML", ""),
            ("a = “x”", "a typographic quote (U+201C) is not plain text", "“"),
            ("a\u{a0}= 1", "a no-break space (U+00A0) is not plain text", "\u{a0}"),
            ("a = .1", "`.1` has no digit before the point", ".1"),
            ("a = [1, .5]", "`[1, .5]` is not a value", "[1, .5]"),
            ("a = [1, [\n .5]]", "`.5` has no digit before the point", ".5"),
            ("a = 04", "`04` begins with a zero", "04"),
            ("a = 1,000 # x", "`1,000` has a comma", "1,000"),
            ("a = [4; 4]", "`[4; 4]` has `;` instead of commas between values", "[4; 4]"),
            ("a = 8x8", "`8x8` is not a value", "8x8"),
            ("a = [\"x\"; \"y\"]", "`;` is between two values", ""),
            ("a = \"x\";", "a line of TOML does not end with `;`", ";"),
            ("a = 3 // x", "`//` does not begin a comment", "//"),
            ("// x\na = 3", "`//` does not begin a comment", "//"),
            ("a == 3", "`==` does not set a value", "="),
            ("a = nothing", "`nothing` is not a value", "nothing"),
            ("", "the file is empty", ""),
            ("# nothing\n\n", "the file contains only comments", ""),
        ] {
            assert_eq!(wrong(text), (message.to_owned(), shown.to_owned(), None), "{text}");
        }
    }

    #[test]
    fn what_stands_twice_is_named_with_its_first_place() {
        for (text, message, shown, first) in [
            ("a = 1\nb = 2\na = 3\n", "`a` is given twice", "a", "a in line 1"),
            ("[x]\na = 1\n[y]\na = 1\nb = 2\na = 3\n", "`a` is given twice in [y]", "a", "a in line 4"),
            ("[x.y]\n\"a\" = [\n  1]\na = 3\n", "`a` is given twice in [x.y]", "a", "\"a\" in line 2"),
            ("[x]\ny.a = 1\ny.a = 2\n", "`a` is given twice in [x.y]", "a", "a in line 2"),
            ("[x]\na = 1\n[x]\nb = 2\n", "[x] is given twice", "x", "x in line 1"),
            ("[x.y]\na = 1\n[z]\n[x.y]\nb = 2\n", "[x.y] is given twice", "y", "y in line 1"),
            ("[[x]]\na = 1\n[[x]]\na = 1\na = 2\n", "`a` is given twice in [x]", "a", "a in line 4"),
        ] {
            let expected = (message.to_owned(), shown.to_owned(), Some(first.to_owned()));
            assert_eq!(wrong(text), expected, "{text}");
        }
    }
}
