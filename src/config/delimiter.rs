//! What separates fields in files from spreadsheets, where a comma should.

/// What separates the fields of `line` instead of commas, if anything seems to: `;`, a tab, `|`, or blanks.
pub(crate) fn other_delimiter(line: &str) -> Option<&'static str> {
    let line = line.trim();
    let written = [(";", "`;`"), ("\t", "a tab"), ("|", "`|`")];
    let found = written.into_iter().find(|(delimiter, _)| line.contains(delimiter));
    match found {
        Some((_, name)) => Some(name),
        None if !line.contains(',') && line.contains(' ') => Some("a blank"),
        None => None,
    }
}

/// What to do about another delimiter than the comma.
pub(crate) fn how_to_delimit(delimiter: &str) -> String {
    format!("write a comma for {delimiter}; spreadsheets save that as \"CSV (comma delimited)\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_for_a_comma_is_named() {
        let cases = [
            ("0;1;2", Some("`;`")),
            ("0,5;1,5", Some("`;`")),
            ("0\t1", Some("a tab")),
            ("a|b", Some("`|`")),
            (" 0 1 2 ", Some("a blank")),
            ("0, 1, 2", None),
            (" 7 ", None),
            ("", None),
        ];
        for (line, expected) in cases {
            assert_eq!(other_delimiter(line), expected, "{line:?}");
        }
    }
}
