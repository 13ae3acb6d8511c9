//! The separable input-first allocator (W. J. Dally and B. Towles 2004, section 19.3).

use super::super::layout::Layout;
use super::turns::Turns;
use super::{Allocator, Matching, Requests};

/// Each input port nominates one of its VCs for one output port, and each output port grants one nomination, round robin.
#[derive(Clone)]
pub(crate) struct InputFirst<const W: usize>(Turns<W>);

impl<const W: usize> Allocator<W> for InputFirst<W> {
    fn new(layout: &Layout<W>) -> Self {
        Self(Turns::new(layout))
    }

    fn allocate(&mut self, layout: &Layout<W>, requests: &Requests<'_, W>, matching: &mut Matching<W>) {
        let mut inputs = requests.inputs;
        while let Some(vc) = inputs.first() {
            let port = layout.port_of(vc);
            let vcs = inputs & layout.port_set(vc);
            inputs -= vcs;
            let output = self.0.next_output(port, requests.pairs.outputs_of(vcs));
            matching.between.insert(self.0.next_vc(port, requests.pairs.inputs_of(output) & vcs), output);
        }
        while let Some((output, nominated)) = matching.between.take() {
            if !requests.taken.contains(output) {
                let input = self.0.next_input(layout, output, nominated);
                self.0.pass(layout, input, output);
                matching.grant(input, output);
            }
        }
    }

    #[inline(always)]
    fn uncontested(&mut self, layout: &Layout<W>, input: usize, output: usize) {
        self.0.pass(layout, input, output);
    }
}
