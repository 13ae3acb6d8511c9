//! Allocators, which match inputs with outputs: switch allocators inputs and outputs of a crossbar, VC allocators input VCs and
//! output VCs.
//!
//! Most requests do not contend: no other input requests the same outputs. Allocators grant these first
//! ([`Requests::grant_uncontested`], [`Requests::grant_alone`]), which costs less than their rule for those that contend.

mod arbiter;
mod input_first;
mod islip;
mod kind;
mod levels;
mod lonely;
mod max_size;
mod pairs;
mod pim;
mod registry;
mod separable;
mod turns;
mod wavefront;

pub use arbiter::{ARBITERS, ArbiterChoice, ArbiterRule};
pub(crate) use input_first::{InputFirst, PortRequests};
pub use kind::{AllocatorKind, Parameters};
pub(crate) use kind::{Build, BuildAnyWidth};
pub(crate) use levels::{EachLevel, Level, Levels};
pub(crate) use pairs::Pairs;
pub use registry::{ALLOCATORS, AllocatorChoice, REPEATING, SEPARABLE};

use super::matrix::Matrix;
use super::relation::Groups;
use super::vcset::{VcArray, VcSet, short};

/// Requests of inputs for outputs, of all routers of a block.
#[derive(Clone, Copy)]
pub(crate) struct Requests<'a, const W: usize> {
    /// Pairs of an input and an output that it requests.
    pub(crate) pairs: &'a Pairs<W>,
    /// The priorities of the pairs, which some allocators do not read.
    pub(crate) levels: Levels<'a, W>,
}

impl<const W: usize> Requests<'_, W> {
    /// Calls `grant` with the input and the output of each request that shares neither with another, and returns the other inputs.
    #[inline(always)]
    fn grant_alone(&self, mut grant: impl FnMut(usize, usize)) -> VcSet<W> {
        let mut contested = VcSet::EMPTY;
        for input in self.pairs.inputs {
            match self.pairs.outputs_of(input).single_member() {
                Some(output) if self.pairs.inputs_of(output) == VcSet::single(input) => grant(input, output),
                _ => contested.insert(input),
            }
        }
        contested
    }

    /// Calls `grant` with each input whose outputs no other input requests and with these outputs, one of which is to be granted.
    /// Returns the other inputs.
    #[inline(always)]
    fn grant_uncontested(&self, mut grant: impl FnMut(usize, VcSet<W>)) -> VcSet<W> {
        let mut contested = VcSet::EMPTY;
        if let Some(input) = self.pairs.inputs.single_member() {
            grant(input, self.pairs.outputs);
            return contested;
        }
        for input in self.pairs.inputs {
            let outputs = self.pairs.outputs_of(input);
            if outputs.into_iter().all(|output| self.pairs.inputs_of(output) == VcSet::single(input)) {
                grant(input, outputs);
            } else {
                contested.insert(input);
            }
        }
        contested
    }

    /// The outputs that the inputs `inputs` request.
    #[inline(always)]
    fn outputs_of(&self, inputs: VcSet<W>) -> VcSet<W> {
        if inputs == self.pairs.inputs {
            return self.pairs.outputs;
        }
        let mut outputs = VcSet::EMPTY;
        for input in inputs {
            outputs |= self.pairs.outputs_of(input);
        }
        outputs
    }
}

/// Granted requests, and scratch space between the stages of an allocator.
pub(crate) struct Matching<const W: usize> {
    /// Inputs that are granted an output, each of which is granted to one input.
    pub(crate) inputs: VcSet<W>,
    /// Per member of `inputs`, the output.
    outputs: VcArray<u16, W>,
    /// Nominations, offers or other groups that an allocator has between two stages.
    pub(crate) between: Groups<W>,
    /// Requests of one priority, once an allocator has sorted some.
    one_priority: Option<Box<Pairs<W>>>,
}

impl<const W: usize> Matching<W> {
    /// Creates no grants.
    pub(crate) fn new() -> Self {
        Self { inputs: VcSet::EMPTY, outputs: VcArray::filled(0), between: Groups::new(), one_priority: None }
    }

    /// Grants `output` to `input`.
    #[inline(always)]
    pub(crate) fn grant(&mut self, input: usize, output: usize) {
        self.inputs.insert(input);
        self.outputs[input] = short(output);
    }

