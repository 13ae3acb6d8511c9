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
    /// The name that axes and legends show; empty for `name` without underscores.
    pub called: &'static str,
    /// Where it is read.
    pub readers: Readers,
    /// Why it is not read elsewhere, as in "a burst is a packet of every node at time 0"; empty if `readers` says so.
    pub why: &'static str,
    /// What it is, in one sentence without a full stop.
    pub sentence: &'static str,
    /// The key of the same table that it gives a value in another unit. Empty if there is no such key.
    pub fills: &'static str,
    /// Names that it had before, the first one first. Scenarios may still use them.
    pub aliases: &'static [&'static str],
}

/// The quantities that the numbers of a key count: what a value with a unit may be in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Times, in ticks.
    Ticks,
    /// Times, in cycles: the times for a flit to cross a channel.
    Cycles,
    /// Times for each byte, in ticks. The key that it fills is a time for each flit.
    TicksPerByte,
    /// Sizes, in flits.
    Flits,
    /// Sizes, in bytes.
    Bytes,
    /// Bandwidths, in GB/s (10^9 bytes per second).
    Bandwidth,
    /// Bandwidths of a node, in flits per cycle.
    Load,
}

impl Measure {
    /// The quantities of the unit `unit` of a key, if values may have another.
    const fn of_unit(unit: &str) -> Option<Self> {
        Some(match unit.as_bytes() {
            b"ticks" => Self::Ticks,
            b"cycles" | b"flit times" => Self::Cycles,
            b"ticks per byte" => Self::TicksPerByte,
            b"flits" => Self::Flits,
            b"bytes" => Self::Bytes,
            b"GB/s" => Self::Bandwidth,
            b"flits per node and flit time" => Self::Load,
            _ => return None,
        })
    }

    /// The units that a value may have, for messages.
    pub const fn accepted(self) -> &'static str {
        match self {
            Self::Ticks | Self::Cycles | Self::TicksPerByte => "ps, ns, us, ms, s, ticks or cycles",
            Self::Flits | Self::Bytes => "B, kB, MB, GB, TB, KiB, MiB, GiB, TiB or flits",
            Self::Bandwidth | Self::Load => {
                "B/s, kB/s, MB/s, GB/s, TB/s, KiB/s, MiB/s, GiB/s, TiB/s, kb/s, Mb/s, Gb/s or Tb/s"
            }
        }
    }

    /// A value with a unit, for messages and descriptions.
    pub const fn example(self) -> &'static str {
        match self {
            Self::Ticks | Self::Cycles => "\"500ns\"",
            Self::TicksPerByte => "\"0.04ns\"",
            Self::Flits | Self::Bytes => "\"64KiB\"",
            Self::Bandwidth => "\"50GB/s\" or \"400Gb/s\"",
            Self::Load => "\"10GB/s\"",
        }
    }

    /// The noun of a value with a unit, with an article.
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Ticks | Self::Cycles => "a time",
            Self::TicksPerByte => "a time per byte",
            Self::Flits | Self::Bytes => "a size",
            Self::Bandwidth | Self::Load => "a bandwidth",
        }
    }
}

