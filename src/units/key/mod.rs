//! Keys of scenarios as data: what a key is called, what it takes, what holds without it, and what reads it.
//!
//! A key is declared once, beside the code that reads it. Reading it, messages about it, `flitwise list keys`, the JSON
//! schema and the tests of all keys follow from the declaration. This file refuses to know TOML and what keys mean.
//!
//! ```
//! use flitwise::units::Key;
//!
//! const STARTS: Key = Key::integer("starts", 1..=1 << 20)
//!     .or(1)
//!     .read_by(&["mrb"])
//!     .says("random starts of each step");
//! assert_eq!(STARTS.takes.in_words(), "an integer from 1 to 1048576");
//! assert_eq!(STARTS.default.in_words(), "1");
//! ```

mod in_words;

pub(crate) use in_words::assignment;

use std::ops::RangeInclusive;

/// The names that a key accepts, one after the other from 0: those of a registry, so that they are written once.
pub type Words = fn(usize) -> Option<&'static str>;

/// A key of a table.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Its name in the table.
    pub name: &'static str,
    /// Which values it takes.
    pub takes: Takes,
    /// What holds where it is not given.
    pub default: Fallback,
    /// The unit of its numbers; empty for none.
    pub unit: &'static str,
    /// Where it is read.
    pub readers: Readers,
    /// Why it is not read elsewhere, as in "a burst is a packet of every node at time 0"; empty where `readers` says so.
    pub why: &'static str,
    /// What it is, in one sentence without a full stop.
    pub sentence: &'static str,
}

