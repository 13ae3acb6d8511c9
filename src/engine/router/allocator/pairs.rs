//! Pairs of an input and an output that an allocator is to match.

use super::super::vcset::{VcArray, VcSet};

/// A set of pairs of an input and an output, by input and by output.
///
/// Sets of inputs and outputs without a pair are empty, so that insertion needs no look at the past, and clearing costs no more than
/// the insertions did.
#[derive(Clone)]
pub(crate) struct Pairs<const W: usize> {
    /// Inputs that are part of a pair.
    pub(crate) inputs: VcSet<W>,
    /// Outputs that are part of a pair.
    pub(crate) outputs: VcSet<W>,
    by_input: VcArray<VcSet<W>, W>,
    by_output: VcArray<VcSet<W>, W>,
}

impl<const W: usize> Pairs<W> {
    /// Creates no pairs.
    pub(crate) fn new() -> Self {
        let none = VcSet::EMPTY;
        Self { inputs: none, outputs: none, by_input: VcArray::filled(none), by_output: VcArray::filled(none) }
    }

    /// Adds the pair of `input` and `output`.
    #[inline(always)]
    pub(crate) fn insert(&mut self, input: usize, output: usize) {
        self.inputs.insert(input);
        self.outputs.insert(output);
        self.by_input[input].insert(output);
        self.by_output[output].insert(input);
    }

    /// Adds the pairs of `input` and each of `outputs`.
    #[inline(always)]
    pub(crate) fn insert_all(&mut self, input: usize, outputs: VcSet<W>) {
        for output in outputs {
            self.insert(input, output);
        }
    }

    /// Removes all pairs.
    #[inline(always)]
    pub(crate) fn clear(&mut self) {
        for input in std::mem::replace(&mut self.inputs, VcSet::EMPTY) {
            self.by_input[input] = VcSet::EMPTY;
        }
        for output in std::mem::replace(&mut self.outputs, VcSet::EMPTY) {
            self.by_output[output] = VcSet::EMPTY;
        }
    }

    /// Returns true if there are no pairs.
    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.inputs.is_empty()
    }

    /// The outputs that are paired with `input`.
    #[inline(always)]
    pub(crate) fn outputs_of(&self, input: usize) -> VcSet<W> {
        self.by_input[input]
    }

    /// The inputs that are paired with `output`.
    #[inline(always)]
    pub(crate) fn inputs_of(&self, output: usize) -> VcSet<W> {
        self.by_output[output]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_found_from_both_sides_until_they_are_cleared() {
        let mut pairs = Pairs::<1>::new();
        pairs.insert_all(3, VcSet::single(8) | VcSet::single(16));
        pairs.insert(4, 16);
        assert_eq!(pairs.outputs_of(3), VcSet::single(8) | VcSet::single(16));
        assert_eq!(pairs.inputs_of(16), VcSet::single(3) | VcSet::single(4));
        pairs.clear();
        assert!(pairs.is_empty() && pairs.outputs_of(3).is_empty() && pairs.inputs_of(16).is_empty());
    }
}
