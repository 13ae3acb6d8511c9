//! Quantities and identifiers every floor shares.
//!
//! A unit is part of the type: a count of ticks cannot be added to a count of flits. Identifiers are dense 32-bit
//! indices; what they number is decided by the floor that hands them out (nodes and channels by a topology, messages
//! by a schedule). This module knows nothing of networks or schedules.

mod energy;
pub mod key;
mod time;

pub use energy::Attojoules;
pub(crate) use energy::energy_text;
#[cfg(feature = "plots")]
pub(crate) use energy::fitting_unit;
pub use key::Key;
#[cfg(feature = "plots")]
pub(crate) use time::TimeUnit;
#[cfg(feature = "config")]
pub(crate) use time::aligned_time_text;
pub(crate) use time::{time_text, without_zeros};

use serde::Serialize;
use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul, Sub};

/// A point in time or a duration, in integer ticks. How long a tick is in seconds is the scenario's business.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Ticks(pub u64);

impl Ticks {
    /// Time zero: the start of a run.
    pub const ZERO: Self = Self(0);

    /// The largest number of ticks: after every time of a run.
    pub const MAX: Self = Self(u64::MAX);

    /// No time of a run may reach this: beyond, 64 bits are not certain to hold what is computed from it.
    pub const END: Self = Self(1 << 62);
}

impl Add for Ticks {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for Ticks {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl Sub for Ticks {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl Mul<u64> for Ticks {
    type Output = Self;
    fn mul(self, times: u64) -> Self {
        Self(self.0 * times)
    }
}

impl Sum for Ticks {
    fn sum<I: Iterator<Item = Self>>(durations: I) -> Self {
        Self(durations.map(|duration| duration.0).sum())
    }
}

/// The length of a message: the flits of its payload.
///
/// A message of `f` flits puts `max(1, f)` flits on the wire ([`Flits::on_wire`]): the first of them is its head flit,
/// and a message without payload, `f = 0`, is a head flit alone. What moves over channels and fills buffers is counted
/// on the wire; what nodes do for each flit, what models charge for a length, and the lengths of schedules and messages
/// in files are counted in `f`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Flits(pub u64);

impl Flits {
    /// The flits that a payload of `bytes` bytes fills, `flit_bytes` bytes each; none for no bytes.
    ///
    /// # Panics
    /// If `flit_bytes` is 0.
    pub fn from_bytes(bytes: u64, flit_bytes: u64) -> Self {
        Self(bytes.div_ceil(flit_bytes))
    }

    /// The flits that a message of this length puts on the wire, at least 1 (see [`Flits`]).
    ///
    /// ```
    /// use flitwise::units::Flits;
    /// assert_eq!([0, 1, 2].map(|f| Flits(f).on_wire()), [1, 1, 2]);
    /// ```
    #[inline]
    pub fn on_wire(self) -> u64 {
        self.0.max(1)
    }
}

/// A value in millionths: exact, where a fraction has to be the same on every machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Millionths(pub u64);

impl Millionths {
    /// The ratio of two numbers, rounded.
    pub fn ratio(part: u64, whole: u64) -> Self {
        let scaled = (u128::from(part) * 1_000_000 + u128::from(whole) / 2) / u128::from(whole);
        Self(u64::try_from(scaled).unwrap_or(u64::MAX))
    }
}

impl fmt::Display for Millionths {
    /// With as many decimals as there are, at most six.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = self.0 / 1_000_000;
        let part = self.0 % 1_000_000;
        if part == 0 {
            return whole.fmt(f);
        }
        let part = format!("{part:06}");
        write!(f, "{whole}.{}", part.trim_end_matches('0'))
    }
}

/// A value in millionths that may be below zero, such as how far off a measurement is.
///
/// Rows, journals and summaries carry every value without a sign: there it is its own 64 bits, in two's complement
/// ([`Self::stored`]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SignedMillionths(pub i64);

impl SignedMillionths {
    /// How far `value` is off `reference`, as a part of that, rounded: `value / reference - 1`.
    ///
    /// ```
    /// use flitwise::units::SignedMillionths;
    /// assert_eq!(SignedMillionths::off(99, 100).to_string(), "-0.01");
    /// ```
    ///
    /// # Panics
    /// If `reference` is 0, or `value` nine million million times as large.
    pub fn off(value: u64, reference: u64) -> Self {
        let Millionths(ratio) = Millionths::ratio(value, reference);
        Self(narrow::<i64, u64>(ratio, "no value is nine million million times its reference") - 1_000_000)
    }

    /// What rows have in its place.
    pub fn stored(self) -> u64 {
        self.0.cast_unsigned()
    }

    /// The value in whose place rows have `stored`.
    pub fn from_stored(stored: u64) -> Self {
        Self(stored.cast_signed())
    }
}

impl fmt::Display for SignedMillionths {
    /// As [`Millionths`], behind a `-` if it is below zero.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0 < 0 { "-" } else { "" })?;
        Millionths(self.0.unsigned_abs()).fmt(f)
    }
}

/// A `number` of things in memory; one that is larger than any is the largest.
#[inline]
pub(crate) fn saturated(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// `number` in a narrower type, which `invariant` says that it fits.
///
/// A number that does not fit is an error of this program: what comes from outside is checked where it is read. A wrong
/// number would be worse than the end of the run.
///
/// # Panics
/// If it does not fit, with the invariant.
#[inline]
#[track_caller]
pub(crate) fn narrow<T: TryFrom<N>, N: Copy + fmt::Display>(number: N, invariant: &str) -> T {
    match T::try_from(number) {
        Ok(narrower) => narrower,
        Err(_) => does_not_fit(number, invariant),
    }
}

/// Apart, so that what calls [`narrow`] stays small; by value, so that a number that fits stays in its register.
#[cold]
#[inline(never)]
#[track_caller]
#[expect(clippy::panic, reason = "states the invariant that is broken")]
fn does_not_fit<N: fmt::Display>(number: N, invariant: &str) -> ! {
    panic!("{number} does not fit, although {invariant}")
}

macro_rules! identifier {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[serde(transparent)]
        pub struct $name(pub u32);

        impl $name {
            /// The identifier of the `index`-th thing.
            ///
            /// # Panics
            /// If `index` does not fit 32 bits: counts are checked where they are decided.
            #[inline]
            #[track_caller]
            pub fn new(index: usize) -> Self {
                Self(narrow(index, concat!(stringify!($name), " numbers fit 32 bits")))
            }

            /// The identifier as an index into an array.
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

identifier! {
    /// A node of the machine, numbered row-major by its topology.
    NodeId
}
identifier! {
    /// A router, numbered by its topology.
    RouterId
}
identifier! {
    /// A directed link between two routers, numbered by its topology (see [`crate::topology::Links`]).
    LinkId
}
identifier! {
    /// A directed channel, numbered by its topology (see [`crate::topology`]).
    ChannelId
}
identifier! {
    /// A message, numbered by its schedule; the number breaks ties between simultaneous requests.
    MessageId
}

/// Shown as the number.
macro_rules! shown {
    ($($name:ident),*) => {$(
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    )*};
}

shown!(Ticks, Flits, NodeId, RouterId, LinkId, ChannelId, MessageId);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_fit_are_the_same() {
        assert_eq!(narrow::<u8, u64>(255, "a test"), 255);
        assert_eq!(NodeId::new(7), NodeId(7));
    }

    #[test]
    #[should_panic(expected = "256 does not fit, although a byte is enough")]
    fn numbers_that_do_not_fit_end_the_run_with_the_invariant() {
        let _: u8 = narrow(256_u64, "a byte is enough");
    }
}
