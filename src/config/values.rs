//! Values of declared keys: integers, numbers, words, names, strings, each checked as its declaration says.
//!
//! A value that is wrong is reported and replaced by one that lets the reading go on, so that one reading finds all
//! that is wrong.

use super::diagnostic::{Diagnostic, Place};
use super::numeral;
use super::reader::Reader;
use super::value::{Node, Value};
use super::whole;
use crate::spelling::listed;
use crate::units::key::{Fallback, Takes, each};
use crate::units::{Key, saturated};

/// The name that stands for all names, alone.
pub(crate) const EVERY: &str = "all";

/// Names that a key is given.
#[derive(Debug, Default)]
pub struct Names {
    /// The position of each valid name in the array, and its index among the words of the key.
    pub chosen: Vec<(usize, usize)>,
    /// True if `"all"` is given in place of names. All words are then chosen.
    pub every: bool,
}

/// A step of a choice by size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The largest size for which it holds, if it is limited.
    pub up_to: Option<u64>,
    /// The word that is chosen.
    pub word: &'static str,
}

impl<'a> Reader<'a> {
    /// Reports that the value of `key` is not `what`; `takes` says what is accepted.
    pub(super) fn refuse<T>(&self, node: &Node, key: &Key, what: &str, takes: Takes) -> Option<T> {
        let wrong = self.not_a(node, key, what).note(accepted(key, takes));
        self.error(match self.instead(node, key) {
            Some(hint) => wrong.hint(hint),
            None => wrong,
        });
        None
    }

    /// What to write instead of a value of another kind than `key` takes, if that can be told.
    fn instead(&self, node: &Node, key: &Key) -> Option<String> {
        let number = matches!(
            key.takes,
            Takes::Integer(..) | Takes::Integers(..) | Takes::IntegerOrArray(..) | Takes::Number(..)
        );
        match &node.value {
            Value::Array(values) if matches!(key.takes, Takes::Integer(..) | Takes::Number(..)) => {
                let each = values.iter().map(|node| node.value.toml()).collect::<Vec<_>>().join(", ");
                let sweep = format!("\"{}\" = [{each}]", self.path_of(key.name));
                (!values.is_empty()).then(|| format!("to run each of these values, write {sweep} in [sweep]"))
            }
            Value::Integer(Some(value)) if matches!(key.takes, Takes::Integers(..)) => Some(in_brackets(*value, key)),
            Value::Float(written) if number => {
                let decimal = whole::parse(written)?;
                match whole::integer(decimal) {
                    Some(integer) => Some(format!("write it as {integer}")),
                    None if key.unit == "ticks" => whole::shorter_tick(decimal, self.tick()),
                    None => None,
                }
            }
            Value::String(written) if number => Some(number_of_string(written, key)),
            _ => None,
        }
    }

    /// How long a tick is, as the scenario says it.
    fn tick(&self) -> Option<&str> {
        let root = self.outermost();
        root.entries().iter().find(|(key, _)| key.name == "tick").and_then(|(_, node)| match &node.value {
            Value::String(text) => Some(text.as_str()),
            _ => None,
        })
    }

    /// An integer in the key's range, or its default.
    pub fn integer(&self, key: &Key) -> u64 {
        let default = if let Fallback::Integer(default) = key.default { default } else { 0 };
        self.optional_integer(key).unwrap_or(default)
    }

    /// How many things it is: as [`Self::integer`].
    pub fn count(&self, key: &Key) -> usize {
        saturated(self.integer(key))
    }

    /// How many things it is, if it is given.
    pub fn optional_count(&self, key: &Key) -> Option<usize> {
        self.optional_integer(key).map(saturated)
    }

    /// An integer in the key's range, if it is given.
    pub fn optional_integer(&self, key: &Key) -> Option<u64> {
        let node = self.node(key)?;
        let Takes::Integer(least, most) = key.takes else { return None };
        // what is wrong has been reported; the range's start lets the reading go on
        Some(self.as_integer(node, key, (least, most)).unwrap_or(least))
    }

    /// An integer in the key's range, if it is given and as it must be; a key that is not given is reported.
    pub fn required_integer(&self, key: &Key) -> Option<u64> {
        self.demand(key);
        self.optional_integer(key)
    }

