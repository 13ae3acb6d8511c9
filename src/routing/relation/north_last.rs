//! Minimal and adaptive, but for the turns from the north, which is towards larger coordinates of the second dimension
//! (Glass and Ni 1992): packets go north when nothing else is left.

use super::{LatticeRouting, Rule};
use crate::routing::lattice::{Lattice, port};
use crate::topology::Direction;

/// North last.
#[derive(Clone, Copy, Debug)]
pub struct NorthLast;

impl LatticeRouting for NorthLast {
    fn name(&self) -> &'static str {
        "north-last"
    }

    fn summary(&self) -> &'static str {
        "2-D mesh, adaptive until only north is left"
    }

    fn unfit(&self, lattice: &Lattice) -> Option<&'static str> {
        (!lattice.is_plane_mesh()).then_some("is for meshes of two dimensions")
    }

    fn needed_virtual_channels(&self, _: &Lattice) -> u8 {
        1
    }

    fn rule(&self) -> Rule {
        Rule::Choices(|relation, at, header, choices| {
            let north = port(1, Direction::Plus);
            let closer = relation.lattice.closer(at, header.dst);
            let only_north = closer.clone().all(|out| out == north);
            let allowed = closer.filter(|&out| out != north || only_north);
            choices.extend(allowed.map(|out| relation.all_vcs(out)));
        })
    }
}
