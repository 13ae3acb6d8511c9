//! Minimal and adaptive, but for the turns from larger to smaller coordinates (Glass and Ni 1992): packets go all that
//! leads towards smaller coordinates first.

use super::{LatticeRouting, Rule};
use crate::routing::Lattice;
use crate::topology::Direction;

/// Negative first.
#[derive(Clone, Copy, Debug)]
pub struct NegativeFirst;

impl LatticeRouting for NegativeFirst {
    fn name(&self) -> &'static str {
        "negative-first"
    }

    fn summary(&self) -> &'static str {
        "mesh, adaptive, smaller coordinates before larger ones"
    }

    fn unfit(&self, lattice: &Lattice) -> Option<&'static str> {
        lattice.wraps().then_some("is for meshes")
    }

    fn needed_virtual_channels(&self, _: &Lattice) -> u8 {
        1
    }

    fn rule(&self) -> Rule {
        Rule::Choices(|relation, at, header, choices| {
            let is_negative = |out: usize| Direction::from_number(out) == Direction::Minus;
            let closer = relation.lattice.closer(at, header.dst);
            let goes_negative = closer.clone().any(is_negative);
            let allowed = closer.filter(|&out| is_negative(out) || !goes_negative);
            choices.extend(allowed.map(|out| relation.all_vcs(out)));
        })
    }
}
