//! The labels of a rank: which operation each names, and where it stands.
//!
//! Labels of one rank are forgotten at the next without being looked at: an operation of a rank before says that a label
//! is old. Most are short, and short ones are known by their bytes as a number.

use rustc_hash::FxHashMap;

/// A name as it stands in a text.
#[derive(Clone, Copy)]
pub(super) struct Name<'a> {
    pub(super) bytes: &'a [u8],
    /// Its last bytes, as many as a number has.
    pub(super) number: u64,
}

/// So many bytes fit a number.
const SHORT: usize = 8;

/// What a label names.
#[derive(Clone, Copy)]
pub(super) struct Label {
    pub(super) operation: u32,
    /// The byte where it stands.
    pub(super) at: usize,
}

/// The labels of the rank that is read.
#[derive(Default)]
pub(super) struct Labels<'a> {
    short: FxHashMap<u64, Label>,
    long: FxHashMap<&'a [u8], Label>,
    /// The first operation of the rank: labels of those before are old.
    first: u32,
}

/// With more labels than these of ranks before, which may be old, there is a fresh start.
const KEPT: usize = 1 << 12;

impl<'a> Labels<'a> {
    /// Begins the rank whose first operation this is.
    pub(super) fn begin(&mut self, first: u32) {
        self.first = first;
        if self.short.len() > KEPT {
            self.short = FxHashMap::default();
        }
        if self.long.len() > KEPT {
            self.long = FxHashMap::default();
        }
    }

    /// Notes what `name` names; what it named in this rank before, if it did.
    #[inline]
    pub(super) fn insert(&mut self, name: Name<'a>, label: Label) -> Option<Label> {
        let before = match name.bytes.len() {
            ..=SHORT => self.short.insert(name.number, label),
            _ => self.long.insert(name.bytes, label),
        };
        before.filter(|before| before.operation >= self.first)
    }

    /// The operation that `name` names in this rank.
    #[inline]
    pub(super) fn get(&self, name: Name<'a>) -> Option<u32> {
        let label = match name.bytes.len() {
            ..=SHORT => self.short.get(&name.number),
            _ => self.long.get(name.bytes),
        };
        label.map(|label| label.operation).filter(|&operation| operation >= self.first)
    }
}
