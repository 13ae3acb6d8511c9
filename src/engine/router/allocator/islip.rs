//! iSLIP (N. McKeown, The iSLIP Scheduling Algorithm for Input-Queued Switches, 1999).

use super::super::layout::Layout;
use super::turns::Turns;
use super::{Allocator, Matching, Requests};

/// In each of `ITERATIONS` iterations every output port that is not matched offers itself to one of the input ports that
/// request it, and every input port that is not matched accepts one offer, round robin. Priority passes on only when an offer
/// is accepted in the first iteration, so that the arbiters of different outputs drift apart.
#[derive(Clone)]
pub(crate) struct Islip<const ITERATIONS: usize, const W: usize>(Turns<W>);

impl<const ITERATIONS: usize, const W: usize> Allocator<W> for Islip<ITERATIONS, W> {
    fn new(layout: &Layout<W>) -> Self {
        Self(Turns::new(layout))
    }

    fn allocate(&mut self, layout: &Layout<W>, requests: &Requests<'_, W>, matching: &mut Matching<W>) {
        let mut inputs = requests.inputs;
        let mut outputs = requests.outputs();
        for iteration in 0..ITERATIONS {
            // per input port, the outputs that offer themselves
            for output in outputs {
                let requesting = requests.pairs.inputs_of(output) & inputs;
                if !requesting.is_empty() {
                    let port = layout.port_of(self.0.next_input(layout, output, requesting));
                    matching.between.insert(output, port);
                }
            }
            while let Some((port, offers)) = matching.between.take() {
                let output = self.0.next_output(port, offers);
                let requesting = requests.pairs.inputs_of(output) & inputs & layout.port_set(port);
                let input = self.0.next_vc(port, requesting);
                if iteration == 0 {
                    self.0.pass(layout, input, output);
                }
                inputs -= layout.port_set(port);
                outputs.remove(output);
                matching.grant(input, output);
            }
        }
    }

    #[inline(always)]
    fn uncontested(&mut self, layout: &Layout<W>, input: usize, output: usize) {
        self.0.pass(layout, input, output);
    }
}
