//! Text of a plot: how numbers are written, how wide text will be, where titles break.
//!
//! Widths are those of a wide sans-serif font, as whoever looks at an SVG has fonts of their own: what fits here fits there.

/// `value` with commas between thousands and at most `decimals` decimals, without zeros at the end.
pub(super) fn number(value: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", value.abs());
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let mut grouped = String::new();
    for (at, digit) in whole.char_indices() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    let fraction = fraction.trim_end_matches('0');
    if !fraction.is_empty() {
        grouped = format!("{grouped}.{fraction}");
    }
    let negative = value < 0.0 && grouped != "0";
    if negative { format!("−{grouped}") } else { grouped }
}

/// What a size of a font, as the plotting library counts it, is divided by in SVG: 1.24, here less, for wider fonts.
const SHRUNK: u32 = 1_180;

/// About how many pixels `text` takes at a font size of `size` pixels, rather too many than too few.
pub(super) fn width(text: &str, size: u32) -> u32 {
    let thousandths = |c: char| match c {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '\'' | '|' | ' ' => 330,
        'f' | 'r' | 't' | '(' | ')' | '[' | ']' | '-' | '/' => 420,
        'm' | 'w' | 'M' | 'W' | '%' | '@' => 980,
        'A'..='Z' | '+' | '=' | '<' | '>' | '−' => 760,
        _ => 640,
    };
    (text.chars().map(thousandths).sum::<u32>() * size).div_ceil(SHRUNK)
}

/// `text` in lines of at most `widest` pixels, as far as its words allow.
pub(super) fn lines(text: &str, size: u32, widest: u32) -> Vec<String> {
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
    }

    #[test]
    fn titles_break_between_words() {
        assert_eq!(lines("one two three", 10, 50), ["one two", "three"]);
        assert_eq!(lines("unbreakable", 10, 5), ["unbreakable"]);
    }
}
