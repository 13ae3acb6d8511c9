//! Quantities and identifiers every floor shares.
//!
//! A unit is part of the type: a count of ticks cannot be added to a count of flits. Identifiers are dense 32-bit
//! indices; what they number is decided by the floor that hands them out (nodes and channels by a topology, messages
//! by a schedule). This module knows nothing of networks or schedules.

pub mod key;

pub use key::Key;

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

impl fmt::Display for Ticks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The length of a message in flits, at least 1 for a message that travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Flits(pub u64);

impl fmt::Display for Flits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A value in millionths: exact, where a fraction has to be the same on every machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Millionths(pub u64);

impl fmt::Display for Millionths {
    /// With as many decimals as there are, at most six.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, part) = (self.0 / 1_000_000, self.0 % 1_000_000);
        if part == 0 {
            return whole.fmt(f);
        }
        let part = format!("{part:06}");
        write!(f, "{whole}.{}", part.trim_end_matches('0'))
    }
}

/// Counts are checked where they are decided, so nobody gets here.
#[cold]
#[expect(clippy::panic, reason = "an invariant of whoever numbers things")]
fn too_many(what: &str) -> ! {
    panic!("more than 2^32 of {what}")
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
            /// If `index` does not fit 32 bits; whoever numbers things checks their count first.
            #[must_use]
            pub fn new(index: usize) -> Self {
                match u32::try_from(index) {
                    Ok(index) => Self(index),
                    Err(_) => too_many(stringify!($name)),
                }
            }

            /// The identifier as an index into an array.
            #[must_use]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

identifier! {
    /// A node of the machine, numbered row-major by its topology.
    NodeId
}
identifier! {
    /// A directed channel, numbered by its topology (see [`crate::topology`]).
    ChannelId
}
identifier! {
    /// A message, numbered by its schedule; the number breaks ties between simultaneous requests.
    MessageId
}
