//! The labels of a rank: which operation each names, and where it stands.
//!
//! ```text
//!   l0 l1 l2 ..   a letter and a number, as tools write them: a table by number, of one letter
//!   all others    a hash table
//! ```
//!
//! Labels of one rank are forgotten at the next without being looked at: where a label stands says whether it is old.

use super::scan::IN_NAMES;
use rustc_hash::FxHashMap;
use std::num::NonZeroU32;

/// A name as it stands in a text.
#[derive(Clone, Copy)]
pub(super) struct Name {
    /// The byte at which it begins, which is never the first of a text.
    pub(super) at: usize,
    /// What the name says if it is a letter and a number that a table has room for, else [`NO_KEY`].
    key: NonZeroU32,
}

/// Numbers in a table have so many bits, so that one label with a high number takes no more than a megabyte; in a key their
/// letter is above them.
const NUMBER_BITS: u32 = 16;
/// So many digits may fit a table.
const DIGITS: usize = 5;
/// The key of a name that is not a letter and a number.
const NO_KEY: NonZeroU32 = NonZeroU32::MAX;

impl Name {
    /// The name at byte `at`, of such bytes.
    pub(super) fn new(at: usize, bytes: &[u8]) -> Self {
        match bytes {
            [letter, b'0'..=b'9'] | [letter, b'1'..=b'9', ..] => {
                let digits = &bytes[1..];
                if digits.len() > DIGITS || !digits.iter().all(u8::is_ascii_digit) {
                    return Self::other(at);
                }
                let number = digits.iter().fold(0, |number, digit| number * 10 + u32::from(digit - b'0'));
                Self::numbered(at, *letter, number)
            }
            _ => Self::other(at), // l01 is another name than l1
        }
    }

    /// The name at byte `at` that is a letter and a number without digits too many.
    #[inline]
    pub(super) fn numbered(at: usize, letter: u8, number: u32) -> Self {
        if number >> NUMBER_BITS != 0 {
            return Self::other(at);
        }
        let letter = u32::from(letter) << NUMBER_BITS;
        Self { at, key: NonZeroU32::new(letter | number).unwrap_or(NO_KEY) }
    }

    /// Any other name at byte `at`.
    pub(super) fn other(at: usize) -> Self {
        Self { at, key: NO_KEY }
    }

    /// The name as it stands in `text`.
    pub(super) fn written(self, text: &[u8]) -> &[u8] {
        let rest = &text[self.at..];
        let length = rest.iter().position(|&byte| !IN_NAMES[usize::from(byte)]);
        &rest[..length.unwrap_or(rest.len())]
    }
}

/// What a label names.
#[derive(Clone, Copy, Default)]
pub(super) struct Label {
    pub(super) operation: u32,
    /// The byte where it stands.
    pub(super) at: usize,
}

/// The labels of the rank that is read.
pub(super) struct Labels<'a> {
    text: &'a [u8],
    /// By number, of the letter of the first such label of the text.
    numbered: Vec<Label>,
    /// The key of that letter and 0; 0 before there is one.
    first_key: u32,
    others: FxHashMap<&'a [u8], Label>,
    /// Where the rank begins: labels that stand before are old.
    from: usize,
}

/// With more labels than these of ranks before, which may be old, there is a fresh start.
const KEPT: usize = 1 << 12;

impl<'a> Labels<'a> {
    /// Of a text of which nothing is read yet.
    pub(super) fn new(text: &'a [u8]) -> Self {
        Self { text, numbered: Vec::new(), first_key: 0, others: FxHashMap::default(), from: 0 }
    }

    /// Begins the rank whose statements stand behind byte `at`, which is not the first.
    #[inline]
    pub(super) fn begin(&mut self, at: usize) {
        self.from = at;
        if self.others.len() > KEPT {
            self.others = FxHashMap::default();
        }
    }

    /// Notes that `name` labels this operation; what it labelled in this rank before, if it did.
    #[inline]
    pub(super) fn insert(&mut self, name: Name, operation: u32) -> Option<Label> {
        let label = Label { operation, at: name.at };
        let place = self.place(name);
        let before = match self.numbered.get_mut(place) {
            Some(place) => Some(std::mem::replace(place, label)),
            None => self.insert_other(name, label),
        };
        before.filter(|before| before.at >= self.from)
    }

    /// The operation that `name` labels in this rank.
    #[inline]
    pub(super) fn get(&self, name: Name) -> Option<u32> {
        let label = match self.numbered.get(self.place(name)) {
            Some(label) => Some(*label),
            None => self.get_other(name),
        };
        label.filter(|label| label.at >= self.from).map(|label| label.operation)
    }

    /// Where among the numbered ones `name` is; beyond all if it is none of them.
    #[inline]
    fn place(&self, name: Name) -> usize {
        name.key.get().wrapping_sub(self.first_key) as usize
    }

    /// What `name` labels, which the table has no place for.
    fn get_other(&self, name: Name) -> Option<Label> {
        self.others.get(name.written(self.text)).copied()
    }

    /// Notes what `name` labels, which the table has no place for, or not yet; what it labelled before.
    fn insert_other(&mut self, name: Name, label: Label) -> Option<Label> {
        if self.first_key == 0 && name.key != NO_KEY {
            self.first_key = name.key.get() >> NUMBER_BITS << NUMBER_BITS;
        }
        let place = self.place(name);
        if place >> NUMBER_BITS != 0 {
            return self.others.insert(name.written(self.text), label);
        }
        self.numbered.resize(place, Label::default());
        self.numbered.push(label);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// What a label is called: numbers with and without digits too many, of two letters, and other names.
    fn name() -> impl Strategy<Value = String> {
        prop_oneof!["l[0-9]{0,6}", "l[0-9]", "m[0-9]{1,2}", "[lm][0-9][a-z0-9_]{0,9}"]
    }

    proptest! {
        /// Whatever labels are called, each names what it was last given to in this rank, and nothing of ranks before.
        #[test]
        fn labels_are_what_a_map_a_rank_says(ranks in prop::collection::vec(prop::collection::vec(name(), 0..30), 1..6)) {
            let text = format!("\n{}\n", ranks.concat().join("\n"));
            let mut at = 1;
            let mut name = |written: &String| {
                let name = Name::new(at, written.as_bytes());
                at += written.len() + 1;
                name
            };
            let ranks: Vec<Vec<Name>> = ranks.iter().map(|rank| rank.iter().map(&mut name).collect()).collect();
            let mut labels = Labels::new(text.as_bytes());
            let mut operation = 0;
            for rank in &ranks {
                let mut expected: BTreeMap<&[u8], u32> = BTreeMap::new();
                labels.begin(rank.first().map_or(text.len(), |name| name.at));
                for &name in rank {
                    operation += 1;
                    let before = labels.insert(name, operation).map(|label| label.operation);
                    prop_assert_eq!(before, expected.insert(name.written(text.as_bytes()), operation));
                }
                for &name in ranks.iter().flatten() {
                    prop_assert_eq!(labels.get(name), expected.get(name.written(text.as_bytes())).copied());
                }
            }
        }
    }
}
