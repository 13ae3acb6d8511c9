//! Minimal and adaptive, but for the turns to the west, which is towards smaller coordinates of the first dimension
//! (Glass and Ni 1992): packets go all the way west first.

use super::{LatticeRouting, RoutingRule};
use crate::routing::lattice::port;
use crate::topology::Direction;

/// West first.
pub static WEST_FIRST: LatticeRouting = LatticeRouting {
    name: "west-first",
    summary: "two-dimensional meshes; hops to the west (smaller first coordinate) first, then adaptive",
    unfit: |lattice| (!lattice.is_plane_mesh()).then_some("requires a two-dimensional mesh"),
    rule: RoutingRule::Choices(|relation, at, header, choices| {
        let west = port(0, Direction::Minus);
        let closer = relation.lattice.closer(at, header.dst);
        let goes_west = closer.clone().any(|out| out == west);
        let allowed = closer.filter(|&out| out == west || !goes_west);
        choices.extend(allowed.map(|out| relation.all_vcs(out)));
    }),
    ..LatticeRouting::DEFAULT
};
