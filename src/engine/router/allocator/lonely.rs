//! The lonely output allocator (P. Gupta and N. McKeown, Designing and Implementing a Fast Crossbar Scheduler, 1999).

use super::super::matrix::{Matrix, Side};
use super::super::vcset::{VcArray, VcSet, short};
use super::kind::{AllocatorKind, Build, Parameters, Settings};
use super::{Allocator, Matching, Requests};

/// The allocator as scenarios name it.
pub(super) const KIND: AllocatorKind = AllocatorKind {
    name: "loa",
    summary: "each input requests the output that fewest others request, without priorities",
    reads: Parameters::Nothing,
    build: &Builder,
};

struct Builder;

impl<const W: usize> Build<W> for Builder {
    fn build(&self, _: &Matrix<W>, _: Settings, _: usize) -> Box<dyn Allocator<W>> {
        let first = VcArray::filled(0);
        Box::new(LonelyOutput { inputs: first.clone(), outputs: first })
    }
}

/// Each input requests the one of its outputs that fewest inputs request, and each output grants one of these requests. Ties are
/// broken from a pointer on, which advances by one with each grant.
struct LonelyOutput<const W: usize> {
    /// Per input, the index of the output from which it chooses.
    inputs: VcArray<u16, W>,
    /// Per output, the index of the input from which it chooses.
    outputs: VcArray<u16, W>,
}

/// Advances a pointer to the next member of `side`.
fn advance(pointer: &mut u16, side: &Side) {
    *pointer = short((usize::from(*pointer) + 1) % side.count());
}

impl<const W: usize> LonelyOutput<W> {
    fn grant(&mut self, matrix: &Matrix<W>, input: usize, output: usize, matching: &mut Matching<W>) {
        self.record(matrix, input, output);
        matching.grant(input, output);
    }

    /// The output that `input` requests: the one with the fewest requests, of several the first from its pointer on.
    fn loneliest(&self, matrix: &Matrix<W>, requests: Requests<'_, W>, input: usize) -> usize {
        let mut fewest = u32::MAX;
        let mut best = VcSet::<W>::EMPTY;
        for output in requests.pairs.outputs_of(input) {
            let count = requests.pairs.inputs_of(output).len();
            if count < fewest {
                fewest = count;
                best = VcSet::EMPTY;
            }
            if count == fewest {
                best.insert(output);
            }
        }
        matrix.outputs.first_from(matrix.router_of(input), self.inputs[input].into(), best)
    }
}

impl<const W: usize> Allocator<W> for LonelyOutput<W> {
    fn record(&mut self, matrix: &Matrix<W>, input: usize, output: usize) {
        advance(&mut self.inputs[input], &matrix.outputs);
        advance(&mut self.outputs[output], &matrix.inputs);
    }

    fn allocate(&mut self, matrix: &Matrix<W>, requests: Requests<'_, W>, matching: &mut Matching<W>) {
        let contested = requests.grant_alone(|input, output| self.grant(matrix, input, output, matching));
        for input in contested {
            matching.between.insert(input, self.loneliest(matrix, requests, input));
        }
        while let Some((output, inputs)) = matching.between.take() {
            let pointer = self.outputs[output].into();
            let input = matrix.inputs.first_from(matrix.router_of(output), pointer, inputs);
            self.grant(matrix, input, output, matching);
        }
    }
}
