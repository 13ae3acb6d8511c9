//! Keys of batches, and their reader.

use super::read::MODE;
use crate::algorithm::traffic::BatchPlan;
use crate::config::{Diagnostic, Reader};
use crate::machine::Machine;
use crate::units::Key;

/// Most packets of a batch that a node sends, and most batches: their product is a number of packets that can be simulated.
const MOST: u64 = 1 << 32;

/// A key of batches.
const fn of_batches(key: Key) -> Key {
    key.read_if("mode", &["batch"])
}

pub(super) const BATCH_PACKETS: Key =
    of_batches(Key::integer("batch_packets", 1..=MOST)).says("number of packets that each node sends in a batch");
pub(super) const OUTSTANDING: Key = of_batches(Key::integer("outstanding", 1..=MOST))
    .or_else("no limit")
    .says("maximum number of packets of a node that are in flight at a time");
pub(super) const BATCHES: Key = of_batches(Key::integer("batches", 1..=MOST))
    .or(1)
    .says("number of batches; each starts when all packets of the one before have arrived");

/// Reads the keys of batches.
pub(super) fn read(table: &Reader<'_>) -> BatchPlan {
    let packets = table.required_integer(&BATCH_PACKETS).unwrap_or(1);
    let outstanding = table.optional_integer(&OUTSTANDING);
    BatchPlan { packets, outstanding, batches: table.integer(&BATCHES) }
}

/// Reports batches on a machine without virtual-channel routers: the wormhole engines know all packets in advance.
pub(super) fn require_routers(table: &Reader<'_>, machine: &Machine) {
    // routers that could not be read have been reported
    if machine.routers.is_some() || table.error_count() > 0 {
        return;
    }
    let message = "`mode = \"batch\"` requires virtual-channel routers, but this scenario runs on a wormhole engine";
    let error =
        Diagnostic::at(table.place_of(MODE.name), message).note("accepted here: `steady`, `saturation`, `burst`");
    table.error(error.hint("set `model = \"pipelined\"` in [router], or `engine.kind = \"router\"`"));
}
