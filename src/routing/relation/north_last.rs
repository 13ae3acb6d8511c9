//! Minimal and adaptive, but for the turns from the north, which is towards larger coordinates of the second dimension
//! (Glass and Ni 1992): packets go north when nothing else is left.

use super::{LatticeRouting, RoutingRule};
use crate::routing::lattice::port;
use crate::topology::Direction;

/// North last.
pub static NORTH_LAST: LatticeRouting = LatticeRouting {
    name: "north-last",
    summary: "2-D mesh, adaptive until only north is left",
    unfit: |lattice| (!lattice.is_plane_mesh()).then_some("is for meshes of two dimensions"),
    rule: RoutingRule::Choices(|relation, at, header, choices| {
        let north = port(1, Direction::Plus);
        let closer = relation.lattice.closer(at, header.dst);
        let only_north = closer.clone().all(|out| out == north);
        let allowed = closer.filter(|&out| out != north || only_north);
        choices.extend(allowed.map(|out| relation.all_vcs(out)));
    }),
    ..LatticeRouting::DEFAULT
};