    /// An integer in the key's range, or the one word that it takes instead, which is none; if it is given.
    pub fn integer_or(&self, key: &Key) -> Option<Option<u64>> {
        let node = self.node(key)?;
        let Takes::IntegerOr(least, most, word) = key.takes else { return None };
        let wrong = match &node.value {
            Value::String(text) if text == word => return Some(None),
            Value::String(text) => {
                self.wrong(node, key, &format!("cannot be \"{text}\"")).did_you_mean(text, std::iter::once(word))
            }
            Value::Integer(value) => match value.and_then(|value| u64::try_from(value).ok()) {
                Some(value) if (least..=most).contains(&value) => return Some(Some(value)),
                _ => self.wrong(node, key, "is out of range"),
            },
            _ => self.not_a(node, key, &format!("an integer or \"{word}\"")),
        };
        self.error(wrong.note(accepted(key, key.takes)));
        None
    }

    pub(super) fn as_integer(&self, node: &Node, key: &Key, (least, most): (u64, u64)) -> Option<u64> {
        let takes = Takes::Integer(least, most);
        let Value::Integer(value) = node.value else { return self.refuse(node, key, "an integer", takes) };
        let value = value.and_then(|value| u64::try_from(value).ok()).filter(|value| (least..=most).contains(value));
        if value.is_none() {
            self.error(self.wrong(node, key, "is out of range").note(accepted(key, takes)));
        }
        value
    }

    /// A number in the key's range, or its default.
    pub fn number(&self, key: &Key) -> f64 {
        let default = if let Fallback::Number(default) = key.default { default } else { 0.0 };
        self.optional_number(key).unwrap_or(default)
    }

    /// A number in the key's range, with or without a fraction, if it is given.
    pub fn optional_number(&self, key: &Key) -> Option<f64> {
        let node = self.node(key)?;
        let Takes::Number(least, most) = key.takes else { return None };
        let value: Option<f64> = match &node.value {
            Value::Float(written) => written.replace('_', "").parse().ok(),
            Value::Integer(value) => value.and_then(|value| value.to_string().parse().ok()),
            _ => return self.refuse(node, key, "a number", key.takes).or(Some(least)),
        };
        let value = value.filter(|value| (least..=most).contains(value));
        if value.is_none() {
            self.error(self.wrong(node, key, "is out of range").note(accepted(key, key.takes)));
        }
        Some(value.unwrap_or(least))
    }

    /// True or false, or the key's default.
    pub fn boolean(&self, key: &Key) -> bool {
        let default = key.default == Fallback::Boolean(true);
        self.optional_boolean(key).unwrap_or(default)
    }

    /// True or false, if it is given and one of them.
    pub fn optional_boolean(&self, key: &Key) -> Option<bool> {
        let node = self.node(key)?;
        let Value::Boolean(value) = node.value else { return self.refuse(node, key, "a boolean", Takes::Boolean) };
        Some(value)
    }

    /// Reads an array of distinct names, one name, or `"all"`. It is required unless the key has a default.
    pub fn names(&self, key: &Key) -> Names {
        let Takes::Names(what, words) = key.takes else { return Names::default() };
        if key.default == Fallback::Required {
            self.demand(key);
        }
        let Some(written) = self.names_written(key) else { return Names::default() };
        if let [(name, _)] = written.as_slice()
            && *name == EVERY
        {
            return Names { chosen: each(words).enumerate().map(|(at, _)| (0, at)).collect(), every: true };
        }
        if written.is_empty() {
            let wrong =
                Diagnostic::at(self.place_of(key.name), format!("`{}` must list at least one {what}", key.name));
            self.error(wrong.note(format!("accepted: {}", listed(each(words)))));
        }
        let mut chosen: Vec<(usize, usize)> = Vec::new();
        for (position, (name, place)) in written.into_iter().enumerate() {
            match each(words).position(|known| known == name) {
                None => {
                    let wrong = Diagnostic::at(place.clone(), format!("unknown {what} \"{name}\""));
                    let wrong = wrong.note(format!("accepted: {}", listed(each(words))));
                    self.error(match name {
                        EVERY => wrong
                            .hint(format!("`{} = \"{EVERY}\"`, without other names, selects all that apply", key.name)),
                        _ => wrong.did_you_mean(name, each(words)),
                    });
                }
                Some(at) if let Some((first, _)) = chosen.iter().find(|(_, other)| *other == at) => {
                    let first = self.place_within_array(&[key.name], *first);
                    self.error(
                        Diagnostic::at(place.clone(), format!("`{name}` is listed twice"))
                            .related(first, "first listed here"),
                    );
                }
                Some(at) => chosen.push((position, at)),
            }
        }
        Names { chosen, every: false }
    }

