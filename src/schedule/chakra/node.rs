//! A node as its message has it: the fields and attributes that are known, borrowed.

use super::wire::{Fields, Value, WireError, varint};

/// The attributes that are read, in the order of [`Attributes`].
const NAMES: [&str; 9] =
    ["is_cpu_op", "num_ops", "tensor_size", "comm_type", "comm_size", "comm_src", "comm_dst", "comm_tag", "pg_name"];

/// The attributes of a node that are known, each by its place in [`NAMES`].
#[derive(Clone, Copy, Default)]
pub(super) struct Attributes<'a>([Attribute<'a>; NAMES.len()]);

/// The value of an attribute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Attribute<'a> {
    #[default]
    Absent,
    Integer(u64),
    Negative(i64),
    Text(&'a [u8]),
    /// A list, or a number that is not an integer.
    Other,
}

impl<'a> Attribute<'a> {
    fn signed(number: i64) -> Self {
        u64::try_from(number).map_or(Self::Negative(number), Self::Integer)
    }

    /// Reads the name and the value of an attribute. A value that is not written is 0.
    fn read(bytes: &'a [u8]) -> Result<(&'a [u8], Self), WireError> {
        let mut name: &[u8] = b"";
        let mut attribute = Self::Integer(0);
        for field in Fields(bytes) {
            let (number, value) = field?;
            attribute = match (number, value) {
                (1, Value::Bytes(text)) => {
                    name = text;
                    attribute
                }
                (7 | 9, Value::Varint(number)) => Self::signed(number.cast_signed()),
                (11 | 13 | 27, Value::Varint(number)) => Self::Integer(number),
                // zigzag: 0, -1, 1, -2, ..
                (15 | 17, Value::Varint(number)) => {
                    Self::signed((number >> 1).cast_signed() ^ -(number & 1).cast_signed())
                }
                (19, Value::Fixed32(number)) => Self::Integer(number.into()),
                (21, Value::Fixed64(number)) => Self::Integer(number),
                (23, Value::Fixed32(number)) => Self::signed(number.cast_signed().into()),
                (25, Value::Fixed64(number)) => Self::signed(number.cast_signed()),
                (29, Value::Bytes(text)) => Self::Text(text),
                (3..=32, _) => Self::Other,
                _ => attribute,
            };
        }
        Ok((name, attribute))
    }
}

impl<'a> Attributes<'a> {
    fn get(&self, name: &str) -> Attribute<'a> {
        NAMES.iter().zip(self.0).find(|(other, _)| **other == name).map_or(Attribute::Absent, |(_, value)| value)
    }

    /// The integer `name`, if there is such an attribute.
    pub(super) fn integer(&self, name: &str) -> Result<Option<u64>, String> {
        match self.get(name) {
            Attribute::Absent => Ok(None),
            Attribute::Integer(number) => Ok(Some(number)),
            Attribute::Negative(number) => Err(format!("`{name}` is {number}; accepted: an integer from 0")),
            Attribute::Text(_) | Attribute::Other => Err(format!("`{name}` is not an integer")),
        }
    }

    /// The integer `name`, which is at most `most`, or 0.
    pub(super) fn up_to(&self, name: &str, most: u64) -> Result<u64, String> {
        match self.integer(name)?.unwrap_or(0) {
            number if number > most => Err(format!("`{name}` is {number}; accepted: up to {most}")),
            number => Ok(number),
        }
    }

    /// The text `name`, or an empty text. An integer is its digits.
    pub(super) fn text(&self, name: &str) -> Result<String, String> {
        match self.get(name) {
            Attribute::Absent => Ok(String::new()),
            Attribute::Integer(number) => Ok(number.to_string()),
            Attribute::Text(text) => Ok(String::from_utf8_lossy(text).into_owned()),
            Attribute::Negative(_) | Attribute::Other => Err(format!("`{name}` is not text")),
        }
    }
}

/// The fields of a node that are known.
#[derive(Default)]
pub(super) struct Fielded<'a> {
    pub(super) id: u64,
    pub(super) name: &'a [u8],
    pub(super) kind: u64,
    pub(super) duration: u64,
    /// The values of its inputs.
    pub(super) values: &'a [u8],
    pub(super) attributes: Attributes<'a>,
}

impl<'a> Fielded<'a> {
    /// Reads a node, and adds the ids of its dependencies to `control` and `data`.
    pub(super) fn read(bytes: &'a [u8], control: &mut Vec<u64>, data: &mut Vec<u64>) -> Result<Self, WireError> {
        let mut node = Self::default();
        for field in Fields(bytes) {
            match field? {
                (1, Value::Varint(id)) => node.id = id,
                (2, Value::Bytes(name)) => node.name = name,
                (3, Value::Varint(kind)) => node.kind = kind,
                (4, value) => add_ids(control, value)?,
                (5, value) => add_ids(data, value)?,
                (7, Value::Varint(duration)) => node.duration = duration,
                (8, Value::Bytes(inputs)) => {
                    for field in Fields(inputs) {
                        if let (1, Value::Bytes(values)) = field? {
                            node.values = values;
                        }
                    }
                }
                (10, Value::Bytes(attribute)) => {
                    let (name, value) = Attribute::read(attribute)?;
                    if let Some(index) = NAMES.iter().position(|known| known.as_bytes() == name) {
                        node.attributes.0[index] = value;
                    }
                }
                _ => {}
            }
        }
        Ok(node)
    }
}

/// Adds one id, or several that are packed.
fn add_ids(ids: &mut Vec<u64>, value: Value<'_>) -> Result<(), WireError> {
    match value {
        Value::Varint(id) => ids.push(id),
        Value::Bytes(mut packed) => {
            while !packed.is_empty() {
                ids.push(varint(&mut packed)?);
            }
        }
        Value::Fixed32(_) | Value::Fixed64(_) => {}
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;

    #[test]
    fn any_integer_field_is_an_integer() {
        fn value(bytes: &[u8]) -> Attribute<'_> {
            Attribute::read(bytes).unwrap().1
        }
        for bytes in [&b"\x38\x05"[..], b"\x48\x05", b"\x58\x05", b"\x68\x05", b"\x78\x0a", b"\x88\x01\x0a"] {
            assert_eq!(value(bytes), Attribute::Integer(5), "{bytes:?}");
        }
        for bytes in [
            &b"\x9d\x01\x05\0\0\0"[..],
            b"\xbd\x01\x05\0\0\0",
            b"\xa9\x01\x05\0\0\0\0\0\0\0",
            b"\xc9\x01\x05\0\0\0\0\0\0\0",
        ] {
            assert_eq!(value(bytes), Attribute::Integer(5), "{bytes:?}");
        }
        assert_eq!(value(b"\xd8\x01\x01"), Attribute::Integer(1), "a boolean");
        assert_eq!(value(b"\x48\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), Attribute::Negative(-1));
        assert_eq!(value(b"\x78\x01"), Attribute::Negative(-1));
        assert_eq!(value(b"\xbd\x01\xfe\xff\xff\xff"), Attribute::Negative(-2));
        assert_eq!(value(b"\x19\0\0\0\0\0\0\0\0"), Attribute::Other, "a double");
        assert_eq!(value(b"\xe2\x01\x03\x0a\x01\x01"), Attribute::Other, "a list");
        assert_eq!(value(b""), Attribute::Integer(0));
    }
}
