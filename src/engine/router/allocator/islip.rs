//! iSLIP (N. McKeown, The iSLIP Scheduling Algorithm for Input-Queued Switches, 1999).

use super::super::matrix::Matrix;
use super::super::vcset::VcSet;
use super::arbiter::{Bank, RoundRobin};
use super::kind::{AllocatorKind, Build, Parameters, Settings};
use super::{Allocator, Matching, Requests};

/// The allocator as scenarios name it.
pub(super) const KIND: AllocatorKind = AllocatorKind {
    name: "islip",
    summary: "output-first in several iterations, without priorities; arbiters advance only in the first iteration",
    reads: Parameters::Iterations,
    build: &Builder,
};

struct Builder;

impl<const W: usize> Build<W> for Builder {
    fn build(&self, matrix: &Matrix<W>, settings: Settings, _: usize) -> Box<dyn Allocator<W>> {
        Box::new(Islip {
            inputs: RoundRobin::new(&matrix.outputs, 1),
            outputs: RoundRobin::new(&matrix.inputs, 1),
            iterations: settings.iterations,
        })
    }
}

/// In each iteration every output that is not matched offers itself to one of the inputs that request it, and every input that is not
/// matched accepts one offer, round robin. Priority passes on only when an offer is accepted in the first iteration, so that the
/// arbiters of different outputs drift apart.
struct Islip<const W: usize> {
    inputs: RoundRobin<W>,
    outputs: RoundRobin<W>,
    iterations: u32,
}

impl<const W: usize> Islip<W> {
    fn pass(&mut self, input: usize, output: usize) {
        self.inputs.pass(input, output);
        self.outputs.pass(output, input);
    }

    /// Lets each of `outputs` offer itself to one of `inputs`.
    fn offer(&self, requests: Requests<'_, W>, inputs: VcSet<W>, outputs: VcSet<W>, matching: &mut Matching<W>) {
        for output in outputs {
            let requesting = requests.pairs.inputs_of(output) & inputs;
            if !requesting.is_empty() {
                matching.between.insert(output, self.outputs.choose(output, requesting));
            }
        }
    }
}

impl<const W: usize> Allocator<W> for Islip<W> {
    fn record(&mut self, _: &Matrix<W>, input: usize, output: usize) {
        self.pass(input, output);
    }

    fn allocate(&mut self, _: &Matrix<W>, requests: Requests<'_, W>, matching: &mut Matching<W>) {
        let mut inputs = requests.grant_uncontested(|input, outputs| {
            let output = self.inputs.choose(input, outputs);
            self.pass(input, output);
            matching.grant(input, output);
        });
        let mut outputs = requests.outputs_of(inputs);
        for iteration in 0..self.iterations {
            self.offer(requests, inputs, outputs, matching);
            if matching.between.outputs.is_empty() {
                break;
            }
            while let Some((input, offers)) = matching.between.take() {
                let output = self.inputs.choose(input, offers);
                if iteration == 0 {
                    self.pass(input, output);
                }
                inputs.remove(input);
                outputs.remove(output);
                matching.grant(input, output);
            }
        }
    }
}
