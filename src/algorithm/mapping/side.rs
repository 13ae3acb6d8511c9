//! Sides of tasks: random ones, the rank of a task that takes no part, and counts that can be subtracted.

use crate::units::NodeId;
use rand::Rng;
use rand_pcg::Pcg64;

/// The rank of a task that takes no part.
pub(super) const OUT: u32 = u32::MAX;

/// A random side, 0 or 1, for each of `count` tasks.
pub(super) fn random_sides(count: usize, random: &mut Pcg64) -> Vec<u8> {
    (0..count).map(|_| u8::from(random.next_u64() >> 63 == 1)).collect()
}

/// A count of tasks, which are numbered with 32 bits, as a number that can be negative.
pub(super) fn signed(count: usize) -> i64 {
    i64::from(NodeId::new(count).0)
}
