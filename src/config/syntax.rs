//! What is wrong with the TOML of a scenario, in words that say what is meant.
//!
//! The parser says what it expected next; people forget a comma, write a key twice, or bring another format. This file
//! knows the text around an error; it refuses to know what keys mean.

use super::diagnostic::{Diagnostic, Place};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// What a scenario is, for files that are something else.
const TOML: &str = "a scenario is TOML: `key = value` lines below [table] headers; `flitwise new multicast` prints one";

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
    let message = error.message().trim();
    if text.trim_start().starts_with(['{', '<']) {
        let what = if text.trim_start().starts_with('{') { "JSON" } else { "XML" };
        return at(&span, format!("this looks like {what}, not TOML")).hint(TOML);
    }
    let special = match message {
        "duplicate key" => Some(duplicate(text, &span)),
        _ if message.starts_with("string values must be quoted") => bare(text, &span),
        _ if message.starts_with("invalid boolean") => bare(text, &span),
        _ if message.starts_with("key with no value") => colon(text, &span),
        _ => None,
    };
    special.unwrap_or_else(|| at(&span, message))
}

/// What is wrong with a text that says nothing; none of one that says something.
pub(super) fn empty(text: &str) -> Option<Diagnostic> {
    let says_something = |line: &str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    if text.lines().any(says_something) {
        return None;
    }
    let what = if text.trim().is_empty() { "the file is empty" } else { "there is nothing in the file but comments" };
    let hint = "begin with a template: `flitwise new multicast`, for one, prints a scenario that runs";
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
        return Some(at(span, "a value is missing behind `=`"));
    }
    if values.len() > 1 && values.iter().all(|value| DeValue::parse(value).is_ok()) {
        return Some(at(span, format!("a comma is missing between `{}` and `{}`", values[0], values[1])));
    }
    let plain = !written.contains(['"', '\'', '[', ']', '{', '}', '=']);
    plain.then(|| at(span, format!("`{written}` is not a value")).hint(format!("a string needs quotes: \"{written}\"")))
}

/// `key: value`, as YAML has it.
fn colon(text: &str, span: &Range<usize>) -> Option<Diagnostic> {
    let line = text[..span.start].rsplit('\n').next().unwrap_or_default();
    let (key, _) = line.split_once(':')?;
    Some(at(span, format!("`{}` has no `=`", key.trim())).hint(TOML))
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
        (true, _) => (format!("[{dotted}] is given twice"), "the table begins here"),
        (_, Some((key, table))) if !table.is_empty() => {
            (format!("`{key}` is given twice in [{}]", table.join(".")), "it is given here first")
        }
        _ => (format!("`{dotted}` is given twice"), "it is given here first"),
    };
    let hint = if is_table { "put all its keys below one header" } else { "remove one of the two" };
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
            ("a = ", "a value is missing behind `=`", ""),
            ("name: x\n", "`name` has no `=`", ""),
            ("{\"name\": \"x\"}", "this looks like JSON, not TOML", ""),
            ("", "the file is empty", ""),
            ("# nothing\n\n", "there is nothing in the file but comments", ""),
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
