//! Connections of the crossbar that packets hold.

use super::super::flow::Flow;
use super::super::layout::Layout;
use super::super::stage::Traversal;
use super::super::state::Block;
use super::super::vcset::{VcArray, VcSet, short};
use super::{Staged, Stages, State};
use crate::engine::router::{Connection, Traffic};

/// The connections that the packets of a block hold. A connection lasts while its packet has flits in the buffer.
pub(super) struct Connections<const W: usize> {
    kind: Connection,
    /// Input VCs of packets that hold a connection.
    pub(super) held: VcSet<W>,
    /// Inputs and outputs of the crossbar that are connected.
    pub(super) inputs: VcSet<W>,
    pub(super) outputs: VcSet<W>,
    /// Per member of `held`, the output of the crossbar.
    output_of: VcArray<u16, W>,
}

impl<const W: usize> Connections<W> {
    /// Creates no connections.
    pub(super) fn new(kind: Connection) -> Self {
        let none = VcSet::EMPTY;
        Self { kind, held: none, inputs: none, outputs: none, output_of: VcArray::filled(0) }
    }

    /// Returns true if packets hold connections.
    #[inline(always)]
    fn are_held(&self) -> bool {
        self.kind == Connection::Packet
    }

    /// Connects `input` and `output` of the crossbar for the packet at the front of input VC `vc`.
    fn connect(&mut self, vc: usize, input: usize, output: usize) {
        self.held.insert(vc);
        self.inputs.insert(input);
        self.outputs.insert(output);
        self.output_of[vc] = short(output);
    }

    /// Ends the connection of the packet at the front of input VC `vc`, which came by `input`.
    fn disconnect(&mut self, vc: usize, input: usize) {
        self.held.remove(vc);
        self.inputs.remove(input);
        self.outputs.remove(self.output_of[vc].into());
    }
}

impl<const W: usize, const OPTIONS: bool> Staged<W, OPTIONS> {
    /// Sends a flit over each connection whose packet can send one, and ends the others.
    #[inline(always)]
    pub(super) fn continue_connections<F: Flow<W>, T: Traffic>(
        &self,
        block: &mut Block<W, Stages<W>>,
        state: State<W>,
        traversal: &mut Traversal<'_, W, F, T>,
    ) {
        for vc in block.allocator.connections.held {
            if state.ready.contains(vc) {
                traversal.send(block, vc);
            } else {
                block.allocator.connections.disconnect(vc, self.crossbar.input_of(vc));
            }
        }
    }

    /// Connects the crossbar for packets among those that have `sent` a flit whose next flit is in the buffer, and ends the
    /// connections of the others.
    #[inline(always)]
    pub(super) fn hold_connections(&self, layout: &Layout<W>, block: &mut Block<W, Stages<W>>, sent: VcSet<W>) {
        if !block.allocator.connections.are_held() {
            return;
        }
        for vc in sent {
            let input = self.crossbar.input_of(vc);
            let record = &block.inputs[vc];
            let output = self.output(vc, layout.port_of(record.output.into()));
            if record.left > 0 && record.flits > 0 {
                block.allocator.connections.connect(vc, input, output);
            } else if block.allocator.connections.held.contains(vc) {
                block.allocator.connections.disconnect(vc, input);
            }
        }
    }
}
