//! The wavefront allocator (Y. Tamir and H.-C. Chi, Symmetric Crossbar Arbiters for VLSI Communication Switches, 1993).

use super::super::layout::Layout;
use super::super::vcset::{VcArray, VcSet};
use super::turns::Turns;
use super::{Allocator, Matching, Requests};

/// Visits the diagonals of the matrix of input and output ports, and grants each request whose ports are both free. The first
/// diagonal of a router advances by one with each allocation in which requests of the router contend.
#[derive(Clone)]
pub(crate) struct Wavefront<const W: usize> {
    turns: Turns<W>,
    /// Per router, at its first VC, the first diagonal.
    first: VcArray<usize, W>,
}

impl<const W: usize> Allocator<W> for Wavefront<W> {
    fn new(layout: &Layout<W>) -> Self {
        Self { turns: Turns::new(layout), first: VcArray::filled(0) }
    }

    fn allocate(&mut self, layout: &Layout<W>, requests: &Requests<'_, W>, matching: &mut Matching<W>) {
        let ports = layout.numbering.ports;
        let mut inputs = requests.inputs;
        let mut outputs = requests.outputs();
        for step in 0..ports {
            for output in outputs {
                let router = layout.router_of(output);
                let diagonal = self.first[router] + step;
                let port = layout.port(router, (diagonal + ports - layout.port_number(output)) % ports);
                let vcs = requests.pairs.inputs_of(output) & inputs & layout.port_set(port);
                if !vcs.is_empty() {
                    let input = self.turns.next_vc(port, vcs);
                    self.turns.pass(layout, input, output);
                    inputs -= layout.port_set(port);
                    outputs.remove(output);
                    matching.grant(input, output);
                }
            }
        }
        let mut routers = VcSet::<W>::EMPTY;
        requests.inputs.into_iter().for_each(|input| routers.insert(layout.router_of(input)));
        for router in routers {
            self.first[router] = (self.first[router] + 1) % ports;
        }
    }

    #[inline(always)]
    fn uncontested(&mut self, layout: &Layout<W>, input: usize, output: usize) {
        self.turns.pass(layout, input, output);
    }
}
