//! Lines of CSV, put together by hand where there are a great many.

use std::fmt::{Display, Write};

/// Adds `text` to `line`, between quotes where it has to be. Numbers, which are most of a line, are added as they are: a line
/// takes a tenth of the time that it takes through [`csv::Writer`].
pub(super) fn push_text(line: &mut String, text: &str) {
    if text.bytes().any(|byte| matches!(byte, b',' | b'"' | b'\n' | b'\r')) {
        line.push('"');
        line.push_str(&text.replace('"', "\"\""));
        line.push('"');
    } else {
        line.push_str(text);
    }
}

/// As [`push_text`], behind a comma.
pub(super) fn push_field(line: &mut String, text: &str) {
    line.push(',');
    push_text(line, text);
}

/// Adds a number, which needs no quotes, behind a comma.
pub(super) fn push_number(line: &mut String, number: u64) {
    line.push(',');
    line.push_str(itoa::Buffer::new().format(number));
}

/// Adds what shows as a number, behind a comma.
pub(super) fn push_shown(line: &mut String, number: impl Display) {
    #[expect(clippy::expect_used, reason = "memory takes all digits")]
    write!(line, ",{number}").expect("a text takes what is written to it");
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;

    #[test]
    fn text_is_quoted_as_others_quote_it() {
        for text in ["plain", "with, comma", "a \"quote\"", "two\nlines", "\r", " blanks ", "#"] {
            let mut line = String::from("x,");
            push_text(&mut line, text);
            let mut csv = csv::Writer::from_writer(Vec::new());
            csv.write_record(["x", text]).unwrap();
            assert_eq!(line + "\n", String::from_utf8(csv.into_inner().unwrap()).unwrap());
        }
    }
}
