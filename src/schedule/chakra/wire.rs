//! The wire format of protocol buffers: fields, each a number and a value of one of four types.
//!
//! ```text
//!   field = varint (number << 3 | type), value      0: varint | 1: eight bytes | 2: varint length, bytes | 5: four bytes
//! ```
//!
//! Values are borrowed, so that an unknown field costs a step and no memory.

use thiserror::Error;

/// An error in the encoding.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub(super) enum WireError {
    #[error("it ends within a field")]
    Ends,
    #[error("a varint has more than {VARINT} bytes")]
    Varint,
    #[error("a field has wire type {0}; accepted: 0, 1, 2 and 5")]
    WireType(u64),
    #[error("a field has number 0")]
    Number,
}

/// The most bytes of a varint.
const VARINT: usize = 10;

/// The value of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value<'a> {
    Varint(u64),
    Fixed64(u64),
    Bytes(&'a [u8]),
    Fixed32(u32),
}

/// Removes a varint from the start of `bytes`: seven bits in a byte, the lowest first. Bits beyond 64 are dropped.
#[inline]
pub(super) fn varint(bytes: &mut &[u8]) -> Result<u64, WireError> {
    let mut number = 0;
    for (index, &byte) in bytes.iter().take(VARINT).enumerate() {
        number |= u64::from(byte & 0x7f) << (7 * index);
        if byte < 0x80 {
            *bytes = &bytes[index + 1..];
            return Ok(number);
        }
    }
    Err(if bytes.len() < VARINT { WireError::Ends } else { WireError::Varint })
}

/// Removes bytes from the start of `bytes` whose number is in front of them.
#[inline]
pub(super) fn delimited<'a>(bytes: &mut &'a [u8]) -> Result<&'a [u8], WireError> {
    let length = varint(bytes)?;
    let (part, rest) =
        usize::try_from(length).ok().and_then(|length| bytes.split_at_checked(length)).ok_or(WireError::Ends)?;
    *bytes = rest;
    Ok(part)
}

/// Removes `N` bytes from the start of `bytes`.
fn fixed<const N: usize>(bytes: &mut &[u8]) -> Result<[u8; N], WireError> {
    let (part, rest) = bytes.split_first_chunk().ok_or(WireError::Ends)?;
    *bytes = rest;
    Ok(*part)
}

/// The fields of a message. They end at the first error.
pub(super) struct Fields<'a>(pub(super) &'a [u8]);

impl<'a> Fields<'a> {
    fn field(&mut self) -> Result<(u64, Value<'a>), WireError> {
        let bytes = &mut self.0;
        let key = varint(bytes)?;
        let value = match key & 7 {
            0 => Value::Varint(varint(bytes)?),
            1 => Value::Fixed64(u64::from_le_bytes(fixed(bytes)?)),
            2 => Value::Bytes(delimited(bytes)?),
            5 => Value::Fixed32(u32::from_le_bytes(fixed(bytes)?)),
            other => return Err(WireError::WireType(other)),
        };
        if key < 8 { Err(WireError::Number) } else { Ok((key >> 3, value)) }
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<(u64, Value<'a>), WireError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_err() {
            self.0 = &[];
        }
        Some(field)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn fields(bytes: &[u8]) -> Result<Vec<(u64, Value<'_>)>, WireError> {
        Fields(bytes).collect()
    }

    #[test]
    fn fields_of_all_types_are_read() {
        let bytes = [0x08, 0xac, 0x02, 0x11, 1, 0, 0, 0, 0, 0, 0, 0, 0x1a, 2, b'a', b'b', 0x25, 7, 0, 0, 0];
        let expected =
            vec![(1, Value::Varint(300)), (2, Value::Fixed64(1)), (3, Value::Bytes(b"ab")), (4, Value::Fixed32(7))];
        assert_eq!(fields(&bytes), Ok(expected));
    }

    #[test]
    fn errors_of_the_encoding_are_recognised() {
        for cut in [
            &b"\x08"[..],
            b"\x08\x80",
            b"\x11\0\0",
            b"\x1a\x05ab",
            b"\x25\0",
            b"\x1a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
        ] {
            assert_eq!(fields(cut), Err(WireError::Ends), "{cut:?}");
        }
        assert_eq!(fields(&[&[0x08][..], &[0xff; 11]].concat()), Err(WireError::Varint));
        assert_eq!(fields(b"\x0b"), Err(WireError::WireType(3)));
        assert_eq!(fields(b"\x00\x01"), Err(WireError::Number));
    }

    proptest! {
        #[test]
        fn varints_are_those_of_leb128(number: u64, rest: Vec<u8>) {
            let mut bytes = Vec::new();
            crate::leb128::push(&mut bytes, number);
            bytes.extend(&rest);
            let mut left = &bytes[..];
            prop_assert_eq!(varint(&mut left), Ok(number));
            prop_assert_eq!(left, &rest[..]);
        }
    }
}
