//! Separators of fields in files from spreadsheets, where a comma should be.

/// Another separator than the comma.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Delimited {
    /// The separator, for messages.
    pub(crate) name: &'static str,
    /// True if numbers have a decimal comma.
    decimal_commas: bool,
}

/// The separator of the fields of `line`, if it seems to be another one than a comma: `;`, a tab, `|`, or blanks.
pub(crate) fn other_delimiter(line: &str) -> Option<Delimited> {
    let line = line.trim();
    let written = [(";", "`;`"), ("\t", "a tab"), ("|", "`|`")];
    let found = written.into_iter().find(|(delimiter, _)| line.contains(delimiter));
    let decimal_commas = line.split([';', '\t', '|', ' ']).any(has_decimal_comma);
    match found {
        Some((_, name)) => Some(Delimited { name, decimal_commas }),
        None if line.contains(' ') && (!line.contains(',') || line.split(' ').all(has_decimal_comma)) => {
            Some(Delimited { name: "a blank", decimal_commas })
        }
        None => None,
    }
}

/// True if `field` is a number with a decimal comma, such as `0,5`.
pub(crate) fn has_decimal_comma(field: &str) -> bool {
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_integer = |part: &str| is_digits(part.strip_prefix(['+', '-']).unwrap_or(part));
    field.trim().split_once(',').is_some_and(|(before, behind)| is_integer(before) && is_digits(behind))
}

impl Delimited {
    /// A hint for rows with more fields than columns.
    pub(crate) const EXTRA_COMMA: &str = "a comma separates fields; if it is a decimal comma, write a point";

    /// The replacement, as an instruction.
    pub(crate) fn remedy(self) -> String {
        let Self { name, decimal_commas } = self;
        let points = if decimal_commas { ", and a point for each decimal comma" } else { "" };
        format!("write a comma for {name}{points}; spreadsheets save that as \"CSV (comma delimited)\"")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_separators_are_named() {
        let cases = [
            ("0;1;2", Some(("`;`", false))),
            ("0,5;1,5", Some(("`;`", true))),
            ("0\t1", Some(("a tab", false))),
            ("0,25\t1", Some(("a tab", true))),
            ("a|b", Some(("`|`", false))),
            (" 0 1 2 ", Some(("a blank", false))),
            ("0,5 1,25", Some(("a blank", true))),
            ("0, 1, 2", None),
            ("0,1 ,2", None),
            (" 7 ", None),
            ("", None),
        ];
        for (line, expected) in cases {
            let found = other_delimiter(line).map(|found| (found.name, found.decimal_commas));
            assert_eq!(found, expected, "{line:?}");
        }
    }
}
