//! Numbers in as many bytes as they need (LEB128): seven bits each, the lowest first.
//!
//! ```text
//!   300 = 0b10_0101100  ->  1 0101100   0 0000010      every byte but the last has its highest bit set
//! ```

/// Adds `number` to `bytes`.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "seven bits at a time")]
pub(crate) fn push(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 1 << 7 {
        bytes.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

#[cfg(test)]
mod tests {
    #[test]
    fn numbers_are_seven_bits_a_byte() {
        let mut bytes = Vec::new();
        [0, 127, 128, 300, u64::MAX].into_iter().for_each(|number| super::push(&mut bytes, number));
        assert_eq!(bytes[..6], [0, 127, 0x80, 1, 0xac, 2]);
        assert_eq!(bytes.len(), 6 + 10);
    }
}
