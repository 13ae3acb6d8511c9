//! Allocators, which match requests with ports: switch allocators with output ports, VC allocators with output VCs.
//!
//! A request that shares neither its input port nor its output port with another is granted by every allocator. Each one
//! grants these first ([`Priorities::contested`]), which costs less than its rule; the rule is for those that contend.

mod input_first;
mod islip;
mod kind;
mod output_first;
mod pair;
mod registry;
mod turns;
mod wavefront;

pub(crate) use input_first::InputFirst;
pub use kind::AllocatorKind;
pub(crate) use kind::{Build, BuildAnyWidth};
pub(crate) use pair::AllocatorPair;
pub use registry::{ALLOCATORS, AllocatorChoice, REPEATING};

use super::layout::Layout;
use super::ports::Ports;
use super::relation::{Groups, Relation};
use super::vcset::{VcArray, VcSet, short};
use crate::engine::router::RouterCosts;

/// Requests of input VCs for outputs, of all routers of a block.
#[derive(Clone, Copy)]
pub(crate) struct Requests<'a, const W: usize> {
    /// Input VCs that request outputs.
    pub(crate) inputs: VcSet<W>,
    /// Pairs of an input VC and an output that it requests. Those of input VCs that are not in `inputs` do not count.
    pub(crate) pairs: &'a Relation<W>,
}

impl<'a, const W: usize> Requests<'a, W> {
    /// Creates the requests of all pairs.
    #[inline(always)]
    pub(crate) fn all(pairs: &'a Relation<W>) -> Self {
        Self { inputs: pairs.inputs, pairs }
    }

    /// Outputs that are requested.
    #[inline(always)]
    fn outputs(&self) -> VcSet<W> {
        if self.inputs == self.pairs.inputs { self.pairs.outputs() } else { self.pairs.outputs_of(self.inputs) }
    }

    /// Input VCs that request `output`.
    #[inline(always)]
    fn inputs_of(&self, output: usize) -> VcSet<W> {
        self.pairs.inputs_of(output) & self.inputs
    }

    /// Input VCs of `port` or with a request for `output`.
    #[inline(always)]
    fn sharing(&self, port: VcSet<W>, output: usize) -> VcSet<W> {
        (self.pairs.inputs_of(output) | port) & self.inputs
    }
}

/// Requests of two priorities. No input VC has both.
#[derive(Clone, Copy)]
pub(crate) struct Priorities<'a, const W: usize> {
    pub(crate) ordinary: Requests<'a, W>,
    /// Those that come after the others, where an allocator knows priorities.
    pub(crate) speculative: Requests<'a, W>,
}

impl<'a, const W: usize> Priorities<'a, W> {
    /// Creates requests of one priority.
    #[inline(always)]
    pub(crate) fn of_one_priority(ordinary: Requests<'a, W>) -> Self {
        Self { ordinary, speculative: Requests { inputs: VcSet::EMPTY, ..ordinary } }
    }

    /// Input VCs that request outputs.
    #[inline(always)]
    pub(crate) fn inputs(&self) -> VcSet<W> {
        self.ordinary.inputs | self.speculative.inputs
    }

    /// Outputs that are requested.
    #[inline(always)]
    fn outputs(&self) -> VcSet<W> {
        let [ordinary, speculative] = [self.ordinary, self.speculative];
        let of = |requests: Requests<'_, W>| if requests.inputs.is_empty() { VcSet::EMPTY } else { requests.outputs() };
        of(ordinary) | of(speculative)
    }

    /// Input VCs that request `output`.
    #[inline(always)]
    fn inputs_of(&self, output: usize) -> VcSet<W> {
        self.ordinary.inputs_of(output) | self.speculative.inputs_of(output)
    }

    /// The VCs of an input port, `port`, that request `output`: only those of the higher priority if there are any.
    #[inline(always)]
    fn first_of(&self, output: usize, port: VcSet<W>) -> VcSet<W> {
        let ordinary = self.ordinary.inputs_of(output) & port;
        if ordinary.is_empty() { self.speculative.inputs_of(output) & port } else { ordinary }
    }

