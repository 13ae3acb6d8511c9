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
    fn build(&self, matrix: &Matrix<W>, _: Settings, _: usize) -> Box<dyn Allocator<W>> {
        let first_step = VcArray::filled(NONE);
        let first = VcArray::filled(0);
        Box::new(Wavefront {
            advance: self.0,
            count: matrix.inputs.count().max(matrix.outputs.count()),
            input_index: VcArray::numbered(|input| matrix.inputs.index(input)),
            output_index: VcArray::numbered(|output| matrix.outputs.index(output)),
            first,
            first_step: first_step.clone(),
            first_recorded: first_step,
            recorded: VcSet::EMPTY,
            cells: Vec::new(),
        })
    }
}

/// A router without a grant in an allocation.
const NONE: u16 = u16::MAX;

/// Visits the diagonals of the matrix of inputs and outputs, and grants each request whose input and output are both free: first all
/// diagonals for the requests of the highest priority. The first diagonal of a router advances with each allocation in which the
/// router has a request.
struct Wavefront<const W: usize> {
    advance: Advance,
    /// The number of diagonals.
    count: usize,
    /// The indices of inputs and outputs within their router.
    input_index: VcArray<u16, W>,
    output_index: VcArray<u16, W>,
    /// Per router, at its first number, the first diagonal.
    first: VcArray<u16, W>,
    /// Per router, the steps from its first diagonal to that of its first grant in this allocation.
    first_step: VcArray<u16, W>,
    /// Per router, the fewest steps to the diagonal of a grant that was recorded in this allocation.
    first_recorded: VcArray<u16, W>,
    /// The first numbers of routers with requests in this allocation, as far as they are recorded.
    recorded: VcSet<W>,
    /// Scratch space for the steps, the input and the output of each request of a priority.
    cells: Vec<[u16; 3]>,
}

/// Inputs and outputs that are not matched.
struct Unmatched<const W: usize> {
    inputs: VcSet<W>,
    outputs: VcSet<W>,
}

impl<const W: usize> Allocator<W> for Wavefront<W> {
    fn record(&mut self, matrix: &Matrix<W>, input: usize, output: usize) {
        let router = matrix.router_of(input);
        self.recorded.insert(router);
        if self.advance == Advance::PastFirstGrant {
            let steps = short(self.steps(matrix, input, output));
            self.first_recorded[router] = self.first_recorded[router].min(steps);
        }
    }

    fn allocate(&mut self, matrix: &Matrix<W>, requests: Requests<'_, W>, matching: &mut Matching<W>) {
        let contested = match self.advance {
            Advance::ByOne => requests.grant_uncontested(|input, outputs| {
                let best = requests.levels.first_outputs(input, outputs);
                matching.grant(input, self.first_of(matrix, input, best));
            }),
            Advance::PastFirstGrant => requests.pairs.inputs, // the first grant counts, contested or not
        };
        if !contested.is_empty() {
            let mut left = Unmatched { inputs: contested, outputs: requests.outputs_of(contested) };
            if self.advance == Advance::ByOne && matches!(requests.levels, Levels::Equal) {
                self.grant_single_outputs(matrix, requests, &mut left, matching);
            }
            self.visit_levels(matrix, requests, &mut left, matching);
        }
        self.recorded |= matrix.routers(requests.pairs.inputs);
        self.end(matrix);
    }

    fn end(&mut self, _: &Matrix<W>) {
        for router in std::mem::replace(&mut self.recorded, VcSet::EMPTY) {
            let next = usize::from(self.first[router]) + self.steps_to_first_grant(router) + 1;
            self.first[router] = short(if next < self.count { next } else { next % self.count });
        }
    }
}

impl<const W: usize> Wavefront<W> {
    /// The steps from the first diagonal of a router to that of `input` and `output`.
    #[inline(always)]
    fn steps(&self, matrix: &Matrix<W>, input: usize, output: usize) -> usize {
        let first = usize::from(self.first[matrix.router_of(output)]);
        let diagonal = usize::from(self.input_index[input]) + usize::from(self.output_index[output]);
        let steps = diagonal + self.count - first;
        // it is less than three times the number of diagonals
        let steps = if steps < self.count { steps } else { steps - self.count };
        if steps < self.count { steps } else { steps - self.count }
    }

    /// Ends the allocation of `router`, and returns the steps to the diagonal of its first grant if the next first diagonal follows it.
    fn steps_to_first_grant(&mut self, router: usize) -> usize {
        if self.advance == Advance::ByOne {
            return 0;
        }
        let matched = std::mem::replace(&mut self.first_step[router], NONE);
        let recorded = std::mem::replace(&mut self.first_recorded[router], NONE);
        matched.min(recorded).into()
    }

    /// The one of `outputs`, which are not empty, whose diagonal with `input` comes first.
    #[inline(always)]
    fn first_of(&self, matrix: &Matrix<W>, input: usize, outputs: VcSet<W>) -> usize {
        let mut first = outputs.first_or_wrap();
        let mut fewest = usize::MAX;
        if outputs == VcSet::single(first) {
            return first;
        }
        for output in outputs {
            let steps = self.steps(matrix, input, output);
            if steps < fewest {
                [first, fewest] = [output, steps];
            }
        }
        first
    }

    /// Grants each output whose inputs request no other output.
    fn grant_single_outputs(
        &self,
        matrix: &Matrix<W>,
        requests: Requests<'_, W>,
        left: &mut Unmatched<W>,
        matching: &mut Matching<W>,
    ) {
        for output in left.outputs {
            let inputs = requests.pairs.inputs_of(output);
            if inputs.into_iter().all(|input| requests.pairs.outputs_of(input) == VcSet::single(output)) {
                let first = inputs.into_iter().min_by_key(|&input| self.steps(matrix, input, output));
                first.into_iter().for_each(|input| matching.grant(input, output));
                left.inputs -= inputs;
                left.outputs.remove(output);
            }
        }
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
        if left.outputs.is_empty() {
            return;
        }
        let mut cells = std::mem::take(&mut self.cells);
        for output in pairs.outputs & left.outputs {
            for input in pairs.inputs_of(output) & left.inputs {
                cells.push([self.steps(matrix, input, output), input, output].map(short));
            }
        }
        // cells of the same diagonal share neither an input nor an output, so that their order has no effect
        cells.sort_unstable();
        for [steps, input, output] in cells.drain(..) {
            let [at_input, at_output] = [input, output].map(usize::from);
            if left.inputs.contains(at_input) && left.outputs.contains(at_output) {
                left.inputs.remove(at_input);
                left.outputs.remove(at_output);
                let first_step = &mut self.first_step[matrix.router_of(at_output)];
                if *first_step == NONE {
                    *first_step = steps; // requests of the highest priority come first
                }
                matching.grant(at_input, at_output);
            }
        }
        self.cells = cells;
    }
}
