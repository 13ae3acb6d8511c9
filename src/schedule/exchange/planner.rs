//! Plans exchanges that combine blocks: keeps account of who holds what while steps are added.

use super::boxes::{Within, absorb, take};
use super::sets::{Bits, SetId};
use super::{Axes, Exchange};
use crate::cancel;
use crate::routing::Move;
use crate::units::NodeId;

/// An exchange in the making, and what every node holds.
///
/// Combining algorithms all speak the same way: in this step this node passes on, of whatever it holds, the blocks
/// whose destination has one of these coordinates. What a node receives in a step it can pass on in the next.
#[derive(Debug)]
pub struct Planner {
    exchange: Exchange,
    /// Per node its boxes.
    held: Vec<Vec<SetId>>,
    /// What this step's messages bring.
    arriving: Vec<(NodeId, Vec<SetId>)>,
}

impl Planner {
    /// Every node of a torus of `shape` holds its blocks for all nodes.
    ///
    /// # Panics
    /// As [`Exchange::new`].
    pub fn new(shape: &[usize], axes: Axes) -> Self {
        let mut exchange = Exchange::new(shape, axes);
        let whole: Vec<SetId> =
            exchange.axes.shape().iter().filter_map(|&n| exchange.sets.intern(&Bits::all(n))).collect();
        let own = |node: NodeId| {
            let here = (0..whole.len()).map(|axis| SetId::single(exchange.axes.coordinate(node, axis)));
            here.chain(whole.iter().copied()).collect()
        };
        let held = (0..exchange.nodes()).map(NodeId::new).map(own).collect();
        Self { exchange, held, arriving: Vec::new() }
    }

    /// The set of coordinates that `bits` spells, for [`Planner::send`]; none if it is empty.
    pub fn set(&mut self, bits: &Bits) -> Option<SetId> {
        self.exchange.sets.intern(bits)
    }

    /// In the step that is being made, `src` sends along `moves` all that it holds whose destination's coordinate on
    /// `axis` is in `destinations`. Nothing happens if it holds nothing of the kind. Senders of a step ascend.
    ///
    /// # Panics
    /// If a node, axis or dimension does not exist.
    pub fn send(&mut self, src: NodeId, moves: &[Move], axis: usize, destinations: SetId) {
        let axes = self.exchange.axes.dimensions();
        // a box has a set per axis of its sources, then one per axis of its destinations
        let wanted = Within { place: axes + axis, mask: destinations };
        let taken = take(&mut self.held[src.index()], 2 * axes, wanted, &mut self.exchange.sets);
        if taken.is_empty() {
            return;
        }
        self.exchange.push_boxes(src, moves, &taken);
        let dst = self.exchange.dst[self.exchange.dst.len() - 1];
        self.arriving.push((dst, taken));
    }

    /// Ends the step: what was sent has arrived.
    pub fn end_step(&mut self) {
        cancel::checkpoint();
        let width = 2 * self.exchange.axes.dimensions();
        for (dst, boxes) in self.arriving.drain(..) {
            for sets in boxes.chunks_exact(width) {
                absorb(&mut self.held[dst.index()], sets, &mut self.exchange.sets);
            }
        }
        self.exchange.end_step();
    }

    /// The exchange.
    pub fn finish(self) -> Exchange {
        self.exchange
    }
}
