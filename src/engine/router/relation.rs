//! Requests and grants of several kinds: pairs of an input VC and an output.
//!
//! Groups of outputs without input VCs are empty, never stale: inserting needs no look at the past, and clearing costs no
//! more than the insertions did.

use super::vcset::{VcArray, VcSet, short};

/// Input VCs in groups by output. [`Groups::take`] empties them group by group, as an arbiter per output does.
#[derive(Clone)]
pub(crate) struct Groups<const W: usize> {
    /// Outputs that are related to an input VC.
    pub(crate) outputs: VcSet<W>,
    /// Per output, its input VCs.
    inputs: VcArray<VcSet<W>, W>,
}

impl<const W: usize> Groups<W> {
    /// Creates no groups.
    pub(crate) fn new() -> Self {
        Self { outputs: VcSet::EMPTY, inputs: VcArray::filled(VcSet::EMPTY) }
    }

    /// Adds `input` to the group of `output`.
    #[inline(always)]
    pub(crate) fn insert(&mut self, input: usize, output: usize) {
        self.inputs[output].insert(input);
        self.outputs.insert(output);
    }

    /// Removes `input` from the group of `output`.
    #[inline(always)]
    fn remove(&mut self, input: usize, output: usize) {
        self.inputs[output].remove(input);
        if self.inputs[output].is_empty() {
            self.outputs.remove(output);
        }
    }

    /// Returns the group of `output`, empty if it is not one of `outputs`.
    #[inline(always)]
    pub(crate) fn inputs_of(&self, output: usize) -> VcSet<W> {
        self.inputs[output]
    }

    /// Removes a group, and returns its output and its input VCs.
    #[inline(always)]
    pub(crate) fn take(&mut self) -> Option<(usize, VcSet<W>)> {
        let output = self.outputs.first()?;
        self.outputs.remove(output);
        Some((output, std::mem::replace(&mut self.inputs[output], VcSet::EMPTY)))
    }
}

/// A relation between input VCs and outputs (output VCs, or output ports named by their first VC).
#[derive(Clone)]
pub(crate) struct Relation<const W: usize> {
    /// Input VCs that are related to an output.
    pub(crate) inputs: VcSet<W>,
    /// The members of `inputs` by output.
    groups: Groups<W>,
    /// Those that are related to several outputs.
    several: VcSet<W>,
    /// Per member of `inputs`, the output that it was related to last.
    last: VcArray<u16, W>,
}

impl<const W: usize> Relation<W> {
    /// Creates the empty relation.
    pub(crate) fn new() -> Self {
        let none = VcSet::EMPTY;
        Self { inputs: none, groups: Groups::new(), several: none, last: VcArray::filled(0) }
    }

    /// Removes all pairs.
    #[inline(always)]
    pub(crate) fn clear(&mut self) {
        while self.groups.take().is_some() {}
        self.inputs = VcSet::EMPTY;
        self.several = VcSet::EMPTY;
    }

    /// Returns true if there are no pairs.
    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.inputs.is_empty()
    }

    /// Outputs that are related to an input VC.
    #[inline(always)]
    pub(crate) fn outputs(&self) -> VcSet<W> {
        self.groups.outputs
    }

    /// Adds the pair of `input` and `output`.
    #[inline(always)]
    pub(crate) fn insert(&mut self, input: usize, output: usize) {
        let vc = VcSet::single(input);
        self.groups.insert(input, output);
        self.last[input] = short(output);
        self.several |= self.inputs & vc;
        self.inputs |= vc;
    }

    /// Removes the pair of `input` and `output`, the only one of `input`.
    #[inline(always)]
    pub(crate) fn remove(&mut self, input: usize, output: usize) {
        self.inputs.remove(input);
        self.groups.remove(input, output);
    }

    /// Returns those of `inputs` that are related to `output`.
    #[inline(always)]
    pub(crate) fn inputs_of(&self, output: usize) -> VcSet<W> {
        self.groups.inputs_of(output)
    }

    /// Returns true if `input` is related to one output only, and no other VC of `port`, its input port, is related to any.
    #[inline(always)]
    pub(crate) fn is_alone(&self, input: usize, port: VcSet<W>) -> bool {
        self.inputs & port == VcSet::single(input) && !self.several.contains(input)
    }

    /// Returns the outputs that are related to one of `vcs`, which are some of `inputs`.
    #[inline(always)]
    pub(crate) fn outputs_of(&self, vcs: VcSet<W>) -> VcSet<W> {
        let mut related = VcSet::EMPTY;
        for vc in vcs {
            related.insert(self.last[vc].into());
        }
        if !(vcs & self.several).is_empty() {
            for output in self.outputs() - related {
                if !(self.inputs_of(output) & vcs).is_empty() {
                    related.insert(output);
                }
            }
        }
        related
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_empty_themselves() {
        let mut groups = Groups::<1>::new();
        [(7, 2), (1, 2), (4, 9)].into_iter().for_each(|(input, output)| groups.insert(input, output));
        assert_eq!(groups.take(), Some((2, VcSet::single(1) | VcSet::single(7))));
        assert_eq!(groups.take(), Some((9, VcSet::single(4))));
        assert_eq!((groups.take(), groups.inputs_of(2)), (None, VcSet::EMPTY));
    }

    #[test]
    fn outputs_of_several_inputs_are_all_that_they_are_related_to() {
        let mut bids = Relation::<1>::new();
        [(3, 8), (3, 16), (4, 16), (12, 24)].into_iter().for_each(|(input, output)| bids.insert(input, output));
        let outputs = |vcs: &[usize]| {
            let vcs = vcs.iter().fold(VcSet::EMPTY, |set, &vc| set | VcSet::single(vc));
            bids.outputs_of(vcs).into_iter().collect::<Vec<_>>()
        };
        assert_eq!((outputs(&[3]), outputs(&[4]), outputs(&[4, 12])), (vec![8, 16], vec![16], vec![16, 24]));
        let port = VcSet::single(12) | VcSet::single(13);
        assert!(bids.is_alone(12, port) && !bids.is_alone(3, VcSet::single(3)));
        bids.remove(12, 24);
        assert!(bids.inputs_of(24).is_empty() && !bids.is_empty());
        bids.clear();
        assert!(bids.is_empty() && bids.outputs().is_empty());
    }
}