/// Which values a key takes. Ranges include both ends; integers up to `u64::MAX` have no upper end.
#[derive(Clone, Copy, Debug)]
pub enum Takes {
    /// An integer in a range.
    Integer(u64, u64),
    /// An integer in a range, or one word.
    IntegerOr(u64, u64, &'static str),
    /// An integer in a range, or an array of such.
    IntegerOrArray(u64, u64),
    /// A number in a range, with or without a fraction.
    Number(f64, f64),
    /// A number with a unit, which must be given.
    Quantity,
    /// True or false.
    Boolean,
    /// A string.
    Text,
    /// The name of a file beside the scenario.
    File,
    /// The name of a file, or an array of such.
    Files,
    /// A condition, or a value that is computed of columns.
    Formula,
    /// One of several words.
    Word(Words),
    /// An array of distinct names; what they are names of.
    Names(&'static str, Words),
    /// An array of integers, each in a range.
    Integers(u64, u64),
    /// An array of integers, each in a range, or one of several words.
    IntegersOrWord(u64, u64, &'static [&'static str]),
    /// Arrays of so many integers each, in an array.
    Rows(usize),
    /// One of several words, or an array of such.
    Words(Words),
    /// One of several words, or an array of tables { up_to, algorithm }, each with one of the words.
    Steps(Words),
    /// An array of strings.
    Strings,
    /// An array of values that are true or false.
    Booleans,
    /// A number or a string, or an array of such.
    Values,
    /// A table with these keys.
    Table(&'static [Key]),
    /// A table in which exactly one of these tables stands.
    OneOf(&'static [Key]),
    /// An array of tables with these keys.
    Tables(&'static [Key]),
    /// A table of any name, with these keys.
    Named(fn() -> &'static [Key]),
    /// A table with keys that another table explains. First the path of that table.
    Like(&'static str, &'static [Key]),
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
    /// Where another key of its table has one of these values, or one of these is among the `algorithms` of its table.
    ValueOrAlgorithms(&'static str, &'static [&'static str], &'static [&'static str]),
    /// Where one of these is given too: keys of its table, or tables below it, dotted.
    Beside(&'static [&'static str]),
    /// Where this key of its table is not given.
    Without(&'static str),
}

/// Keys by what they take.
macro_rules! takes {
    ($($(#[$doc:meta])* $name:ident($($argument:ident: $type:ty),*) => $takes:expr;)*) => {$(
        $(#[$doc])*
        pub const fn $name(name: &'static str, $($argument: $type),*) -> Self {
            Self::new(name, $takes)
        }
    )*};
}

/// What else is known of a key: each makes the same key with another value of a field.
macro_rules! sets {
    ($($(#[$doc:meta])* $name:ident($($argument:ident: $type:ty),*) => $field:ident = $value:expr;)*) => {$(
        $(#[$doc])*
        pub const fn $name(mut self, $($argument: $type),*) -> Self {
            self.$field = $value;
            self
        }
    )*};
}

/// The name of keys that stand for tables of any name, as lists of keys show it.
pub(crate) const ANY_NAME: &str = "NAME";

impl Key {
    /// A table of any name with the keys that `keys` returns.
    pub const fn named(keys: fn() -> &'static [Self]) -> Self {
        Self::new(ANY_NAME, Takes::Named(keys))
    }

    /// Returns the one of `keys` with this `name`, or the one for tables of any name.
    pub fn find<'k>(keys: &'k [Self], name: &str) -> Option<&'k Self> {
        keys.iter().find(|key| key.name == name || key.has_any_name())
    }

    /// Returns true if it stands for tables of any name.
    pub const fn has_any_name(&self) -> bool {
        matches!(self.takes, Takes::Named(_))
    }

    const fn new(name: &'static str, takes: Takes) -> Self {
        let default = match takes {
            Takes::Table(_) | Takes::OneOf(_) | Takes::Tables(_) | Takes::Named(_) | Takes::Like(..) | Takes::Free => {
                Fallback::Derived("none")
            }
            _ => Fallback::Required,
        };
        Self {
            name,
            takes,
            default,
            unit: "",
            called: "",
            readers: Readers::All,
            why: "",
            sentence: "",
            fills: "",
            aliases: &[],
        }
    }

    takes! {
        /// A key that takes an integer in `range`.
        integer(range: RangeInclusive<u64>) => Takes::Integer(*range.start(), *range.end());
        /// A key that takes an integer in `range` or the one `word`.
        integer_or(range: RangeInclusive<u64>, word: &'static str) =>
            Takes::IntegerOr(*range.start(), *range.end(), word);
        /// A key that takes an integer in `range`, or an array of such integers.
        integer_or_array(range: RangeInclusive<u64>) => Takes::IntegerOrArray(*range.start(), *range.end());
        /// A key that takes a number in `range`.
        number(range: RangeInclusive<f64>) => Takes::Number(*range.start(), *range.end());
        /// A key that takes an array of integers in `range`.
        integers(range: RangeInclusive<u64>) => Takes::Integers(*range.start(), *range.end());
        /// A key that takes an array of integers in `range`, or one of `words`.
        integers_or_word(range: RangeInclusive<u64>, words: &'static [&'static str]) =>
            Takes::IntegersOrWord(*range.start(), *range.end(), words);
        /// A key that takes a number with a unit.
        quantity() => Takes::Quantity;
        /// A key that takes true or false.
        boolean() => Takes::Boolean;
        /// A key that takes a string.
        text() => Takes::Text;
        /// A key that takes the name of a file beside the scenario.
        file() => Takes::File;
        /// A key that takes names of files beside the scenario, or one of them.
        files() => Takes::Files;
        /// A key that takes a condition, or a value that is computed of columns.
        formula() => Takes::Formula;
        /// A key that takes one of `words`.
        word(words: Words) => Takes::Word(words);
        /// A key that takes an array of some of `words`, which are the names of `what`.
        names(what: &'static str, words: Words) => Takes::Names(what, words);
        /// A key that takes an array of arrays of so many `integers` each.
        rows(integers: usize) => Takes::Rows(integers);
        /// A key that takes one of `words`, or an array of such.
        words(words: Words) => Takes::Words(words);
        /// A key that takes one of `words`, or an array of tables { up_to, algorithm } with a word each.
        steps(words: Words) => Takes::Steps(words);
        /// A key that takes an array of strings.
        strings() => Takes::Strings;
        /// A key that takes an array of values that are true or false.
        booleans() => Takes::Booleans;
        /// A key that takes numbers and strings, or one of them.
        values() => Takes::Values;
        /// A table with `keys`.
        table(keys: &'static [Self]) => Takes::Table(keys);
        /// A table in which exactly one of `tables` stands: a choice by name, such as `[network.mesh]`.
        one_of(tables: &'static [Self]) => Takes::OneOf(tables);
        /// An array of tables with `keys`, each written `[[name]]`.
        tables(keys: &'static [Self]) => Takes::Tables(keys);
        /// A table with `keys`, which the table at `path` explains.
        like(path: &'static str, keys: &'static [Self]) => Takes::Like(path, keys);
        /// A table with keys of any name.
        free() => Takes::Free;
    }

    sets! {
        /// The same with the integer `default`.
        or(default: u64) => default = Fallback::Integer(default);
        /// The same with the number `default`.
        or_number(default: f64) => default = Fallback::Number(default);
        /// The same, true or false as `default` says.
        or_boolean(default: bool) => default = Fallback::Boolean(default);
        /// The same with the word `default`.
        or_word(default: &'static str) => default = Fallback::Word(default);
        /// The same without a value of its own: what holds instead, in words.
        or_else(instead: &'static str) => default = Fallback::Derived(instead);
        /// The same, which must be given: what tables need not be otherwise.
        required() => default = Fallback::Required;
        /// The same, its numbers in `unit`.
        unit(unit: &'static str) => unit = unit;
        /// The key that gives the `other` key of the table a value in another unit.
        fills(other: &'static str) => fills = other;
        /// The key with the name `words` on axes and in legends.
        called(words: &'static str) => called = words;
        /// The same, read by these `algorithms` alone.
        read_by(algorithms: &'static [&'static str]) => readers = Readers::Algorithms(algorithms);
        /// The same, read only where the other `key` has one of `values`.
        read_if(key: &'static str, values: &'static [&'static str]) => readers = Readers::Value(key, values);
        /// The key, read only where the other `key` has one of `values`, or by these `algorithms`.
        read_if_or_by(key: &'static str, values: &'static [&'static str], algorithms: &'static [&'static str]) =>
            readers = Readers::ValueOrAlgorithms(key, values, algorithms);
        /// The same, read only where one of `keys` is given too.
        beside(keys: &'static [&'static str]) => readers = Readers::Beside(keys);
        /// The same, read only where the other `key` is not given.
        unless(key: &'static str) => readers = Readers::Without(key);
        /// The same, with the reason why it is not read elsewhere.
        because(why: &'static str) => why = why;
        /// The key that had the `names` before, the first one first.
        aliases(names: &'static [&'static str]) => aliases = names;
        /// The same, with what it is.
        says(sentence: &'static str) => sentence = sentence;
    }

    /// The name that axes and legends show.
    pub fn shown_name(&self) -> String {
        if self.called.is_empty() { self.name.replace('_', " ") } else { self.called.to_owned() }
    }

    /// Returns the quantities that a value with a unit may be, or `None` if the key takes no units.
    pub const fn measure(&self) -> Option<Measure> {
        match self.takes {
            Takes::Integer(..)
            | Takes::Integers(..)
            | Takes::IntegersOrWord(..)
            | Takes::IntegerOrArray(..)
            | Takes::Number(..)
            | Takes::Quantity => Measure::of_unit(self.unit),
            _ => None,
        }
    }

    /// The keys of the table that it is; none of any other key.
    pub fn inner(&self) -> &'static [Self] {
        match self.takes {
            Takes::Table(keys) | Takes::OneOf(keys) | Takes::Tables(keys) | Takes::Like(_, keys) => keys,
            Takes::Named(keys) => keys(),
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
    pub fn has_word(&self, word: &str) -> bool {
        matches!(*self, Self::Word(words) if each(words).any(|known| known == word))
    }
}
