//! Every reader of bytes from outside, each as a function of these bytes alone: what the fuzzer of `fuzz/` calls, and what
//! the test that reads again what it found (`tests/it/fuzzed.rs`) calls.
//!
//! A target panics if a reader does, or if what it says of the bytes cannot be: a line that is not there, something else
//! when it is asked again, other operations when what was read is written and read again.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a target fails by a panic")]

mod folder;
pub(crate) mod framed;
pub(crate) mod measurements;
pub(crate) mod operations;
pub(crate) mod runs;
pub(crate) mod scenario;
pub(crate) mod words;

/// A reader, or several that read the same.
pub(crate) struct Target {
    /// What it is called.
    pub(crate) name: &'static str,
    /// What it reads, for people.
    pub(crate) reads: &'static str,
    /// The longest input that is tried: room for every construct, and no more, as long inputs are slow.
    pub(crate) longest: usize,
    /// Shipped files that its corpus begins with: `folder/*.ending`, from the root of the repository; one that is given is
    /// written out begins with a line break.
    pub(crate) seeds: &'static [&'static str],
    /// Seeds that are made anew: what runs leave.
    pub(crate) made: fn() -> Vec<Vec<u8>>,
    /// Reads the bytes.
    pub(crate) run: fn(&[u8]),
}

/// All of them.
pub(crate) const TARGETS: &[&[Target]] =
    &[operations::TARGETS, measurements::TARGETS, words::TARGETS, scenario::TARGETS, framed::TARGETS, runs::TARGETS];

/// All of them, one after the other.
pub(crate) fn targets() -> impl Iterator<Item = &'static Target> {
    TARGETS.iter().copied().flatten()
}

/// How many lines `bytes` have, the one behind the last end of a line too.
fn lines(bytes: &[u8]) -> usize {
    1 + bytes.iter().filter(|&&byte| byte == b'\n').count()
}
