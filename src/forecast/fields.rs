//! Fields of a line of CSV, and the choice of a column.

use std::borrow::Cow;
use std::num::NonZeroUsize;
use std::str::FromStr;

/// The longest piece of a text that an error repeats, in characters.
pub(super) const SHOWN: usize = 60;

/// The column of CSV that holds the values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Column {
    /// The one that the header calls so.
    Name(String),
    /// The one with this number, counted from 1.
    Number(NonZeroUsize),
}

impl FromStr for Column {
    type Err = String;

    /// Digits are a number, anything else is a name.
    fn from_str(text: &str) -> Result<Self, String> {
        if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
            return Ok(Self::Name(text.to_owned()));
        }
        text.parse().map(Self::Number).map_err(|_| "columns are counted from 1".to_owned())
    }
}

/// True if a field of the first line is a heading rather than a mistyped value.
pub(super) fn is_name(field: &str) -> bool {
    let begins_a_number = |first: char| first.is_ascii_digit() || "+-.".contains(first);
    !field.is_empty() && !field.starts_with(begins_a_number) && field.parse::<f64>().is_err()
}

/// The beginning of `text`, for an error.
pub(super) fn shown(text: &str) -> String {
    let start: String = text.chars().take(SHOWN).collect();
    let more = if start.len() < text.len() { "..." } else { "" };
    format!("{start:?}{more}")
}

/// The field of a line at `at`, counted from 0.
pub(super) fn field(line: &str, at: usize) -> Option<Cow<'_, str>> {
    if line.contains('"') {
        fields(line).into_iter().nth(at)
    } else {
        line.split(',').nth(at).map(str::trim).map(Cow::from)
    }
}

/// The fields of a line, without quotes and blanks around them.
pub(super) fn fields(line: &str) -> Vec<Cow<'_, str>> {
    if !line.contains('"') {
        return line.split(',').map(|field| Cow::from(field.trim())).collect();
    }
    let mut csv = csv::ReaderBuilder::new();
    let mut reader = csv.has_headers(false).trim(csv::Trim::All).from_reader(line.as_bytes());
    let record = reader.records().next().and_then(Result::ok).unwrap_or_default();
    record.iter().map(|field| Cow::from(field.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_a_number() {
        assert_eq!("2".parse(), Ok(Column::Number(NonZeroUsize::MIN.saturating_add(1))));
        assert_eq!("2 nd".parse(), Ok(Column::Name("2 nd".to_owned())));
        assert_eq!("0".parse::<Column>(), Err("columns are counted from 1".to_owned()));
    }
}
