//! Round-robin arbiters of ports.

use super::super::ports::Ports;
use super::super::vcset::{VcArray, VcSet, short};

/// The last grant of each port of a block. Round robin starts after it; in the first cycle it starts with the first port and
/// the first VC.
pub(crate) struct Turns<const W: usize> {
    inputs: VcArray<LastOfInput, W>,
    /// Per output port, the input VC.
    outputs: VcArray<u16, W>,
}

/// The last grant of an input port.
#[derive(Clone, Copy)]
struct LastOfInput {
    vc: u16,
    output: u16,
}

impl<const W: usize> Turns<W> {
    /// Creates arbiters that start with the first port and the first VC.
    pub(crate) fn new(ports: &Ports<W>) -> Self {
        let mut inputs = VcArray::filled(LastOfInput { vc: 0, output: 0 });
        let mut outputs = VcArray::filled(0);
        for vc in 0..Ports::<W>::BLOCK {
            let output = short(ports.last_of_router(vc));
            inputs[vc] = LastOfInput { vc: short(ports.last_of_port(vc)), output };
            outputs[vc] = output;
        }
        Self { inputs, outputs }
    }

    /// The next of `outputs` at input port `port`.
    #[inline(always)]
    pub(crate) fn next_output(&self, port: usize, outputs: VcSet<W>) -> usize {
        outputs.first_after(self.inputs[port].output.into())
    }

    /// The next of `vcs`, which belong to input port `port`.
    #[inline(always)]
    pub(crate) fn next_vc(&self, port: usize, vcs: VcSet<W>) -> usize {
        vcs.first_after(self.inputs[port].vc.into())
    }

    /// The first of `vcs` that belongs to the next input port at output port `output`.
    #[inline(always)]
    pub(crate) fn next_input(&self, ports: &Ports<W>, output: usize, vcs: VcSet<W>) -> usize {
        vcs.first_after(ports.last_of_port(self.outputs[output].into()))
    }

    /// Records a grant, after which round robin continues.
    #[inline(always)]
    pub(crate) fn pass(&mut self, ports: &Ports<W>, input: usize, output: usize) {
        self.inputs[ports.port_of(input)] = LastOfInput { vc: short(input), output: short(output) };
        self.outputs[output] = short(input);
    }
}
