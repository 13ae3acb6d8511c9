//! The separable output-first allocator (W. J. Dally and B. Towles 2004, section 19.3).

use super::islip::Islip;

/// Each output port offers itself to one of its requests, and each input port accepts one offer, round robin: iSLIP with one
/// iteration.
pub(crate) type OutputFirst<const W: usize> = Islip<1, W>;
