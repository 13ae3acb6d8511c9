//! Text of a picture: how numbers are written, how much room text takes, where titles break.
//!
//! Widths are those of a wide sans-serif font (DejaVu Sans), as each viewer of an SVG has fonts of its own: what fits
//! here fits there. This module refuses to know where text is.

use crate::kind::words::thousands;

/// Which part of a text is at its place, from left to right; its middle is from top to bottom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Left,
    Middle,
    Right,
}

/// `value`, not below zero, with commas between thousands and so many decimals.
pub(super) fn fixed(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    if fraction.is_empty() { thousands(whole) } else { format!("{}.{fraction}", thousands(whole)) }
}

/// `value` with commas between thousands and at most `decimals` decimals, without zeros at the end.
pub(crate) fn number(value: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", value.abs());
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let point = if fraction.trim_end_matches('0').is_empty() { "" } else { "." };
    let text = format!("{}{point}{}", thousands(whole), fraction.trim_end_matches('0'));
    if value < 0.0 && text != "0" { format!("−{text}") } else { text }
}

/// `value` with commas between thousands and four digits or all of its whole part.
pub(crate) fn significant(value: f64) -> String {
    let least = [1000.0, 100.0, 10.0, 1.0, 0.1, 0.01].into_iter().position(|power| value.abs() >= power);
    number(value, least.unwrap_or(6))
}

/// About how many pixels `text` takes in letters of `size` pixels, rather too many than too few.
pub(super) fn width(text: &str, size: i32) -> i32 {
    let thousandths: i32 = text.chars().map(letter).sum();
    // not div_ceil, which is unsigned only: neither factor is negative
    (thousandths * size + 999) / 1000
}

/// Thousandths of its size that a letter is wide.
fn letter(letter: char) -> i32 {
    match letter {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '\'' | '|' | ' ' => 350,
        'f' | 'r' | 't' | '(' | ')' | '[' | ']' | '-' | '/' => 440,
        'm' | 'w' | 'M' | 'W' | '%' | '@' => 1030,
        'A'..='Z' | '+' | '=' | '<' | '>' | '−' => 800,
        _ => 670,
    }
}

/// `text` in lines of at most `widest` pixels, as far as its words allow.
pub(super) fn lines(text: &str, size: i32, widest: i32) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if width(&format!("{line} {word}"), size) <= widest => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// `text` in as few lines of at most `widest` pixels as its words allow, about equally long.
pub(super) fn balanced(text: &str, size: i32, widest: i32) -> Vec<String> {
    let fewest = lines(text, size, widest).len();
    let narrower = (1..=16).map(|part| lines(text, size, widest * part / 16));
    narrower.into_iter().find(|lines| lines.len() == fewest).unwrap_or_default()
}

/// `text`, or as much of its beginning as fits into `widest` pixels, and `…`.
pub(super) fn shortened(text: &str, size: i32, widest: i32) -> String {
    if width(text, size) <= widest {
        return text.to_owned();
    }
    let mut kept = text.to_owned();
    while kept.pop().is_some() && width(&format!("{kept}…"), size) > widest {}
    format!("{}…", kept.trim_end())
}

/// `name` in lines of at most `widest` pixels, broken after spaces and hyphens; none if a part of it is wider.
pub(super) fn broken(name: &str, size: i32, widest: i32) -> Option<Vec<String>> {
    let mut lines: Vec<String> = Vec::new();
    for part in name.split_inclusive([' ', '-']) {
        if width(part.trim_end(), size) > widest {
            return None;
        }
        match lines.last_mut() {
            Some(line) if width(&format!("{line}{}", part.trim_end()), size) <= widest => line.push_str(part),
            _ => lines.push(part.to_owned()),
        }
    }
    Some(lines.into_iter().map(|line| line.trim_end().to_owned()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_commas_and_no_idle_zeros() {
        let cases =
            [(0.0, 2, "0"), (1234.5, 2, "1,234.5"), (1e6, 0, "1,000,000"), (-0.25, 2, "−0.25"), (-0.001, 2, "0")];
        for (value, decimals, expected) in cases {
            assert_eq!(number(value, decimals), expected);
        }
        assert_eq!([fixed(1234.5, 2), fixed(39.0, 0)], ["1,234.50", "39"]);
    }

    #[test]
    fn titles_break_between_words() {
        assert_eq!(lines("one two three", 10, 50), ["one two", "three"]);
        assert_eq!(lines("unbreakable", 10, 5), ["unbreakable"]);
    }

    #[test]
    fn balanced_lines_are_about_equally_long() {
        assert_eq!(balanced("one two three four", 10, 90), ["one two", "three four"]);
        assert_eq!(balanced("one", 10, 90), ["one"]);
    }

    #[test]
    fn what_is_too_wide_is_cut() {
        assert_eq!([shortened("short", 10, 50), shortened("one two three", 10, 50)], ["short", "one tw…"]);
    }

    #[test]
    fn names_break_after_hyphens() {
        let broken = |name: &str| broken(name, 10, 50);
        assert_eq!(broken("double-hop"), Some(vec!["double-".to_owned(), "hop".to_owned()]));
        assert_eq!(broken("a b"), Some(vec!["a b".to_owned()]));
        assert_eq!(broken("unbreakable"), None);
    }

    /// Text is at least as wide as in DejaVu Sans, whose widths in thousandths these are.
    #[test]
    fn text_has_room_in_a_wide_font() {
        for (text, wide) in [("0123456789", 6362), ("opt-mesh", 4744), ("WM", 1852), ("(3,2) to (4,4)", 6381)] {
            assert!(width(text, 1000) >= wide, "{text}: {}", width(text, 1000));
        }
    }
}
