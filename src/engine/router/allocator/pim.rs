//! Parallel iterative matching (T. Anderson, S. Owicki, J. Saxe and C. Thacker, High-Speed Switch Scheduling for Local-Area Networks,
//! 1993), with random starts in place of random choices.

use super::super::matrix::{Matrix, Side};
use super::super::vcset::VcSet;
use super::kind::{AllocatorKind, Build, Parameters, Settings};
use super::{Allocator, Matching, Requests};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg32;

/// The allocator as scenarios name it.
pub(super) const KIND: AllocatorKind = AllocatorKind {
    name: "pim",
    summary: "output-first in several iterations, without priorities; choices begin at random",
    reads: Parameters::Iterations,
    build: &Builder,
};

struct Builder;

impl<const W: usize> Build<W> for Builder {
    fn build(&self, matrix: &Matrix<W>, settings: Settings, block: usize) -> Box<dyn Allocator<W>> {
        let routers = matrix.routers_of_block();
        let first = block * routers;
        // the starts are part of the router: they are the same in all repetitions
        let random = (first..first + routers).map(|router| Pcg32::seed_from_u64(router as u64)).collect();
        Box::new(Pim { random, iterations: settings.iterations })
    }
}

/// In each iteration every output that is not matched offers itself to the first input that requests it from a random one on, and
/// every input that is not matched accepts the first offer from a random output on. So inputs that follow a gap are chosen more often.
struct Pim {
    /// By router of the block.
    random: Vec<Pcg32>,
    iterations: u32,
}

impl Pim {
    /// The first of `among`, members of `side` at one router, from a random one on.
    fn choose<const W: usize>(&mut self, matrix: &Matrix<W>, side: &Side, among: VcSet<W>, member_of: usize) -> usize {
        let random = &mut self.random[matrix.router_index(member_of)];
        let start = random.random_range(0..side.count());
        side.first_from(matrix.router_of(member_of), start, among)
    }
}

impl<const W: usize> Allocator<W> for Pim {
    fn record(&mut self, _: &Matrix<W>, _: usize, _: usize) {}

    fn allocate(&mut self, matrix: &Matrix<W>, requests: Requests<'_, W>, matching: &mut Matching<W>) {
        let mut inputs = requests.grant_alone(|input, output| matching.grant(input, output));
        let mut outputs = requests.outputs_of(inputs);
        for _ in 0..self.iterations {
            for output in outputs {
                let requesting = requests.pairs.inputs_of(output) & inputs;
                if !requesting.is_empty() {
                    let input = self.choose(matrix, &matrix.inputs, requesting, output);
                    matching.between.insert(output, input);
                }
            }
            if matching.between.outputs.is_empty() {
                break;
            }
            while let Some((input, offers)) = matching.between.take() {
                let output = self.choose(matrix, &matrix.outputs, offers, input);
                inputs.remove(input);
                outputs.remove(output);
                matching.grant(input, output);
            }
        }
    }
}
