//! Declarations in words, for messages, `flitwise list keys` and the JSON schema.

use super::{Fallback, Key, Readers, Takes, Words, each};

impl Takes {
    /// As messages say it, such as "an integer from 1 to 8".
    pub fn in_words(&self) -> String {
        match *self {
            Self::Integer(least, most) => format!("an integer {}", range_in_words(least, most)),
            Self::IntegerOr(least, most, word) => {
                format!("\"{word}\", or an integer {}", range_in_words(least, most))
            }
            Self::IntegerOrArray(least, most) => {
                format!("an integer {}, or an array of them", range_in_words(least, most))
            }
            Self::Number(f64::MIN_POSITIVE, most) => format!("a number above 0 and at most {most}"),
            Self::Number(least, most) => format!("a number from {least} to {most}"),
            Self::Quantity => "a number with a unit".to_owned(),
            Self::Boolean => "true or false".to_owned(),
            Self::Text => "a string".to_owned(),
            Self::File => "a file name relative to the scenario".to_owned(),
            Self::Files => "a file name relative to the scenario, or an array of them".to_owned(),
            Self::Formula => "a string: a column, a condition or an expression over columns".to_owned(),
            Self::Word(words) => format!("one of {}", listed(words)),
            Self::Names(_, words) => format!("an array of names from {}, or \"all\"", listed(words)),
            Self::Integers(least, most) => format!("an array of integers {}", range_in_words(least, most)),
            Self::IntegersOrWord(least, most, words) => {
                let words: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
                format!("{}, or an array of integers {}", words.join(", "), range_in_words(least, most))
            }
            Self::Rows(integers) => format!("an array of arrays of {integers} integers"),
            Self::Words(words) => format!("one of {}, or an array of them", listed(words)),
            Self::Steps(words) => format!("one of {}, or an array of {{ up_to, algorithm }}", listed(words)),
            Self::Booleans => "an array of true and false".to_owned(),
            Self::Strings => "an array of strings".to_owned(),
            Self::Values => "one number or string for all rows, or an array with one for each row".to_owned(),
            Self::Table(_) | Self::Named(_) | Self::Free => "a table".to_owned(),
            Self::Like(path, _) => format!("a table with keys of [{path}]"),
            Self::OneOf(tables) => {
                let names: Vec<&str> = tables.iter().map(|key| key.name).collect();
                format!("a table with exactly one of {}", names.join(", "))
            }
            Self::Tables(_) => "an array of tables".to_owned(),
        }
    }
}

impl Key {
    /// Its values as messages name them: those of [`Takes::in_words`], and with a unit where it takes one.
    pub fn values_text(&self) -> String {
        let plain = self.takes.in_words();
        match (self.takes, self.measure()) {
            (_, None) => plain,
            (Takes::Quantity, Some(measure)) => format!("{}, such as {}", measure.noun(), measure.example()),
            (Takes::Integers(..), Some(measure)) => {
                format!("{plain}, or of values with a unit such as {}", measure.example())
            }
            (_, Some(measure)) => format!("{plain}, or {} such as {}", measure.noun(), measure.example()),
        }
    }
}

fn listed(words: Words) -> String {
    each(words).collect::<Vec<_>>().join(", ")
}

fn range_in_words(least: u64, most: u64) -> String {
    if most == u64::MAX { format!("from {least}") } else { format!("from {least} to {most}") }
}

impl Fallback {
    /// As a list of keys shows it; a value as TOML.
    pub fn in_words(&self) -> String {
        match self {
            Self::Required => "required".to_owned(),
            Self::Derived(words) => (*words).to_owned(),
            _ => self.toml().unwrap_or_default(),
        }
    }

    /// The word, if it is one.
    pub(crate) fn word(&self) -> Option<&'static str> {
        if let Self::Word(word) = *self { Some(word) } else { None }
    }

    /// The value as TOML, if there is one.
    pub fn toml(&self) -> Option<String> {
        match self {
            Self::Required | Self::Derived(_) => None,
            Self::Integer(value) => Some(value.to_string()),
            Self::Number(value) => Some(format!("{value:?}")),
            Self::Boolean(value) => Some(value.to_string()),
            Self::Word(word) => Some(format!("\"{word}\"")),
        }
    }
}

impl Readers {
    /// As a list of keys shows it; empty where every scenario with the table reads the key.
    pub fn in_words(&self) -> String {
        match self {
            Self::All => String::new(),
            Self::Algorithms(names) => format!("only with {}", names.join(", ")),
            Self::Value(key, values) => {
                let values: Vec<String> = values.iter().map(|value| assignment(key, value)).collect();
                // the key once, in front of its first value
                let assigned = format!("{key} = ");
                format!("only with {assigned}{}", values.join(" or ").replace(&assigned, ""))
            }
            Self::ValueOrAlgorithms(key, values, names) => {
                format!("{}, or with {}", Self::Value(key, values).in_words(), names.join(", "))
            }
            Self::Beside(keys) => format!("only with {}", keys.join(" or ")),
            Self::Without(key) => format!("only without {key}"),
        }
    }
}

/// `key = value` as TOML, where `value` is a word, or true or false.
pub(crate) fn assignment(key: &str, value: &str) -> String {
    if ["true", "false"].contains(&value) { format!("{key} = {value}") } else { format!("{key} = \"{value}\"") }
}
