//! Minimal and adaptive, but for the turns to the west, which is towards smaller coordinates of the first dimension
//! (Glass and Ni 1992): packets go all the way west first.

use super::{LatticeRouting, Rule};
use crate::routing::lattice::{Lattice, port};
use crate::topology::Direction;

/// West first.
#[derive(Clone, Copy, Debug)]
pub struct WestFirst;

impl LatticeRouting for WestFirst {
    fn name(&self) -> &'static str {
        "west-first"
    }

    fn summary(&self) -> &'static str {
        "2-D mesh, adaptive once nothing leads west"
    }

    fn unfit(&self, lattice: &Lattice) -> Option<&'static str> {
        (!lattice.is_plane_mesh()).then_some("is for meshes of two dimensions")
    }

    fn needed_virtual_channels(&self, _: &Lattice) -> u8 {
        1
    }

    fn rule(&self) -> Rule {
        Rule::Choices(|relation, at, header, choices| {
            let west = port(0, Direction::Minus);
            let closer = relation.lattice.closer(at, header.dst);
            let goes_west = closer.clone().any(|out| out == west);
            let allowed = closer.filter(|&out| out == west || !goes_west);
            choices.extend(allowed.map(|out| relation.all_vcs(out)));
        })
    }
}
