//! Readers of configurations, which differ in notation and keys.

use super::keys::{BooksimKey, Fate, KEYS};

/// Reader of a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// BookSim 2, for `flitwise booksim`: `key = value;` over any lines.
    Standalone,
    /// The variants of BookSim 2 that other simulators embed: a line `key = value`, with or without `;`.
    Embedded,
}

impl Dialect {
    /// The treatment of `key`.
    pub(super) fn fate(self, key: &BooksimKey) -> Fate {
        match self {
            Self::Standalone => key.fate,
            Self::Embedded => key.embedded,
        }
    }

    /// The keys that this reader knows.
    pub(super) fn keys(self) -> impl Iterator<Item = &'static BooksimKey> {
        KEYS.iter().filter(move |key| self.fate(key) != Fate::EmbeddedOnly)
    }
}
