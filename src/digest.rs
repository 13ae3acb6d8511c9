//! Digests that tell whether bytes have changed: of files, points, scenarios and lines of journals.
//!
//! They are XXH3 with 128 bits: fast on inputs of any size, the same on every machine, and good against accidents. They
//! are no defence against forgery, which no result here needs.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::io::{self, Write};
use xxhash_rust::xxh3::{Xxh3, xxh3_128};

/// A digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Digest(u128);

impl Digest {
    /// The digest of `bytes`.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        Self(xxh3_128(bytes))
    }

    /// The first 64 bits.
    pub fn first_half(self) -> u64 {
        (self.0 >> 64) as u64
    }

    /// As bytes, the most significant first.
    pub fn to_bytes(self) -> [u8; 16] {
        self.0.to_be_bytes()
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> Self {
        digest.to_string()
    }
}

impl TryFrom<String> for Digest {
    type Error = std::num::ParseIntError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        u128::from_str_radix(&text, 16).map(Self)
    }
}

/// `number` as sixteen hexadecimal digits.
pub(crate) fn hexadecimal(number: u64) -> [u8; 16] {
    std::array::from_fn(|at| b"0123456789abcdef"[(number >> (60 - 4 * at) & 15) as usize])
}

/// Makes the digest of what is written to it.
#[derive(Clone, Default)]
pub struct Digester(Box<Xxh3>);

impl Digester {
    /// Adds `bytes`.
    pub fn update(&mut self, bytes: impl AsRef<[u8]>) {
        self.0.update(bytes.as_ref());
    }

    /// The digest of all that was added.
    pub fn finish(&self) -> Digest {
        Digest(self.0.digest128())
    }
}

impl Write for Digester {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Journals of other machines must be readable: the digests of XXH3's own test vectors.
    #[test]
    fn digests_are_the_same_everywhere() {
        assert_eq!(Digest::from_bytes(b"").to_string(), "99aa06d3014798d86001c324468d497f");
        let mut digester = Digester::default();
        let parts: [&[u8]; 2] = [b"ab", b"c"];
        parts.into_iter().for_each(|part| digester.update(part));
        assert_eq!(digester.finish(), Digest::from_bytes(b"abc"));
    }
}
