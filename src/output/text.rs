//! Text for people: words in lines that are not too wide, numbers in runs.

use crate::kind::words::counted;

/// The words of `text` in lines of at most `width` columns, where no word is longer: the first line begins with
/// `first`, the others with `further`.
pub fn wrapped(text: &str, first: &str, further: &str, width: usize) -> String {
    let mut lines = String::new();
    let mut line = first.to_owned();
    let mut empty = true;
    for word in text.split_whitespace() {
        if !empty && line.chars().count() + 1 + word.chars().count() > width {
            lines += &line;
            lines.push('\n');
            further.clone_into(&mut line);
            empty = true;
        }
        if !empty {
            line.push(' ');
        }
        line += word;
        empty = false;
    }
    lines + &line + "\n"
}

/// Names the `columns` that a table of this `width` does not show, and `place`, which has them.
pub fn hidden_columns(columns: &[&str], width: usize, place: &str) -> String {
    let (verb, pronoun) = if columns.len() == 1 { ("is", "it") } else { ("are", "them") };
    let count = counted(columns.len() as u64, "column");
    let names = columns.join(", ");
    format!(
        "{count} {verb} hidden at {width} characters per line: {names}. A wider terminal or {place} shows {pronoun}."
    )
}

/// Ascending numbers with `between` them, runs of neighbours as `1-3`.
pub fn ranges(numbers: &[usize], between: &str) -> String {
    let runs = numbers.chunk_by(|a, b| a + 1 == *b).map(|run| match run {
        [first, .., last] => format!("{first}-{last}"),
        _ => run.first().map_or_else(String::new, usize::to_string),
    });
    runs.collect::<Vec<_>>().join(between)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_wrapped_and_runs_found() {
        assert_eq!(wrapped("one two three", "  ", "      ", 9), "  one two\n      three\n");
        assert_eq!(ranges(&[1, 2, 3, 5, 8, 9], ","), "1-3,5,8-9");
        assert_eq!(ranges(&[7], ","), "7");
    }
}
