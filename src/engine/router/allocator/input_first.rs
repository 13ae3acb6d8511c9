//! The separable input-first switch allocator (W. J. Dally and B. Towles 2004, section 19.3) of routers with the default
//! microarchitecture, which sees contested requests only. It does what [`super::separable`] does with round-robin arbiters.

use super::super::layout::Layout;
use super::super::ports::Ports;
use super::super::relation::Relation;
use super::super::vcset::VcSet;
use super::Matching;
use super::turns::Turns;

/// Requests of input VCs for output ports, of all routers of a block.
#[derive(Clone, Copy)]
pub(crate) struct PortRequests<'a, const W: usize> {
    /// Input VCs that request output ports.
    pub(crate) inputs: VcSet<W>,
    /// Pairs of an input VC and an output port that it requests. Those of input VCs that are not in `inputs` do not count.
    pub(crate) pairs: &'a Relation<W>,
}

/// Each input port nominates one of its VCs for one output port, and each output port grants one nomination, round robin.
pub(crate) struct InputFirst<const W: usize>(Turns<W>);

impl<const W: usize> InputFirst<W> {
    /// Creates arbiters that start with the first port and the first VC.
    pub(crate) fn new(layout: &Layout<W>) -> Self {
        Self(Turns::new(&layout.ports))
    }

    /// Adds a matching of `requests` to the grants. The outputs `taken` can be nominated and grant nothing.
    pub(crate) fn allocate_among(
        &mut self,
        ports: &Ports<W>,
        requests: PortRequests<'_, W>,
        taken: VcSet<W>,
        matching: &mut Matching<W>,
    ) {
        let mut inputs = requests.inputs;
        while let Some(vc) = inputs.first() {
            let port = ports.port_of(vc);
            let vcs = inputs & ports.port_set(vc);
            inputs -= vcs;
            let output = self.0.next_output(port, requests.pairs.outputs_of(vcs));
            matching.between.insert(self.0.next_vc(port, requests.pairs.inputs_of(output) & vcs), output);
        }
        while let Some((output, nominated)) = matching.between.take() {
            if !taken.contains(output) {
                let input = self.0.next_input(ports, output, nominated);
                self.0.pass(ports, input, output);
                matching.grant(input, output);
            }
        }
    }

    /// Returns a matching of `requests` in which an input VC can have several outputs: the VC that an input port nominates is nominated
    /// for all its outputs. The outputs `taken` can be nominated and grant nothing.
    pub(crate) fn allocate_forks(
        &mut self,
        ports: &Ports<W>,
        requests: PortRequests<'_, W>,
        taken: VcSet<W>,
        matching: &mut Matching<W>,
    ) -> Vec<(usize, usize)> {
        let mut inputs = requests.inputs;
        while let Some(vc) = inputs.first() {
            let port = ports.port_of(vc);
            let vcs = inputs & ports.port_set(vc);
            inputs -= vcs;
            let output = self.0.next_output(port, requests.pairs.outputs_of(vcs));
            let nominated = self.0.next_vc(port, requests.pairs.inputs_of(output) & vcs);
            for output in requests.pairs.outputs_of(VcSet::single(nominated)) {
                matching.between.insert(nominated, output);
            }
        }
        let mut granted = Vec::new();
        while let Some((output, nominated)) = matching.between.take() {
            if !taken.contains(output) {
                let input = self.0.next_input(ports, output, nominated);
                self.0.pass(ports, input, output);
                granted.push((input, output));
            }
        }
        granted
    }

    /// The output port of `outputs` for which the port of `input` would nominate a VC that requests all of them.
    pub(crate) fn next_output(&self, ports: &Ports<W>, input: usize, outputs: VcSet<W>) -> usize {
        self.0.next_output(ports.port_of(input), outputs)
    }

    /// Notes that the request of `input` for the port of `output` was granted as it contended with none.
    #[inline(always)]
    pub(crate) fn uncontested(&mut self, ports: &Ports<W>, input: usize, output: usize) {
        self.0.pass(ports, input, output);
    }
}
