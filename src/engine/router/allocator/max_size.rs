//! Matchings of maximum size by shortest augmenting paths (J. Hopcroft and R. Karp, An n^5/2 Algorithm for Maximum Matchings in
//! Bipartite Graphs, 1973).

use super::super::matrix::Matrix;
use super::super::vcset::{VcArray, VcSet, short};
use super::kind::{AllocatorKind, Build, Parameters, Settings};
use super::{Allocator, Matching, Requests};

/// The allocator as scenarios name it.
pub(super) const KIND: AllocatorKind = AllocatorKind {
    name: "max-size",
    summary: "a matching of maximum size, without priorities; each allocation begins at the next input",
    reads: Parameters::Nothing,
    build: &Builder,
};

struct Builder;

impl<const W: usize> Build<W> for Builder {
    fn build(&self, _: &Matrix<W>, _: Settings, _: usize) -> Box<dyn Allocator<W>> {
        let none = VcArray::filled(0);
        Box::new(MaxSize {
            first: none.clone(),
            reached_from: none.clone(),
            granted_to: none,
            paths: Paths::default(),
            recorded: VcSet::EMPTY,
        })
    }
}

/// Extends a matching by shortest augmenting paths until there is none. Inputs are tried from one on that advances with each
/// allocation.
struct MaxSize<const W: usize> {
    /// Per router, at its first number, the index of the first input.
    first: VcArray<u16, W>,
    /// Per output that a search has reached, the input from which it has.
    reached_from: VcArray<u16, W>,
    /// Per matched output, its input.
    granted_to: VcArray<u16, W>,
    paths: Paths,
    /// The first numbers of routers with requests in this allocation, as far as they are recorded.
    recorded: VcSet<W>,
}

/// The ends of the paths of a search, all of the same length, and those of the next length.
#[derive(Default)]
struct Paths {
    inputs: Vec<usize>,
    longer: Vec<usize>,
}

impl<const W: usize> Allocator<W> for MaxSize<W> {
    fn record(&mut self, matrix: &Matrix<W>, input: usize, _: usize) {
        self.recorded.insert(matrix.router_of(input));
    }

    fn allocate(&mut self, matrix: &Matrix<W>, requests: Requests<'_, W>, matching: &mut Matching<W>) {
        let contested = requests.grant_alone(|input, output| matching.grant(input, output));
        for router in matrix.routers(contested) {
            let inputs = contested & matrix.router_set(router);
            let mut matched = VcSet::EMPTY;
            while let Some(output) = self.augmenting(matrix, requests, inputs - matching.inputs, matched) {
                self.augment(output, matching);
                matched.insert(output);
            }
        }
        self.recorded |= matrix.routers(requests.pairs.inputs);
        self.end(matrix);
    }

    fn end(&mut self, matrix: &Matrix<W>) {
        for router in std::mem::replace(&mut self.recorded, VcSet::EMPTY) {
            self.first[router] = short((usize::from(self.first[router]) + 1) % matrix.inputs.count());
        }
    }
}

impl<const W: usize> MaxSize<W> {
    /// Searches a shortest augmenting path from one of the `unmatched` inputs of a router, and returns the output where it ends.
    fn augmenting(
        &mut self,
        matrix: &Matrix<W>,
        requests: Requests<'_, W>,
        unmatched: VcSet<W>,
        matched: VcSet<W>,
    ) -> Option<usize> {
        self.begin(matrix, unmatched);
        let mut reached = VcSet::<W>::EMPTY;
        while !self.paths.inputs.is_empty() {
            for &input in &self.paths.inputs {
                let outputs = requests.pairs.outputs_of(input) - reached;
                for index in matrix.outputs.indices(outputs) {
                    let output = matrix.outputs.number(matrix.router_of(input), index);
                    reached.insert(output);
                    self.reached_from[output] = short(input);
                    if !matched.contains(output) {
                        return Some(output);
                    }
                    self.paths.longer.push(self.granted_to[output].into());
                }
            }
            self.paths.inputs.clear();
            std::mem::swap(&mut self.paths.inputs, &mut self.paths.longer);
        }
        None
    }

    /// Begins paths at the `unmatched` inputs of a router, from its first input on.
    fn begin(&mut self, matrix: &Matrix<W>, unmatched: VcSet<W>) {
        self.paths.inputs.clear();
        self.paths.longer.clear();
        let mut left = unmatched;
        let Some(router) = left.first().map(|input| matrix.router_of(input)) else { return };
        let first = self.first[router].into();
        while !left.is_empty() {
            let next = matrix.inputs.first_from(router, first, left);
            left.remove(next);
            self.paths.inputs.push(next);
        }
    }

    /// Exchanges the pairs of the path that ends at `output` for those between them.
    fn augment(&mut self, output: usize, matching: &mut Matching<W>) {
        let mut output = output;
        loop {
            let input = usize::from(self.reached_from[output]);
            let before = matching.inputs.contains(input).then(|| matching.output(input));
            self.granted_to[output] = short(input);
            matching.grant(input, output);
            match before {
                Some(before) => output = before,
                None => return,
            }
        }
    }
}
