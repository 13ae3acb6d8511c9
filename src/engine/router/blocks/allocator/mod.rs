//! Switch allocators, which select the flits that are granted the switch.
//!
//! A request that shares neither its input port nor its output port with another is granted by every allocator, so the
//! engine grants it itself; allocators see the requests that contend for a port, and nothing else.

mod input_first;
mod turns;

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
