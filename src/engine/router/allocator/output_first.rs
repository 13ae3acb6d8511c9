//! The separable output-first allocator (W. J. Dally and B. Towles 2004, section 19.3).

use super::super::ports::Ports;
use super::kind::{AllocatorKind, Build};
use super::turns::Turns;
use super::{Allocator, Matching, Priorities};

/// The allocator as scenarios name it.
pub(super) const KIND: AllocatorKind = AllocatorKind {
    name: "separable-output-first",
    summary: "each output offers itself to one input, then each input accepts one offer, both round robin",
    reads_iterations: false,
    build: &Builder,
};

struct Builder;

impl<const W: usize> Build<W> for Builder {
    fn build(&self, ports: &Ports<W>, _: u32) -> Box<dyn Allocator<W>> {
        Box::new(OutputFirst(Turns::new(ports)))
    }
}

/// Each output port offers itself to one of the input ports that request it, and each input port accepts one offer, round robin.
pub(crate) struct OutputFirst<const W: usize>(Turns<W>);

impl<const W: usize> Allocator<W> for OutputFirst<W> {
    fn allocate(&mut self, ports: &Ports<W>, requests: Priorities<'_, W>, matching: &mut Matching<W>) {
        let Self(turns) = self;
        if let Some((input, outputs)) = requests.lone() {
            return matching.grant(input, turns.serve(ports, input, outputs));
        }
        let contested = requests.contested(ports, |input, output| {
            turns.pass(ports, input, output);
            matching.grant(input, output);
        });
        if contested.is_empty() {
            return;
        }
        let Priorities { ordinary, speculative } = requests.restricted_to(contested);
        let preferred = ordinary.outputs();
        for output in preferred {
            matching.between.insert(output, ports.port_of(turns.next_input(ports, output, ordinary.inputs_of(output))));
        }
        for output in speculative.outputs() - preferred {
            let input = turns.next_input(ports, output, speculative.inputs_of(output));
            matching.between.insert(output, ports.port_of(input));
        }
        while let Some((port, offers)) = matching.between.take() {
            // an output with ordinary requests has offered itself to one of them
            let (offers, level) = match offers & preferred {
                none if none.is_empty() => (offers, speculative),
                some => (some, ordinary),
            };
            let output = turns.next_output(port, offers);
            let input = turns.next_vc(port, level.inputs_of(output) & ports.port_set(port));
            turns.pass(ports, input, output);
            matching.grant(input, output);
        }
    }
}
