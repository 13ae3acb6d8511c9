//! The wavefront allocator (Y. Tamir and H.-C. Chi, Symmetric Crossbar Arbiters for VLSI Communication Switches, 1993).

use super::super::ports::Ports;
use super::super::vcset::{VcArray, VcSet, short};
use super::kind::{AllocatorKind, Build};
use super::turns::Turns;
use super::{Allocator, Matching, Priorities, Requests};

/// The allocator as scenarios name it.
pub(super) const KIND: AllocatorKind = AllocatorKind {
    name: "wavefront",
    summary: "grants along the diagonals of the matrix of inputs and outputs; each allocation begins at the next diagonal",
    reads_iterations: false,
    build: &Builder,
};

struct Builder;

impl<const W: usize> Build<W> for Builder {
    fn build(&self, ports: &Ports<W>, _: u32) -> Box<dyn Allocator<W>> {
        Box::new(Wavefront { turns: Turns::new(ports), first: VcArray::filled(0) })
    }
}

/// Visits the diagonals of the matrix of input and output ports, and grants each request whose ports are both free. The first
/// diagonal of a router advances by one with each allocation in which the router has a request. Ports are counted by the sides where
/// they are ([`Ports::output_side`]), so that flits that go straight on in opposite directions are on one diagonal.
pub(crate) struct Wavefront<const W: usize> {
    turns: Turns<W>,
    /// Per router, at its first VC, the first diagonal.
    first: VcArray<u16, W>,
}

/// Input VCs and output ports that are not matched.
struct Unmatched<const W: usize> {
    inputs: VcSet<W>,
    outputs: VcSet<W>,
}

impl<const W: usize> Allocator<W> for Wavefront<W> {
    fn allocate(&mut self, ports: &Ports<W>, requests: Priorities<'_, W>, matching: &mut Matching<W>) {
        let turns = &mut self.turns;
        let contested = requests.contested(ports, |input, output| {
            turns.pass_vc(ports, input);
            matching.grant(input, output);
        });
        if !contested.is_empty() {
            let Priorities { ordinary, speculative } = requests.restricted_to(contested);
            let mut left = Unmatched { inputs: contested, outputs: ordinary.outputs() | speculative.outputs() };
            self.visit(ports, ordinary, &mut left, matching);
            self.visit(ports, speculative, &mut left, matching);
        }
        let mut routers = VcSet::<W>::EMPTY;
        for input in requests.inputs() {
            routers.insert(ports.router_of(input));
        }
        for router in routers {
            self.first[router] = short(after(self.first[router].into(), 1, ports.count()));
        }
    }
}

impl<const W: usize> Wavefront<W> {
    /// Adds a matching of `requests` to the grants, by diagonals.
    fn visit(
        &mut self,
        ports: &Ports<W>,
        requests: Requests<'_, W>,
        left: &mut Unmatched<W>,
        matching: &mut Matching<W>,
    ) {
        let count = ports.count();
        // Per diagonal, counted from the first of its router, the outputs of its requests. An output and a diagonal determine the
        // input, and no two requests of a diagonal share a port.
        for output in requests.outputs() & left.outputs {
            let first = usize::from(self.first[ports.router_of(output)]);
            let ahead = after(ports.output_side(output), count - first, count);
            let mut vcs = requests.inputs_of(output) & left.inputs;
            while let Some(vc) = vcs.first() {
                matching.between.insert(output, after(ahead, ports.input_side(vc), count));
                vcs -= ports.port_set(vc);
            }
        }
        while let Some((step, outputs)) = matching.between.take() {
            for output in outputs & left.outputs {
                let router = ports.router_of(output);
                let diagonal = after(self.first[router].into(), step, count);
                let port = ports.input_at(router, after(diagonal, count - ports.output_side(output), count));
                let vcs = requests.inputs_of(output) & left.inputs & ports.port_set(port);
                if !vcs.is_empty() {
                    let input = self.turns.next_vc(port, vcs);
                    self.turns.pass_vc(ports, input);
                    left.inputs -= ports.port_set(port);
                    left.outputs.remove(output);
                    matching.grant(input, output);
                }
            }
        }
    }
}

/// The number that is `steps` after `number`, modulo `count`. `number` is less than `count`, `steps` at most `count`.
#[inline(always)]
fn after(number: usize, steps: usize, count: usize) -> usize {
    let sum = number + steps;
    if sum < count { sum } else { sum - count }
}
