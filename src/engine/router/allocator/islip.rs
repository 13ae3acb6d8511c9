//! iSLIP (N. McKeown, The iSLIP Scheduling Algorithm for Input-Queued Switches, 1999).

use super::super::ports::Ports;
use super::kind::{AllocatorKind, Build};
use super::turns::Turns;
use super::{Allocator, Matching, Priorities};

/// The allocator as scenarios name it.
pub(super) const KIND: AllocatorKind = AllocatorKind {
    name: "islip",
    summary: "output-first in several iterations, without priorities; arbiters advance only in the first iteration",
    reads_iterations: true,
    build: &Builder,
};

struct Builder;

impl<const W: usize> Build<W> for Builder {
    fn build(&self, ports: &Ports<W>, iterations: u32) -> Box<dyn Allocator<W>> {
        Box::new(Islip { turns: Turns::new(ports), iterations })
    }
}

/// In each iteration every output port that is not matched offers itself to one of the input ports that request it, and every
/// input port that is not matched accepts one offer, round robin. Priority passes on only when an offer is accepted in the first
/// iteration, so that the arbiters of different outputs drift apart. Speculative requests compete with all others; only among the
/// VCs of an input port that request the same output they come last.
pub(crate) struct Islip<const W: usize> {
    turns: Turns<W>,
    iterations: u32,
}

impl<const W: usize> Allocator<W> for Islip<W> {
    fn allocate(&mut self, ports: &Ports<W>, requests: Priorities<'_, W>, matching: &mut Matching<W>) {
        let Self { turns, iterations } = self;
        if let Some((input, outputs)) = requests.lone() {
            return matching.grant(input, turns.serve(ports, input, outputs));
        }
        let mut inputs = requests.contested(ports, |input, output| {
            turns.pass(ports, input, output);
            matching.grant(input, output);
        });
        let mut outputs = requests.restricted_to(inputs).outputs();
        for iteration in 0..*iterations {
            for output in outputs {
                let requesting = requests.inputs_of(output) & inputs;
                if !requesting.is_empty() {
                    let port = ports.port_of(turns.next_input(ports, output, requesting));
                    matching.between.insert(output, port);
                }
            }
            if matching.between.outputs.is_empty() {
                break;
            }
            while let Some((port, offers)) = matching.between.take() {
                let output = turns.next_output(port, offers);
                let input = turns.next_vc(port, requests.first_of(output, ports.port_set(port)));
                match iteration {
                    0 => turns.pass(ports, input, output),
                    _ => turns.pass_vc(ports, input),
                }
                inputs -= ports.port_set(port);
                outputs.remove(output);
                matching.grant(input, output);
            }
        }
    }
}
