//! Which column of a table.

use std::num::NonZeroUsize;
use std::str::FromStr;

/// Which column of CSV holds the values.
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
