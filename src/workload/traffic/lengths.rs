//! Keys of packet lengths, and their reader.

use super::pattern::integers_for_each;
use crate::algorithm::traffic::Lengths;
use crate::config::{Diagnostic, Reader};
use crate::machine::Routers;
use crate::units::Key;

/// Most flits of a packet.
pub(super) const LONGEST: u64 = 1 << 24;

pub(super) const PACKET_FLITS: Key = Key::integer_or_array("packet_flits", 1..=LONGEST)
    .called("packet length")
    .or(1)
    .unit("flits")
    .says("length of a packet, or several lengths of which each packet draws one");
pub(super) const PACKET_WEIGHTS: Key = Key::integers("packet_weights", 0..=u32::MAX as u64)
    .or_else("1 for each length")
    .beside(&["packet_flits"])
    .says("weights of the lengths in `packet_flits`, one for each, such as [3, 1]");
pub(super) const PACKET_BYTES: Key = Key::integer("packet_bytes", 1..=1 << 62)
    .called("packet size")
    .or_else("none")
    .unit("bytes")
    .fills("packet_flits")
    .says("size of a packet; alternative to `packet_flits`");
pub(super) const LONG_FLITS: Key =
    Key::integer("long_flits", 1..=LONGEST).or_else("no long packets").unit("flits").says("length of a long packet");
pub(super) const LONG_FRACTION: Key =
    Key::number("long_fraction", 0.0..=1.0).or_else("no long packets").says("fraction of long packets");

/// Reads the lengths of packets.
pub(super) fn lengths(table: &Reader<'_>) -> Lengths {
    let lengths = mix(table);
    let long = table.optional_integer(&LONG_FLITS);
    let fraction = table.optional_number(&LONG_FRACTION);
    if table.gives(&LONG_FLITS) {
        table.demand(&LONG_FRACTION);
    }
    if table.gives(&LONG_FRACTION) {
        table.demand(&LONG_FLITS);
    }
    match (lengths, long.zip(fraction)) {
        (Lengths::Fixed(flits), Some((long, fraction))) => Lengths::Long { flits, long: narrow(long), fraction },
        (mix @ Lengths::Mixed(_), Some(_)) => {
            refuse_long(table);
            mix
        }
        (lengths, _) => lengths,
    }
}

/// Reads `packet_flits` and `packet_weights`.
pub(super) fn mix(table: &Reader<'_>) -> Lengths {
    let flits: Vec<u32> = match table.integer_or_array(&PACKET_FLITS) {
        Some(given) => given.into_iter().map(|(flits, _)| narrow(flits)).collect(),
        None => vec![1],
    };
    let Some(given) = table.integers(&PACKET_WEIGHTS) else { return with_weights(&flits, &vec![1; flits.len()]) };
    let weights = integers_for_each(table, &PACKET_WEIGHTS, &given, &PACKET_FLITS, flits.len());
    let weights = weights.unwrap_or_else(|| vec![1; flits.len()]);
    if !weights.is_empty() && weights.iter().all(|&weight| weight == 0) {
        let error = Diagnostic::at(table.place_of(PACKET_WEIGHTS.name), "all of `packet_weights` are 0");
        table.error(error.note("accepted: at least one weight above 0"));
    }
    with_weights(&flits, &weights)
}

/// The mix of `flits` by `weights`, or a fixed length if there are no lengths or no weights, which has been reported.
fn with_weights(flits: &[u32], weights: &[u32]) -> Lengths {
    if weights.iter().all(|&weight| weight == 0) {
        return Lengths::Fixed(1);
    }
    let lengths: Vec<(u32, u32)> = flits.iter().copied().zip(weights.iter().copied()).collect();
    Lengths::mixed(&lengths)
}

fn refuse_long(table: &Reader<'_>) {
    let message = "`long_flits` adds a length to a single one, but `packet_flits` lists several";
    let error = Diagnostic::at(table.place_of(LONG_FLITS.name), message).note("accepted here: only `packet_flits`");
    table.error(error.hint("add the length to `packet_flits`, and its share to `packet_weights`"));
}

fn narrow(flits: u64) -> u32 {
    u32::try_from(flits).unwrap_or(u32::MAX)
}

/// Reports packets of `lengths` that do not fit into a buffer of `routers`, where a packet has to. `table` gives their lengths.
pub(super) fn refuse_too_long(table: &Reader<'_>, lengths: &Lengths, routers: Option<&Routers>) {
    let fitting = routers.and_then(|routers| routers.costs.longest_packet(routers.routes.virtual_channels()));
    let longest = lengths.longest();
    let Some(fitting) = fitting.filter(|&fitting| longest > fitting) else { return };
    let message = format!(
        "a packet of {longest} flits does not fit into a buffer, which has room for packets of up to {fitting} flits; \
         `router.switching` requires buffers that hold whole packets"
    );
    let error =
        Diagnostic::at(table.place_of(PACKET_FLITS.name), message).note(format!("accepted here: up to {fitting}"));
    table.error(error.hint(
        "increase `channel.buffer`, and `router.shared_buffer` if it is shared, or set `router.switching` = \"wormhole\"",
    ));
}