    /// The requests of the input VCs `inputs`.
    #[inline(always)]
    fn restricted_to(self, inputs: VcSet<W>) -> Self {
        let restricted = |requests: Requests<'a, W>| Requests { inputs: requests.inputs & inputs, ..requests };
        Self { ordinary: restricted(self.ordinary), speculative: restricted(self.speculative) }
    }

    /// The input VC and its outputs, if it is the only one with requests.
    #[inline(always)]
    fn lone(&self) -> Option<(usize, VcSet<W>)> {
        let input = self.inputs().single_member()?;
        Some((input, self.outputs()))
    }

    /// Calls `grant` with the input VC and the output of each request that shares no port with another, and returns the input VCs
    /// of the others. Input VCs with several requests contend with themselves.
    #[inline(always)]
    fn contested(&self, ports: &Ports<W>, mut grant: impl FnMut(usize, usize)) -> VcSet<W> {
        let Self { ordinary, speculative } = self;
        let bids = if speculative.inputs.is_empty() { VcSet::EMPTY } else { speculative.pairs.outputs() };
        let mut contested = VcSet::<W>::EMPTY;
        let mut left = ordinary.inputs;
        while let Some(vc) = left.first() {
            let mut sharing = VcSet::single(vc);
            match ordinary.pairs.only_output(vc) {
                Some(output) => {
                    let port = ports.port_set(vc);
                    sharing = ordinary.sharing(port, output);
                    let is_bid_for = bids.contains(output) || !(speculative.inputs & port).is_empty();
                    if sharing == VcSet::single(vc) && !is_bid_for {
                        grant(vc, output);
                    } else {
                        contested |= sharing; // each of them shares a port with `vc`
                    }
                }
                None => contested.insert(vc),
            }
            left -= sharing;
        }
        for vc in speculative.inputs {
            let port = ports.port_set(vc);
            let is_alone =
                |output| ordinary.sharing(port, output) | speculative.sharing(port, output) == VcSet::single(vc);
            match speculative.pairs.only_output(vc) {
                Some(output) if is_alone(output) => grant(vc, output),
                _ => contested.insert(vc),
            }
        }
        contested
    }
}

/// Granted requests, and scratch space between the stages of an allocator.
pub(crate) struct Matching<const W: usize> {
    /// Input VCs that are granted an output: at most one per input port and one per output port.
    pub(crate) inputs: VcSet<W>,
    /// Per member of `inputs`, the output.
    outputs: VcArray<u16, W>,
    /// Nominations, offers or other groups that an allocator has between two stages.
    pub(crate) between: Groups<W>,
}

