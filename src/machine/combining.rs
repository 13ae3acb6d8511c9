//! The keys of routers that combine packets.

use crate::config::Reader;
use crate::engine::router::Combining;
use crate::units::Key;

const COMBINE_LATENCY: Key = Key::integer("combine_latency", 0..=1 << 16)
    .or(1)
    .unit("cycles")
    .says("time from the arrival of the last operand of a reduction until routers send the combined flit");
const COMBINE_INTERVAL: Key = Key::integer("combine_interval", 1..=1 << 16)
    .or(1)
    .unit("cycles")
    .says("time between two flits that an output of a router combines");

/// The keys, in the order of their documentation.
pub(super) const KEYS: [Key; 2] = [COMBINE_LATENCY, COMBINE_INTERVAL];

/// Reads the costs of combinations in `[router]`.
pub(super) fn read(table: &Reader<'_>) -> Combining {
    Combining { latency: table.integer(&COMBINE_LATENCY), interval: table.integer(&COMBINE_INTERVAL) }
}
