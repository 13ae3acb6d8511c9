//! Diagnostics in proportion: the first few of each kind are shown, and the others are counted.
//!
//! Two diagnostics are of one kind if their messages differ in numbers and in quoted names and values alone.

use super::diagnostic::{Diagnostic, Place, Source};
use std::collections::HashMap;
use std::fmt::Write;

/// Diagnostics of one kind that are shown.
const SHOWN: usize = 3;

/// Lines of further diagnostics that are listed one by one.
const LISTED: usize = 8;

/// Units that belong to the number before them.
const UNITS: [&str; 9] = ["B", "kB", "MB", "GB", "TB", "PB", "EB", "MiB", "GiB"];

/// A diagnostic that is shown, with those of its kind that are counted after it.
pub(super) struct ShownDiagnostic<'d> {
    pub(super) diagnostic: &'d Diagnostic,
    more: Vec<&'d Diagnostic>,
}

/// Selects the first [`SHOWN`] diagnostics of each kind, in their order. The last of each has all others of its kind.
pub(super) fn in_proportion(diagnostics: &[Diagnostic]) -> Vec<ShownDiagnostic<'_>> {
    let kinds: Vec<String> = diagnostics.iter().map(|diagnostic| kind(&diagnostic.message)).collect();
    let mut left: HashMap<&str, usize> = HashMap::new();
    kinds.iter().for_each(|kind| *left.entry(kind).or_default() += 1);
    // a single one more takes no more room than to say so
    left.values_mut().for_each(|count| *count = if *count == SHOWN + 1 { SHOWN + 1 } else { SHOWN });
    let mut shown: Vec<ShownDiagnostic<'_>> = Vec::new();
    let mut last: HashMap<&str, usize> = HashMap::new();
    for (diagnostic, kind) in diagnostics.iter().zip(&kinds) {
        let left = left.entry(kind).or_default();
        match last.get(kind.as_str()) {
            Some(&index) if *left == 0 => shown[index].more.push(diagnostic),
            _ => {
                *left -= 1;
                last.insert(kind, shown.len());
                shown.push(ShownDiagnostic { diagnostic, more: Vec::new() });
            }
        }
    }
    shown
}

impl ShownDiagnostic<'_> {
    /// The number of further diagnostics of this kind, with their lines. Empty if there are none.
    pub(super) fn describe_rest(&self, sources: &[Source]) -> String {
        if self.more.is_empty() {
            return String::new();
        }
        let mut text = format!("and {} more like this", self.more.len());
        let places: Vec<&Place> = self.more.iter().filter_map(|more| more.place.as_ref()).collect();
        if let Some(source) = places.first().and_then(|place| sources.get(place.source))
            && places.len() == self.more.len()
            && places.iter().all(|place| place.source == places[0].source)
        {
            let _ = write!(text, ", in {} of {}", lines(&places, source), source.name); // a string takes everything
        }
        text
    }
}

/// Describes the lines of `places`.
fn lines(places: &[&Place], source: &Source) -> String {
    let mut numbers: Vec<usize> = places.iter().map(|place| source.line_of(place.span.start)).collect();
    numbers.sort_unstable();
    numbers.dedup();
    match numbers.as_slice() {
        [one] => format!("line {one}"),
        [first, .., last] if numbers.len() > LISTED => format!("lines {first} to {last}"),
        all => format!("lines {}", all.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// `message` without numbers, names and values.
fn kind(message: &str) -> String {
    let mut kind = String::new();
    let mut rest = message;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '`' | '"' => quoted(rest, first),
            '0'..='9' => number(rest),
            _ => None,
        };
        match length {
            // lists of different lengths are of one kind
            Some(length) => {
                let joint = kind.trim_end_matches([' ', ',', 'x', '-', '.', '_']);
                if joint.ends_with('#') {
                    kind.truncate(joint.len());
                } else {
                    kind.push('#');
                }
                rest = &rest[length..];
            }
            None => {
                kind.push(first);
                rest = &rest[first.len_utf8()..];
            }
        }
    }
    kind
}

/// The length of the quotation that `text` begins with, or `None` if it does not end.
fn quoted(text: &str, quote: char) -> Option<usize> {
    text[1..].find(quote).map(|end| end + 2)
}

/// The length of the number that `text` begins with, and of its unit.
fn number(text: &str) -> Option<usize> {
    let end = text.find(|c: char| !c.is_ascii_digit() && !".,_".contains(c)).unwrap_or(text.len());
    let digits = text[..end].trim_end_matches(['.', ',', '_']).len();
    let behind = &text[digits..];
    let unit = behind.strip_prefix(' ').unwrap_or(behind);
    let word = &unit[..unit.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(unit.len())];
    let length = if UNITS.contains(&word) { digits + (behind.len() - unit.len()) + word.len() } else { digits };
    Some(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_names_and_values_are_no_part_of_a_kind() {
        for (one, other) in [
            ("link 3 leaves router 0, not 1", "link 14 leaves router 12, not 7"),
            ("no row is called `x`", "no row is called `a b`"),
            ("`rate` cannot be \"a\"", "`shape` cannot be \"\""),
            ("a 8x8 mesh needs 999 GB of memory", "a 16x16x2 mesh needs 1.2 TB of memory"),
            ("a path over (0, 1)", "a path over (0, 1, 2)"),
            ("cannot be -1", "cannot be -2.5"),
        ] {
            assert_eq!(kind(one), kind(other));
        }
        assert_ne!(kind("a link is missing"), kind("a node is missing"));
        assert_ne!(kind("1 field"), kind("1 node"));
    }

    #[test]
    fn three_of_a_kind_are_shown_and_the_rest_is_counted() {
        let text = "a\nb\nc\nd\ne\n";
        let place = |line: usize| Place { source: 0, span: 2 * line..2 * line + 1 };
        let mut all: Vec<Diagnostic> =
            (0..5).map(|line| Diagnostic::at(place(line), format!("wrong {line}"))).collect();
        all.insert(1, Diagnostic::unplaced("something else"));
        let sources = [Source::new("t", text)];
        let shown = in_proportion(&all);
        let told: Vec<(&str, String)> =
            shown.iter().map(|shown| (shown.diagnostic.message.as_str(), shown.describe_rest(&sources))).collect();
        let none = String::new;
        let rest = "and 2 more like this, in lines 4, 5 of t".to_owned();
        assert_eq!(told, [("wrong 0", none()), ("something else", none()), ("wrong 1", none()), ("wrong 2", rest)]);
        let four = in_proportion(&all[..5]);
        assert!(four.len() == 5 && four.iter().all(|shown| shown.more.is_empty()), "a fourth is shown");
    }
}