    /// The output that is granted to `input`, one of `inputs`.
    #[inline(always)]
    pub(crate) fn output(&self, input: usize) -> usize {
        self.outputs[input].into()
    }

    /// Removes all grants, and returns the inputs. Their outputs are known until something else is granted to them.
    #[inline(always)]
    pub(crate) fn take(&mut self) -> VcSet<W> {
        std::mem::replace(&mut self.inputs, VcSet::EMPTY)
    }
}

/// A VC allocator or switch allocator of the routers of a block, with its arbiters.
pub(crate) trait Allocator<const W: usize> {
    /// Records that the only request of `input`, which is the only one for `output`, is granted in this allocation. All others have the
    /// same priority.
    fn record(&mut self, matrix: &Matrix<W>, input: usize, output: usize);

    /// Adds a matching of `requests`, of which there is at least one, to the grants, of which there are none, and ends the allocation.
    fn allocate(&mut self, matrix: &Matrix<W>, requests: Requests<'_, W>, matching: &mut Matching<W>);

    /// Ends an allocation in which all requests were recorded.
    fn end(&mut self, _matrix: &Matrix<W>) {}
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails where it cannot continue")]
mod tests {
    use super::*;

    /// Pairs of an input and an output.
    type Grants = Vec<(usize, usize)>;

    /// A request: its input and output, and its priorities at the input and at the output.
    type Request = [usize; 4];

    /// The grants of rounds of requests to an allocator of `inputs` by `outputs`.
    fn grants(choice: AllocatorChoice, [inputs, outputs]: [usize; 2], rounds: &[Vec<Request>]) -> Vec<Grants> {
        let matrix = Matrix::plain(inputs, outputs);
        let mut allocator = choice.build(&matrix, 0);
        rounds.iter().map(|round| allocate(allocator.as_mut(), &matrix, round)).collect()
    }

    fn allocate(allocator: &mut dyn Allocator<1>, matrix: &Matrix<1>, round: &[Request]) -> Grants {
        let mut pairs = Pairs::new();
        let mut levels = EachLevel::default();
        for &[input, output, at_input, at_output] in round {
            pairs.insert(input, output);
            let [input_level, output_level] = [at_input, at_output].map(|level| i64::try_from(level).unwrap());
            levels.set(input, output, Level { output: output_level, input: input_level });
        }
        let mut matching = Matching::new();
        if !round.is_empty() {
            allocator.allocate(matrix, Requests { pairs: &pairs, levels: Levels::Each(&levels) }, &mut matching);
        }
        matching.take().into_iter().map(|input| (input, matching.output(input))).collect()
    }

    /// The allocator `name` with round-robin arbiters.
    fn named(name: &str) -> AllocatorChoice {
        AllocatorChoice::named(name).unwrap()
    }

    /// Separable input-first allocation with matrix arbiters.
    fn with_matrix_arbiters() -> AllocatorChoice {
        let arbiter = ArbiterChoice { rule: ArbiterRule::LeastRecent, groups: 1 };
        named("separable-input-first").with_arbiters(arbiter)
    }

    /// The grants of three rounds with the same requests, all of the same priority, to an allocator of three by three.
    fn three_rounds(choice: AllocatorChoice, pairs: &[(usize, usize)]) -> Vec<Grants> {
        let round: Vec<Request> = pairs.iter().map(|&(input, output)| [input, output, 0, 0]).collect();
        grants(choice, [3, 3], &[round.clone(), round.clone(), round])
    }

    #[test]
    fn allocators_match_as_worked_out_by_hand() {
        let requests = [(0, 0), (0, 1), (1, 0), (2, 0), (2, 2)];
        let input_first = [vec![(0, 0)], vec![(0, 1), (1, 0)], vec![(2, 0)]];
        assert_eq!(three_rounds(named("separable-input-first"), &requests), input_first);
        let others = [vec![(0, 0), (2, 2)], vec![(0, 1), (1, 0), (2, 2)], vec![(0, 1), (2, 0)]];
        for name in ["separable-output-first", "islip", "select", "wavefront"] {
            assert_eq!(three_rounds(named(name), &requests), others, "{name}");
        }
        assert_eq!(three_rounds(named("loa"), &requests), [(); 3].map(|()| vec![(0, 1), (1, 0), (2, 2)]));
        let least_recent = [vec![(0, 1), (1, 0), (2, 2)], vec![(2, 0)], vec![(0, 0), (2, 2)]];
        assert_eq!(three_rounds(with_matrix_arbiters(), &requests), least_recent);
    }

    #[test]
    fn more_iterations_match_ports_that_are_left() {
        // both outputs offer themselves to input 0 first
        let requests = [(0, 0), (0, 1), (1, 0), (1, 1)];
        assert_eq!(three_rounds(named("islip"), &requests)[0], [(0, 0)]);
        assert_eq!(three_rounds(named("islip").repeated(2), &requests)[0], [(0, 0), (1, 1)]);
    }

    /// Every allocator grants requests of different inputs for different outputs, and no input or output twice. The matching of
    /// `max-size` has the most pairs.
    #[test]
    fn grants_are_a_matching_of_the_requests() {
        use rand::{RngExt, SeedableRng};
        let mut random = rand_pcg::Pcg32::seed_from_u64(1);
        let rounds: Vec<Vec<Request>> = (0..200)
            .map(|_| {
                let mut round = Vec::new();
                for cell in 0..30 {
                    if random.random_range(0..3) == 0 {
                        round.push([cell / 6, cell % 6, random.random_range(0..2), random.random_range(0..2)]);
                    }
                }
                round
            })
            .collect();
        let most: Vec<usize> = grants(named("max-size"), [5, 6], &rounds).iter().map(Vec::len).collect();
        for kind in ALLOCATORS {
            let all = grants(named(kind.name).repeated(3), [5, 6], &rounds);
            for ((granted, round), &most) in all.iter().zip(&rounds).zip(&most) {
                let is_requested = |pair: &(usize, usize)| round.iter().any(|&[i, o, ..]| (i, o) == *pair);
                assert!(granted.iter().all(is_requested), "{}: {granted:?} of {round:?}", kind.name);
                let outputs: std::collections::BTreeSet<usize> = granted.iter().map(|pair| pair.1).collect();
                assert_eq!(outputs.len(), granted.len(), "{}: {granted:?}", kind.name);
                assert!(granted.len() <= most && (granted.is_empty() == round.is_empty()), "{}: {most}", kind.name);
            }
        }
    }

    /// Rounds of requests with priorities, and the grants of the allocators of BookSim 2 (commit 28f4329).
    #[cfg(feature = "config")]
    #[test]
    fn allocators_match_as_those_of_another_simulator() {
        let cases: Vec<serde_json::Value> =
            serde_json::from_str(include_str!("../../../../tests/data/routers/allocators.json")).unwrap();
        let number = |value: &serde_json::Value| usize::try_from(value.as_u64().unwrap()).unwrap();
        for case in &cases {
            let mut words = case["kind"].as_str().unwrap().split(' ');
            let name = words.next().unwrap();
            let parameters: Vec<&str> = words.collect();
            let choice = match parameters.as_slice() {
                [] => named(name),
                ["matrix"] => named(name).with_arbiters(ArbiterChoice { rule: ArbiterRule::LeastRecent, groups: 1 }),
                ["tree", groups] => {
                    let groups = groups.parse().unwrap();
                    named(name).with_arbiters(ArbiterChoice { rule: ArbiterRule::RoundRobin, groups })
                }
                [iterations] => named(name).repeated(iterations.parse().unwrap()),
                other => unreachable!("{other:?}"),
            };
            let list = |key: &str| case[key].as_array().unwrap().clone();
            let row = |value: &serde_json::Value| value.as_array().unwrap().iter().map(number).collect::<Vec<_>>();
            let rows = |round: &serde_json::Value| round.as_array().unwrap().iter().map(row).collect::<Vec<_>>();
            let request = |row: Vec<usize>| -> Request { row.try_into().unwrap() };
            let rounds: Vec<Vec<Request>> =
                list("rounds").iter().map(|round| rows(round).into_iter().map(request).collect()).collect();
            let expected: Vec<Grants> =
                list("matches").iter().map(|round| rows(round).iter().map(|row| (row[0], row[1])).collect()).collect();
            let size = [number(&case["inputs"]), number(&case["outputs"])];
            assert_eq!(grants(choice, size, &rounds), expected, "{}", case["kind"]);
        }
        assert_eq!(cases.len(), 32);
    }
}