    /// The names of an array, or the one name that is given instead of it.
    fn names_written(&self, key: &Key) -> Option<Vec<(&'a str, &'a Place)>> {
        match self.node(key)? {
            Node { value: Value::String(name), place } => Some(vec![(name.as_str(), place)]),
            _ => self.strings(key),
        }
    }

    /// The words of an array, or the one word that is given instead of it, if any is.
    pub fn words(&self, key: &Key) -> Option<Vec<(&'static str, &'a Place)>> {
        let Takes::Words(words) = key.takes else { return None };
        let read = |node: &'a Node| {
            let Value::String(text) = &node.value else { return self.refuse(node, key, "a string", key.takes) };
            let known = each(words).find(|known| known == text);
            if known.is_none() {
                let wrong = self.wrong(node, key, &format!("cannot be \"{text}\""));
                self.error(wrong.note(accepted(key, key.takes)).did_you_mean(text, each(words)));
            }
            Some((known?, &node.place))
        };
        Some(self.values(key)?.into_iter().filter_map(read).collect())
    }

    /// Whether `key` is given as an array.
    pub fn is_array(&self, key: &Key) -> bool {
        self.node(key).is_some_and(|node| matches!(node.value, Value::Array(_)))
    }

    /// An integer that has a least value and no largest, if it is given: one that is too small is told the least.
    pub fn optional_at_least(&self, key: &Key) -> Option<u64> {
        let node = self.node(key)?;
        let Takes::Integer(least, _) = key.takes else { return None };
        if let Value::Integer(Some(value)) = node.value
            && value < least.cast_signed()
        {
            self.error(self.wrong(node, key, &format!("must be at least {least}")).note(accepted(key, key.takes)));
            return Some(least);
        }
        self.optional_integer(key)
    }

    /// A string, if it is given.
    pub fn string(&self, key: &Key) -> Option<(&'a str, &'a Place)> {
        let node = self.node(key)?;
        let Value::String(text) = &node.value else {
            self.error(self.not_a(node, key, "a string"));
            return None;
        };
        Some((text, &node.place))
    }

    /// The one of `choices` that is given, or the key's default; the key's words are the names of `choices`.
    ///
    /// # Panics
    /// If the key's default is no name of `choices`: its declaration is wrong.
    #[expect(clippy::panic, reason = "a declaration says which words there are, and its default is one of them")]
    pub fn choice<T: Copy>(&self, key: &Key, choices: &[(&'static str, T)]) -> T {
        if let Some(chosen) = self.optional_choice(key, choices) {
            return chosen;
        }
        let named = |word| choices.iter().find(|(name, _)| *name == word);
        match key.default {
            Fallback::Word(word) if let Some((_, default)) = named(word) => *default,
            _ => panic!("`{}` has no default among its words", key.name),
        }
    }

    /// The one of `choices` that is given, if one is.
    pub fn optional_choice<T: Copy>(&self, key: &Key, choices: &[(&'static str, T)]) -> Option<T> {
        let word = self.word(key)?;
        choices.iter().find(|(name, _)| *name == word).map(|(_, choice)| *choice)
    }

    /// The one of the key's words that is given, if one is.
    pub fn word(&self, key: &Key) -> Option<&'static str> {
        self.word_among(key, || None)
    }

    /// As [`Self::word`]. The error for another text lists the words of `fitting`, if it returns any.
    pub fn word_among(&self, key: &Key, fitting: impl FnOnce() -> Option<Vec<&'static str>>) -> Option<&'static str> {
        let Takes::Word(words) = key.takes else { return None };
        let (text, place) = self.string(key)?;
        let known = each(words).find(|known| *known == text);
        if known.is_none() {
            let message = format!("`{}` cannot be \"{text}\"", self.path_of(key.name));
            let accepted = fitting().unwrap_or_else(|| each(words).collect());
            let names = || accepted.iter().copied();
            let wrong = Diagnostic::at(place.clone(), message).note(format!("accepted: {}", listed(names())));
            self.error(wrong.did_you_mean(text, names()));
        }
        known
    }

    /// An array of strings with the place of each, if it is given.
    pub fn strings(&self, key: &Key) -> Option<Vec<(&'a str, &'a Place)>> {
        let node = self.node(key)?;
        let refuse = |node| self.error(self.not_a(node, key, "an array of strings"));
        let Value::Array(values) = &node.value else {
            refuse(node);
            return None;
        };
        let mut strings = Vec::new();
        for node in values {
            match &node.value {
                Value::String(text) => strings.push((text.as_str(), &node.place)),
                _ => refuse(node),
            }
        }
        Some(strings)
    }

    /// The steps of a choice by size, or the one word that is given instead of them, if either is.
    pub fn steps(&self, key: &Key) -> Option<Vec<Step>> {
        let Takes::Steps(words) = key.takes else { return None };
        let word = |node: &'a Node| {
            let Value::String(text) = &node.value else { return self.refuse(node, key, "a string", key.takes) };
            let known = each(words).find(|known| known == text);
            if known.is_none() {
                let error = self.wrong(node, key, &format!("cannot be \"{text}\""));
                self.error(error.note(accepted(key, key.takes)).did_you_mean(text, each(words)));
            }
            known
        };
        let step = |node: &'a Node| {
            let Value::Table(table) = &node.value else {
                return Some(Step { up_to: None, word: word(node)? });
            };
            for (name, node) in &table.entries {
                if !["up_to", "algorithm"].contains(&name.name.as_str()) {
                    let error = self.wrong(node, key, &format!("has an unknown key `{}`", name.name));
                    self.error(error.note("accepted: `up_to` and `algorithm`"));
                }
            }
            let Some((_, algorithm)) = table.get("algorithm") else {
                self.error(self.wrong(node, key, "has a step without `algorithm`").note(accepted(key, key.takes)));
                return None;
            };
            let up_to = match table.get("up_to") {
                Some((_, node)) => Some(self.as_integer(node, key, (0, u64::MAX))?),
                None => None,
            };
            Some(Step { up_to, word: word(algorithm)? })
        };
        Some(self.values(key)?.into_iter().filter_map(step).collect())
    }

    /// An array of values that are true or false, if it is given.
    pub fn booleans(&self, key: &Key) -> Option<Vec<bool>> {
        let node = self.node(key)?;
        let refuse = |node| self.error(self.not_a(node, key, "an array of true and false"));
        let Value::Array(values) = &node.value else {
            refuse(node);
            return None;
        };
        let read = |node: &'a Node| match node.value {
            Value::Boolean(value) => Some(value),
            _ => {
                refuse(node);
                None
            }
        };
        Some(values.iter().filter_map(read).collect())
    }

    /// The values of an array, or the one value that is given instead of it, if any is.
    pub fn values(&self, key: &Key) -> Option<Vec<&'a Node>> {
        let node = self.node(key)?;
        Some(match &node.value {
            Value::Array(values) => values.iter().collect(),
            _ => vec![node],
        })
    }
}

