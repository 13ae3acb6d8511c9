//! The wavefront allocators (Y. Tamir and H.-C. Chi, Symmetric Crossbar Arbiters for VLSI Communication Switches, 1993).

use super::super::matrix::Matrix;
use super::super::vcset::{VcArray, VcSet, short};
use super::kind::{AllocatorKind, Build, Parameters, Settings};
use super::{Allocator, Levels, Matching, Pairs, Requests};

/// The allocator whose first diagonal advances by one, as scenarios name it.
pub(super) const KIND: AllocatorKind = AllocatorKind {
    name: "wavefront",
    summary: "grants along the diagonals of the matrix of inputs and outputs; each allocation begins at the next diagonal",
    reads: Parameters::Nothing,
    build: &Builder(Advance::ByOne),
};

/// The allocator whose first diagonal follows its grants, as scenarios name it.
pub(super) const ROUND_ROBIN: AllocatorKind = AllocatorKind {
    name: "rr-wavefront",
    summary: "wavefront that begins after the diagonal of the first grant of the last allocation",
    reads: Parameters::Nothing,
    build: &Builder(Advance::PastFirstGrant),
};

/// The advance of the first diagonal.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Advance {
    ByOne,
    PastFirstGrant,
}

struct Builder(Advance);

impl<const W: usize> Build<W> for Builder {
    fn build(&self, _: &Matrix<W>, _: Settings, _: usize) -> Box<dyn Allocator<W>> {
        Box::new(Wavefront { advance: self.0, first: VcArray::filled(0), first_step: VcArray::filled(NONE) })
    }
}

/// A router without a grant in an allocation.
const NONE: u16 = u16::MAX;

/// Visits the diagonals of the matrix of inputs and outputs, and grants each request whose input and output are both free: first all
/// diagonals for the requests of the highest priority. The first diagonal of a router advances with each allocation in which the
/// router has a request.
struct Wavefront<const W: usize> {
    advance: Advance,
    /// Per router, at its first number, the first diagonal.
    first: VcArray<u16, W>,
    /// Per router, the steps from its first diagonal to that of its first grant in this allocation.
    first_step: VcArray<u16, W>,
}

/// Inputs and outputs that are not matched.
struct Unmatched<const W: usize> {
    inputs: VcSet<W>,
    outputs: VcSet<W>,
}

impl<const W: usize> Allocator<W> for Wavefront<W> {
    fn allocate(&mut self, matrix: &Matrix<W>, requests: Requests<'_, W>, matching: &mut Matching<W>) {
        let routers = matrix.routers(requests.pairs.inputs);
        let contested = match self.advance {
            Advance::ByOne => requests.grant_uncontested(|input, outputs| {
                let best = requests.levels.first_outputs(input, outputs);
                let steps = |&output: &usize| self.steps(matrix, input, output);
                best.into_iter().min_by_key(steps).into_iter().for_each(|output| matching.grant(input, output));
            }),
            Advance::PastFirstGrant => requests.pairs.inputs, // the first grant counts, contested or not
        };
        let mut left = Unmatched { inputs: contested, outputs: requests.outputs_of(contested) };
        if !contested.is_empty() {
            self.visit_levels(matrix, requests, &mut left, matching);
        }
        let count = size(matrix);
        for router in routers {
            let first_step = std::mem::replace(&mut self.first_step[router], NONE);
            let steps = if self.advance == Advance::ByOne { 0 } else { usize::from(first_step) };
            self.first[router] = short((usize::from(self.first[router]) + steps + 1) % count);
        }
    }
}

/// The number of diagonals.
fn size<const W: usize>(matrix: &Matrix<W>) -> usize {
    matrix.inputs.count().max(matrix.outputs.count())
}

impl<const W: usize> Wavefront<W> {
    /// The steps from the first diagonal of a router to that of `input` and `output`.
    #[inline(always)]
    fn steps(&self, matrix: &Matrix<W>, input: usize, output: usize) -> usize {
        let count = size(matrix);
        let first = usize::from(self.first[matrix.router_of(output)]);
        (matrix.outputs.index(output) + matrix.inputs.index(input) + count - first) % count
    }

    /// Grants requests of each priority in turn.
    fn visit_levels(
        &mut self,
        matrix: &Matrix<W>,
        requests: Requests<'_, W>,
        left: &mut Unmatched<W>,
        matching: &mut Matching<W>,
    ) {
        match requests.levels {
            Levels::Equal => self.visit(matrix, requests.pairs, left, matching),
            Levels::Before(first) => {
                self.visit(matrix, first, left, matching);
                self.visit(matrix, requests.pairs, left, matching);
            }
            Levels::Each(each) => {
                let mut requests_of_level = matching.one_priority.take().unwrap_or_else(|| Box::new(Pairs::new()));
                for level in each.descending() {
                    each.select(requests.pairs, level, &mut requests_of_level);
                    self.visit(matrix, &requests_of_level, left, matching);
                    requests_of_level.clear();
                }
                matching.one_priority = Some(requests_of_level);
            }
        }
    }

    /// Grants those of `pairs` whose input and output are not matched, by diagonals.
    fn visit(&mut self, matrix: &Matrix<W>, pairs: &Pairs<W>, left: &mut Unmatched<W>, matching: &mut Matching<W>) {
        let count = size(matrix);
        // Per diagonal, counted from the first of its router, the outputs of its requests. An output and a diagonal determine the
        // input, and no two requests of a diagonal share an input or an output.
        for output in pairs.outputs & left.outputs {
            for input in pairs.inputs_of(output) & left.inputs {
                matching.between.insert(output, self.steps(matrix, input, output));
            }
        }
        while let Some((step, outputs)) = matching.between.take() {
            for output in outputs & left.outputs {
                let router = matrix.router_of(output);
                let diagonal = usize::from(self.first[router]) + step;
                let index = (diagonal + count - matrix.outputs.index(output)) % count;
                let input = matrix.inputs.number(router, index);
                if left.inputs.contains(input) {
                    left.inputs.remove(input);
                    left.outputs.remove(output);
                    if self.first_step[router] == NONE {
                        self.first_step[router] = short(step);
                    }
                    matching.grant(input, output);
                }
            }
        }
    }
}