/// Which values a key takes. Ranges include both ends; integers up to `u64::MAX` have no upper end.
#[derive(Clone, Copy, Debug)]
pub enum Takes {
    /// An integer in a range.
    Integer(u64, u64),
    /// An integer in a range, or one word.
    IntegerOr(u64, u64, &'static str),
    /// A number in a range, with or without a fraction.
    Number(f64, f64),
    /// True or false.
    Boolean,
    /// A string.
    Text,
    /// The name of a file beside the scenario.
    File,
    /// A condition, or a value that is computed of columns.
    Formula,
    /// One of several words.
    Word(Words),
    /// An array of distinct names; what they are names of.
    Names(&'static str, Words),
    /// An array of integers, each in a range.
    Integers(u64, u64),
    /// An array of strings.
    Strings,
    /// A number or a string, or an array of such.
    Values,
    /// A table with these keys.
    Table(&'static [Key]),
    /// A table in which exactly one of these tables stands.
    OneOf(&'static [Key]),
    /// An array of tables with these keys.
    Tables(&'static [Key]),
    /// A table with keys of any name.
    Free,
}

/// What holds where a key is not given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fallback {
    /// It must be given, where it is read.
    Required,
    /// No value of its own, in words: "derived from the costs of nodes".
    Derived(&'static str),
    /// An integer.
    Integer(u64),
    /// A number.
    Number(f64),
    /// True or false.
    Boolean(bool),
    /// A word.
    Word(&'static str),
}

/// Where a key is read; elsewhere it would be ignored, which is an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readers {
    /// Wherever its table is.
    All,
    /// Where one of these is among the `algorithms` of its table.
    Algorithms(&'static [&'static str]),
    /// Where another key of its table has one of these values: words, or `true` and `false`.
    Value(&'static str, &'static [&'static str]),
    /// Where one of these is given too: keys of its table, or tables below it, dotted.
    Beside(&'static [&'static str]),
    /// Where this key of its table is not given.
    Without(&'static str),
}

impl Key {
    const fn new(name: &'static str, takes: Takes) -> Self {
        let default = Fallback::Required;
        Self { name, takes, default, unit: "", readers: Readers::All, why: "", sentence: "" }
    }

    /// A key that takes an integer in `range`.
    #[must_use]
    pub const fn integer(name: &'static str, range: RangeInclusive<u64>) -> Self {
        Self::new(name, Takes::Integer(*range.start(), *range.end()))
    }

    /// A key that takes an integer in `range` or the one `word`.
    #[must_use]
    pub const fn integer_or(name: &'static str, range: RangeInclusive<u64>, word: &'static str) -> Self {
        Self::new(name, Takes::IntegerOr(*range.start(), *range.end(), word))
    }

    /// A key that takes a number in `range`.
    #[must_use]
    pub const fn number(name: &'static str, range: RangeInclusive<f64>) -> Self {
        Self::new(name, Takes::Number(*range.start(), *range.end()))
    }

    /// A key that takes an array of integers in `range`.
    #[must_use]
    pub const fn integers(name: &'static str, range: RangeInclusive<u64>) -> Self {
        Self::new(name, Takes::Integers(*range.start(), *range.end()))
    }

    /// A key that takes true or false.
    #[must_use]
    pub const fn boolean(name: &'static str) -> Self {
        Self::new(name, Takes::Boolean)
    }

    /// A key that takes a string.
    #[must_use]
    pub const fn text(name: &'static str) -> Self {
        Self::new(name, Takes::Text)
    }

    /// A key that takes the name of a file beside the scenario.
    #[must_use]
    pub const fn file(name: &'static str) -> Self {
        Self::new(name, Takes::File)
    }

    /// A key that takes a condition, or a value that is computed of columns.
    #[must_use]
    pub const fn formula(name: &'static str) -> Self {
        Self::new(name, Takes::Formula)
    }

    /// A key that takes one of `words`.
    #[must_use]
    pub const fn word(name: &'static str, words: Words) -> Self {
        Self::new(name, Takes::Word(words))
    }

    /// A key that takes an array of some of `words`, which are the names of `what`.
    #[must_use]
    pub const fn names(name: &'static str, what: &'static str, words: Words) -> Self {
        Self::new(name, Takes::Names(what, words))
    }

    /// A key that takes an array of strings.
    #[must_use]
    pub const fn strings(name: &'static str) -> Self {
        Self::new(name, Takes::Strings)
    }

    /// A key that takes numbers and strings, or one of them.
    #[must_use]
    pub const fn values(name: &'static str) -> Self {
        Self::new(name, Takes::Values)
    }

    /// A table with `keys`.
    #[must_use]
    pub const fn table(name: &'static str, keys: &'static [Self]) -> Self {
        Self::new(name, Takes::Table(keys)).or_else("none")
    }

    /// A table in which exactly one of `tables` stands: a choice by name, such as `[network.mesh]`.
    #[must_use]
    pub const fn one_of(name: &'static str, tables: &'static [Self]) -> Self {
        Self::new(name, Takes::OneOf(tables)).or_else("none")
    }

    /// An array of tables with `keys`, each written `[[name]]`.
    #[must_use]
    pub const fn tables(name: &'static str, keys: &'static [Self]) -> Self {
        Self::new(name, Takes::Tables(keys)).or_else("none")
    }

    /// A table with keys of any name.
    #[must_use]
    pub const fn free(name: &'static str) -> Self {
        Self::new(name, Takes::Free).or_else("none")
    }

    /// The same with the integer `default`.
    #[must_use]
    pub const fn or(mut self, default: u64) -> Self {
        self.default = Fallback::Integer(default);
        self
    }

    /// The same with the number `default`.
    #[must_use]
    pub const fn or_number(mut self, default: f64) -> Self {
        self.default = Fallback::Number(default);
        self
    }

    /// The same, true or false as `default` says.
    #[must_use]
    pub const fn or_boolean(mut self, default: bool) -> Self {
        self.default = Fallback::Boolean(default);
        self
    }

    /// The same with the word `default`.
    #[must_use]
    pub const fn or_word(mut self, default: &'static str) -> Self {
        self.default = Fallback::Word(default);
        self
    }

    /// The same without a value of its own: what holds instead, in words.
    #[must_use]
    pub const fn or_else(mut self, instead: &'static str) -> Self {
        self.default = Fallback::Derived(instead);
        self
    }

    /// The same, which must be given: what tables need not be otherwise.
    #[must_use]
    pub const fn required(mut self) -> Self {
        self.default = Fallback::Required;
        self
    }

    /// The same, its numbers in `unit`.
    #[must_use]
    pub const fn unit(mut self, unit: &'static str) -> Self {
        self.unit = unit;
        self
    }

    /// The same, read by these `algorithms` alone.
    #[must_use]
    pub const fn read_by(mut self, algorithms: &'static [&'static str]) -> Self {
        self.readers = Readers::Algorithms(algorithms);
        self
    }

    /// The same, read only where the other `key` has one of `values`.
    #[must_use]
    pub const fn read_if(mut self, key: &'static str, values: &'static [&'static str]) -> Self {
        self.readers = Readers::Value(key, values);
        self
    }

    /// The same, read only where one of `keys` is given too.
    #[must_use]
    pub const fn beside(mut self, keys: &'static [&'static str]) -> Self {
        self.readers = Readers::Beside(keys);
        self
    }

    /// The same, read only where the other `key` is not given.
    #[must_use]
    pub const fn unless(mut self, key: &'static str) -> Self {
        self.readers = Readers::Without(key);
        self
    }

    /// The same, with the reason why it is not read elsewhere.
    #[must_use]
    pub const fn because(mut self, why: &'static str) -> Self {
        self.why = why;
        self
    }

    /// The same, with what it is.
    #[must_use]
    pub const fn says(mut self, sentence: &'static str) -> Self {
        self.sentence = sentence;
        self
    }

    /// The keys of the table that it is; none of any other key.
    #[must_use]
    pub fn inner(&self) -> &'static [Self] {
        match self.takes {
            Takes::Table(keys) | Takes::OneOf(keys) | Takes::Tables(keys) => keys,
            _ => &[],
        }
    }
}

/// All of `words`, in order.
pub fn each(words: Words) -> impl Iterator<Item = &'static str> {
    (0..).map_while(words)
}

impl Takes {
    /// Whether `word` is one of the words that the key takes.
    #[must_use]
    pub fn has_word(&self, word: &str) -> bool {
        matches!(*self, Self::Word(words) if each(words).any(|known| known == word))
    }
}
