//! Exchanges as CSV: their messages, and who holds which block after each step.

use crate::model::Prices;
use crate::schedule::Exchange;
use crate::units::{MessageId, NodeId};
use std::fmt::Write as _;
use std::io::Write;

/// Writes the messages of `exchange`, whose blocks have `block_flits` flits, step by step as lines of
/// `algorithm,repetition,step,src,dst,flits,hops,send_start,received,blocks`, without the header. Steps are counted from
/// 0; `blocks` is a list of `source>destination` separated by spaces.
///
/// # Errors
/// If a line cannot be written.
pub(super) fn exchange_csv<W: Write>(
    csv: &mut csv::Writer<W>,
    (algorithm, repetition): (&str, u64),
    exchange: &Exchange,
    prices: &Prices,
    block_flits: u64,
) -> csv::Result<()> {
    for step in 0..exchange.steps() {
        for message in exchange.messages(step) {
            let at = message.id.index();
            csv.serialize((
                (algorithm, repetition, step),
                (message.src.0, message.dst.0, message.blocks * block_flits, message.hops()),
                (prices.send_start[at].0, prices.received[at].0, listed(&exchange.blocks(message.id))),
            ))?;
        }
    }
    Ok(())
}

fn listed(blocks: &[(NodeId, NodeId)]) -> String {
    let mut text = String::with_capacity(10 * blocks.len());
    for (at, (source, destination)) in blocks.iter().enumerate() {
        let space = if at > 0 { " " } else { "" };
        let _ = write!(text, "{space}{source}>{destination}"); // a string takes everything
    }
    text
}

/// The header of [`holdings_csv`].
pub(super) const HOLDINGS: [&str; 5] = ["algorithm", "repetition", "after", "node", "blocks"];

/// Writes who holds which blocks after so many steps, from 0, when every node holds its own, to all: lines of
/// `algorithm,repetition,after,node,blocks`, without the header.
///
/// # Errors
/// If a line cannot be written.
pub(super) fn holdings_csv<W: Write>(
    csv: &mut csv::Writer<W>,
    (algorithm, repetition): (&str, u64),
    exchange: &Exchange,
) -> csv::Result<()> {
    let nodes = exchange.nodes();
    let mut holders: Vec<NodeId> = (0..nodes * nodes).map(|block| NodeId::new(block / nodes)).collect();
    for after in 0..=exchange.steps() {
        if let Some(step) = after.checked_sub(1) {
            for id in exchange.step(step).map(MessageId) {
                for (source, destination) in exchange.blocks(id) {
                    holders[source.index() * nodes + destination.index()] = exchange.message(id).dst;
                }
            }
        }
        let mut held = vec![Vec::new(); nodes];
        for (block, holder) in holders.iter().enumerate() {
            held[holder.index()].push((NodeId::new(block / nodes), NodeId::new(block % nodes)));
        }
        for (node, blocks) in held.iter().enumerate() {
            csv.serialize((algorithm, repetition, after, node, listed(blocks)))?;
        }
    }
    Ok(())
}
