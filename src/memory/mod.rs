//! Memory: bytes in words, how much may be taken, and allocations that may fail.
//!
//! What a scenario needs is estimated before anything is allocated, and refused if it does not fit. Where an estimate
//! could be wrong and a single allocation is large, it is asked for with [`room`], so that one that fails is an error and
//! does not end the process. Smaller allocations are not checked: limits leave room for them.

#[cfg(feature = "system")]
mod available;
#[cfg(feature = "config")]
mod stated;

use thiserror::Error;

/// The most bytes that may be taken, and what says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// How many.
    pub bytes: u64,
    /// What they are, as the end of `64 MB are ..`.
    pub why: &'static str,
}

impl Limit {
    /// So many bytes that are there.
    pub fn available(bytes: u64) -> Self {
        Self { bytes, why: "available" }
    }

    /// What is missing where so much is needed: as the end of a sentence that says what needs it.
    pub(crate) fn refusal(self, needed: u64) -> String {
        let Self { bytes, why } = self;
        // where both come to the same in words, the one is rounded up: a message must not say that 2 MB do not fit 2 MB
        let needed = in_words(needed);
        let limit = if needed == in_words(bytes) { "slightly less" } else { &in_words(bytes) };
        format!("needs {needed} of memory, but only {limit} is {why}")
    }
}

/// `bytes` in the unit that fits, of powers of 1000: `1 B`, `64 kB`, `465 MB`, `6.1 GB`.
#[expect(clippy::cast_precision_loss, reason = "for people to read")]
pub fn in_words(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["kB", "MB", "GB", "TB", "PB", "EB"];
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64 / 1000.0;
    let mut unit = 0;
    // 999.6 would be written 1000
    while value >= 999.5 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    // what takes gigabytes is told more exactly than what does not
    let decimals = if value < 9.95 || (unit >= 2 && value < 999.95) { 1 } else { 0 };
    let number = format!("{value:.decimals$}");
    format!("{} {}", number.strip_suffix(".0").unwrap_or(&number), UNITS[unit])
}

/// As many bytes as `text` says: a number, and K, M, G or T for powers of 1024, such as `8G`.
///
/// # Errors
/// What is accepted instead.
pub fn size(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let shift = match text[digits.len()..].to_ascii_uppercase().as_str() {
        "" | "B" => 0,
        "K" | "KB" | "KIB" => 10,
        "M" | "MB" | "MIB" => 20,
        "G" | "GB" | "GIB" => 30,
        "T" | "TB" | "TIB" => 40,
        _ => return Err("must be a number of bytes, optionally with K, M, G or T, such as 8G".to_owned()),
    };
    let number: u64 = digits.parse().map_err(|_| "must be a whole number of bytes, such as 8G".to_owned())?;
    match number.checked_mul(1 << shift) {
        Some(0) => Err("must be at least 1 byte, such as 8G".to_owned()),
        Some(bytes) => Ok(bytes),
        None => Err("must be at most 16777215T".to_owned()),
    }
}

/// There was no room.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("cannot allocate {} of memory for {what}", in_words(*.bytes))]
pub struct OutOfMemory {
    /// How many bytes were asked for.
    pub bytes: u64,
    /// What for.
    pub what: &'static str,
}

/// An empty list with room for exactly `count` values.
///
/// # Errors
/// If there is no such room.
pub fn room<T>(count: usize, what: &'static str) -> Result<Vec<T>, OutOfMemory> {
    let mut list = Vec::new();
    list.try_reserve_exact(count).map_err(|_| missing::<T>(count, what))?;
    Ok(list)
}

/// Adds `value` to `list`.
///
/// # Errors
/// If the list must grow, and there is no room.
#[inline]
pub fn push<T>(list: &mut Vec<T>, value: T, what: &'static str) -> Result<(), OutOfMemory> {
    if list.len() == list.capacity() {
        list.try_reserve(1).map_err(|_| missing::<T>(2 * list.len(), what))?;
    }
    list.push(value);
    Ok(())
}

fn missing<T>(count: usize, what: &'static str) -> OutOfMemory {
    OutOfMemory { bytes: (count as u64).saturating_mul(size_of::<T>() as u64), what }
}

/// So many times `value`.
///
/// # Errors
/// If there is no room.
pub fn filled<T: Clone>(value: T, count: usize, what: &'static str) -> Result<Vec<T>, OutOfMemory> {
    let mut list = room(count, what)?;
    list.resize(count, value);
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_people_write_them() {
        assert_eq!(["1", "64k", "8G", "2TiB", "5b"].map(size), [1, 64 << 10, 8 << 30, 2 << 40, 5].map(Ok));
        let wrong = ["0", "0G", "much", "G", "-1", "1.5G", "99999999T"];
        assert!(wrong.iter().all(|text| size(text).is_err()));
    }

    #[test]
    fn bytes_are_told_in_the_unit_that_fits() {
        let told = [1, 999, 1000, 64_000, 999_600, 1_000_000, 1_153_000, 465_000_000, 6_100_000_000, 428_900_000_000];
        let expected = ["1 B", "999 B", "1 kB", "64 kB", "1 MB", "1 MB", "1.2 MB", "465 MB", "6.1 GB", "428.9 GB"];
        assert_eq!(told.map(in_words), expected);
        assert_eq!(in_words(u64::MAX), "18.4 EB");
    }

    #[test]
    fn what_does_not_fit_is_never_said_to_be_as_large_as_what_there_is() {
        let limit = Limit { bytes: 1, why: "allowed by --memory" };
        assert_eq!(limit.refusal(2_000_000), "needs 2 MB of memory, but only 1 B is allowed by --memory");
        let limit = Limit::available(2_000_000);
        assert_eq!(limit.refusal(2_000_001), "needs 2 MB of memory, but only slightly less is available");
    }

    #[test]
    fn an_allocation_that_cannot_be_is_an_error() {
        let error = room::<u64>(usize::MAX / 16, "a graph").map(|list| list.len());
        assert!(error.is_err_and(|error| error.to_string().ends_with(" of memory for a graph")));
        assert_eq!(filled(7_u8, 3, "three"), Ok(vec![7, 7, 7]));
    }
}
