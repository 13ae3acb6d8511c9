//! Schedules as CSV.

use crate::model::Prices;
use crate::routing::Network;
use crate::schedule::Schedule;
use std::io::Write;

/// The header of [`schedule_csv`], and of lists of an exchange's messages and a broadcast's trees.
pub(super) const SCHEDULE: [&str; 10] =
    ["algorithm", "repetition", "step", "src", "dst", "flits", "hops", "send_start", "received", "blocks"];

/// Writes the messages of `schedule` in the order in which `prices` says they are sent, as lines of
/// `algorithm,repetition,step,src,dst,flits,hops,send_start,received,blocks`, without the header.
///
/// `step` is empty, for a multicast tree has no steps, and so is `blocks`, for its message is one whole; `hops` is empty
/// without a network.
///
/// # Errors
/// If a line cannot be written.
pub(super) fn schedule_csv<W: Write>(
    csv: &mut csv::Writer<W>,
    (algorithm, repetition): (&str, u64),
    schedule: &Schedule,
    prices: &Prices,
    network: Option<&dyn Network>,
) -> csv::Result<()> {
    let mut order: Vec<_> = schedule.messages().collect();
    order.sort_by_key(|message| (prices.send_start[message.id.index()], message.id));
    for message in order {
        let at = message.id.index();
        let hops = network.map(|network| network.hops(message.src, message.dst));
        csv.serialize((
            (algorithm, repetition, ""),
            (message.src.0, message.dst.0, message.flits.0, hops),
            (prices.send_start[at].0, prices.received[at].0, ""),
        ))?;
    }
    Ok(())
}
