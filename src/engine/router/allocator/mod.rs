//! Switch allocators, which select the flits that are granted the switch.
//!
//! A request that shares neither its input port nor its output port with another is granted by every allocator, so the
//! engine grants it itself; allocators see the requests that contend for a port, and nothing else.

mod input_first;
#[allow(dead_code, reason = "no key selects it yet")]
mod islip;
#[allow(dead_code, reason = "no key selects it yet")]
mod output_first;
mod turns;
#[allow(dead_code, reason = "no key selects it yet")]
mod wavefront;

pub(crate) use input_first::InputFirst;

use super::layout::Layout;
use super::relation::{Groups, Relation};
use super::vcset::{VcArray, VcSet, short};

/// Requests of input VCs for output ports, of all routers of a block.
pub(crate) struct Requests<'a, const W: usize> {
    /// Input VCs that request output ports.
    pub(crate) inputs: VcSet<W>,
    /// Pairs of an input VC and an output port that it requests. Those of input VCs that are not in `inputs` do not count.
    pub(crate) pairs: &'a Relation<W>,
    /// Output ports that are taken: they can be requested and grant nothing.
    pub(crate) taken: VcSet<W>,
}

impl<const W: usize> Requests<'_, W> {
    /// Output ports that are requested and not taken.
    #[inline(always)]
    pub(crate) fn outputs(&self) -> VcSet<W> {
        self.pairs.outputs_of(self.inputs) - self.taken
    }
}

/// Granted requests, and scratch space between the stages of an allocator.
#[derive(Clone)]
pub(crate) struct Matching<const W: usize> {
    /// Input VCs that are granted an output port: at most one per input port and one per output port.
    pub(crate) inputs: VcSet<W>,
    /// Per member of `inputs`, the output port.
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

    /// The output port that is granted to `input`, one of `inputs`.
    #[inline(always)]
    pub(crate) fn output(&self, input: usize) -> usize {
        self.outputs[input].into()
    }
}

/// Arbiters of the routers of a block.
pub(crate) trait Allocator<const W: usize>: Clone {
    /// Creates arbiters before the first cycle.
    fn new(layout: &Layout<W>) -> Self;

    /// Adds a matching of `requests` to the grants.
    fn allocate(&mut self, layout: &Layout<W>, requests: &Requests<'_, W>, matching: &mut Matching<W>);

    /// Notes that the request of `input` for the port of `output` was granted as it contended with none.
    fn uncontested(&mut self, layout: &Layout<W>, input: usize, output: usize);
}

#[cfg(test)]
mod tests {
    use super::islip::Islip;
    use super::output_first::OutputFirst;
    use super::wavefront::Wavefront;
    use super::*;
    use crate::engine::router::RouterCosts;
    use crate::routing::relation::DIMENSION_ORDER;
    use crate::routing::{Lattice, Relation as LatticeRelation};

    /// Pairs of an input port and an output port.
    type Pairs = Vec<(usize, usize)>;

    /// The grants of three allocations of the same requests by routers of three ports with one VC.
    fn three_rounds<A: Allocator<1>>(pairs: &[(usize, usize)]) -> [Pairs; 3] {
        let ring = LatticeRelation::new(Lattice::new(&[3], true, &[0]), &DIMENSION_ORDER, 1);
        let layout = Layout::new(&ring, &RouterCosts::default(), 1);
        let mut allocator = A::new(&layout);
        let mut requests = Relation::new();
        pairs.iter().for_each(|&(input, output)| requests.insert(input, output));
        [(); 3].map(|()| {
            let mut matching = Matching::new();
            let all = Requests { inputs: requests.inputs, pairs: &requests, taken: VcSet::EMPTY };
            allocator.allocate(&layout, &all, &mut matching);
            matching.inputs.into_iter().map(|input| (input, matching.output(input))).collect()
        })
    }

    #[test]
    fn allocators_match_as_worked_out_by_hand() {
        let requests = [(0, 0), (0, 1), (1, 0), (2, 0), (2, 2)];
        let input_first = [vec![(0, 0)], vec![(0, 1), (1, 0)], vec![(2, 0)]];
        assert_eq!(three_rounds::<InputFirst<1>>(&requests), input_first);
        let others = [vec![(0, 0), (2, 2)], vec![(0, 1), (1, 0), (2, 2)], vec![(0, 1), (2, 0)]];
        assert_eq!(three_rounds::<OutputFirst<1>>(&requests), others);
        assert_eq!(three_rounds::<Islip<1, 1>>(&requests), others);
        assert_eq!(three_rounds::<Wavefront<1>>(&requests), others);
    }

    #[test]
    fn more_iterations_match_ports_that_are_left() {
        // both outputs offer themselves to input 0 first
        let requests = [(0, 0), (0, 1), (1, 0), (1, 1)];
        assert_eq!(three_rounds::<OutputFirst<1>>(&requests)[0], [(0, 0)]);
        assert_eq!(three_rounds::<Islip<2, 1>>(&requests)[0], [(0, 0), (1, 1)]);
    }
}
