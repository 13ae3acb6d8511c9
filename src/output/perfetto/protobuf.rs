//! Fields of protobuf messages, as far as a trace needs them: varints, 64 bits as they are, texts, and messages within messages.
//!
//! ```text
//!   key = field << 3 | kind     kind 0: varint   1: eight bytes, the least significant first   2: length, then so many bytes
//!   varint: seven bits a byte, the least significant first; every byte but the last has its highest bit set
//! ```
//!
//! Source: *Encoding*, Protocol Buffers documentation.

use crate::leb128;

/// What follows a key.
#[derive(Clone, Copy)]
enum Kind {
    Varint = 0,
    EightBytes = 1,
    Length = 2,
}

/// Fields one after another.
#[derive(Debug, Default)]
pub(super) struct Fields {
    bytes: Vec<u8>,
}

impl Fields {
    /// All of them as bytes.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Takes all of them away.
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
    }

    /// A number as a varint.
    pub(super) fn number(&mut self, field: u32, value: u64) {
        self.key(field, Kind::Varint);
        self.varint(value);
    }

    /// A number in eight bytes.
    pub(super) fn fixed(&mut self, field: u32, value: u64) {
        self.key(field, Kind::EightBytes);
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    /// A text.
    pub(super) fn text(&mut self, field: u32, text: &str) {
        self.key(field, Kind::Length);
        self.varint(text.len() as u64);
        self.bytes.extend_from_slice(text.as_bytes());
    }

    /// A message with the fields that `fill` gives it.
    pub(super) fn nested(&mut self, field: u32, fill: impl FnOnce(&mut Self)) {
        self.key(field, Kind::Length);
        let at = self.bytes.len();
        fill(self);
        // how long it is, is known behind it and stands before it
        let end = self.bytes.len();
        self.varint((end - at) as u64);
        let digits = self.bytes.len() - end;
        self.bytes[at..].rotate_right(digits);
    }

    fn key(&mut self, field: u32, kind: Kind) {
        self.varint(u64::from(field << 3 | kind as u32));
    }

    fn varint(&mut self, value: u64) {
        leb128::push(&mut self.bytes, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first three are the examples of the documentation.
    #[test]
    fn fields_are_encoded_as_documented() {
        let mut fields = Fields::default();
        fields.number(1, 150);
        assert_eq!(fields.bytes(), [0x08, 0x96, 0x01]);
        fields.clear();
        fields.text(2, "testing");
        assert_eq!(fields.bytes(), [&[0x12, 0x07], "testing".as_bytes()].concat());
        fields.clear();
        fields.nested(3, |nested| nested.number(1, 150));
        assert_eq!(fields.bytes(), [0x1a, 0x03, 0x08, 0x96, 0x01]);
        fields.clear();
        fields.fixed(47, 1 << 32 | 5);
        assert_eq!(fields.bytes(), [0xf9, 0x02, 5, 0, 0, 0, 1, 0, 0, 0]);
    }

    #[test]
    fn the_largest_number_takes_ten_bytes() {
        let mut fields = Fields::default();
        fields.number(1, u64::MAX);
        assert_eq!(fields.bytes(), [0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]);
    }

    #[test]
    fn a_long_message_stands_behind_a_length_of_several_bytes() {
        let long = "x".repeat(300);
        let mut fields = Fields::default();
        fields.number(1, 1);
        fields.nested(2, |nested| nested.text(3, &long));
        let expected = [&[0x08, 0x01, 0x12, 0xaf, 0x02, 0x1a, 0xac, 0x02], long.as_bytes()].concat();
        assert_eq!(fields.bytes(), expected);
    }
}
