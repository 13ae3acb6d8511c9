//! What expressions calculate with.

use std::cmp::Ordering;

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// A number, of double precision.
    Number(f64),
    /// A string.
    Text(String),
    /// True or false.
    Boolean(bool),
    /// An array.
    List(Vec<Operand>),
}

impl Operand {
    /// As a table has it.
    pub fn in_words(&self) -> String {
        match self {
            Self::Number(value) => value.to_string(),
            Self::Text(text) => text.clone(),
            Self::Boolean(value) => value.to_string(),
            Self::List(values) => {
                format!("[{}]", values.iter().map(Self::in_words).collect::<Vec<_>>().join(", "))
            }
        }
    }

    /// What kind of value it is, for messages.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Number(_) => "a number",
            Self::Text(_) => "a string",
            Self::Boolean(_) => "a boolean",
            Self::List(_) => "an array",
        }
    }

    pub(crate) fn number(&self) -> Result<f64, String> {
        match self {
            Self::Number(value) => Ok(*value),
            other => Err(format!("a number is needed, not {}", other.kind())),
        }
    }

    pub(super) fn numbers(&self) -> Result<Vec<f64>, String> {
        match self {
            Self::List(values) => values.iter().map(Self::number).collect(),
            other => Err(format!("this function requires an array, not {}", other.kind())),
        }
    }

    pub(super) fn boolean(&self) -> Result<bool, String> {
        match self {
            Self::Boolean(value) => Ok(*value),
            other => Err(format!("true or false is needed, not {}", other.kind())),
        }
    }

    /// How it stands to `other`, or why it has no order; arrays by first elements that differ, then by lengths.
    pub(super) fn compare(&self, other: &Self) -> Result<Ordering, String> {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => {
                // only what is calculated of infinity has no order
                a.partial_cmp(b).ok_or_else(|| "this is not a number, so it cannot be compared".to_owned())
            }
            (Self::Text(a), Self::Text(b)) => Ok(a.cmp(b)),
            (Self::Boolean(a), Self::Boolean(b)) => Ok(a.cmp(b)),
            // files spell truth as a word
            (Self::Boolean(a), Self::Text(b)) if is_truth(b) => Ok(a.to_string().cmp(b)),
            (Self::Text(a), Self::Boolean(b)) if is_truth(a) => Ok(a.cmp(&b.to_string())),
            (Self::List(a), Self::List(b)) => compare_lists(a, b),
            _ => Err(format!("{} cannot be compared with {}", self.kind(), other.kind())),
        }
    }
}

fn is_truth(word: &str) -> bool {
    word == "true" || word == "false"
}

fn compare_lists(a: &[Operand], b: &[Operand]) -> Result<Ordering, String> {
    for (a, b) in a.iter().zip(b) {
        let order = a.compare(b)?;
        if order.is_ne() {
            return Ok(order);
        }
    }
    Ok(a.len().cmp(&b.len()))
}