impl<const W: usize> Matching<W> {
    /// Creates no grants.
    pub(crate) fn new() -> Self {
        Self { inputs: VcSet::EMPTY, outputs: VcArray::filled(0), between: Groups::new() }
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

    /// Removes all grants, and returns the input VCs. Their outputs are known until something else is granted to them.
    #[inline(always)]
    pub(crate) fn take(&mut self) -> VcSet<W> {
        std::mem::replace(&mut self.inputs, VcSet::EMPTY)
    }
}

/// Arbiters of the routers of a block.
pub(crate) trait Arbiters<const W: usize> {
    /// Creates arbiters before the first cycle.
    fn new(layout: &Layout<W>, costs: &RouterCosts) -> Self;
}

/// A VC allocator or switch allocator of the routers of a block, with its arbiters.
pub(crate) trait Allocator<const W: usize> {
    /// Adds a matching of `requests` to the grants, of which there are none.
    fn allocate(&mut self, ports: &Ports<W>, requests: Priorities<'_, W>, matching: &mut Matching<W>);
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails where it cannot continue")]
mod tests {
    use super::*;

    /// Pairs of an input port and an output port.
    type Pairs = Vec<(usize, usize)>;

    /// The grants of rounds of requests to the allocator `name` of a router with `ports` ports of two VCs. Speculative requests
    /// are those of the second VCs.
    fn grants(name: &str, iterations: u32, ports: usize, rounds: &[[Pairs; 2]]) -> Vec<Pairs> {
        let ports: Vec<(usize, [usize; 2])> = (0..ports).map(|port| (2 * port, [port, port])).collect();
        let ports = Ports::<1>::new(&ports, 3, 1, 63);
        let mut allocator = AllocatorChoice::named(name).unwrap().repeated(iterations).build(&ports);
        let mut grants = Vec::new();
        for round in rounds {
            let [mut ordinary, mut speculative] = [Relation::new(), Relation::new()];
            round[0].iter().for_each(|&(input, output)| ordinary.insert(2 * input, 2 * output));
            round[1].iter().for_each(|&(input, output)| speculative.insert(2 * input + 1, 2 * output));
            let requests = Priorities { ordinary: Requests::all(&ordinary), speculative: Requests::all(&speculative) };
            let mut matching = Matching::new();
            allocator.allocate(&ports, requests, &mut matching);
            grants.push(matching.take().into_iter().map(|input| (input / 2, matching.output(input) / 2)).collect());
        }
        grants
    }

    /// The grants of three rounds with the same requests to routers of three ports.
    fn three_rounds(name: &str, iterations: u32, pairs: &[(usize, usize)]) -> Vec<Pairs> {
        grants(name, iterations, 3, &[(); 3].map(|()| [pairs.to_vec(), Vec::new()]))
    }

    #[test]
    fn allocators_match_as_worked_out_by_hand() {
        let requests = [(0, 0), (0, 1), (1, 0), (2, 0), (2, 2)];
        let input_first = [vec![(0, 0)], vec![(0, 1), (1, 0)], vec![(2, 0)]];
        assert_eq!(three_rounds("separable-input-first", 1, &requests), input_first);
        let others = [vec![(0, 0), (2, 2)], vec![(0, 1), (1, 0), (2, 2)], vec![(0, 1), (2, 0)]];
        for name in ["separable-output-first", "islip", "wavefront"] {
            assert_eq!(three_rounds(name, 1, &requests), others, "{name}");
        }
    }

    #[test]
    fn more_iterations_match_ports_that_are_left() {
        // both outputs offer themselves to input 0 first
        let requests = [(0, 0), (0, 1), (1, 0), (1, 1)];
        assert_eq!(three_rounds("islip", 1, &requests)[0], [(0, 0)]);
        assert_eq!(three_rounds("islip", 2, &requests)[0], [(0, 0), (1, 1)]);
    }

    #[test]
    fn speculative_requests_come_last_where_an_allocator_knows_priorities() {
        // input 0 has an ordinary request for output 0; input 1 and, for output 1, input 0 have speculative ones
        let round = [vec![(0, 0)], vec![(0, 1), (1, 0), (1, 1)]];
        let first = |name: &str| grants(name, 1, 3, std::slice::from_ref(&round)).remove(0);
        // input 1 nominates output 0, which is taken
        assert_eq!(first("separable-input-first"), [(0, 0)]);
        // output 1 offers itself to input 0, which accepts output 0
        assert_eq!(first("separable-output-first"), [(0, 0)]);
        assert_eq!(first("wavefront"), [(0, 0), (1, 1)]);
        // all compete: in the second round the arbiters prefer the speculative requests of input 1 and of input 0
        let rounds = grants("islip", 1, 3, &[round.clone(), round]);
        assert_eq!(rounds, [vec![(0, 0)], vec![(0, 1), (1, 0)]]);
    }

    /// Rounds of requests, and the grants of iSLIP of BookSim 2 (commit 28f4329).
    #[cfg(feature = "config")]
    #[test]
    fn islip_matches_as_another_simulator() {
        let cases: Vec<serde_json::Value> =
            serde_json::from_str(include_str!("../../../../tests/data/traffic/islip.json")).unwrap();
        for case in &cases {
            let number = |value: &serde_json::Value| usize::try_from(value.as_u64().unwrap()).unwrap();
            let pairs = |round: &serde_json::Value| -> Pairs {
                round.as_array().unwrap().iter().map(|pair| (number(&pair[0]), number(&pair[1]))).collect()
            };
            let all = |key: &str| case[key].as_array().unwrap().iter().map(pairs).collect::<Vec<Pairs>>();
            let rounds: Vec<[Pairs; 2]> = all("rounds").into_iter().map(|round| [round, Vec::new()]).collect();
            let ports = number(&case["inputs"]).max(number(&case["outputs"]));
            let iterations = u32::try_from(number(&case["iterations"])).unwrap();
            assert_eq!(grants("islip", iterations, ports, &rounds), all("matches"), "{case}");
        }
        assert_eq!(cases.len(), 6);
    }
}