/// The arrays that may be meant by the integer `value`, for a key that takes an array of integers.
fn in_brackets(value: i64, key: &Key) -> String {
    let root = value.max(0).isqrt();
    let Some(rows) = (2..=root).rev().find(|rows| value % rows == 0).filter(|_| key.name == "shape") else {
        return format!("write [{value}]");
    };
    format!("write [{value}], or [{}, {rows}] for {value} in two dimensions", value / rows)
}

/// The number or array that may be meant by the string `written`.
fn number_of_string(written: &str, key: &Key) -> String {
    let plain = written.trim();
    let is_number = plain.parse::<toml::Value>().is_ok_and(|value| value.is_integer() || value.is_float());
    let counted = match key.unit {
        "" => String::new(),
        unit => format!("the unit is {unit}: "),
    };
    match numeral::explain(plain) {
        _ if is_number && matches!(key.takes, Takes::Integers(..)) => format!("write an array: [{plain}]"),
        _ if is_number => format!("write it without quotes: {plain}"),
        Some(slip) if slip.problem.as_ref() != "has a unit" => format!("{counted}{}", slip.hint),
        _ => match key.measure() {
            Some(measure) => {
                format!("{counted}write a number without quotes, or one with a unit such as {}", measure.example())
            }
            None => format!("{counted}write only a number"),
        },
    }
}

/// Values that `key` accepts, for a note.
pub(super) fn accepted(key: &Key, takes: Takes) -> String {
    let counts =
        matches!(takes, Takes::Integer(..) | Takes::Integers(..) | Takes::IntegerOrArray(..) | Takes::Number(..));
    let unit = if counts && !key.unit.is_empty() { format!(", in {}", key.unit) } else { String::new() };
    let quantity = match key.measure().filter(|_| counts) {
        Some(measure) => format!(", or {} such as {}", measure.noun(), measure.example()),
        None => String::new(),
    };
    format!("accepted: {}{unit}{quantity}", takes.in_words())
}
