//! The separable input-first allocator (W. J. Dally and B. Towles 2004, section 19.3).

use super::super::layout::Layout;
use super::super::ports::Ports;
use super::super::vcset::VcSet;
use super::kind::{AllocatorKind, Build};
use super::turns::Turns;
use super::{Allocator, Arbiters, Matching, Priorities, Requests};
use crate::engine::router::RouterCosts;

/// The allocator as scenarios name it.
pub(super) const KIND: AllocatorKind = AllocatorKind {
    name: "separable-input-first",
    summary: "each input nominates one output, then each output grants one nomination, both round robin",
    reads_iterations: false,
    build: &Builder,
};

struct Builder;

impl<const W: usize> Build<W> for Builder {
    fn build(&self, ports: &Ports<W>, _: u32) -> Box<dyn Allocator<W>> {
        Box::new(InputFirst(Turns::new(ports)))
    }
}

/// Each input port nominates one of its VCs for one output port, and each output port grants one nomination, round robin.
pub(crate) struct InputFirst<const W: usize>(Turns<W>);

impl<const W: usize> InputFirst<W> {
    /// Adds a matching of `requests` to the grants. The outputs `taken` can be nominated and grant nothing.
    pub(crate) fn allocate_among(
        &mut self,
        ports: &Ports<W>,
        requests: Requests<'_, W>,
        taken: VcSet<W>,
        matching: &mut Matching<W>,
    ) {
        let mut inputs = requests.inputs;
        while let Some(vc) = inputs.first() {
            let port = ports.port_of(vc);
            let vcs = inputs & ports.port_set(vc);
            inputs -= vcs;
            let output = self.0.next_output(port, requests.pairs.outputs_of(vcs));
            matching.between.insert(self.0.next_vc(port, requests.pairs.inputs_of(output) & vcs), output);
        }
        while let Some((output, nominated)) = matching.between.take() {
            if !taken.contains(output) {
                let input = self.0.next_input(ports, output, nominated);
                self.0.pass(ports, input, output);
                matching.grant(input, output);
            }
        }
    }

    /// Notes that the request of `input` for the port of `output` was granted as it contended with none.
    #[inline(always)]
    pub(crate) fn uncontested(&mut self, ports: &Ports<W>, input: usize, output: usize) {
        self.0.pass(ports, input, output);
    }
}

impl<const W: usize> Arbiters<W> for InputFirst<W> {
    fn new(layout: &Layout<W>, _: &RouterCosts) -> Self {
        Self(Turns::new(&layout.ports))
    }
}

impl<const W: usize> Allocator<W> for InputFirst<W> {
    fn allocate(&mut self, ports: &Ports<W>, requests: Priorities<'_, W>, matching: &mut Matching<W>) {
        let Priorities { ordinary, speculative } = requests;
        self.allocate_among(ports, ordinary, VcSet::EMPTY, matching);
        let mut taken = VcSet::EMPTY;
        for input in matching.inputs {
            taken.insert(matching.output(input));
        }
        // an input port nominates a speculative request only if it has no other, granted or not
        let mut inputs = speculative.inputs;
        for input in ordinary.inputs {
            inputs -= ports.port_set(input);
        }
        self.allocate_among(ports, Requests { inputs, ..speculative }, taken, matching);
    }
}
