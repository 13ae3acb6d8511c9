//! Minimal and adaptive, but for the turns from the north, which is towards larger coordinates of the second dimension
//! (Glass and Ni 1992): packets go north when nothing else is left.

use super::{LatticeRouting, RoutingRule};
use crate::routing::lattice::port;
use crate::topology::Direction;

/// North last.
pub static NORTH_LAST: LatticeRouting = LatticeRouting {
    name: "north-last",
    summary: "two-dimensional meshes; adaptive, with hops to the north (larger second coordinate) last",
    unfit: |lattice| (!lattice.is_plane_mesh()).then_some("requires a two-dimensional mesh"),
    rule: RoutingRule::Choices(|relation, at, header, choices| {
        let north = port(1, Direction::Plus);
        let closer = relation.lattice.closer(at, header.dst);
        let only_north = closer.clone().all(|out| out == north);
        let allowed = closer.filter(|&out| out != north || only_north);
        choices.extend(allowed.map(|out| relation.all_vcs(out)));
    }),
    ..LatticeRouting::DEFAULT
};
